package eval

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"tv/glenside"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// A result is what a node evaluates to: a view if it is a tensor or an access pattern, items if it is a
// tuple, nothing if it is a size, a list or a word, whose values are in the types.
type result struct {
	view
	items []result
}

// A rule says what a call means.
type rule func(k *call) result

// rules holds a rule for each operator of the language.
var rules = func() map[string]rule {
	all := map[string]rule{}
	for _, part := range []map[string]rule{
		coreRules, computeRules, hardwareRules, relayMoves, relayRules, acceleratorRules,
	} {
		maps.Copy(all, part)
	}
	return all
}()

// compile prepares all nodes: it finds whatever is wrong with their sizes now, and leaves what calls mean until an
// element asks for it, since few elements ask for most of a large program.
func (e *Evaluator) compile() error {
	p := e.typing.Program
	e.results = make([]result, len(p.Nodes))
	e.calls = make([]call, len(p.Nodes))
	e.countUses()
	for _, n := range p.Nodes {
		t := e.typing.Type(n)
		k := &e.calls[n.ID]
		*k = call{Evaluator: e, node: n, typ: t}
		var err error
		switch t.Kind {
		case glenside.TypeAccess, glenside.TypeTensor:
			k.dims, err = e.dims(n, t)
			k.Arithmetic = value.Of(e.arith, t.Elem)
		case glenside.TypeInt:
			_, err = e.sizes(n, []domain.Size{t.Int})
		case glenside.TypeList:
			_, err = e.sizes(n, t.Ints)
		case glenside.TypeShape:
			_, err = e.sizes(n, t.Dims)
		}
		if err != nil {
			return err
		}
		name, stands := e.standing[glenside.State{Call: n}]
		switch {
		case stands:
			k.done = true
			e.results[n.ID] = result{view: viewOf(e.tensor(name, t.Elem), k.dims)}
		case n.Kind == glenside.KindSymbol:
			k.done = true
			e.results[n.ID] = result{view: viewOf(e.tensor(n.Text, t.Elem), k.dims)}
		case n.Kind != glenside.KindCall:
			k.done = true
		default:
			if k.rule = rules[n.Op.Name]; k.rule == nil {
				return e.fail(n, "internal", "no meaning for "+n.Op.Name)
			}
			k.computes = computes(n)
		}
	}
	return nil
}

// result returns what a node means.
func (e *Evaluator) result(n *glenside.Node) *result {
	k, r := &e.calls[n.ID], &e.results[n.ID]
	if !k.done {
		k.done = true
		if k.computes {
			r.view = viewOf(&deferred{call: k}, k.dims)
		} else if *r = k.rule(k); k.err != nil {
			r.view = view{k.dims, constant(value.NoValue(k.err))}
		}
	}
	return r
}

// computes tells whether a call is of an operator whose elements are not merely elements of its operands.
func computes(n *glenside.Node) bool {
	return n.Op.Category != glenside.CatCore && relayMoves[n.Op.Name] == nil
}

// A deferred is the result of a call whose meaning is looked up when the first element is asked for.
type deferred struct {
	call *call
	from elements
}

func (d *deferred) at(offset int64) value.Value {
	if d.from == nil {
		v := d.call.rule(d.call).view
		if d.call.err != nil {
			v = view{d.call.dims, constant(value.NoValue(d.call.err))}
		}
		if from, ok := v.flat(); ok {
			d.from = from
		} else {
			d.from = newFlattened(v)
		}
	}
	return d.from.at(offset)
}

// countUses counts for each node how often each of its elements may be asked for: once for each use as an
// operand, as often as the user itself where the user only moves elements; more than once where the user reads
// an element for several of its own, if that costs more than to remember it.
func (e *Evaluator) countUses() {
	p := e.typing.Program
	e.uses = make([]int, len(p.Nodes))
	e.uses[p.Root.ID] = 1
	costly := e.costly()
	for id := len(p.Nodes) - 1; id >= 0; id-- {
		n := p.Nodes[id]
		times := 1
		if n.Op != nil && !computes(n) {
			times = e.uses[id]
		}
		for _, a := range n.Args {
			t := times
			if n.Op != nil && costly[a.ID] && (reduces[n.Op.Name] || spreads[n.Op.Name] || e.broadcasts(n, a)) {
				t = 2
			}
			e.uses[a.ID] = min(e.uses[a.ID]+t, 2)
		}
	}
}

// costly tells of which nodes elements take more than a few operations on those of inputs, or are enclosures.
func (e *Evaluator) costly() []bool {
	out := make([]bool, len(e.typing.Program.Nodes))
	for id, n := range e.typing.Program.Nodes {
		out[id] = n.Op != nil && (reduces[n.Op.Name] || irrational[n.Op.Name] && !e.arith.Bits(e.typing.Type(n).Elem))
		for _, a := range n.Args {
			out[id] = out[id] || out[a.ID]
		}
	}
	return out
}

// irrational are the operators without a reduction whose elements are enclosures in the reals.
var irrational = map[string]bool{"sqrt": true, "relay-sqrt": true, "relay-sigmoid": true, "relay-tanh": true,
	"relay-erf": true, "relay-batch-norm-inference": true}

// reduces are the operators whose elements take many of an operand.
var reduces = map[string]bool{"dot-product": true, "reduce-sum": true, "reduce-max": true, "reduce-mean": true,
	"softmax": true, "relay-softmax": true, "relay-log-softmax": true, "relay-layer-norm": true, "relay-mean": true,
	"relay-global-avg-pool2d": true, "relay-dense": true, "relay-batch-matmul": true, "relay-conv1d": true,
	"relay-conv2d": true, "relay-max-pool2d": true, "relay-avg-pool2d": true, "hlscnn-conv2d": true,
	"cim-gemm": true, "flex-attention": true, "flex-layernorm": true, "flex-linear": true, "flex-lstm": true, "flex-lstm-cells": true, "flex-meanpool": true, "vta-dense": true, "systolic-array": true, "systolic-array-with-blocking": true,
	"systolic-array-conv2d-nchw-oihw-with-blocking":        true,
	"systolic-array-conv2d-nhwc-hwio-with-blocking":        true,
	"systolic-array-conv2d-im2col-nchw-oihw-with-blocking": true,
	"systolic-array-conv2d-im2col-nhwc-hwio-with-blocking": true}

// spreads are the operators that only move elements, but to several places.
var spreads = map[string]bool{"access-cartesian-product": true, "access-windows": true, "access-broadcast": true}

// broadcasts tells whether a call reads an operand of other dims than its own.
func (e *Evaluator) broadcasts(n, operand *glenside.Node) bool {
	if n.Op.Category != glenside.CatRelay || relayMoves[n.Op.Name] != nil {
		return false
	}
	of, to := e.typing.Type(operand), e.typing.Type(n)
	return len(of.Dims) != len(to.Dims) || !slices.EqualFunc(of.Dims, to.Dims, domain.Size.Equal)
}

// tensor returns the elements of an input.
func (e *Evaluator) tensor(name string, elem domain.Elem) elements {
	if s, ok := e.tensors[name]; ok {
		return s
	}
	s := &input{name: name, read: open(e.inputs, name), arith: e.arith, elem: elem, tag: value.TagOf(e.arith, elem)}
	e.tensors[name] = s
	return s
}

func open(in value.Inputs, name string) func(int64) value.Value {
	if o, ok := in.(value.Opener); ok {
		return o.Open(name)
	}
	return func(offset int64) value.Value { return in.Element(name, offset) }
}

// input reads an input tensor, checking that what it is given are values of the arithmetic in force.
type input struct {
	name  string
	read  func(offset int64) value.Value
	arith value.Arith
	elem  domain.Elem
	tag   value.Tag // that nearly all elements have
}

func (s *input) at(offset int64) value.Value {
	v := s.read(offset)
	if v.Is(s.tag) {
		return v
	}
	if err := v.Suits(s.arith, s.elem); err != nil {
		return value.NoValue(fmt.Errorf("%s[offset %d]: %w", s.name, offset, err))
	}
	return v
}

// A call is a node whose sizes are known. Rules read operands with its methods and make results with
// them. The first problem sticks in err.
type call struct {
	*Evaluator
	value.Arithmetic // of the elements of the result
	node             *glenside.Node
	typ              *glenside.Type
	dims             []int64 // of the result, if it is a tensor or an access pattern
	rule             rule
	computes         bool // what rule returns is not merely elements of the operands
	done             bool // the result is known
	err              error
}

func (k *call) argType(i int) *glenside.Type { return k.typing.Type(k.node.Args[i]) }

// arg returns operand i, a tensor or an access pattern.
func (k *call) arg(i int) view { return k.result(k.node.Args[i]).view }

// split returns the number of access dims of operand i.
func (k *call) split(i int) int { return k.argType(i).Split }

// int returns operand i, an integer.
func (k *call) int(i int) int64 {
	return k.ints(i, []domain.Size{k.argType(i).Int})[0]
}

// list returns operand i, a list or a shape.
func (k *call) list(i int) []int64 {
	t := k.argType(i)
	if t.Kind == glenside.TypeList {
		return k.ints(i, t.Ints)
	}
	return k.ints(i, t.Dims)
}

func (k *call) ints(i int, sizes []domain.Size) []int64 {
	values, err := k.sizes(k.node.Args[i], sizes)
	if err != nil {
		if k.err == nil {
			k.err = err
		}
		return make([]int64, len(sizes))
	}
	return values
}

// axis returns operand i, an axis of a tensor of the given rank; a negative one counts from the end.
func (k *call) axis(i, rank int) int {
	axis := int(k.int(i))
	if axis < 0 {
		axis += rank
	}
	return axis
}

// word returns operand i, a word.
func (k *call) word(i int) string { return k.node.Args[i].Text }

// literal returns the decimal literal of a node as an element of the result.
func (k *call) literal(n *glenside.Node) value.Value {
	switch strings.ToLower(n.Text) {
	case "inf", "+inf", "infinity", "+infinity":
		return k.Infinity(1)
	case "-inf", "-infinity":
		return k.Infinity(-1)
	}
	r, err := value.ParseRat(n.Text)
	if err != nil {
		if k.err == nil {
			k.err = k.fail(n, "bad-number", err.Error())
		}
		return k.Zero()
	}
	v := k.Constant(r)
	if t := k.typ.Elem; r.Sign() == 0 && n.Text[0] == '-' && k.arith.Bits(t) && t.Kind == domain.ElemFloat {
		return value.NegativeZero(t)
	}
	return v
}

// number returns operand i, a decimal literal, as an element of the result.
func (k *call) number(i int) value.Value { return k.literal(k.node.Args[i]) }

// computed is the result of an operation: it computes an element, and remembers it if memo is not nil.
type computed struct {
	node     *glenside.Node
	eval     *Evaluator
	dims     []int64
	index    []int64
	byIndex  func(index []int64) value.Value
	byOffset func(offset int64) value.Value // instead of byIndex
	memo     *memo
	internal bool // not the result of the node, but something on the way to it
}

func (s *computed) at(offset int64) value.Value {
	if s.memo != nil {
		if v, ok := s.memo.get(offset); ok {
			return v
		}
	}
	var v value.Value
	if s.byOffset != nil {
		v = s.byOffset(offset)
	} else {
		unflatten(offset, s.dims, s.index)
		v = s.byIndex(s.index)
	}
	if v.Failed() {
		v = s.place(v, offset)
	}
	if s.memo != nil {
		s.memo.put(offset, v)
	}
	return v
}

// place says of a failure that has no place yet which element of which operator it is.
func (s *computed) place(v value.Value, offset int64) value.Value {
	if v.Located() || s.internal || !placeable(v.Err()) {
		return v
	}
	index := make([]int64, len(s.dims))
	unflatten(offset, s.dims, index)
	where := s.eval.typing.Program.Span(s.node).Position()
	return v.Locate(fmt.Sprintf("element %d of %s at %s", index, s.node.Op.Name, where))
}

// placeable tells whether a failure comes from an operation and not from the inputs.
func placeable(err error) bool {
	return errors.Is(err, value.ErrUndefined) || errors.Is(err, value.ErrUndecided)
}

// A memo remembers elements by offset, sparsely at first. Offsets are below total.
type memo struct {
	total int64
	few   map[int64]value.Value
	all   []value.Value
	known []bool
	room  *int // of the evaluator
}

func (m *memo) get(offset int64) (value.Value, bool) {
	if m.all != nil {
		return m.all[offset], m.known[offset]
	}
	v, ok := m.few[offset]
	return v, ok
}

// reset forgets the elements, and keeps the room they took.
func (m *memo) reset() {
	if m.all != nil {
		clear(m.known)
		return
	}
	*m.room += len(m.few)
	clear(m.few)
}

func (m *memo) put(offset int64, v value.Value) {
	if m.all != nil {
		m.all[offset], m.known[offset] = v, true
		return
	}
	if *m.room--; *m.room < 0 {
		// Forget: what this element needs may be computed again.
		*m.room += len(m.few) + 1
		m.few = nil
		return
	}
	if m.few == nil {
		m.few = map[int64]value.Value{}
	}
	m.few[offset] = v
	if n := int64(len(m.few)); n >= 8 && m.total <= 4*n && m.total <= int64(*m.room) {
		*m.room -= int(m.total - n)
		m.all, m.known = make([]value.Value, m.total), make([]bool, m.total)
		for at, v := range m.few {
			m.all[at], m.known[at] = v, true
		}
		m.few = nil
	}
}

// operation returns new elements for the result, or with internal for something on the way to it. It
// remembers its elements if they are asked for more than once or if repeats says that each asks for several
// elements of the operands, so that asking again would multiply.
func (k *call) operation(dims []int64, repeats, internal bool) *computed {
	s := &computed{node: k.node, eval: k.Evaluator, dims: dims, internal: internal}
	s.index = make([]int64, len(dims))
	if repeats || !internal && k.uses[k.node.ID] > 1 {
		s.memo = &memo{total: volume(dims), room: &k.room}
		k.memos = append(k.memos, s.memo)
	}
	return s
}

// perElement returns the result of dims of which f computes the element at an index, that it must not keep.
func (k *call) perElement(dims []int64, f func(index []int64) value.Value) view {
	s := k.operation(dims, true, false)
	s.byIndex = f
	return viewOf(s, dims)
}

// step is perElement for something on the way to the result.
func (k *call) step(dims []int64, f func(index []int64) value.Value) view {
	s := k.operation(dims, true, true)
	s.byIndex = f
	return viewOf(s, dims)
}

// each applies f to the elements of x.
func (k *call) each(x view, f func(value.Value) value.Value) result {
	s := k.operation(x.dims, false, false)
	if from, ok := x.flat(); ok {
		s.byOffset = func(offset int64) value.Value { return f(from.at(offset)) }
	} else {
		s.byIndex = func(index []int64) value.Value { return f(x.tree.at(index)) }
	}
	return result{view: viewOf(s, x.dims)}
}

// both applies f to the elements of x and y, which have the same dims.
func (k *call) both(x, y view, f func(x, y value.Value) value.Value) result {
	s := k.operation(x.dims, false, false)
	from, ok := x.flat()
	with, also := y.flat()
	if ok && also {
		s.byOffset = func(offset int64) value.Value { return f(from.at(offset), with.at(offset)) }
	} else {
		s.byIndex = func(index []int64) value.Value { return f(x.tree.at(index), y.tree.at(index)) }
	}
	return result{view: viewOf(s, x.dims)}
}

// fold combines the elements of x along its last axes, from the left; empty is the result for none.
func (k *call) fold(x view, axes int, empty value.Value, f func(sum, x value.Value) value.Value) func(index []int64) value.Value {
	l := newLoop(axes, x)
	return func(index []int64) value.Value {
		if !l.start(index) {
			return empty
		}
		c := l.cursors[0]
		sum := c.read()
		for l.next() {
			sum = f(sum, c.read())
		}
		return sum
	}
}

// sum adds the elements of x along its last axes.
func (k *call) sum(x view, axes int) func(index []int64) value.Value {
	return k.products(axes, x)
}

// products returns the sum, along the last axes of the factors, which have the same dims, of the products of
// their elements.
func (k *call) products(axes int, factors ...view) func(index []int64) value.Value {
	l := newLoop(axes, factors...)
	a, first := k.Arithmetic, l.cursors[0]
	reals := !k.arith.Bits(k.typ.Elem)
	sum := &value.Sum{} // of one element after the other
	switch {
	case len(factors) == 1 && reals:
		return func(index []int64) value.Value {
			if !l.start(index) {
				return a.Zero()
			}
			sum.Start(first.read())
			for l.next() {
				sum.Add(first.read())
			}
			return sum.Value()
		}
	case len(factors) == 1:
		return k.fold(factors[0], axes, a.Zero(), a.Add)
	case len(factors) == 2 && reals:
		second := l.cursors[1]
		return func(index []int64) value.Value {
			sum.Start(a.Zero())
			for more := l.start(index); more; more = l.next() {
				sum.AddProduct(first.read(), second.read())
			}
			return sum.Value()
		}
	}
	term := func() value.Value {
		product := first.read()
		for _, c := range l.cursors[1:] {
			product = a.Mul(product, c.read())
		}
		return product
	}
	if len(factors) == 2 {
		second := l.cursors[1]
		term = func() value.Value { return a.Mul(first.read(), second.read()) }
	}
	return func(index []int64) value.Value {
		if !l.start(index) {
			return a.Zero()
		}
		sum := term()
		for l.next() {
			sum = a.Add(sum, term())
		}
		return sum
	}
}

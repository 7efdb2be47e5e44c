package mapping

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/internal/source"
	"tv/semantics/domain"
)

// A value is an operand that is no tensor: it is part of the operator that has it, and shapes and lists are their numbers,
// however they are spelt.
type value struct {
	kind  valueKind
	ints  []int64 // of an integer one, of an access shape the dims
	split int     // of an access shape
	text  string  // of a number, a literal or a word
}

type valueKind uint8

const (
	intValue valueKind = iota
	shapeValue
	accessValue // an access shape
	listValue
	numberValue // a decimal literal
	literalValue
	wordValue
)

// key tells values apart.
func (v *value) key() string {
	var b strings.Builder
	b.WriteByte("isalnLw"[v.kind])
	for _, n := range v.ints {
		b.WriteByte(' ')
		b.WriteString(strconv.FormatInt(n, 10))
	}
	if v.kind == accessValue {
		fmt.Fprintf(&b, ":%d", v.split)
	}
	b.WriteString(v.text)
	return b.String()
}

func (v *value) equal(w *value) bool {
	return v.kind == w.kind && v.split == w.split && v.text == w.text && slices.Equal(v.ints, w.ints)
}

// An operator is what a term applies: an operator of the language with its values, or the name of a tensor.
type operator struct {
	op      *glenside.Op
	slots   []*value // of each operand its value; nil for those that are arguments
	name    string   // of a tensor, where op is nil
	tensor  domain.Tensor
	literal domain.Elem // the type that a pattern made of literals alone has from its use
}

// operators numbers operators, and is the analysis of the graph: its data are types.
type operators struct {
	list    []*operator
	byKey   map[string]egraph.Op
	heads   map[*glenside.Op]int32
	numbers map[string]string // a spelling of each number, by value: equal numbers are one operand
}

func newOperators() *operators {
	return &operators{byKey: map[string]egraph.Op{}, heads: map[*glenside.Op]int32{nil: 0}, numbers: map[string]string{}}
}

// number returns the spelling by which a number goes.
func (o *operators) number(text string) string {
	key := text
	if n, ok := glenside.ParseDecimal(text); ok {
		key = n.RatString()
		if n.Sign() == 0 && strings.HasPrefix(text, "-") {
			key = "-0"
		}
	}
	if old, ok := o.numbers[key]; ok {
		return old
	}
	o.numbers[key] = text
	return text
}

// intern returns the number of an operator.
func (o *operators) intern(x *operator) egraph.Op {
	var b strings.Builder
	if x.op == nil {
		b.WriteString("=" + x.name)
	} else {
		b.WriteString(x.op.Name)
		for _, s := range x.slots {
			b.WriteByte('|')
			if s != nil {
				b.WriteString(s.key())
			}
		}
		if x.literal != (domain.Elem{}) {
			b.WriteString("|: " + x.literal.String())
		}
	}
	key := b.String()
	if op, ok := o.byKey[key]; ok {
		return op
	}
	if _, ok := o.heads[x.op]; !ok {
		o.heads[x.op] = int32(len(o.heads))
	}
	op := egraph.Op(len(o.list))
	o.list, o.byKey[key] = append(o.list, x), op
	return op
}

// Head implements what the graph asks of an analysis with heads: operators of the language without their values.
func (o *operators) Head(op egraph.Op) int32 { return o.heads[o.list[op].op] }

// head is that of an operator of the language, if a term has it.
func (o *operators) head(op *glenside.Op) (int32, bool) {
	h, ok := o.heads[op]
	return h, ok
}

// Make implements egraph.Analysis.
func (o *operators) Make(op egraph.Op, children []*glenside.Type) (*glenside.Type, error) {
	return o.typeOf(o.list[op], children)
}

// Same implements egraph.Analysis.
func (o *operators) Same(a, b *glenside.Type) bool { return sameType(a, b) }

func sameType(a, b *glenside.Type) bool {
	return a.Kind == b.Kind && a.Split == b.Split && a.Elem == b.Elem && slices.EqualFunc(a.Dims, b.Dims, domain.Size.Equal) &&
		slices.EqualFunc(a.Items, b.Items, sameType)
}

func (o *operators) typeOf(x *operator, children []*glenside.Type) (*glenside.Type, error) {
	if x.op == nil {
		return &glenside.Type{Kind: glenside.TypeTensor, Dims: x.tensor.Dims, Elem: x.tensor.Elem}, nil
	}
	nodes, types := make([]*glenside.Node, len(x.slots)), make([]*glenside.Type, len(x.slots))
	next := 0
	for i, s := range x.slots {
		if s == nil {
			nodes[i], types[i] = argument, children[next]
			next++
		} else {
			nodes[i], types[i] = s.node(), s.typ()
		}
	}
	return glenside.TypeCall(x.op, nodes, types, x.literal)
}

var argument = &glenside.Node{Kind: glenside.KindCall}

// node is what the shape rules read of an operand.
func (v *value) node() *glenside.Node {
	switch v.kind {
	case intValue:
		return &glenside.Node{Kind: glenside.KindInt, Int: domain.IntSize(v.ints[0])}
	case numberValue:
		return &glenside.Node{Kind: glenside.KindFloat, Text: v.text}
	case wordValue:
		return &glenside.Node{Kind: glenside.KindToken, Text: v.text}
	}
	return argument
}

func (v *value) typ() *glenside.Type {
	t := &glenside.Type{}
	switch v.kind {
	case intValue:
		t.Kind, t.Int = glenside.TypeInt, domain.IntSize(v.ints[0])
	case shapeValue:
		t.Kind, t.Dims = glenside.TypeShape, sizesOf(v.ints)
	case accessValue:
		t.Kind, t.Dims, t.Split = glenside.TypeAccessShape, sizesOf(v.ints), v.split
	case listValue:
		t.Kind, t.Ints = glenside.TypeList, sizesOf(v.ints)
	case numberValue:
		t.Kind = glenside.TypeFloat
	case literalValue:
		t.Kind = glenside.TypeLiteral
	case wordValue:
		t.Kind = glenside.TypeToken
	}
	return t
}

func sizesOf(ints []int64) []domain.Size {
	out := make([]domain.Size, len(ints))
	for i, n := range ints {
		out[i] = domain.IntSize(n)
	}
	return out
}

// numbersOf are sizes without names.
func numbersOf(sizes []domain.Size) ([]int64, bool) {
	out := make([]int64, len(sizes))
	for i, s := range sizes {
		n, ok := s.Int64()
		if !ok {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

// isArgument tells whether a value of that type is a term rather than part of an operator.
func isArgument(t *glenside.Type) bool {
	switch t.Kind {
	case glenside.TypeAccess, glenside.TypeTensor, glenside.TypeTuple:
		return true
	}
	return false
}

// adopts are the operators that have their element type from their use.
func adopts(op *glenside.Op) bool {
	return op.Name == "relay-zeros" || op.Name == "constant-tensor" || op.Name == "access-literal"
}

// valueOf is what a node of a program is as an operand.
func (o *operators) valueOf(n *glenside.Node, t *glenside.Type) (*value, bool) {
	v, ok := &value{}, true
	switch t.Kind {
	case glenside.TypeInt:
		v.ints, ok = numbersOf([]domain.Size{t.Int})
	case glenside.TypeShape:
		v.kind = shapeValue
		v.ints, ok = numbersOf(t.Dims)
	case glenside.TypeAccess, glenside.TypeAccessShape:
		v.kind, v.split = accessValue, t.Split
		v.ints, ok = numbersOf(t.Dims)
	case glenside.TypeList:
		v.kind = listValue
		v.ints, ok = numbersOf(t.Ints)
	case glenside.TypeFloat:
		v.kind, v.text = numberValue, o.number(n.Text)
	case glenside.TypeLiteral:
		v.kind, v.text = literalValue, o.number(n.Args[0].Text)
	case glenside.TypeToken:
		v.kind, v.text = wordValue, n.Text
	default:
		return nil, false
	}
	return v, ok
}

// A graph is the e-graph of a program's terms.
type graph struct {
	*egraph.Graph[*glenside.Type]
	ops *operators
}

func newGraph() *graph {
	ops := newOperators()
	return &graph{egraph.New[*glenside.Type](ops), ops}
}

// operator is that of a term.
func (g *graph) operator(t egraph.Term) *operator { return g.ops.list[g.Op(t)] }

// program adds a program, and returns the term of its result.
func (g *graph) program(p *glenside.Program, typing *glenside.Typing) (egraph.Term, error) {
	terms := make([]egraph.Term, len(p.Nodes))
	tensors := map[string]domain.Tensor{}
	for _, t := range typing.Tensors {
		tensors[t.Name] = t
	}
	for _, n := range p.Nodes {
		t := typing.Type(n)
		if !isArgument(t) {
			continue
		}
		x := &operator{}
		if n.Kind == glenside.KindSymbol {
			x.name, x.tensor = n.Text, tensors[n.Text]
			if _, ok := numbersOf(t.Dims); !ok {
				return 0, open(p, n)
			}
		} else {
			x.op = n.Op
			if adopts(n.Op) {
				x.literal = t.Elem
			}
		}
		var children []egraph.Term
		for i, a := range n.Args {
			at := typing.Type(a)
			if isArgument(at) && n.Op.OperandAt(i, len(n.Args)).Sort != glenside.SortAccessShape {
				x.slots = append(x.slots, nil)
				children = append(children, terms[a.ID])
				continue
			}
			v, ok := g.ops.valueOf(a, at)
			if !ok {
				return 0, open(p, a)
			}
			x.slots = append(x.slots, v)
		}
		term, err := g.Add(g.ops.intern(x), children...)
		if err != nil {
			return 0, err
		}
		terms[n.ID] = term
	}
	return terms[p.Root.ID], nil
}

// open says that a program has a named size.
func open(p *glenside.Program, n *glenside.Node) error {
	return source.Errors{source.Errorf(p.Span(n), glenside.CodeSizesOpen,
		"%s has a named size: tv map asks for numbers", glenside.FormatNode(n))}
}

// A reader makes nodes of terms, each once.
type reader struct {
	g     *graph
	nodes map[string]*glenside.Node
	made  map[egraph.Term]*glenside.Node
	list  []*glenside.Node
}

// written returns a program whose result is a term, with the declarations of another.
func (g *graph) written(root egraph.Term, inputs []*domain.Input) *glenside.Program {
	r := &reader{g: g, nodes: map[string]*glenside.Node{}, made: map[egraph.Term]*glenside.Node{}}
	return &glenside.Program{Inputs: inputs, Root: r.term(root), Nodes: r.list}
}

func (r *reader) node(key string, n glenside.Node) *glenside.Node {
	if old := r.nodes[key]; old != nil {
		return old
	}
	n.ID = len(r.list)
	r.nodes[key] = &n
	r.list = append(r.list, &n)
	return &n
}

// term makes the node of a term, those of its arguments first. It does not recurse: programs nest to any depth.
func (r *reader) term(root egraph.Term) *glenside.Node {
	stack := []egraph.Term{root}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		if r.made[t] != nil {
			stack = stack[:len(stack)-1]
			continue
		}
		ready := true
		for _, a := range slices.Backward(r.g.Args(t)) {
			if r.made[a] == nil {
				stack, ready = append(stack, a), false
			}
		}
		if !ready {
			continue
		}
		stack = stack[:len(stack)-1]
		r.made[t] = r.call(t)
	}
	return r.made[root]
}

func (r *reader) call(t egraph.Term) *glenside.Node {
	x := r.g.operator(t)
	if x.op == nil {
		return r.node("="+x.name, glenside.Node{Kind: glenside.KindSymbol, Text: x.name})
	}
	args := make([]*glenside.Node, len(x.slots))
	next := 0
	for i, s := range x.slots {
		if s == nil {
			args[i] = r.made[r.g.Args(t)[next]]
			next++
		} else {
			args[i] = r.value(s)
		}
	}
	return r.apply(x.op, args...)
}

func (r *reader) apply(op *glenside.Op, args ...*glenside.Node) *glenside.Node {
	key := op.Name
	for _, a := range args {
		key += fmt.Sprintf(" %d", a.ID)
	}
	return r.node(key, glenside.Node{Kind: glenside.KindCall, Op: op, Args: args})
}

func (r *reader) ints(op *glenside.Op, ints []int64) *glenside.Node {
	args := make([]*glenside.Node, len(ints))
	for i, n := range ints {
		args[i] = r.value(&value{kind: intValue, ints: []int64{n}})
	}
	return r.apply(op, args...)
}

var opAccessShape = glenside.LookupOp("access-shape")

func (r *reader) value(v *value) *glenside.Node {
	switch v.kind {
	case shapeValue:
		return r.ints(glenside.OpShape, v.ints)
	case listValue:
		return r.ints(glenside.OpList, v.ints)
	case accessValue:
		s, c := r.ints(glenside.OpShape, v.ints[:v.split]), r.ints(glenside.OpShape, v.ints[v.split:])
		return r.apply(opAccessShape, s, c)
	case literalValue:
		return r.apply(glenside.OpLiteral, r.value(&value{kind: numberValue, text: v.text}))
	case intValue:
		return r.node("int "+v.key(), glenside.Node{Kind: glenside.KindInt, Int: domain.BigSize(big.NewInt(v.ints[0]))})
	case numberValue:
		return r.node("number "+v.text, glenside.Node{Kind: glenside.KindFloat, Text: v.text})
	}
	return r.node("word "+v.text, glenside.Node{Kind: glenside.KindToken, Text: v.text})
}

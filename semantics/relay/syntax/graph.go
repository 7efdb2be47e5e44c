package syntax

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// NodeKind sorts nodes.
type NodeKind uint8

const (
	NodeInput    NodeKind = iota // Name
	NodeScalar                   // Literal, of an element type
	NodeConstant                 // Constant
	NodeCall                     // Op applied to Args
	NodeTuple                    // Args
	NodeItem                     // Index of Args[0], which is a call or an input
)

// A Node is a value that the entry function computes. Its operands stand before it.
type Node struct {
	ID       int
	Kind     NodeKind
	Op       *Op
	Args     []*Node
	Index    int
	Name     string // of an input: as it is in the program that it is imported to
	Literal  string // a decimal number
	Constant *Constant
	Type     *Type
	Binding  string // the name that the text gives it, without %, or ""
	At       source.Span

	// Of a call: its attributes as numbers, brought into one form (padding is four numbers, axes count from 0), and words.
	Ints  map[string][]int64
	Words map[string]string
}

// A Graph is what an entry function computes.
type Graph struct {
	Module       *Module
	Inputs       []*Node // leaves of the parameters, in their order
	Nodes        []*Node // what the result reaches
	Result       *Node
	Accelerators map[string]int // annotated functions that are called, by the name of the annotation
	Defaults     []Default      // attributes that were not written
	Warnings     source.Errors
}

// A Default is an attribute that calls of an operator leave out.
type Default struct {
	Operator  string `json:"operator"`
	Attribute string `json:"attribute"`
	Value     string `json:"value"`
	Calls     int    `json:"calls"`
}

// An instance is a function at a call.
type instance struct {
	of     *Func
	parent *instance // of the function around
	args   []value
}

// A value is that of an expression: a node, or a function with what is around it.
type value struct {
	node *Node
	fn   *Func
	in   *instance
}

// An occurrence is an expression in an instance of the function that it stands in.
type occurrence struct {
	e  *Expr
	in *instance
}

// A reader makes the nodes of a graph.
type reader struct {
	graph   *Graph
	version string
	// annotated functions are what they name
	accelerators bool
	values       map[occurrence]value
	calls        map[occurrence]*instance
	defaults     map[Default]int
	order        []Default
}

// Options say how a graph is read.
type Options struct {
	Version      string // of TVM that wrote the text, where the text does not tell: "0.8"; "" is unknown
	Accelerators bool   // annotated functions that name an accelerator are calls of that, not what their bodies are
}

// Graph reads what the entry function computes, with its types. Errors: source.Errors with one error.
func (m *Module) Graph(o Options) (*Graph, error) {
	version := o.Version
	r := &reader{graph: &Graph{Module: m, Accelerators: map[string]int{}}, version: version, accelerators: o.Accelerators,
		values: map[occurrence]value{}, calls: map[occurrence]*instance{}, defaults: map[Default]int{}}
	r.graph.Warnings = slices.Clone(m.Warnings)
	if m.Metadata != nil && m.Metadata.Version != "" {
		if r.version = m.Metadata.Version; version != "" && version != r.version {
			r.graph.Warnings = append(r.graph.Warnings, source.Errorf(m.Metadata.at, CodeVersion,
				"the text says that TVM %s wrote it, and the command that TVM %s did, which counts", r.version, version))
			r.version = version
		}
	}
	if err := r.read(); err != nil {
		return nil, source.Errors{err}
	}
	for _, d := range r.order {
		d.Calls = r.defaults[d]
		r.graph.Defaults = append(r.graph.Defaults, d)
	}
	slices.SortStableFunc(r.graph.Defaults, func(a, b Default) int {
		return cmp.Or(cmp.Compare(a.Operator, b.Operator), cmp.Compare(a.Attribute, b.Attribute))
	})
	return r.graph, nil
}

func (r *reader) read() *source.Error {
	f := r.graph.Module.Entry
	top := &instance{of: f}
	for _, p := range f.Params {
		n, err := r.input(p, p.Name, p.Type)
		if err != nil {
			return err
		}
		top.args = append(top.args, value{node: n})
	}
	inputs := r.graph.Nodes
	if err := r.evaluate(occurrence{f.Body, top}); err != nil {
		return err
	}
	v := r.values[r.within(occurrence{f.Body, top})]
	if v.fn != nil {
		return source.Errorf(f.Body.At, CodeOnlyTensor, "the result is a function")
	}
	if f.Result != nil && !f.Result.Equal(v.node.Type) {
		return source.Errorf(f.At, CodeType, "the function is declared to return %s, and returns %s", f.Result, v.node.Type)
	}
	if err := r.whole(v.node, f.Body.At, nil); err != nil {
		return err
	}
	r.graph.Result = v.node
	r.reached(inputs)
	return nil
}

// reached leaves the nodes that the result reaches, operands first; inputs stay.
func (r *reader) reached(inputs []*Node) {
	keep := make([]bool, len(r.graph.Nodes))
	keep[r.graph.Result.ID] = true
	for _, n := range inputs {
		keep[n.ID] = true
	}
	for _, n := range slices.Backward(r.graph.Nodes) {
		if keep[n.ID] {
			for _, a := range n.Args {
				keep[a.ID] = true
			}
		}
	}
	r.graph.Nodes = slices.DeleteFunc(r.graph.Nodes, func(n *Node) bool { return !keep[n.ID] })
	for i, n := range r.graph.Nodes {
		n.ID = i
	}
}

// input makes the nodes of a parameter: one a leaf.
func (r *reader) input(p *Param, name string, t *Type) (*Node, *source.Error) {
	switch {
	case t == nil:
		return nil, source.Errorf(p.At, CodeUntyped, "the parameter %%%s has no type", p.Name)
	case t.Kind == TypeTuple:
		tuple := &Node{Kind: NodeTuple, Type: t, At: p.At}
		for i, item := range t.Items {
			n, err := r.input(p, name+"."+strconv.Itoa(i), item)
			if err != nil {
				return nil, err
			}
			tuple.Args = append(tuple.Args, n)
		}
		return r.add(tuple), nil
	case t.Kind != TypeTensor:
		return nil, source.Errorf(p.At, CodeOutside, "the parameter %%%s is %s, not a tensor", p.Name, t)
	case t.open():
		return nil, source.Errorf(p.At, CodeOpen, "the parameter %%%s has a dim that is not a number: %s", p.Name, t)
	case !countable(t.Dims):
		return nil, source.Errorf(p.At, "too-large", "the parameter %%%s has too many elements: %s", p.Name, t)
	}
	n := r.add(&Node{Kind: NodeInput, Name: name, Type: t, At: p.At})
	r.graph.Inputs = append(r.graph.Inputs, n)
	return n, nil
}

// mostElements bounds those of a tensor.
const mostElements = 1 << 50

func countable(dims []int64) bool {
	n := int64(1)
	for _, d := range dims {
		if d > 0 && n > mostElements/d {
			return false
		}
		n *= max(d, 1)
	}
	return true
}

func (r *reader) add(n *Node) *Node {
	n.ID = len(r.graph.Nodes)
	r.graph.Nodes = append(r.graph.Nodes, n)
	return n
}

// within is an occurrence in the instance of the function that it stands in.
func (r *reader) within(o occurrence) occurrence {
	for o.in != nil && o.in.of != o.e.of {
		o.in = o.in.parent
	}
	return o
}

// A step is an occurrence whose operands up to next have values.
type step struct {
	occurrence
	next int
}

// evaluate gives values to an expression and all that it needs, without recursion.
func (r *reader) evaluate(o occurrence) *source.Error {
	stack := []step{{occurrence: r.within(o)}}
	for len(stack) > 0 {
		s := &stack[len(stack)-1]
		if s.in == nil {
			return source.Errorf(s.e.At, CodeName, "this is bound in a function that does not enclose it")
		}
		if _, done := r.values[s.occurrence]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		need, ok, err := r.need(s)
		if err != nil {
			return err
		}
		if ok {
			s.next++
			stack = append(stack, step{occurrence: r.within(need)})
			continue
		}
		v, err := r.value(s.occurrence)
		if err != nil {
			return err
		}
		if err := r.noted(s.e, v); err != nil {
			return err
		}
		r.values[s.occurrence] = v
		stack = stack[:len(stack)-1]
	}
	return nil
}

// of returns the value of an operand that has one.
func (r *reader) of(o occurrence, i int) value {
	return r.values[r.within(occurrence{o.e.Args[i], o.in})]
}

// need returns what has to have a value next, if anything.
func (r *reader) need(s *step) (o occurrence, ok bool, err *source.Error) {
	e := s.e
	switch {
	case e.Kind == ExprFunc:
		return o, false, nil
	case e.Kind == ExprIf && s.next == 1:
		cond := r.of(s.occurrence, 0).node
		if cond == nil || cond.Kind != NodeScalar || cond.Type.Elem.Kind != domain.ElemBool {
			return o, false, source.Errorf(e.At, CodeOutside, "an if whose condition is not constant is outside the subset of "+
				"Relay that tv reads")
		}
		branch := 1
		if cond.Literal == "0" {
			branch = 2
		}
		return occurrence{e.Args[branch], s.in}, true, nil
	case e.Kind == ExprIf && s.next > 1:
		return o, false, nil
	case s.next < len(e.Args):
		return occurrence{e.Args[s.next], s.in}, true, nil
	case e.Kind == ExprApply && s.next == len(e.Args):
		in, err := r.call(s.occurrence)
		if err != nil {
			return o, false, err
		}
		return occurrence{in.of.Body, in}, true, nil
	}
	return o, false, nil
}

// call makes the instance of a function at a call.
func (r *reader) call(o occurrence) (*instance, *source.Error) {
	f := r.of(o, 0)
	if f.fn == nil {
		return nil, source.Errorf(o.e.At, CodeType, "what is called is no function")
	}
	if len(o.e.Args)-1 != len(f.fn.Params) {
		return nil, source.Errorf(o.e.At, CodeArity, "the function takes %d operands, got %d", len(f.fn.Params), len(o.e.Args)-1)
	}
	in := &instance{of: f.fn, parent: f.in}
	for i, p := range f.fn.Params {
		v := r.of(o, i+1)
		if p.Type != nil && v.node != nil && p.Type.Kind == TypeTensor && !p.Type.open() && !p.Type.Equal(v.node.Type) {
			return nil, source.Errorf(o.e.Args[i+1].At, CodeType, "the parameter %%%s is %s, got %s", p.Name, p.Type, v.node.Type)
		}
		in.args = append(in.args, v)
	}
	// Texts of calls within calls of functions may stand for astronomically many.
	if len(r.calls) > mostCalls {
		return nil, source.Errorf(o.e.At, "too-large", "there are more than %d calls of functions", mostCalls)
	}
	r.calls[o] = in
	return in, nil
}

// mostCalls bounds the calls of functions that are read out.
const mostCalls = 1 << 18

// value computes an expression whose operands have values.
func (r *reader) value(o occurrence) (v value, err *source.Error) {
	e := o.e
	node := func(n *Node) (value, *source.Error) {
		n.At, n.Binding = e.At, e.Binding
		return value{node: r.add(n)}, nil
	}
	switch e.Kind {
	case ExprFunc:
		return value{fn: e.Func, in: o.in}, nil
	case ExprParam:
		return o.in.args[e.Param.index], nil
	case ExprIf:
		branch := 1
		if r.of(o, 0).node.Literal == "0" {
			branch = 2
		}
		return r.of(o, branch), nil
	case ExprApply:
		in := r.calls[o]
		v = r.values[r.within(occurrence{in.of.Body, in})]
		name := cmp.Or(in.of.Annotation("Composite"), in.of.Annotation("Compiler"))
		if name != "" && !(in.of.Annotation("Composite") == "" && r.holds(in)) {
			r.graph.Accelerators[name]++
		}
		if t := in.of.Result; t != nil && v.node != nil && t.Kind == TypeTensor && !t.open() && !t.Equal(v.node.Type) {
			return v, source.Errorf(in.of.At, CodeType, "the function is declared to return %s, and returns %s", t, v.node.Type)
		}
		if r.accelerators {
			n, err := r.offload(e, in, v.node)
			if err != nil || n == nil {
				return v, err
			}
			return node(n)
		}
		return v, nil
	case ExprNumber:
		n, err := scalar(e)
		if err != nil {
			return v, err
		}
		return node(n)
	case ExprBool:
		literal := "0"
		if e.Name == "True" {
			literal = "1"
		}
		return node(&Node{Kind: NodeScalar, Literal: literal, Type: &Type{Elem: domain.Elem{Kind: domain.ElemBool}}})
	case ExprConstant:
		n, err := r.constant(e)
		if err != nil {
			return v, err
		}
		return node(n)
	case ExprOutside:
		return v, source.Errorf(e.At, CodeOutside, "%s is outside the subset of Relay that tv reads", e.Name)
	}
	var args []*Node
	for i, a := range e.Args {
		v := r.of(o, i)
		if v.fn != nil {
			return v, source.Errorf(a.At, CodeType, "a function stands where a tensor is wanted")
		}
		args = append(args, v.node)
	}
	switch e.Kind {
	case ExprTuple:
		t := &Type{Kind: TypeTuple}
		for _, a := range args {
			t.Items = append(t.Items, a.Type)
		}
		return node(&Node{Kind: NodeTuple, Args: args, Type: t})
	case ExprItem:
		n := args[0]
		switch {
		case n.Type.Kind != TypeTuple:
			return v, source.Errorf(e.At, CodeType, "a component is taken of what is no tuple but %s", n.Type)
		case e.Index >= len(n.Type.Items):
			return v, source.Errorf(e.At, CodeType, "component %d is taken of a tuple of %d", e.Index, len(n.Type.Items))
		case n.Kind == NodeTuple:
			return value{node: n.Args[e.Index]}, nil
		case n.Op != nil && n.Op.first && e.Index > 0:
			return v, source.Errorf(e.At, CodeNoMeaning, "component %d of %s has no meaning in inference: only .0 has", e.Index,
				n.Op.Name)
		}
		return node(&Node{Kind: NodeItem, Args: args, Index: e.Index, Type: n.Type.Items[e.Index]})
	}
	n, err := r.operator(e, args)
	if err != nil {
		return v, err
	}
	return node(n)
}

// holds tells whether a call of a Composite stands in a function.
func (r *reader) holds(in *instance) bool {
	for _, c := range r.calls {
		if c.parent == in && c.of.Annotation("Composite") != "" {
			return true
		}
	}
	return false
}

// whole checks that a tuple is not used whole of which one component alone has a meaning.
func (r *reader) whole(n *Node, at source.Span, by *Op) *source.Error {
	if n.Kind == NodeTuple {
		for _, a := range n.Args {
			if err := r.whole(a, at, by); err != nil {
				return err
			}
		}
	}
	if n.Kind == NodeCall && n.Op.first {
		return source.Errorf(at, CodeNoMeaning, "%s gives a tuple of which only .0 has a meaning in inference", n.Op.Name)
	}
	return nil
}

// noted compares the type of a value with the one that the text notes.
func (r *reader) noted(e *Expr, v value) *source.Error {
	if e.Note == nil || v.node == nil || e.Note.Kind == TypeFunction || e.Note.Kind == TypeNamed {
		return nil
	}
	if e.Note.open() {
		return source.Errorf(e.NoteAt, CodeOpen, "the text notes a type with a dim that is not a number: %s", e.Note)
	}
	if !e.Note.Equal(v.node.Type) {
		name := ""
		if v.node.Op != nil {
			name = " of " + v.node.Op.Name
		}
		return source.Errorf(e.NoteAt, CodeNote, "the text notes the type %s, and the type%s is %s", e.Note, name, v.node.Type)
	}
	return nil
}

// scalar makes the node of a number.
func scalar(e *Expr) (*Node, *source.Error) {
	text, suffix := e.Number.Text, e.Number.Suffix
	decimal := strings.ContainsAny(text, ".eE")
	n := &Node{Kind: NodeScalar, Literal: text, Type: &Type{}}
	name := map[string]string{"f": "float32", "f16": "float16", "f32": "float32", "f64": "float64", "bf16": "bfloat16"}[suffix]
	switch {
	case name != "":
	case strings.HasPrefix(suffix, "u"):
		name = "uint" + suffix[1:]
	case strings.HasPrefix(suffix, "i"):
		name = "int" + suffix[1:]
	case decimal && e.Note != nil && e.Note.Kind == TypeTensor && len(e.Note.Dims) == 0:
		n.Type = e.Note
		return n, nil
	case decimal:
		return nil, source.Errorf(e.At, CodeNumber, "%s has no suffix, and releases of TVM differ in its type: write %sf or %sf64",
			text, text, text)
	default:
		v, ok := new(big.Int).SetString(text, 10)
		switch {
		case ok && v.IsInt64() && v.Int64() >= math.MinInt32 && v.Int64() <= math.MaxInt32:
			name = "int32"
		case ok && v.IsInt64():
			name = "int64"
		default:
			return nil, source.Errorf(e.At, "too-large", "%s is no int64", text)
		}
	}
	n.Type.Elem, _ = elementOf(name)
	if _, ok := new(big.Rat).SetString(clipped(text)); !ok || len(text) > 1000 {
		return nil, source.Errorf(e.At, "too-large", "this number is too long")
	}
	if !decimal {
		v, _ := new(big.Int).SetString(text, 10)
		n.Literal = v.String()
	}
	return n, nil
}

// clipped is a number whose exponent is not astronomical, or none.
func clipped(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if x, err := strconv.Atoi(text[i+1:]); err != nil || x > 1000 || x < -1000 {
			return ""
		}
	}
	return text
}

// constant makes the node of a constant in the metadata.
func (r *reader) constant(e *Expr) (*Node, *source.Error) {
	if e.Meta.Key != "relay.Constant" {
		return nil, source.Errorf(e.At, CodeOutside, "an expression that stands in the metadata, %s, is outside the subset of "+
			"Relay that tv reads", e.Meta.Key)
	}
	c, err := r.graph.Module.Metadata.constant(e.Meta)
	if err != nil {
		return nil, err
	}
	n := &Node{Kind: NodeConstant, Constant: c, Type: c.Type}
	if text, ok := c.uniform(); ok {
		n.Literal = text
		if len(c.Type.Dims) == 0 {
			n.Kind = NodeScalar
		}
	}
	return n, nil
}

// uniform returns the number that all elements of a constant are, exactly, if there is one.
func (c *Constant) uniform() (string, bool) {
	n := c.Elements()
	if n == 0 {
		return "", false
	}
	for i := 1; i < n; i++ {
		if c.Bits(i) != c.Bits(0) {
			return "", false
		}
	}
	return c.Text(0)
}

// Text returns an element of a constant as a decimal number, exactly; false: it is none.
func (c *Constant) Text(i int) (string, bool) {
	b := c.Bits(i)
	var x float64
	switch e := c.Type.Elem; {
	case e.Kind == domain.ElemUint || e.Kind == domain.ElemBool:
		return strconv.FormatUint(b, 10), true
	case e.Kind == domain.ElemInt:
		shift := 64 - e.Width
		return strconv.FormatInt(int64(b<<shift)>>shift, 10), true
	case e == domain.Float32:
		x = float64(math.Float32frombits(uint32(b)))
	case e.String() == "float64":
		x = math.Float64frombits(b)
	case e.String() == "bfloat16":
		x = float64(math.Float32frombits(uint32(b) << 16))
	case e.String() == "float16":
		x = half(uint16(b))
	default:
		return "", false
	}
	if math.IsInf(x, 0) || math.IsNaN(x) || x == 0 && math.Signbit(x) {
		return "", false
	}
	text := new(big.Float).SetFloat64(x).Text('f', 1100)
	text = strings.TrimRight(text, "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return text, true
}

// half returns the value of a float16.
func half(b uint16) float64 {
	exponent, fraction := int(b>>10&31), float64(b&1023)
	x := math.Ldexp(1024+fraction, exponent-25)
	switch exponent {
	case 0:
		x = math.Ldexp(fraction, -24)
	case 31:
		x = math.Inf(1)
		if fraction != 0 {
			x = math.NaN()
		}
	}
	if b>>15 != 0 {
		x = -x
	}
	return x
}

// TreeCalls is how many calls the result has as a tree.
func (g *Graph) TreeCalls() *big.Int {
	counts := make([]*big.Int, len(g.Nodes))
	for _, n := range g.Nodes {
		c := new(big.Int)
		for _, a := range n.Args {
			c.Add(c, counts[a.ID])
		}
		if n.Kind == NodeCall {
			c.Add(c, big.NewInt(1))
		}
		counts[n.ID] = c
	}
	return counts[g.Result.ID]
}

// Operators counts the calls by operator.
func (g *Graph) Operators() (by map[string]int, all int) {
	by = map[string]int{}
	for _, n := range g.Nodes {
		if n.Kind == NodeCall {
			by[n.Op.Name]++
			all++
		}
	}
	return by, all
}

// String prints a node in messages.
func (n *Node) String() string {
	switch n.Kind {
	case NodeCall:
		return n.Op.Name
	case NodeInput:
		return "%" + n.Name
	}
	return fmt.Sprintf("node %d", n.ID)
}

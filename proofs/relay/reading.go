// Package relay is the checker's reading of Relay: it parses texts, finds types and attributes, and
// says calls as those of Glenside, whose reading states elements. It was written from what the
// operators mean alone, and shares nothing with the prover but the grammar of Glenside.
//
//	reading.go    programs, and their parts
//	text.go       texts
//	values.go     what a function computes: tensors, tuples, constants, metadata
//	operators.go  calls of operators; layers.go those that take more than a line
//
// # What is read
//
// A text with one function that counts; calls of functions in it are what their bodies are,
// whatever they are annotated with. An operator, an attribute or a value that is not read is
// refused: then there is no certificate. Types that the text notes have to be those inferred.
//
// Parts are the parameters that the result is made of, in order, then the operators that it calls,
// in the order in which the text is evaluated, operands from left to right; then the result, where
// it is none of these. Calls that are one in Glenside are one part.
package relay

import (
	"encoding/json"
	"slices"
	"strings"

	"tv/glenside"
	"tv/internal/source"
	"tv/proofs/algebra"
	reading "tv/proofs/glenside"
	"tv/semantics/domain"
)

// Reading reads Relay.
type Reading struct{}

// A program is a text that was read.
type program struct {
	algebra.Source // in Glenside
	inputs         []*node
	calls          []*node // with definitions of their names
	result         *node
	parts          []int        // nodes in Glenside
	types          map[int]*typ // of calls, by those
}

// Read implements algebra.Reading.
func (Reading) Read(file *source.File) (out algebra.Source, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			out, err = nil, source.Errors{r.Error}
		default:
			panic(r)
		}
	}()
	p := &parser{file: file, text: strings.TrimRight(file.Text, "\x00"),
		graph: map[string]*expr{}}
	entry := file.Function
	if entry == "" {
		entry = "main"
	}
	f, at := p.module(entry)
	if f == nil {
		refuse(source.Span{File: file}, "entry-missing", "there is no function @%s", entry)
	}
	b := &builder{values: map[occurrence]result{}, taken: map[string]bool{}}
	if at >= 0 {
		b.meta = &metadata{}
		decoder := json.NewDecoder(strings.NewReader(p.text[at:]))
		if err := decoder.Decode(b.meta); err != nil {
			refuse(source.Span{File: file, Start: at}, "bad-metadata", "%s", err)
		}
	}
	return b.program(f, file)
}

// program says what a function computes in Glenside.
func (b *builder) program(f *function, file *source.File) (*program, error) {
	top := &frame{fn: f}
	for _, p := range f.params {
		top.args = append(top.args, result{node: b.input(p.name, p.typ, source.Span{File: file})})
	}
	b.rename()
	inputs := slices.Clone(b.nodes)
	root := b.node(f.body, top)
	if f.result != nil && !f.result.is(root.typ) {
		refuse(f.body.at, codeShape, "the function does not return what it says")
	}
	root.whole()
	root.keep = true
	out := &program{result: root, inputs: inputs}
	root.reach()
	var text strings.Builder
	for _, n := range inputs {
		in := &domain.Input{Name: n.name, Elem: n.typ.elem}
		for _, d := range n.typ.dims {
			in.Dims = append(in.Dims, domain.Dim{Size: domain.IntSize(d)})
		}
		text.WriteString(glenside.FormatInput(in) + "\n")
	}
	for _, n := range b.nodes {
		if n.kind != "input" && n.keep {
			out.calls = append(out.calls, n)
			text.WriteString("(define " + n.use() + " " + n.text + ")\n")
		}
	}
	text.WriteString(root.use() + "\n")
	file = &source.File{Name: file.Name + " in Glenside", Text: text.String()}
	read, err := glenside.Parse(source.NewFile(file.Name, file.Text))
	if err != nil {
		return nil, err
	}
	if out.Source, err = (reading.Reading{}).Read(read.File); err != nil {
		return nil, err
	}
	out.number(read)
	return out, nil
}

// whole refuses a result of which one component has a meaning.
func (n *node) whole() {
	if n.first {
		refuse(n.at, "no-inference-meaning", "one component alone has a meaning")
	}
	if n.kind == "tuple" {
		for _, a := range n.args {
			a.whole()
		}
	}
}

// reach marks what a node is made of.
func (n *node) reach() {
	stack := []*node{n}
	for len(stack) > 0 {
		n, stack = stack[len(stack)-1], stack[:len(stack)-1]
		for _, a := range n.args {
			if !a.keep {
				a.keep = true
				stack = append(stack, a)
			}
		}
	}
}

// number finds the parts among the nodes in Glenside.
func (p *program) number(read *glenside.Program) {
	symbols := map[string]int{}
	for _, n := range read.Nodes {
		if n.Kind == glenside.KindSymbol {
			symbols[n.Text] = n.ID
		}
	}
	known := map[int]bool{}
	part := func(id int) {
		if !known[id] {
			known[id] = true
			p.parts = append(p.parts, id)
		}
	}
	for _, n := range p.inputs {
		if id, reads := symbols[n.name]; reads {
			part(id)
		}
	}
	p.types = map[int]*typ{}
	for i, d := range read.Definitions {
		if d.Reached {
			part(d.Node.ID)
			p.types[d.Node.ID] = p.calls[i].value()
		}
	}
	part(read.Root.ID)
}

// value is the type of what has elements of a node.
func (n *node) value() *typ {
	if n.kind == "nn.batch_norm" {
		return n.typ.items[0]
	}
	return n.typ
}

// Type implements algebra.Source: what Glenside infers of a call is what Relay does. A number has
// its type from its use in Glenside, and may have another one.
func (p *program) Type(env *domain.Env) (algebra.Program, error) {
	inner, err := p.Source.Type(env)
	if err != nil {
		return nil, err
	}
	number := inner.(interface{ Number(id int) int }).Number
	t := &typed{Program: inner}
	for _, id := range p.parts {
		t.parts = append(t.parts, number(id))
	}
	for id, want := range p.types {
		if got, ok := inner.Part(number(id)); ok == want.tuple || ok && !same(got, want) {
			return nil, source.Errors{p.untyped()}
		}
	}
	want := leaves(p.result.value())
	for i, r := range inner.Results() {
		if i >= len(want) || !same(r, want[i]) {
			return nil, source.Errors{p.untyped()}
		}
		r.Split, r.Text = 0, ""
		t.results = append(t.results, r)
	}
	if len(t.results) != len(want) {
		return nil, source.Errors{p.untyped()}
	}
	return t, nil
}

func leaves(t *typ) (out []*typ) {
	if !t.tuple {
		return []*typ{t}
	}
	for _, item := range t.items {
		out = append(out, leaves(item)...)
	}
	return out
}

func same(t algebra.Tensor, want *typ) bool {
	is := func(s domain.Size, d int64) bool {
		n, number := s.Int64()
		return number && n == d
	}
	return t.Elem == want.elem && slices.EqualFunc(t.Dims, want.dims, is)
}

func (p *program) untyped() *source.Error {
	return source.Errorf(p.result.at, "untyped-constant", "a number gets another type from its use")
}

// A typed program has the parts of its text.
type typed struct {
	algebra.Program
	parts   []int
	results []algebra.Tensor
}

// Results implements algebra.Program.
func (t *typed) Results() []algebra.Tensor { return t.results }

// Root implements algebra.Program.
func (t *typed) Root() int { return len(t.parts) - 1 }

// Part implements algebra.Program.
func (t *typed) Part(n int) (algebra.Tensor, bool) {
	if n < 0 || n >= len(t.parts) {
		return algebra.Tensor{}, false
	}
	return t.Program.Part(t.parts[n])
}

// Elements implements algebra.Program.
func (t *typed) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	inner := map[int]string{}
	for n, name := range cuts {
		inner[t.parts[n]] = name
	}
	return numbered{t.Program.Elements(s, inner), t.parts}
}

// numbered are elements of parts.
type numbered struct {
	algebra.Elements
	parts []int
}

// At implements algebra.Elements.
func (e numbered) At(n int, path []int, c *algebra.Context, at []*algebra.Expr) *algebra.Scalar {
	return e.Elements.At(e.parts[n], path, c, at)
}

// Fixed implements algebra.Elements.
func (e numbered) Fixed(part int) int { return e.Elements.Fixed(e.parts[part]) }

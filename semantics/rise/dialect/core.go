package dialect

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/rise/syntax"
)

// maxValues bounds values of a text: each is one more variable around what follows.
const maxValues = 1000

// A Program is a function that was read: what it computes is a program of package syntax in which those parameters are left
// that it does not write.
type Program struct {
	*syntax.Program
	Name       string
	parameters []semantics.Parameter
	root       source.Span
}

// Is tells whether a text is in this notation, of files in which others may be.
func Is(text string) bool {
	if !strings.Contains(text, "rise.") { // which spares other texts
		return false
	}
	for _, t := range lex(source.NewFile("", text)) {
		name := t.text
		if len(name) > 5 && (name[0] == '"' || name[0] == '!' || name[0] == '#') {
			name = name[1:]
		}
		if len(name) > 5 && name[:5] == "rise." {
			return true
		}
	}
	return false
}

// Parse reads a text. Errors: source.Errors, all faults of names, operands and types, in the order of the text.
func Parse(f *source.File) (*Program, error) {
	fn, errs := read(f)
	if fn == nil || fn.body == nil {
		return nil, sorted(errs)
	}
	e := &elaboration{}
	b := e.function(fn)
	if errs = append(errs, e.errs...); len(errs) > 0 {
		return nil, sorted(errs)
	}
	p := e.program(f, fn, b)
	if len(e.errs) > 0 {
		return nil, sorted(e.errs)
	}
	return p, nil
}

// program makes the core of what the outputs are, in the order of the heading.
func (e *elaboration) program(f *source.File, fn *funct, b *block) *Program {
	if len(e.vals) > maxValues {
		e.fault(fn.at, "too-deep", "a function has at most %d values", maxValues)
		return nil
	}
	for _, look := range e.later {
		look()
	}
	for _, v := range e.vals {
		if v.typ.core() == nil {
			e.fault(v.at, "type-mismatch", "nothing says which type %s has", v.name)
		}
	}
	p := &Program{Program: &syntax.Program{Text: f}, Name: fn.name}
	var outs []*argument
	for _, a := range e.args {
		t := a.typ.core()
		if t == nil || len(e.errs) > 0 {
			return nil
		}
		q := semantics.Parameter{Name: a.name[1:], Typed: true, Read: a.written == nil, Written: a.written != nil, Span: a.at}
		q.Dims = []domain.Size{}
		of := t
		for ; of.Kind == syntax.Array; of = of.A {
			q.Dims = append(q.Dims, of.Dim)
		}
		if of.Kind != syntax.Scalar {
			e.fault(a.at, "type-mismatch", "%s holds %s, and memory holds arrays of numbers", a.name, a.typ.found().a)
			return nil
		}
		q.Elem = of.Elem
		if p.parameters = append(p.parameters, q); a.written != nil {
			outs = append(outs, a)
			p.root = a.out
			continue
		}
		a.param.Name, a.param.Type = q.Name, t
		p.Parameters = append(p.Parameters, a.param)
	}
	p.Body = b.results(outs)
	return p
}

// results is what the outputs are: one, or pairs of pairs.
func (b *block) results(outs []*argument) *syntax.Core {
	c := outs[len(outs)-1].written.ref(outs[len(outs)-1].out)
	for _, a := range slices.Backward(outs[:len(outs)-1]) {
		x := a.written.ref(a.out)
		c = &syntax.Core{Form: syntax.Tuple, Args: []*syntax.Core{x, c}, Span: a.out,
			Type: &syntax.Type{Kind: syntax.Pair, A: x.Type, B: c.Type}}
	}
	return b.bound(c)
}

// core is what a block returns.
func (b *block) core(back *val) *syntax.Core { return b.bound(back.ref(back.at)) }

// bound is an expression with the values of a block around it: let %x be its operation in what follows.
func (b *block) bound(c *syntax.Core) *syntax.Core {
	for _, x := range slices.Backward(b.bindings) {
		if !x.val.used {
			continue
		}
		of := x.build()
		f := &syntax.Core{Form: syntax.Lambda, Param: x.val.param, Args: []*syntax.Core{c}, Span: c.Span,
			Type: &syntax.Type{Kind: syntax.Func, A: of.Type, B: c.Type}}
		c = &syntax.Core{Form: syntax.Apply, Args: []*syntax.Core{f, of}, Span: c.Span, Type: c.Type}
	}
	return c
}

// folding is a reduction whose function takes the element first: the pattern of the core takes it last.
func folding(pattern *syntax.Core) *syntax.Core {
	of, at := pattern.Type.A, pattern.Span // s -> t -> t
	elem, acc := of.A, of.B.A
	fn := func(a, b *syntax.Type) *syntax.Type { return &syntax.Type{Kind: syntax.Func, A: a, B: b} }
	swapped := fn(acc, fn(elem, acc))
	pattern.Name, pattern.Type = "reduce", fn(swapped, pattern.Type.B)
	f, x, a := &syntax.Param{Name: "f", Span: at}, &syntax.Param{Name: "x", Span: at}, &syntax.Param{Name: "a", Span: at}
	ref := func(p *syntax.Param, t *syntax.Type) *syntax.Core {
		return &syntax.Core{Form: syntax.Variable, Param: p, Type: t, Span: at}
	}
	apply := func(g, y *syntax.Core) *syntax.Core {
		return &syntax.Core{Form: syntax.Apply, Args: []*syntax.Core{g, y}, Span: at, Type: g.Type.B}
	}
	lambda := func(p *syntax.Param, t *syntax.Type, c *syntax.Core) *syntax.Core {
		return &syntax.Core{Form: syntax.Lambda, Param: p, Args: []*syntax.Core{c}, Span: at, Type: fn(t, c.Type)}
	}
	turned := lambda(a, acc, lambda(x, elem, apply(apply(ref(f, of), ref(x, elem)), ref(a, acc))))
	return lambda(f, of, apply(pattern, turned))
}

// Root implements semantics.Source: the last output.
func (p *Program) Root() source.Span { return p.root }

// Declarations implements semantics.Source: outputs are declared too.
func (p *Program) Declarations() (d domain.Declarations) {
	for _, q := range p.parameters {
		in := &domain.Input{Name: q.Name, Elem: q.Elem, Span: q.Span}
		for _, s := range q.Dims {
			in.Dims = append(in.Dims, domain.Dim{Size: s})
		}
		d.Inputs = append(d.Inputs, in)
	}
	return d
}

// Signature implements semantics.Source.
func (p *Program) Signature() semantics.Signature {
	return semantics.Signature{Procedure: true, Ordered: true, Function: p.Name, Parameters: p.parameters}
}

package syntax

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/words"
)

// A Program is a text that was read. Everything in it is in sizes of the text.
type Program struct {
	Text       *source.File
	Parameters []*Param // arrays and scalars
	Body       *Core
	uses       []domain.SizeUse
	owed       []owed
	rule       *Rule // that it is a side of
}

// Parse reads a text and infers its types. Errors: source.Errors.
func Parse(f *source.File) (p *Program, err error) {
	defer words.Catch(&err)
	patterns()
	r := &parser{Reader: words.New(f, wordPattern(), "")}
	x := r.expression()
	if !r.End() {
		r.Unexpected("an operator or the end")
	}
	p = &Program{Text: f}
	for first := true; x.op == opFun && (first || typed(x.params)); first = false {
		p.Parameters = append(p.Parameters, x.params...)
		x = x.args[0]
	}
	if p.Parameters == nil {
		words.Fail(x.span, "bad-syntax", "a program is a function: fun((A: N.f32), ...)")
	}
	in := &inference{sizes: map[string]domain.Size{}, used: map[string]bool{}, free: map[source.Span]*scope{}}
	for _, at := range r.sizes {
		in.use(at)
	}
	s := p.scope()
	p.Body = in.infer(x, s, nil)
	in.finish(p.Body)
	p.uses, p.owed = in.uses, in.owed
	p.distinct()
	return p, nil
}

func typed(params []*Param) bool {
	return !slices.ContainsFunc(params, func(p *Param) bool { return p.Type == nil })
}

// scope has the parameters of the program.
func (p *Program) scope() (s *scope) {
	for _, q := range p.Parameters {
		switch {
		case q.Type == nil:
			words.Fail(q.Span, "bad-syntax", "the type of parameter %s is missing, as in fun((%[1]s: N.f32), ...)", q.Name)
		case s.find(q.Name) != nil:
			words.Fail(q.Span, "redefined-name", "%s is a parameter already", q.Name)
		}
		if _, dims := tensor(q.Type); dims == nil {
			words.Fail(q.written, "unsupported-op", "a parameter of a program is an array of numbers or a number, not of pairs")
		}
		s = &scope{q, q.Type, s}
	}
	return s
}

// tensor is the element type of an array of numbers, or a number, and its dims; no dims where it is none.
func tensor(t *Type) (elem domain.Elem, dims []domain.Size) {
	dims = []domain.Size{}
	for ; t.Kind == Array; t = t.A {
		dims = append(dims, t.Dim)
	}
	if t.Kind != Scalar {
		return elem, nil
	}
	return t.Elem, dims
}

// distinct refuses names that are those of a size and of a parameter of the program.
func (p *Program) distinct() {
	for _, q := range p.Parameters {
		for _, u := range p.uses {
			if u.Name == q.Name {
				words.Fail(u.Span, "redefined-name", "%s is a parameter, and a size should be here", q.Name)
			}
		}
	}
}

// finish finds what is not known yet, and writes the types without variables into the core.
func (in *inference) finish(root *Core) {
	in.unify(newVar(data), root.Type, root.Span, "what the program returns")
	in.resolve()
	for _, c := range in.choices {
		in.choose(c, true)
	}
	in.choices = nil
	in.resolve()
	if len(in.open) > 0 {
		e := in.open[0]
		words.Fail(e.span, "shape-mismatch", "%s has %s elements and should have %s: the sizes do not say how", e.what,
			dimText(in.closed(e.b)), dimText(in.closed(e.a)))
	}
	root.Visit(func(c *Core) {
		if t := c.Type.found(); t.Kind == Var && (c.Form == Number || c.Form == Literal && t.class == integer) {
			t.is = indexType
		}
	})
	root.Visit(func(c *Core) {
		if c.Form == Literal && c.Type.found().Kind == Var {
			words.Fail(c.Span, "ambiguous-literal", "nothing says which type %s has", c.Span.Text())
		}
	})
	root.Visit(func(c *Core) {
		c.Type = in.final(c.Type, func(t *Type) {
			if t.class != integer {
				words.Fail(c.Span, "type-mismatch", "nothing says which type %s has", c.Span.Text())
			}
			t.is = indexType
		})
		for i, n := range c.Given {
			c.Given[i] = in.closed(n)
		}
		c.suits()
		c.Type.sizes(func(s domain.Size) { in.finite(s, c.Span) })
		if c.Form == Lambda && c.Param.Type != nil {
			c.Param.Type.sizes(func(s domain.Size) { in.natural(s, c.Param.written, "negative-dim", c.Param.Name) })
		}
	})
	for i, from := range in.made {
		n := in.closed(unknown(i + 1))
		in.natural(n, from.span, short[from.pattern], from.pattern)
		if same[from.pattern] == "padClamp" || from.pattern == "padClamp" {
			in.require(from.span, domain.Le(domain.IntSize(1), n), "zero-size", "an array of %s elements is padded with one of them",
				n.Formula())
		}
	}
	reordering(root)
}

// reordering refuses functions of places that depend on what is around them: whether they are inverses of each other is a
// question about sizes alone.
func reordering(root *Core) {
	whole := map[*Core]bool{} // occurrences of reorder with both functions
	root.Visit(func(c *Core) {
		if c.Form == Apply && c.Args[0].Form == Apply && c.Args[0].Args[0].Name == "reorder" {
			whole[c.Args[0].Args[0]] = c.closed(nil) && c.Args[0].closed(nil)
		}
	})
	root.Visit(func(c *Core) {
		if c.Name == "reorder" && !whole[c] {
			words.Fail(c.Span, "unsupported-op", "reorder is given two functions of places that depend on no variable")
		}
	})
}

// closed tells whether no variables but those bound occur.
func (c *Core) closed(bound []*Param) bool {
	switch c.Form {
	case Variable:
		return slices.Contains(bound, c.Param)
	case Lambda:
		bound = append(bound[:len(bound):len(bound)], c.Param)
	}
	return !slices.ContainsFunc(c.Args, func(a *Core) bool { return !a.closed(bound) })
}

// short are the codes of errors where an array is too short for a pattern.
var short = map[string]string{"slide": "window-too-long", "take": "slice-bounds", "drop": "slice-bounds"}

// natural requires a size not to be negative.
func (in *inference) natural(s domain.Size, span source.Span, code, of string) {
	if code == "" {
		code = "negative-dim"
	}
	in.finite(s, span)
	in.require(span, domain.Le(domain.IntSize(0), s), code, "a size of %s is %s, which is negative", of, s.Formula())
}

// finite refuses sizes that are not known, or too large.
func (in *inference) finite(s domain.Size, span source.Span) {
	if s.TooLarge() {
		words.Fail(span, "too-large", "a size is too large")
	}
	for _, name := range s.Names() {
		if strings.HasPrefix(name, "?") {
			words.Fail(span, "shape-mismatch", "nothing says how many elements %s has", span.Text())
		}
	}
	for _, d := range s.Divisors(nil) {
		in.require(span, domain.Le(domain.IntSize(1), d), "bad-divisor", "a size is divided by %s, which is not positive",
			d.Formula())
	}
}

// suits refuses functions of numbers that their type does not have, and literals that are not of theirs.
func (c *Core) suits() {
	whole := c.Type.Kind == Index || c.Type.Kind == Scalar && c.Type.Elem.Kind != domain.ElemFloat
	switch {
	case c.Form == Literal && whole && !c.Value.IsInt():
		words.Fail(c.Span, "type-mismatch", "%s is no integer, and %s should be here", c.Span.Text(), c.Type)
	case c.Form != Pattern || patterns()[c.Name] == nil:
		return
	}
	of := c.Type.A
	if of.Kind == Pair {
		of = of.A
	}
	switch {
	case c.Name == "mod" && of.Kind == Scalar && of.Elem.Kind == domain.ElemFloat:
		words.Fail(c.Span, "type-mismatch", "remainders are of integers, not of %s", of)
	case (c.Name == "neg" || patterns()[c.Name].paired) && of.Kind == Scalar && of.Elem.Kind == domain.ElemBool:
		words.Fail(c.Span, "type-mismatch", "there is no arithmetic of bool: select chooses")
	}
}

// File implements semantics.Source.
func (p *Program) File() *source.File { return p.Text }

// Root implements semantics.Source.
func (p *Program) Root() source.Span { return p.Body.Span }

// Declarations implements semantics.Source. A dim that is a name is at least 1.
func (p *Program) Declarations() (d domain.Declarations) {
	if p.rule != nil {
		return p.declarations()
	}
	for _, q := range p.Parameters {
		elem, dims := tensor(q.Type)
		in := &domain.Input{Name: q.Name, Elem: elem, Span: q.Span}
		for _, s := range dims {
			dim := domain.Dim{Size: s}
			if s.Op() == domain.SizeName {
				dim.Min = 1
			}
			in.Dims = append(in.Dims, dim)
		}
		d.Inputs = append(d.Inputs, in)
	}
	d.Sizes = p.uses
	return d
}

// Reads implements semantics.Source: the parameters.
func (p *Program) Reads() (names []string) {
	for _, t := range p.given() {
		names = append(names, t.Name)
	}
	return names
}

// Infer declares the parameters of a program that is asked about alone.
func (p *Program) Infer() (*domain.Env, error) {
	return domain.Merge([]domain.Declarations{p.Declarations()})
}

// Signature implements semantics.Source: parameters have places; the variables of a rule have names.
func (p *Program) Signature() semantics.Signature {
	if p.rule != nil {
		return semantics.Signature{Function: p.Text.Function}
	}
	s := semantics.Signature{Ordered: true}
	for _, q := range p.Parameters {
		elem, dims := tensor(q.Type)
		s.Parameters = append(s.Parameters, semantics.Parameter{Name: q.Name, Dims: dims, Elem: elem, Typed: true,
			Read: true, Span: q.Span})
	}
	return s
}

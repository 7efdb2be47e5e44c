package loops

import (
	"slices"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/procedures"
	"tv/semantics/domain"
)

// heading is a procedure without its statements: a parameter that is written is so in one step.
func (p *Procedure) heading() *procedures.Program {
	out := &procedures.Program{Procedure: true, Nested: depth(p.Body)}
	for i, q := range p.Params {
		out.Params = append(out.Params,
			&procedures.Param{Name: q.Name, Elem: q.Elem, Dims: q.Dims, Span: q.Span})
		if writes(p.Body, q) || slices.Contains(p.observed, q.Name) {
			out.Steps = append(out.Steps, i)
		}
	}
	return out
}

// Declarations implements algebra.Source.
func (p *Procedure) Declarations() domain.Declarations {
	out := p.heading().Declarations()
	for i, q := range p.Params {
		out.Inputs[i].Unsized = q.Unsized
	}
	for _, name := range p.Sizes {
		out.Sizes = append(out.Sizes, domain.SizeUse{Name: name, Span: p.Span})
	}
	return out
}

// Written implements algebra.Observer.
func (p *Procedure) Written() (names []string) {
	for _, q := range p.Params {
		if writes(p.Body, q) {
			names = append(names, q.Name)
		}
	}
	return names
}

// Observing implements algebra.Observer.
func (p *Procedure) Observing(names []string) algebra.Source {
	q := *p
	q.observed = names
	return &q
}

// AsWritten is the procedure with the statements of its text, whatever was unrolled there.
func (p *Procedure) AsWritten() algebra.Source {
	q := *p
	q.asWritten = true
	return &q
}

// Depth implements algebra.Source: a cell is traced through all statements before.
func (p *Procedure) Depth() int { return p.heading().Depth() }

func depth(block []Stmt) (n int) {
	for _, s := range block {
		n++
		switch s := s.(type) {
		case *Assign:
			n += s.Value.depth()
		case *For:
			n += depth(s.Body)
		case *If:
			n += depth(s.Then) + depth(s.Else)
		}
	}
	return n
}

func (d *Data) depth() (n int) {
	for _, a := range d.Args {
		n = max(n, a.depth())
	}
	return n + 1
}

// A typing is a procedure whose sizes stand for those of a question.
type typing struct {
	*procedures.Typing
	p     *Procedure
	asked []algebra.Condition
	bound *Ranges // what is known of sizes

	reduced []domain.Elem // of what iterations in no order reduce
}

// Type implements algebra.Source.
func (p *Procedure) Type(env *domain.Env) (out algebra.Program, err error) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case algebra.Refusal:
			err = source.Errors{source.Errorf(p.Span, why.Code, "%s", why.Msg)}
		default:
			panic(why)
		}
	}()
	under, err := p.heading().Under(env)
	if err != nil {
		return nil, err
	}
	if len(under.Steps) == 0 {
		return nil, source.Errors{source.Errorf(p.Span, "no-result", "no parameter is written")}
	}
	if !p.asWritten {
		p.roll()
		p.Body = carry(p.Body)
	}
	p.count()
	t := &typing{Typing: under, p: p}
	t.conditions()
	t.counted()
	return t, nil
}

// Conditions implements algebra.Program.
func (t *typing) Conditions() []algebra.Condition {
	return append(t.Typing.Conditions(), t.asked...)
}

// Sizes implements algebra.Program.
func (t *typing) Sizes() (out []domain.Size) {
	for _, name := range t.p.Sizes {
		out = append(out, t.Env.Size(domain.NamedSize(name)))
	}
	return out
}

// InMemory implements algebra.Memory.
func (t *typing) InMemory() bool { return t.p.Memory }

// Limits implements algebra.Program.
func (t *typing) Limits() domain.Limits { return t.p.Limits }

// Elems implements algebra.Program: those that an element is computed in too.
func (t *typing) Elems() []domain.Elem {
	out := t.Typing.Elems()
	var data func(*Data)
	data = func(d *Data) {
		if d.Elem.Kind != domain.ElemBool { // conditions are no numbers
			out = append(out, d.Elem)
		}
		for _, a := range d.Args {
			data(a)
		}
	}
	var visit func([]Stmt)
	visit = func(block []Stmt) {
		for _, s := range block {
			switch s := s.(type) {
			case *Assign:
				data(s.Value)
			case *For:
				visit(s.Body)
			case *If:
				visit(s.Then)
				visit(s.Else)
			}
		}
	}
	visit(t.p.Body)
	slices.SortFunc(out, func(x, y domain.Elem) int {
		return (int(x.Kind)-int(y.Kind))<<16 + (x.Width-y.Width)<<8 + x.Frac - y.Frac
	})
	return slices.Compact(out)
}

// fits reports whether a size, or a product of some, is surely one of its type.
func (t *typing) fits(d *Data) bool {
	product, list := domain.IntSize(1), []*Int{d.Int}
	if d.Int.Op == IntMul {
		list = d.Int.Args
	}
	for _, x := range list {
		if x.Op != IntSize {
			return false
		}
		product = product.Mul(t.Env.Size(domain.NamedSize(x.Name)))
	}
	least, most := t.ranges().Bounds(product)
	bits := d.Elem.Width
	if d.Elem.Kind == domain.ElemInt {
		bits--
	}
	return least != nil && most != nil && least.Sign() >= 0 && most.BitLen() <= bits
}

// Elements implements algebra.Program.
func (t *typing) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	l := t.Typing.Elements(s, cuts)
	size := func(name string) *expr { return l.Place(domain.NamedSize(name)) }
	for _, e := range t.reduced {
		if sort := s.Elem(e); !algebra.IsReal(sort) && !integer(sort) {
			unsupported("a sum of floats, bit for bit, that is in no order")
		}
	}
	back := newTrace(s, size)
	back.fits = t.fits
	back.initial = func(x *cell) *scalar {
		if i := slices.Index(t.p.Params, x.of); t.p.Given(x.of) {
			return l.At(i, nil, nil, x.at)
		}
		return back.never
	}
	l.Written = func(step int, c *context, at []*expr) *scalar {
		x := &cell{t.p.Params[t.Steps[step]], at}
		back.steps, back.opened = 0, 0
		v := back.back(x, &place{block: t.p.Body, index: len(t.p.Body)}, false, c)
		if v == back.never {
			unsupported("what is left in %s is not known to be reached", x.of.Name)
		}
		return back.ended(v, t.p, c)
	}
	return elements{l, back}
}

// Elements are those of the parts of a program.
type elements struct {
	*procedures.Elements
	back *trace
}

// Forget implements algebra.Elements.
func (l elements) Forget() {
	l.Elements.Forget()
	clear(l.back.memo)
}

// Nest returns the procedure of a typed program that was read as a nest of loops, and what its
// names stand for: of one whose iterations have an order.
func Nest(p algebra.Program) (nest *Procedure, env *domain.Env, ok bool) {
	t, ok := p.(*typing)
	if !ok || len(t.reduced) > 0 {
		return nil, nil, false
	}
	return t.p, t.Env, true
}

// Package comprehension is the checker's reading of comprehensions, written from section 3 of
// doc/languages.md alone.
//
//	syntax.go    texts: words, statements, indices and their ranges
//	reading.go   what a text declares, its conditions and parts
//	elements.go  an element of a part, by its index
package comprehension

import (
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// Reading reads comprehensions.
type Reading struct{}

// A program is a text that was read. Its parts are the parameters, the statements and, unless that
// is the last statement, the result.
type program struct {
	procedure  bool
	params     []*param
	sizes      map[string]bool
	statements []*statement
	written    []int // parameters, ascending
}

// maxText bounds texts, which are taken apart by recursion.
const maxText = 1 << 17

// Read implements Reading.
func (Reading) Read(f *source.File) (_ algebra.Source, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case source.Errors:
			err = r
		default:
			panic(r)
		}
	}()
	p := &parser{program: &program{sizes: map[string]bool{}}}
	check(len(f.Text) <= maxText, source.Span{File: f}, "too-large", "more than %d bytes", maxText)
	skip := func() bool {
		for p.is("\n") {
			p.next()
		}
		return !p.is("")
	}
	p.scan(f)
	skip()
	for p.heading(); skip(); {
		p.statement()
	}
	for i := range p.params {
		if slices.ContainsFunc(p.statements, func(s *statement) bool { return s.target == i }) {
			p.written = append(p.written, i)
		}
	}
	check(len(p.written) > 0, p.next(), "no-result", "no statement writes a parameter")
	return p.program, nil
}

// Depth implements Source.
func (p *program) Depth() int {
	n := 1 + len(p.statements)
	for _, s := range p.statements {
		n += s.value.depth
	}
	return n
}

// Declarations implements Source.
func (p *program) Declarations() (out domain.Declarations) {
	for _, q := range p.params {
		in := &domain.Input{Name: q.name, Elem: q.elem, Span: q.span}
		for _, d := range q.dims {
			least := map[bool]int64{true: 1}[d.Name() != ""]
			in.Dims = append(in.Dims, domain.Dim{Size: d, Min: least})
		}
		out.Inputs = append(out.Inputs, in)
	}
	return out
}

// A typing is a program whose sizes stand for those of a question.
type typing struct {
	*program
	env     *domain.Env
	tensors []domain.Tensor // that the parameters stand for; without a name where there is none
}

// Type implements Source.
func (p *program) Type(env *domain.Env) (algebra.Program, error) {
	t, errs := typing{program: p, env: env}, source.Errors(nil)
	for _, q := range p.params {
		b := env.Tensor(q.name)
		if b.Name != "" && (len(b.Dims) != len(q.dims) || b.Elem != q.elem) {
			errs = append(errs, source.Errorf(q.span, "type-mismatch",
				"%s is of another rank or element type than %s", q.name, b.Name))
		}
		t.tensors = append(t.tensors, b)
	}
	if errs != nil {
		return nil, errs
	}
	return t, nil
}

func (t typing) dims(param int) (out []domain.Size) {
	for _, d := range t.params[param].dims {
		out = append(out, t.env.Size(d))
	}
	return out
}

// Conditions implements Program.
func (t typing) Conditions() (out []algebra.Condition) {
	known := map[string]bool{}
	add := func(msg string, p *domain.Pred) {
		if key := p.String(); !known[key] {
			out, known[key] = append(out, algebra.Condition{Pred: p, Msg: msg}), true
		}
	}
	for i, b := range t.tensors {
		for k, d := range t.dims(i) {
			if n, ok := d.Const(); d.Name() == "" && (!ok || n.Sign() < 0) {
				add("a dim is not negative", domain.Le(domain.IntSize(0), d))
			}
			if b.Name != "" && !b.Dims[k].Equal(d) {
				add(fmt.Sprintf("%s has the dims of %s", t.params[i].name, b.Name),
					domain.Eq(b.Dims[k], d))
			}
		}
	}
	for _, s := range t.statements {
		within := func(param, axis int, sub affine, over []*index) {
			msg := fmt.Sprintf("an index of %s lies within axis %d", t.params[param].name, axis)
			for _, p := range t.within(sub, t.dims(param)[axis], over) {
				add(msg, p)
			}
		}
		// a sum over nothing is written too: no summed index excuses a write
		free := s.indices[:len(t.params[s.target].dims)]
		for k, x := range free {
			within(s.target, k, affine{x.name: domain.IntSize(1)}, free)
		}
		for _, n := range s.reads {
			for k, sub := range n.subs {
				within(n.param, k, sub, s.indices)
			}
		}
	}
	return out
}

// within says that 0 <= sub < dim for all values of indices, but for what is evidently so. Where no
// range is empty, sub is least and greatest at ends of ranges, which end to take is for the sign of
// the factor to say.
func (t typing) within(sub affine, dim domain.Size, over []*index) (out []*domain.Pred) {
	least, most := t.env.Size(sub[""]), t.env.Size(sub[""])
	var empty []*domain.Pred
	for _, x := range over {
		lo, hi, c := t.env.Size(x.lo), t.env.Size(x.hi), sub[x.name]
		if !t.positive(hi.Sub(lo)) {
			empty = append(empty, domain.Le(hi, lo))
		}
		last := hi.Sub(domain.IntSize(1))
		if c.Sign() < 0 {
			lo, last = last, lo
		}
		least, most = least.Add(c.Mul(lo)), most.Add(c.Mul(last))
	}
	unless := func(p *domain.Pred) *domain.Pred {
		if empty == nil {
			return p
		}
		return domain.Or(append(slices.Clone(empty), p)...)
	}
	if n, ok := least.Const(); !ok || n.Sign() < 0 {
		out = append(out, unless(domain.Le(domain.IntSize(0), least)))
	}
	if n, ok := dim.Sub(most).Const(); !ok || n.Sign() <= 0 {
		out = append(out, unless(domain.Lt(most, dim)))
	}
	return out
}

// positive reports whether n is evidently at least 1.
func (t typing) positive(n domain.Size) bool {
	v, number := n.Const()
	open := func(x domain.Size) bool { return !t.positive(x) }
	switch n.Op() {
	case domain.SizeName:
		least, known := t.env.Mins[n.Name()]
		return !known || least > 0
	case domain.SizeAdd, domain.SizeMul:
		return !slices.ContainsFunc(n.Operands(), open)
	}
	return number && v.Sign() > 0
}

// Writes implements Program.
func (t typing) Writes() (names []string) {
	if t.procedure {
		for _, i := range t.written {
			names = append(names, t.params[i].name)
		}
	}
	return names
}

// Sizes implements Program.
func (t typing) Sizes() (out []domain.Size) {
	for _, s := range t.statements {
		for _, x := range s.indices {
			out = append(out, t.env.Size(x.lo), t.env.Size(x.hi))
		}
		for _, n := range s.reads {
			for _, sub := range n.subs {
				out = append(out, t.env.Size(sub[""]))
			}
		}
	}
	return out
}

// Elems implements Program.
func (t typing) Elems() (out []domain.Elem) {
	for _, q := range t.params {
		out = append(out, q.elem)
	}
	return out
}

// Results implements Program.
func (t typing) Results() (out []algebra.Tensor) {
	for i, param := range t.written {
		r := t.tensor(param)
		if len(t.written) > 1 {
			r.Path = []int{i}
		}
		out = append(out, r)
	}
	return out
}

func (t typing) tensor(param int) algebra.Tensor {
	dims, elem := t.dims(param), t.params[param].elem
	return algebra.Tensor{Dims: dims, Elem: elem, Text: fmt.Sprint(elem, dims)}
}

// Root implements Program. The only result is what the last statement writes.
func (t typing) Root() int {
	return len(t.params) + len(t.statements) - 1 + min(len(t.written)-1, 1)
}

// Part implements Program.
func (t typing) Part(n int) (algebra.Tensor, bool) {
	if n < 0 || n >= len(t.params)+len(t.statements) {
		return algebra.Tensor{}, false // a tuple, or nothing
	}
	return t.tensor(t.of(n)), true
}

// of returns the parameter whose contents a part is.
func (t typing) of(part int) int {
	if n := len(t.params); part >= n {
		return t.statements[part-n].target
	}
	return part
}

// last returns the part that is the contents of a parameter after so many statements.
func (t typing) last(statements, param int) int {
	for k := statements - 1; k >= 0; k-- {
		if t.statements[k].target == param {
			return len(t.params) + k
		}
	}
	return param
}

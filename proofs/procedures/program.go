package procedures

import (
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A Param is a tensor of the heading.
type Param struct {
	Name string
	Elem domain.Elem
	Dims []domain.Size
	Span source.Span
}

// A Program is a text that was read. Its parts are the parameters, the steps and, unless that is
// the last step, the result.
type Program struct {
	Procedure bool
	Params    []*Param
	Steps     []int // the parameters that they write
	Accesses  []Access
	Nested    int // how deep all steps nest, one in the other
}

// An Access is a subscript of an axis of a parameter for all values of indices.
type Access struct {
	Param, Axis int
	At          Affine
	Over        []*Index
}

// Depth implements algebra.Source.
func (p *Program) Depth() int { return 1 + len(p.Steps) + p.Nested }

// Find returns the number of the parameter that a word names.
func (p *Program) Find(at source.Span) int {
	i := slices.IndexFunc(p.Params, func(q *Param) bool { return q.Name == at.Text() })
	Check(i >= 0, at, "unknown-name", "%s is no parameter", at.Text())
	return i
}

// Declare adds a parameter.
func (p *Program) Declare(q *Param) {
	taken := func(other *Param) bool { return other.Name == q.Name }
	Check(!slices.ContainsFunc(p.Params, taken), q.Span, "redefined-name",
		"%s is a parameter already", q.Name)
	p.Params = append(p.Params, q)
}

// Declarations implements algebra.Source.
func (p *Program) Declarations() (out domain.Declarations) {
	for _, q := range p.Params {
		in := &domain.Input{Name: q.Name, Elem: q.Elem, Span: q.Span}
		for _, d := range q.Dims {
			least := map[bool]int64{true: 1}[d.Name() != ""]
			in.Dims = append(in.Dims, domain.Dim{Size: d, Min: least})
		}
		out.Inputs = append(out.Inputs, in)
	}
	return out
}

// A Typing is a program whose sizes stand for those of a question.
type Typing struct {
	*Program
	Env     *domain.Env
	tensors []domain.Tensor // that the parameters stand for; without a name where there is none
	written []int           // parameters, ascending
}

// Under types a program.
func (p *Program) Under(env *domain.Env) (*Typing, error) {
	t, errs := &Typing{Program: p, Env: env}, source.Errors(nil)
	for i, q := range p.Params {
		b := env.Tensor(q.Name)
		if b.Name != "" && (len(b.Dims) != len(q.Dims) || b.Elem != q.Elem) {
			errs = append(errs, source.Errorf(q.Span, "type-mismatch",
				"%s is of another rank or element type than %s", q.Name, b.Name))
		}
		if t.tensors = append(t.tensors, b); slices.Contains(p.Steps, i) {
			t.written = append(t.written, i)
		}
	}
	if errs != nil {
		return nil, errs
	}
	return t, nil
}

func (t *Typing) dims(param int) (out []domain.Size) {
	for _, d := range t.Params[param].Dims {
		out = append(out, t.Env.Size(d))
	}
	return out
}

// Conditions implements algebra.Program.
func (t *Typing) Conditions() (out []algebra.Condition) {
	known := map[string]bool{}
	add := func(p *domain.Pred, format string, args ...any) {
		if key := p.String(); !known[key] {
			c := algebra.Condition{Pred: p, Msg: fmt.Sprintf(format, args...)}
			out, known[key] = append(out, c), true
		}
	}
	for i, b := range t.tensors {
		for k, d := range t.dims(i) {
			if n, ok := d.Const(); d.Name() == "" && (!ok || n.Sign() < 0) {
				add(domain.Le(domain.IntSize(0), d), "a dim is not negative")
			}
			if b.Name != "" && !b.Dims[k].Equal(d) {
				add(domain.Eq(b.Dims[k], d), "%s has the dims of %s", t.Params[i].Name, b.Name)
			}
		}
	}
	for _, a := range t.Accesses {
		for _, p := range t.within(a) {
			add(p, "an index of %s lies within axis %d", t.Params[a.Param].Name, a.Axis)
		}
	}
	return out
}

// within says that an access is one of the tensor for all values of indices, but for what is
// evidently so. Where no range is empty, the subscript is least and greatest at ends of ranges,
// which end to take is for the sign of the factor to say.
func (t *Typing) within(a Access) (out []*domain.Pred) {
	dim := t.dims(a.Param)[a.Axis]
	least, most := t.Env.Size(a.At[""]), t.Env.Size(a.At[""])
	var empty []*domain.Pred
	for _, x := range a.Over {
		lo, hi, f := t.Env.Size(x.Lo), t.Env.Size(x.Hi), a.At[x.Name]
		if !t.positive(hi.Sub(lo)) {
			empty = append(empty, domain.Le(hi, lo))
		}
		last := hi.Sub(domain.IntSize(1))
		if f.Sign() < 0 {
			lo, last = last, lo
		}
		least, most = least.Add(f.Mul(lo)), most.Add(f.Mul(last))
	}
	if n, ok := least.Const(); !ok || n.Sign() < 0 {
		out = append(out, domain.Le(domain.IntSize(0), least))
	}
	if n, ok := dim.Sub(most).Const(); !ok || n.Sign() <= 0 {
		out = append(out, domain.Lt(most, dim))
	}
	for i, p := range out {
		if empty != nil {
			out[i] = domain.Or(append(slices.Clone(empty), p)...)
		}
	}
	return out
}

// Sizes implements algebra.Program.
func (t *Typing) Sizes() (out []domain.Size) {
	for _, a := range t.Accesses {
		out = append(out, t.Env.Size(a.At[""]))
		for _, x := range a.Over {
			out = append(out, t.Env.Size(x.Lo), t.Env.Size(x.Hi))
		}
	}
	return out
}

// positive reports whether n is evidently at least 1.
func (t *Typing) positive(n domain.Size) bool {
	v, number := n.Const()
	open := func(x domain.Size) bool { return !t.positive(x) }
	switch n.Op() {
	case domain.SizeName:
		least, known := t.Env.Mins[n.Name()]
		return !known || least > 0
	case domain.SizeAdd, domain.SizeMul:
		return !slices.ContainsFunc(n.Operands(), open)
	}
	return number && v.Sign() > 0
}

// Limits implements algebra.Program: there are none.
func (t *Typing) Limits() domain.Limits { return domain.Limits{} }

// Writes implements algebra.Program.
func (t *Typing) Writes() (names []string) {
	if t.Procedure {
		for _, i := range t.written {
			names = append(names, t.Params[i].Name)
		}
	}
	return names
}

// Elems implements algebra.Program.
func (t *Typing) Elems() (out []domain.Elem) {
	for _, q := range t.Params {
		out = append(out, q.Elem)
	}
	return out
}

// Results implements algebra.Program.
func (t *Typing) Results() (out []algebra.Tensor) {
	for i, param := range t.written {
		r := t.tensor(param)
		if len(t.written) > 1 {
			r.Path = []int{i}
		}
		out = append(out, r)
	}
	return out
}

func (t *Typing) tensor(param int) algebra.Tensor {
	dims, elem := t.dims(param), t.Params[param].Elem
	return algebra.Tensor{Dims: dims, Elem: elem, Text: fmt.Sprint(elem, dims)}
}

// Root implements algebra.Program. The only result is what the last step writes.
func (t *Typing) Root() int {
	return len(t.Params) + len(t.Steps) - 1 + min(len(t.written)-1, 1)
}

// Part implements algebra.Program.
func (t *Typing) Part(n int) (algebra.Tensor, bool) {
	if n < 0 || n >= len(t.Params)+len(t.Steps) {
		return algebra.Tensor{}, false // a tuple, or nothing
	}
	return t.tensor(t.of(n)), true
}

// of returns the parameter whose contents a part is.
func (t *Typing) of(part int) int {
	if n := len(t.Params); part >= n {
		return t.Steps[part-n]
	}
	return part
}

// last returns the part that is the contents of a parameter after so many steps.
func (t *Typing) last(steps, param int) int {
	for k := steps - 1; k >= 0; k-- {
		if t.Steps[k] == param {
			return len(t.Params) + k
		}
	}
	return param
}

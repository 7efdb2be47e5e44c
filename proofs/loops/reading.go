package loops

import (
	"fmt"
	"slices"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// Declarations implements algebra.Source.
func (p *Procedure) Declarations() (out domain.Declarations) {
	for _, q := range p.Params {
		in := &domain.Input{Name: q.Name, Elem: q.Elem, Span: q.Span}
		for _, d := range q.Dims {
			least := map[bool]int64{true: 1}[d.Name() != ""]
			in.Dims = append(in.Dims, domain.Dim{Size: d, Min: least})
		}
		out.Inputs = append(out.Inputs, in)
	}
	for _, name := range p.Sizes {
		out.Sizes = append(out.Sizes, domain.SizeUse{Name: name, Span: p.Span})
	}
	return out
}

// Depth implements algebra.Source: a cell is traced through all statements before.
func (p *Procedure) Depth() int { return 1 + depth(p.Body) }

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
	t := &typing{Procedure: p, env: env}
	for i, q := range p.Params {
		b := env.Tensor(q.Name)
		if b.Name != "" && (len(b.Dims) != len(q.Dims) || b.Elem != q.Elem) {
			return nil, source.Errors{source.Errorf(q.Span, "type-mismatch",
				"%s is of another rank or element type than %s", q.Name, b.Name)}
		}
		t.tensors = append(t.tensors, b)
		if (&trace{}).writes(p.Body, q) {
			t.written = append(t.written, i)
		}
	}
	if t.written == nil {
		return nil, source.Errors{source.Errorf(p.Span, "no-result", "no parameter is written")}
	}
	t.conditions()
	return t, nil
}

// A typing is a procedure whose sizes stand for those of a question.
type typing struct {
	*Procedure
	env     *domain.Env
	tensors []domain.Tensor // that the parameters stand for; without a name where there is none
	written []int           // parameters, ascending
	asked   []algebra.Condition
	within  *Ranges // what is known of sizes
}

func (t *typing) dims(param int) (out []domain.Size) {
	for _, d := range t.Params[param].Dims {
		out = append(out, t.env.Size(d))
	}
	return out
}

// Conditions implements algebra.Program.
func (t *typing) Conditions() []algebra.Condition { return t.asked }

// Sizes implements algebra.Program.
func (t *typing) Sizes() (out []domain.Size) {
	for _, name := range t.Procedure.Sizes {
		out = append(out, t.env.Size(domain.NamedSize(name)))
	}
	return out
}

// Limits implements algebra.Program.
func (t *typing) Limits() domain.Limits { return t.Procedure.Limits }

// Elems implements algebra.Program.
func (t *typing) Elems() (out []domain.Elem) {
	for _, q := range t.buffers() {
		out = append(out, q.Elem)
	}
	return out
}

// Results implements algebra.Program.
func (t *typing) Results() (out []algebra.Tensor) {
	for i, param := range t.written {
		r := t.tensor(param)
		if len(t.written) > 1 {
			r.Path = []int{i}
		}
		out = append(out, r)
	}
	return out
}

// Writes implements algebra.Program.
func (t *typing) Writes() (names []string) {
	for _, i := range t.written {
		names = append(names, t.Params[i].Name)
	}
	return names
}

// Root implements algebra.Program. Parts are the parameters before the call, those that are written
// after it and, if these are several, the tuple.
func (t *typing) Root() int {
	return len(t.Params) + len(t.written) - 1 + min(len(t.written)-1, 1)
}

// Part implements algebra.Program.
func (t *typing) Part(n int) (algebra.Tensor, bool) {
	switch k := n - len(t.Params); {
	case n < 0 || k >= len(t.written):
		return algebra.Tensor{}, false // a tuple, or nothing
	case k >= 0:
		n = t.written[k]
	}
	return t.tensor(n), true
}

func (t *typing) tensor(param int) algebra.Tensor {
	dims, elem := t.dims(param), t.Params[param].Elem
	return algebra.Tensor{Dims: dims, Elem: elem, Text: fmt.Sprint(elem, dims)}
}

// Elements implements algebra.Program.
func (t *typing) Elements(s *algebra.State, cuts map[int]string) algebra.Elements {
	size := func(name string) *expr { return s.Size(t.env.Size(domain.NamedSize(name))) }
	l := &elements{newTrace(s, size), t, cuts}
	l.initial = func(x *cell) *scalar {
		if i := slices.Index(t.Params, x.of); t.given(x.of) {
			return l.entry(i, x.at)
		}
		return nil
	}
	return l
}

// Elements are those of the parts of a program.
type elements struct {
	*trace
	t    *typing
	cuts map[int]string
}

// At implements algebra.Elements.
func (l *elements) At(part int, path []int, c *context, at []*expr) *scalar {
	if len(path) > 0 {
		part = len(l.t.Params) + path[0]
	}
	k := part - len(l.t.Params)
	if k < 0 {
		return l.entry(part, at)
	}
	i := l.t.written[k]
	if name, cut := l.cuts[part]; cut {
		return l.held(i, name, at, true)
	}
	x := &cell{l.t.Params[i], slices.Clone(at)}
	for k, d := range l.t.Params[i].Dims {
		if l.Size(l.t.env.Size(d)).Is(1) {
			x.at[k] = l.B.Const(0)
		}
	}
	v := l.back(x, &place{block: l.t.Body, index: len(l.t.Body)}, nil, c)
	if v == l.never {
		unsupported("a local is left in %s", x.of.Name)
	}
	return v
}

// entry is an element of a parameter before the call.
func (l *elements) entry(param int, at []*expr) *scalar {
	if name, cut := l.cuts[param]; cut {
		return l.held(param, name, at, true)
	}
	name := l.t.tensors[param].Name
	if name == "" {
		algebra.Fail(algebra.CodeStatement, "nothing is bound to %s, which is read",
			l.t.Params[param].Name)
	}
	return l.held(param, name, at, false)
}

// held is an element of a tensor of the dims of a parameter.
func (l *elements) held(param int, name string, at []*expr, asks bool) *scalar {
	q := l.t.Params[param]
	dims, in := make([]*expr, len(at)), slices.Clone(at)
	for i, d := range q.Dims {
		if dims[i] = l.Size(l.t.env.Size(d)); dims[i].Is(1) {
			in[i] = l.B.Const(0)
		}
	}
	return l.Read(name, dims, in, q.Elem, asks)
}

// Fixed implements algebra.Elements: no part is a table.
func (l *elements) Fixed(int) int { return 0 }

// Forget implements algebra.Elements.
func (l *elements) Forget() { clear(l.memo) }

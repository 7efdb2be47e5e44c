package syntax

import (
	"slices"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// A Typed program is one under the names of a question. Its parts are the parameters, the tensors of the result and,
// where there are several, the pairs that they make up.
type Typed struct {
	*Program
	Env        *domain.Env
	source     semantics.Source
	inputs     int // of the parts: parameters, and tables of free functions
	parts      []semantics.Part
	result     *semantics.Type
	conditions []semantics.Condition
	tensors    map[int][]int // of the result: the parts that they are, with the components that they are of
}

// Under types a program: from is what embeds it.
func (p *Program) Under(env *domain.Env, from semantics.Source) *Typed {
	t := &Typed{Program: p, Env: env, source: from, tensors: map[int][]int{}}
	named := p.given()
	t.inputs = len(named)
	for i, in := range t.Inputs() {
		t.parts = append(t.parts, semantics.Part{Name: named[i].Name, Leaf: true, Input: in.Name, Tensor: true,
			Dims: in.Dims, Elem: in.Elem})
	}
	t.result = p.Body.Type.result(nil, env.Size)
	t.add(t.result, nil)
	known := &domain.Facts{Mins: env.Mins}
	require := func(pred *domain.Pred, code, msg string) {
		same := func(c semantics.Condition) bool { return c.Code == code && c.Pred.String() == pred.String() }
		if pred.Decide(known) != domain.Always && !slices.ContainsFunc(t.conditions, same) {
			t.conditions = append(t.conditions, semantics.Condition{Pred: pred, Part: len(t.parts) - 1, Code: code, Msg: msg})
			known.Learn(pred)
		}
	}
	for _, q := range p.Parameters {
		q.Type.sizes(func(s domain.Size) {
			require(domain.Le(domain.IntSize(0), env.Size(s)), "negative-dim", q.Name+" has "+s.Formula()+" elements")
		})
	}
	for _, o := range p.owed {
		require(under(o.pred, env), o.code, o.span.Position().String()+": "+o.msg)
	}
	return t
}

// under is a condition in the sizes of a question.
func under(p *domain.Pred, env *domain.Env) *domain.Pred {
	return &domain.Pred{Op: p.Op, A: env.Size(p.A), B: env.Size(p.B)}
}

// add adds the parts of a component of the result and returns the last one.
func (t *Typed) add(typ *semantics.Type, path []int) int {
	part := semantics.Part{Name: "result", Cost: semantics.Sums}
	if typ.Tuple {
		for i, item := range typ.Items {
			part.Operands = append(part.Operands, t.add(item, append(slices.Clip(path), i)))
		}
	} else {
		part.Tensor, part.Dims, part.Elem = true, typ.Dims, typ.Elem
		for i := range t.inputs {
			part.Operands = append(part.Operands, i)
		}
		t.tensors[len(t.parts)] = path
	}
	t.parts = append(t.parts, part)
	return len(t.parts) - 1
}

// Component is the path, in the result, of the tensor that a part is.
func (t *Typed) Component(part int) []int { return t.tensors[part] }

// Source implements semantics.Program.
func (t *Typed) Source() semantics.Source { return t.source }

// Conditions implements semantics.Program.
func (t *Typed) Conditions() []semantics.Condition { return t.conditions }

// Limits implements semantics.Program: there are none.
func (t *Typed) Limits() domain.Limits { return domain.Limits{} }

// Inputs implements semantics.Program: all parameters, and the tables of free functions.
func (t *Typed) Inputs() (out []domain.Tensor) {
	for _, q := range t.given() {
		in := domain.Tensor{Name: t.Env.Tensor(q.Name).Name, Elem: q.Elem}
		for _, s := range q.Dims {
			in.Dims = append(in.Dims, t.Env.Size(s))
		}
		out = append(out, in)
	}
	return out
}

// Result implements semantics.Program.
func (t *Typed) Result() *semantics.Type { return t.result }

// Parts implements semantics.Program.
func (t *Typed) Parts() []semantics.Part { return t.parts }

// At implements semantics.Program.
func (t *Typed) At(part int) source.Span {
	if part < t.inputs {
		return t.given()[part].span
	}
	return t.Body.Span
}

// Text implements semantics.Program.
func (t *Typed) Text(part int) string {
	if part < t.inputs {
		return t.parts[part].Name
	}
	return oneLine(t.Body.Span)
}

// Line implements semantics.Program: parameters are written where they stand.
func (t *Typed) Line(part int, name func(part int) string) (typ, text string) {
	if part < t.inputs {
		return "", ""
	}
	return t.result.Text, t.Text(part)
}

// Sizes implements semantics.Program: those that patterns are given, that are values, and of arrays on the way.
func (t *Typed) Sizes() (out []domain.Size) {
	t.Body.Visit(func(c *Core) {
		for _, s := range c.Given {
			out = append(out, t.Env.Size(s))
		}
		c.Type.sizes(func(s domain.Size) { out = append(out, t.Env.Size(s)) })
	})
	return out
}

// Depth implements semantics.Program.
func (t *Typed) Depth() int { return t.Body.depth() }

func (c *Core) depth() int {
	most := 0
	for _, a := range c.Args {
		most = max(most, a.depth())
	}
	return most + 1
}

package procedures

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// A Typed program is one whose tensors and sizes are known by the names of a question. Its parts are the
// parameters (their contents before the call), the steps (the contents of the target after it) and, unless the
// only result is what the last step writes, the result.
type Typed struct {
	*Program
	Env        *domain.Env
	source     semantics.Source
	conditions []semantics.Condition
	parts      []semantics.Part
}

// Under types a program: source is what embeds it.
func (p *Program) Under(env *domain.Env, source semantics.Source) *Typed {
	t := &Typed{Program: p, Env: env, source: source}
	for _, q := range p.Parameters {
		x := t.Tensor(q)
		t.parts = append(t.parts, semantics.Part{Name: q.Name, Leaf: true, Input: x.Name,
			Tensor: true, Dims: x.Dims, Elem: x.Elem})
		for i, d := range x.Dims {
			t.Require(q.Number, domain.Le(domain.IntSize(0), d), "negative-dim",
				"axis %d of %s has %s elements", i, q.Name, d.Formula())
		}
	}
	for k, s := range p.Steps {
		x := t.Tensor(s.Target)
		part := semantics.Part{Name: s.Name, Tensor: true, Dims: x.Dims, Elem: x.Elem, Cost: semantics.Sums}
		reads := s.Reads
		if s.Adds || !s.Whole {
			reads = append([]*Parameter{s.Target}, reads...)
		}
		for _, q := range reads {
			if of := t.Before(k, q); !slices.Contains(part.Operands, of) {
				part.Operands = append(part.Operands, of)
			}
		}
		t.parts = append(t.parts, part)
	}
	switch results := t.results(); {
	case len(results) > 1:
		t.parts = append(t.parts, semantics.Part{Name: "results", Operands: results})
	case results[0] != len(t.parts)-1:
		part := t.parts[results[0]]
		part.Name, part.Leaf, part.Cost, part.Operands = "result", false, semantics.Moves, results
		t.parts = append(t.parts, part)
	}
	return t
}

// Size is a size of the text in the sizes of the question.
func (t *Typed) Size(s domain.Size) domain.Size { return t.Env.Size(s) }

// Tensor is what a parameter stands for, by its name in the question. Its dims are those of the text.
func (t *Typed) Tensor(q *Parameter) domain.Tensor {
	out := domain.Tensor{Name: t.Env.Tensor(q.Name).Name, Elem: q.Elem}
	for _, d := range q.Dims {
		out.Dims = append(out.Dims, t.Size(d))
	}
	return out
}

// Before is the part that a parameter is when step k begins; after the last one where k is their number.
func (t *Typed) Before(k int, q *Parameter) int {
	for i, s := range slices.Backward(t.Steps[:k]) {
		if s.Target == q && (k == len(t.Steps) || !t.AtOnce) {
			return len(t.Parameters) + i
		}
	}
	return q.Number
}

// results are the parts that the tensors of the result are: the parameters that are written, in order.
func (t *Typed) results() (out []int) {
	for _, q := range t.Parameters {
		if q.Written {
			out = append(out, t.Before(len(t.Steps), q))
		}
	}
	return out
}

// Source implements semantics.Program.
func (t *Typed) Source() semantics.Source { return t.source }

// Conditions implements semantics.Program.
func (t *Typed) Conditions() []semantics.Condition { return t.conditions }

// Limits implements semantics.Program: there are none.
func (t *Typed) Limits() domain.Limits { return domain.Limits{} }

// Inputs implements semantics.Program.
func (t *Typed) Inputs() (out []domain.Tensor) {
	for _, q := range t.Parameters {
		if q.Seen {
			out = append(out, t.Tensor(q))
		}
	}
	return out
}

// Result implements semantics.Program.
func (t *Typed) Result() *semantics.Type {
	var items []*semantics.Type
	var texts []string
	for _, part := range t.results() {
		p := t.parts[part]
		item := &semantics.Type{Dims: p.Dims, Elem: p.Elem, Text: typeText(p)}
		items, texts = append(items, item), append(texts, item.Text)
	}
	if len(items) == 1 {
		return items[0]
	}
	return &semantics.Type{Tuple: true, Items: items, Text: "(" + strings.Join(texts, ", ") + ")"}
}

// typeText is the type of a part as headings write it.
func typeText(p semantics.Part) string {
	dims := make([]string, len(p.Dims))
	for i, d := range p.Dims {
		dims[i] = d.Formula()
	}
	return p.Elem.String() + "[" + strings.Join(dims, ", ") + "]"
}

// Parts implements semantics.Program.
func (t *Typed) Parts() []semantics.Part { return t.parts }

// At implements semantics.Program.
func (t *Typed) At(part int) source.Span {
	if part < len(t.Parameters) {
		return t.Parameters[part].Span
	}
	return t.Steps[min(part-len(t.Parameters), len(t.Steps)-1)].Span
}

// Text implements semantics.Program.
func (t *Typed) Text(part int) string {
	if part >= len(t.Parameters)+len(t.Steps) {
		return "the result"
	}
	return t.At(part).Text()
}

// Line implements semantics.Program: parameters are written where they stand.
func (t *Typed) Line(part int, name func(part int) string) (typ, text string) {
	switch n := len(t.Parameters); {
	case part < n:
		return "", ""
	case part < n+len(t.Steps):
		return typeText(t.parts[part]), t.Text(part)
	}
	var from []string
	for _, p := range t.results() {
		from = append(from, name(p))
	}
	return t.Result().Text, "the result: " + strings.Join(from, ", ")
}

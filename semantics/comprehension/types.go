package comprehension

import (
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// A Typed program is one whose tensors and sizes are known by the names of a question.
type Typed struct {
	*Program
	env        *domain.Env
	conditions []semantics.Condition
	parts      []semantics.Part
}

// size is a size of the text in the sizes of the question.
func (t *Typed) size(s domain.Size) domain.Size { return t.env.Size(s) }

// tensor is what a parameter stands for. Its dims are those of the text.
func (t *Typed) tensor(q *Param) domain.Tensor {
	out := domain.Tensor{Name: t.env.Tensor(q.Name).Name, Elem: q.Elem}
	for _, d := range q.Dims {
		out.Dims = append(out.Dims, t.size(d))
	}
	return out
}

// span is the place of a part.
func (t *Typed) span(part int) source.Span {
	if part < len(t.Params) {
		return t.Params[part].Span
	}
	return t.Statements[min(part-len(t.Params), len(t.Statements)-1)].Span
}

// results are the parameters that are written, in the order of the heading.
func (p *Program) results() (out []*Param) {
	for _, q := range p.Params {
		if q.Written {
			out = append(out, q)
		}
	}
	return out
}

package comprehension

import (
	"fmt"
	"slices"

	"tv/semantics"
	"tv/semantics/domain"
)

// bounds lists the conditions on sizes under which no dim is negative and every access is within its tensor. An access is
// affine in the indices, with numbers as factors: where no range is empty it is least where each index is at the end that the
// sign of its factor tells, and so greatest at the other ends. So a condition for all indices is one on sizes alone.
func (t *Typed) bounds() (out []semantics.Condition) {
	add := func(part int, p *domain.Pred, code, format string, args ...any) {
		for _, c := range out {
			if c.Code == code && c.Pred.String() == p.String() {
				return
			}
		}
		known := &domain.Facts{Mins: t.env.Mins}
		if p.Decide(known) != domain.Always {
			out = append(out, semantics.Condition{Pred: p, Part: part, Code: code, Msg: fmt.Sprintf(format, args...)})
		}
	}
	zero := domain.IntSize(0)
	for _, q := range t.Params {
		for i, d := range q.Dims {
			add(q.Number, domain.Le(zero, t.size(d)), "negative-dim", "axis %d of %s has %s elements", i, q.Name, d.Formula())
		}
	}
	for k, s := range t.Statements {
		var empty []*domain.Pred
		for _, i := range slices.Concat(s.Free, s.Summed) {
			empty = append(empty, domain.Le(t.size(i.Hi), t.size(i.Lo)))
		}
		access := func(q *Param, axis int, x Subscript, empty []*domain.Pred) {
			least, most := t.size(x.Rest), t.size(x.Rest)
			for _, p := range x.Terms {
				f := domain.IntSize(p.Factor)
				first, last := f.Mul(t.size(p.Index.Lo)), f.Mul(t.size(p.Index.Hi).Sub(domain.IntSize(1)))
				if p.Factor < 0 {
					first, last = last, first
				}
				least, most = least.Add(first), most.Add(last)
			}
			part, dim := len(t.Params)+k, t.size(q.Dims[axis])
			for _, p := range []*domain.Pred{domain.Le(zero, least), domain.Lt(most, dim)} {
				if p.Decide(&domain.Facts{Mins: t.env.Mins}) != domain.Always {
					add(part, domain.Or(append(slices.Clone(empty), p)...), "index-out-of-bounds",
						"axis %d of %s (%s) is accessed from %s to %s", axis, q.Name, dim.Formula(), least.Formula(), most.Formula())
				}
			}
		}
		for axis, f := range s.Free {
			// a sum of nothing is written too
			access(s.Target, axis, Subscript{Rest: zero, Terms: []Product{{1, f}}}, empty[:len(s.Free)])
		}
		s.Value.visit(func(e *Expr) {
			for axis, x := range e.At {
				access(e.Tensor, axis, x, empty)
			}
		})
	}
	return out
}

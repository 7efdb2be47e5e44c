package equiv

import (
	"context"

	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// A Difference is an element at which somebody saw two programs differ. It is shrunk and described by what
// does so for the differences that [Check] finds itself.
type Difference struct {
	w *inquiry
	d *sample.Difference
}

// NewDifference takes over the inputs and the element at which two programs were seen to differ: at a point
// of BEFORE's domain, in a component of the result, at an index. The inputs must give the same elements
// whenever they are asked. Errors: source.Errors where there is no question about the two programs, as in
// [Check].
func NewDifference(asked Question, opts Options, pt domain.Point, in value.Inputs, path []int,
	index []int64,
) (*Difference, error) {
	q, err := ask(asked, opts)
	if err != nil {
		return nil, err
	}
	return &Difference{q.inquire(context.Background()), &sample.Difference{Point: pt, Inputs: in, Path: path, Index: index}}, nil
}

// Blame names the smallest subterms that differ under the inputs as they are.
func (d *Difference) Blame() []sample.Blame { return d.w.sampler.Blame(d.d) }

// Result shrinks the difference, sizes first and then values, replays it in the evaluator and describes it: a
// refutation, unless it does not replay.
func (d *Difference) Result() Result { return d.w.report(d.d, "sample").Result }

// Points returns up to so many points of BEFORE's domain: the smallest, and some that are spread over it; the
// empty one where no size has a name. Errors: source.Errors where there is no question about the two
// programs.
func Points(asked Question, opts Options, limit int) ([]domain.Point, error) {
	q, err := ask(asked, opts)
	if err != nil {
		return nil, err
	}
	var out []domain.Point
	seen := map[string]bool{}
	for _, pt := range append(q.domain.Points(limit/2), q.domain.Spread(limit)...) {
		if key := sizes.FormatPoint(pt); !seen[key] && len(out) < limit {
			seen[key] = true
			out = append(out, pt)
		}
	}
	return out, nil
}

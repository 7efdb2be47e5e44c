package equiv

import (
	"context"

	"tv/equiv/prove"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

// Describe lowers a program and brings it into normal form. Where the domain has several cases it describes the
// first.
func Describe(p semantics.Source, opts Options) (prove.Description, error) {
	q, err := ask(Question{Before: p, After: unassuming{p}}, opts)
	if err != nil {
		return prove.Description{}, err
	}
	if depth := q.before.Depth(); depth > maxDepth {
		return prove.Description{}, source.Errors{source.Errorf(p.Root(), "too-deep", "%s", tooDeep(depth))}
	}
	return q.inquire(context.Background()).prover.Describe(0)
}

// DescribePair is Describe for both programs of a question, each under what it declares together with the other, and on BEFORE's domain. Of
// elements with more than most operators the error is prove.ErrLong.
func DescribePair(asked Question, opts Options, most int) (both [2]prove.Description, err error) {
	q, err := ask(asked, opts)
	if err != nil {
		return both, err
	}
	for side, p := range []semantics.Program{q.before, q.after} {
		if p.Depth() > maxDepth {
			return both, source.Errors{source.Errorf(p.Source().Root(), "too-deep", "%s", tooDeep(p.Depth()))}
		}
		q.before = p
		if both[side], err = q.inquire(context.Background()).prover.Describe(most); err != nil {
			return both, err
		}
	}
	return both, nil
}

// unassuming is a program as AFTER, which may not assume what it assumes as BEFORE.
type unassuming struct{ semantics.Source }

func (s unassuming) Declarations() domain.Declarations {
	d := s.Source.Declarations()
	d.Assumes = nil
	return d
}

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
	return q.inquire(context.Background()).prover.Describe()
}

// unassuming is a program as AFTER, which may not assume what it assumes as BEFORE.
type unassuming struct{ semantics.Source }

func (s unassuming) Declarations() domain.Declarations {
	d := s.Source.Declarations()
	d.Assumes = nil
	return d
}

package loops

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
)

// Only implements algebra.Chooser: parameters that are written and are no results are locals, and
// begin with nothing in them.
func (p *Procedure) Only(results string) (algebra.Source, error) {
	q, names, found := *p, strings.Split(results, ","), 0
	q.Params, q.Body = nil, nil
	for _, b := range p.Params {
		named := slices.Contains(names, b.Name)
		if written := writes(p.Body, b); named && written {
			found++
		} else if written && p.Given(b) {
			q.Body = append(q.Body, &Alloc{Buffer: b, Span: b.Span})
			continue
		}
		q.Params = append(q.Params, b)
	}
	if found != len(names) {
		return nil, source.Errors{source.Errorf(p.Span, "output-unknown",
			"not all of %s are parameters that are written", results)}
	}
	q.Body = append(q.Body, p.Body...)
	return &q, nil
}

package equiv

import (
	"slices"

	"tv/equiv/sample"
	"tv/semantics"
)

// overlapWork bounds the elements read for each pair of parameters at each distance.
const overlapWork = 20_000

// distances at which parameters are tried, in elements; nearest first.
var distances = []int64{1, -1, 0, 2, -2, 3, -3}

// overlapping looks for a difference where parameters overlap that may on both sides. It returns nil where it finds none.
func (w *inquiry) overlapping() (*outcome, error) {
	before, ok := w.before.(semantics.Overlapper)
	after, also := w.after.(semantics.Overlapper)
	if !ok || !also {
		return nil, nil
	}
	pairs := after.Overlaps()
	for _, o := range before.Overlaps() {
		if i := slices.IndexFunc(pairs, func(p semantics.Overlap) bool {
			return p == o || p.Of == o.Behind && p.Behind == o.Of
		}); i < 0 {
			continue
		}
		for _, o.Distance = range distances {
			s := sample.New(before.Overlapped(o), after.Overlapped(o), w.opts.Arith, w.opts.SampleSeed())
			s.Allow(overlapWork)
			d, err := s.Search(w.ctx, w.small, nil)
			if err != nil {
				return nil, err
			}
			if d == nil {
				continue
			}
			small, c, ok := s.Small(w.ctx, s.Smaller(w.domain, d))
			if !ok {
				continue
			}
			c.Overlap = &o
			shared(c, o)
			reason := "values"
			if small.Bad != nil {
				reason = "undefined"
			}
			out := &outcome{Result: w.refuted("sample", reason, "alias: where "+o.String()), found: d}
			out.Counterexample, out.Failed, out.Blame = c, "alias", sample.Writers(c, s.Blame(small))
			return out, nil
		}
	}
	return nil, nil
}

// shared gives elements that two parameters have in common the values that the first has.
func shared(c *sample.Counterexample, o semantics.Overlap) {
	find := func(name string) int {
		return slices.IndexFunc(c.Inputs, func(v sample.InputValue) bool { return v.Name == name })
	}
	i, k := find(o.Of), find(o.Behind)
	if i < 0 || k < 0 {
		return
	}
	of, behind := c.Inputs[i], c.Inputs[k]
	for at := range sample.Product(of.Dims) {
		if there := at + o.Distance; there >= 0 && there < sample.Product(behind.Dims) {
			delete(of.Sparse, at)
			if v, ok := behind.Sparse[there]; ok {
				of.Sparse[at] = v
			}
		}
	}
}

// Overlapping are both programs called with parameters that overlap.
func Overlapping(before, after semantics.Program, o semantics.Overlap) (x, y semantics.Program, ok bool) {
	b, ok := before.(semantics.Overlapper)
	a, also := after.(semantics.Overlapper)
	if !ok || !also {
		return nil, nil, false
	}
	return b.Overlapped(o), a.Overlapped(o), true
}

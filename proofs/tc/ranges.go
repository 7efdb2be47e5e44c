package tc

import (
	"fmt"
	"maps"
	"slices"

	"tv/internal/source"
	"tv/proofs/loops"
)

// An interval is from lo to hi - 1.
type interval struct{ lo, hi size }

// A subscript is one of an axis, whose extent it has to be below.
type subscript struct {
	x     *node
	below size
}

// inferred are the ranges of a statement. They are those that its accesses give, whether what it
// writes is one of these or not: where that matters it is refused, unless there are none without.
func (l *lowering) inferred(s *statement, t *tensor) map[string]interval {
	given := l.given(s)
	list := l.subscripts(s.value)
	for _, n := range s.exists {
		check(l.tensors[n.text] != nil, n.at, "unsupported-op", "an exists of what is no read")
		list = append(list, l.subscripts(n)...)
	}
	ranges := l.solved(given, list)
	if t.of != nil {
		for k, at := range s.indices {
			n := &node{op: "name", text: at.Text(), at: at}
			list = append(list, subscript{n, t.of.Dims[k]})
		}
		more := l.solved(given, list)
		for _, name := range l.indices {
			x, found := ranges[name]
			y := more[name]
			check(!found || x.lo.Equal(y.lo) && x.hi.Equal(y.hi), s.at, "unsupported-op",
				"the range of %s depends on whether it is within %s", name, s.at.Text())
		}
		ranges = more
	}
	return ranges
}

// given are the ranges that a text gives. One may hold nothing.
func (l *lowering) given(s *statement) map[string]interval {
	out := map[string]interval{}
	for _, c := range s.clauses {
		name := c.name.Text()
		_, twice := out[name]
		check(!twice, c.name, "redefined-name", "a second range of %s", name)
		check(slices.Contains(l.indices, name), c.name, "unsupported-op",
			"a range of %s, which is no index of the statement", name)
		r := interval{l.control(c.lo), l.control(c.hi)}
		check(constant(r.lo) && constant(r.hi), c.name, "not-affine", "a range that indices are in")
		places := r.hi.Sub(r.lo)
		check(!l.nonneg(zero.Sub(places)), c.name, "range-inference", "an empty range")
		out[name] = r
	}
	return out
}

// subscripts are those of all tensors in an expression.
func (l *lowering) subscripts(n *node) (out []subscript) {
	n.visit(func(n *node) {
		if n.op != "call" && n.op != "name" || l.tensors[n.text] == nil {
			return
		}
		dims := l.tensor(n).of.Dims
		check(len(n.args) == len(dims), n.at, "type-mismatch", "%s has %d subscripts", n.text,
			len(dims))
		for k, a := range n.args {
			out = append(out, subscript{a, dims[k]})
		}
	})
	return out
}

// solved finds ranges in rounds: in each, of the indices that are alone in a subscript among those
// without a range.
func (l *lowering) solved(given map[string]interval, list []subscript) map[string]interval {
	known := maps.Clone(given)
	for l.ranges = known; ; {
		found := map[string]interval{}
		for _, s := range list {
			var open []string
			s.x.visit(func(n *node) {
				_, out := known[n.text]
				out = out || n.op != "name" || !l.isIndex(n.text)
				if !out && !slices.Contains(open, n.text) {
					open = append(open, n.text)
				}
			})
			if len(open) != 1 {
				continue
			}
			r := l.solve(s, open[0])
			if before, twice := found[open[0]]; twice {
				r = interval{before.lo.Max(r.lo), before.hi.Min(r.hi)}
			}
			found[open[0]] = r
		}
		if len(found) == 0 {
			return known
		}
		maps.Copy(known, found)
	}
}

// solve finds the v for which 0 <= k·v + r < extent for all values of r, from least to most: of
// k > 0 ceil(-least/k) <= v <= floor((extent - 1 - most)/k), and of k < 0 ceil((most - extent +
// 1)/-k) <= v <= floor(least/-k).
func (l *lowering) solve(s subscript, name string) interval {
	var e size
	l.block(func() { e = l.control(s.x) })
	k, r := factor(e, name, s.x.at)
	least, most := l.extremes(r, s.x.at)
	switch d := zero.Sub(k); {
	case l.nonneg(k.Sub(one)):
		return interval{k.Sub(one).Sub(least).Div(k), s.below.Sub(one).Sub(most).Div(k).Add(one)}
	case l.nonneg(d.Sub(one)):
		return interval{most.Sub(s.below).Add(d).Div(d), least.Div(d).Add(one)}
	}
	refuse(s.x.at, "not-affine", "the factor of %s has no known sign", name)
	return interval{}
}

// factor takes e = k·index + r apart, where the index is in neither.
func factor(e size, name string, at source.Span) (k, r size) {
	v := index(name)
	put := func(x size) size { return e.Subst(map[string]size{v.Name(): x}) }
	k = put(one).Sub(put(zero))
	r = e.Sub(k.Mul(v))
	check(constant(k) && !slices.Contains(over(r), name), at, "not-affine",
		"%s is in no sum of multiples of indices", name)
	return k, r
}

// extremes are what e is at least and at most, for all values of its indices, which have ranges.
func (l *lowering) extremes(e size, at source.Span) (least, most size) {
	for _, name := range over(e) {
		l.asked[name] = true
		var k size
		k, e = factor(e, name, at)
		first, last := l.ranges[name].lo, l.ranges[name].hi.Sub(one)
		if l.nonneg(zero.Sub(k)) {
			first, last = last, first
		} else {
			check(l.nonneg(k), at, "not-affine", "the factor of %s has no known sign", name)
		}
		least, most = least.Add(k.Mul(first)), most.Add(k.Mul(last))
	}
	return least.Add(e), most.Add(e)
}

// hold asks for ranges to hold something, and for their ends to have 32 bits. One that a text gives
// may hold nothing, unless another one was found by what it holds.
func (l *lowering) hold(s *statement) {
	for k, name := range l.indices {
		r, found := l.ranges[name]
		at, places := l.places[name], r.hi.Sub(r.lo)
		check(found, at, "range-inference", "no range of %s is found", name)
		check(!l.nonneg(zero.Sub(places)), at, "range-inference", "an empty range of %s", name)
		check(k >= len(s.indices) || !l.nonneg(zero.Sub(r.lo).Sub(one)), at, "range-inference",
			"the range of %s begins below 0", name)
		l.require(r.lo, at)
		l.require(r.hi, at)
		given := slices.ContainsFunc(s.clauses, func(c clause) bool {
			return c.name.Text() == name
		})
		if !l.nonneg(places.Sub(one)) && (!given || l.asked[name]) {
			l.emit(&loops.Require{Cond: l.compare(loops.CondLess, r.lo, r.hi),
				Text: fmt.Sprintf("the range of %s is not empty", name), Span: at})
		}
	}
}

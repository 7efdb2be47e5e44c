package recur

import (
	"slices"

	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A large number of a text, and those next to it, stand for smaller ones in runs that would be too long otherwise: relations of
// instances are guessed from these, and shown of the texts as they are.
type large struct{ least, most int64 }

// Bounds of what is taken for large.
const (
	largeFrom = 16 // numbers from here on
	largeNear = 8  // how far those that go together are apart, one from the next
	largeSpan = 24 // and the least from the greatest
	leastRun  = 6  // trips that a loop has in runs at least
	maxPeriod = 64 // of what steps and divisors repeat in
)

// larges finds the large numbers of both texts: bounds and extents, none of them a step, a divisor or a factor, or next to one.
func (q *question) larges() (out []large) {
	var all, kept []int64
	see := func(n int64) {
		if n = magnitudeOf(n); n >= largeFrom {
			all = append(all, n)
		}
	}
	for _, s := range []*side{q.before, q.after} {
		for _, b := range s.typed.Procedure.Buffers {
			for _, d := range b.Dims {
				see(d.N)
			}
		}
		s.typed.Integers(func(x *loops.Int) {
			switch x.Op {
			case loops.Number:
				see(x.N)
			case loops.Times, loops.FloorDiv, loops.CeilDiv, loops.TruncDiv, loops.FloorMod, loops.TruncMod:
				for i, a := range x.Args {
					if x.Op != loops.Times || x.Args[1-i].Op != loops.Number {
						kept = append(kept, magnitudeOf(a.N))
					}
				}
			}
		})
		for _, st := range s.stmts {
			for _, l := range st.around {
				kept = append(kept, magnitudeOf(l.Step.N))
			}
		}
	}
	slices.Sort(all)
	for _, n := range all {
		if last := len(out) - 1; last >= 0 && n-out[last].most <= largeNear && n-out[last].least <= largeSpan {
			out[last].most = n
		} else {
			out = append(out, large{n, n})
		}
	}
	return slices.DeleteFunc(out, func(l large) bool {
		return slices.ContainsFunc(kept, func(n int64) bool { return n >= largeFrom && l.least-2 <= n && n <= l.most+2 })
	})
}

// strided are, of each number that loops are bounded by, also by way of the counters in their bounds, the steps of these loops, and the divisors
// of what their counters are in.
func (q *question) strided() map[int64][]int64 {
	out := map[int64][]int64{}
	type key struct {
		loop *loops.For
		by   int64
	}
	seen := map[key]bool{}
	var bounded func(l *loops.For, by int64)
	walk := func(x *loops.Int, by int64) {
		x.Mentions(func(y *loops.Int) bool {
			switch y.Op {
			case loops.Number:
				if n := magnitudeOf(y.N); !slices.Contains(out[n], by) {
					out[n] = append(out[n], by)
				}
			case loops.Counter:
				bounded(y.Loop, by)
			}
			return false
		})
	}
	bounded = func(l *loops.For, by int64) {
		if seen[key{l, by}] {
			return
		}
		seen[key{l, by}] = true
		for _, x := range slices.Concat(l.Lo, l.Hi) {
			walk(x, by)
		}
	}
	for _, s := range []*side{q.before, q.after} {
		for _, st := range s.stmts {
			for _, l := range st.around {
				bounded(l, magnitudeOf(l.Step.N))
			}
		}
		s.typed.Integers(func(x *loops.Int) {
			switch x.Op {
			case loops.FloorDiv, loops.CeilDiv, loops.TruncDiv, loops.FloorMod, loops.TruncMod:
				walk(x.Args[0], magnitudeOf(x.Args[1].N))
			}
		})
	}
	return out
}

// period is the least number that all steps divide which a large number has to do with, and longest the greatest of them.
func (l large) period(strided map[int64][]int64) (period, longest int64) {
	period, longest = 1, 1
	for n := l.least; n <= l.most; n++ {
		for _, by := range strided[n] {
			if by > 0 && period <= maxPeriod {
				period, longest = mul(period/gcd(period, by), by), max(longest, by)
			}
		}
	}
	return period, longest
}

// scaled adds to points what large numbers stand for in runs, as further sizes; nil where they stand for themselves.
func (q *question) scaled(points [][]int64) (out [][]int64) {
	strided := q.strided()
	q.large = nil
	var base, periods []int64
	for i, l := range q.larges() {
		period, longest := l.period(strided)
		if period > maxPeriod {
			continue
		}
		n := max(leastRun, 2*longest+3) + int64(i)%2
		n += ((l.least-n)%period + period) % period
		if n < l.least {
			q.large, base, periods = append(q.large, l), append(base, n), append(periods, period)
		}
	}
	if len(base) == 0 {
		return nil
	}
	for _, p := range points {
		out = append(out, slices.Concat(p, base))
	}
	for i := range base {
		more := slices.Clone(base)
		more[i] += periods[i]
		out = append(out, slices.Concat(points[0], more))
	}
	return out
}

// number is what a number of the text stands for in a run.
func (r *run) number(n int64) int64 {
	if n < 0 {
		return -r.number(-n)
	}
	for i, l := range r.large {
		if l.least <= n && n <= l.most {
			return n - l.least + r.sizes[len(r.side.sizes)+i]
		}
	}
	return n
}

// extent is what the extent of an axis stands for in a run.
func (r *run) extent(x lin) int64 {
	return x.at(r.sizeOf) - x.c + r.number(x.c)
}

// point is the point of the domain that sizes are, without what large numbers stand for.
func (q *question) point(sizes []int64) domain.Point {
	pt := domain.Point{}
	for i, name := range q.sizes {
		pt[name] = sizes[i]
	}
	return pt
}

// columns are the columns of samples before counters: 1, sizes, and large numbers, whatever these stand for.
func (q *question) columns() []lin {
	out := []lin{number(1)}
	for v := range q.sizes {
		out = append(out, variable(v))
	}
	for _, l := range q.large {
		out = append(out, number(l.least))
	}
	return out
}

package prove

import (
	"math"

	"tv/semantics/index"
	"tv/semantics/term"
)

// A Ranges knows between which signed numbers the values of terms lie. It decides comparisons that hold, or fail, for all of
// them: whether what a machine saturates is ever beyond its ends.
type Ranges struct {
	// Most returns a number that is at least the value of an expression, which counts something; it may be nil.
	Most func(e *index.Expr) (int64, bool)
	// Sum returns another range of a sum, such as that of its normal form; it may be nil.
	Sum func(t *term.Term) (lo, hi int64, ok bool)

	known map[*term.Term]span
}

// A span is the numbers from lo to hi.
type span struct{ lo, hi int64 }

// whole is all numbers of a width.
func whole(width int) span { return span{-1 << (width - 1), 1<<(width-1) - 1} }

// within returns a span if all of it has the width, else all numbers of it: what is beyond wraps. ok is false where the
// numbers themselves did not fit 64 bits.
func (s span) within(width int, ok bool) span {
	if w := whole(width); !ok || s.lo < w.lo || s.hi > w.hi {
		return w
	}
	return s
}

// Settle returns what is left of a term where comparisons that choose are decided.
func (r *Ranges) Settle(t *term.Term) *term.Term {
	for t.Op == term.Choose {
		holds, known := r.decides(t.Args[0])
		if !known {
			holds, known = r.atMost(t)
		}
		if !known {
			return t
		}
		branch := t.Args[2]
		if holds {
			branch = t.Args[1]
		}
		t = branch
	}
	return t
}

// Unwrapped returns the term of which a sign extension takes the low bits, where these hold all of its values: then the
// extension is that term; else nil.
func (r *Ranges) Unwrapped(t *term.Term) *term.Term {
	if t.Op != term.ExtendS || t.Args[0].Op != term.Extract || t.Args[0].Low() != 0 {
		return nil
	}
	of := r.Settle(t.Args[0].Args[0])
	s, w := r.tight(of), whole(t.Args[0].Sort.Width)
	if s.lo < w.lo || s.hi > w.hi {
		return nil
	}
	return of
}

// decides tells whether a condition is the same for all values, and what it is.
func (r *Ranges) decides(cond *term.Term) (holds, known bool) {
	if v, ok := cond.ConstBits(); ok {
		return v != 0, true
	}
	if cond.Op != term.LessS {
		return false, false
	}
	x, y := r.tight(r.Settle(cond.Args[0])), r.tight(r.Settle(cond.Args[1]))
	return x.hi < y.lo, x.hi < y.lo || x.lo >= y.hi
}

// atMost decides the smaller or the greater of two numbers of which one is at most the other: where they are one number either will do.
func (r *Ranges) atMost(t *term.Term) (holds, known bool) {
	cond, x, y := t.Args[0], t.Args[1], t.Args[2]
	if cond.Op != term.LessS || !(cond.Args[0] == x && cond.Args[1] == y || cond.Args[0] == y && cond.Args[1] == x) {
		return false, false
	}
	return true, r.tight(r.Settle(cond.Args[0])).hi <= r.tight(r.Settle(cond.Args[1])).lo
}

// tight is of, narrowed by what is known of a sum as a whole.
func (r *Ranges) tight(t *term.Term) span {
	s := r.of(t)
	if r.Sum == nil || !IsSum(t) {
		return s
	}
	if lo, hi, ok := r.Sum(t); ok {
		return span{max(s.lo, lo), min(s.hi, hi)}
	}
	return s
}

// Bound returns the range of a sum of products modulo 2^width, each of them up to so many times as it occurs; a product
// without factors is its coefficient. ok is false where the sum may be beyond the width, or beyond 64 bits.
func (r *Ranges) Bound(width int, list []Product, times []int64) (lo, hi int64, ok bool) {
	total := span{}
	for i, p := range list {
		c := term.Signed64(p.Coefficient&term.Ones(width), width)
		s, fits := span{c, c}, true
		for _, factor := range []*term.Term{p.X, p.Y} {
			if factor != nil && fits {
				s, fits = product2(s, r.of(factor))
			}
		}
		if fits && times[i] != 1 {
			s, fits = product2(s, span{0, times[i]})
		}
		lo, okL := sum(total.lo, s.lo)
		hi, okH := sum(total.hi, s.hi)
		if !fits || !okL || !okH {
			return 0, 0, false
		}
		total = span{lo, hi}
	}
	w := whole(width)
	return total.lo, total.hi, total.lo >= w.lo && total.hi <= w.hi
}

// of returns between which numbers the values of a bit-vector lie, read as signed.
func (r *Ranges) of(t *term.Term) span {
	if s, ok := r.known[t]; ok {
		return s
	}
	s := r.compute(t)
	if r.known == nil {
		r.known = map[*term.Term]span{}
	}
	r.known[t] = s
	return s
}

func (r *Ranges) compute(t *term.Term) span {
	w := t.Sort.Width
	switch t.Op {
	case term.Const:
		v, ok := t.ConstBits()
		if !ok {
			break
		}
		n := term.Signed64(v, w)
		return span{n, n}
	case term.ExtendS:
		return r.of(t.Args[0])
	case term.ExtendU:
		if s := r.of(t.Args[0]); s.lo >= 0 {
			return s
		}
		return span{0, int64(term.Ones(t.Args[0].Sort.Width))} // narrower than t
	case term.Neg:
		s := r.of(t.Args[0])
		return span{-s.hi, -s.lo}.within(w, s.lo != math.MinInt64)
	case term.Add:
		x, y := r.of(t.Args[0]), r.of(t.Args[1])
		lo, okL := sum(x.lo, y.lo)
		hi, okH := sum(x.hi, y.hi)
		return span{lo, hi}.within(w, okL && okH)
	case term.Mul:
		s, ok := product2(r.of(t.Args[0]), r.of(t.Args[1]))
		return s.within(w, ok)
	case term.Dot:
		total := span{}
		for i := 0; i < len(t.Args); i += 2 {
			s, ok := product2(r.of(t.Args[i]), r.of(t.Args[i+1]))
			lo, okL := sum(total.lo, s.lo)
			hi, okH := sum(total.hi, s.hi)
			if !ok || !okL || !okH {
				return whole(w)
			}
			total = span{lo, hi}
		}
		return total.within(w, true)
	case term.Reduce:
		return r.total(t)
	case term.Choose:
		x, y := r.of(t.Args[1]), r.of(t.Args[2])
		if holds, known := r.decides(t.Args[0]); known {
			if holds {
				return x
			}
			return y
		}
		return span{min(x.lo, y.lo), max(x.hi, y.hi)}
	}
	return whole(w)
}

// total returns the range of a sum over counters: of so many terms as there are at most, or none.
func (r *Ranges) total(t *term.Term) span {
	w := t.Sort.Width
	if t.Fold != term.Sum || r.Most == nil {
		return whole(w)
	}
	s := r.of(t.Args[0])
	for _, v := range t.Vars {
		lo, ok := v.Lo.Const()
		least, small := lo.Int64()
		most, known := r.Most(v.Hi)
		if !ok || !small || !known {
			return whole(w)
		}
		var fits bool
		if s, fits = product2(s, span{0, max(0, most-least)}); !fits {
			return whole(w)
		}
	}
	return s.within(w, true)
}

// sum returns x + y; ok is false where 64 bits do not hold it.
func sum(x, y int64) (int64, bool) {
	s := x + y
	return s, (s > x) == (y > 0)
}

// product2 returns the range of the products of two numbers.
func product2(x, y span) (span, bool) {
	s, fits := span{math.MaxInt64, math.MinInt64}, true
	for _, a := range []int64{x.lo, x.hi} {
		for _, b := range []int64{y.lo, y.hi} {
			p := a * b
			fits = fits && a != math.MinInt64 && b != math.MinInt64 && (a == 0 || p/a == b)
			s = span{min(s.lo, p), max(s.hi, p)}
		}
	}
	return s, fits
}

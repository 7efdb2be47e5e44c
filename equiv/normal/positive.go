package normal

import (
	"math/big"
	"slices"

	"tv/semantics/index"
)

// maxPositive bounds how often maxima in products are taken apart.
const maxPositive = 4

// byPositiveParts is a difference in which each maximum of two numbers is one of them and a positive part: max(a, b) is
// b + max(0, a - b), and a + max(0, b - a), of which that is taken in which the first coefficient is above 0. So |x| is
// max(0, x) + max(0, -x), and max(0, x) - max(0, -x) is x.
func (e *Engine) byPositiveParts(ctx *index.Context, diff *Poly) (out *Poly, changed bool) {
	x := e.open(diff)
	for range maxPositive {
		var next sum
		again := false
		for _, s := range x {
			k, by := e.positivePart(ctx, s)
			if k < 0 {
				next = append(next, s)
				continue
			}
			again, changed = true, true
			inner := *s
			inner.vars, inner.guards = nil, nil
			inner.factors = slices.Delete(slices.Clone(s.factors), k, k+1)
			for _, t := range e.mul(ctx, sum{&inner}, by) {
				u := *t
				u.vars, u.guards = appendTo(t.vars, s.vars), appendTo(t.guards, s.guards)
				next = append(next, &u)
			}
		}
		if x = next; !again {
			break
		}
	}
	if !changed {
		return diff, false
	}
	e.used |= UsedOrder
	return e.closeSum(ctx, x), true
}

// positivePart returns a factor of a summand that is the maximum of two numbers, and what it is by a positive part; -1 where
// there is none.
func (e *Engine) positivePart(ctx *index.Context, s *summand) (k int, by sum) {
	minus := big.NewRat(-1, 1)
	for k, f := range s.factors {
		if f.exp != 1 || f.atom.kind != maxAtom || f.atom.name != "" {
			continue
		}
		list := e.open(f.atom.polys[0])
		if len(list) != 2 || slices.ContainsFunc(list, func(t *summand) bool {
			return len(t.vars)+len(t.guards) > 0 || e.mayBeLowest(t.value)
		}) {
			continue
		}
		a, b := list[0].value, list[1].value
		d := e.tidy(ctx, e.add(a, e.scale(minus, b)))
		if len(d) == 0 {
			continue
		}
		if d[0].coef.Sign() < 0 {
			a, b, d = b, a, e.scale(minus, d)
		}
		if len(b) > 0 {
			return k, e.add(b, e.maximum(ctx, "", sum{termOf(nil, nil, nil), termOf(d, nil, nil)}))
		}
	}
	return -1, nil
}

// positively is x where cond holds and else y, if cond is 0 < t, or 0 <= t, and x - y, which is d, is q·t: y and q times the positive
// part of t.
func (e *Engine) positively(ctx *index.Context, t sum, d, y sum) (out sum, ok bool) {
	t = e.tidy(ctx, t)
	q := over(d, t)
	for _, s := range t {
		if q != nil || len(t) != len(d) {
			break
		}
		r := new(big.Rat).Quo(d[0].coef, s.coef)
		if len(e.closeSum(ctx, e.add(d, e.scale(new(big.Rat).Neg(r), t))).parts) == 0 {
			q = e.constant(r)
		}
	}
	if q == nil {
		return nil, false
	}
	e.used |= UsedOrder
	return e.add(y, e.mul(ctx, q, e.maximum(ctx, "", sum{termOf(nil, nil, nil), termOf(t, nil, nil)}))), true
}

// over is d divided by a single product without conditions, if each summand has its factors; nil of others.
func over(d, t sum) (q sum) {
	if len(t) != 1 || len(t[0].vars)+len(t[0].guards) > 0 {
		return nil
	}
	for _, s := range d {
		u := *s
		u.coef = new(big.Rat).Quo(s.coef, t[0].coef)
		u.factors = nil
		found := 0
		for _, f := range s.factors {
			for _, g := range t[0].factors {
				if g.atom == f.atom && g.exp > 0 && g.exp <= f.exp {
					f.exp -= g.exp
					found++
				}
			}
			if f.exp != 0 {
				u.factors = append(u.factors, f)
			}
		}
		if found != len(t[0].factors) {
			return nil
		}
		q = append(q, &u)
	}
	return q
}

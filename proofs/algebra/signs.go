package algebra

import (
	"math/big"
	"slices"
)

// maxRivals bounds the members of a maximum that are compared with each other by their signs.
const maxRivals = 6

// signed rewrites the maximum of a set, of which a member is surely there and none may be MIN, by
// the first law of signs in doc/certificates.md (4.3) that applies. ok is false where none does.
func (e *engine) signed(c *Context, set sum) (out sum, ok bool) {
	if len(set) == 0 || len(set) == 1 && len(set[0].vars) == 0 ||
		!slices.ContainsFunc(set, e.there) ||
		slices.ContainsFunc(set, func(t *summand) bool { return e.mayBeLowest(t.value) }) {
		return nil, false
	}
	set = mapped(set, func(x sum) sum { return e.tidy(c, x) })
	h := e.rising(c, set)
	if h != nil && h.exp {
		return e.inside(c, set, h), true
	}
	if by := e.sharedFactors(set); len(by) > 0 {
		out := sum{{coef: one, factors: by}}
		return e.mul(c, out, e.maximum(c, "", mapped(set, func(x sum) sum {
			return eachSummand(x, func(t *summand) {
				t.factors = mergeFactors(t.factors, negated(by))
			})
		}))), true
	}
	beaten := func(u *summand) bool { // by another member, which is never less
		return slices.ContainsFunc(set, func(v *summand) bool {
			return u != v && e.there(v) && e.notLess(c, e.rename(c, v).value, u.value)
		})
	}
	if i := slices.IndexFunc(set, beaten); i >= 0 && len(set) <= maxRivals {
		return e.maximum(c, "", slices.Delete(set, i, i+1)), true
	}
	if h != nil {
		return e.inside(c, set, h), true
	}
	return nil, false
}

// notLess reports whether x is surely at least y. Sums over boxes are compared with 0 alone.
func (e *engine) notLess(c *Context, x, y sum) bool {
	if len(y) == 0 {
		return e.signOfSum(x) != anySign
	}
	above := concat(x, e.scale(minusOne, y))
	return len(above) <= maxRivals && !slices.ContainsFunc(above, func(s *summand) bool {
		return !s.alone()
	}) && e.signOfSum(e.tidy(c, above)) != anySign
}

// mapped applies f to the value of each member.
func mapped(set sum, f func(sum) sum) sum {
	out := make(sum, len(set))
	for i, t := range set {
		out[i] = memberOf(f(t.value), t.vars, t.guards)
	}
	return out
}

// eachSummand changes copies of summands.
func eachSummand(x sum, f func(*summand)) sum {
	out := make(sum, len(x))
	for i, s := range x {
		t := *s
		f(&t)
		out[i] = &t
	}
	return out
}

// sharedFactors returns what is at least 0 and a factor of every summand of every member.
func (e *engine) sharedFactors(set sum) (by []factor) {
	var all sum
	for _, t := range set {
		all = append(all, eachSummand(t.value, func(s *summand) {
			s.vars = concat(t.vars, s.vars)
		})...)
	}
	for _, f := range commonFactors(all) {
		if e.sign(f.a) == anySign {
			f.exp -= f.exp % 2
		}
		shared := func(g factor) bool { return g.a == f.a && g.exp*f.exp > 0 }
		if f.exp != 0 && !slices.ContainsFunc(all, func(s *summand) bool {
			return !slices.ContainsFunc(s.factors, shared)
		}) {
			by = append(by, f)
		}
	}
	return by
}

// A risen is n + k·exp(u), or n + k/u with u > 0.
type risen struct {
	exp  bool
	n, k *big.Rat
	u    sum
}

// rising returns what all values of set are but for their u, or nil. A number may be such, too.
func (e *engine) rising(c *Context, set sum) (all *risen) {
	for _, t := range set {
		if plain(t.value) != nil {
			continue
		}
		h := e.risenOf(c, t.value)
		if h == nil || all != nil &&
			(h.exp != all.exp || h.n.Cmp(all.n) != 0 || h.k.Cmp(all.k) != 0) {
			return nil
		}
		all = h
	}
	if all != nil && slices.ContainsFunc(set, func(t *summand) bool {
		_, ok := e.under(c, all, t.value)
		return !ok
	}) {
		return nil
	}
	return all
}

// under returns the u of x, which is as h says or a number.
func (e *engine) under(c *Context, h *risen, x sum) (u sum, ok bool) {
	r := plain(x)
	if r == nil {
		return e.risenOf(c, x).u, true
	}
	r = new(big.Rat).Sub(r, h.n)
	if h.exp {
		return nil, r.Cmp(h.k) == 0
	}
	if r.Sign() != h.k.Sign() {
		return nil, false
	}
	return constant(r.Quo(h.k, r)), true
}

// inside takes the maximum of the u, or the least of them where h falls.
func (e *engine) inside(c *Context, set sum, h *risen) sum {
	sign := big.NewRat(int64(h.k.Sign()), 1)
	if !h.exp {
		sign.Neg(sign)
	}
	u := e.scale(sign, e.maximum(c, "", mapped(set, func(x sum) sum {
		u, _ := e.under(c, h, x)
		return e.scale(sign, u)
	})))
	if h.exp {
		u = e.exp(c, u)
	} else {
		u = e.invert(c, u)
	}
	return concat(constant(h.n), e.scale(h.k, u))
}

// risenOf reads x, which is no number. Where u is a number a and a summand s, r·s/u is
// r/q - (r·a/q)/u, q being the coefficient of s, also where s is 0; and k/u with k > 0 is
// k/a - (k/a)/(1 + a/s), but only where s is surely positive: there is no a/0.
func (e *engine) risenOf(c *Context, x sum) *risen {
	n, s := affine(x)
	if s == nil {
		return nil
	}
	h := &risen{exp: true, n: n, k: s.coef}
	for _, f := range s.factors {
		if h.exp = h.exp && f.a.kind == applyAtom && f.a.name == "exp"; h.exp {
			by := big.NewRat(int64(f.exp), 1)
			h.u = append(h.u, e.scale(by, e.open(f.a.polys[0]))...)
		}
	}
	if h.exp {
		return h
	}
	i := slices.IndexFunc(s.factors, func(f factor) bool {
		return f.a.kind == powerAtom && f.exp == -1
	})
	if i < 0 || e.sign(s.factors[i].a) != positive {
		return nil
	}
	h.u = e.open(s.factors[i].a.polys[0])
	over := slices.Delete(slices.Clone(s.factors), i, i+1)
	a, other := affine(h.u)
	whole := other != nil && a.Sign() > 0 && other.coef.Sign() > 0
	if len(over) > 0 {
		if !whole || !slices.Equal(over, other.factors) {
			return nil
		}
		share := new(big.Rat).Quo(h.k, other.coef)
		h.n = new(big.Rat).Add(n, share)
		h.k = new(big.Rat).Neg(share.Mul(share, a))
	}
	if h.k.Sign() > 0 && whole && e.signOfSum(sum{other}) == positive {
		share := new(big.Rat).Quo(h.k, a)
		h.n, h.k = new(big.Rat).Add(h.n, share), new(big.Rat).Neg(share)
		h.u = concat(constant(one), e.scale(a, e.invert(c, sum{other})))
	}
	return h
}

// affine takes x apart into a number and another summand that is alone; nil where x is not such.
func affine(x sum) (n *big.Rat, s *summand) {
	n = new(big.Rat)
	for _, t := range x {
		switch r := (sum{t}).number(); {
		case r != nil:
			n = r
		case s != nil || !t.alone():
			return nil, nil
		default:
			s = t
		}
	}
	return n, s
}

// plain returns the number that x is, or nil.
func plain(x sum) *big.Rat {
	if len(x) == 0 {
		return new(big.Rat)
	}
	return x.number()
}

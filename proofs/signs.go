package proofs

import (
	"math/big"
	"slices"
)

// maxRivals bounds the members of a maximum that are compared with each other by their signs.
const maxRivals = 6

// signed rewrites the maximum of a set, of which a member is surely there and none may be MIN, by the first of
// the laws of doc/certificates.md on signs that applies; nil where none does.
func (e *engine) signed(c *Context, set sum) (out sum, ok bool) {
	if len(set) == 0 || len(set) == 1 && len(set[0].vars) == 0 ||
		slices.ContainsFunc(set, func(t *summand) bool { return e.mayBeLowest(t.value) }) ||
		!slices.ContainsFunc(set, e.there) {
		return nil, false
	}
	set = slices.Clone(set)
	for i, t := range set {
		set[i] = memberOf(e.tidy(c, t.value), t.vars, t.guards)
	}
	if out, ok := e.topExp(c, set); ok {
		return out, true
	}
	if by := e.sharedFactors(set); len(by) > 0 {
		rest := e.maximum(c, mapped(set, func(x sum) sum {
			return eachSummand(x, func(t *summand) { t.factors = mergeFactors(t.factors, negated(by)) })
		}))
		return e.mul(c, sum{{coef: one, factors: by}}, rest), true
	}
	if i := e.beaten(c, set); i >= 0 {
		return e.maximum(c, slices.Delete(set, i, i+1)), true
	}
	return e.topFraction(c, set)
}

// there reports whether a member is surely there.
func (e *engine) there(t *summand) bool { return len(t.guards) == 0 && e.some(e.root, t.vars) }

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

// monotone returns the f of the greatest member where that rises with f, and of the least f where it falls.
func (e *engine) monotone(c *Context, set sum, rises int, f func(sum) sum) sum {
	sign := big.NewRat(int64(rises), 1)
	return e.scale(sign, e.maximum(c, mapped(set, func(x sum) sum { return e.scale(sign, f(x)) })))
}

// sharedFactors returns what is at least 0 and a factor of every summand of every member.
func (e *engine) sharedFactors(set sum) []factor {
	var all sum
	for _, t := range set {
		all = append(all, eachSummand(t.value, func(s *summand) { s.vars = concat(t.vars, s.vars) })...)
	}
	var by []factor
	for _, f := range commonFactors(all) {
		if slices.ContainsFunc(all, func(s *summand) bool {
			return !slices.ContainsFunc(s.factors, func(g factor) bool { return g.a == f.a && g.exp*f.exp > 0 })
		}) {
			continue
		}
		if e.sign(f.a) == anySign {
			f.exp -= f.exp % 2
		}
		if f.exp != 0 {
			by = append(by, f)
		}
	}
	return by
}

// beaten returns a member that another one, which is surely there, is never less than; or -1.
func (e *engine) beaten(c *Context, set sum) int {
	if len(set) > maxRivals {
		return -1
	}
	return slices.IndexFunc(set, func(u *summand) bool {
		return slices.ContainsFunc(set, func(v *summand) bool {
			if u == v || !e.there(v) {
				return false
			}
			above := concat(e.rename(c, v).value, e.scale(minusOne, u.value))
			return e.signOfSum(e.tidy(c, above)) != anySign
		})
	})
}

// topExp takes a maximum of n + r·exp(a), with the same numbers n and r, inside: exp rises. A number is
// such with a = 0.
func (e *engine) topExp(c *Context, set sum) (sum, bool) {
	var n, r *big.Rat
	for _, t := range set {
		m, s := affine(t.value)
		switch {
		case m == nil:
			return nil, false
		case s == nil:
			continue
		case r != nil && (m.Cmp(n) != 0 || s.coef.Cmp(r) != 0),
			slices.ContainsFunc(s.factors, func(f factor) bool { return f.a.kind != applyAtom || f.a.name != "exp" }):
			return nil, false
		}
		n, r = m, s.coef
	}
	if r == nil || slices.ContainsFunc(set, func(t *summand) bool {
		m := plain(t.value)
		return m != nil && m.Cmp(new(big.Rat).Add(n, r)) != 0
	}) {
		return nil, false
	}
	top := e.monotone(c, set, r.Sign(), func(x sum) (arg sum) {
		if _, s := affine(x); s != nil {
			for _, f := range s.factors {
				arg = append(arg, e.scale(big.NewRat(int64(f.exp), 1), e.open(f.a.polys[0]))...)
			}
		}
		return arg
	})
	return concat(constant(n), e.scale(r, e.exp(c, top))), true
}

// affine takes x apart into a number and one other summand, nil where there is none; the number is nil
// where x is more.
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

// A fraction is n + k/p with p > 0.
type fraction struct {
	n, k *big.Rat
	p    sum
}

// topFraction takes a maximum of fractions with the same n and k inside: n + k/p rises with p where k < 0.
func (e *engine) topFraction(c *Context, set sum) (sum, bool) {
	var all *fraction
	for _, t := range set {
		if plain(t.value) != nil {
			continue
		}
		f := e.fractionOf(c, t.value)
		if f == nil || all != nil && (all.n.Cmp(f.n) != 0 || all.k.Cmp(f.k) != 0) {
			return nil, false
		}
		all = f
	}
	if all == nil {
		return nil, false
	}
	for _, t := range set {
		r := plain(t.value)
		if r != nil && new(big.Rat).Sub(r, all.n).Sign() != all.k.Sign() {
			return nil, false
		}
	}
	p := e.monotone(c, set, -all.k.Sign(), func(x sum) sum {
		if r := plain(x); r != nil {
			d := new(big.Rat).Sub(r, all.n)
			return constant(d.Quo(all.k, d))
		}
		return e.fractionOf(c, x).p
	})
	return concat(constant(all.n), e.scale(all.k, e.invert(c, p))), true
}

// fractionOf reads x as a fraction, or returns nil. Where p is a number a and another summand s, r·s/p is
// r/q - (r·a/q)/p, q being the coefficient of s, and a k > 0 is made negative: k/p is k/a - (k/a)/(1 + a/s).
func (e *engine) fractionOf(c *Context, x sum) *fraction {
	n, s := affine(x)
	if s == nil {
		return nil
	}
	i := slices.IndexFunc(s.factors, func(g factor) bool { return g.a.kind == powerAtom && g.exp == -1 })
	if i < 0 || e.sign(s.factors[i].a) != positive {
		return nil
	}
	f := &fraction{n: n, k: s.coef, p: e.open(s.factors[i].a.polys[0])}
	over := slices.Delete(slices.Clone(s.factors), i, i+1)
	var a *big.Rat
	var other *summand
	if len(f.p) == 2 {
		for j, t := range f.p {
			r := (sum{f.p[1-j]}).number()
			if r != nil && r.Sign() > 0 && t.alone() && t.coef.Sign() > 0 && len(t.factors) > 0 {
				a, other = r, t
			}
		}
	}
	if len(over) > 0 {
		if other == nil || !slices.Equal(over, other.factors) {
			return nil
		}
		share := new(big.Rat).Quo(f.k, other.coef)
		f.n = new(big.Rat).Add(f.n, share)
		f.k = new(big.Rat).Neg(new(big.Rat).Mul(share, a))
	}
	if f.k.Sign() > 0 && other != nil {
		share := new(big.Rat).Quo(f.k, a)
		f.n, f.k = new(big.Rat).Add(f.n, share), new(big.Rat).Neg(share)
		f.p = concat(constant(one), e.scale(a, e.invert(c, sum{other})))
	}
	return f
}

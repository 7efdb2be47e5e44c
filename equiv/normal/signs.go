package normal

import (
	"math/big"
	"slices"

	"tv/semantics/index"
	"tv/semantics/term"
)

// Laws of maxima that rest on signs. terms are surely not none and none of them is MIN, which [Engine.maximum] sees to.

// maxDominated bounds the terms of a maximum that are held against each other.
const maxDominated = 6

// bySigns rewrites a maximum by the first of the laws below that applies. ok is false where none does.
func (e *Engine) bySigns(ctx *index.Context, terms sum) (out sum, ok bool) {
	if len(terms) == 0 || len(terms) == 1 && len(terms[0].vars) == 0 {
		return nil, false
	}
	sure := false
	values := make([]sum, len(terms))
	for i, t := range terms {
		sure = sure || len(t.guards) == 0 && e.somewhere(t.vars)
		if e.mayBeLowest(t.value) {
			return nil, false
		}
		values[i] = e.tidy(ctx, t.value)
	}
	if !sure {
		return nil, false
	}
	with := func(f func(i int) sum) sum { // the maximum of other values over the same boxes
		inner := make(sum, len(terms))
		for i, t := range terms {
			inner[i] = termOf(f(i), t.vars, t.guards)
		}
		return e.maximum(ctx, "", inner)
	}
	if n, c, args := e.exps(values); c != nil {
		e.used |= UsedOrder | UsedExp
		sign := e.direction(c)
		arg := e.scale(sign, with(func(i int) sum { return e.scale(sign, args[i]) }))
		return append(e.constant(n), e.scale(c, e.exp(ctx, arg))...), true
	}
	if by := e.nonnegFactors(terms, values); len(by) > 0 {
		e.used |= UsedOrder
		rest := with(func(i int) sum { return divided(values[i], by) })
		return e.mul(ctx, sum{{coef: one, factors: by}}, rest), true
	}
	if kept := e.undominated(ctx, terms, values); len(kept) < len(terms) {
		e.used |= UsedOrder
		return e.maximum(ctx, "", kept), true
	}
	if k0, k, bases := e.fractions(ctx, values); k != nil {
		e.used |= UsedOrder | UsedField
		sign := e.direction(new(big.Rat).Neg(k)) // k/p falls with p where k is positive
		least := leastNumber(bases)              // of all: what is left may be exps
		base := e.scale(sign, with(func(i int) sum {
			return e.scale(sign, e.tidy(ctx, e.add(bases[i], e.constant(new(big.Rat).Neg(least)))))
		}))
		return append(e.constant(k0), e.scale(k, e.invert(ctx, e.add(base, e.constant(least))))...), true
	}
	return nil, false
}

// direction returns 1 where c times what rises rises, else -1.
func (e *Engine) direction(c *big.Rat) *big.Rat {
	return big.NewRat(int64(c.Sign()), 1)
}

// nonnegFactors returns the factors, none of them less than 0, that all summands of all values share and that hold no
// variable bound there: max(f·x, f·y) = f·max(x, y). A value of 0 shares all.
func (e *Engine) nonnegFactors(terms sum, values []sum) []factor {
	var all sum
	for i, x := range values {
		for _, s := range x {
			all = append(all, &summand{vars: appendTo(terms[i].vars, s.vars), factors: s.factors})
		}
	}
	if len(all) == 0 {
		return nil
	}
	var by []factor
	for _, f := range commonFactors(all) {
		under := func(s *summand) bool {
			return slices.ContainsFunc(s.factors, func(g factor) bool { return g.atom == f.atom && g.exp < 0 })
		}
		switch {
		case f.exp < 0 && slices.ContainsFunc(all, func(s *summand) bool { return !under(s) }):
			continue // 1 - 2/p is not (p - 2)/p here
		case e.positive(f.atom) || e.nonneg(f.atom):
		case f.exp%2 == 0:
		case f.exp > 1:
			f.exp--
		case f.exp < -1:
			f.exp++
		default:
			continue
		}
		by = append(by, f)
	}
	return by
}

// divided returns x without factors that all summands have.
func divided(x sum, by []factor) sum {
	out := make(sum, len(x))
	for i, s := range x {
		t := *s
		t.factors = mergeFactors(s.factors, negated(by))
		out[i] = &t
	}
	return out
}

// undominated returns terms without those that another one, which is surely there, is never less than.
func (e *Engine) undominated(ctx *index.Context, terms sum, values []sum) (kept sum) {
	if len(terms) > maxDominated {
		return terms
	}
	gone := make([]bool, len(terms))
	for i, u := range terms {
		for j, v := range terms {
			if i == j || gone[j] || len(v.guards) > 0 || !e.somewhere(v.vars) || clash(u, v) {
				continue
			}
			if gone[i] = e.notLess(ctx, values[j], values[i]); gone[i] {
				break
			}
		}
		if !gone[i] {
			kept = append(kept, u)
		}
	}
	return kept
}

// notLess reports whether x is surely at least y, whatever their variables are. Sums over boxes are looked at as they are, against 0 alone: to close their difference would cost as much as the sums did.
func (e *Engine) notLess(ctx *index.Context, x, y sum) bool {
	if len(y) == 0 {
		return e.nonnegSum(x)
	}
	above := append(append(sum(nil), x...), e.scale(big.NewRat(-1, 1), y)...)
	return len(above) <= maxDominated && !slices.ContainsFunc(above, func(s *summand) bool {
		return len(s.vars)+len(s.guards) > 0
	}) && e.nonnegSum(e.tidy(ctx, above))
}

// exps reads values as n + c·exp(a), with numbers n and c for all, and returns the arguments a: exp rises. c is nil where
// they are not such.
func (e *Engine) exps(values []sum) (n, c *big.Rat, args []sum) {
	args = make([]sum, len(values))
	for i, x := range values {
		m, s, ok := numberAndOne(x)
		if !ok || s != nil && c != nil && (m.Cmp(n) != 0 || s.coef.Cmp(c) != 0) {
			return nil, nil, nil
		}
		if s == nil {
			continue
		}
		n, c = m, s.coef
		for _, f := range s.factors {
			if f.atom.kind != applyAtom || f.atom.name != term.Exp {
				return nil, nil, nil
			}
			args[i] = append(args[i], e.scale(big.NewRat(int64(f.exp), 1), e.open(f.atom.polys[0]))...)
		}
	}
	for _, x := range values { // a number is such with exp(0)
		if m := bareNumber(x); c != nil && m != nil && new(big.Rat).Sub(m, n).Cmp(c) != 0 {
			return nil, nil, nil
		}
	}
	return n, c, args
}

// numberAndOne takes x apart into a number, which may be 0, and a plain summand, nil where x is a number.
func numberAndOne(x sum) (n *big.Rat, s *summand, ok bool) {
	n = new(big.Rat)
	for _, t := range x {
		switch {
		case bareNumber(sum{t}) != nil:
			n = t.coef
		case s != nil || len(t.vars)+len(t.guards) > 0:
			return nil, nil, false
		default:
			s = t
		}
	}
	return n, s, true
}

// fractions reads values as k0 + k/p, with numbers k0 and k for all and each p positive, and returns the p: sigmoids and
// tanhs are such. A number is one with a p that is a number.
func (e *Engine) fractions(ctx *index.Context, values []sum) (k0, k *big.Rat, bases []sum) {
	bases = make([]sum, len(values))
	for i, x := range values {
		if bareNumber(x) != nil {
			continue
		}
		a, b, p := e.fraction(ctx, x)
		if p == nil || k != nil && (a.Cmp(k0) != 0 || b.Cmp(k) != 0) {
			return nil, nil, nil
		}
		k0, k, bases[i] = a, b, p
	}
	if k == nil {
		return nil, nil, nil
	}
	for i, x := range values {
		if n := bareNumber(x); n != nil {
			p := new(big.Rat).Sub(n, k0)
			if p.Sign() != k.Sign() { // no p > 0 makes it that
				return nil, nil, nil
			}
			bases[i] = e.constant(p.Quo(k, p))
		}
	}
	return k0, k, bases
}

// fraction reads x as k0 + k/p with p > 0, and with k < 0 where p is a number and one other summand s that is surely
// positive: then k/(a + s) is k/a - (k/a)/(1 + a/s). Where s may be 0, as a square or relu may, there is no a/s, and k
// stays as it is. p is nil where x is no fraction.
func (e *Engine) fraction(ctx *index.Context, x sum) (k0, k *big.Rat, p sum) {
	k0, s, ok := numberAndOne(x)
	if !ok || s == nil {
		return nil, nil, nil
	}
	var base *Poly
	var over []factor
	for _, f := range s.factors {
		if base == nil && f.atom.kind == powerAtom && f.exp == -1 {
			base = f.atom.polys[0]
		} else {
			over = append(over, f)
		}
	}
	if base == nil || !e.positivePoly(base) {
		return nil, nil, nil
	}
	p, k = e.open(base), s.coef
	a, other := numberAndOther(p)
	if len(over) > 0 { // c·s/(a + r·s) = c/r - (c·a/r)/(a + r·s)
		if other == nil || len(mergeFactors(over, negated(other.factors))) > 0 {
			return nil, nil, nil
		}
		share := new(big.Rat).Quo(k, other.coef)
		k0, k = new(big.Rat).Add(k0, share), share.Neg(share.Mul(share, a))
	}
	if k.Sign() > 0 && other != nil && e.positiveSum(sum{other}) {
		share := new(big.Rat).Quo(k, a)
		k0, k = new(big.Rat).Add(k0, share), new(big.Rat).Neg(share)
		p = append(e.constant(one), e.scale(a, e.invert(ctx, sum{other}))...)
	}
	return k0, k, p
}

// numberAndOther returns the summands of x where it is a positive number and one other summand, plain and with a
// positive coefficient; else other is nil.
func numberAndOther(x sum) (a *big.Rat, other *summand) {
	if len(x) != 2 {
		return nil, nil
	}
	for i, s := range x {
		t := x[1-i]
		if n := bareNumber(sum{s}); n != nil && n.Sign() > 0 && t.coef.Sign() > 0 && len(t.vars)+len(t.guards) == 0 {
			return n, t
		}
	}
	return nil, nil
}

// leastNumber returns the least number that is a summand of values, 0 where one has none.
func leastNumber(values []sum) (least *big.Rat) {
	for _, x := range values {
		n := new(big.Rat)
		for _, s := range x {
			if c := bareNumber(sum{s}); c != nil {
				n = c
			}
		}
		if least == nil || n.Cmp(least) < 0 {
			least = n
		}
	}
	return least
}

// bareNumber returns the number that x is, or nil.
func bareNumber(x sum) *big.Rat {
	switch {
	case len(x) == 0:
		return new(big.Rat)
	case len(x) == 1 && len(x[0].vars)+len(x[0].guards)+len(x[0].factors) == 0:
		return x[0].coef
	}
	return nil
}

package algebra

import (
	"math/big"
	"slices"
	"strings"
)

// maxParted bounds the maxima in one product that are taken apart.
const maxParted = 4

// parted states each maximum of two numbers in a difference by the positive part of a number:
// max(a, b) = b + max(0, a - b), with the one of a - b and b - a whose first coefficient is over 0.
func (e *engine) parted(c *Context, diff *poly) *poly {
	var out sum
	var add func(s *summand, depth int)
	add = func(s *summand, depth int) {
		rest, by := e.upper(c, s)
		if by == nil || depth == 0 {
			out = append(out, s)
			return
		}
		for _, t := range e.mul(c, rest, by) {
			u := *t
			u.vars, u.guards = concat(s.vars, t.vars), concat(s.guards, t.guards)
			add(&u, depth-1)
		}
	}
	for _, s := range e.open(diff) {
		add(s, maxParted)
	}
	return e.closeSum(c, out)
}

// positive is the greater one of 0 and x.
func (e *engine) positive(c *Context, x sum) sum {
	return e.maximum(c, "", sum{memberOf(nil, nil, nil), memberOf(x, nil, nil)})
}

// upper takes a factor out of a summand that positive parts state: a maximum of two numbers, or
// [0 < x] beside a product x of real numbers, which together are max(0, x).
func (e *engine) upper(c *Context, s *summand) (rest, by sum) {
	for k, f := range s.factors {
		others := *s
		others.vars, others.guards = nil, nil
		others.factors = slices.Delete(slices.Clone(s.factors), k, k+1)
		if top, bottom, ok := e.two(c, f); ok {
			above := e.tidy(c, concat(top, e.scale(minusOne, bottom)))
			return sum{&others}, concat(bottom, e.positive(c, above))
		}
		if f.exp != 1 || f.a.kind != applyAtom || f.a.name != holdsName {
			continue
		}
		test := e.open(f.a.polys[0]).sole()
		if test == nil || test.kind != applyAtom || test.name != above0 {
			continue
		}
		x := e.open(test.polys[0])
		if len(x) != 1 || !x[0].alone() || e.mayBeLowest(x) {
			continue
		}
		if q, ok := dividedBy(sum{&others}, x[0]); ok {
			return q, e.positive(c, x)
		}
	}
	return nil, nil
}

// two are the members of a maximum of two numbers, a and b with a - b having a first coefficient
// above 0, unless b is 0.
func (e *engine) two(c *Context, f factor) (a, b sum, ok bool) {
	if f.exp != 1 || f.a.kind != maxAtom || f.a.name != "" {
		return nil, nil, false
	}
	set := e.open(f.a.polys[0])
	if len(set) != 2 || slices.ContainsFunc(set, func(t *summand) bool {
		return !t.alone() || e.mayBeLowest(t.value)
	}) {
		return nil, nil, false
	}
	a, b = set[0].value, set[1].value
	above := e.tidy(c, concat(a, e.scale(minusOne, b)))
	if len(above) > 0 && above[0].coef.Sign() < 0 {
		a, b = b, a
	}
	return a, b, len(above) > 0 && len(b) > 0
}

// inProportion is c ? x : y for a comparison of real numbers v < w where x - y = q·(w - v): it is
// y + q·max(0, w - v). Here q is a number, or w - v one product that x - y is divided by.
func (e *engine) inProportion(c *Context, cond *Scalar, apart, y sum) (out sum, ok bool) {
	kind, _, _ := strings.Cut(cond.Name, " of ")
	if cond.Op != OpFunction || kind != Less || !e.reals(cond.Args[0].Elem) {
		return nil, false
	}
	v, w := e.normal(c, cond.Args[0]), e.normal(c, cond.Args[1])
	if e.mayBeLowest(v) || e.mayBeLowest(w) {
		return nil, false
	}
	ahead := e.tidy(c, concat(w, e.scale(minusOne, v)))
	if len(ahead) == 1 && ahead[0].alone() {
		q, ok := dividedBy(apart, ahead[0])
		return concat(y, e.mul(c, q, e.positive(c, ahead))), ok
	}
	if len(ahead) != len(apart) {
		return nil, false
	}
	for _, s := range apart {
		r := new(big.Rat).Quo(s.coef, ahead[0].coef)
		left := concat(apart, e.scale(new(big.Rat).Neg(r), ahead))
		if len(e.closeSum(c, left).parts) == 0 {
			return concat(y, e.scale(r, e.positive(c, ahead))), true
		}
	}
	return nil, false
}

// dividedBy has each summand without the factors of a product, which all have to have.
func dividedBy(x sum, by *summand) (out sum, ok bool) {
	for _, s := range x {
		q := *s
		q.coef, q.factors = new(big.Rat).Quo(s.coef, by.coef), slices.Clone(s.factors)
		for _, f := range by.factors {
			k := slices.IndexFunc(q.factors, func(g factor) bool { return g.a == f.a })
			if k < 0 || f.exp < 1 || q.factors[k].exp < f.exp {
				return nil, false
			}
			if q.factors[k].exp -= f.exp; q.factors[k].exp == 0 {
				q.factors = slices.Delete(q.factors, k, k+1)
			}
		}
		out = append(out, &q)
	}
	return out, true
}

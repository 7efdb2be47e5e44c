package normal

import (
	"math/big"
	"slices"
	"strings"

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
			inner, by := e.positivePart(ctx, s)
			if by == nil {
				inner, by = e.chosenPart(ctx, s)
			}
			if by == nil {
				next = append(next, s)
				continue
			}
			again, changed = true, true
			for _, t := range e.mul(ctx, inner, by) {
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

// lone is a summand without variables, conditions and factor k.
func (s *summand) lone(k int) *summand {
	inner := *s
	inner.vars, inner.guards = nil, nil
	inner.factors = slices.Delete(slices.Clone(s.factors), k, k+1)
	return &inner
}

// positivePart takes the maximum of two numbers out of a summand, and says what it is by a positive part; nil where there is
// none.
func (e *Engine) positivePart(ctx *index.Context, s *summand) (rest, by sum) {
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
			return sum{s.lone(k)}, e.add(b, e.upper(ctx, d))
		}
	}
	return nil, nil
}

// upper is the greater one of 0 and x.
func (e *Engine) upper(ctx *index.Context, x sum) sum {
	return e.maximum(ctx, "", sum{termOf(nil, nil, nil), termOf(x, nil, nil)})
}

// chosenPart takes [t <= 0] and t out of a summand, whose product is -max(0, -t), or [0 <= t] and t: max(0, t). Here t is one
// product.
func (e *Engine) chosenPart(ctx *index.Context, s *summand) (rest, by sum) {
	for k, f := range s.factors {
		if f.exp != 1 || !isIndicator(f.atom) {
			continue
		}
		test := soleAtom(e.open(f.atom.polys[0]))
		if test == nil || test.kind != applyAtom || len(test.polys) != 1 {
			continue
		}
		way := int64(0)
		for text, sign := range map[string]int64{"c.le 1:0 in ": -1, "c.le 0:0 in ": 1} {
			if strings.HasPrefix(test.name, text) {
				way = sign
			}
		}
		t := e.open(test.polys[0])
		if way == 0 || len(t) != 1 || mayBeLowest(t) {
			continue
		}
		if rest = over(sum{s.lone(k)}, t); rest != nil {
			sign := big.NewRat(way, 1)
			return rest, e.scale(sign, e.upper(ctx, e.scale(sign, t)))
		}
	}
	return nil, nil
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
	return e.add(y, e.mul(ctx, q, e.upper(ctx, t))), true
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

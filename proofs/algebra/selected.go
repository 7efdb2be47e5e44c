package algebra

import (
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// holds is the name of the function of a condition that is 1 where it holds, and else 0.
const holdsName = "holds"

func indicates(a *atom) bool {
	name, _, _ := strings.Cut(a.name, " of ")
	return a.kind == applyAtom && name == holdsName
}

// maxSelected bounds the summands in which the operands of a choice differ.
const maxSelected = 8

// selected is a choice as a polynomial: the third operand, and the indicator of the condition times
// what the second differs by. Where that is long it stays a function.
func (e *engine) selected(c *Context, t *Scalar) (out sum, ok bool) {
	if t.Name != Chosen || !isInteger(t.Elem) && !e.reals(t.Elem) {
		return nil, false
	}
	x, y := e.normal(c, t.Args[1]), e.normal(c, t.Args[2])
	if e.mayBeLowest(x) || e.mayBeLowest(y) {
		return nil, false
	}
	ok = true
	out = e.piecewise(c, []sum{x, y}, func(c *Context, args []sum) sum {
		d := e.tidy(c, concat(args[0], e.scale(minusOne, args[1])))
		if ok = ok && len(d) <= maxSelected; !ok {
			return nil
		}
		if y, ok := e.inProportion(c, t.Args[0], d, args[1]); ok && e.reals(t.Elem) {
			return y
		}
		if y, ok := e.ahead(c, t.Args[0], t.Elem, d, args[1]); ok {
			return y
		}
		by := e.mul(c, e.indicator(c, t.Elem, t.Args[0]), d)
		return concat(args[1], e.vanishing(c, t.Args[0], by))
	})
	return out, ok
}

// ahead is law (M1): c ? x : y for a comparison v < w of integers of the type of x and y where
// x - y, d, is w - v, or v - w: it is y + (max(v, w) - v), or y - (max(v, w) - v).
func (e *engine) ahead(c *Context, cond *Scalar, elem domain.Elem, d, y sum) (out sum, ok bool) {
	kind, _, _ := strings.Cut(cond.Name, " of ")
	if cond.Op != OpFunction || kind != Less || !isInteger(elem) || cond.Args[0].Elem != elem {
		return nil, false
	}
	v, w := e.normal(c, cond.Args[0]), e.normal(c, cond.Args[1])
	if e.mayBeLowest(v) || e.mayBeLowest(w) {
		return nil, false
	}
	for _, sign := range []*big.Rat{one, minusOne} {
		ahead := func(w sum) sum { return e.scale(sign, concat(w, e.scale(minusOne, v))) }
		if left := concat(d, e.scale(minusOne, ahead(w))); len(e.closeSum(c, left).parts) == 0 {
			return concat(y, ahead(e.greatest(c, e.scope(elem), v, w))), true
		}
	}
	return nil, false
}

// vanishing leaves out of a product with the indicator of x = 0 what has x for a factor.
func (e *engine) vanishing(c *Context, cond *Scalar, product sum) sum {
	kind, _, _ := strings.Cut(cond.Name, " of ")
	if cond.Op != OpFunction || kind != Equal || !isZero(cond.Args[1]) {
		return product
	}
	x := e.tidy(c, e.normal(c, cond.Args[0])).sole()
	if x == nil || x.kind == numberAtom { // which is one atom modulo anything
		return product
	}
	return slices.DeleteFunc(slices.Clone(product), func(s *summand) bool {
		return slices.ContainsFunc(s.factors, func(f factor) bool { return f.a == x && f.exp > 0 })
	})
}

// indicator is 1 where cond holds, and else 0.
func (e *engine) indicator(c *Context, elem domain.Elem, cond *Scalar) sum {
	switch {
	case isFunction(cond, Not):
		return concat(constant(one), e.scale(minusOne, e.indicator(c, elem, cond.Args[0])))
	case isFunction(cond, Both):
		out := constant(one)
		for _, x := range cond.Args {
			out = e.mul(c, out, e.indicator(c, elem, x))
		}
		return out
	}
	return e.apply(c, e.of(holdsName, elem), e.normal(c, cond))
}

// onceEach has each indicator once in a product: it is 0 or 1.
func onceEach(factors []factor) []factor {
	for k, f := range factors {
		if f.exp > 1 && indicates(f.a) {
			factors = slices.Clone(factors)
			factors[k].exp = 1
		}
	}
	return factors
}

// rightShift is x >> by. (y >> j) >> k is y >> (j + k): rounding down twice is rounding down once.
func (e *engine) rightShift(c *Context, elem domain.Elem, by int, x sum) sum {
	name := func(k int) string {
		return e.of("right-shift "+Formatted(e.Const(int64(k))), elem)
	}
	return e.piecewise(c, []sum{x}, func(c *Context, args []sum) sum {
		y := e.tidy(c, args[0]).sole()
		for j := 1; y != nil && y.kind == applyAtom && j+by < elem.Width; j++ {
			if y.name == name(j) {
				return ofAtom(e.atom(atom{kind: applyAtom, name: name(j + by), polys: y.polys}))
			}
		}
		return e.apply(c, name(by), args[0])
	})
}

// powers states x & (2^k - 1) as x - 2^k·(x >> k), and x / 2^k as x >> k where x is not below 0.
func (e *engine) powers(c *Context, t *Scalar) (out sum, ok bool) {
	kind, _, _ := strings.Cut(t.Name, " of ")
	if !isInteger(t.Elem) || kind != BitAnd && kind != Divided ||
		t.Args[1].Op != OpConst || t.Args[1].Val == nil {
		return nil, false
	}
	n := new(big.Int).Set(t.Args[1].Val.Num())
	if kind == BitAnd {
		n.Add(n, big.NewInt(1))
	}
	k := n.BitLen() - 1
	if k < 1 || k >= t.Elem.Width || n.Cmp(new(big.Int).Lsh(big.NewInt(1), uint(k))) != 0 {
		return nil, false
	}
	x := e.normal(c, t.Args[0])
	if kind == BitAnd {
		by := new(big.Rat).SetInt(n.Neg(n))
		return concat(x, e.scale(by, e.rightShift(c, t.Elem, k, x))), true
	}
	return e.piecewise(c, []sum{x}, func(c *Context, args []sum) sum {
		if lo, _ := e.bounds(e.closeSum(c, args[0]), t.Elem); lo.Sign() >= 0 {
			return e.rightShift(c, t.Elem, k, args[0])
		}
		return e.apply(c, t.Name, args[0], constant(t.Args[1].Val))
	}), true
}

package algebra

import (
	"math/big"
	"slices"

	"tv/semantics/domain"
)

func isInteger(t domain.Elem) bool {
	return t.Kind == domain.ElemInt || t.Kind == domain.ElemUint
}

// convert states a conversion by the laws of doc/semantics.md 9.1: to integers of no more bits it
// is that of the factors; to more bits, and to real numbers, where the sum does not wrap.
func (e *engine) convert(c *Context, from, to domain.Elem, x sum) sum {
	if from == to {
		return x
	}
	fewer := isInteger(to) && to.Width <= from.Width
	if !isInteger(from) || !isInteger(to) && !IsReal(to) {
		return e.conversion(c, from, to, x)
	}
	if !fewer && x.sole() == nil {
		lo, hi := e.unwrappedEnds(x, from)
		least, most := typeEnds(from)
		if lo == nil || lo.Cmp(least) < 0 || hi.Cmp(most) > 0 {
			return e.conversion(c, from, to, x)
		}
	}
	var out sum
	for _, s := range x {
		t := *s
		t.factors = nil
		out = concat(out, e.factorwise(c, s.factors, &t, func(*atom) bool { return true },
			func(a *atom) sum { return e.convertAtom(c, from, to, fewer, a) }))
	}
	return out
}

// convertAtom converts an atom. Sizes are counted modulo anything. What was converted before is
// converted at once, if that changed no number or the rest of it is taken modulo less. Of real
// numbers the greatest is that of the greatest integer.
func (e *engine) convertAtom(c *Context, from, to domain.Elem, fewer bool, a *atom) sum {
	before, converted := e.conversions[a.name]
	converted = converted && a.kind == applyAtom
	if converted && !fewer {
		converted = e.keeps(a.polys[0], before)
	}
	switch {
	case fewer && a.kind == numberAtom, IsReal(to) && a.kind == numberAtom && e.inType(c, a, from):
		return ofAtom(a)
	case indicates(a):
		return ofAtom(e.atom(atom{kind: applyAtom, name: e.of(holdsName, to), polys: a.polys}))
	case converted:
		return e.convert(c, before[0], to, e.open(a.polys[0]))
	case IsReal(to) && a.kind == maxAtom && slices.ContainsFunc(e.open(a.polys[0]), e.there):
		return e.maximum(c, "", mapped(e.open(a.polys[0]), func(x sum) sum {
			return e.convert(c, from, to, x)
		}))
	}
	return e.conversion(c, from, to, ofAtom(a))
}

// inType reports whether an integer of sizes and indices is surely one of a type.
func (e *engine) inType(c *Context, a *atom, t domain.Elem) bool {
	lo, hi := typeEnds(t)
	x := a.number.expr
	return e.Nonneg(c, e.Sub(x, e.Num(BigNum(lo)))) && e.Nonneg(c, e.Sub(e.Num(BigNum(hi)), x))
}

// there reports whether a member of a maximum surely is.
func (e *engine) there(t *summand) bool { return len(t.guards) == 0 && e.some(e.Root, t.vars) }

// conversion keeps a conversion as a function.
func (e *engine) conversion(c *Context, from, to domain.Elem, x sum) sum {
	name := "convert " + from.String() + " to " + to.String()
	if isInteger(from) && isInteger(to) {
		e.conversions[name] = [2]domain.Elem{from, to}
	}
	return e.apply(c, name, x)
}

// keeps reports whether a conversion between integers changes no number that p can be.
func (e *engine) keeps(p *poly, conv [2]domain.Elem) bool {
	lo, hi := e.bounds(p, conv[0])
	least, most := typeEnds(conv[1])
	return lo.Cmp(least) >= 0 && hi.Cmp(most) <= 0
}

// unwrappedEnds returns numbers between which the integer lies that x is before it is taken modulo
// anything, its atoms being numbers of a type; nil where there are none.
func (e *engine) unwrappedEnds(x sum, t domain.Elem) (lo, hi *big.Int) {
	lo, hi = new(big.Int), new(big.Int)
	for _, s := range x {
		if s.member || !s.coef.IsInt() {
			return nil, nil
		}
		ends := [][2]*big.Int{{s.coef.Num(), s.coef.Num()}}
		for _, f := range s.factors {
			if f.exp < 0 || f.a.kind == numberAtom || f.a.kind == lowestAtom {
				return nil, nil
			}
			l, h := e.bounds(e.closeSum(e.Root, ofAtom(f.a)), t)
			ends = append(ends, slices.Repeat([][2]*big.Int{{l, h}}, f.exp)...)
		}
		for _, v := range s.vars {
			n, ok := e.Sub(v.Hi, v.Lo).Const()
			if !ok {
				return nil, nil
			}
			ends = append(ends, [2]*big.Int{new(big.Int), extreme(1, n.Big(), new(big.Int))})
		}
		if !s.alone() { // it counts as often as it likes, up to so many times
			ends = append(ends, [2]*big.Int{new(big.Int), big.NewInt(1)})
		}
		l, h := productEnds(ends)
		lo, hi = new(big.Int).Add(lo, l), new(big.Int).Add(hi, h)
	}
	return lo, hi
}

// productEnds returns the ends of the products of numbers, one between each two ends.
func productEnds(ends [][2]*big.Int) (lo, hi *big.Int) {
	lo, hi = big.NewInt(1), big.NewInt(1)
	for _, x := range ends {
		corners := []*big.Int{new(big.Int).Mul(lo, x[0]), new(big.Int).Mul(lo, x[1]),
			new(big.Int).Mul(hi, x[0]), new(big.Int).Mul(hi, x[1])}
		lo, hi = slices.MinFunc(corners, (*big.Int).Cmp), slices.MaxFunc(corners, (*big.Int).Cmp)
	}
	return lo, hi
}

package algebra

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// What readings state alike of elements: conditions on them, choices by these, integers among them,
// conversions. Laws that hold in a type alone are applied by the sorts of operands.

func isFunction(x *Scalar, name string) bool { return x.Op == OpFunction && x.Name == name }

// Not is whether x does not hold.
func (l *State) Not(x *Scalar) *Scalar {
	if isFunction(x, Not) {
		return x.Args[0]
	}
	return l.Function(Truth, Not, x)
}

// Both is whether all that x and y are whether of hold.
func (l *State) Both(x, y *Scalar) *Scalar {
	surely(y)
	var all []*Scalar
	for _, z := range []*Scalar{x, y} {
		list := []*Scalar{z}
		if isFunction(z, Both) {
			list = z.Args
		}
		for _, c := range list {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return l.Function(Truth, Both, all...)
}

// surely refuses what may have no value, and does not count where it is not asked for.
func surely(x *Scalar) {
	if x.Partial() {
		Fail(CodeUnsupported, "an element that may have no value, where data does not ask for it")
	}
}

// Chosen is x where c holds, and else y.
func (l *State) Chosen(c, x, y *Scalar) *Scalar {
	if isFunction(c, Not) {
		return l.Chosen(c.Args[0], y, x)
	}
	x, y = l.under(c, true, x, map[*Scalar]*Scalar{}), l.under(c, false, y, map[*Scalar]*Scalar{})
	if v := l.ordered(c, x, y); v != nil {
		return v
	}
	if !askedBy(c, x) || !askedBy(c, y) {
		Fail(CodeUnsupported, "an element that may have no value, where data does not ask for it")
	}
	switch {
	case isFunction(x, Chosen) && x.Args[2] == y: // in a branch it has a value
		return l.Chosen(l.Both(c, x.Args[0]), x.Args[1], y)
	case isFunction(x, Chosen) && x.Args[1] == y:
		return l.Chosen(l.Both(c, l.Not(x.Args[0])), x.Args[2], y)
	case isFunction(y, Chosen) && y.Args[1] == x:
		return l.Chosen(l.Both(l.Not(c), l.Not(y.Args[0])), y.Args[2], x)
	case isFunction(y, Chosen) && y.Args[2] == x:
		return l.Chosen(l.Both(l.Not(c), y.Args[0]), y.Args[1], x)
	}
	return l.Function(x.Elem, Chosen, c, x, y)
}

// askedBy reports whether x has a value where the condition c has one: it has one anywhere, or is
// an operand of c, of its operands and so on, or adds or multiplies such. What is folded, or is
// guarded by sizes, c does not ask for everywhere.
func askedBy(c, x *Scalar) bool {
	if !x.Partial() {
		return true
	}
	list, seen := []*Scalar{c}, map[*Scalar]bool{}
	for len(list) > 0 {
		y := list[0]
		if list = list[1:]; y == x {
			return true
		}
		inside := y.Op == OpReduce || y.Op == OpIf || y.Op == OpGather
		if !seen[y] && !inside {
			list = append(list, y.Args...)
		}
		seen[y] = true
	}
	return (x.Op == OpAdd || x.Op == OpMul) &&
		!slices.ContainsFunc(x.Args, func(a *Scalar) bool { return !askedBy(c, a) })
}

// ordered is the greater or lesser one of x and y if c chooses that, of integers or real numbers: c
// asks for both as well. It may compare them as they were before they were made wider. Of a real
// number x and -x one is the greater one as x is above 0 or not.
func (l *State) ordered(c, x, y *Scalar) *Scalar {
	less, _, _ := strings.Cut(c.Name, " of ")
	if c.Op != OpFunction || less != Less ||
		!IsReal(x.Elem) && !isInteger(x.Elem) {
		return nil
	}
	is := func(x, v *Scalar) bool { return x == v || l.Kept(x, v.Elem) == v }
	switch v, w := c.Args[0], c.Args[1]; {
	case is(x, v) && is(y, w):
		return l.Op2(OpMin, x, y)
	case is(y, v) && is(x, w):
		return l.Greatest(x, y)
	case is(x, v) && between(y, OpMax, x, func(z *Scalar) bool { return is(z, w) }),
		is(y, w) && between(x, OpMax, y, func(z *Scalar) bool { return is(z, v) }):
		return l.Op2(OpMin, x, y)
	case is(x, w) && between(y, OpMin, x, func(z *Scalar) bool { return is(z, v) }),
		is(y, v) && between(x, OpMin, y, func(z *Scalar) bool { return is(z, w) }):
		return l.Greatest(x, y)
	case !IsReal(x.Elem) && x.Elem.Kind != domain.ElemInt || x != l.Neg(y) && y != l.Neg(x):
	case isZero(w) && v == y, isZero(v) && w == x: // v < 0 ? -v : v, and 0 < w ? w : -w
		return l.Op2(OpMax, x, y)
	case isZero(w) && v == x, isZero(v) && w == y:
		return l.Op2(OpMin, x, y)
	}
	return nil
}

// between reports whether x is the maximum of what may be meant and of a number that is no greater
// than n, or the minimum and no less: where that is beyond n, x is, and else x is on this side.
func between(x *Scalar, op Op, n *Scalar, meant func(*Scalar) bool) bool {
	if x.Op != op || n.Op != OpConst || n.Val == nil {
		return false
	}
	for k, m := range x.Args {
		if m.Op != OpConst || m.Val == nil || !meant(x.Args[1-k]) {
			continue
		}
		if side := m.Val.Cmp(n.Val); side == 0 || (side < 0) == (op == OpMax) {
			return true
		}
	}
	return false
}

// Greatest is a maximum. Of a number and a minimum with one that is no less it is the minimum of
// that and a maximum: bounds of a number are one, in whatever order they are taken. The least
// integer of a type is MIN.
func (l *State) Greatest(x, y *Scalar) *Scalar {
	number := func(z *Scalar) bool { return z.Op == OpConst && z.Val != nil }
	for _, pair := range [][2]*Scalar{{x, y}, {y, x}} {
		n, least := pair[0], pair[1]
		if end, _ := typeEnds(n.Elem); n.Elem.Kind == domain.ElemInt && number(n) &&
			n.Val.Cmp(new(big.Rat).SetInt(end)) == 0 {
			return l.Op2(OpMax, l.Make(Scalar{Op: OpLowest, Elem: n.Elem}), least)
		}
		if least.Op != OpMin || !number(n) || !isInteger(n.Elem) && !IsReal(n.Elem) {
			continue
		}
		for k, m := range least.Args {
			if number(m) && n.Val.Cmp(m.Val) <= 0 {
				return l.Op2(OpMin, l.Op2(OpMax, least.Args[1-k], n), m)
			}
		}
	}
	return l.Op2(OpMax, x, y)
}

func isZero(x *Scalar) bool { return x.Op == OpConst && x.Val != nil && x.Val.Sign() == 0 }

// maxUnder bounds the terms of a branch in which choices are made that its condition has made.
const maxUnder = 1 << 10

// under is x where c holds, or does not: the same choice is made in it.
func (l *State) under(c *Scalar, holds bool, x *Scalar, done map[*Scalar]*Scalar) *Scalar {
	if known := done[x]; known != nil || len(done) >= maxUnder {
		return cmp.Or(known, x)
	}
	done[x] = x
	choice := isFunction(x, Chosen)
	switch {
	case choice && x.Args[0] == c && holds:
		done[x] = l.under(c, holds, x.Args[1], done)
	case choice && !holds && (x.Args[0] == c ||
		isFunction(x.Args[0], Both) && slices.Contains(x.Args[0].Args, c)):
		done[x] = l.under(c, holds, x.Args[2], done)
	case decidedBy(c, holds, x) != nil:
		done[x] = l.under(c, holds, decidedBy(c, holds, x), done)
	case x.Op != OpReduce && x.Op != OpIf && x.Op != OpGather:
		y := Scalar{Op: x.Op, Name: x.Name, Val: x.Val, E: x.E, Elem: x.Elem}
		for _, a := range x.Args {
			y.Args = append(y.Args, l.under(c, holds, a, done))
		}
		if changed := !slices.Equal(x.Args, y.Args); changed && choice {
			done[x] = l.Chosen(y.Args[0], y.Args[1], y.Args[2])
		} else if changed {
			done[x] = l.Make(y)
		}
	}
	return done[x]
}

// decidedBy is which operand a maximum or minimum is of the two that c compares, if x is one.
func decidedBy(c *Scalar, holds bool, x *Scalar) *Scalar {
	less, _, _ := strings.Cut(c.Name, " of ")
	if c.Op != OpFunction || less != Less || x.Op != OpMax && x.Op != OpMin || isFloat(x.Elem) {
		return nil
	}
	v, w := c.Args[0], c.Args[1]
	if (x.Args[0] != v || x.Args[1] != w) && (x.Args[0] != w || x.Args[1] != v) {
		return nil
	}
	if holds == (x.Op == OpMin) {
		return v
	}
	return w
}

// Kept is z as one of a type, if it was one and was made wider without a change, or a number.
func (l *State) Kept(z *Scalar, to domain.Elem) *Scalar {
	switch {
	case z.Op == OpConvert && z.Args[0].Elem == to && Wider(z.Elem, to):
		return z.Args[0]
	case z.Op == OpConst && z.Val != nil && Exact(to, z.Val) && Exact(z.Elem, z.Val):
		return l.Constant(to, z.Val)
	}
	return nil
}

// Test is a comparison, of what operands were before they were made wider. Where there is no NaN, x
// is at most y where y is not less.
func (l *State) Test(name string, x, y *Scalar) *Scalar {
	if name == AtMost && (IsReal(x.Elem) || isInteger(x.Elem)) {
		return l.Not(l.Test(Less, y, x))
	}
	for _, z := range []*Scalar{x, y} {
		if z.Op == OpConvert {
			v, w := l.Kept(x, z.Args[0].Elem), l.Kept(y, z.Args[0].Elem)
			if v != nil && w != nil {
				return l.Test(name, v, w)
			}
		}
	}
	return l.Function(Truth, name, x, y)
}

// Wider reports whether a type has all values of another, in their order.
func Wider(x, than domain.Elem) bool {
	switch {
	case x.Kind == domain.ElemFloat && than.Kind == domain.ElemFloat:
		return x.Width > than.Width
	case !isInteger(x) || !isInteger(than):
		return false
	case x.Kind == than.Kind:
		return x.Width > than.Width
	}
	return x.Kind == domain.ElemInt && x.Width > than.Width
}

// Exact reports whether a type surely has a number.
func Exact(elem domain.Elem, v *big.Rat) (ok bool) {
	switch n := v.Num(); {
	case elem.Kind == domain.ElemFloat && elem.Width == 32:
		_, ok = v.Float32()
	case elem.Kind == domain.ElemFloat && elem.Width == 64:
		_, ok = v.Float64()
	case elem.Kind == domain.ElemUint:
		ok = v.IsInt() && n.Sign() >= 0 && n.BitLen() <= elem.Width
	case elem.Kind == domain.ElemInt:
		ok = v.IsInt() && n.BitLen() < elem.Width
	}
	return ok
}

// Mirrored is x in an order that is turned round: -x, or, of integers that wrap, -1 - x.
func (l *State) Mirrored(x *Scalar) *Scalar {
	if IsReal(x.Elem) {
		if x.Op == OpNeg {
			return x.Args[0]
		}
		return l.Neg(x)
	}
	one := l.Int(x.Elem, 1)
	if x.Op == OpNeg && x.Args[0].Op == OpAdd && x.Args[0].Args[0] == one {
		return x.Args[0].Args[1]
	}
	return l.Neg(l.Op2(OpAdd, one, x))
}

// Number is an integer as an element.
func (l *State) Number(sort domain.Elem, e *Expr) *Scalar {
	if !IsReal(sort) && sort.Kind != domain.ElemInt && sort.Kind != domain.ElemUint {
		Fail(CodeUnsupported, "an integer that is rounded to %s", sort)
	}
	n, ok := e.Const()
	if v := n.Big(); ok && (IsReal(sort) || v.Sign() >= 0 && v.BitLen() < sort.Width) {
		return l.Constant(sort, new(big.Rat).SetInt(v))
	}
	return l.Make(Scalar{Op: OpNumber, E: e, Elem: sort})
}

// Convert converts an element: to what is no real number and no wrapping integer, refused.
func (l *State) Convert(from, to domain.Elem, x *Scalar) *Scalar {
	sort := l.Elem(to)
	switch {
	case from == to, IsReal(sort) && from.Kind == domain.ElemFloat &&
		to.Kind == domain.ElemFloat && (l.Arith != domain.Real || from.Width <= to.Width):
		return x
	case l.Arith == domain.Real, !isInteger(to) && to.Kind != domain.ElemFloat,
		!isInteger(from) && (from.Kind != domain.ElemFloat || to.Kind != domain.ElemFloat):
		Fail(CodeUnsupported, "a conversion from %s to %s", from, to)
	}
	return l.Make(Scalar{Op: OpConvert, Args: []*Scalar{x}, Elem: sort})
}

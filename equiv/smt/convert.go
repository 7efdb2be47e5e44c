package smt

import (
	"fmt"
	"math/big"

	"tv/semantics/term"
)

// --- numbers ---

// literal translates a constant. One that its sort does not hold is rounded to a float, and unsupported elsewhere.
func (x *translation) literal(t *term.Term, s sort) (*form, error) {
	q := x.q
	if t.Value == nil {
		if s.kind != 'f' {
			return nil, ErrUnsupported
		}
		bits := specialBits(s, t.Name)
		if bits == nil {
			return nil, ErrUnsupported
		}
		return q.float(s, bits), nil
	}
	switch s.kind {
	case 'r':
		return q.rational(t.Value), nil
	case 'f':
		return q.float(s, floatBits(s, t.Value)), nil
	}
	n, ok := encode(t.Sort, s.n, t.Value)
	if !ok || decode(t.Sort, s.n, n).Cmp(t.Value) != 0 {
		return nil, ErrUnsupported
	}
	return q.word(s.n, n), nil
}

// convertLiteral converts a number of the reals: floats round to nearest even, integers toward zero, fixed point
// down, to bool whether it is not 0. It is undefined outside the range, where a saturating sort has an end.
func (x *translation) convertLiteral(t, c *term.Term, s sort) (formed, error) {
	q := x.q
	yes := q.truth(true)
	switch {
	case c.Value == nil || s.kind == 'r':
		return formed{}, ErrUnsupported
	case s.kind == 'f':
		return formed{value: q.float(s, floatBits(s, c.Value)), defined: yes}, nil
	}
	n, ok := encode(t.Sort, s.n, c.Value)
	return formed{value: q.word(s.n, n), defined: q.truth(ok)}, nil
}

// encode returns the integer that stands for v in n bits, and whether v is within the range.
func encode(s term.Sort, n int, v *big.Rat) (*big.Int, bool) {
	k := new(big.Int)
	switch s.Kind {
	case term.Bool:
		return big.NewInt(int64(v.Num().CmpAbs(new(big.Int)))), true
	case term.Fixed:
		v = scale(v, s.Frac)
		k.Div(v.Num(), v.Denom()) // rounds down, as the divisor is positive
	default:
		k.Quo(v.Num(), v.Denom())
	}
	least, beyond := new(big.Int), power2(n)
	if isSigned(s) {
		beyond = power2(n - 1)
		least.Neg(beyond)
	}
	in := k.Cmp(least) >= 0 && k.Cmp(beyond) < 0
	if s.Kind == term.Saturate && !in {
		if k.Sign() < 0 {
			return least, true
		}
		return beyond.Sub(beyond, big.NewInt(1)), true
	}
	return k, in
}

// decode returns the number that n bits stand for.
func decode(s term.Sort, n int, bits *big.Int) *big.Rat {
	k := new(big.Int).Mod(bits, power2(n))
	if isSigned(s) && k.Bit(n-1) == 1 {
		k.Sub(k, power2(n))
	}
	if s.Kind == term.Fixed {
		return scale(new(big.Rat).SetInt(k), -s.Frac)
	}
	return new(big.Rat).SetInt(k)
}

// least returns the least finite number of a sort.
func (x *translation) least(t term.Sort, s sort) *form {
	switch {
	case s.kind == 'f': // the sign, the exponent before the last, all ones
		bits := new(big.Int).Sub(power2(s.bits()), big.NewInt(1))
		return x.q.float(s, bits.SetBit(bits, s.m-1, 0))
	case isSigned(t):
		return x.q.word(s.n, power2(s.n-1))
	}
	return x.q.int(s.n, 0)
}

// specialBits returns the bits of a float that is no rational number, nil for any other name.
func specialBits(s sort, name string) *big.Int {
	sign := power2(s.bits() - 1)
	inf := new(big.Int).Sub(power2(s.bits()-1), power2(s.m-1))
	switch name {
	case "-0":
		return sign
	case "inf":
		return inf
	case "-inf":
		return inf.Or(inf, sign)
	case "nan":
		return inf.Or(inf, power2(s.m-2))
	}
	return nil
}

// floatBits returns the bits of the float nearest to v, of two the even one; of those too large, of infinity.
func floatBits(s sort, v *big.Rat) *big.Int {
	if v.Sign() == 0 {
		return new(big.Int)
	}
	bias := 1<<(s.n-1) - 1
	abs := new(big.Rat).Abs(v)
	e := abs.Num().BitLen() - abs.Denom().BitLen() // 2^e <= |v| < 2^(e+1), once corrected
	if scale(big.NewRat(1, 1), e).Cmp(abs) > 0 {
		e--
	}
	e = max(e, 1-bias)
	units := scale(abs, s.m-1-e) // of the last place
	n, rest := new(big.Int).QuoRem(units.Num(), units.Denom(), new(big.Int))
	switch c := rest.Lsh(rest, 1).Cmp(units.Denom()); {
	case c > 0, c == 0 && n.Bit(0) == 1:
		n.Add(n, big.NewInt(1))
	}
	// Below 2^(m-1) units a number is subnormal. From there on the leading bit counts one exponent, and a carry
	// counts one more.
	bits := new(big.Int).Lsh(big.NewInt(int64(e+bias-1)), uint(s.m-1))
	bits.Add(bits, n)
	if inf := specialBits(s, "inf"); bits.Cmp(inf) > 0 {
		bits = inf
	}
	if v.Sign() < 0 {
		bits.SetBit(bits, s.bits()-1, 1)
	}
	return bits
}

// floatRat returns the number that the bits of a float are, nil where they are none.
func floatRat(s sort, bits *big.Int) *big.Rat {
	magnitude := new(big.Int).SetBit(bits, s.bits()-1, 0)
	e := int(new(big.Int).Rsh(magnitude, uint(s.m-1)).Int64())
	if e == 1<<s.n-1 {
		return nil
	}
	n := new(big.Int).And(magnitude, new(big.Int).Sub(power2(s.m-1), big.NewInt(1)))
	if e > 0 {
		n.SetBit(n, s.m-1, 1)
	}
	r := scale(new(big.Rat).SetInt(n), max(e, 1)-(1<<(s.n-1)-1)-(s.m-1))
	if bits.Bit(s.bits()-1) == 1 {
		r.Neg(r)
	}
	return r
}

// --- conversions ---

// convert translates a conversion between sorts, to nearest even where the result is a float, toward zero where
// it is an integer, down where it is in fixed point. From integers, and between fixed-point sorts, numbers outside
// the range wrap; from others they are undefined. To a saturating sort all clamp.
func (x *translation) convert(from, to term.Sort, s sort, a *form) (v, partial *form, err error) {
	q := x.q
	yes := q.truth(true)
	switch {
	case to.Kind == term.Real:
		return x.toReal(from, a)
	case from.Kind == term.Real:
		v, partial = x.fromReal(to, s, a)
		return v, partial, nil
	case to.Kind == term.Bool && from.Kind == term.Float:
		return q.ite(q.app(boolSort, "fp.isZero", a), q.int(1, 0), q.int(1, 1)), yes, nil
	case to.Kind == term.Bool:
		return q.ite(q.equal(a, q.int(a.sort.n, 0)), q.int(1, 0), q.int(1, 1)), yes, nil
	case from.Kind == term.Float && to.Kind == term.Float:
		return q.toFloat(s, a), yes, nil
	case from.Kind == term.Float:
		return x.fromFloat(to, s, a)
	case to.Kind == term.Float && from.Kind == term.Fixed:
		return q.toFloat(s, q.timesPower2(q.toFloat(wideFloat, a), -from.Frac)), yes, nil
	case to.Kind == term.Float:
		return q.toFloat(s, q.resize(a.sort.n+1, isSigned(from), a)), yes, nil
	}
	return x.betweenIntegers(from, to, s, a)
}

// toReal converts integers and fixed point: each bit that is set adds its place. Of floats there are no formulas, which are
// real numbers themselves wherever real numbers are.
func (x *translation) toReal(from term.Sort, a *form) (v, partial *form, err error) {
	q := x.q
	yes := q.truth(true)
	if a.sort == realSort {
		return a, yes, nil
	}
	if a.sort.kind != 'v' {
		return nil, nil, ErrUnsupported
	}
	return q.realOf(a, isSigned(from), from.Frac), yes, nil
}

// realOf returns the real number that a bit-vector is, divided by 2^frac.
func (q *Query) realOf(a *form, signed bool, frac int) *form {
	zero := q.rational(new(big.Rat))
	sum := zero
	for i := range a.sort.n {
		place := scale(big.NewRat(1, 1), i-frac)
		if signed && i == a.sort.n-1 {
			place.Neg(place)
		}
		set := q.equal(q.indexed(vector(1), "extract", "", []int{i, i}, a), q.int(1, 1))
		bit := q.ite(set, q.rational(place), zero)
		if sum == zero {
			sum = bit
		} else {
			sum = q.app(realSort, "+", sum, bit)
		}
	}
	return sum
}

// fromReal converts a real number: to the integer that is left of it toward zero, in fixed point to the number below it. There
// is one bit-vector that stands for that, if it is in range, and an axiom says which.
func (x *translation) fromReal(to term.Sort, s sort, a *form) (v, partial *form) {
	q := x.q
	yes, zero := q.truth(true), q.rational(new(big.Rat))
	if to.Kind == term.Bool {
		return q.ite(q.equal(a, zero), q.int(1, 0), q.int(1, 1)), yes
	}
	less := func(x, y *form) *form { return q.app(boolSort, "<", x, y) }
	plus := func(x *form, n *big.Rat) *form { return q.app(realSort, "+", x, q.rational(n)) }
	unit := scale(big.NewRat(1, 1), -to.Frac)
	least, beyond := new(big.Int), power2(s.n)
	if isSigned(to) {
		beyond = power2(s.n - 1)
		least.Neg(beyond)
	}
	number := func(n *big.Int) *form { return q.rational(scale(new(big.Rat).SetInt(n), -to.Frac)) }
	down := to.Kind == term.Fixed
	above := q.app(boolSort, "<=", number(least), a) // where it is rounded toward zero, less than 1 below is in range too
	if !down {
		above = less(number(new(big.Int).Sub(least, big.NewInt(1))), a)
	}
	in := q.and(above, less(a, number(beyond)))
	w := x.free(fmt.Sprintf("whole part for t%d in %s", a.id, to), s)
	r := q.realOf(w, isSigned(to), to.Frac)
	from := q.and(q.app(boolSort, "<=", r, a), less(a, plus(r, unit)))
	if !down {
		up := q.and(q.app(boolSort, "<=", a, r), less(plus(r, new(big.Rat).Neg(unit)), a))
		from = q.ite(less(a, zero), up, from)
	}
	q.axiom(q.implies(in, from))
	if to.Kind == term.Saturate {
		top, bottom := q.word(s.n, new(big.Int).Sub(beyond, big.NewInt(1))), q.word(s.n, least)
		return q.ite(in, w, q.ite(less(a, zero), bottom, top)), yes
	}
	return w, in
}

// toFloat converts a float, or a signed integer.
func (q *Query) toFloat(s sort, a *form) *form {
	if s == a.sort {
		return a
	}
	return q.indexed(s, "to_fp", nearestEven, []int{s.n, s.m}, a)
}

// timesPower2 returns a·2^e for a wide float, which is exact.
func (q *Query) timesPower2(a *form, e int) *form {
	if e == 0 {
		return a
	}
	factor := q.float(wideFloat, floatBits(wideFloat, scale(big.NewRat(1, 1), e)))
	return q.rounded(wideFloat, "fp.mul", nearestEven, a, factor)
}

// fromFloat converts a float to integers and fixed point.
func (x *translation) fromFloat(to term.Sort, s sort, a *form) (v, partial *form, err error) {
	q := x.q
	m := toZero
	if a.sort == brainSort { // exact, and solvers that know bfloat16 give up on vectors of as few bits
		a = q.toFloat(singleSort, a)
	}
	if to.Kind == term.Fixed {
		a, m = q.timesPower2(q.toFloat(wideFloat, a), to.Frac), down
	}
	f := a.sort
	whole := q.rounded(f, "fp.roundToIntegral", m, a)
	isNaN := q.app(boolSort, "fp.isNaN", a)
	least, beyond := new(big.Int), power2(s.n)
	op := "fp.to_ubv"
	if isSigned(to) {
		op, beyond = "fp.to_sbv", power2(s.n-1)
		least.Neg(beyond)
	}
	// Both ends are powers of two: a float holds them, or all of its numbers are closer to 0, and the end is as
	// good as infinity.
	end := func(n *big.Int) *form { return q.float(f, floatBits(f, new(big.Rat).SetInt(n))) }
	above := q.app(boolSort, "fp.leq", end(least), whole)
	below := q.app(boolSort, "fp.lt", whole, end(beyond))
	v = q.indexed(s, op, toZero, []int{s.n}, whole)
	if to.Kind == term.Saturate {
		top, bottom := q.word(s.n, new(big.Int).Sub(beyond, big.NewInt(1))), q.word(s.n, least)
		return q.ite(below, q.ite(above, v, bottom), top), q.not(isNaN), nil
	}
	finite := q.and(q.not(isNaN), q.not(q.app(boolSort, "fp.isInfinite", a)))
	return v, q.and(finite, q.and(above, below)), nil
}

// betweenIntegers converts between bit-vectors.
func (x *translation) betweenIntegers(from, to term.Sort, s sort, a *form) (v, partial *form, err error) {
	q := x.q
	yes := q.truth(true)
	n := max(a.sort.n, s.n) + 1 + from.Frac + to.Frac // Frac is 0 but in fixed point
	v = q.resize(n, isSigned(from), a)                // all that follows is exact in n bits
	shift := func(op string, by int) { v = q.app(vector(n), op, v, q.int(n, int64(by))) }
	if to.Kind == term.Fixed {
		shift("bvshl", to.Frac)
	}
	if from.Kind == term.Fixed {
		if to.Kind != term.Fixed { // toward zero: the negative ones are shifted to just below the next
			fraction := q.word(n, new(big.Int).Sub(power2(from.Frac), big.NewInt(1)))
			negative := q.app(boolSort, "bvslt", v, q.int(n, 0))
			v = q.ite(negative, q.app(vector(n), "bvadd", v, fraction), v)
		}
		shift("bvashr", from.Frac)
	}
	if to.Kind == term.Saturate {
		return x.clamp(s.n, v), yes, nil
	}
	out := q.resize(s.n, true, v)
	if from.Kind == term.Fixed && to.Kind != term.Fixed {
		return out, q.equal(v, q.resize(n, isSigned(to), out)), nil
	}
	return out, yes, nil
}

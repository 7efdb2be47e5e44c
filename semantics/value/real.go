package value

import (
	"math"
	"math/big"
	"math/bits"
)

// realArithmetic is the arithmetic real: numbers, kept as fractions as long as they are rational and as
// enclosures from the first irrational result on, and MIN.
type realArithmetic struct{}

// isInt tells whether v is an integer that fits in a word.
func (v Value) isInt() bool { return uint32(v.tag)|v.d == 0 }

// ratio returns r as a value. It may keep r.
func ratio(r *big.Rat) Value {
	if r.Num().IsInt64() && r.Denom().IsUint64() && r.Denom().Uint64()-1 <= math.MaxUint32 {
		return Value{n: r.Num().Int64(), d: uint32(r.Denom().Uint64() - 1)}
	}
	return Value{tag: formWideRatio, x: &wide{ratio: r}}
}

// smallRatio returns n/d in lowest terms, for d >= 1.
func smallRatio(n, d int64) Value {
	if n == 0 {
		return Value{}
	}
	if d&(d-1) == 0 { // a power of two, as of most fractions that samples draw
		k := min(bits.TrailingZeros64(uint64(n)), bits.TrailingZeros64(uint64(d)))
		n, d = n>>k, d>>k
	} else {
		a, b := n, d
		for b != 0 {
			a, b = b, a%b
		}
		if a < 0 {
			a = -a
		}
		n, d = n/a, d/a
	}
	if d-1 <= math.MaxUint32 {
		return Value{n: n, d: uint32(d - 1)}
	}
	return Value{tag: formWideRatio, x: &wide{ratio: big.NewRat(n, d)}}
}

// ratOf returns a rational value, which the caller must not change.
func ratOf(v Value) *big.Rat {
	if v.tag == formWideRatio {
		return v.x.ratio
	}
	return big.NewRat(v.n, int64(v.d)+1)
}

// lengths returns the numbers of bits of the numerator and the denominator of a fraction in words.
func (v Value) lengths() (n, d int) { return bits.Len64(magnitude(v.n)), bits.Len64(uint64(v.d) + 1) }

func (v Value) isRational() bool { return v.tag <= formWideRatio }

// isZero tells whether v is exactly 0.
func (v Value) isZero() bool { return v.isInt() && v.n == 0 }

// AddReal, subReal, mulReal and divReal are the four operations; integers that fit in a word are the
// case that matters.
func AddReal(x, y Value) Value {
	if uint32(x.tag|y.tag)|x.d|y.d == 0 {
		if s := x.n + y.n; (x.n^s)&(y.n^s) >= 0 {
			return Value{n: s}
		}
	}
	return addWide(x, y)
}

func MulReal(x, y Value) Value {
	if uint32(x.tag|y.tag)|x.d|y.d == 0 {
		if int64(int32(x.n)) == x.n && int64(int32(y.n)) == y.n {
			return Value{n: x.n * y.n}
		}
	}
	return mulWide(x, y)
}

func addWide(x, y Value) Value {
	if x.tag|y.tag == formRational {
		dx, dy := int64(x.d)+1, int64(y.d)+1
		nx, ex := x.lengths()
		ny, ey := y.lengths()
		if max(nx+ey, ny+ex) <= 62 && ex+ey <= 63 {
			return smallRatio(x.n*dy+y.n*dx, dx*dy)
		}
	}
	if x.isRational() && y.isRational() {
		switch { // much is multiplied by 0 where inputs are drawn, and then added up
		case x.isZero():
			return y
		case y.isZero():
			return x
		}
		return addRatios(x, y)
	}
	if failed, ok := notANumber("addition", x, y); ok {
		return failed
	}
	if x.isZero() {
		return y
	}
	if y.isZero() {
		return x
	}
	if x.isLoose() || y.isLoose() {
		return roughly(x, y, ball.add, enclosure.add)
	}
	return enclosureOf(x).add(enclosureOf(y)).value()
}

func mulWide(x, y Value) Value {
	switch {
	case x.isInt() && y.isInt():
		hi, lo := bits.Mul64(magnitude(x.n), magnitude(y.n))
		if hi == 0 && lo <= math.MaxInt64 {
			if (x.n < 0) != (y.n < 0) {
				return Value{n: -int64(lo)}
			}
			return Value{n: int64(lo)}
		}
		return mulRatios(x, y)
	case x.tag|y.tag == formRational:
		nx, dx := x.lengths()
		ny, dy := y.lengths()
		if nx+ny <= 63 && dx+dy <= 63 {
			return smallRatio(x.n*y.n, (int64(x.d)+1)*(int64(y.d)+1))
		}
	}
	if x.isRational() && y.isRational() {
		if x.isZero() || y.isZero() {
			return Value{}
		}
		return mulRatios(x, y)
	}
	if failed, ok := notANumber("multiplication", x, y); ok {
		return failed
	}
	switch one := (Value{n: 1}); {
	case x.isZero() || y.isZero():
		return Value{}
	case x == one:
		return y
	case y == one:
		return x
	case x.isLoose() || y.isLoose():
		return roughly(x, y, ball.mul, enclosure.mul)
	}
	return enclosureOf(x).mul(enclosureOf(y)).value()
}

// addRatios returns x + y. Denominators that are powers of two need no common divisor, which is what takes long.
func addRatios(x, y Value) Value {
	if long(x, y) {
		return tooLong()
	}
	a, kx, okx := x.dyadic()
	b, ky, oky := y.dyadic()
	if !okx || !oky {
		return ratio(new(big.Rat).Add(ratOf(x), ratOf(y)))
	}
	if kx < ky {
		a, b, kx, ky = b, a, ky, kx
	}
	sum := new(big.Int).Lsh(b, kx-ky)
	return dyadicValue(sum.Add(sum, a), kx)
}

// mostBits bounds the length of a number: a square of a square and so on, which a loop may compute, has no end.
const mostBits = 1 << 17

// long tells whether two rational values together are longer than that.
func long(x, y Value) bool {
	bits := 0
	for _, v := range []Value{x, y} {
		if v.tag == formWideRatio {
			bits += v.x.ratio.Num().BitLen() + v.x.ratio.Denom().BitLen()
		}
	}
	return bits > mostBits
}

func tooLong() Value { return Undecidedf("a number of more than %d bits", mostBits) }

// mulRatios returns x·y.
func mulRatios(x, y Value) Value {
	if long(x, y) {
		return tooLong()
	}
	a, kx, okx := x.dyadic()
	b, ky, oky := y.dyadic()
	if !okx || !oky {
		return ratio(new(big.Rat).Mul(ratOf(x), ratOf(y)))
	}
	return dyadicValue(new(big.Int).Mul(a, b), kx+ky)
}

// dyadic returns a rational value as n/2^k, where its denominator is a power of two. The caller must not change n.
func (v Value) dyadic() (n *big.Int, k uint, ok bool) {
	if v.tag == formWideRatio {
		d := v.x.ratio.Denom()
		k = d.TrailingZeroBits()
		return v.x.ratio.Num(), k, d.BitLen() == int(k)+1
	}
	d := uint64(v.d) + 1
	return big.NewInt(v.n), uint(bits.TrailingZeros64(d)), d&(d-1) == 0
}

// dyadicValue returns n/2^k, and changes n.
func dyadicValue(n *big.Int, k uint) Value {
	if n.Sign() == 0 {
		return Value{}
	}
	common := min(n.TrailingZeroBits(), k)
	k -= common
	r := new(big.Rat).SetInt(n.Rsh(n, common))
	if k > 0 {
		r.Denom().SetBit(new(big.Int), int(k), 1) // in place: SetFrac would look for a common divisor
	}
	return ratio(r)
}

// magnitude returns |n|.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// notANumber returns the failure of an operation that has an operand that is a failure or MIN.
func notANumber(operation string, operands ...Value) (Value, bool) {
	for _, v := range operands {
		if v.tag == formFailure {
			return v, true
		}
	}
	for _, v := range operands {
		if v.tag == formLowest {
			return Undefinedf("%s of MIN", operation), true
		}
	}
	return Value{}, false
}

func (realArithmetic) Zero() Value               { return Value{} }
func (realArithmetic) Integer(n int64) Value     { return Value{n: n} }
func (realArithmetic) Constant(r *big.Rat) Value { return ratio(r) }
func (realArithmetic) Lowest() Value             { return Value{tag: formLowest} }
func (realArithmetic) Add(x, y Value) Value      { return AddReal(x, y) }
func (realArithmetic) Mul(x, y Value) Value      { return MulReal(x, y) }

func (realArithmetic) Infinity(sign int) Value {
	return Undefinedf("an infinite literal is not a real number")
}

func (a realArithmetic) Sub(x, y Value) Value {
	if x.isInt() && y.isInt() {
		if s := x.n - y.n; (x.n^y.n)&(x.n^s) >= 0 {
			return Value{n: s}
		}
	}
	if failed, ok := notANumber("subtraction", x, y); ok {
		return failed
	}
	return AddReal(x, a.Neg(y))
}

func (realArithmetic) Neg(x Value) Value {
	switch {
	case x.tag == formRational && x.n != math.MinInt64:
		x.n = -x.n
		return x
	case x.isRational():
		return ratio(new(big.Rat).Neg(ratOf(x)))
	}
	if failed, ok := notANumber("negation", x); ok {
		return failed
	}
	if x.isLoose() {
		return roughlyOf(x, ball.neg, enclosure.neg)
	}
	return enclosureOf(x).neg().value()
}

func (realArithmetic) Div(x, y Value) Value {
	if failed, ok := notANumber("division", x, y); ok {
		return failed
	}
	switch {
	case y.isZero():
		return Undefinedf("division of %s by 0", x)
	case x.tag|y.tag == formRational:
		nx, dx := x.lengths()
		ny, dy := y.lengths()
		if nx+dy <= 63 && dx+ny <= 63 {
			n, d := x.n*(int64(y.d)+1), (int64(x.d)+1)*y.n
			if d < 0 {
				n, d = -n, -d
			}
			return smallRatio(n, d)
		}
	}
	if x.isRational() && y.isRational() {
		if long(x, y) {
			return tooLong()
		}
		return ratio(new(big.Rat).Quo(ratOf(x), ratOf(y)))
	}
	if v, ok := quickly(x, y, ball.quo); ok && !x.isZero() {
		return v
	}
	divisor := enclosureOf(y)
	if divisor.holdsZero() {
		return Undecidedf("division of %s by %s, which may be 0", x, y)
	}
	if x.isZero() {
		return x
	}
	if x.isLoose() || y.isLoose() {
		return roughly(x, y, ball.quo, enclosure.quo)
	}
	return enclosureOf(x).quo(divisor).value()
}

func (a realArithmetic) Mean(sum Value, n int64) Value { return a.Div(sum, Value{n: n}) }

// compareRatios compares two rational values.
func compareRatios(x, y Value) int {
	if uint32(x.tag|y.tag) == 0 && x.d == y.d {
		switch {
		case x.n < y.n:
			return -1
		case x.n > y.n:
			return 1
		}
		return 0
	}
	return ratOf(x).Cmp(ratOf(y))
}

func (realArithmetic) Max(x, y Value) Value { return extremum(x, y, 1) }
func (realArithmetic) Min(x, y Value) Value { return extremum(x, y, -1) }

// extremum returns the greater of x and y for sign 1 and the smaller for sign -1.
func extremum(x, y Value, sign int) Value {
	switch {
	case x.tag == formFailure:
		return x
	case y.tag == formFailure:
		return y
	case x.tag == formLowest || y.tag == formLowest:
		if (x.tag == formLowest) == (sign > 0) {
			return y
		}
		return x
	case x.isRational() && y.isRational():
		if compareRatios(y, x)*sign > 0 {
			return y
		}
		return x
	}
	if x.tag == formBall || y.tag == formBall {
		if v, ok := ballExtremum(x, y, sign); ok {
			return v
		}
	}
	a, b := enclosureOf(x), enclosureOf(y)
	if sign < 0 {
		x, y = y, x
	}
	switch {
	case a.lo.Cmp(b.hi) >= 0:
		return x
	case b.lo.Cmp(a.hi) >= 0:
		return y
	}
	e := enclosure{maxFloat(a.lo, b.lo), maxFloat(a.hi, b.hi)}
	if sign < 0 {
		e = enclosure{minFloat(a.lo, b.lo), minFloat(a.hi, b.hi)}
	}
	if x.isLoose() || y.isLoose() {
		return loosely(e)
	}
	return e.value()
}

// ballExtremum is the extremum of two balls: one of them, or around the extremum of their middles, which is no further from
// that of two numbers than one of the middles from its number.
func ballExtremum(x, y Value, sign int) (Value, bool) {
	a, ok := ballOf(x)
	b, both := ballOf(y)
	switch isLess, isGreater := a.less(b), b.less(a); {
	case !ok || !both:
		return Value{}, false
	case isLess && sign > 0 || isGreater && sign < 0:
		return y, true
	case isLess || isGreater:
		return x, true
	case sign > 0:
		return ball{max(a.mid, b.mid), max(a.rad, b.rad)}.value()
	}
	return ball{min(a.mid, b.mid), max(a.rad, b.rad)}.value()
}

func (a realArithmetic) Relu(x Value) Value {
	if x.isInt() {
		return Value{n: max(x.n, 0)}
	}
	return a.Max(Value{}, x)
}

func (realArithmetic) LeakyRelu(x, slope Value) Value {
	switch {
	case x.tag == formLowest:
		return Undefinedf("multiplication of MIN")
	case x.tag == formEnclosure, x.tag == formBall:
		e := enclosureOf(x)
		if e.lo.Sign() >= 0 {
			return x
		}
		negative := MulReal(x, slope)
		if e.hi.Sign() <= 0 || negative.tag == formFailure {
			return negative
		}
		zero := encloseInt(0).lo
		below := enclosure{e.lo, zero}.mul(enclosureOf(slope))
		if e = below.hull(enclosure{zero, e.hi}); x.isLoose() {
			return loosely(e)
		}
		return e.value()
	case x.isRational() && compareRatios(x, Value{}) > 0:
		return x
	}
	return MulReal(slope, x)
}

func (realArithmetic) Sqrt(x Value) Value {
	if failed, ok := notANumber("square root", x); ok {
		return failed
	}
	if x.isRational() {
		r := ratOf(x)
		if r.Sign() < 0 {
			return Undefinedf("square root of %s", x)
		}
		n, d := new(big.Int).Sqrt(r.Num()), new(big.Int).Sqrt(r.Denom())
		if root := new(big.Rat).SetFrac(n, d); new(big.Rat).Mul(root, root).Cmp(r) == 0 {
			return ratio(root)
		}
	}
	if v, ok := quickly(x, x, func(b, _ ball) ball { return b.sqrt() }); ok {
		return v
	}
	e := enclosureOf(x)
	switch {
	case e.hi.Sign() < 0:
		return Undefinedf("square root of %s", x)
	case e.lo.Sign() < 0:
		return Undecidedf("square root of %s, which may be negative", x)
	}
	if x.isLoose() {
		return roughlyOf(x, ball.sqrt, enclosure.sqrt)
	}
	return e.sqrt().value()
}

func (realArithmetic) Exp(x Value) Value {
	if x.isZero() {
		return Value{n: 1}
	}
	if failed, ok := notANumber("exp", x); ok {
		return failed
	}
	if v, ok := quickly(x, x, func(b, _ ball) ball { return b.exp() }); ok {
		return v
	}
	e := enclosureOf(x)
	limit := encloseInt(expLimit).lo
	if e.hi.Cmp(limit) > 0 || new(big.Float).Neg(e.lo).Cmp(limit) > 0 {
		return Undecidedf("exp of %s, beyond ±%d", x, expLimit)
	}
	if x.isLoose() {
		return roughlyOf(x, ball.exp, enclosure.exp)
	}
	return e.exp().value()
}

func (realArithmetic) Log(x Value) Value {
	if x == (Value{n: 1}) {
		return Value{}
	}
	if failed, ok := notANumber("log", x); ok {
		return failed
	}
	if v, ok := quickly(x, x, func(b, _ ball) ball { return b.log() }); ok {
		return v
	}
	e := enclosureOf(x)
	switch {
	case e.hi.Sign() <= 0:
		return Undefinedf("log of %s", x)
	case e.lo.Sign() <= 0:
		return Undecidedf("log of %s, which may be 0 or negative", x)
	}
	if x.isLoose() {
		return roughlyOf(x, ball.log, enclosure.log)
	}
	return e.log().value()
}

func (realArithmetic) Erf(x Value) Value {
	if x.isZero() {
		return x
	}
	if failed, ok := notANumber("erf", x); ok {
		return failed
	}
	if x.isLoose() {
		return roughlyOf(x, ball.erf, enclosure.erf)
	}
	return enclosureOf(x).erf().value()
}

// Sigmoid is 1/(1 + exp(-x)).
func (a realArithmetic) Sigmoid(x Value) Value {
	one := Value{n: 1}
	return a.Div(one, a.Add(one, a.Exp(a.Neg(x))))
}

// Tanh is 1 - 2/(exp(2x) + 1).
func (a realArithmetic) Tanh(x Value) Value {
	one, two := Value{n: 1}, Value{n: 2}
	return a.Sub(one, a.Div(two, a.Add(a.Exp(a.Mul(two, x)), one)))
}

func (realArithmetic) Round(x Value) Value {
	if x.tag == formFailure {
		return x
	}
	return Uninterpreted("round")
}

func (realArithmetic) ShiftLeft(x Value, by int64) Value {
	if x.tag == formFailure {
		return x
	}
	return Uninterpreted("left-shift")
}

func (realArithmetic) ShiftRight(x Value, by int64) Value {
	if x.tag == formFailure {
		return x
	}
	return Uninterpreted("right-shift")
}

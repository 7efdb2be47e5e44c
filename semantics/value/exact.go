package value

import (
	"math"
	"math/big"
	"math/bits"

	"tv/semantics/domain"
)

// exactType is what the arithmetics of the exact types share: the type, and that nothing but the algebraic
// operations is interpreted.
type exactType struct {
	elem domain.Elem
	tag  Tag
}

func newExact(t domain.Elem) exactType { return exactType{elem: t, tag: exactTag(t)} }

// of returns the element with the given extended bits.
func (a *exactType) of(n int64) Value { return Value{n: n, tag: a.tag} }

// has tells whether all of the operands are elements of the type; other finds the first that is not.
func (a *exactType) has(x, y Value) bool { return x.tag == a.tag && y.tag == a.tag }

func (a *exactType) other(operands ...Value) Value {
	for _, v := range operands {
		if v.tag == formFailure {
			return v
		}
	}
	for _, v := range operands {
		if v.tag != a.tag {
			return NoValue(typeError(v, a.elem))
		}
	}
	return a.of(0)
}

func (a *exactType) Zero() Value { return a.of(0) }

func (a *exactType) unknown(x Value, symbol string) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	return Uninterpreted(symbol)
}

func (a *exactType) Exp(x Value) Value     { return a.unknown(x, "exp") }
func (a *exactType) Log(x Value) Value     { return a.unknown(x, "log") }
func (a *exactType) Erf(x Value) Value     { return a.unknown(x, "erf") }
func (a *exactType) Sigmoid(x Value) Value { return a.unknown(x, "sigmoid") }
func (a *exactType) Tanh(x Value) Value    { return a.unknown(x, "tanh") }

func (a *exactType) ShiftLeft(x Value, by int64) Value  { return a.unknown(x, "left-shift") }
func (a *exactType) ShiftRight(x Value, by int64) Value { return a.unknown(x, "right-shift") }

func (a *exactType) Integer(n int64) Value { return convert(big.NewRat(n, 1), true, a.elem) }

func (a *exactType) Constant(r *big.Rat) Value { return roundRat(r, a.elem) }

func (a *exactType) Infinity(sign int) Value {
	return Undefinedf("an infinite literal is not an element of %s", a.elem)
}

// integers is the arithmetic of intN, uintN and bool, which wraps: a bool is an unsigned integer of one
// bit. Signed elements are kept sign-extended, unsigned ones zero-extended.
type integers struct {
	exactType
	signed          bool
	shift           uint8 // 64 - width
	least, greatest int64 // of signed types
}

func newIntegers(t domain.Elem) *integers {
	a := &integers{exactType: newExact(t), shift: uint8(64 - t.Width)}
	a.signed = t.Kind != domain.ElemUint && t.Kind != domain.ElemBool
	if a.signed {
		a.least, a.greatest = math.MinInt64>>a.shift, math.MaxInt64>>a.shift
	}
	return a
}

// wrap returns n modulo 2^width.
func (a *integers) wrap(n int64) Value {
	if a.signed {
		return a.of(n << a.shift >> a.shift)
	}
	return a.of(int64(uint64(n) << a.shift >> a.shift))
}

// Integer goes past fractions where the type wraps; types that do something else are made of this one.
func (a *integers) Integer(n int64) Value {
	switch a.elem.Kind {
	case domain.ElemInt, domain.ElemUint:
		return a.wrap(n)
	}
	return a.exactType.Integer(n)
}

func (a *integers) less(x, y Value) bool {
	if a.signed {
		return x.n < y.n
	}
	return uint64(x.n) < uint64(y.n)
}

func (a *integers) Lowest() Value { return a.of(a.least) }

func (a *integers) Add(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.wrap(x.n + y.n)
}

func (a *integers) Sub(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.wrap(x.n - y.n)
}

func (a *integers) Mul(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.wrap(x.n * y.n)
}

// Div rounds toward zero.
func (a *integers) Div(x, y Value) Value {
	switch {
	case !a.has(x, y):
		return a.other(x, y)
	case y.n == 0:
		return Undefinedf("division of %s by 0", x)
	case !a.signed:
		return a.of(int64(uint64(x.n) / uint64(y.n)))
	case x.n == a.least && y.n == -1:
		return Undefinedf("division of %s, the least %s, by -1", x, a.elem)
	}
	return a.of(x.n / y.n)
}

// Mean divides by the number of summands itself, even where the type is too narrow to hold it.
func (a *integers) Mean(sum Value, n int64) Value {
	switch {
	case sum.tag != a.tag:
		return a.other(sum)
	case a.signed:
		return a.of(sum.n / n)
	}
	return a.of(int64(uint64(sum.n) / uint64(n)))
}

func (a *integers) Max(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if a.less(x, y) {
		return y
	}
	return x
}

func (a *integers) Min(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if a.less(y, x) {
		return y
	}
	return x
}

func (a *integers) Neg(x Value) Value { return a.Sub(a.of(0), x) }

func (a *integers) Relu(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	if a.signed && x.n < 0 {
		return a.of(0)
	}
	return x
}

func (a *integers) LeakyRelu(x, slope Value) Value {
	if x.tag == a.tag && x.n != 0 && !(a.signed && x.n < 0) {
		return x
	}
	return a.Mul(slope, x)
}

// Sqrt rounds toward zero.
func (a *integers) Sqrt(x Value) Value {
	switch {
	case x.tag != a.tag:
		return a.other(x)
	case a.signed && x.n < 0:
		return Undefinedf("square root of %s", x)
	}
	return a.of(int64(floorSqrt(uint64(x.n))))
}

// floorSqrt returns the root of n, rounded down.
func floorSqrt(n uint64) uint64 {
	r := uint64(math.Sqrt(float64(n)))
	for r > 0 && (r > math.MaxUint32 || r*r > n) {
		r--
	}
	for r < math.MaxUint32 && (r+1)*(r+1) <= n {
		r++
	}
	return r
}

func (a *integers) Round(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	return x
}

// shiftBy checks the operands of a shift.
func (a *integers) shiftBy(x Value, by int64) (Value, bool) {
	if x.tag != a.tag {
		return a.other(x), false
	}
	if by < 0 || by >= int64(a.elem.Width) {
		return Undefinedf("shift of an element of %s by %d", a.elem, by), false
	}
	return x, true
}

func (a *integers) ShiftLeft(x Value, by int64) Value {
	v, ok := a.shiftBy(x, by)
	if !ok {
		return v
	}
	return a.wrap(x.n << by)
}

// ShiftRight is arithmetic for signed types and logical for the others.
func (a *integers) ShiftRight(x Value, by int64) Value {
	v, ok := a.shiftBy(x, by)
	if !ok {
		return v
	}
	if a.signed {
		return a.of(x.n >> by)
	}
	return a.of(int64(uint64(x.n) >> by))
}

// saturating is the arithmetic of satN: a result that is too large or too small is the largest or the
// smallest element. The width is at most 32, so that sums and products fit in a word.
type saturating struct{ integers }

func (a *saturating) clamp(n int64) Value { return a.of(min(max(n, a.least), a.greatest)) }

func (a *saturating) Add(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.clamp(x.n + y.n)
}

func (a *saturating) Sub(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.clamp(x.n - y.n)
}

func (a *saturating) Mul(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.clamp(x.n * y.n)
}

func (a *saturating) Neg(x Value) Value { return a.Sub(a.of(0), x) }

func (a *saturating) LeakyRelu(x, slope Value) Value {
	if x.tag == a.tag && x.n > 0 {
		return x
	}
	return a.Mul(slope, x)
}

func (a *saturating) ShiftLeft(x Value, by int64) Value {
	v, ok := a.shiftBy(x, by)
	if !ok {
		return v
	}
	return a.clamp(x.n << by)
}

// fixed is the arithmetic of fixM.F: the element with the bits n is n/2^F. Sums and differences are those of
// integers; products, quotients, means and roots are rounded toward negative infinity, as a shift to the
// right rounds; every overflow wraps.
type fixed struct{ integers }

func (a *fixed) Mul(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	// The 128-bit product of two signed words, shifted right by F.
	hi, lo := bits.Mul64(uint64(x.n), uint64(y.n))
	if x.n < 0 {
		hi -= uint64(y.n)
	}
	if y.n < 0 {
		hi -= uint64(x.n)
	}
	f := uint(a.elem.Frac)
	return a.wrap(int64(lo>>f | hi<<(64-f)))
}

func (a *fixed) Div(x, y Value) Value {
	switch {
	case !a.has(x, y):
		return a.other(x, y)
	case y.n == 0:
		return Undefinedf("division of %s by 0", x)
	}
	n, d := new(big.Int).Lsh(big.NewInt(x.n), uint(a.elem.Frac)), big.NewInt(y.n)
	if d.Sign() < 0 {
		n.Neg(n)
		d.Neg(d)
	}
	return a.wrap(lowWord(n.Div(n, d))) // by a positive divisor, Euclid's quotient is the floor
}

// lowWord returns n modulo 2^64.
func lowWord(n *big.Int) int64 {
	return int64(new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
}

func (a *fixed) Mean(sum Value, n int64) Value {
	if sum.tag != a.tag {
		return a.other(sum)
	}
	q := sum.n / n
	if sum.n%n < 0 {
		q--
	}
	return a.of(q)
}

func (a *fixed) LeakyRelu(x, slope Value) Value {
	if x.tag == a.tag && x.n > 0 {
		return x
	}
	return a.Mul(slope, x)
}

func (a *fixed) Sqrt(x Value) Value {
	switch {
	case x.tag != a.tag:
		return a.other(x)
	case x.n < 0:
		return Undefinedf("square root of %s", x)
	}
	n := new(big.Int).Lsh(big.NewInt(x.n), uint(a.elem.Frac))
	return a.wrap(n.Sqrt(n).Int64())
}

func (a *fixed) Round(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	r, _ := exactRat(x)
	n := roundHalfAway(r)
	return a.wrap(lowWord(n.Lsh(n, uint(a.elem.Frac))))
}

// roundHalfAway returns the integer nearest to r, the one farther from 0 of two.
func roundHalfAway(r *big.Rat) *big.Int {
	// floor(|r| + 1/2) = (2|n| + d) div 2d
	n := new(big.Int).Abs(r.Num())
	n.Lsh(n, 1).Add(n, r.Denom())
	n.Quo(n, new(big.Int).Lsh(r.Denom(), 1))
	if r.Sign() < 0 {
		n.Neg(n)
	}
	return n
}

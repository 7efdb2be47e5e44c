package value

import (
	"math"
	"math/big"
	"math/bits"

	"tv/semantics/domain"
)

// adaptive is the arithmetic of AdaptivFloat numbers of N bits: 1 sign, E exponent and m = N-1-E mantissa
// bits. A code with exponent e and mantissa f is ±2^(e + bias - 10) * (1 + f/2^m), except that e = f = 0 is
// 0 for either sign; there are no subnormals, infinities or NaNs. The bias belongs to the tensor.
//
// The result of an operation is computed exactly and then encoded as the hardware encodes: rounded to m+1
// significant bits, halves toward positive infinity; too small is 0, too large saturates.
type adaptive struct {
	exactType
	bias     int
	mantissa int  // m
	largest  int  // exponent field of the largest numbers
	narrow   bool // sums and products of two elements are exact in float64, with a bit to spare
}

// exponentOffset is what the exponent field and the bias are relative to.
const exponentOffset = -10

func newAdaptive(t domain.Elem, bias int) *adaptive {
	a := &adaptive{exactType: newExact(t), bias: bias, mantissa: t.Width - 1 - t.Frac, largest: 1<<t.Frac - 1}
	a.narrow = 2*(a.mantissa+1) <= 51 && a.mantissa+1+a.largest+1 <= 51
	return a
}

// parts returns the sign, the mantissa with its leading bit and its exponent: ±significand * 2^exponent.
// The significand of 0 is 0.
func (a *adaptive) parts(v Value) (negative bool, significand uint64, exponent int) {
	field := int(uint64(v.n) >> a.mantissa & uint64(a.largest))
	f := uint64(v.n) & (1<<a.mantissa - 1)
	negative = uint64(v.n)>>(a.elem.Width-1)&1 != 0
	if field == 0 && f == 0 {
		return negative, 0, 0
	}
	return negative, 1<<a.mantissa | f, field + a.bias + exponentOffset - a.mantissa
}

// float returns the number that v is, where float64 holds it.
func (a *adaptive) float(v Value) float64 {
	negative, s, e := a.parts(v)
	f := math.Ldexp(float64(s), e)
	if negative && s != 0 {
		f = -f
	}
	return f
}

// rat returns the number that v is.
func (a *adaptive) rat(v Value) *big.Rat {
	negative, s, e := a.parts(v)
	r := new(big.Rat).SetFrac(new(big.Int).SetUint64(s), big.NewInt(1))
	if negative {
		r.Neg(r)
	}
	return scale(r, e)
}

// scale multiplies r by 2^e, in place.
func scale(r *big.Rat, e int) *big.Rat {
	power := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e < 0 {
		return r.Quo(r, new(big.Rat).SetInt(power))
	}
	return r.Mul(r, new(big.Rat).SetInt(power))
}

// encode returns the code of the number nearest to r.
func (a *adaptive) encode(r *big.Rat) Value {
	if r.Sign() == 0 {
		return a.of(0)
	}
	// 2^p <= |r| < 2^(p+1)
	p := r.Num().BitLen() - r.Denom().BitLen()
	if scale(new(big.Rat).Abs(r), -p).Cmp(big.NewRat(1, 1)) < 0 {
		p--
	}
	// q = floor(r*2^(m-p) + 1/2), of m+1 bits, or one more where rounding carried.
	q := scale(new(big.Rat).Set(r), a.mantissa-p)
	q.Add(q, big.NewRat(1, 2))
	floor := new(big.Int).Div(q.Num(), q.Denom())
	return a.pack(r.Sign() < 0, magnitude(floor.Int64()), p)
}

// encodeFloat is encode for a number that float64 holds.
func (a *adaptive) encodeFloat(f float64) Value {
	if f == 0 {
		return a.of(0)
	}
	fraction, p := math.Frexp(f) // 1/2 <= |fraction| < 1
	q := math.Floor(math.Ldexp(fraction, a.mantissa+1) + 0.5)
	return a.pack(f < 0, uint64(math.Abs(q)), p-1)
}

// pack returns the code of ±significand * 2^(p-m), whose significand has m+1 bits or is 2^(m+1).
func (a *adaptive) pack(negative bool, significand uint64, p int) Value {
	if bits.Len64(significand) > a.mantissa+1 {
		significand >>= 1
		p++
	}
	field := p - a.bias - exponentOffset
	code := uint64(field)<<a.mantissa | significand&(1<<a.mantissa-1)
	switch {
	case field < 0:
		return a.of(0)
	case field > a.largest:
		code = 1<<(a.elem.Width-1) - 1
	}
	if negative {
		code |= 1 << (a.elem.Width - 1)
	}
	return BitsValue(code, a.elem)
}

func (a *adaptive) Lowest() Value { return BitsValue(1<<a.elem.Width-1, a.elem) }

func (a *adaptive) Add(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if a.narrow {
		return a.encodeFloat(a.float(x) + a.float(y))
	}
	return a.encode(new(big.Rat).Add(a.rat(x), a.rat(y)))
}

func (a *adaptive) Sub(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if a.narrow {
		return a.encodeFloat(a.float(x) - a.float(y))
	}
	return a.encode(new(big.Rat).Sub(a.rat(x), a.rat(y)))
}

func (a *adaptive) Mul(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if a.narrow {
		return a.encodeFloat(a.float(x) * a.float(y))
	}
	return a.encode(new(big.Rat).Mul(a.rat(x), a.rat(y)))
}

func (a *adaptive) Div(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	d := a.rat(y)
	if d.Sign() == 0 {
		return Undefinedf("division of %s by 0", x)
	}
	return a.encode(d.Quo(a.rat(x), d))
}

func (a *adaptive) Mean(sum Value, n int64) Value {
	if sum.tag != a.tag {
		return a.other(sum)
	}
	return a.encode(new(big.Rat).Quo(a.rat(sum), big.NewRat(n, 1)))
}

// compare compares the numbers that x and y are; the two zeros are equal.
func (a *adaptive) compare(x, y Value) int {
	if a.narrow {
		f, g := a.float(x), a.float(y)
		switch {
		case f < g:
			return -1
		case f > g:
			return 1
		}
		return 0
	}
	return a.rat(x).Cmp(a.rat(y))
}

func (a *adaptive) Max(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if a.compare(y, x) > 0 {
		return y
	}
	return x
}

func (a *adaptive) Min(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if a.compare(y, x) < 0 {
		return y
	}
	return x
}

// Neg flips the sign bit, except that of 0.
func (a *adaptive) Neg(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	if _, s, _ := a.parts(x); s == 0 {
		return x
	}
	return a.of(x.n ^ 1<<(a.elem.Width-1))
}

func (a *adaptive) Relu(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	return a.Max(x, a.of(0))
}

func (a *adaptive) LeakyRelu(x, slope Value) Value {
	if x.tag == a.tag && a.compare(x, a.of(0)) > 0 {
		return x
	}
	return a.Mul(slope, x)
}

func (a *adaptive) Sqrt(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	r := a.rat(x)
	switch r.Sign() {
	case -1:
		return Undefinedf("square root of %s", x)
	case 0:
		return x
	}
	// A root that is not exact has infinitely many bits, so it is never halfway between two codes: one
	// more bit than those of its integer part, set, stands for the rest.
	shift := 2 * (a.mantissa + 3 + max(0, r.Denom().BitLen()))
	n := scale(r, shift)
	root := new(big.Int).Sqrt(n.Num()) // n is an integer, the denominators of elements being powers of two
	exact := new(big.Int).Mul(root, root).Cmp(n.Num()) == 0
	root.Lsh(root, 1)
	if !exact {
		root.SetBit(root, 0, 1)
	}
	return a.encode(scale(new(big.Rat).SetInt(root), -shift/2-1))
}

func (a *adaptive) Round(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	return a.encode(new(big.Rat).SetInt(roundHalfAway(a.rat(x))))
}

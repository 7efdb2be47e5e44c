package value

import (
	"math"
	"math/big"

	"tv/semantics/domain"
)

// ieee is the arithmetic of float16, bfloat16, float32 and float64: IEEE-754 binary, round to nearest even, no fused
// operations. Division by zero and roots of negative numbers give infinities and NaNs.
//
// An operation on the narrower formats is done in float64 and rounded a second time. For + - * / and
// the square root of formats of p bits that is the correctly rounded result whenever the wide format has at
// least 2p+2 bits, and 53 >= 2*24+2.
type ieee struct{ exactType }

// floatOf returns the number that an element of a floating-point type is.
func floatOf(v Value) float64 { return decode(v.n, v.tag.elem()) }

// decode returns the number that the bits of an element of a floating-point type are.
func decode(bits int64, t domain.Elem) float64 {
	switch {
	case t == domain.BFloat16:
		return float64(math.Float32frombits(uint32(uint16(bits)) << 16))
	case t.Width == 16:
		return halfToFloat(uint16(bits))
	case t.Width == 32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(uint64(bits))
}

// floatValue rounds f to an element of t. There is one NaN.
func floatValue(f float64, t domain.Elem) Value { return (&ieee{newExact(t)}).round64(f) }

func (a *ieee) decode(v Value) float64 { return decode(v.n, a.elem) }

func (a *ieee) round64(f float64) Value {
	if f != f {
		f = math.NaN()
	}
	switch {
	case a.elem == domain.BFloat16:
		return a.of(int64(brainFromFloat(f)))
	case a.elem.Width == 32:
		return a.of(int64(math.Float32bits(float32(f))))
	case a.elem.Width == 16:
		return a.of(int64(halfFromFloat(f)))
	}
	return a.of(int64(math.Float64bits(f)))
}

// halfToFloat returns the number that the bits of a float16 are: 1 sign, 5 exponent, 10 mantissa bits.
func halfToFloat(h uint16) float64 {
	sign, exponent, mantissa := uint64(h>>15), int(h>>10&0x1f), uint64(h&0x3ff)
	switch exponent {
	case 0:
		return math.Copysign(math.Ldexp(float64(mantissa), -24), 1-2*float64(sign))
	case 0x1f:
		return math.Float64frombits(sign<<63 | 0x7ff<<52 | mantissa<<42)
	}
	return math.Float64frombits(sign<<63 | uint64(exponent-15+1023)<<52 | mantissa<<42)
}

// halfFromFloat rounds f to float16, once, to nearest even.
func halfFromFloat(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 48 & 0x8000)
	f = math.Abs(f)
	switch {
	case f != f:
		return 0x7e00
	case f >= 65520: // halfway between the largest number and 2^16
		return sign | 0x7c00
	case f < 0x1p-14:
		// Subnormal numbers are multiples of 2^-24; 2^10 of them is the smallest normal number, whose
		// bits follow.
		return sign | uint16(math.RoundToEven(f*0x1p24))
	}
	// Drop 42 bits of the mantissa; a carry out of it increments the exponent, as it should.
	b := math.Float64bits(f)
	b += 1<<41 - 1 + b>>42&1
	return sign | uint16(b>>42-(1023-15)<<10)
}

// brainFromFloat rounds f to bfloat16, once, to nearest even. (By way of float32 it would be rounded twice.)
func brainFromFloat(f float64) uint16 {
	sign := uint16(math.Float64bits(f) >> 48 & 0x8000)
	f = math.Abs(f)
	switch {
	case f != f:
		return 0x7fc0
	case f >= 0x1.ffp127: // halfway between the largest number and 2^128
		return sign | 0x7f80
	case f < 0x1p-126:
		// Subnormal numbers are multiples of 2^-133; 2^7 of them is the smallest normal number, whose bits follow.
		return sign | uint16(math.RoundToEven(f*0x1p133))
	}
	// Drop 45 bits of the mantissa; a carry out of it increments the exponent, as it should.
	b := math.Float64bits(f)
	b += 1<<44 - 1 + b>>45&1
	return sign | uint16(b>>45-(1023-127)<<7)
}

// roundToFloat rounds r to an element of t.
func roundToFloat(r *big.Rat, t domain.Elem) Value {
	if t.Width == 32 {
		f, _ := r.Float32()
		return floatValue(float64(f), t)
	}
	f, exact := r.Float64()
	if t.Width == 64 || exact || math.IsInf(f, 0) {
		return floatValue(f, t)
	}
	// Rounding first to float64 must not make a tie of what is none: of the two neighbours of r, the one
	// with the odd mantissa lies on the same side of every narrower float and of every middle between two.
	if math.Float64bits(f)&1 == 0 {
		toward := math.Inf(1)
		if new(big.Rat).SetFloat64(f).Cmp(r) > 0 {
			toward = math.Inf(-1)
		}
		f = math.Nextafter(f, toward)
	}
	return floatValue(f, t)
}

func (a *ieee) Lowest() Value {
	switch {
	case a.elem == domain.BFloat16:
		return a.round64(-0x1.fep127)
	case a.elem.Width == 16:
		return a.round64(-65504)
	case a.elem.Width == 32:
		return a.round64(-math.MaxFloat32)
	}
	return a.round64(-math.MaxFloat64)
}

func (a *ieee) Integer(n int64) Value {
	if -1<<53 <= n && n <= 1<<53 {
		return a.round64(float64(n)) // float64 holds n, so that it is rounded once
	}
	return a.exactType.Integer(n)
}

func (a *ieee) Infinity(sign int) Value { return a.round64(math.Inf(sign)) }

func (a *ieee) Add(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.round64(a.decode(x) + a.decode(y))
}

func (a *ieee) Sub(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.round64(a.decode(x) - a.decode(y))
}

func (a *ieee) Mul(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.round64(a.decode(x) * a.decode(y))
}

func (a *ieee) Div(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	return a.round64(a.decode(x) / a.decode(y))
}

// Mean divides by the element nearest to n.
func (a *ieee) Mean(sum Value, n int64) Value { return a.Div(sum, a.Integer(n)) }

func (a *ieee) Max(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if f, g := a.decode(x), a.decode(y); g > f || f != f {
		return y
	}
	return x
}

func (a *ieee) Min(x, y Value) Value {
	if !a.has(x, y) {
		return a.other(x, y)
	}
	if f, g := a.decode(x), a.decode(y); g < f || f != f {
		return y
	}
	return x
}

func (a *ieee) Neg(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	return a.round64(-a.decode(x))
}

func (a *ieee) Relu(x Value) Value {
	switch {
	case x.tag != a.tag:
		return a.other(x)
	case a.decode(x) >= 0:
		return x
	}
	return a.of(0)
}

func (a *ieee) LeakyRelu(x, slope Value) Value {
	if x.tag == a.tag && a.decode(x) > 0 {
		return x
	}
	return a.Mul(slope, x)
}

func (a *ieee) Sqrt(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	return a.round64(math.Sqrt(a.decode(x)))
}

func (a *ieee) Round(x Value) Value {
	if x.tag != a.tag {
		return a.other(x)
	}
	return a.round64(math.Round(a.decode(x)))
}

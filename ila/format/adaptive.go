// Package format makes terms that compute with the number formats of machines, bit by bit as hardware does. Models
// are written with it; package number says independently what the formats mean.
//
//	Decode     the fixed-point number that an AdaptivFloat<8,3> code stands for
//	Encode     the code that a fixed-point number is rounded to, by one of the ways that are in use
//	Saturate   a number cut to fewer bits, symmetrically
//
// Fixed point is Q6.14: a signed number in units of 2^-14. A code of sign s, exponent e and mantissa f, of 1, 3 and
// 4 bits, stands for (-1)^s · (16 + f) · 2^(e + bias) of these units, and for 0 where e = f = 0.
package format

import "tv/semantics/term"

// Q614 is the width of Q6.14 numbers in bits.
const Q614 = 20

// A Quantiser is a way to round to a code; package number defines them.
type Quantiser uint8

const (
	Hardware  Quantiser = iota // halves toward positive infinity, no least number, saturates
	SignLost                   // the same, but what saturates loses its sign
	Reference                  // halves to even, at least the least number from half of it on
	Float                      // cuts off, at least the least number from half of it on
)

// Decode returns the number that a code stands for. Widths: code 8, bias 3, the result width bits signed, which
// must hold 31·2^(7+bias). With bias nil, units are 2^(bias-14), and 13 bits hold all numbers.
func Decode(b *term.Builder, code, bias *term.Term, width int) *term.Term {
	significand := b.ExtendU(b.Concat(b.Bits(1, 1), b.Extract(code, 0, 4)), width)
	shift := b.ExtendU(b.Extract(code, 4, 3), width)
	if bias != nil {
		shift = b.AddBits(shift, b.ExtendU(bias, width))
	}
	size := b.Shl(significand, shift)
	number := b.Choose(bit(b, code, 7), b.NegBits(size), size)
	return b.Choose(b.Equal(b.Extract(code, 0, 7), b.Bits(7, 0)), b.Bits(width, 0), number)
}

func bit(b *term.Builder, x *term.Term, at int) *term.Term {
	return b.Equal(b.Extract(x, at, 1), b.Bits(1, 1))
}

// Encode returns the code of x, and whether there is one: only Reference has none, for half the least number.
// Widths: x up to 32 bits signed, 20 for Q6.14, bias 3, the code 8.
func Encode(b *term.Builder, q Quantiser, x, bias *term.Term) (code, ok *term.Term) {
	n := x.Sort.Width
	width := n + 5
	num := func(v uint64) *term.Term { return b.Bits(width, v) }
	if2 := func(cond *term.Term, v uint64) *term.Term { return b.Choose(cond, num(v), num(0)) }
	negative := bit(b, x, n-1)
	wide := b.ExtendS(x, width)
	size := b.Choose(negative, b.NegBits(wide), wide)
	ok = b.Truth(true)
	small := b.Truth(false)
	if q == Reference || q == Float {
		least := b.Shl(num(17), b.ExtendU(bias, width))
		double := b.Shl(size, num(1))
		small = b.LessU(double, least)
		if q == Reference {
			ok = b.Not(b.Equal(double, least))
		}
		size = b.Choose(b.LessU(size, least), least, size)
	}
	// p is the place of the highest bit: 2^p <= size < 2^(p+1), found by halves
	p, rest := num(0), size
	for step := uint64(16); step > 0; step /= 2 {
		high := b.Not(b.LessU(rest, num(1<<step)))
		p = b.AddBits(p, if2(high, step))
		rest = b.Choose(high, b.ShrU(rest, num(step)), rest)
	}
	// the significand has 5 bits above 2^p of 16·size
	scaled := b.Shl(size, num(4))
	half := b.ShrU(b.Shl(num(1), p), num(1))
	some := b.Not(b.Equal(p, num(0)))
	switch q {
	case Hardware, SignLost:
		less := b.And(negative, some)
		scaled = b.AddBits(scaled, b.SubBits(half, if2(less, 1)))
	case Reference:
		odd := b.Equal(b.Extract(b.ShrU(scaled, p), 0, 1), b.Bits(1, 1))
		less := b.And(b.Not(odd), some)
		scaled = b.AddBits(scaled, b.SubBits(half, if2(less, 1)))
	}
	significand := b.ShrU(scaled, p) // 16 to 32
	carry := b.ExtendU(b.Extract(significand, 5, 1), width)
	exponent := b.SubBits(b.AddBits(p, carry), b.AddBits(b.ExtendU(bias, width), num(4)))
	zero := b.Or(b.Equal(x, b.Bits(n, 0)), b.Or(small, bit(b, exponent, width-1)))
	sign := b.Extract(x, n-1, 1)
	most := b.Concat(sign, b.Bits(7, 0x7f))
	if q == SignLost {
		most = b.Bits(8, 0x7f)
	}
	code = b.Concat(b.Concat(sign, b.Extract(exponent, 0, 3)), b.Extract(significand, 0, 4))
	code = b.Choose(b.LessU(num(7), exponent), most, code)
	return b.Choose(zero, b.Bits(8, 0), code), ok
}

// Saturate returns x, signed, cut to width bits: between -(2^(width-1) - 1) and 2^(width-1) - 1.
func Saturate(b *term.Builder, x *term.Term, width int) *term.Term {
	most := b.Bits(x.Sort.Width, term.Ones(width-1))
	least := b.NegBits(most)
	low := func(t *term.Term) *term.Term { return b.Extract(t, 0, width) }
	return b.Choose(b.LessS(most, x), low(most), b.Choose(b.LessS(x, least), low(least), low(x)))
}

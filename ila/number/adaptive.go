package number

import "math/big"

// Adaptive is AdaptivFloat of Width bits: a sign, Exp bits of exponent, and m = Width-1-Exp bits of mantissa. The
// code of sign s, exponent e and mantissa f stands for (-1)^s · 2^(e + bias + Offset) · (1 + f/2^m); e = f = 0
// stands for 0 with either sign. There are no subnormals, infinities or NaNs. The bias belongs to the tensor.
type Adaptive struct{ Width, Exp, Offset int }

// AdaptivFloat83 is what FlexASR computes with; its biases are 0 to 7.
var AdaptivFloat83 = Adaptive{Width: 8, Exp: 3, Offset: -10}

func (a Adaptive) mantissa() int { return a.Width - 1 - a.Exp }

// Value returns the number that a code stands for.
func (a Adaptive) Value(code uint64, bias int) *big.Rat {
	m := a.mantissa()
	e, f := int(code>>m&(1<<a.Exp-1)), int64(code&(1<<m-1))
	if e == 0 && f == 0 {
		return new(big.Rat)
	}
	v := new(big.Rat).SetInt64(1<<m + f)
	v.Mul(v, power(e+bias+a.Offset-m))
	if code>>(a.Width-1)&1 != 0 {
		v.Neg(v)
	}
	return v
}

// Least returns the least positive number that has a code: 2^(bias + Offset) itself has none.
func (a Adaptive) Least(bias int) *big.Rat { return a.Value(1, bias) }

// A Quantiser gives a number the code of a number near to it. FlexASR and its software have three, which differ.
type Quantiser uint8

const (
	// Hardware rounds to m+1 significant bits, halves toward positive infinity; what then lies below
	// 2^(bias + Offset) becomes 0, and so does 2^(bias + Offset), with the sign it had; what is too large becomes
	// the greatest number of its sign.
	Hardware Quantiser = iota
	// SignLost is Hardware but that what is too large becomes the greatest number, also below 0: so the public
	// source of the hardware reads, where nothing sets the sign.
	SignLost
	// Reference is that of the Python code which made the reference data: below half the least number 0, from
	// there on at least the least number, rounded to m+1 significant bits, halves to even, clipped at the greatest
	// number. Exactly half the least number has no code: the code falls through to a value that is none.
	Reference
	// Float is that of the C++ simulation: as Reference, but bits below the mantissa are cut off, and half the
	// least number becomes the least number.
	Float
)

// String prints "hardware", "sign-lost", "reference", "float".
func (q Quantiser) String() string {
	return [...]string{"hardware", "sign-lost", "reference", "float"}[q]
}

// Code returns the code that a quantiser gives v, and whether it gives one.
func (a Adaptive) Code(q Quantiser, v *big.Rat, bias int) (code uint64, ok bool) {
	if v.Sign() == 0 {
		return 0, true
	}
	m, negative := a.mantissa(), v.Sign() < 0
	size := new(big.Rat).Abs(v)
	if q == Reference || q == Float {
		least := a.Least(bias)
		switch half := new(big.Rat).Mul(least, big.NewRat(1, 2)); size.Cmp(half) {
		case -1:
			return 0, true
		case 0:
			if q == Reference {
				return 0, false
			}
		}
		if size.Cmp(least) < 0 {
			size = least
		}
	}
	// 2^p <= size < 2^(p+1)
	p := size.Num().BitLen() - size.Denom().BitLen()
	if size.Cmp(power(p)) < 0 {
		p--
	}
	units := new(big.Rat).Mul(size, power(m-p)) // of the last bit that is kept
	if negative && q != Float {
		units.Neg(units)
	}
	half := big.NewRat(1, 2)
	whole := floor(units)
	switch q {
	case Hardware, SignLost:
		whole = floor(new(big.Rat).Add(units, half))
	case Reference:
		rest := new(big.Rat).Sub(units, new(big.Rat).SetInt(whole))
		if c := rest.Cmp(half); c > 0 || c == 0 && whole.Bit(0) == 1 {
			whole.Add(whole, big.NewInt(1))
		}
	}
	n := whole.Abs(whole).Uint64() // 2^m to 2^(m+1)
	if n == 1<<(m+1) {
		n, p = n/2, p+1
	}
	sign := uint64(0)
	if negative {
		sign = 1 << (a.Width - 1)
	}
	switch e := p - bias - a.Offset; {
	case e < 0:
		return 0, true
	case e >= 1<<a.Exp:
		if q == SignLost {
			sign = 0
		}
		return sign | (1<<(a.Width-1) - 1), true
	default:
		return sign | uint64(e)<<m | n&(1<<m-1), true
	}
}

// A Fixed is Qm.n with its sign in m: signed integers of Width bits, in units of 2^-Frac.
type Fixed struct{ Width, Frac int }

// Q614 is what the activation units of FlexASR compute with.
var Q614 = Fixed{Width: 20, Frac: 14}

// Value returns the number that a code of Width bits stands for.
func (f Fixed) Value(code uint64) *big.Rat {
	n := int64(code<<(64-f.Width)) >> (64 - f.Width)
	return new(big.Rat).Mul(new(big.Rat).SetInt64(n), power(-f.Frac))
}

// Code returns the code of v, and whether it has one.
func (f Fixed) Code(v *big.Rat) (code uint64, ok bool) {
	units := new(big.Rat).Mul(v, power(f.Frac))
	most := new(big.Int).Lsh(big.NewInt(1), uint(f.Width-1))
	if !units.IsInt() || units.Num().Cmp(most) >= 0 || units.Num().Cmp(new(big.Int).Neg(most)) < 0 {
		return 0, false
	}
	return uint64(units.Num().Int64()) & (1<<f.Width - 1), true
}

// Table returns the code that a quantiser gives to each number of f, by code of f, which has at most 24 bits. A
// number that gets none has code 1<<Width. Codes do not fall while numbers rise (those below 0 rise in the
// reverse order of their codes), so between two numbers with the same code all have it: only the ends of such
// stretches are looked at.
func (a Adaptive) Table(q Quantiser, f Fixed, bias int) []uint64 {
	table := make([]uint64, 1<<f.Width)
	at := func(n int64) uint64 {
		code, ok := a.Code(q, f.Value(uint64(n)&(1<<f.Width-1)), bias)
		if !ok {
			return 1 << a.Width
		}
		return code
	}
	var fill func(from, to int64, first, last uint64)
	fill = func(from, to int64, first, last uint64) {
		if first == last {
			for n := from; n <= to; n++ {
				table[uint64(n)&(1<<f.Width-1)] = first
			}
			return
		}
		if to-from == 1 {
			table[uint64(from)&(1<<f.Width-1)], table[uint64(to)&(1<<f.Width-1)] = first, last
			return
		}
		mid := (from + to) / 2
		code := at(mid)
		fill(from, mid, first, code)
		fill(mid, to, code, last)
	}
	most := int64(1) << (f.Width - 1)
	// numbers of one sign at a time: SignLost is monotone on either side only
	for _, side := range [][2]int64{{-most, -1}, {0, most - 1}} {
		fill(side[0], side[1], at(side[0]), at(side[1]))
	}
	return table
}

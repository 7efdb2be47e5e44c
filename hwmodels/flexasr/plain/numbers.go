package plain

// signed returns the low bits of v as a signed number.
func signed(v int64, bits int) int64 { return v << (64 - bits) >> (64 - bits) }

// decode returns the number of a code: a sign, an exponent of 3 bits and 4 bits of the mantissa, which is 16 and more. Its unit
// is 2^-14 with the bias of a tensor, and 2^(bias-14) where 0 stands for that.
func decode(code int64, bias int) int64 {
	if code&0x7f == 0 {
		return 0
	}
	v := (16 + code&15) << (int(code>>4&7) + bias)
	if code&0x80 != 0 {
		return -v
	}
	return v
}

// encode returns the code of x units of 2^-fraction: five significant bits, the nearest, halves toward plus infinity.
func (m *Machine) encode(x int64, fraction, bias int) int64 {
	if x == 0 {
		return 0
	}
	sign, size := int64(0), x
	if x < 0 {
		sign, size = 0x80, -x
	}
	p := 0
	for size>>(p+1) != 0 {
		p++
	}
	// x = n · 2^(p-4) with n of five bits: doubled until nothing is cut off
	num, den := x, int64(1)
	if p >= 4 {
		den = 1 << (p - 4)
	} else {
		num = x << (4 - p)
	}
	twice := 2*num + den // floor(num/den + 1/2)
	n := twice / (2 * den)
	if twice < 0 && twice%(2*den) != 0 {
		n--
	}
	if n < 0 {
		n = -n
	}
	e := p - fraction + 10 - bias
	if n == 32 {
		n, e = 16, e+1
	}
	switch {
	case e < 0:
		return 0
	case e > 7:
		if m.SignLost {
			sign = 0
		}
		return sign | 0x7f
	}
	return sign | int64(e)<<4 | n&15
}

// product is of numbers of Q6.14: 40 bits, of which 14 are cut off; the low 20.
func product(x, y int64) int64 { return signed(signed(x*y, 40)>>14, 20) }

// quotient cuts toward zero.
func quotient(x, y int64) int64 { return x / y }

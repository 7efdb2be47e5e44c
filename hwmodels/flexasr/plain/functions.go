package plain

// The pieces of lines: y = m·f + c.
var (
	sigmM = [...]int64{155, 130, 92, 58, 34, 19, 10, 6}
	sigmC = [...]int64{513, 668, 798, 890, 948, 982, 1001, 1012}
	tanhM = [...]int64{251, 224, 177, 129, 88, 57, 37, 23, 14, 9, 5, 3}
	tanhC = [...]int64{1, 252, 476, 653, 783, 871, 928, 965, 988, 1002, 1011, 1016}
	sqrtM = [...]int64{-331, -279, -240, -210, -185, -165, -148, -134}
	sqrtC = [...]int64{5789, 5458, 5178, 4938, 4728, 4543, 4378, 4229}
	expM  = [...]int64{194, 230, 273, 325}
	expC  = [...]int64{1022, 1216, 1446, 1719}
)

// Sigmoid takes a number of Q6.14 to one.
func Sigmoid(x int64) int64 {
	size := x
	if x < 0 {
		size = -x
	}
	y := int64(1<<20 - 1) // units of 2^-20
	if size < 5<<14 {
		s := (size >> 4) * 819 / 512 // units of 2^-10
		y = sigmM[s/1024%8]*(s%1024) + sigmC[s/1024%8]*1024
	}
	if x < 0 {
		y = 1<<20 - y
	}
	return y / 64
}

// Tanh is tanh of a number of Q6.14.
func Tanh(x int64) int64 {
	size := x
	if x < 0 {
		size = -x
	}
	y := int64(1<<20 - 1)
	if size < 3<<14 {
		s := size * 4 / 16 // units of 2^-10
		y = tanhM[s/1024]*(s%1024) + tanhC[s/1024]*1024
	}
	if x < 0 {
		y = -y
	}
	return y >> 6 // toward minus infinity
}

// InverseRoot is 1/sqrt of 20 bits, 14 of them behind the point; all ones for 0.
func InverseRoot(x int64) int64 {
	if x == 0 {
		return 1<<20 - 1
	}
	// x·2^-14 = n·2^e with n in [1/2, 1); fraction is n - 1/2 in units of 2^-20
	e := 6
	for x < 1<<19 {
		x, e = 2*x, e-1
	}
	s := (x - 1<<19) * 16 / 256 // units of 2^-12
	y := sqrtM[s/4096]*(s%4096) + sqrtC[s/4096]*4096
	if e&1 != 0 {
		y = y * 2896 / 4096
	}
	for ; e >= 2; e -= 2 {
		y /= 2
	}
	if e < 0 {
		y <<= (1 - e) / 2
	}
	return y / 1024 & (1<<20 - 1) // 24 bits behind the point become 14
}

// Exponential takes a number of Q12.20 to 32 bits, 20 of them behind the point.
func Exponential(x int64) int64 {
	t := x * 23637 >> 14 // log2(e)·x, units of 2^-20, cut
	whole, f := t>>20, t&(1<<20-1)
	s := f * 4 >> 10 // units of 2^-10
	y := expM[s/1024]*(s%1024) + expC[s/1024]*1024
	switch {
	case whole < -40:
		return 0
	case whole < 0:
		return y >> -whole
	case whole > 31:
		return 0
	}
	return y << whole & (1<<32 - 1)
}

// Share is the narrow quotient: of each operand two bits before the point and four behind it; two and eight of the result.
func Share(x, y int64) int64 {
	x, y = x>>16&63, y>>16&63
	if y == 0 {
		return 1023
	}
	return x * 256 / y & 1023
}

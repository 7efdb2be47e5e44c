package recur

// A ratio is a rational number in words, in lowest terms, its denominator above 0. Arithmetic panics with tooLarge.
type ratio struct{ n, d int64 }

func whole(n int64) ratio { return ratio{n, 1} }

func lowest(n, d int64) ratio {
	if d < 0 {
		n, d = mul(n, -1), mul(d, -1)
	}
	if g := gcd(n, d); g > 1 {
		n, d = n/g, d/g
	}
	return ratio{n, d}
}

func (a ratio) plus(b ratio) ratio {
	if a.d == 1 && b.d == 1 {
		return ratio{add(a.n, b.n), 1}
	}
	return lowest(add(mul(a.n, b.d), mul(b.n, a.d)), mul(a.d, b.d))
}

func (a ratio) times(b ratio) ratio {
	if a.n == 0 || b.n == 0 {
		return ratio{0, 1}
	}
	if a.d == 1 && b.d == 1 {
		return ratio{mul(a.n, b.n), 1}
	}
	g, h := gcd(a.n, b.d), gcd(b.n, a.d)
	return ratio{mul(a.n/g, b.n/h), mul(a.d/h, b.d/g)}
}

func (a ratio) neg() ratio { return ratio{mul(a.n, -1), a.d} }

func (a ratio) inverse() ratio { return lowest(a.d, a.n) }

func (a ratio) sign() int {
	switch {
	case a.n > 0:
		return 1
	case a.n < 0:
		return -1
	}
	return 0
}

func (a ratio) less(b ratio) bool { return a.plus(b.neg()).n < 0 }

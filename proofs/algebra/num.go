package algebra

import (
	"math/big"
	"strconv"
)

// A Num is an exact integer. Small ones take no memory; the zero value is 0.
type Num struct {
	small int64
	big   *big.Int // if it does not fit small
}

// Int returns the number n.
func Int(n int64) Num { return Num{small: n} }

func BigNum(n *big.Int) Num {
	if n.IsInt64() {
		return Num{small: n.Int64()}
	}
	return Num{big: n}
}

// Big returns the value as a big integer.
func (x Num) Big() *big.Int {
	if x.big != nil {
		return x.big
	}
	return big.NewInt(x.small)
}

// Int64 returns the value if it fits.
func (x Num) Int64() (int64, bool) { return x.small, x.big == nil }

// Sign returns -1, 0 or 1.
func (x Num) Sign() int { return x.Cmp(Num{}) }

// Cmp compares x with y: -1, 0 or 1.
func (x Num) Cmp(y Num) int {
	if x.big == nil && y.big == nil {
		switch {
		case x.small < y.small:
			return -1
		case x.small > y.small:
			return 1
		}
		return 0
	}
	return x.Big().Cmp(y.Big())
}

func (x Num) is(n int64) bool { return x.big == nil && x.small == n }

// Add returns x + y.
func (x Num) Add(y Num) Num {
	if s := x.small + y.small; x.big == nil && y.big == nil && (s > x.small) == (y.small > 0) {
		return Num{small: s}
	}
	return BigNum(new(big.Int).Add(x.Big(), y.Big()))
}

// Neg returns -x.
func (x Num) Neg() Num { return x.Mul(Int(-1)) }

// Mul returns x * y.
func (x Num) Mul(y Num) Num {
	const half = 1 << 31
	if x.big == nil && y.big == nil && x.small > -half && x.small < half &&
		y.small > -half && y.small < half {
		return Num{small: x.small * y.small}
	}
	return BigNum(new(big.Int).Mul(x.Big(), y.Big()))
}

// DivMod returns x div y, rounded down, and x - y·(x div y), for y > 0.
func (x Num) DivMod(y Num) (Num, Num) {
	if x.big == nil && y.big == nil {
		q, r := x.small/y.small, x.small%y.small
		if r < 0 {
			q, r = q-1, r+y.small
		}
		return Int(q), Int(r)
	}
	q, r := new(big.Int).DivMod(x.Big(), y.Big(), new(big.Int))
	return BigNum(q), BigNum(r)
}

func (x Num) gcd(y Num) Num {
	a, b := new(big.Int).Abs(x.Big()), new(big.Int).Abs(y.Big())
	return BigNum(a.GCD(nil, nil, a, b))
}

// String returns the decimal digits.
func (x Num) String() string {
	if x.big == nil {
		return strconv.FormatInt(x.small, 10)
	}
	return x.big.String()
}

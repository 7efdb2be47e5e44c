package index

import (
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"tv/internal/mix"
)

// A Num is an exact integer. The zero value is 0. Values that fit are kept in an int64; nothing wraps.
type Num struct {
	v int64
	b *big.Int // set when the value does not fit v
}

// Int returns n as a Num.
func Int(n int64) Num { return Num{v: n} }

// BigNum returns n as a Num.
func BigNum(n *big.Int) Num {
	if n.IsInt64() {
		return Num{v: n.Int64()}
	}
	return Num{b: new(big.Int).Set(n)}
}

// Big returns a copy of the value.
func (a Num) Big() *big.Int {
	if a.b != nil {
		return new(big.Int).Set(a.b)
	}
	return big.NewInt(a.v)
}

// Int64 returns the value if it fits.
func (a Num) Int64() (int64, bool) { return a.v, a.b == nil }

// Sign returns -1, 0 or 1.
func (a Num) Sign() int {
	if a.b != nil {
		return a.b.Sign()
	}
	switch {
	case a.v < 0:
		return -1
	case a.v > 0:
		return 1
	}
	return 0
}

// IsOne reports whether a is 1.
func (a Num) IsOne() bool { return a.b == nil && a.v == 1 }

// Cmp compares two numbers.
func (a Num) Cmp(c Num) int {
	if a.b == nil && c.b == nil {
		switch {
		case a.v < c.v:
			return -1
		case a.v > c.v:
			return 1
		}
		return 0
	}
	return a.Big().Cmp(c.Big())
}

// Add returns a + c.
func (a Num) Add(c Num) Num {
	if a.b == nil && c.b == nil {
		if s := a.v + c.v; (s > a.v) == (c.v > 0) {
			return Num{v: s}
		}
	}
	return BigNum(new(big.Int).Add(a.Big(), c.Big()))
}

// Neg returns -a.
func (a Num) Neg() Num {
	if a.b == nil && a.v != math.MinInt64 {
		return Num{v: -a.v}
	}
	return BigNum(new(big.Int).Neg(a.Big()))
}

// Sub returns a - c.
func (a Num) Sub(c Num) Num { return a.Add(c.Neg()) }

// Mul returns a · c.
func (a Num) Mul(c Num) Num {
	if a.b == nil && c.b == nil {
		if a.v == 0 || c.v == 0 {
			return Num{}
		}
		if hi, lo := bits.Mul64(magnitude(a.v), magnitude(c.v)); hi == 0 && lo < 1<<63 {
			if (a.v < 0) != (c.v < 0) {
				return Num{v: -int64(lo)}
			}
			return Num{v: int64(lo)}
		}
	}
	return BigNum(new(big.Int).Mul(a.Big(), c.Big()))
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-(v + 1)) + 1
	}
	return uint64(v)
}

// DivMod returns floor(a/c) and a - c·floor(a/c). It panics if c is not positive.
func (a Num) DivMod(c Num) (Num, Num) {
	if c.Sign() <= 0 {
		panic("index: division by a number that is not positive")
	}
	if a.b == nil && c.b == nil {
		q, r := a.v/c.v, a.v%c.v
		if r < 0 {
			q, r = q-1, r+c.v
		}
		return Num{v: q}, Num{v: r}
	}
	q, r := new(big.Int).DivMod(a.Big(), c.Big(), new(big.Int)) // Euclidean: equals floor for c > 0
	return BigNum(q), BigNum(r)
}

// GCD returns the greatest common divisor of |a| and |c|; gcd(0, c) = |c|.
func (a Num) GCD(c Num) Num {
	return BigNum(new(big.Int).GCD(nil, nil, new(big.Int).Abs(a.Big()), new(big.Int).Abs(c.Big())))
}

// String prints a decimal.
func (a Num) String() string {
	if a.b != nil {
		return a.b.String()
	}
	return strconv.FormatInt(a.v, 10)
}

func (a Num) hash() uint64 {
	if a.b != nil {
		h := uint64(14695981039346656037)
		for _, w := range a.b.Bits() {
			h = mix.Word(h, uint64(w))
		}
		return h + uint64(a.b.Sign())
	}
	return uint64(a.v)
}

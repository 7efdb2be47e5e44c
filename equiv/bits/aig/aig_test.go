package aig

import (
	"math/big"
	"math/rand/v2"
	"testing"

	_ "tv/internal/tier"
)

// value reads a word's k-th value.
func value(w Word, values []uint64, k int) uint64 {
	n := uint64(0)
	for i, l := range w {
		n |= l.Value(values) >> k & 1 << i
	}
	return n
}

// extend reads the low w bits of n as a signed number.
func extend(n uint64, w int) int64 { return int64(n<<(64-w)) >> (64 - w) }

// TestWords compares each formula with Go's arithmetic, at all operands of up to 4 bits and some wider ones.
func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, w := range []int{1, 2, 3, 4, 5, 8, 13, 32} {
		g := New()
		a, b := g.InputWord("a", w, 0), g.InputWord("b", w, 0)
		mask := uint64(1)<<w - 1
		sum, _ := g.Add(a, b, False)
		diff, enough := g.Sub(a, b)
		q, rem := g.DivRem(a, b)
		abs := func(x, n uint64) uint64 {
			if extend(x, w) < 0 {
				return -n
			}
			return n
		}
		ops := []struct {
			name string
			got  Word
			want func(a, b uint64) uint64
		}{
			{"add", sum, func(a, b uint64) uint64 { return a + b }},
			{"sub", diff, func(a, b uint64) uint64 { return a - b }},
			{"enough", Word{enough}, func(a, b uint64) uint64 { return truth(a >= b) }},
			{"neg", g.Neg(a), func(a, b uint64) uint64 { return -a }},
			{"mul", g.Mul(a, b), func(a, b uint64) uint64 { return a * b }},
			{"udiv", q, func(a, b uint64) uint64 {
				if b == 0 {
					return mask
				}
				return a / b
			}},
			{"urem", rem, func(a, b uint64) uint64 {
				if b == 0 {
					return a
				}
				return a % b
			}},
			{"sdiv", g.SDiv(a, b), func(a, b uint64) uint64 {
				switch {
				case b == 0 && extend(a, w) < 0:
					return 1
				case b == 0:
					return mask
				}
				return uint64(extend(a, w) / extend(b, w))
			}},
			{"srem", g.SRem(a, b), func(a, b uint64) uint64 {
				if b == 0 {
					return a
				}
				return uint64(extend(a, w) % extend(b, w))
			}},
			{"smod", g.SMod(a, b), func(a, b uint64) uint64 {
				if b == 0 {
					return a
				}
				m := extend(a, w) % extend(b, w)
				if m != 0 && m < 0 != (extend(b, w) < 0) {
					m += extend(b, w)
				}
				return uint64(m)
			}},
			{"abs", g.abs(a), func(a, b uint64) uint64 { return abs(a, a) }},
			{"shl", g.Shl(a, b), func(a, b uint64) uint64 { return a << min(b, 64) }},
			{"lshr", g.LShr(a, b), func(a, b uint64) uint64 { return a >> min(b, 64) }},
			{"ashr", g.AShr(a, b), func(a, b uint64) uint64 { return uint64(extend(a, w) >> min(b, 63)) }},
			{"eq", Word{g.Eq(a, b)}, func(a, b uint64) uint64 { return truth(a == b) }},
			{"ult", Word{g.ULt(a, b)}, func(a, b uint64) uint64 { return truth(a < b) }},
			{"slt", Word{g.SLt(a, b)}, func(a, b uint64) uint64 { return truth(extend(a, w) < extend(b, w)) }},
		}
		for round := range 8 {
			in, values := make([]uint64, 2*w), make([]uint64, g.Len())
			for i := range in {
				in[i] = r.Uint64()
				if round > 3 && i%2 == 0 {
					in[i] &= r.Uint64() & r.Uint64()
				}
			}
			if w <= 3 || w == 4 && round < 4 { // all of them
				for i := range in {
					in[i] = 0
					for k := range 64 {
						in[i] |= uint64((k+64*round)>>i&1) << k
					}
				}
			}
			g.Simulate(in, values)
			for k := range 64 {
				x, y := value(a, values, k), value(b, values, k)
				for _, op := range ops {
					m := mask
					if len(op.got) == 1 {
						m = 1
					}
					if got, want := value(op.got, values, k), op.want(x, y)&m; got != want {
						t.Fatalf("%s(%#x, %#x) at width %d: %#x, want %#x", op.name, x, y, w, got, want)
					}
				}
			}
		}
	}
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func TestTable(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		g, init := New(), new(big.Int).SetUint64(r.Uint64())
		in := g.InputWord("i", 6, 0)
		out := g.Table(init, in)
		words, values := make([]uint64, 6), make([]uint64, g.Len())
		for i := range words {
			for k := range 64 {
				words[i] |= uint64(k>>i&1) << k
			}
		}
		g.Simulate(words, values)
		if got := out.Value(values); got != init.Uint64() {
			t.Fatalf("table %#x is %#x", init, got)
		}
	}
}

// TestGates: equal gates are one, and what folds folds.
func TestGates(t *testing.T) {
	g := New()
	a, b := g.Input(Signal{Port: "a"}), g.Input(Signal{Port: "b"})
	for _, c := range []struct{ got, want Lit }{
		{g.And(a, False), False}, {g.And(True, b), b}, {g.And(a, a), a}, {g.And(a, a.Not()), False},
		{g.And(a, b), g.And(b, a)}, {g.Mux(a, b, b), b}, {g.Xor(a, False), a}, {g.Xor(a, True), a.Not()},
		{g.Or(a, True), True}, {g.Input(Signal{Port: "a"}), a},
	} {
		if c.got != c.want {
			t.Errorf("%d, want %d", c.got, c.want)
		}
	}
	for i := range 4000 { // the table grows
		g.And(g.Input(Signal{Port: "c", Bit: i}), a)
	}
	for i := range 4000 {
		c := g.Input(Signal{Port: "c", Bit: i})
		if l, ok := g.Find(a, c); !ok || g.And(c, a) != l {
			t.Fatalf("gate %d is not found", i)
		}
	}
}

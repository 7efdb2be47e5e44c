package refine

import (
	"math/big"
	"math/rand/v2"

	"tv/semantics/term"
)

// A random expression is built as a term and, beside it, as a function on big integers that shares nothing
// with package term.
type pair struct {
	t *term.Term
	f func(in []uint64) *big.Int
}

func modulo(x *big.Int, width int) *big.Int {
	return new(big.Int).And(x, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1)))
}

func signed(x *big.Int, width int) *big.Int {
	if x.Bit(width-1) == 1 {
		return new(big.Int).Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return x
}

type generator struct {
	r  *rand.Rand
	b  *term.Builder
	in []*term.Term
}

// bits returns an expression of the given width.
func (g *generator) bits(width, depth int) pair {
	b := g.b
	if depth == 0 || g.r.IntN(8) == 0 {
		if n := g.r.IntN(len(g.in) + 1); n < len(g.in) {
			x := g.in[n]
			leaf := pair{x, func(in []uint64) *big.Int { return new(big.Int).SetUint64(in[n]) }}
			return g.fit(leaf, width)
		}
		v := g.r.Uint64() & term.Ones(width)
		return pair{b.Bits(width, v), func([]uint64) *big.Int { return new(big.Int).SetUint64(v) }}
	}
	x, y := g.bits(width, depth-1), g.bits(width, depth-1)
	two := func(t *term.Term, f func(x, y *big.Int) *big.Int) pair {
		return pair{t, func(in []uint64) *big.Int { return modulo(f(x.f(in), y.f(in)), width) }}
	}
	shift := func(t *term.Term, f func(x *big.Int, n uint) *big.Int) pair {
		return two(t, func(x, y *big.Int) *big.Int { return f(x, uint(min(y.Uint64(), 200))) })
	}
	switch g.r.IntN(16) {
	case 0:
		return two(b.AddBits(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) })
	case 1:
		return two(b.MulBits(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) })
	case 2:
		return two(b.SubBits(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) })
	case 3:
		return two(b.And(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).And(x, y) })
	case 4:
		return two(b.Or(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Or(x, y) })
	case 5:
		return two(b.Xor(x.t, y.t), func(x, y *big.Int) *big.Int { return new(big.Int).Xor(x, y) })
	case 6:
		return two(b.Not(x.t), func(x, _ *big.Int) *big.Int { return new(big.Int).Not(x) })
	case 7:
		return shift(b.Shl(x.t, y.t), func(x *big.Int, n uint) *big.Int { return new(big.Int).Lsh(x, n) })
	case 8:
		return shift(b.ShrU(x.t, y.t), func(x *big.Int, n uint) *big.Int { return new(big.Int).Rsh(x, n) })
	case 9:
		return shift(b.ShrS(x.t, y.t), func(x *big.Int, n uint) *big.Int { return new(big.Int).Rsh(signed(x, width), n) })
	case 10:
		return two(b.MaxS(x.t, y.t), func(x, y *big.Int) *big.Int {
			if signed(x, width).Cmp(signed(y, width)) < 0 {
				return y
			}
			return x
		})
	case 11:
		return two(b.Choose(b.LessU(x.t, y.t), x.t, b.NegBits(y.t)), func(x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return new(big.Int).Neg(y)
		})
	case 12:
		if width > 1 {
			cut := 1 + g.r.IntN(width-1)
			high, low := g.bits(width-cut, depth-1), g.bits(cut, depth-1)
			return pair{b.Concat(high.t, low.t), func(in []uint64) *big.Int {
				return new(big.Int).Or(new(big.Int).Lsh(high.f(in), uint(cut)), low.f(in))
			}}
		}
	case 13:
		return g.fit(g.bits(1+g.r.IntN(20), depth-1), width)
	case 14:
		u, v := g.bits(1+g.r.IntN(width), depth-1), g.bits(1+g.r.IntN(width), depth-1)
		return pair{b.Dot(width, u.t, v.t, x.t, y.t), func(in []uint64) *big.Int {
			sum := new(big.Int).Mul(signed(u.f(in), u.t.Sort.Width), signed(v.f(in), v.t.Sort.Width))
			sum.Add(sum, new(big.Int).Mul(signed(x.f(in), width), signed(y.f(in), width)))
			return modulo(sum, width)
		}}
	case 15:
		return two(b.DivU(x.t, b.Or(y.t, b.Bits(width, 1))), func(x, y *big.Int) *big.Int {
			return new(big.Int).Div(x, new(big.Int).Or(y, big.NewInt(1)))
		})
	}
	return x
}

// fit extends or cuts an expression.
func (g *generator) fit(p pair, width int) pair {
	have := p.t.Sort.Width
	if have >= width {
		low := g.r.IntN(have - width + 1)
		return pair{g.b.Extract(p.t, low, width), func(in []uint64) *big.Int {
			return modulo(new(big.Int).Rsh(p.f(in), uint(low)), width)
		}}
	}
	if g.r.IntN(2) == 0 {
		return pair{g.b.ExtendU(p.t, width), p.f}
	}
	return pair{g.b.ExtendS(p.t, width), func(in []uint64) *big.Int { return modulo(signed(p.f(in), have), width) }}
}

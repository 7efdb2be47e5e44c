package examples

import (
	"math/big"
	"math/rand/v2"

	"tv/semantics/term"
)

// A Pair is an expression as a term and, beside it, as a function of the inputs on big integers, which shares nothing
// with package term.
type Pair struct {
	Term  *term.Term
	Value func(in []uint64) *big.Int
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

// Expressions draws expressions over the inputs In.
type Expressions struct {
	R  *rand.Rand
	B  *term.Builder
	In []*term.Term
}

// Bits draws an expression of the given width.
func (g *Expressions) Bits(width, depth int) Pair {
	b := g.B
	if depth == 0 || g.R.IntN(8) == 0 {
		if n := g.R.IntN(len(g.In) + 1); n < len(g.In) {
			x := g.In[n]
			leaf := Pair{x, func(in []uint64) *big.Int { return new(big.Int).SetUint64(in[n]) }}
			return g.fit(leaf, width)
		}
		v := g.R.Uint64() & term.Ones(width)
		return Pair{b.Bits(width, v), func([]uint64) *big.Int { return new(big.Int).SetUint64(v) }}
	}
	x, y := g.Bits(width, depth-1), g.Bits(width, depth-1)
	two := func(t *term.Term, f func(x, y *big.Int) *big.Int) Pair {
		return Pair{t, func(in []uint64) *big.Int { return modulo(f(x.Value(in), y.Value(in)), width) }}
	}
	shift := func(t *term.Term, f func(x *big.Int, n uint) *big.Int) Pair {
		return two(t, func(x, y *big.Int) *big.Int { return f(x, uint(min(y.Uint64(), 200))) })
	}
	switch g.R.IntN(16) {
	case 0:
		return two(b.AddBits(x.Term, y.Term), func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) })
	case 1:
		return two(b.MulBits(x.Term, y.Term), func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) })
	case 2:
		return two(b.SubBits(x.Term, y.Term), func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) })
	case 3:
		return two(b.And(x.Term, y.Term), func(x, y *big.Int) *big.Int { return new(big.Int).And(x, y) })
	case 4:
		return two(b.Or(x.Term, y.Term), func(x, y *big.Int) *big.Int { return new(big.Int).Or(x, y) })
	case 5:
		return two(b.Xor(x.Term, y.Term), func(x, y *big.Int) *big.Int { return new(big.Int).Xor(x, y) })
	case 6:
		return two(b.Not(x.Term), func(x, _ *big.Int) *big.Int { return new(big.Int).Not(x) })
	case 7:
		return shift(b.Shl(x.Term, y.Term), func(x *big.Int, n uint) *big.Int { return new(big.Int).Lsh(x, n) })
	case 8:
		return shift(b.ShrU(x.Term, y.Term), func(x *big.Int, n uint) *big.Int { return new(big.Int).Rsh(x, n) })
	case 9:
		return shift(b.ShrS(x.Term, y.Term), func(x *big.Int, n uint) *big.Int { return new(big.Int).Rsh(signed(x, width), n) })
	case 10:
		return two(b.MaxS(x.Term, y.Term), func(x, y *big.Int) *big.Int {
			if signed(x, width).Cmp(signed(y, width)) < 0 {
				return y
			}
			return x
		})
	case 11:
		return two(b.Choose(b.LessU(x.Term, y.Term), x.Term, b.NegBits(y.Term)), func(x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return new(big.Int).Neg(y)
		})
	case 12:
		if width > 1 {
			cut := 1 + g.R.IntN(width-1)
			high, low := g.Bits(width-cut, depth-1), g.Bits(cut, depth-1)
			return Pair{b.Concat(high.Term, low.Term), func(in []uint64) *big.Int {
				return new(big.Int).Or(new(big.Int).Lsh(high.Value(in), uint(cut)), low.Value(in))
			}}
		}
	case 13:
		return g.fit(g.Bits(1+g.R.IntN(20), depth-1), width)
	case 14:
		u, v := g.Bits(1+g.R.IntN(width), depth-1), g.Bits(1+g.R.IntN(width), depth-1)
		return Pair{b.Dot(width, u.Term, v.Term, x.Term, y.Term), func(in []uint64) *big.Int {
			sum := new(big.Int).Mul(signed(u.Value(in), u.Term.Sort.Width), signed(v.Value(in), v.Term.Sort.Width))
			sum.Add(sum, new(big.Int).Mul(signed(x.Value(in), width), signed(y.Value(in), width)))
			return modulo(sum, width)
		}}
	case 15:
		return two(b.DivU(x.Term, b.Or(y.Term, b.Bits(width, 1))), func(x, y *big.Int) *big.Int {
			return new(big.Int).Div(x, new(big.Int).Or(y, big.NewInt(1)))
		})
	}
	return x
}

// fit extends or cuts an expression.
func (g *Expressions) fit(p Pair, width int) Pair {
	have := p.Term.Sort.Width
	if have >= width {
		low := g.R.IntN(have - width + 1)
		return Pair{g.B.Extract(p.Term, low, width), func(in []uint64) *big.Int {
			return modulo(new(big.Int).Rsh(p.Value(in), uint(low)), width)
		}}
	}
	if g.R.IntN(2) == 0 {
		return Pair{g.B.ExtendU(p.Term, width), p.Value}
	}
	return Pair{g.B.ExtendS(p.Term, width), func(in []uint64) *big.Int { return modulo(signed(p.Value(in), have), width) }}
}

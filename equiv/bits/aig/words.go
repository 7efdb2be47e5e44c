package aig

import "math/big"

// A Word is a number in bits, least first.
type Word []Lit

// Constant returns the low width bits of v, which is not negative.
func Constant(v *big.Int, width int) Word {
	w := make(Word, width)
	for i := range w {
		w[i] = Bool(v.Bit(i) != 0)
	}
	return w
}

// InputWord returns the bits of a port, delay cycles ago.
func (g *Graph) InputWord(port string, width, delay int) Word {
	w := make(Word, width)
	for i := range w {
		w[i] = g.Input(Signal{Port: port, Bit: i, Delay: delay})
	}
	return w
}

// NotWord negates each bit.
func (g *Graph) NotWord(a Word) Word {
	w := make(Word, len(a))
	for i, l := range a {
		w[i] = l.Not()
	}
	return w
}

// Bitwise applies a gate to each pair of bits.
func Bitwise(gate func(a, b Lit) Lit, a, b Word) Word {
	w := make(Word, len(a))
	for i := range a {
		w[i] = gate(a[i], b[i])
	}
	return w
}

// Ite returns a if s holds, else b.
func (g *Graph) Ite(s Lit, a, b Word) Word {
	return Bitwise(func(a, b Lit) Lit { return g.Mux(s, a, b) }, a, b)
}

// Add returns a + b + carry, and what is carried out.
func (g *Graph) Add(a, b Word, carry Lit) (Word, Lit) {
	sum := make(Word, len(a))
	for i := range a {
		x := g.Xor(a[i], b[i])
		sum[i] = g.Xor(x, carry)
		carry = g.Or(g.And(a[i], b[i]), g.And(x, carry))
	}
	return sum, carry
}

// Sub returns a - b, and whether nothing was borrowed: a >= b.
func (g *Graph) Sub(a, b Word) (Word, Lit) { return g.Add(a, g.NotWord(b), True) }

// Neg returns -a.
func (g *Graph) Neg(a Word) Word {
	sum, _ := g.Add(g.NotWord(a), make(Word, len(a)), True)
	return sum
}

// Mul returns the product, as wide as its factors: rows are added from the lowest.
func (g *Graph) Mul(a, b Word) Word {
	p := make(Word, len(a))
	for i := range b {
		row := make(Word, len(a))
		for j := i; j < len(a); j++ {
			row[j] = g.And(a[j-i], b[i])
		}
		p, _ = g.Add(p, row, False)
	}
	return p
}

// DivRem returns the unsigned quotient and remainder; all ones and a where b is 0.
func (g *Graph) DivRem(a, b Word) (q, r Word) {
	w := len(a)
	q, r = make(Word, w), make(Word, w+1)
	wide := append(append(Word{}, b...), False)
	for i := w - 1; i >= 0; i-- {
		r = append(Word{a[i]}, r[:w]...)
		t, enough := g.Sub(r, wide)
		q[i], r = enough, g.Ite(enough, t, r)
	}
	return q, r[:w]
}

func sign(a Word) Lit { return a[len(a)-1] }

func (g *Graph) abs(a Word) Word { return g.Ite(sign(a), g.Neg(a), a) }

// SDiv is bvsdiv: it truncates towards zero.
func (g *Graph) SDiv(a, b Word) Word {
	q, _ := g.DivRem(g.abs(a), g.abs(b))
	return g.Ite(g.Xor(sign(a), sign(b)), g.Neg(q), q)
}

// SRem is bvsrem: the remainder has the sign of a.
func (g *Graph) SRem(a, b Word) Word {
	_, r := g.DivRem(g.abs(a), g.abs(b))
	return g.Ite(sign(a), g.Neg(r), r)
}

// SMod is bvsmod: the remainder has the sign of b.
func (g *Graph) SMod(a, b Word) Word {
	_, u := g.DivRem(g.abs(a), g.abs(b))
	minus := g.Neg(u)
	up, _ := g.Add(u, b, False)
	down, _ := g.Add(minus, b, False)
	signed := g.Ite(sign(a), g.Ite(sign(b), minus, down), g.Ite(sign(b), up, u))
	return g.Ite(g.Eq(u, make(Word, len(u))), u, signed)
}

// shift moves a by what amount says, through steps of powers of 2; by(w, k) moves w by k < len(w).
func (g *Graph) shift(a, amount Word, fill Lit, by func(w Word, k int) Word) Word {
	j := 0
	for ; j < len(amount) && 1<<j < len(a); j++ {
		a = g.Ite(amount[j], by(a, 1<<j), a)
	}
	if j < len(amount) {
		all := make(Word, len(a))
		for i := range all {
			all[i] = fill
		}
		a = g.Ite(g.OrAll(amount[j:]), all, a)
	}
	return a
}

// Shl shifts to the left.
func (g *Graph) Shl(a, amount Word) Word {
	return g.shift(a, amount, False, func(w Word, k int) Word {
		return append(make(Word, k), w[:len(w)-k]...)
	})
}

// LShr shifts zeros in from the left.
func (g *Graph) LShr(a, amount Word) Word { return g.right(a, amount, False) }

// AShr shifts the sign in from the left.
func (g *Graph) AShr(a, amount Word) Word { return g.right(a, amount, sign(a)) }

func (g *Graph) right(a, amount Word, fill Lit) Word {
	return g.shift(a, amount, fill, func(w Word, k int) Word {
		out := append(Word{}, w[k:]...)
		for len(out) < len(w) {
			out = append(out, fill)
		}
		return out
	})
}

func fold(gate func(a, b Lit) Lit, w Word) Lit {
	l := w[0]
	for _, m := range w[1:] {
		l = gate(l, m)
	}
	return l
}

// AndAll returns whether all bits are set.
func (g *Graph) AndAll(w Word) Lit { return fold(g.And, w) }

// OrAll returns whether a bit is set.
func (g *Graph) OrAll(w Word) Lit { return fold(g.Or, w) }

// XorAll returns the parity.
func (g *Graph) XorAll(w Word) Lit { return fold(g.Xor, w) }

// Eq returns a = b.
func (g *Graph) Eq(a, b Word) Lit { return g.AndAll(g.NotWord(Bitwise(g.Xor, a, b))) }

// ULt returns a < b, unsigned.
func (g *Graph) ULt(a, b Word) Lit {
	l := False
	for i := range a {
		l = g.Mux(g.Xor(a[i], b[i]), b[i], l)
	}
	return l
}

// SLt returns a < b, signed.
func (g *Graph) SLt(a, b Word) Lit { return g.ULt(flip(a), flip(b)) }

func flip(a Word) Word {
	w := append(Word{}, a...)
	w[len(w)-1] = w[len(w)-1].Not()
	return w
}

// Table returns bit {inputs} of init: inputs has the least significant bit of the address first.
func (g *Graph) Table(init *big.Int, inputs Word) Lit { return g.lookup(init, 0, inputs) }

func (g *Graph) lookup(init *big.Int, base int, inputs Word) Lit {
	if len(inputs) == 0 {
		return Bool(init.Bit(base) != 0)
	}
	top := len(inputs) - 1
	return g.Mux(inputs[top], g.lookup(init, base+1<<top, inputs[:top]), g.lookup(init, base, inputs[:top]))
}

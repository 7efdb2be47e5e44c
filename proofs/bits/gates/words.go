package gates

// A Vec is a word, least bit first.
type Vec []Lit

// Number is a constant word.
func Number(v uint64, width int) Vec {
	w := make(Vec, width)
	for i := range w {
		w[i] = Bit(i < 64 && v>>uint(i)&1 == 1)
	}
	return w
}

// Not is the complement of each bit.
func (v Vec) Not() Vec {
	w := make(Vec, len(v))
	for i, l := range v {
		w[i] = l.Not()
	}
	return w
}

// Top is the highest bit.
func (v Vec) Top() Lit { return v[len(v)-1] }

// Wide is v with fill above, cut where it is longer.
func (v Vec) Wide(width int, fill Lit) Vec {
	w := make(Vec, width)
	for i := range w {
		if w[i] = fill; i < len(v) {
			w[i] = v[i]
		}
	}
	return w
}

// Each applies a gate bit by bit.
func Each(f func(a, b Lit) Lit, a, b Vec) Vec {
	w := make(Vec, len(a))
	for i := range w {
		w[i] = f(a[i], b[i])
	}
	return w
}

// Along applies a gate to all bits of a word, from the first on.
func Along(f func(a, b Lit) Lit, v Vec) Lit {
	l := v[0]
	for _, m := range v[1:] {
		l = f(l, m)
	}
	return l
}

// Add is a + b + c and the carry out of it.
func (g *Graph) Add(a, b Vec, c Lit) (Vec, Lit) {
	s := make(Vec, len(a))
	for i := range a {
		x := g.Xor(a[i], b[i])
		s[i] = g.Xor(x, c)
		c = g.Or(g.And(a[i], b[i]), g.And(x, c))
	}
	return s, c
}

// Sum is a + b.
func (g *Graph) Sum(a, b Vec) Vec {
	s, _ := g.Add(a, b, No)
	return s
}

// Sub is a - b.
func (g *Graph) Sub(a, b Vec) Vec {
	s, _ := g.Add(a, b.Not(), Yes)
	return s
}

// Neg is -a.
func (g *Graph) Neg(a Vec) Vec {
	s, _ := g.Add(a.Not(), make(Vec, len(a)), Yes)
	return s
}

// Mul is a * b, row by row.
func (g *Graph) Mul(a, b Vec) Vec {
	p := make(Vec, len(a))
	for i, f := range b {
		row := make(Vec, len(a))
		for j := i; j < len(a); j++ {
			row[j] = g.And(a[j-i], f)
		}
		p = g.Sum(p, row)
	}
	return p
}

// Choose is s ? a : b, bit by bit.
func (g *Graph) Choose(s Lit, a, b Vec) Vec {
	return Each(func(x, y Lit) Lit { return g.Mux(s, x, y) }, a, b)
}

// Divide is long division; a divisor of 0 has all ones and the dividend.
func (g *Graph) Divide(a, b Vec) (quotient, rest Vec) {
	n := len(a)
	quotient, rest = make(Vec, n), make(Vec, n+1)
	divisor := b.Wide(n+1, No)
	for i := n - 1; i >= 0; i-- {
		rest = append(Vec{a[i]}, rest[:n]...)
		less, enough := g.Add(rest, divisor.Not(), Yes)
		quotient[i] = enough
		rest = g.Choose(enough, less, rest)
	}
	return quotient, rest[:n]
}

// Magnitude is |a|.
func (g *Graph) Magnitude(a Vec) Vec { return g.Choose(a.Top(), g.Neg(a), a) }

// Sdiv is the signed quotient, rounded to zero.
func (g *Graph) Sdiv(a, b Vec) Vec {
	q, _ := g.Divide(g.Magnitude(a), g.Magnitude(b))
	return g.Choose(g.Xor(a.Top(), b.Top()), g.Neg(q), q)
}

// Srem is the rest of Sdiv, with the sign of a.
func (g *Graph) Srem(a, b Vec) Vec {
	_, r := g.Divide(g.Magnitude(a), g.Magnitude(b))
	return g.Choose(a.Top(), g.Neg(r), r)
}

// Smod is the rest that has the sign of b.
func (g *Graph) Smod(a, b Vec) Vec {
	_, u := g.Divide(g.Magnitude(a), g.Magnitude(b))
	minus := g.Neg(u)
	plus, less := g.Sum(u, b), g.Sum(minus, b)
	signed := g.Choose(a.Top(), g.Choose(b.Top(), minus, less), g.Choose(b.Top(), plus, u))
	return g.Choose(g.Equal(u, make(Vec, len(u))), u, signed)
}

// Shift moves a by what amount says: to the left, or to the right with fill coming in.
func (g *Graph) Shift(a, amount Vec, left bool, fill Lit) Vec {
	j := 0
	for ; j < len(amount) && 1<<j < len(a); j++ {
		by := 1 << j
		moved := make(Vec, len(a))
		for i := range moved {
			from := i + by
			if left {
				from = i - by
			}
			if moved[i] = fill; from >= 0 && from < len(a) {
				moved[i] = a[from]
			}
		}
		a = g.Choose(amount[j], moved, a)
	}
	if j < len(amount) {
		gone := make(Vec, len(a))
		for i := range gone {
			gone[i] = fill
		}
		a = g.Choose(Along(g.Or, amount[j:]), gone, a)
	}
	return a
}

// Equal compares words of one width.
func (g *Graph) Equal(a, b Vec) Lit { return Along(g.And, Each(g.Xor, a, b).Not()) }

// Below is a < b of numbers without a sign.
func (g *Graph) Below(a, b Vec) Lit {
	l := No
	for i := range a {
		l = g.Mux(g.Xor(a[i], b[i]), b[i], l)
	}
	return l
}

// BelowSigned inverts the signs: then the order is that of numbers without.
func (g *Graph) BelowSigned(a, b Vec) Lit {
	flip := func(v Vec) Vec {
		w := v.Wide(len(v), No)
		w[len(w)-1] = w.Top().Not()
		return w
	}
	return g.Below(flip(a), flip(b))
}

// Lookup is bit {address} of table: the highest input chooses the half.
func (g *Graph) Lookup(table, address Vec) Lit {
	if len(address) == 0 {
		return table[0]
	}
	n := len(address) - 1
	half := 1 << n
	upper, lower := g.Lookup(table[half:], address[:n]), g.Lookup(table[:half], address[:n])
	return g.Mux(address[n], upper, lower)
}

package loops

import "math"

// Those who make Ints make them in one form, so that what is written in two ways is often one: numbers are combined and stand
// last in sums, and first in products; nothing is multiplied by 1.

// Is tells whether x is this number.
func (x *Int) Is(n int64) bool { return x.Op == Number && x.N == n }

// inWord tells whether arithmetic on two numbers can be done in words with room to spare.
func inWord(a, b *Int) bool {
	small := func(x *Int) bool { return x.Op == Number && -math.MaxInt32 < x.N && x.N < math.MaxInt32 }
	return small(a) && small(b)
}

// Sum returns a + b.
func Sum(a, b *Int) *Int {
	terms := append(termsOf(a), termsOf(b)...)
	last := Num(0)
	var out []*Int
	for _, t := range terms {
		if inWord(t, last) {
			last = Num(t.N + last.N)
			continue
		}
		out = append(out, t)
	}
	if last.N != 0 {
		out = append(out, last)
	}
	switch len(out) {
	case 0:
		return last
	case 1:
		return out[0]
	}
	return Plus.Of(out...)
}

func termsOf(x *Int) []*Int {
	if x.Op == Plus {
		return x.Args[:len(x.Args):len(x.Args)]
	}
	return []*Int{x}
}

// Product returns a·b.
func Product(a, b *Int) *Int {
	if b.Op == Number {
		a, b = b, a
	}
	switch {
	case inWord(a, b):
		return Num(a.N * b.N)
	case a.Is(0) && !b.divides(): // a division may end the call
		return a
	case a.Is(1):
		return b
	case a.Op == Number && b.Op == Plus:
		sum := Num(0)
		for _, t := range b.Args {
			sum = Sum(sum, Product(a, t))
		}
		return sum
	case a.Op == Number && b.Op == Times && inWord(a, b.Args[0]):
		return Product(Num(a.N*b.Args[0].N), b.Args[1])
	}
	return Times.Of(a, b)
}

// divides tells whether there is a division in x.
func (x *Int) divides() bool {
	return x.Mentions(func(y *Int) bool {
		switch y.Op {
		case FloorDiv, CeilDiv, FloorMod, TruncDiv, TruncMod, Choose:
			return true
		}
		return false
	})
}

// Difference returns a - b.
func Difference(a, b *Int) *Int { return Sum(a, Negated(b)) }

// Negated returns -x.
func Negated(x *Int) *Int { return Product(Num(-1), x) }

// Quotient returns what one of the divisions makes of a and b; of two small numbers, that number.
func Quotient(op IntOp, a, b *Int) *Int {
	if !inWord(a, b) || b.N == 0 {
		return op.Of(a, b)
	}
	q, r := a.N/b.N, a.N%b.N
	switch {
	case op == TruncDiv:
		return Num(q)
	case op == TruncMod:
		return Num(r)
	case op == FloorDiv && r != 0 && (r < 0) != (b.N < 0):
		q--
	case op == CeilDiv && r != 0 && (r < 0) == (b.N < 0):
		q++
	case op == FloorMod:
		if r != 0 && (r < 0) != (b.N < 0) {
			r += b.N
		}
		return Num(r)
	}
	return Num(q)
}

// Mentions tells whether f holds of a part of x.
func (x *Int) Mentions(f func(*Int) bool) bool {
	if f(x) || x.Cond != nil && x.Cond.Mentions(f) {
		return true
	}
	for _, a := range x.Args {
		if a.Mentions(f) {
			return true
		}
	}
	return false
}

// Mentions tells whether f holds of a part of an Int of c.
func (c *Cond) Mentions(f func(*Int) bool) bool {
	if c.A != nil && (c.A.Mentions(f) || c.B.Mentions(f)) {
		return true
	}
	for _, d := range c.Conds {
		if d.Mentions(f) {
			return true
		}
	}
	return false
}

// Counts tells whether x depends on a counter.
func (x *Int) Counts() bool { return x.Mentions(func(y *Int) bool { return y.Op == Counter }) }

// Not returns the negation of a condition.
func Not(c *Cond) *Cond {
	switch c.Op {
	case None:
		return c.Conds[0]
	case Less:
		return &Cond{Op: LessEqual, A: c.B, B: c.A, At: c.At}
	case LessEqual:
		return &Cond{Op: Less, A: c.B, B: c.A, At: c.At}
	}
	return &Cond{Op: None, Conds: []*Cond{c}, At: c.At}
}

// Same tells whether two Ints are made in the same way of the same.
func Same(x, y *Int) bool {
	if x == y {
		return true
	}
	if x.Op != y.Op || x.N != y.N || x.Name != y.Name || x.Loop != y.Loop || len(x.Args) != len(y.Args) ||
		(x.Cond == nil) != (y.Cond == nil) || x.Cond != nil && !SameCond(x.Cond, y.Cond) {
		return false
	}
	for i := range x.Args {
		if !Same(x.Args[i], y.Args[i]) {
			return false
		}
	}
	return true
}

// SameCond tells whether two conditions are made in the same way of the same.
func SameCond(c, d *Cond) bool {
	if c == d {
		return true
	}
	if c.Op != d.Op || len(c.Conds) != len(d.Conds) || (c.A == nil) != (d.A == nil) ||
		c.A != nil && !(Same(c.A, d.A) && Same(c.B, d.B)) {
		return false
	}
	for i := range c.Conds {
		if !SameCond(c.Conds[i], d.Conds[i]) {
			return false
		}
	}
	return true
}

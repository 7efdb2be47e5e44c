package tc

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// maxTerms bounds the sizes that become Ints.
const maxTerms = 20000

// An interval encloses the values of an integer in the domain.
type interval struct{ lo, hi *big.Int }

// integer returns a size as an Int, in which names of indices are counters.
func (c *scope) integer(s domain.Size, at source.Span) *loops.Int {
	terms := 0
	x := c.integerOf(s, at, &terms)
	y := *x
	y.At = at
	return &y
}

func (c *scope) integerOf(s domain.Size, at source.Span, terms *int) *loops.Int {
	if *terms++; *terms > maxTerms {
		fail(at, "too-large", "an integer of more than %d operators and names", maxTerms)
	}
	if s.Op() == domain.SizeName {
		if i := c.indices[s.Name()]; i != nil {
			return loops.CounterOf(i.loop)
		}
		return loops.SizeOf(s.Name())
	}
	if n, ok := s.Const(); ok {
		if !n.IsInt64() {
			fail(at, "too-large", "integers of control are below 2^63")
		}
		return loops.Num(n.Int64())
	}
	var args []*loops.Int
	for _, a := range s.Operands() {
		args = append(args, c.integerOf(a, at, terms))
	}
	switch s.Op() {
	case domain.SizeMul:
		out := args[0]
		for _, a := range args[1:] {
			out = loops.Times.Of(out, a)
		}
		return out
	case domain.SizeDiv:
		return loops.FloorDiv.Of(args...)
	case domain.SizeMod:
		return loops.FloorMod.Of(args...)
	case domain.SizeMax:
		return loops.Greatest.Of(args...)
	case domain.SizeMin:
		return loops.Least.Of(args...)
	}
	return loops.Plus.Of(args...)
}

// bounds returns the Ints of which one bound of a loop is the greatest or the least.
func (c *scope) bounds(s domain.Size, op domain.SizeOp, at source.Span) (out []*loops.Int) {
	for _, x := range parts(s, op) {
		out = append(out, c.integer(x, at))
	}
	return out
}

// reach encloses the values of a size in the domain. Indices have theirs.
func (c *scope) reach(s domain.Size) interval {
	if n, ok := s.Const(); ok {
		return interval{n, n}
	}
	if s.Op() == domain.SizeName {
		if i := c.indices[s.Name()]; i != nil {
			return i.reach
		}
		return interval{big.NewInt(1), new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 28), big.NewInt(1))}
	}
	var args []interval
	for _, a := range s.Operands() {
		args = append(args, c.reach(a))
	}
	out := args[0]
	for _, a := range args[1:] {
		switch s.Op() {
		case domain.SizeAdd:
			out = interval{new(big.Int).Add(out.lo, a.lo), new(big.Int).Add(out.hi, a.hi)}
		case domain.SizeMul:
			out = corners(out, a, func(z, x, y *big.Int) { z.Mul(x, y) })
		case domain.SizeDiv: // by what is above 0
			out = corners(out, a, func(z, x, y *big.Int) { z.Div(x, greater(y, big.NewInt(1))) })
		case domain.SizeMod:
			out = interval{new(big.Int), new(big.Int).Sub(a.hi, big.NewInt(1))}
		case domain.SizeMax:
			out = interval{greater(out.lo, a.lo), greater(out.hi, a.hi)}
		case domain.SizeMin:
			out = interval{lesser(out.lo, a.lo), lesser(out.hi, a.hi)}
		}
	}
	return out
}

// corners encloses what is monotone in each of two operands.
func corners(a, b interval, op func(z, x, y *big.Int)) (out interval) {
	for _, x := range []*big.Int{a.lo, a.hi} {
		for _, y := range []*big.Int{b.lo, b.hi} {
			z := new(big.Int)
			op(z, x, y)
			if out.lo == nil {
				out = interval{z, z}
			}
			out = interval{lesser(out.lo, z), greater(out.hi, z)}
		}
	}
	return out
}

func greater(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

func lesser(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// within requires that a value lies in a type, unless it does wherever sizes are in the domain.
func (c *scope) within(s domain.Size, t domain.Elem, at source.Span) {
	lo, hi := limits(t)
	if r := c.reach(s); r.lo.Cmp(lo) >= 0 && r.hi.Cmp(hi) <= 0 {
		return
	}
	x := c.integer(s, at)
	least, greatest := c.integer(domain.BigSize(lo), at), c.integer(domain.BigSize(hi), at)
	c.require(&loops.Cond{Op: loops.All, At: at, Conds: []*loops.Cond{
		{Op: loops.LessEqual, A: least, B: x}, {Op: loops.LessEqual, A: x, B: greatest}}},
		"index "+t.String()+s.String(), loops.Index, at, show(at)+" as "+article(t))
}

func article(t domain.Elem) string {
	if t.Kind == domain.ElemInt {
		return "an " + t.String()
	}
	return "a " + t.String()
}

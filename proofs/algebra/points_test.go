package algebra

import "testing"

// What is remembered of a division holds of numerators that differ by a multiple of the divisor, and
// where it was made: an index of which a range is remembered is inside there and nowhere else.
func TestDivisionsAreRemembered(t *testing.T) {
	b := NewBuilder()
	i, j := b.NewVar(b.Const(0), b.Const(40)).expr, b.NewVar(b.Const(0), b.Const(40)).expr
	eight := b.Const(8)
	x := b.Sub(b.Scale(Int(3), j), i)
	first := b.Div(b.Root, x, eight)
	if second := b.Div(b.Root, b.Add(x, b.Scale(Int(8), i)), eight); b.Sub(second, first) != i {
		t.Error("x + 8·i has another quotient than x")
	}
	if third := b.Div(b.Root, b.Add(x, i), eight); b.Sub(third, first) == i {
		t.Error("x + i has the quotient of x")
	}
	c := b.Assume(b.Root, b.Sub(i, j))
	y := b.Add(i, b.Scale(Int(3), j))
	b.lies(c, y, b.Const(17))
	if !b.inside(c, y, b.Const(17)) || b.inside(b.Root, y, b.Const(17)) ||
		b.inside(c, b.AddInt(y, 1), b.Const(17)) || b.inside(c, y, b.Const(16)) {
		t.Error("a range that is remembered")
	}
}

// Points refute what is false somewhere, but not what the facts or narrower ranges make true.
func TestPointsRefute(t *testing.T) {
	b := NewBuilder()
	v := b.NewVar(b.Const(0), b.Const(10)).expr
	e := b.AddInt(v, -5)
	if !b.Root.negative(e) || b.Nonneg(b.Root, e) {
		t.Error("v >= 5 for v from 0")
	}
	w := b.NewVar(b.Const(0), b.Const(3)).expr
	for _, fact := range []*Expr{b.AddInt(v, -7), b.Sub(b.AddInt(v, -7), w)} {
		if c := b.Assume(b.Root, fact); c.negative(e) || !b.Nonneg(c, e) {
			t.Error("v >= 5 is not seen under a fact")
		}
	}
}

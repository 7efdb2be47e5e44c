package index

import "testing"

// Numerators that differ by a multiple of the divisor have one quotient, but for that multiple, however their coefficients
// are reduced; at another context nothing of that is known.
func TestQuotientsAreOne(t *testing.T) {
	b := NewBuilder()
	i, j := b.NewVar("i", b.Const(0), b.Const(40)).expr, b.NewVar("j", b.Const(0), b.Const(40)).expr
	eight := b.Const(8)
	x := b.Sub(b.Scale(Int(3), j), i) // the second is x + 8·i
	first, second := b.Div(b.root, x, eight), b.Div(b.root, b.Add(x, b.Scale(Int(8), i)), eight)
	if b.Sub(second, first) != i {
		t.Errorf("%s and %s", first, second)
	}
	if third := b.Div(b.root, b.Add(x, i), eight); b.Sub(third, first) == i {
		t.Errorf("%s of what differs by no multiple", third)
	}
}

// An index that is inside its dims is taken for inside others after a reshape, and comes back as it was; one that may be
// outside is not.
func TestDigitsComeBack(t *testing.T) {
	b := NewBuilder()
	dims := func(ns ...int64) (out []*Expr) {
		for _, n := range ns {
			out = append(out, b.Const(n))
		}
		return out
	}
	offset := func(at, dims []*Expr) *Expr {
		sum := b.Const(0)
		for i, d := range dims {
			sum = b.Add(b.Mul(sum, d), at[i])
		}
		return sum
	}
	i, j := b.NewVar("i", b.Const(0), b.Const(15)).expr, b.NewVar("j", b.Const(0), b.Const(16)).expr
	was, to := dims(15, 16), dims(5, 48)
	at := b.Digits(b.root, offset([]*Expr{i, j}, was), to, true)
	turned := b.Digits(b.root, offset([]*Expr{at[1], at[0]}, dims(48, 5)), dims(20, 12), true)
	back := b.Digits(b.root, offset(turned, dims(20, 12)), dims(48, 5), true)
	if back[0] != at[1] || back[1] != at[0] || !b.Inside(b.root, at[0], to[0]) {
		t.Errorf("%s, %s comes back as %s, %s", at[1], at[0], back[0], back[1])
	}
	wide := b.NewVar("w", b.Const(0), b.Const(99)).expr
	d := b.Digits(b.root, offset([]*Expr{wide, j}, was), dims(5, 48), false)
	if b.Inside(b.root, d[0], to[0]) {
		t.Errorf("%s is taken for inside", d[0])
	}
}

// Inequalities that are false somewhere, where all facts hold, are not looked into; facts that hold nowhere near are kept to.
func TestPointsRefute(t *testing.T) {
	b := NewBuilder()
	v := b.NewVar("v", b.Const(0), b.Const(10)).expr
	e := b.AddInt(v, -5)
	if !b.negative(b.root, e) || b.Nonneg(b.root, e) {
		t.Error("v >= 5 for v from 0")
	}
	c := b.root.With(b.AddInt(v, -7))
	if b.negative(c, e) || !b.Nonneg(c, e) {
		t.Error("v >= 5 is not seen where v >= 7")
	}
	n := b.root.Narrow(v.free[0], b.Const(6), b.Const(10))
	if b.negative(n, e) || !b.Nonneg(n, e) {
		t.Error("v >= 5 is not seen for v from 6")
	}
}

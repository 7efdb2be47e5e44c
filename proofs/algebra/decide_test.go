package algebra

import "testing"

// Facts that say nothing of an expression are passed over before a difference is made, and no others are.
func TestFactsAreTold(t *testing.T) {
	b := NewBuilder()
	n := b.Size("N", 1)
	v, w := b.NewVar(b.Const(0), n), b.NewVar(b.Const(0), b.Const(8))
	i, j := v.expr, w.expr
	c := b.Root
	for k := range int64(40) { // of j and others: none speaks of i
		c = b.Assume(c, b.Sub(b.Add(b.Scale(Int(5), j), b.Scale(Int(k+2), b.NewVar(b.Const(0), n).expr)), b.Const(99)))
	}
	e := b.AddInt(b.Sub(b.Scale(Int(2), n), b.Scale(Int(3), i)), -1)
	made := b.counts.expr
	if b.Nonneg(c, e) {
		t.Error("2·N - 3·i - 1 >= 0")
	}
	if b.counts.expr-made > 40 {
		t.Errorf("%d expressions are made", b.counts.expr-made)
	}
	c = b.Assume(c, b.AddInt(e, -2)) // a fact, and a number less than e
	if !b.Nonneg(c, e) {
		t.Error("a fact is not used")
	}
	d := b.Add(e, j) // the fact takes i away
	if !b.Nonneg(c, d) {
		t.Error("a fact that takes a variable away is not used")
	}
}

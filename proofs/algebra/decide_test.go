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

// What is too small to matter leaves a condition, and nothing else does.
func TestConditionsAreRounded(t *testing.T) {
	b := NewBuilder()
	var vars []*Atom
	for _, n := range []int64{5, 3, 4} {
		vars = append(vars, b.NewVar(b.Const(0), b.Const(n)))
	}
	of := func(n ...int64) *Expr {
		e := b.Const(n[3])
		for i, v := range vars {
			e = b.Add(e, b.Scale(Int(n[i]), v.expr))
		}
		return e
	}
	for i, test := range []struct{ e, want *Expr }{
		{of(12, 4, 1, -12), of(1, 0, 0, -1)},
		{of(-12, -4, -1, 47), of(-1, 0, 0, 3)},
		{of(24, 8, 1, -5), of(3, 1, 0, -1)},
		{of(11, 4, 1, -22), of(11, 4, 1, -22)}, // 4·v1 + v2 is 11 where it is greatest
		{of(12, 4, 1, -23), of(12, 4, 1, -23)}, // and 12 with the number
		{of(12, -4, 1, -9), of(12, -4, 1, -9)},
	} {
		got := b.Rounded(b.Root, test.e)
		if got != test.want {
			t.Errorf("condition %d became %v, want %v", i, got.terms, test.want.terms)
		}
		for p := range int64(5 * 3 * 4) {
			at := func(a *Atom) (Num, bool) {
				return Int(map[*Atom]int64{vars[0]: p / 12, vars[1]: p / 4 % 3, vars[2]: p % 4}[a]), true
			}
			x, _ := test.e.at(at)
			y, _ := got.at(at)
			if (x.Sign() >= 0) != (y.Sign() >= 0) {
				t.Fatalf("condition %d became %v, which is another one", i, got.terms)
			}
		}
	}
}

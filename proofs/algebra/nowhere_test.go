package algebra

import (
	"math/rand/v2"
	"testing"
)

// TestNowhere holds what meets no conditions against all values of variables.
func TestNowhere(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	none, byCases := 0, 0
	for range 3000 {
		b := NewBuilder()
		v, w := b.NewVar(b.Const(0), b.Size("N", 1)), b.NewVar(b.Const(0), b.Const(3))
		form := func() *Expr {
			return b.Add(b.Scale(Int(r.Int64N(3)-1), v.Expr()), b.Scale(Int(r.Int64N(3)-1), w.Expr()), b.Const(r.Int64N(7)-3))
		}
		var all []*Expr
		c := b.Root
		for range 1 + r.IntN(4) {
			m := b.Const(2 + r.Int64N(3))
			e := b.Sub(b.Mod(c, form(), m), b.Mod(c, form(), m))
			switch r.IntN(3) {
			case 0:
				e = b.Sub(b.Div(c, form(), m), b.Div(c, form(), m))
			case 1:
				e = form()
			}
			e = b.Add(e, b.Const(r.Int64N(5)-3))
			all, c = append(all, e), b.Assume(c, e)
		}
		if !b.Nowhere(c) {
			continue
		}
		if none++; !b.Impossible(append(all, v.Expr(), w.Expr(), b.AddInt(b.Scale(Int(-1), w.Expr()), 2))) {
			byCases++
		}
		for x := range int64(30) {
			for y := range int64(3) {
				met := true
				for _, e := range all {
					var point func(*Atom) (Num, bool)
					point = func(a *Atom) (Num, bool) {
						switch {
						case a == v:
							return Int(x), true
						case a == w:
							return Int(y), true
						case a.Kind == KindFloor:
							up, _ := a.X.at(point)
							by, _ := a.Y.at(point)
							n, _ := up.Int64()
							m, _ := by.Int64()
							return Int(floorDiv(n, m)), true
						}
						return Int(30), a.Kind == KindSize
					}
					n, known := e.at(point)
					if !known {
						t.Fatal("not known")
					}
					met = met && n.Sign() >= 0
				}
				if met {
					t.Fatalf("%d, %d meet what is said to hold nowhere", x, y)
				}
			}
		}
	}
	if none < 300 || byCases < 30 {
		t.Errorf("%d of 3000 hold nowhere, %d by cases", none, byCases)
	}
}

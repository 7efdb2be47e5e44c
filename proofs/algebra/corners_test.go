package algebra

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestCorners tests law (S1) by itself: of drawn sums over boxes those that are said to take each other away do so, place by place, for
// small sizes and each place of the output; and what was taken apart at ends that nobody can order, and moved, is said to.
func TestCorners(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	said, built, wrong := 0, 0, 0
	for range 4000 {
		b := NewBuilder()
		n, w := b.Size("N", 1), b.Size("W", 1)
		out := b.NewVar(b.Const(0), n)
		i := out.expr
		e := newEngine(b, func() {}, func(*Goal) *answer { return nil })
		ends := []*Expr{b.Const(0), i, w, b.AddInt(i, 1), b.Add(i, w), b.Add(n, w), b.AddInt(w, 2), b.Scale(Int(2), n)}
		end := func() *Expr { return ends[r.IntN(len(ends))] }
		deep := r.IntN(3) == 0
		draw := func() box1D { return box1D{end(), end(), b.Const(0), b.Const(1)} }
		// box is a sum of A[k] over lo <= k < hi, written with another variable, or of A[2·N·l + k] over l too
		box := func(x box1D, by *Expr, times int64) *summand {
			v := b.NewVar(b.Sub(x.lo, by), b.Sub(x.hi, by))
			at, vars := b.Add(v.expr, by), []*Atom{v}
			if deep {
				u := b.NewVar(x.from, x.to)
				at, vars = b.Add(at, b.Mul(b.Scale(Int(8), b.Mul(n, w)), u.expr)), append(vars, u)
			}
			s := *ofAtom(e.atom(atom{kind: readAtom, name: "A", e: at}))[0]
			s.vars = vars
			return scaled(big.NewRat(times, 1), sum{&s})[0]
		}
		var x sum
		surely := r.IntN(2) == 0
		if surely { // [a, b) is [a, c) and [c, b), a sum of which is taken away, of what was moved
			a, c, d := b.Const(0), ends[1+r.IntN(2)], b.Add(i, w)
			if deep {
				to := ends[r.IntN(len(ends))]
				x = sum{box(box1D{a, d, b.Const(0), to}, i, 1), box(box1D{a, c, b.Const(0), to}, w, -1), box(box1D{c, d, b.Const(0), to}, b.Const(0), -1)}
			} else {
				x = sum{box(box1D{a, d, nil, nil}, i, 1), box(box1D{a, c, nil, nil}, w, -1), box(box1D{c, d, nil, nil}, b.Const(3), -1)}
			}
			if r.IntN(3) == 0 {
				x = x[:2]
				surely = false
			}
		} else {
			for range 2 + r.IntN(3) {
				x = append(x, box(draw(), end(), []int64{-2, -1, 1, 2}[r.IntN(4)]))
			}
		}
		diff := e.closeSum(b.Root, x)
		zero := e.cancelled(b.Root, diff, nil)
		if surely {
			built++
			if !zero {
				t.Fatalf("is left, and was to take itself away: %s", describe(x))
			}
		}
		if zero && len(diff.parts) > 0 {
			said++
		}
		some := false
		for at := (map[*Atom]int64{n.Free[0]: 1}); at[n.Free[0]] < 4; at[n.Free[0]]++ {
			for at[w.Free[0]] = 1; at[w.Free[0]] < 5; at[w.Free[0]]++ {
				for at[out] = 0; at[out] < at[n.Free[0]]; at[out]++ {
					if text := countsAt(x, at); text != "map[]" {
						some = true
						if zero {
							t.Fatalf("taken for 0 and is %s at %v: %s", text, at, describe(x))
						}
					}
				}
			}
		}
		if some {
			wrong++
		}
	}
	if said < 400 || built < 600 || wrong < 600 {
		t.Errorf("%d were said to take each other away, %d built so, %d not 0", said, built, wrong)
	}
}

// A box1D is a range, and that of a variable around it.
type box1D struct{ lo, hi, from, to *Expr }

func describe(x sum) (out string) {
	for _, s := range x {
		out += fmt.Sprintf("%s * A[%s]", s.coef.RatString(), Formatted(s.factors[0].a.e))
		for _, v := range s.vars {
			out += fmt.Sprintf(" %s..%s", Formatted(v.Lo), Formatted(v.Hi))
		}
		out += "; "
	}
	return out
}

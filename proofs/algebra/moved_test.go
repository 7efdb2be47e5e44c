package algebra

import (
	"fmt"
	"testing"
)

// counts says how often an element is in a sum of reads with a size of n, of whatever sign.
func counts(x sum, size *Atom, n int64) string { return countsAt(x, map[*Atom]int64{size: n}) }

// countsAt is counts where sizes, and variables of the surroundings, are what at says.
func countsAt(x sum, at map[*Atom]int64) string {
	value := func(e *Expr) int64 {
		out := int64(0)
		for _, t := range e.Terms() {
			product, _ := t.Coef.Int64()
			for _, a := range t.Atoms() {
				product *= at[a]
			}
			out += product
		}
		return out
	}
	times := map[int64]int64{}
	var over func(s *summand, vars []*Atom)
	over = func(s *summand, vars []*Atom) {
		if len(vars) == 0 {
			times[value(s.factors[0].a.e)] += s.coef.Num().Int64()
			return
		}
		v := vars[0]
		for at[v] = value(v.Lo); at[v] < value(v.Hi); at[v]++ {
			over(s, vars[1:])
		}
		delete(at, v)
	}
	for _, s := range x {
		over(s, s.vars)
	}
	for k, n := range times {
		if n == 0 {
			delete(times, k)
		}
	}
	return fmt.Sprint(times)
}

// TestMove: a place that is taken away from a sum whose first or last it is, or that stands beside one, moves an end of it where
// that surely is so; the sum of all is what it was, place by place, for small sizes.
func TestMove(t *testing.T) {
	b := NewBuilder()
	n := b.Size("N", 1)
	size := n.Free[0]
	ends := []*Expr{b.Const(-1), b.Const(0), b.Const(1), b.Const(2), b.AddInt(n, -2), b.AddInt(n, -1), n, b.AddInt(n, 1), b.Scale(Int(2), n)}
	moved, surely := 0, 0
	for _, lo := range ends {
		for _, hi := range ends {
			for _, place := range ends {
				for _, sign := range []bool{false, true} {
					e := newEngine(b, func() {}, func(*Goal) *answer { return nil })
					read := func(x *Expr) sum { return ofAtom(e.atom(atom{kind: readAtom, name: "A", e: x})) }
					v := b.NewVar(lo, hi)
					box := *read(v.expr)[0]
					box.vars = []*Atom{v}
					one := read(place)
					if sign {
						one = scaled(minusOne, one)
					}
					before := sum{&box, one[0]}
					if after, ok := e.move(b.Root, before); ok {
						moved++
						for k := int64(1); k < 7; k++ {
							if x, y := counts(before, size, k), counts(after, size, k); x != y {
								t.Fatalf("A[%s] (taken away: %t) and %s <= k < %s at N = %d: %s, moved %s", Formatted(place), sign,
									Formatted(lo), Formatted(hi), k, x, y)
							}
						}
						continue
					}
					// with room for two places it is known of these ends that they are ends
					if b.Nonneg(b.Root, b.AddInt(b.Sub(hi, lo), -2)) {
						first, last := lo, b.AddInt(hi, -1)
						if !sign {
							first, last = b.AddInt(lo, -1), hi
						}
						if surely++; place == first || place == last {
							t.Errorf("A[%s] (taken away: %t) and %s <= k < %s are left", Formatted(place), sign, Formatted(lo), Formatted(hi))
						}
					}
				}
			}
		}
	}
	if moved < 60 || surely < 60 {
		t.Errorf("only %d moved, %d surely left", moved, surely)
	}
}

// TestPlaced: a condition on sizes follows from there being a place of a variable where it is at least what its range has beyond one.
func TestPlaced(t *testing.T) {
	b := NewBuilder()
	n, m := b.Size("N", 0), b.Size("M", 0)
	for _, test := range []struct {
		lo, hi, e *Expr
		want      bool
	}{
		{b.Const(0), n, b.AddInt(n, -1), true},
		{b.Const(0), n, b.AddInt(n, -2), false}, // N = 1 has a place
		{b.Const(2), n, b.AddInt(n, -3), true},
		{b.Const(2), n, b.AddInt(n, -4), false},
		{m, n, b.AddInt(b.Sub(n, m), -1), true},
		{m, n, b.AddInt(b.Sub(n, m), -2), false},
		{m, n, b.AddInt(n, -1), true},
		{m, n, b.AddInt(m, -1), false}, // M = 0
		{n, m, b.AddInt(b.Sub(n, m), -1), false},
		{b.Const(0), b.Mul(n, m), b.AddInt(b.Mul(n, m), -1), true},
	} {
		v := b.NewVar(test.lo, test.hi)
		c := &Context{parent: b.Root, v: v, lo: test.lo, hi: test.hi}
		if got := b.placed(c, test.e); got != test.want {
			t.Errorf("%s >= 0 for a k with %s <= k < %s: %t", Formatted(test.e), Formatted(test.lo), Formatted(test.hi), got)
		}
	}
}

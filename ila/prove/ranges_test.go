package prove

import (
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/ila/ilatest/examples"
	"tv/semantics/term"
)

// Values of expressions lie in the ranges that are known of them, and comparisons that are decided are so.
func TestRanges(t *testing.T) {
	narrow, decided := 0, 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := ila.New("random", "")
		task := &ila.Task{Model: m}
		g := &examples.Expressions{R: r, B: m.B}
		for _, name := range []string{"p", "q", "s"} {
			g.In = append(g.In, task.Element(task.Declare(name, 1+r.IntN(9), r.IntN(2) == 0, 1), 0))
		}
		x, y := g.Bits(1+r.IntN(24), 4), g.Bits(1+r.IntN(24), 3)
		e := NewEquality(nil, NewResult())
		wide := m.B.AddBits(m.B.MulBits(m.B.ExtendS(x.Term, 60), m.B.Bits(60, r.Uint64N(9)-4)), m.B.ExtendS(y.Term, 60))
		s := e.ranges.tight(wide)
		if s != whole(60) {
			narrow++
		}
		limit := m.B.Bits(60, uint64(s.hi)-r.Uint64N(3)+1)
		settled := e.ranges.Settle(m.B.Choose(m.B.LessS(wide, limit), m.B.Bits(1, 1), m.B.Bits(1, 0)))
		claim, known := settled.ConstBits()
		if known {
			decided++
		}
		for range 20 {
			in := make([]uint64, len(g.In))
			inputs := make([][]uint64, len(g.In))
			for n, x := range g.In {
				in[n] = r.Uint64() & term.Ones(x.Sort.Width)
				inputs[n] = in[n : n+1]
			}
			v := term.Signed64(task.Environment(inputs).Value(wide), 60)
			if v < s.lo || v > s.hi {
				t.Fatalf("seed %d: %d is beyond %v: %v", seed, v, s, wide)
			}
			l, _ := limit.ConstBits()
			if known && (v < term.Signed64(l, 60)) != (claim == 1) {
				t.Fatalf("seed %d: whether %d < %d is said to be %d", seed, v, term.Signed64(l, 60), claim)
			}
		}
	}
	if narrow < 1000 || decided < 500 {
		t.Errorf("only %d ranges say something, and %d comparisons are decided", narrow, decided)
	}
}

// Digits of two elements that add up to their product are put together, and near misses are not; what wraps is cut off
// where it may be.
func TestRecombine(t *testing.T) {
	b := ila.New("digits", "")
	task := &ila.Task{Model: b}
	x, w := task.Element(task.Declare("x", 8, true, 2), 0), task.Element(task.Declare("w", 8, true, 1), 0)
	other := task.Element(task.Inputs[0], 1)
	bb := b.B
	const width = 32
	high, low := bb.ExtendS(bb.Extract(w, 4, 4), width), bb.ExtendU(bb.Extract(w, 0, 4), width)
	wide := func(t *term.Term) *term.Term { return bb.ExtendS(t, width) }
	times := func(n int64, x, y *term.Term) *term.Term {
		return bb.MulBits(bb.Bits(width, uint64(n)), bb.MulBits(x, y))
	}
	bits := func(last int64) *term.Term { // x bit by bit, the highest weighing last
		var all *term.Term
		for bit := range 8 {
			weight := int64(1) << bit
			if bit == 7 {
				weight = last
			}
			for _, half := range []struct {
				weight int64
				cell   *term.Term
			}{{16, high}, {1, low}} {
				part := times(weight*half.weight, bb.ExtendU(bb.Extract(x, bit, 1), width), half.cell)
				if all == nil {
					all = part
				} else {
					all = bb.AddBits(all, part)
				}
			}
		}
		return all
	}
	halves := bb.AddBits(times(16, wide(x), high), times(1, wide(x), low))
	cut := func(t *term.Term, width int) *term.Term { return bb.Extract(t, 0, width) }
	clip := func(t *term.Term, width int) *term.Term {
		return bb.MinS(bb.MaxS(t, bb.Bits(32, ^uint64(0)<<(width-1))), bb.Bits(32, 1<<(width-1)-1))
	}
	for _, test := range []struct {
		name        string
		left, right *term.Term
		want        bool
	}{
		{"halves", bb.MulBits(wide(x), wide(w)), halves, true},
		{"thrice", times(3, wide(x), wide(w)), bb.AddBits(halves, bb.AddBits(halves, halves)), true},
		{"halves of 8 instead of 16", bb.MulBits(wide(x), wide(w)), bb.AddBits(times(8, wide(x), high), times(1, wide(x), low)), false},
		{"the high half without sign", bb.MulBits(wide(x), wide(w)),
			bb.AddBits(times(16, wide(x), bb.ExtendU(bb.Extract(w, 4, 4), width)), times(1, wide(x), low)), false},
		{"that modulo 2^8", cut(bb.MulBits(wide(x), wide(w)), 8),
			cut(bb.AddBits(times(16, wide(x), bb.ExtendU(bb.Extract(w, 4, 4), width)), times(1, wide(x), low)), 8), true},
		{"that modulo 2^9", cut(bb.MulBits(wide(x), wide(w)), 9),
			cut(bb.AddBits(times(16, wide(x), bb.ExtendU(bb.Extract(w, 4, 4), width)), times(1, wide(x), low)), 9), false},
		{"the low half with sign", bb.MulBits(wide(x), wide(w)),
			bb.AddBits(times(16, wide(x), high), times(1, wide(x), bb.ExtendS(bb.Extract(w, 0, 4), width))), false},
		{"of another element", bb.MulBits(wide(other), wide(w)), halves, false},
		{"one half only", bb.MulBits(wide(x), wide(w)), times(16, wide(x), high), false},
		{"bits", bb.MulBits(wide(x), wide(w)), bits(-128), true},
		{"bits without sign", bb.MulBits(wide(x), wide(w)), bits(128), false},
		{"bits without sign, modulo 2^8", cut(bb.MulBits(wide(x), wide(w)), 8), cut(bits(128), 8), true},
		{"clipped where nothing is", bb.MulBits(wide(x), wide(w)),
			bb.AddBits(bb.MulBits(bb.Bits(32, 16), clip(bb.MulBits(wide(x), high), 12)), clip(bb.MulBits(wide(x), low), 12)), true},
		{"clipped where something is", bb.MulBits(wide(x), wide(w)),
			bb.AddBits(bb.MulBits(bb.Bits(32, 16), clip(bb.MulBits(wide(x), high), 11)), clip(bb.MulBits(wide(x), low), 12)), false},
		{"the product clipped to what it needs", cut(bb.MulBits(wide(x), wide(w)), 16), cut(clip(halves, 16), 16), true},
		{"the product clipped a bit below", cut(bb.MulBits(wide(x), wide(w)), 16), cut(clip(halves, 15), 16), false},
	} {
		e := NewEquality(nil, NewResult())
		if got := e.sums(test.left, test.right); got != test.want {
			t.Errorf("%s: equal is %t", test.name, got)
		}
	}
}

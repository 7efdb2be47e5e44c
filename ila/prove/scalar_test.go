package prove

import (
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/semantics/term"
)

// A scalar lemma says of two functions of a number what running through all its values says, and values at which it fails are such.
func TestStretches(t *testing.T) {
	const width = 9
	m := ila.New("scalar", "")
	b := m.B
	step := func(n uint64) uint64 { return n / 48 }
	tables := map[string]func([]uint64) uint64{"f": func(args []uint64) uint64 { return step(args[0]) }}
	task := &ila.Task{Model: m, Tables: tables}
	u := task.Element(task.Declare("u", width, true, 1), 0)
	random := rand.New(rand.NewPCG(1, 2))
	eq := NewEquality(tables, NewResult())
	eq.scalars = map[string]ila.Scalar{"f": {Args: []int{width}, Width: width,
		Constant: func(args []uint64, to uint64) bool { return step(args[0]) == step(to) }}}
	var draw func(depth int) *term.Term
	draw = func(depth int) *term.Term {
		if depth == 0 {
			return u
		}
		x, c := draw(depth-1), b.Bits(width, random.Uint64N(1<<width))
		switch random.IntN(7) {
		case 0:
			return b.MinS(x, c)
		case 1:
			return b.MaxS(x, c)
		case 2:
			return b.ShrS(x, b.Bits(width, random.Uint64N(4)))
		case 3:
			return b.AddBits(x, c)
		case 4:
			return b.Choose(b.LessU(x, c), x, b.NegBits(x))
		case 5:
			return b.Apply(term.BitsSort(width), "f", x)
		}
		return b.And(x, c)
	}
	answers := map[bool]int{}
	for range 400 {
		x := draw(1 + random.IntN(3))
		y := draw(1 + random.IntN(3))
		if random.IntN(2) == 0 { // the same but for one number, perhaps
			old, now := b.Bits(width, random.Uint64N(1<<width)), b.Bits(width, random.Uint64N(1<<width))
			y = b.MaxS(b.MinS(x, old), b.MinS(x, now))
		}
		same := true
		value := func(t *term.Term, v uint64) uint64 { return task.Environment([][]uint64{{v}}).Value(t) }
		for v := range uint64(1 << width) {
			same = same && value(x, v) == value(y, v)
		}
		equal, differ := eq.stretches(x, u, y, u)
		if x == u || y == u {
			continue
		}
		if equal != same || !equal && len(differ) == 0 {
			t.Fatalf("%s and %s: %v, %d; are the same: %v", x, y, equal, differ, same)
		}
		for _, v := range differ {
			if value(x, v) == value(y, v) {
				t.Fatalf("%s and %s at %d", x, y, v)
			}
		}
		answers[same]++
	}
	if answers[true] < 50 || answers[false] < 50 {
		t.Errorf("%v", answers)
	}
}

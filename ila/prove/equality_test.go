package prove

import (
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/ila/ilatest/examples"
	"tv/semantics/term"
)

// Sums that the comparison takes for equal are.
func TestEquality(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := ila.New("random", "")
		task := &ila.Task{Model: m}
		g := &examples.Expressions{R: r, B: m.B}
		small := 0
		for _, name := range []string{"p", "q", "s"} {
			bits := 1 + r.IntN(12)
			small += bits
			g.In = append(g.In, task.Element(task.Declare(name, bits, false, 1), 0))
		}
		width := 1 + r.IntN(20)
		x, y := g.Bits(width, 4), g.Bits(width, 2)
		e := NewEquality(nil, NewResult())
		// what x - y + y comes to is x, and only if the comparison is sound it says no more than that
		if !e.sums(m.B.AddBits(m.B.SubBits(x.Term, y.Term), y.Term), x.Term) {
			t.Errorf("seed %d: x - y + y is not seen to be x", seed)
		}
		if small > 14 || !e.Same(x.Term, y.Term) {
			continue
		}
		for range 12 {
			in := make([]uint64, len(g.In))
			for n, x := range g.In {
				in[n] = r.Uint64() & term.Ones(x.Sort.Width)
			}
			if x.Value(in).Cmp(y.Value(in)) != 0 {
				t.Fatalf("seed %d: %v and %v are taken for equal", seed, x.Term, y.Term)
			}
		}
	}
}

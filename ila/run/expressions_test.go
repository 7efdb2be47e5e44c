package run

import (
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/ila/ilatest/examples"
	"tv/semantics/term"
)

// The simulator, the symbolic executor and big integers agree on random expressions.
func TestExpressions(t *testing.T) {
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 1))
		m := ila.New("random", "")
		g := &examples.Expressions{R: r, B: m.B}
		for _, name := range []string{"p", "q", "s"} {
			g.In = append(g.In, m.Input(name, 1+r.IntN(12), "").Term)
		}
		width := 1 + r.IntN(20)
		x := g.Bits(width, 4)
		result := m.Bits("result", width, "")
		m.Instruction("only", "", m.B.Truth(true)).Set(result, x.Term)
		if err := ila.Validate(m); err != nil {
			t.Fatal(err)
		}
		simulator, symbolic := NewSimulator(m), NewSymbolic(m)
		task := &ila.Task{Model: m}
		var values []*term.Term
		inputs := make([][]uint64, len(g.In))
		for n, in := range g.In {
			tensor := task.Declare(string(rune('a'+n)), in.Sort.Width, false, 1)
			values = append(values, task.Element(tensor, 0))
			inputs[n] = []uint64{0}
		}
		if err := symbolic.Step(values...); err != nil {
			t.Fatal(err)
		}
		got := symbolic.Bits(result)
		for range 12 {
			in := make([]uint64, len(g.In))
			for n, x := range g.In {
				in[n] = r.Uint64() & term.Ones(x.Sort.Width)
				inputs[n][0] = in[n]
			}
			want := x.Value(in).Uint64()
			if err := simulator.Step(in...); err != nil {
				t.Fatal(err)
			}
			if v := simulator.Bits(result); v != want {
				t.Fatalf("seed %d: the simulator gives %d, want %d: %v", seed, v, want, x.Term)
			}
			if v := task.Environment(inputs).Value(got); v != want {
				t.Fatalf("seed %d: the symbolic executor gives %d, want %d: %v", seed, v, want, got)
			}
		}
	}
}

package machines

import (
	"math/rand/v2"
	"testing"

	"tv/hwmodels"
	"tv/ila"
	"tv/ila/ilatest"
	"tv/semantics/term"
)

// A mistake of a model that both executors make alike is told from the machine in plain Go.
func TestPlantedPlain(t *testing.T) {
	for _, test := range []struct {
		machine, name, instruction string
		change                     func(b *term.Builder, t *term.Term) *term.Term
	}{
		{"vta", "a shift without sign", "alu.shr", func(b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ShrS {
				return b.ShrU(t.Args[0], t.Args[1])
			}
			return nil
		}},
		{"vta", "pads that are not 0", "load.inp", func(b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Choose && t.Sort.Width == 8 {
				return b.Choose(t.Args[0], t.Args[1], b.Bits(8, 1))
			}
			return nil
		}},
		{"vta", "a queue that is not popped", "gemm", func(b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Neg {
				return b.Bits(t.Sort.Width, 0)
			}
			return nil
		}},
		{"hlscnn", "products that are cut without sign", "conv.multiply", func(b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ShrS {
				return b.ShrU(t.Args[0], t.Args[1])
			}
			return nil
		}},
		{"hlscnn", "a sum that is not saturated", "conv.bias-relu", func(b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Choose && t.Sort.Width == 16 && t.Args[0].Op == term.LessS {
				return t.Args[2]
			}
			return nil
		}},
	} {
		var machines []hwmodels.Machine
		for _, m := range hwmodels.Machines() {
			if m.Name == test.machine {
				right := m.New
				m.New = func() *ila.Model {
					model := right()
					if ilatest.Rewrite(model, test.instruction, test.change) == 0 {
						t.Fatalf("%s: nothing is changed", test.name)
					}
					return model
				}
				machines = append(machines, m)
			}
		}
		var like []hwmodels.Driver
		for _, d := range hwmodels.Drivers() {
			if c := Drive(d, rand.New(rand.NewPCG(0, 0))); c != nil && c.Task.Model.Name == test.machine {
				like = append(like, d)
			}
		}
		var b *Bench
		found := false
		for k := uint64(0); k < 3000 && !found; k++ {
			if k%24 == 0 { // terms are never freed
				b = NewBench(machines[0])
			}
			found = b.plainly(b.Draw(rand.New(rand.NewPCG(1, k)), like)) != ""
		}
		if !found {
			t.Errorf("%s: nothing is found", test.name)
		}
	}
}

package hlscnn

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"tv/hwmodels/hlscnn/plain"
	"tv/ila"
	"tv/ila/run"
	"tv/semantics/term"
)

// operands draws the inputs of a task, ends of ranges often.
func operands(t *ila.Task, r *rand.Rand) [][]uint64 {
	inputs := make([][]uint64, len(t.Inputs))
	for i, x := range t.Inputs {
		inputs[i] = make([]uint64, x.Size())
		for j := range inputs[i] {
			inputs[i][j] = r.Uint64() >> (64 - x.Width)
			if r.IntN(3) == 0 {
				inputs[i][j] = []uint64{1 << (x.Width - 1), term.Ones(x.Width - 1), term.Ones(x.Width), 1}[r.IntN(4)]
			}
		}
	}
	return inputs
}

// runPlain runs the program of a task on the machine in plain Go; it returns the output, or false at a fault.
func runPlain(t *ila.Task, m *plain.Machine, inputs [][]uint64) (out []uint64, ok bool) {
	e := t.Environment(inputs)
	for _, s := range t.Steps {
		values := make([]uint64, len(s.Values))
		for i, v := range s.Values {
			values[i] = e.Value(v)
		}
		if m.Step(values) != nil {
			return nil, false
		}
	}
	for flat := range t.Output.Size() {
		v, written := m.Cell("spad1", t.Places(flat)[0].Address)
		if !written {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// The machine in plain Go, the model and the contract agree on programs of the driver, with every choice.
func TestPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for name, c := range configs() {
		for _, o := range []Options{{}, {Narrow: true, Relu: true}, {Bias: true, BlockTile: 1}} {
			s := Sizes{1 + r.IntN(17), 3 + r.IntN(3), 3 + r.IntN(8), 1 + r.IntN(9), 1 + r.IntN(3), 1 + r.IntN(3), 1 + r.IntN(3)}
			if c.Original {
				s.Stride = 1
			}
			task, err := Conv2D(c, s, o)
			if err != nil {
				t.Fatal(err)
			}
			inputs := operands(task, r)
			want, ok := runPlain(task, Plain(c), inputs)
			got, err := run.NewSimulator(task.Model).Run(task, inputs)
			if err != nil || !ok || !slices.Equal(want, got) {
				t.Errorf("%s, %v, %+v: %d in plain Go (%t), %d in the model, %v", name, s, o, want, ok, got, err)
			}
			e := task.Environment(inputs)
			e.Remember()
			for flat := range got {
				if v := e.Value(task.Contract(flat)); v != got[flat] {
					t.Errorf("%s, %v, %+v: element %d is %d in the contract, %d in the model", name, s, o, flat, v, got[flat])
					break
				}
			}
		}
	}
}

// differs runs random programs on a model and on the machine in plain Go, registers changed here and there, and says
// whether outputs or faults differ.
func differs(m *Machine, programs int, r *rand.Rand) bool {
	for range programs {
		s := Sizes{1 + r.IntN(12), 2 + r.IntN(3), 2 + r.IntN(9), 1 + r.IntN(9), 1 + r.IntN(3), 1 + r.IntN(3), 1 + r.IntN(3)}
		if m.choices.Original {
			s.Stride = 1
		}
		o := Options{Narrow: r.IntN(2) == 0, Bias: r.IntN(3) == 0, Relu: r.IntN(3) == 0, BlockTile: r.IntN(2), wreck: func(d *conv2D) {
			d.mutate = func(_, value uint64) uint64 {
				if r.IntN(60) == 0 {
					return value ^ 1<<r.IntN(24)
				}
				return value
			}
		}}
		task, err := conv2DOn(m, s, o)
		if err != nil {
			continue
		}
		e := task.Environment(operands(task, r))
		sim, ref := run.NewSimulator(m.Model), Plain(m.choices)
		micro := 0
		sim.Trace = func(string, string) {
			if micro++; micro > 1<<16 {
				panic(errEndless)
			}
		}
		for _, st := range task.Steps {
			values := make([]uint64, len(st.Values))
			for i, v := range st.Values {
				values[i] = e.Value(v)
			}
			err := step(sim, values)
			if errors.Is(err, errEndless) {
				if micro = 0; ref.Step(values) == nil {
					return true
				}
				break
			}
			faults := ref.Step(values)
			var f *ila.Fault
			if errors.As(err, &f); (f == nil) != (faults == nil) || f != nil && !slices.Contains(faults, f.Code) {
				return true
			}
			if f != nil {
				break
			}
		}
		for _, v := range []*ila.Var{m.config, m.Spad0, m.Spad1, m.SoC} {
			n, same := 0, true
			sim.Cells(v, func(at, value uint64) {
				n++
				want, ok := ref.Cell(v.Name, at)
				same = same && ok && want == value
			})
			if !same || n != ref.Count(v.Name) {
				return true
			}
		}
	}
	return false
}

var errEndless = errors.New("endless")

// step takes a step; a run of micro-instructions that is too long is an error.
func step(sim *run.Simulator, values []uint64) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if r != any(errEndless) {
				panic(r)
			}
			err = errEndless
		}
	}()
	return sim.Step(values...)
}

// The model and the machine in plain Go do the same for programs with registers that no driver sets.
func TestPlainRegisters(t *testing.T) {
	for name, c := range configs() {
		if differs(NewModel(c), 12, rand.New(rand.NewPCG(1, 3))) {
			t.Errorf("%s: they differ", name)
		}
	}
}

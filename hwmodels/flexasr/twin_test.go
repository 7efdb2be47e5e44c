package flexasr

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"tv/hwmodels/flexasr/plain"
	"tv/ila"
	"tv/ila/run"
)

// differ runs the program of a task in the simulator and on the machine in plain Go. It says in what they differ.
func differ(task *ila.Task, inputs [][]uint64) string {
	sim, ref := run.NewSimulator(task.Model), plain.New()
	env := task.Environment(inputs)
	for n, s := range task.Steps {
		terms := s.Terms(task.Model)
		values := make([]uint64, len(terms))
		var data [lanes]byte
		for i, v := range terms {
			if values[i] = env.Value(v); i > 0 {
				data[i-1] = byte(values[i])
			}
		}
		err, faults := sim.Step(values...), ref.Step(values[0], data)
		var f *ila.Fault
		if errors.As(err, &f); (f == nil) != (faults == nil) || f != nil && !slices.Contains(faults, f.Code) {
			return fmt.Sprintf("step %d, %s: %v, in plain Go %v", n, s.Text, err, faults)
		}
		if f != nil {
			break
		}
	}
	for _, v := range task.Model.Variables() {
		if v.Depth == 0 || !ref.Has(v.Name) {
			continue
		}
		n, first := 0, ""
		sim.Cells(v, func(at, value uint64) {
			n++
			if want, ok := ref.Cell(v.Name, at); first == "" && (!ok || want != value) {
				first = fmt.Sprintf("%s[%d] is %#x, in plain Go %#x", v.Name, at, value, want)
			}
		})
		if first != "" {
			return first
		}
		if n != ref.Count(v.Name) {
			return fmt.Sprintf("%s has %d cells, in plain Go %d", v.Name, n, ref.Count(v.Name))
		}
	}
	return ""
}

// operands draws codes: over their whole range, near to each other, mostly 0, or ends.
func operands(task *ila.Task, random *rand.Rand) (list [][]uint64) {
	kind := random.IntN(4)
	for _, x := range task.Inputs {
		values := make([]uint64, x.Size())
		for i := range values {
			switch {
			case kind == 0:
				values[i] = random.Uint64N(256)
			case kind == 1:
				values[i] = random.Uint64N(32) | random.Uint64N(2)<<7
			case kind == 2 && random.IntN(4) > 0:
			default:
				values[i] = []uint64{0x7f, 0xff, 0x80, 0x01, 0x81, random.Uint64N(256)}[random.IntN(6)]
			}
			values[i] &= 1<<x.Width - 1
		}
		list = append(list, values)
	}
	return list
}

// twins are tasks of every unit, with several biases.
func twins() map[string]func(bias func() int) (*ila.Task, error) {
	layer := func(bias func() int) LinearOptions {
		return LinearOptions{Weights: bias(), Inputs: bias(), Biases: bias(), Outputs: bias()}
	}
	lstm := func(steps, mode int) func(bias func() int) (*ila.Task, error) {
		return func(bias func() int) (*ila.Task, error) {
			o := LSTMOptions{LinearOptions: layer(bias), Mode: mode}
			o.Outputs = o.Inputs
			return LSTM(18, 20, steps, o)
		}
	}
	return map[string]func(bias func() int) (*ila.Task, error){
		"max":    func(bias func() int) (*ila.Task, error) { return MaxPool(18, 32, bias()) },
		"mean":   func(bias func() int) (*ila.Task, error) { return MeanPool(18, 32, bias()) },
		"add":    func(bias func() int) (*ila.Task, error) { return AddPool(18, 32, bias()) },
		"linear": func(bias func() int) (*ila.Task, error) { return Linear(3, 70, 40, layer(bias)) },
		"lstm":   lstm(3, modeOneWay), "forward": lstm(9, modeForward), "backward": lstm(9, modeBackward), "decoder": lstm(1, modeDecoder),
		"layer norm": func(bias func() int) (*ila.Task, error) {
			return LayerNorm(18, 48, NormOptions{Inputs: bias(), Gamma: bias(), Beta: bias()})
		},
		"attention": func(bias func() int) (*ila.Task, error) {
			return Attention(37, 32, AttentionOptions{Matrix: bias(), Query: bias(), Weights: bias(), Outputs: bias()})
		},
	}
}

// The model and the machine in plain Go leave the same in every unit.
func TestTwin(t *testing.T) {
	random := rand.New(rand.NewPCG(23, 0))
	list := twins()
	for _, name := range slices.Sorted(maps.Keys(list)) {
		for range 6 {
			task, err := list[name](func() int { return random.IntN(8) })
			if err != nil {
				t.Fatal(err)
			}
			if d := differ(task, operands(task, random)); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

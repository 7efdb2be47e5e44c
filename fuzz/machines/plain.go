package machines

import (
	"errors"
	"fmt"
	"slices"

	"tv/ila"
	"tv/ila/run"
)

// plainly runs a stream on the machine in plain Go, where there is one, beside the simulator, up to the first fault. It
// says in what they differ: "" in nothing.
func (b *Bench) plainly(s *Stream) string {
	if b.Machine.Plain == nil {
		return ""
	}
	ref := b.Machine.Plain()
	mems := memories(b.simulate)
	for name, cells := range s.Cells {
		for at, value := range cells {
			if v := mems[name]; v != nil && at < v.Depth && ref.Has(name) {
				ref.Set(name, at, value)
			}
		}
	}
	sim, _ := b.simulator(s)
	for n, values := range s.Steps {
		if len(values) != len(b.simulate.Inputs) {
			return ""
		}
		err := step(sim, values)
		if errors.Is(err, errTooLong) {
			return ""
		}
		want := ref.Step(values)
		var f *ila.Fault
		if errors.As(err, &f); (f == nil) != (len(want) == 0) || f != nil && !slices.Contains(want, f.Code) {
			return fmt.Sprintf("step %d: %v in the model, faults %v in plain Go", n, err, want)
		}
		if f != nil {
			break
		}
	}
	for _, v := range b.simulate.Variables() {
		if !ref.Has(v.Name) { // what is on its way within an instruction
			continue
		}
		if differ := plainCells(sim, ref, v); differ != "" {
			return differ
		}
	}
	return ""
}

// plainCells compares a memory.
func plainCells(sim *run.Simulator, ref interface {
	Cell(memory string, at uint64) (uint64, bool)
	Count(memory string) int
}, v *ila.Var) (differ string) {
	if v.Depth == 0 {
		return ""
	}
	n := 0
	sim.Cells(v, func(at, value uint64) {
		n++
		if want, ok := ref.Cell(v.Name, at); differ == "" && (!ok || want != value) {
			differ = fmt.Sprintf("%s[%d] is %#x in the model, %#x (written %t) in plain Go", v.Name, at, value, want, ok)
		}
	})
	if have := ref.Count(v.Name); differ == "" && have != n {
		differ = fmt.Sprintf("%s has %d cells with a value in the model, %d in plain Go", v.Name, n, have)
	}
	return differ
}

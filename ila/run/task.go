package run

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// Load writes the initial cells of a task, which e evaluates.
func (s *Simulator) Load(t *ila.Task, e *ila.Environment) {
	for _, in := range t.Init {
		s.SetCell(in.Memory, in.Address, e.Value(in.Value))
	}
}

// Run runs the program of a task on values of its inputs, in row-major order, and returns the output. That the
// program may not end where it does, or an element whose cells nobody wrote, is a fault of the step after the last.
func (s *Simulator) Run(t *ila.Task, inputs [][]uint64) ([]uint64, error) {
	return s.RunIn(t, t.Environment(inputs))
}

// RunIn is Run on the values of inputs that the environment has.
func (s *Simulator) RunIn(t *ila.Task, e *ila.Environment) ([]uint64, error) {
	if err := s.RunEach(t, e, func(int, bool) {}); err != nil {
		return nil, err
	}
	return s.output(t)
}

// RunEach runs the program of a task and calls visit before each step, and once more when it is done.
func (s *Simulator) RunEach(t *ila.Task, e *ila.Environment, visit func(step int, done bool)) error {
	s.Load(t, e)
	values := make([]uint64, len(t.Model.Inputs))
	for n := range t.Steps {
		step := &t.Steps[n]
		for i, v := range step.Values {
			values[i] = e.Value(v)
		}
		if step.Row.Tensor != nil {
			copy(values[len(step.Values):], e.Row(step.Row))
		}
		visit(n, false)
		if err := s.Step(values...); err != nil {
			return err
		}
		visit(n, true)
	}
	return s.End()
}

// output reads the output of a task.
func (s *Simulator) output(t *ila.Task) ([]uint64, error) {
	out := make([]uint64, t.Output.Size())
	for flat := range out {
		shift := 0
		for _, p := range t.Places(flat) {
			v, ok := s.Cell(p.Memory, p.Address)
			if !ok {
				return nil, &ila.Fault{Code: ila.CodeUnwritten, Step: len(t.Steps), AtEnd: true, Msg: fmt.Sprintf(
					"element %v of the output is %s[%d], which was never written",
					ila.Unravel(t.Output.Dims, flat), p.Memory.Name, p.Address)}
			}
			out[flat] |= v << shift
			shift += p.Memory.Width
		}
	}
	return out, nil
}

// Load writes the initial cells of a task.
func (s *Symbolic) Load(t *ila.Task) {
	for _, in := range t.Init {
		s.SetCell(in.Memory, in.Address, in.Value)
	}
}

// Output puts an element of the output of a task together from its cells: nil, and why, where one was never written.
func (s *Symbolic) Output(t *ila.Task, flat int) (*term.Term, string) {
	var all *term.Term
	for _, p := range t.Places(flat) {
		c := s.Cell(p.Memory, p.Address)
		if c == nil {
			return nil, fmt.Sprintf("element %v of the output: %s[%d] was never written",
				ila.Unravel(t.Output.Dims, flat), p.Memory.Name, p.Address)
		}
		if all == nil {
			all = c
		} else {
			all = t.Model.B.Concat(c, all)
		}
	}
	return all, ""
}

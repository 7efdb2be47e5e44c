package machine

import (
	"slices"

	"tv/equiv/sample"
	"tv/glenside"
	"tv/ila"
	"tv/ila/race"
	"tv/ila/run"
)

// A Scene is what a machine does on the inputs of a counterexample, for those who show it: nothing rests on it.
type Scene struct {
	Acts  []Act // what wrote the element last, and before it what wrote what that took; none where data decide, or nobody wrote it
	Moves []Shift
	Units []string // of Moves
}

// An Act is an instruction of the program, and what it did to memories.
type Act struct {
	Step   int // of the program, from 0
	Text   string
	Unit   string // on which it runs, or empty
	Memory []Change
}

// A Change is what an instruction did to a memory: cells that it gave another value, in the order of addresses.
type Change struct {
	Name  string
	Width int
	Cells []Cell
	Near  map[uint64]Cell // all cells with a value, before or after
	Own   map[uint64]bool // those of the element that differs
}

// A Cell is one of a memory, before and after an instruction; Had and Has say whether it had a value at all.
type Cell struct {
	At            uint64
	Before, After uint64
	Had, Has      bool
}

// A Shift is an instruction as a schedule runs it.
type Shift struct {
	race.Stretch
	Text   string
	Blamed bool // one of the two that nothing orders, or the one that waits for ever
}

// SceneOf runs the task on a counterexample of Check again. Errors: a task that does not run on these operands; of those there is nothing to show.
func SceneOf(before *glenside.Program, task *ila.Task, x *sample.Counterexample, blamed []sample.Blame) (*Scene, error) {
	p, err := NewPair(before, task, nil)
	if err != nil {
		return nil, err
	}
	out := &Scene{}
	if x.Schedule != "" {
		if err := out.follow(task, x.Schedule, blamed); err != nil {
			return nil, err
		}
		return out, nil
	}
	values := map[string][]string{}
	for _, in := range x.Inputs {
		values[in.Name] = in.Data()
	}
	in, err := p.operands(values)
	if err != nil {
		return nil, err
	}
	flat, err := p.offset(x.Index)
	if err != nil {
		return nil, err
	}
	element, stored, ok := run.Writers(task, flat)
	if !ok {
		return out, nil
	}
	steps := []int{element.Step}
	if stored.Step != element.Step {
		steps = append(steps, stored.Step)
	}
	out.Acts, err = acts(task, in, steps, task.Places(flat))
	return out, err
}

// acts runs the program and says what these instructions did; places are those of the element.
func acts(task *ila.Task, in operands, steps []int, places []ila.Place) ([]Act, error) {
	inputs := make([][]uint64, len(task.Inputs))
	for i, x := range task.Inputs {
		inputs[i] = in[x.Name]
	}
	s := run.NewSimulator(task.Model)
	_, memories := task.Model.Layout()
	unit := ""
	s.Trace = func(model, instruction string) {
		for _, i := range task.Model.Instructions {
			if i.Name == instruction && i.Issue != nil && model == task.Model.Name {
				unit = i.Issue.Unit
			}
		}
	}
	held := make([]map[uint64]uint64, len(memories))
	out := make([]Act, len(steps))
	hold := func() {
		for i, v := range memories {
			held[i] = map[uint64]uint64{}
			s.Cells(v, func(at, value uint64) { held[i][at] = value })
		}
	}
	err := s.RunEach(task, task.Environment(inputs), func(step int, done bool) {
		i := slices.Index(steps, step)
		switch {
		case i < 0:
		case !done:
			hold()
		default:
			out[i] = Act{Step: step, Text: task.Steps[step].Text, Unit: unit}
			for m, v := range memories {
				c := changed(s, v, held[m])
				for _, p := range places {
					if p.Memory == v {
						c.Own[p.Address] = true
					}
				}
				if len(c.Cells) > 0 {
					out[i].Memory = append(out[i].Memory, c)
				}
			}
		}
	})
	return out, err
}

// changed compares a memory with what it held.
func changed(s *run.Simulator, v *ila.Var, held map[uint64]uint64) Change {
	c := Change{Name: v.Name, Width: v.Width, Near: map[uint64]Cell{}, Own: map[uint64]bool{}}
	s.Cells(v, func(at, value uint64) {
		old, had := held[at]
		cell := Cell{At: at, Before: old, After: value, Had: had, Has: true}
		c.Near[at] = cell
		if !had || old != value {
			c.Cells = append(c.Cells, cell)
		}
	})
	for at, old := range held {
		if _, still := c.Near[at]; !still {
			cell := Cell{At: at, Before: old, Had: true}
			c.Near[at] = cell
			c.Cells = append(c.Cells, cell)
		}
	}
	slices.SortFunc(c.Cells, func(a, b Cell) int {
		if a.At < b.At {
			return -1
		}
		return 1
	})
	return c
}

// follow reads a schedule as stretches of time; those that are blamed race.
func (s *Scene) follow(task *ila.Task, schedule string, blamed []sample.Blame) error {
	list, err := race.Stretches(task, schedule)
	if err != nil || list == nil {
		return err
	}
	s.Units = task.Model.Units.Names
	for _, m := range list {
		step := task.Steps[m.Step]
		s.Moves = append(s.Moves, Shift{Stretch: m, Text: step.Text,
			Blamed: slices.ContainsFunc(blamed, func(b sample.Blame) bool { return b.Span == step.Span })})
	}
	return nil
}

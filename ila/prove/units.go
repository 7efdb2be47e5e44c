package prove

import (
	"context"
	"fmt"

	"tv/ila"
	"tv/ila/race"
	"tv/ila/run"
)

// Verify proves or refutes a task for all values of its inputs, on units that run at once where its machine has them: that no run stops
// for ever, that all leave the same, and that this is what the contract says. An error means that it could not be asked.
func Verify(ctx context.Context, t *ila.Task) (*Result, error) {
	order, dead, err := Ordered(t)
	switch {
	case err != nil: // no instruction decodes, or two do: a run one after the other shows it
		r, problem := InOrder(ctx, t, nil)
		if problem == nil && r.Verdict == Proved {
			r.Verdict, r.Reason, r.Detail = Unknown, "unsupported", err.Error()
		}
		return r, problem
	case dead != nil:
		r := NewResult()
		r.Verdict, r.Reason, r.Detail, r.Inputs = Refuted, "deadlock", DescribeDeadlock(t, dead), zeros(t)
		r.Deadlock = dead
		r.Fault = &ila.Fault{Code: ila.CodeToken, Step: dead.Step, Msg: dead.Reason}
		return r, nil
	case order == nil:
		return InOrder(ctx, t, nil)
	}
	cells := race.NewRecorder()
	r, err := InOrder(ctx, order.Reordered(t), cells)
	if err != nil || r.Verdict == Refuted {
		return r, err
	}
	found := order.Races(t, cells)
	if len(found) == 0 {
		r.recheck(t, order)
		return r, nil
	}
	var first *Result // what is said where none of them shows anything
	for _, race := range found {
		answer := *r
		if err := Raced(t, race, &answer); err != nil {
			return nil, err
		}
		if answer.Verdict == Refuted {
			return &answer, nil
		}
		if first == nil {
			first = &answer
		}
	}
	return first, nil
}

// watch has a run tell of the cells that it touches: the recorder, if there is one, and a watch of the model's turns.
func watch(s *run.Symbolic, m *ila.Model, cells *race.Recorder) *race.Turns {
	turns := race.NewTurns(m)
	switch {
	case turns == nil && cells == nil:
		return nil
	case turns == nil:
		s.Access = cells.Access
		return nil
	}
	s.Access = func(memory *ila.Var, at uint64, write bool) {
		turns.Access(memory, at, write)
		if cells != nil {
			cells.Access(memory, at, write)
		}
	}
	s.Before = func() {
		turns.Next(s.Number(m.Turns.While, "whether parts work at once") != 0, s.Number(m.Turns.Who.Term, "the part at work"))
	}
	return turns
}

// Ordered returns the order of a task's instructions on units that run at once, or why they stop for ever; neither where its machine takes one
// instruction after the other.
func Ordered(t *ila.Task) (*race.Order, *race.Deadlock, error) {
	p, err := race.Read(t)
	if p == nil || err != nil {
		return nil, nil, err
	}
	order, dead := p.Order()
	return order, dead, nil
}

// Sequence returns the task with its instructions in an order that it may be run in one after the other: its own, if that is one. Where
// there is none it is the task itself, whose run shows what is wrong.
func Sequence(t *ila.Task) *ila.Task {
	order, _, _ := Ordered(t)
	if order == nil || order.InOrder() {
		return t
	}
	return order.Reordered(t)
}

// recheck takes a proof back that other code is not convinced of.
func (r *Result) recheck(t *ila.Task, order *race.Order) {
	if r.Verdict != Proved {
		return
	}
	if err := Recheck(t, order); err != nil {
		r.Verdict, r.Reason, r.Detail = Unknown, "certificate", err.Error()
	}
}

// Recheck asks other code whether the order is one in which no units race.
func Recheck(t *ila.Task, order *race.Order) error {
	if t.Model.Units.Recheck == nil {
		return nil
	}
	if err := t.Model.Units.Recheck(t, order.Steps); err != nil {
		return fmt.Errorf("the order of units is refused: %w", err)
	}
	return nil
}

// Raced answers a task by a race: what its schedule leaves is run on samples. Where it leaves what the contract says, the
// answer is unknown.
func Raced(t *ila.Task, found *race.Race, r *Result) error {
	*r = Result{Race: found, Outputs: r.Outputs, Steps: r.Steps, lemma: map[string]bool{}, scalars: map[string]scalarLemma{}}
	other := found.Task(t)
	for n := range sampleRuns {
		done, err := Sample(other, n, r)
		if err != nil {
			return err
		}
		if done {
			break
		}
		r.Samples++
	}
	r.Reason, r.Detail = "race", found.Describe(t)
	return nil
}

// DescribeDeadlock says what waits for ever.
func DescribeDeadlock(t *ila.Task, d *race.Deadlock) string {
	return fmt.Sprintf("deadlock: instruction %d, %s, %s", d.Step, t.Steps[d.Step].Text, d.Reason)
}

// Assumptions are what a proof about units that run at once rests on.
func Assumptions(m *ila.Model) []string {
	if m.Units == nil {
		return nil
	}
	depth := 0
	for _, q := range m.Units.Queues {
		depth = q.Depth
	}
	return []string{fmt.Sprintf("units that run at once: queues of %d tokens and of %d instructions; an instruction has written what it writes when it ends",
		depth, m.Units.Commands)}
}

func zeros(t *ila.Task) [][]uint64 {
	inputs := make([][]uint64, len(t.Inputs))
	for i, x := range t.Inputs {
		inputs[i] = make([]uint64, x.Size())
	}
	return inputs
}

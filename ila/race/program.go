package race

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// A Program is the instructions of a task as units see them.
type Program struct {
	units *ila.Units
	steps []instruction
	last  int // the step after which the host reads
}

// An instruction is a step of the task.
type instruction struct {
	unit         int
	pops, pushes []int // queues
}

// Read returns the program of a task, or nil where its machine takes one instruction after the other. An error says what of an
// instruction is not known before it runs.
func Read(t *ila.Task) (*Program, error) {
	if t.Model.Units == nil {
		return nil, nil
	}
	p := &Program{units: t.Model.Units, last: len(t.Steps) - 1}
	number := map[string]int{}
	for i, name := range p.units.Names {
		number[name] = i
	}
	for n, step := range t.Steps {
		e := &inputs{model: t.Model, values: step.Terms(t.Model)}
		of := e.decoded()
		if e.err == nil && (of == nil || of.Issue == nil) {
			e.err = fmt.Errorf("no unit takes it")
		}
		if e.err != nil {
			return nil, fmt.Errorf("instruction %d, %s: %w", n, step.Text, e.err)
		}
		i := instruction{unit: number[of.Issue.Unit], pops: e.queues(of.Issue.Pops), pushes: e.queues(of.Issue.Pushes)}
		if e.err != nil {
			return nil, fmt.Errorf("instruction %d, %s: %w", n, step.Text, e.err)
		}
		p.steps = append(p.steps, i)
		if of.Issue.Last {
			p.last = n
		}
	}
	return p, nil
}

// inputs evaluates terms over the inputs of a step alone.
type inputs struct {
	model  *ila.Model
	values []*term.Term
	err    error
}

// decoded is the instruction that the inputs are.
func (e *inputs) decoded() (of *ila.Instruction) {
	for _, i := range e.model.Instructions {
		if e.value(i.Decode) != 0 {
			if of != nil {
				e.err = fmt.Errorf("both %s and %s decode", of.Name, i.Name)
			}
			of = i
		}
	}
	return of
}

func (e *inputs) queues(tokens []ila.Token) (list []int) {
	for _, t := range tokens {
		if e.value(t.When) != 0 {
			list = append(list, t.Queue)
		}
	}
	return list
}

func (e *inputs) value(t *term.Term) uint64 {
	if v, ok := t.ConstBits(); ok {
		return v
	}
	if t.Op == term.Read {
		for i, v := range e.model.Inputs {
			if v.Term == t {
				if n, ok := e.values[i].ConstBits(); ok {
					return n
				}
			}
		}
		e.err = fmt.Errorf("what it is depends on more than its word")
		return 0
	}
	args := make([]uint64, len(t.Args))
	for i, a := range t.Args {
		args[i] = e.value(a)
	}
	if t.Op == term.Load || t.Op == term.Apply || t.Op == term.Reduce || t.Op == term.Number {
		e.err = fmt.Errorf("what it is depends on more than its word")
		return 0
	}
	return term.EvalBits(t, args)
}

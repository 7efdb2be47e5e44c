package language

import (
	"context"
	"fmt"

	"tv/semantics/loops"
	"tv/semantics/loops/run"
)

// A slicing is what an evaluator runs of a large nest where few cells are asked for.
type slicing struct {
	may   bool  // the call comes to its end, whatever the inputs give
	steps int64 // that slices have taken on these inputs
	long  int64 // more steps than this a call takes
	run   *run.Run
	cell  string // that it was run for last; "" none
}

// Limits of slices.
const (
	slicedStatements = 200     // of a text
	sliceWork        = 1000    // what preparing one costs, in elements read: inputs are drawn anew for less
	wholeSteps       = 1 << 11 // a call that takes no more is run as a whole
	sliceShare       = 8       // slices take so many times fewer steps than a call; where they do not, that is run
)

// slice returns a run of what a cell is made by; nil where the call is to be run.
func (e *evaluator) slice(b *loops.Buffer, index []int64) *run.Run {
	s := &e.slices
	if !s.may {
		return nil
	}
	cell := fmt.Sprint(b.Name, index)
	if s.cell == cell {
		return s.run
	}
	if !e.runs() || !e.longer(wholeSteps) || !e.part(b, index) || !e.pays() {
		return nil
	}
	s.cell = ""
	if err := s.run.Do(context.Background()); err != nil { // the call says why
		s.may = false
		return nil
	}
	s.cell = cell
	s.steps += s.run.Steps()
	e.work += s.run.Steps() / stepsPerRead
	return s.run
}

// parts prepares for slices.
func (e *evaluator) parts() bool {
	s := &e.slices
	if s.run == nil && s.may {
		var err error
		s.run, err = run.New(e.t.Procedure, run.Options{Arith: e.arith, Sizes: e.sizes, Parts: true})
		s.may = err == nil
	}
	return s.may
}

// part prepares a slice.
func (e *evaluator) part(b *loops.Buffer, index []int64) bool {
	s := &e.slices
	s.cell = ""
	if !e.parts() {
		return false
	}
	s.run.Only(e.input, run.Slice(e.t.Procedure, e.sizes, b, index))
	e.work += sliceWork
	return true
}

// runs tells whether there is a call that slices may stand for. One whose storage is too large is as long as any.
func (e *evaluator) runs() bool {
	e.prepare()
	return e.never == nil || e.huge
}

// longer tells whether a call takes more steps.
func (e *evaluator) longer(steps int64) bool {
	if e.huge {
		return true
	}
	if steps > e.slices.long && e.run.Longer(steps) {
		e.slices.long = steps
	}
	return steps <= e.slices.long
}

// pays tells whether a slice and those before take much less than the call does. One that is longer than what is run of a call is no
// slice.
func (e *evaluator) pays() bool {
	for most := int64(wholeSteps / sliceShare); most <= run.DefaultLimit; most *= 2 {
		if most > e.slices.steps && !e.slices.run.Longer(most-e.slices.steps) {
			return e.longer(min(most*sliceShare, run.DefaultLimit))
		}
	}
	return false
}

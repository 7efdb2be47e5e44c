package language

import (
	"context"
	"errors"
	"fmt"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/cells"
	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// An evaluator runs a procedure once for all that is asked of it, until what the inputs give changes.
type evaluator struct {
	semantics.Evaluator
	frame  *cells.Frame
	t      *loops.Typed
	arith  value.Arith
	sizes  map[string]int64
	run    *run.Run
	called bool  // run was done
	spent  bool  // it was with earlier contents
	limit  int   // of the steps of a run; 0: the evaluator's own
	ended  error // why nothing is known of what the call leaves
	never  error // why it cannot be run at these sizes, whatever the contents
	work   int64 // that nobody was told of
	most   int   // work of a call; 0: any
	long   int   // a bound that a call does not keep; 0: none is known
	short  int   // one that it keeps; 0: none is known
	huge   bool  // never says that its storage is too large, and slices may do
	slices slicing
}

// evaluate implements semantics.Program.Evaluate for t.
func evaluate(t *loops.Typed, a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) (semantics.Evaluator, error) {
	e := sized(t, a, pt, in, standing)
	for _, c := range t.Conditions() {
		if ok, err := c.Pred.Eval(pt); err != nil || !ok {
			e.frame.Fail(t.At(c.Part), c.Code, "%s", c.Msg)
		}
	}
	of, err := e.frame.Ready(e.after)
	if err != nil {
		return nil, err
	}
	e.Evaluator = of
	e.slices.may = !t.Unstated && t.Overlap == nil && len(t.Places) <= slicedStatements && run.Sliceable(t.Procedure)
	return e, nil
}

// endingSteps bounds a run that is asked how it ends.
const endingSteps = 1 << 24

// ends implements semantics.Ender for t: it runs, whether its conditions hold or not.
func ends(t *loops.Typed, a value.Arith, pt domain.Point, in value.Inputs) error {
	e := sized(t, a, pt, in, nil)
	of, err := e.frame.Ready(e.after)
	if err != nil {
		return err
	}
	e.Evaluator, e.limit = of, endingSteps
	e.call()
	return e.ended
}

// sized prepares a procedure at a point.
func sized(t *loops.Typed, a value.Arith, pt domain.Point, in value.Inputs, standing semantics.Standing) *evaluator {
	e := &evaluator{frame: cells.New(t, t.Env, a, pt, in, standing), t: t, arith: a, sizes: map[string]int64{}}
	for _, h := range t.Procedure.Heading {
		if h.Buffer == nil {
			e.sizes[h.Size] = e.frame.Size(h.Span, domain.NamedSize(h.Size))
		}
	}
	for _, b := range t.Procedure.Buffers { // extents that have names but no parameter
		for _, d := range b.Dims {
			e.named(d)
		}
	}
	return e
}

// named finds out what the sizes in an integer are.
func (e *evaluator) named(x *loops.Int) {
	if _, known := e.sizes[x.Name]; x.Op == loops.Size && !known {
		e.sizes[x.Name] = e.frame.Size(x.At, domain.NamedSize(x.Name))
	}
	for _, a := range x.Args {
		e.named(a)
	}
}

// What a call costs, in elements read: for each statement when it is compiled, and for so many steps.
const (
	statementWork = 10
	stepsPerRead  = 8
)

// Worked implements semantics.Worker.
func (e *evaluator) Worked() int {
	n := e.work
	e.work = 0
	return int(n)
}

// Bound implements semantics.Worker.
func (e *evaluator) Bound(most int) bool {
	e.most = most
	if !e.runs() {
		return false
	}
	if e.huge {
		return most == 0
	}
	if most > 0 && e.long != most && e.short != most {
		if e.run.Longer(int64(most) * stepsPerRead) {
			e.long = most
		} else {
			e.short = most
		}
	}
	return most == 0 || e.long != most
}

// Reset implements semantics.Evaluator.
func (e *evaluator) Reset() {
	e.Evaluator.Reset()
	e.spent = e.called
	e.slices.cell, e.slices.steps = "", 0
}

// after is what a cell holds after the call.
func (e *evaluator) after(part int, index []int64) value.Value {
	b := e.t.Writes(part)
	if b == nil { // the result, where it is one tensor
		return e.frame.At(e.t.Parts()[part].Operands[0], index)
	}
	r := e.of(b, index)
	if r == nil {
		return value.NoValue(e.ended)
	}
	return r.Value(b, offset(r, b, index))
}

// offset is the number of an element, row by row.
func offset(r *run.Run, b *loops.Buffer, index []int64) int64 {
	offset := int64(0)
	for axis, d := range r.Dims(b) {
		offset = offset*d + index[axis]
	}
	return offset
}

// of returns a run after which a cell holds what it does after the call: of all of it, or of what the cell is made by. It is nil if nothing
// is known of what the call leaves.
func (e *evaluator) of(b *loops.Buffer, index []int64) *run.Run {
	if !e.called || e.spent {
		if r := e.slice(b, index); r != nil {
			return r
		}
		e.call()
	}
	if e.ended != nil {
		return nil
	}
	return e.run
}

// LastWrite implements semantics.Chronicle.
func (e *evaluator) LastWrite(path []int, index []int64) (semantics.Write, error) {
	step := 0
	if len(path) > 0 {
		step = path[0]
	}
	b := e.t.Writes(len(e.t.Parameters) + step)
	r := e.of(b, index)
	w := semantics.Write{Cell: b.Name}
	for axis, i := range index {
		w.Cell += fmt.Sprintf("%s%d", [...]string{"[", ","}[min(axis, 1)], i)
	}
	if len(index) > 0 {
		w.Cell += "]"
	}
	if r == nil {
		return w, e.ended
	}
	last, ok := r.Writer(b, offset(r, b, index))
	if ok {
		w.At = last.Stmt.At
	}
	for _, c := range last.Iteration {
		if w.Iteration != "" {
			w.Iteration += ", "
		}
		w.Iteration += fmt.Sprintf("%s = %d", c.Name, c.Value)
	}
	return w, nil
}

// call runs the procedure. Where the call ends nothing has a value.
func (e *evaluator) call() {
	if e.called && e.run != nil { // what was compiled for the sizes serves again
		e.run.Again(e.input)
	}
	e.prepare()
	e.called, e.spent = true, false
	if e.ended = e.never; e.ended == nil {
		e.ended = e.run.Do(context.Background())
		e.work += e.run.Steps() / stepsPerRead
	}
	var ended *run.Ended
	switch {
	case errors.As(e.ended, &ended):
		e.ended = fmt.Errorf("%w: %w", value.ErrUndefined, e.ended)
	case e.ended != nil:
		e.ended = fmt.Errorf("%w: %w", value.ErrUndecided, e.ended)
	}
}

// overlap is that of the parameters, as buffers.
func (e *evaluator) overlap() *run.Overlap {
	o := e.t.Overlap
	if o == nil {
		return nil
	}
	out := &run.Overlap{Distance: o.Distance}
	for _, b := range e.t.Procedure.Buffers {
		if b.Kind > loops.In {
			continue
		}
		switch e.t.Parts()[e.t.Part(b)].Input {
		case o.Of:
			out.Of = b
		case o.Behind:
			out.Behind = b
		}
	}
	if out.Of == nil || out.Behind == nil || out.Of.Elem != out.Behind.Elem {
		return nil
	}
	return out
}

// prepare compiles the procedure.
func (e *evaluator) prepare() {
	if e.run == nil && e.never == nil {
		e.run, e.never = run.New(e.t.Procedure, run.Options{Arith: e.arith, Sizes: e.sizes, Input: e.input,
			Limit: e.limit, Overlap: e.overlap()})
		coded := (*source.Error)(nil)
		e.huge = e.slices.may && errors.As(e.never, &coded) && coded.Code == "too-large"
		e.work += int64(len(e.t.Places)) * statementWork
	}
}

// input is what a parameter holds before the call.
func (e *evaluator) input(b *loops.Buffer, offset int64) value.Value {
	part := e.t.Part(b)
	dims := e.frame.PartDims(part)
	index := make([]int64, len(dims))
	for axis := len(dims) - 1; axis >= 0; axis-- {
		index[axis], offset = offset%dims[axis], offset/dims[axis]
	}
	return e.frame.At(part, index)
}

// Package run executes procedures of package loops on numbers: the reference evaluator of loop nests. It is written from
// the package comment of loops and shares no code with what lowers them.
//
//	run.go       Run, what is asked of it, how calls end
//	compile.go   a procedure at sizes: statements with their dims and constants filled in
//	integers.go  integers of control, and conditions on them
//	elements.go  elements: reads and operations
//	effects.go   statements, executed
//	branches.go  branches of which it is not known which one is taken
//	parallel.go  dependences between parallel iterations
//	slice.go     which iterations a cell is made by, so that others need not be run
//	places.go    which statement, in which iteration, did something at a time
//
// # Time
//
// A run has a clock, and a cell the time at which it was written last. The clock goes on by what stands in the text alone:
// past a branch on data it goes on by what both sides take. So a time says which statement it was, and in which iteration,
// and this is found again by walking bounds and conditions on counters without any elements. It costs a word a cell to
// know every writer, and nothing else.
//
// The same times tell which local was written since its Alloc, which cells of parameters were asked for, and which
// iterations of a parallel loop have met in a cell.
package run

import (
	"context"
	"errors"
	"fmt"

	"tv/internal/source"
	"tv/semantics/loops"
	"tv/semantics/value"
)

// Options say how a procedure is run.
type Options struct {
	Arith value.Arith
	Sizes map[string]int64
	// Input has the contents of parameters before the call, by row-major offsets. It is asked when a cell is wanted, once.
	Input   func(b *loops.Buffer, offset int64) value.Value
	Overlap *Overlap // of parameters; nil: they are apart
	// Parts has cells of parameters made when they are touched, as many as there may be, and does not look at what parallel iterations owe
	// each other: for slices.
	Parts bool
	Limit int // statements, iterations and operations; 0 stands for DefaultLimit
}

// An Overlap is of two parameters of one element type: Of begins Distance elements behind where Behind does.
type Overlap struct {
	Of, Behind *loops.Buffer
	Distance   int64
}

// DefaultLimit ends a run after some seconds.
const DefaultLimit = 1 << 27

// mostCells bounds the storage of a run.
const mostCells = 1 << 23

// ErrLimit says that a run took more steps than it may.
var ErrLimit = errors.New("too many steps")

// ErrTooLarge says that numbers of control or storage are beyond what is handled here.
var ErrTooLarge = errors.New("too large to run")

// A Counter is a loop's counter in an iteration.
type Counter struct {
	Name  string
	Value int64
}

// Ended says that the call ended, and why.
type Ended struct {
	Obligation loops.Obligation
	Span       source.Span
	Message    string    // such as "A[4] where axis 0 has 4 elements"
	Iteration  []Counter // of the loops around, outermost first
}

// Breached implements semantics.Breach.
func (e *Ended) Breached() string { return string(e.Obligation) }

// Place implements semantics.Breach.
func (e *Ended) Place() source.Span { return e.Span }

// Error implements error.
func (e *Ended) Error() string {
	s := fmt.Sprintf("%s: %s", e.Obligation, e.Message)
	if p := e.Span.Position(); p != (source.Position{}) {
		s = p.String() + ": " + s
	}
	for _, c := range e.Iteration {
		s += fmt.Sprintf(", %s = %d", c.Name, c.Value)
	}
	return s
}

// A Write is one execution of a statement.
type Write struct {
	Stmt      *loops.Assign
	Iteration []Counter // of the loops around, outermost first
}

// A Run is one call of a procedure. It is not safe for concurrent use.
type Run struct {
	arith    value.Arith
	sizes    map[string]int64
	input    func(b *loops.Buffer, offset int64) value.Value
	buffers  map[*loops.Buffer]*buffer
	body     block
	counters []int64 // by depth of the loop
	cells    int     // taken by all buffers

	clock   int64
	born    int64 // the clock before the call
	next    int64 // when the clock is beyond it, limit and context are looked at
	limit   int64
	within  map[*loops.For]Range // see Only
	parts   bool
	ctx     context.Context
	journal []change // what was overwritten, where a branch may have to be taken back
	trying  int      // how many branches that may not be the one taken are around
	doubt   bool     // accesses of branches that were perhaps not taken are on record for parallel loops
	done    bool
	stored  bool // parameters have cells
}

// A buffer is a loops.Buffer with its elements.
type buffer struct {
	*loops.Buffer
	dims  []int64
	cells []cell
	since int64 // of a cell that has no later time nothing is known: it is to be asked for, or undefined
	input bool  // to be asked for
	local bool
	few   map[int64]*cell // the cells that were touched, where there may be very many
	first *buffer         // whose contents elements are that both have, where it overlaps with one; nil: none
	shift int64           // where it begins in first
	trace [][]visit       // by parallel loop around: see parallel.go
}

// A cell is an element and the time of the last write to it.
type cell struct {
	value.Value
	at int64
}

// at returns a cell.
func (b *buffer) at(offset int64) *cell {
	if b.few == nil {
		return &b.cells[offset]
	}
	c := b.few[offset]
	if c == nil {
		c = &cell{}
		b.few[offset] = c
	}
	return c
}

// stop is what a run panics with to leave the closures: Do recovers it.
type stop struct{ err error }

// New prepares a call. It fails where a size is missing, a dim of a parameter negative, the storage too large or the
// procedure not well formed.
func New(p *loops.Procedure, o Options) (r *Run, err error) {
	r = &Run{arith: o.Arith, sizes: o.Sizes, input: o.Input, buffers: map[*loops.Buffer]*buffer{}, limit: int64(o.Limit),
		parts: o.Parts}
	if r.limit <= 0 {
		r.limit = DefaultLimit
	}
	if r.input == nil {
		r.input = func(b *loops.Buffer, _ int64) value.Value {
			return value.NoValue(fmt.Errorf("no contents of %s are given", b.Name))
		}
	}
	defer func() {
		if e := recover(); e != nil {
			s, ok := e.(stop)
			if !ok {
				panic(e)
			}
			r, err = nil, s.err
		}
	}()
	compile(r, p)
	if o.Overlap != nil {
		overlap(r.buffers[o.Overlap.Of], r.buffers[o.Overlap.Behind], o.Overlap.Distance)
	}
	r.begin()
	return r, nil
}

// overlap has the cells of two parameters in one memory, if they are not apart.
func overlap(of, behind *buffer, distance int64) {
	n, m := of.count(), behind.count()
	if distance >= m || -distance >= n {
		return
	}
	start := min(0, distance)
	memory := make([]cell, max(m, distance+n)-start)
	behind.cells, of.cells = memory[-start:][:m], memory[distance-start:][:n]
	of.first, of.shift = behind, distance
}

// begin forgets what is in all cells.
func (r *Run) begin() {
	r.born = r.clock
	r.clock++ // a cell that was asked for has the time after born
	for _, b := range r.buffers {
		b.since = r.born
	}
	r.done, r.doubt, r.trying, r.journal = false, false, 0, r.journal[:0]
}

// Again forgets the call, for another one on other contents.
func (r *Run) Again(input func(b *loops.Buffer, offset int64) value.Value) {
	r.clock++
	r.input = input
	for _, b := range r.buffers {
		clear(b.few)
	}
	r.begin()
}

// Only is Again for a call of which some iterations alone are executed, where ranges say which, and of other loops all: see Slice.
func (r *Run) Only(input func(b *loops.Buffer, offset int64) value.Value, within map[*loops.For]Range) {
	r.Again(input)
	r.within = within
}

// Do executes the call. It returns nil, an *Ended, ErrLimit, ctx.Err(), an error that wraps ErrTooLarge, or one that wraps
// value.ErrUndecided or a value.UninterpretedError: then it is not known whether the call ends.
func (r *Run) Do(ctx context.Context) error {
	if r.done {
		return errors.New("run: a second call needs other contents")
	}
	r.done, r.ctx = true, ctx
	r.store()
	if err := ctx.Err(); err != nil {
		return err
	}
	r.next = r.clock + min(stride, r.limit)
	return r.attempt(func() { r.body.run(r) })
}

// Steps returns how many statements, iterations and operations the call took.
func (r *Run) Steps() int64 { return r.clock - r.born - 1 }

// stride is how many steps pass before the context is looked at.
const stride = 1 << 14

// attempt runs f until it stops.
func (r *Run) attempt(f func()) (err error) {
	defer func() {
		if e := recover(); e != nil {
			s, ok := e.(stop)
			if !ok {
				panic(e)
			}
			err = s.err
		}
	}()
	f()
	return nil
}

// pause looks at limit and context.
func (r *Run) pause() {
	used := r.Steps()
	if used > r.limit {
		panic(stop{ErrLimit})
	}
	if err := r.ctx.Err(); err != nil {
		panic(stop{err})
	}
	r.next = r.clock + min(stride, r.limit-used)
}

// Dims returns the dims of a buffer; of a local those of its last Alloc.
func (r *Run) Dims(b *loops.Buffer) []int64 { return r.buffers[b].dims }

// Value returns what a cell holds now. An element that was never written has no value.
func (r *Run) Value(b *loops.Buffer, offset int64) value.Value {
	x := r.buffers[b]
	if !r.stored {
		r.store()
	}
	switch c := x.at(offset); {
	case c.at > x.since:
		return c.Value
	case x.input:
		return r.ask(x, offset).Value
	case c.at == x.since && c.Failed(): // perhaps written: see branches.go
		return c.Value
	}
	return value.Undefinedf("element %d of %s was not written", offset, b.Name)
}

// ask loads a cell of a parameter.
func (r *Run) ask(b *buffer, offset int64) *cell {
	of, at := b, offset
	if b.first != nil && uint64(offset+b.shift) < uint64(b.first.count()) {
		of, at = b.first, offset+b.shift
	}
	v := r.input(of.Buffer, at)
	if err := v.Suits(r.arith, b.Elem); err != nil {
		v = value.NoValue(fmt.Errorf("%s[offset %d]: %w", b.Name, offset, err))
	}
	c := b.at(offset)
	*c = cell{v, r.born + 1}
	return c
}

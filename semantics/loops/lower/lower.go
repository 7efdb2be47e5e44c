// Package lower makes arrays of terms of procedures: what each cell of a parameter holds after the call.
//
// A cell is traced back from the end of the call to the statement that wrote it last, and what that statement read is
// traced back from there. Which iteration of a loop writes a cell last is found by solving for counters (loops.System), so
// that the cost depends on the text and not on sizes. A loop in which a cell is nothing but updated, x = x op e, is a fold.
//
//	lower.go  the arrays
//	trace.go  back in time: what a cell holds before and after statements
//	last.go   which iteration of a loop writes a cell last, and folds over those that update it
//	rows.go   subscripts of arrays with one axis whose rows are laid out one behind the other
//	chain.go  statements that update a cell
//	value.go  elements as terms, sizes as index expressions
package lower

import (
	"fmt"

	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/arrays"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/loops"
	"tv/semantics/term"
)

// What is traced, at most: for one cell, but for maxActive and maxDeep.
const (
	maxSteps  = 20_000  // statements and conditions looked at
	maxWork   = 150_000 // of decisions about sizes, in units of the builder
	maxActive = 12      // instances of one statement, each of which reads what the next wrote
	maxDeep   = 400     // reads, each of which the last waits for
)

// A lowering is the work on one procedure.
type lowering struct {
	*arrays.Lowering
	t         *loops.Typed
	instances map[solveKey][]*loops.System
	writers   map[loops.Stmt]map[*loops.Buffer][]*loops.Place
	solved    map[solveKey][]*solution
	updates   map[writerKey]*update
	chains    map[*loops.Assign]*chain
	active    map[*loops.Assign]int // instances of a statement that are being traced
	memo      map[string]*term.Term
	// partials tells of terms whether they may have no value.
	partials map[*term.Term]bool
	steps    int
	work     int // of the builder when what is traced began
	deep     int
}

// An untraced is why a cell has no term.
type untraced struct {
	at   source.Span
	text string
}

// Error implements error.
func (e *untraced) Error() string { return fmt.Sprintf("%s: %s", e.at.Position(), e.text) }

// fail gives up on what is being traced.
func fail(at source.Span, format string, args ...any) {
	panic(&untraced{at, fmt.Sprintf(format, args...)})
}

// Lower implements semantics.Program for t. Errors: where a cell cannot be traced, and why.
func Lower(t *loops.Typed, b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	l := &lowering{Lowering: arrays.New(t, b, o), t: t, instances: map[solveKey][]*loops.System{},
		writers: map[loops.Stmt]map[*loops.Buffer][]*loops.Place{}, solved: map[solveKey][]*solution{}, updates: map[writerKey]*update{}, chains: map[*loops.Assign]*chain{},
		active: map[*loops.Assign]int{}, memo: map[string]*term.Term{}, partials: map[*term.Term]bool{}}
	if err := l.safe(); err != nil {
		return nil, err
	}
	if err := l.asked(); err != nil {
		return nil, err
	}
	out, err := l.Arrays(l.element)
	if err != nil {
		return nil, err
	}
	for i, c := range out.Components { // what cannot be traced is told now, and not when elements are asked for
		if err := l.try(func() { l.anywhere(c.Array) }); err != nil {
			return nil, err
		}
		out.Components[i].Array.Element = l.careful(c.Array)
	}
	return out, nil
}

// try runs f, and returns why something was not traced.
func (l *lowering) try(f func()) (err error) {
	deep, steps, work := l.deep, l.steps, l.work
	l.steps, l.work = 0, l.X.Steps()
	defer func() { l.deep, l.steps, l.work = deep, steps, work }()
	defer func() {
		if e := recover(); e != nil {
			lost, ok := e.(*untraced)
			if !ok {
				panic(e)
			}
			err = lost
		}
	}()
	f()
	return nil
}

// anywhere traces an element at any index.
func (l *lowering) anywhere(a term.Array) {
	at := make([]*index.Expr, len(a.Dims))
	for i, d := range a.Dims {
		at[i] = l.X.NewVar(fmt.Sprint("cell", i), l.X.Const(0), d).Expr()
	}
	a.Element(l.X.Root(), at)
}

// careful returns the elements of an array, and where one cannot be traced a term that is equal to no other: what is known
// at a place may lead further than Lower went.
func (l *lowering) careful(a term.Array) func(*index.Context, []*index.Expr) *term.Term {
	return func(ctx *index.Context, at []*index.Expr) (t *term.Term) {
		if err := l.try(func() { t = a.Element(ctx, at) }); err != nil {
			one := l.X.NewVar("untraced", l.X.Const(0), l.X.Const(2)) // of which nobody else has a number
			t = l.B.Apply(a.Sort, fmt.Sprintf("untraced %d: %v", one.ID(), err))
		}
		return t
	}
}

// element is what a cell of a parameter holds after the call.
func (l *lowering) element(part int, ctx *index.Context, at []*index.Expr) *term.Term {
	b := l.t.Writes(part)
	if b == nil { // the result, where it is one tensor
		return l.At(l.t.Parts()[part].Operands[0], ctx, at)
	}
	t := l.left(query{buffer: b, cell: at, env: env{}}, ctx)
	if l.t.Ends != nil { // it is that of a call that executes these divisions and shifts
		t = l.B.Apply(t.Sort, "c.ended", t, l.left(query{buffer: l.t.Ends, env: env{}}, ctx))
	}
	return t
}

// left is what a cell holds after the call.
func (l *lowering) left(q query, ctx *index.Context) *term.Term {
	if t := l.block(l.t.Body, q, ctx, l.contents(q)); t != nil {
		return t
	}
	return l.B.Int(l.Sort(q.buffer.Elem), 0) // nothing gets here
}

// asked refuses a procedure that may end where contents say so unless a result has an element that has a value whatever
// happens, at all sizes: what it executes is a part of that.
func (l *lowering) asked() error {
	if l.t.Ends == nil {
		return nil
	}
	for _, s := range l.t.Steps {
		some := s.Target.Elem.Kind == domain.ElemInt || s.Target.Elem.Kind == domain.ElemUint
		for _, d := range s.Target.Dims {
			some = some && l.t.Sign(d) > 0
		}
		if some {
			return nil
		}
	}
	return l.try(func() {
		fail(l.t.Procedure.Span, "a call may end as data says, and no result has an integer at all sizes")
	})
}

// contents are what a buffer holds before the call.
func (l *lowering) contents(q query) rest {
	return func(ctx *index.Context) *term.Term {
		if q.buffer.Kind > loops.In {
			fail(q.buffer.Span, "%s is read where it may not have been written", q.buffer.Name)
		}
		return l.At(l.t.Part(q.buffer), ctx, q.cell)
	}
}

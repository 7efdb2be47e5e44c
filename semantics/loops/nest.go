package loops

import (
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Procedure is a text that was read.
type Procedure struct {
	File    *source.File
	Name    string
	Span    source.Span  // of the heading
	Heading []*Parameter // in order
	Buffers []*Buffer    // those of the heading in its order, then locals in the order of occurrence, the returned one last
	Body    []Stmt
	// Wide tells that counters are of a type of 64 bits; otherwise it has 32. The domain is that of sizes below 2^60 or 2^28.
	Wide bool
	// Skipped are texts without a meaning here that were read over, such as attributes of a module: to be noted.
	Skipped []source.Span
	// Alias tells that parameters may overlap, other than package loops has it: what is left is not traced then, unless none can.
	Alias bool
	// Untyped tells that it does not count of which types they are.
	Untyped bool
	// Scratched are the locals that are parameters of the text: see Procedure.Scratch.
	Scratched []*Buffer
}

// A Parameter is one of the heading: a size or a buffer.
type Parameter struct {
	Size   string // the name of a size; otherwise
	Extent bool   // of a size that nobody gives: it is what the extents say that name it
	Buffer *Buffer
	Span   source.Span
}

// A Buffer is an array: contents by index, row-major where one is asked. A scalar has no dims.
type Buffer struct {
	Name string // as the text has it, and made unique in the procedure: a second x is x.2
	Kind Kind
	Elem domain.Elem
	Dims []*Int // of a parameter over sizes; of a local over sizes and the counters around its Alloc
	Span source.Span
	// Unsized tells of a parameter whose first extent the text does not have, such as a bare pointer: Dims[0] is a size that
	// has a name of its own and is not in the heading. A declaration from outside says what it is, or what it is bound to.
	Unsized bool
	// Signless tells of a parameter of integers that they are bits: of what it is bound to they have their sign.
	Signless bool
	// Restricted tells of a parameter that what is written by it or by others is accessed by one of them alone.
	Restricted bool
}

// Kind is what a buffer is.
type Kind uint8

const (
	InOut    Kind = iota // a parameter whose contents after the call are observed
	In                   // a parameter that is passed by value or is const: never written
	Local                // not observed
	Returned             // what the call returns: undefined at first
)

// A Stmt is a statement.
type Stmt interface{ Span() source.Span }

// An Alloc is the place where a local begins: its elements are undefined.
type Alloc struct {
	Buffer *Buffer
	At     source.Span
}

// An Assign writes one element. The value and the subscripts are computed first.
type Assign struct {
	To    Access
	Value *Expr
	At    source.Span
}

// A For runs its body for a counter from the greatest of Lo on, in steps, while it is below the least of Hi (above the
// greatest of Hi, where Step is below 0; Lo then has one value, the first). All three are taken before the first iteration.
// So it runs max(0, ceil((hi-lo)/step)) times. Where Step is neither a number nor known to have a sign, both are possible.
type For struct {
	Name     string // of the counter
	Lo, Hi   []*Int
	Step     *Int
	Parallel *Parallel // nil: iterations are in order
	Body     []Stmt
	At       source.Span
}

// Parallel says that iterations may run in any order. No iteration may access a cell that another writes, whatever the
// values, but for cells that are updated as one of Reductions says.
type Parallel struct {
	Reductions []Op // by Assigns x = op(x, e): Add, Mul, Min, Max, And, Or
}

// An If runs one of two branches, as a condition on sizes and counters says.
type If struct {
	Cond *Cond
	Then []Stmt
	Else []Stmt
	At   source.Span
}

// A When runs one of two branches, as an element of type bool says. They hold Assigns, Requires and Whens alone.
type When struct {
	Cond *Expr
	Then []Stmt
	Else []Stmt
	At   source.Span
}

// A Require must hold where it is reached.
type Require struct {
	Cond       *Cond
	Obligation Obligation
	Message    string // in terms of the text: "n - 1 as an int"
	At         source.Span
}

// Obligation is what a program owes: see doc/loops.md.
type Obligation string

const (
	Bounds      Obligation = "bounds"      // each subscript lies in its dimension
	Index       Obligation = "index"       // integers of control lie in their types
	Initialised Obligation = "initialised" // locals are written before they are read
	Called      Obligation = "call"        // preconditions of calls
	Overflow    Obligation = "overflow"    // nsw, nuw; signed overflow, where that is undefined
	Independent Obligation = "parallel"    // no iteration writes what another reads or writes
	Termination Obligation = "termination" // steps towards the bound
	Arithmetic  Obligation = "value"       // no division by zero, no shift too far; and what results hold
	Frame       Obligation = "frame"       // parameters that nobody writes keep what they hold
	Kinds       Obligation = "type"        // parameters have the types and extents of what they are bound to
)

// An Access is an element of a buffer.
type Access struct {
	Buffer *Buffer
	At     []*Int
	Number *Int // of the element, row by row, where At are its digits to the extents as bases; nil: that is not known of At
	Where  source.Span
}

// Span implements Stmt.
func (s *Alloc) Span() source.Span { return s.At }

// Span implements Stmt.
func (s *Assign) Span() source.Span { return s.At }

// Span implements Stmt.
func (s *For) Span() source.Span { return s.At }

// Span implements Stmt.
func (s *If) Span() source.Span { return s.At }

// Span implements Stmt.
func (s *When) Span() source.Span { return s.At }

// Span implements Stmt.
func (s *Require) Span() source.Span { return s.At }

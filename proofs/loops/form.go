// Package loops is the checker's reading of nests of loops: what a procedure means whose statements
// write arrays one element at a time. It was written from that meaning alone. A language of loops
// has a package of its own that parses texts into a Procedure and calls Source.
//
//	form.go      procedures: what a language's package makes
package loops

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/domain"
)

// A Procedure is a text that was read. It maps the contents of its parameters before the call to
// those after it, for any contents; parameters do not overlap.
//
// Integers are those of mathematics: nothing wraps; where a language has machine words, a Require
// says that a value lies in its type. An execution is an error, and there is nothing to be said of
// what it leaves, where one of these is reached: an access with a subscript that is not within the
// dim of its axis; a read of an element of a local that was not written since the last Alloc of it,
// or at all; a Require that does not hold. What a statement that is not reached would do does not
// matter. Conditions on sizes exclude errors for all contents.
type Procedure struct {
	Params []*Buffer // in the order of the heading, without those that are sizes
	Sizes  []string  // all names that occur in dims and Ints; a size is at least 1
	Body   []Stmt
	Limits domain.Limits // of the sizes that the text is meant for; the zero value is none
	Span   source.Span   // of the heading
}

// A Buffer is an array, of a parameter or of a local. Scalars have no dims.
type Buffer struct {
	Name string
	Elem domain.Elem // a float, signed, unsigned or bool type
	Dims []domain.Size
	Span source.Span
}

// A Stmt is an *Assign, *For, *If, *Require or *Alloc. No two places share one.
type Stmt interface{}

// An Assign writes one element. All that it reads is read before.
type Assign struct {
	To    Access
	Value *Data // of the type of the buffer
	Span  source.Span
}

// A For takes its counter from the greatest of Lo on in steps, as long as it is below all of Hi; if
// Step is below 0, from the least of Lo on, as long as it is above all of Hi. The bounds are taken
// before the first iteration, and there may be none. Iterations are in order.
type For struct {
	Lo, Hi []*Int // at least one each
	Step   *Int   // of sizes; at least 1, or below 0, whatever they are
	Body   []Stmt
	Span   source.Span
}

// An If runs one of two branches.
type If struct {
	Cond *Cond
	Then []Stmt
	Else []Stmt
	Span source.Span
}

// A Require has to hold where it is reached.
type Require struct {
	Cond *Cond
	Text string // what holds, in terms of the text: "n - 1 is an int"
	Span source.Span
}

// An Alloc begins a local: what it holds is lost. One that stands in no Alloc is a parameter.
type Alloc struct {
	Buffer *Buffer
	Span   source.Span
}

// An Access is an element of a buffer, by one subscript for each dim.
type Access struct {
	Buffer *Buffer
	At     []*Int
	Span   source.Span
}

// An Int is an integer of sizes and counters.
type Int struct {
	Op   IntOp
	N    *big.Int // of IntNumber
	Name string   // of IntSize
	Loop *For     // of IntCounter: a loop around it
	Args []*Int   // of two or more, IntDiv of two
}

// IntOp is what an Int is.
type IntOp uint8

const (
	IntNumber IntOp = iota
	IntSize
	IntCounter
	IntAdd
	IntMul
	IntDiv // rounded down, by what is known to be at least 1: a number, or made of sizes
	IntMax
	IntMin
)

// Number, SizeOf and CounterOf are the Ints without operands.
func Number(n int64) *Int { return &Int{Op: IntNumber, N: big.NewInt(n)} }

// SizeOf returns the size of a name.
func SizeOf(name string) *Int { return &Int{Op: IntSize, Name: name} }

// CounterOf returns the counter of a loop.
func CounterOf(l *For) *Int { return &Int{Op: IntCounter, Loop: l} }

// Of returns an operation on integers. Mod, the rounding of ceildiv and of the division of C are
// made of these: x - y·(x div y), -((-x) div y), max(0, x div y) + min(0, -((-x) div y)).
func (op IntOp) Of(args ...*Int) *Int { return &Int{Op: op, Args: args} }

// Minus returns x - y.
func Minus(x, y *Int) *Int { return IntAdd.Of(x, IntMul.Of(Number(-1), y)) }

// A Cond is a condition on integers.
type Cond struct {
	Op    CondOp
	X, Y  *Int    // of CondLess, CondLessEqual and CondEqual
	Conds []*Cond // of CondAll and CondAny any number, of CondNot one
}

// CondOp is what a Cond is.
type CondOp uint8

const (
	CondLess      CondOp = iota // X < Y
	CondLessEqual               // X <= Y
	CondEqual                   // X = Y
	CondAll
	CondAny
	CondNot
)

// A Data is an element. Operands have its type but for DataConvert: languages write conversions
// out.
type Data struct {
	Op   DataOp
	Elem domain.Elem
	From Access // of DataRead, which has the type of the buffer
	Int  *Int   // of DataInt
	// Text is the number of DataLiteral as a decimal, 1e-3 or -0.5, or inf or nan: one that the
	// type has or, of floats, rounds. It is the name of the function of DataApply.
	Text string
	Args []*Data
	Span source.Span
}

// DataOp is what a Data is.
type DataOp uint8

const (
	DataRead DataOp = iota
	DataLiteral
	DataInt     // an Int as an element, modulo 2^width
	DataConvert // between integers modulo 2^width; to floats rounded
	DataNeg     // integers wrap; floats round
	DataAdd
	DataSub
	DataMul
	DataDiv // of floats
	DataMax // of integers, and of floats as real numbers
	DataMin
	DataApply // of floats: exp, log, sqrt, erf, tanh
)

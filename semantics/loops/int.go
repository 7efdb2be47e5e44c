package loops

import (
	"slices"

	"tv/internal/source"
)

// An Int is an integer of control: a number, a size, a counter, or made of others. Ints are those of mathematics.
// They are immutable, and shared.
type Int struct {
	Op   IntOp
	N    int64  // of Number
	Name string // of Size
	Loop *For   // whose counter it is
	Cond *Cond  // of Choose
	Args []*Int
	At   source.Span // of the text that it is, if any
}

// IntOp is the operation of an Int.
type IntOp uint8

const (
	Number   IntOp = iota // N
	Size                  // the size of a name
	Counter               // of a For around it; of one that has ended: not allowed, see After
	Plus                  // of any number of arguments
	Times                 // of two
	FloorDiv              // rounded down; the divisor is not 0, or the call ends
	CeilDiv               // rounded up
	FloorMod              // x - y·FloorDiv(x, y)
	TruncDiv              // rounded towards 0
	TruncMod              // x - y·TruncDiv(x, y)
	Least                 // of one argument or more
	Greatest
	Choose // Args[0] where Cond holds, else Args[1]; the other is not executed
)

// A Cond is a condition on Ints.
type Cond struct {
	Op    CondOp
	A, B  *Int
	Conds []*Cond
	At    source.Span
}

// CondOp is the operation of a Cond.
type CondOp uint8

const (
	Less      CondOp = iota // A < B
	LessEqual               // A <= B
	Equal                   // A = B
	All                     // of any number of Conds
	Any                     // of any number of Conds
	None                    // not Conds[0]
)

// Num returns a number.
func Num(n int64) *Int { return &Int{Op: Number, N: n} }

// SizeOf returns the size of a name.
func SizeOf(name string) *Int { return &Int{Op: Size, Name: name} }

// CounterOf returns the counter of a loop.
func CounterOf(l *For) *Int { return &Int{Op: Counter, Loop: l} }

// Of returns an operation on integers.
func (op IntOp) Of(args ...*Int) *Int { return &Int{Op: op, Args: args} }

// Neg returns -x.
func Neg(x *Int) *Int { return Times.Of(Num(-1), x) }

// Minus returns x - y.
func Minus(x, y *Int) *Int { return Plus.Of(x, Neg(y)) }

// Same tells whether two integers are written alike.
func (x *Int) Same(y *Int) bool {
	return x == y || x.Op == y.Op && x.Op != Choose && x.N == y.N && x.Name == y.Name && x.Loop == y.Loop &&
		slices.EqualFunc(x.Args, y.Args, (*Int).Same)
}

// Same tells whether two accesses are written alike.
func (x Access) Same(y Access) bool {
	return x.Buffer == y.Buffer && slices.EqualFunc(x.At, y.At, (*Int).Same)
}

// Trips returns how often a loop runs whose step is a number: max(0, ceil((hi - lo)/step)).
func Trips(l *For) *Int {
	lo, hi := Greatest.Of(l.Lo...), Least.Of(l.Hi...)
	if l.Step.N < 0 {
		hi = Greatest.Of(l.Hi...)
	}
	way, step := Minus(hi, lo), l.Step
	if l.Step.N < 0 {
		way, step = Neg(way), Num(-l.Step.N)
	}
	return Greatest.Of(Num(0), CeilDiv.Of(way, step))
}

// After returns what the counter of a loop is when it has ended: lo + step·trips. The step is a number.
func After(l *For) *Int { return Plus.Of(Greatest.Of(l.Lo...), Times.Of(l.Step, Trips(l))) }

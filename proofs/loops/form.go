// Package loops is the checker's reading of nests of loops: what a procedure means whose statements
// write arrays one element at a time. It was written from that meaning alone. A language of loops
// has a package of its own, which parses texts into a Procedure: that is an algebra.Source.
//
//	form.go        procedures: what a language's package makes
//	text.go        texts on their way into the form: integers of control, what is known of them
//	reading.go     a procedure as a program of the checker
//	conditions.go  conditions on sizes under which nothing goes wrong
//	unordered.go   those of loops in no order
//	limits.go      what sizes within limits are known to be
//	returned.go    what a call returns
//	elements.go    what a cell holds at a place
//	choices.go     comparisons of elements, and choices by them
//	ends.go        what may end a call as data says
//	carried.go     elements that the next iteration reads; signless.go integers that are bits
//	unrolled.go    loops whose bodies are several iterations; normalized.go those that count them
//	folds.go       what sums, products and maxima of many iterations leave
//	nest.go        places in a text and in time, integers, conditions, loops
//	instances.go   the integers for which equations and inequalities hold
//
// # Laws
//
// Nothing is searched for, and what the laws do not tell is refused.
//
//  1. Back in time. What a cell holds at a place is what the last Assign before it, in the order
//     of execution, wrote there whose subscripts are the cell; if there is none, what it held at
//     entry. Statements are looked at from the last to the first: an Assign writes the cell or
//     does not; an If is one of its branches; a loop is law 2 or 3; the begin of an iteration is
//     the end of those before it. So none is left out, and the first that writes the cell is the
//     last writer.
//
//  2. The last iteration. The instances of a writer in a loop are the integers for which the
//     bounds of the loops and the conditions around it hold and its subscripts are the cell. Law 4
//     says when there are some, and which iteration of the loop is the greatest; of several
//     writers the greatest counts. No later iteration writes the cell, and in this one some writer
//     does: so its end is gone back from, and the way on which it would not be written is not
//     taken by anyone. It meets all conditions of an instance; those that others imply need not be
//     asked about.
//
//  3. Folds. If all that a loop writes to a buffer is x = x op e with one op, a sum, product or
//     maximum that is associative and commutative, the loop leaves what was there op all e of the
//     instances that hit the cell, each e as it is at its own instance: by induction over the
//     instances in their order, whatever an e reads. With no instance, it leaves what was there. So
//     it is of a cell that has another number as one subscript than all other cells that the loop
//     writes, whatever it does to those. Each is counted once: a counter is one value of its
//     unknown, and ways through a condition exclude each other. A sum or product of integers of w
//     bits may be taken in wider types: conversions between types of w bits or more change nothing
//     modulo 2^w. Of floats, bit for bit, it is one statement, in its own order, from the literal
//     0: 0 + x1 + ... + xn is 0 + (x1 + ... + xn), as a sum from 0 is never -0 on the way, and for
//     the same reason a 0 between the x changes nothing.
//
//  4. Elimination. Unknowns leave equations where their factor is 1 or -1, or where k·v = r stands
//     alone: k divides r, v = r div k. g·n = r for a number r is n = r/g, or never so. Of
//     inequalities, l <= k·v and m·v <= u, there is a v if and only if ceil(l/k) <= floor(u/m) for
//     all pairs: as numbers, and, if k or m is 1, without a rounding, so that the ends may hold
//     other unknowns. What is divided by all factors of unknowns may be rounded: g·n + r >= 0 is n
//     + r div g >= 0. A quotient t div q is the one n for which 0 <= t - q·n < q. The greatest v
//     is the least floor(u/m). max(x, y) + r >= 0 if x + r >= 0 or y + r >= 0; r - max(x, y) >= 0
//     if both r - x and r - y are. Where l/k > u/m there is no v either.
//
//  5. Loops. A counter is lo + s·t for the t >= 0 for which it is not at or beyond an end. If the
//     first counter is there already there is no such t: an empty loop, and one with ends the wrong
//     way round, has no instances. Where s does not divide the range the last t is a floor.
//
//  6. Boxes. A fold over instances is one over a box of sizes alone that holds all of them; at the
//     places of the box that are none it takes the element that changes nothing.
//
//  7. Locals. That a read of a local finds an Assign behind its Alloc is shown for each read that
//     is executed, when the program is typed. So going back to an Alloc is not a way that is
//     taken.
//
//  8. Choices. A function of elements has a value where all its operands have one. Of c ? x : y
//     that is so only if x and y always have one, or c asks for what they ask, as in a maximum:
//     others are refused, and so is c && d where d may have none. By x < y the choice of y and x is
//     the greater one. c && d ? x : y is c ? (d ? x : y) : y, and c ? x : y is !c ? y : x. Of
//     integers and real numbers, x <= y is !(y < x). A minimum of real numbers is the negated
//     maximum of the negated; of integers, -1 - x, which turns their order round, is in place of
//     -x. And x = c ? x op e : x is x = x op (c ? e : nothing), for sums and products.
//
//  9. What data guards. Data may decide whether a Guarded statement, or an operand of a choice, is
//     executed. Conditions on sizes speak of all contents: so such accesses and Requires have to
//     hold for all sizes for which the others do, by conditions that these ask for as well.
//
//  10. Unrolled loops. A loop in steps of n·s whose body is n times the same, for counters s
//     apart, is one in steps of s whose body is that once, up to where the last of the n are: each
//     access is made, and in the same order. (A counter from 0 in steps of 1 that occurs as k times
//     itself alone is one in steps of k, below k times the end.) Locals that begin in the body are
//     one in place of n. And x = f(g(x)) is x = g(x) and then x = f(x), if f and g read no other
//     element of the buffer of x, and what g gives has its type.
//
//  11. Loops in no order. If no cell that one iteration writes is accessed in another, but of
//     locals that begin in it, each reads the same in every order, and leaves the same: the order
//     that counters have is as good as any. So it is where iterations also do x = x op e, declared
//     to be a reduction, with one op that is associative and commutative in the arithmetic in
//     force, and nothing else in the loop reads or writes the buffer of x. What counts what may
//     end the call (law 12) is such a sum.
//
//  12. Ends. Data may end a call, by a division, a shift, or what is Checked. In front of what
//     executes one a sum of real numbers grows by a function of its operands, and all elements that
//     the call leaves are functions of what they are and of that sum. If those of two programs are
//     equal for any such functions, then so are what they are, and what both execute, each as
//     often. So where one call does not end the other does not. There has to be an element that is
//     left, an integer, which has a value whatever happens. A condition that decides whether
//     something is executed decides whether it is counted. A shift by less than the width does
//     not end a call: by a literal, x & m for such a literal m, or counters, as the numbers that
//     bound their loops say.
//
//  13. What is carried. If of all in a loop one Assign alone, executed in each iteration, writes a
//     buffer, and reads of that buffer only the element that it wrote in the iteration before, and
//     maybe the one that it writes, then it reads what it wrote there, and in the first iteration
//     what was there when the loop was entered. A scalar that holds the one and then the other has
//     what it reads.
//
//  14. Bits. Where contents are bits they are named by numbers with a sign or without one, each by
//     one number of either kind. If a parameter is told to hold those without, then what a
//     statement takes from it is that number modulo 2^width, with the sign that the text has there,
//     and what it puts there is what it has modulo 2^width, without one. So of two conversions of
//     integers the first does not matter if it leaves no fewer bits than the second, and sums,
//     products, and, or, xor and choices have as bits what they make of the bits of operands.
//     Locals may hold their bits in either way.
//
//  15. What a loop around others carries. Let a loop be around nothing but loops in each other, the
//     innermost of them around one Assign alone, with each counter of them in a subscript that is
//     it, or its negative, and what holds no other of these counters: no two executions write the
//     same element. If it reads of the buffer that it writes only the element that it wrote with
//     the counter of the outermost loop an iteration before, and maybe the one that it writes, then
//     each execution reads the same and leaves the same where the outermost loop is put inside the
//     others, whose bounds do not hold its counter: of two executions of which one reads what the
//     other wrote, which differ in that counter alone, the order stays.
//
// Conditions are those under which no execution has an error: for every access and Require, that
// there are no instances, by law 4, for which it is reached and is outside, or does not hold.
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
	Memory bool          // parameters are their contents in row-major order

	ends      *Buffer  // in which Body counts what may end the call
	observed  []string // parameters that are results, written or not
	asWritten bool     // loops that were unrolled stay so
}

// A Buffer is an array, of a parameter or of a local. Scalars have no dims.
type Buffer struct {
	Name string
	Elem domain.Elem // a float, signed, unsigned or bool type
	Dims []domain.Size
	Span source.Span
	// Unsized says that Dims[0] is a name that nothing in the text has, as of a pointer: what it
	// is the question says.
	Unsized bool
	// Signless says of a parameter of integers that they are bits, see law 14.
	Signless bool
}

// A Stmt is an *Assign, *For, *If, *Require or *Alloc. No two places share one.
type Stmt interface{}

// An Assign writes one element. All that it reads is read before.
//
// What is Guarded stands where data decides whether the text executes it, and is executed in any
// case: it writes what is there already, or what nothing reads. An error is one of nothing then.
type Assign struct {
	To      Access
	Value   *Data // of the type of the buffer
	Guarded bool
	// Under are the conditions under which the text executes a Guarded one, but for those by which
	// Value is a choice. Known tells that these are all.
	Under []*Data
	Known bool
	// Reduces declares that iterations of loops in no order may leave To to each other.
	Reduces bool
	tally   bool // it counts: see Procedure.count
	Span    source.Span
}

// A For takes its counter from the greatest of Lo on in steps, as long as it is below all of Hi; if
// Step is below 0, from the least of Lo on, as long as it is above all of Hi. The bounds are taken
// before the first iteration, and there may be none. Iterations are in order. Those of an Unordered
// one may be in any: it is an error if that matters.
type For struct {
	Lo, Hi    []*Int // at least one each
	Step      *Int   // of sizes; at least 1, or below 0, whatever they are
	Body      []Stmt
	Unordered bool
	Span      source.Span
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
	Cond    *Cond
	Text    string // what holds, in terms of the text: "n - 1 is an int"
	Guarded bool
	Span    source.Span
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

// A Data is an element. Operands have its type but for DataConvert, comparisons and DataChoose:
// languages write conversions out. Conditions on elements have the type algebra.Truth. They may be
// kept in locals. Of DataChoose, DataBoth and DataEither an operand that does not count is not
// executed.
type Data struct {
	Op   DataOp
	Elem domain.Elem
	From Access // of DataRead, which has the type of the buffer
	Int  *Int   // of DataInt
	// Text is the number of DataLiteral as a decimal, 1e-3 or -0.5, or inf or nan: one that the
	// type has or, of floats, rounds. It is the name of the function of DataApply.
	Text string
	Args []*Data
	// Checked tells of DataNeg, DataAdd, DataSub and DataMul of integers with a sign that the call
	// ends where the result is none of the type.
	Checked bool
	Span    source.Span
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

	DataChoose    // the second operand where the first, a condition, holds, and else the third
	DataLess      // conditions on two operands of one type; of floats, by IEEE
	DataLessEqual //
	DataEqual     //
	DataBoth      // of two conditions; the second counts where the first holds
	DataEither    // the second counts where the first does not hold
	DataNot       // of a condition

	DataBitAnd    // of integers
	DataBitOr     //
	DataBitXor    //
	DataShift     // to the right; the sign stays. By less than the width, or the call ends
	DataShiftLeft // x·2^y; likewise
	DataQuotient  // rounded towards 0. By 0, and of the least integer by -1, the call ends
	DataRemainder // x - y·(x/y) for this quotient

	DataEnds // a function of Text, of which nothing is known: no text has one
)

// Package cnest reads a subset of C, loop nests over arrays, into procedures of tv/semantics/loops. There the types of C
// are gone: promotions, conversions, narrowing and the ranges of the types of counters are written out.
//
//	token.go      words, comments and lines of the preprocessor
//	macro.go      #define and #ifdef, expansion, the macros of PolyBench
//	ctype.go      types and their conversions
//	tree.go       expressions and statements as they are written
//	parse.go      functions, declarations and statements from words
//	operand.go    expressions from words
//	function.go   which function is meant
//	constant.go   what is const outside functions, enums
//	resolve.go    names, and calls as copies of what they call
//	control.go    which scalars are integers of control
//	elaborate.go  parameters, locals, blocks of statements, places where something is required
//	statement.go  assignments, branches, calls
//	repeat.go     while, do and steps in conditions as for
//	loop.go       for
//	integer.go    integers of control: int arithmetic whose values must lie in their types
//	condition.go  conditions on them
//	simplify.go   Ints in simple forms
//	data.go       elements: int and float arithmetic as it is
//	overflow.go   signed overflow of data, where it is undefined
//	pointer.go    pointers that move
//	view.go       arrays and blocks of arrays
//	digit.go      numbers of elements as subscripts, without divisions where that can be seen
//	contract.go   functions of libraries, by what library/contracts.c says of them, or a text of one's own
//	format.go     canonical layout
//	generate.go   random programs
//
// # What is control and what is data
//
// Loop counters are control, and so is an integer scalar that occurs in a subscript, in an extent or in the heading of a
// loop, and one from which such a scalar is computed. Among them a parameter of the function is a size. A local of which
// the declaration is the only assignment, a function of such integers, and which occurs in a condition is control, too.
// All other scalars are data: buffers without dims.
//
// Where an integer of control is used as data it is what FromInt makes of its value, and the arithmetic on it is that of
// data: i*n + 1 as an element is a product and a sum of int that wrap. In a subscript, an extent, the heading of a loop or a
// condition on integers of control alone it is an integer of mathematics, and a Require says that each value on the way
// lies in its C type, unless that follows from the sizes being below the limit of the domain: see [loops.Procedure].
//
// # Loops
//
// The counter of a loop takes, in mathematics, the values lo, lo+step, ... up to the first that fails the condition, which is
// the last one. A counter that cannot be that last value, as an unsigned one cannot be -1, wraps in C and the loop goes on;
// a Require after the loop says that it can. for (unsigned i = N-1; i >= 0; i--) thus is a loop of N iterations whose
// counter is -1 in the end, which unsigned does not hold: its Require fails at each N.
package cnest

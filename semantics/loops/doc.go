// Package loops is what languages have in common that write arrays in nests of loops: C, MLIR, Tensor Comprehensions. A
// language reads its text into a Procedure, in which every conversion, order of evaluation and check that its rules imply
// is written out; what a Procedure means is said here once.
//
//	nest.go    procedures, buffers, statements
//	int.go     integers of control: subscripts, bounds, extents, and conditions on them; simple.go makes simple ones
//	expr.go    elements: expressions over reads
//	typed.go   procedures as programs of a question: owed.go states what they owe, limits.go how large sizes are
//	independent.go what parallel iterations owe each other
//	purify.go quotients, least and greatest in systems as unknowns and cases
//	counted.go what a procedure owes, counted; ends.go what data may end a call at, counted while it runs
//	reroll.go  loops that were unrolled, as they were before; rescale.go those that were normalized behind that
//	carried.go what an iteration reads of what the one before it wrote, in scalars, along outer loops too
//	merge.go   ifs on data that are the greater or the lesser one of two values
//	places.go  where statements stand; instances.go their instances, as systems of conditions that system.go solves
//	scratch.go parameters that are no results; signless.go those whose integers are bits
//	overlap.go which parameters may overlap, where a text has them so
//	print.go   a procedure as text, for tests and for people
//
// # Meaning
//
// A procedure maps the contents of its parameters before the call to those after it. Statements run in order. Sizes are
// the same numbers throughout; integers of control are those of mathematics, and nothing wraps: where a language has
// machine words, a Require says that a value lies in its type. Parameters are disjoint. Locals are undefined where their
// Alloc stands, each time that it is reached.
//
// A call ends, and nothing is known of what it leaves, where one of these is executed: an access that is not within the
// dims of its buffer, axis by axis; a read of an element of a local that was not written since its Alloc; a division of
// integers by zero, or of the least one by -1; a shift by an amount that is not below the width; an operation that is Checked and
// overflows; a Require that does not
// hold; a Float to integer conversion whose result lies beyond the type; a For whose step is 0; parallel iterations that
// depend on each other. A branch that is not taken executes nothing.
//
// In real arithmetic a division by zero, a root of a negative number or a logarithm of what is not positive gives an
// element that is undefined, and the call goes on.
package loops

// Package mlir reads a subset of MLIR into procedures of tv/semantics/loops: functions over memrefs with the loops,
// branches and accesses of affine, scf and memref, the arithmetic of arith and math, vectors of static shape, and operations
// of linalg as specifications. There all values of one assignment are gone: integers of control are written where they
// are used, and so are elements where nothing is written in between.
//
//	token.go        words and comments
//	tree.go         operations in their generic form, attributes, values
//	types.go        types, and their layouts
//	affine.go       maps and sets
//	parse.go        regions, operations of the generic form, attributes
//	names.go        what operations were called before, and which have one form
//	custom.go       forms of arith, memref, vector and linalg of their own; customloops.go of loops and branches
//	function.go     modules, aliases, which function is meant
//	resolve.go      what operands stand for, and of which types
//	control.go      which values are integers of control
//	integer.go      integers of control
//	elaborate.go    parameters, blocks, what is required
//	pending.go      where values are computed
//	arith.go        operations and constants on data; convert.go conversions, comparisons, choices
//	memory.go       memrefs, parts of them, accesses, copies
//	loop.go         loops, what goes round them, reductions
//	branch.go       branches, maps as values, and the list of all operations
//	vector.go       transfers
//	linalg.go       operations of linalg
//	format.go       canonical layout
//	generate.go     random programs
//
// # What is control and what is data
//
// Counters are control, and so is an integer in a subscript, in a bound, an extent or a step, and one from which such an
// integer is computed. Among them an argument of the function is a size, by its name; each ? of an argument of type
// memref<?x?xT> is a size of its own, which axis 1 of %A gives the name A.1. All other numbers are data. Integers of control
// are those of mathematics, and a Require says that each lies in its type unless that follows from sizes being below 2^60.
// Arithmetic on integers that are not control wraps, whatever it is made of; index has 64 bits there.
//
// # When a value is computed
//
// A load reads where it stands, and may end the call there, whether its value is used or not. It is written into the
// assignment that uses it as long as this is in the same block, is executed whenever the load is, and nothing in between
// writes what it reads; otherwise it is assigned to a local where it stands, or before that write.
package mlir

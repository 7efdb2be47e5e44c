// Package tc reads Tensor Comprehensions into procedures of tv/semantics/loops. There nothing is implicit: ranges,
// extents, conversions, the initialisation that ! asks for and the order of a reduction are written out.
//
//	token.go     words and comments
//	tree.go      definitions, statements and expressions as they are written
//	parse.go     definitions and statements from words
//	operand.go   expressions from words, numbers
//	names.go     what names stand for: sizes, tensors, indices, where clauses, lets in place
//	types.go     element types: matching, conversions, literals
//	range.go     inference of ranges, in rounds
//	control.go   subscripts and bounds as sizes, and conditions on them
//	integer.go   sizes as Ints of loops, and how large they may be
//	data.go      elements: arithmetic, functions, choices
//	elaborate.go definitions as procedures: parameters, outputs
//	statement.go statements as nests of loops
//	describe.go  the ranges, extents and conditions of a program as text
//	format.go    canonical layout
//	generate.go  random programs
//
// # Heading
//
// The heading of the procedure has the sizes that extents of inputs name, in the order of occurrence, each before the first
// tensor that has it, the inputs, and the outputs in the order behind ->. A scalar integer that occurs in a subscript, in the
// bounds of a range or in an extent is a size, which the caller gives; all other scalars are data. Inputs are never written;
// outputs keep what they hold where no statement writes. Indices are of type int32, so the domain is that of sizes below
// 2^28. What a subscript or a bound computes on its way has to lie in int32, too: a Require says so where the sizes alone
// do not.
//
// # Ranges
//
// Indices under where have their ranges, which are the same for all iterations and may be empty. All others are solved in
// rounds. A round takes each subscript of a tensor whose extents are known, be it read, written or in an exists, in which
// one unsolved index occurs: the index may be where the subscript lies in its extent for all values of the indices solved in
// rounds before. Only a subscript that is linear in the index, with a number or a size as factor, is solved; where another one
// would have to be, the range has to be written. Subscripts in which no index was unsolved when their round came stay
// conditions: an access outside its tensor ends the call. An inferred range has to hold something, which is required before
// the first iteration; and so has a range under where which another index is solved by.
//
// # Order
//
// Statements run one after the other. A statement with ! first sets all cells of the range of its left side. Then
// iterations run row by row: indices of the left side, the first outermost, then those that are reduced, in the order in
// which they occur on the right, names of lets replaced by what they stand for. The order counts for floats bit for bit, and
// where a statement reads the tensor that it writes at other cells.
package tc

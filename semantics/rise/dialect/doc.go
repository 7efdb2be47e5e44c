// Package dialect reads programs of RISE in the notation of MLIR, as operations rise.map, rise.apply, ... in functions over
// memrefs. A function is a procedure: rise.in takes the contents of a parameter, rise.out writes all of one. It becomes a
// program of package syntax, in whose core every value of the text is a variable; evaluator and lowering work on that.
//
//	token.go      words
//	parse.go      functions, operations in either form, regions
//	attributes.go attributes and types as they are written
//	types.go      types, equations of them
//	elaborate.go  names, what operations ask for, functions
//	patterns.go   the table of patterns, with their types
//	scalars.go    operations on numbers, which stand in rise.embed
//	core.go       what becomes of it
//	generate.go   random programs
//
// Generic and pretty forms mean the same, and occur in one text. Where the pretty form leaves a type out it is found; a
// type that is written is compared. A fault of a name, an operand or a type does not end the reading: all of them are told.
//
// What the dialect leaves open, and is so here:
//
//   - The operations between rise.in and rise.out mean what they mean in the notation of papers; rise.mapSeq, rise.mapPar and
//     rise.map are one, and so are rise.reduceSeq and rise.reduce. The function of a reduction takes the element first.
//   - A parameter is not both taken in and written: the accumulators of reductions stand in what is written.
//   - rise.add and rise.mult take two numbers, or a pair of them, as their place asks for.
//   - A name is defined once in a region and those around it. In the pretty form of rise.embed operands keep their names.
package dialect

// Package syntax reads programs of RISE in the notation of papers, the files .rise: a program is a function that applies
// patterns (map, reduce, split, ...) to arrays. A text becomes a tree as it is written, and that a core in which only
// variables, constants, patterns, functions of one argument and their application are left, each with its type. The
// evaluator and the lowering work on the core and know nothing of each other.
//
//	parse.go     words and trees
//	types.go     types, how they are printed, and the tensors that a type consists of
//	patterns.go  the table of patterns with their types
//	unify.go     equations of types, and of the sizes in them
//	infer.go     from trees to the core
//	program.go   what is asked of a text
//	typed.go     what is asked of a program under the names of a question
//	format.go    the layout
//	generate.go  random programs
package syntax

// Package eval is the reference evaluator of RISE in the notation of papers: what each pattern means, one element at a
// time, on numbers.
//
//	eval.go      programs at a point: expressions of the core as values, elements of the result
//	shapes.go    how many elements arrays have, and whether that is what a pattern asks for
//	patterns.go  what patterns do with arrays
//	scalars.go   what functions do with numbers
package eval

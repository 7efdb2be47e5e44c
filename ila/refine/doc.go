// Package refine judges models, each by itself and one against another:
//
//	check.go        Check: decodes that overlap or leave a gap, and all below
//	invariants.go   whether a model keeps what it states
//	accesses.go     whether its addresses lie in memories and it reads what was written
//	ranges.go       ranges of bit-vectors under conditions, which decide the last two
//	state.go        random states: one that shows a claim wrong refutes it
//	equivalence.go  Refinement: a model against another, per instruction
//	refinemap.go    the map of their states as text
//	against.go      VerifyAgainst: a model against another, after a program
//
// Each answer is a Finding. What is neither proved nor shown wrong is unknown.
package refine

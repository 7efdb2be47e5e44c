// Package induct proves that a Family, a driver whose sizes are names, computes its contract for all sizes of its domain
// and all values of its tensors, by induction over its loops and those of the machine:
//
//	all.go       Verify runs a family on numbers at small sizes and proves it; Prove does the latter alone, case by case
//	inductor.go  the run of a nest for all sizes: loops, what they are guessed to leave, and the check of the guess
//	counters.go  loops of child models, found in the updates of their counters
//	steps.go     one instruction, where numbers are expressions over sizes and loop variables
//	region.go    memories as lists of regions, and reads that find theirs
//	numbers.go   what is known of numbers: signs, quotients, digits, bit-vectors
//	fixed.go     VerifyNest: the same of a nest whose sizes are numbers, which is not unrolled
//	digits.go    products of digits of two elements that add up to the product of the elements
//	sums.go      equality of sums over ranges of any size
//
// A refutation is a run on numbers. What no case of sizes settles is unknown, and so is the whole.
package induct

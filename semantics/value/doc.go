// Package value knows the elements of tensors in both arithmetics, real and exact, and how to compute with them. The
// reference evaluators of all languages compute with it, and nothing that proves does.
//
//	Arith       real (exact rationals, MIN, enclosures of exp, log, sqrt, erf) or exact (bit for bit) (kinds.go)
//	Value       one element in one of these arithmetics, or why there is none (value.go)
//	Compare     what is known of two results
//	Arithmetic  the operations on elements of one type (arithmetic.go): real.go over enclosure.go, with sums in place in
//	            sum.go, and over ball.go for guesses; exact.go for integers and fixed point, float.go, adaptive.go, with the
//	            casts between them in convert.go
//	Scalars     what languages of loops and statements do with elements beside that (scalars.go)
//	Inputs      where the elements of input tensors come from: Tensors or Random (inputs.go)
//
// What the operations mean is written in doc/semantics.md: section 5 for real, 6 for exact.
package value

// Package algebra decides what the checker of certificates decides, in no language: elements are
// scalar expressions over index expressions, brought into a closed form, and two of them are equal
// where that of their difference is 0. The laws it applies have no choices; wherever there is a
// choice, of new variables for a sum, of a cut, it asks a goal, checks the answer and never looks
// for one.
//
//	reading.go   what the checker asks of a language
//	state.go     scalar expressions, and the constructors that readings make them with;
//	             choices.go choices by elements, convert.go conversions, functions.go those that
//	             have laws of their own
//	bind.go      what AFTER is typed under where its names are its own
//	question.go  a statement, typed: its cases, its tensors, the cuts of a proof in stages
//	domain.go    named sizes and conditions on them
//	index.go     index polynomials with floor division, made by a Builder
//	decide.go    their signs; points.go points at which a sign is refuted first
//	linear.go      conditions on integers that nothing meets
//	num.go       integers
//	normal.go    sums over boxes in closed form; close.go, steps.go and sums.go close them,
//	             alike.go tells atoms that are equal; adjacent.go sums in blocks, corners.go sums
//	             whose ends have no order
//	compare.go   differences, which have to be 0 in every region of the output; joined.go maxima
//	             whose members stand apart
//	fixed.go     integers as machine words
//	table.go     constants that are written as numbers side by side
//	rising.go    maxima of functions that rise; signs.go the signs of scalars
//	ordered.go   arithmetic that may not be reordered
//	answer.go    the answers to goals, read
//	goals.go     goals for those who answer them; no check needs it
//	refusal.go   the reasons to refuse a certificate, and their codes
package algebra

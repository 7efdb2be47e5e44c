// Package sizes knows the domain of a question: the values that its named sizes have, and what follows from the conditions
// on them.
//
//	Domain   the points that a question is asked at: which they are, and which to sample; domain.go
//	Clause   a condition that is no disjunction. [Cases] takes conditions apart into lists of them: cases.go, and
//	         equations.go for products and sums that are 0 or equal
//	Facts    one case, stated to the builder of index expressions: names that the case determines are written in terms
//	         of the others, and conditions are proved; facts.go
package sizes

// Package calls finds products of matrices in procedures, and writes the procedure as C in which calls of a library stand for
// them.
//
//	calls.go    Replace: lists of statements, what is taken apart, what is found
//	nest.go     loops as trees that can be taken apart
//	sums.go     elements as sums of products
//	scalars.go  sums that are made in a local scalar
//	product.go  which product an update is, and its operands
//	text.go     procedures as C: statements, integers, elements
//
// A site is an update x += a·b of a perfect nest, up to the names and the order of its loops, to transposition of its operands,
// to factors that are the same for all iterations, and to what initialises x. Nothing that is done here is believed: loops
// are distributed over statements where no dependence is seen that forbids it, sums are taken in another order, and
// whoever asks has to prove the result equal to the procedure.
package calls

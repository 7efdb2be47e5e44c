// Package prove proves or refutes that the program of a Task computes its contract, at the given sizes and for all
// values of its tensors:
//
//	verify.go    Verify, and the Result
//	units.go     the same on units that run at once: an order that the program may be run in, and races
//	sample.go    the simulator on sample values, before anything is proved: only what it shows is a refutation, of operands that are found later too
//	equality.go  Equality: whether two terms have one value, as sums of monomials
//	form.go      scalar lemmas: two terms that read few bits, by all values of these
//	ranges.go    Ranges: between which numbers values lie, so that what saturates nowhere is no choice
//	digits.go    products of digits of two elements that add up to the product of the elements
//	part.go      parts of a model that have the values of a function of the contract, for all values of what they read
//	scalar.go    scalar lemmas about one number of many bits that both terms are functions of, by stretches of its values
//	search.go    operands at which an open element differs, looked for; evaluate.go computes terms as they change
//	known.go     what is known of an operation where some bits are not
//	lemma.go     factors known by their values, and functions of a contract by all values of their argument
//
// Each element of the output is one question: are the machine's term and the contract's term equal? It is settled by
// their structure, where sums count as sums modulo 2^width in any order, or by running through all values of what they
// read where that is at most 20 bits; such scalar lemmas are proved once and hold for all elements of the same form.
// Factors of sums that are functions of one element are one where their values agree, and a function that a contract
// applies to a part both sides have is compared for all values of that part.
//
// A part of a model that has the values of a function of the contract, for all values of its inputs, is that function in the terms of a
// run: both sides then apply it. Where an input has many bits, stretches of its values are looked at as a whole, if the function has one value
// there and the part's bits are known without the low ones.
//
// What rests on a function that a model leaves uninterpreted is proved for all it may be, and refuted for none. What
// neither settles is unknown, and so is the whole.
package prove

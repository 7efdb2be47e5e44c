// Package recur proves nests of loops equal that have no closed form: by which instances of their statements have one value.
//
//	nest.go        integers of control as forms, in cases; statements.go: statements and their instances
//	lin.go         forms: sums of integers with factors; rational.go: rational numbers
//	empty.go       whether affine facts have a solution in integers; refute.go: why not, as certificates say it
//	order.go       which of two instances is executed first
//	tree.go        who wrote last what is read: last.go finds candidates, grow.go makes a tree, verify.go shows that it is right
//	run.go         a nest at a point; scaled.go: where its numbers are large, as if they were smaller
//	relation.go    pieces of a relation, guessed from runs
//	prove.go       the proof of a relation by induction
//	engine.go      the engine: start with [Prove]
//	emit.go        the proof as certificates have it; explain.go: for people
//
// Nothing that is guessed is believed: a tree is used after verify has shown it, a piece in proofs that go down in the order of
// execution. What is not affine is refused.
package recur

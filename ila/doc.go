// Package ila describes accelerators by what their instructions do to their visible state (instruction-level
// models). Other packages run the descriptions and prove things of them:
//
//	ila/run     runs a model on numbers, or on terms
//	ila/race    decides whether a program means the same on units that run at once
//	ila/prove   proves that a program of given sizes computes its contract, for all values of its tensors
//	ila/induct  proves the same of a driver for all sizes
//	ila/refine  judges a model by itself, and against another
//
// The files of this one:
//
//	model.go        Model, a machine as data: inputs, state, instructions, child models; expressions are terms
//	function.go     Function: one that a model applies as a whole, by tables or uninterpreted
//	part.go         Part: what of a model computes something of its own; Scalar: what such a part may be
//	invariant.go    what a model states of its state: Invariant, Filling
//	units.go        Units: which instructions run at once, and the tokens that order them
//	fault.go        Fault: a step that an instruction must not take, such as one that leaves a memory
//	validate.go     Validate says whether a model is one: sorts fit, names are distinct
//	link.go         Link: a model as executors need it, its variables numbered
//	terms.go        what executors and proofs ask of terms and index expressions
//	task.go         Task: a program, where tensors lie in the memories, and the contract on its output
//	row.go          Stretch, Factors: elements that follow each other, sums of products of which are terms
//	decode.go       Decodes: which instructions decode at a number
//	environment.go  Environment evaluates terms over elements of tensors
//	nest.go         Nest: a driver as a loop nest over sizes that may be names; at given sizes it is a Task
//	family.go       Family: a Nest and the domain of its sizes
//	manual.go       a model for people, and as JSON
//	smtlib.go       its transition relation for solvers
//
// One step of a model: exactly one instruction's decode holds, its checks hold, and its updates, all computed
// from the state before, take place at once. Then its child models run: as long as an instruction of a child
// decodes, it takes a step, children in order. State that an instruction does not update stays.
//
// Memories are partial: a cell that nobody wrote has no value, and an address beyond the depth of a memory is
// none. Both are faults, for every executor alike. Executors take instructions one after the other; that units which run at
// once leave the same is for ila/race to show.
//
// Source: B.-Y. Huang et al., Instruction-Level Abstraction (ILA), ACM TODAES 24(1), 2018.
package ila

// Package ila describes accelerators by what their instructions do to their visible state (instruction-level
// models), and proves that a stream of instructions computes a function of tensors.
//
//	Model      a machine as data: inputs, state, instructions, child models; expressions are terms
//	Var        an input or a state variable: a bit-vector or a memory
//	Simulator  runs a model on numbers; its expressions are compiled to closures
//	Symbolic   runs a model on terms: control is concrete, data are terms, a memory maps addresses to terms
//	Fault      what an instruction must not do: leave a memory, read what nobody wrote, pop an empty queue
//	Function   one that a model applies and nobody describes: uninterpreted
//	Task       a program for a model, where tensors lie in its memories, and the contract on its output
//	Verify     proves or refutes a Task for all values of its tensors
//	Nest       a driver as a loop nest over sizes that may be names; unrolled at given sizes it is a Task
//	Family     a Nest and its domain; VerifyAll proves or refutes it for all sizes, by induction (inductor.go)
//	Refinement, VerifyAgainst  a model against another: per instruction, and after a program
//	SMTLIB     the transition relation for solvers
//	Check      judges a model by itself: sorts, decodes that overlap or leave a gap, children that recurse
//
// One step of a model: exactly one instruction's decode holds, its checks hold, and its updates, all computed
// from the state before, take place at once. Then its child models run: as long as an instruction of a child
// decodes, it takes a step, children in order. State that an instruction does not update stays.
//
// Memories are partial: a cell that nobody wrote has no value, and an address beyond the depth of a memory is
// none. Both are faults, in the simulator and in the symbolic executor alike. Concurrency of the units of a
// machine is not modelled: instructions take place in the order of the program.
//
// A proof covers every value of the tensors, for the given sizes. Each element of the output is one
// question: are the machine's term and the contract's term equal? It is settled by their structure, where
// sums count as sums modulo 2^width in any order, or by running through all values of what they read where
// that is at most 20 bits; such scalar lemmas are proved once and hold for all elements of the same form. Factors
// of sums that are functions of one element are one where their values agree, and a function that a contract
// applies to a part both sides have is compared for all values of that part.
// What rests on a function that a model leaves uninterpreted is proved for all it may be, and refuted for none.
// What neither settles is unknown, and so is the whole. Before any of it the simulator runs the program on
// sample values and compares with the contract; only what it shows is a refutation.
//
// Source: B.-Y. Huang et al., Instruction-Level Abstraction (ILA), ACM TODAES 24(1), 2018.
package ila

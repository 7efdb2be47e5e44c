// Package induct shows that two machines have equal outputs at all cycles that are reached: by an invariant of both together.
//
//	system.go      System: both machines as one, in gates
//	run.go         runs from the start, 64 at a time, under inputs that satisfy the assumptions
//	correspond.go  nodes that are equal in all states that were reached, as far as that follows from one cycle to the next (van Eijk, 1998)
//	structural.go  of these the bits that read equal bits through the same gates, which are tried first
//	reach.go       clauses that hold of ever more cycles, until they hold of all (Bradley, 2011; Eén, Mishchenko and Brayton, 2011)
//	invariant.go   the proof that an invariant is one, in lemmas
//
// Equalities come first: in most pairs of machines all registers of one are functions of those of the other and of the last inputs. Where
// they do not suffice, clauses over registers are added, found from the states from which outputs could differ.
package induct

import (
	"context"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
	"tv/equiv/bits/sweep"
)

// A Bit of the state, and what it is a cycle later.
type Bit struct {
	Now, Next aig.Lit
	Twin      aig.Lit // a function of other bits that it is likely to equal; false: none is known
}

// A System has a state, whose bits are signals of Graph; the other signals are inputs. In all cycles Assume holds, and Before[i] is to equal
// After[i].
type System struct {
	Graph         *aig.Graph
	State         []Bit
	Before, After []aig.Lit
	Assume        []aig.Lit
	Keep          []aig.Lit // what a certificate is to have besides

	// The first states: Initial has a literal for each bit of the state. First and Second are to be equal there, too.
	Start         *aig.Graph
	Initial       []aig.Lit
	StartAssume   []aig.Lit
	First, Second []aig.Lit
	StartKeep     []aig.Lit
}

// Options bound the work, in conflicts of the solver.
type Options struct {
	Conflicts int64
	Inner     int64 // of a question about a pair that is no output
	Frames    int   // of the search for clauses
}

// A Verdict is what was found.
type Verdict int

// Different: outputs differ at cycle Result.Cycle of some run, and at none before, or, of StartOnly, before the first state. Empty: nothing satisfies the
// assumptions.
const (
	Unknown Verdict = iota
	Equal
	Different
	Empty
)

// A Run is one from the start: the signals of Start, and the inputs of the cycles, by signals of Graph.
type Run struct {
	Start  map[aig.Signal]bool
	Cycles []map[aig.Signal]bool
}

// A Result has the invariant of Equal, proved: lemmas about the step, which are over Graph, and of the start.
type Result struct {
	Verdict   Verdict
	Cycle     int  // of Different: of the system, from 0; -1: what has to be equal at the start differs
	Run       *Run // of Different, where one is known: outputs differ at Cycle, and not before
	Reached   int  // of Unknown: no outputs differ in so many first cycles
	Step      *sweep.Certificate
	Base      *sweep.Certificate
	StepShown []sat.ID // ids, in the order of the clauses of the invariant
	BaseShown []sat.ID
	Clauses   int // of the invariant
	Conflicts int64
}

// Check looks for an invariant. It is deterministic.
func Check(ctx context.Context, s *System, o Options) Result {
	p := &prover{System: s, Options: o, ctx: ctx}
	return p.run()
}

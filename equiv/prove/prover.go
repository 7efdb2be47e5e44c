// Package prove asks the engines that prove whether two typed programs are equal: the normal form, the same element by
// element, and solvers. Each returns an answer, with what a proof rests on; none of them samples for a refutation.
//
//	Pair         what is asked: two programs and their domain
//	Prover       asks the engines: prover.go
//	Answer       what they say: answer.go
//	Certificate  has the checker of package proofs accept a proof: certificate.go
//	Obligation   what only a solver proves, as a script that a certificate holds: obligations.go, solve.go
//	Description  what lowering and normal form make of a program: description.go
//
// engines.go takes a goal apart into cases of the domain and tensors of the result and compares these by the laws of
// laws.go; words.go evaluates where machine words differ; stages.go proves what is too deep for one normal form in stages, of pairs that alike.go finds; rests.go works out again what a proof that
// has a certificate rests on.
package prove

import (
	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/equiv/smt"
	"tv/proofs"
	"tv/semantics"
	"tv/semantics/domain"
)

// A Pair is two typed programs and what is known of their domain. Nothing in it changes while engines are asked.
type Pair struct {
	Before, After semantics.Program
	Domain        *sizes.Domain
	Points        []domain.Point // of the domain: at the first it is looked what is alike, and models are asked for
	Arith         domain.Arith
	Case          bool  // of a rule: asked in one piece
	RunsFrom      int64 // sizes from which on recurrences are run: 0: the least

	Steps  int    // of each of tv's own engines, as they count them
	Solver string // "z3", "cvc5", "auto" or "none"
	RLimit uint64 // resource units a query; 0: the default

	// State returns what is asked, in an arithmetic, as the checker of certificates states it.
	State func(domain.Arith) proofs.Statement
}

// Counts of work, in units that do not depend on the machine.
type Counts struct {
	Terms    int // terms built
	Queries  int // solver queries
	Contexts int // Z3 contexts created
}

// add adds counts.
func (c *Counts) add(o Counts) {
	c.Terms += o.Terms
	c.Queries += o.Queries
	c.Contexts += o.Contexts
}

// A Prover asks the engines about a pair. Its answers do not depend on those before: it counts, and it remembers what
// solvers said.
type Prover struct {
	Pair
	Sampler *sample.Sampler // draws the inputs on which subterms are alike, and runs the models of solvers
	Counts  Counts

	answers map[string]smt.Result // of solvers, by script
	elems   [2][]domain.Elem      // types that the sides compute in, once they are asked for
}

// NewProver returns a prover of a pair; s is of the same two programs.
func New(p Pair, s *sample.Sampler) *Prover {
	return &Prover{Pair: p, Sampler: s, answers: map[string]smt.Result{}}
}

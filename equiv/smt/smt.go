// Package smt decides equalities of scalar terms with an SMT solver.
//
//	Query        are two terms equal wherever the first is defined? made by NewQuery, printed by Text
//	Abstraction  which terms a query treats as free constants
//	Decide       asks a solver: Z3 in this process where tv is built with cgo, else a binary on the path
//	Result       valid, a model, or why neither
//	Versions     which solvers there are
//
// A term becomes a formula in two steps. unroll.go writes it out. translate.go gives each node a value and the
// condition under which it has one, with operations.go for arithmetic and functions and convert.go for numbers and
// conversions; which formula an operation has depends on its sort:
//
//	real              reals; exp, log and erf are constants that are equal where their arguments are
//	signed, unsigned  bit-vectors that wrap
//	saturate, fixed   bit-vectors, computed in a width that holds the result, then clamped or rounded
//	float             IEEE 754, all NaNs being one value
//
// formula.go holds the nodes of formulas, which are shared. There are two ways to a solver: as text (text.go,
// process.go), and node by node through Z3's library (z3_cgo.go).
//
// A query is valid where "the first term is defined, and the second is not or differs" has no model. A model is a
// candidate for a counterexample and no more: the caller evaluates both terms on it.
package smt

import (
	"context"
	"strings"
	"sync/atomic"
	"time"
)

// An Answer to a query; the zero value is Unknown.
type Answer uint8

const (
	Unknown        Answer = iota
	Valid                 // equal wherever the first term is defined
	Counterexample        // there is a model
)

// String returns "unknown", "valid" or "counterexample".
func (a Answer) String() string { return [...]string{"unknown", "valid", "counterexample"}[a] }

// Options bound one query.
type Options struct {
	// Solver is "auto": the linked Z3, else the binary z3, else cvc5; "z3" or "cvc5": that binary, or the linked
	// Z3 where there is no binary z3; or "none". Empty means "auto".
	Solver  string
	Timeout time.Duration // 0: none beyond the context's
	RLimit  uint64        // resource units of the solver; 0: none
	Memory  int64         // bytes that the solver may take; the linked Z3 counts those of all queries; 0: no bound
}

// A Result is an answer and where it comes from.
type Result struct {
	Answer Answer
	Reason string       // of Unknown: timeout, rlimit, memory, unsupported, incomplete
	Detail string       // of Unknown: what the solver says, or which there is not; may be empty
	Solver string       // "z3 4.8.12": what the answer trusts; empty for a query that needs none
	Sat    bool         // the solver has a model, also one whose values have no text: then the answer is Unknown
	Model  []Assignment // of Counterexample, in the order in which the terms use the constants
	Exact  bool         // of Counterexample: the model gives values to elements of inputs and to nothing else

	Contexts int // Z3 contexts created for it
}

// Stats count what the process has asked; they are safe for concurrent use.
var Stats struct {
	Queries  atomic.Int64
	Contexts atomic.Int64 // Z3 contexts created in this process
}

// grace is how long a solver may go on after it was told to stop.
const grace = 500 * time.Millisecond

// Decide asks a solver. It returns within the timeout plus a second. A query that is valid as it stands is asked
// of none.
func Decide(ctx context.Context, q *Query, opts Options) Result {
	if q.trivial() {
		return Result{Answer: Valid}
	}
	if opts.Solver == "none" {
		return Result{Reason: "unsupported", Detail: "no solver is asked"}
	}
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	if ctx.Err() != nil {
		return Result{Reason: "timeout"}
	}
	Stats.Queries.Add(1)
	candidates := []string{opts.Solver}
	switch opts.Solver {
	case "", "auto":
		candidates = []string{linkedName, "z3", "cvc5"}
	case "z3":
		candidates = []string{"z3", linkedName}
	}
	for _, name := range candidates {
		if name == linkedName {
			if r, ok := linked(ctx, q, opts); ok {
				r.Contexts = 1
				return r
			}
		} else if s, ok := findSolver(name); ok {
			return s.decide(ctx, q, opts)
		}
	}
	return Result{Reason: "unsupported", Detail: "no solver is found"}
}

// linkedName stands for the Z3 in this process in a list of solvers.
const linkedName = "linked"

// LinkedVersion returns the version of the linked solver, such as "z3 4.8.12", or "".
func LinkedVersion() string { return linkedVersion() }

// stopped returns the reason for what a solver says of an unknown. Z3 says "canceled" both when it is told to stop
// and when its own count of steps runs out, so that the context has to tell.
func stopped(ctx context.Context, text string) string {
	if ctx.Err() != nil {
		return "timeout"
	}
	for _, r := range []struct{ word, reason string }{
		{"resource", "rlimit"}, {"memory", "memory"}, {"memout", "memory"}, {"bad_alloc", "memory"},
		{"timeout", "rlimit"}, {"canceled", "rlimit"}, {"interrupted", "rlimit"},
	} {
		if strings.Contains(text, r.word) {
			return r.reason
		}
	}
	return "incomplete"
}

// noModel is the result where a solver found a model that has no finite text: a root that is no fraction.
func noModel(c constant, text, solver string) Result {
	return Result{Reason: "incomplete", Detail: "the model has " + c.name + " = " + text, Solver: solver, Sat: true}
}

// Package smt decides equalities of scalar terms with an SMT solver.
//
//	Unroll   writes reductions over numbers out, so that a term is a formula over reads
//	Query    are two terms equal wherever the first is defined? built by NewQuery, printed by Text
//	Decide   asks a solver: Z3 in this process where tv is built with cgo, else a binary on the path
//
// A query is valid where its formula, "the first is defined, and the second is not or differs", is unsatisfiable.
// A satisfiable query is not an answer of tv's: what a solver says of uninterpreted functions may not be real.
package smt

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// An Answer of a solver.
type Answer uint8

const (
	Unknown Answer = iota
	Valid
	Satisfiable
)

// Options bound one query.
type Options struct {
	Solver  string        // "z3", "cvc5", "auto" or "none"
	Timeout time.Duration // of the query; 0: none beyond the context's
	RLimit  uint64        // Z3 resource units; 0: none
}

// A Result is an answer and where it comes from.
type Result struct {
	Answer Answer
	Reason string // of Unknown: timeout, rlimit, memory, unsupported, incomplete
	Solver string // "z3 4.8.12": what a Valid trusts
}

// Stats count what a process has asked; they are safe for concurrent use.
var Stats struct {
	Queries  atomic.Int64
	Contexts atomic.Int64 // Z3 contexts created in this process
}

// grace is how long a solver may go on after it was told to stop.
const grace = 500 * time.Millisecond

// Decide asks a solver. It returns within the timeout plus a second.
func Decide(ctx context.Context, q *Query, opts Options) Result {
	if q.trivial() {
		return Result{Answer: Valid, Solver: ""}
	}
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	Stats.Queries.Add(1)
	switch opts.Solver {
	case "none":
		return Result{Reason: "unsupported"}
	case "", "auto":
		if inProcess != nil {
			return inProcess(ctx, q, opts)
		}
		for _, name := range []string{"z3", "cvc5"} {
			if _, err := exec.LookPath(name); err == nil {
				return external(ctx, name, q, opts)
			}
		}
		return Result{Reason: "unsupported"}
	}
	return external(ctx, opts.Solver, q, opts)
}

// inProcess asks the linked Z3; nil where there is none.
var inProcess func(context.Context, *Query, Options) Result

// linkedVersion asks the linked Z3 for its version.
var linkedVersion func() string

// LinkedVersion returns the version of the linked solver, such as "z3 4.8.12", or "".
func LinkedVersion() string {
	if linkedVersion == nil {
		return ""
	}
	return linkedVersion()
}

// external runs a solver on the text of the query.
func external(ctx context.Context, name string, q *Query, opts Options) Result {
	args := map[string][]string{"z3": {"-in", "-smt2"}, "cvc5": {"--lang=smt2", "--fp-exp"}}[name]
	if opts.RLimit > 0 {
		switch name {
		case "z3":
			args = append(args, fmt.Sprintf("rlimit=%d", opts.RLimit))
		case "cvc5":
			args = append(args, fmt.Sprintf("--rlimit=%d", opts.RLimit))
		}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin = strings.NewReader(q.Text())
	cmd.WaitDelay = grace
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return Result{Reason: "timeout"}
	}
	switch line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); strings.TrimSpace(line) {
	case "unsat":
		return Result{Answer: Valid, Solver: Version(name)}
	case "sat":
		return Result{Answer: Satisfiable, Solver: Version(name)}
	case "unknown":
		if opts.RLimit > 0 {
			return Result{Reason: "rlimit"}
		}
		return Result{Reason: "incomplete"}
	}
	if errors.Is(err, exec.ErrNotFound) {
		return Result{Reason: "unsupported"}
	}
	return Result{Reason: "incomplete"}
}

// Version returns the name and version of a solver binary, such as "cvc5 1.0.3".
func Version(name string) string {
	out, err := exec.Command(name, "--version").Output()
	if err != nil {
		return name
	}
	for _, w := range strings.Fields(string(out)) {
		if w[0] >= '0' && w[0] <= '9' && strings.Contains(w, ".") {
			return name + " " + w
		}
	}
	return name
}

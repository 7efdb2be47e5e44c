package equiv

import (
	"context"
	"fmt"

	"tv/equiv/smt"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Limits of the smt engine.
const (
	smtTerms    = 2_000     // that writing an element out may make
	smtElements = 64        // of an output that are asked one by one
	smtRLimit   = 5_000_000 // Z3 resource units a query, where Options say nothing
)

// solve is the smt engine: first the element at a symbolic index, with reads as free values, which proves all
// elements at once; then, where the output is small, each element. before is the answer of the engines before it,
// kept where this one has none.
func (q *question) solve(ctx context.Context, b *term.Builder, exact bool, x, y term.Array, before answer) answer {
	if q.opts.Solver == "none" || exact != (q.opts.Arith == Exact) { // the exactness line is not worth a solver's time
		return before
	}
	root := b.Index.Root()
	at := make([]*index.Expr, len(x.Dims))
	total := int64(1)
	for i, d := range x.Dims {
		at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), d).Expr()
		n, ok := d.Const()
		switch m, small := n.Int64(); {
		case !ok || !small || m > smtElements || total*m > smtElements:
			total = smtElements + 1
		case m == 1:
			at[i] = b.Index.Const(0)
		default:
			total *= m
		}
	}
	r := q.query(ctx, b, x.Element(root, at), y.Element(root, at))
	if r.Answer == smt.Valid {
		return proof(r)
	}
	if total > smtElements {
		return because(before, r)
	}
	dims := make([]int64, len(x.Dims))
	for i, d := range x.Dims {
		n, _ := d.Const()
		dims[i], _ = n.Int64()
	}
	out := answer{proved: true, engine: "smt"}
	for _, position := range pick(dims, nil, smtElements, 0, nil) {
		for i, n := range position {
			at[i] = b.Index.Const(n)
		}
		element := append([]*index.Expr(nil), at...)
		r := q.query(ctx, b, x.Element(root, element), y.Element(root, element))
		if r.Answer != smt.Valid {
			return because(before, r)
		}
		out.add(proof(r))
	}
	return out
}

func proof(r smt.Result) answer {
	a := answer{proved: true, engine: "smt"}
	if r.Solver != "" {
		a.trusts = []string{r.Solver}
	}
	return a
}

// because keeps the answer of the engines before, unless the solver ran out of something.
func because(before answer, r smt.Result) answer {
	switch r.Reason {
	case "timeout", "rlimit", "memory":
		before.reason = r.Reason
	}
	return before
}

func (q *question) query(ctx context.Context, b *term.Builder, s, t *term.Term) smt.Result {
	f, err := smt.NewQuery(b, b.Index.Root(), s, t, smtTerms)
	if err != nil {
		return smt.Result{Reason: "unsupported"}
	}
	q.r.Stats.Queries++
	opts := smt.Options{Solver: q.opts.Solver, RLimit: q.opts.RLimit}
	if opts.RLimit == 0 {
		opts.RLimit = smtRLimit
	}
	contexts := smt.Stats.Contexts.Load()
	r := smt.Decide(ctx, f, opts)
	q.r.Stats.Contexts += int(smt.Stats.Contexts.Load() - contexts)
	return r
}

// LinkedSolver names the solver in this process, such as "z3 4.8.12"; empty where tv is built without cgo.
func LinkedSolver() string { return smt.LinkedVersion() }

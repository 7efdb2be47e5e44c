package equiv

import (
	"context"
	"fmt"

	"tv/equiv/smt"
	"tv/glenside"
	"tv/semantics/eval"
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
		if d := q.candidate(r, position); d != nil {
			before.found = d
			return before
		}
		if r.Answer != smt.Valid {
			return because(before, r)
		}
		out.add(proof(r))
	}
	return out
}

// candidate evaluates both programs on a solver's model, at the element asked about; it returns the difference, or nil
// where there is none: what a solver says of uninterpreted functions need not be so.
func (q *question) candidate(r smt.Result, index []int64) *difference {
	if r.Answer != smt.Counterexample || len(q.domain.names) > 0 {
		return nil
	}
	in := newSparseInputs(q.s.arith, q.before, q.after)
	elems := map[string]glenside.ElemType{}
	for _, ty := range []*glenside.Typing{q.before, q.after} {
		for _, t := range ty.Tensors {
			elems[t.Name] = t.Elem
		}
	}
	for _, a := range r.Model {
		if a.Tensor == nil || in.set[a.Tensor.Name] == nil { // a call without a meaning is no input
			continue
		}
		offset := int64(0)
		for i, d := range a.Tensor.Dims {
			n, _ := d.Const()
			m, small := n.Int64()
			if !small {
				return nil
			}
			offset = offset*m + a.At[i]
		}
		v, err := eval.ParseValue(a.Value, q.s.arith, elems[a.Tensor.Name])
		if err != nil {
			return nil
		}
		in.set[a.Tensor.Name][offset] = v
	}
	d := &difference{point: q.points[0], inputs: in, path: q.path, index: index}
	x, errX := eval.New(q.before, q.s.arith, d.point, in)
	y, errY := eval.New(q.after, q.s.arith, d.point, in)
	if errX != nil || errY != nil {
		return nil
	}
	o, vx, vy, bad := q.s.at(x, y, d.path, d.index)
	if o != differ {
		return nil
	}
	d.x, d.y, d.bad = vx, vy, bad
	return d
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
	r := smt.Decide(ctx, f, opts)
	q.r.Stats.Contexts += r.Contexts // those of other questions at work are not ours
	return r
}

// LinkedSolver names the solver in this process, such as "z3 4.8.12"; empty where tv is built without cgo.
func LinkedSolver() string { return smt.LinkedVersion() }

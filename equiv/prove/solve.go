package prove

import (
	"cmp"
	"context"
	"maps"
	"math/big"
	"slices"

	"tv/equiv/sample"
	"tv/equiv/smt"
	"tv/semantics/domain"
)

// solve is the smt engine. before is the answer of the engines before it, kept where this one has none.
func (v *Prover) solve(ctx context.Context, p part, arith domain.Arith, before Answer) Answer {
	if v.Solver == "none" || arith != v.Arith { // the exactness line is not worth a solver's time
		return before
	}
	list, failed, r := v.discharge(ctx, p)
	if r.Answer == smt.Valid {
		out := Answer{Proved: true, Engine: "smt", Solved: []int{p.tensor}}
		for _, o := range list {
			out.add(proof(v.answers[o.Script]))
		}
		return out
	}
	switch {
	case failed == nil:
	case failed.way == oneByOne && len(v.Domain.Names) == 0 && len(v.Points) > 0:
		before.Found = v.candidate(r, p.path, failed.element, v.Points[0])
	case r.Sat: // there is a formula, and maybe something to find
		before.Found = v.search(ctx, p)
	}
	if before.Found != nil {
		return before
	}
	return because(before, r)
}

// searchRLimit bounds a query of search, in resource units, searchPoints the points of the domain that it looks at.
const (
	searchRLimit = 1_000_000
	searchPoints = 2
)

// search asks a solver for inputs that tell the programs apart at a few elements of a tensor of any size, at the first points
// of the domain. It returns nil where none are found, or the solver does not know.
func (v *Prover) search(ctx context.Context, p part) *sample.Difference {
	for _, pt := range v.Points[:min(searchPoints, len(v.Points))] {
		list, err := v.examples(p, pt)
		if err != nil {
			return nil
		}
		for _, o := range list {
			r := o.Decide(ctx, smt.Options{Solver: v.Solver, RLimit: min(cmp.Or(v.RLimit, searchRLimit), searchRLimit)})
			v.counted(r)
			if d := v.candidate(r, p.path, o.element, pt); d != nil {
				return d
			}
			if r.Answer == smt.Unknown {
				return nil
			}
		}
	}
	return nil
}

// candidate evaluates both programs on a solver's model, at the element and the point asked about; it returns the
// difference, or nil where there is none: what a solver says of uninterpreted functions need not be so.
func (v *Prover) candidate(r smt.Result, path []int, index []int64, pt domain.Point) *sample.Difference {
	if r.Answer != smt.Counterexample {
		return nil
	}
	values := map[string]sample.InputValue{}
	for _, a := range r.Model {
		if a.Tensor == nil { // a call without a meaning is no input
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
		if n, ok := new(big.Rat).SetString(a.Value); ok && a.Tensor.Limit != nil && n.Abs(n).Cmp(a.Tensor.Limit) > 0 {
			return nil // no number of the type
		}
		if values[a.Tensor.Name].Sparse == nil {
			values[a.Tensor.Name] = sample.InputValue{Name: a.Tensor.Name, Sparse: map[int64]string{}}
		}
		values[a.Tensor.Name].Sparse[offset] = a.Value
	}
	c := &sample.Counterexample{Point: pt, Path: path, Index: index, Inputs: slices.Collect(maps.Values(values))}
	if d, err := v.Sampler.Recorded(c); err == nil {
		return d
	}
	return nil
}

func proof(r smt.Result) Answer {
	a := Answer{Proved: true, Engine: "smt"}
	if r.Solver != "" {
		a.Trusts = []string{r.Solver}
	}
	return a
}

// because keeps the answer of the engines before, unless the solver ran out of something.
func because(before Answer, r smt.Result) Answer {
	switch r.Reason {
	case "timeout", "rlimit", "memory":
		before.Reason = r.Reason
	}
	return before
}

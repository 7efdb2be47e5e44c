package prove

import (
	"context"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// maxApart bounds the sizes whose least values are looked at by themselves.
const maxApart = 3

// apart asks once more where the normal form has something left, with the least value of one size, or of each, as a case of its
// own: there a first iteration is the last one, and a border on the left is one on the right. What it takes is little, as
// most of what is not proved is not proved for that.
func (v *Prover) apart(ctx context.Context) Answer {
	var each []algebra.Split
	for _, name := range v.Domain.Names {
		each = append(each, algebra.Split{Name: name, At: v.Domain.Mins[name] + 1})
	}
	if len(each) > maxApart {
		return Answer{}
	}
	var ways [][]algebra.Split
	for i := range each {
		ways = append(ways, each[i:i+1])
	}
	if len(each) > 1 {
		ways = append(ways, each)
	}
	for _, splits := range ways {
		w := v.Apart(splits)
		a := w.prove(ctx, v.Arith, goal{budget: quickBudget})
		v.Counts.add(w.Counts)
		if a.Splits = splits; a.Proved || a.Err != nil {
			return a
		}
	}
	return Answer{}
}

// Apart is a prover of the same pair that takes the cases of the domain apart further.
func (v *Prover) Apart(splits []algebra.Split) *Prover {
	if len(splits) == 0 {
		return v
	}
	p := v.Pair
	for _, s := range splits {
		n, last := domain.NamedSize(s.Name), s.At-1
		p.Domain = p.Domain.Where(domain.Or(&domain.Pred{Op: domain.PredEq, A: n, B: domain.IntSize(last)},
			domain.Le(domain.IntSize(s.At), n)))
	}
	return New(p, v.Sampler)
}

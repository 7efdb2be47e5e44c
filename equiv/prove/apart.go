package prove

import (
	"context"
	"slices"

	"tv/proofs/algebra"
	"tv/semantics"
	"tv/semantics/domain"
)

// What is looked at by itself: the least values of so many sizes, and what is left when they are divided by so many numbers, which
// are not greater than these.
const (
	maxApart    = 3
	maxDivisors = 3
	maxDivisor  = 8
)

// factors are 2 and small numbers that the programs name: steps of loops and factors of unrolled ones among them.
func (v *Prover) factors() []int64 {
	out := []int64{2}
	for _, p := range v.sides() {
		s, ok := p.(semantics.Stepper)
		if !ok {
			continue
		}
		for _, n := range s.Numbers() {
			if n > 1 && n <= maxDivisor && !slices.Contains(out, n) && len(out) < maxDivisors {
				out = append(out, n)
			}
		}
	}
	return out
}

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
	for _, n := range v.factors() { // what is left behind an unrolled loop is the same number everywhere
		for _, name := range v.Domain.Names {
			ways = append(ways, []algebra.Split{{Name: name, By: n}})
		}
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
		if s.By > 0 {
			rest, any := domain.NamedSize(s.Name).Mod(domain.IntSize(s.By)), &domain.Pred{Op: domain.PredOr}
			for r := range s.By {
				any.Args = append(any.Args, &domain.Pred{Op: domain.PredEq, A: rest, B: domain.IntSize(r)})
			}
			p.Domain = p.Domain.Where(any)
			continue
		}
		n, last := domain.NamedSize(s.Name), s.At-1
		p.Domain = p.Domain.Where(domain.Or(&domain.Pred{Op: domain.PredEq, A: n, B: domain.IntSize(last)},
			domain.Le(domain.IntSize(s.At), n)))
	}
	return New(p, v.Sampler)
}

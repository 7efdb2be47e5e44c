package prove

import (
	"context"
	"errors"
	"fmt"

	"tv/equiv/normal"
	"tv/equiv/sizes"
	"tv/proofs/algebra"
	"tv/semantics/term"
)

// RestsOn works out where a proof with these cuts holds and which calls it takes by their ideal meaning.
func (v *Prover) RestsOn(ctx context.Context, cuts []algebra.Cut) (where, idealised []string, err error) {
	all, ok := sizes.Cases(v.Domain.Preds, v.Domain.Mins)
	if !ok {
		return nil, nil, errors.New("the domain has too many cases")
	}
	for _, cs := range all {
		for _, g := range v.goals(cuts) {
			w, ideal, err := v.goalRestsOn(ctx, cs, g)
			if err != nil {
				return nil, nil, err
			}
			where, idealised = MergeNames(where, w), MergeNames(idealised, ideal)
		}
	}
	return where, idealised, nil
}

func (v *Prover) goalRestsOn(ctx context.Context, cs []sizes.Clause, g goal) (where, idealised []string, err error) {
	arith := v.Arith
	b := term.NewBuilder()
	sz := sizes.NewFacts(b.Index, v.Domain.Names, v.Domain.Mins, cs)
	sz.Limit(v.Domain)
	if sz.Contradictory(cs) {
		return nil, nil, nil
	}
	x, y, err := v.lower(b, sz, arith, g)
	if err != nil {
		return nil, nil, err
	}
	idealised = MergeNames(x.Idealised, y.Idealised)
	laws, polynomial := v.laws(arith)
	if !polynomial {
		return limited(b), idealised, nil // terms in their order say by themselves where they are defined
	}
	for i := range x.Components {
		var texts, left []string
		p, o := x.Components[i].Array, y.Components[i].Array
		v.granted(b, p, func() {
			e := normal.NewEngine(ctx, b.Index, laws, v.Steps)
			texts, left, err = e.Defined(b.Index.Root(), p, o)
		})
		if err != nil {
			return nil, nil, err
		}
		if len(left) > 0 {
			return nil, nil, fmt.Errorf("AFTER may be undefined: not known that %s", left[0])
		}
		where = MergeNames(where, texts)
	}
	return MergeNames(where, limited(b)), idealised, nil
}

// limited says of which tensors terms take it for granted that they hold finite numbers.
func limited(b *term.Builder) (out []string) {
	for _, name := range b.Limited() {
		out = append(out, name+" holds finite numbers of its type")
	}
	return out
}

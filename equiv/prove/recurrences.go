package prove

import (
	"context"
	"errors"
	"fmt"

	"tv/equiv/recur"
	"tv/equiv/sample"
	"tv/equiv/witness"
)

// differentWork bounds the elements that are read to see that a cell differs that runs of nests tell apart.
const differentWork = 1_000_000

// asked is what engine R is asked.
func (v *Prover) asked() recur.Asked {
	_, polynomial := v.laws(v.Arith)
	return recur.Asked{Before: v.Before, After: v.After, Names: v.Domain.Names, Mins: v.Domain.Mins, Preds: v.Domain.Preds,
		Holds: v.Domain.Holds, From: v.RunsFrom, Ordered: !polynomial, Steps: v.Steps}
}

// recurrences asks for a relation of the instances of two nests of loops: what has no closed form may be equal step by step.
// The answer has no reason where a program is no nest.
func (v *Prover) recurrences(ctx context.Context) Answer {
	asked := v.asked()
	if v.Case || !asked.Nests() {
		return Answer{}
	}
	for _, c := range v.After.Conditions() {
		if !v.Domain.Asks(c.Pred) && !asked.Implies(c.Pred) {
			return Answer{Reason: "incomplete", Detail: fmt.Sprintf("not known to hold: %s (%s)", c.Pred, c.Msg), Open: &c}
		}
	}
	p, err := recur.Prove(ctx, asked)
	if differs := (*recur.Differs)(nil); errors.As(err, &differs) {
		v.Sampler.Allow(differentWork)
		d, err := v.Sampler.Look(ctx, differs.Point, []sample.Hint{{Path: differs.Path, Index: differs.Index}})
		if err == nil && d != nil {
			return Answer{Found: d, Engine: "sample"}
		}
	}
	switch {
	case ctx.Err() != nil:
		return Answer{Err: ctx.Err()}
	case err != nil:
		return Answer{Reason: "incomplete", Detail: "as a recurrence: " + err.Error()}
	}
	if p.Summed() {
		if c := v.certifiedRecurrence(ctx, p); c.Err != nil {
			return Answer{Reason: "incomplete", Detail: "as a recurrence: sums in another order: " + c.Err.Error()}
		}
	}
	return Answer{Proved: true, Engine: "recurrence", Recurrence: p, Explanation: p.Explain()}
}

// certifiedRecurrence has the checker accept the proof of a relation, or one of a relation of the instances that it reads itself: what is
// kept in locals, and loops that are unrolled, may be other assignments to it.
func (v *Prover) certifiedRecurrence(ctx context.Context, p *recur.Proof) Certificate {
	s := v.State(v.Arith)
	data, err := witness.Recurrences(ctx, s, p.Lines)
	if err != nil && ctx.Err() == nil {
		if before, after, failed := witness.Nests(s); failed == nil {
			if asked, failed := v.asked().Read(before, after); failed == nil {
				if p, failed := recur.Prove(ctx, asked); failed == nil {
					data, err = witness.Recurrences(ctx, s, p.Lines)
				}
			}
		}
	}
	if err == nil && len(data) == 0 {
		err = errors.New("there is no certificate")
	}
	return Certificate{data, err}
}

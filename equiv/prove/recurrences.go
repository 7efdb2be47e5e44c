package prove

import (
	"context"
	"errors"
	"fmt"

	"tv/equiv/recur"
	"tv/equiv/sample"
	"tv/equiv/witness"
	"tv/semantics"
)

// differentWork bounds the elements that are read to see that a cell differs that runs of nests tell apart.
const differentWork = 1_000_000

// recurrences asks for a relation of the instances of two nests of loops: what has no closed form may be equal step by step.
// The answer has no reason where a program is no nest.
func (v *Prover) recurrences(ctx context.Context) Answer {
	asked := v.asked(v.Before, v.After)
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
	return Answer{Proved: true, Engine: "recurrence", Recurrence: p, Explanation: p.Explain()}
}

// asked is the question about the instances of two programs.
func (v *Prover) asked(before, after semantics.Program) recur.Asked {
	_, polynomial := v.laws(v.Arith)
	return recur.Asked{Before: before, After: after, Names: v.Domain.Names, Mins: v.Domain.Mins, Preds: v.Domain.Preds,
		Holds: v.Domain.Holds, From: v.RunsFrom, Ordered: !polynomial}
}

// certifiedRecurrence has the checker accept the proof of a relation. Where the checker reads other statements in the texts, as it
// keeps values in locals elsewhere, a relation of these is looked for.
func (v *Prover) certifiedRecurrence(ctx context.Context, p *recur.Proof) Certificate {
	c := v.certifiedLines(ctx, p)
	if c.Err == nil || ctx.Err() != nil {
		return c
	}
	before, after, err := witness.Nests(v.State(v.Arith))
	if err != nil {
		return c
	}
	asked, err := v.asked(v.Before, v.After).Reread(before, after)
	if err != nil {
		return c
	}
	if p, err := recur.Prove(ctx, asked); err == nil {
		if other := v.certifiedLines(ctx, p); other.Err == nil {
			return other
		}
	}
	return c
}

func (v *Prover) certifiedLines(ctx context.Context, p *recur.Proof) Certificate {
	data, err := witness.Recurrences(ctx, v.State(v.Arith), p.Lines)
	if err == nil && len(data) == 0 {
		err = errors.New("there is no certificate")
	}
	return Certificate{data, err}
}

package induct

import (
	"context"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
)

// VerifyNest proves or refutes a nest whose sizes are numbers, for all values of its inputs: by induction over its loops, so
// that what it takes hardly depends on sizes. Both functions make the nest, each time on a model of its own. One run on a sample comes
// before; where nothing is proved, the other samples are run: a refutation is one of these runs, on the task returned. Runs
// are of the nest that numbers makes, the proof is about that of names: they differ where contracts are written in one way
// for elements with numbers for indices, and in another for all.
func VerifyNest(ctx context.Context, numbers, names func() (*ila.Nest, error)) (*ila.Task, *prove.Result, error) {
	n, err := numbers()
	if err != nil {
		return nil, nil, err
	}
	if err := ila.Validate(n.Model); err != nil {
		return nil, nil, err
	}
	t, r := n.Task(), prove.NewResult()
	r.Outputs, r.Steps = t.Output.Size(), len(t.Steps)
	if done, err := prove.Sample(t, 0, r); done || err != nil {
		return t, r, err
	}
	r.Samples++
	proof := *r
	family := &ila.Family{Name: n.Name, New: func(func(*index.Builder) []*index.Expr) (*ila.Nest, []*index.Expr, error) {
		n, err := names()
		return n, nil, err
	}}
	if err := Prove(ctx, family, &proof); err != nil || proof.Verdict == prove.Proved {
		return t, &proof, err
	}
	if done, err := prove.Samples(ctx, t, r); done || err != nil {
		return t, r, err
	}
	proof.Samples = r.Samples
	return t, &proof, nil
}

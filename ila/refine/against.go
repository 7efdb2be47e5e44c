package refine

import (
	"context"
	"fmt"
	"slices"

	"tv/ila"
	"tv/ila/prove"
	"tv/ila/run"
	"tv/semantics/term"
)

// VerifyAgainst decides whether two tasks leave the same output for all values of their inputs: a machine against
// another, after the programs with all their micro-steps. The inputs and the output have the same names, dims and
// widths. What right computes is the contract of left; see [prove.Verify].
func VerifyAgainst(ctx context.Context, left, right *ila.Task) (*prove.Result, error) {
	if !slices.Equal(left.Output.Dims, right.Output.Dims) || left.Output.Width != right.Output.Width {
		return nil, fmt.Errorf("the output of %s is not that of %s", left.Name, right.Name)
	}
	byTensor := map[*term.Tensor]*ila.Tensor{}
	for _, x := range right.Inputs {
		i := slices.IndexFunc(left.Inputs, func(y *ila.Tensor) bool {
			return x.Name == y.Name && x.Width == y.Width && slices.Equal(x.Dims, y.Dims)
		})
		if i < 0 {
			return nil, fmt.Errorf("%s has no input like %s of %s", left.Name, x.Name, right.Name)
		}
		byTensor[x.Symbol()] = left.Inputs[i]
	}
	s := run.NewSymbolic(right.Model)
	s.Load(right)
	for _, step := range right.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.Take(&step); err != nil {
			return nil, fmt.Errorf("%s: %w", right.Name, err)
		}
	}
	if err := s.End(); err != nil {
		return nil, fmt.Errorf("%s: %w", right.Name, err)
	}
	t := *left
	c := &refinement{b: left.Model.B}
	read := &reading{func(r *term.Term) *term.Term {
		x := byTensor[r.Tensor]
		return left.Element(x, x.Offset(r))
	}, map[*term.Term]*term.Term{}}
	t.Claim = "what " + right.Name + " leaves"
	outputs := make([]*term.Term, right.Output.Size())
	for flat := range outputs {
		out, detail := s.Output(right, flat)
		if out == nil {
			return nil, fmt.Errorf("%s: %s", right.Name, detail)
		}
		outputs[flat] = c.build(out, read, nil)
	}
	t.Contract = func(flat int) *term.Term { return outputs[flat] }
	return prove.Verify(ctx, &t)
}

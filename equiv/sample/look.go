package sample

import (
	"context"
	"slices"

	"tv/semantics"
	"tv/semantics/domain"
)

// Look evaluates the elements that hints name, and a few others, on a few kinds of inputs.
func (s *Sampler) Look(ctx context.Context, pt domain.Point, hints []Hint) (*Difference, error) {
	return s.look(ctx, pt, hints, s.modes())
}

// Glance is Look on inputs of one kind.
func (s *Sampler) Glance(ctx context.Context, pt domain.Point, hints []Hint) (*Difference, error) {
	return s.look(ctx, pt, hints, s.usual()[:1])
}

func (s *Sampler) look(ctx context.Context, pt domain.Point, hints []Hint, modes []mode) (*Difference, error) {
	if len(hints) == 0 {
		return nil, nil
	}
	for _, m := range modes {
		if s.work > s.limit {
			return nil, nil
		}
		if d, err := s.run(ctx, pt, m, 0, len(hints)+extraElements, hints); d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}

// Ends lists the first and the last element of each component at a point, and those next to them along each axis.
func Ends(result *semantics.Type, pt domain.Point) []Hint {
	var out []Hint
	for _, c := range result.Components() {
		path, dims := c.Path, DimsAt(c.Dims, pt)
		if slices.Contains(dims, 0) {
			continue
		}
		last := make([]int64, len(dims))
		for i, d := range dims {
			last[i] = d - 1
		}
		out = append(out, Hint{path, make([]int64, len(dims))}, Hint{path, last})
		for i := range dims {
			second, secondLast := make([]int64, len(dims)), slices.Clone(last)
			second[i], secondLast[i] = min(1, last[i]), max(0, last[i]-1)
			out = append(out, Hint{path, second}, Hint{path, secondLast})
		}
	}
	return out
}

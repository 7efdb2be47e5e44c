package prove

import (
	"maps"
	"math/big"
	"slices"

	"tv/equiv/normal"
	"tv/equiv/sample"
	"tv/equiv/sizes"
	"tv/semantics/domain"
	"tv/semantics/index"
)

// inWords evaluates both programs on the values that tell two machine words apart, at the first points of the domain; it returns the
// difference, or nil where there is none: the element may be none of the region, and sizes and folds have other values.
func (v *Prover) inWords(in *normal.Instance, sz *sizes.Facts, path []int) *sample.Difference {
	for _, pt := range v.Points[:min(searchPoints, len(v.Points))] {
		if d := v.instance(in, sz.At(pt), path, pt); d != nil {
			return d
		}
	}
	return nil
}

// instance evaluates at one point, where sizes have values, and at the first element of the region there.
func (v *Prover) instance(in *normal.Instance, at map[*index.Atom]*big.Int, path []int, pt domain.Point) *sample.Difference {
	known := maps.Clone(at)
	number := func(e *index.Expr) (int64, bool) {
		if slices.ContainsFunc(e.Free(), func(a *index.Atom) bool { return known[a] == nil }) {
			return 0, false
		}
		n, err := e.Eval(func(a *index.Atom) *big.Int { return known[a] })
		return n.Int64(), err == nil && n.IsInt64()
	}
	c := &sample.Counterexample{Point: pt, Path: path}
	for _, e := range in.Index {
		for _, a := range e.Free() {
			if lo, _ := in.Ctx.Bounds(a); a.Kind == index.Var {
				if n, ok := number(lo); ok {
					known[a] = big.NewInt(n)
				}
			}
		}
		n, ok := number(e)
		if !ok {
			return nil
		}
		c.Index = append(c.Index, n)
	}
	inputs := map[string]sample.InputValue{}
	for _, x := range in.Values {
		offset := int64(0)
		for i, d := range x.Read.Tensor.Dims {
			extent, ok := number(d)
			place, also := number(x.Read.Index[i])
			if !ok || !also {
				return nil
			}
			offset = offset*extent + place
		}
		name := x.Read.Tensor.Name
		if inputs[name].Sparse == nil {
			inputs[name] = sample.InputValue{Name: name, Sparse: map[int64]string{}}
		}
		inputs[name].Sparse[offset] = x.Value.String()
	}
	c.Inputs = slices.Collect(maps.Values(inputs))
	if d, err := v.Sampler.Recorded(c); err == nil {
		return d
	}
	return nil
}

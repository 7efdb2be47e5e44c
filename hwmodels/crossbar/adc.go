package crossbar

import (
	"context"

	"tv/ila"
	"tv/ila/induct"
	"tv/ila/prove"
)

// An ADC is the least width of converters with which a product over all rows is exact.
type ADC struct {
	Width       int
	Task, Below *ila.Task     // the product, and that on converters of a bit less
	Proof       *prove.Result // of the one
	Loss        *prove.Result // of the other: a refutation
}

// LeastADC finds the least width of converters with which a column is exact: a product of 1 x 1 x rows is proved, and is
// refuted by a run for each width below. Choices of a machine but for the width are those of the options. What is neither
// proved nor refuted ends it with an error.
func LeastADC(ctx context.Context, o Options) (*ADC, error) {
	var below *ADC
	for width := 2; width <= sumBits; width++ {
		own := o
		own.Config.ADC = width
		nest := func() (*ila.Nest, error) { return Gemm(1, 1, own.Config.Rows, own) }
		t, r, err := induct.VerifyNest(ctx, nest, nest)
		switch {
		case err != nil:
			return nil, err
		case r.Verdict == prove.Unknown:
			return nil, problem(CodeConfig, "%s is open with converters of %d bits: %s", t.Name, width, r.Detail)
		case r.Verdict == prove.Refuted:
			below = &ADC{Below: t, Loss: r}
			continue
		case below == nil:
			return nil, problem(CodeConfig, "%s is proved with converters of %d bits, and there are none below", t.Name, width)
		}
		below.Width, below.Task, below.Proof = width, t, r
		return below, nil
	}
	return nil, problem(CodeConfig, "no converter of up to %d bits is exact", sumBits)
}

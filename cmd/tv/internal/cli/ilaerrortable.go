//go:build !js

package cli

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"tv/hwmodels"
	"tv/ila/accuracy"
)

// A publishedError is the error of an operator of FlexASR as it was published, by width: mean and standard deviation of 100 inputs, in percent.
type publishedError struct {
	name, driver string
	sizes        func(width int) []int
	of           map[int][2]float64
	weights      int    // the bias of weights that are no operands: 3 holds those of attention, which are up to 1
	first        bool   // the first timestep's states count, not the cells
	inputs       string // the bias that outputs have too, where they have none of their own
}

// publishedErrors are those that the public simulator showed.
var publishedErrors = []publishedError{
	{name: "linear", driver: "flexasr-linear", sizes: func(w int) []int { return []int{1, w, w} },
		of: map[int][2]float64{64: {1.001, .426}, 128: {.889, .226}, 256: {.789, .173}, 512: {.684, .144}}},
	{name: "LSTM, t = 0", driver: "flexasr-lstm", sizes: func(w int) []int { return []int{w, w, 1} }, first: true,
		of: map[int][2]float64{64: {1.496, .519}, 128: {1.398, .389}, 256: {1.300, .275}, 512: {1.207, .186}}},
	{name: "layer norm", driver: "flexasr-layernorm", sizes: func(w int) []int { return []int{16, w} }, inputs: "inputs",
		of: map[int][2]float64{64: {.240, .267}, 128: {.257, .208}, 256: {.261, .157}, 512: {.309, .120}}},
	{name: "max pool", driver: "flexasr-maxpool", sizes: func(w int) []int { return []int{16, w} }, inputs: "inputs",
		of: map[int][2]float64{64: {}, 128: {}, 256: {}, 512: {}}},
	{name: "mean pool", driver: "flexasr-meanpool", sizes: func(w int) []int { return []int{16, w} }, inputs: "inputs",
		of: map[int][2]float64{64: {1.797, .436}, 128: {1.779, .269}, 256: {1.795, .187}, 512: {1.802, .138}}},
	{name: "attention, 3 steps", driver: "flexasr-attention", sizes: func(w int) []int { return []int{3, w} }, weights: 3},
	{name: "attention, 16 steps", driver: "flexasr-attention", sizes: func(w int) []int { return []int{16, w} }, weights: 3,
		of: map[int][2]float64{64: {13.6, 45.4}, 128: {6.26, 1.66}, 256: {5.74, 1.66}, 512: {5.28, 1.32}}},
}

const (
	tableSamples = 100 // inputs of an entry
	tableRange   = 0.2 // elements are uniform below it
)

// errorTable measures all entries.
func (a *app) errorTable(ctx context.Context, widths []int, e errorQuestion) error {
	if e.text != "" || len(e.sizes) > 0 {
		return usageError("--table has sizes and a range of its own")
	}
	samples := e.samples
	if samples == 1000 { // not given
		samples = tableSamples
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-20s  %5s  %-16s  %-16s  %-16s  %s\n", "error in percent", "width", "to the reals", "to their codes", "published", "bias of outputs")
	for _, p := range publishedErrors {
		for _, w := range widths {
			if err := ctx.Err(); err != nil {
				return err
			}
			m, bias, err := p.measure(ctx, w, samples, e.seed)
			if err != nil {
				return err
			}
			published := absent
			if at, ok := p.of[w]; ok {
				published = fmt.Sprintf("%.3f (%.3f)", at[0], at[1])
			}
			fmt.Fprintf(&b, "%-20s  %5d  %-16s  %-16s  %-16s  %d\n", p.name, w, fmt.Sprintf("%.3f (%.3f)", m.Mean, m.Std),
				fmt.Sprintf("%.3f (%.3f)", m.RoundedMean, m.RoundedStd), published, bias)
		}
	}
	return a.output("", []byte(b.String()))
}

// measure runs samples. Outputs have the least bias that holds what a sample has, as the public software chooses it; operands have 0, which holds 0.2.
func (p *publishedError) measure(ctx context.Context, width, samples int, seed uint64) (*accuracy.Measurement, int, error) {
	d, err := driver(p.driver)
	if err != nil {
		return nil, 0, err
	}
	sizes := p.sizes(width)
	biases := map[string]int{}
	for _, name := range d.Biases {
		biases[name] = 0
	}
	if p.weights > 0 {
		biases["weights"] = p.weights
	}
	outputs := "outputs"
	if p.inputs != "" {
		outputs = p.inputs
	}
	own := sizes
	if d.Errors.Rows {
		own = sizes[1:]
	}
	ideal := func() accuracy.Operator {
		return accuracy.Operator(d.Choose(hwmodels.Choices{Biases: biases}).Errors.Ideal(own))
	}
	task, err := d.Choose(hwmodels.Choices{Biases: biases}).New(sizes)
	if err != nil {
		return nil, 0, err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var drawn [][]float64
	for _, x := range task.Inputs {
		list := make([]float64, x.Size())
		for i := range list {
			list[i] = tableRange * random.Float64()
		}
		drawn = append(drawn, list)
	}
	most := 0.0
	for _, v := range ideal().Of(drawn) {
		most = math.Max(most, math.Abs(v))
	}
	biases[outputs] = min(max(int(math.Floor(math.Log2(most)))+3, 0), 7)
	chosen := d.Choose(hwmodels.Choices{Biases: biases})
	if task, err = chosen.New(sizes); err != nil {
		return nil, 0, err
	}
	plan := accuracy.Plan{Lo: 0, Hi: tableRange, Samples: samples, Seed: seed, Uniform: true}
	if p.first {
		plan.Elements = width
	}
	m, err := accuracy.Measure(ctx, task, ideal(), plan)
	return m, biases[outputs], err
}

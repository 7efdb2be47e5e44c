package hwmodels

import (
	"context"
	"math/big"
	"testing"

	"tv/hwmodels/bounds"
	"tv/ila/accuracy"
	"tv/internal/tier"
)

// measured returns a bound on the error of a driver and what samples show.
func measured(t *testing.T, d Driver, sizes []int, lo, hi float64, asGiven bool, samples int) (*bounds.Bound, *accuracy.Measurement) {
	t.Helper()
	all := sizes
	if d.Errors.Rows {
		all = append([]int{1}, sizes...)
	}
	task, err := d.New(all)
	if err != nil {
		t.Fatal(err)
	}
	q := bounds.Question{Lo: new(big.Rat).SetFloat64(lo), Hi: new(big.Rat).SetFloat64(hi), AsGiven: asGiven}
	m, err := accuracy.Measure(context.Background(), task, accuracy.Operator(d.Errors.Ideal(sizes)),
		accuracy.Plan{Lo: lo, Hi: hi, AsGiven: asGiven, Samples: samples, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return d.Errors.Bound(q, sizes), m
}

// sizes of drivers that have bounds: of width 64, and a few others
var errorSizes = map[string][][]int{
	"cim-gemm": {{2, 3, 16}}, "flexasr-lstm": {{16, 16}, {8, 5, 3}}, "flexasr-addpool": {{2, 64}, {4, 16}}, "flexasr-linear": {{4, 64}, {3, 7}}, "flexasr-maxpool": {{2, 64}}, "flexasr-meanpool": {{2, 64}},
	"hlscnn-conv2d": {{64, 3, 3, 1, 2, 2, 1}, {9, 4, 5, 3, 2, 3, 2}}, "vta-dense": {{16, 64}, {16, 16}},
}

// No sample is farther off than the bound; and at width 64 the bound is at most 8 times the worst of them.
func TestErrorBounds(t *testing.T) {
	for _, d := range Drivers() {
		if d.Errors == nil || d.Errors.Bound == nil {
			continue
		}
		if errorSizes[d.Name] == nil {
			t.Errorf("no sizes of %s", d.Name)
		}
		for n, sizes := range errorSizes[d.Name] {
			for _, r := range [][2]float64{{-1, 1}, {-0.125, 0.125}, {0, 0.75}, {-3, 0.5}, {0.25, 0.25}, {-40, 100}, {-1. / 512, 1. / 256}} {
				for _, asGiven := range []bool{false, true} {
					samples := tier.Pick(16, 24)
					if n == 0 && r[0] == -1 {
						samples = tier.Pick(160, 320)
					}
					b, m := measured(t, d, sizes, r[0], r[1], asGiven, samples)
					if b.Wraps != "" { // whether samples reach it is another question
						continue
					}
					most, _ := b.Max.Float64()
					if m.Error > most {
						t.Errorf("%s %v in %v, as given %t: off by %g, bound %g; %v", d.Name, sizes, r, asGiven, m.Error, most, m.Worst)
					}
					if n == 0 && r[0] == -1 && most > 8*m.Error {
						t.Errorf("%s %v in %v, as given %t: off by %g at most, bound %g", d.Name, sizes, r, asGiven, m.Error, most)
					}
				}
			}
		}
	}
}

// A bound from which any step is left out is exceeded by a sample, but where the step adds nothing to speak of: so
// samples would show a bound that forgets one.
func TestStepsCount(t *testing.T) {
	seen := 0
	for _, d := range Drivers() {
		if d.Errors == nil || d.Errors.Bound == nil {
			continue
		}
		for _, r := range [][2]float64{{-1, 1}, {-0.125, 0.125}, {-40, 100}} {
			for _, asGiven := range []bool{false, true} {
				b, m := measured(t, d, errorSizes[d.Name][0], r[0], r[1], asGiven, 120)
				for _, s := range b.Steps {
					rest, _ := new(big.Rat).Sub(b.Max, s.Adds).Float64()
					if b.Wraps == "" && m.Error > rest {
						seen++
					}
				}
			}
		}
	}
	if t.Logf("%d steps are missed", seen); seen < 20 {
		t.Errorf("only %d", seen)
	}
}

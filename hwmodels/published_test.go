package hwmodels

import (
	"math"
	"math/rand/v2"
	"testing"

	"tv/hwmodels/ideal"
	"tv/ila/run"
)

// The reasons that doc/machines.md gives for where measured errors are not the published ones, each tested by itself.

// published runs a driver on samples that are uniform in 0..0.2, and hands over what the machine and the operator in the reals give.
func published(t *testing.T, name string, sizes, own []int, biases map[string]int, samples int, see func(op ideal.Operator, in [][]float64, want []float64, codes []uint64)) {
	t.Helper()
	for _, d := range Drivers() {
		if d.Name != name {
			continue
		}
		d = d.Choose(Choices{Biases: biases})
		task, err := d.New(sizes)
		if err != nil {
			t.Fatal(err)
		}
		op, sim, r := d.Errors.Ideal(own), run.NewSimulator(task.Model), rand.New(rand.NewPCG(1, 2))
		for range samples {
			codes, numbers := make([][]uint64, len(task.Inputs)), make([][]float64, len(task.Inputs))
			for i, x := range task.Inputs {
				for range x.Size() {
					c := op.Encode[i](.2 * r.Float64())
					codes[i], numbers[i] = append(codes[i], c), append(numbers[i], op.Decode[i](c))
				}
			}
			sim.Reset()
			out, err := sim.Run(task, codes)
			if err != nil {
				t.Fatal(err)
			}
			see(op, numbers, op.Of(numbers), out)
		}
		return
	}
	t.Fatalf("no driver %s", name)
}

// Where a linear layer or a mean pool is not the code of the ideal result, that lies halfway between two codes: to the reals the error is the rounding
// of outputs alone, and to codes it is which of two the software takes.
func TestPublishedDiffersHalfway(t *testing.T) {
	const near = 1e-9
	for _, c := range []struct {
		name       string
		sizes, own []int
		biases     map[string]int
		differs    bool
	}{
		{"flexasr-linear", []int{1, 64, 64}, []int{64, 64}, map[string]int{"weights": 0, "inputs": 0, "biases": 0, "outputs": 2}, false},
		{"flexasr-meanpool", []int{16, 64}, []int{16, 64}, map[string]int{"inputs": 0}, true},
	} {
		differ := 0
		published(t, c.name, c.sizes, c.own, c.biases, 20, func(op ideal.Operator, _ [][]float64, want []float64, codes []uint64) {
			for at, code := range codes {
				got, v := op.Output(code), op.Round(want[at])
				if got == v {
					continue
				}
				if differ++; math.Abs(want[at]-(got+v)/2) > near {
					t.Errorf("%s: %g has the code of %g, not of %g", c.name, want[at], got, v)
				}
			}
		})
		if t.Logf("%s: %d differ", c.name, differ); c.differs && differ == 0 {
			t.Errorf("%s: no output lies halfway", c.name)
		}
	}
}

// The weights of attention are up to 1. Where their bias holds no more than operands do they are clipped; of 16 timesteps the sum of exponentials goes
// through the division modulo 4, so that results are as many times too large as that is too small, and outputs are clipped whose bias holds the ideal ones.
func TestPublishedAttention(t *testing.T) {
	off := func(steps, weights, outputs int, by func(in [][]float64) float64) float64 {
		var apart, norm float64
		published(t, "flexasr-attention", []int{steps, 64}, []int{steps, 64}, map[string]int{"matrix": 0, "query": 0, "weights": weights, "outputs": outputs}, 20,
			func(op ideal.Operator, in [][]float64, want []float64, codes []uint64) {
				f := by(in)
				for at, code := range codes {
					d := op.Output(code) - f*want[at]
					apart, norm = apart+d*d, norm+f*want[at]*f*want[at]
				}
			})
		return math.Sqrt(apart / norm)
	}
	whole := func([][]float64) float64 { return 1 }
	wrapped := func(in [][]float64) float64 {
		most, sum, scores := math.Inf(-1), 0.0, make([]float64, len(in[0])/len(in[1]))
		for ts := range scores {
			for j, v := range in[1] {
				scores[ts] += v * in[0][ts*len(in[1])+j]
			}
			most = math.Max(most, scores[ts])
		}
		for _, s := range scores {
			sum += math.Exp(s - most)
		}
		return sum / math.Mod(sum, 4)
	}
	for _, c := range []struct {
		what        string
		got         float64
		least, most float64
	}{
		{"3 timesteps, weights clipped", off(3, 0, 0, whole), .2, .4},
		{"3 timesteps", off(3, 3, 0, whole), .02, .08},
		{"16 timesteps", off(16, 3, 4, whole), 2, 8},
		{"16 timesteps, the sum modulo 4", off(16, 3, 4, wrapped), .02, .08},
		{"16 timesteps, outputs clipped", off(16, 3, 0, whole), 1, 2},
	} {
		if c.got < c.least || c.got > c.most {
			t.Errorf("%s: off by %.3f, not by %g to %g", c.what, c.got, c.least, c.most)
		}
	}
}

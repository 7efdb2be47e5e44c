// Package accuracy measures how far the results of a driver's program are from an operator in the reals, on operands that
// are drawn: those whose results are far off often, and uniform ones for statistics.
//
//	accuracy.go  Operator, Measure
//	draw.go      what operands are drawn
package accuracy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"tv/ila"
	"tv/ila/run"
)

// An Operator is an operation in the reals, and how its operands and its result are stored.
type Operator struct {
	Decode []func(code uint64) float64
	Encode []func(x float64) uint64
	Output func(code uint64) float64
	Of     func(inputs [][]float64) []float64
	Round  func(x float64) float64
	Wraps  func(inputs [][]float64) (at int)
}

// A Plan says what is drawn: elements in Lo..Hi; half of the samples are uniform.
type Plan struct {
	Lo, Hi   float64
	AsGiven  bool // the ideal result is that of the numbers drawn, not of what they are quantised to
	Samples  int
	Seed     uint64
	Uniform  bool // all samples are
	Elements int  // of the output that count, from the first on; 0: all
	Wrap     bool // an accumulator that overflows is looked for: the first sample that has one is the last
}

// A Sample is operands, as codes, with an element of the output, as a code, and the ideal one.
type Sample struct {
	Inputs  [][]uint64
	Element []int
	Ideal   float64
	Code    uint64
	Machine float64
}

// A Measurement is what samples showed.
type Measurement struct {
	Samples   int
	Worst     Sample // the element that is farthest off
	Error     float64
	Wrapped   *Sample // one whose accumulator overflows, and whose result shows it, where one was looked for and found
	Mean, Std float64 // of the 2-norm of the difference over that of the ideal result, of uniform samples, in percent
	Uniform   int     // whose ideal result is not 0

	RoundedMean, RoundedStd float64 // the same where the ideal result is quantised too
}

// Measure runs samples in the simulator. An error is a fault of the program, or that the context ended.
func Measure(ctx context.Context, t *ila.Task, op Operator, p Plan) (*Measurement, error) {
	m := &Measurement{}
	d := newDrawing(t, op, p)
	sim := run.NewSimulator(t.Model)
	var all, quantised statistics
	for n := range p.Samples {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		codes, numbers := d.draw(n, rand.New(rand.NewPCG(p.Seed, uint64(n))))
		sim.Reset()
		out, err := sim.Run(t, codes)
		if err != nil {
			return nil, fmt.Errorf("%s, sample %d: %w", t.Name, n, err)
		}
		want := op.Of(numbers)
		overflows := -1
		if p.Wrap && op.Wraps != nil {
			overflows = op.Wraps(d.decoded(codes))
		}
		var norm, apart, roundedNorm, roundedApart float64
		if p.Elements > 0 {
			out = out[:p.Elements]
		}
		for flat, code := range out {
			got := op.Output(code)
			diff := math.Abs(want[flat] - got)
			norm, apart = norm+want[flat]*want[flat], apart+diff*diff
			if op.Round != nil {
				v := op.Round(want[flat])
				roundedNorm, roundedApart = roundedNorm+v*v, roundedApart+(v-got)*(v-got)
			}
			sample := Sample{Inputs: codes, Element: ila.Unravel(t.Output.Dims, flat), Ideal: want[flat], Code: code, Machine: got}
			if diff > m.Error || n == 0 && flat == 0 {
				m.Error, m.Worst = diff, sample
			}
			if flat == overflows && m.Wrapped == nil {
				m.Wrapped = &sample
			}
		}
		if d.uniform(n) && norm > 0 {
			all.add(apart, norm)
			m.Uniform++
		}
		if d.uniform(n) && roundedNorm > 0 {
			quantised.add(roundedApart, roundedNorm)
		}
		if m.Samples++; p.Wrap && m.Wrapped != nil {
			break
		}
	}
	m.Mean, m.Std = all.result()
	m.RoundedMean, m.RoundedStd = quantised.result()
	return m, nil
}

// A statistics is what is known of errors in percent.
type statistics struct{ n, sum, squares float64 }

// add adds a sample, of the squares of two 2-norms.
func (s *statistics) add(apart, norm float64) {
	e := 100 * math.Sqrt(apart/norm)
	s.n, s.sum, s.squares = s.n+1, s.sum+e, s.squares+e*e
}

func (s *statistics) result() (mean, std float64) {
	if s.n == 0 {
		return 0, 0
	}
	mean = s.sum / s.n
	return mean, math.Sqrt(math.Max(0, s.squares/s.n-mean*mean))
}

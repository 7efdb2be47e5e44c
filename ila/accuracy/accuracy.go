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
	Wraps  func(inputs [][]float64) (at int)
}

// A Plan says what is drawn: elements in Lo..Hi; half of the samples are uniform.
type Plan struct {
	Lo, Hi  float64
	AsGiven bool // the ideal result is that of the numbers drawn, not of what they are quantised to
	Samples int
	Seed    uint64
	Wrap    bool // an accumulator that overflows is looked for: the first sample that has one is the last
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
	Wrapped   *Sample // one whose accumulator overflows, and whose result shows it, where there is one
	Mean, Std float64 // of the 2-norm of the difference over that of the ideal result, of uniform samples, in percent
	Uniform   int     // whose ideal result is not 0
}

// Measure runs samples in the simulator. An error is a fault of the program, or that the context ended.
func Measure(ctx context.Context, t *ila.Task, op Operator, p Plan) (*Measurement, error) {
	m := &Measurement{}
	d := newDrawing(t, op, p)
	sim := run.NewSimulator(t.Model)
	var sum, squares float64
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
		if op.Wraps != nil {
			overflows = op.Wraps(d.decoded(codes))
		}
		var norm, apart float64
		for flat, code := range out {
			got := op.Output(code)
			diff := math.Abs(want[flat] - got)
			norm, apart = norm+want[flat]*want[flat], apart+diff*diff
			sample := Sample{Inputs: codes, Element: ila.Unravel(t.Output.Dims, flat), Ideal: want[flat], Code: code, Machine: got}
			if diff > m.Error || n == 0 && flat == 0 {
				m.Error, m.Worst = diff, sample
			}
			if flat == overflows && m.Wrapped == nil {
				m.Wrapped = &sample
			}
		}
		if d.uniform(n) && norm > 0 {
			e := 100 * math.Sqrt(apart/norm)
			sum, squares = sum+e, squares+e*e
			m.Uniform++
		}
		if m.Samples++; p.Wrap && m.Wrapped != nil {
			break
		}
	}
	if n := float64(m.Uniform); n > 0 {
		m.Mean = sum / n
		m.Std = math.Sqrt(math.Max(0, squares/n-m.Mean*m.Mean))
	}
	return m, nil
}

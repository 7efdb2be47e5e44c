package prove

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"tv/ila"
	"tv/ila/run"
	"tv/semantics/term"
)

// sampleBudget bounds the arguments of terms that a run evaluates on the contract's side.
const sampleBudget = 1 << 23

// Samples runs the task on all its samples and reports whether one of them answers it: then r says how.
func Samples(ctx context.Context, t *ila.Task, r *Result) (bool, error) {
	for n := range sampleRuns + len(t.Corners) {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if done, err := Sample(t, n, r); done || err != nil {
			return true, err
		}
		r.Samples++
	}
	return false, nil
}

// Sample runs the task on values chosen by n and reports whether that answers it: then r says how. Run 0 has every
// element at an end of its range, where sums, clips and shifts show; others are random, the same for the same n, but
// for run 1, most of which is 0, and run 3, whose numbers are of any size. From sampleRuns on they are the task's own.
func Sample(t *ila.Task, n int, r *Result) (bool, error) {
	random := rand.New(rand.NewPCG(uint64(n), 0x7476))
	inputs := make([][]uint64, len(t.Inputs))
	for i, x := range t.Inputs {
		inputs[i] = make([]uint64, x.Size())
		for j := range inputs[i] {
			switch v := random.Uint64(); {
			case n >= sampleRuns:
				inputs[i][j] = t.Corners[n-sampleRuns](x, j)
			case n == 0:
				inputs[i][j] = [...]uint64{1 << (x.Width - 1), term.Ones(x.Width - 1), term.Ones(x.Width), 1}[v%4]
			case n == 1 && v%8 != 0:
				inputs[i][j] = 0
			case n == 3: // of any size: sums of great numbers hide behind the ends of their range
				inputs[i][j] = uint64(int64(v)>>(64-x.Width)>>(v%uint64(x.Width))) & term.Ones(x.Width)
			default:
				inputs[i][j] = v >> 8 & term.Ones(x.Width)
			}
		}
	}
	most := 1024
	if n == 0 {
		most = t.Output.Size()
	}
	return runOn(t, inputs, 0, most, r)
}

// runOn runs the task on inputs and reports whether that answers it: then r says how. It looks at so many elements of the output, from one on.
func runOn(t *ila.Task, inputs [][]uint64, first, most int, r *Result) (bool, error) {
	s := run.NewSimulator(t.Model)
	e := t.Environment(inputs)
	out, err := s.RunIn(t, e)
	if err != nil {
		var f *ila.Fault
		if !errors.As(err, &f) {
			return false, err
		}
		r.Detail = f.Error()
		if s.Applied() != "" && !faultsAnyway(t, f) {
			r.Reason, r.Detail = "unsupported", fmt.Sprintf("%s, where something stands in for %s", r.Detail, s.Applied())
			return true, nil
		}
		r.Verdict, r.Reason, r.Fault, r.Inputs = Refuted, "undefined", f, inputs
		if f.Step < len(t.Steps) && t.Steps[f.Step].Text != "" {
			r.Detail += ": " + t.Steps[f.Step].Text
		}
		return true, nil
	}
	loaded := e.Work()
	e.RememberFor(t.Contract(len(out) / 2))
	// elements are visited at a stride that meets them all in the end, until the budget is spent
	size := len(out)
	stride := size*5/8 + 1
	for gcd(stride, size) != 1 {
		stride++
	}
	for i, flat := 0, first; i < min(size, most) && e.Work()-loaded < sampleBudget; i, flat = i+1, (flat+stride)%size {
		if want := e.Value(t.Contract(flat)); want != out[flat] {
			if s.Applied() != "" {
				r.Reason, r.Detail = "unsupported", fmt.Sprintf("element %v differs where something stands in for %s",
					ila.Unravel(t.Output.Dims, flat), s.Applied())
				return true, nil
			}
			r.Verdict, r.Reason, r.Inputs = Refuted, "values", inputs
			r.Element, r.Want, r.Got = ila.Unravel(t.Output.Dims, flat), want, out[flat]
			return true, nil
		}
	}
	return false, nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// faultsAnyway tells whether the program of t meets a fault of a run also where data are terms: then it does so
// whatever uninterpreted functions compute.
func faultsAnyway(t *ila.Task, f *ila.Fault) bool {
	s := run.NewSymbolic(t.Model)
	s.Load(t)
	for _, step := range t.Steps {
		if err := s.Take(&step); err != nil {
			var g *ila.Fault
			return errors.As(err, &g) && g.Step == f.Step && g.Code == f.Code
		}
	}
	if s.End() != nil {
		return f.Step == len(t.Steps)
	}
	for flat := range t.Output.Size() {
		if all, _ := s.Output(t, flat); all == nil {
			return f.Step == len(t.Steps)
		}
	}
	return false
}

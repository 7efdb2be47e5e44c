package machine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"tv/equiv"
	"tv/equiv/sample"
	"tv/ila"
	"tv/ila/run"
	"tv/semantics/term"
)

// Limits of sampling, in runs of both sides and elements of the output.
const (
	sampleRuns     = 6
	sampleElements = 256     // looked at in a run
	shownElements  = 1 << 14 // of an output whose first differing element is shown
	shrinkRuns     = 400
)

// draw returns operands of a run. The first has every element at an end of its range, the second few that are
// not 0; then come small numbers and any numbers. They are the same in every run of tv.
func (p *Pair) draw(run int) operands {
	random := rand.New(rand.NewPCG(uint64(run), 0x7074))
	in := operands{}
	for _, name := range p.names {
		t := p.tensors[name]
		values := make([]uint64, t.size())
		for i := range values {
			v := random.Uint64()
			w := t.elem.Width
			switch {
			case run == 0:
				values[i] = [...]uint64{1 << (w - 1), term.Ones(w - 1), term.Ones(w), 1}[v%4]
			case run == 1 && v%8 != 0:
			case run <= 3:
				values[i] = (v>>8%7 - 3) & term.Ones(w)
			default:
				values[i] = v >> 8 & term.Ones(w)
			}
		}
		in[name] = values
	}
	return in
}

// none returns operands that are 0 everywhere.
func (p *Pair) none() operands {
	in := operands{}
	for _, name := range p.names {
		in[name] = make([]uint64, p.tensors[name].size())
	}
	return in
}

// sample runs both sides on sample operands and reports whether that settled the question. The elements are
// visited at a stride that meets them all in the end.
func (c *check) sample(ctx context.Context) (bool, error) {
	p := c.p
	n := p.task.Output.Size()
	stride := n*5/8 + 1
	for gcd(stride, n) != 1 {
		stride++
	}
	flat := 0
	for run := range sampleRuns {
		if ctx.Err() != nil {
			return true, nil
		}
		in := p.draw(run)
		out, err := p.simulate(in)
		if err != nil {
			f, err := faultOf(err)
			if err != nil {
				return false, err
			}
			if c.race == nil && c.always(ctx, f) {
				return false, p.located(f)
			}
			for at := range min(n, sampleElements) {
				if d, err := p.difference(in, at, f); err != nil || d != nil {
					if d != nil {
						c.report(ctx, d)
					}
					return d != nil, err
				}
			}
			continue
		}
		e, err := p.evaluator(in)
		if err != nil {
			return false, err
		}
		for range min(n, sampleElements) {
			c.r.Stats.Samples++
			if d := p.compare(e, in, out, flat); d != nil {
				c.report(ctx, d)
				return true, nil
			}
			flat = (flat + stride) % n
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

// always tells whether the program meets a fault whatever the operands hold: a run on terms, in which nothing
// that decides may depend on them, ends in the same one.
func (c *check) always(ctx context.Context, fault *ila.Fault) bool {
	t := c.p.task
	s := run.NewSymbolic(t.Model)
	s.Load(t)
	for _, step := range t.Steps {
		if ctx.Err() != nil {
			return false
		}
		if err := s.Step(step.Terms(t.Model)...); err != nil {
			var f *ila.Fault
			return errors.As(err, &f) && f.Code == fault.Code && f.Step == fault.Step
		}
	}
	return fault.AtEnd // what the program has to leave does not hang on data, nor do the cells that it writes
}

// report shrinks a difference and fills in the refutation.
func (c *check) report(ctx context.Context, d *difference) {
	p := c.p
	d = p.shrink(ctx, d)
	d = p.first(d)
	c.r.Verdict, c.r.Engine, c.r.Reason, c.r.Detail = equiv.Refuted, "sample", "values", ""
	x := &sample.Counterexample{Index: p.at(d.flat), Before: d.before.String(), After: "undefined"}
	if d.fault != nil {
		c.r.Reason, c.r.Detail = "undefined", "AFTER is undefined: "+d.fault.Error()
		if d.fault.Step < len(p.task.Steps) {
			step := p.task.Steps[d.fault.Step]
			c.r.Blame = []sample.Blame{{Side: "after", Span: step.Span, Text: step.Text}}
		}
	} else {
		x.After = d.after.String()
		c.written(d.flat)
	}
	for _, name := range p.names {
		x.Inputs = append(x.Inputs, p.shown(name, d.in[name]))
	}
	c.r.Counterexample = x
}

// written names the instruction that wrote an element last, and the one that wrote what it stored.
func (c *check) written(flat int) {
	t := c.p.task
	element, stored, ok := run.Writers(t, flat)
	if !ok {
		return
	}
	name := func(w run.Writer) string {
		text := t.Steps[w.Step].Text
		if w.Micro > 0 {
			text += fmt.Sprintf(", micro-step %d", w.Micro)
		}
		c.r.Blame = append(c.r.Blame, sample.Blame{Side: "after", Span: t.Steps[w.Step].Span, Text: t.Steps[w.Step].Text})
		return text
	}
	c.r.Detail = "the element was written last by " + name(element)
	if stored != element {
		c.r.Detail += "; what that took by " + name(stored)
	}
}

// A place is an element of an operand.
type place struct {
	name string
	at   int
}

// shrink sets elements to 0 and then to 1 as long as the difference stays, in pieces that are halved.
func (p *Pair) shrink(ctx context.Context, d *difference) *difference {
	runs := 0
	try := func(list []place, v uint64) bool {
		if runs++; runs > shrinkRuns || ctx.Err() != nil {
			return false
		}
		in := operands{}
		for name, values := range d.in {
			in[name] = slices.Clone(values)
		}
		for _, at := range list {
			in[at.name][at.at] = v
		}
		smaller, err := p.difference(in, d.flat, d.fault)
		if err != nil || smaller == nil {
			return false
		}
		d = smaller
		return true
	}
	nonzero := func() (list []place) {
		for _, name := range p.names {
			for at, v := range d.in[name] {
				if v != 0 {
					list = append(list, place{name, at})
				}
			}
		}
		return list
	}
	if list := nonzero(); try(list, 0) {
		return d
	}
	for piece := (len(nonzero()) + 1) / 2; piece >= 1; piece /= 2 {
		for list := nonzero(); len(list) > 0; {
			n := min(piece, len(list))
			try(list[:n], 0)
			list = list[n:]
		}
	}
	for _, at := range nonzero() {
		if d.in[at.name][at.at] != 1 {
			try([]place{at}, 1)
		}
	}
	return d
}

// first returns the first element in row-major order that differs on the same operands, where the whole output
// is small enough to look at.
func (p *Pair) first(d *difference) *difference {
	if d.fault != nil || p.task.Output.Size() > shownElements {
		return d
	}
	out, err := p.simulate(d.in)
	if err != nil {
		return d
	}
	e, err := p.evaluator(d.in)
	if err != nil {
		return d
	}
	for flat := range d.flat {
		if found := p.compare(e, d.in, out, flat); found != nil {
			return found
		}
	}
	return d
}

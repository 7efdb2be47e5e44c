package sample

import (
	"context"
	"errors"
	"maps"

	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/value"
)

// Elements of each component that a panel looks at on one kind of inputs, and those kinds.
const (
	panelElements = 32
	panelKinds    = 3
	panelReads    = 100_000 // elements that BEFORE may read for a panel
)

// A Panel is what the results have to be on a few inputs, as BEFORE has them: those of a difference first, and others as the sampler
// draws them.
type Panel struct {
	Work int // elements that programs have read to be held against it

	s      *Sampler
	trials []trial
	rest   func()          // adds the other trials, once something has passed the first; nil: they are there
	known  map[string]bool // the tensors that there are values for
}

// A trial is a few elements of a component on some inputs.
type trial struct {
	point domain.Point
	in    value.Inputs
	path  []int
	list  [][]int64
	want  []result
}

// Panel returns the panel at a difference, nil for none, and at points.
func (s *Sampler) Panel(ctx context.Context, d *Difference, points []domain.Point) *Panel {
	p := &Panel{s: s, known: map[string]bool{}}
	for _, side := range []semantics.Program{s.before, s.after} {
		for _, t := range side.Inputs() {
			p.known[t.Name] = true
		}
	}
	if d != nil {
		p.add(ctx, d.Point, d.Inputs, d.Path, [][]int64{d.Index})
	}
	p.rest = func() {
		start := p.Work
		if d != nil {
			p.whole(ctx, d.Point, d.Inputs)
		}
		for _, pt := range points {
			for k, m := range s.modes() {
				if k < panelKinds && p.Work-start < panelReads {
					p.whole(ctx, pt, s.inputs(s.seed+uint64(k)+1, m))
				}
			}
		}
	}
	return p
}

// whole adds elements of all components.
func (p *Panel) whole(ctx context.Context, pt domain.Point, in value.Inputs) {
	for _, path := range p.s.paths {
		p.add(ctx, pt, in, path, nil)
	}
}

// add adds elements of a component, some where the list is empty. What BEFORE cannot be asked about is left out.
func (p *Panel) add(ctx context.Context, pt domain.Point, in value.Inputs, path []int, list [][]int64) {
	counted := p.counted(in, exactly)
	ev, err := p.s.before.Evaluate(p.s.arith, pt, counted, nil)
	if err != nil || !bounded(ev, FirstWork) {
		return
	}
	if list == nil {
		list = Pick(ev.Dims(path), path, panelElements, p.s.seed, nil)
	}
	t := trial{pt, in, path, list, make([]result, len(list))}
	done, err := evaluate(ctx, ev, counted, path, list, t.want)
	if err != nil {
		return
	}
	if t.list = list[:done]; done > 0 {
		p.trials = append(p.trials, t)
	}
	p.Work += counted.reads + worked(ev)
}

// Real inputs of a trial are numbers, or balls around them. Fractions grow with each step of a loop, balls do not: most programs
// that differ differ by balls.
const (
	roughly = true
	exactly = false
)

// counted are inputs that count what is read of them.
func (p *Panel) counted(in value.Inputs, rough bool) *randomInputs {
	if random, ok := in.(*randomInputs); ok {
		out := random.fork()
		out.most = panelReads
		if rough {
			out.values = maps.Clone(out.values)
			for name, list := range out.values {
				out.values[name] = balls(list)
			}
		}
		return out
	}
	out := &randomInputs{most: panelReads, lent: map[string]func(int64) value.Value{}}
	for name := range p.known {
		read := open(in, name)
		out.lent[name] = func(offset int64) value.Value {
			if out.reads++; out.reads == out.most {
				panic(errTooMuch)
			}
			if v := read(offset); !rough {
				return v
			} else {
				return value.Ball(v)
			}
		}
	}
	return out
}

// Accepts tells whether a program in AFTER's place has the results of the panel; where it cannot be told, or nothing was compared,
// it has not.
func (p *Panel) Accepts(ctx context.Context, program semantics.Program) bool {
	for _, t := range program.Inputs() {
		if !p.known[t.Name] {
			return false
		}
	}
	agreed := 0
	for i := 0; ; i++ {
		if i == len(p.trials) && p.rest != nil {
			p.rest()
			p.rest = nil
		}
		if i >= len(p.trials) {
			break
		}
		n, open, ok := p.agrees(ctx, program, p.trials[i], roughly)
		if ok && open {
			n, _, ok = p.agrees(ctx, program, p.trials[i], exactly)
		}
		if agreed += n; !ok {
			return false
		}
	}
	return agreed > 0
}

// agrees counts the elements of a trial that a program has; open says that of some it cannot be told, and ok is false where one
// differs, or the program ends the evaluation.
func (p *Panel) agrees(ctx context.Context, program semantics.Program, t trial, rough bool) (agreed int, open, ok bool) {
	counted := p.counted(t.in, rough)
	ev, err := program.Evaluate(p.s.arith, t.point, counted, nil)
	if err != nil || !bounded(ev, FirstWork) {
		return 0, false, false
	}
	defer func() {
		p.Work += counted.reads + worked(ev)
		if r := recover(); r != nil {
			if r != errTooMuch {
				panic(r)
			}
			ok = false
		}
	}()
	for i, index := range t.list {
		if ctx.Err() != nil {
			return 0, false, false
		}
		if t.want[i].err != nil {
			continue
		}
		if !within(index, ev.Dims(t.path)) {
			return 0, false, false
		}
		v, err := ev.Element(t.path, index)
		switch {
		case errors.Is(err, value.ErrUndefined):
			return 0, false, false
		case err != nil:
			open = true
			continue
		}
		switch value.Compare(t.want[i].value, v) {
		case value.Same:
			agreed++
		case value.Undecided:
			open = true
		case value.Different:
			return 0, false, false
		}
	}
	return agreed, open, true
}

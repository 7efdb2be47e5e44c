package prove

import (
	"slices"

	"tv/ila"
	"tv/semantics/term"
)

// Parts tell which functions of a contract have the values of parts of a model. Where one has, for all values of the part's inputs,
// the machine's terms apply it: what both sides compute then is one term, however it is written.
type Parts struct {
	task   *ila.Task
	names  []string // of the functions that parts may have the values of
	result *Result
	known  map[*term.Term][]known // by part
}

// NewParts returns the parts of the model of a task; it counts lemmas in result.
func NewParts(t *ila.Task, result *Result) *Parts {
	p := &Parts{task: t, result: result, known: map[*term.Term][]known{}}
	for name := range t.Scalars {
		p.names = append(p.names, name)
	}
	slices.Sort(p.names)
	return p
}

// Known is what run.Symbolic asks.
func (p *Parts) Known(part *term.Term, inputs, values []*term.Term) string {
	for _, k := range p.known[part] {
		if k.fits(values) {
			return k.name
		}
	}
	k := known{constants: make([]*term.Term, len(values))}
	var free []*term.Term
	for i, v := range values {
		if _, ok := v.ConstBits(); ok {
			k.constants[i] = v
		} else {
			free = append(free, inputs[i])
		}
	}
	if k.name = p.find(part, inputs, values, free); k.name != "" {
		p.result.Lemmas, p.result.parts = p.result.Lemmas+1, true
	}
	p.known[part] = append(p.known[part], k)
	return k.name
}

// A known is what a part is with some constants for its inputs: the name of a function, or "" for none.
type known struct {
	constants []*term.Term // nil for inputs that have none
	name      string
}

// fits tells whether inputs have the constants, and no others.
func (k *known) fits(values []*term.Term) bool {
	for i, v := range values {
		if v != k.constants[i] && (v.Op == term.Const || k.constants[i] != nil) {
			return false
		}
	}
	return true
}

// find looks for a function that a part has the values of, with constants for those of its inputs that have one.
func (p *Parts) find(part *term.Term, inputs, values, free []*term.Term) string {
	b := p.task.Model.B
	t := ila.Rebuild(b, part, map[*term.Term]*term.Term{}, func(t *term.Term) *term.Term {
		if i := slices.Index(inputs, t); i >= 0 {
			if _, ok := values[i].ConstBits(); ok {
				return values[i]
			}
			return t
		}
		return nil
	})
	e := newEnumeration(t, free)
	if e == nil {
		return ""
	}
	for _, name := range p.names {
		if s := p.task.Scalars[name]; s.Width == t.Sort.Width && slices.Equal(s.Args, e.widths) && e.is(p.task.Tables[name], s) {
			return name
		}
	}
	return ""
}

// An enumeration runs a term through all values of the terms that it is a function of.
type enumeration struct {
	form   form
	widths []int // of what it is a function of
	steps  int
	values []uint64
	parts  []ternary
}

// newEnumeration returns nil where the term depends on anything else.
func newEnumeration(t *term.Term, inputs []*term.Term) *enumeration {
	e := &enumeration{}
	f := &e.form
	f.number = 1
	for _, in := range inputs {
		if _, twice := f.place(in); twice {
			return nil
		}
		f.leaf(in)
		if in.Op == term.Extract && in.Low() == 0 { // the term may take bits of what these are the low bits of
			f.lowOf = in
		}
		e.widths = append(e.widths, in.Sort.Width)
	}
	leaves := len(f.leaves)
	f.unfit = false // however many bits they are: those are not all run through
	f.add(t)
	if at, ok := f.place(t); f.unfit || !ok || len(f.leaves) != leaves || at < leaves {
		return nil
	}
	e.values, e.parts = make([]uint64, len(f.order)), make([]ternary, len(f.order))
	return e
}

// Limits of an enumeration.
const (
	splitFrom = 10      // bits of the last argument from which on stretches of it are looked at as a whole
	mostSteps = 1 << 24 // values and stretches
)

// is tells whether the term has the values of a function.
func (e *enumeration) is(of func([]uint64) uint64, s ila.Scalar) bool {
	bits := 0
	for _, w := range e.widths {
		bits += w
	}
	last := e.widths[len(e.widths)-1]
	split := s.Constant != nil && last > splitFrom
	if split {
		bits -= last
	}
	if bits > enumerated {
		return false
	}
	args := make([]uint64, len(e.widths))
	e.steps = mostSteps
	for n := range uint64(1) << bits {
		for i, w := range e.widths {
			if split && i == len(e.widths)-1 {
				break
			}
			args[i] = n & term.Ones(w)
			n >>= w
		}
		switch {
		case split:
			if !e.stretch(args, last, of, s) {
				return false
			}
		case e.at(args) != of(args):
			return false
		}
	}
	return true
}

// at returns the value of the term.
func (e *enumeration) at(args []uint64) uint64 {
	copy(e.values, args)
	e.form.run(e.values)
	return e.values[len(e.values)-1]
}

// stretch tells whether the term has the values of a function where the last argument is what it is, but for so many low bits, which
// are 0.
func (e *enumeration) stretch(args []uint64, free int, of func([]uint64) uint64, s ila.Scalar) bool {
	if e.steps--; e.steps < 0 {
		return false
	}
	last := len(args) - 1
	if free == 0 {
		return e.at(args) == of(args)
	}
	if to := args[last] | term.Ones(free); free < e.widths[last] && s.Constant(args, to) {
		if v := e.around(args, free); v.mask == 0 {
			return v.value == of(args)
		}
	}
	from := args[last]
	for half := range uint64(2) {
		args[last] = from | half<<(free-1)
		if !e.stretch(args, free-1, of, s) {
			return false
		}
	}
	args[last] = from
	return true
}

// around returns what is known of the term where so many low bits of the last argument are not.
func (e *enumeration) around(args []uint64, free int) ternary {
	var buffer [8]ternary
	f, start := &e.form, 0
	for i, t := range f.order {
		from := start
		start = f.ends[i]
		switch {
		case i < len(args):
			e.parts[i] = ternary{args[i], 0}
			if i == len(args)-1 {
				e.parts[i].mask = term.Ones(free)
			}
		case t.Op == term.Const:
			n, _ := t.ConstBits()
			e.parts[i] = ternary{n, 0}
		case t.Op == term.Apply:
			e.parts[i] = ternary{0, term.Ones(t.Sort.Width)}
		default:
			list := buffer[:0]
			for _, a := range f.args[from:start] {
				list = append(list, e.parts[a])
			}
			e.parts[i] = ternaryOf(t, list)
		}
	}
	return e.parts[len(e.parts)-1]
}

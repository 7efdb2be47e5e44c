// Package synth finds netlists of vendors' cells for specifications over bit-vectors, by example.
//
//	synth.go      the question, the answer, templates tried in order
//	templates.go  the templates: sketches by architecture
//	sketch.go     a sketch: a netlist with holes (tables, constants, what pins are connected to)
//	arch.go       what tables, choices and carries are on each architecture
//	gates.go      a sketch as gates over its holes, for inputs that are known
//	cegis.go      words for the holes that are right for samples, and a proof where there are none
//	module.go     sketches with their holes filled as a module, with registers
//
// A candidate is right for all samples so far; it is written, read again and compared with the specification as tv check does, and what
// refutes it is one more sample. This ends with a netlist that is proved, or with samples for which no words for the holes are right.
// What is printed is not believed here: the command checks the text anew.
package synth

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	circuits "tv/equiv/bits"
	"tv/equiv/bits/sat"
	"tv/equiv/bits/sweep"
	text "tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/flat"
	"tv/semantics/bits/netlist"
	"tv/semantics/bits/verilog"
	"tv/semantics/bits/word"
)

// A Question asks for a netlist.
type Question struct {
	Spec     *bits.Design // without registers
	Arch     string
	Template string // empty: auto
	Latency  int
	Depth    bool   // least depth instead of fewest cells
	Name     string // of the module
	Clock    string // where registers are needed
	Slices   int    // how many slices a multiplier may have, 1 or 2; 0: 2
}

// Options bound the work; the zero value is the default.
type Options struct {
	Conflicts int64        // of the solver for a sketch; 0: 200,000
	Samples   int          // for a sketch; 0: 1,000
	Progress  func(string) // what is tried next; may be nil
}

// An Output is how an output was found, or why it was not.
type Output struct {
	Name     string
	Template string // of what was found
	Tried    []Try
	Cells    int // of what was found, registers among them
}

// A Try is a sketch that was tried.
type Try struct {
	Template   string
	Status     Status
	Candidates int
	Samples    int
	Conflicts  int64
	Holes      []Hole      // of Found
	Refutation *Refutation // of None
}

// A Status is how a try ended.
type Status uint8

// How tries end.
const (
	Found Status = iota
	None         // no words for the holes are right
	Open         // the work was bounded
)

// String is the word of reports.
func (s Status) String() string { return [...]string{"found", "none", "open"}[s] }

// A Hole is a word that was found.
type Hole struct {
	Name  string
	Width int
	Value *big.Int
}

// A Refutation is to show that there is nothing of a sketch, or no configuration of a slice: a checker reads it that knows by itself what these
// are ([Output.Absences]).
type Refutation struct {
	Sketch  string             // as a module with an input for each hole
	Samples [][]*big.Int       // by the inputs of the specification
	Lemmas  *sweep.Certificate // of gates over the holes, from what samples ask of them to a contradiction

	Latency     int            // of a slice
	Experiments [][][]*big.Int // runs by cycle, by the inputs of the specification; the last row is what the second run has at cycle warm
}

// A Result is an answer. Module is nil where there is a Reason: no-mapping, unsupported, incomplete, interrupted.
type Result struct {
	Module  *flat.Module
	Outputs []Output
	Reason  string
	Detail  string
}

// Run looks for a netlist.
func Run(ctx context.Context, q Question, o Options) (*Result, error) {
	if o.Conflicts == 0 {
		o.Conflicts = 200_000
	}
	if o.Samples == 0 {
		o.Samples = 1000
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if len(q.Spec.Registers) > 0 {
		return &Result{Reason: "unsupported", Detail: "a specification with registers"}, nil
	}
	r := &Result{}
	var inputs, outputs []port
	for _, p := range q.Spec.Inputs {
		inputs = append(inputs, port{p.Name, p.Width})
	}
	for _, p := range q.Spec.Outputs {
		outputs = append(outputs, port{p.Name, p.Width})
	}
	b := newBuilder(q.Arch, q.Name, inputs, outputs)
	if q.Latency > 0 {
		b.clock = b.clocked(q.Clock)
	}
	for i := range q.Spec.Outputs {
		s := &search{Question: q, Options: o, ctx: ctx, out: i}
		found, err := s.run()
		r.Outputs = append(r.Outputs, s.report)
		if err != nil {
			return r, err
		}
		if found == nil {
			r.Reason, r.Detail = s.reason, s.detail
			return r, nil
		}
		cells := len(b.module.Cells)
		b.drive(outputs[i].name, found(b))
		r.Outputs[i].Cells = len(b.module.Cells) - cells
	}
	r.Module = b.module
	return r, nil
}

// clocked makes the input that is the clock.
func (b *builder) clocked(name string) int {
	b.port(port{b.fresh(name), 1}, flat.Input)
	return len(b.module.Signals) - 1
}

// stages says how many registers there are at each place: all where fewest bits pass, or as even as may be, from within.
func stages(s *Sketch, latency int, even bool) []int {
	out := make([]int, len(s.stages))
	order := make([]int, len(s.stages))
	for i := range order {
		order[i] = i
	}
	if even {
		last := len(order) - 1
		slices.SortStableFunc(order, func(a, b int) int { // within, then the output, then the inputs
			rank := func(i int) int {
				switch i {
				case 0:
					return 2
				case last:
					return 1
				}
				return 0
			}
			return rank(a) - rank(b)
		})
		for i := range latency {
			out[order[i%len(order)]]++
		}
		return out
	}
	best := 0
	for i, n := range s.stages {
		if n <= s.stages[best] {
			best = i
		}
	}
	out[best] = latency
	return out
}

// A search looks for one output.
type search struct {
	Question
	Options
	ctx    context.Context
	out    int
	spec   *bits.Design // of this output alone
	inputs []port       // that the output depends on
	open   bool         // it depends on what the specification leaves open
	report Output
	reason string
	detail string
}

// A placing puts what was found into a module, and returns the bits of the output.
type placing func(*builder) []flat.Bit

// run tries the templates.
func (s *search) run() (placing, error) {
	o := s.Spec.Outputs[s.out]
	s.report.Name = o.Name
	d := *s.Spec
	d.Outputs = []bits.Output{o}
	s.spec = &d
	read := map[string]bool{}
	for _, w := range word.Reach(s.Spec.Builder.Simplify(o.Word)) {
		switch w.Op {
		case word.Input:
			read[w.Name] = true
		case word.Open:
			s.open = true
		}
	}
	for _, p := range s.Spec.Inputs {
		if read[p.Name] {
			s.inputs = append(s.inputs, port{p.Name, p.Width})
		}
	}
	shape := &shape{arch: s.Arch, inputs: s.inputs, out: port{o.Name, o.Width}}
	list := s.candidates(shape)
	if len(list) == 0 {
		s.reason = "unsupported"
		s.detail = fmt.Sprintf("%s has no netlist of template %s for %s", s.Arch, s.Template, shape)
		if s.Template == "" || s.Template == "auto" {
			s.detail = fmt.Sprintf("%s has no template for %s", s.Arch, shape)
		}
		return nil, nil
	}
	for _, c := range list {
		s.Progress(fmt.Sprintf("%s: %s", o.Name, c.template))
		try := Try{Template: c.template}
		found, err := c.try(&try)
		s.report.Tried = append(s.report.Tried, try)
		if err != nil {
			return nil, err
		}
		if found != nil {
			s.report.Template = c.template
			return found, nil
		}
		if s.ctx.Err() != nil {
			s.reason = "interrupted"
			return nil, nil
		}
	}
	s.reason, s.detail = s.report.nothing(s.Arch, shape)
	return nil, nil
}

// nothing says why nothing was found: of what there is no netlist, which is proved, and of what none was found.
func (o *Output) nothing(arch string, q *shape) (reason, detail string) {
	var none, open []string
	for _, t := range o.Tried {
		list := &none
		if t.Status == Open {
			list = &open
		}
		if !slices.Contains(*list, t.Template) {
			*list = append(*list, t.Template)
		}
	}
	none = slices.DeleteFunc(none, func(name string) bool { return slices.Contains(open, name) }) // it has other sketches
	var parts []string
	if len(none) > 0 {
		parts = append(parts, fmt.Sprintf("%s has no netlist of %s for %s", arch, strings.Join(none, ", "), q))
	}
	if len(open) == 0 {
		return "no-mapping", parts[0]
	}
	return "incomplete", strings.Join(append(parts, fmt.Sprintf("none of %s was found for %s", strings.Join(open, ", "), q)), "; ")
}

// A candidate is a sketch, or what else a template tries, by how cheap it is.
type candidate struct {
	template string
	cost     int
	try      func(*Try) (placing, error)
}

// candidates are those of the template that is asked for, or of all, the cheapest first.
func (s *search) candidates(q *shape) (list []candidate) {
	auto := s.Template == "" || s.Template == "auto"
	for _, t := range templates {
		if !auto && t.name != s.Template {
			continue
		}
		for _, k := range t.sketch(q) {
			cost := k.area()
			if s.Depth {
				cost = k.depth()
			}
			list = append(list, candidate{t.name, cost, func(t *Try) (placing, error) { return s.try(k, t) }})
		}
	}
	if (auto || s.Template == dspTemplate) && s.multipliers(q) {
		cost := multiplier
		if s.Depth {
			cost = deepMultiplier
		}
		list = append(list, candidate{dspTemplate, cost, s.tryMultiplier})
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.cost - b.cost })
	return list
}

// failing is how many samples a candidate that is wrong may add.
const failing = 8

// try looks for words for the holes of one sketch.
func (s *search) try(k *Sketch, t *Try) (placing, error) {
	f := newFinder(k)
	for _, in := range s.first() {
		f.add(s.sample(in))
	}
	tried := s.trial()
	defer func() { t.Samples, t.Conflicts = len(f.samples), f.solver.Conflicts }()
	t.Status = Open
	for len(f.samples) < s.Samples {
		status, found := f.solve(s.ctx, s.Conflicts-f.solver.Conflicts)
		switch status {
		case sat.Unknown:
			return nil, nil
		case sat.Unsatisfiable:
			if s.open { // which the samples take for 0
				return nil, nil
			}
			if t.Refutation = s.refutation(f); t.Refutation != nil {
				t.Status = None
			}
			return nil, nil
		}
		t.Candidates++
		c := &solution{k, found}
		if wrong := tried.fails(c, failing); len(wrong) > 0 {
			for _, x := range wrong {
				f.add(x)
			}
			continue
		}
		r, err := s.check(0, func(b *builder) []flat.Bit { return b.add(c, make([]int, len(c.stages))) })
		if err != nil {
			return nil, err
		}
		switch r.Verdict {
		case circuits.Proved:
			t.Status = Found
			for i, h := range k.holes {
				t.Holes = append(t.Holes, Hole{h.name, len(h.bits), found[i]})
			}
			return func(b *builder) []flat.Bit { return b.add(c, stages(k, s.Latency, s.Depth)) }, nil
		case circuits.Unknown:
			return nil, nil
		}
		f.add(s.sample(s.refuting(r.Counterexample, 0)))
	}
	return nil, nil
}

// check compares a candidate of a latency with the specification, by its text.
func (s *search) check(latency int, place placing) (circuits.Result, error) {
	b := newBuilder(s.Arch, s.Name, s.inputs, []port{{s.report.Name, s.spec.Outputs[0].Width}})
	if latency > 0 {
		b.clock = b.clocked(s.Clock)
	}
	b.drive(s.report.Name, place(b))
	net, err := s.read(b.module.Verilog())
	if err != nil {
		return circuits.Result{}, fmt.Errorf("a candidate that cannot be read: %w", err)
	}
	return circuits.Check(s.ctx, circuits.Question{Before: s.spec, After: net, Latency: latency}, circuits.Options{Conflicts: s.Conflicts})
}

func (s *search) read(data string) (*bits.Design, error) {
	v, err := verilog.Parse(text.NewFile(s.Name+".v", data))
	if err != nil {
		return nil, err
	}
	net, err := netlist.Elaborate(v, netlist.Options{Arch: s.Arch})
	if err != nil {
		return nil, err
	}
	return net.Design(s.Spec.Builder), nil
}

// sample is what the specification says of inputs.
func (s *search) sample(in []*big.Int) sample {
	return sample{in, s.values(in, s.spec.Outputs[0].Word)}
}

// values is a word where inputs are so.
func (s *search) values(in []*big.Int, w *word.Word) *big.Int {
	at := map[string]*big.Int{}
	for i, p := range s.inputs {
		at[p.name] = in[i]
	}
	leaf := func(w *word.Word) *big.Int {
		if v := at[w.Name]; v != nil && w.Op == word.Input {
			return v
		}
		return new(big.Int)
	}
	return word.Eval(leaf, w)[w]
}

// refuting is what a counterexample has for the inputs.
func (s *search) refuting(c *circuits.Counterexample, latency int) (in []*big.Int) {
	for _, p := range s.inputs {
		i := slices.IndexFunc(c.Inputs, func(t circuits.Stream) bool { return t.Name == p.name })
		in = append(in, c.Inputs[i].Values[c.Cycle-latency])
	}
	return in
}

// first are samples to begin with, of those that the assumptions allow: small ones, that are easy, and a few others.
func (s *search) first() (list [][]*big.Int) {
	draw := rand.New(rand.NewPCG(1, 2))
	fill := func(f func(i, width int) *big.Int) {
		in := make([]*big.Int, len(s.inputs))
		for i, p := range s.inputs {
			in[i] = f(i, p.width)
		}
		if s.allowed(in) {
			list = append(list, in)
		}
	}
	fill(func(int, int) *big.Int { return new(big.Int) })
	fill(func(int, int) *big.Int { return big.NewInt(1) })
	for range 2 {
		fill(func(_, width int) *big.Int {
			v := new(big.Int)
			for bit := range width {
				v.SetBit(v, bit, uint(draw.IntN(2)))
			}
			return v
		})
	}
	return list
}

// trial has samples that random ones are not: inputs that are equal but for a bit or two, small ones, and such with all bits set.
func (s *search) trial() *trial {
	draw := rand.New(rand.NewPCG(5, 6))
	random := func(width int) *big.Int {
		v := new(big.Int)
		for bit := range width {
			v.SetBit(v, bit, uint(draw.IntN(2)))
		}
		return v
	}
	var list []sample
	var widths []int
	for _, p := range s.inputs {
		widths = append(widths, p.width)
	}
	if len(widths) == 0 {
		return &trial{}
	}
	widest := slices.Max(widths)
	for i := range 512 {
		like, at := random(widest), draw.IntN(widest)
		in := make([]*big.Int, len(s.inputs))
		for k, w := range widths {
			var v *big.Int
			switch kind := i % 8; {
			case i < 256 || kind < 3: // zeros but for a few places, the same of all inputs
				v = word.Mod(new(big.Int).Lsh(big.NewInt(int64(draw.IntN(8))), uint(at)), w)
			case kind < 4:
				v = random(w)
			case kind < 7: // like the others
				v = word.Mod(like, w)
				if draw.IntN(2) == 0 {
					at := draw.IntN(w)
					v.SetBit(v, at, v.Bit(at)^1)
				}
			default:
				if v = word.Mod(big.NewInt(int64(draw.IntN(4))), w); draw.IntN(3) == 0 {
					v = word.Mod(new(big.Int).Not(v), w)
				}
			}
			in[k] = v
		}
		if s.allowed(in) {
			list = append(list, s.sample(in))
		}
	}
	return newTrial(list, widths, s.spec.Outputs[0].Width)
}

// refutation is the proof that the samples leave nothing.
func (s *search) refutation(f *finder) *Refutation {
	lemmas := f.refutation(s.ctx, 10*s.Conflicts)
	if lemmas == nil {
		return nil
	}
	r := &Refutation{Lemmas: lemmas, Sketch: f.sketch.text("sketch")}
	for _, x := range f.samples {
		row := make([]*big.Int, len(s.Spec.Inputs))
		for i, p := range s.Spec.Inputs { // what the output does not depend on is 0
			row[i] = new(big.Int)
			if k := slices.IndexFunc(s.inputs, func(q port) bool { return q.name == p.Name }); k >= 0 {
				row[i] = x.in[k]
			}
		}
		r.Samples = append(r.Samples, row)
	}
	return r
}

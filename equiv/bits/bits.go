// Package bits decides whether a netlist computes what a specification over bit-vectors says, for all inputs and every cycle.
//
//	bits.go         the question, the answer, the engines in order
//	ports.go        which ports of one design are those of the other
//	normal.go       words of one value as one word, as far as rings go
//	lower.go        words as gates, by the formulas that certificates are written in
//	cut.go          products that both sides have, taken for inputs
//	exhaust.go      all assignments, where there are few inputs
//	hard.go         what sweeping leaves open: words as polynomials, and the rest by sweeping for longer
//	smallest.go     of the inputs that show a difference the smallest
//	certificate.go  the text of a certificate
//	machine.go      designs whose registers may reach themselves, as a system of which an invariant is looked for
//	bounded.go      their first cycles: the first at which outputs differ
//	refine.go       values for what the first text leaves open
//	wordrun.go      a run of a design, in words
//	aig, sat, sweep the graph, the solver, and what compares two circuits in one graph
//	cnf             the solver for questions that are not proofs
//	induct          invariants of two machines
//	algebra         words of one graph as polynomials: products made of adders
//
// A netlist whose registers do not reach themselves is unrolled: then an output is a function of inputs of this cycle and of those before,
// and one generic cycle stands for all that come late enough. Words are lowered as the texts have them, not simplified: a checker that
// reads the texts by itself finds the gates of a certificate among its own.
package bits

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/algebra"
	"tv/equiv/bits/induct"
	"tv/equiv/bits/sweep"
	"tv/internal/source"
	"tv/semantics/bits"
	"tv/semantics/bits/word"
)

// A Verdict is what was found.
type Verdict int

// The verdicts.
const (
	Unknown Verdict = iota
	Proved
	Refuted
)

// String is the word of reports.
func (v Verdict) String() string { return [...]string{"unknown", "proved", "refuted"}[v] }

// The engines that decide, by their names in reports.
const (
	Simulation = "simulation"  // all inputs were tried
	NormalForm = "normal-form" // the same polynomials and fields
	Sweep      = "sweep"       // equal from the inputs on, with lemmas
	Algebra    = "algebra"     // nothing is left of the difference of words as polynomials
	Induction  = "induction"   // an invariant of both machines
)

// A Question is whether After computes at every cycle what Before says of the inputs Latency cycles ago. Both designs are of one
// word.Builder. The latency that Before has itself does not count; that of After does, as if it had so many registers more.
type Question struct {
	Before, After *bits.Design
	Latency       int
}

// Options bound the work. The zero value is the default.
type Options struct {
	Conflicts int64 // of the solver, all in all; 0: 2,000,000
}

// A Result is an answer.
type Result struct {
	Verdict        Verdict
	Reason         string // of Unknown: resources, incomplete, unsupported, interrupted
	Detail         string
	Engine         string
	Assume         []string // assumptions, as they are written
	Warnings       []*source.Error
	Trusts         []string
	Counterexample *Counterexample    // of Refuted
	Lemmas         *sweep.Certificate // of Proved by Sweep and Algebra, and where they were found of NormalForm
	Words          *algebra.Proof     // of Proved by Algebra: the outputs that Lemmas are not about
	Conflicts      int64
	Legal          []string // of Proved: instances whose configuration was shown to be one that there is, in every cycle
	Early          int      // of Proved: how many cycles were decided from initial values, one by one
	Machine        bool     // both were run from initial values, which registers of Before have, too
	machine        *invariant
	cycles         *cycles // of Proved, where Early is not 0
	unchecked      bool    // of Simulation: there were more inputs than the checker tries
}

// A Counterexample is a run of Cycle+1 cycles, from 0: at cycle Cycle outputs differ.
type Counterexample struct {
	Cycle    int
	Inputs   []Stream
	Open     []Opened     // what After leaves open
	Chosen   []Opened     // what Before leaves open, in one run: with all others outputs differ, too, at this cycle or before
	Outputs  []Difference // those that differ, in Before's order
	Smallest bool         // no other has fewer ones, nor as many and smaller numbers
}

// A Stream is an input at each cycle. What nothing reads is 0.
type Stream struct {
	bits.Port
	Values []*big.Int
}

// An Opened is a value of what a text leaves open: that of a register at cycle -1, and that of a place at the others.
type Opened struct {
	Name  string
	Width int
	Cycle int
	Value *big.Int
}

// A Difference is an output with both values.
type Difference struct {
	bits.Port
	Before, After *big.Int
}

// circuit is a question as gates.
type circuit struct {
	Question
	graph         *aig.Graph
	lowering      *lowering    // of words to graph
	depth         int          // how many cycles After looks back
	cycle         int          // the generic cycle: signals of delay d are inputs at cycle-d
	before, after []*word.Word // outputs at that cycle, over inputs alone
	assume        []*word.Word // at all cycles that count
	gates         sweep.Question
	from          []int // the output of each pair of bits of gates
}

// formConflicts bounds the search for a certificate of what is proved already, and that with products taken for inputs.
const formConflicts = 2000

// maxForms bounds the words that are brought to normal forms: of more, gates are compared at once.
const maxForms = 20_000

// Check answers a question. Errors are those of ports that do not fit, and of assumptions that nothing satisfies.
func Check(ctx context.Context, q Question, o Options) (Result, error) {
	return check(ctx, q, o, fewInputs)
}

// check tries all inputs where these have at most few bits.
func check(ctx context.Context, q Question, o Options, few int) (Result, error) {
	if o.Conflicts == 0 {
		o.Conflicts = 2_000_000
	}
	r := Result{}
	warnings, err := match(q)
	r.Warnings = append(append(warnings, q.Before.Warnings...), q.After.Warnings...)
	if err != nil {
		return r, err
	}
	for _, a := range q.Before.Assume {
		r.Assume = append(r.Assume, a.Text)
	}
	for _, t := range slices.Concat(q.Before.Trusts, q.After.Trusts) {
		if !slices.Contains(r.Trusts, t) {
			r.Trusts = append(r.Trusts, t)
		}
	}
	c := newCircuit(q)
	if c == nil {
		m, reason := newMachine(q)
		if m == nil {
			r.Reason, r.Detail = "unsupported", reason
			return r, nil
		}
		err := m.decide(ctx, o, &r)
		return r, err
	}
	// The generic cycle is one from depth on. Those before it see initial values, each in its own way; the first that is wrong is told.
	r.Verdict = Proved
	proof := &cycles{latency: q.Latency}
	for t := q.Latency; t < c.depth && r.Verdict == Proved; t++ {
		early := c.at(t)
		if early == nil { // of values that may be anything
			m, reason := newMachine(q)
			if m == nil {
				r.Verdict, r.Reason, r.Detail = Unknown, "unsupported", reason
				return r, nil
			}
			err := m.decide(ctx, o, &r)
			return r, err
		}
		if err := early.decide(ctx, o, few, &r); err != nil {
			return r, err
		}
		proof.early = append(proof.early, r.body())
		r.Lemmas, r.Words, r.unchecked = nil, nil, false
	}
	if r.Verdict != Proved {
		return r, nil
	}
	if err := c.decide(ctx, o, few, &r); err != nil || r.Verdict != Proved || c.depth <= q.Latency {
		return r, err
	}
	proof.later = r.body()
	r.cycles, r.Early = proof, c.depth-q.Latency
	r.Lemmas, r.Words, r.unchecked = nil, nil, false
	if m, _ := newMachine(q); m != nil { // for a certificate
		m.build(chosen{})
		if found := m.prove(ctx, Options{Conflicts: formConflicts}, &r); found.Verdict == induct.Different {
			panic("bits: cycles by themselves and a machine disagree")
		}
	}
	return r, nil
}

// decide answers whether the sides of a circuit are equal.
func (c *circuit) decide(ctx context.Context, o Options, few int, r *Result) error {
	var found []bool
	verdict := sweep.Unknown
	// Assumptions are for the others: of them it would have to be known that some input satisfies them.
	if same := len(c.assume) == 0 && c.sameForms(); !c.lower() {
		if !same {
			r.Verdict, r.Reason, r.Detail = Unknown, "resources", fmt.Sprintf("more than %d gates", maxGates)
			return nil
		}
		r.Engine, verdict = NormalForm, sweep.Equal
	} else if len(c.graph.Signals()) <= few {
		r.Engine = Simulation
		verdict, found = c.exhaust()
	} else if found = c.glance(); found != nil {
		r.Engine, verdict = Sweep, sweep.Different
	} else if r.Lemmas = c.cut(ctx, sweep.Options{Conflicts: formConflicts, Inner: 200}); r.Lemmas != nil {
		if r.Engine, verdict = Sweep, sweep.Equal; same {
			r.Engine = NormalForm
		}
	} else if same {
		r.Engine, verdict = NormalForm, sweep.Equal
		// The certificate is one of gates. Where these are hard to compare the proof stays without.
		s := sweep.Check(ctx, c.gates, sweep.Options{Conflicts: formConflicts, Inner: 20})
		if s.Verdict == sweep.Different {
			panic("bits: normal forms and gates disagree")
		}
		r.Lemmas = s.Certificate
	} else {
		s, words := c.sweep(ctx, o.Conflicts)
		r.swept(c, s, words)
		verdict, found = s.Verdict, s.Inputs
	}
	switch verdict {
	case sweep.Empty:
		r.Verdict = Unknown
		return source.Errorf(c.Before.Assume[0].Span, "empty-domain", "no input satisfies the assumptions")
	case sweep.Different:
		in, least := c.smallest(ctx, found, o.Conflicts)
		r.Verdict, r.Lemmas, r.Words = Refuted, nil, nil
		r.Counterexample = c.counterexample(in)
		r.Counterexample.Smallest = least
	case sweep.Equal:
		r.Verdict = Proved
	default:
		r.Verdict, r.Reason, r.Detail = Unknown, "resources", fmt.Sprintf("%d conflicts of the solver", r.Conflicts)
		if ctx.Err() != nil {
			r.Reason, r.Detail = "interrupted", ""
		}
	}
	return nil
}

// swept takes over what sweeping found.
func (r *Result) swept(c *circuit, s sweep.Result, words *algebra.Proof) {
	r.Engine = Sweep
	if words != nil {
		r.Engine, r.Words = Algebra, words
	} else if s.Verdict == sweep.Equal && s.Certificate == nil {
		r.Engine = Simulation
		r.unchecked = len(c.graph.Signals()) > checkedInputs
	}
	r.Lemmas, r.Conflicts = s.Certificate, s.Conflicts
}

// at is the question about cycle t alone, which sees initial values; nil where some of these may be anything.
func (c *circuit) at(t int) *circuit {
	if c.After.Latency > 0 {
		return nil
	}
	b := c.Before.Builder
	after, ok := c.After.AtCycle(b, t)
	if !ok {
		return nil
	}
	out := &circuit{Question: c.Question, graph: aig.New(), depth: c.depth, cycle: t, before: c.before}
	for _, o := range c.Before.Outputs {
		i := slices.IndexFunc(c.After.Outputs, func(p bits.Output) bool { return p.Name == o.Name })
		out.after = append(out.after, after[i])
	}
	for delay := range t + 1 {
		for _, a := range c.Before.Assume {
			out.assume = append(out.assume, c.Before.Delayed(b, a.Word, delay))
		}
	}
	return out
}

// newCircuit unrolls both designs and lowers them. It is nil where they have to be taken for machines.
func newCircuit(q Question) *circuit {
	if len(q.Before.Registers) > 0 || len(q.Before.Forbid)+len(q.After.Forbid) > 0 {
		return nil
	}
	b := q.Before.Builder
	var after []*word.Word
	depth, ok := q.After.Depth()
	if !ok { // what is constant may not select that
		after, depth, ok = q.After.Unrolled(b, q.After.Latency)
	}
	if !ok {
		return nil
	}
	c := &circuit{Question: q, graph: aig.New(), depth: depth + q.After.Latency, cycle: max(depth+q.After.Latency, q.Latency)}
	for _, o := range q.Before.Outputs {
		i := slices.IndexFunc(q.After.Outputs, func(p bits.Output) bool { return p.Name == o.Name })
		c.before = append(c.before, q.Before.Delayed(b, o.Word, q.Latency))
		if after != nil {
			c.after = append(c.after, after[i])
		} else {
			c.after = append(c.after, q.After.Delayed(b, q.After.Outputs[i].Word, q.After.Latency))
		}
	}
	for delay := range c.cycle + 1 {
		for _, a := range q.Before.Assume {
			c.assume = append(c.assume, q.Before.Delayed(b, a.Word, delay))
		}
	}
	if opens(word.Reach(slices.Concat(c.before, c.after, c.assume)...)) != nil {
		return nil
	}
	return c
}

// lower makes gates of the words; it is false where they would be too many.
func (c *circuit) lower() bool {
	if tooLarge(slices.Concat(c.before, c.after, c.assume)...) {
		return false
	}
	l := newLowering(c.graph)
	c.lowering = l
	c.gates.Graph = c.graph
	for i := range c.before {
		x, y := l.word(c.before[i]), l.word(c.after[i])
		for bit := range x {
			c.gates.Before, c.gates.After = append(c.gates.Before, x[bit]), append(c.gates.After, y[bit])
			c.from = append(c.from, i)
		}
	}
	for _, a := range c.assume {
		c.gates.Assume = append(c.gates.Assume, l.word(a)[0])
	}
	return true
}

// sameForms tells whether all outputs have one normal form with what they are compared with, where words are not too many to look.
func (c *circuit) sameForms() bool {
	if len(word.Reach(slices.Concat(c.before, c.after)...)) > maxForms {
		return false
	}
	n := newNormalizer(c.Before.Builder)
	for i := range c.before {
		if n.normal(c.before[i]) != n.normal(c.after[i]) {
			return false
		}
	}
	return true
}

// counterexample is the run that an assignment of the graph's signals says. Its values are computed from the words, not the gates: it
// panics where the two disagree.
func (c *circuit) counterexample(in []bool) *Counterexample {
	type at struct {
		port  string
		delay int
	}
	values := map[at]*big.Int{}
	for i, s := range c.graph.Signals() {
		k := at{s.Port, s.Delay}
		if values[k] == nil {
			values[k] = new(big.Int)
		}
		if in[i] {
			values[k].SetBit(values[k], s.Bit, 1)
		}
	}
	value := func(port string, delay int) *big.Int {
		if v := values[at{port, delay}]; v != nil {
			return v
		}
		return new(big.Int)
	}
	out := &Counterexample{Cycle: c.cycle}
	for _, p := range c.Before.Inputs {
		s := Stream{Port: p}
		for cycle := range c.cycle + 1 {
			s.Values = append(s.Values, value(p.Name, c.cycle-cycle))
		}
		out.Inputs = append(out.Inputs, s)
	}
	of := word.Eval(func(w *word.Word) *big.Int { return value(w.Name, w.Delay) }, slices.Concat(c.before, c.after, c.assume)...)
	for i, o := range c.Before.Outputs {
		if x, y := of[c.before[i]], of[c.after[i]]; x.Cmp(y) != 0 {
			out.Outputs = append(out.Outputs, Difference{o.Port, x, y})
		}
	}
	holds := !slices.ContainsFunc(c.assume, func(w *word.Word) bool { return of[w].Sign() == 0 })
	if len(out.Outputs) == 0 || !holds {
		panic("bits: gates and words disagree about a counterexample")
	}
	return out
}

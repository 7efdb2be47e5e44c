package bits

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/induct"
	"tv/equiv/bits/sweep"
	"tv/internal/source"
	"tv/semantics/bits"
)

// Limits of the work on machines.
const (
	maxFrames     = 64      // of the search for clauses
	maxUnrolled   = 1 << 21 // gates of the first cycles
	machineEffort = 5000    // conflicts of the solver in search of the smallest inputs
)

// decide answers a question about machines.
func (m *machine) decide(ctx context.Context, o Options, r *Result) error {
	r.Engine = Induction
	if m.leavesOpen() {
		return m.decideOpen(ctx, o, r)
	}
	m.build(chosen{})
	found := induct.Result{}
	if f := m.newForward(ctx, o); f != nil {
		if found = m.prove(ctx, Options{Conflicts: forwardConflicts}, r); found.Verdict == induct.Unknown && f.early(ctx, o) {
			f.proved(r)
			return nil
		}
	}
	if found.Verdict == induct.Unknown {
		found = m.prove(ctx, o, r)
	}
	switch found.Verdict {
	case induct.Equal:
		return nil
	case induct.Different:
		return m.refute(ctx, o, r, m.history+found.Cycle, found.Run)
	case induct.Empty:
		return m.empty(r)
	}
	r.Verdict, r.Reason = Unknown, "incomplete"
	r.Detail = fmt.Sprintf("no difference in the first %d cycles, and no invariant", m.history+found.Reached)
	if ctx.Err() != nil {
		r.Reason, r.Detail = "interrupted", ""
	}
	return nil
}

// prove looks for an invariant.
func (m *machine) prove(ctx context.Context, o Options, r *Result) induct.Result {
	found := induct.Check(ctx, m.system, induct.Options{Conflicts: o.Conflicts, Inner: 200, Frames: maxFrames})
	r.Conflicts += found.Conflicts
	if found.Verdict == induct.Equal {
		r.Verdict, r.machine = Proved, &invariant{m, found}
		for _, f := range slices.Concat(m.Before.Forbid, m.After.Forbid) {
			if who, _, _ := strings.Cut(f.Text, ": "); !slices.Contains(r.Legal, who) {
				r.Legal = append(r.Legal, who)
			}
		}
	}
	return found
}

// empty is the error of assumptions that nothing satisfies.
func (m *machine) empty(r *Result) error {
	r.Verdict = Unknown
	return source.Errorf(m.Before.Assume[0].Span, "empty-domain", "no input satisfies the assumptions")
}

// A prefix is the first cycles of both machines as gates.
type prefix struct {
	*circuit
	pairs []pair
	legal []aig.Lit // nothing is forbidden
}

// cycleOf is that of a signal.
func (p *prefix) cycleOf(s aig.Signal) int { return p.cycle + 1 - s.Delay }

// prefix makes the cycles up to one, with all that is to be equal; nil where these would be too many gates.
func (m *machine) prefix(last int) *prefix {
	return m.prefixIn(aig.New(), last, func(aig.Signal) aig.Lit { panic("bits: a choice where none is left") })
}

// prefixIn is prefix in a graph, where what Before leaves open is what choose says.
func (m *machine) prefixIn(g *aig.Graph, last int, choose func(aig.Signal) aig.Lit) *prefix {
	if (last+1)*m.system.Graph.Gates() > maxUnrolled {
		return nil
	}
	p := &prefix{circuit: &circuit{Question: m.Question, graph: g, cycle: last}}
	u := m.unroll(p.graph, last+1, last+1, choose)
	p.pairs = u.pairs
	p.gates.Graph, p.gates.Assume = p.graph, append(u.assume, u.about...)
	for _, x := range p.pairs {
		p.gates.Before, p.gates.After = append(p.gates.Before, x.before), append(p.gates.After, x.after)
		if x.forbidden != nil {
			p.legal = append(p.legal, x.before.Not())
		}
	}
	return p
}

// outputs leaves what is to be equal at the last cycle, where nothing is forbidden.
func (p *prefix) outputs() {
	p.gates.Before, p.gates.After = nil, nil
	p.gates.Assume = append(p.gates.Assume, p.legal...)
	for _, x := range p.pairs {
		if x.cycle == p.cycle && x.forbidden == nil {
			p.gates.Before, p.gates.After = append(p.gates.Before, x.before), append(p.gates.After, x.after)
		}
	}
}

// A trace is a run: the signals that are true, their Delay being the cycle; initial values have 0.
type trace map[aig.Signal]bool

// traceOf is a run of the system.
func (m *machine) traceOf(run *induct.Run) trace {
	t := trace{}
	initial := func(s aig.Signal) bool { return s.Kind == aig.After || s.Kind == aig.Choice && s.Delay == 0 }
	for s := range run.Start {
		if !initial(s) {
			s.Delay = m.history - s.Delay
		}
		t[s] = true
	}
	for c, in := range run.Cycles {
		for s := range in {
			s.Delay = m.history + c
			t[s] = true
		}
	}
	return t
}

// trace is an assignment as a run.
func (p *prefix) trace(in []bool) trace {
	t := trace{}
	for i, s := range p.graph.Signals() {
		if s.Delay > 0 {
			s.Delay = p.cycleOf(s)
		}
		if in[i] {
			t[s] = true
		}
	}
	return t
}

// assignment is a run as an assignment.
func (p *prefix) assignment(t trace) []bool {
	in := make([]bool, len(p.graph.Signals()))
	for i, s := range p.graph.Signals() {
		if s.Delay > 0 {
			s.Delay = p.cycleOf(s)
		}
		in[i] = t[s]
	}
	return in
}

// refute finds the first cycle at which outputs differ, up to one by which they do, and the smallest inputs, as far as that is not too much
// work: the run that is known serves else.
func (m *machine) refute(ctx context.Context, o Options, r *Result, last int, run *induct.Run) error {
	var known trace
	cycle := last // of known
	if run != nil {
		known = m.traceOf(run)
	}
	exact := false
	ask := func(p *prefix) sweep.Result {
		s := sweep.Check(ctx, p.gates, sweep.Options{Conflicts: min(o.Conflicts, machineEffort), Inner: 50})
		r.Conflicts += s.Conflicts
		return s
	}
	for try := last; try >= 0 && !exact; {
		p := m.prefix(try)
		if p == nil {
			break
		}
		s := ask(p)
		if s.Verdict == sweep.Equal {
			exact = true
		}
		if s.Verdict != sweep.Different {
			break
		}
		cycle, known = p.pairs[s.Output].cycle, p.trace(s.Inputs)
		try = cycle - 1
		exact = try < m.latency && len(m.Before.Forbid)+len(m.After.Forbid) == 0
	}
	if known == nil {
		r.Verdict, r.Reason, r.Detail = Unknown, "resources", fmt.Sprintf("a difference by cycle %d, which took too much work to find", last)
		return nil
	}
	least := false
	if found := m.prefix(cycle); found != nil {
		found.outputs()
		values := found.values(found.assignment(known))
		differ := found.differ(values)
		if !differ {
			s := ask(found)
			if differ = s.Verdict == sweep.Different; !differ {
				return m.illegal(found, values, known, r)
			}
			known = found.trace(s.Inputs)
		}
		var in []bool
		in, least = found.smallest(ctx, found.assignment(known), min(o.Conflicts, machineEffort))
		known = found.trace(in)
	}
	r.Verdict, r.Counterexample = Refuted, m.counterexample(known, cycle)
	r.Counterexample.Smallest = least && exact
	return nil
}

// values are those of all nodes.
func (p *prefix) values(in []bool) []uint64 {
	values, words := make([]uint64, p.graph.Len()), make([]uint64, len(in))
	for i, b := range in {
		if b {
			words[i] = 1
		}
	}
	p.graph.Simulate(words, values)
	return values
}

// differ tells whether outputs do, and what is assumed holds.
func (p *prefix) differ(values []uint64) bool {
	for _, l := range p.gates.Assume {
		if l.Value(values)&1 == 0 {
			return false
		}
	}
	for i, l := range p.gates.Before {
		if (l.Value(values)^p.gates.After[i].Value(values))&1 != 0 {
			return true
		}
	}
	return false
}

// illegal is the error of a run that comes to what a design forbids.
func (m *machine) illegal(p *prefix, values []uint64, known trace, r *Result) error {
	r.Verdict = Unknown
	for _, x := range p.pairs {
		if x.forbidden != nil && x.cycle == p.cycle && x.before.Value(values)&1 != 0 {
			var run []string
			for _, s := range m.streams(known, p.cycle) {
				var of []string
				for _, v := range s.Values {
					of = append(of, "0x"+v.Text(16))
				}
				run = append(run, s.Name+" = "+strings.Join(of, ", "))
			}
			return source.Errorf(x.forbidden.Span, "illegal-configuration", "%s, at cycle %d of a run with %s", x.forbidden.Text, p.cycle, strings.Join(run, "; "))
		}
	}
	r.Reason, r.Detail = "resources", fmt.Sprintf("a difference at cycle %d that was not found again", p.cycle)
	return nil
}

// streams are inputs by cycles.
func (m *machine) streams(t trace, last int) (out []Stream) {
	for _, port := range m.Before.Inputs {
		s := Stream{Port: port}
		for cycle := range last + 1 {
			v := new(big.Int)
			for bit := range port.Width {
				if t[aig.Signal{Port: port.Name, Bit: bit, Delay: cycle}] {
					v.SetBit(v, bit, 1)
				}
			}
			s.Values = append(s.Values, v)
		}
		out = append(out, s)
	}
	return out
}

// opened are the values of what a design leaves open: of registers that start as anything, and of places.
func opened(t trace, start, later aig.Kind, registers []*bits.Register, places []place, last int) (out []Opened) {
	read := func(kind aig.Kind, name string, width, cycle, delay int) {
		v := new(big.Int)
		for bit := range width {
			if t[aig.Signal{Kind: kind, Port: name, Bit: bit, Delay: delay}] {
				v.SetBit(v, bit, 1)
			}
		}
		out = append(out, Opened{name, width, cycle, v})
	}
	for _, r := range registers {
		if startsFree(r) {
			read(start, r.Name, r.Width, -1, 0)
		}
	}
	for cycle := range last + 1 {
		for _, p := range places {
			read(later, p.name, p.width, cycle, cycle)
		}
	}
	return out
}

// chose answers with what was opened, and else 0.
func chose(list []Opened) func(name string, cycle int) *big.Int {
	return func(name string, cycle int) *big.Int {
		for _, o := range list {
			if o.Name == name && o.Cycle == cycle {
				return o.Value
			}
		}
		return new(big.Int)
	}
}

// counterexample is a run to a cycle at which outputs differ. Its values are computed from the words, not the gates: it panics where the
// two disagree.
func (m *machine) counterexample(t trace, cycle int) *Counterexample {
	words, _ := reads(m.After)
	out := &Counterexample{Cycle: cycle, Inputs: m.streams(t, cycle), Open: opened(t, aig.After, aig.Open, m.after, opens(words), cycle)}
	if m.leavesOpen() {
		out.Chosen = opened(t, aig.Choice, aig.Choice, m.before, m.open, cycle)
	}
	before, holds := m.run(m.Before, cycle-m.latency, cycle, out.Inputs, chose(out.Chosen))
	after, _ := m.run(m.After, cycle, cycle, out.Inputs, chose(out.Open))
	for _, o := range m.Before.Outputs {
		if x, y := before[o.Name], after[o.Name]; x.Cmp(y) != 0 {
			out.Outputs = append(out.Outputs, Difference{o.Port, x, y})
		}
	}
	if len(out.Outputs) == 0 || !holds {
		panic("bits: gates and words disagree about a run")
	}
	return out
}

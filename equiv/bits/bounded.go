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
)

// Limits of the work on machines.
const (
	maxFrames     = 64      // of the search for clauses
	maxUnrolled   = 1 << 21 // gates of the first cycles
	machineEffort = 20_000  // conflicts of the solver in search of the smallest inputs
)

// decide answers a question about machines.
func (m *machine) decide(ctx context.Context, o Options, r *Result) error {
	r.Engine = Induction
	if m.leavesOpen() {
		return m.decideOpen(ctx, o, r)
	}
	m.build(chosen{})
	found := m.prove(ctx, o, r)
	switch found.Verdict {
	case induct.Equal:
		return nil
	case induct.Different:
		return m.refute(ctx, o, r, m.history+found.Cycle)
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
		r.Verdict, r.machine = Proved, &invariant{m.history, m.places, m.initials, found}
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

// moved are inputs of one prefix as those of another.
func (p *prefix) moved(in []bool, from *prefix) []bool {
	out := make([]bool, len(p.graph.Signals()))
	at := map[aig.Signal]bool{}
	for i, s := range from.graph.Signals() {
		if s.Delay > 0 { // initial values have none
			s.Delay += p.cycle - from.cycle
		}
		at[s] = in[i]
	}
	for i, s := range p.graph.Signals() {
		out[i] = at[s]
	}
	return out
}

// refute finds the first cycle at which outputs differ, up to one by which they do, and the smallest inputs.
func (m *machine) refute(ctx context.Context, o Options, r *Result, last int) error {
	var found *prefix
	var inputs []bool
	exact := false
	for cycle := last; cycle >= 0 && !exact; {
		p := m.prefix(cycle)
		if p == nil {
			break
		}
		s := sweep.Check(ctx, p.gates, sweep.Options{Conflicts: o.Conflicts, Inner: 200})
		r.Conflicts += s.Conflicts
		if s.Verdict == sweep.Equal {
			exact = true
		}
		if s.Verdict != sweep.Different {
			break
		}
		found = m.prefix(p.pairs[s.Output].cycle)
		inputs = found.moved(s.Inputs, p)
		cycle = found.cycle - 1
		exact = cycle < m.latency && len(m.Before.Forbid)+len(m.After.Forbid) == 0
	}
	if found == nil {
		r.Verdict, r.Reason, r.Detail = Unknown, "resources", fmt.Sprintf("a difference by cycle %d, of which the first cycles are too many gates", last)
		return nil
	}
	found.outputs()
	s := sweep.Check(ctx, found.gates, sweep.Options{Conflicts: o.Conflicts, Inner: 200})
	r.Conflicts += s.Conflicts
	if s.Verdict != sweep.Different {
		return m.illegal(found, inputs, r)
	}
	inputs, least := found.smallest(ctx, s.Inputs, min(o.Conflicts, machineEffort))
	r.Verdict, r.Counterexample = Refuted, m.counterexample(found, inputs)
	r.Counterexample.Smallest = least && exact
	return nil
}

// illegal is the error of a run that comes to what a design forbids.
func (m *machine) illegal(p *prefix, in []bool, r *Result) error {
	values, words := make([]uint64, p.graph.Len()), make([]uint64, len(in))
	for i, b := range in {
		if b {
			words[i] = 1
		}
	}
	p.graph.Simulate(words, values)
	r.Verdict = Unknown
	for _, x := range p.pairs {
		if x.forbidden != nil && x.cycle == p.cycle && x.before.Value(values)&1 != 0 {
			var run []string
			for _, s := range m.streams(p, in) {
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
func (m *machine) streams(p *prefix, in []bool) (out []Stream) {
	for _, port := range m.Before.Inputs {
		s := Stream{Port: port}
		for range p.cycle + 1 {
			s.Values = append(s.Values, new(big.Int))
		}
		for i, x := range p.graph.Signals() {
			if x.Kind == aig.Port && x.Port == port.Name && in[i] {
				v := s.Values[p.cycleOf(x)]
				v.SetBit(v, x.Bit, 1)
			}
		}
		out = append(out, s)
	}
	return out
}

// opened are the values of what is left open: initial ones are of one kind, those of cycles of another, or of the same with a delay.
func (m *machine) opened(p *prefix, in []bool, start, later aig.Kind) (out []Opened) {
	for i, x := range p.graph.Signals() {
		cycle := -1
		switch {
		case x.Kind == start && x.Delay == 0:
		case x.Kind == later:
			cycle = p.cycleOf(x)
		default:
			continue
		}
		k := slices.IndexFunc(out, func(o Opened) bool { return o.Name == x.Port && o.Cycle == cycle })
		if k < 0 {
			k = len(out)
			out = append(out, Opened{x.Port, cycle, new(big.Int)})
		}
		if in[i] {
			out[k].Value.SetBit(out[k].Value, x.Bit, 1)
		}
	}
	slices.SortFunc(out, func(a, b Opened) int {
		if a.Cycle != b.Cycle {
			return a.Cycle - b.Cycle
		}
		return strings.Compare(a.Name, b.Name)
	})
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

// counterexample is the run that an assignment says. Its values are computed from the words, not the gates: it panics where the two
// disagree.
func (m *machine) counterexample(p *prefix, in []bool) *Counterexample {
	out := &Counterexample{Cycle: p.cycle, Inputs: m.streams(p, in), Open: m.opened(p, in, aig.After, aig.Open)}
	if m.leavesOpen() {
		out.Chosen = m.opened(p, in, aig.Choice, aig.Choice)
	}
	before, holds := m.run(m.Before, p.cycle-m.latency, p.cycle, out.Inputs, chose(out.Chosen))
	after, _ := m.run(m.After, p.cycle, p.cycle, out.Inputs, chose(out.Open))
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

package bits

import (
	"context"
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sweep"
	"tv/semantics/bits"
	"tv/semantics/bits/word"
)

// Machines whose registers do not reach themselves need no invariant: late enough their outputs are words over inputs alone, and the cycles before
// that are few. So products and the like are compared as those of circuits are, where an invariant would ask a solver about them.

// forwardConflicts bounds the search for an invariant where there is another way.
const forwardConflicts = 1000

// forward is what is known of a machine both sides of which look back some cycles only.
type forward struct {
	*machine
	cycles int // from which on outputs are of inputs alone
	engine string
	proof  *cycles
}

// newForward compares the generic cycle; nil where there is none, or where it was not shown to be equal.
func (m *machine) newForward(ctx context.Context, o Options) *forward {
	before, ok := m.Before.Depth()
	after, also := m.After.Depth()
	about := slices.ContainsFunc(m.Before.Assume, func(a bits.Assumption) bool { return stateful(a.Word) })
	if !ok || !also || about || m.After.Latency > 0 || len(m.open)+len(m.Before.Forbid)+len(m.After.Forbid) > 0 {
		return nil
	}
	f := &forward{m, max(before+m.latency, after), "", &cycles{latency: m.latency}}
	b := m.Before.Builder
	c := &circuit{Question: m.Question, graph: aig.New(), depth: f.cycles, cycle: f.cycles}
	for _, out := range m.Before.Outputs {
		c.before = append(c.before, m.Before.Delayed(b, out.Word, m.latency))
		c.after = append(c.after, m.After.Delayed(b, m.output(out.Name), 0))
	}
	for delay := range f.cycles + 1 {
		for _, a := range m.Before.Assume {
			c.assume = append(c.assume, m.Before.Delayed(b, a.Word, delay))
		}
	}
	if opens(word.Reach(slices.Concat(c.before, c.after, c.assume)...)) != nil {
		return nil
	}
	var r Result
	o.Conflicts = min(o.Conflicts, openEffort)
	if err := c.decide(ctx, o, fewInputs, &r); err != nil || r.Verdict != Proved {
		return nil
	}
	f.engine, f.proof.later = r.Engine, r.body()
	return f
}

// early tells whether outputs are shown to be equal in the cycles before the generic one, where initial values are what was chosen.
func (f *forward) early(ctx context.Context, o Options) bool {
	for t := f.latency; t < f.cycles; t++ {
		p := f.prefixIn(aig.New(), t, nil)
		if p == nil {
			return false
		}
		c := &circuit{Question: f.Question, graph: aig.New(), cycle: t, before: make([]*word.Word, len(f.Before.Outputs))}
		c.gates.Graph = c.graph
		// The prefix has inputs of this cycle one cycle ago.
		copied := aig.NewCopier(p.graph, c.graph, func(s aig.Signal) aig.Lit {
			s.Delay = max(s.Delay-1, 0)
			return c.graph.Input(s)
		})
		for _, x := range p.pairs {
			if x.cycle == t {
				c.gates.Before, c.gates.After = append(c.gates.Before, copied.Lit(x.before)), append(c.gates.After, copied.Lit(x.after))
				c.from = append(c.from, x.output)
			}
		}
		if c.gates.Assume = copied.Lits(p.gates.Assume); len(c.gates.Assume) > 0 {
			c.assume = make([]*word.Word, 1) // words need be equal for some inputs only
		}
		r := Result{Engine: Simulation}
		if len(c.graph.Signals()) <= fewInputs {
			if verdict, _ := c.exhaust(); verdict != sweep.Equal {
				return false
			}
		} else {
			s, words := c.sweep(ctx, min(o.Conflicts, openEffort))
			if s.Verdict != sweep.Equal {
				return false
			}
			r.swept(c, s, words)
		}
		r.Verdict = Proved
		f.proof.early = append(f.proof.early, r.body())
	}
	return true
}

// proved says so.
func (f *forward) proved(r *Result) {
	r.Verdict, r.Engine, r.Early = Proved, f.engine, f.cycles-f.latency
	r.Machine = true
	f.proof.choose(f.machine)
	r.cycles, r.Lemmas, r.Words, r.machine = f.proof, nil, nil, nil
}

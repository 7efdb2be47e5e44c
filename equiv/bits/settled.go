package bits

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/cnf"
	"tv/equiv/bits/sat"
	"tv/semantics/bits"
	"tv/semantics/bits/word"
)

// Bits that Before leaves open are as a rule gone after some cycles: a reset is active, or what was there at first has been pushed out. Then a
// run of After is refuted, however many they are, by a bit of an output that has one value whatever they are. As hardware simulators have it,
// a bit is known to be 0, known to be 1, or neither, and so is what gates make of such bits.

// Limits of the search for runs whose outputs are settled.
const (
	soonCycles    = 8      // that are looked at before choices are tried
	soonEffort    = 2000   // conflicts of the solver
	settledCycles = 64     // that are looked at after that
	settledEffort = 50_000 // likewise
)

// A rail says of a bit whether it is known to be 1, or known to be 0, whatever is left open.
type rail struct{ one, zero aig.Lit }

// rails are those of nodes up to a number, where choices are not known.
func rails(g *aig.Graph, nodes int) []rail {
	out := make([]rail, nodes)
	signals := g.Signals()
	open := make([]bool, nodes) // whether a choice is below a node
	of := func(l aig.Lit) rail {
		r := out[l.Node()]
		if l.Negated() {
			return rail{r.zero, r.one}
		}
		return r
	}
	for n := range nodes {
		l := aig.Lit(2 * n)
		a, b, gate := g.Gate(n)
		if at, signal := g.InputOf(n); signal {
			open[n] = signals[at].Kind == aig.Choice
		} else if gate {
			open[n] = open[a.Node()] || open[b.Node()]
		}
		switch {
		case !open[n]:
			out[n] = rail{l, l.Not()}
		case gate:
			x, y := of(a), of(b)
			out[n] = rail{g.And(x.one, y.one), g.Or(x.zero, y.zero)}
		default:
			out[n] = rail{aig.False, aig.False}
		}
	}
	return out
}

// settled is the question of whether a run, up to a cycle, has outputs that differ in bits that are settled, at that cycle or at any; nil where that
// has too many gates.
func (m *machine) settled(last int, any bool) *prefix {
	g := aig.New()
	p := m.prefixIn(g, last, g.Input)
	if p == nil || len(p.legal) > 0 {
		return nil
	}
	known, differ := rails(g, g.Len()), aig.False
	for _, x := range p.pairs {
		if !any && x.cycle != last {
			continue
		}
		r := known[x.before.Node()]
		if x.before.Negated() {
			r.one, r.zero = r.zero, r.one
		}
		differ = g.Or(differ, g.Or(g.And(r.one, x.after.Not()), g.And(r.zero, x.after)))
	}
	p.gates.Before, p.gates.After = []aig.Lit{differ}, []aig.Lit{aig.False}
	return p
}

// found is an assignment that makes outputs of such a question differ.
func (p *prefix) found(ctx context.Context, effort int64) ([]bool, sat.Status) {
	differ := p.gates.Before[0]
	if differ == aig.False {
		return nil, sat.Unsatisfiable
	}
	if in := p.lucky(); in != nil {
		return in, sat.Satisfiable
	}
	e := cnf.New(p.graph)
	for _, l := range append(slices.Clone(p.gates.Assume), differ) {
		e.Add(e.Lit(l))
	}
	status := e.Solve(ctx, nil, effort)
	if status != sat.Satisfiable {
		return nil, status
	}
	in := make([]bool, len(p.graph.Signals()))
	for i, s := range p.graph.Signals() {
		in[i] = s.Kind != aig.Choice && e.Value(p.graph.Input(s))
	}
	return in, status
}

// lucky tries runs that look random and are the same each time. In most of them an input of one bit is rarely at one of its levels after the first
// cycle: so resets let machines run, and what enables them holds for a while.
func (p *prefix) lucky() []bool {
	draw := rand.New(rand.NewPCG(1, 2))
	t := p.newTrial()
	signals := p.graph.Signals()
	in := make([]uint64, len(signals))
	for range min(luckyRuns, 1+luckyWork/p.graph.Len()) {
		rare := map[string]int{}
		for i, s := range signals {
			in[i] = 0
			if s.Kind == aig.Choice {
				continue
			}
			in[i] = draw.Uint64()
			if s.Kind != aig.Port || s.Delay == p.cycle+1 {
				continue
			}
			n, ok := rare[s.Port]
			if !ok {
				if n = draw.IntN(9) - 4; p.width(s.Port) > 1 {
					n = 0
				}
				rare[s.Port] = n
			}
			for range max(n, -n) {
				in[i] &= draw.Uint64()
			}
			if n < 0 {
				in[i] = ^in[i]
			}
		}
		if _, different := t.run(in); different != 0 {
			return lane(in, different)
		}
	}
	return nil
}

// Limits of what is tried by luck: batches of 64 runs, and gates that are simulated.
const (
	luckyRuns = 64
	luckyWork = 1 << 25
)

// width is that of an input of Before.
func (c *circuit) width(port string) int {
	for _, p := range c.Before.Inputs {
		if p.Name == port {
			return p.Width
		}
	}
	return 0
}

// refuteSettled looks for a run, up to a cycle, whose outputs differ in bits that are settled, and makes it small.
func (m *machine) refuteSettled(ctx context.Context, last int, effort int64) (*Counterexample, sat.Status) {
	p := m.settled(last, true)
	if p == nil {
		return nil, sat.Unknown
	}
	in, status := p.found(ctx, effort)
	if status != sat.Satisfiable {
		return nil, status
	}
	// the first cycle of this run, or of another that is found soon
	run := p.trace(in)
	for cycle := m.latency; cycle <= last; cycle++ {
		p = m.settled(cycle, false)
		in = p.assignment(run)
		if !p.differ(p.values(in)) {
			effort := int64(soonEffort)
			if cycle > m.latency+soonCycles {
				effort = 0
			}
			if in, status = p.found(ctx, effort); status != sat.Satisfiable {
				continue
			}
		}
		in, _ = p.smallest(ctx, in, machineEffort)
		for i, s := range p.graph.Signals() {
			in[i] = in[i] && s.Kind != aig.Choice
		}
		return m.counterexample(p.trace(in), cycle), sat.Satisfiable
	}
	return nil, sat.Unknown
}

// Settled are the outputs of a design at a cycle of a run on inputs by cycles, where all that it leaves open may be anything: known has the bits
// that have one value nevertheless, and values has it.
func Settled(d *bits.Design, cycle int, inputs map[string][]*big.Int) (values, known map[string]*big.Int) {
	g := aig.New()
	words, registers := reads(d)
	var next []*word.Word
	for _, r := range registers {
		next = append(next, r.Next)
	}
	if tooLarge(append(words, next...)...) {
		return nil, nil
	}
	state := map[string]aig.Word{}
	for _, r := range registers {
		for i := range r.Width {
			var l aig.Lit
			if free(r, i) {
				l = g.Input(cell(aig.Choice, r, i))
			} else {
				l = aig.Bool(r.Initial.Bit(i) != 0)
			}
			state[r.Name] = append(state[r.Name], l)
		}
	}
	values, known = map[string]*big.Int{}, map[string]*big.Int{}
	for c := 0; g.Gates() < maxUnrolled; c++ {
		l := newLowering(g)
		l.delay, l.state = cycle-c, state
		l.open = func(s aig.Signal) aig.Lit {
			s.Kind = aig.Choice
			return g.Input(s)
		}
		l.input = func(w *word.Word) aig.Word {
			out := make(aig.Word, w.Width)
			for i := range out {
				out[i] = aig.False
				if c < len(inputs[w.Name]) && inputs[w.Name][c].Bit(i) == 1 {
					out[i] = aig.True
				}
			}
			return out
		}
		if c < cycle {
			state = side{l, d, registers}.stepped()
			continue
		}
		for _, o := range d.Outputs {
			v, k := new(big.Int), new(big.Int)
			for i, x := range l.word(o.Word) {
				if x == aig.False || x == aig.True {
					k.SetBit(k, i, 1)
					v.SetBit(v, i, uint(x))
				}
			}
			values[o.Name], known[o.Name] = v, k
		}
		return values, known
	}
	return nil, nil
}

package induct

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/cnf"
	"tv/equiv/bits/sat"
)

// A run is of at most so many cycles, and fewer in large graphs.
const (
	longest  = 1024
	shortest = 24
	work     = 1 << 25 // nodes that are computed
	kept     = 64      // cycles of runs that questions begin with
	draws    = 6       // of inputs for a cycle, in search of some that satisfy the assumptions
)

// words are 64 values of each signal of a graph.
type words = []uint64

// drawn are inputs of one port: how each lane draws them.
type drawn struct {
	signals []int
	mode    [64]uint8
	held    [64]uint64 // seeds of what some lanes keep
}

// A runner draws assignments of the signals of a graph that are not set already.
type runner struct {
	graph  *aig.Graph
	assume []aig.Lit
	ports  []*drawn
	random *rand.Rand
	pool   [][]bool // assignments that satisfy the assumptions
}

// newRunner draws those signals of which free says so.
func newRunner(g *aig.Graph, assume []aig.Lit, r *rand.Rand, free func(i int) bool) *runner {
	out := &runner{graph: g, assume: assume, random: r}
	type port struct {
		kind  aig.Kind
		name  string
		delay int
	}
	at := map[port]*drawn{}
	for i, s := range g.Signals() {
		if !free(i) {
			continue
		}
		k := port{s.Kind, s.Port, s.Delay}
		if at[k] == nil {
			at[k] = &drawn{}
			out.ports = append(out.ports, at[k])
			for lane := range 64 {
				at[k].mode[lane] = uint8(r.IntN(6))
				at[k].held[lane] = r.Uint64()
			}
		}
		at[k].signals = append(at[k].signals, i)
	}
	return out
}

// draw sets the signals in the lanes of a mask.
func (r *runner) draw(in words, lanes uint64, uniform bool) {
	for _, p := range r.ports {
		for m := lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			mode := p.mode[lane]
			if uniform {
				mode = 0
			}
			a, b := r.random.Uint64(), r.random.Uint64()
			for i, s := range p.signals {
				if i > 0 && i%64 == 0 {
					a, b = r.random.Uint64(), r.random.Uint64()
				}
				var v uint64
				switch mode {
				case 0: // anything
					v = a >> (i % 64)
				case 1, 2: // all bits alike, and mostly so
					v = uint64(mode - 1)
					if i%64 == int(b>>58) && a>>60 == 0 {
						v ^= 1
					}
				case 3: // few ones
					v = a >> (i % 64) & (b >> (i % 64))
				case 4: // always the same
					v = p.held[lane] >> (i % 64)
				case 5: // all bits 0, or all of them 1
					v = a
				}
				in[s] = in[s]&^(1<<lane) | v&1<<lane
			}
		}
	}
}

// satisfy draws until the assumptions hold, and tells in which lanes they do. values are those of all nodes then.
func (r *runner) satisfy(p *prover, in, values words, lanes uint64) (live uint64) {
	r.draw(in, lanes, false)
	for try := range draws {
		r.graph.Simulate(in, values)
		live = lanes
		for _, l := range r.assume {
			live &= l.Value(values)
		}
		if live == lanes || len(r.ports) == 0 {
			return live
		}
		if try == draws/2 && len(r.pool) == 0 {
			r.solve(p)
		}
		for m := lanes &^ live; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			if try < draws/2 || len(r.pool) == 0 {
				r.draw(in, 1<<lane, true)
				continue
			}
			from := r.pool[r.random.IntN(len(r.pool))]
			for _, p := range r.ports {
				for _, s := range p.signals {
					in[s] &^= 1 << lane
					if from[s] {
						in[s] |= 1 << lane
					}
				}
			}
		}
	}
	r.graph.Simulate(in, values)
	live = lanes
	for _, l := range r.assume {
		live &= l.Value(values)
	}
	return live
}

// solve has the solver find assignments that satisfy the assumptions: they are the same for all states, as far as assumptions are about
// inputs alone.
func (r *runner) solve(p *prover) {
	e := cnf.New(r.graph)
	must := e.Lits(r.assume...)
	for range 8 {
		if e.Solve(p.ctx, must, p.Inner*10) != sat.Satisfiable {
			return
		}
		a := make([]bool, len(r.graph.Signals()))
		var other []sat.Lit
		for i, s := range r.graph.Signals() {
			l := r.graph.Input(s)
			a[i] = e.Value(l)
			other = append(other, e.Lit(l.NotIf(a[i])))
		}
		r.pool = append(r.pool, a)
		e.Add(other...)
	}
}

// begin sets the state to first ones, and tells in which lanes these are some.
func (p *prover) begin(state words) (live uint64) {
	in, values := make(words, len(p.Start.Signals())), make(words, p.Start.Len())
	p.began = in
	live = p.start.satisfy(p, in, values, ^uint64(0))
	for i, l := range p.Initial {
		state[i] = l.Value(values)
	}
	for i, l := range p.First {
		if (l.Value(values)^p.Second[i].Value(values))&live != 0 {
			p.early = true
		}
	}
	return live
}

// simulate runs from the start. It returns a cycle at which outputs differ, or -1.
func (p *prover) simulate() int {
	state := make(words, len(p.State))
	live := p.begin(state)
	if p.early || live == 0 {
		return -1
	}
	n := p.Graph.Len()
	cycles := min(longest, max(shortest, work/n))
	in, values := make(words, len(p.Graph.Signals())), make(words, n)
	p.hash, p.phase = make([]uint64, n), make([]bool, n)
	every := max(1, cycles/kept)
	var past []words
	for cycle := range cycles {
		p.load(in, state)
		if live = p.inputs.satisfy(p, in, values, live); live == 0 {
			break
		}
		for i, l := range p.Before {
			if d := (l.Value(values) ^ p.After[i].Value(values)) & live; d != 0 {
				p.tell(append(past, slices.Clone(in)), bits.TrailingZeros64(d))
				return cycle
			}
		}
		for k, w := range values {
			if cycle == 0 {
				p.phase[k] = w>>bits.TrailingZeros64(live)&1 != 0
			}
			if p.phase[k] {
				w = ^w
			}
			p.hash[k] = (p.hash[k]^w&live)*0x9e3779b97f4a7c15 ^ p.hash[k]>>29
		}
		past = append(past, slices.Clone(in))
		if cycle < 8 || cycle%every == 0 {
			p.keep(in, live)
		}
		for i, b := range p.State {
			state[i] = b.Next.Value(values)
		}
	}
	return -1
}

// tell keeps the run of a lane.
func (p *prover) tell(cycles []words, lane int) {
	read := func(g *aig.Graph, in words, which func(i int) bool) map[aig.Signal]bool {
		out := map[aig.Signal]bool{}
		for i, s := range g.Signals() {
			if which(i) && in[i]>>lane&1 != 0 {
				out[s] = true
			}
		}
		return out
	}
	p.told = &Run{Start: read(p.Start, p.began, func(int) bool { return true })}
	for _, in := range cycles {
		p.told.Cycles = append(p.told.Cycles, read(p.Graph, in, func(i int) bool { return !slices.Contains(p.signal, i) }))
	}
}

// load puts a state among the signals.
func (p *prover) load(in, state words) {
	for i, at := range p.signal {
		in[at] = state[i]
	}
}

// keep remembers an assignment of which only some lanes are one: the others become like one of these.
func (p *prover) keep(in words, live uint64) {
	copied := slices.Clone(in)
	one := bits.TrailingZeros64(live)
	for i, w := range copied {
		copied[i] = w&live | -(w>>one&1)&^live
	}
	p.runs = append(p.runs, copied)
}

// drawRun returns an assignment of the signals that a run had: those of the start first.
func (p *prover) drawRun() func() []uint64 {
	next := 0
	return func() []uint64 {
		out := p.runs[next%len(p.runs)]
		if next++; next > 4 {
			next += p.random.IntN(5)
		}
		for len(out) < len(p.Graph.Signals()) { // signals that came later
			out = append(out, 0)
		}
		return out
	}
}

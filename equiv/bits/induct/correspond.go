package induct

import (
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sweep"
)

// A class has nodes that had equal values, or complements, in all states so far; in the order of the graph. One of them is a bit of the
// state, or constant.
type class []int

// classes are those of functions of the state, by what runs had.
func (p *prover) group() {
	at := map[uint64]int{}
	var all []class
	for n := range p.hash {
		if !p.stateful[n] {
			continue
		}
		k, ok := at[p.hash[n]]
		if !ok {
			k = len(all)
			at[p.hash[n]] = k
			all = append(all, nil)
		}
		all[k] = append(all[k], n)
	}
	p.classes = nil
	for _, c := range all {
		if len(c) > 1 {
			p.classes = append(p.classes, c)
		}
	}
}

// split has classes whose nodes differ in 64 states, as far as these count, fall apart.
func (p *prover) split(values words, live uint64) {
	var out []class
	for _, c := range p.classes {
		parts := map[uint64]int{}
		var of []class
		for _, n := range c {
			w := values[n]
			if p.phase[n] {
				w = ^w
			}
			k, ok := parts[w&live]
			if !ok {
				k = len(of)
				parts[w&live] = k
				of = append(of, nil)
			}
			of[k] = append(of[k], n)
		}
		for _, c := range of {
			if len(c) > 1 {
				out = append(out, c)
			}
		}
	}
	p.classes = out
}

// equal is that a node equals another one of its class.
func (p *prover) equal(n, m int) [2]aig.Lit {
	return [2]aig.Lit{aig.Lit(2 * n), aig.Lit(2 * m).NotIf(p.phase[n] != p.phase[m])}
}

// pairs are the equalities of all classes. A bit of the state that has a twin among them equals this; other nodes equal the first one, or,
// where that could not be decided, a later one. Without gates the classes have bits of the state alone, and one gate with them.
func (p *prover) pairs(gates bool) (out [][2]aig.Lit) {
	for _, c := range p.classes {
		var members []int // constants, bits, gates
		some := false
		for _, n := range c {
			if n == 0 || p.bit[n] {
				members = append(members, n)
			}
		}
		bits := len(members)
		for _, n := range c {
			if n != 0 && !p.bit[n] && (gates || bits > 0 && !some && members[0] != 0) {
				some = true
				members = append(members, n)
			}
		}
		for i, n := range members {
			if i == 0 && n == 0 {
				continue
			}
			if t := p.twin[n]; t != 0 && slices.Contains(c, t) {
				out = append(out, p.equal(n, t))
				continue
			}
			for _, m := range members[:i] {
				if p.avoid[[2]int{n, m}] {
					continue
				}
				if p.bit[m] && !p.bit[n] {
					out = append(out, p.equal(m, n))
				} else {
					out = append(out, p.equal(n, m))
				}
				break
			}
		}
	}
	return out
}

// correspond takes what does not hold of the next cycle out of the classes, until all does.
func (p *prover) correspond(gates bool) (pairs [][2]aig.Lit, ok bool) {
	based := false
	for {
		pairs = p.pairs(gates)
		if !based {
			again, ok := p.holdAtStart(pairs)
			if !ok {
				return nil, false
			}
			if based = !again; again {
				continue
			}
		}
		q := sweep.Question{Graph: p.Graph, Assume: p.Assume, Equal: pairs, Draw: p.drawRun(), All: true}
		for _, e := range pairs {
			q.Before, q.After = append(q.Before, p.next.Lit(e[0])), append(q.After, p.next.Lit(e[1]))
		}
		r := p.sweep(q)
		if r.Verdict == sweep.Equal {
			return pairs, true
		}
		if len(r.Failed)+len(r.Open) == 0 || p.conflicts > p.Conflicts || p.ctx.Err() != nil {
			return nil, false
		}
		p.passes++
		for i := 0; i < len(r.Failed); i += 64 {
			p.after(r.Failed[i:min(i+64, len(r.Failed))])
		}
		p.drop(pairs, r.Open)
	}
}

// easy is what a pair may cost at first, where gates that are no outputs are not compared: most machines have equal parts.
const easy = 50

// quickEffort is what the outputs may cost under the first few equalities.
const quickEffort = 5000

// sweep asks, and counts what that took.
func (p *prover) sweep(q sweep.Question) sweep.Result {
	r := sweep.Check(p.ctx, q, sweep.Options{Conflicts: max(0, p.Conflicts-p.conflicts), Pair: easy})
	p.conflicts += r.Conflicts
	left := max(0, p.Conflicts-p.conflicts)
	if p.quick {
		left = min(left, quickEffort)
	}
	if r.Verdict == sweep.Unknown && !(p.quick && q.All) && p.ctx.Err() == nil {
		r = sweep.Check(p.ctx, q, sweep.Options{Conflicts: left, Inner: p.Inner})
		p.conflicts += r.Conflicts
	}
	return r
}

// drop has pairs that were not decided be none, and nodes of many such be in no class.
func (p *prover) drop(pairs [][2]aig.Lit, open []int) {
	const most = 3
	gone := map[int]bool{}
	for _, i := range open {
		n, m := pairs[i][0].Node(), pairs[i][1].Node()
		p.avoid[[2]int{n, m}], p.avoid[[2]int{m, n}] = true, true
		p.undecided[n]++
		p.undecided[m]++
		if p.twin[n] == m {
			p.twin[n] = 0
		}
		for _, k := range []int{n, m} {
			if p.undecided[k] >= most && k != 0 && (p.undecided[k] >= p.undecided[n+m-k] || n+m == k) {
				gone[k] = true
			}
		}
	}
	if len(gone) == 0 {
		return
	}
	for i, c := range p.classes {
		p.classes[i] = slices.DeleteFunc(c, func(n int) bool { return gone[n] })
	}
	p.classes = slices.DeleteFunc(p.classes, func(c class) bool { return len(c) < 2 })
}

// holdAtStart tells whether pairs are equal in all first states. Where some are not, the classes fall apart.
func (p *prover) holdAtStart(pairs [][2]aig.Lit) (again, ok bool) {
	q := sweep.Question{Graph: p.Start, Assume: p.StartAssume, All: true}
	for _, e := range pairs {
		q.Before, q.After = append(q.Before, p.initial.Lit(e[0])), append(q.After, p.initial.Lit(e[1]))
	}
	r := p.sweep(q)
	if r.Verdict == sweep.Equal {
		return false, true
	}
	for _, f := range r.Failed {
		in, values := make(words, len(p.Start.Signals())), make(words, p.Start.Len())
		for i, b := range f.Inputs {
			if b {
				in[i] = 1
			}
		}
		p.Start.Simulate(in, values)
		state := make(words, len(p.State))
		for i, l := range p.Initial {
			state[i] = l.Value(values)
		}
		p.distinguish(state, 1)
	}
	p.drop(pairs, r.Open)
	return true, len(r.Failed)+len(r.Open) > 0 && p.ctx.Err() == nil
}

// after tells nodes apart by the states that follow those which show that pairs differ, under the inputs there and others.
func (p *prover) after(failed []sweep.Failure) {
	n := len(p.Graph.Signals())
	in := make(words, n)
	for lane := range 64 {
		f := failed[lane%len(failed)].Inputs
		for i := range n {
			if i < len(f) && f[i] {
				in[i] |= 1 << lane
			}
		}
	}
	if len(failed) < 64 {
		p.inputs.draw(in, ^uint64(0)<<len(failed), false)
	}
	values := make(words, p.Graph.Len())
	p.Graph.Simulate(in, values)
	live := ^uint64(0)
	for _, l := range p.Assume {
		live &= l.Value(values)
	}
	state := make(words, len(p.State))
	for i, b := range p.State {
		state[i] = b.Next.Value(values)
	}
	p.distinguish(state, live)
}

// distinguish splits the classes by states.
func (p *prover) distinguish(state words, live uint64) {
	in, values := make(words, len(p.Graph.Signals())), make(words, p.Graph.Len())
	p.load(in, state)
	p.Graph.Simulate(in, values)
	p.split(values, live)
}

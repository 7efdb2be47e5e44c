package induct

import (
	"slices"

	"tv/equiv/bits/aig"
)

// match tries an invariant of equalities between bits of the state that gates alone show: those of both sides that read equal bits are the same gates.
// That is what registers are which a tool has moved into cells. What holds for other reasons is left out: that the upper bits of a product are all its
// sign is true, and no one can show it bit by bit.
func (p *prover) match(classes []class) Result {
	p.classes = p.structural(classes)
	twins := slices.Clone(p.twin)
	p.quick = true
	defer func() {
		p.quick, p.twin = false, twins
		p.avoid, p.undecided = map[[2]int]bool{}, map[int]int{}
	}()
	pairs, ok := p.correspond(false)
	if !ok {
		return Result{}
	}
	return p.prove(pairs, nil)
}

// structural are the largest classes of bits of the state, and constants, whose next values are one literal, up to the phase, where each bit is
// replaced by the first of its class. A bit in none of them is in one with its twin, if it had its values.
func (p *prover) structural(classes []class) []class {
	state := map[aig.Signal]int{} // by signal: the bit
	for i, at := range p.signal {
		state[p.Graph.Signals()[at]] = i
	}
	bits := map[int]int{} // by node
	for i, b := range p.State {
		bits[b.Now.Node()] = i
	}
	var all []class
	for _, c := range classes {
		c = slices.DeleteFunc(slices.Clone(c), func(n int) bool { return n != 0 && !p.bit[n] })
		if len(c) > 1 {
			all = append(all, c)
		}
	}
	for count := -1; count != size(all); {
		count = size(all)
		first := map[int]int{}
		for _, c := range all {
			for _, n := range c {
				first[n] = c[0]
			}
		}
		g := aig.New()
		copied := aig.NewCopier(p.Graph, g, func(s aig.Signal) aig.Lit {
			i, ok := state[s]
			if !ok {
				return g.Input(s)
			}
			n := p.State[i].Now.Node()
			m, ok := first[n]
			switch {
			case !ok || m == n:
				return g.Input(s)
			case m == 0:
				return aig.False.NotIf(p.phase[n] != p.phase[0])
			}
			at, _ := p.Graph.InputOf(m)
			return g.Input(p.Graph.Signals()[at]).NotIf(p.phase[n] != p.phase[m])
		})
		var out []class
		for _, c := range all {
			var parts []class
			at := map[aig.Lit]int{}
			for _, n := range c {
				next := aig.False
				if n != 0 {
					next = copied.Lit(p.State[bits[n]].Next)
				}
				next = next.NotIf(p.phase[n])
				k, ok := at[next]
				if !ok {
					k = len(parts)
					at[next] = k
					parts = append(parts, nil)
				}
				parts[k] = append(parts[k], n)
			}
			for _, part := range parts {
				if len(part) > 1 {
					out = append(out, part)
				}
			}
		}
		all = out
	}
	met := map[int]bool{}
	for _, c := range all {
		for _, n := range c {
			met[n] = true
		}
	}
	for _, c := range classes {
		for _, n := range c {
			if t := p.twin[n]; p.bit[n] && !met[n] && t != 0 && slices.Contains(c, t) {
				all = append(all, class{min(n, t), max(n, t)})
			}
		}
	}
	return all
}

// size is the number of nodes of classes, less that of the classes: it falls whenever one falls apart.
func size(classes []class) (n int) {
	for _, c := range classes {
		n += len(c) - 1
	}
	return n
}

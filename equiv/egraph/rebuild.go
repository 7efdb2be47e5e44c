package egraph

import "tv/internal/mix"

// Rebuild makes classes equal that are congruent by the unions since the last time. An error says that the analysis gives
// different data for an operator of the same children; the graph is of no use then.
func (g *Graph[D]) Rebuild() error {
	var failed error
	for len(g.dirty) > 0 {
		list := g.dirty
		g.dirty = nil
		for _, p := range list {
			g.state[p] &^= isDirty
			if g.state[p]&alive == 0 {
				continue
			}
			g.takeNode(p)
			h := g.hashNode(g.ops[p], g.arguments(p))
			q, ok := g.findNode(h, g.ops[p], g.arguments(p))
			if !ok {
				g.putNode(p, h)
				continue
			}
			// the older of the two is the node
			if p < q {
				g.takeNode(q)
				g.putNode(p, h)
				g.state[q] &^= alive
			} else {
				g.state[p] &^= alive
			}
			g.nodes--
			if _, err := g.unite(p, q, link{}); err != nil && failed == nil {
				failed = err
			}
		}
	}
	if g.changed {
		g.changed, g.view = false, nil
	}
	return failed
}

func (g *Graph[D]) hashNode(op Op, children []Term) uint32 {
	h := mix.Word(0, uint64(op))
	for _, a := range children {
		h = mix.Word(h, uint64(g.Class(a)))
	}
	return uint32(h)
}

// findNode looks for a node with that operator and the classes of those arguments.
func (g *Graph[D]) findNode(h uint32, op Op, children []Term) (Term, bool) {
	if len(g.buckets) == 0 {
		return 0, false
	}
	for at := g.buckets[int(h)&(len(g.buckets)-1)]; at != 0; at = g.next[at-1] {
		if t := Term(at - 1); g.hash[t] == h && g.ops[t] == op && g.congruent(g.arguments(t), children) {
			return t, true
		}
	}
	return 0, false
}

func (g *Graph[D]) congruent(a, b []Term) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && g.Class(a[i]) != g.Class(b[i]) {
			return false
		}
	}
	return true
}

func (g *Graph[D]) putNode(t Term, h uint32) {
	if g.nodes >= len(g.buckets) {
		g.growNodes()
	}
	g.hash[t] = h
	b := &g.buckets[int(h)&(len(g.buckets)-1)]
	g.next[t], *b = *b, int32(t)+1
}

// takeNode takes a node out of its bucket.
func (g *Graph[D]) takeNode(t Term) {
	at := &g.buckets[int(g.hash[t])&(len(g.buckets)-1)]
	for *at != int32(t)+1 {
		at = &g.next[*at-1]
	}
	*at, g.next[t] = g.next[t], 0
}

func (g *Graph[D]) growNodes() {
	old := g.buckets
	g.buckets = make([]int32, max(16, 2*len(old)))
	mask := len(g.buckets) - 1
	for _, at := range old {
		for at != 0 {
			following := g.next[at-1]
			b := &g.buckets[int(g.hash[at-1])&mask]
			g.next[at-1], *b = *b, at
			at = following
		}
	}
}

package algebra

import (
	"cmp"
	"slices"

	"tv/equiv/bits/aig"
)

const (
	maxLeaves = 6  // a table is a machine word
	maxCuts   = 24 // of a node, beside itself
)

// leaves are the nodes of a cut, ascending.
type leaves struct {
	node [maxLeaves]int32
	n    int8
}

// A cut is a set of nodes that determine another one, with its table: bit m is the value where leaf i has bit i of m. A table of
// fewer leaves than maxLeaves repeats itself.
type cut struct {
	leaves leaves
	table  uint64
}

func (k *cut) nodes() []int {
	out := make([]int, k.leaves.n)
	for i := range out {
		out[i] = int(k.leaves.node[i])
	}
	return out
}

// cuts are those of all nodes of a proof.
type cuts struct {
	inputs, nodes int
	of            [][]cut             // of a node; not itself
	with          map[leaves][]tabled // the nodes that have a cut
}

// A tabled node has a cut with this table.
type tabled struct {
	node  int
	table uint64
}

// enumerate finds the cuts of gates: a union of one cut of each fanin. Small ones come first, since what adders have in common is
// small, and a cut that contains another one of the node is left out, as the node does not depend on the rest.
func enumerate(p *Proof) *cuts {
	c := &cuts{inputs: len(p.Inputs), nodes: 1 + len(p.Inputs) + len(p.Gates), with: map[leaves][]tabled{}}
	c.of = make([][]cut, c.nodes)
	for j, gate := range p.Gates {
		n := 1 + c.inputs + j
		a, b := c.reaching(gate[0]), c.reaching(gate[1])
		var found []cut
		for i := range a {
			for j := range b {
				if u, ok := union(&a[i].leaves, &b[j].leaves); ok {
					found = append(found, cut{u, stretch(&a[i], &u) & stretch(&b[j], &u)})
				}
			}
		}
		c.of[n] = smallest(found)
		for _, k := range c.of[n] {
			c.with[k.leaves] = append(c.with[k.leaves], tabled{n, k.table})
		}
	}
	return c
}

// reaching are the cuts of a literal, itself first.
func (c *cuts) reaching(l aig.Lit) []cut {
	flip := -uint64(l & 1)
	out := make([]cut, 0, 1+len(c.of[l.Node()]))
	out = append(out, cut{leaves{[maxLeaves]int32{int32(l.Node())}, 1}, column[0] ^ flip})
	for _, k := range c.of[l.Node()] {
		out = append(out, cut{k.leaves, k.table ^ flip})
	}
	return out
}

// smallest keeps the smallest cuts that contain no other one.
func smallest(found []cut) []cut {
	slices.SortFunc(found, func(a, b cut) int {
		return cmp.Or(cmp.Compare(a.leaves.n, b.leaves.n), slices.Compare(a.leaves.node[:], b.leaves.node[:]))
	})
	var kept []cut
	for _, k := range found {
		if len(kept) == maxCuts {
			break
		}
		if !slices.ContainsFunc(kept, func(small cut) bool { return within(&small.leaves, &k.leaves) }) {
			kept = append(kept, k)
		}
	}
	return kept
}

// within tells whether a is part of b.
func within(a, b *leaves) bool {
	i := int8(0)
	for j := int8(0); i < a.n && j < b.n; j++ {
		if a.node[i] == b.node[j] {
			i++
		}
	}
	return i == a.n
}

// union is false where there would be too many.
func union(a, b *leaves) (out leaves, ok bool) {
	for i, j := int8(0), int8(0); i < a.n || j < b.n; out.n++ {
		if out.n == maxLeaves {
			return out, false
		}
		switch {
		case j == b.n || i < a.n && a.node[i] < b.node[j]:
			out.node[out.n] = a.node[i]
			i++
		case i == a.n || b.node[j] < a.node[i]:
			out.node[out.n] = b.node[j]
			j++
		default:
			out.node[out.n] = a.node[i]
			i, j = i+1, j+1
		}
	}
	return out, true
}

// column[i] is the table of leaf i.
var column = [maxLeaves]uint64{0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000}

// stretch is the table of k over more leaves. From the last leaf of k on, each is moved up to where it stands in to: that is a table that
// does not depend on the places between.
func stretch(k *cut, to *leaves) uint64 {
	table := k.table
	at := to.n - 1
	for i := k.leaves.n - 1; i >= 0; i-- {
		for to.node[at] != k.leaves.node[i] {
			at--
		}
		for place := i; place < at; place++ {
			table = swapped(table, int(place))
		}
		at--
	}
	return table
}

// swapped exchanges leaf i with leaf i+1.
func swapped(table uint64, i int) uint64 {
	by := uint(1) << i
	up := column[i] &^ column[i+1] // leaf i alone is 1: goes up to where leaf i+1 alone is
	down := column[i+1] &^ column[i]
	return table&^(up|down) | table&up<<by | table&down>>by
}

package bits

import (
	"encoding/binary"
	"slices"
	"strings"
)

const (
	mostLeaves = 6 // a table is 64 values
	mostTerms  = 1 << 20
	mostMade   = 1 << 26
	mostCone   = 1 << 12 // gates between a node and its leaves
)

// A sum is a polynomial (laws C1 and C2 of doc/certificates.md) over the values of nodes of the checker's graph, modulo 2^width. The value of a node is 0 or 1, so a term is a set
// of nodes: four bytes each, ascending. The constant is the term without nodes.
type sum struct {
	g     *graph
	mask  uint64
	terms map[string]uint64
	in    map[lit]map[string]bool // the terms that a node is in
	made  int
}

// addWord adds k times the number that a word is.
func (s *sum) addWord(k uint64, w vec) {
	for i, l := range w {
		s.addLit(k<<i, nil, l)
	}
}

// addLit adds k times the product of nodes and a literal: that of a complement is 1 less the node.
func (s *sum) addLit(k uint64, nodes []lit, l lit) {
	if l&1 == 1 {
		s.add(k, nodes)
		l, k = l^1, -k
	}
	if l != no {
		s.add(k, append(slices.Clone(nodes), l))
	}
}

// add adds k times the product of nodes. A node times itself is itself.
func (s *sum) add(k uint64, nodes []lit) {
	s.made++
	need(s.made <= mostMade, "too many terms")
	nodes = slices.Clone(nodes)
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	var key []byte
	for _, n := range nodes {
		key = binary.BigEndian.AppendUint32(key, uint32(n))
	}
	term := string(key)
	if k = (s.terms[term] + k) & s.mask; k == 0 {
		delete(s.terms, term)
		for _, n := range nodes {
			delete(s.in[n], term)
		}
		return
	}
	s.terms[term] = k
	for _, n := range nodes {
		if s.in[n] == nil {
			s.in[n] = map[string]bool{}
		}
		s.in[n][term] = true
	}
}

// replace puts for a node what it is of leaves and a carry: node + 2·carry is a number that the leaves determine, and this number
// is a polynomial over them (law C2).
func (s *sum) replace(node, carry lit, leaves []lit) {
	values := make([]uint64, 1<<len(leaves))
	first, second := s.g.table(node, leaves), s.g.table(carry, leaves)
	for m := range values {
		values[m] = first>>m&1 + 2*(second>>m&1)
	}
	for i := range leaves { // what a set has beyond its subsets
		for m := range values {
			if m>>i&1 == 1 {
				values[m] -= values[m^1<<i]
			}
		}
	}
	old := make([]string, 0, len(s.in[node]))
	for term := range s.in[node] {
		old = append(old, term)
	}
	for _, term := range old {
		k := s.terms[term]
		var others, nodes []lit
		for i := 0; i < len(term); i += 4 {
			nodes = append(nodes, lit(binary.BigEndian.Uint32([]byte(term[i:]))))
		}
		for _, n := range nodes {
			if n != node {
				others = append(others, n)
			}
		}
		s.add(-k, nodes)
		for m, v := range values {
			if v == 0 {
				continue
			}
			product := slices.Clone(others)
			for i, l := range leaves {
				if m>>i&1 == 1 {
					product = append(product, l)
				}
			}
			s.add(k*v, product)
		}
		s.addLit(-(2 * k), others, carry)
	}
	need(len(s.terms) <= mostTerms, "too many terms")
}

// table has the values of a literal for all values of leaves, which determine it: leaf i is bit i of the place.
func (g *graph) table(l lit, leaves []lit) uint64 {
	known := map[lit]uint64{no: 0}
	for i, leaf := range leaves {
		var pattern uint64
		for m := range 64 {
			pattern |= uint64(m>>i&1) << m
		}
		known[leaf] = pattern
	}
	var of func(l lit) uint64
	of = func(l lit) uint64 {
		flip := -uint64(l & 1)
		v, ok := known[l&^1]
		if !ok {
			f := g.fanin[l>>1]
			need(f[1] != 0, "a node that the leaves do not determine")
			need(len(known) < mostCone, "a node far from its leaves")
			v = of(f[0]) & of(f[1])
			known[l&^1] = v
		}
		return v ^ flip
	}
	return of(l)
}

// node is one of the file's as a node of the checker's graph, which is not negated and no constant.
func (b *body) node(l uint32) lit {
	n := b.translated(l)
	need(n > yes && n&1 == 0, "literal %d is no node", l)
	return n
}

// words checks the part of a body of kind algebra that has polynomials, and returns the outputs that it shows to be equal: nothing
// is left of their difference, modulo 2^width, when nodes are replaced by what they are.
func (q *question) words(l *lines, before, after *circuit, latency int) map[string]bool {
	f := strings.Fields(l.next())
	need(len(f) == 2 && f[0] == "words", "no count of words")
	count := naturals(f[1], nil)[0]
	b := readNodes(q.g, l)
	shown := map[string]bool{}
	for range count {
		f := strings.Split(l.next(), " ")
		need(len(f) == 3 && f[0] == "word", "no word")
		is := func(p port) bool { return p.name == f[1] }
		need(slices.ContainsFunc(before.out, is) && !shown[f[1]], "no output %s", f[1])
		want, got := before.outputs(f[1], latency), after.outputs(f[1], after.late)
		need(len(want) == len(got) && len(want) <= 64, "the width of %s", f[1])
		s := &sum{g: q.g, mask: ^uint64(0) >> (64 - len(want)), terms: map[string]uint64{}, in: map[lit]map[string]bool{}}
		s.addWord(1, want)
		s.addWord(^uint64(0), got)
		for range naturals(f[2], nil)[0] {
			step, ok := strings.CutPrefix(l.next(), "s ")
			need(ok, "no step")
			n := naturals(step, nil)
			need(len(n) >= 3 && len(n) <= 2+mostLeaves, "a step of %d numbers", len(n))
			var leaves []lit
			for _, leaf := range n[2:] {
				leaves = append(leaves, b.node(leaf))
			}
			carry := no
			if n[1] != 0 {
				carry = b.node(n[1]&^1) ^ lit(n[1]&1)
			}
			s.replace(b.node(n[0]), carry, leaves)
		}
		need(len(s.terms) == 0, "%d terms of %s are left", len(s.terms), f[1])
		shown[f[1]] = true
	}
	return shown
}

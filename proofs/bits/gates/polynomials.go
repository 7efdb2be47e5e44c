package gates

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

// A sum is a polynomial (laws C1 and C2 of doc/certificates.md) over the values of nodes of the
// checker's graph, modulo 2^width. The value of a node is 0 or 1, so a term is a set of nodes: four
// bytes each, ascending. The constant is the term without nodes.
type sum struct {
	g     *Graph
	mask  uint64
	terms map[string]uint64
	in    map[Lit]map[string]bool // the terms that a node is in
	made  int
}

// addWord adds k times the number that a word is.
func (s *sum) addWord(k uint64, w Vec) {
	for i, l := range w {
		s.addLit(k<<i, nil, l)
	}
}

// addLit adds k times the product of nodes and a literal: that of a complement is 1 less the node.
func (s *sum) addLit(k uint64, nodes []Lit, l Lit) {
	if l&1 == 1 {
		s.add(k, nodes)
		l, k = l^1, -k
	}
	if l != No {
		s.add(k, append(slices.Clone(nodes), l))
	}
}

// add adds k times the product of nodes. A node times itself is itself.
func (s *sum) add(k uint64, nodes []Lit) {
	s.made++
	Need(s.made <= mostMade, "too many terms")
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

// replace puts for a node what it is of leaves and a carry: node + 2·carry is a number that the
// leaves determine, and this number is a polynomial over them (law C2).
func (s *sum) replace(node, carry Lit, leaves []Lit) {
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
		var others, nodes []Lit
		for i := 0; i < len(term); i += 4 {
			nodes = append(nodes, Lit(binary.BigEndian.Uint32([]byte(term[i:]))))
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
	Need(len(s.terms) <= mostTerms, "too many terms")
}

// table has the values of a literal for all values of leaves, which determine it: leaf i is bit i
// of the place.
func (g *Graph) table(l Lit, leaves []Lit) uint64 {
	known := map[Lit]uint64{No: 0}
	for i, leaf := range leaves {
		var pattern uint64
		for m := range 64 {
			pattern |= uint64(m>>i&1) << m
		}
		known[leaf] = pattern
	}
	var of func(l Lit) uint64
	of = func(l Lit) uint64 {
		flip := -uint64(l & 1)
		v, ok := known[l&^1]
		if !ok {
			f := g.fanin[l>>1]
			Need(f[1] != 0, "a node that the leaves do not determine")
			Need(len(known) < mostCone, "a node far from its leaves")
			v = of(f[0]) & of(f[1])
			known[l&^1] = v
		}
		return v ^ flip
	}
	return of(l)
}

// node is one of the file's as a node of the checker's graph, which is not negated and no constant.
func (b *Body) node(l uint32) Lit {
	n := b.Literal(l)
	Need(n > Yes && n&1 == 0, "literal %d is no node", l)
	return n
}

// Word checks the steps that show two words to be equal: nothing is left of their difference,
// modulo 2^width, when nodes are replaced by what they are.
func (b *Body) Word(l *Lines, steps int, want, got Vec) {
	Need(len(want) == len(got) && len(want) <= 64, "a word of %d bits", len(want))
	s := &sum{g: b.graph, mask: ^uint64(0) >> (64 - len(want)), terms: map[string]uint64{},
		in: map[Lit]map[string]bool{}}
	s.addWord(1, want)
	s.addWord(^uint64(0), got)
	for range steps {
		step, ok := strings.CutPrefix(l.Next(), "s ")
		Need(ok, "no step")
		n := naturals(step, nil)
		Need(len(n) >= 3 && len(n) <= 2+mostLeaves, "a step of %d numbers", len(n))
		var leaves []Lit
		for _, leaf := range n[2:] {
			leaves = append(leaves, b.node(leaf))
		}
		carry := No
		if n[1] != 0 {
			carry = b.node(n[1]&^1) ^ Lit(n[1]&1)
		}
		s.replace(b.node(n[0]), carry, leaves)
	}
	Need(len(s.terms) == 0, "%d terms of a word are left", len(s.terms))
}

package algebra

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"tv/equiv/bits/aig"
)

// A form is the polynomial over the leaves of a cut: the coefficient of the product of a set of leaves, by the set.
type form []int64

// newForm is the polynomial whose values are sum + 2·carry. The coefficient of a set is the sum over its subsets of the values there, with
// a minus for each leaf that is missing.
func newForm(sum, carry uint64, leaves int) form {
	f := make(form, 1<<leaves)
	for m := range f {
		f[m] = int64(sum>>m&1) + 2*int64(carry>>m&1)
	}
	for i := range leaves {
		for m := range f {
			if m>>i&1 == 1 {
				f[m] -= f[m^1<<i]
			}
		}
	}
	return f
}

// terms counts the coefficients that are not 0.
func (f form) terms() (n int) {
	for _, k := range f {
		if k != 0 {
			n++
		}
	}
	return n
}

// termsOf counts those that are not 0 once they are multiplied.
func (f form) termsOf(scale, mask uint64) (n int) {
	for _, k := range f {
		if uint64(k)*scale&mask != 0 {
			n++
		}
	}
	return n
}

// A polynomial has coefficients modulo 2^width. A term is a set of nodes; it is kept with its highest node, and its key are the others, four bytes
// each, from the highest down.
type polynomial struct {
	mask  uint64
	of    []map[string]uint64
	terms int
	made  int
}

func newPolynomial(nodes, width int) *polynomial {
	return &polynomial{mask: ^uint64(0) >> (64 - width), of: make([]map[string]uint64, nodes)}
}

// add adds a term. The constant is the term of node 0, of which nothing else is one.
func (p *polynomial) add(k uint64, nodes []int) {
	if k &= p.mask; k == 0 {
		return
	}
	p.made++
	highest, rest := 0, []int(nil)
	if len(nodes) > 0 {
		highest, rest = nodes[0], nodes[1:]
	}
	key := make([]byte, 0, 4*len(rest))
	for _, n := range rest {
		key = binary.BigEndian.AppendUint32(key, uint32(n))
	}
	m := p.of[highest]
	if m == nil {
		m = map[string]uint64{}
		p.of[highest] = m
	}
	old, there := m[string(key)]
	switch sum := (old + k) & p.mask; {
	case sum == 0:
		delete(m, string(key))
		p.terms--
	case !there:
		p.terms++
		m[string(key)] = sum
	default:
		m[string(key)] = sum
	}
}

// addLit adds the value of a literal k times.
func (p *polynomial) addLit(k uint64, l aig.Lit) {
	if l.Negated() {
		p.add(k, nil)
		k = -k
	}
	if l.Node() > 0 {
		p.add(k, []int{l.Node()})
	}
}

// twice tells whether the terms of carry are those of sum, doubled; with the other sign if negated.
func (p *polynomial) twice(carry, sum int, negated bool) bool {
	m := p.of[sum]
	if len(m) == 0 || len(p.of[carry]) > len(m) {
		return false
	}
	for rest, k := range m {
		if negated {
			k = -k
		}
		if 2*k&p.mask != p.of[carry][rest] {
			return false
		}
	}
	// What is doubled to 0 has no term: those that carry has were among those of sum.
	for rest := range p.of[carry] {
		if _, ok := m[rest]; !ok {
			return false
		}
	}
	return true
}

// scale has the trailing zeros that all terms of a node have.
func (p *polynomial) scale(n int) uint64 {
	zeros := 64
	for _, k := range p.of[n] {
		zeros = min(zeros, bits.TrailingZeros64(k))
	}
	return 1 << zeros
}

// replace puts form - 2·carry for the node. It is false where there are too many terms.
func (p *polynomial) replace(s choice) bool {
	old := p.of[s.sum]
	p.of[s.sum] = nil
	p.terms -= len(old)
	rests := make([]string, 0, len(old))
	for rest := range old {
		rests = append(rests, rest)
	}
	slices.Sort(rests) // so that what is too much is always the same
	for _, rest := range rests {
		k := old[rest]
		nodes := make([]int, 0, len(rest)/4+maxLeaves)
		for i := 0; i < len(rest); i += 4 {
			nodes = append(nodes, int(binary.BigEndian.Uint32([]byte(rest[i:]))))
		}
		for m, f := range s.form {
			if f != 0 {
				p.add(k*uint64(f), with(nodes, s.leaves, m))
			}
		}
		if s.carry != aig.False {
			if s.carry.Negated() {
				p.add(-(2 * k), nodes)
				k = -k
			}
			p.add(-(2 * k), with(nodes, []int{s.carry.Node()}, 1))
		}
	}
	return p.terms <= maxTerms && p.made <= maxWork
}

// with is the product of a term with leaves of the set m: a node times itself is itself.
func with(nodes, leaves []int, m int) []int {
	out := slices.Clone(nodes)
	for i, n := range leaves {
		if m>>i&1 == 1 && !slices.Contains(nodes, n) {
			out = append(out, n)
		}
	}
	return descending(out)
}

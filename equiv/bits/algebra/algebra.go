// Package algebra compares words of two circuits as polynomials: products made of adders, in which no two gates are equal, so that
// sweeping has nothing to merge.
//
//	algebra.go  the question, the proof, and the elimination of nodes from the outputs down
//	cuts.go     what few nodes a node depends on, and its table over them
//	poly.go     polynomials over the values of nodes, modulo 2^n
//
// The value of a node is 0 or 1, so polynomials are of degree one in each node. Two words of n bits are equal for all inputs iff
// the difference of their values, Σ 2^i·(y_i - z_i), is 0 modulo 2^n as a function of the inputs (law C1 of doc/certificates.md). Each node is replaced by what it is of nodes below
// it, from the outputs down. For one node alone that would grow without end: a parity of three has a term of degree three. But what an
// adder sends out, sum + 2·carry, is linear in what comes in, and so is the pair of any two nodes that count something. Such pairs are found by
// their tables over common cuts and not by their shape, so it does not matter what cells an adder is made of, whether it takes in
// the product of two bits, or which bits it has negated.
//
// Source: D. Kaufmann, A. Biere, M. Kauers, Verifying large multipliers by combining SAT and computer algebra, FMCAD 2019, has
// elimination by column and the vanishing of products; pairs by table are ours.
package algebra

import (
	"context"
	"fmt"
	"io"
	"slices"

	"tv/equiv/bits/aig"
)

// MaxWidth is how wide words may be: coefficients are machine words.
const MaxWidth = 64

const (
	maxTerms = 1 << 17 // of the polynomial at any time
	maxWork  = 1 << 25 // terms that are made
)

// A Step replaces a node: Sum = f - 2·Carry, where f is the polynomial over Leaves whose values are those of Sum + 2·Carry. Carry is False
// where Sum alone is replaced.
type Step struct {
	Sum, Carry aig.Lit // Sum is not negated
	Leaves     []int   // nodes, ascending
}

// A Proof shows that words are equal. It has node numbers of its own: inputs from 1, then gates in their order.
type Proof struct {
	Inputs []aig.Signal
	Gates  [][2]aig.Lit
	Words  []Word
}

// A Word is one pair of words of a proof, with the steps that leave nothing of their difference.
type Word struct {
	Name          string
	Before, After []aig.Lit // least bit first, as literals of the proof
	Steps         []Step
}

// Prove looks for a proof that words of g are equal, each pair by itself. It has those pairs for which that is little work, and is nil where
// there are none.
func Prove(ctx context.Context, g *aig.Graph, words []Word) *Proof {
	var roots []aig.Lit
	var tried []Word
	for _, w := range words {
		if len(w.Before) <= MaxWidth {
			roots = append(append(roots, w.Before...), w.After...)
			tried = append(tried, w)
		}
	}
	p, number := number(g, roots)
	cuts := enumerate(p)
	for _, w := range tried {
		w.Before, w.After = number(w.Before), number(w.After)
		if w.Steps = cuts.eliminate(ctx, w.Before, w.After); w.Steps != nil {
			p.Words = append(p.Words, w)
		}
	}
	if p.Words == nil {
		return nil
	}
	return p
}

// Has tells whether the proof is about a pair of words.
func (p *Proof) Has(name string) bool {
	return slices.ContainsFunc(p.Words, func(w Word) bool { return w.Name == name })
}

// number copies the cone of roots, inputs first: an input comes after gates where it was asked for late, and must not be
// eliminated. The function translates literals.
func number(g *aig.Graph, roots []aig.Lit) (*Proof, func([]aig.Lit) []aig.Lit) {
	p := &Proof{}
	cone := g.Cone(roots...)
	numbers := make([]aig.Lit, len(cone))
	for n, in := range cone {
		if i, ok := g.InputOf(n); ok && in {
			p.Inputs = append(p.Inputs, g.Signals()[i])
			numbers[n] = aig.Lit(2 * len(p.Inputs))
		}
	}
	lit := func(l aig.Lit) aig.Lit { return numbers[l.Node()].NotIf(l.Negated()) }
	for n, in := range cone {
		if a, b, ok := g.Gate(n); ok && in {
			p.Gates = append(p.Gates, [2]aig.Lit{lit(a), lit(b)})
			numbers[n] = aig.Lit(2 * (len(p.Inputs) + len(p.Gates)))
		}
	}
	return p, func(w []aig.Lit) []aig.Lit {
		out := make([]aig.Lit, len(w))
		for i, l := range w {
			out[i] = lit(l)
		}
		return out
	}
}

// eliminate replaces nodes from the highest down. It returns the steps, or nil where something is left or that would be too much work.
func (c *cuts) eliminate(ctx context.Context, before, after []aig.Lit) []Step {
	p := newPolynomial(c.nodes, len(before))
	for i := range before {
		p.addLit(1<<i, before[i])
		p.addLit(-(1 << i), after[i])
	}
	steps := []Step{}
	// What is put for a node is of lower ones, so the terms of a node are complete when it is reached. Inputs cannot be replaced.
	for n := c.nodes - 1; n > c.inputs; n-- {
		if len(p.of[n]) == 0 {
			continue
		}
		s, ok := c.pair(p, n)
		if !ok {
			s = c.alone(p, n)
		}
		steps = append(steps, s.step())
		if !p.replace(s) || ctx.Err() != nil {
			return nil
		}
	}
	if p.terms > 0 {
		return nil
	}
	return steps
}

// A choice is a step with its polynomial.
type choice struct {
	sum    int
	carry  aig.Lit
	leaves []int
	form   form
}

func (s *choice) step() Step { return Step{aig.Lit(2 * s.sum), s.carry, s.leaves} }

// pair finds the node that n counts with: one over the same cut whose terms are those of n, twice or by half, so that both go at once. Of
// several the one with the fewest terms is taken, then that with the fewest leaves.
func (c *cuts) pair(p *polynomial, n int) (best choice, ok bool) {
	better := func(s choice) bool {
		return !ok || s.form.terms() < best.form.terms() || s.form.terms() == best.form.terms() && len(s.leaves) < len(best.leaves)
	}
	for _, k := range c.of[n] {
		for _, other := range c.with[k.leaves] {
			if other.node == n {
				continue
			}
			for _, negated := range []bool{false, true} {
				// The larger coefficient is the carry's, and a carry that is negated has the other sign.
				s := choice{sum: other.node, carry: aig.Lit(2 * n).NotIf(negated), leaves: k.nodes()}
				sum, carry := other.table, k.table
				if !p.twice(n, other.node, negated) {
					if !p.twice(other.node, n, negated) {
						continue
					}
					s.sum, s.carry = n, aig.Lit(2*other.node).NotIf(negated)
					sum, carry = k.table, other.table
				}
				if negated {
					carry = ^carry
				}
				// A sum of n things has n terms, and a constant. What has more is no count.
				if s.form = newForm(sum, carry, len(s.leaves)); s.form.terms() <= len(s.leaves)+1 && better(s) {
					best, ok = s, true
				}
			}
		}
	}
	return best, ok
}

// alone replaces n by itself, over the cut that makes the fewest terms.
func (c *cuts) alone(p *polynomial, n int) (best choice) {
	scale := p.scale(n)
	least := 0
	for _, k := range c.of[n] {
		s := choice{sum: n, leaves: k.nodes(), form: newForm(k.table, 0, int(k.leaves.n))}
		if terms := s.form.termsOf(scale, p.mask); best.form == nil || terms < least || terms == least && len(s.leaves) < len(best.leaves) {
			best, least = s, terms
		}
	}
	return best
}

// WriteTo writes what a certificate has of the proof.
//
//	words W
//	nodes INPUTS GATES
//	i PORT BIT DELAY, or what other signals are written as
//	LITERAL LITERAL
//	word PORT STEPS
//	s SUM CARRY LEAF..
func (p *Proof) WriteTo(w io.Writer) (int64, error) {
	var out []byte
	out = fmt.Appendf(out, "words %d\nnodes %d %d\n", len(p.Words), len(p.Inputs), len(p.Gates))
	for _, s := range p.Inputs {
		out = fmt.Appendln(out, s)
	}
	for _, g := range p.Gates {
		out = fmt.Appendf(out, "%d %d\n", g[0], g[1])
	}
	for _, word := range p.Words {
		out = fmt.Appendf(out, "word %s %d\n", word.Name, len(word.Steps))
		for _, s := range word.Steps {
			out = fmt.Appendf(out, "s %d %d", s.Sum, s.Carry)
			for _, l := range s.Leaves {
				out = fmt.Appendf(out, " %d", 2*l)
			}
			out = append(out, '\n')
		}
	}
	n, err := w.Write(out)
	return int64(n), err
}

// descending orders nodes of a term.
func descending(nodes []int) []int {
	slices.SortFunc(nodes, func(a, b int) int { return b - a })
	return nodes
}

package bits

import (
	"context"
	"fmt"
	"slices"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
	"tv/equiv/bits/sweep"
	"tv/semantics/bits/word"
)

// hard are operations whose gates are much work to compare. Where both sides have the same word of one, its bits are taken for inputs: what
// is equal for all of these is equal for those that it has.
var hard = []word.Op{word.Mul, word.UDiv, word.URem, word.SDiv, word.SRem, word.SMod}

// common are the words of hard operations that both sides have.
func (c *circuit) common() (out []*word.Word) {
	left := map[*word.Word]bool{}
	for _, w := range word.Reach(c.before...) {
		left[w] = slices.Contains(hard, w.Op)
	}
	for _, w := range word.Reach(c.after...) {
		if left[w] {
			out = append(out, w)
		}
	}
	return out
}

// cut compares the sides with their common hard words taken for inputs, and returns lemmas about the gates of the whole. It is nil where
// there are no such words, or they do not suffice.
func (c *circuit) cut(ctx context.Context, o sweep.Options) *sweep.Certificate {
	words := c.common()
	// Of assumptions it has to be known that inputs satisfy them, not what stands for products.
	if len(words) == 0 || slices.ContainsFunc(word.Reach(c.assume...), func(w *word.Word) bool { return slices.Contains(hard, w.Op) }) {
		return nil
	}
	q := sweep.Question{Graph: aig.New()}
	l := newLowering(q.Graph)
	cuts := map[string]aig.Lit{} // by the name of an input of q what it is in c.graph
	for _, w := range words {
		bits := make(aig.Word, w.Width)
		for i, m := range c.lowering.word(w) {
			bits[i] = c.taken(q.Graph, m, cuts)
		}
		l.done.set(w, bits)
	}
	for i := range c.before {
		q.Before, q.After = append(q.Before, l.word(c.before[i])...), append(q.After, l.word(c.after[i])...)
	}
	for _, a := range c.assume {
		q.Assume = append(q.Assume, l.word(a)[0])
	}
	r := sweep.Check(ctx, q, o)
	if r.Verdict != sweep.Equal {
		return nil
	}
	return c.whole(r.Certificate, cuts)
}

// taken is a literal of c.graph as an input of g. One node is one input.
func (c *circuit) taken(g *aig.Graph, m aig.Lit, cuts map[string]aig.Lit) aig.Lit {
	if m == aig.False || m == aig.True {
		return m
	}
	s := aig.Signal{Port: fmt.Sprintf("\x00%d", m.Node())}
	if i, ok := c.graph.InputOf(m.Node()); ok {
		s = c.graph.Signals()[i]
	} else {
		cuts[s.Port] = aig.Lit(2 * m.Node())
	}
	return g.Input(s).NotIf(m.Negated())
}

// whole puts the gates of what was taken for inputs before those of a certificate.
func (c *circuit) whole(part *sweep.Certificate, cuts map[string]aig.Lit) *sweep.Certificate {
	var roots []aig.Lit
	for _, s := range part.Inputs {
		if m, ok := cuts[s.Port]; ok {
			roots = append(roots, m)
		}
	}
	out := &sweep.Certificate{}
	number := map[int]aig.Lit{} // of nodes of c.graph
	input := func(s aig.Signal) aig.Lit {
		n := c.graph.Input(s).Node()
		if _, ok := number[n]; !ok {
			out.Inputs = append(out.Inputs, s)
			number[n] = aig.Lit(2 * len(out.Inputs))
		}
		return number[n]
	}
	cone := c.graph.Cone(roots...)
	for n, in := range cone {
		if i, ok := c.graph.InputOf(n); ok && in {
			input(c.graph.Signals()[i])
		}
	}
	for _, s := range part.Inputs {
		if _, ok := cuts[s.Port]; !ok {
			input(s)
		}
	}
	add := func(a, b aig.Lit) aig.Lit {
		out.Gates = append(out.Gates, [2]aig.Lit{a, b})
		return aig.Lit(2 * (len(out.Inputs) + len(out.Gates)))
	}
	for n, in := range cone {
		if a, b, ok := c.graph.Gate(n); ok && in {
			number[n] = add(number[a.Node()].NotIf(a.Negated()), number[b.Node()].NotIf(b.Negated()))
		}
	}
	more := len(out.Gates)
	nodes := []aig.Lit{aig.False} // those of part
	for _, s := range part.Inputs {
		if m, ok := cuts[s.Port]; ok {
			nodes = append(nodes, number[m.Node()])
		} else {
			nodes = append(nodes, input(s))
		}
	}
	moved := func(l aig.Lit) aig.Lit { return nodes[l.Node()].NotIf(l.Negated()) }
	for _, g := range part.Gates {
		nodes = append(nodes, add(moved(g[0]), moved(g[1])))
	}
	for _, u := range part.Units {
		out.Units = append(out.Units, moved(u))
	}
	for _, lemma := range part.Lemmas { // each gate owns three clauses, which come before all others
		n := sweep.Lemma{}
		for _, l := range lemma.Lits {
			n.Lits = append(n.Lits, moved(l))
		}
		for _, id := range lemma.Hints {
			n.Hints = append(n.Hints, id+3*sat.ID(more))
		}
		out.Lemmas = append(out.Lemmas, n)
	}
	return out
}

package bits

import (
	"slices"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// A question is both circuits in one graph: literals that are to be equal, where all of some others hold.
type question struct {
	*gates.Graph
	before, after *circuit.Circuit
	left, right   []gates.Lit
	assume        []gates.Lit
}

// ask reads both texts into one graph, BEFORE with registers as first says, and holds their ports against one another.
func (c *Claim) ask(before, after circuit.View) *question {
	q := &question{Graph: gates.NewGraph()}
	before.Graph, after.Graph = q.Graph, q.Graph
	before.Clock, after.Clock = c.Clock, c.Clock
	after.After = true
	q.before, q.after = c.Before.read(&before), c.After.read(&after)
	for _, p := range q.after.In {
		gates.Need(slices.Contains(q.before.In, p), "the first text has no input %s", p.Name)
	}
	for _, p := range q.before.Out {
		gates.Need(slices.Contains(q.after.Out, p), "the second text has no output %s", p.Name)
	}
	gates.Need(len(q.before.Out) > 0, "there are no outputs")
	c.Assume = q.before.Texts
	for _, t := range slices.Concat(q.before.Trusts, q.after.Trusts) {
		if !slices.Contains(c.Trusts, t) {
			c.Trusts = append(c.Trusts, t)
		}
	}
	return q
}

// pipelines is the question of a cycle in which no output depends on what registers held first: what before says of inputs
// latency cycles ago, and what after has now.
func (c *Claim) pipelines() *question {
	q := c.ask(circuit.View{Late: c.Latency}, circuit.View{Late: c.Latency})
	gates.Need(q.after.Late <= c.Latency, "the second text is %d cycles late", q.after.Late)
	q.outputs(c.Latency, q.after.Late)
	for d := range c.Latency + 1 {
		known := q.before.Assume(d)
		q.assume = append(q.assume, known...)
		for _, a := range q.after.Assume(d) {
			gates.Need(slices.Contains(known, a), "the second text assumes what the first does not")
		}
	}
	for _, s := range q.Signals(slices.Concat(q.left, q.assume)...) {
		gates.Need(s.Kind != gates.OpenBefore, "the first text leaves open what is at %s", s.Port)
	}
	return q
}

// outputs are to be equal: those of before at a delay, and those of after at another.
func (q *question) outputs(before, after int) {
	for _, p := range q.before.Out {
		q.left = append(q.left, q.before.Outputs(p.Name, before)...)
		q.right = append(q.right, q.after.Outputs(p.Name, after)...)
	}
	gates.Need(len(q.left) == len(q.right), "outputs of other widths")
}

// assumed are the literals that a unit may be.
func (q *question) assumed() map[gates.Lit]bool {
	out := map[gates.Lit]bool{}
	for _, a := range q.assume {
		out[a] = true
	}
	return out
}

// shown asks that a body shows all pairs to be equal.
func (q *question) shown(b *gates.Body) {
	for i, s := range q.left {
		n := q.right[i]
		equal := s == n || b.Implied(q.Graph, s.Not(), n) && b.Implied(q.Graph, s, n.Not())
		gates.Need(equal, "bit %d of the outputs is not shown to be equal", i)
	}
}

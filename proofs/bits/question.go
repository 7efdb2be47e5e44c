package bits

import (
	"slices"
	"strconv"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// A question is both circuits in one graph: literals that are to be equal, where all of some others
// hold.
type question struct {
	*gates.Graph
	before, after *circuit.Circuit
	left, right   []gates.Lit
	output        []string // that each pair of bits is of
	assume        []gates.Lit
	delays        [2]int // at which outputs of before and after are asked for
}

// ask reads both texts into one graph, BEFORE with registers as first says, and holds their ports
// against one another.
func (c *Claim) ask(before, after *circuit.View) *question {
	q := &question{Graph: gates.NewGraph()}
	before.Graph, after.Graph = q.Graph, q.Graph
	before.Clock, after.Clock = c.Clock, c.Clock
	after.After = true
	q.before, q.after = c.Before.read(before), c.After.read(after)
	hasClock := c.Clock == "" || q.before.Clock == c.Clock || q.after.Clock == c.Clock
	gates.Need(hasClock, "no text has the clock %q", c.Clock)
	if x, y := q.before.Edge, q.after.Edge; x != "" && y != "" {
		gates.Need(x == y, "the texts have registers that load on different edges of the clock")
	}
	for _, p := range q.after.In {
		gates.Need(slices.Contains(q.before.In, p), "the first text has no input %s", p.Name)
	}
	for _, p := range q.before.Out {
		gates.Need(slices.Contains(q.after.Out, p), "the second text has no output %s", p.Name)
	}
	gates.Need(len(q.before.Out) > 0, "there are no outputs")
	c.Assume = nil
	for _, a := range q.before.Assumed {
		c.Assume = append(c.Assume, a.Text)
	}
	for _, t := range slices.Concat(q.before.Trusts, q.after.Trusts) {
		if !slices.Contains(c.Trusts, t) {
			c.Trusts = append(c.Trusts, t)
		}
	}
	return q
}

// pipelines is the question of a cycle in which no output depends on what registers held first, as
// neither text looks back more than so many: what before says of inputs latency cycles ago, and
// what after has now.
func (c *Claim) pipelines(depth int) *question {
	q := c.ask(&circuit.View{Late: depth}, &circuit.View{Late: depth})
	gates.Need(q.after.Late <= c.Latency, "the second text is %d cycles late", q.after.Late)
	q.at(c.Latency, q.after.Late, depth)
	return q
}

// at asks for outputs of before and after at delays, where what is assumed holds now and as many
// cycles ago as depth says.
func (q *question) at(before, after, depth int) {
	q.delays = [2]int{before, after}
	q.outputs(before, after)
	gates.Need(len(q.before.Illegal)+len(q.after.Illegal) == 0,
		"a cell whose control is not constant")
	for d := range depth + 1 {
		q.assumptions(d)
	}
	for _, s := range q.Signals(slices.Concat(q.left, q.assume)...) {
		gates.Need(s.Kind != gates.OpenBefore, "the first text leaves open what is at %s", s.Port)
	}
}

// assumptions are those of before that read inputs alone, at a delay; those of after have to be
// among them.
func (q *question) assumptions(delay int) {
	var known []gates.Lit
	for _, a := range q.before.Assumed {
		if !a.IsState {
			known = append(known, a.Holds(delay))
		}
	}
	q.assume = append(q.assume, known...)
	for _, a := range q.after.Assumed {
		isKnown := !a.IsState && slices.Contains(known, a.Holds(delay))
		gates.Need(isKnown, "the second text assumes what the first does not")
	}
}

// stateful are the assumptions of before that read its registers, at the cycle of these. Where
// something of before is chosen, a choice might be one that breaks an assumption, of which nothing
// follows: so there they are none.
func (q *question) stateful(delay int) {
	for _, r := range q.before.Registers {
		if slices.Contains(r.Initial, circuit.Unknown) {
			return
		}
	}
	for _, a := range q.before.Assumed {
		if a.IsState {
			q.assume = append(q.assume, a.Holds(delay))
		}
	}
}

// legal asks that nothing forbidden holds at a cycle of either.
func (q *question) legal(before, after int) {
	q.legalBefore(before)
	q.legalAfter(after)
}

func (q *question) legalBefore(delay int) { q.never(q.before.Illegal, delay) }
func (q *question) legalAfter(delay int)  { q.never(q.after.Illegal, delay) }

func (q *question) never(illegal []circuit.Wire, delay int) {
	for _, w := range illegal {
		q.left, q.right = append(q.left, w(delay)), append(q.right, gates.No)
		q.output = append(q.output, "")
	}
}

// outputs are to be equal: those of before at a delay, and those of after at another.
func (q *question) outputs(before, after int) {
	for _, p := range q.before.Out {
		bits := q.before.Outputs(p.Name, before)
		q.left = append(q.left, bits...)
		q.output = append(q.output, slices.Repeat([]string{p.Name}, len(bits))...)
		q.right = append(q.right, q.after.Outputs(p.Name, after)...)
	}
	gates.Need(len(q.left) == len(q.right), "outputs of other widths")
}

// units reads assumptions.
func (q *question) units(b *gates.Body, l *gates.Lines, n int) {
	known := map[gates.Lit]bool{}
	for _, a := range q.assume {
		known[a] = true
	}
	for range n {
		gates.Need(known[b.Unit(l)], "a unit that nothing assumes")
	}
}

// shown checks a body of one of the kinds that are about one cycle.
func (q *question) shown(l *gates.Lines, kind string) {
	switch kind {
	case "exhaustive":
		q.Exhaust(q.left, q.right, q.assume)
		return
	case "gates", "algebra":
	default:
		gates.Refuse("the kind %q", kind)
	}
	n := l.Counts("gates", 4)
	b := gates.NewBody(q.Graph, l, n[0], n[1])
	q.units(b, l, n[2])
	b.Lemmas(l, n[3])
	shown := map[string]bool{}
	if kind == "algebra" {
		q.words(l, shown)
	}
	q.equal(b, shown)
}

// equal asks that all pairs of bits are shown to be equal, but for those of outputs that are.
func (q *question) equal(b *gates.Body, shown map[string]bool) {
	for i, s := range q.left {
		equal := shown[q.output[i]] || b.Equal(s, q.right[i])
		gates.Need(equal, "bit %d of the outputs is not shown to be equal", i)
	}
}

// words checks the outputs that are shown to be equal as polynomials.
func (q *question) words(l *gates.Lines, shown map[string]bool) {
	count := l.Counts("words", 1)[0]
	n := l.Counts("nodes", 2)
	b := gates.NewBody(q.Graph, l, n[0], n[1])
	for range count {
		f := strings.Split(l.Next(), " ")
		gates.Need(len(f) == 3 && f[0] == "word", "no word")
		is := func(p circuit.Port) bool { return p.Name == f[1] }
		gates.Need(slices.ContainsFunc(q.before.Out, is) && !shown[f[1]], "no output %s", f[1])
		steps, err := strconv.Atoi(f[2])
		gates.Need(err == nil && steps >= 0 && strconv.Itoa(steps) == f[2], "no count of steps")
		b.Word(l, steps, q.before.Outputs(f[1], q.delays[0]), q.after.Outputs(f[1], q.delays[1]))
		shown[f[1]] = true
	}
}

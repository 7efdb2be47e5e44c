package bits

import (
	"fmt"
	"strings"

	"tv/proofs/bits/circuit"
	"tv/proofs/bits/gates"
)

// machine is a proof by induction over cycles: an invariant of both circuits' registers and of the
// last inputs, which holds when there are as many inputs, is kept, and says that outputs are equal.
type machine struct {
	*Claim
	*gates.Lines
	history int // cycles of inputs that the invariant knows
	late    int // cycles that BEFORE is ahead
	step    *gates.Body
	clauses [][]uint32 // the invariant
	counts  []int
}

// machines checks a body of kind machine.
func (c *Claim) machines(l *gates.Lines) {
	m := &machine{Claim: c, Lines: l}
	m.history = l.Counts("history", 1)[0]
	gates.Need(m.history <= 4096, "a history of %d cycles", m.history)
	m.steps()
	m.base()
}

// A choosing is what a certificate names for bits that BEFORE leaves open.
type choosing struct {
	of    map[choice]gates.Lit
	asked bool
}

type choice struct {
	name string
	bit  int
}

// bit is what is named; 0 where nothing is.
func (c *choosing) bit(name string, bit int) gates.Lit {
	c.asked = true
	return c.of[choice{name, bit}]
}

func (m *machine) choices(b *gates.Body, n int) *choosing {
	c := &choosing{of: map[choice]gates.Lit{}}
	for range n {
		name, bit, value := b.Choice(m.Lines)
		_, twice := c.of[choice{name, bit}]
		gates.Need(!twice, "two choices of %s", name)
		c.of[choice{name, bit}] = value
	}
	return c
}

// steps checks that from any cycle on, from the history, the invariant goes over to the next one,
// and that outputs are equal. Of AFTER it is cycle t; of BEFORE it is cycle t - late, at which its
// inputs have that delay.
func (m *machine) steps() {
	var chosen *choosing
	before, after := circuit.View{}, circuit.View{}
	before.First, after.First = unknown(&before), unknown(&after)
	before.Choose = func(place string, bit, _ int) gates.Lit {
		gates.Need(chosen != nil, "what is open at %s decides how the text is read", place)
		return chosen.bit(place, bit)
	}
	q := m.Claim.ask(&before, &after)
	m.late = m.Latency - q.after.Late
	gates.Need(m.late >= 0 && m.late <= m.history,
		"a latency of %d in a history of %d", m.late, m.history)
	before.Start = m.late
	m.counts = m.Counts("step", 6)
	b := gates.NewBody(q.Graph, m.Lines, m.counts[0], m.counts[1])
	m.step = b
	m.inputs(b, q, func(s gates.Signal) bool {
		return s.Kind != gates.OpenAfter && s.Delay <= m.history || s.Delay == 0
	})
	chosen = m.choices(b, m.counts[2])
	q.outputs(m.late, 0)
	q.legal(m.late, 0)
	for d := range m.history + 1 {
		q.assumptions(d)
	}
	q.stateful(m.late)
	q.units(b, m.Lines, m.counts[3])
	for range m.counts[4] {
		m.clauses = append(m.clauses, b.Clause(m.Lines))
	}
	b.Lemmas(m.Lines, m.counts[5])
	registers := named(q)
	m.invariant(b, q.Graph, func(s gates.Signal) gates.Lit {
		switch s.Kind {
		case gates.Input:
			gates.Need(s.Delay > 0, "the invariant reads an input of the cycle itself")
			s.Delay--
			return q.Signal(s)
		case gates.OpenAfter:
			gates.Refuse("the invariant reads what is open")
		case gates.StateBefore:
			return registers.find(s).Next[s.Bit](m.late)
		}
		return registers.find(s).Next[s.Bit](0)
	})
	q.equal(b, nil)
	gates.Need(!chosen.asked || m.late == m.history,
		"choices in a history of more cycles than the latency")
}

// unknown is that nothing is known of registers.
func unknown(v *circuit.View) func(r *circuit.Register, bit int) gates.Lit {
	return func(r *circuit.Register, bit int) gates.Lit { return v.State(r, bit) }
}

// base checks the first cycles, and the invariant behind them.
func (m *machine) base() {
	var chosen *choosing
	before, after := circuit.View{Late: m.history,
		Start: m.history}, circuit.View{Late: m.history, Start: m.history}
	after.First = func(r *circuit.Register, bit int) gates.Lit {
		if l := r.Initial[bit]; l != circuit.Unknown {
			return l
		}
		return after.State(r, bit)
	}
	before.First = func(r *circuit.Register, bit int) gates.Lit {
		if l := r.Initial[bit]; l != circuit.Unknown {
			return l
		}
		return chosen.bit(r.Name, bit)
	}
	before.Choose = func(place string, _, _ int) gates.Lit {
		gates.Refuse("what is open at %s is asked for in the first cycles", place)
		return gates.No
	}
	q := m.Claim.ask(&before, &after)
	n := m.Counts("base", 5)
	b := gates.NewBody(q.Graph, m.Lines, n[0], n[1])
	registers := named(q)
	m.inputs(b, q, func(s gates.Signal) bool {
		switch s.Kind {
		case gates.StateAfter:
			return registers.find(s).Initial[s.Bit] == circuit.Unknown
		case gates.StateBefore:
			return false
		}
		return s.Delay >= 1 && s.Delay <= m.history
	})
	chosen = m.choices(b, n[2])
	for d := 1; d <= m.history; d++ {
		q.assumptions(d)
	}
	for d := m.history; d > 0; d-- {
		if d+m.late <= m.history {
			q.outputs(d+m.late, d)
		}
		q.legalAfter(d)
		if d > m.late {
			q.legalBefore(d)
		}
	}
	q.units(b, m.Lines, n[3])
	b.Lemmas(m.Lines, n[4])
	m.invariant(b, q.Graph, func(s gates.Signal) gates.Lit {
		switch s.Kind {
		case gates.StateBefore:
			return registers.find(s).Holds[s.Bit](m.late)
		case gates.StateAfter:
			return registers.find(s).Holds[s.Bit](0)
		}
		return q.Signal(s)
	})
	q.equal(b, nil)
}

// inputs are those that a body may read: the rest is at no cycle that there is.
func (m *machine) inputs(b *gates.Body, q *question, may func(s gates.Signal) bool) {
	registers := named(q)
	for _, s := range b.Inputs() {
		if s.Kind == gates.StateBefore || s.Kind == gates.StateAfter {
			registers.find(s)
		}
		gates.Need(may(s), "%s with delay %d is no input of this body", s.Port, s.Delay)
	}
}

// invariant checks that each clause of the invariant is shown where its inputs are what input says.
func (m *machine) invariant(b *gates.Body, g *gates.Graph, input func(s gates.Signal) gates.Lit) {
	memo := map[uint32]gates.Lit{}
	for i, id := range m.Shown(len(m.clauses)) {
		var clause []gates.Lit
		for _, l := range m.clauses[i] {
			clause = append(clause, m.step.Elsewhere(l, g, memo, input))
		}
		if !b.Shows(id, clause) {
			gates.Refuse("clause %d of the invariant is not shown, of %s", i, m.reads(m.clauses[i]))
		}
	}
}

// reads names the inputs of a clause of the invariant.
func (m *machine) reads(clause []uint32) string {
	var names []string
	for _, l := range clause {
		m.step.Elsewhere(l, gates.NewGraph(), map[uint32]gates.Lit{},
			func(s gates.Signal) gates.Lit {
				names = append(names, fmt.Sprintf("%s[%d]", s.Port, s.Bit))
				return gates.Yes
			})
	}
	return strings.Join(names, ", ")
}

// registers are those of both circuits by name, which no two of one have.
type registers [2]map[string]*circuit.Register

func named(q *question) (out registers) {
	for i, c := range []*circuit.Circuit{q.before, q.after} {
		out[i] = map[string]*circuit.Register{}
		for _, r := range c.Registers {
			if r.Stays() {
				continue
			}
			gates.Need(out[i][r.Name] == nil, "two registers %s", r.Name)
			out[i][r.Name] = r
		}
	}
	return out
}

func (n registers) find(s gates.Signal) *circuit.Register {
	side := 0
	if s.Kind == gates.StateAfter {
		side = 1
	}
	r := n[side][s.Port]
	gates.Need(r != nil && s.Bit < len(r.Initial), "no bit %d of a register %s", s.Bit, s.Port)
	return r
}

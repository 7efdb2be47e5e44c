package sweep

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"tv/equiv/bits/aig"
	"tv/equiv/bits/sat"
)

// A Certificate shows that outputs are equal: gates, and lemmas over them. It has node numbers of its own: the inputs from 1, then the
// gates in their order. Gate j, from 0, owns the clauses 3j+1 (¬g a), 3j+2 (¬g b) and 3j+3 (g ¬a ¬b); the units
// of the assumptions follow, and then the lemmas. If a pair of outputs s, n is not one literal, (¬s n) and (s ¬n) are among the
// lemmas, as far as they are no tautologies, or a clause that either contains. Where more is known than assumptions, its clauses stand
// between units and lemmas, and Pairs and Shown have the ids of what each pair (¬s n), (s ¬n) and each clause that was to be shown is shown by,
// 0 for tautologies.
type Certificate struct {
	Inputs  []aig.Signal
	Gates   [][2]aig.Lit
	Units   []aig.Lit
	Clauses [][]aig.Lit
	Lemmas  []Lemma
	Pairs   [][2]sat.ID
	Shown   []sat.ID
	number  []aig.Lit // of nodes of the graph
}

// Literal is what a literal of the graph is in the certificate; it is one of what is known, or kept.
func (c *Certificate) Literal(l aig.Lit) aig.Lit { return c.number[l.Node()].NotIf(l.Negated()) }

// A Lemma is a clause and the ids of what it follows from.
type Lemma struct {
	Lits  []aig.Lit
	Hints []sat.ID
}

// certificate keeps what the final lemmas rest on.
func (s *sweeper) certificate(pairs [][2]sat.ID, shown []sat.ID) *Certificate {
	var wanted []sat.ID
	for _, id := range slices.Concat(flat(pairs), shown) {
		if id != tautology {
			wanted = append(wanted, id)
		}
	}
	used := s.proof.Used(wanted...)
	var roots []aig.Lit
	for i, l := range s.Before {
		if l != s.After[i] {
			roots = append(roots, l, s.After[i])
		}
	}
	roots = append(roots, s.Keep...)
	for _, p := range s.Equal {
		roots = append(roots, p[:]...)
	}
	for _, c := range slices.Concat(s.Clauses, s.Show) {
		roots = append(roots, c...)
	}
	for _, id := range used {
		var buffer [8]sat.Lit
		for _, l := range s.literals(id, buffer[:0]) {
			roots = append(roots, aig.Lit(l))
		}
	}
	cone := s.Graph.Cone(roots...)
	c := &Certificate{}
	number := make([]aig.Lit, len(cone)) // of nodes, as literals
	for n, in := range cone {
		if i, ok := s.Graph.InputOf(n); ok && in {
			c.Inputs = append(c.Inputs, s.Graph.Signals()[i])
			number[n] = aig.Lit(2 * len(c.Inputs))
		}
	}
	lit := func(l aig.Lit) aig.Lit { return number[l.Node()].NotIf(l.Negated()) }
	ids := map[sat.ID]sat.ID{}
	for n, in := range cone {
		if a, b, ok := s.Graph.Gate(n); ok && in {
			j := len(c.Gates)
			c.Gates = append(c.Gates, [2]aig.Lit{lit(a), lit(b)})
			number[n] = aig.Lit(2 * (1 + len(c.Inputs) + j))
			for k := range 3 {
				ids[sat.ID(3*n+1+k)] = sat.ID(3*j + 1 + k)
			}
		}
	}
	last := sat.ID(3 * len(c.Gates))
	for _, id := range used {
		if id >= s.unit(0) && id < s.equal(0, 0) {
			last++
			ids[id] = last
			c.Units = append(c.Units, lit(s.Assume[id-s.unit(0)]))
		}
	}
	for id := s.equal(0, 0); int(id) <= s.proof.Axioms(); id++ {
		if lits := clause(s.axiom(id)...); lits != nil {
			last++
			ids[id] = last
			c.Clauses = append(c.Clauses, nil)
			for _, l := range lits {
				c.Clauses[len(c.Clauses)-1] = append(c.Clauses[len(c.Clauses)-1], lit(aig.Lit(l)))
			}
		}
	}
	for _, id := range used {
		if int(id) <= s.proof.Axioms() {
			continue
		}
		last++
		ids[id] = last
		var m Lemma
		lits, hints := s.proof.Lemma(id)
		for _, l := range lits {
			m.Lits = append(m.Lits, lit(aig.Lit(l)))
		}
		for _, h := range hints {
			m.Hints = append(m.Hints, ids[h])
		}
		c.Lemmas = append(c.Lemmas, m)
	}
	for _, p := range pairs {
		c.Pairs = append(c.Pairs, [2]sat.ID{ids[p[0]], ids[p[1]]})
	}
	for _, id := range shown {
		c.Shown = append(c.Shown, ids[id])
	}
	c.number = number
	return c
}

func flat(pairs [][2]sat.ID) (out []sat.ID) {
	for _, p := range pairs {
		out = append(out, p[0], p[1])
	}
	return out
}

// WriteTo writes the part of a certificate's text that has the gates: the counts of its four sections, then their lines.
//
//	gates INPUTS GATES UNITS LEMMAS
//	i PORT BIT DELAY
//	LITERAL LITERAL
//	u LITERAL
//	LITERAL.. 0 ID.. 0
func (c *Certificate) WriteTo(w io.Writer) (int64, error) {
	out := &lines{Writer: bufio.NewWriter(w)}
	out.put(fmt.Appendf(nil, "gates %d %d %d %d", len(c.Inputs), len(c.Gates), len(c.Units), len(c.Lemmas)))
	c.graph(out)
	c.proof(out)
	return out.count, out.Flush()
}

// A Named is the value of a bit of what a text leaves open.
type Named struct {
	Name  string
	Bit   int
	Value aig.Lit // of the graph, one of what was to be kept
}

// WriteMachine writes a step or a base of a certificate about machines, in the same way. Clauses are there in a step alone.
//
//	NAME INPUTS GATES CHOICES UNITS [CLAUSES] LEMMAS
//	c PLACE BIT LITERAL
//	v LITERAL.. 0
//	shown ID..
func (c *Certificate) WriteMachine(w io.Writer, name string, choices []Named, shown []sat.ID) (int64, error) {
	out := &lines{Writer: bufio.NewWriter(w)}
	head := fmt.Appendf(nil, "%s %d %d %d %d", name, len(c.Inputs), len(c.Gates), len(choices), len(c.Units))
	if name == "step" {
		head = fmt.Appendf(head, " %d", len(c.Clauses))
	}
	out.put(fmt.Appendf(head, " %d", len(c.Lemmas)))
	c.graph(out)
	for _, x := range choices {
		out.put(fmt.Appendf(nil, "c %s %d %d", x.Name, x.Bit, c.Literal(x.Value)))
	}
	c.proof(out)
	line := []byte("shown")
	for _, id := range shown {
		line = fmt.Appendf(line, " %d", id)
	}
	out.put(line)
	return out.count, out.Flush()
}

// lines counts what is written.
type lines struct {
	*bufio.Writer
	count int64
}

func (l *lines) put(line []byte) {
	n, _ := l.Write(append(line, '\n')) // Flush has the error
	l.count += int64(n)
}

// graph writes inputs and gates.
func (c *Certificate) graph(out *lines) {
	for _, s := range c.Inputs {
		out.put([]byte(s.String()))
	}
	for _, g := range c.Gates {
		out.put(fmt.Appendf(nil, "%d %d", g[0], g[1]))
	}
}

// proof writes units, clauses and lemmas.
func (c *Certificate) proof(out *lines) {
	for _, l := range c.Units {
		out.put(fmt.Appendf(nil, "u %d", l))
	}
	var line []byte
	clause := func(lits []aig.Lit) {
		for _, l := range lits {
			line = append(strconv.AppendUint(line, uint64(l), 10), ' ')
		}
		line = append(line, '0')
	}
	for _, lits := range c.Clauses {
		line = append(line[:0], "v "...)
		clause(lits)
		out.put(line)
	}
	for _, m := range c.Lemmas {
		line = line[:0]
		clause(m.Lits)
		for _, h := range m.Hints {
			line = strconv.AppendInt(append(line, ' '), int64(h), 10)
		}
		out.put(append(line, " 0"...))
	}
}

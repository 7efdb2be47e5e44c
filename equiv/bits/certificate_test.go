package bits

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tv/equiv/bits/aig"
)

// body is a step or a base of a certificate about machines, read from its text by doc/certificates.md alone; what is checked is that it
// follows of the gates that the prover has. That these are the texts' is for proofs/bits to check.
type body struct {
	g         *aig.Graph
	nodes     []aig.Lit
	clauses   [][]int
	invariant [][]int
	shown     []int
	choices   []string
}

func (b *body) lit(n int) aig.Lit { return b.nodes[n/2].NotIf(n%2 == 1) }

func numbers(t *testing.T, words []string) (out []int) {
	t.Helper()
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

func readBody(t *testing.T, g *aig.Graph, lines []string, name string, assume []aig.Lit) (*body, []string) {
	t.Helper()
	next := func() []string {
		l := lines[0]
		lines = lines[1:]
		return strings.Fields(l)
	}
	b := &body{g: g, nodes: []aig.Lit{aig.False}, clauses: [][]int{nil}}
	head := next()
	if head[0] != name {
		t.Fatalf("%q, not %s", head, name)
	}
	n := numbers(t, head[1:])
	if name == "base" {
		n = slices.Insert(n, 4, 0)
	}
	for range n[0] {
		f := next()
		at := numbers(t, f[2:])
		s := aig.Signal{Kind: aig.Kind(f[0][0]), Port: f[1], Bit: at[0]}
		if f[0] == "i" {
			s.Kind = aig.Port
		}
		if len(at) > 1 {
			s.Delay = at[1]
		}
		if !slices.Contains(g.Signals(), s) {
			t.Fatalf("no signal %v", s)
		}
		b.nodes = append(b.nodes, g.Input(s))
	}
	for range n[1] {
		f := numbers(t, next())
		x := 2 * len(b.nodes)
		b.nodes = append(b.nodes, g.And(b.lit(f[0]), b.lit(f[1])))
		b.clauses = append(b.clauses, []int{x ^ 1, f[0]}, []int{x ^ 1, f[1]}, []int{x, f[0] ^ 1, f[1] ^ 1})
	}
	for range n[2] {
		f := next()
		b.choices = append(b.choices, fmt.Sprint(f[1], " ", f[2], " ", b.lit(numbers(t, f[3:])[0])))
	}
	for range n[3] {
		u := numbers(t, next()[1:])
		if !slices.Contains(assume, b.lit(u[0])) {
			t.Fatalf("unit %v", u)
		}
		b.clauses = append(b.clauses, u)
	}
	for range n[4] {
		c := numbers(t, next()[1:])
		b.invariant = append(b.invariant, c[:len(c)-1])
		b.clauses = append(b.clauses, c[:len(c)-1])
	}
	for range n[5] {
		f := numbers(t, next())
		end := slices.Index(f, 0)
		b.lemma(t, f[:end], f[end+1:len(f)-1])
	}
	f := next()
	if f[0] != "shown" {
		t.Fatal(f)
	}
	b.shown = numbers(t, f[1:])
	return b, lines
}

// lemma checks a lemma as LRAT is.
func (b *body) lemma(t *testing.T, lits, hints []int) {
	t.Helper()
	no := map[int]bool{}
	for _, l := range lits {
		no[l] = true
	}
	for i, h := range hints {
		var left []int
		for _, l := range b.clauses[h] {
			if !no[l] && !slices.Contains(left, l) {
				left = append(left, l)
			}
		}
		switch {
		case len(left) == 0 && i == len(hints)-1:
			b.clauses = append(b.clauses, lits)
			return
		case len(left) != 1:
			t.Fatalf("lemma %v: hint %d has %d literals left", lits, h, len(left))
		}
		no[left[0]^1] = true
	}
	t.Fatalf("lemma %v does not follow", lits)
}

// tautology tells whether a clause has a true literal, or two complements.
func tautology(c []aig.Lit) bool {
	return slices.ContainsFunc(c, func(l aig.Lit) bool { return l == aig.True || slices.Contains(c, l.Not()) })
}

// shows tells whether an id shows a clause.
func (b *body) shows(id int, c []aig.Lit) bool {
	if id == 0 {
		return tautology(c)
	}
	for _, l := range b.clauses[id] {
		if x := b.lit(l); x != aig.False && !slices.Contains(c, x) {
			return false
		}
	}
	return true
}

// equal tells whether two literals are one, or both directions are among the clauses.
func (b *body) equal(x, y aig.Lit) bool {
	for _, c := range [][]aig.Lit{{x.Not(), y}, {x, y.Not()}} {
		ok := tautology(c)
		for id := 1; id < len(b.clauses) && !ok; id++ {
			ok = b.shows(id, c)
		}
		if !ok {
			return false
		}
	}
	return true
}

// certified checks the body of a certificate about machines.
func certified(t *testing.T, m *machine, text string) {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\nkind machine\n")
	if !ok {
		t.Fatal("no certificate of a machine")
	}
	lines := strings.Split(rest, "\n")
	if lines[0] != fmt.Sprint("history ", m.history) {
		t.Fatal(lines[0])
	}
	s := m.system
	step, lines := readBody(t, s.Graph, lines[1:], "step", s.Assume)
	base, lines := readBody(t, s.Start, lines, "base", s.StartAssume)
	if lines[0] != "end" {
		t.Fatal(lines[0])
	}
	at := map[aig.Signal]int{}
	for i, b := range s.State {
		n, _ := s.Graph.InputOf(b.Now.Node())
		at[s.Graph.Signals()[n]] = i
	}
	next := aig.NewCopier(s.Graph, s.Graph, func(x aig.Signal) aig.Lit { return s.State[at[x]].Next })
	start := aig.NewCopier(s.Graph, s.Start, func(x aig.Signal) aig.Lit { return s.Initial[at[x]] })
	for i, c := range step.invariant {
		var lits []aig.Lit
		for _, l := range c {
			lits = append(lits, step.lit(l))
		}
		for n, in := range s.Graph.Cone(lits...) {
			if k, signal := s.Graph.InputOf(n); signal && in {
				if _, state := at[s.Graph.Signals()[k]]; !state {
					t.Fatalf("the invariant reads %v", s.Graph.Signals()[k])
				}
			}
		}
		if !step.shows(step.shown[i], next.Lits(lits)) {
			t.Fatalf("clause %d is not shown a cycle later", i)
		}
		if !base.shows(base.shown[i], start.Lits(lits)) {
			t.Fatalf("clause %d is not shown at the start", i)
		}
	}
	for i, l := range s.Before {
		if !step.equal(l, s.After[i]) {
			t.Fatalf("output %d is not equal", i)
		}
	}
	for i, l := range s.First {
		if !base.equal(l, s.Second[i]) {
			t.Fatalf("output %d is not equal before the start", i)
		}
	}
	for i, x := range m.places {
		if want := fmt.Sprint(x.Name, " ", x.Bit, " ", x.Value); step.choices[i] != want {
			t.Fatalf("choice %s, not %s", step.choices[i], want)
		}
	}
	for i, x := range m.initials {
		if want := fmt.Sprint(x.Name, " ", x.Bit, " ", x.Value); base.choices[i] != want {
			t.Fatalf("choice %s, not %s", base.choices[i], want)
		}
	}
}

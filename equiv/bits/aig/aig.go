// Package aig has and-inverter graphs: what a netlist and a specification both come down to before they are compared bit by bit.
//
//	aig.go       nodes, literals, the four gates that are written once and for all, signals of inputs
//	words.go     words of literals: arithmetic, shifts, comparisons, tables, by fixed formulas
//	copy.go      a graph's gates in another graph, or over other inputs
//	simulate.go  64 assignments at a time
//
// The formulas are those of doc/certificates.md: a checker that builds a graph of its own by the same formulas finds its own
// literals among the gates of a certificate. The order in which nodes are made matters to nobody.
package aig

import "fmt"

// A Lit is a node, or its negation: 2·node, one more if negated. Literal 0 is false, 1 is true.
type Lit uint32

// The two constants.
const (
	False Lit = 0
	True  Lit = 1
)

// Node returns the number of l's node.
func (l Lit) Node() int { return int(l >> 1) }

// Negated reports whether l is the negation of its node.
func (l Lit) Negated() bool { return l&1 != 0 }

// Not returns the negation of l.
func (l Lit) Not() Lit { return l ^ 1 }

// NotIf returns the negation of l if negate is set, else l.
func (l Lit) NotIf(negate bool) Lit {
	if negate {
		return l ^ 1
	}
	return l
}

// Bool returns the constant of a truth value.
func Bool(b bool) Lit { return False.NotIf(b) }

// A Signal is one bit of an input port, Delay cycles ago, or of what Kind says.
type Signal struct {
	Port  string
	Bit   int
	Delay int
	Kind  Kind
}

// A Kind says what the Port of a signal names.
type Kind byte

// The kinds, as certificates write them.
const (
	Port   Kind = 0   // an input
	After  Kind = 'a' // a register of the second text
	Before Kind = 'b' // a register of the first text
	Open   Kind = 'o' // a place that the second text leaves open
	Choice Kind = 'c' // a place that the first text leaves open; certificates say what it is
)

// String is the line that certificates have of an input.
func (s Signal) String() string {
	switch s.Kind {
	case Port:
		return fmt.Sprintf("i %s %d %d", s.Port, s.Bit, s.Delay)
	case Open:
		return fmt.Sprintf("o %s %d %d", s.Port, s.Bit, s.Delay)
	}
	return fmt.Sprintf("%c %s %d", s.Kind, s.Port, s.Bit)
}

// A Graph is hashed: equal gates are one node. A gate's fanins are nodes before it.
type Graph struct {
	fanins  [][2]Lit // of inputs: their index among signals, and the mark
	signals []Signal
	inputs  map[Signal]Lit
	table   []int32 // open addressing: nodes by their fanins, 0 is free
	gates   int
}

// mark as second fanin tells an input.
const mark = ^Lit(0)

// New returns a graph with the constant alone.
func New() *Graph {
	return &Graph{fanins: [][2]Lit{{0, mark}}, inputs: map[Signal]Lit{}, table: make([]int32, 1<<10)}
}

// Len returns the number of nodes; node 0 is false.
func (g *Graph) Len() int { return len(g.fanins) }

// Gates returns the number of nodes that are gates.
func (g *Graph) Gates() int { return g.gates }

// Signals returns the inputs, in the order in which they were asked for first.
func (g *Graph) Signals() []Signal { return g.signals }

// Input returns the literal of a signal.
func (g *Graph) Input(s Signal) Lit {
	if l, ok := g.inputs[s]; ok {
		return l
	}
	l := Lit(2 * len(g.fanins))
	g.fanins = append(g.fanins, [2]Lit{Lit(len(g.signals)), mark})
	g.signals = append(g.signals, s)
	g.inputs[s] = l
	return l
}

// InputOf returns the index of the signal that node n is, if it is one.
func (g *Graph) InputOf(n int) (int, bool) {
	f := g.fanins[n]
	return int(f[0]), n > 0 && f[1] == mark
}

// Gate returns the fanins of node n, if it is a gate.
func (g *Graph) Gate(n int) (a, b Lit, ok bool) {
	f := g.fanins[n]
	return f[0], f[1], f[1] != mark
}

// And returns a and b.
func (g *Graph) And(a, b Lit) Lit {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == False || a == b.Not():
		return False
	case a == True || a == b:
		return b
	}
	slot := g.slot(a, b)
	if n := g.table[slot]; n != 0 {
		return Lit(2 * n)
	}
	n := len(g.fanins)
	g.fanins = append(g.fanins, [2]Lit{a, b})
	g.table[slot] = int32(n)
	if g.gates++; 2*g.gates > len(g.table) {
		g.grow()
	}
	return Lit(2 * n)
}

// Find returns the gate with the fanins a and b, where neither is constant and they are not of one node.
func (g *Graph) Find(a, b Lit) (Lit, bool) {
	n := g.table[g.slot(min(a, b), max(a, b))]
	return Lit(2 * n), n != 0
}

func (g *Graph) slot(a, b Lit) int {
	size := uint64(len(g.table) - 1)
	h := (uint64(a)<<32 | uint64(b)) * 0x9e3779b97f4a7c15
	for i := (h >> 32) & size; ; i = (i + 1) & size {
		if n := g.table[i]; n == 0 || g.fanins[n] == [2]Lit{a, b} {
			return int(i)
		}
	}
}

func (g *Graph) grow() {
	g.table = make([]int32, 2*len(g.table))
	for n, f := range g.fanins {
		if f[1] != mark {
			g.table[g.slot(f[0], f[1])] = int32(n)
		}
	}
}

// Or returns a or b.
func (g *Graph) Or(a, b Lit) Lit { return g.And(a.Not(), b.Not()).Not() }

// Xor returns a xor b.
func (g *Graph) Xor(a, b Lit) Lit { return g.And(g.And(a, b).Not(), g.And(a.Not(), b.Not()).Not()) }

// Mux returns a if s holds, else b.
func (g *Graph) Mux(s, a, b Lit) Lit {
	if a == b {
		return a
	}
	return g.And(g.And(s, a).Not(), g.And(s.Not(), b).Not()).Not()
}

// Cone tells, for each node, whether a root depends on it. The constant is in it always.
func (g *Graph) Cone(roots ...Lit) []bool {
	in := make([]bool, len(g.fanins))
	in[0] = true
	for _, l := range roots {
		in[l.Node()] = true
	}
	for n := len(in) - 1; n > 0; n-- {
		if a, b, ok := g.Gate(n); ok && in[n] {
			in[a.Node()], in[b.Node()] = true, true
		}
	}
	return in
}

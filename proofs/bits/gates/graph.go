package gates

import (
	"fmt"
	"slices"
)

// A Lit is twice a node, plus 1 if it is negated. Node 0 is false.
type Lit uint32

// The constants.
const (
	No  Lit = 0
	Yes Lit = 1
)

// Not is the complement.
func (l Lit) Not() Lit { return l ^ 1 }

// Bit is a constant.
func Bit(b bool) Lit {
	if b {
		return Yes
	}
	return No
}

// A Kind is what a signal is a bit of.
type Kind byte

// The kinds of signals: what either text leaves open is its own.
const (
	Input Kind = iota
	StateBefore
	StateAfter
	OpenBefore
	OpenAfter
)

// A Signal is a bit of an input, of what a register holds or of what a text leaves open, as it was
// delay cycles ago.
type Signal struct {
	Kind  Kind
	Port  string // or the register, or the place
	Bit   int
	Delay int
}

// maxGates bounds the graph.
const maxGates = 1 << 23

// Refusal is what ends a check. It is raised with panic and becomes Check's error: readers and
// formulas nest too deeply to hand it up by themselves.
type Refusal struct{ Text string }

// Refuse ends the check.
func Refuse(format string, args ...any) {
	panic(Refusal{fmt.Sprintf(format, args...)})
}

// Need ends the check unless something holds.
func Need(ok bool, format string, args ...any) {
	if !ok {
		Refuse(format, args...)
	}
}

// A Graph has each gate once: a node is a signal, or the conjunction of two literals.
type Graph struct {
	fanin   [][2]Lit
	known   map[[2]Lit]Lit
	inputs  map[Signal]Lit
	signals []Signal
	nodes   []int // of signals
}

// NewGraph has the constant.
func NewGraph() *Graph {
	return &Graph{fanin: make([][2]Lit, 1), known: map[[2]Lit]Lit{}, inputs: map[Signal]Lit{}}
}

// Signal is the node of a signal.
func (g *Graph) Signal(s Signal) Lit {
	l, ok := g.inputs[s]
	if !ok {
		l = Lit(2 * len(g.fanin))
		g.nodes = append(g.nodes, len(g.fanin))
		g.fanin = append(g.fanin, [2]Lit{})
		g.inputs[s] = l
		g.signals = append(g.signals, s)
	}
	return l
}

// And is the one gate of two literals, or what is left where one of them decides.
func (g *Graph) And(a, b Lit) Lit {
	switch {
	case a == No || b == No || a == b.Not():
		return No
	case a == Yes || a == b:
		return b
	case b == Yes:
		return a
	}
	k := [2]Lit{min(a, b), max(a, b)}
	l, ok := g.known[k]
	if !ok {
		Need(len(g.fanin) < maxGates, "more than %d gates", maxGates)
		l = Lit(2 * len(g.fanin))
		g.fanin = append(g.fanin, k)
		g.known[k] = l
	}
	return l
}

// Or is the complement of a conjunction.
func (g *Graph) Or(a, b Lit) Lit { return g.And(a.Not(), b.Not()).Not() }

// Xor holds where one of two literals does.
func (g *Graph) Xor(a, b Lit) Lit {
	both, neither := g.And(a, b), g.And(a.Not(), b.Not())
	return g.And(both.Not(), neither.Not())
}

// Mux is s ? a : b.
func (g *Graph) Mux(s, a, b Lit) Lit {
	if a == b {
		return a
	}
	return g.And(g.And(s, a).Not(), g.And(s.Not(), b).Not()).Not()
}

// Simulate computes all nodes for 64 assignments of the signals.
func (g *Graph) Simulate(in []uint64, values []uint64) {
	for i, n := range g.nodes {
		values[n] = in[i]
	}
	at := func(l Lit) uint64 { return values[l>>1] ^ -uint64(l&1) }
	for n := 1; n < len(g.fanin); n++ {
		if f := g.fanin[n]; f[1] != 0 { // no gate has the constant in it
			values[n] = at(f[0]) & at(f[1])
		}
	}
}

// Signals are those that literals depend on.
func (g *Graph) Signals(of ...Lit) (out []Signal) {
	cone := g.cone(of)
	for i, n := range g.nodes {
		if cone[n] {
			out = append(out, g.signals[i])
		}
	}
	return out
}

func (g *Graph) cone(of []Lit) []bool {
	cone := make([]bool, len(g.fanin))
	for _, l := range of {
		cone[l>>1] = true
	}
	for n := len(cone) - 1; n > 0; n-- {
		if f := g.fanin[n]; cone[n] && f[1] != 0 {
			cone[f[0]>>1], cone[f[1]>>1] = true, true
		}
	}
	return cone
}

// Exhaust tries all values of the signals that matter, at most 2^22: wherever all of assume hold,
// left and right are equal.
func (g *Graph) Exhaust(left, right, assume []Lit) {
	cone := g.cone(slices.Concat(left, right, assume))
	var free []int
	for i, n := range g.nodes {
		if cone[n] {
			free = append(free, i)
		}
	}
	Need(len(free) <= 22, "%d bits are too many to try", len(free))
	in, values := make([]uint64, len(g.nodes)), make([]uint64, len(g.fanin))
	at := func(l Lit) uint64 { return values[l>>1] ^ -uint64(l&1) }
	for base := 0; base < 1<<len(free); base += 64 {
		for k, i := range free {
			in[i] = 0
			for lane := range 64 {
				in[i] |= uint64((base+lane)>>k&1) << lane
			}
		}
		g.Simulate(in, values)
		valid := ^uint64(0)
		for _, a := range assume {
			valid &= at(a)
		}
		for i, s := range left {
			Need((at(s)^at(right[i]))&valid == 0, "outputs differ for some inputs")
		}
	}
}

// All are the signals, in the order in which [Graph.Simulate] takes them.
func (g *Graph) All() []Signal { return g.signals }

// Size is the number of nodes.
func (g *Graph) Size() int { return len(g.fanin) }

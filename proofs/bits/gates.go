package bits

import (
	"fmt"
	"math/big"
)

// A lit is twice a node, plus 1 if it is negated. Node 0 is false.
type lit uint32

const (
	no  lit = 0
	yes lit = 1
)

func (l lit) not() lit { return l ^ 1 }

func bit(b bool) lit {
	if b {
		return yes
	}
	return no
}

// A signal is a bit of an input, as it was delay cycles ago.
type signal struct {
	port  string
	bit   int
	delay int
}

// maxGates bounds the graph.
const maxGates = 1 << 23

// refusal is what ends a check. It is raised with panic and becomes Check's error: readers and
// formulas nest too deeply to hand it up by themselves.
type refusal struct{ text string }

func refuse(format string, args ...any) {
	panic(refusal{fmt.Sprintf(format, args...)})
}

func need(ok bool, format string, args ...any) {
	if !ok {
		refuse(format, args...)
	}
}

// graph has each gate once: a node is a signal, or the conjunction of two literals.
type graph struct {
	fanin   [][2]lit
	known   map[[2]lit]lit
	inputs  map[signal]lit
	signals []signal
	nodes   []int               // of signals
	fixed   map[string]*big.Int // inputs that are constants, at all cycles
}

func newGraph() *graph {
	return &graph{fanin: make([][2]lit, 1), known: map[[2]lit]lit{}, inputs: map[signal]lit{}}
}

func (g *graph) input(s signal) lit {
	if v, ok := g.fixed[s.port]; ok {
		return bit(v.Bit(s.bit) == 1)
	}
	l, ok := g.inputs[s]
	if !ok {
		l = lit(2 * len(g.fanin))
		g.nodes = append(g.nodes, len(g.fanin))
		g.fanin = append(g.fanin, [2]lit{})
		g.inputs[s] = l
		g.signals = append(g.signals, s)
	}
	return l
}

func (g *graph) and(a, b lit) lit {
	switch {
	case a == no || b == no || a == b.not():
		return no
	case a == yes || a == b:
		return b
	case b == yes:
		return a
	}
	k := [2]lit{min(a, b), max(a, b)}
	l, ok := g.known[k]
	if !ok {
		need(len(g.fanin) < maxGates, "more than %d gates", maxGates)
		l = lit(2 * len(g.fanin))
		g.fanin = append(g.fanin, k)
		g.known[k] = l
	}
	return l
}

func (g *graph) or(a, b lit) lit { return g.and(a.not(), b.not()).not() }

func (g *graph) xor(a, b lit) lit {
	both, neither := g.and(a, b), g.and(a.not(), b.not())
	return g.and(both.not(), neither.not())
}

func (g *graph) mux(s, a, b lit) lit {
	if a == b {
		return a
	}
	return g.and(g.and(s, a).not(), g.and(s.not(), b).not()).not()
}

// A vec is a word, least bit first.
type vec []lit

func number(v uint64, width int) vec {
	w := make(vec, width)
	for i := range w {
		w[i] = bit(i < 64 && v>>uint(i)&1 == 1)
	}
	return w
}

func (v vec) not() vec {
	w := make(vec, len(v))
	for i, l := range v {
		w[i] = l.not()
	}
	return w
}

func (v vec) top() lit { return v[len(v)-1] }

// wide is v with fill above, cut where it is longer.
func (v vec) wide(width int, fill lit) vec {
	w := make(vec, width)
	for i := range w {
		if w[i] = fill; i < len(v) {
			w[i] = v[i]
		}
	}
	return w
}

func each(f func(a, b lit) lit, a, b vec) vec {
	w := make(vec, len(a))
	for i := range w {
		w[i] = f(a[i], b[i])
	}
	return w
}

func along(f func(a, b lit) lit, v vec) lit {
	l := v[0]
	for _, m := range v[1:] {
		l = f(l, m)
	}
	return l
}

func (g *graph) add(a, b vec, c lit) (vec, lit) {
	s := make(vec, len(a))
	for i := range a {
		x := g.xor(a[i], b[i])
		s[i] = g.xor(x, c)
		c = g.or(g.and(a[i], b[i]), g.and(x, c))
	}
	return s, c
}

func (g *graph) sum(a, b vec) vec {
	s, _ := g.add(a, b, no)
	return s
}

func (g *graph) sub(a, b vec) vec {
	s, _ := g.add(a, b.not(), yes)
	return s
}

func (g *graph) neg(a vec) vec {
	s, _ := g.add(a.not(), make(vec, len(a)), yes)
	return s
}

func (g *graph) mul(a, b vec) vec {
	p := make(vec, len(a))
	for i, f := range b {
		row := make(vec, len(a))
		for j := i; j < len(a); j++ {
			row[j] = g.and(a[j-i], f)
		}
		p = g.sum(p, row)
	}
	return p
}

func (g *graph) choose(s lit, a, b vec) vec {
	return each(func(x, y lit) lit { return g.mux(s, x, y) }, a, b)
}

// divide is long division; a divisor of 0 has all ones and the dividend.
func (g *graph) divide(a, b vec) (quotient, rest vec) {
	n := len(a)
	quotient, rest = make(vec, n), make(vec, n+1)
	divisor := b.wide(n+1, no)
	for i := n - 1; i >= 0; i-- {
		rest = append(vec{a[i]}, rest[:n]...)
		less, enough := g.add(rest, divisor.not(), yes)
		quotient[i] = enough
		rest = g.choose(enough, less, rest)
	}
	return quotient, rest[:n]
}

func (g *graph) magnitude(a vec) vec { return g.choose(a.top(), g.neg(a), a) }

func (g *graph) sdiv(a, b vec) vec {
	q, _ := g.divide(g.magnitude(a), g.magnitude(b))
	return g.choose(g.xor(a.top(), b.top()), g.neg(q), q)
}

func (g *graph) srem(a, b vec) vec {
	_, r := g.divide(g.magnitude(a), g.magnitude(b))
	return g.choose(a.top(), g.neg(r), r)
}

func (g *graph) smod(a, b vec) vec {
	_, u := g.divide(g.magnitude(a), g.magnitude(b))
	minus := g.neg(u)
	plus, less := g.sum(u, b), g.sum(minus, b)
	signed := g.choose(a.top(), g.choose(b.top(), minus, less), g.choose(b.top(), plus, u))
	return g.choose(g.equal(u, make(vec, len(u))), u, signed)
}

// shift moves a by what amount says: to the left, or to the right with fill coming in.
func (g *graph) shift(a, amount vec, left bool, fill lit) vec {
	j := 0
	for ; j < len(amount) && 1<<j < len(a); j++ {
		by := 1 << j
		moved := make(vec, len(a))
		for i := range moved {
			from := i + by
			if left {
				from = i - by
			}
			if moved[i] = fill; from >= 0 && from < len(a) {
				moved[i] = a[from]
			}
		}
		a = g.choose(amount[j], moved, a)
	}
	if j < len(amount) {
		gone := make(vec, len(a))
		for i := range gone {
			gone[i] = fill
		}
		a = g.choose(along(g.or, amount[j:]), gone, a)
	}
	return a
}

func (g *graph) equal(a, b vec) lit { return along(g.and, each(g.xor, a, b).not()) }

func (g *graph) below(a, b vec) lit {
	l := no
	for i := range a {
		l = g.mux(g.xor(a[i], b[i]), b[i], l)
	}
	return l
}

// belowSigned inverts the signs: then the order is that of numbers without.
func (g *graph) belowSigned(a, b vec) lit {
	flip := func(v vec) vec {
		w := v.wide(len(v), no)
		w[len(w)-1] = w.top().not()
		return w
	}
	return g.below(flip(a), flip(b))
}

// lookup is bit {address} of table: the highest input chooses the half.
func (g *graph) lookup(table, address vec) lit {
	if len(address) == 0 {
		return table[0]
	}
	n := len(address) - 1
	half := 1 << n
	upper, lower := g.lookup(table[half:], address[:n]), g.lookup(table[:half], address[:n])
	return g.mux(address[n], upper, lower)
}

// simulate computes all nodes for 64 assignments of the signals.
func (g *graph) simulate(in []uint64, values []uint64) {
	for i, n := range g.nodes {
		values[n] = in[i]
	}
	at := func(l lit) uint64 { return values[l>>1] ^ -uint64(l&1) }
	for n := 1; n < len(g.fanin); n++ {
		if f := g.fanin[n]; f[1] != 0 { // no gate has the constant in it
			values[n] = at(f[0]) & at(f[1])
		}
	}
}

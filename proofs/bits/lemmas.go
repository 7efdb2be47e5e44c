package bits

import (
	"math"
	"strconv"
	"strings"
)

// lines hands out the lines of a body.
type lines struct{ rest string }

func (l *lines) next() string {
	line, rest, ok := strings.Cut(l.rest, "\n")
	need(ok, "the certificate ends too early")
	l.rest = rest
	return line
}

// naturals reads numbers between single blanks into buffer.
func naturals(line string, buffer []uint32) []uint32 {
	buffer = buffer[:0]
	for line != "" {
		word, rest, more := strings.Cut(line, " ")
		n, err := strconv.ParseUint(word, 10, 31)
		plain := err == nil && (word == "0" || word[0] != '0')
		need(plain && (!more || rest != ""), "no number: %q", word)
		buffer = append(buffer, uint32(n))
		line = rest
	}
	return buffer
}

// body is what a body of kind gates says: literals are the file's, 2n or 2n+1 of its nodes.
type body struct {
	own    []lit // of nodes of the file: what they are in the checker's graph
	gates  int
	inputs int
	units  []uint32
	// Lemmas lie behind one another in clauses; lemma k is start[k] to start[k+1].
	clauses []uint32
	start   []int
	dropped []bool
	value   []int8 // of nodes: 1 true, -1 false
	trail   []uint32
	proved  map[[2]lit]bool // what lemmas of one or two literals say of the checker's graph
}

func (b *body) translated(l uint32) lit {
	need(int(l>>1) < len(b.own), "literal %d", l)
	return b.own[l>>1] ^ lit(l&1)
}

// readBody checks a body: gates are conjunctions by definition, and each lemma follows from them
// and from lemmas before it by unit propagation along its hints.
func readBody(g *graph, l *lines, assumed map[lit]bool) *body {
	count := strings.Fields(l.next())
	need(len(count) == 5 && count[0] == "gates", "no counts of gates")
	n := naturals(strings.Join(count[1:], " "), nil)
	b := &body{}
	fanins := b.nodes(g, l, n[0], n[1])
	var buffer []uint32
	for range n[2] {
		f := strings.Split(l.next(), " ")
		need(len(f) == 2 && f[0] == "u", "no unit")
		u := naturals(f[1], buffer)[0]
		need(assumed[b.translated(u)], "a unit that nothing assumes")
		b.units = append(b.units, u)
	}
	b.value = make([]int8, len(b.own))
	b.set(1) // the constant is false
	b.start = []int{0}
	for done := uint32(0); done < n[3]; {
		line := l.next()
		if deleted, ok := strings.CutPrefix(line, "d "); ok {
			for _, id := range ids(naturals(deleted, buffer)) {
				k := int(id) - 3*b.gates - len(b.units) - 1
				need(k >= 0 && k < len(b.dropped), "no lemma %d to drop", id)
				b.dropped[k] = true
			}
			continue
		}
		buffer = naturals(line, buffer)
		end := 0
		for end < len(buffer) && buffer[end] != 0 {
			end++
		}
		need(end < len(buffer), "a lemma does not end")
		b.lemma(buffer[:end], ids(buffer[end+1:]), fanins)
		done++
	}
	return b
}

// nodes reads inputs and gates, and finds them in the checker's graph. It returns the literals that gates are conjunctions of.
func (b *body) nodes(g *graph, l *lines, inputs, gates uint32) (fanins []uint32) {
	b.own, b.proved = []lit{no}, map[[2]lit]bool{}
	var buffer []uint32
	for range inputs {
		f := strings.Split(l.next(), " ")
		need(len(f) == 4 && f[0] == "i", "no input")
		at := naturals(f[2]+" "+f[3], buffer)
		s := signal{f[1], int(at[0]), int(at[1])}
		node, known := g.inputs[s]
		if !known { // a lemma may speak of it: what it is does not matter
			node = g.input(s)
		}
		b.own = append(b.own, node)
	}
	b.inputs, b.gates = int(inputs), int(gates)
	for range gates {
		buffer = naturals(l.next(), buffer)
		need(len(buffer) == 2, "no gate")
		b.own = append(b.own, g.and(b.translated(buffer[0]), b.translated(buffer[1])))
		fanins = append(fanins, buffer...)
	}
	return fanins
}

// readNodes reads inputs and gates alone.
func readNodes(g *graph, l *lines) *body {
	count := strings.Fields(l.next())
	need(len(count) == 3 && count[0] == "nodes", "no counts of nodes")
	n := naturals(strings.Join(count[1:], " "), nil)
	b := &body{}
	b.nodes(g, l, n[0], n[1])
	return b
}

// ids are numbers up to the 0 that ends them.
func ids(n []uint32) []uint32 {
	need(len(n) > 0 && n[len(n)-1] == 0, "a list does not end")
	for _, id := range n[:len(n)-1] {
		need(id != 0, "a list ends twice")
	}
	return n[:len(n)-1]
}

// holds is the value of a literal: 1, -1, or 0 where it has none.
func (b *body) holds(l uint32) int8 {
	need(int(l>>1) < len(b.value), "literal %d", l)
	v := b.value[l>>1]
	if l&1 == 1 {
		return -v
	}
	return v
}

func (b *body) set(l uint32) {
	b.value[l>>1] = 1 - 2*int8(l&1)
}

// lemma assumes that no literal of the clause holds. Each hint then has one literal left, which
// holds, but the last, which has none.
func (b *body) lemma(clause, hints, fanins []uint32) {
	b.trail = b.trail[:0]
	refuted := false
	assign := func(l uint32) {
		b.set(l)
		b.trail = append(b.trail, l>>1)
	}
	for _, l := range clause {
		need(l > 1, "a constant in a lemma")
		if v := b.holds(l); v == 0 {
			assign(l ^ 1)
		} else if v > 0 { // l and its complement are both in it
			refuted = true
		}
	}
	var three [3]uint32
	for _, id := range hints {
		need(!refuted, "hints beyond the last")
		refuted = b.propagate(b.clause(int(id), fanins, &three), assign)
	}
	need(refuted, "a lemma that does not follow")
	for _, node := range b.trail {
		b.value[node] = 0
	}
	b.clauses = append(b.clauses, clause...)
	b.start = append(b.start, len(b.clauses))
	b.dropped = append(b.dropped, false)
	need(len(b.clauses) < math.MaxInt32, "too many lemmas")
	switch len(clause) {
	case 1:
		x := b.translated(clause[0])
		b.proved[[2]lit{x, x}] = true
	case 2:
		x, y := b.translated(clause[0]), b.translated(clause[1])
		b.proved[[2]lit{min(x, y), max(x, y)}] = true
	}
}

// clause is that of an id: three of each gate, then units, then lemmas.
func (b *body) clause(id int, fanins []uint32, three *[3]uint32) []uint32 {
	k := id - 1
	if k < 3*b.gates {
		j := k / 3
		gate, x, y := uint32(2*(1+b.inputs+j)), fanins[2*j], fanins[2*j+1]
		switch k % 3 {
		case 0:
			*three = [3]uint32{gate ^ 1, x}
			return three[:2]
		case 1:
			*three = [3]uint32{gate ^ 1, y}
			return three[:2]
		}
		*three = [3]uint32{gate, x ^ 1, y ^ 1}
		return three[:]
	}
	if k -= 3 * b.gates; k < len(b.units) {
		return b.units[k : k+1]
	}
	k -= len(b.units)
	need(k >= 0 && k < len(b.dropped) && !b.dropped[k], "no lemma %d", id)
	return b.clauses[b.start[k]:b.start[k+1]]
}

// propagate gives the last literal of a clause its value. It is true where none is left.
func (b *body) propagate(clause []uint32, assign func(uint32)) (refuted bool) {
	left := uint32(0)
	for _, l := range clause {
		switch v := b.holds(l); {
		case v > 0:
			refuse("a hint that holds already")
		case v == 0 && left == l:
		case v == 0:
			need(left == 0, "a hint with two literals left")
			left = l
		}
	}
	if left == 0 {
		return true
	}
	assign(left)
	return false
}

// implied tells whether x or y is shown: a lemma says it, or one of the two alone; or it is what a
// gate is: not the gate, or one of its two.
func (b *body) implied(g *graph, x, y lit) bool {
	switch {
	case x == yes || y == yes || x == y.not():
		return true
	case b.proved[[2]lit{min(x, y), max(x, y)}]:
		return true
	case g.defined(x, y) || g.defined(y, x):
		return true
	}
	return b.proved[[2]lit{x, x}] || b.proved[[2]lit{y, y}]
}

// defined tells whether x is the complement of a gate of which y is a part.
func (g *graph) defined(x, y lit) bool {
	f := g.fanin[x>>1]
	return x&1 == 1 && f[1] != 0 && (f[0] == y || f[1] == y)
}

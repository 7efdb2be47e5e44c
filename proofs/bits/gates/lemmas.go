package gates

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Lines hands out the lines of a body.
type Lines struct{ Rest string }

// Next is the next line.
func (l *Lines) Next() string {
	line, rest, ok := strings.Cut(l.Rest, "\n")
	Need(ok, "the certificate ends too early")
	l.Rest = rest
	return line
}

// naturals reads numbers between single blanks into buffer.
func naturals(line string, buffer []uint32) []uint32 {
	buffer = buffer[:0]
	for line != "" {
		word, rest, more := strings.Cut(line, " ")
		n, err := strconv.ParseUint(word, 10, 31)
		plain := err == nil && (word == "0" || word[0] != '0')
		Need(plain && (!more || rest != ""), "no number: %q", word)
		buffer = append(buffer, uint32(n))
		line = rest
	}
	return buffer
}

// A Body is what a body says: literals are the file's, 2n or 2n+1 of its nodes. Each clause has an
// id: three of each gate, then those that are given, then lemmas.
type Body struct {
	graph  *Graph
	own    []Lit // of nodes of the file: what they are in the checker's graph
	inputs int
	read   []Signal // the inputs
	fanins []uint32 // of gates
	// Clauses lie behind one another; clause k is start[k] to start[k+1].
	clauses []uint32
	start   []int
	dropped []bool
	given   int    // clauses that no lemma is
	value   []int8 // of nodes: 1 true, -1 false
	trail   []uint32
	proved  map[[2]Lit]bool // what clauses of one or two literals say of the checker's graph
	buffer  []uint32
}

// Counts reads a line of a name and n numbers.
func (l *Lines) Counts(name string, n int) []int {
	f := strings.Split(l.Next(), " ")
	Need(len(f) == n+1 && f[0] == name, "no counts of %s", name)
	var out []int
	for _, k := range naturals(strings.Join(f[1:], " "), nil) {
		out = append(out, int(k))
	}
	Need(len(out) == n, "no counts of %s", name)
	return out
}

// NewBody reads inputs and gates, and finds them in the checker's graph.
func NewBody(g *Graph, l *Lines, inputs, gates int) *Body {
	b := &Body{graph: g, own: []Lit{No}, inputs: inputs, proved: map[[2]Lit]bool{}, start: []int{0}}
	for range inputs {
		s := l.signal()
		b.read = append(b.read, s)
		b.own = append(b.own, g.Signal(s))
	}
	for range gates {
		b.buffer = naturals(l.Next(), b.buffer)
		Need(len(b.buffer) == 2, "no gate")
		b.own = append(b.own, g.And(b.Literal(b.buffer[0]), b.Literal(b.buffer[1])))
		b.fanins = append(b.fanins, b.buffer...)
	}
	b.value = make([]int8, len(b.own))
	b.set(1) // the constant is false
	return b
}

// signal reads an input of a body. One that nothing has may be there: what it is does not matter.
func (l *Lines) signal() Signal {
	f := strings.Split(l.Next(), " ")
	kinds := map[string]Kind{"i": Input, "a": StateAfter, "b": StateBefore, "o": OpenAfter}
	kind, ok := kinds[f[0]]
	held := kind == StateAfter || kind == StateBefore
	Need(ok && (len(f) == 4 && !held || len(f) == 3 && held), "no input")
	Need(f[1] != "", "no input")
	at := naturals(strings.Join(f[2:], " "), nil)
	Need(len(at) == len(f)-2, "no input")
	s := Signal{Kind: kind, Port: f[1], Bit: int(at[0])}
	if !held {
		s.Delay = int(at[1])
	}
	return s
}

// Inputs are the signals of a body.
func (b *Body) Inputs() []Signal { return b.read }

// Elsewhere is a literal of the file in another graph, or at another time: with its inputs replaced
// by what they are there, and its gates made again. What is known of nodes already is in memo.
func (b *Body) Elsewhere(l uint32, g *Graph, memo map[uint32]Lit, input func(s Signal) Lit) Lit {
	var of func(node uint32) Lit
	of = func(node uint32) Lit {
		if node == 0 {
			return No
		}
		if x, ok := memo[node]; ok {
			return x
		}
		var x Lit
		if k := int(node) - 1; k < b.inputs {
			x = input(b.read[k])
		} else {
			j := 2 * (k - b.inputs)
			p, q := b.fanins[j], b.fanins[j+1]
			x = g.And(of(p>>1)^Lit(p&1), of(q>>1)^Lit(q&1))
		}
		memo[node] = x
		return x
	}
	Need(int(l>>1) < len(b.own), "literal %d", l)
	return of(l>>1) ^ Lit(l&1)
}

// Literal is one of the file's as a literal of the checker's graph.
func (b *Body) Literal(l uint32) Lit {
	Need(int(l>>1) < len(b.own), "literal %d", l)
	return b.own[l>>1] ^ Lit(l&1)
}

// Unit reads an assumption.
func (b *Body) Unit(l *Lines) Lit {
	word, ok := strings.CutPrefix(l.Next(), "u ")
	Need(ok, "no unit")
	b.buffer = naturals(word, b.buffer)
	Need(len(b.buffer) == 1, "no unit")
	b.give(b.buffer)
	return b.Literal(b.buffer[0])
}

// Clause reads a clause that is given, behind v, as literals of the file.
func (b *Body) Clause(l *Lines) []uint32 {
	words, ok := strings.CutPrefix(l.Next(), "v ")
	Need(ok, "no clause")
	clause := slices.Clone(ids(naturals(words, nil)))
	b.give(clause)
	return clause
}

// Choice reads c NAME BIT LIT.
func (b *Body) Choice(l *Lines) (name string, bit int, value Lit) {
	f := strings.Split(l.Next(), " ")
	Need(len(f) == 4 && f[0] == "c", "no choice")
	n := naturals(f[2]+" "+f[3], nil)
	Need(len(n) == 2, "no choice")
	return f[1], int(n[0]), b.Literal(n[1])
}

// Shown reads the numbers behind shown.
func (l *Lines) Shown(n int) []uint32 {
	words, ok := strings.CutPrefix(l.Next(), "shown")
	Need(ok && (words == "" || words[0] == ' '), "no numbers of what is shown")
	ids := naturals(strings.TrimPrefix(words, " "), nil)
	Need(len(ids) == n && (n > 0 || words == ""), "%d numbers for %d clauses", len(ids), n)
	return ids
}

func (b *Body) give(clause []uint32) {
	b.add(clause)
	b.given++
}

// add gives a clause its id, and remembers what a short one says.
func (b *Body) add(clause []uint32) {
	b.clauses = append(b.clauses, clause...)
	b.start = append(b.start, len(b.clauses))
	b.dropped = append(b.dropped, false)
	Need(len(b.clauses) < math.MaxInt32, "too many lemmas")
	switch len(clause) {
	case 1:
		x := b.Literal(clause[0])
		b.proved[[2]Lit{x, x}] = true
	case 2:
		x, y := b.Literal(clause[0]), b.Literal(clause[1])
		b.proved[[2]Lit{min(x, y), max(x, y)}] = true
	}
}

// Lemmas reads n lemmas. Gates are conjunctions by definition, and each lemma follows from them,
// from what is given and from lemmas before it by unit propagation along its hints.
func (b *Body) Lemmas(l *Lines, n int) {
	for done := 0; done < n; {
		line := l.Next()
		if deleted, ok := strings.CutPrefix(line, "d "); ok {
			b.buffer = naturals(deleted, b.buffer)
			for _, id := range ids(b.buffer) {
				k := int(id) - 1 - len(b.fanins)/2*3
				Need(k >= b.given && k < len(b.dropped), "no lemma %d to drop", id)
				b.dropped[k] = true
			}
			continue
		}
		b.buffer = naturals(line, b.buffer)
		end := 0
		for end < len(b.buffer) && b.buffer[end] != 0 {
			end++
		}
		Need(end < len(b.buffer), "a lemma does not end")
		b.lemma(b.buffer[:end], ids(b.buffer[end+1:]))
		done++
	}
}

// ids are numbers up to the 0 that ends them.
func ids(n []uint32) []uint32 {
	Need(len(n) > 0 && n[len(n)-1] == 0, "a list does not end")
	for _, id := range n[:len(n)-1] {
		Need(id != 0, "a list ends twice")
	}
	return n[:len(n)-1]
}

// holds is the value of a literal: 1, -1, or 0 where it has none.
func (b *Body) holds(l uint32) int8 {
	Need(int(l>>1) < len(b.value), "literal %d", l)
	v := b.value[l>>1]
	if l&1 == 1 {
		return -v
	}
	return v
}

func (b *Body) set(l uint32) {
	b.value[l>>1] = 1 - 2*int8(l&1)
}

// lemma assumes that no literal of the clause holds. Each hint then has one literal left, which
// holds, but the last, which has none.
func (b *Body) lemma(clause, hints []uint32) {
	b.trail = b.trail[:0]
	refuted := false
	for _, l := range clause {
		Need(l > 1, "a constant in a lemma")
		if v := b.holds(l); v == 0 {
			b.assign(l ^ 1)
		} else if v > 0 { // l and its complement are both in it
			refuted = true
		}
	}
	for _, id := range hints {
		Need(!refuted, "hints beyond the last")
		var three [3]uint32
		refuted = b.propagate(b.clause(int(id), &three))
	}
	Need(refuted, "a lemma that does not follow")
	for _, node := range b.trail {
		b.value[node] = 0
	}
	b.add(clause)
}

func (b *Body) assign(l uint32) {
	b.set(l)
	b.trail = append(b.trail, l>>1)
}

// clause is that of an id: three of each gate, then those of the table.
func (b *Body) clause(id int, three *[3]uint32) []uint32 {
	k, gates := id-1, len(b.fanins)/2
	if k >= 0 && k < 3*gates {
		j := k / 3
		gate, x, y := uint32(2*(1+b.inputs+j)), b.fanins[2*j], b.fanins[2*j+1]
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
	k -= 3 * gates
	Need(k >= 0 && k < len(b.dropped) && !b.dropped[k], "no lemma %d", id)
	return b.clauses[b.start[k]:b.start[k+1]]
}

// propagate gives the last literal of a clause its value. It is true where none is left.
func (b *Body) propagate(clause []uint32) (refuted bool) {
	left := uint32(0)
	for _, l := range clause {
		switch v := b.holds(l); {
		case v > 0:
			Refuse("a hint that holds already")
		case v == 0 && left == l:
		case v == 0:
			Need(left == 0, "a hint with two literals left")
			left = l
		}
	}
	if left == 0 {
		return true
	}
	b.assign(left)
	return false
}

// Equal tells whether two literals are shown to be equal: they are one, or each implies the other.
func (b *Body) Equal(x, y Lit) bool {
	return x == y || b.implied(x.Not(), y) && b.implied(x, y.Not())
}

// implied tells whether x or y is shown: a clause says it, or one of the two alone; or it is what a
// gate is: not the gate, or one of its two.
func (b *Body) implied(x, y Lit) bool {
	switch {
	case x == Yes || y == Yes || x == y.Not():
		return true
	case b.proved[[2]Lit{min(x, y), max(x, y)}]:
		return true
	case b.graph.defined(x, y) || b.graph.defined(y, x):
		return true
	}
	return b.proved[[2]Lit{x, x}] || b.proved[[2]Lit{y, y}]
}

// Shows tells whether the clause of an id says no more than one of the checker's: each literal of
// it is false, or in that. Id 0 shows a clause that has a true literal, or two that are
// complements.
func (b *Body) Shows(id uint32, clause []Lit) bool {
	has := func(l Lit) bool { return slices.Contains(clause, l) }
	if id == 0 {
		return slices.ContainsFunc(clause, func(l Lit) bool { return l == Yes || has(l.Not()) })
	}
	var three [3]uint32
	for _, x := range b.clause(int(id), &three) {
		if l := b.Literal(x); l != No && !has(l) {
			return false
		}
	}
	return true
}

// defined tells whether x is the complement of a gate of which y is a part.
func (g *Graph) defined(x, y Lit) bool {
	f := g.fanin[x>>1]
	return x&1 == 1 && f[1] != 0 && (f[0] == y || f[1] == y)
}

// Empty tells whether the last clause is the empty one: that what was given cannot hold.
func (b *Body) Empty() bool {
	n := len(b.start)
	return n > 1 && b.start[n-1] == b.start[n-2]
}

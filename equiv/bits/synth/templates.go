package synth

import (
	"fmt"
	"slices"
)

// A template makes sketches, the cheapest first; none where an architecture or a question has no such netlist.
type template struct {
	name   string
	sketch func(q *shape) []*Sketch
}

// templates in the order of their names for users.
var templates = []template{
	{"bitwise", bitwise},
	{"carry", carry},
	{"bitwise-with-carry", bitwiseWithCarry},
	{"comparison", comparison},
	{"shallow-comparison", shallowComparison},
	{"mul", multiply},
	{"shift", shift},
}

// A shape is what templates know of a question: the ports of one output.
type shape struct {
	arch   string
	inputs []port // that the output depends on
	out    port
}

func (q *shape) sketch() *Sketch { return newSketch(q.arch, q.inputs, q.out) }

// extended are the inputs at the width of the output, the lowest bit first: what is missing is zero or a copy of the sign, as a hole says.
func (s *Sketch) extended() [][]net {
	var out [][]net
	for i, p := range s.inputs {
		out = append(out, s.extend(s.read(i), p.width, s.output.width))
	}
	return out
}

// staged puts a stage behind rows.
func (s *Sketch) staged(rows [][]net) [][]net {
	var flat []net
	for _, r := range rows {
		flat = append(flat, r...)
	}
	flat = s.stage(flat)
	out := make([][]net, len(rows))
	for i, r := range rows {
		out[i], flat = flat[:len(r)], flat[len(r):]
	}
	return out
}

// column is bit i of each row.
func column(rows [][]net, i int) (out []net) {
	for _, r := range rows {
		out = append(out, r[i])
	}
	return out
}

// bitwise: each bit is one table of the bits of all inputs at its place.
func bitwise(q *shape) []*Sketch {
	n := len(q.inputs)
	s := q.sketch()
	switch {
	case n > fabrics[q.arch].most:
		return nil
	case n == 0:
		s.result = s.stage(s.hole("constant", q.out.width))
		return []*Sketch{s}
	}
	rows := s.staged(s.extended())
	t := s.table("table", n)
	out := s.drive("f", q.out.width)
	for i := range out {
		s.lutTo(out[i], t, column(rows, i)...)
	}
	s.result = s.stage(out)
	return []*Sketch{s}
}

// carryIn is a constant, an input of one bit or its complement, as a hole says.
func (s *Sketch) carryIn(rows [][]net) net {
	ways := []net{zero, one}
	for i, r := range rows {
		if s.inputs[i].width == 1 {
			ways = append(ways, r[0], s.lut(fixed(1, func(i uint) bool { return i == 0 }), r[0]))
		}
	}
	return s.choose(s.ways("in", len(ways)), ways...)
}

// carry: a chain of carries over the inputs, without tables before it.
func carry(q *shape) []*Sketch {
	if len(q.inputs) == 0 || len(q.inputs) > 3 {
		return nil
	}
	s := q.sketch()
	rows := s.staged(s.extended())
	ci := s.carryIn(rows)
	var out []net
	switch q.arch {
	case "xilinx": // which has no tables of its own: operands are inputs or constants
		var s1, s2 []net
		sum, generate := s.ways("sum", len(rows)+2), s.ways("generate", len(rows)+2)
		for i := range q.out.width {
			ways := append(column(rows, i), zero, one)
			s1, s2 = append(s1, s.choose(sum, ways...)), append(s2, s.choose(generate, ways...))
		}
		out, _ = s.chain(s1, s2, ci)
	default:
		out, _ = s.ownChain(rows, ci)
	}
	s.result = s.stage(out)
	return []*Sketch{s}
}

// bitwiseWithCarry: a chain whose operands are a table of all inputs' bits, and one input.
func bitwiseWithCarry(q *shape) []*Sketch {
	n := len(q.inputs)
	if n == 0 || n > fabrics[q.arch].most {
		return nil
	}
	s := q.sketch()
	rows := s.staged(s.extended())
	ci := s.carryIn(rows)
	t, from := s.table("table", n), s.ways("generate", n+1)
	var generate []net
	sum := s.drive("f", q.out.width)
	for i := range sum {
		s.lutTo(sum[i], t, column(rows, i)...)
		generate = append(generate, s.choose(from, append(column(rows, i), zero)...))
	}
	both := s.staged([][]net{sum, generate, {ci}})
	out, _ := s.chain(both[0], both[1], both[2][0])
	s.result = s.stage(out)
	return []*Sketch{s}
}

// comparison: the last carry of a chain whose operands are two tables of the inputs' bits. The highest bits have tables of their own: they
// may be signs.
func comparison(q *shape) []*Sketch {
	n := len(q.inputs)
	if q.out.width != 1 || n == 0 || n > 4 {
		return nil
	}
	s := q.sketch()
	rows := s.staged(s.widened())
	width := len(rows[0])
	ci := s.carryIn(nil)
	propagates, generates := [2]table{s.table("propagate", n), s.table("propagate_top", n)}, [2]table{s.table("generate", n), s.table("generate_top", n)}
	propagate, generate := s.drive("p", width), s.drive("g", width)
	for i := range width {
		top := 0
		if i == width-1 {
			top = 1
		}
		s.lutTo(propagate[i], propagates[top], column(rows, i)...)
		s.lutTo(generate[i], generates[top], column(rows, i)...)
	}
	both := s.staged([][]net{propagate, generate})
	_, last := s.chain(both[0], both[1], ci)
	s.result = s.stage([]net{last()})
	return []*Sketch{s}
}

// widened are the inputs at the width of the widest.
func (s *Sketch) widened() [][]net {
	width := 0
	for _, p := range s.inputs {
		width = max(width, p.width)
	}
	var out [][]net
	for i, p := range s.inputs {
		out = append(out, s.extend(s.read(i), p.width, width))
	}
	return out
}

// extend is a row at a width: what is missing is zero or a copy of the sign, as a hole says.
func (s *Sketch) extend(bits []net, from, width int) []net {
	if from < width {
		fill := s.pick(s.hole("signed", 1)[0], bits[from-1], zero)
		for len(bits) < width {
			bits = append(bits, fill)
		}
	}
	return bits[:width]
}

// shallowComparison: a tree of the largest tables over the bits of the inputs, place by place. Tables of one level and one size are one.
func shallowComparison(q *shape) []*Sketch {
	if q.out.width != 1 || len(q.inputs) == 0 {
		return nil
	}
	s := q.sketch()
	rows := s.staged(s.widened())
	var level []net
	for i := range rows[0] {
		level = append(level, column(rows, i)...)
	}
	if len(level) < 2 {
		return nil
	}
	size := s.largest()
	if first := size / len(rows) * len(rows); first > 1 { // places stay together
		level = s.level(level, first, 0)
	} else {
		level = s.level(level, size, 0)
	}
	for k := 1; len(level) > 1; k++ {
		level = s.level(level, size, k)
	}
	s.result = s.stage(level)
	return []*Sketch{s}
}

// level has a table for each so many of nets, the last for what is left.
func (s *Sketch) level(nets []net, size, k int) []net {
	tables := map[int]table{}
	out := s.drive("t", (len(nets)+size-1)/size)
	for i := range out {
		part := nets[size*i : min(size*(i+1), len(nets))]
		if tables[len(part)] == nil {
			t := s.table(fmt.Sprintf("level%d_", k), len(part))
			if len(out) > 1 { // the next level reads it either way: that all zeros are 0 is no loss
				t = append(table{zero}, t[1:]...)
			}
			tables[len(part)] = t
		}
		s.lutTo(out[i], tables[len(part)], part...)
	}
	return out
}

// multiply: a row of conjunctions for each bit of an operand, shifted, and folded by chains; first for operands without signs, of which
// the second has as many rows as bits.
func multiply(q *shape) []*Sketch {
	if len(q.inputs) == 0 || len(q.inputs) > 2 || q.out.width > 64 || q.out.width < 2 {
		return nil
	}
	list := []*Sketch{q.multiplied(false)}
	for _, p := range q.inputs {
		if p.width < q.out.width {
			return append(list, q.multiplied(true))
		}
	}
	return list
}

func (q *shape) multiplied(signed bool) *Sketch {
	s := q.sketch()
	width := q.out.width
	var rows [][]net
	for i, p := range q.inputs {
		r := s.read(i)
		if signed {
			r = s.extend(r, p.width, width)
		}
		r = r[:min(len(r), width)]
		rows = append(rows, append(r, slices.Repeat([]net{zero}, width-len(r))...))
	}
	rows = s.staged(rows)
	a, b := rows[0], rows[len(rows)-1]
	sum := s.drive("row", width)
	for i := range sum {
		s.lutTo(sum[i], fixed(2, func(i uint) bool { return i == 3 }), a[i], b[0])
	}
	t, from := s.table("table", 3), s.ways("generate", 2)
	ci := s.hole("in", 1)[0]
	for k := 1; k < width && b[k] != zero; k++ {
		if k == width/2 {
			half := s.staged([][]net{sum, a, b})
			sum, a, b = half[0], half[1], half[2]
		}
		adds := s.drive("f", width-k)
		var generate []net
		for i := range adds {
			s.lutTo(adds[i], t, sum[k+i], a[i], b[k])
			generate = append(generate, s.choose(from, sum[k+i], a[i]))
		}
		high, _ := s.chain(adds, generate, ci)
		sum = append(slices.Clone(sum[:k]), high...)
	}
	s.result = s.stage(sum)
	return s
}

// shift: a stage of choices for each bit of the amount. Which way, and what fills, are holes.
func shift(q *shape) []*Sketch {
	if len(q.inputs) != 2 || q.out.width < 2 {
		return nil
	}
	var list []*Sketch
	for value := range 2 { // which input is shifted
		if q.inputs[value].width <= q.out.width {
			list = append(list, q.shifted(value))
		}
	}
	return list
}

func (q *shape) shifted(value int) *Sketch {
	s := q.sketch()
	width := q.out.width
	x := s.read(value)
	x = s.extend(x, len(x), width)
	rows := s.staged([][]net{x, s.read(1 - value)})
	x, amount := rows[0], rows[1]
	left, round, fills := s.hole("left", 1)[0], s.hole("round", 1)[0], s.ways("fill", 3)
	fill := s.choose(fills, zero, one, x[width-1])
	far := len(amount)
	for k := range amount {
		if 1<<k >= width {
			far = k
			break
		}
		next := s.drive("x", width)
		by := 1 << k
		for i := range next {
			right := s.pick(round, x[(i+by)%width], fill)
			if i+by < width {
				right = x[i+by]
			}
			other := s.pick(round, x[(i+width-by)%width], fill)
			if i >= by {
				other = x[i-by]
			}
			s.lutTo(next[i], choice, x[i], s.pick(left, other, right), amount[k])
		}
		x = next
	}
	if far < len(amount) {
		x = s.beyond(x, amount[far:], s.pick(round, zero, one), fill)
	}
	s.result = s.stage(x)
	return s
}

// beyond is the fill where a bit of the amount counts for the whole width, unless what is shifted goes round.
func (s *Sketch) beyond(x, high []net, counts, fill net) []net {
	any := high
	for size := s.largest(); len(any) > 1; {
		level := s.drive("t", (len(any)+size-1)/size)
		for i := range level {
			part := any[size*i : min(size*(i+1), len(any))]
			s.lutTo(level[i], fixed(len(part), func(i uint) bool { return i != 0 }), part...)
		}
		any = level
	}
	out := s.drive("x", len(x))
	for i := range out {
		s.lutTo(out[i], choice, x[i], s.pick(counts, fill, x[i]), any[0])
	}
	return out
}

// Templates are the names that a user may give.
func Templates() []string {
	out := []string{"auto"}
	for _, t := range templates {
		out = append(out, t.name)
	}
	return append(out, dspTemplate)
}

// String names the shape, for messages.
func (q *shape) String() string {
	if q.out.width == 1 {
		return q.out.name + ", of one bit"
	}
	return fmt.Sprintf("%s, of %d bits", q.out.name, q.out.width)
}

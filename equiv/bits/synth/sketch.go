package synth

import (
	"fmt"
	"math/big"
	"slices"

	"tv/semantics/bits/cells"
)

// A net is a bit of a sketch: a constant, or by its number.
type net int

const (
	zero net = 0
	one  net = 1
)

// A hole is a word that is to be found.
type hole struct {
	name string
	bits []net
}

// A source says what a net is.
type source struct {
	kind  kind
	a, b  int // of input: port, bit; of hole: hole, bit; of output: cell, bit of its outputs
	sel   net // of pick
	yes   net
	no    net
	group int // of output: its wire
	index int // likewise
}

type kind uint8

const (
	constant kind = iota
	input
	holeBit
	output
	pick // sel ? yes : no, where sel depends on holes alone: no cell, but a choice of what is connected
	late // yes, behind the registers of stage a
)

// A param is a parameter: a text, or bits that may be those of holes, the least first.
type param struct {
	name string
	text string
	bits []net
}

// A pin is a connection of an input of a cell, or what an output drives. An input without nets is the clock, an output without is open.
type pin struct {
	name string
	bits []net
}

// A part is an instance of a sketch.
type part struct {
	typ     string
	params  []param
	in, out []pin
}

// A wire is a row of nets that cells drive, by the name that it gets.
type wire struct {
	name string
	bits []net
}

// A Sketch is a netlist with holes: its parts come after those that they read. Of registers it has the places: how many are
// there is said when a module is made of it.
type Sketch struct {
	arch   string
	inputs []port
	output port
	nets   []source // from 2 on
	holes  []hole
	parts  []part
	wires  []wire
	result []net // of the output, the least bit first
	stages []int // of each place where registers may be, how many nets pass it
	order  []net // picks, registers and parts (below 0: ^part) in the order in which they were made
	models map[string]*cells.Model
}

// A port of the question.
type port struct {
	name  string
	width int
}

func newSketch(arch string, inputs []port, out port) *Sketch {
	s := &Sketch{arch: arch, inputs: inputs, output: out, nets: make([]source, 2), models: map[string]*cells.Model{}}
	s.nets[one].a = 1
	return s
}

func (s *Sketch) add(n source) net {
	s.nets = append(s.nets, n)
	return net(len(s.nets) - 1)
}

// read is an input.
func (s *Sketch) read(i int) []net {
	out := make([]net, s.inputs[i].width)
	for bit := range out {
		out[bit] = s.add(source{kind: input, a: i, b: bit})
	}
	return out
}

// hole is a new hole of a width.
func (s *Sketch) hole(name string, width int) []net {
	h := hole{name: fmt.Sprintf("%s%d", name, len(s.holes)), bits: make([]net, width)}
	for slices.ContainsFunc(append(s.inputs[:len(s.inputs):len(s.inputs)], s.output), func(p port) bool { return p.name == h.name }) {
		h.name += "_"
	}
	for i := range h.bits {
		h.bits[i] = s.add(source{kind: holeBit, a: len(s.holes), b: i})
	}
	s.holes = append(s.holes, h)
	return h.bits
}

// choose is what a hole chooses: one bit after the other of a binary number; numbers beyond the last of ways choose that.
func (s *Sketch) choose(sel []net, ways ...net) net {
	if len(ways) == 1 {
		return ways[0]
	}
	half := 1
	for 2*half < len(ways) {
		half *= 2
	}
	k := 0
	for 1<<(k+1) < 2*half {
		k++
	}
	return s.pick(sel[k], s.choose(sel, ways[half:]...), s.choose(sel, ways[:half]...))
}

// ways is a hole that chooses among n.
func (s *Sketch) ways(name string, n int) []net {
	width := 0
	for 1<<width < n {
		width++
	}
	if width == 0 {
		return nil
	}
	return s.hole(name, width)
}

func (s *Sketch) pick(sel, yes, no net) net {
	if yes == no {
		return yes
	}
	n := s.add(source{kind: pick, sel: sel, yes: yes, no: no})
	s.order = append(s.order, n)
	return n
}

// stage is a row of nets behind registers, however many. Each way from an input to the output passes each stage once.
func (s *Sketch) stage(row []net) []net {
	out := make([]net, len(row))
	for i, n := range row {
		out[i] = n
		if n > one {
			out[i] = s.add(source{kind: late, a: len(s.stages), yes: n})
			s.order = append(s.order, out[i])
		}
	}
	s.stages = append(s.stages, len(row))
	return out
}

// drive makes a wire that a part to be added next drives: bits at of its outputs on.
func (s *Sketch) drive(name string, width int) []net {
	w := wire{name: fmt.Sprintf("%s%d", name, len(s.wires)), bits: make([]net, width)}
	for i := range w.bits {
		w.bits[i] = s.add(source{kind: output, a: -1, group: len(s.wires), index: i})
	}
	s.wires = append(s.wires, w)
	return w.bits
}

// place adds a part. Its output pins have nets of drive, or none where they are open.
func (s *Sketch) place(p part) {
	for _, o := range p.out {
		cell := cells.Find(s.arch, p.typ)
		at := cells.Offset(cell.Outputs, o.name)
		for i, n := range o.bits {
			if n >= 2 {
				s.nets[n].a, s.nets[n].b = len(s.parts), at+i
			}
		}
	}
	s.order = append(s.order, ^net(len(s.parts)))
	s.parts = append(s.parts, p)
}

// model is the cell of a part, its tables as inputs.
func (s *Sketch) model(p *part) *cells.Model {
	key := p.typ
	texts := map[string]cells.Value{}
	for _, q := range p.params {
		if q.text != "" {
			texts[q.name] = cells.Value{Text: q.text, IsText: true}
			key += "\n" + q.name + " " + q.text
		}
	}
	m := s.models[key]
	if m == nil {
		var err error
		if m, err = cells.Find(s.arch, p.typ).Symbolic(texts); err != nil {
			panic(fmt.Sprintf("synth: %s: %v", p.typ, err))
		}
		s.models[key] = m
	}
	return m
}

// solution is a sketch with words for its holes.
type solution struct {
	*Sketch
	found []*big.Int
}

// chosen follows picks.
func (s *solution) chosen(n net) net {
	for s.nets[n].kind == pick {
		x := &s.nets[n]
		n = x.no
		if s.value(x.sel) == 1 {
			n = x.yes
		}
	}
	return n
}

// value is that of a net that depends on holes alone.
func (s *solution) value(n net) uint {
	n = s.chosen(n)
	x := &s.nets[n]
	switch x.kind {
	case constant:
		return uint(x.a)
	case holeBit:
		return s.found[x.a].Bit(x.b)
	case late:
		return s.value(x.yes)
	}
	panic("synth: a choice that depends on inputs")
}

// needed tells which parts the output depends on, as the holes say.
func (s *solution) needed() []bool {
	out := make([]bool, len(s.parts))
	todo := slices.Clone(s.result)
	for len(todo) > 0 {
		n := s.chosen(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		switch x := &s.nets[n]; {
		case x.kind == late:
			todo = append(todo, x.yes)
		case x.kind == output && !out[x.a]:
			out[x.a] = true
			for _, q := range s.parts[x.a].in {
				todo = append(todo, q.bits...)
			}
		}
	}
	return out
}

// word is the value of a row of nets that depend on holes alone.
func (s *solution) word(bits []net) *big.Int {
	v := new(big.Int)
	for i, n := range bits {
		v.SetBit(v, i, s.value(n))
	}
	return v
}

// multiplier is how many cells of another kind a cell with a multiplier counts for.
const multiplier = 64

// area is the number of cells. How many registers there will be does not count.
func (s *Sketch) area() (n int) {
	for i := range s.parts {
		n += s.weight(&s.parts[i], 1, multiplier)
	}
	return n
}

// weight is that of a part: of a multiplier another than of the rest.
func (s *Sketch) weight(p *part, others, multipliers int) int {
	if cells.Width(cells.Find(s.arch, p.typ).Outputs) > 16 {
		return multipliers
	}
	return others
}

// depth is the number of cells on the longest way to the output; each block of a chain of carries counts.
func (s *Sketch) depth() int {
	at := make([]int, len(s.nets))
	for _, n := range s.order {
		if n >= 0 {
			x := &s.nets[n]
			if at[n] = at[x.yes]; x.kind == pick {
				at[n] = max(at[n], at[x.no])
			}
			continue
		}
		p := &s.parts[^n]
		deep := 0
		for _, q := range p.in {
			for _, b := range q.bits {
				deep = max(deep, at[b])
			}
		}
		for _, q := range p.out {
			for _, b := range q.bits {
				at[b] = deep + s.weight(p, 1, 4)
			}
		}
	}
	deep := 0
	for _, n := range s.result {
		deep = max(deep, at[n])
	}
	return deep
}

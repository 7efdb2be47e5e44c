package synth

import (
	"fmt"
	"slices"
)

// A fabric is what templates are made of on an architecture, as data.
type fabric struct {
	luts []lutCell // by their inputs, the fewest first
	mux  []muxCell // that choose between two tables of so many inputs as the largest has, one more, ..; none: tables do
	most int       // inputs that a table may have, of cells and such choices
}

// A muxCell is a cell that chooses.
type muxCell struct{ typ, sel, yes, no, out string }

// A lutCell is a cell that is a table.
type lutCell struct {
	typ   string
	param string   // empty: the table is connected, to pins sram
	pins  []string // inputs, the lowest bit of the address first
	out   string
}

func (l *lutCell) size() int { return len(l.pins) }

var fabrics = map[string]*fabric{
	"xilinx": {most: 9, mux: []muxCell{
		{"MUXF7", "S", "I1", "I0", "O"}, {"MUXF8", "S", "I1", "I0", "O"}, {"MUXF9", "S", "I1", "I0", "O"}}, luts: []lutCell{
		{"LUT1", "INIT", numbered("I", 1), "O"}, {"LUT2", "INIT", numbered("I", 2), "O"}, {"LUT3", "INIT", numbered("I", 3), "O"},
		{"LUT4", "INIT", numbered("I", 4), "O"}, {"LUT5", "INIT", numbered("I", 5), "O"}, {"LUT6", "INIT", numbered("I", 6), "O"}}},
	"lattice": {most: 6, mux: []muxCell{{"PFUMX", "C0", "ALUT", "BLUT", "Z"}, {"L6MUX21", "SD", "D1", "D0", "Z"}}, luts: []lutCell{{"LUT4", "INIT", lettered(4), "Z"}}},
	"sofa":    {most: 6, luts: []lutCell{{"frac_lut4", "", numbered("in", 4), "lut4_out"}}},
	"intel": {most: 8, luts: []lutCell{{"MISTRAL_ALUT2", "LUT", lettered(2), "Q"}, {"MISTRAL_ALUT3", "LUT", lettered(3), "Q"},
		{"MISTRAL_ALUT4", "LUT", lettered(4), "Q"}, {"MISTRAL_ALUT5", "LUT", lettered(5), "Q"}, {"MISTRAL_ALUT6", "LUT", lettered(6), "Q"}}},
}

func numbered(name string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("%s%d", name, i))
	}
	return out
}

func lettered(n int) (out []string) {
	for i := range n {
		out = append(out, string(rune('A'+i)))
	}
	return out
}

// A table is a word of 2^n bits for a function of n inputs.
type table []net

// table is a hole for a function of n inputs. It is one word however often it is placed.
func (s *Sketch) table(name string, n int) table { return s.hole(name, 1<<n) }

// fixed is the table of a function that is known: f of the inputs as a number.
func fixed(n int, f func(uint) bool) table {
	t := make(table, 1<<n)
	for i := range t {
		if f(uint(i)) {
			t[i] = one
		}
	}
	return t
}

// smallest is the smallest cell for a table of n inputs, or nil.
func (s *Sketch) smallest(n int) *lutCell {
	luts := fabrics[s.arch].luts
	for i := range luts {
		if luts[i].size() >= n {
			return &luts[i]
		}
	}
	return nil
}

// largest is the number of inputs of the largest table that is one cell.
func (s *Sketch) largest() int {
	luts := fabrics[s.arch].luts
	return luts[len(luts)-1].size()
}

// lut is a table of inputs, the lowest bit of the address first.
func (s *Sketch) lut(t table, ins ...net) net {
	out := s.drive("l", 1)[0]
	s.lutTo(out, t, ins...)
	return out
}

// lutTo is lut that drives a net. Larger tables than cells have are two and a choice; of larger cells than tables are inputs are tied, and
// do not matter.
func (s *Sketch) lutTo(out net, t table, ins ...net) {
	l := s.smallest(len(ins))
	if l == nil {
		half, top := len(t)/2, ins[len(ins)-1]
		no := s.lut(t[:half], ins[:len(ins)-1]...)
		yes := s.lut(t[half:], ins[:len(ins)-1]...)
		s.mux(out, len(ins)-1-s.largest(), top, yes, no)
		return
	}
	spare := l.size() - len(ins)
	ins = append(slices.Clone(ins), slices.Repeat([]net{zero}, spare)...)
	t = slices.Repeat(t, 1<<spare)
	p := part{typ: l.typ, out: []pin{{l.out, []net{out}}}}
	if l.param == "" { // pins of a range that ascends: its first index is the highest bit
		slices.Reverse(ins)
		p.in = []pin{{"in", ins}, {"sram", t}, {"mode", []net{zero}}}
	} else {
		p.params = []param{{name: l.param, bits: t}}
		for i, name := range l.pins {
			p.in = append(p.in, pin{name, ins[i : i+1]})
		}
	}
	s.place(p)
}

// mux is sel ? yes : no, of tables that are choices of so many levels themselves.
func (s *Sketch) mux(out net, level int, sel, yes, no net) {
	muxes := fabrics[s.arch].mux
	if level >= len(muxes) {
		s.lutTo(out, choice, no, yes, sel)
		return
	}
	m := muxes[level]
	s.place(part{typ: m.typ, in: []pin{{m.sel, []net{sel}}, {m.yes, []net{yes}}, {m.no, []net{no}}}, out: []pin{{m.out, []net{out}}}})
}

// choice is the table of inputs no, yes, sel.
var choice = fixed(3, func(i uint) bool { return i>>(i>>2)&1 == 1 })

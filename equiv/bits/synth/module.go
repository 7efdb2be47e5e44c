package synth

import (
	"fmt"
	"math/big"

	"tv/semantics/bits/flat"
)

// A builder makes a module of solutions, one for each output.
type builder struct {
	module *flat.Module
	arch   string
	clock  int            // the signal
	ports  map[string]int // their signals
	taken  map[string]bool
	serial int // of cells
}

func newBuilder(arch, name string, inputs, outputs []port) *builder {
	b := &builder{module: &flat.Module{Name: name}, arch: arch, clock: -1, ports: map[string]int{}, taken: map[string]bool{name: true}}
	for _, p := range inputs {
		b.port(p, flat.Input)
	}
	for _, p := range outputs {
		b.port(p, flat.Output)
	}
	return b
}

func (b *builder) port(p port, k flat.Kind) {
	b.ports[p.name], b.taken[p.name] = b.signal(p.name, p.width, k), true
}

func (b *builder) signal(name string, width int, k flat.Kind) int {
	b.module.Signals = append(b.module.Signals, flat.Signal{Name: name, Width: width, Kind: k})
	return len(b.module.Signals) - 1
}

// wire is a new wire, of the name or one like it.
func (b *builder) wire(name string, width int) int { return b.signal(b.fresh(name), width, flat.Wire) }

// fresh is a name that nothing has.
func (b *builder) fresh(name string) string {
	for b.taken[name] {
		name += "_"
	}
	b.taken[name] = true
	return name
}

func (b *builder) cell(c flat.Cell) {
	c.Name = b.fresh(fmt.Sprintf("u%d", b.serial))
	b.serial++
	b.module.Cells = append(b.module.Cells, c)
}

// A later is a register: the bit that it reads, the stage, and how many of the stage come before it.
type later struct {
	of           flat.Bit
	stage, place int
}

// A placed solution is one in a module: wires and registers are made as they are read.
type placed struct {
	*builder
	*solution
	counts []int // registers by stage
	wires  map[int]int
	late   map[later]flat.Bit
}

// add puts the cells of a solution into the module, with so many registers at each stage, and returns what the output is.
func (b *builder) add(s *solution, counts []int) []flat.Bit {
	p := &placed{builder: b, solution: s, counts: counts, wires: map[int]int{}, late: map[later]flat.Bit{}}
	needed := s.needed()
	for i := range s.parts {
		if needed[i] {
			p.part(&s.parts[i])
		}
	}
	return p.row(s.result)
}

// drive says what an output is.
func (b *builder) drive(name string, bits []flat.Bit) {
	b.module.Drivers = append(b.module.Drivers, flat.Driver{Signal: b.ports[name], Bits: bits})
}

func (p *placed) part(from *part) {
	c := flat.Cell{Type: from.typ}
	for _, q := range from.params {
		f := flat.Param{Name: q.name, Text: q.text} // a text, where it is one
		if q.text == "" {
			f.Width, f.Value = len(q.bits), p.word(q.bits)
		}
		c.Params = append(c.Params, f)
	}
	for _, q := range from.in {
		bits := p.row(q.bits)
		if q.bits == nil {
			bits = []flat.Bit{{Signal: p.clock}}
		}
		c.Pins = append(c.Pins, flat.Pin{Name: q.name, Bits: bits})
	}
	for _, q := range from.out {
		bits := p.row(q.bits)
		if bits == nil {
			bits = []flat.Bit{{Signal: flat.Open}}
		}
		c.Pins = append(c.Pins, flat.Pin{Name: q.name, Output: true, Bits: bits})
	}
	p.cell(c)
}

func (p *placed) row(nets []net) (out []flat.Bit) {
	for _, n := range nets {
		out = append(out, p.bit(n))
	}
	return out
}

func (p *placed) bit(n net) flat.Bit {
	n = p.chosen(n)
	x := &p.nets[n]
	switch x.kind {
	case input:
		return flat.Bit{Signal: p.ports[p.inputs[x.a].name], Index: x.b}
	case output:
		w, ok := p.wires[x.group]
		if !ok {
			w = p.wire(p.Sketch.wires[x.group].name, len(p.Sketch.wires[x.group].bits))
			p.wires[x.group] = w
		}
		return flat.Bit{Signal: w, Index: x.index}
	case late:
		of := p.bit(x.yes)
		for k := range p.counts[x.a] {
			if of.Signal == flat.Constant { // which is the same at all times
				break
			}
			of = p.register(later{of, x.a, k})
		}
		return of
	}
	return flat.Bit{Signal: flat.Constant, Index: int(p.value(n))}
}

// register is what a bit was a cycle ago.
func (p *placed) register(l later) flat.Bit {
	if q, ok := p.late[l]; ok {
		return q
	}
	q := flat.Bit{Signal: p.wire(fmt.Sprintf("r%d", len(p.late)), 1)}
	p.late[l] = q
	p.cell(flop(p.arch, flat.Bit{Signal: p.clock}, l.of, q))
	return q
}

// flop is a register of one bit, of an architecture.
func flop(arch string, clock, d, q flat.Bit) flat.Cell {
	in := func(name string, b flat.Bit) flat.Pin { return flat.Pin{Name: name, Bits: []flat.Bit{b}} }
	out := flat.Pin{Name: "Q", Output: true, Bits: []flat.Bit{q}}
	fixed := func(v int) flat.Bit { return flat.Bit{Signal: flat.Constant, Index: v} }
	switch arch {
	case "xilinx":
		return flat.Cell{Type: "FDRE", Params: []flat.Param{{Name: "INIT", Width: 1, Value: new(big.Int)}},
			Pins: []flat.Pin{in("C", clock), in("CE", fixed(1)), in("R", fixed(0)), in("D", d), out}}
	case "lattice":
		return flat.Cell{Type: "TRELLIS_FF", Params: []flat.Param{{Name: "GSR", Text: "DISABLED"}, {Name: "CEMUX", Text: "1"}, {Name: "REGSET", Text: "RESET"}},
			Pins: []flat.Pin{in("CLK", clock), in("CE", fixed(1)), in("LSR", fixed(0)), in("DI", d), out}}
	case "intel":
		return flat.Cell{Type: "MISTRAL_FF", Pins: []flat.Pin{in("CLK", clock), in("DATAIN", d), in("ACLR", fixed(1)), in("ENA", fixed(1)),
			in("SCLR", fixed(0)), in("SLOAD", fixed(0)), in("SDATA", fixed(0)), out}}
	}
	return flat.Cell{Type: "$_DFF_P_", Pins: []flat.Pin{in("C", clock), in("D", d), out}}
}

// Package plain is FlexASR once more, in plain Go: what each write of a vector to the bus does to arrays of numbers. It is written from
// the public tables of the machine, by itself: it knows neither the model in package flexasr nor how that writes numbers, so
// that a mistake in one is not one in the other. Campaigns and tests run both.
//
//	plain.go      Machine: memories, configuration words, and Step, which takes a write
//	numbers.go    AdaptivFloat<8,3> and Q6.14
//	functions.go  sigmoid, tanh, 1/sqrt, exp and the narrow division by pieces of lines
//	buffer.go     the global buffer: memory managers, layer reduction, zero padding, layer norm
//	attention.go  attention
//	elements.go   the control unit and the four processing elements
//
// Source: the same as of package flexasr.
package plain

// A Cells is a memory; a cell without an entry was never written.
type Cells struct {
	Size uint64
	At   map[uint64]uint32
}

// A Machine is the state that programs see.
type Machine struct {
	SignLost bool // a number too large for its code becomes the greatest number, whatever its sign

	memories map[string]*Cells

	large, small struct { // memory managers
		configured bool
		vectors    [8]int // of a timestep; of the large buffer only
		base       [8]int
	}
	control, reduce, norm, pad, attend word // configurations of the units
}

// A word is a configuration: it is no number but the 16 bytes that were written last.
type word struct{ bytes [16]byte }

func (w word) valid() bool         { return w.bytes[0]&1 != 0 }
func (w word) mode() int           { return int(w.bytes[1] & 7) }
func (w word) recurrent() bool     { return w.bytes[2]&1 != 0 }
func (w word) memory(i int) int    { return int(w.bytes[3+i] & 7) } // i is 1 or 2
func (w word) vectors(i int) int   { return int(w.bytes[5+i]) }
func (w word) timesteps(i int) int { return int(w.bytes[6+2*i]) | int(w.bytes[7+2*i])<<8 }
func (w word) bias(i int) int      { return int(w.bytes[11+i] & 7) } // i is 1 to 4

// The registers of the PEs, each a memory with a cell for each PE, or for each manager of each.
var registersOf = []string{"pe_valid", "pe_zero_first", "pe_bias", "pe_num_manager", "pe_num_out", "zero_active", "bias_w", "bias_b",
	"bias_in", "num_in", "base_w", "base_b", "base_in", "act_valid", "act_zero_first", "act_bias", "act_num_inst", "act_num_out",
	"act_buf_base", "act_out_base"}

// New returns the machine with nothing written.
func New() *Machine {
	m := &Machine{memories: map[string]*Cells{}}
	for name, size := range map[string]uint64{"large": 1 << 20, "small": 1 << 14, "weights": 4 << 20, "inputs": 4 << 12,
		"activations": 4 << 9, "program": 4 << 5, "registers": 4 * 4 * 16} {
		m.memories[name] = &Cells{size, map[uint64]uint32{}}
	}
	for _, name := range registersOf {
		m.memories[name] = &Cells{8, map[uint64]uint32{}}
	}
	return m
}

// Has tells whether the machine has a memory of a name: models may have others, for what is on its way.
func (m *Machine) Has(memory string) bool { return m.memories[memory] != nil }

// Set writes a cell of a memory.
func (m *Machine) Set(memory string, at, value uint64) { m.memories[memory].At[at] = uint32(value) }

// Cell returns a cell of a memory and whether it was written.
func (m *Machine) Cell(memory string, at uint64) (value uint64, written bool) {
	v, ok := m.memories[memory].At[at]
	return uint64(v), ok
}

// Count counts the cells of a memory that have a value.
func (m *Machine) Count(memory string) int { return len(m.memories[memory].At) }

// A stop ends an instruction at a fault.
type stop struct{ codes []string }

// The codes of faults, those of package ila.
const (
	address   = "machine-address"
	unwritten = "machine-unwritten"
	operand   = "machine-operand"
)

func fail(codes ...string) { panic(stop{codes}) }

// need stops at a fault of an operand unless a condition holds.
func need(holds bool) {
	if !holds {
		fail(operand)
	}
}

// read returns the 16 cells of a vector.
func (m *Machine) read(memory string, vector int) (v [16]int64) {
	c := m.memories[memory]
	for j := range v {
		at := uint64(vector*16 + j)
		if at >= c.Size {
			fail(address)
		}
		x, ok := c.At[at]
		if !ok {
			fail(unwritten)
		}
		v[j] = int64(x)
	}
	return v
}

// write writes the 16 cells of a vector.
func (m *Machine) write(memory string, vector int, v [16]int64, mask uint32) {
	c := m.memories[memory]
	if uint64(vector*16+15) >= c.Size {
		fail(address)
	}
	for j, x := range v {
		c.At[uint64(vector*16+j)] = uint32(x) & mask
	}
}

// Step takes a write of a vector of bytes to an address. It returns nil, or the codes of the faults of which it shows one: what
// an instruction did before it remains, vector by vector.
func (m *Machine) Step(addr uint64, data [16]byte) (faults []string) {
	defer func() {
		if s, ok := recover().(stop); ok {
			faults = s.codes
		}
	}()
	if addr>>24 >= 0x34 && addr>>24 <= 0x37 {
		m.element(int(addr>>24-0x34), int(addr&0xffffff), data)
		return nil
	}
	need(addr>>24 == 0x33)
	switch at := addr & 0xffffff; at {
	case 0x10:
		m.runControl()
	case 0x20:
		m.runReduce()
	case 0x30:
		m.runNorm()
	case 0x40:
		m.runPad()
	case 0x50:
		m.runAttention()
	case 0x400010:
		m.large.configured = true
		for i := range 4 {
			m.large.vectors[i] = int(data[4*i])
			m.large.base[i] = int(data[4*i+2]) | int(data[4*i+3])<<8
		}
	case 0x400020:
		m.small.configured = true
		for i := range 8 {
			m.small.base[i] = int(data[2*i]) | int(data[2*i+1])<<8
		}
	case 0x700010:
		m.control.bytes = data
	case 0x800010:
		m.reduce.bytes = data
	case 0x900010:
		m.norm.bytes = data
	case 0xA00010:
		m.pad.bytes = data
	case 0xB00010:
		m.attend.bytes = data
	default:
		switch {
		case at >= 0x500000 && at < 0x600000:
			m.bytes("large", int(at-0x500000), data)
		case at >= 0x600000 && at < 0x604000:
			m.bytes("small", int(at-0x600000), data)
		default:
			fail(operand)
		}
	}
	return nil
}

// bytes writes a vector as it comes over the bus.
func (m *Machine) bytes(memory string, at int, data [16]byte) {
	need(at%16 == 0)
	var v [16]int64
	for j, x := range data {
		v[j] = int64(x)
	}
	m.write(memory, at/16, v, 0xff)
}

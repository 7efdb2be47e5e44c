// Package plain is the memristor crossbar of package crossbar once more, in plain Go: what a bus access of the host does
// to arrays of numbers. It is written from what is published of the machine, by itself: it knows neither the model nor its
// terms, so that a mistake in one is not one in the other. Campaigns and tests run both.
//
//	Machine  registers and memories; Step takes one access of the host
//	Choices  sizes, and what publications leave open
//
// Source: the same as of package crossbar.
package plain

import "fmt"

// Choices are the sizes of a machine and what publications do not say.
type Choices struct {
	Rows, Columns int  // of 8-bit weights: a column of weights is two of cells
	ADC           int  // bits that a converter gives, signed
	Full          int  // bits, signed, of any column sum
	Drop          bool // a converter drops the low bits of a sum, of Full bits; else it saturates
	Serial        bool // rows are driven by one bit of the inputs at a time
	Saturate      bool // results saturate to 8 bits; else they are cut to them
}

// A Cells is a memory; a cell without an entry was never written.
type Cells struct {
	Size uint64
	At   map[uint64]uint64
}

// A Machine is the state that programs see.
type Machine struct {
	Choices  Choices
	Memories map[string]*Cells // dram, high, low, row, and sum_high, sum_low: of serial machines one for each bit

	operand, rowStep, columnStep, result, resultStep uint64
	rows, columns, alpha, beta, bank                 uint64
	pending                                          bool // the host has not seen yet that the tile is done
}

// MemoryBytes is the size of the memory that host and tile share.
const MemoryBytes = 256 << 20

const inputBits = 8

// New returns the machine with nothing written.
func New(c Choices) *Machine {
	m := &Machine{Choices: c, Memories: map[string]*Cells{}}
	add := func(name string, size int) { m.Memories[name] = &Cells{uint64(size), map[uint64]uint64{}} }
	add("dram", MemoryBytes)
	add("high", 2*c.Rows*c.Columns)
	add("low", 2*c.Rows*c.Columns)
	add("row", c.Rows)
	for _, half := range []string{"high", "low"} {
		for _, name := range m.sums(half) {
			add(name, c.Columns)
		}
	}
	return m
}

// sums names the memories that hold column sums of high or low cells.
func (m *Machine) sums(half string) []string {
	if !m.Choices.Serial {
		return []string{"sum_" + half}
	}
	var names []string
	for bit := range inputBits {
		names = append(names, fmt.Sprintf("sum_%s%d", half, bit))
	}
	return names
}

// MayEnd tells whether a program may end here.
func (m *Machine) MayEnd() bool { return !m.pending }

// Set writes a cell of a memory.
func (m *Machine) Set(memory string, at, value uint64) { m.Memories[memory].At[at] = value }

// Cell returns a cell of a memory and whether it was written.
func (m *Machine) Cell(memory string, at uint64) (value uint64, written bool) {
	v, ok := m.Memories[memory].At[at]
	return v, ok
}

// Has tells whether there is a memory of a name.
func (m *Machine) Has(memory string) bool { return m.Memories[memory] != nil }

// Count counts the cells of a memory that have a value.
func (m *Machine) Count(memory string) int { return len(m.Memories[memory].At) }

// The codes of faults, those of the model.
const (
	address   = "machine-address"
	unwritten = "machine-unwritten"
	operand   = "machine-operand"
	reserved  = "machine-reserved"
	busy      = "machine-busy"
)

// Step takes one access of the host: a read of a register, or a write of 32 bits to it. It returns nil, or the codes of
// the faults of which it shows one.
func (m *Machine) Step(write, register, data uint64) []string {
	if write == 0 {
		if register != 0x04 {
			return []string{operand}
		}
		m.pending = false
		return nil
	}
	if m.pending {
		return append(m.write(register, data, true), busy)
	}
	return m.write(register, data, false)
}

// write sets a register, or starts the tile by that of control. A dry one tells what is wrong with it alone.
func (m *Machine) write(register, data uint64, dry bool) []string {
	most, target := uint64(1<<32-1), (*uint64)(nil)
	switch register {
	case 0x00:
		switch {
		case data != 1 && data != 2 || m.rows == 0 || m.columns == 0:
			return []string{operand}
		case dry:
			return nil
		}
		m.pending = true
		if data == 1 {
			return m.program()
		}
		return m.multiply()
	case 0x08:
		target = &m.operand
	case 0x0c:
		target = &m.rowStep
	case 0x10:
		target = &m.columnStep
	case 0x14:
		target = &m.result
	case 0x18:
		target = &m.resultStep
	case 0x1c, 0x20:
		limit := m.Choices.Rows
		if target = &m.rows; register == 0x20 {
			target, limit = &m.columns, m.Choices.Columns
		}
		if data < 1 || data > uint64(limit) {
			return []string{operand}
		}
	case 0x24:
		target, most = &m.alpha, 255
	case 0x28:
		target, most = &m.beta, 255
	case 0x2c:
		target, most = &m.bank, 1
	default:
		return []string{operand}
	}
	if data > most {
		return []string{reserved}
	}
	if !dry {
		*target = data
	}
	return nil
}

// load returns a cell, and the codes with what is wrong appended.
func (m *Machine) load(memory string, at uint64, faults []string) (uint64, []string) {
	c := m.Memories[memory]
	if at >= c.Size {
		return 0, append(faults, address)
	}
	v, ok := c.At[at]
	if !ok {
		return 0, append(faults, unwritten)
	}
	return v, faults
}

// program writes weights, a row of cells at a time: that is how many are written where another row is at fault.
func (m *Machine) program() (faults []string) {
	for r := range m.rows {
		weights := make([]uint64, m.columns)
		for c := range m.columns {
			weights[c], faults = m.load("dram", m.operand+r*m.rowStep+c*m.columnStep, faults)
		}
		if faults != nil {
			return faults
		}
		for c, w := range weights {
			at := (m.bank*uint64(m.Choices.Rows)+r)*uint64(m.Choices.Columns) + uint64(c)
			m.Set("high", at, w/16)
			m.Set("low", at, w%16)
		}
	}
	return nil
}

// multiply drives the rows by a vector, converts what the columns give, and puts the weights' two halves together.
func (m *Machine) multiply() (faults []string) {
	for r := range uint64(m.Choices.Rows) {
		m.Set("row", r, 0)
	}
	for _, half := range []string{"high", "low"} {
		for _, name := range m.sums(half) {
			for c := range uint64(m.Choices.Columns) {
				m.Set(name, c, 0)
			}
		}
	}
	vector := make([]uint64, m.rows)
	for r := range m.rows {
		vector[r], faults = m.load("dram", m.operand+r*m.rowStep, faults)
	}
	if faults != nil {
		return faults
	}
	for r, x := range vector {
		m.Set("row", uint64(r), x)
	}
	for r, x := range vector {
		for c := range m.columns {
			at := (m.bank*uint64(m.Choices.Rows)+uint64(r))*uint64(m.Choices.Columns) + c
			_, faults = m.load("high", at, faults)
			_, faults = m.load("low", at, faults)
		}
		if faults != nil {
			return faults
		}
		for c := range m.columns {
			at := (m.bank*uint64(m.Choices.Rows)+uint64(r))*uint64(m.Choices.Columns) + c
			high, low := int64(m.Memories["high"].At[at]), int64(m.Memories["low"].At[at])
			if high >= 8 {
				high -= 16
			}
			m.drive("high", c, x, high)
			m.drive("low", c, x, low)
		}
	}
	results := make([]uint64, m.columns)
	for c := range m.columns {
		at := m.result + c*m.resultStep
		if at >= MemoryBytes {
			faults = append(faults, address)
			continue
		}
		y := int64(int8(m.alpha)) * (16*m.column("high", c) + m.column("low", c))
		if m.beta != 0 {
			var old uint64
			old, faults = m.load("dram", at, faults)
			y += int64(int8(m.beta)) * int64(int8(old))
		}
		if m.Choices.Saturate {
			y = max(-128, min(127, y))
		}
		results[c] = uint64(y) & 255
	}
	if faults != nil {
		return faults
	}
	for c, v := range results {
		m.Set("dram", m.result+uint64(c)*m.resultStep, v)
	}
	return nil
}

// drive adds what a cell of a row gives to the sum of its column. Sums are kept modulo 2^32, as the model keeps them.
func (m *Machine) drive(half string, column, x uint64, cell int64) {
	add := func(name string, v int64) {
		at := m.Memories[name].At
		at[column] = uint64(int64(at[column])+v) & 0xffffffff
	}
	names := m.sums(half)
	if !m.Choices.Serial {
		add(names[0], int64(int8(x))*cell)
		return
	}
	for bit, name := range names {
		if x>>bit&1 == 1 {
			add(name, cell)
		}
	}
}

// column returns what the converter makes of a column, its bits put together where inputs come bit by bit: the highest
// counts -128.
func (m *Machine) column(half string, column uint64) (y int64) {
	names := m.sums(half)
	for bit, name := range names {
		weight := int64(1) << bit
		if m.Choices.Serial && bit == inputBits-1 {
			weight = -weight
		}
		y += weight * m.convert(int64(int32(m.Memories[name].At[column])))
	}
	return y
}

// convert is the converter.
func (m *Machine) convert(sum int64) int64 {
	if lost := m.Choices.Full - m.Choices.ADC; m.Choices.Drop {
		if lost > 0 {
			return sum >> lost << lost
		}
		return sum
	}
	most := int64(1)<<(m.Choices.ADC-1) - 1
	return max(-most-1, min(most, sum))
}

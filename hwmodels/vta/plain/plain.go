// Package plain is VTA once more, in plain Go: what each bit of an instruction word does to arrays of numbers. It is
// written from the public tables of the machine, by itself: it knows neither the model in package vta nor its layouts,
// so that a mistake in one is not one in the other. Campaigns and tests run both.
//
// LOAD is written four times (load.go), each time as that implementation goes about it; the model has one loop over
// rows and columns and a table of what implementations do, so that their agreement is evidence for the table.
//
//	Machine   the memories and queues; Step takes one instruction word
//	Choices   where implementations differ
//	load      a LOAD taken apart, and who takes it how
//
// Source: the same as of package vta.
package plain

// Choices are those on which implementations differ.
type Choices struct {
	Older    bool   // memory types and operations of 2 bits instead of 3
	StoreAcc bool   // STORE reads accumulators, not outputs
	ResetOut bool   // GEMM with reset spoils outputs
	Mul      string // operation 4: mul or none
	Shift    string // amounts of SHR: signed, signed5, imm5
	Wrap     bool   // tiles of memories wrap at the end
	Loads    string // whose LOADs, and counts of 0: fsim, hls, opencl or chisel
	NoFinish bool   // a program may end without FINISH
}

// A Cells is a memory; a cell without an entry was never written.
type Cells struct {
	Size uint64
	At   map[uint64]uint32
}

// A Machine is the state that programs see. Cells of Inp, Wgt, Out and DRAM are bytes.
type Machine struct {
	Choices                       Choices
	DRAM, Inp, Wgt, Acc, Out, Uop Cells
	// Tokens: load to compute, compute to load, compute to store, store to compute.
	L2G, G2L, G2S, S2G int
	Done               bool // FINISH was met
}

// MayEnd tells whether a program may end here.
func (m *Machine) MayEnd() bool { return m.Done || m.Choices.NoFinish }

// New returns the machine with nothing written.
func New(c Choices) *Machine {
	cells := func(size uint64) Cells { return Cells{size, map[uint64]uint32{}} }
	return &Machine{Choices: c, DRAM: cells(1 << 32), Inp: cells(1 << 15), Wgt: cells(1 << 18), Acc: cells(1 << 15),
		Out: cells(1 << 15), Uop: cells(1 << 13)}
}

// memoryOf returns a memory by name.
func (m *Machine) memoryOf(name string) *Cells {
	return map[string]*Cells{"dram": &m.DRAM, "inp": &m.Inp, "wgt": &m.Wgt, "acc": &m.Acc, "out": &m.Out, "uop": &m.Uop}[name]
}

// Has tells whether there is a memory of a name.
func (m *Machine) Has(memory string) bool { return m.memoryOf(memory) != nil }

// Set writes a cell of a memory: dram, inp, wgt, acc, out or uop.
func (m *Machine) Set(memory string, at, value uint64) { m.memoryOf(memory).At[at] = uint32(value) }

// Cell returns a cell of a memory and whether it was written.
func (m *Machine) Cell(memory string, at uint64) (value uint64, written bool) {
	v, ok := m.memoryOf(memory).At[at]
	return uint64(v), ok
}

// Count counts the cells of a memory that have a value.
func (m *Machine) Count(memory string) int { return len(m.memoryOf(memory).At) }

// A stop ends an instruction at a fault.
type stop struct{ code string }

// The codes of faults, those of package ila.
const (
	address   = "machine-address"
	unwritten = "machine-unwritten"
	operand   = "machine-operand"
	reserved  = "machine-reserved"
	token     = "machine-token"
)

func (c *Cells) load(at uint64) uint32 {
	if at >= c.Size {
		panic(stop{address})
	}
	v, ok := c.At[at]
	if !ok {
		panic(stop{unwritten})
	}
	return v
}

func (c *Cells) there(at uint64) {
	if at >= c.Size {
		panic(stop{address})
	}
}

// A word is an instruction; bits are numbered from 0 in low.
type word struct{ low, high uint64 }

// bits returns bits from..to of a word.
func (w word) bits(to, from int) uint64 {
	v := w.low
	if from >= 64 {
		v, to, from = w.high, to-64, from-64
	}
	return v << (63 - to) >> (63 - to + from)
}

// Step takes one instruction. It returns nil, or the codes of the faults of which it shows one: what an instruction
// did before it remains, tile by tile.
func (m *Machine) Step(low, high uint64) (faults []string) {
	defer func() {
		if s, ok := recover().(stop); ok {
			faults = []string{s.code}
		}
	}()
	w := word{low, high}
	switch w.bits(2, 0) {
	case 0, 1:
		return m.memory(w)
	case 2, 4:
		return m.compute(w)
	case 3:
		if w.bits(6, 3) != 0 { // it waits for nothing, and nothing waits for it
			return []string{reserved}
		}
		m.Done = true
		return nil
	}
	return []string{operand}
}

// tokens pops and pushes; unit is 0 load, 1 compute, 2 store. Other faults of the instruction are handed on.
func (m *Machine) tokens(w word, unit int, faults []string) []string {
	popPrev, popNext, pushPrev, pushNext := w.bits(3, 3), w.bits(4, 4), w.bits(5, 5), w.bits(6, 6)
	var prev, next [2]*int // popped, pushed
	switch unit {
	case 0:
		next = [2]*int{&m.G2L, &m.L2G}
	case 1:
		prev, next = [2]*int{&m.L2G, &m.G2L}, [2]*int{&m.S2G, &m.G2S}
	case 2:
		prev = [2]*int{&m.G2S, &m.S2G}
	}
	check := func(q [2]*int, pop, push uint64) {
		switch {
		case q[0] == nil && pop+push > 0:
			faults = append(faults, reserved)
		case q[0] != nil && (pop == 1 && *q[0] == 0 || push == 1 && *q[1] == 65535):
			faults = append(faults, token)
		}
	}
	check(prev, popPrev, pushPrev)
	check(next, popNext, pushNext)
	if len(faults) > 0 {
		return faults
	}
	move := func(q [2]*int, pop, push uint64) {
		if q[0] != nil {
			*q[0] -= int(pop)
			*q[1] += int(push)
		}
	}
	move(prev, popPrev, pushPrev)
	move(next, popNext, pushNext)
	return nil
}

// memory is LOAD and STORE.
func (m *Machine) memory(w word) []string {
	store := w.bits(2, 0) == 1
	kind, sram, dram, rest := w.bits(9, 7), w.bits(25, 10), w.bits(57, 26), w.bits(63, 58)
	if m.Choices.Older {
		kind, sram, dram, rest = w.bits(8, 7), w.bits(24, 9), w.bits(56, 25), w.bits(63, 57)
	}
	y, x, stride := w.bits(79, 64), w.bits(95, 80), w.bits(111, 96)
	top, bottom, left, right := w.bits(115, 112), w.bits(119, 116), w.bits(123, 120), w.bits(127, 124)
	var faults []string
	if rest != 0 {
		faults = append(faults, reserved)
	}
	if store {
		if !m.Choices.Older && kind != 4 {
			faults = append(faults, operand)
		}
		if top+bottom+left+right > 0 {
			faults = append(faults, reserved)
		}
		if m.Choices.Loads == "chisel" && x != 0 && y == 0 { // the last row is the one of number y-1
			faults = append(faults, operand)
		}
		if faults = m.tokens(w, 2, faults); faults != nil {
			return faults
		}
		for row := range y {
			for column := range x {
				m.storeTile(m.tile(sram+row*x+column, 2048), dram+row*stride+column)
			}
		}
		return nil
	}
	l := load{kind: kind, sram: sram, dram: dram, y: y, x: x, stride: stride,
		top: top, bottom: bottom, left: left, right: right}
	unit, faults := m.accepts(l, faults)
	if faults = m.tokens(w, unit, faults); faults != nil {
		return faults
	}
	m.load(l)
	return nil
}

// tile returns a tile of a memory of so many, as the machine takes it.
func (m *Machine) tile(n, tiles uint64) uint64 {
	if m.Choices.Wrap {
		return n % tiles
	}
	return n
}

func (m *Machine) storeTile(tile, to uint64) {
	var values [16]uint32
	for n := range uint64(16) {
		m.DRAM.there(16*to + n)
		if m.Choices.StoreAcc {
			values[n] = m.Acc.load(tile*16+n) & 255
		} else {
			values[n] = m.Out.load(tile*16 + n)
		}
	}
	for n, v := range values {
		m.DRAM.At[16*to+uint64(n)] = v
	}
}

// compute is GEMM and ALU: loops over outer and inner iterations and micro-operations.
func (m *Machine) compute(w word) []string {
	alu := w.bits(2, 0) == 4
	reset, begin, end, outer, inner := w.bits(7, 7), w.bits(20, 8), w.bits(34, 21), w.bits(48, 35), w.bits(62, 49)
	dstOut, dstIn, srcOut, srcIn := w.bits(74, 64), w.bits(85, 75), w.bits(96, 86), w.bits(107, 97)
	wgtOut, wgtIn := w.bits(117, 108), w.bits(127, 118)
	op, immediate, imm := w.bits(110, 108), w.bits(111, 111), uint32(int32(int16(w.bits(127, 112))))
	last := uint64(4)
	if m.Choices.Older {
		op, immediate, imm = w.bits(109, 108), w.bits(110, 110), uint32(int32(int16(w.bits(126, 111))))
		last = 3
	}
	var faults []string
	if w.bits(63, 63) != 0 {
		faults = append(faults, reserved)
	}
	if m.Choices.Loads == "chisel" && (outer == 0 || inner == 0 || begin >= end) { // likewise
		faults = append(faults, operand)
	}
	if alu && op > last || alu && op == 4 && m.Choices.Mul == "none" {
		faults = append(faults, operand)
	}
	if faults = m.tokens(w, 1, faults); faults != nil {
		return faults
	}
	for i := range outer {
		for j := range inner {
			for u := begin; u < end; u++ {
				uop := uint64(m.Uop.load(u))
				dst := m.tile(uop&0x7ff+i*dstOut+j*dstIn, 2048)
				src := m.tile(uop>>11&0x7ff+i*srcOut+j*srcIn, 2048)
				wgt := m.tile(uop>>22+i*wgtOut+j*wgtIn, 1024)
				switch {
				case alu:
					m.element(op, dst, src, immediate == 1, imm)
				case reset == 1:
					m.clear(dst)
				default:
					m.multiply(dst, src, wgt)
				}
			}
		}
	}
	return nil
}

func (m *Machine) clear(dst uint64) {
	for n := range uint64(16) {
		m.Acc.there(dst*16 + n)
		m.Acc.At[dst*16+n] = 0
		if m.Choices.ResetOut {
			delete(m.Out.At, dst*16+n)
		}
	}
}

func (m *Machine) multiply(dst, src, wgt uint64) {
	var values [16]uint32
	for n := range uint64(16) {
		m.Acc.there(dst*16 + n)
		sum := int64(int32(m.Acc.load(dst*16 + n)))
		for k := range uint64(16) {
			sum += int64(int8(m.Inp.load(src*16+k))) * int64(int8(m.Wgt.load(wgt*256+n*16+k)))
		}
		values[n] = uint32(sum)
	}
	m.put(dst, values)
}

// put writes accumulators, and their low bytes to the outputs.
func (m *Machine) put(dst uint64, values [16]uint32) {
	for n, v := range values {
		m.Acc.At[dst*16+uint64(n)] = v
		m.Out.At[dst*16+uint64(n)] = v & 255
	}
}

func (m *Machine) element(op, dst, src uint64, immediate bool, imm uint32) {
	var values [16]uint32
	for n := range uint64(16) {
		m.Acc.there(dst*16 + n)
		x, y := int64(int32(m.Acc.load(dst*16+n))), int64(int32(imm))
		if !immediate {
			y = int64(int32(m.Acc.load(src*16 + n)))
		}
		switch op {
		case 0:
			x = min(x, y)
		case 1:
			x = max(x, y)
		case 2:
			x += y
		case 3:
			switch m.Choices.Shift {
			case "signed5": // the low 5 bits, the highest of them a sign
				y = (y&31 ^ 16) - 16
			case "imm5": // the sign of the immediate is looked at also where it is not the operand
				if y &= 31; int32(imm) < 0 {
					y = -(-y & 31)
				}
			}
			switch {
			case y < -31:
				x = 0
			case y < 0:
				x <<= -y
			default:
				x >>= min(y, 31)
			}
		case 4:
			x *= y
		}
		values[n] = uint32(x)
	}
	m.put(dst, values)
}

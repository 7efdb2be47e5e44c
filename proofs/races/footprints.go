package races

import "fmt"

const (
	opLoad = iota
	opStore
	opGemm
	opFinish
	opALU
)

// The memories, in cells of a tile; of DRAM, of 4 bytes.
const (
	uop = iota
	wgt
	inp
	acc
	out
	acc8
	dram
)

// tiles are how many a memory has, and bytes those of a tile in DRAM; 8-bit accumulators are accumulators.
var (
	tiles = [...]uint64{uop: 8192, wgt: 1024, inp: 2048, acc: 2048, out: 2048, acc8: 2048}
	bytes = [...]uint64{uop: 4, wgt: 256, inp: 16, acc: 64, out: 16, acc8: 16}
	names = [...]string{uop: "uop", wgt: "wgt", inp: "inp", acc: "acc", out: "out", acc8: "acc", dram: "dram"}
)

// A cell is a tile of a memory, or a word of DRAM.
type cell struct {
	memory int
	at     uint64
}

func (c cell) String() string { return fmt.Sprintf("%s[%d]", names[c.memory], c.at) }

type word struct{ low, high uint64 }

// bits are bits to..from of the word; none lies across the middle.
func (w word) bits(to, from int) uint64 {
	v := w.low
	if from >= 64 {
		v, to, from = w.high, to-64, from-64
	}
	return v << (63 - to) >> (63 - to + from)
}

// unit is the one that takes an instruction.
func (c *checker) unit(w word) (int, error) {
	switch w.bits(2, 0) {
	case opLoad:
		if kind, _, _ := c.operands(w); kind == wgt || kind == inp {
			return load, nil
		} else if kind == out || kind > acc8 {
			return 0, fmt.Errorf("it loads what cannot be loaded")
		}
		return compute, nil
	case opStore:
		return store, nil
	case opGemm, opALU, opFinish:
		return compute, nil
	}
	return 0, fmt.Errorf("there is no such opcode")
}

// operands are the memory type, the tile of the memory and that of DRAM of a LOAD or STORE.
func (c *checker) operands(w word) (kind int, sram, ram uint64) {
	if c.m.Older {
		return int(w.bits(8, 7)), w.bits(24, 9), w.bits(56, 25)
	}
	return int(w.bits(9, 7)), w.bits(25, 10), w.bits(57, 26)
}

// footprint touches what an instruction of unit u reads and writes.
func (c *checker) footprint(w word, u int, knows clock) error {
	t := &toucher{c: c, u: u, knows: knows}
	switch w.bits(2, 0) {
	case opLoad, opStore:
		c.move(w, t)
	case opGemm, opALU:
		c.loop(w, t)
	}
	return t.err
}

// A toucher touches cells until one is in a race.
type toucher struct {
	c     *checker
	u     int
	knows clock
	err   error
}

func (t *toucher) cell(memory int, at uint64, write bool) {
	if memory == acc8 {
		memory = acc
	}
	if memory != dram {
		if t.c.m.Wrap {
			at %= tiles[memory]
		}
		if at >= tiles[memory] && t.err == nil {
			t.err = fmt.Errorf("%s[%d] is not there", names[memory], at)
		}
	}
	if t.err == nil {
		t.err = t.c.touch(t.u, t.knows, cell{memory, at}, write)
	}
}

// tile touches the words of a tile of DRAM.
func (t *toucher) tile(kind int, at uint64, write bool) {
	size := bytes[kind] / 4
	for k := range size {
		t.cell(dram, at*size+k, write)
		if write {
			t.c.stored[at*size+k] = true
		}
	}
}

// move is LOAD and STORE: rows of tiles, of a LOAD with pads around them where the implementation has them for the memory.
func (c *checker) move(w word, t *toucher) {
	kind, sram, ram := c.operands(w)
	isStore := w.bits(2, 0) == opStore
	y, x, stride := w.bits(79, 64), w.bits(95, 80), w.bits(111, 96)
	top, bottom, left, right := w.bits(115, 112), w.bits(119, 116), w.bits(123, 120), w.bits(127, 124)
	if isStore {
		kind = out
	} else if padded := map[string][]int{"fsim": {uop, wgt, inp, acc, acc8}, "hls": {inp, acc}, "opencl": {inp},
		"chisel": {uop, wgt, inp, acc}}[c.m.Loads]; !contains(padded, kind) {
		top, bottom, left, right = 0, 0, 0, 0
	}
	if isStore {
		top, bottom, left, right = 0, 0, 0, 0
	}
	if kind == uop && (c.m.Loads == "hls" || c.m.Loads == "opencl") {
		y = 1 // of micro-operations they take x words, whatever rows are
	}
	if x == 0 && (c.m.Loads == "fsim" || c.m.Loads == "chisel") {
		return
	}
	for row := range top + y + bottom {
		for column := range left + x + right {
			if t.err != nil {
				return
			}
			inside := row >= top && row < top+y && column >= left && column < left+x
			from := ram + (row-top)*stride + column - left
			switch {
			case isStore && c.m.StoreAcc:
				t.cell(acc, sram, false)
				t.tile(out, from, true)
			case isStore:
				t.cell(out, sram, false)
				t.tile(out, from, true)
			default:
				if inside {
					t.tile(kind, from, false)
				}
				t.cell(kind, sram, true)
				if kind == uop {
					c.loadUop(sram, from, inside, t)
				}
			}
			sram++
		}
	}
}

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// loadUop follows micro-operations: where GEMM and ALU reach depends on them.
func (c *checker) loadUop(at, from uint64, inside bool, t *toucher) {
	if c.m.Wrap {
		at %= tiles[uop]
	}
	if !inside {
		c.uops[at] = 0
		return
	}
	v := uint32(0)
	for k := range uint64(4) {
		b, known := c.p.Byte(4*from + k)
		if !known || c.stored[from] { // then what GEMM and ALU reach is not known
			delete(c.uops, at)
			return
		}
		v |= uint32(b) << (8 * k)
	}
	c.uops[at] = v
}

// loop is GEMM and ALU.
func (c *checker) loop(w word, t *toucher) {
	gemm, reset := w.bits(2, 0) == opGemm, w.bits(7, 7) == 1
	begin, end, outer, inner := w.bits(20, 8), w.bits(34, 21), w.bits(48, 35), w.bits(62, 49)
	useImmediate := w.bits(111, 111)
	if c.m.Older {
		useImmediate = w.bits(110, 110)
	}
	for i := range outer {
		for j := range inner {
			for n := begin; n < end && t.err == nil; n++ {
				t.cell(uop, n, false)
				v, known := c.uops[n]
				if !known && t.err == nil {
					t.err = fmt.Errorf("what micro-operation %d is depends on data", n)
				}
				dst := uint64(v&0x7ff) + i*w.bits(74, 64) + j*w.bits(85, 75)
				src := uint64(v>>11&0x7ff) + i*w.bits(96, 86) + j*w.bits(107, 97)
				if gemm && !reset {
					t.cell(inp, src, false)
					t.cell(wgt, uint64(v>>22)+i*w.bits(117, 108)+j*w.bits(127, 118), false)
				}
				if !gemm && useImmediate == 0 {
					t.cell(acc, src, false)
				}
				if !gemm || !reset {
					t.cell(acc, dst, false)
				}
				t.cell(acc, dst, true)
				if !gemm || !reset || c.m.ResetOut {
					t.cell(out, dst, true)
				}
			}
		}
	}
}

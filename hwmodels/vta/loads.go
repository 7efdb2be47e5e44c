package vta

import (
	"fmt"
	"slices"
	"strings"

	"tv/ila"
	"tv/semantics/term"
)

// A loading is how an implementation takes the sizes and pads of LOAD, and counts of 0.
type loading struct {
	pads    string // memory types with tiles of zeros around what is loaded; those of others count for nothing
	uopRows bool   // micro-operations are loaded in y rows, stride apart; else x of them, whatever y and stride are
	noX     bool   // a LOAD of 0 columns does nothing; else the pads of its rows are written
	acc8    bool   // there are LOADs of 8-bit accumulators
	around  bool   // a count of 0 goes round instead of being none: such instructions are faults
}

// loadings are those of the official implementations, read in their sources of apache/tvm-vta:
//
//	fsim    src/sim/sim_driver.cc: one way to load for all memories, which returns at once where x is 0
//	hls     hardware/xilinx/src/vta.cc: a way with pads for inp and acc, one without for wgt, x words for uop
//	opencl  hardware/intelfocl/src/vta.cl: pads for inp alone
//	chisel  hardware/chisel/src/main/scala/core: one way for all memories; x = 0 only passes tokens on; rows, iterations
//	        and micro-operations are counted up to the number less one, so that 0 is 2^16 or 2^14 of them, and a
//	        load of 0 rows waits for ever
var loadings = map[string]loading{
	"fsim":   {pads: "uop wgt inp acc acc8", uopRows: true, noX: true, acc8: true},
	"hls":    {pads: "inp acc"},
	"opencl": {pads: "inp", acc8: true},
	"chisel": {pads: "uop wgt inp acc", uopRows: true, noX: true, around: true},
}

// loadingOf returns the loading of an implementation.
func loadingOf(name string) loading {
	l, ok := loadings[name]
	if !ok {
		panic(fmt.Sprintf("vta: there are no loads of %q", name))
	}
	return l
}

// padded tells whether a LOAD of a memory type writes zeros around what it loads.
func (l loading) padded(mem uint64) bool {
	return slices.Contains(strings.Fields(l.pads), memNames[mem])
}

// params says what a loading is, for the manual.
func (l loading) params() []ila.Param {
	columns := map[bool]string{true: "nothing", false: "pads"}[l.noX]
	zero := map[bool]string{true: "fault", false: "none"}[l.around]
	return []ila.Param{
		{Name: "padded loads", Value: l.pads, Doc: "memory types of LOAD with zeros around; pads of others count for nothing"},
		{Name: "rows of micro-operations", Value: fmt.Sprint(l.uopRows), Doc: "LOAD UOP takes y rows, stride apart; " +
			"else y and stride count for nothing"},
		{Name: "loads of 0 columns", Value: columns, Doc: "what they write"},
		{Name: "8-bit accumulators", Value: fmt.Sprint(l.acc8), Doc: "LOAD takes them; else it is a fault"},
		{Name: "counts of 0", Value: zero, Doc: "rows, iterations, micro-operations: none of them, or a fault"},
	}
}

// doc says what a LOAD of a memory type does.
func (l loading) doc(mem uint64) string {
	tile := map[uint64]string{MemUop: "micro-operations of 4 bytes", MemWgt: "tiles of 256 bytes",
		MemInp: "tiles of 16 bytes", MemAcc: "tiles of 16 words of 4 bytes, lowest byte first",
		MemAcc8: "tiles of 16 bytes, sign-extended to accumulators"}[mem]
	if mem == MemUop && !l.uopRows {
		return "Loads x " + tile + "; y, stride and pads count for nothing."
	}
	around := "pads count for nothing"
	if l.padded(mem) {
		around = "zeros around them: xpad0, xpad1, ypad0, ypad1"
	}
	return "Loads y rows of x " + tile + ", rows stride of them apart in DRAM; " + around + "."
}

// memOf returns the memory type that a loop loads.
func memOf(run uint64) uint64 {
	return map[uint64]uint64{runUop: MemUop, runWgt: MemWgt, runInp: MemInp, runAcc: MemAcc, runAcc8: MemAcc8}[run]
}

// pads tells whether a loop is over pads too.
func (m *Machine) pads(run uint64) bool { return run != runStore && m.loading.padded(memOf(run)) }

// walks returns whether a LOAD or STORE has a tile to move, and adds what its sizes must be.
func (m *Machine) walks(i *ila.Instruction, fields []field, run uint64) *term.Term {
	column := m.b.Not(m.is(m.field(fields, "x"), 0))
	some := m.all(m.b.Not(m.is(m.height(fields, run), 0)), m.b.Not(m.is(m.width(fields, run), 0)))
	if m.loading.noX && run != runStore {
		some = m.b.And(some, column)
	}
	if m.loading.around {
		i.Require(m.b.Or(m.b.Not(column), m.b.Not(m.is(m.field(fields, "y"), 0))), ila.CodeOperand,
			"this implementation does not come to the end of 0 rows")
	}
	return some
}

// height returns the rows of a LOAD or STORE, pads included, in 17 bits.
func (m *Machine) height(fields []field, run uint64) *term.Term {
	if run == runUop && !m.loading.uopRows {
		return m.b.Bits(17, 1)
	}
	rows := m.b.ExtendU(m.field(fields, "y"), 17)
	if m.pads(run) {
		rows = m.sum17(rows, m.field(fields, "ypad0"), m.field(fields, "ypad1"))
	}
	return rows
}

// width returns the columns of a LOAD or STORE, pads included, in 17 bits.
func (m *Machine) width(fields []field, run uint64) *term.Term {
	columns := m.b.ExtendU(m.field(fields, "x"), 17)
	if m.pads(run) {
		columns = m.sum17(columns, m.field(fields, "xpad0"), m.field(fields, "xpad1"))
	}
	return columns
}

func (m *Machine) sum17(x *term.Term, parts ...*term.Term) *term.Term {
	for _, p := range parts {
		x = m.b.AddBits(x, m.b.ExtendU(p, 17))
	}
	return x
}

// source returns the tile in DRAM that a LOAD reads at the row and column of its loop, and whether it reads one
// there; else it writes zeros.
func (m *Machine) source(fields []field, run uint64) (tile, inside *term.Term) {
	b := m.b
	y, x := m.At(m.y.Term), m.At(m.x.Term)
	inside = b.Truth(true)
	if m.pads(run) {
		for _, axis := range []struct {
			at           **term.Term
			loop         *ila.Var
			before, size string
		}{{&y, m.y, "ypad0", "y"}, {&x, m.x, "xpad0", "x"}} {
			before := b.ExtendU(m.field(fields, axis.before), 17)
			end := b.AddBits(before, b.ExtendU(m.field(fields, axis.size), 17))
			inside = m.all(inside, b.Not(b.LessU(axis.loop.Term, before)), b.LessU(axis.loop.Term, end))
			*axis.at = b.SubBits(*axis.at, m.At(before))
		}
	}
	row := m.At(m.field(fields, "dram"), b.MulBits(y, m.At(m.field(fields, "stride"))))
	return b.AddBits(row, x), inside
}

// loads adds the loops over the tiles of LOAD.
func (m *Machine) loads() {
	b := m.b
	fields := memoryFields(m.Config.Older)
	load := m.Child("load", "One tile of a LOAD.")
	for _, k := range []struct {
		name                string
		run                 uint64
		memory              *ila.Var
		cells, bytes, tiles uint64 // of a tile; bytes of a cell in DRAM
	}{
		{"uop", runUop, m.Uop, 1, 4, uops}, {"wgt", runWgt, m.Wgt, wgtTile, 1, wgtTiles},
		{"inp", runInp, m.Inp, lanes, 1, inpTiles}, {"acc", runAcc, m.Acc, lanes, 4, accTiles},
		{"acc8", runAcc8, m.Acc, lanes, 1, accTiles},
	} {
		i := load.Instruction(k.name, "One tile, or one tile of zeros.", m.is(m.run.Term, k.run))
		tile, inside := m.source(fields, k.run)
		j := m.Counter("j", int(k.cells))
		from := b.MulBits(m.Address(k.bytes), b.AddBits(b.MulBits(m.Address(k.cells), tile), m.CountAt(j)))
		value := m.Load(m.DRAM, from)
		for n := uint64(1); n < k.bytes; n++ {
			value = b.Concat(m.Load(m.DRAM, b.AddBits(from, m.Address(n))), value)
		}
		if value.Sort.Width < k.memory.Width {
			value = b.ExtendS(value, k.memory.Width)
		}
		to := b.AddBits(b.MulBits(m.Address(k.cells), m.index(m.sram.Term, k.tiles)), m.CountAt(j))
		i.Each(j, ila.StoreTo{Memory: k.memory, Address: to,
			Value: b.Choose(inside, value, b.Bits(k.memory.Width, 0))})
		m.next2(i, fields, k.run)
	}
}

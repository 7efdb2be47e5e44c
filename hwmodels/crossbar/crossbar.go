// Package crossbar models a memristor crossbar that computes in memory: a tile of 256x256 weights of 8 bits, each in two
// cells of 4 bits in neighbouring columns, which a host reaches through memory-mapped registers and which reads and writes
// the memory that they share.
//
//	crossbar.go  NewModel, the machine; Config, its sizes and what publications leave open
//	driver.go    Gemm, Gemv, Batched and Saturating: operands, their preconditions and contracts
//	program.go   their programs: tiles of weights, vectors, registers
//	options.go   Options of the drivers, by name
//	adc.go       LeastADC: the least width of converters with which products are exact
//	twin.go      Plain, the machine in plain Go with the choices of a Config
//
// An instruction is an access of the host to a register. The host starts the tile by writing to control: 1 programs
// weights, 2 multiplies a vector by the weights that a bank holds. Until it has read that the tile is done it writes no
// register, and no program ends.
//
// Sources: A. Drebes et al., TC-CIM: Empowering Tensor Comprehensions for Computing-In-Memory, IMPACT 2020: the sizes, the
// cells, shift and add, registers, polling. A. Shafiee et al., ISAAC, ISCA 2016: inputs one bit at a time. Neither says where
// registers lie, how converters round or what becomes of results beyond 8 bits: these are choices of this model.
package crossbar

import (
	"fmt"
	"math/bits"

	"tv/ila"
	"tv/semantics/term"
)

// A Config is the sizes of a machine and what publications do not say.
type Config struct {
	Rows, Columns int  // of weights, powers of two from 2 to 1024
	ADC           int  // bits that a converter gives, signed: 2 to 32
	Drop          bool // a converter keeps the high bits of what a column sum needs; else it saturates
	Serial        bool // inputs drive the rows one bit after the other
	Saturate      bool // results saturate to 8 bits; else they are cut to them
}

// Default is the published machine, with converters that lose nothing.
func Default() Config { return Config{Rows: 256, Columns: 256, ADC: 20} }

// Full is how many bits, signed, any sum of a column needs: 256 rows of inputs down to -128 and cells up to 15 sum up to
// 491520 below 0.
func (c Config) Full() int {
	most := 15 * c.Rows // what the rows and low cells sum up to, of single bits of the inputs
	if !c.Serial {
		most = 128*most - 1 // below 0, where there is a number more
	}
	return bits.Len(uint(most)) + 1
}

// check says what is wrong with a configuration.
func (c Config) check() error {
	for _, n := range []int{c.Rows, c.Columns} {
		if n < 2 || n > 1024 || n&(n-1) != 0 {
			return problem(CodeConfig, "%dx%d weights: both numbers are powers of two from 2 to 1024", c.Rows, c.Columns)
		}
	}
	if c.ADC < 2 || c.ADC > 32 {
		return problem(CodeConfig, "converters of %d bits: they have 2 to 32", c.ADC)
	}
	return nil
}

// Registers of the host, by their addresses in bytes.
const (
	RegControl    = 0x00 // 1: program weights, 2: multiply a vector
	RegStatus     = 0x04 // read only
	RegOperand    = 0x08 // byte of the first weight, or element of the vector
	RegRowStep    = 0x0c // bytes from a row to the next
	RegColumnStep = 0x10 // of weights: bytes from a column to the next
	RegResult     = 0x14 // byte of the first result
	RegResultStep = 0x18 // bytes from a result to the next
	RegRows       = 0x1c
	RegColumns    = 0x20
	RegAlpha      = 0x24 // 8 bits, signed
	RegBeta       = 0x28 // 8 bits, signed; 0: results are written, not read
	RegBank       = 0x2c // of weights, 0 or 1
)

// Commands of the register control.
const (
	cmdProgram  = 1
	cmdMultiply = 2
)

// CodeBusy is the code of a register that is written before the host has seen that the tile is done.
const CodeBusy = "machine-busy"

// Memory is the size of the memory that host and tile share, in bytes.
const Memory = 256 << 20

const (
	inputBits = 8
	cellBits  = 4
	sumBits   = 32 // of a column sum in the model, which no sum exceeds
)

// What the tile does.
const (
	idle = iota
	programming
	loading
	summing
	converting
)

// A Machine is the model and the variables that drivers name.
type Machine struct {
	*ila.Model
	Config Config
	DRAM   *ila.Var

	write, register, data                                 *ila.Var
	operand, rowStep, columnStep, result, resultStep      *ila.Var
	rows, columns, alpha, beta, bank, pending, phase, row *ila.Var
	high, low, inputs                                     *ila.Var
	sums                                                  [2][]*ila.Var // of high and low cells; of serial machines by bit
}

// NewModel returns the machine of a configuration.
// Errors: machine-config.
func NewModel(c Config) (*Machine, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	model := ila.New("crossbar", "A tile of memristors that multiplies vectors by the matrix that it stores, behind registers of a host.")
	m := &Machine{Model: model, Config: c}
	m.Params = c.params()
	m.write = m.Input("write", 1, "1: the host writes a register, 0: it reads one")
	m.register = m.Input("register", 8, "address of the register, in bytes")
	m.data = m.Input("data", 32, "what is written")
	m.DRAM = m.Memory("dram", 8, Memory, "the memory that host and tile share").AddressedByPrograms()
	cells := uint64(2 * c.Rows * c.Columns)
	m.high = m.Memory("high", cellBits, cells, "cells of the high halves of weights, signed: a bank after the other, row by row").FilledByPrograms()
	m.low = m.Memory("low", cellBits, cells, "cells of the low halves of weights").FilledByPrograms()
	m.inputs = m.Memory("row", inputBits, uint64(c.Rows), "the buffer of rows: a vector")
	m.sums[0], m.sums[1] = m.columnSums("high"), m.columnSums("low")
	m.operand = m.Bits("operand", 32, "byte of the first weight, or element of the vector")
	m.rowStep = m.Bits("row_step", 32, "bytes from a row to the next")
	m.columnStep = m.Bits("column_step", 32, "of weights: bytes from a column to the next")
	m.result = m.Bits("result", 32, "byte of the first result")
	m.resultStep = m.Bits("result_step", 32, "bytes from a result to the next")
	m.rows = m.Bits("rows", term.WidthFor(uint64(c.Rows)+1), "rows in use")
	m.columns = m.Bits("columns", term.WidthFor(uint64(c.Columns)+1), "columns of weights in use")
	m.alpha = m.Bits("alpha", 8, "what products are multiplied by, signed")
	m.beta = m.Bits("beta", 8, "what old results are multiplied by, signed; 0: they are not read")
	m.bank = m.Bits("bank", 1, "the bank of weights in use")
	m.pending = m.Bits("pending", 1, "the tile was started, and the host has not seen yet that it is done")
	m.phase = m.Bits("phase", 3, "what the tile does: 0 nothing, 1 programs, 2 loads a vector, 3 sums, 4 converts")
	m.row = m.Bits("at", m.rows.Width, "the row that is programmed or driven")
	m.states()
	m.accesses()
	m.program()
	m.load()
	m.sum()
	m.convert()
	return m, nil
}

func (c Config) params() []ila.Param {
	converter, result, drive := "saturates", "cut", "whole"
	if c.Drop {
		converter = "drops low bits"
	}
	if c.Saturate {
		result = "saturated"
	}
	if c.Serial {
		drive = "bit by bit"
	}
	return []ila.Param{
		{Name: "rows", Value: fmt.Sprint(c.Rows), Doc: "of weights"},
		{Name: "columns", Value: fmt.Sprint(c.Columns), Doc: "of weights, two columns of cells each"},
		{Name: "adc", Value: fmt.Sprint(c.ADC), Doc: "bits of a converter, signed"},
		{Name: "converter", Value: converter, Doc: "what a converter does with a sum that has more bits"},
		{Name: "inputs", Value: drive, Doc: "how inputs drive the rows"},
		{Name: "result", Value: result, Doc: "to 8 bits"},
	}
}

// columnSums adds the memories of the sums of high or low cells.
func (m *Machine) columnSums(half string) []*ila.Var {
	if !m.Config.Serial {
		return []*ila.Var{m.Memory("sum_"+half, sumBits, uint64(m.Config.Columns), "sums of the columns of "+half+" cells")}
	}
	var list []*ila.Var
	for bit := range inputBits {
		list = append(list, m.Memory(fmt.Sprintf("sum_%s%d", half, bit), sumBits, uint64(m.Config.Columns),
			fmt.Sprintf("sums of the columns of %s cells, driven by bit %d of the inputs", half, bit)))
	}
	return list
}

func (m *Machine) is(t *term.Term, n uint64) *term.Term {
	return m.B.Equal(t, m.B.Bits(t.Sort.Width, n))
}

// states says what holds of the state.
func (m *Machine) states() {
	b := m.B
	most := func(v *ila.Var, n int) *term.Term { return b.Not(b.LessU(b.Bits(v.Width, uint64(n)), v.Term)) }
	m.Invariant("sizes", "No more rows and columns are in use than there are.", b.And(most(m.rows, m.Config.Rows), most(m.columns, m.Config.Columns)))
	m.Invariant("phase", "There is something to do for every number.", most(m.phase, converting))
	busy := b.LessU(b.Bits(3, programming), m.phase.Term)
	m.Filled(m.inputs, 0, uint64(m.Config.Rows), busy)
	for _, list := range m.sums {
		for _, v := range list {
			m.Filled(v, 0, uint64(m.Config.Columns), busy)
		}
	}
	m.RequireEnd(m.is(m.pending.Term, 0), ila.CodeFinish, "the program ends before the host has seen that the tile is done")
}

// accesses adds what the host does.
func (m *Machine) accesses() {
	b := m.B
	legal := b.Truth(false)
	writes := func(at uint64) *term.Term { return b.And(m.is(m.write.Term, 1), m.is(m.register.Term, at)) }
	add := func(name, doc string, decode *term.Term) *ila.Instruction {
		legal = b.Or(legal, decode)
		return m.Instruction(name, doc, decode)
	}
	idleTile := func(i *ila.Instruction) {
		i.Require(m.is(m.pending.Term, 0), CodeBusy, "the host has not seen yet that the tile is done")
	}
	for _, r := range []struct {
		at  uint64
		v   *ila.Var
		max int
	}{{RegOperand, m.operand, 0}, {RegRowStep, m.rowStep, 0}, {RegColumnStep, m.columnStep, 0}, {RegResult, m.result, 0},
		{RegResultStep, m.resultStep, 0}, {RegRows, m.rows, m.Config.Rows}, {RegColumns, m.columns, m.Config.Columns},
		{RegAlpha, m.alpha, 0}, {RegBeta, m.beta, 0}, {RegBank, m.bank, 0}} {
		i := add("set-"+r.v.Name, "Sets "+r.v.Name+".", writes(r.at))
		idleTile(i)
		value := m.data.Term
		switch {
		case r.max > 0:
			i.Require(b.And(b.Not(m.is(value, 0)), b.Not(b.LessU(b.Bits(32, uint64(r.max)), value))), ila.CodeOperand,
				fmt.Sprintf("there are 1 to %d %s", r.max, r.v.Name))
		case r.v.Width < 32:
			i.Require(m.is(b.Extract(value, r.v.Width, 32-r.v.Width), 0), ila.CodeReserved, "reserved bits are set")
		}
		i.Set(r.v, b.Extract(value, 0, r.v.Width))
	}
	start := func(name, doc string, command, phase uint64) *ila.Instruction {
		i := add(name, doc, b.And(writes(RegControl), m.is(m.data.Term, command)))
		idleTile(i)
		i.Require(b.Not(b.Or(m.is(m.rows.Term, 0), m.is(m.columns.Term, 0))), ila.CodeOperand, "rows or columns are not set")
		i.Set(m.pending, b.Bits(1, 1))
		i.Set(m.phase, b.Bits(3, phase))
		i.Set(m.row, b.Bits(m.row.Width, 0))
		return i
	}
	start("program", "Stores weights in the cells of a bank.", cmdProgram, programming)
	multiply := start("multiply", "Multiplies a vector by the weights of a bank: result = alpha·product + beta·result.", cmdMultiply, loading)
	r, c := m.Counter("r", m.Config.Rows), m.Counter("c", m.Config.Columns)
	multiply.Each(r, ila.StoreTo{Memory: m.inputs, Address: m.CountAt(r), Value: b.Bits(inputBits, 0)})
	var clear []ila.StoreTo
	for _, list := range m.sums {
		for _, v := range list {
			clear = append(clear, ila.StoreTo{Memory: v, Address: m.CountAt(c), Value: b.Bits(sumBits, 0)})
		}
	}
	multiply.Each(c, clear...)
	poll := add("poll", "Reads the status: the tile is done.", b.And(m.is(m.write.Term, 0), m.is(m.register.Term, RegStatus)))
	poll.Set(m.pending, b.Bits(1, 0))
	illegal := m.Instruction("illegal", "Everything else: a fault.", b.Not(legal))
	illegal.Require(b.Truth(false), ila.CodeOperand, "no such register or command")
}

// next adds the step to the next row in use, and to a phase after the last one.
func (m *Machine) next(i *ila.Instruction, then uint64) {
	b := m.B
	one := b.Bits(m.row.Width, 1)
	last := b.Equal(b.AddBits(m.row.Term, one), m.rows.Term)
	i.Set(m.row, b.Choose(last, b.Bits(m.row.Width, 0), b.AddBits(m.row.Term, one)))
	i.Set(m.phase, b.Choose(last, b.Bits(3, then), m.phase.Term))
}

// current returns the row as an address, of as many bits as rows have: its register holds their number, too.
func (m *Machine) current() *term.Term {
	return m.At(m.B.Extract(m.row.Term, 0, term.WidthFor(uint64(m.Config.Rows))))
}

// cell returns where the cell of the row and of a column lies.
func (m *Machine) cell(column *term.Term) *term.Term {
	b := m.B
	at := b.AddBits(m.Times(uint64(m.Config.Rows), m.bank.Term), m.current())
	return b.AddBits(b.MulBits(m.Address(uint64(m.Config.Columns)), at), column)
}

// steps returns n times a register, as an address.
func (m *Machine) steps(n *term.Term, register *ila.Var) *term.Term {
	return m.B.MulBits(n, m.At(register.Term))
}

func (m *Machine) program() {
	b := m.B
	i := m.Child("program", "A row of weights.").Instruction("row", "The halves of weights go to their cells.", m.is(m.phase.Term, programming))
	c := m.Counter("c", m.Config.Columns)
	used := b.LessU(m.Count(m.columns.Width, c), m.columns.Term)
	weight := m.Load(m.DRAM, m.At(m.operand.Term, m.steps(m.At(m.row.Term), m.rowStep), m.steps(m.CountAt(c), m.columnStep)))
	at := m.cell(m.CountAt(c))
	i.Each(c, ila.StoreTo{Memory: m.high, Address: at, Value: b.Extract(weight, cellBits, cellBits), When: used},
		ila.StoreTo{Memory: m.low, Address: at, Value: b.Extract(weight, 0, cellBits), When: used})
	m.next(i, idle)
}

func (m *Machine) load() {
	b := m.B
	i := m.Child("load", "The vector.").Instruction("vector", "Elements go to the buffer of rows.", m.is(m.phase.Term, loading))
	r := m.Counter("r", m.Config.Rows)
	i.Each(r, ila.StoreTo{Memory: m.inputs, Address: m.CountAt(r), When: b.LessU(m.Count(m.rows.Width, r), m.rows.Term),
		Value: m.Load(m.DRAM, m.At(m.operand.Term, m.steps(m.CountAt(r), m.rowStep)))})
	i.Set(m.phase, b.Bits(3, summing))
}

func (m *Machine) sum() {
	b := m.B
	i := m.Child("sum", "A row drives the columns.").Instruction("row", "Each column sums what its cell of the row gives.", m.is(m.phase.Term, summing))
	c := m.Counter("c", m.Config.Columns)
	used := b.LessU(m.Count(m.columns.Width, c), m.columns.Term)
	x, at := m.Load(m.inputs, m.current()), m.cell(m.CountAt(c))
	cells := [2]*term.Term{b.ExtendS(m.Load(m.high, at), sumBits), b.ExtendU(m.Load(m.low, at), sumBits)}
	var stores []ila.StoreTo
	for half, list := range m.sums {
		for bit, v := range list {
			drive := b.ExtendS(x, sumBits)
			if m.Config.Serial {
				drive = b.ExtendU(b.Extract(x, bit, 1), sumBits)
			}
			stores = append(stores, ila.StoreTo{Memory: v, Address: m.CountAt(c), When: used,
				Value: b.AddBits(m.Load(v, m.CountAt(c)), b.MulBits(drive, cells[half]))})
		}
	}
	i.Each(c, stores...)
	m.next(i, converting)
}

func (m *Machine) convert() {
	b := m.B
	i := m.Child("convert", "Converters, shift and add, and the result.").Instruction("columns",
		"The halves of each column of weights are put together: 16 times the high one, plus the low one.", m.is(m.phase.Term, converting))
	c := m.Counter("c", m.Config.Columns)
	number := func(n int64) *term.Term { return b.Bits(sumBits, uint64(n)) }
	product := number(0)
	for half, list := range m.sums {
		weight := [2]int64{1 << cellBits, 1}[half]
		for bit, v := range list {
			scale := weight << bit
			if m.Config.Serial && bit == inputBits-1 {
				scale = -scale // the sign
			}
			product = b.AddBits(product, b.MulBits(number(scale), m.converted(m.Load(v, m.CountAt(c)))))
		}
	}
	at := m.At(m.result.Term, m.steps(m.CountAt(c), m.resultStep))
	scaled := b.MulBits(b.ExtendS(m.alpha.Term, sumBits), product)
	old := b.MulBits(b.ExtendS(m.beta.Term, sumBits), b.ExtendS(m.Load(m.DRAM, at), sumBits))
	value := b.AddBits(scaled, b.Choose(m.is(m.beta.Term, 0), number(0), old))
	if m.Config.Saturate {
		value = b.MinS(b.MaxS(value, number(-128)), number(127))
	}
	i.Each(c, ila.StoreTo{Memory: m.DRAM, Address: at, Value: b.Extract(value, 0, 8),
		When: b.LessU(m.Count(m.columns.Width, c), m.columns.Term)})
	i.Set(m.phase, b.Bits(3, idle))
}

// converted returns what a converter makes of a column sum.
func (m *Machine) converted(sum *term.Term) *term.Term {
	b := m.B
	if m.Config.Drop {
		lost := max(0, m.Config.Full()-m.Config.ADC)
		if lost == 0 {
			return sum
		}
		by := b.Bits(sumBits, uint64(lost))
		return b.Shl(b.ShrS(sum, by), by)
	}
	most := int64(1)<<(m.Config.ADC-1) - 1
	return b.MinS(b.MaxS(sum, b.Bits(sumBits, uint64(-most-1))), b.Bits(sumBits, uint64(most)))
}

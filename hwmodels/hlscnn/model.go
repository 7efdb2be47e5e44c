package hlscnn

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// A Machine is the model and the variables that drivers name.
type Machine struct {
	*ila.Model
	Spad0, Spad1, SoC *ila.Var

	choices Config
	config  *ila.Var
	addr    *term.Term
	write   *term.Term
	lane    [lanes]*term.Term
	conv    convolution
}

// NewModel returns the machine with the choices of c.
func NewModel(c Config) *Machine {
	if err := c.check(); err != nil {
		panic("hlscnn: " + err.Error())
	}
	c = c.settled()
	m := &Machine{Model: ila.New("hlscnn", "HLSCNN: convolutions in fixed point; vectors of 8 channels of 16 bits."), choices: c}
	version := "modified"
	if c.Original {
		version = "original"
	}
	overflow := "saturate"
	if c.Wrap {
		overflow = "wrap"
	}
	m.Params = []ila.Param{
		{Name: "version", Value: version, Doc: "original: outputs as large as inputs, a vector for each filter; modified: valid padding, outputs grouped by 8 filters"},
		{Name: "rounding", Value: c.Rounding, Doc: "of the partial sum of a tap to Q9.7: truncate, half-up or half-even"},
		{Name: "overflow", Value: overflow, Doc: "of Q9.7: saturate or wrap"},
		{Name: "weights", Value: fmt.Sprint(c.Weights), Doc: "bits where the flag of the channel register is 0; else the other of 8 and 16"},
	}
	b := m.B
	m.addr = m.Input("addr", 24, "bus address; bits above are for the rest of the system").Term
	m.write = m.is(m.Input("write", 1, "1 for a write, 0 for a read").Term, 1)
	for j := range m.lane {
		m.lane[j] = m.Input(fmt.Sprintf("lane%d", j), 16, "16 bits of the data, lowest first").Term
	}
	m.config = m.Memory("config", 32, registers, "registers, by number").FilledByPrograms()
	m.Spad0 = m.Memory("spad0", 16, spadSize/2, "scratchpad 0: weights").AddressedByPrograms()
	m.Spad1 = m.Memory("spad1", 16, spadSize/2, "scratchpad 1: outputs").AddressedByPrograms()
	m.SoC = m.Memory("soc", 16, socSize/2, "memory of the system").AddressedByPrograms()
	known := m.accesses()
	known = b.Or(known, m.registers())
	m.Model.Instruction("illegal", "Everything else: a fault.", b.Not(known)).
		Require(b.Truth(false), ila.CodeOperand, "the model has nothing at this address")
	return m
}

// A few ways to say things.

func (m *Machine) num(width int, v uint64) *term.Term { return m.B.Bits(width, v) }

func (m *Machine) is(t *term.Term, v uint64) *term.Term { return m.B.Equal(t, m.num(t.Sort.Width, v)) }

func (m *Machine) every(conds ...*term.Term) *term.Term {
	all := m.B.Truth(true)
	for _, c := range conds {
		all = m.B.And(all, c)
	}
	return all
}

// between says that the address lies from n on, before end.
func (m *Machine) between(n, end uint64) *term.Term {
	below := m.B.LessU(m.addr, m.num(24, end))
	if n == 0 {
		return below
	}
	return m.B.And(m.B.Not(m.B.LessU(m.addr, m.num(24, n))), below)
}

// aligned requires that 16 divides a number.
func (m *Machine) aligned(i *ila.Instruction, t *term.Term, what string) {
	i.Require(m.is(m.B.Extract(t, 0, 4), 0), ila.CodeOperand, what+" that 16 does not divide")
}

// field returns bits to..from of a register.
func (m *Machine) field(register uint64, to, from int) *term.Term {
	return m.B.Extract(m.Load(m.config, m.Address(register)), from, to-from+1)
}

// cell returns the address of a cell: so many bytes from the start of a memory, cells of two bytes.
func (m *Machine) cell(bytes *term.Term) *term.Term {
	return m.At(m.B.Extract(bytes, 1, bytes.Sort.Width-1))
}

// registers adds the writes of registers; that of the trigger has the convolution start. It returns what decodes.
func (m *Machine) registers() *term.Term {
	b := m.B
	here := b.And(m.write, m.between(0, addrSpad0))
	number := b.RemU(b.Extract(m.addr, 2, 22), m.num(22, registers))
	conf := m.Instruction("config", "Writes a register; that of the trigger starts the convolution.", here)
	conf.Require(m.is(b.Extract(m.addr, 0, 2), 0), ila.CodeOperand, "an address that 4 does not divide")
	for _, t := range []struct {
		n    uint64
		what string
	}{{7, "the self test of the AXI port"}, {9, "the self test of the ACP port"}, {12, "the fully connected unit"}, {25, "the reduction"}} {
		conf.Require(b.Not(m.is(number, t.n)), ila.CodeOperand, t.what+" is not modelled")
	}
	slice := b.Concat(m.lane[1], m.lane[0])
	for n := uint64(1); n < 4; n++ {
		slice = b.Choose(m.is(b.Extract(m.addr, 2, 2), n), b.Concat(m.lane[2*n+1], m.lane[2*n]), slice)
	}
	conf.Store(m.config, m.At(number), slice)
	m.convolve(conf, m.is(number, regTrigger))
	return here
}

// accesses adds what the bus does to memories. It returns what decodes.
func (m *Machine) accesses() *term.Term {
	b := m.B
	known := b.Truth(false)
	on := func(cond *term.Term) *term.Term {
		known = b.Or(known, cond)
		return cond
	}
	soc := m.Instruction("store-soc", "Writes a vector of the memory of the system.", on(b.And(m.write, m.between(addrSoC, addrSoC+socSize))))
	m.aligned(soc, m.addr, "an address")
	for j := range m.lane {
		soc.Store(m.SoC, b.AddBits(m.cell(b.SubBits(m.addr, m.num(24, addrSoC))), m.Address(uint64(j))), m.lane[j])
	}
	left := m.Bits("left", 32, "vectors that a copy has to go")
	from := m.Bits("from", 32, "where the copy reads next: a vector of the memory of the system")
	to := m.Bits("to", 32, "where it writes next: a vector of the scratchpad")
	first := m.Bits("first", 1, "it writes scratchpad 0")
	var read [lanes]*ila.Var
	for j := range read {
		read[j] = m.Bits(fmt.Sprintf("read_%d", j), 16, "what the last read gave")
	}
	transfer := m.Child("transfer", "Copies vectors to a scratchpad, one a step, through the master port.")
	for n, spad := range []*ila.Var{m.Spad0, m.Spad1} {
		base := uint64(addrSpad0 + n*spadSize)
		here := m.between(base, base+spadSize)
		offset := b.SubBits(m.addr, m.num(24, base))
		name := fmt.Sprintf("spad%d", n)
		start := m.Instruction("store-"+name, "Has vectors of the memory of the system copied to "+name+": as many as the length says, from the base on.",
			on(b.And(m.write, here)))
		start.Require(m.is(b.Extract(m.Load(m.config, m.Address(regSoCBase)), 0, 4), 0), ila.CodeOperand, "a base that 16 does not divide")
		m.aligned(start, m.addr, "an address")
		start.Set(left, m.Load(m.config, m.Address(regLength)))
		start.Set(from, b.ExtendU(m.field(regSoCBase, 31, 4), 32))
		start.Set(to, b.ExtendU(b.Extract(offset, 4, 20), 32))
		start.Set(first, m.num(1, uint64(1-n)))
		load := m.Instruction("load-"+name, "Reads a vector of "+name+".", on(b.And(b.Not(m.write), here)))
		m.aligned(load, m.addr, "an address")
		for j := range read {
			load.Set(read[j], m.Load(spad, b.AddBits(m.cell(offset), m.Address(uint64(j)))))
		}
		step := transfer.Instruction(name, "Copies a vector to "+name+".", b.And(b.Not(m.is(left.Term, 0)), m.is(first.Term, uint64(1-n))))
		for j := range uint64(lanes) {
			step.Store(spad, b.AddBits(m.Times(lanes, to.Term), m.Address(j)), m.Load(m.SoC, b.AddBits(m.Times(lanes, from.Term), m.Address(j))))
		}
		step.Set(left, b.SubBits(left.Term, m.num(32, 1)))
		step.Set(from, b.AddBits(from.Term, m.num(32, 1)))
		step.Set(to, b.AddBits(to.Term, m.num(32, 1)))
	}
	return known
}

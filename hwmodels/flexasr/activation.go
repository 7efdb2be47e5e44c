package flexasr

import (
	"tv/ila"
	"tv/ila/format"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Operations of an activation unit: the high bits of a byte; then a destination A2 and a source A1, registers.
const (
	opNop   = 0x0
	opLoad  = 0x1 // A2 = a vector of the activation buffer
	opStore = 0x2 // a vector of the activation buffer = A2
	opInPE  = 0x3 // A2 = the next vector of the PE
	opOutGB = 0x4 // a vector of the output = A2
	opCopy  = 0x7 // A2 = A1
	opAdd   = 0x8 // A2 = A2 + A1
	opMul   = 0x9 // A2 = A2 · A1
	opSigm  = 0xA // A2 = sigm(A2)
	opTanh  = 0xB // A2 = tanh(A2)
	opRelu  = 0xC // A2 = max(A2, 0)
	opOneX  = 0xD // A2 = 1 - A2
)

// register returns the address of a lane of the register that two bits of the operation name.
func (m *Machine) register(op *ila.Var, low int, j *index.Atom) *term.Term {
	which := m.B.Extract(op.Term, low, 2)
	first := m.B.AddBits(m.Times(registers, m.pe.unit.Term), m.At(which))
	return m.lane(first, j)
}

// advance goes to the next operation, to the first one for the next output vector, or ends the run of a PE.
func (m *Machine) advance(i *ila.Instruction) {
	b, p := m.B, &m.pe
	endProgram := b.Equal(b.ExtendU(m.next(p.inst.Term), 6), m.ofPE(p.numInst))
	end := b.And(endProgram, b.Equal(m.next(p.outVec.Term), m.ofPE(p.actOut)))
	i.Set(p.inst, b.Choose(endProgram, m.num(6, 0), m.next(p.inst.Term)))
	i.Set(p.outVec, b.Choose(endProgram, m.next(p.outVec.Term), p.outVec.Term))
	i.Set(p.phase, b.Choose(end, m.num(4, phaseDone), m.num(4, phaseFetch)))
}

// activationUnit adds the operations: one is fetched, then it takes place.
func (m *Machine) activationUnit(child *ila.Model) {
	b, p := m.B, &m.pe
	fetch := child.Instruction("fetch", "Fetches an operation of the activation unit.",
		m.is(p.phase.Term, phaseFetch))
	fetch.Set(p.op, m.Load(p.program, b.AddBits(m.Times(programSize, p.unit.Term), m.At(p.inst.Term))))
	fetch.Set(p.phase, m.num(4, phaseExecute))

	j := m.Counter("j", lanes)
	a1, a2 := m.Load(p.registers, m.register(p.op, 0, j)), m.Load(p.registers, m.register(p.op, 2, j))
	buffer := b.AddBits(m.At(p.outVec.Term), m.At(m.ofPE(p.bufBase)))
	inBuffer := m.lessThan(buffer, activationsSize/lanes)
	width := m.registerWidth()
	loaded := m.decode(m.Load(p.activations, m.cell(activationsSize, buffer, j)), m.ofPE(p.actBias), width)
	stored := m.encode(a2, m.ofPE(p.actBias))
	product := b.ShrS(b.MulBits(b.ExtendS(a2, 2*width), b.ExtendS(a1, 2*width)), b.Bits(2*width, 14))
	output := m.At(m.ofPE(p.outBase), p.outVec.Term)

	var known []*term.Term
	execute := m.is(p.phase.Term, phaseExecute)
	on := func(op uint64, name, doc string) *ila.Instruction {
		is := m.is(b.Extract(p.op.Term, 4, 4), op)
		known = append(known, is)
		return child.Instruction(name, doc, b.And(execute, is))
	}
	result := func(i *ila.Instruction, value *term.Term) *ila.Instruction {
		i.Each(j, ila.StoreTo{Memory: p.registers, Address: m.register(p.op, 2, j), Value: value})
		m.advance(i)
		return i
	}
	m.advance(on(opNop, "nop", "Does nothing."))
	result(on(opLoad, "load", "A2 = a vector of the activation buffer, or 0 in the first run."),
		b.Choose(m.is(m.ofPE(p.actZeroFirst), 1), b.Bits(width, 0), loaded)).
		Require(inBuffer, ila.CodeAddress, "beyond the activation buffer of the PE")
	store := on(opStore, "store", "A vector of the activation buffer = A2, rounded to codes.")
	store.Require(inBuffer, ila.CodeAddress, "beyond the activation buffer of the PE")
	store.Each(j, ila.StoreTo{Memory: p.activations, Address: m.cell(activationsSize, buffer, j), Value: stored})
	m.advance(store)

	in := on(opInPE, "inpe", "A2 = the next vector of the PE: its products begin.")
	in.Require(m.zero(p.ended.Term), ila.CodeOperand, "the PE has no further vector")
	in.Each(j, ila.StoreTo{Memory: p.sums, Address: m.CountAt(j), Value: b.Bits(32, 0)})
	skip := b.And(m.is(m.ofPE(p.zeroFirst), 1), m.is(m.ofManager(p.zeroActive), 1))
	in.Set(p.in, m.num(8, 0))
	in.Set(p.phase, b.Choose(skip, m.num(4, phaseBias), m.num(4, phaseRead)))

	out := on(opOutGB, "outgb", "A vector of the output = A2, rounded to codes.")
	index := m.gb.memoryIndex[1].Term
	out.Each(j, ila.StoreTo{Memory: m.Large, When: b.Not(m.ctl.decoder),
		Address: m.lane(m.place(index, m.ctl.out.Term, output), j), Value: stored},
		ila.StoreTo{Memory: m.Small, When: m.ctl.decoder, Address: m.lane(m.smallPlace(index, output), j), Value: stored})
	m.advance(out)
	result(on(opCopy, "copy", "A2 = A1."), a1)
	result(on(opAdd, "eadd", "A2 = A2 + A1, which wraps."), b.AddBits(a2, a1))
	result(on(opMul, "emul", "A2 = A2 * A1: 40 bits, shifted right by 14, the low 20."),
		b.Extract(product, 0, width))
	result(on(opRelu, "relu", "A2 = max(A2, 0)."),
		b.Choose(b.LessS(a2, b.Bits(width, 0)), b.Bits(width, 0), a2))
	result(on(opOneX, "onex", "A2 = 1 - A2, which wraps."), b.SubBits(b.Bits(width, 1<<14), a2))

	for i, f := range []*ila.Function{m.fn.sigm, m.fn.tanh} {
		op := []uint64{opSigm, opTanh}[i]
		value := m.Apply(f, b.Extract(a2, 0, format.Q614))
		result(on(op, f.Name, "A2 = "+f.Name+"(A2), by its table."), b.ExtendS(value, width))
	}

	other := execute
	for _, k := range known {
		other = b.And(other, b.Not(k))
	}
	child.Instruction("illegal", "What is no operation: a fault.", other).
		Require(b.Truth(false), ila.CodeOperand, "an operation that the activation unit of the model does not have")
}

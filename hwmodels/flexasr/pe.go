package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/ila/format"
	"tv/semantics/index"
	"tv/semantics/term"
)

// elements is the state of the four PEs. A register that every PE has is a memory with a cell for each, or for
// each of its two managers; a manager is a matrix with its operand and its biases.
type elements struct {
	weights, inputs, activations, program *ila.Var

	valid, zeroFirst, withBias, numManager, numOut                     *ila.Var // by PE
	zeroActive, biasW, biasB, biasIn, numIn, baseW, baseB, baseIn      *ila.Var // by PE and manager
	actValid, actZeroFirst, actBias, numInst, actOut, bufBase, outBase *ila.Var // by PE
	unit, manager, out, in, ended                                      *ila.Var // of the PE at work
	operands, sums, registers                                          *ila.Var
	phase, op, inst, outVec                                            *ila.Var
}

// elements adds the memories and registers of the PEs, and how the bus writes them; it returns what decodes.
func (m *Machine) elements() []*term.Term {
	b, p := m.B, &m.pe
	p.weights = m.Memory("weights", 8, pes*weightsSize, "weight buffers of the PEs, tiles of 16 vectors").
		AddressedByPrograms()
	p.inputs = m.Memory("inputs", 8, pes*inputsSize, "input buffers of the PEs: operands and biases").
		AddressedByPrograms()
	p.activations = m.Memory("activations", 8, pes*activationsSize, "activation buffers of the PEs").
		AddressedByPrograms()
	p.program = m.Memory("program", 8, pes*programSize, "programs of the activation units, a byte an operation").
		AddressedByPrograms()
	p.registers = m.Memory("registers", m.registerWidth(), pes*registers*lanes,
		"registers of the activation units, vectors of Q6.14").FilledByPrograms()

	// pe is the number of the PE that the bus addresses
	pe := m.At(b.Extract(m.bus.addr, 24, 2))
	// on adds an instruction that the address offset of each PE decodes to, or size bytes from there on
	var known []*term.Term
	on := func(name, doc string, offset, size uint64) *ila.Instruction {
		decode := b.Truth(false)
		for k := range uint64(pes) {
			at := m.at(addrPE + k*nextPE + offset)
			if size > 0 {
				at = m.from(addrPE+k*nextPE+offset, size)
			}
			decode = b.Or(decode, at)
		}
		known = append(known, decode)
		return m.Model.Instruction(name, doc, decode)
	}
	register := func(name string, width int, each uint64, doc string) *ila.Var {
		return m.Memory(name, width, pes*each, doc).AddressedByPrograms()
	}
	buffer := func(name, doc string, memory *ila.Var, offset, size uint64) {
		i := on(name, doc, offset, size)
		m.whole(i)
		first := m.At(b.Extract(b.SubBits(m.bus.addr, b.Bits(32, offset)), 0, 20))
		first = b.AddBits(m.Times(size, pe), first)
		for j := range m.bus.lane {
			i.Store(memory, b.AddBits(first, m.Address(uint64(j))), m.bus.lane[j])
		}
	}

	sizing := on("config-pe", "Sizes the layer of a PE.", offsetSizing, 0)
	sizing.Require(m.zero(m.field(16, 1)), ila.CodeOperand, "cluster tables are not modelled")
	for _, r := range []struct {
		v          **ila.Var
		name, doc  string
		low, width int
	}{
		{&p.valid, "pe_valid", "the PE is configured", 0, 1},
		{&p.zeroFirst, "pe_zero_first", "managers with zero_active take no products in the first run", 8, 1},
		{&p.withBias, "pe_bias", "biases are added", 24, 1},
		{&p.numManager, "pe_num_manager", "managers in use", 32, 4},
		{&p.numOut, "pe_num_out", "output vectors of each manager", 40, 8},
	} {
		*r.v = register(r.name, r.width, 1, "by PE: "+r.doc)
		sizing.Store(*r.v, pe, m.field(r.low, r.width))
	}
	var conf [managers]*ila.Instruction
	for k := range conf {
		conf[k] = on(fmt.Sprintf("config-pe-manager-%d", k+1), "Configures a manager of a PE.",
			[...]uint64{offsetManager1, offsetManager2}[k], 0)
	}
	for _, r := range []struct {
		v          **ila.Var
		name, doc  string
		low, width int
	}{
		{&p.zeroActive, "zero_active", "takes no products where pe_zero_first is set", 0, 1},
		{&p.biasW, "bias_w", "exponent bias of the weights", 8, 3},
		{&p.biasB, "bias_b", "exponent bias of the biases", 16, 3},
		{&p.biasIn, "bias_in", "exponent bias of the inputs", 24, 3},
		{&p.numIn, "num_in", "input vectors", 32, 8},
		{&p.baseW, "base_w", "first vector of the weights", 48, 16},
		{&p.baseB, "base_b", "first vector of the biases", 64, 16},
		{&p.baseIn, "base_in", "first vector of the inputs", 80, 16},
	} {
		*r.v = register(r.name, r.width, managers, "by PE and manager: "+r.doc)
		for k := range conf {
			conf[k].Store(*r.v, b.AddBits(m.Times(managers, pe), m.Address(uint64(k))), m.field(r.low, r.width))
		}
	}
	act := on("config-activation", "Configures the activation unit of a PE.", offsetActivation, 0)
	for _, r := range []struct {
		v          **ila.Var
		name, doc  string
		low, width int
	}{
		{&p.actValid, "act_valid", "the activation unit is configured", 0, 1},
		{&p.actZeroFirst, "act_zero_first", "LOAD gives 0 in the first run", 8, 1},
		{&p.actBias, "act_bias", "exponent bias of what leaves the unit", 16, 3},
		{&p.numInst, "act_num_inst", "operations of the program", 24, 6},
		{&p.actOut, "act_num_out", "runs of the program, one an output vector", 32, 8},
		{&p.bufBase, "act_buf_base", "first vector in the activation buffer", 48, 16},
		{&p.outBase, "act_out_base", "first vector of the output", 64, 8},
	} {
		*r.v = register(r.name, r.width, 1, "by PE: "+r.doc)
		act.Store(*r.v, pe, m.field(r.low, r.width))
	}
	program := on("store-program", "Writes 16 operations of the program of an activation unit.", offsetProgram, 32)
	m.whole(program)
	within := b.Extract(b.SubBits(m.bus.addr, b.Bits(32, offsetProgram)), 0, 5)
	first := b.AddBits(m.Times(programSize, pe), m.At(within))
	for j := range m.bus.lane {
		program.Store(p.program, b.AddBits(first, m.Address(uint64(j))), m.bus.lane[j])
	}
	buffer("store-weights", "Writes a vector of the weight buffer of a PE.", p.weights, offsetWeights, weightsSize)
	buffer("store-inputs", "Writes a vector of the input buffer of a PE.", p.inputs, offsetInputs, inputsSize)
	buffer("store-activations", "Writes a vector of the activation buffer of a PE.", p.activations,
		offsetActivations, activationsSize)
	return known
}

// ofPE returns a register of the PE at work; ofManager one of its manager at work.
func (m *Machine) ofPE(v *ila.Var) *term.Term { return m.Load(v, m.At(m.pe.unit.Term)) }

func (m *Machine) ofManager(v *ila.Var) *term.Term {
	return m.Load(v, m.B.AddBits(m.Times(managers, m.pe.unit.Term), m.At(m.pe.manager.Term)))
}

// cell returns the address of a lane of a vector in the part of a memory that belongs to the PE at work.
func (m *Machine) cell(size uint64, vector *term.Term, j *index.Atom) *term.Term {
	return m.B.AddBits(m.Times(size, m.pe.unit.Term), m.lane(vector, j))
}

// Phases of the PE at work.
const (
	phaseRest  = iota
	phaseSend  // the control unit hands a vector of inputs to all PEs
	phaseFetch // an operation of the activation unit
	phaseExecute
	phaseRead // operands of products
	phaseMultiply
	phaseBias
	phaseDone     // a PE is done with a timestep
	phaseSendBack // the control unit hands a vector of outputs to all PEs
)

// products adds the core of a PE: accumulators of one output vector over all input vectors, then the bias. The
// result goes to the register that the operation INPE names.
func (m *Machine) products(child *ila.Model) {
	b, p := m.B, &m.pe
	k, i := m.Counter("k", lanes*lanes), m.Counter("i", lanes)
	at := func(phase uint64) *term.Term { return m.is(p.phase.Term, phase) }

	read := child.Instruction("read", "Reads and decodes a tile of weights and a vector of inputs.", at(phaseRead))
	tiles := b.AddBits(b.MulBits(m.At(p.out.Term), m.At(m.ofManager(p.numIn))), m.At(p.in.Term))
	weights := b.AddBits(b.MulBits(m.Address(lanes), tiles), m.At(m.ofManager(p.baseW)))
	input := b.AddBits(m.At(p.in.Term), m.At(m.ofManager(p.baseIn)))
	read.Require(m.lessThan(weights, weightsSize/lanes-lanes+1), ila.CodeAddress,
		"weights beyond the buffer of the PE")
	read.Require(m.lessThan(input, inputsSize/lanes), ila.CodeAddress, "inputs beyond the buffer of the PE")
	decoded := func(memory *ila.Var, size uint64, vector *term.Term, j *index.Atom) *term.Term {
		return m.decode(m.Load(memory, m.cell(size, vector, j)), nil, productWidth)
	}
	read.Each(k, ila.StoreTo{Memory: p.operands, Address: m.CountAt(k),
		Value: decoded(p.weights, weightsSize, weights, k)})
	read.Each(i, ila.StoreTo{Memory: p.operands, Address: b.AddBits(m.Address(lanes*lanes), m.CountAt(i)),
		Value: decoded(p.inputs, inputsSize, input, i)})
	read.Set(p.phase, m.num(4, phaseMultiply))

	multiply := child.Instruction("multiply", "Adds the product of the tile and the vector, modulo 2^32.",
		at(phaseMultiply))
	n := m.Counter("n", lanes)
	operand := func(first *term.Term) *term.Term {
		return b.ExtendS(m.Load(p.operands, b.AddBits(first, m.CountAt(n))), 32)
	}
	row := b.MulBits(m.Address(lanes), m.CountAt(i))
	sum := b.Reduce(term.Sum, []*index.Atom{n}, b.MulBits(operand(row), operand(m.Address(lanes*lanes))))
	multiply.Each(i, ila.StoreTo{Memory: p.sums, Address: m.CountAt(i),
		Value: b.AddBits(m.Load(p.sums, m.CountAt(i)), sum)})
	last := b.Equal(m.next(p.in.Term), m.ofManager(p.numIn))
	multiply.Set(p.in, b.Choose(last, m.num(8, 0), m.next(p.in.Term)))
	multiply.Set(p.phase, b.Choose(last, m.num(4, phaseBias), m.num(4, phaseRead)))

	bias := child.Instruction("bias", "Shifts the accumulators to Q6.14, adds the bias, saturates.", at(phaseBias))
	biases := b.AddBits(m.At(p.out.Term), m.At(m.ofManager(p.baseB)))
	with := m.is(m.ofPE(p.withBias), 1)
	bias.Require(b.Or(b.Not(with), m.lessThan(biases, inputsSize/lanes)), ila.CodeAddress,
		"biases beyond the buffer of the PE")
	scales := b.AddBits(b.ExtendU(m.ofManager(p.biasW), 32), b.ExtendU(m.ofManager(p.biasIn), 32))
	shifted := b.ShrS(m.Load(p.sums, m.CountAt(i)), b.SubBits(b.Bits(32, 14), scales))
	added := m.decode(m.Load(p.inputs, m.cell(inputsSize, biases, i)), m.ofManager(p.biasB), format.Q614)
	value := b.Choose(with, b.AddBits(shifted, b.ExtendS(added, 32)), shifted)
	bias.Each(i, ila.StoreTo{Memory: p.registers, Address: m.register(p.op, 2, i), Value: m.saturate(value)})
	endManager := b.Equal(b.ExtendU(m.next(p.manager.Term), 4), m.ofPE(p.numManager))
	endOut := b.And(endManager, b.Equal(m.next(p.out.Term), m.ofPE(p.numOut)))
	bias.Set(p.manager, b.Choose(endManager, m.num(3, 0), m.next(p.manager.Term)))
	bias.Set(p.out, b.Choose(endManager, m.next(p.out.Term), p.out.Term))
	bias.Set(p.ended, b.Choose(endOut, m.num(1, 1), m.num(1, 0)))
	m.advance(bias)
}

// decode returns the number that a code stands for, of a width; encode the code of one. Contracts have functions for them.
func (m *Machine) decode(code, bias *term.Term, width int) *term.Term {
	t := format.Decode(m.B, code, bias, width)
	if bias == nil {
		return m.Part(t, code)
	}
	return m.Part(t, bias, code)
}

func (m *Machine) encode(x, bias *term.Term) *term.Term {
	t, _ := format.Encode(m.B, m.quantiser(), x, bias)
	return m.Part(t, bias, x)
}

// productWidth is the width of decoded numbers without their bias.
const productWidth = 13

// saturate returns a sum of 32 bits as a register.
func (m *Machine) saturate(x *term.Term) *term.Term {
	return m.B.ExtendS(format.Saturate(m.B, x, format.Q614), m.registerWidth())
}

func (m *Machine) registerWidth() int {
	if m.config.wide {
		return 32
	}
	return format.Q614
}

func (m *Machine) quantiser() format.Quantiser {
	if m.config.SignLost {
		return format.SignLost
	}
	return format.Hardware
}

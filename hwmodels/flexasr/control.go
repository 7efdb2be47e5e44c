package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// controlUnit is the state of the control unit: which timesteps it runs the PEs over.
type controlUnit struct {
	ts, vec *ila.Var
	out     *ila.Var   // timestep of the outputs
	decoder *term.Term // inputs and outputs lie in the small buffer
}

// Modes of the control unit. A run of a half of two directions writes every second timestep.
const (
	modeOneWay   = iota
	modeForward  // inputs of timestep t, outputs to 2t
	modeBackward // the same from the last timestep on, outputs to 2t+1
	modeDecoder  // inputs and outputs in the small buffer, which has no timesteps
)

// control adds the control unit and the micro-instructions of the PEs that it starts. It returns what decodes.
//
// For each timestep it hands the input vectors to all PEs, which then take their turns, in order: the real ones
// work at the same time, so two that send to one vector race (ila.Turns).
func (m *Machine) control() []*term.Term {
	b, p := m.B, &m.pe
	valid := m.Bits("ctl_valid", 1, "control: configuration is valid")
	mode := m.Bits("ctl_mode", 3, "control: 0 one direction, 1 forward half of two, 2 backward half, 3 decoder")
	rnn := m.Bits("ctl_rnn", 1, "control: outputs go back to the PEs, for their second manager")
	for i, doc := range []string{"inputs", "outputs"} {
		name := fmt.Sprintf("ctl_memory_%d", i+1)
		m.gb.memoryIndex[i] = m.Bits(name, 3, "control: memory manager of "+doc)
	}
	numVec1 := m.Bits("ctl_num_vec_1", 8, "control: vectors of a timestep of inputs")
	numVec2 := m.Bits("ctl_num_vec_2", 8, "control: vectors of a timestep of outputs")
	numTs := m.Bits("ctl_num_ts", 16, "control: timesteps")
	m.ctl.ts = m.Bits("ctl_ts", 16, "run at work")
	m.ctl.out = m.Bits("ctl_out", 16, "timestep of its outputs")
	m.ctl.decoder = m.is(mode.Term, modeDecoder)
	m.ctl.vec = m.Bits("ctl_vec", 8, "vector at work")
	p.phase = m.Bits("phase", 4, "what comes next: see the child pe")
	p.unit = m.Bits("pe", 2, "the PE at work")
	p.manager = m.Bits("manager", 3, "its manager at work")
	p.out = m.Bits("out", 8, "its output vector")
	p.in = m.Bits("in", 8, "its input vector")
	p.ended = m.Bits("ended", 1, "it has sent all its vectors to the activation unit")
	p.op = m.Bits("op", 8, "operation of its activation unit")
	p.inst = m.Bits("inst", 6, "index of the operation")
	p.outVec = m.Bits("out_vec", 8, "output vector of the activation unit")
	p.operands = m.Memory("operands", productWidth, lanes*lanes+lanes,
		"a tile of weights and a vector of inputs at work, decoded without their biases")
	p.sums = m.Memory("sums", 32, lanes, "accumulators")
	in := func(phases ...uint64) *term.Term { return m.on(p.phase, phases...) }
	m.Invariant("phase", "There is a phase of every number in phase.", m.lessThan(p.phase.Term, phaseSendBack+1))
	m.Filled(p.sums, 0, lanes, in(phaseRead, phaseMultiply, phaseBias))
	m.Filled(p.operands, 0, lanes*lanes+lanes, in(phaseMultiply))
	atConfig, atStart := m.at(addrControl), m.at(addrStartControl)

	conf := m.Instruction("config-control", "Configures the control unit.", atConfig)
	m.fields(conf, field{valid, fieldValid}, field{mode, fieldMode}, field{rnn, fieldRNN}, field{m.gb.memoryIndex[0], fieldMemory1},
		field{m.gb.memoryIndex[1], fieldMemory2}, field{numVec1, fieldVectors1}, field{numVec2, fieldVectors2},
		field{numTs, fieldTimestep1})

	start := m.Instruction("start-control", "Runs the PEs over all timesteps.", atStart)
	one := func(t *term.Term) *term.Term { return m.is(t, 1) }
	some := func(t *term.Term) *term.Term { return b.Not(m.zero(t)) }
	start.Require(b.And(one(valid.Term), one(m.gb.configured.Term)), ila.CodeOperand,
		"the control unit is not configured")
	start.Require(m.lessThan(mode.Term, modeDecoder+1), ila.CodeOperand, "the control unit has modes 0 to 3")
	start.Require(b.Or(b.Not(m.ctl.decoder), one(m.gb.smallConfigured.Term)), ila.CodeOperand,
		"the memory managers of the small buffer are not configured")
	start.Require(b.Or(m.ctl.decoder, b.And(m.lessThan(m.gb.memoryIndex[0].Term, largeManagers),
		m.lessThan(m.gb.memoryIndex[1].Term, largeManagers))), ila.CodeOperand,
		"the large buffer has 4 memory managers")
	halved := m.on(mode, modeForward, modeBackward)
	start.Require(b.Or(b.Not(halved), m.lessThan(numTs.Term, 1<<15)), ila.CodeOperand, "too many timesteps for two directions")
	start.Require(m.every(some(numVec1.Term), some(numTs.Term), b.Or(b.Not(one(rnn.Term)), some(numVec2.Term))),
		ila.CodeOperand, "nothing to do: no timesteps or no vectors")
	for k := range uint64(pes) {
		of := func(v *ila.Var) *term.Term { return m.Load(v, m.Address(k)) }
		start.Require(b.And(one(of(p.valid)), one(of(p.actValid))), ila.CodeOperand, "a PE is not configured")
		managersInUse := of(p.numManager)
		start.Require(m.every(some(managersInUse), m.lessThan(managersInUse, managers+1), some(of(p.numOut)),
			some(of(p.actOut)), some(of(p.numInst)), m.lessThan(of(p.numInst), programSize+1)), ila.CodeOperand,
			"a PE has a size that is 0 or too large")
	}
	start.Set(m.ctl.ts, m.num(16, 0))
	start.Set(m.ctl.out, b.Choose(m.is(mode.Term, modeBackward), b.SubBits(b.Shl(numTs.Term, m.num(16, 1)), m.num(16, 1)), m.num(16, 0)))
	start.Set(m.ctl.vec, m.num(8, 0))
	start.Set(p.phase, m.num(4, phaseSend))

	child := m.Child("pe", "The control unit and the PE at work, by phase: 0 at rest, 1 send, 2 fetch, "+
		"3 execute, 4 read, 5 multiply, 6 bias, 7 done, 8 send-back.")
	j := m.Counter("j", lanes)
	type then func(i *ila.Instruction, last *term.Term)
	send := func(name, doc string, phase uint64, manager, from int, timestep, count *term.Term, then then) {
		i := child.Instruction(name, doc, m.is(p.phase.Term, phase))
		index := m.gb.memoryIndex[from].Term
		source := b.Choose(m.ctl.decoder, m.Load(m.Small, m.lane(m.smallPlace(index, m.ctl.vec.Term), j)),
			m.Load(m.Large, m.lane(m.place(index, timestep, m.ctl.vec.Term), j)))
		var stores []ila.StoreTo
		for k := range uint64(pes) {
			vector := b.AddBits(m.At(m.Load(p.baseIn, m.Address(k*managers+uint64(manager)))), m.At(m.ctl.vec.Term))
			i.Require(m.lessThan(vector, inputsSize/lanes), ila.CodeAddress, "beyond the input buffer of a PE")
			stores = append(stores, ila.StoreTo{Memory: p.inputs,
				Address: b.AddBits(m.Address(k*inputsSize), m.lane(vector, j)), Value: source})
		}
		i.Each(j, stores...)
		last := b.Equal(m.next(m.ctl.vec.Term), count)
		i.Set(m.ctl.vec, b.Choose(last, m.num(8, 0), m.next(m.ctl.vec.Term)))
		then(i, last)
	}
	send("send", "Hands a vector of the inputs to all PEs.", phaseSend, 0, 0,
		b.Choose(halved, b.ShrU(m.ctl.out.Term, m.num(16, 1)), m.ctl.out.Term), numVec1.Term,
		func(i *ila.Instruction, last *term.Term) {
			i.Set(p.phase, b.Choose(last, m.num(4, phaseFetch), m.num(4, phaseSend)))
			i.Set(p.unit, m.num(2, 0))
			m.beginPE(i)
		})
	m.activationUnit(child)
	m.products(child)
	m.Model.Turns = &ila.Turns{Part: "PE", Who: p.unit, Shared: []*ila.Var{m.Large, m.Small},
		While: in(phaseFetch, phaseExecute, phaseRead, phaseMultiply, phaseBias, phaseDone)}

	// nextTimestep is what follows the last vector of a timestep, where that is reached
	lastTs := b.Equal(m.next(m.ctl.ts.Term), numTs.Term)
	following := b.Choose(lastTs, m.num(4, phaseRest), m.num(4, phaseSend))
	done := child.Instruction("done", "A PE is done with a timestep: the next one's turn.",
		m.is(p.phase.Term, phaseDone))
	done.Require(one(p.ended.Term), ila.CodeOperand,
		"vectors of the PE are left that its activation unit does not take")
	lastPE := m.is(p.unit.Term, pes-1)
	done.Store(p.zeroFirst, m.At(p.unit.Term), m.num(1, 0))
	done.Store(p.actZeroFirst, m.At(p.unit.Term), m.num(1, 0))
	done.Set(p.unit, m.next(p.unit.Term))
	m.beginPE(done)
	after := b.Choose(one(rnn.Term), m.num(4, phaseSendBack), following)
	done.Set(p.phase, b.Choose(lastPE, after, m.num(4, phaseFetch)))
	// advance goes to the next run where a condition holds
	advance := func(i *ila.Instruction, cond *term.Term) {
		out := m.ctl.out.Term
		by := b.Choose(m.is(mode.Term, modeForward), m.num(16, 2), b.Choose(m.is(mode.Term, modeBackward), m.num(16, 1<<16-2), m.num(16, 1)))
		i.Set(m.ctl.ts, b.Choose(cond, m.next(m.ctl.ts.Term), m.ctl.ts.Term))
		i.Set(m.ctl.out, b.Choose(cond, b.AddBits(out, by), out))
	}
	advance(done, b.And(lastPE, b.Not(one(rnn.Term))))
	send("send-back", "Hands a vector of the outputs to all PEs, for their second manager.", phaseSendBack, 1, 1,
		m.ctl.out.Term, numVec2.Term, func(i *ila.Instruction, last *term.Term) {
			i.Set(p.phase, b.Choose(last, following, m.num(4, phaseSendBack)))
			advance(i, last)
		})
	return []*term.Term{atConfig, atStart}
}

// beginPE resets what counts within the run of a PE.
func (m *Machine) beginPE(i *ila.Instruction) {
	for _, v := range []*ila.Var{m.pe.manager, m.pe.out, m.pe.in, m.pe.ended, m.pe.inst, m.pe.outVec} {
		i.Set(v, m.num(v.Width, 0))
	}
}

// Package flexasr models FlexASR, an accelerator for speech and language models, bit by bit in AdaptivFloat<8,3>,
// and maps operations onto it: max, mean and add over pairs of timesteps, linear layers, an LSTM, layer norm and attention.
//
// A global buffer feeds four processing elements (PEs); every datum is a code of 8 bits, 16 codes are a vector. An
// instruction is one write of a vector to the bus. What the bus reaches and the model does not have is a fault.
//
//	NewModel                     the machine; Config has the choices where sources differ
//	MaxPool, MeanPool, AddPool   programs for a layer reduction over pairs of timesteps
//	Linear                       the program for a linear layer
//	LSTM                         the program for timesteps of an LSTM
//	LayerNorm, Attention         the programs for these
//
//	model.go      the bus, both buffers and their memory managers
//	reduce.go     layer reduction          control.go     the control unit, which runs the PEs
//	pe.go         a PE: products and sums  activation.go  its activation unit, a small processor
//	padding.go    zero padding             norm.go        layer norm
//	attention.go  attention
//	tables.go     tables of functions; functions.go adds these to the model, distance.go says how far they are off
//	pool.go, linear.go, lstm.go, layernorm.go, attend.go  drivers, on what host.go writes; all.go for all sizes
//	contract.go   what results are, by definition of the numbers
//
// Source: T. Tambe et al., A 16-nm SoC for Noise-Robust Speech and NLP Edge AI Inference, IEEE JSSC 2022, and
// the public sources of the accelerator.
package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Addresses on the bus. Those of a PE are relative to its base.
const (
	addrStartControl   = 0x33000010
	addrStartReduce    = 0x33000020
	addrStartNorm      = 0x33000030
	addrStartPad       = 0x33000040
	addrStartAttention = 0x33000050
	addrManager        = 0x33400010
	addrSmallManager   = 0x33400020
	addrLarge          = 0x33500000
	addrSmall          = 0x33600000
	addrControl        = 0x33700010
	addrReduce         = 0x33800010
	addrNorm           = 0x33900010
	addrPad            = 0x33A00010
	addrAttention      = 0x33B00010
	addrPE             = 0x34000000
	nextPE             = 0x01000000
	offsetSizing       = 0x400010
	offsetManager1     = 0x400020
	offsetManager2     = 0x400040
	offsetWeights      = 0x500000
	offsetInputs       = 0x600000
	offsetActivation   = 0x800010
	offsetProgram      = 0x800020
	offsetActivations  = 0x900000
)

// Sizes of memories in bytes.
const (
	lanes           = 16
	pes             = 4
	managers        = 2 // of a PE
	largeManagers   = 4
	smallManagers   = 8
	largeSize       = 1 << 20
	smallSize       = 1 << 14
	weightsSize     = 1 << 20
	inputsSize      = 1 << 12
	activationsSize = 1 << 9
	programSize     = 1 << 5
	registers       = 4 // of an activation unit
)

// Config has the choices where the sources of the machine differ or say nothing.
type Config struct {
	CutSums  bool    // sums of pairs: the smaller operand loses its bits below the last bit of the larger one
	SignLost bool    // a number too large for its code becomes the greatest number, whatever its sign
	Tables   *Tables // of its functions; nil: PublicTables

	wide bool // activation registers of 32 instead of 20 bits, a defect; tests only
}

// A Machine is the model and the variables that drivers name.
type Machine struct {
	*ila.Model
	Large *ila.Var
	Small *ila.Var

	config Config
	bus    bus
	gb     globalBuffer
	ctl    controlUnit
	pe     elements
	fn     functions
}

// bus is the inputs of the machine: an address and a vector of data, lowest byte first.
type bus struct {
	addr *term.Term
	lane [lanes]*term.Term
}

// NewModel returns the machine with the default choices.
func NewModel() *Machine { return Config{}.NewModel() }

// NewModel returns the machine with the choices of c.
func (c Config) NewModel() *Machine {
	choice := func(set bool, yes, no string) string {
		if set {
			return yes
		}
		return no
	}
	m := &Machine{Model: ila.New("flexasr", "FlexASR: a global buffer with layer reduction, and four processing "+
		"elements; vectors of 16 AdaptivFloat<8,3>."), config: c}
	if m.config.Tables == nil {
		m.config.Tables = PublicTables()
	}
	m.Params = []ila.Param{
		{Name: "sums of pairs", Value: choice(c.CutSums, "cut", "exact"),
			Doc: "exact: rounded once; cut: the smaller operand first loses the bits below the other's last"},
		{Name: "saturation of codes", Value: choice(c.SignLost, "sign-lost", "signed"),
			Doc: "signed: to the greatest number of the sign; sign-lost: to the greatest number"},
		{Name: "quotient by 0", Value: "1023", Doc: "of the narrow division: all ones; sources do not say"},
		{Name: "timesteps of attention", Value: fmt.Sprint(mostScores), Doc: "at most; sources do not say"},
		{Name: "negative shifts", Value: "left", Doc: "of attention, where biases add up to more than 8: to the left; sources do not say"},
	}
	m.functions()
	m.bus.addr = m.Input("addr", 32, "bus address").Term
	for j := range m.bus.lane {
		m.bus.lane[j] = m.Input(fmt.Sprintf("lane%d", j), 8, "byte of the data, lowest first").Term
	}
	known := m.globalBuffer()
	known = append(known, m.reduction()...)
	known = append(known, m.padding()...)
	known = append(known, m.layerNorm()...)
	known = append(known, m.attention()...)
	known = append(known, m.elements()...)
	known = append(known, m.control()...)
	any := m.B.Truth(false)
	for _, k := range known {
		any = m.B.Or(any, k)
	}
	m.Model.Instruction("illegal", "Everything else: a fault.", m.B.Not(any)).
		Require(m.B.Truth(false), ila.CodeOperand, "the model has nothing at this address")
	return m
}

// A few ways to say things.

func (m *Machine) num(width int, v uint64) *term.Term { return m.B.Bits(width, v) }

func (m *Machine) zero(t *term.Term) *term.Term { return m.B.Equal(t, m.num(t.Sort.Width, 0)) }

func (m *Machine) is(t *term.Term, v uint64) *term.Term { return m.B.Equal(t, m.num(t.Sort.Width, v)) }

func (m *Machine) next(t *term.Term) *term.Term { return m.B.AddBits(t, m.num(t.Sort.Width, 1)) }

func (m *Machine) lessThan(t *term.Term, v uint64) *term.Term {
	return m.B.LessU(t, m.num(t.Sort.Width, v))
}

func (m *Machine) every(conds ...*term.Term) *term.Term {
	all := m.B.Truth(true)
	for _, c := range conds {
		all = m.B.And(all, c)
	}
	return all
}

// at says that the bus addresses n; from, that it addresses one of size bytes from n on.
func (m *Machine) at(n uint64) *term.Term { return m.is(m.bus.addr, n) }

func (m *Machine) from(n, size uint64) *term.Term {
	return m.B.And(m.B.Not(m.lessThan(m.bus.addr, n)), m.lessThan(m.bus.addr, n+size))
}

// field returns width bits of the data of the bus from bit low on; it lies within two bytes.
func (m *Machine) field(low, width int) *term.Term {
	b, at := m.B, low%8
	if at+width <= 8 {
		return b.Extract(m.bus.lane[low/8], at, width)
	}
	return b.Extract(b.Concat(m.bus.lane[low/8+1], m.bus.lane[low/8]), at, width)
}

// whole requires that 16 divides the address.
func (m *Machine) whole(i *ila.Instruction) {
	i.Require(m.zero(m.B.Extract(m.bus.addr, 0, 4)), ila.CodeOperand, "an address that 16 does not divide")
}

// fields gives bit-vectors the fields of a configuration word that the units of the global buffer share.
func (m *Machine) fields(i *ila.Instruction, fields ...field) {
	for _, f := range fields {
		i.Set(f.v, m.field(f.low, f.v.Width))
	}
}

// A field is where a configuration word has the value of a bit-vector.
type field struct {
	v   *ila.Var
	low int
}

// Fields of that word, by their lowest bit.
const (
	fieldValid     = 0
	fieldMode      = 8
	fieldRNN       = 16
	fieldMemory1   = 32
	fieldMemory2   = 40
	fieldVectors1  = 48
	fieldVectors2  = 56
	fieldTimestep1 = 64
	fieldTimestep2 = 80
	fieldBias1     = 96
	fieldBias2     = 104
	fieldBias3     = 112
	fieldBias4     = 120
)

// on tells whether a phase is one of some.
func (m *Machine) on(phase *ila.Var, phases ...uint64) *term.Term {
	any := m.B.Truth(false)
	for _, n := range phases {
		any = m.B.Or(any, m.is(phase.Term, n))
	}
	return any
}

// lane returns the address of a lane of the vector at an address that counts vectors.
func (m *Machine) lane(vector *term.Term, j *index.Atom) *term.Term {
	return m.B.AddBits(m.B.MulBits(m.Address(lanes), vector), m.CountAt(j))
}

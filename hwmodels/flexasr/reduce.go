package flexasr

import (
	"tv/ila"
	"tv/ila/format"
	"tv/semantics/term"
)

// Modes of the layer reduction.
const (
	modeMax = iota
	modeMean
	modeAdd
)

// reduction adds the layer reduction over pairs of timesteps, in place. It returns what decodes.
func (m *Machine) reduction() []*term.Term {
	b := m.B
	valid := m.Bits("valid", 1, "layer reduction: configuration is valid")
	mode := m.Bits("mode", 3, "layer reduction: 0 max, 1 mean, 2 add")
	memory := m.Bits("memory", 3, "layer reduction: memory manager of the tensor")
	numVec := m.Bits("num_vec", 8, "vectors of a timestep")
	numTs := m.Bits("num_ts", 16, "timesteps")
	bias := m.Bits("bias", 3, "exponent bias of the tensor; the layer reduction does not depend on it")
	run := m.Bits("run", 1, "a reduction runs")
	ts := m.Bits("ts", 16, "timestep of the output")
	vec := m.Bits("vec", 8, "vector of the timestep")
	atConfig, atStart := m.at(addrReduce), m.at(addrStartReduce)

	conf := m.Instruction("config-reduce", "Configures the layer reduction.", atConfig)
	m.fields(conf, field{valid, fieldValid}, field{mode, fieldMode}, field{memory, fieldMemory1}, field{numVec, fieldVectors1},
		field{numTs, fieldTimestep1}, field{bias, fieldBias1})

	start := m.Instruction("start-reduce", "Reduces pairs of timesteps in place: 2t and 2t+1 to t.", atStart)
	m.configured(start, "the layer reduction", valid, memory, false)
	start.Require(m.lessThan(mode.Term, 3), ila.CodeOperand, "the layer reduction has modes 0 to 2")
	start.Require(m.zero(b.Extract(numTs.Term, 0, 1)), ila.CodeOperand, "an odd number of timesteps")
	some := b.And(b.Not(m.zero(numVec.Term)), b.Not(m.zero(numTs.Term)))
	start.Set(run, b.Choose(some, m.num(1, 1), m.num(1, 0)))
	start.Set(ts, m.num(16, 0))
	start.Set(vec, m.num(8, 0))

	child := m.Child("reduce", "Layer reduction, a vector a step.")
	j := m.Counter("j", lanes)
	even := b.Shl(ts.Term, b.Bits(16, 1))
	load := func(timestep *term.Term) *term.Term {
		return m.Load(m.Large, m.lane(m.place(memory.Term, timestep, vec.Term), j))
	}
	x, y := load(even), load(b.Or(even, b.Bits(16, 1)))
	nextVec, nextTs := m.next(vec.Term), m.next(ts.Term)
	endVec := b.Equal(nextVec, numVec.Term)
	end := b.And(endVec, b.Equal(b.Shl(nextTs, b.Bits(16, 1)), numTs.Term))
	for _, o := range []struct {
		name, doc string
		mode      uint64
		value     *term.Term
	}{
		{"max", "large[t][v] = max(large[2t][v], large[2t+1][v]), -0 becomes 0.", modeMax, maximum(b, x, y)},
		{"mean", "large[t][v] = (large[2t][v] + large[2t+1][v]) / 2, rounded as the hardware does.", modeMean,
			m.sum(x, y, 1)},
		{"add", "large[t][v] = large[2t][v] + large[2t+1][v], rounded as the hardware does.", modeAdd, m.sum(x, y, 0)},
	} {
		step := child.Instruction(o.name, o.doc, b.And(m.is(run.Term, 1), m.is(mode.Term, o.mode)))
		step.Each(j, ila.StoreTo{Memory: m.Large, Address: m.lane(m.place(memory.Term, ts.Term, vec.Term), j),
			Value: o.value})
		step.Set(vec, b.Choose(endVec, b.Bits(8, 0), nextVec))
		step.Set(ts, b.Choose(endVec, nextTs, ts.Term))
		step.Set(run, b.Choose(end, b.Bits(1, 0), b.Bits(1, 1)))
	}
	return []*term.Term{atConfig, atStart}
}

// maximum returns the code of the greater number, 0 for either zero. Codes of numbers below 0 order the other way
// round: with all bits but the sign turned they order like two's complement, -0 next below 0.
func maximum(b *term.Builder, x, y *term.Term) *term.Term {
	ordered := func(c *term.Term) *term.Term {
		negative := b.ShrS(c, b.Bits(8, 7)) // in every bit
		return b.Xor(c, b.And(negative, b.Bits(8, 0x7f)))
	}
	greater := b.Choose(b.LessS(ordered(x), ordered(y)), y, x)
	return b.Choose(b.Equal(greater, b.Bits(8, 0x80)), b.Bits(8, 0), greater)
}

// sum returns the code of (x + y) / 2^halvings. The adder works on numbers of exponent bias 0: the bias of the
// tensor scales operands and result alike. Halving an exponent that is too small gives 0.
func (m *Machine) sum(x, y *term.Term, halvings uint64) *term.Term {
	b := m.B
	const width = 14 // of sums of two numbers of 13 bits
	number := func(c, other *term.Term) *term.Term {
		n := format.Decode(b, c, nil, width)
		if !m.config.CutSums {
			return n
		}
		e, f := b.Extract(c, 4, 3), b.Extract(other, 4, 3)
		last := b.ExtendU(b.Choose(b.LessU(e, f), f, e), width)
		return b.Shl(b.ShrS(n, last), last)
	}
	total := b.ExtendS(b.AddBits(number(x, y), number(y, x)), format.Q614)
	code, _ := format.Encode(b, format.Hardware, total, b.Bits(3, halvings))
	return code
}

package flexasr

import (
	"tv/ila"
	"tv/ila/format"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Memory managers of the small buffer that layer norm and attention take.
const (
	managerGamma   = 5
	managerBeta    = 6
	managerScratch = 7
)

// Phases of layer norm.
const (
	normRest      = iota
	normSum       // of a vector
	normFinish    // what a timestep is normalised by
	normNormalise // a vector
)

// times returns the product of numbers in Q6.14: 40 bits, shifted right by 14, of which 20 are kept.
func (m *Machine) times(x, y *term.Term) *term.Term {
	b := m.B
	return b.Extract(b.ShrS(b.MulBits(b.ExtendS(x, 40), b.ExtendS(y, 40)), b.Bits(40, 14)), 0, format.Q614)
}

// layerNorm adds the unit that normalises each timestep in place. It returns what decodes.
func (m *Machine) layerNorm() []*term.Term {
	const sums = 24 // bits
	b := m.B
	valid := m.Bits("norm_valid", 1, "layer norm: configuration is valid")
	memory := m.Bits("norm_memory", 3, "layer norm: memory manager of the tensor")
	numVec := m.Bits("norm_num_vec", 8, "layer norm: vectors of a timestep")
	numTs := m.Bits("norm_num_ts", 16, "layer norm: timesteps")
	bias := m.Bits("norm_bias", 3, "layer norm: exponent bias of the tensor")
	biasBeta := m.Bits("norm_bias_beta", 3, "layer norm: exponent bias of what is added")
	biasGamma := m.Bits("norm_bias_gamma", 3, "layer norm: exponent bias of the factors")
	phase := m.Bits("norm_phase", 2, "layer norm: 0 at rest, 1 sum, 2 finish, 3 normalise")
	ts := m.Bits("norm_ts", 16, "layer norm: timestep at work")
	vec := m.Bits("norm_vec", 8, "layer norm: vector at work")
	sum := m.Bits("norm_sum", sums, "layer norm: sum of the timestep")
	squares := m.Bits("norm_squares", sums, "layer norm: sum of its squares")
	mean := m.Bits("norm_mean", format.Q614, "layer norm: its mean")
	root := m.Bits("norm_root", format.Q614, "layer norm: 1/sqrt of its variance")
	atConfig, atStart := m.at(addrNorm), m.at(addrStartNorm)

	conf := m.Instruction("config-norm", "Configures layer norm.", atConfig)
	m.fields(conf, field{valid, fieldValid}, field{memory, fieldMemory1}, field{numVec, fieldVectors1}, field{numTs, fieldTimestep1},
		field{bias, fieldBias1}, field{biasBeta, fieldBias3}, field{biasGamma, fieldBias4})
	start := m.Instruction("start-norm", "Normalises all timesteps in place.", atStart)
	m.configured(start, "layer norm", valid, memory, true)
	start.Require(b.Not(b.Or(m.zero(numVec.Term), m.zero(numTs.Term))), ila.CodeOperand, "nothing to do: no timesteps or no vectors")
	start.Set(phase, m.num(2, normSum))
	for _, v := range []*ila.Var{ts, vec, sum, squares} {
		start.Set(v, m.num(v.Width, 0))
	}

	child := m.Child("norm", "Layer norm, by phase: a vector a step, or what a timestep is normalised by.")
	at := func(j *index.Atom) *term.Term { return m.lane(m.place(memory.Term, ts.Term, vec.Term), j) }
	load := func(j *index.Atom) *term.Term { return m.decode(m.Load(m.Large, at(j)), bias.Term, format.Q614) }
	last := b.Equal(m.next(vec.Term), numVec.Term)
	following := b.Choose(last, m.num(8, 0), m.next(vec.Term))

	add := child.Instruction("sum", "Adds a vector, and its squares, whose sums of 16 have 20 bits.", m.is(phase.Term, normSum))
	for _, s := range []struct {
		v  *ila.Var
		of func(x *term.Term) *term.Term
	}{{sum, func(x *term.Term) *term.Term { return x }}, {squares, func(x *term.Term) *term.Term { return m.times(x, x) }}} {
		j := m.Counter("j", lanes)
		part := b.Reduce(term.Sum, []*index.Atom{j}, s.of(load(j)))
		add.Set(s.v, b.AddBits(s.v.Term, b.ExtendS(part, sums)))
	}
	add.Set(vec, following)
	add.Set(phase, b.Choose(last, m.num(2, normFinish), m.num(2, normSum)))

	finish := child.Instruction("finish", "mean = sum / n, variance = squares / n - mean * mean, root = 1/sqrt(variance).",
		m.is(phase.Term, normFinish))
	count := b.Shl(b.ExtendU(numVec.Term, sums), m.num(sums, 4))
	quotient := func(x *term.Term) *term.Term { // toward 0
		return b.Choose(b.LessS(x, m.num(sums, 0)), b.NegBits(b.DivU(b.NegBits(x), count)), b.DivU(x, count))
	}
	middle := b.Extract(quotient(sum.Term), 0, format.Q614)
	variance := b.SubBits(b.Extract(quotient(squares.Term), 0, format.Q614), m.times(middle, middle))
	finish.Set(mean, middle)
	finish.Set(root, m.Apply(m.fn.inverseRoot, variance))
	finish.Set(sum, m.num(sums, 0))
	finish.Set(squares, m.num(sums, 0))
	finish.Set(phase, m.num(2, normNormalise))

	normalise := child.Instruction("normalise", "large[t][v] = (large[t][v] - mean) * root * gamma[v] + beta[v].",
		m.is(phase.Term, normNormalise))
	j := m.Counter("j", lanes)
	small := func(manager uint64, bias *ila.Var) *term.Term {
		code := m.Load(m.Small, m.lane(b.AddBits(m.At(m.gb.smallBase[manager].Term), m.At(vec.Term)), j))
		return m.decode(code, bias.Term, format.Q614)
	}
	scaled := m.times(m.times(b.SubBits(load(j), mean.Term), root.Term), small(managerGamma, biasGamma))
	value := m.encode(b.AddBits(scaled, small(managerBeta, biasBeta)), bias.Term)
	normalise.Each(j, ila.StoreTo{Memory: m.Large, Address: at(j), Value: value})
	normalise.Set(vec, following)
	normalise.Set(ts, b.Choose(last, m.next(ts.Term), ts.Term))
	end := b.Equal(m.next(ts.Term), numTs.Term)
	normalise.Set(phase, b.Choose(last, b.Choose(end, m.num(2, normRest), m.num(2, normSum)), m.num(2, normNormalise)))
	return []*term.Term{atConfig, atStart}
}

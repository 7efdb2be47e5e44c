package flexasr

import (
	"tv/ila"
	"tv/semantics/term"
)

// padding adds the unit that writes zeros to timesteps of a tensor in the large buffer. It returns what decodes.
func (m *Machine) padding() []*term.Term {
	b := m.B
	valid := m.Bits("pad_valid", 1, "zero padding: configuration is valid")
	memory := m.Bits("pad_memory", 3, "zero padding: memory manager of the tensor")
	numVec := m.Bits("pad_num_vec", 8, "zero padding: vectors of a timestep")
	first := m.Bits("pad_first", 16, "zero padding: first timestep that is written")
	end := m.Bits("pad_end", 16, "zero padding: timestep behind the last")
	run := m.Bits("pad_run", 1, "zero padding runs")
	ts := m.Bits("pad_ts", 16, "zero padding: timestep at work")
	vec := m.Bits("pad_vec", 8, "zero padding: vector at work")
	atConfig, atStart := m.at(addrPad), m.at(addrStartPad)

	conf := m.Instruction("config-pad", "Configures zero padding.", atConfig)
	m.fields(conf, field{valid, fieldValid}, field{memory, fieldMemory1}, field{numVec, fieldVectors1}, field{first, fieldTimestep1},
		field{end, fieldTimestep2})
	start := m.Instruction("start-pad", "Writes zeros to timesteps from the first to before the end.", atStart)
	m.configured(start, "zero padding", valid, memory, false)
	some := b.And(b.Not(m.zero(numVec.Term)), b.LessU(first.Term, end.Term))
	start.Set(run, b.Choose(some, m.num(1, 1), m.num(1, 0)))
	start.Set(ts, first.Term)
	start.Set(vec, m.num(8, 0))

	child := m.Child("pad", "Zero padding, a vector a step.")
	step := child.Instruction("zero", "large[t][v] = 0.", m.is(run.Term, 1))
	j := m.Counter("j", lanes)
	step.Each(j, ila.StoreTo{Memory: m.Large, Address: m.lane(m.place(memory.Term, ts.Term, vec.Term), j), Value: m.num(8, 0)})
	endVec := b.Equal(m.next(vec.Term), numVec.Term)
	step.Set(vec, b.Choose(endVec, m.num(8, 0), m.next(vec.Term)))
	step.Set(ts, b.Choose(endVec, m.next(ts.Term), ts.Term))
	step.Set(run, b.Choose(b.And(endVec, b.Equal(m.next(ts.Term), end.Term)), m.num(1, 0), m.num(1, 1)))
	return []*term.Term{atConfig, atStart}
}

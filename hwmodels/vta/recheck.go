package vta

import (
	"errors"

	"tv/ila"
	"tv/proofs/races"
)

// recheck has the checker of races read a task again: words, what lies in DRAM, and where the host reads.
func (m *Machine) recheck(t *ila.Task, order []int) error {
	c := m.Config
	tokens, commands := c.depths()
	p := races.Program{}
	for _, s := range t.Steps {
		low, okLow := s.Values[0].ConstBits()
		high, okHigh := s.Values[1].ConstBits()
		if !okLow || !okHigh {
			return errors.New("an instruction is no number")
		}
		p.Words = append(p.Words, [2]uint64{low, high})
	}
	known := map[uint64]byte{}
	for _, in := range t.Init {
		if in.Memory != m.DRAM {
			return errors.New("a memory other than DRAM is written before the first instruction")
		}
		if v, ok := in.Value.ConstBits(); ok {
			known[in.Address] = byte(v)
		}
	}
	p.Byte = func(at uint64) (byte, bool) {
		v, ok := known[at]
		return v, ok
	}
	for flat := range t.Output.Size() {
		for _, at := range t.Places(flat) {
			if at.Memory != m.DRAM {
				return errors.New("the host reads a memory other than DRAM")
			}
			p.Output = append(p.Output, [2]uint64{at.Address, at.Address + 1})
		}
	}
	return races.Check(races.Machine{Older: c.Older, StoreAcc: c.StoreAcc, ResetOut: c.ResetOut, NoFinish: c.NoFinish, Loads: c.Loads,
		Wrap: c.WrapIndex, Tokens: tokens, Commands: commands}, p, order)
}

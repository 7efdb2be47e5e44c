package run

import (
	"tv/ila"
	"tv/semantics/term"
)

// Cells calls f for each cell of a memory that has a value, in the order of addresses.
func (s *Simulator) Cells(v *ila.Var, f func(at, value uint64)) {
	for n, p := range s.memories[v.Slot()].pages {
		if p == nil {
			continue
		}
		for i, v := range p.value {
			if p.written[i/64]>>(i%64)&1 != 0 {
				f(uint64(n)<<pageBits+uint64(i), v)
			}
		}
	}
}

// Cells calls f for each cell of a memory that has a value, in the order of addresses.
func (s *Symbolic) Cells(v *ila.Var, f func(at uint64, value *term.Term)) {
	for n, p := range s.memories[v.Slot()].pages {
		for i := range p {
			if p[i].written {
				f(uint64(n)<<pageBits+uint64(i), s.termOf(p[i].value, v.Width))
			}
		}
	}
}

// Bits returns the value of a bit-vector as a term.
func (s *Symbolic) Bits(v *ila.Var) *term.Term { return s.termOf(s.scalars[v.Slot()], v.Width) }

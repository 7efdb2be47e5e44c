package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// globalBuffer is the state of the memory managers of the large buffer: a manager is a place for a tensor.
type globalBuffer struct {
	configured  *ila.Var
	vectors     [largeManagers]*ila.Var // of a timestep
	base        [largeManagers]*ila.Var // in vectors
	memoryIndex [2]*ila.Var             // of the control unit: of inputs and of outputs
}

// globalBuffer adds the large buffer and its memory managers; it returns what decodes.
func (m *Machine) globalBuffer() []*term.Term {
	b := m.B
	m.Large = m.Memory("large", 8, largeSize, "large buffer, vectors of 16 bytes").AddressedByPrograms()
	m.gb.configured = m.Bits("managers", 1, "the memory managers are configured")
	inLarge, atManager := m.from(addrLarge, largeSize), m.at(addrManager)

	store := m.Instruction("store-large", "Writes a vector of the large buffer.", inLarge)
	m.whole(store)
	for j := range lanes {
		offset := b.SubBits(m.At(m.bus.addr), m.Address(addrLarge-uint64(j)))
		store.Store(m.Large, offset, m.bus.lane[j])
	}
	conf := m.Instruction("config-manager", "Configures the memory managers of the large buffer.", atManager)
	conf.Set(m.gb.configured, m.num(1, 1))
	for i := range largeManagers {
		m.gb.vectors[i] = m.Bits(fmt.Sprintf("num_vec_%d", i), 8, "memory manager: vectors of a timestep")
		m.gb.base[i] = m.Bits(fmt.Sprintf("base_%d", i), 16, "memory manager: first vector of the tensor")
		conf.Set(m.gb.vectors[i], m.field(32*i, 8))
		conf.Set(m.gb.base[i], m.field(32*i+16, 16))
	}
	return []*term.Term{inLarge, atManager}
}

// place returns where vector v of a timestep lies in the large buffer, in vectors, by the memory manager of an
// index below 4: blocks of 16 timesteps, in which a vector of all comes before the next.
func (m *Machine) place(index, timestep, v *term.Term) *term.Term {
	b := m.B
	vectors, base := m.gb.vectors[0].Term, m.gb.base[0].Term
	for i := 1; i < largeManagers; i++ {
		this := m.is(index, uint64(i))
		vectors, base = b.Choose(this, m.gb.vectors[i].Term, vectors), b.Choose(this, m.gb.base[i].Term, base)
	}
	block := b.MulBits(m.At(b.ShrU(timestep, b.Bits(16, 4))), m.At(vectors))
	in := b.MulBits(m.Address(16), b.AddBits(block, m.At(v)))
	return b.AddBits(m.At(base), b.AddBits(in, m.At(b.Extract(timestep, 0, 4))))
}

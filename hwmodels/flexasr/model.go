package flexasr

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// globalBuffer is the state of the memory managers of both buffers: a manager is a place for a tensor.
type globalBuffer struct {
	configured, smallConfigured *ila.Var
	vectors                     [largeManagers]*ila.Var // of a timestep
	base                        [largeManagers]*ila.Var // in vectors
	smallBase                   [smallManagers]*ila.Var
	memoryIndex                 [2]*ila.Var // of the control unit: of inputs and of outputs
}

// globalBuffer adds both buffers and their memory managers; it returns what decodes.
func (m *Machine) globalBuffer() []*term.Term {
	b := m.B
	m.Large = m.Memory("large", 8, largeSize, "large buffer, vectors of 16 bytes").AddressedByPrograms()
	m.gb.configured = m.Bits("managers", 1, "the memory managers are configured")
	m.Small = m.Memory("small", 8, smallSize, "small buffer, vectors of 16 bytes").AddressedByPrograms()
	m.gb.smallConfigured = m.Bits("small_managers", 1, "the memory managers of the small buffer are configured")
	inLarge, atManager := m.from(addrLarge, largeSize), m.at(addrManager)
	inSmall, atSmallManager := m.from(addrSmall, smallSize), m.at(addrSmallManager)

	for _, buffer := range []struct {
		memory *ila.Var
		in     *term.Term
		first  uint64
	}{{m.Large, inLarge, addrLarge}, {m.Small, inSmall, addrSmall}} {
		store := m.Instruction("store-"+buffer.memory.Name, "Writes a vector of the "+buffer.memory.Name+" buffer.", buffer.in)
		m.whole(store)
		for j := range lanes {
			offset := b.SubBits(m.At(m.bus.addr), m.Address(buffer.first-uint64(j)))
			store.Store(buffer.memory, offset, m.bus.lane[j])
		}
	}
	conf := m.Instruction("config-manager", "Configures the memory managers of the large buffer.", atManager)
	conf.Set(m.gb.configured, m.num(1, 1))
	for i := range largeManagers {
		m.gb.vectors[i] = m.Bits(fmt.Sprintf("num_vec_%d", i), 8, "memory manager: vectors of a timestep")
		m.gb.base[i] = m.Bits(fmt.Sprintf("base_%d", i), 16, "memory manager: first vector of the tensor")
		conf.Set(m.gb.vectors[i], m.field(32*i, 8))
		conf.Set(m.gb.base[i], m.field(32*i+16, 16))
	}
	small := m.Instruction("config-small-manager", "Configures the memory managers of the small buffer.", atSmallManager)
	small.Set(m.gb.smallConfigured, m.num(1, 1))
	for i := range smallManagers {
		m.gb.smallBase[i] = m.Bits(fmt.Sprintf("small_base_%d", i), 16, "memory manager of the small buffer: first vector")
		small.Set(m.gb.smallBase[i], m.field(16*i, 16))
	}
	return []*term.Term{inLarge, atManager, inSmall, atSmallManager}
}

// smallPlace returns where a vector lies in the small buffer, in vectors, by the memory manager of an index below 8.
func (m *Machine) smallPlace(index, v *term.Term) *term.Term {
	base := m.gb.smallBase[0].Term
	for i := 1; i < smallManagers; i++ {
		base = m.B.Choose(m.is(index, uint64(i)), m.gb.smallBase[i].Term, base)
	}
	return m.B.AddBits(m.At(base), m.At(v))
}

// configured requires what a unit of the global buffer needs before it starts.
func (m *Machine) configured(i *ila.Instruction, unit string, valid, memory *ila.Var, small bool) {
	b := m.B
	conf := b.And(m.is(valid.Term, 1), m.is(m.gb.configured.Term, 1))
	if small {
		conf = b.And(conf, m.is(m.gb.smallConfigured.Term, 1))
	}
	i.Require(conf, ila.CodeOperand, unit+" is not configured")
	i.Require(m.lessThan(memory.Term, largeManagers), ila.CodeOperand, "the large buffer has 4 memory managers")
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

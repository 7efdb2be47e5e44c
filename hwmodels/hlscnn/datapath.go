package hlscnn

import (
	"tv/ila"
	"tv/semantics/term"
)

// datapath adds what is computed of an input and a tap.
func (m *Machine) datapath(child *ila.Model) {
	b, c := m.B, &m.conv
	send := m.at(child, phaseSend, "send", "Reads the 8 weights of a tap; a narrow one becomes the high byte.")
	block := b.AddBits(b.MulBits(m.At(c.filter.Term), m.At(c.blocks.Term)), m.At(c.block.Term))
	line := b.AddBits(b.MulBits(block, m.At(c.kernelRows.Term)), m.At(c.kernelRow.Term))
	tap := b.AddBits(m.At(c.weightBase.Term), b.AddBits(b.MulBits(line, m.At(c.kernelCols.Term)), m.At(c.kernelCol.Term)))
	for j := range uint64(lanes) {
		pair := m.Load(m.Spad0, b.AddBits(b.MulBits(m.Address(lanes/2), tap), m.Address(j/2)))
		narrow := b.Concat(b.Extract(pair, int(j%2)*8, 8), m.num(8, 0))
		wide := m.Load(m.Spad0, b.AddBits(b.MulBits(m.Address(lanes), tap), m.Address(j)))
		send.Set(c.weight[j], b.Choose(m.is(c.narrow.Term, 1), narrow, wide))
	}
	m.then(send, phaseMultiply)

	multiply := m.at(child, phaseMultiply, "multiply", "Adds 8 products in Q16.16, each rounded down, and rounds the sum to Q9.7.")
	var sum *term.Term
	for j := range c.act {
		product := b.MulBits(b.ExtendS(c.weight[j].Term, 32), b.ExtendS(c.act[j].Term, 32)) // in units of 2^-21
		product = b.ShrS(product, m.num(32, 5))
		if sum == nil {
			sum = product
		} else {
			sum = b.AddBits(sum, product)
		}
	}
	multiply.Set(c.partial, m.fit(m.rounded(sum)))
	m.then(multiply, phasePartial)

	partial := m.at(child, phasePartial, "partial", "Reads the vector of outputs that the tap contributes to.")
	group := m.At(c.filter.Term)
	if !m.choices.Original {
		group = m.At(b.ShrU(c.filter.Term, m.num(12, 3)))
	}
	row := b.AddBits(b.MulBits(group, m.At(c.outRows.Term)), m.At(c.outRow.Term))
	vector := b.AddBits(m.At(c.outBase.Term), b.AddBits(b.MulBits(row, m.At(c.outCols.Term)), m.At(c.outCol.Term)))
	place := func(j int) *term.Term { return b.AddBits(m.Times(lanes, vector), m.Address(uint64(j))) }
	for j := range c.sum {
		partial.Set(c.sum[j], m.Load(m.Spad1, place(j)))
	}
	m.then(partial, phaseBias)

	// the number of a filter in its vector: all filters have the last one's in the original version
	lane := b.Extract(c.filter.Term, 0, 3)
	if m.choices.Original {
		lane = b.Extract(b.SubBits(c.filters.Term, m.num(12, 1)), 0, 3)
	}
	before := c.sum[0].Term
	for j := 1; j < lanes; j++ {
		before = b.Choose(m.is(lane, uint64(j)), c.sum[j].Term, before)
	}
	bias := m.at(child, phaseBias, "bias-relu", "Adds the sum of the tap to the output, but for the first; after the last one the bias, and relu.")
	firstTap := m.every(m.is(c.kernelRow.Term, 0), m.is(c.kernelCol.Term, 0), m.is(c.block.Term, 0), m.is(c.accumulate.Term, 0))
	total := b.ExtendS(c.partial.Term, 32)
	total = b.Choose(firstTap, total, b.AddBits(total, b.ExtendS(before, 32)))
	last := func(v, count *ila.Var) *term.Term {
		wide := max(v.Width, count.Width)
		return b.Equal(b.ExtendU(v.Term, wide), b.SubBits(b.ExtendU(count.Term, wide), m.num(wide, 1)))
	}
	lastTap := m.every(last(c.kernelRow, c.kernelRows), last(c.kernelCol, c.kernelCols), last(c.block, c.blocks))
	total = b.Choose(b.And(lastTap, m.is(c.withBias.Term, 1)), b.AddBits(total, b.ExtendS(c.bias.Term, 32)), total)
	total = b.Choose(b.And(lastTap, m.is(c.relu.Term, 1)), b.MaxS(total, m.num(32, 0)), total)
	result := m.fit(total)
	for j := range c.out {
		other := c.sum[j].Term
		if m.choices.Original {
			other = c.out[j].Term
		}
		bias.Set(c.out[j], b.Choose(m.is(lane, uint64(j)), result, other))
	}
	m.then(bias, phaseOutput)

	output := m.at(child, phaseOutput, "output", "Writes the vector of outputs back.")
	for j := range c.out {
		output.Store(m.Spad1, place(j), c.out[j].Term)
	}
	m.then(output, phaseKernelCol)
}

// rounded returns a number of Q16.16 in units of Q9.7, 32 bits still.
func (m *Machine) rounded(x *term.Term) *term.Term {
	b := m.B
	nine := m.num(32, 9)
	switch m.choices.Rounding {
	case HalfUp:
		x = b.AddBits(x, m.num(32, 1<<8))
	case HalfEven:
		x = b.AddBits(b.AddBits(x, m.num(32, 1<<8-1)), b.And(b.ShrS(x, nine), m.num(32, 1)))
	}
	return b.ShrS(x, nine)
}

// fit returns a number of 32 bits as one of 16.
func (m *Machine) fit(x *term.Term) *term.Term {
	b := m.B
	low := b.Extract(x, 0, 16)
	if m.choices.Wrap {
		return low
	}
	least, most := m.num(32, 1<<32-1<<15), m.num(32, 1<<15-1)
	return b.Choose(b.LessS(most, x), m.num(16, 1<<15-1), b.Choose(b.LessS(x, least), m.num(16, 1<<15), low))
}

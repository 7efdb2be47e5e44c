package hlscnn

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// Phases of a convolution: what the next micro-instruction is.
const (
	phaseRest      = iota
	phaseStart     // take over what registers say
	phaseRequest   // ask for a burst of inputs
	phaseFetch     // the next of the burst
	phaseInit      // its first tap
	phaseBounds    // whether the tap has an output
	phaseSend      // weights of the tap
	phaseMultiply  // products and their sum
	phasePartial   // the vector of outputs
	phaseBias      // add, bias, relu
	phaseOutput    // the vector of outputs goes back
	phaseKernelCol // next tap of the row
	phaseKernelRow // next row of taps
	phaseCol       // next burst
	phaseRow
	phaseBlock
	phaseFilter
	phaseDone
)

// convolution is the state of a convolution: what the registers say, and where it stands.
type convolution struct {
	rows, cols, blocks, filters, outRows, outCols, kernelRows, kernelCols *ila.Var
	strideRows, strideCols, actBase, weightBase, outBase                  *ila.Var
	bias, withBias, relu, accumulate, narrow                              *ila.Var

	phase, filter, block, row, col, burst, fetched, kernelRow, kernelCol *ila.Var
	outRow, outCol, partial, reading                                     *ila.Var

	act, weight, out, sum [lanes]*ila.Var
}

// position is the width of rows and columns of inputs and outputs with what is added to or taken from them.
const position = 12

// convolve adds a convolution, which the instruction conf triggers where a condition holds, and its micro-instructions.
func (m *Machine) convolve(conf *ila.Instruction, trigger *term.Term) {
	c := &m.conv
	c.phase = m.Bits("phase", 5, "convolution: what comes next; 0: nothing")
	conf.Set(c.phase, m.B.Choose(trigger, m.num(5, phaseStart), m.num(5, phaseRest)))
	m.Invariant("phase", "There is a micro-instruction of every number in phase.", m.B.LessU(c.phase.Term, m.num(5, phaseDone+1)))
	child := m.Child("conv", "A convolution, by phase: filters, blocks of channels, rows, bursts of columns, columns, taps.")
	start := m.at(child, phaseStart, "start", "Takes over what the registers say.")
	latched := func(name string, value *term.Term, doc string) *ila.Var {
		v := m.Bits(name, value.Sort.Width, "convolution: "+doc)
		start.Set(v, value)
		return v
	}
	b := m.B
	c.rows = latched("rows", m.field(regInput, 19, 10), "rows of the input")
	c.cols = latched("cols", m.field(regInput, 9, 0), "columns of the input")
	c.blocks = latched("blocks", b.ShrU(b.AddBits(b.ExtendU(m.field(regInput, 31, 20), 13), m.num(13, lanes-1)), m.num(13, 3)), "blocks of 8 channels of the input")
	c.kernelRows = latched("kernel_rows", m.field(regKernel, 15, 8), "rows of the kernel")
	c.kernelCols = latched("kernel_cols", m.field(regKernel, 7, 0), "columns of the kernel")
	c.strideRows = latched("stride_rows", m.field(regKernel, 21, 19), "stride of rows")
	c.strideCols = latched("stride_cols", m.field(regKernel, 18, 16), "stride of columns")
	c.actBase = latched("act_base", m.field(regActBase, 31, 4), "first vector of the input in the memory of the system")
	c.weightBase = latched("weight_base", m.field(regWgtBase, 31, 0), "first tap in scratchpad 0, of 8 weights each")
	c.outBase = latched("out_base", m.field(regOutBase, 31, 0), "first vector of the output in scratchpad 1")
	c.bias = latched("bias", m.field(regChannel, 15, 0), "bias of all filters, Q9.7")
	c.withBias = latched("with_bias", m.field(regChannel, 16, 16), "the bias is added")
	c.relu = latched("relu", m.field(regChannel, 17, 17), "numbers below 0 become 0")
	c.accumulate = latched("accumulate", m.field(regChannel, 18, 18), "the first tap adds to what scratchpad 1 holds")
	filters, flag := m.field(regChannel, 30, 19), m.field(regChannel, 31, 31)
	c.outRows, c.outCols = c.rows, c.cols
	if m.choices.Original {
		filters, flag = b.ExtendU(m.field(regChannel, 26, 19), 12), m.field(regChannel, 27, 27)
	} else {
		c.outRows = latched("out_rows", m.field(regOutput, 19, 10), "rows of the output")
		c.outCols = latched("out_cols", m.field(regOutput, 9, 0), "columns of the output")
	}
	c.filters = latched("filters", filters, "filters")
	c.narrow = latched("narrow", b.Choose(m.is(flag, 0), m.num(1, uint64(1-m.choices.Weights/16)), m.num(1, uint64(m.choices.Weights/16))), "weights have 8 bits")

	start.Require(m.is(m.field(regActBase, 3, 0), 0), ila.CodeOperand, "a base of inputs that 16 does not divide")
	sizes := []*term.Term{m.field(regInput, 19, 10), m.field(regInput, 9, 0), m.field(regInput, 31, 20), m.field(regKernel, 15, 8),
		m.field(regKernel, 7, 0), m.field(regKernel, 21, 19), m.field(regKernel, 18, 16), filters}
	if !m.choices.Original {
		sizes = append(sizes, m.field(regOutput, 19, 10), m.field(regOutput, 9, 0))
	}
	some := b.Truth(true)
	for _, s := range sizes {
		some = b.And(some, b.Not(m.is(s, 0)))
	}
	start.Require(some, ila.CodeOperand, "a size or a stride of 0")

	c.filter = m.Bits("filter", 12, "filter at work")
	c.block = m.Bits("block", 13, "block of channels at work")
	c.row = m.Bits("row", 10, "row of the input at work")
	c.col = m.Bits("col", 10, "first column of the burst at work")
	c.burst = m.Bits("burst", 4, "columns of the burst, 1 to 8")
	c.fetched = m.Bits("fetched", 4, "column of the burst at work")
	c.kernelRow = m.Bits("kernel_row", 9, "row of the kernel at work")
	c.kernelCol = m.Bits("kernel_col", 9, "column of the kernel at work")
	c.outRow = m.Bits("out_row", 10, "row of the output at work")
	c.outCol = m.Bits("out_col", 10, "column of the output at work")
	c.partial = m.Bits("partial", 16, "sum of a tap, rounded to Q9.7")
	c.reading = m.Bits("reading", 1, "the master port reads a vector of inputs")
	for j := range lanes {
		name := func(s string) string { return fmt.Sprintf("%s_%d", s, j) }
		c.act[j] = m.Bits(name("act"), 16, "channel of the input at work, Q9.7")
		c.weight[j] = m.Bits(name("weight"), 16, "weight at work, Q2.14")
		c.sum[j] = m.Bits(name("sum"), 16, "output as it was, Q9.7")
		c.out[j] = m.Bits(name("out"), 16, "output as it will be, Q9.7")
		start.Set(c.out[j], m.num(16, 0))
	}
	for _, v := range []*ila.Var{c.filter, c.block, c.row, c.col} {
		start.Set(v, m.num(v.Width, 0))
	}
	m.then(start, phaseRequest)
	m.walk(child)
	m.datapath(child)
}

// at adds the micro-instruction of a phase.
func (m *Machine) at(child *ila.Model, phase uint64, name, doc string) *ila.Instruction {
	return child.Instruction(name, doc, m.is(m.conv.phase.Term, phase))
}

// then says which phase follows.
func (m *Machine) then(i *ila.Instruction, phase uint64) { i.Set(m.conv.phase, m.num(5, phase)) }

// loop adds the micro-instruction that takes a counter one on: again where that is below its count, else on.
func (m *Machine) loop(child *ila.Model, phase uint64, name string, counter, count *ila.Var, again, on uint64) {
	b := m.B
	i := m.at(child, phase, name, "The next "+name+", or the end of the loop.")
	wide := max(counter.Width, count.Width) + 1
	next := b.AddBits(b.ExtendU(counter.Term, wide), m.num(wide, 1))
	more := b.LessU(next, b.ExtendU(count.Term, wide))
	i.Set(counter, b.Choose(more, b.Extract(next, 0, counter.Width), m.num(counter.Width, 0)))
	i.Set(m.conv.phase, b.Choose(more, m.num(5, again), m.num(5, on)))
}

// walk adds the loops: which input, and which taps of the kernel it meets.
func (m *Machine) walk(child *ila.Model) {
	b, c := m.B, &m.conv
	request := m.at(child, phaseRequest, "request", "Asks for a burst: up to 8 columns of a row.")
	rest := b.SubBits(b.ExtendU(c.cols.Term, 11), b.ExtendU(c.col.Term, 11))
	request.Set(c.burst, b.Choose(b.LessU(rest, m.num(11, lanes)), b.Extract(rest, 0, 4), m.num(4, lanes)))
	request.Set(c.fetched, m.num(4, 0))
	m.then(request, phaseFetch)

	fetch := m.at(child, phaseFetch, "fetch", "Has the master port read a column of the burst.")
	fetch.Set(c.reading, m.num(1, 1))
	m.then(fetch, phaseInit)
	master := child.Child("master", "The master port.")
	read := master.Instruction("read", "Reads a vector of inputs: block, then row, then column.", m.is(c.reading.Term, 1))
	column := b.AddBits(b.ExtendU(c.col.Term, 11), b.ExtendU(c.fetched.Term, 11))
	line := b.AddBits(b.MulBits(m.At(c.block.Term), m.At(c.rows.Term)), m.At(c.row.Term))
	vector := b.AddBits(b.MulBits(line, m.At(c.cols.Term)), m.At(column))
	for j := range c.act {
		read.Set(c.act[j], m.Load(m.SoC, b.AddBits(m.Times(lanes, m.B.AddBits(m.At(c.actBase.Term), vector)), m.Address(uint64(j)))))
	}
	read.Set(c.reading, m.num(1, 0))

	// the taps that an input meets are those that differ from it by a multiple of the stride
	first := func(at *term.Term, stride *ila.Var) *term.Term {
		return b.ExtendU(b.Extract(b.RemU(at, b.ExtendU(stride.Term, at.Sort.Width)), 0, 3), 9)
	}
	init := m.at(child, phaseInit, "weight-init", "The first tap of an input.")
	init.Set(c.kernelRow, first(c.row.Term, c.strideRows))
	init.Set(c.kernelCol, first(column, c.strideCols))
	m.then(init, phaseBounds)

	bounds := m.at(child, phaseBounds, "bounds", "Which output a tap of an input contributes to, if any.")
	row, rowIn := m.target(c.row.Term, c.kernelRow, c.kernelRows, c.strideRows, c.outRows)
	col, colIn := m.target(column, c.kernelCol, c.kernelCols, c.strideCols, c.outCols)
	bounds.Set(c.outRow, b.Extract(row, 0, 10))
	bounds.Set(c.outCol, b.Extract(col, 0, 10))
	bounds.Set(c.phase, b.Choose(b.And(rowIn, colIn), m.num(5, phaseSend), m.num(5, phaseKernelCol)))

	// next is the next tap of a line, and whether there is one
	next := func(tap, stride, count *ila.Var) (t, more *term.Term) {
		t = b.AddBits(tap.Term, b.ExtendU(stride.Term, 9))
		return t, b.LessU(t, b.ExtendU(count.Term, 9))
	}
	nextCol := m.at(child, phaseKernelCol, "weight-col", "The next tap of a row of the kernel.")
	t, more := next(c.kernelCol, c.strideCols, c.kernelCols)
	nextCol.Set(c.kernelCol, b.Choose(more, t, first(column, c.strideCols)))
	nextCol.Set(c.phase, b.Choose(more, m.num(5, phaseBounds), m.num(5, phaseKernelRow)))
	nextRow := m.at(child, phaseKernelRow, "weight-row", "The next row of the kernel, or the next column of the burst.")
	t, more = next(c.kernelRow, c.strideRows, c.kernelRows)
	nextRow.Set(c.kernelRow, b.Choose(more, t, first(c.row.Term, c.strideRows)))
	fetched := b.AddBits(c.fetched.Term, m.num(4, 1))
	nextRow.Set(c.fetched, b.Choose(more, c.fetched.Term, fetched))
	nextRow.Set(c.phase, b.Choose(more, m.num(5, phaseBounds),
		b.Choose(b.LessU(fetched, c.burst.Term), m.num(5, phaseFetch), m.num(5, phaseCol))))

	nextBurst := m.at(child, phaseCol, "col", "The next burst, or the end of the row.")
	end := b.AddBits(b.ExtendU(c.col.Term, 11), b.ExtendU(c.burst.Term, 11))
	in := b.LessU(end, b.ExtendU(c.cols.Term, 11))
	nextBurst.Set(c.col, b.Choose(in, b.Extract(end, 0, 10), m.num(10, 0)))
	nextBurst.Set(c.phase, b.Choose(in, m.num(5, phaseRequest), m.num(5, phaseRow)))
	m.loop(child, phaseRow, "row", c.row, c.rows, phaseRequest, phaseBlock)
	m.loop(child, phaseBlock, "block", c.block, c.blocks, phaseRequest, phaseFilter)
	m.loop(child, phaseFilter, "filter", c.filter, c.filters, phaseRequest, phaseDone)
	m.then(m.at(child, phaseDone, "done", "The convolution has ended."), phaseRest)
}

// target returns the row, or the column, of the output to which a tap of an input contributes, and whether there is one.
func (m *Machine) target(at *term.Term, tap, taps, stride, outs *ila.Var) (out, in *term.Term) {
	b := m.B
	x, k := b.ExtendU(at, position), b.ExtendU(tap.Term, position)
	if m.choices.Original {
		x = b.AddBits(x, b.ShrU(b.ExtendU(taps.Term, position), m.num(position, 1)))
	}
	out = b.SubBits(x, k)
	in = b.And(b.Not(b.LessU(x, k)), b.LessU(tap.Term, b.ExtendU(taps.Term, 9)))
	if !m.choices.Original {
		out = b.DivU(out, b.ExtendU(stride.Term, position))
	}
	return out, b.And(in, b.LessU(out, b.ExtendU(outs.Term, position)))
}

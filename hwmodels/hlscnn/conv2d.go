package hlscnn

import (
	"fmt"

	"tv/ila"
	"tv/semantics/term"
)

// Sizes are those of a convolution: input [Channels][Rows][Cols], weights [Filters][Channels][KernelRows][KernelCols].
type Sizes struct {
	Channels, Rows, Cols, Filters, KernelRows, KernelCols, Stride int
}

// Options are what a convolution does after its sums, and choices of the driver that change no value.
type Options struct {
	Narrow bool // weights are int8 in units of 2^-6 instead of int16 in units of 2^-14
	Bias   bool // adds bias[f], int16 in units of 2^-7
	Relu   bool // max(x, 0)

	// Tiles are how many filters and how many blocks of 8 channels one start takes, 0: all. With Bias it is one filter.
	FilterTile, BlockTile int
	BlocksOutside         bool // the loop over tiles of channels is the outer one

	wreck func(d *conv2D) // changes the driver; tests only
}

// Conv2D returns the program for a convolution of one image, x [channels][rows][cols] of Q9.7, with w
// [filters][channels][kernelRows][kernelCols] of Q2.14, or Q2.6 where narrow, and its contract; numbers are int16 or int8
// in these units. The modified version has valid padding: out [filters][(rows-kernelRows)/stride+1][...]; in the original
// one outputs are as large as inputs, zeros lie around them, and the stride is 1.
//
// Products are cut to Q16.16, rounding down; the sum over 8 channels is rounded to Q9.7 and added to the output for one
// block of channels after the other, for one tap after the other. The driver puts zeros for channels that are missing to
// a multiple of 8, and in scratchpad 1, as the machine reads outputs before it adds to them. An error says which size
// does not fit.
func Conv2D(c Config, s Sizes, o Options) (*ila.Task, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return conv2DOn(NewModel(c), s, o)
}

func conv2DOn(m *Machine, s Sizes, o Options) (*ila.Task, error) {
	d := &conv2D{m: m, Sizes: s, Options: o, blocks: (s.Channels + lanes - 1) / lanes}
	if err := d.fit(); err != nil {
		return nil, err
	}
	d.Task = &ila.Task{Name: fmt.Sprintf("hlscnn-conv2d %dx%dx%d,%dx%dx%d,%d", s.Channels, s.Rows, s.Cols, s.Filters, s.KernelRows, s.KernelCols,
		s.Stride), Model: m.Model}
	d.x = d.Declare("x", 16, true, s.Channels, s.Rows, s.Cols)
	width := 16
	if o.Narrow {
		width = 8
	}
	d.w = d.Declare("w", width, true, s.Filters, s.Channels, s.KernelRows, s.KernelCols)
	if o.Bias {
		d.bias = d.Declare("bias", 16, true, s.Filters)
	}
	d.outStride, d.tapBytes = d.vectors(), 2*width/2
	if o.wreck != nil {
		o.wreck(d)
	}
	d.program()
	d.Output = ila.Tensor{Name: "out", Dims: []int{s.Filters, d.outRows, d.outCols}, Width: 16, Signed: true}
	d.Places = func(flat int) []ila.Place {
		at := ila.Unravel(d.Output.Dims, flat)
		vector, lane := d.place(at[0], at[1], at[2])
		return []ila.Place{{Memory: m.Spad1, Address: uint64(vector*lanes + lane)}}
	}
	d.Contract = d.contract
	d.Claim = d.claim()
	return d.Task, nil
}

// conv2D is a convolution and its program on the way.
type conv2D struct {
	*ila.Task
	Sizes
	Options
	m          *Machine
	x, w, bias *ila.Tensor
	blocks     int // of 8 channels

	filterTile, blockTile int
	outRows, outCols      int
	outStride             int // vectors of scratchpad 1 for a tile of filters
	tapBytes              int // of the 8 weights of a tap

	mutate func(register uint64, value uint64) uint64 // of what registers are set to; tests only
}

// vectors returns the vectors of scratchpad 1 that hold the outputs of a tile of filters.
func (d *conv2D) vectors() int {
	if d.m.choices.Original {
		return d.filterTile * d.outRows * d.outCols
	}
	return (d.filterTile + lanes - 1) / lanes * d.outRows * d.outCols
}

// place returns where an output lies in scratchpad 1: the vector, and the number in it.
func (d *conv2D) place(f, row, col int) (vector, lane int) {
	tile, f := f/d.filterTile, f%d.filterTile
	group, lane := f/lanes, f%lanes
	if d.m.choices.Original {
		group, lane = f, (min(d.filterTile, d.Filters-tile*d.filterTile)-1)%lanes
	}
	return tile*d.vectors() + (group*d.outRows+row)*d.outCols + col, lane
}

// fit settles the tiles and the size of the output, or says what does not fit the machine.
func (d *conv2D) fit() error {
	mostFilters := 1<<12 - 1
	if d.m.choices.Original {
		mostFilters = 1<<8 - 1
	}
	for _, b := range []struct {
		name       string
		size, most int
	}{{"channels", d.Channels, 1<<12 - 1}, {"rows", d.Rows, 1<<10 - 1}, {"columns", d.Cols, 1<<10 - 1}, {"filters", d.Filters, mostFilters},
		{"rows of the kernel", d.KernelRows, 1<<8 - 1}, {"columns of the kernel", d.KernelCols, 1<<8 - 1}, {"the stride", d.Stride, 7}} {
		if b.size < 1 || b.size > b.most {
			return fmt.Errorf("%s: %d, and the machine takes 1 to %d", b.name, b.size, b.most)
		}
	}
	if d.FilterTile < 0 || d.BlockTile < 0 {
		return fmt.Errorf("tiles of %d filters and %d blocks: they are at least 1, or 0 for all", d.FilterTile, d.BlockTile)
	}
	tile := func(wanted, size int) int {
		if wanted == 0 {
			return size
		}
		return min(wanted, size)
	}
	d.filterTile, d.blockTile = tile(d.FilterTile, d.Filters), tile(d.BlockTile, d.blocks)
	if d.Bias {
		d.filterTile = 1
	}
	switch {
	case d.m.choices.Original && d.Stride != 1:
		return fmt.Errorf("the stride is %d, and must be 1: the original version places outputs by the input", d.Stride)
	case d.m.choices.Original:
		d.outRows, d.outCols = d.Rows, d.Cols
	case d.KernelRows > d.Rows || d.KernelCols > d.Cols:
		return fmt.Errorf("a kernel of %dx%d does not fit an input of %dx%d", d.KernelRows, d.KernelCols, d.Rows, d.Cols)
	default:
		d.outRows, d.outCols = (d.Rows-d.KernelRows)/d.Stride+1, (d.Cols-d.KernelCols)/d.Stride+1
	}
	bytes := 2 * lanes
	if d.Narrow {
		bytes = lanes
	}
	switch outputs := (d.Filters + d.filterTile - 1) / d.filterTile * d.vectors(); {
	case (1+d.blocks*d.Rows*d.Cols)*2*lanes > socSize:
		return fmt.Errorf("%dx%dx%d: the input does not fit the memory of the system of %d bytes", d.Channels, d.Rows, d.Cols, socSize)
	case d.filterTile*d.blockTile*d.KernelRows*d.KernelCols*bytes > spadSize:
		return fmt.Errorf("%dx%dx%dx%d: the weights of %d filters and %d channels do not fit scratchpad 0 of %d bytes", d.Filters, d.Channels,
			d.KernelRows, d.KernelCols, d.filterTile, min(d.blockTile*lanes, d.Channels), spadSize)
	case outputs*2*lanes > spadSize:
		return fmt.Errorf("%dx%dx%d: the outputs do not fit scratchpad 1 of %d bytes", d.Filters, d.outRows, d.outCols, spadSize)
	}
	return nil
}

// staging is the vector of the memory of the system that copies take what they bring from; inputs lie behind it.
const staging = 0

// program writes the program: inputs, zeros for the outputs, then for each tile its weights and a start.
func (d *conv2D) program() {
	for b := range d.blocks {
		for at := range d.Rows * d.Cols {
			d.vector(addrSoC+16*uint64(1+b*d.Rows*d.Cols+at), fmt.Sprintf("inputs of block %d, pixel %d", b, at),
				func(j int) *term.Term { return d.channel(b, j, d.x, at, d.Rows*d.Cols) })
		}
	}
	d.register(regSoCBase, 16*staging)
	d.register(regLength, 1)
	filterTiles := (d.Filters + d.filterTile - 1) / d.filterTile
	d.vector(addrSoC+16*staging, "zeros", func(int) *term.Term { return nil })
	for v := range filterTiles * d.outStride {
		d.access(addrSpad1+16*uint64(v), fmt.Sprintf("zeros to vector %d of the outputs", v), nil)
	}
	d.register(regOutput, uint64(d.filterTile<<20|d.outRows<<10|d.outCols))
	d.register(regKernel, uint64(d.Stride<<19|d.Stride<<16|d.KernelRows<<8|d.KernelCols))
	d.register(regWgtBase, 0)
	blockTiles := (d.blocks + d.blockTile - 1) / d.blockTile
	outer, inner := filterTiles, blockTiles
	if d.BlocksOutside {
		outer, inner = inner, outer
	}
	for i := range outer {
		for j := range inner {
			if d.BlocksOutside {
				d.tile(j, i)
			} else {
				d.tile(i, j)
			}
		}
	}
}

// tile runs a tile of filters on a tile of channels: it adds to what earlier channels left.
func (d *conv2D) tile(filter, block int) {
	f0, b0 := filter*d.filterTile, block*d.blockTile
	filters, blocks := min(d.filterTile, d.Filters-f0), min(d.blockTile, d.blocks-b0)
	d.weights(f0, filters, b0, blocks)
	flag := func(set bool, at int) uint64 {
		if set {
			return 1 << at
		}
		return 0
	}
	channels := min(blocks*lanes, d.Channels-b0*lanes)
	d.register(regActBase, 16*uint64(1+b0*d.Rows*d.Cols))
	d.register(regOutBase, uint64(filter*d.outStride))
	d.register(regInput, uint64(channels<<20|d.Rows<<10|d.Cols))
	other := d.Narrow != (d.m.choices.Weights == 8) // than where the flag is 0
	config := flag(d.Bias && b0+blocks == d.blocks, 16) | flag(d.Relu && b0+blocks == d.blocks, 17) | flag(b0 > 0, 18) | uint64(filters)<<19
	config |= flag(other && !d.m.choices.Original, 31) | flag(other && d.m.choices.Original, 27)
	var low *term.Term
	if d.Bias {
		low = d.Element(d.bias, f0)
	}
	d.set(regChannel, config, low)
	d.register(regTrigger, 1)
}

// weights brings those of a tile to scratchpad 0: filter, block, row and column of the kernel, 8 channels.
func (d *conv2D) weights(f0, filters, b0, blocks int) {
	taps := filters * blocks * d.KernelRows * d.KernelCols
	perVector := 2 * lanes / d.tapBytes
	weight := func(tap, j int) *term.Term {
		if tap >= taps {
			return nil
		}
		at := ila.Unravel([]int{filters, blocks, d.KernelRows * d.KernelCols}, tap)
		size := d.KernelRows * d.KernelCols
		return d.channel(b0+at[1], j, d.w, (f0+at[0])*d.Channels*size+at[2], size)
	}
	for v := range (taps + perVector - 1) / perVector {
		d.vector(addrSoC+16*staging, fmt.Sprintf("weights of tap %d from filter %d on", v*perVector, f0), func(j int) *term.Term {
			if d.tapBytes == 2*lanes {
				return weight(v, j)
			}
			byteOf := func(i int) *term.Term {
				if w := weight(v*perVector+i/lanes, i%lanes); w != nil {
					return w
				}
				return d.m.num(8, 0)
			}
			return d.m.B.Concat(byteOf(2*j+1), byteOf(2*j))
		})
		d.access(addrSpad0+16*uint64(v), fmt.Sprintf("to vector %d of the weights", v), nil)
	}
}

// channel returns the element of a channel of a block, or nil beyond the last channel: from is that of channel 0.
func (d *conv2D) channel(block, j int, x *ila.Tensor, from, step int) *term.Term {
	c := block*lanes + j
	if c >= d.Channels {
		return nil
	}
	return d.Element(x, from+c*step)
}

// vector writes a vector of the memory of the system; nil is 0.
func (d *conv2D) vector(addr uint64, text string, lane func(j int) *term.Term) {
	var data [lanes]*term.Term
	for j := range data {
		data[j] = lane(j)
	}
	d.access(addr, text, data[:])
}

// register sets a register.
func (d *conv2D) register(n, value uint64) { d.set(n, value, nil) }

// set sets a register; low, if not nil, is its low 16 bits instead.
func (d *conv2D) set(n, value uint64, low *term.Term) {
	if d.mutate != nil {
		value = d.mutate(n, value)
	}
	var data [lanes]*term.Term
	slice := n % 4 * 2
	if data[slice] = low; low == nil {
		data[slice] = d.m.num(16, value&0xffff)
	}
	data[slice+1] = d.m.num(16, value>>16&0xffff)
	d.access(4*n, fmt.Sprintf("register %d = %#x", n, value), data[:])
}

// access is a write of the bus; lanes that are not given are 0.
func (d *conv2D) access(addr uint64, text string, data []*term.Term) {
	values := []*term.Term{d.m.num(24, addr), d.m.num(1, 1)}
	for j := range lanes {
		if j < len(data) && data[j] != nil {
			values = append(values, data[j])
		} else {
			values = append(values, d.m.num(16, 0))
		}
	}
	d.Steps = append(d.Steps, ila.Step{Values: values, Text: text})
}

// Package plain is HLSCNN once more, in plain Go: loops over arrays of numbers. It is written from the public tables of
// the machine, by itself, and knows nothing of the model in package hlscnn, which goes step by step: a mistake in one is
// not one in the other. Campaigns and tests run both.
//
//	Machine   registers and memories; Step takes one access of the bus
//	Choices   where sources differ or say nothing
//
// Source: the same as of package hlscnn.
package plain

// Choices are those where sources differ or say nothing.
type Choices struct {
	Original bool   // the version of before outputs were grouped: scattering, outputs as large as inputs
	Rounding string // of partial sums: truncate, half-up or half-even
	Wrap     bool   // numbers too large for 16 bits wrap instead of being saturated
	Weights  int    // bits of a weight where the flag of the channel register is 0, 8 or 16; else the other
}

// Sizes of memories in cells of 16 bits, but for registers.
const (
	registers = 30
	spadCells = 1 << 16
	socCells  = 0x30000 / 2
)

// A Machine is the state that programs see. A cell without an entry was never written.
type Machine struct {
	Choices                   Choices
	Config, Spad0, Spad1, SoC map[uint64]uint64
	Read                      [8]uint64 // what the last read gave
}

// New returns the machine with nothing written.
func New(c Choices) *Machine {
	empty := func() map[uint64]uint64 { return map[uint64]uint64{} }
	return &Machine{Choices: c, Config: empty(), Spad0: empty(), Spad1: empty(), SoC: empty()}
}

func (m *Machine) memory(name string) map[uint64]uint64 {
	return map[string]map[uint64]uint64{"config": m.Config, "spad0": m.Spad0, "spad1": m.Spad1, "soc": m.SoC}[name]
}

// Has tells whether the machine has a memory of a name.
func (m *Machine) Has(memory string) bool { return m.memory(memory) != nil }

// Set writes a cell of a memory: config, spad0, spad1 or soc.
func (m *Machine) Set(memory string, at, value uint64) { m.memory(memory)[at] = value }

// Cell returns a cell of a memory and whether it was written.
func (m *Machine) Cell(memory string, at uint64) (value uint64, written bool) {
	v, ok := m.memory(memory)[at]
	return v, ok
}

// Count counts the cells of a memory that have a value.
func (m *Machine) Count(memory string) int { return len(m.memory(memory)) }

// A stop ends an instruction at a fault.
type stop struct{ code string }

// The codes of faults, those of package ila.
const (
	address   = "machine-address"
	unwritten = "machine-unwritten"
	operand   = "machine-operand"
)

// load reads a cell of a memory of so many.
func load(memory map[uint64]uint64, at, cells uint64) uint64 {
	if at >= cells {
		panic(stop{address})
	}
	v, ok := memory[at]
	if !ok {
		panic(stop{unwritten})
	}
	return v
}

// vector reads 8 cells.
func vector(memory map[uint64]uint64, at, cells uint64) (v [8]uint64) {
	for i := range v {
		v[i] = load(memory, at+uint64(i), cells)
	}
	return v
}

// put writes 8 cells, or none.
func put(memory map[uint64]uint64, at, cells uint64, v [8]uint64) {
	if at+7 >= cells {
		panic(stop{address})
	}
	for i, x := range v {
		memory[at+uint64(i)] = x
	}
}

// Step takes an access of the bus: address, 1 for a write or 0 for a read, and 8 numbers of 16 bits. It returns nil, or
// the codes of the faults of which it shows one: what was done before it remains.
func (m *Machine) Step(inputs []uint64) (faults []string) {
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			faults = []string{s.code}
		}
	}()
	at := inputs[0]
	var data [8]uint64
	copy(data[:], inputs[2:])
	if inputs[1] == 0 {
		if at < 0x4000 || at >= 0x44000 || at%16 != 0 {
			return []string{operand}
		}
		if at < 0x24000 {
			m.Read = vector(m.Spad0, (at-0x4000)/2, spadCells)
		} else {
			m.Read = vector(m.Spad1, (at-0x24000)/2, spadCells)
		}
		return nil
	}
	switch {
	case at < 0x4000:
		return m.register(at, data)
	case at < 0x44000:
		return m.transfer(at)
	case at >= 0x50000 && at < 0x80000 && at%16 == 0:
		put(m.SoC, (at-0x50000)/2, socCells, data)
		return nil
	}
	return []string{operand}
}

// register writes one of the registers: 32 bits of the data, where the address says.
func (m *Machine) register(at uint64, data [8]uint64) []string {
	if at%4 != 0 {
		return []string{operand}
	}
	n, half := at/4%registers, at%16/2
	if n == 7 || n == 9 || n == 12 || n == 25 { // start self tests, the fully connected unit, the reduction
		return []string{operand}
	}
	m.Config[n] = data[half] | data[half+1]<<16
	if n == 17 {
		return m.convolve()
	}
	return nil
}

// transfer copies vectors from the memory of the system to a scratchpad.
func (m *Machine) transfer(at uint64) []string {
	base, haveBase := m.Config[4]
	length, haveLength := m.Config[5]
	var faults []string
	if at%16 != 0 || base%16 != 0 {
		faults = append(faults, operand)
	}
	if !haveBase || !haveLength {
		faults = append(faults, unwritten)
	}
	if faults != nil {
		return faults
	}
	to, cell := m.Spad0, (at-0x4000)/2
	if at >= 0x24000 {
		to, cell = m.Spad1, (at-0x24000)/2
	}
	for n := range length {
		put(to, cell+8*n, spadCells, vector(m.SoC, base/2+8*n, socCells))
	}
	return nil
}

func bits(word uint64, to, from int) uint64 { return word >> from & (1<<(to-from+1) - 1) }

// convolve runs the convolution that the registers describe.
func (m *Machine) convolve() []string {
	missing := false
	field := func(n uint64, to, from int) int {
		v, ok := m.Config[n]
		missing = missing || !ok
		return int(bits(v, to, from))
	}
	rows, cols, channels := field(21, 19, 10), field(21, 9, 0), field(21, 31, 20)
	outRows, outCols := field(22, 19, 10), field(22, 9, 0)
	kernelRows, kernelCols := field(23, 15, 8), field(23, 7, 0)
	strideRows, strideCols := field(23, 21, 19), field(23, 18, 16)
	actBase, weightBase, outBase := field(18, 31, 0), field(19, 31, 0), field(20, 31, 0)
	bias, withBias, relu, accumulate := field(24, 15, 0), field(24, 16, 16), field(24, 17, 17), field(24, 18, 18)
	filters, flag := field(24, 30, 19), field(24, 31, 31)
	if m.Choices.Original {
		filters, flag = field(24, 26, 19), field(24, 27, 27)
		outRows, outCols = rows, cols
	}
	if missing {
		return []string{unwritten, operand}
	}
	if rows*cols*channels*kernelRows*kernelCols*strideRows*strideCols*filters == 0 || outRows*outCols == 0 || actBase%16 != 0 {
		return []string{operand}
	}
	blocks := (channels + 7) / 8
	narrow := (m.Choices.Weights == 8) == (flag == 0)
	for f := range filters {
		for b := range blocks {
			for row := range rows {
				for col := range cols {
					x := vector(m.SoC, uint64(actBase/2+8*((b*rows+row)*cols+col)), socCells)
					for kr := row % strideRows; kr < kernelRows; kr += strideRows {
						for kc := col % strideCols; kc < kernelCols; kc += strideCols {
							r, c := (row-kr)/strideRows, (col-kc)/strideCols
							ok := row >= kr && col >= kc
							if m.Choices.Original {
								r, c = row+kernelRows/2-kr, col+kernelCols/2-kc
								ok = r >= 0 && c >= 0
							}
							if !ok || r >= outRows || c >= outCols {
								continue
							}
							tap := weightBase + ((f*blocks+b)*kernelRows+kr)*kernelCols + kc
							group := m.toActivation(products(x, m.weights(tap, narrow)), 512)
							// the number in the vector of outputs
							place, lane := outBase+(f/8*outRows+r)*outCols+c, f%8
							if m.Choices.Original {
								place, lane = outBase+(f*outRows+r)*outCols+c, (filters-1)%8
							}
							out := vector(m.Spad1, uint64(place)*8, spadCells)
							sum := group
							if kr+kc+b > 0 || accumulate == 1 {
								sum += signed(out[lane])
							}
							if kr == kernelRows-1 && kc == kernelCols-1 && b == blocks-1 {
								if withBias == 1 {
									sum += signed(uint64(bias))
								}
								if relu == 1 && sum < 0 {
									sum = 0
								}
							}
							if m.Choices.Original {
								out = [8]uint64{}
							}
							out[lane] = uint64(m.fit(sum)) & 0xffff
							put(m.Spad1, uint64(place)*8, spadCells, out)
						}
					}
				}
			}
		}
	}
	return nil
}

// weights reads the 8 weights of a tap in units of 2^-14; narrow ones are bytes in units of 2^-6.
func (m *Machine) weights(tap int, narrow bool) (w [8]int64) {
	for i := range w {
		if narrow {
			pair := load(m.Spad0, uint64(tap)*4+uint64(i/2), spadCells)
			w[i] = 256 * int64(int8(pair>>(8*(i%2))))
		} else {
			w[i] = signed(load(m.Spad0, uint64(tap)*8+uint64(i), spadCells))
		}
	}
	return w
}

// products sums products of activations in units of 2^-7 and weights, each cut to units of 2^-16.
func products(x [8]uint64, w [8]int64) (sum int64) {
	for i := range w {
		sum += floor(signed(x[i])*w[i], 32)
	}
	return sum
}

// toActivation divides by a power of two, rounds, and fits the result to 16 bits.
func (m *Machine) toActivation(v, unit int64) int64 {
	q := floor(v, unit)
	switch rest := 2 * (v - q*unit); m.Choices.Rounding {
	case "half-up":
		if rest >= unit {
			q++
		}
	case "half-even":
		if rest > unit || rest == unit && q%2 != 0 {
			q++
		}
	}
	return m.fit(q)
}

// fit returns a number of 16 bits with a sign.
func (m *Machine) fit(v int64) int64 {
	if m.Choices.Wrap {
		return int64(int16(v))
	}
	return min(max(v, -32768), 32767)
}

func floor(v, unit int64) int64 {
	q := v / unit
	if v%unit < 0 {
		q--
	}
	return q
}

func signed(v uint64) int64 { return int64(int16(v)) }

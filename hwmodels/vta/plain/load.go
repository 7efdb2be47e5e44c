package plain

// The memory types of LOAD.
const (
	uopType  = 0
	wgtType  = 1
	inpType  = 2
	accType  = 3
	acc8Type = 5
)

// A load is a LOAD taken apart.
type load struct {
	kind, sram, dram, y, x, stride, top, bottom, left, right uint64
}

// accepts returns the unit of a LOAD, and the faults of one that the implementation does not take beside those given.
func (m *Machine) accepts(l load, faults []string) (unit int, all []string) {
	switch l.kind {
	case wgtType, inpType:
	case uopType, accType:
		unit = 1
	case acc8Type: // the type came with the simulator; the two hardware designs with queues do not decode it
		if unit = 1; m.Choices.Loads == "hls" || m.Choices.Loads == "chisel" {
			faults = append(faults, operand)
		}
	default:
		faults = append(faults, operand)
	}
	if m.Choices.Loads == "chisel" && l.x != 0 && l.y == 0 { // waits for a row of number y-1
		faults = append(faults, operand)
	}
	return unit, faults
}

func (m *Machine) load(l load) {
	switch m.Choices.Loads {
	case "fsim":
		m.loadSimulator(l)
	case "hls":
		m.loadHLS(l)
	case "opencl":
		m.loadOpenCL(l)
	case "chisel":
		m.loadChisel(l)
	default:
		panic("plain: there are no loads of " + m.Choices.Loads)
	}
}

// loadSimulator goes through any memory with one pointer: rows of zeros, each row between its zeros, rows of zeros.
func (m *Machine) loadSimulator(l load) {
	if l.x == 0 {
		return
	}
	to, from := l.sram, l.dram
	width := l.left + l.x + l.right
	to = m.zeros(l.kind, to, width*l.top)
	for range l.y {
		to = m.zeros(l.kind, to, l.left)
		to = m.copy(l.kind, to, from, l.x)
		to = m.zeros(l.kind, to, l.right)
		from += l.stride
	}
	m.zeros(l.kind, to, width*l.bottom)
}

// loadHLS copies micro-operations as one string of words, and rows: of inputs and accumulators with zeros around.
func (m *Machine) loadHLS(l load) {
	switch l.kind {
	case uopType:
		m.copy(l.kind, l.sram, l.dram, l.x)
		return
	case wgtType:
		l.top, l.bottom, l.left, l.right = 0, 0, 0, 0
	}
	width := l.left + l.x + l.right
	above, below := width*l.top, width*l.bottom
	to := m.zeros(l.kind, l.sram, above)
	for row := range l.y {
		to = m.zeros(l.kind, to, l.left)
		to = m.copy(l.kind, to, l.dram+row*l.stride, l.x)
		to = m.zeros(l.kind, to, l.right)
	}
	m.zeros(l.kind, to, below)
}

// loadOpenCL looks at each place of the rectangle: of inputs with the pads, of the others without.
func (m *Machine) loadOpenCL(l load) {
	switch l.kind {
	case uopType:
		for n := range l.x {
			m.copy(l.kind, l.sram+n, l.dram+n, 1)
		}
	case inpType:
		width := l.left + l.x + l.right
		for y := range l.top + l.y + l.bottom {
			for x := range width {
				to := l.sram + y*width + x
				if x < l.left || x >= l.left+l.x || y < l.top || y >= l.top+l.y {
					m.zeros(l.kind, to, 1)
				} else {
					m.copy(l.kind, to, l.dram+(y-l.top)*l.stride+(x-l.left), 1)
				}
			}
		}
	default:
		for y := range l.y {
			for x := range l.x {
				m.copy(l.kind, l.sram+y*l.x+x, l.dram+y*l.stride+x, 1)
			}
		}
	}
}

// loadChisel asks DRAM for each row with the place where it goes, while another unit fills what is around the rows;
// neither does anything where x is 0. A row is written as a whole here: the order is seen at a fault alone.
func (m *Machine) loadChisel(l load) {
	if l.x == 0 {
		return
	}
	width := l.left + l.x + l.right
	for n := range l.top + l.y + l.bottom {
		place := l.sram + n*width
		if n < l.top || n >= l.top+l.y {
			m.zeros(l.kind, place, width)
			continue
		}
		m.zeros(l.kind, place, l.left)
		m.copy(l.kind, place+l.left, l.dram+(n-l.top)*l.stride, l.x)
		m.zeros(l.kind, place+l.left+l.x, l.right)
	}
}

// zeros writes a number of tiles of zeros and returns the tile after them.
func (m *Machine) zeros(kind, to, count uint64) uint64 {
	c, cells, tiles, _ := m.shape(kind)
	for range count {
		at := m.tile(to, tiles) * cells
		for n := range cells {
			c.there(at + n)
		}
		for n := range cells {
			c.At[at+n] = 0
		}
		to++
	}
	return to
}

// copy writes a number of tiles from DRAM, each as a whole, and returns the tile after them.
func (m *Machine) copy(kind, to, from, count uint64) uint64 {
	c, cells, tiles, bytes := m.shape(kind)
	values := make([]uint32, cells)
	for range count {
		at := m.tile(to, tiles) * cells
		for n := range cells {
			c.there(at + n)
			values[n] = m.word(bytes*(from*cells+n), bytes)
			if kind == acc8Type {
				values[n] = uint32(int32(int8(values[n])))
			}
		}
		for n, v := range values {
			c.At[at+uint64(n)] = v
		}
		to, from = to+1, from+1
	}
	return to
}

// shape returns the memory of a type, the cells of a tile, the tiles, and the bytes of a cell in DRAM.
func (m *Machine) shape(kind uint64) (c *Cells, cells, tiles, bytes uint64) {
	switch kind {
	case uopType:
		return &m.Uop, 1, 8192, 4
	case wgtType:
		return &m.Wgt, 256, 1024, 1
	case inpType:
		return &m.Inp, 16, 2048, 1
	case accType:
		return &m.Acc, 16, 2048, 4
	}
	return &m.Acc, 16, 2048, 1
}

// word returns so many bytes of DRAM, the lowest first.
func (m *Machine) word(at, bytes uint64) (v uint32) {
	for n := range bytes {
		v |= m.DRAM.load(at+n) << (8 * n)
	}
	return v
}

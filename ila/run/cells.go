package run

import (
	"math/bits"

	"tv/ila"
)

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

// A page is pageSize cells of a memory, and a bit for each that was written.
type page struct {
	value   [pageSize]uint64
	written [pageSize / 64]uint64
}

// full tells whether the n cells from at on were written; they are on the page.
func (p *page) full(at, n uint64) bool {
	for n > 0 {
		take := min(n, 64-at%64)
		if mask := ^uint64(0) >> (64 - take) << (at % 64); p.written[at/64]&mask != mask {
			return false
		}
		at, n = at+take, n-take
	}
	return true
}

// mark says that the n cells from at on were written; they are on the page.
func (p *page) mark(at, n uint64) {
	for n > 0 {
		take := min(n, 64-at%64)
		p.written[at/64] |= ^uint64(0) >> (64 - take) << (at % 64)
		at, n = at+take, n-take
	}
}

// A memory is the cells of a variable in the simulator. Pages are made when they are written.
type memory struct {
	v     *ila.Var
	pages []*page
}

func newMemory(v *ila.Var) *memory {
	return &memory{v: v, pages: make([]*page, (v.Depth+pageSize-1)>>pageBits)}
}

// clear leaves the memory as before it was written; pages stay.
func (m *memory) clear() {
	for _, p := range m.pages {
		if p != nil {
			*p = page{}
		}
	}
}

func (m *memory) write(at, value uint64, written bool) {
	p := m.pages[at>>pageBits]
	if p == nil {
		p = &page{}
		m.pages[at>>pageBits] = p
	}
	at %= pageSize
	p.value[at] = value
	if bit := uint64(1) << (at % 64); written {
		p.written[at/64] |= bit
	} else {
		p.written[at/64] &^= bit
	}
}

// read returns a cell and whether it is there and was written.
func (m *memory) read(at uint64) (uint64, bool) {
	if at >= m.v.Depth || m.pages[at>>pageBits] == nil {
		return 0, false
	}
	p := m.pages[at>>pageBits]
	at %= pageSize
	return p.value[at], p.written[at/64]>>(at%64)&1 != 0
}

// within tells whether the cells at, at + step, ... , n of them, are all there; at is an address, and step is less
// than 2^addressWidth. A step down is none that this sees.
func (m *memory) within(at, step uint64, n int) bool {
	high, last := bits.Mul64(step, uint64(n-1))
	return high == 0 && at < m.v.Depth && last < m.v.Depth-at
}

// view returns the n cells from at on, not to be changed, where they lie on one page and all were written; else nil.
func (m *memory) view(at uint64, n int) []uint64 {
	low := at % pageSize
	if !m.within(at, 1, n) || low+uint64(n) > pageSize {
		return nil
	}
	p := m.pages[at>>pageBits]
	if p == nil || !p.full(low, uint64(n)) {
		return nil
	}
	return p.value[low:][:n]
}

// stretch reads the cells at, at + step, ... into out, and tells whether all are there and were written.
func (m *memory) stretch(at, step uint64, out []uint64) bool {
	if !m.within(at, step, len(out)) {
		return false
	}
	if step == 1 {
		if x := m.view(at, len(out)); x != nil {
			copy(out, x)
			return true
		}
	}
	for k := range out {
		v, ok := m.read(at)
		if !ok {
			return false
		}
		out[k] = v
		at += step
	}
	return true
}

// fill writes values at the cells at, at + step, ..., all of which are there.
func (m *memory) fill(at, step uint64, values []uint64) {
	if low := at % pageSize; step == 1 && low+uint64(len(values)) <= pageSize && len(values) > 0 {
		m.write(at, values[0], true) // makes the page
		p := m.pages[at>>pageBits]
		copy(p.value[low:], values)
		p.mark(low, uint64(len(values)))
		return
	}
	for _, v := range values {
		m.write(at, v, true)
		at += step
	}
}

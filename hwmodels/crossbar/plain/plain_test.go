package plain

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// run writes registers, given as pairs, and polls after each start. It returns the faults of the first access that has some.
func run(m *Machine, pairs ...uint64) []string {
	for i := 0; i < len(pairs); i += 2 {
		if faults := m.Step(1, pairs[i], pairs[i+1]); faults != nil {
			return faults
		}
		if pairs[i] == 0 {
			if faults := m.Step(0, 4, 0); faults != nil {
				return faults
			}
		}
	}
	return nil
}

// Products are those of integers, cut or saturated to 8 bits, as long as converters have the bits for it; the least they
// need shows.
func TestProduct(t *testing.T) {
	const rows, columns = 256, 3
	for _, test := range []struct {
		c     Choices
		exact bool
	}{
		{Choices{Rows: rows, Columns: columns, ADC: 20, Full: 20}, true},
		{Choices{Rows: rows, Columns: columns, ADC: 19, Full: 20}, false},
		{Choices{Rows: rows, Columns: columns, ADC: 20, Full: 20, Drop: true}, true},
		{Choices{Rows: rows, Columns: columns, ADC: 19, Full: 20, Drop: true}, false},
		{Choices{Rows: rows, Columns: columns, ADC: 20, Full: 20, Saturate: true}, true},
		{Choices{Rows: rows, Columns: columns, ADC: 13, Full: 13, Serial: true}, true},
		{Choices{Rows: rows, Columns: columns, ADC: 12, Full: 13, Serial: true}, false},
	} {
		exact := true
		for seed := range uint64(4) {
			r := rand.New(rand.NewPCG(seed, 1))
			m := New(test.c)
			byteAt := func() uint64 {
				switch seed {
				case 0: // the ends: all sums are as small as they can be
					return 128
				case 1:
					return 15
				}
				return r.Uint64() & 255
			}
			for at := range uint64(rows * columns) {
				m.Set("dram", 1000+at, byteAt())
			}
			for at := range uint64(rows) {
				x := byteAt()
				if seed == 1 {
					x = 128
				}
				m.Set("dram", at, x)
			}
			for at := range uint64(columns) {
				m.Set("dram", 5000+2*at, byteAt())
			}
			old := []int64{}
			for at := range uint64(columns) {
				v, _ := m.Cell("dram", 5000+2*at)
				old = append(old, int64(int8(v)))
			}
			faults := run(m, 0x1c, rows, 0x20, columns, 0x2c, 1, 0x08, 1000, 0x0c, columns, 0x10, 1, 0, 1,
				0x08, 0, 0x0c, 1, 0x14, 5000, 0x18, 2, 0x24, 253, 0x28, 2, 0, 2)
			if faults != nil {
				t.Fatal(faults)
			}
			for c := range uint64(columns) {
				sum := int64(0)
				for k := range uint64(rows) {
					x, _ := m.Cell("dram", k)
					w, _ := m.Cell("dram", 1000+k*columns+c)
					sum += int64(int8(x)) * int64(int8(w))
				}
				want := -3*sum + 2*old[c]
				if test.c.Saturate {
					want = max(-128, min(127, want))
				}
				got, _ := m.Cell("dram", 5000+2*c)
				exact = exact && got == uint64(want)&255
			}
		}
		if exact != test.exact {
			t.Errorf("%+v: exact is %t", test.c, exact)
		}
	}
}

// What the host must not do is a fault, and a vector whose old result nobody wrote is none where beta is 0.
func TestFaults(t *testing.T) {
	ready := []uint64{0x1c, 1, 0x20, 1, 0x08, 0, 0, 1, 0x14, 9, 0x24, 1}
	for _, test := range []struct {
		pairs []uint64
		want  []string
	}{
		{[]uint64{0, 1}, []string{operand}},
		{[]uint64{0x1c, 1, 0x20, 1, 0, 3}, []string{operand}},
		{[]uint64{0x1c, 5}, []string{operand}},
		{[]uint64{0x20, 0}, []string{operand}},
		{[]uint64{0x04, 0}, []string{operand}},
		{[]uint64{0x30, 0}, []string{operand}},
		{[]uint64{0x24, 256}, []string{reserved}},
		{[]uint64{0x2c, 2}, []string{reserved}},
		{append(slices.Clone(ready), 0, 2), nil},
		{append(slices.Clone(ready), 0x28, 1, 0, 2), []string{unwritten}},
		{append(slices.Clone(ready), 0x2c, 1, 0, 2), []string{unwritten, unwritten}},
		{append(slices.Clone(ready), 0x14, MemoryBytes, 0, 2), []string{address}},
	} {
		m := New(Choices{Rows: 4, Columns: 4, ADC: 20, Full: 20})
		m.Set("dram", 0, 1)
		if got := run(m, test.pairs...); fmt.Sprint(got) != fmt.Sprint(test.want) {
			t.Errorf("%v: faults %v, want %v", test.pairs, got, test.want)
		}
	}
	m := New(Choices{Rows: 4, Columns: 4, ADC: 20, Full: 20})
	m.Set("dram", 0, 1)
	run(m, 0x1c, 1, 0x20, 1)
	if m.Step(1, 0, 1); m.MayEnd() || !slices.Equal(m.Step(1, 0x24, 1), []string{busy}) {
		t.Error("a tile that nobody polled is idle")
	}
	if m.Step(0, 4, 0); !m.MayEnd() {
		t.Error("a poll does not show that the tile is done")
	}
}

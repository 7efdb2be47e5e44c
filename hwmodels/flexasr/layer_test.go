package flexasr

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tv/ila"
)

// A layer is a linear layer of 16 inputs and 64 outputs over two timesteps, as words: all weights, inputs and biases are
// 1, biases of exponents 7. Fields of configuration words are by their lowest byte; the same for each PE.
type layer struct {
	sizing, manager1, manager2, activation, program, control map[int]uint64
}

func newLayer() *layer {
	return &layer{
		sizing:     map[int]uint64{0: 1, 3: 1, 4: 1, 5: 1},
		manager1:   map[int]uint64{1: 7, 2: 7, 3: 7, 4: 1, 8: 1},
		manager2:   map[int]uint64{1: 7, 2: 7, 3: 7, 4: 1, 8: 1},
		activation: map[int]uint64{0: 1, 2: 7, 3: 2, 4: 1},
		program:    map[int]uint64{0: 0x30, 1: 0x40},
		control:    map[int]uint64{0: 1, 5: 1, 6: 1, 7: 4, 8: 2},
	}
}

// one is the code of 1 with the bias 7; ones a vector of it.
const (
	one  = 0x30
	ones = 0x3030303030303030
)

func (l *layer) words() (list []word) {
	conf := func(addr uint64, fields map[int]uint64) {
		w := word{addr: addr}
		for at, v := range fields {
			if at < 8 {
				w.low |= v << (8 * at)
			} else {
				w.high |= v << (8 * (at - 8))
			}
		}
		list = append(list, w)
	}
	for pe := range pes {
		for v := range lanes {
			list = append(list, word{base(pe) + offsetWeights + bytes(v), ones, ones})
		}
		list = append(list, word{base(pe) + offsetInputs + bytes(1), ones, ones},
			word{base(pe) + offsetActivations, ones, ones})
		conf(base(pe)+offsetSizing, l.sizing)
		conf(base(pe)+offsetManager1, l.manager1)
		conf(base(pe)+offsetManager2, l.manager2)
		activation := maps.Clone(l.activation)
		activation[8] = uint64(pe)
		conf(base(pe)+offsetActivation, activation)
		conf(base(pe)+offsetProgram, l.program)
	}
	list = append(list, word{addrLarge, ones, ones}, word{addrLarge + 16, ones, ones})
	conf(addrManager, map[int]uint64{0: 1, 4: 4, 6: 16})
	conf(addrControl, l.control)
	return append(list, word{addrStartControl, 0, 1})
}

// layers are layers that differ from the usual one in a few fields, and what comes out in the two timesteps: a fault where
// codes is nil.
var layers = []struct {
	name   string
	change func(l *layer)
	codes  []uint64
}{
	{"as it is", func(l *layer) {}, []uint64{0x71, 0x71}}, // 16·1·1 + 1
	{"without biases", func(l *layer) { l.sizing[3] = 0 }, []uint64{0x70, 0x70}},
	{"no products in the first run", func(l *layer) { l.sizing[1], l.manager1[0] = 1, 1 }, []uint64{one, 0x71}},
	{"no manager asks for it", func(l *layer) { l.sizing[1] = 1 }, []uint64{0x71, 0x71}},
	{"no first run", func(l *layer) { l.manager1[0] = 1 }, []uint64{0x71, 0x71}},
	{"cells of 1 are added", func(l *layer) {
		l.program, l.activation[3] = map[int]uint64{0: 0x30, 1: 0x14, 2: 0x81, 3: 0x40}, 4
	}, []uint64{0x72, 0x72}},
	{"cells are 0 in the first run", func(l *layer) {
		l.program, l.activation[3] = map[int]uint64{0: 0x30, 1: 0x14, 2: 0x81, 3: 0x40}, 4
		l.activation[1] = 1
	}, []uint64{0x71, 0x72}},
	{"another mode of the control unit", func(l *layer) { l.control[1] = 4 }, nil},
	{"a decoder without small buffer", func(l *layer) { l.control[1] = 3 }, nil},
	{"too many timesteps for a half", func(l *layer) { l.control[1], l.control[9] = 1, 0x80 }, nil},
	{"no timesteps", func(l *layer) { l.control[8] = 0 }, nil},
	{"no vectors", func(l *layer) { l.control[6] = 0 }, nil},
	{"memory manager 4", func(l *layer) { l.control[5] = 4 }, nil},
	{"three managers of a PE", func(l *layer) { l.sizing[4] = 3 }, nil},
	{"33 operations", func(l *layer) { l.activation[3] = 33 }, nil},
	{"inputs handed beyond the buffer of a PE", func(l *layer) { l.manager1[11] = 1 }, nil},
	{"inputs of the second manager beyond the buffer of a PE", func(l *layer) {
		l.sizing[4], l.manager2[11] = 2, 1
		l.program, l.activation[3] = map[int]uint64{0: 0x30, 1: 0x34, 2: 0x81, 3: 0x40}, 4
	}, nil},
	{"weights beyond the buffer of a PE", func(l *layer) { l.manager1[6], l.manager1[7] = 0xf1, 0xff }, nil},
	{"biases beyond the buffer of a PE", func(l *layer) { l.manager1[9] = 1 }, nil},
	{"cells beyond the buffer of a PE", func(l *layer) {
		l.program, l.activation[3], l.activation[6] = map[int]uint64{0: 0x30, 1: 0x14, 2: 0x40}, 3, 32
	}, nil},
	{"a vector of the PE too few", func(l *layer) {
		l.program, l.activation[3] = map[int]uint64{0: 0x30, 1: 0x34, 2: 0x40}, 3
	}, nil},
	{"a vector of the PE too many", func(l *layer) { l.sizing[5] = 2 }, nil},
}

// wrongLayer says which layer leaves something else on a machine than it should, or "".
func wrongLayer(t *testing.T, m *Machine) string {
	t.Helper()
	for _, test := range layers {
		l := newLayer()
		test.change(l)
		s := simulate(t, m)
		var err error
		for _, w := range l.words() {
			if err = s.try(w.addr, w.high, w.low); err != nil {
				break
			}
		}
		var f *ila.Fault
		if errors.As(err, &f) != (test.codes == nil) {
			return fmt.Sprintf("%s: %v", test.name, err)
		}
		// memories of PEs lie one after the other: what only the end of the last one stops has gone wrong before
		if f != nil && (f.Code == ila.CodeUnwritten || strings.HasPrefix(f.Msg, "address ")) {
			return fmt.Sprintf("%s: %v", test.name, err)
		}
		var got []uint64
		for ts := range test.codes {
			for v := range pes {
				high, low := s.large(uint64(16 + ts + 16*v))
				if high != low || low != low&0xff*0x0101010101010101 {
					return fmt.Sprintf("%s, timestep %d: %016x%016x", test.name, ts, high, low)
				}
				if v == 0 {
					got = append(got, low&0xff)
				} else if got[ts] != low&0xff {
					return fmt.Sprintf("%s, timestep %d, PE %d: %02x", test.name, ts, v, low&0xff)
				}
			}
		}
		if !slices.Equal(got, test.codes) {
			return fmt.Sprintf("%s: %02x, want %02x", test.name, got, test.codes)
		}
	}
	return ""
}

func TestLayers(t *testing.T) {
	if wrong := wrongLayer(t, NewModel()); wrong != "" {
		t.Error(wrong)
	}
}

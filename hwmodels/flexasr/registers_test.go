package flexasr

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/run"
)

// A register is bits of a word that the bus writes to an address.
type register struct {
	addr       uint64
	name       string
	cell       uint64
	low, width int
}

// readRegisters reads testdata/registers.txt.
func readRegisters(t *testing.T) (list []register) {
	t.Helper()
	f, err := os.Open("testdata/registers.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		var r register
		var cell string
		if _, err := fmt.Sscanf(s.Text(), "%x %s %s %d %d", &r.addr, &r.name, &cell, &r.low, &r.width); err != nil {
			t.Fatalf("%s: %v", s.Text(), err)
		}
		if cell != "-" {
			r.cell, err = strconv.ParseUint(cell, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, r)
	}
	return list
}

// wrongRegister writes random words and says which register of a machine does not hold the bits of the word that it
// should, or "".
func wrongRegister(t *testing.T, m *Machine) string {
	t.Helper()
	const clusterBit = 1 << 16 // of the sizes of a PE: it is a fault
	s := run.NewSimulator(m.Model)
	random := rand.New(rand.NewPCG(17, 0))
	for _, r := range readRegisters(t) {
		for range 8 {
			low, high := random.Uint64(), random.Uint64()
			if r.addr&0xffffff == offsetSizing {
				low &^= clusterBit
			}
			if err := (&simulated{t, m, s}).try(r.addr, high, low); err != nil {
				return fmt.Sprintf("%s: %v", r.name, err)
			}
			want := low >> r.low
			if r.low >= 64 {
				want = high >> (r.low - 64)
			}
			want &= 1<<r.width - 1
			v := m.Lookup(r.name)
			got := uint64(0)
			if v.Depth > 0 {
				got, _ = s.Cell(v, r.cell)
			} else {
				got = s.Bits(v)
			}
			if got != want || v.Width != r.width {
				return fmt.Sprintf("%s of %d bits is %x, want %x", r.name, v.Width, got, want)
			}
		}
	}
	return ""
}

func TestRegisters(t *testing.T) {
	if wrong := wrongRegister(t, NewModel()); wrong != "" {
		t.Error(wrong)
	}
}

// A word is a write of 128 bits.
type word struct{ addr, high, low uint64 }

// refusals are programs that end in a fault.
var refusals = []struct {
	name  string
	words []word
}{
	{"an odd number of timesteps", []word{{addrLarge, 0, 0}, {addrLarge + 16, 0, 0}, {addrLarge + 32, 0, 0},
		{addrLarge + 48, 0, 0}, {addrManager, 0, 1}, {addrReduce, 3, 1<<48 | 1}, {addrStartReduce, 0, 1}}},
	{"a reduction that is not configured", []word{{addrManager, 0, 1}, {addrStartReduce, 0, 1}}},
	{"a reduction that is not valid", []word{{addrLarge, 0, 0}, {addrLarge + 16, 0, 0}, {addrManager, 0, 1}, {addrReduce, 2, 1 << 48}, {addrStartReduce, 0, 1}}},
	{"no memory manager", []word{{addrLarge, 0, 0}, {addrLarge + 16, 0, 0}, {addrReduce, 2, 1<<48 | 1}, {addrStartReduce, 0, 1}}},
	{"mode 3", []word{{addrLarge, 0, 0}, {addrLarge + 16, 0, 0}, {addrManager, 0, 1}, {addrReduce, 2, 1<<48 | 3<<8 | 1}, {addrStartReduce, 0, 1}}},
	{"mode 4", []word{{addrLarge, 0, 0}, {addrLarge + 16, 0, 0}, {addrManager, 0, 1}, {addrReduce, 2, 1<<48 | 4<<8 | 1}, {addrStartReduce, 0, 1}}},
	{"memory manager 4", []word{{addrLarge, 0, 0}, {addrLarge + 16, 0, 0}, {addrManager, 0, 1}, {addrReduce, 2, 1<<48 | 4<<32 | 1}, {addrStartReduce, 0, 1}}},
	{"nothing stored", []word{{addrManager, 0, 1}, {addrReduce, 2, 1<<48 | 1}, {addrStartReduce, 0, 1}}},
	{"beyond the large buffer", []word{{addrManager, 0, 0xffff<<16 | 1}, {addrLarge + 0xffff0, 0, 0},
		{addrReduce, 2, 1<<48 | 1}, {addrStartReduce, 0, 1}}},
	{"a cluster table", []word{{addrPE + offsetSizing, 0, 1<<16 | 1}}},
	{"a control unit that is not configured", []word{{addrManager, 0, 1}, {addrStartControl, 0, 1}}},
	{"between vectors", []word{{addrLarge + 8, 0, 0}}},
	{"between vectors of weights", []word{{addrPE + offsetWeights + 4, 0, 0}}},
	{"beyond the small buffer on the bus", []word{{addrSmall + smallSize, 0, 0}}},
	{"between vectors of the small buffer", []word{{addrSmall + 4, 0, 0}}},
	{"beyond the input buffer on the bus", []word{{addrPE + offsetInputs + 0x1000, 0, 0}}},
	{"a fifth PE", []word{{addrPE + 4*nextPE + offsetSizing, 0, 1}}},
	{"a layer norm that is not configured", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrStartNorm, 0, 1}}},
	{"a layer norm without small buffer", []word{{addrManager, 0, 1}, {addrNorm, 1, 1<<48 | 1}, {addrStartNorm, 0, 1}}},
	{"a layer norm of no vectors", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrNorm, 1, 1}, {addrStartNorm, 0, 1}}},
	{"a layer norm of no timesteps", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrNorm, 0, 1<<48 | 1}, {addrStartNorm, 0, 1}}},
	{"a layer norm of memory manager 4", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrNorm, 1, 1<<48 | 4<<32 | 1},
		{addrStartNorm, 0, 1}}},
	{"a layer norm of what nobody wrote", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrNorm, 1, 1<<48 | 1}, {addrStartNorm, 0, 1}}},
	{"zero padding that is not configured", []word{{addrManager, 0, 1}, {addrStartPad, 0, 1}}},
	{"zero padding without memory managers", []word{{addrPad, 2<<16 | 1, 1<<48 | 1}, {addrStartPad, 0, 1}}},
	{"zero padding beyond the large buffer", []word{{addrManager, 0, 0xffff<<16 | 1}, {addrPad, 2 << 16, 1<<48 | 1}, {addrStartPad, 0, 1}}},
	{"attention that is not configured", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrStartAttention, 0, 1}}},
	{"attention of 15 timesteps", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrLarge, 0, 0}, {addrAttention, 15, 1<<48 | 1},
		{addrStartAttention, 0, 1}}},
	{"attention of too many timesteps", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrAttention, 1040, 1<<48 | 1},
		{addrStartAttention, 0, 1}}},
	{"attention without query", []word{{addrManager, 0, 1}, {addrSmallManager, 0, 0}, {addrPad, 16 << 16, 1<<48 | 1}, {addrStartPad, 0, 1},
		{addrAttention, 16, 1<<48 | 1}, {addrStartAttention, 0, 1}}},
}

// accepted says which program that ends in a fault a machine takes, or "".
func accepted(t *testing.T, m *Machine) string {
	t.Helper()
	for _, r := range refusals {
		s := simulate(t, m)
		var err error
		for _, w := range r.words {
			if err = s.try(w.addr, w.high, w.low); err != nil {
				break
			}
		}
		var f *ila.Fault
		if !errors.As(err, &f) || f.Step != len(r.words)-1 {
			return fmt.Sprintf("%s: %v", r.name, err)
		}
	}
	return ""
}

func TestRefusals(t *testing.T) {
	if got := accepted(t, NewModel()); got != "" {
		t.Error(got)
	}
}

package flexasr

import (
	"context"
	"testing"

	"tv/ila"
	"tv/semantics/term"
)

// The golden program: five writes, 2x16 max-pool.
func TestGolden(t *testing.T) {
	m := NewModel()
	s := ila.NewSimulator(m.Model)
	for _, w := range []struct{ addr, high, low uint64 }{
		{0x33800010, 0x0000000200000002, 0x0001000000000001}, {0x33400010, 0, 0x10},
		{0x33500000, 0x03C5ACB7A2CC2347, 0x51CA3281B0231DB4}, {0x33500010, 0x24D3B0D1B2CB3350, 0x5FC4178149004ACB},
		{0x33000020, 0, 1},
	} {
		inputs := []uint64{w.addr}
		for j := range 16 {
			inputs = append(inputs, [...]uint64{w.low, w.high}[j/8]>>(8*(j%8))&0xff)
		}
		if err := s.Step(inputs...); err != nil {
			t.Fatal(err)
		}
	}
	var low, high uint64
	for j := uint64(0); j < 8; j++ {
		l, _ := s.Cell(m.Large, j)
		h, _ := s.Cell(m.Large, j+8)
		low, high = low|l<<(8*j), high|h<<(8*j)
	}
	if high != 0x24C5ACB7A2CB3350 || low != 0x5FC4328149234AB4 {
		t.Errorf("the reduction gives %016x%016x", high, low)
	}
}

func verify(t *testing.T, task *ila.Task, err error) *ila.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := ila.Verify(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMaxPool(t *testing.T) {
	for _, size := range [][3]int{{2, 16, 2}, {16, 64, 2}, {34, 48, 0}, {6, 16, 7}} {
		task, err := MaxPool(size[0], size[1], size[2])
		r := verify(t, task, err)
		if r.Verdict != ila.Proved || r.Lemmas != 1 || r.ByLemma != r.Outputs {
			t.Errorf("%v: %s: %s; %v", size, r.Verdict, r.Detail, r)
		}
	}
	for _, size := range [][3]int{{3, 16, 0}, {0, 16, 0}, {2, 17, 0}, {2, 4096, 0}, {2, 16, 8}, {65534, 64, 0}} {
		if _, err := MaxPool(size[0], size[1], size[2]); err == nil {
			t.Errorf("MaxPool(%v) succeeds", size)
		}
	}
}

func TestMutants(t *testing.T) {
	for _, test := range []struct {
		name   string
		mutate func(*ila.Task)
	}{
		{"a vector not stored", func(t *ila.Task) { t.Steps = t.Steps[1:] }},
		{"too few timesteps", func(t *ila.Task) { t.Steps[len(t.Steps)-3].Values[1+8] = t.Model.B.Bits(8, 16) }},
		{"not started", func(t *ila.Task) { t.Steps = t.Steps[:len(t.Steps)-1] }},
		{"two vectors swapped", func(t *ila.Task) {
			a, b := t.Steps[0].Values, t.Steps[4].Values
			a[0], b[0] = b[0], a[0]
		}},
		{"mean instead of max", func(t *ila.Task) { t.Steps[len(t.Steps)-3].Values[2] = t.Model.B.Bits(8, 1) }},
		{"zero keeps its sign", func(t *ila.Task) {
			right, x := t.Contract, t.Inputs[0]
			b := t.Model.B
			t.Contract = func(flat int) *term.Term {
				both := b.And(b.Equal(t.Element(x, flat%32+flat/32*64), b.Bits(8, 0x80)),
					b.Equal(t.Element(x, flat%32+flat/32*64+32), b.Bits(8, 0x80)))
				return b.Choose(both, b.Bits(8, 0x80), right(flat))
			}
		}},
	} {
		task, err := MaxPool(18, 32, 2)
		if err != nil {
			t.Fatal(err)
		}
		test.mutate(task)
		if r := verify(t, task, nil); r.Verdict != ila.Refuted {
			t.Errorf("%s: %s: %s", test.name, r.Verdict, r.Detail)
		}
	}
}

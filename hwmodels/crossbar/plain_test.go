package crossbar

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tv/hwmodels/crossbar/plain"
	"tv/ila"
	"tv/ila/run"
)

// differs runs random accesses of the host on a model and in plain Go, and returns what differs first, or "". Registers
// are set to small numbers, most of them so that the tile finds what it needs.
func differs(m *Machine, ref func() *plain.Machine, programs int, r *rand.Rand) string {
	n := func(most int) uint64 { return uint64(r.IntN(most + 1)) }
	for range programs {
		sim, twin := run.NewSimulator(m.Model), ref()
		for at := range uint64(64) {
			if r.IntN(200) > 0 {
				v := r.Uint64() & 255
				sim.SetCell(m.DRAM, at, v)
				twin.Set("dram", at, v)
			}
		}
		access := func() [3]uint64 {
			if r.IntN(40) == 0 {
				return [3]uint64{n(1), n(14) * 4, n(3)}
			}
			wild := func(v uint64) uint64 {
				if r.IntN(60) == 0 {
					return []uint64{0, 1 << 9, 1<<32 - 1, Memory, Memory - 1}[n(4)]
				}
				return v
			}
			switch r.IntN(14) {
			case 0:
				return [3]uint64{1, RegOperand, wild(n(20))}
			case 1:
				return [3]uint64{1, RegRowStep, wild(n(4))}
			case 2:
				return [3]uint64{1, RegColumnStep, wild(n(4))}
			case 3:
				return [3]uint64{1, RegResult, wild(n(50))}
			case 4:
				return [3]uint64{1, RegResultStep, wild(n(3))}
			case 5:
				return [3]uint64{1, RegRows, wild(1 + n(m.Config.Rows-1))}
			case 6:
				return [3]uint64{1, RegColumns, wild(1 + n(m.Config.Columns-1))}
			case 7:
				return [3]uint64{1, RegAlpha, wild(n(255))}
			case 8:
				return [3]uint64{1, RegBeta, wild(n(255) * n(1))}
			case 9:
				return [3]uint64{1, RegBank, wild(n(1))}
			}
			return [3]uint64{1, RegControl, wild(1 + n(1))}
		}
		goOn := true
		step := func(a [3]uint64) (differ string) {
			err := sim.Step(a[0], a[1], a[2])
			want := twin.Step(a[0], a[1], a[2])
			var f *ila.Fault
			errors.As(err, &f)
			goOn = f == nil
			if goOn != (len(want) == 0) || f != nil && !slices.Contains(want, f.Code) {
				return fmt.Sprintf("%x is %v in the model, %v in plain Go", a, err, want)
			}
			if (sim.End() == nil) != twin.MayEnd() {
				return fmt.Sprintf("after %x a program may end in one, and not in the other", a)
			}
			return ""
		}
		prologue := [][3]uint64{{1, RegRows, 1 + n(m.Config.Rows-1)}, {1, RegColumns, 1 + n(m.Config.Columns-1)}, {1, RegRowStep, 1},
			{1, RegColumnStep, 1 + n(1)}, {1, RegResultStep, 1}, {1, RegResult, 30}, {1, RegAlpha, n(255)}, {1, RegControl, 1}, {0, RegStatus, 0}}
		for i := 0; goOn && i < 60; i++ {
			a := access()
			if i < len(prologue) && r.IntN(30) > 0 {
				a = prologue[i]
			}
			if differ := step(a); differ != "" {
				return differ
			}
			if goOn && a[0] == 1 && a[1] == RegControl && r.IntN(10) > 0 {
				if differ := step([3]uint64{0, RegStatus, 0}); differ != "" {
					return differ
				}
			}
		}
		for _, v := range m.Variables() {
			if v.Depth == 0 {
				continue
			}
			cells, differ := 0, ""
			sim.Cells(v, func(at, value uint64) {
				cells++
				if want, ok := twin.Cell(v.Name, at); differ == "" && (!ok || want != value) {
					differ = fmt.Sprintf("%s[%d] is %d in the model, %d (%t) in plain Go", v.Name, at, value, want, ok)
				}
			})
			if differ == "" && cells != twin.Count(v.Name) {
				differ = fmt.Sprintf("%s has %d cells in the model, %d in plain Go", v.Name, cells, twin.Count(v.Name))
			}
			if differ != "" {
				return differ
			}
		}
	}
	return ""
}

// configs are choices of every kind; converters are so narrow that they lose something.
var configs = []Config{Default(), {Rows: 4, Columns: 4, ADC: 20}, {Rows: 4, Columns: 2, ADC: 12}, {Rows: 8, Columns: 4, ADC: 11, Drop: true},
	{Rows: 4, Columns: 4, ADC: 6, Serial: true}, {Rows: 4, Columns: 8, ADC: 5, Drop: true, Serial: true},
	{Rows: 4, Columns: 4, ADC: 32, Saturate: true}, {Rows: 2, Columns: 4, ADC: 9, Serial: true, Saturate: true}}

// The model, and the machine written by itself in plain Go, do the same for random accesses.
func TestPlain(t *testing.T) {
	for n, c := range configs {
		m, err := NewModel(c)
		if err != nil {
			t.Fatal(err)
		}
		programs := 300
		if c == Default() {
			programs = 20
		}
		if differ := differs(m, func() *plain.Machine { return Plain(c) }, programs, rand.New(rand.NewPCG(uint64(n), 3))); differ != "" {
			t.Errorf("%+v: %s", c, differ)
		}
	}
}

// Full is the least width with which no column sum saturates.
func TestFull(t *testing.T) {
	for c, want := range map[Config]int{{Rows: 256}: 20, {Rows: 128}: 19, {Rows: 2}: 13, {Rows: 256, Serial: true}: 13, {Rows: 2, Serial: true}: 6} {
		if c.Full() != want {
			t.Errorf("%+v: %d bits, want %d", c, c.Full(), want)
		}
	}
	for _, c := range []Config{{Rows: 3, Columns: 4, ADC: 20}, {Rows: 1, Columns: 4, ADC: 20}, {Rows: 4, Columns: 2048, ADC: 20},
		{Rows: 4, Columns: 4, ADC: 1}, {Rows: 4, Columns: 4, ADC: 33}} {
		if _, err := NewModel(c); err == nil {
			t.Errorf("%+v is a machine", c)
		}
	}
}

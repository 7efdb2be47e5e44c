package vta

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/run"
)

// byImplementation is what each implementation does, in the order of Configs: fsim, hls, opencl, chisel.
type byImplementation [4]string

// What the sources of the four implementations do with sizes and pads of 0 and not, written down by hand: the tiles that
// an instruction leaves from the first of its memory on, z for zeros and a number for that tile of DRAM. Both the model
// and the machine in plain Go do it.
func TestLoads(t *testing.T) {
	const fault, zs = "fault", "z z z z z z z z"
	const uop, wgt, inp, acc, acc8 = MemUop, MemWgt, MemInp, MemAcc, MemAcc8
	for _, test := range []struct {
		memory uint64
		sizes  Fields
		byImplementation
	}{
		// y left out
		{uop, Fields{"x": 2}, byImplementation{"", "0 1", "0 1", fault}},
		{wgt, Fields{"x": 2}, byImplementation{"", "", "", fault}},
		{inp, Fields{"x": 2}, byImplementation{"", "", "", fault}},
		{acc, Fields{"x": 2}, byImplementation{"", "", "", fault}},
		{acc8, Fields{"x": 2}, byImplementation{"", fault, "", fault}},
		{inp, Fields{"x": 1, "ypad0": 1, "ypad1": 1, "xpad0": 3}, byImplementation{zs, zs, zs, fault}},
		{wgt, Fields{"x": 1, "ypad0": 1}, byImplementation{"z", "", "", fault}},
		// rows
		{uop, Fields{"y": 1, "x": 2, "stride": 5}, byImplementation{"0 1", "0 1", "0 1", "0 1"}},
		{uop, Fields{"y": 2, "x": 2, "stride": 3}, byImplementation{"0 1 3 4", "0 1", "0 1", "0 1 3 4"}},
		{wgt, Fields{"y": 2, "x": 1, "stride": 3}, byImplementation{"0 3", "0 3", "0 3", "0 3"}},
		// x of 0
		{uop, Fields{"y": 1, "xpad0": 1}, byImplementation{"", "", "", ""}},
		{wgt, Fields{"y": 2, "xpad0": 1, "ypad1": 1}, byImplementation{"", "", "", ""}},
		{inp, Fields{"y": 1, "xpad0": 1, "ypad1": 1}, byImplementation{"", "z z", "z z", ""}},
		{inp, Fields{"y": 1, "ypad1": 1}, byImplementation{"", "", "", ""}},
		{acc, Fields{"y": 2, "xpad1": 2}, byImplementation{"", "z z z z", "", ""}},
		{acc8, Fields{"y": 2, "xpad1": 2}, byImplementation{"", fault, "", fault}},
		{inp, Fields{}, byImplementation{"", "", "", ""}},
		// pads by memory type
		{uop, Fields{"y": 1, "x": 1, "xpad0": 1, "ypad1": 1}, byImplementation{"z 0 z z", "0", "0", "z 0 z z"}},
		{wgt, Fields{"y": 1, "x": 1, "xpad1": 1, "ypad0": 1}, byImplementation{"z z 0 z", "0", "0", "z z 0 z"}},
		{inp, Fields{"y": 2, "x": 1, "stride": 2, "xpad0": 1}, byImplementation{"z 0 z 2", "z 0 z 2", "z 0 z 2", "z 0 z 2"}},
		{acc, Fields{"y": 1, "x": 2, "xpad0": 1, "xpad1": 1}, byImplementation{"z 0 1 z", "z 0 1 z", "0 1", "z 0 1 z"}},
		{acc8, Fields{"y": 1, "x": 1, "ypad0": 1}, byImplementation{"z 0", fault, "0", fault}},
	} {
		f := Fields{"op": OpLoad, "mem": test.memory}
		maps.Copy(f, test.sizes)
		for i, want := range test.byImplementation {
			name, c := Configs[i].Name, Configs[i]
			model, plain := tiles(t, c, f)
			if model != want || plain != want {
				t.Errorf("%s: %v leaves %q in the model, %q in plain Go, want %q", name, f, model, plain, want)
			}
		}
	}
	// stores and loops of nothing
	for _, f := range []Fields{
		{"op": OpStore, "mem": MemOut, "x": 1}, {"op": OpGemm, "end": 1, "in": 1}, {"op": OpGemm, "end": 1, "out": 1},
		{"op": OpGemm, "out": 1, "in": 1}, {"op": OpALU, "end": 1, "out": 1, "use_imm": 1},
	} {
		for _, c := range Configs {
			want := map[bool]string{true: fault}[c.Name == "chisel"]
			if model, plain := tiles(t, c, f); model != want || plain != want {
				t.Errorf("%s: %v is %q in the model, %q in plain Go, want %q", c.Name, f, model, plain, want)
			}
		}
	}
}

// tiles runs an instruction on both machines and returns the tiles that it leaves in the memory that it loads.
func tiles(t *testing.T, c Config, f Fields) (model, inPlain string) {
	t.Helper()
	m := NewModel(c)
	s, ref := run.NewSimulator(m.Model), Plain(c)
	size := map[uint64]uint64{MemUop: 4, MemWgt: wgtTile, MemInp: lanes, MemAcc: 4 * lanes, MemAcc8: lanes}[f["mem"]]
	for at := range 8 * size {
		s.SetCell(m.DRAM, at, at/size+1)
		ref.Set("dram", at, at/size+1)
	}
	w, err := Encode(f, c.Older)
	if err != nil {
		t.Fatal(err)
	}
	memory, name, cells := m.Inp, "inp", uint64(lanes)
	switch f["mem"] {
	case MemUop:
		memory, name, cells = m.Uop, "uop", 1
	case MemWgt:
		memory, name, cells = m.Wgt, "wgt", wgtTile
	case MemAcc, MemAcc8:
		memory, name = m.Acc, "acc"
	}
	read := func(cell func(at uint64) (uint64, bool)) string {
		var list []string
		for n := range uint64(16) {
			v, ok := cell(n * cells)
			switch {
			case ok && v == 0:
				list = append(list, "z")
			case ok:
				list = append(list, fmt.Sprint(v&0xff-1))
			}
		}
		return strings.Join(list, " ")
	}
	var fault *ila.Fault
	if err := s.Step(w.Low, w.High); errors.As(err, &fault) {
		model = "fault"
	} else {
		model = read(func(at uint64) (uint64, bool) { return s.Cell(memory, at) })
	}
	if faults := ref.Step(w.Low, w.High); faults != nil {
		return model, "fault"
	}
	return model, read(func(at uint64) (uint64, bool) { return ref.Cell(name, at) })
}

// A model that takes another implementation's loads is told from the machine in plain Go by random programs.
func TestLoadsApart(t *testing.T) {
	for n, c := range Configs {
		for _, other := range Configs {
			if other.Loads == c.Loads {
				continue
			}
			wrong := c
			wrong.Loads = other.Loads
			m := NewModel(wrong)
			m.Config.Loads = c.Loads // what the machine in plain Go does
			if differ := differs(m, 200, rand.New(rand.NewPCG(uint64(n), 5))); differ == "" {
				t.Errorf("%s with the loads of %s: no random program shows it", c.Name, other.Name)
			}
		}
	}
}

// What the sources do with amounts of shifts and operation 4, by hand: what is left of -100.
func TestShifts(t *testing.T) {
	const fault = "fault"
	immediate := func(op uint64, imm int16) Fields {
		return Fields{"alu": op, "use_imm": 1, "imm": uint64(uint16(imm))}
	}
	for _, test := range []struct {
		f Fields
		byImplementation
	}{
		{immediate(ALUShr, 3), byImplementation{"-13", "-13", "-13", "-13"}},
		{immediate(ALUShr, -3), byImplementation{"-800", "-800", "-800", "-800"}},
		{immediate(ALUShr, 31), byImplementation{"-1", "-200", "-1", "-1"}},     // of 5 bits 31 is -1
		{Fields{"alu": ALUShr}, byImplementation{"-200", "-200", "-200", "-1"}}, // by -1 in an accumulator
		{immediate(ALUMul, 3), byImplementation{"-300", fault, "-300", fault}},
	} {
		for i, want := range test.byImplementation {
			name, c := Configs[i].Name, Configs[i]
			m := NewModel(c)
			s, ref := run.NewSimulator(m.Model), Plain(c)
			s.SetCell(m.Uop, 0, 1<<11)
			ref.Set("uop", 0, 1<<11)
			for at := range uint64(2 * lanes) {
				v := uint64(uint32(0xffffffff - 99*(1-at/lanes)))
				s.SetCell(m.Acc, at, v)
				ref.Set("acc", at, v)
			}
			f := Fields{"op": OpALU, "end": 1, "out": 1, "in": 1}
			maps.Copy(f, test.f)
			w, err := Encode(f, false)
			if err != nil {
				t.Fatal(err)
			}
			model, plain := fault, fault
			if err := s.Step(w.Low, w.High); err == nil {
				v, _ := s.Cell(m.Acc, 0)
				model = fmt.Sprint(int32(uint32(v)))
			}
			if ref.Step(w.Low, w.High) == nil {
				v, _ := ref.Cell("acc", 0)
				plain = fmt.Sprint(int32(uint32(v)))
			}
			if model != want || plain != want {
				t.Errorf("%s: %v gives %s in the model, %s in plain Go, want %s", name, f, model, plain, want)
			}
		}
	}
}

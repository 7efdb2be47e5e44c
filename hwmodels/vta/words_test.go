package vta

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"tv/ila"
	"tv/ila/prove"
	"tv/ila/run"
	"tv/internal/source"
)

// Golden encodings of the older layout, computed from its public table: fields from the memory type on, and those
// after the operation of ALU, lie one bit lower.
func TestEncodeOlder(t *testing.T) {
	for _, test := range []struct {
		f         Fields
		low, high uint64
	}{
		{Fields{"op": OpLoad, "mem": MemInp, "dram": 0x100, "y": 1, "x": 16, "stride": 16},
			0x0000000200000100, 0x0000001000100001},
		{Fields{"op": OpLoad, "mem": MemWgt, "sram": 4, "dram": 0x20, "y": 2, "x": 8, "stride": 32},
			0x0000000040000880, 0x0000002000080002},
		{Fields{"op": OpStore, "y": 1, "x": 16, "stride": 16}, 0x0000000000000001, 0x0000001000100001},
		{Fields{"op": OpGemm, "end": 1, "out": 4, "in": 8, "dst_out": 1, "src_in": 1, "wgt_out": 8, "wgt_in": 1},
			0x0010002000200002, 0x0040800200000001},
		{Fields{"op": OpALU, "alu": ALUShr, "end": 1, "out": 1, "in": 16, "dst_in": 1, "src_in": 1, "use_imm": 1, "imm": 8},
			0x0020000800200004, 0x0004700200000800},
		{Fields{"op": OpALU, "alu": ALUMax, "end": 1, "out": 1, "in": 16, "dst_in": 1, "src_in": 1, "use_imm": 1,
			"imm": 0xff81}, 0x0020000800200004, 0x7fc0d00200000800},
		{Fields{"op": OpFinish}, 3, 0},
	} {
		w, err := Encode(test.f, true)
		if err != nil || w != (Word{test.low, test.high}) {
			t.Errorf("Encode(%v) = %016x %016x, %v; want %016x %016x", test.f, w.Low, w.High, err, test.low, test.high)
		}
	}
	for _, bad := range []Fields{{"op": OpLoad, "mem": MemOut}, {"op": OpALU, "alu": ALUMul}} {
		if w, err := Encode(bad, true); err == nil {
			t.Errorf("the older layout has no %v, and it is %016x", bad, w.Low)
		}
	}
}

// A program in words of one layout is not proved on a machine of the other.
func TestLayoutsApart(t *testing.T) {
	for _, older := range []bool{false, true} {
		c := Configs[0]
		c.Older = older
		task, err := Dense(c, 4, 16, 32, DenseOptions{Shift: 4})
		if err != nil {
			t.Fatal(err)
		}
		c.Older = !older
		other, err := Dense(c, 4, 16, 32, DenseOptions{Shift: 4})
		if err != nil {
			t.Fatal(err)
		}
		for i := range task.Steps {
			for n, v := range other.Steps[i].Values {
				word, _ := v.ConstBits()
				task.Steps[i].Values[n] = task.Model.B.Bits(64, word)
			}
		}
		if r := verify(t, task, nil); r.Verdict != prove.Refuted {
			t.Errorf("words of the other layout on a machine with older %t: %s", older, r.Verdict)
		}
	}
}

// anyFields draws an instruction of a layout.
func anyFields(t *rapid.T, older bool) Fields {
	op := rapid.Uint64Range(0, OpALU).Draw(t, "op")
	f := Fields{"op": op}
	for _, x := range append(append([]field(nil), common[1:]...), fieldsOf(op, older)...) {
		f[x.name] = rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64Range(0, 1<<x.width-1)).Draw(t, x.name)
	}
	switch {
	case op == OpALU:
		f["alu"] %= uint64(len(aluNames))
		if f["use_imm"] == 0 {
			f["imm"] = 0 // a listing does not write it
		}
	case op == OpLoad:
		f["mem"] %= uint64(len(memNames))
	case op == OpStore && older:
		f["mem"] = 0
	case op == OpStore:
		f["mem"] %= uint64(len(memNames))
	}
	return f
}

// Every word survives Decode and Encode, and every instruction its line in a listing.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Configs[0]
		c.Older = rapid.Bool().Draw(t, "older")
		f := anyFields(t, c.Older)
		w, err := Encode(f, c.Older)
		if err != nil {
			t.Fatalf("Encode(%v): %v", f, err)
		}
		back, err := Encode(Decode(w, c.Older), c.Older)
		if err != nil || back != w {
			t.Fatalf("%v is %v, and %v when taken apart (%v)", f, w, back, err)
		}
		line := Decode(w, c.Older).String()
		task, err := ParseListing(source.NewFile("x.vta", ".output o dram=0 shape=1 type=int8\n"+line+"\n"), c)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		low, _ := task.Steps[0].Values[0].ConstBits()
		high, _ := task.Steps[0].Values[1].ConstBits()
		if (Word{low, high}) != w {
			t.Fatalf("%s is read as %016x %016x, and is %016x %016x", line, low, high, w.Low, w.High)
		}
	})
}

// The queues of tokens are counters: an instruction pops before it pushes, and one that pops an empty queue is at
// fault and changes nothing.
func TestTokens(t *testing.T) {
	m := NewModel(Configs[0])
	rapid.Check(t, func(t *rapid.T) {
		s := run.NewSimulator(m.Model)
		const l2g, g2l, g2s, s2g = 0, 1, 2, 3
		queues := []*ila.Var{m.l2g, m.g2l, m.g2s, m.s2g}
		want := [4]uint64{}
		// instructions that do nothing but handle tokens: what they pop and push, previous unit first
		units := []struct {
			f         Fields
			pop, push [2]int
		}{
			{Fields{"op": OpLoad, "mem": MemInp}, [2]int{-1, g2l}, [2]int{-1, l2g}},
			{Fields{"op": OpGemm}, [2]int{l2g, s2g}, [2]int{g2l, g2s}},
			{Fields{"op": OpFinish}, [2]int{-1, -1}, [2]int{-1, -1}},
			{Fields{"op": OpStore, "mem": MemOut}, [2]int{g2s, -1}, [2]int{s2g, -1}},
		}
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				for i, q := range queues {
					if got := s.Bits(q); got != want[i] {
						t.Fatalf("%s holds %d tokens, want %d", q.Name, got, want[i])
					}
				}
			},
			"step": func(t *rapid.T) {
				u := units[rapid.IntRange(0, len(units)-1).Draw(t, "unit")]
				f := Fields{}
				for name, v := range u.f {
					f[name] = v
				}
				next, code := want, ""
				for side, name := range []string{"prev", "next"} {
					pop, push := rapid.Bool().Draw(t, "pop_"+name), rapid.Bool().Draw(t, "push_"+name)
					if pop {
						f["pop_"+name] = 1
					}
					if push {
						f["push_"+name] = 1
					}
					switch {
					case code != "": // the first fault counts
					case u.pop[side] < 0 && (pop || push):
						code = ila.CodeReserved
					case pop && want[u.pop[side]] == 0:
						code = ila.CodeToken
					default:
						if pop {
							next[u.pop[side]]--
						}
						if push {
							next[u.push[side]]++
						}
					}
				}
				w, err := Encode(f, false)
				if err != nil {
					t.Fatal(err)
				}
				err = s.Step(w.Low, w.High)
				var fault *ila.Fault
				switch {
				case code == "" && err != nil:
					t.Fatalf("%v: %v", f, err)
				case code == "":
					want = next
				case !errors.As(err, &fault) || fault.Code != code:
					t.Fatalf("%v: %v, want a fault %s", f, err, code)
				}
			},
		})
	})
}

// No address wraps: a tile beyond DRAM is a fault wherever its number comes from.
func TestNoWrap(t *testing.T) {
	const top = 1<<32 - 1
	for _, f := range []Fields{
		{"op": OpLoad, "mem": MemWgt, "dram": top, "y": 1, "x": 2, "stride": 2},
		{"op": OpLoad, "mem": MemAcc, "dram": top, "y": 1, "x": 1},
		{"op": OpLoad, "mem": MemInp, "sram": 2048, "y": 1, "x": 1},
		{"op": OpLoad, "mem": MemUop, "sram": 65535, "y": 1, "x": 1},
		{"op": OpLoad, "mem": MemInp, "sram": 2047, "x": 1, "y": 1, "ypad0": 1},
		{"op": OpStore, "mem": MemOut, "dram": top, "y": 1, "x": 2, "stride": 2},
		{"op": OpGemm, "reset": 1, "end": 1, "out": 2, "in": 1, "dst_out": 2047},
	} {
		m := NewModel(Configs[0])
		s := run.NewSimulator(m.Model)
		for at := range uint64(wgtTile) { // where addresses would wrap to
			s.SetCell(m.DRAM, at, 1)
			s.SetCell(m.DRAM, dramSize-wgtTile+at, 1)
		}
		s.SetCell(m.Uop, 0, 1)
		for at := range uint64(2 * lanes) {
			s.SetCell(m.Acc, at, 1)
		}
		w, err := Encode(f, false)
		if err != nil {
			t.Fatal(err)
		}
		var fault *ila.Fault
		if err := s.Step(w.Low, w.High); !errors.As(err, &fault) || fault.Code != ila.CodeAddress {
			t.Errorf("%v: %v, want an address beyond a memory", f, err)
		}
	}
}

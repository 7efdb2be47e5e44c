package vta

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/induct"
	"tv/ila/prove"
	"tv/ila/run"
	"tv/internal/tier"
	"tv/semantics/index"
	"tv/semantics/term"
)

// The golden encodings are computed from the public table of fields.
func TestEncode(t *testing.T) {
	loop := func(f Fields) Fields {
		f["op"], f["end"], f["out"], f["in"], f["dst_in"], f["src_in"], f["use_imm"] = OpALU, 1, 1, 16, 1, 1, 1
		return f
	}
	for _, test := range []struct {
		f         Fields
		low, high uint64
		text      string
	}{
		{Fields{"op": OpLoad, "mem": MemInp, "dram": 0x100, "y": 1, "x": 16, "stride": 16},
			0x0000000400000100, 0x0000001000100001, "load inp dram=256 y=1 x=16 stride=16"},
		{Fields{"op": OpLoad, "mem": MemWgt, "sram": 4, "dram": 0x20, "y": 2, "x": 8, "stride": 32},
			0x0000000080001080, 0x0000002000080002, "load wgt sram=4 dram=32 y=2 x=8 stride=32"},
		{Fields{"op": OpLoad, "mem": MemAcc, "y": 2, "x": 2, "stride": 2, "ypad0": 1, "ypad1": 1, "xpad0": 1, "xpad1": 1},
			0x0000000000000180, 0x1111000200020002,
			"load acc y=2 x=2 stride=2 ypad0=1 ypad1=1 xpad0=1 xpad1=1"},
		{Fields{"op": OpStore, "mem": MemOut, "y": 1, "x": 16, "stride": 16},
			0x0000000000000201, 0x0000001000100001, "store out y=1 x=16 stride=16"},
		{Fields{"op": OpGemm, "reset": 1, "end": 1, "out": 1, "in": 1},
			0x0002000800200082, 0, "gemm reset end=1 out=1 in=1"},
		{Fields{"op": OpGemm, "end": 1, "out": 4, "in": 8, "dst_out": 1, "src_in": 1, "wgt_out": 8, "wgt_in": 1},
			0x0010002000200002, 0x0040800200000001,
			"gemm end=1 out=4 in=8 dst_out=1 src_in=1 wgt_out=8 wgt_in=1"},
		{loop(Fields{"alu": ALUShr, "imm": 8}), 0x0020000800200004, 0x0008b00200000800,
			"alu shr end=1 out=1 in=16 dst_in=1 src_in=1 imm=8"},
		{loop(Fields{"alu": ALUMax, "imm": 0xff81}), 0x0020000800200004, 0xff81900200000800,
			"alu max end=1 out=1 in=16 dst_in=1 src_in=1 imm=-127"},
		{Fields{"op": OpFinish}, 3, 0, "finish"},
	} {
		w, err := Encode(test.f, false)
		if err != nil || w != (Word{test.low, test.high}) {
			t.Errorf("Encode(%v) = %016x %016x, %v; want %016x %016x", test.f, w.Low, w.High, err, test.low, test.high)
		}
		if got := Decode(w, false).String(); got != test.text {
			t.Errorf("Decode(%016x %016x) = %q, want %q", w.Low, w.High, got, test.text)
		}
		if back, err := Encode(Decode(w, false), false); err != nil || back != w {
			t.Errorf("%v does not survive Decode and Encode: %v", test.f, err)
		}
	}
	for _, bad := range []Fields{{"op": 5}, {"op": OpLoad, "mem": 8}, {"op": OpGemm, "imm": 1}, {"op": OpStore, "dram": 1 << 32}} {
		if w, err := Encode(bad, false); err == nil {
			t.Errorf("Encode(%v) = %v, want an error", map[string]uint64(bad), w)
		}
	}
	// the two layouts differ by one bit from the base in DRAM on
	f := Fields{"op": OpLoad, "mem": MemInp, "dram": 0x100}
	older, _ := Encode(f, true)
	if newer, _ := Encode(f, false); older == newer || Decode(older, false)["dram"] == 0x100 {
		t.Errorf("the layouts agree on %v", f)
	}
}

func verify(t *testing.T, task *ila.Task, err error) *prove.Result {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := prove.Verify(context.Background(), task)
	if err != nil {
		t.Fatalf("%s: %v", task.Name, err)
	}
	return r
}

// Every loop order, cut and epilogue is proved for every implementation that has the operations, by the same
// code.
func TestDense(t *testing.T) {
	for _, test := range []struct {
		m, n, k int
		o       DenseOptions
	}{
		{64, 128, 32, DenseOptions{Shift: 8}},
		{1, 16, 16, DenseOptions{}},
		{1, 16, 16 * 70, DenseOptions{Shift: 8}},
		{5, 32, 48, DenseOptions{Bias: true, Shift: 15}},
		{16, 48, 64, DenseOptions{Bias: true, Relu: true, Shift: 3, ChunkM: 5, ChunkN: 2, ChunkK: 3}},
		{16, 48, 64, DenseOptions{Relu: true, Shift: 3, ChunkM: 16, ChunkN: 1, ChunkK: 1, Order: "nm"}},
	} {
		if test.m*test.n*test.k > tier.Pick(100_000, 1<<30) {
			continue
		}
		for _, c := range Configs {
			task, err := Dense(c, test.m, test.n, test.k, test.o)
			if r := verify(t, task, err); r.Verdict != prove.Proved || r.Outputs != test.m*test.n {
				t.Errorf("%s on %s with %+v: %s: %s", task.Name, c.Name, test.o, r.Verdict, r.Detail)
			}
		}
	}
	// implementations without a product refuse the program
	for _, c := range Configs {
		task, err := Dense(c, 3, 32, 48, DenseOptions{Bias: true, Scale: 77, Shift: 15, Relu: true})
		r := verify(t, task, err)
		if want := map[string]prove.Verdict{"mul": prove.Proved, "none": prove.Refuted}[c.Mul]; r.Verdict != want {
			t.Errorf("%s on %s: %s, want %s: %s", task.Name, c.Name, r.Verdict, want, r.Detail)
		}
	}
	older := Configs[0]
	older.Older, older.WrapIndex = true, true
	task, err := Dense(older, 4, 16, 32, DenseOptions{Shift: 2})
	if r := verify(t, task, err); r.Verdict != prove.Proved {
		t.Errorf("%s in the older layout: %s: %s", task.Name, r.Verdict, r.Detail)
	}
}

// A driver with any one of these mistakes is refuted, by a value or by a fault, and never proved.
func TestDenseMutants(t *testing.T) {
	has := func(f line, name string, v int64) bool {
		n, ok := f[name]
		return ok && n.ConstTerm().Cmp(index.Int(v)) == 0 && len(n.Free()) == 0
	}
	is := func(f line, op, kind int64) bool {
		return has(f, "op", op) && has(f, map[int64]string{OpLoad: "mem", OpALU: "alu"}[op], kind)
	}
	for _, test := range []struct {
		name, reason string
		mutate       func(ix *index.Builder, f line) bool
	}{
		{"dropped reset", "undefined", func(ix *index.Builder, f line) bool { return f["reset"] == nil }},
		{"wrong stride of the inputs", "values", func(ix *index.Builder, f line) bool {
			if is(f, OpLoad, MemInp) {
				f["stride"] = ix.AddInt(f["stride"], -1)
			}
			return true
		}},
		{"dropped tile of k", "values", func(ix *index.Builder, f line) bool {
			return !(has(f, "op", OpGemm) && f["reset"] == nil && has(f, "begin", 1))
		}},
		{"swapped operands", "undefined", func(ix *index.Builder, f line) bool {
			if is(f, OpLoad, MemInp) {
				f["mem"] = ix.Const(MemWgt)
			} else if is(f, OpLoad, MemWgt) {
				f["mem"] = ix.Const(MemInp)
			}
			return true
		}},
		{"pad off by one", "values", func(ix *index.Builder, f line) bool {
			if is(f, OpLoad, MemInp) {
				f["ypad0"], f["y"] = ix.Const(1), ix.AddInt(f["y"], -1)
			}
			return true
		}},
		{"no clip below", "values", func(ix *index.Builder, f line) bool { return !is(f, OpALU, ALUMax) }},
		{"no clip above", "deadlock", func(ix *index.Builder, f line) bool { return !is(f, OpALU, ALUMin) }},
		{"clip to -128", "values", func(ix *index.Builder, f line) bool {
			if is(f, OpALU, ALUMax) {
				f["imm"] = ix.Const(0xff80)
			}
			return true
		}},
		{"shift by one less", "values", func(ix *index.Builder, f line) bool {
			if is(f, OpALU, ALUShr) {
				f["imm"] = ix.AddInt(f["imm"], -1)
			}
			return true
		}},
		{"weights of another tile", "values", func(ix *index.Builder, f line) bool {
			if is(f, OpLoad, MemWgt) {
				f["stride"] = ix.Const(0)
			}
			return true
		}},
		{"store beside the output", "undefined", func(ix *index.Builder, f line) bool {
			if has(f, "op", OpStore) {
				f["dram"] = ix.AddInt(f["dram"], 1<<20)
			}
			return true
		}},
		{"one row too few", "undefined", func(ix *index.Builder, f line) bool {
			if has(f, "op", OpStore) {
				f["y"] = ix.AddInt(f["y"], -1)
			}
			return true
		}},
		{"no token for the store", "deadlock", func(ix *index.Builder, f line) bool {
			if is(f, OpALU, ALUMin) {
				delete(f, "push_next")
			}
			return true
		}},
		{"beyond the accumulators", "undefined", func(ix *index.Builder, f line) bool {
			if has(f, "op", OpGemm) {
				f["dst_out"] = ix.Const(1024)
			}
			return true
		}},
		{"no finish", "undefined", func(ix *index.Builder, f line) bool { return !has(f, "op", OpFinish) }},
		{"micro-operations in no rows", "undefined", func(ix *index.Builder, f line) bool {
			if is(f, OpLoad, MemUop) {
				delete(f, "y")
			}
			return true
		}},
		{"reserved bits", "undefined", func(ix *index.Builder, f line) bool {
			if has(f, "op", OpGemm) {
				f["reserved"] = ix.Const(1)
			}
			return true
		}},
	} {
		task, err := Dense(Configs[0], 8, 32, 32, DenseOptions{Shift: 6, mutate: test.mutate})
		r := verify(t, task, err)
		if r.Verdict != prove.Refuted || r.Reason != test.reason {
			t.Errorf("%s: %s (%s): %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
		if r.Reason == "values" && r.Want == r.Got {
			t.Errorf("%s: the element shown does not differ", test.name)
		}
	}
}

// rewritten is a task with its instructions changed, or left out where change is false.
func rewritten(t *testing.T, task *ila.Task, change func(Fields) bool) *ila.Task {
	t.Helper()
	out := *task
	out.Steps = nil
	for _, s := range task.Steps {
		low, _ := s.Values[0].ConstBits()
		high, _ := s.Values[1].ConstBits()
		f := Decode(Word{low, high}, false)
		if !change(f) {
			continue
		}
		w, err := Encode(f, false)
		if err != nil {
			t.Fatal(err)
		}
		out.Steps = append(out.Steps, ila.Step{Values: halves(task.Model.B, w), Text: f.String()})
	}
	return &out
}

// Tokens of a layer in several chunks: where one kind is left out, units race or stop for ever, and program order alone is right without any.
func TestTokensOfDrivers(t *testing.T) {
	chunked := func() *ila.Task {
		task, err := Dense(Configs[0], 4, 16, 32, DenseOptions{Shift: 6, ChunkM: 2, ChunkK: 1})
		if err != nil {
			t.Fatal(err)
		}
		return task
	}
	drop := func(op, mem uint64, tokens ...string) func(Fields) bool {
		return func(f Fields) bool {
			if f["op"] == op && (op != OpLoad || f["mem"] == mem) {
				for _, name := range tokens {
					delete(f, name)
				}
			}
			return true
		}
	}
	all := []string{"pop_prev", "pop_next", "push_prev", "push_next"}
	stores := 0
	for _, test := range []struct {
		name, reason string
		change       func(Fields) bool
	}{
		{"a product that waits for no load", "race", drop(OpGemm, 0, "pop_prev")},
		{"a store that waits for no product", "race", drop(OpStore, 0, "pop_prev")},
		{"a load over what is multiplied", "race", drop(OpLoad, MemInp, "pop_next")},
		{"accumulators over what is stored", "race", drop(OpGemm, 0, "pop_next")},
		{"a host that waits for no store", "race", drop(OpLoad, MemUop, "pop_next")},
		{"a store that tells nobody", "deadlock", drop(OpStore, 0, "push_prev")},
		{"a product that tells no load", "deadlock", drop(OpGemm, 0, "push_prev")},
		{"a product that tells stores", "deadlock", func(f Fields) bool {
			if f["op"] == OpGemm && f["push_prev"] == 1 {
				delete(f, "push_prev")
				f["push_next"] = 1
			}
			return true
		}},
		{"the first store goes before its product: a token too many", "race", func(f Fields) bool {
			if f["op"] == OpGemm && f["reset"] == 1 {
				f["push_next"] = 1
			}
			return true
		}},
		{"the last store tells nobody", "deadlock", func(f Fields) bool {
			if f["op"] == OpStore {
				if stores++; stores == 2 {
					delete(f, "push_prev")
				}
			}
			return true
		}},
		{"no tokens", "race", func(f Fields) bool {
			for _, name := range all {
				delete(f, name)
			}
			return true
		}},
	} {
		task := rewritten(t, chunked(), test.change)
		if r := verify(t, task, nil); r.Verdict != prove.Refuted || r.Reason != test.reason {
			t.Errorf("%s: %s (%s): %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
		if test.name != "no tokens" {
			continue
		}
		if r, err := prove.InOrder(t.Context(), task, nil); err != nil || r.Verdict != prove.Proved {
			t.Errorf("in program order: %+v, %v", r, err)
		}
	}
	if r := verify(t, chunked(), nil); r.Verdict != prove.Proved {
		t.Errorf("with all tokens: %s (%s): %s", r.Verdict, r.Reason, r.Detail)
	}
}

// A layer without finish is not proved, for given sizes or for all, but where a program may end without.
func TestFinish(t *testing.T) {
	o := DenseOptions{Shift: 8, mutate: func(_ *index.Builder, f line) bool {
		op, _ := f["op"].ConstTerm().Int64()
		return op != OpFinish
	}}
	for _, c := range Configs {
		want := map[bool]prove.Verdict{true: prove.Proved, false: prove.Refuted}[c.Name == "opencl"]
		task, err := Dense(c, 2, 16, 32, o)
		if r := verify(t, task, err); r.Verdict != want || r.Fault != nil && r.Fault.Code != ila.CodeFinish {
			t.Errorf("%s: %s, want %s: %s", c.Name, r.Verdict, want, r.Detail)
		}
	}
	all := denseAll("vta-dense", func() *Machine { return NewModel(Configs[0]) }, o, nil)
	r := prove.NewResult()
	if err := induct.Prove(context.Background(), all, r); err != nil {
		t.Fatal(err)
	}
	if r.Verdict != prove.Unknown || !strings.Contains(r.Detail, ila.CodeFinish) {
		t.Errorf("for all sizes: %s: %s", r.Verdict, r.Detail)
	}
}

// A difference that no sample meets is not refuted, and above all not proved.
func TestNotProved(t *testing.T) {
	task, err := Dense(Configs[0], 1, 16, 16, DenseOptions{Shift: 6})
	if err != nil {
		t.Fatal(err)
	}
	b, right := task.Model.B, task.Contract
	rare := b.Equal(task.Element(task.Inputs[0], 3), b.Bits(8, 77))
	for n := 4; n < 8; n++ {
		rare = b.And(rare, b.Equal(task.Element(task.Inputs[0], n), b.Bits(8, 99)))
	}
	task.Contract = func(flat int) *term.Term {
		x := right(flat)
		return b.Choose(rare, b.AddBits(x, b.Bits(8, 1)), x)
	}
	if r := verify(t, task, nil); r.Verdict != prove.Unknown || r.Reason != "incomplete" {
		t.Errorf("%s: %s", r.Verdict, r.Detail)
	}
}

func TestDenseErrors(t *testing.T) {
	for _, test := range []struct {
		m, n, k int
		o       DenseOptions
	}{{0, 16, 16, DenseOptions{}}, {16, 17, 16, DenseOptions{}}, {16, 16, 8, DenseOptions{}},
		{16, 16, 16, DenseOptions{Shift: 16}}, {16, 16, 16, DenseOptions{Scale: 1 << 15}}, {16, 1 << 20, 1 << 20, DenseOptions{}}} {
		if _, err := Dense(Configs[0], test.m, test.n, test.k, test.o); err == nil {
			t.Errorf("Dense(%d, %d, %d, %+v) succeeds", test.m, test.n, test.k, test.o)
		}
	}
}

// One GEMM of 64 x 4 tiles by 4 micro-operations, 262144 products.
func BenchmarkSimulator(b *testing.B) {
	m := NewModel(Configs[0])
	s := run.NewSimulator(m.Model)
	for at := range uint64(64 * 4 * lanes) {
		s.SetCell(m.Inp, at, at*37)
		s.SetCell(m.Acc, at, 0)
	}
	for at := range uint64(16 * wgtTile) {
		s.SetCell(m.Wgt, at, at*91)
	}
	for n := range uint64(4) {
		s.SetCell(m.Uop, n, n<<11|n<<22)
	}
	w, err := Encode(Fields{"op": OpGemm, "end": 4, "out": 64, "in": 4, "dst_out": 4, "dst_in": 1, "src_out": 4,
		"wgt_in": 4}, false)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := s.Step(w.Low, w.High); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(64*4*4*wgtTile*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmac/s")
}

func BenchmarkDense(b *testing.B) {
	for _, n := range []int{16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				task, err := Dense(Configs[0], n, n, n, DenseOptions{Shift: 8})
				if err != nil {
					b.Fatal(err)
				}
				if r, err := prove.Verify(context.Background(), task); err != nil || r.Verdict != prove.Proved {
					b.Fatal(r, err)
				}
			}
		})
	}
}

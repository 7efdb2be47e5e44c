package vta

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"tv/hwmodels/vta/plain"
	"tv/ila"
	"tv/ila/run"
)

type memory struct {
	v *ila.Var
	c *plain.Cells
}

// A twin is the simulator of the model and the machine in plain Go, in the same state.
type twin struct {
	m   *Machine
	sim *run.Simulator
	ref *plain.Machine
}

func (w *twin) memories() []memory {
	return []memory{{w.m.DRAM, &w.ref.DRAM}, {w.m.Inp, &w.ref.Inp}, {w.m.Wgt, &w.ref.Wgt}, {w.m.Acc, &w.ref.Acc}, {w.m.Out, &w.ref.Out},
		{w.m.Uop, &w.ref.Uop}}
}

type queue struct {
	v *ila.Var
	n *int
}

func (w *twin) queues() []queue {
	return []queue{{w.m.l2g, &w.ref.L2G}, {w.m.g2l, &w.ref.G2L}, {w.m.g2s, &w.ref.G2S}, {w.m.s2g, &w.ref.S2G}}
}

// mostMicro bounds the steps of children of one instruction; those that are drawn need fewer.
const mostMicro = 2000

var errEndless = errors.New("endless")

// newTwin fills the low end of every memory; a few cells stay unwritten.
func newTwin(m *Machine, r *rand.Rand) *twin {
	w := &twin{m, run.NewSimulator(m.Model), Plain(m.Config)}
	put := func(v *ila.Var, c *plain.Cells, at, value uint64) {
		w.sim.SetCell(v, at, value)
		c.At[at] = uint32(value)
	}
	for _, q := range w.queues() {
		*q.n = r.IntN(4)
		w.sim.SetBits(q.v, uint64(*q.n))
	}
	edges := []uint64{0x80000000, 0x7fffffff, 0xffffffff, 0xffffff80, 1, 31, 32, 0xffffffe1}
	for _, p := range w.memories() {
		ends := []uint64{0}
		if p.v == m.DRAM || r.IntN(4) == 0 {
			ends = append(ends, p.v.Depth-1536)
		}
		if p.v == m.Uop {
			ends = []uint64{0}
		}
		for _, from := range ends {
			for at := from; at < from+1536; at++ {
				if r.IntN(3000) == 0 {
					continue
				}
				value := r.Uint64()
				if v := r.IntN(24); v < len(edges) {
					value = edges[v]
				}
				value &= 1<<p.v.Width - 1
				switch {
				case p.v == m.Uop: // indices that are there, most of them
					if value = r.Uint64N(3) | r.Uint64N(3)<<11 | r.Uint64N(3)<<22; r.IntN(300) == 0 {
						value |= 1 << (10 + 11*r.IntN(3))
					}
				case p.v == m.DRAM && at >= 1024 && at < 1280: // micro-operations
					value = []uint64{r.Uint64N(4), r.Uint64N(3) << 3, r.Uint64N(2) << 6, 0}[at%4]
				}
				put(p.v, p.c, at, value)
			}
		}
	}
	return w
}

// draw draws an instruction; fields are small but for now and then.
func draw(c Config, r *rand.Rand) Word {
	n := func(most uint64) uint64 { return r.Uint64N(most + 1) }
	rare := func(often int, v uint64) uint64 {
		if r.IntN(often) > 0 {
			return 0
		}
		return v
	}
	f := Fields{"op": []uint64{OpLoad, OpLoad, OpLoad, OpStore, OpGemm, OpGemm, OpALU, OpALU, OpALU, OpFinish}[r.IntN(10)]}
	for _, name := range []string{"pop_prev", "pop_next", "push_prev", "push_next"} {
		f[name] = rare(6, 1)
	}
	f["reserved"] = rare(60, 1)
	switch f["op"] {
	case OpLoad, OpStore:
		f["mem"] = n(7)
		if f["mem"] == 4 || f["mem"] > 5 {
			f["mem"] = n(5)
		}
		f["dram"], f["sram"] = n(5), n(4)
		if f["mem"] == MemUop {
			f["dram"] = 256 + n(40)
		}
		f["y"], f["x"], f["stride"] = n(3)*n(1), n(3)*n(1), n(4)
		if r.IntN(2) == 0 {
			f["y"], f["x"] = 1+n(2), 1+n(2)
		}
		for _, pad := range []string{"ypad0", "ypad1", "xpad0", "xpad1"} {
			f[pad] = rare(2, n(2))
		}
		if f["op"] == OpStore {
			if f["mem"] = MemOut; r.IntN(20) == 0 {
				f["mem"] = n(5)
			}
			for _, pad := range []string{"ypad0", "ypad1", "xpad0", "xpad1"} {
				f[pad] = rare(60, 1)
			}
		}
		if c.Older {
			f["mem"] &= 3
		}
		if r.IntN(24) == 0 {
			f["sram"] = []uint64{1022, 2046, 8190, 1<<16 - 1}[n(3)]
		}
		if r.IntN(24) == 0 {
			f["dram"] = 1<<32 - 1 - n(1)*n(2)
		}
		if f["dram"] > 1<<31 && r.IntN(2) == 0 { // the last tile of the memory
			f["dram"] = map[uint64]uint64{MemUop: 1 << 30, MemWgt: 1 << 24, MemAcc: 1 << 26}[f["mem"]]
			if f["dram"] == 0 {
				f["dram"] = 1 << 28
			}
			f["dram"] -= 1 + n(2)
		}
	case OpGemm, OpALU:
		f["reset"] = rare(5, 1)
		f["begin"], f["out"], f["in"] = n(3), n(3), n(3)
		f["end"] = f["begin"] + n(3) - rare(12, f["begin"])
		for _, name := range []string{"dst_out", "dst_in", "src_out", "src_in", "wgt_out", "wgt_in"} {
			if f["op"] == OpGemm || name[0] != 'w' {
				if f[name] = n(3); r.IntN(40) == 0 {
					f[name] = 1 << 9 << r.IntN(2)
				}
			}
		}
		if f["op"] == OpGemm {
			f["wgt_out"], f["wgt_in"] = f["wgt_out"]&1023, f["wgt_in"]&1023
			break
		}
		f["alu"], f["use_imm"] = n(4), n(1)
		if r.IntN(30) == 0 {
			f["alu"] = n(7)
		}
		if c.Older {
			f["alu"] &= 3
		}
		f["imm"] = []uint64{n(40), 1<<16 - 1 - n(40), n(1<<16 - 1)}[n(2)]
	case OpFinish:
		delete(f, "reserved")
	}
	w, err := Encode(f, c.Older)
	if err != nil {
		panic(err)
	}
	if r.IntN(100) == 0 {
		w.Low |= 7
	}
	return w
}

// step takes one instruction on both sides. It returns what differs, and whether the program goes on.
func (w *twin) step(i Word) (differ string, goOn bool) {
	taken := 0
	w.sim.Trace = func(string, string) {
		if taken++; taken > mostMicro {
			panic(errEndless)
		}
	}
	defer func() {
		if r := recover(); r == any(errEndless) {
			differ = fmt.Sprintf("%v does not come to an end in the model", Decode(i, w.m.Config.Older))
		} else if r != nil {
			panic(r)
		}
	}()
	err := w.sim.Step(i.Low, i.High)
	want := w.ref.Step(i.Low, i.High)
	var f *ila.Fault
	errors.As(err, &f)
	if (f == nil) != (len(want) == 0) || f != nil && !slices.Contains(want, f.Code) {
		return fmt.Sprintf("%v is %v in the model, %v in plain Go", Decode(i, w.m.Config.Older), err, want), false
	}
	return "", f == nil
}

// state returns in what the states differ, or "".
func (w *twin) state() (differ string) {
	for _, p := range w.memories() {
		n := 0
		w.sim.Cells(p.v, func(at, value uint64) {
			n++
			if v, ok := p.c.At[at]; differ == "" && (!ok || uint64(v) != value) {
				differ = fmt.Sprintf("%s[%d] is %d in the model, %d (%t) in plain Go", p.v.Name, at, value, v, ok)
			}
		})
		if differ == "" && n != len(p.c.At) {
			differ = fmt.Sprintf("%s has %d cells in the model, %d in plain Go", p.v.Name, n, len(p.c.At))
		}
	}
	for _, q := range w.queues() {
		if got := w.sim.Bits(q.v); differ == "" && got != uint64(*q.n) {
			differ = fmt.Sprintf("%s is %d in the model, %d in plain Go", q.v.Name, got, *q.n)
		}
	}
	return differ
}

// differs runs random programs on a model and in plain Go and returns what differs first, or "".
func differs(m *Machine, programs int, r *rand.Rand) string {
	for range programs {
		w := newTwin(m, r)
		for range 40 {
			differ, goOn := w.step(draw(m.Config, r))
			if differ != "" {
				return differ
			}
			if !goOn {
				// a fault ends a program; those of tokens and of words leave the state as it was
				if w.sim.Bits(m.run) != idle {
					break
				}
			}
		}
		if differ := w.state(); differ != "" {
			return differ
		}
	}
	return ""
}

// The model, and the machine written by itself in plain Go, do the same for random words on random memories, with the
// choices of every implementation.
func TestPlain(t *testing.T) {
	for n, c := range append(slices.Clone(Configs),
		Config{Name: "older", Older: true, StoreAcc: true, Mul: "mul", Shift: "signed", Loads: "fsim"},
		Config{Name: "wraps", WrapIndex: true, Mul: "mul", Shift: "signed", Loads: "fsim"}) {
		if differ := differs(NewModel(c), 60, rand.New(rand.NewPCG(uint64(n), 3))); differ != "" {
			t.Errorf("%s: %s", c.Name, differ)
		}
	}
}

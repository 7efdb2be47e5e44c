package vta

import (
	"math/rand/v2"
	"testing"

	"tv/ila"
	"tv/ila/ilatest"
	"tv/semantics/term"
)

// Mistakes that a model of VTA can have. Each is told from the machine in plain Go by random programs.
func TestModelMutants(t *testing.T) {
	fsim, hls, chisel := Configs[0], Configs[1], Configs[3]
	type terms = func(m *Machine, b *term.Builder, t *term.Term) *term.Term
	// bits are those of the high or low half of a word
	bits := func(t *term.Term, of *ila.Var, low, width int) bool {
		return t.Op == term.Extract && t.Args[0] == of.Term && t.Low() == low && t.Sort.Width == width
	}
	loads := func(t *term.Term, memory *ila.Var) bool { return t.Op == term.Load && t.Args[0] == memory.Term }
	field := func(high bool, low, width, instead int) terms {
		return func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			half := m.lo
			if high {
				half, low, instead = m.hi, low%64, instead%64
			}
			if bits(t, half, low, width) {
				return b.Extract(half.Term, instead, width)
			}
			return nil
		}
	}
	swapped := func(x, y func(*Machine) *ila.Var) terms {
		return func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			switch t {
			case x(m).Term:
				return y(m).Term
			case y(m).Term:
				return x(m).Term
			}
			return nil
		}
	}
	itOut, itIn := func(m *Machine) *ila.Var { return m.itOut }, func(m *Machine) *ila.Var { return m.itIn }
	unsigned := func(memory func(*Machine) *ila.Var) terms {
		return func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendS && loads(t.Args[0], memory(m)) {
				return b.ExtendU(t.Args[0], t.Sort.Width)
			}
			return nil
		}
	}
	// clip is x, or the end of the range of width bits beyond which it lies
	clip := func(b *term.Builder, x *term.Term, width int) *term.Term {
		least, most := b.Bits(32, ^uint64(0)<<(width-1)), b.Bits(32, 1<<(width-1)-1)
		return b.Extract(b.MinS(b.MaxS(x, least), most), 0, width)
	}
	for _, test := range []struct {
		name, instruction string
		config            Config
		change            terms
	}{
		{"acc8 without sign", "load.acc8", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendS {
				return b.ExtendU(t.Args[0], t.Sort.Width)
			}
			return nil
		}},
		{"inputs without sign", "gemm.multiply", fsim, unsigned(func(m *Machine) *ila.Var { return m.Inp })},
		{"weights without sign", "gemm.multiply", fsim, unsigned(func(m *Machine) *ila.Var { return m.Wgt })},
		{"immediates without sign", "alu.*", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendS && bits(t.Args[0], m.hi, 48, 16) {
				return b.ExtendU(t.Args[0], 32)
			}
			return nil
		}},
		{"strides that count bytes", "load.inp", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendU && bits(t.Args[0], m.hi, 32, 16) {
				return b.DivU(t, m.Address(16))
			}
			return nil
		}},
		{"a base that counts tiles of 16 bytes", "load.wgt", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendU && bits(t.Args[0], m.lo, 26, 32) {
				return b.DivU(t, m.Address(16))
			}
			return nil
		}},
		{"a reset that multiplies", "gemm-reset", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && t.Sort.Width == 4 && v == runReset {
				return b.Bits(4, runGemm)
			}
			return nil
		}},
		{"a reset that leaves accumulators alone", "gemm.reset", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && t.Sort.Width == 32 && v == 0 {
				return b.Bits(32, 1)
			}
			return nil
		}},
		{"pads of 1", "load.acc", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && t.Sort.Width == 32 && v == 0 {
				return b.Bits(32, 1)
			}
			return nil
		}},
		{"a column that counts its pad", "load.inp", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Neg {
				return b.Bits(t.Sort.Width, 0)
			}
			return nil
		}},
		{"no pad below", "load.inp", fsim, field(true, 116, 4, 112)},
		{"src a bit lower in micro-operations", "gemm.multiply", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Extract && loads(t.Args[0], m.Uop) && t.Low() == 11 {
				return b.Extract(t.Args[0], 10, 11)
			}
			return nil
		}},
		{"dst for src in micro-operations", "alu.*", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Extract && loads(t.Args[0], m.Uop) && t.Low() == 11 {
				return b.Extract(t.Args[0], 0, 11)
			}
			return nil
		}},
		{"a micro-operation of three bytes", "load.uop", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Concat && t.Sort.Width == 32 {
				return b.ExtendU(t.Args[1], 32)
			}
			return nil
		}},
		{"words with the highest byte first", "load.acc", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Concat && t.Sort.Width == 16 {
				return b.Concat(t.Args[1], t.Args[0])
			}
			return nil
		}},
		{"the outer factor of weights inside", "gemm.multiply", fsim, field(true, 108, 10, 118)},
		{"the outer factor of src for dst", "gemm.multiply", fsim, field(true, 64, 11, 86)},
		{"the inner factor of src outside", "alu.*", fsim, field(true, 86, 11, 97)},
		{"the loops the other way round", "alu.add", fsim, swapped(itOut, itIn)},
		{"weights transposed", "gemm.multiply", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if loads(t, m.Wgt) {
				at := t.Args[1] // base + 16·j + k to base + j + 16·k
				base, j, k := at.Args[0].Args[0], at.Args[0].Args[1].Args[1], at.Args[1]
				return b.Load(t.Args[0], m.At(base, j, b.MulBits(m.Address(lanes), k)))
			}
			return nil
		}},
		{"sums that saturate", "gemm.multiply", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Add && loads(t.Args[0], m.Acc) {
				wide := b.AddBits(b.ExtendS(t.Args[0], 64), b.ExtendS(t.Args[1], 64))
				most := b.Bits(64, 1<<31-1)
				return b.Extract(b.MinS(b.MaxS(wide, b.Bits(64, 0xffffffff80000000)), most), 0, 32)
			}
			return nil
		}},
		{"products of 16 bits", "gemm.multiply", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Reduce {
				return b.ExtendS(b.Extract(t, 0, 16), 32)
			}
			return nil
		}},
		{"a store that saturates", "store.tile", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Extract && loads(t.Args[0], m.Acc) {
				return clip(b, t.Args[0], 8)
			}
			return nil
		}},
		{"outputs that saturate", "alu.*", hls, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Extract && t.Sort.Width == 8 {
				return clip(b, t.Args[0], 8)
			}
			return nil
		}},
		{"a shift without sign", "alu.shr", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ShrS {
				return b.ShrU(t.Args[0], t.Args[1])
			}
			return nil
		}},
		{"a shift that rounds to nearest", "alu.shr", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ShrS {
				half := b.ShrU(b.Shl(b.Bits(32, 1), t.Args[1]), b.Bits(32, 1))
				return b.ShrS(b.AddBits(t.Args[0], half), t.Args[1])
			}
			return nil
		}},
		{"a shift to the left", "alu.shr", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ShrS {
				return b.Shl(t.Args[0], t.Args[1])
			}
			return nil
		}},
		{"amounts of 5 bits without sign", "alu.shr", hls, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendS && t.Args[0].Sort.Width == 5 {
				return b.ExtendU(t.Args[0], 32)
			}
			return nil
		}},
		{"a shift to the left by a positive immediate", "alu.shr", chisel, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Choose && t.Args[1].Op == term.Shl {
				return t.Args[1]
			}
			return nil
		}},
		{"no shift to the left", "alu.shr", chisel, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Choose && t.Args[1].Op == term.Shl {
				return t.Args[2]
			}
			return nil
		}},
		{"comparisons without sign", "alu.max", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.LessS {
				return b.LessU(t.Args[0], t.Args[1])
			}
			return nil
		}},
		{"a queue that is pushed, not popped", "load-inp", fsim, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Neg && t.Sort.Width == 16 {
				return t.Args[0]
			}
			return nil
		}},
		{"the other queue is popped", "store", fsim, swapped(func(m *Machine) *ila.Var { return m.g2s },
			func(m *Machine) *ila.Var { return m.s2g })},
		{"push_prev for push_next", "gemm", fsim, field(false, 6, 1, 5)},
		{"a micro-operation too few", "gemm.*", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if bits(t, m.lo, 21, 14) {
				return b.SubBits(t, b.Bits(14, 1))
			}
			return nil
		}},
		{"an outer iteration too few", "alu.*", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if bits(t, m.lo, 35, 14) {
				return b.SubBits(t, b.Bits(14, 1))
			}
			return nil
		}},
		{"a row too many", "store.tile", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendU && t.Sort.Width == 17 && bits(t.Args[0], m.hi, 0, 16) {
				return b.AddBits(t, b.Bits(17, 1))
			}
			return nil
		}},
		{"begin is left out", "alu-add", fsim, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendU && bits(t.Args[0], m.lo, 8, 13) {
				return b.Bits(14, 0)
			}
			return nil
		}},
		{"the immediate a bit lower", "alu.*", fsim, field(true, 112, 16, 111)},
		{"sram of the older layout", "load-*", fsim, field(false, 10, 16, 9)},
		{"xpad0 and ypad0 swapped", "load.inp", fsim, field(true, 120, 4, 112)},
	} {
		m := NewModel(test.config)
		n := ilatest.Rewrite(m.Model, test.instruction, func(b *term.Builder, t *term.Term) *term.Term {
			return test.change(m, b, t)
		})
		if n == 0 {
			t.Errorf("%s: nothing is changed", test.name)
		} else if differ := differs(m, 400, rand.New(rand.NewPCG(1, 4))); differ == "" {
			t.Errorf("%s: no random program shows it", test.name)
		}
	}
}

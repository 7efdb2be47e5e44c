package hlscnn

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/ilatest"
	"tv/ila/prove"
	"tv/ila/refine"
	"tv/ila/run"
	"tv/internal/tier"
	"tv/semantics/term"
)

// the layer that mutants are tried on: two blocks of channels, a stride, kernels that are no squares
var layer = Sizes{9, 5, 6, 3, 3, 2, 2}

// Mistakes that a driver can have: none is proved, and a sample shows each.
func TestDriverMutants(t *testing.T) {
	register := func(n, is uint64, to func(v uint64) uint64) func(d *conv2D) {
		return func(d *conv2D) {
			d.mutate = func(register, v uint64) uint64 {
				if register == n && (is == 0 || v&is != 0) {
					return to(v)
				}
				return v
			}
		}
	}
	add := func(n uint64) func(uint64) uint64 { return func(v uint64) uint64 { return v + n } }
	clear := func(bits uint64) func(uint64) uint64 { return func(v uint64) uint64 { return v &^ bits } }
	for _, test := range []struct {
		name    string
		options Options
		wreck   func(d *conv2D)
	}{
		{"a stride of 1 in columns", Options{}, register(regKernel, 0, func(v uint64) uint64 { return v&^(7<<16) | 1<<16 })},
		{"a stride of 1 in rows", Options{}, register(regKernel, 0, func(v uint64) uint64 { return v&^(7<<19) | 1<<19 })},
		{"rows and columns of the kernel swapped", Options{}, register(regKernel, 0, func(v uint64) uint64 { return v&^0xffff | v&255<<8 | v>>8&255 })},
		{"a row of the input too few", Options{}, register(regInput, 0, add(1<<32-1<<10))},
		{"a column of the input too many", Options{}, register(regInput, 0, add(1))},
		{"a column of the output too few", Options{}, register(regOutput, 0, add(1<<32-1))},
		{"rows and columns of the output swapped", Options{}, register(regOutput, 0, func(v uint64) uint64 { return v&^(1<<20-1) | v&1023<<10 | v>>10&1023 })},
		{"a filter too few", Options{}, register(regChannel, 0, add(1<<32-1<<19))},
		{"channels of one block", Options{}, register(regInput, 0, func(v uint64) uint64 { return v&(1<<20-1) | 8<<20 })},
		{"later blocks do not add", Options{BlockTile: 1}, register(regChannel, 0, clear(1<<18))},
		{"relu is left out", Options{Relu: true}, register(regChannel, 0, clear(1<<17))},
		{"relu on each block", Options{Relu: true, BlockTile: 1}, register(regChannel, 0, func(v uint64) uint64 { return v | 1<<17 })},
		{"the bias is left out", Options{Bias: true}, register(regChannel, 0, clear(1<<16))},
		{"weights of 8 bits where there are 16", Options{}, register(regChannel, 0, func(v uint64) uint64 { return v | 1<<31 })},
		{"weights of 16 bits where there are 8", Options{Narrow: true}, register(regChannel, 0, clear(1<<31))},
		{"inputs from the next vector on", Options{}, register(regActBase, 0, add(16))},
		{"weights from the next tap on", Options{}, register(regWgtBase, 0, add(1))},
		{"outputs from the next vector on", Options{}, register(regOutBase, 0, add(1))},
		{"a tile of outputs over the one before", Options{FilterTile: 1}, func(d *conv2D) { d.outStride-- }},
		{"copies of nothing", Options{}, register(regLength, 0, func(uint64) uint64 { return 0 })},
		{"a size too small for weights", Options{Narrow: true}, func(d *conv2D) { d.tapBytes = 16 }},
		{"the filters of the tile in the output's register", Options{}, register(regOutput, 0, func(v uint64) uint64 { return v & 1023 })},
	} {
		o := test.options
		o.wreck = test.wreck
		task, err := Conv2D(Config{}, layer, o)
		if r := verify(t, task, err); r.Verdict != prove.Refuted {
			t.Errorf("%s: %s: %s", test.name, r.Verdict, r.Detail)
		}
	}
	for _, test := range []struct {
		name   string
		change func(t *ila.Task)
	}{
		{"no zeros in scratchpad 1", func(t *ila.Task) {
			t.Steps = slices.DeleteFunc(t.Steps, func(s ila.Step) bool { return len(s.Text) > 8 && s.Text[:8] == "zeros to" })
		}},
		{"no start", func(t *ila.Task) { t.Steps = t.Steps[:len(t.Steps)-1] }},
		{"two starts that add", func(t *ila.Task) {
			channel := t.Steps[len(t.Steps)-2]
			channel.Values = slices.Clone(channel.Values)
			channel.Values[3] = t.Model.B.Or(channel.Values[3], t.Model.B.Bits(16, 1<<2)) // accumulate
			t.Steps = append(t.Steps, channel, t.Steps[len(t.Steps)-1])
		}},
		{"weights to the other scratchpad", func(t *ila.Task) {
			for i, s := range t.Steps {
				if v, _ := s.Values[0].ConstBits(); v >= addrSpad0 && v < addrSpad1 {
					t.Steps[i].Values[0] = t.Model.B.Bits(24, v+spadSize)
				}
			}
		}},
	} {
		task, err := Conv2D(Config{}, layer, Options{})
		if err != nil {
			t.Fatal(err)
		}
		test.change(task)
		if r := verify(t, task, nil); r.Verdict != prove.Refuted {
			t.Errorf("%s: %s: %s", test.name, r.Verdict, r.Detail)
		}
	}
}

// Mistakes that a model can have, those among them that models of this machine really had: the driver's program is
// refuted on each.
func TestModelMutants(t *testing.T) {
	type terms = func(m *Machine, b *term.Builder, t *term.Term) *term.Term
	swap := func(from, to func(m *Machine) *term.Term) terms {
		return func(m *Machine, _ *term.Builder, t *term.Term) *term.Term {
			if t == from(m) {
				return to(m)
			}
			return nil
		}
	}
	loads := func(t *term.Term, memory *ila.Var) bool { return t.Op == term.Load && t.Args[0] == memory.Term }
	for _, test := range []struct {
		name, instruction string
		config            Config
		change            terms
	}{
		{"a loop over columns of the kernel that ignores the stride", "conv.[bw]*", Config{}, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op != term.LessU || t.Args[0].Sort.Width != 9 {
				return nil
			}
			switch tap := m.conv.kernelCol.Term; t.Args[0] {
			case tap: // nothing else looks at the kernel's width
				return b.Truth(true)
			case b.AddBits(tap, b.ExtendU(m.conv.strideCols.Term, 9)):
				return b.LessU(b.AddBits(tap, b.Bits(9, 1)), t.Args[1])
			}
			return nil
		}},
		{"a loop over rows of the kernel whose bound is less by the stride, and wraps", "conv.[bw]*", Config{}, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op != term.LessU || t.Args[0].Sort.Width != 9 {
				return nil
			}
			switch tap := m.conv.kernelRow.Term; t.Args[0] {
			case tap:
				return b.Truth(true)
			case b.AddBits(tap, b.ExtendU(m.conv.strideRows.Term, 9)): // on while tap < rows - stride, of 8 bits
				bound := b.SubBits(m.conv.kernelRows.Term, b.ExtendU(m.conv.strideRows.Term, 8))
				return b.LessU(tap, b.ExtendU(bound, 9))
			}
			return nil
		}},
		{"scratchpad 1 written at the address of scratchpad 0", "store-spad1", Config{}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Add && t.Sort.Width == 24 {
				return b.AddBits(t.Args[0], b.NegBits(b.Bits(24, addrSpad0)))
			}
			return nil
		}},
		{"weights of 8 bits where 16 were needed", "conv.send", Config{}, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Choose {
				return t.Args[1]
			}
			return nil
		}},
		{"saturation that loses the sign", "conv.*", Config{}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && t.Sort.Width == 16 && v == 1<<15 {
				return b.Bits(16, 1<<15-1)
			}
			return nil
		}},
		{"sums that wrap instead of being saturated", "conv.bias-relu", Config{}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Choose && t.Args[0].Op == term.LessS && t.Sort.Width == 16 {
				return b.Extract(t.Args[2].Args[2].Args[0], 0, 16)
			}
			return nil
		}},
		{"sums cut before they are saturated", "conv.multiply", Config{}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ShrS {
				if v, _ := t.Args[1].ConstBits(); v == 9 {
					return b.ExtendS(b.Extract(t, 0, 16), 32)
				}
			}
			return nil
		}},
		{"products cut to units of outputs", "conv.multiply", Config{}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ShrS && t.Args[0].Op == term.Mul {
				return b.Shl(b.ShrS(t.Args[0], b.Bits(32, 14)), b.Bits(32, 9))
			}
			return nil
		}},
		{"rounding that cuts off", "conv.multiply", Config{}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if v, ok := t.ConstBits(); ok && v == 1<<8 {
				return b.Bits(t.Sort.Width, 0)
			}
			return nil
		}},
		{"halves to odd", "conv.multiply", Config{Rounding: HalfEven}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.And {
				return b.Xor(t, b.Bits(32, 1))
			}
			return nil
		}},
		{"inputs without sign", "conv.multiply", Config{}, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.ExtendS && slices.ContainsFunc(m.conv.act[:], func(v *ila.Var) bool { return v.Term == t.Args[0] }) {
				return b.ExtendU(t.Args[0], 32)
			}
			return nil
		}},
		{"weights in the low byte", "conv.send", Config{Weights: 8}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Concat {
				return b.ExtendS(t.Args[0], 16)
			}
			return nil
		}},
		{"outputs that do not divide by the stride", "conv.bounds", Config{}, func(_ *Machine, _ *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.DivU {
				return t.Args[0]
			}
			return nil
		}},
		{"taps from the first on, whatever the stride", "conv.weight-init", Config{}, func(_ *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.RemU {
				return b.Bits(t.Sort.Width, 0)
			}
			return nil
		}},
		{"rows of inputs of the length of rows of outputs", "conv.master.read", Config{}, swap(func(m *Machine) *term.Term { return m.conv.cols.Term },
			func(m *Machine) *term.Term { return m.conv.outCols.Term })},
		{"rows of outputs of the length of rows of inputs", "conv.p*", Config{}, swap(func(m *Machine) *term.Term { return m.conv.outCols.Term },
			func(m *Machine) *term.Term { return m.conv.cols.Term })},
		{"blocks of weights before filters", "conv.send", Config{}, swap(func(m *Machine) *term.Term { return m.conv.filter.Term },
			func(m *Machine) *term.Term { return m.B.ExtendU(b1(m), 12) })},
		{"the last lane for every filter", "conv.bias-relu", Config{}, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Extract && t.Args[0] == m.conv.filter.Term {
				return b.Bits(3, 7)
			}
			return nil
		}},
		{"the first tap adds to what was there only in the first row", "conv.bias-relu", Config{}, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if t.Op == term.Equal && t.Args[0] == m.conv.kernelCol.Term && t.Args[1] == b.Bits(9, 0) {
				return b.Truth(true)
			}
			return nil
		}},
		{"a copy that reads the vector after", "transfer.spad0", Config{}, func(m *Machine, b *term.Builder, t *term.Term) *term.Term {
			if loads(t, m.SoC) {
				return b.Load(m.SoC.Term, b.AddBits(t.Args[1], m.Address(lanes)))
			}
			return nil
		}},
	} {
		m := NewModel(test.config)
		n := ilatest.Rewrite(m.Model, test.instruction, func(b *term.Builder, t *term.Term) *term.Term { return test.change(m, b, t) })
		if n == 0 && test.instruction == "conv.master.read" {
			for _, i := range m.Children[1].Children[0].Instructions {
				for k := range i.Sets {
					i.Sets[k].Value = ila.Rebuild(m.B, i.Sets[k].Value, map[*term.Term]*term.Term{}, func(t *term.Term) *term.Term { return test.change(m, m.B, t) })
				}
			}
			n = 1
		}
		if n == 0 {
			t.Errorf("%s: nothing is changed", test.name)
			continue
		}
		s := layer
		if strings.HasSuffix(test.name, "wraps") {
			s.KernelRows = 1 // less than the stride
		}
		task, err := conv2DOn(m, s, Options{Narrow: test.config.Weights == 8})
		if err == nil && endless(task) {
			continue
		}
		if r := verify(t, task, err); r.Verdict != prove.Refuted {
			t.Errorf("%s: %s: %s", test.name, r.Verdict, r.Detail)
		}
		if !differs(m, 60, rand.New(rand.NewPCG(2, 2))) {
			t.Errorf("%s: no program tells it from the machine in plain Go", test.name)
		}
	}
}

// b1 is the block at work in 12 bits.
func b1(m *Machine) *term.Term { return m.B.Extract(m.conv.block.Term, 0, 12) }

// named returns the instruction of a name.
func named(m *ila.Model, name string) *ila.Instruction {
	for _, i := range m.Instructions {
		if i.Name == name {
			return i
		}
	}
	panic(name)
}

// A child that decodes in the phase of another, and a write of registers that takes the scratchpad's addresses, are seen
// by the model alone.
func TestOverlap(t *testing.T) {
	for name, change := range map[string]func(m *Machine){
		"two micro-instructions of one phase": func(m *Machine) { m.Children[1].Instructions[6].Decode = m.Children[1].Instructions[5].Decode },
		"registers up to scratchpad 1":        func(m *Machine) { named(m.Model, "config").Decode = m.B.And(m.write, m.between(0, addrSpad1)) },
		"no register above the first ones":    func(m *Machine) { named(m.Model, "config").Decode = m.B.And(m.write, m.between(0, 4*registers)) },
	} {
		m := NewModel(Config{})
		change(m)
		list, err := refine.Check(m.Model)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(list, func(f refine.Finding) bool { return f.Verdict == prove.Refuted && f.Code == ila.CodeDecode }) {
			t.Errorf("%s: not refuted", name)
		}
	}
}

// A model with any one thing changed is refuted, or computes the layer on random operands all the same.
func TestAnyMutant(t *testing.T) {
	every := tier.Draw(9, 3, 1)
	small := Sizes{9, 3, 4, 2, 2, 2, 2}
	count := map[prove.Verdict]int{}
	for change := 0; ; change += every {
		m := NewModel(Config{})
		what := ilatest.Mutate(m.Model, change)
		if what == "" {
			break
		}
		task, err := conv2DOn(m, small, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if endless(task) {
			count[prove.Refuted]++
			continue
		}
		r := verify(t, task, nil)
		if count[r.Verdict]++; r.Verdict == prove.Refuted {
			continue
		}
		t.Logf("%s: %s: %s", what, r.Verdict, r.Detail)
		for seed := range uint64(4) {
			inputs := operands(task, rand.New(rand.NewPCG(seed, 6)))
			right, err := Conv2D(Config{}, small, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want, ok := runPlain(right, Plain(Config{}), inputs)
			got, err := run.NewSimulator(task.Model).Run(task, inputs)
			if r.Verdict == prove.Proved && (err != nil || !ok || !slices.Equal(got, want)) {
				t.Fatalf("%s is proved, and wrong", what)
			}
		}
	}
	if t.Log(count); count[prove.Refuted] < 5*count[prove.Unknown] {
		t.Errorf("%v", count)
	}
}

// endless tells whether the program of a task does not come to an end on the model.
func endless(task *ila.Task) bool {
	sim, micro := run.NewSimulator(task.Model), 0
	sim.Trace = func(string, string) {
		if micro++; micro > 1<<15 {
			panic(errEndless)
		}
	}
	e := task.Environment(operands(task, rand.New(rand.NewPCG(1, 1))))
	for _, s := range task.Steps {
		values := make([]uint64, len(s.Values))
		for i, v := range s.Values {
			values[i] = e.Value(v)
		}
		if err := step(sim, values); err != nil {
			return err == errEndless
		}
	}
	return false
}

package flexasr

import (
	"slices"
	"testing"

	"tv/ila"
	"tv/ila/format"
	"tv/ila/prove"
	"tv/ila/refine"
	"tv/internal/tier"
	"tv/semantics/term"
)

// A wreck changes one thing in a machine.
type wreck func(t *testing.T, m *Machine)

// value changes what the first loop of an instruction stores in its first store; placed changes where.
func value(name string, f func(m *Machine, j, v *term.Term) *term.Term) wreck {
	return func(t *testing.T, m *Machine) {
		s, j := firstStore(t, m, name)
		changed(t, &s.Value, f(m, j, s.Value))
	}
}

func placed(name string, f func(m *Machine, j, at *term.Term) *term.Term) wreck {
	return func(t *testing.T, m *Machine) {
		s, j := firstStore(t, m, name)
		changed(t, &s.Address, f(m, j, s.Address))
	}
}

// firstStore returns the first store of an instruction, and the counter it is for.
func firstStore(t *testing.T, m *Machine, name string) (*ila.StoreTo, *term.Term) {
	t.Helper()
	e := &instruction(t, m.Model, name).Eachs[0]
	if e.Var == nil {
		return &e.Stores[0], nil
	}
	return &e.Stores[0], m.CountAt(e.Var)
}

func changed(t *testing.T, at **term.Term, to *term.Term) {
	t.Helper()
	if *at == to {
		t.Error("nothing is changed")
	}
	*at = to
}

// configured changes what a configuration word sets a register to.
func configured(name, variable string, f func(m *Machine) *term.Term) wreck {
	return func(t *testing.T, m *Machine) {
		i := instruction(t, m.Model, name)
		for n := range i.Sets {
			if i.Sets[n].Var.Name == variable {
				changed(t, &i.Sets[n].Value, f(m))
				return
			}
		}
		for _, e := range i.Eachs {
			if e.Stores[0].Memory.Name == variable {
				changed(t, &e.Stores[0].Value, f(m))
				return
			}
		}
		t.Errorf("%s does not set %s", name, variable)
	}
}

// set changes what an instruction sets a register to.
func set(name, variable string, f func(m *Machine, v *term.Term) *term.Term) wreck {
	return func(t *testing.T, m *Machine) {
		i := instruction(t, m.Model, name)
		for n := range i.Sets {
			if i.Sets[n].Var.Name == variable {
				changed(t, &i.Sets[n].Value, f(m, i.Sets[n].Value))
				return
			}
		}
		t.Errorf("%s does not set %s", name, variable)
	}
}

// with replaces operations of one kind in a term.
func with(b *term.Builder, t *term.Term, op term.Op, f func(t *term.Term) *term.Term) *term.Term {
	args := make([]*term.Term, len(t.Args))
	changed := false
	for i, a := range t.Args {
		args[i] = with(b, a, op, f)
		changed = changed || args[i] != a
	}
	switch {
	case t.Op == term.Load:
		t = b.Load(t.Args[0], args[1])
	case changed && t.Op != term.Reduce:
		t = b.Rebuild(t, args)
	}
	if t.Op == op {
		return f(t)
	}
	return t
}

// pair returns the two operands of a reduction.
func pair(m *Machine, v *term.Term) (x, y *term.Term) {
	var loads []*term.Term
	with(m.B, v, term.Load, func(t *term.Term) *term.Term {
		if !slices.Contains(loads, t) {
			loads = append(loads, t)
		}
		return t
	})
	return loads[0], loads[1]
}

// encoded rounds a register to a code in another way.
func encoded(q format.Quantiser) func(m *Machine, j, v *term.Term) *term.Term {
	return func(m *Machine, j, v *term.Term) *term.Term {
		register := m.Load(m.pe.registers, m.B.AddBits(m.B.MulBits(m.Address(lanes), m.B.AddBits(
			m.Times(registers, m.pe.unit.Term), m.At(m.B.Extract(m.pe.op.Term, 2, 2)))), j))
		code, _ := format.Encode(m.B, q, register, m.ofPE(m.pe.actBias))
		return code
	}
}

// averaged rounds the mean of a reduction in another way.
func averaged(q format.Quantiser) func(m *Machine, j, v *term.Term) *term.Term {
	return func(m *Machine, j, v *term.Term) *term.Term {
		b := m.B
		x, y := pair(m, v)
		sum := b.AddBits(format.Decode(b, x, nil, format.Q614), format.Decode(b, y, nil, format.Q614))
		code, _ := format.Encode(b, q, sum, b.Bits(3, 1))
		return code
	}
}

// tiles is the tile of weights at work.
func tiles(m *Machine) *term.Term {
	return m.B.AddBits(m.B.MulBits(m.At(m.pe.out.Term), m.At(m.ofManager(m.pe.numIn))), m.At(m.pe.in.Term))
}

// unchecked drops the requirement of an instruction that has a message.
func unchecked(name, msg string) wreck {
	return func(t *testing.T, m *Machine) {
		i := instruction(t, m.Model, name)
		n := len(i.Checks)
		i.Checks = slices.DeleteFunc(i.Checks, func(c ila.Requirement) bool { return c.Msg == msg })
		if len(i.Checks) != n-1 {
			t.Errorf("%s has %d requirements %q", name, n-len(i.Checks), msg)
		}
	}
}

// mutants are machines with one thing wrong.
var mutants = []struct {
	name  string
	wreck wreck
}{
	// exponent biases
	{"codes without their bias", value("outgb", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.ofPE(m.pe.actBias), m.num(3, 0))
	})},
	{"codes with the bias of the weights", value("outgb", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.ofPE(m.pe.actBias), m.ofManager(m.pe.biasW))
	})},
	{"biases with the bias of the inputs", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.ofManager(m.pe.biasB), m.ofManager(m.pe.biasIn))
	})},
	{"biases twice as large", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.ofManager(m.pe.biasB), m.next(m.ofManager(m.pe.biasB)))
	})},
	{"a shift by one bit less", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.num(32, 14), m.num(32, 13))
	})},
	{"the bias of the weights twice", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.B.ExtendU(m.ofManager(m.pe.biasIn), 32), m.B.ExtendU(m.ofManager(m.pe.biasW), 32))
	})},
	{"cells without their bias", value("load", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.ofPE(m.pe.actBias), m.num(3, 0))
	})},
	// rounding
	{"a shift that rounds", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		sum := m.Load(m.pe.sums, j)
		return replace(m.B, v, sum, m.B.AddBits(sum, m.num(32, 1<<13)))
	})},
	{"a shift without sign", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		return with(m.B, v, term.ShrS, func(t *term.Term) *term.Term { return m.B.ShrU(t.Args[0], t.Args[1]) })
	})},
	{"saturation to -2^19", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		v = replace(m.B, v, m.B.NegBits(m.num(32, 1<<19-1)), m.B.NegBits(m.num(32, 1<<19)))
		return replace(m.B, v, m.B.NegBits(m.num(20, 1<<19-1)), m.num(20, 1<<19))
	})},
	{"a product that rounds", value("emul", func(m *Machine, j, v *term.Term) *term.Term {
		return with(m.B, v, term.Mul, func(t *term.Term) *term.Term {
			if t.Sort.Width != 40 {
				return t
			}
			return m.B.AddBits(t, m.num(40, 1<<13))
		})
	})},
	{"a product shifted by 13", value("emul", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.num(40, 14), m.num(40, 13))
	})},
	{"a sum that saturates", value("eadd", func(m *Machine, j, v *term.Term) *term.Term {
		return format.Saturate(m.B, m.B.AddBits(m.B.ExtendS(v.Args[0], 21), m.B.ExtendS(v.Args[1], 21)), 20)
	})},
	// quantisers
	{"outputs rounded to even", value("outgb", encoded(format.Reference))},
	{"outputs cut off", value("outgb", encoded(format.Float))},
	{"outputs that lose their sign", value("outgb", encoded(format.SignLost))},
	{"cells rounded to even", value("store", encoded(format.Reference))},
	{"cells cut off", value("store", encoded(format.Float))},
	{"means rounded to even", value("mean", averaged(format.Reference))},
	{"means cut off", value("mean", averaged(format.Float))},
	{"a code 0 that is a number", value("read", func(m *Machine, j, v *term.Term) *term.Term { return v.Args[2] })},
	// the activation unit
	{"relu of what is above 0", value("relu", func(m *Machine, j, v *term.Term) *term.Term {
		return m.B.Choose(v.Args[0], v.Args[2], v.Args[1])
	})},
	{"x - 1 for 1 - x", value("onex", func(m *Machine, j, v *term.Term) *term.Term { return m.B.NegBits(v) })},
	{"sigm and tanh swapped", func(t *testing.T, m *Machine) {
		x, y := instruction(t, m.Model, "sigm"), instruction(t, m.Model, "tanh")
		x.Eachs, y.Eachs = y.Eachs, x.Eachs
	}},
	{"copied the other way", func(t *testing.T, m *Machine) {
		s, j := firstStore(t, m, "copy")
		to := s.Address
		s.Address = s.Value.Args[1]
		s.Value = m.Load(m.pe.registers, to)
		_ = j
	}},
	{"one output vector for all", set("outgb", "out_vec", func(m *Machine, v *term.Term) *term.Term { return m.pe.outVec.Term })},
	{"the first manager alone", set("bias", "manager", func(m *Machine, v *term.Term) *term.Term { return m.num(3, 0) })},
	{"accumulators that are not cleared", func(t *testing.T, m *Machine) {
		s, j := firstStore(t, m, "inpe")
		s.When = m.B.And(m.zero(m.pe.out.Term), m.B.And(m.zero(m.ctl.ts.Term), m.zero(m.pe.manager.Term)))
		_ = j
	}},
	{"accumulators of 24 bits", value("multiply", func(m *Machine, j, v *term.Term) *term.Term {
		return m.B.ExtendS(m.B.Extract(v, 0, 24), 32)
	})},
	{"the last input vector left out", set("multiply", "phase", func(m *Machine, v *term.Term) *term.Term {
		last := m.B.Equal(m.next(m.next(m.pe.in.Term)), m.ofManager(m.pe.numIn))
		one := m.B.Equal(m.ofManager(m.pe.numIn), m.num(8, 1))
		return m.B.Choose(m.B.Or(one, last), m.num(4, phaseBias), m.num(4, phaseRead))
	})},
	// banks and strides
	{"blocks of 8 timesteps read", value("max", func(m *Machine, j, v *term.Term) *term.Term {
		return with(m.B, v, term.ShrU, func(t *term.Term) *term.Term { return m.B.ShrU(t.Args[0], m.num(16, 3)) })
	})},
	{"blocks of 32 timesteps written", placed("mean", func(m *Machine, j, at *term.Term) *term.Term {
		return with(m.B, at, term.ShrU, func(t *term.Term) *term.Term { return m.B.ShrU(t.Args[0], m.num(16, 5)) })
	})},
	{"outputs by the manager of the inputs", placed("outgb", func(m *Machine, j, at *term.Term) *term.Term {
		return replace(m.B, at, m.gb.memoryIndex[1].Term, m.gb.memoryIndex[0].Term)
	})},
	{"outputs in rows of the inputs", placed("outgb", func(m *Machine, j, at *term.Term) *term.Term {
		return replace(m.B, at, m.gb.vectors[1].Term, m.gb.vectors[0].Term)
	})},
	{"outputs without their base", placed("outgb", func(m *Machine, j, at *term.Term) *term.Term {
		return replace(m.B, at, m.ofPE(m.pe.outBase), m.num(8, 0))
	})},
	{"tiles of 8 vectors", value("read", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.B.MulBits(m.Address(lanes), tiles(m)), m.B.MulBits(m.Address(8), tiles(m)))
	})},
	{"tiles by columns", value("read", func(m *Machine, j, v *term.Term) *term.Term {
		other := m.B.AddBits(m.B.MulBits(m.At(m.pe.in.Term), m.At(m.ofPE(m.pe.numOut))), m.At(m.pe.out.Term))
		return replace(m.B, v, tiles(m), other)
	})},
	{"weights of the first PE for all", value("read", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.Times(weightsSize, m.pe.unit.Term), m.Address(0))
	})},
	{"biases of the first PE for all", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.Times(inputsSize, m.pe.unit.Term), m.Address(0))
	})},
	{"the first biases for all output vectors", value("bias", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.At(m.pe.out.Term), m.Address(0))
	})},
	{"programs of 16 operations", placed("store-program", func(m *Machine, j, at *term.Term) *term.Term {
		within := m.B.Extract(m.B.SubBits(m.bus.addr, m.num(32, offsetProgram)), 0, 5)
		return replace(m.B, at, m.At(within), m.At(m.B.Extract(within, 0, 4)))
	})},
	// means, sums, maxima
	{"a sum divided by 4", value("mean", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.B.ExtendU(m.num(3, 1), 25), m.B.ExtendU(m.num(3, 2), 25))
	})},
	{"a sum divided by 2", value("add", func(m *Machine, j, v *term.Term) *term.Term {
		return replace(m.B, v, m.B.ExtendU(m.num(3, 0), 25), m.B.ExtendU(m.num(3, 1), 25))
	})},
	{"codes compared without sign", value("max", func(m *Machine, j, v *term.Term) *term.Term {
		return with(m.B, v, term.LessS, func(t *term.Term) *term.Term { return m.B.LessU(t.Args[0], t.Args[1]) })
	})},
	{"codes compared as two's complement", value("max", func(m *Machine, j, v *term.Term) *term.Term {
		x, y := pair(m, v)
		greater := m.B.Choose(m.B.LessS(x, y), y, x)
		return m.B.Choose(m.is(greater, 0x80), m.num(8, 0), greater)
	})},
	{"a minimum", value("max", func(m *Machine, j, v *term.Term) *term.Term {
		return with(m.B, v, term.LessS, func(t *term.Term) *term.Term { return m.B.LessS(t.Args[1], t.Args[0]) })
	})},
	{"a maximum that keeps -0", value("max", func(m *Machine, j, v *term.Term) *term.Term { return v.Args[2] })},
	{"timesteps 2t and 2t+2", value("max", func(m *Machine, j, v *term.Term) *term.Term {
		even := m.B.Shl(m.Lookup("ts").Term, m.num(16, 1))
		return replace(m.B, v, m.B.Or(even, m.num(16, 1)), m.B.AddBits(even, m.num(16, 2)))
	})},
	{"an odd number of timesteps, rounded down", func(t *testing.T, m *Machine) {
		unchecked("start-reduce", "an odd number of timesteps")(t, m)
		for _, name := range []string{"max", "mean", "add"} {
			set(name, "run", func(m *Machine, v *term.Term) *term.Term {
				numTs := m.Lookup("num_ts").Term
				return replace(m.B, v, numTs, m.B.Shl(m.B.ShrU(numTs, m.num(16, 1)), m.num(16, 1)))
			})(t, m)
		}
	}},
	// configuration words
	{"timesteps a byte further", configured("config-reduce", "num_ts", func(m *Machine) *term.Term { return m.field(72, 16) })},
	{"vectors of 7 bits", configured("config-reduce", "num_vec", func(m *Machine) *term.Term {
		return m.B.ExtendU(m.field(48, 7), 8)
	})},
	{"a mode of 2 bits", configured("config-reduce", "mode", func(m *Machine) *term.Term { return m.B.ExtendU(m.field(8, 2), 3) })},
	{"a memory manager one bit further", configured("config-reduce", "memory", func(m *Machine) *term.Term { return m.field(33, 3) })},
	{"a bias of 2 bits", configured("config-pe-manager-1", "bias_w", func(m *Machine) *term.Term {
		return m.B.ExtendU(m.field(8, 2), 3)
	})},
	{"the base of the inputs for the biases", configured("config-pe-manager-2", "base_b", func(m *Machine) *term.Term {
		return m.field(80, 16)
	})},
	{"output vectors of 7 bits", configured("config-activation", "act_num_out", func(m *Machine) *term.Term {
		return m.B.ExtendU(m.field(32, 7), 8)
	})},
	{"timesteps of 8 bits", configured("config-control", "ctl_num_ts", func(m *Machine) *term.Term {
		return m.B.ExtendU(m.field(64, 8), 16)
	})},
	{"bases of 15 bits", configured("config-manager", "base_2", func(m *Machine) *term.Term {
		return m.B.ExtendU(m.field(80, 15), 16)
	})},
	{"the second manager's register in the first one's place", placed("config-pe-manager-2",
		func(m *Machine, j, at *term.Term) *term.Term {
			return m.Times(managers, m.B.Extract(m.bus.addr, 24, 2))
		})},
	{"reductions of unwritten modes", unchecked("start-reduce", "the layer reduction has modes 0 to 2")},
	{"any mode of the control unit", unchecked("start-control", "the control unit has modes 0 to 3")},
	{"vectors beyond the input buffer", unchecked("read", "inputs beyond the buffer of the PE")},
	// runs that begin with zeros
	{"products in the first run too", set("inpe", "phase", func(m *Machine, v *term.Term) *term.Term { return m.num(4, phaseRead) })},
	{"a first run that never ends", func(t *testing.T, m *Machine) {
		i := instruction(t, m.Model, "done")
		i.Eachs = i.Eachs[1:]
	}},
	{"cells in the first run too", value("load", func(m *Machine, j, v *term.Term) *term.Term { return v.Args[2] })},
}

// catch says what shows that a machine is wrong, or "": the cheapest first.
func catch(t *testing.T, machine func() *Machine) string {
	t.Helper()
	for _, by := range []struct {
		name  string
		wrong func(*testing.T, *Machine) string
	}{{"registers", wrongRegister}, {"refusals", accepted}, {"layers", wrongLayer}} {
		if by.wrong(t, machine()) != "" {
			return by.name
		}
	}
	proves := func(task *ila.Task, err error) bool { return verify(t, task, err).Verdict == prove.Proved }
	for mode := range poolings {
		if !proves(pool(machine(), mode, 34, 32, 2)) {
			return poolings[mode].driver
		}
	}
	switch {
	case wrongOperation(t, machine) != "":
		return "operations"
	case !proves(lstm(machine(), 16, 16, 1, LSTMOptions{LinearOptions: LinearOptions{Weights: 3, Inputs: 2, Biases: 1, Outputs: 4}})):
		return "flexasr-lstm"
	case !proves(linear(machine(), 18, 16, 16, LinearOptions{Weights: 4, Inputs: 3, Biases: 6, Outputs: 5})):
		return "flexasr-linear"
	}
	findings, err := refine.Check(machine().Model)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Verdict == prove.Refuted {
			return "check"
		}
	}
	return ""
}

// Every wrong machine is caught, and the right one is not.
func TestMutants(t *testing.T) {
	tier.Sweep(t)
	if by := catch(t, NewModel); by != "" {
		t.Fatalf("the machine itself is caught by %s", by)
	}
	for _, mutant := range mutants {
		by := catch(t, func() *Machine {
			m := NewModel()
			mutant.wreck(t, m)
			return m
		})
		if by == "" {
			t.Errorf("%s: nothing shows it", mutant.name)
		}
		t.Logf("%s: %s", mutant.name, by)
	}
}

package flexasr

import (
	"slices"
	"testing"

	"tv/ila"
	"tv/ila/format"
	"tv/ila/prove"
	"tv/ila/refine"
	"tv/semantics/index"
	"tv/semantics/term"
)

// instruction returns an instruction of a model or of a child of it.
func instruction(t *testing.T, m *ila.Model, name string) *ila.Instruction {
	t.Helper()
	for _, c := range append([]*ila.Model{m}, m.Children...) {
		if at := slices.IndexFunc(c.Instructions, func(i *ila.Instruction) bool { return i.Name == name }); at >= 0 {
			return c.Instructions[at]
		}
	}
	t.Fatalf("no instruction %s", name)
	return nil
}

// replace returns t with one of its parts replaced.
func replace(b *term.Builder, t, part, by *term.Term) *term.Term {
	if t == part {
		return by
	}
	args := make([]*term.Term, len(t.Args))
	changed := false
	for i, a := range t.Args {
		args[i] = replace(b, a, part, by)
		changed = changed || args[i] != a
	}
	if !changed || t.Op == term.Load && args[0] != t.Args[0] {
		return t
	}
	if t.Op == term.Load {
		return b.Load(args[0], args[1])
	}
	return b.Rebuild(t, args)
}

// Defects that models of this and of similar machines had, put into the model: the proof of a driver refutes them.
func TestDefects(t *testing.T) {
	// value changes what an instruction stores; it has one store in its first loop
	type change func(m *Machine, j *index.Atom, v *term.Term) *term.Term
	value := func(name string, change change) func(*testing.T, *Machine) {
		return func(t *testing.T, m *Machine) {
			each := &instruction(t, m.Model, name).Eachs[0]
			store := &each.Stores[0]
			changed := change(m, each.Var, store.Value)
			if changed == store.Value {
				t.Errorf("%s is not changed", name)
			}
			store.Value = changed
		}
	}
	// register changes the number of 32 bits that bias cuts to a register, given the number and the cut one
	register := func(cut func(*term.Builder, *term.Term) *term.Term) func(*testing.T, *Machine) {
		return value("bias", func(m *Machine, j *index.Atom, v *term.Term) *term.Term {
			sum := v.Args[0].Args[1] // cut is (if most <s sum then ...)
			return cut(m.B, sum)
		})
	}
	for _, test := range []struct {
		name   string
		defect func(*testing.T, *Machine)
	}{
		{"saturation loses the sign", register(func(b *term.Builder, v *term.Term) *term.Term {
			most := b.Bits(32, 1<<19-1)
			over := b.Or(b.LessS(most, v), b.LessS(v, b.NegBits(most)))
			return b.Choose(over, b.Bits(20, 1<<19-1), b.Extract(v, 0, 20))
		})},
		{"cut to 20 bits without saturation", register(func(b *term.Builder, v *term.Term) *term.Term {
			return b.Extract(v, 0, 20)
		})},
		{"codes that truncate", value("outgb", func(m *Machine, j *index.Atom, v *term.Term) *term.Term {
			register := m.Load(m.pe.registers, m.register(m.pe.op, 2, j))
			code, _ := format.Encode(m.B, format.Float, register, m.ofPE(m.pe.actBias))
			return code
		})},
		{"codes cut from the register", value("outgb", func(m *Machine, j *index.Atom, v *term.Term) *term.Term {
			return m.B.Extract(m.Load(m.pe.registers, m.register(m.pe.op, 2, j)), 12, 8)
		})},
		{"accumulators of 20 bits", value("multiply", func(m *Machine, j *index.Atom, v *term.Term) *term.Term {
			return m.B.ExtendS(m.B.Extract(v, 0, 20), 32)
		})},
		{"inputs sent to where the second manager has them", func(t *testing.T, m *Machine) {
			send, back := instruction(t, m.Model, "send"), instruction(t, m.Model, "send-back")
			for k := range send.Eachs[0].Stores {
				send.Eachs[0].Stores[k].Address = back.Eachs[0].Stores[k].Address
			}
		}},
		{"biases read from where inputs lie", value("bias", func(m *Machine, j *index.Atom, v *term.Term) *term.Term {
			return replace(m.B, v, m.ofManager(m.pe.baseB), m.ofManager(m.pe.baseIn))
		})},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := NewModel()
			test.defect(t, m)
			task, err := linear(m, 1, 64, 48, LinearOptions{Weights: 4, Inputs: 4, Biases: 2, Outputs: 4})
			if r := verify(t, task, err); r.Verdict != prove.Refuted {
				t.Errorf("%s: %s", r.Verdict, r.Detail)
			}
		})
	}
}

// A register of 32 instead of 20 bits shows where a sum of two registers wraps.
func TestWideRegisters(t *testing.T) {
	for _, test := range []struct {
		wide bool
		want prove.Verdict
	}{{false, prove.Proved}, {true, prove.Refuted}} {
		o := LinearOptions{Weights: 5, Inputs: 6, Outputs: 7}
		task, err := linear(Config{wide: test.wide}.NewModel(), 1, 64, 16, o)
		if err != nil {
			t.Fatal(err)
		}
		b, right := task.Model.B, task.Contract
		doubled(programOf(task))
		task.Contract = func(flat int) *term.Term {
			code := right(flat)
			return b.Apply(code.Sort, code.Name, b.AddBits(code.Args[0], code.Args[0]))
		}
		if r := verify(t, task, nil); r.Verdict != test.want {
			t.Errorf("wide %t: %s: %s", test.wide, r.Verdict, r.Detail)
		}
	}
}

// doubled makes a linear layer send twice the result: 30, EADD of A0 and A0, 40.
func doubled(p *program) { p.operations(0x30, 0x80, 0x40) }

// operations gives all PEs another program.
func (p *program) operations(ops ...uint64) {
	for pe := range pes {
		p.set(p.find("configure the activation unit", pe), 3, uint64(len(ops)))
		for i, op := range ops {
			p.set(p.find("store the program", pe), i, op)
		}
	}
}

// Two addresses that decode alike leave one decode twice and one word without any.
func TestSameDecode(t *testing.T) {
	m := NewModel()
	instruction(t, m.Model, "config-pe-manager-2").Decode = instruction(t, m.Model, "config-pe-manager-1").Decode
	list, err := refine.Check(m.Model)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list[:2] {
		if f.Verdict != prove.Refuted || f.Detail == "" {
			t.Errorf("%s: %s: %s", f.Question, f.Verdict, f.Detail)
		}
	}
}

// Every lane of the result counts: a machine that leaves one alone is not proved, though a check of another lane
// alone would prove it.
func TestEveryLane(t *testing.T) {
	for left := range uint64(lanes) {
		for _, all := range []bool{true, false} {
			m := NewModel()
			each := &instruction(t, m.Model, "max").Eachs[0]
			each.Stores[0].When = m.B.Not(m.B.Equal(m.CountAt(each.Var), m.Address(left)))
			task, err := pool(m, modeMax, 2, 16, 2)
			if err != nil {
				t.Fatal(err)
			}
			proved := false
			if !all { // the vacuous check
				one := int(left+1) % lanes
				places, contract := task.Places, task.Contract
				task.Output.Dims = []int{1}
				task.Places = func(int) []ila.Place { return places(one) }
				task.Contract = func(int) *term.Term { return contract(one) }
				proved = true
			}
			// a lane whose first operand happens to be the greater one in all samples is unknown
			if r := verify(t, task, nil); (r.Verdict == prove.Proved) != proved {
				t.Errorf("lane %d left alone, all lanes %t: %s: %s", left, all, r.Verdict, r.Detail)
			}
		}
	}
}

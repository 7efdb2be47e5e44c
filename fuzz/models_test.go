package fuzz

import (
	"strings"
	"testing"

	"tv/fuzz/machines"
	"tv/hwmodels"
	"tv/ila"
	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/term"
)

// TestModelsAgree: a short hunt in all machines and drivers finds nothing, and takes most instructions of every machine.
func TestModelsAgree(t *testing.T) {
	target, err := NewModels(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &Campaign{Target: target, Seed: 1, Cases: tier.Draw[int64](700, 800, 1400), Jobs: 2}
	for _, f := range collect(t, c) {
		t.Errorf("%s\n%s", f.Detail, f.Text)
	}
	for _, m := range hwmodels.Machines() {
		all, never := target.instructions(m.New())
		t.Logf("%s: %d of %d instructions were never taken: %v", m.Name, len(never), all, never)
		if len(never)*5 > all*2 {
			t.Errorf("%s: %d of %d instructions were never taken: %v", m.Name, len(never), all, never)
		}
	}
	if text, _ := target.Remark(); !strings.Contains(text, "instructions were taken") || strings.Contains(text, "kernel") {
		t.Errorf("the campaign remarks %q", text)
	}
	for _, d := range hwmodels.Drivers() {
		n := 0
		for name := range c.covered {
			if strings.HasPrefix(name, d.Name+" ") {
				n++
			}
		}
		if n < 2 {
			t.Errorf("%s was run for %d sizes", d.Name, n)
		}
	}
}

// plant changes the update that a model's instruction makes of a bit-vector.
func plant(m *ila.Model, instruction string, change func(b *term.Builder, s *ila.Set)) *ila.Model {
	for _, i := range m.Instructions {
		if i.Name == instruction {
			change(m.B, &i.Sets[0])
		}
	}
	return m
}

// TestModelsReach: streams take nearly all instructions of the machine whose units have programs of their own.
func TestModelsReach(t *testing.T) {
	tier.Sweep(t)
	target, err := NewModels([]string{"flexasr"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range collect(t, &Campaign{Target: target, Seed: 1, Cases: 900, Jobs: 2}) {
		t.Errorf("%s\n%s", f.Detail, f.Text)
	}
	if all, never := target.instructions(target.machines[0].New()); len(never) > 6 {
		t.Errorf("%d of %d instructions were never taken: %v", len(never), all, never)
	} else {
		t.Logf("%d of %d instructions were never taken: %v", len(never), all, never)
	}
}

// mirror has a machine and a contract agree on the output from its end.
func mirror(task *ila.Task) {
	contract, places := task.Contract, task.Places
	n := task.Output.Size()
	task.Contract = func(flat int) *term.Term { return contract(n - 1 - flat) }
	task.Places = func(flat int) []ila.Place { return places(n - 1 - flat) }
}

// TestWrongModels: what is wrong with one of the executors' models, with a machine, a contract or a kernel
// is found, and replays.
func TestWrongModels(t *testing.T) {
	driver := func(name string, change func(*ila.Task)) []hwmodels.Driver {
		for _, d := range hwmodels.Drivers() {
			if d.Name == name {
				wrong := d
				wrong.New = func(sizes []int) (*ila.Task, error) {
					task, err := d.New(sizes)
					if err == nil {
						change(task)
					}
					return task, err
				}
				return []hwmodels.Driver{wrong}
			}
		}
		t.Fatal(name)
		return nil
	}
	// everySecond plants a fault in the model of the symbolic executor: benches make that second.
	everySecond := func(name string, change func(*ila.Model)) []hwmodels.Machine {
		for _, m := range hwmodels.Machines() {
			if m.Name == name {
				n, fresh := 0, m.New
				m.New = func() *ila.Model {
					model := fresh()
					if n++; n%2 == 0 {
						change(model)
					}
					return model
				}
				return []hwmodels.Machine{m}
			}
		}
		t.Fatal(name)
		return nil
	}
	for _, test := range []struct {
		name, kind string
		again      bool // another is found in the same way
		target     *Models
	}{
		{"a register that is set to another value", machines.KindExecutors, true, &Models{machines: everySecond("flexasr", func(m *ila.Model) {
			plant(m, "config-manager", func(b *term.Builder, s *ila.Set) { s.Value = b.Bits(s.Var.Width, 0) })
		})}},
		{"a check that is forgotten", machines.KindExecutors, false, &Models{machines: everySecond("systolic", func(m *ila.Model) {
			m.Instructions[0].Checks = nil
		})}},
		{"a sum that is not kept", machines.KindExecutors, false, &Models{machines: everySecond("systolic", func(m *ila.Model) {
			step := m.Children[0].Instructions[0]
			st := &step.Eachs[len(step.Eachs)-2].Stores[0]
			st.Value = m.B.AddBits(st.Value, m.B.Bits(st.Value.Sort.Width, 1))
		})}},
		{"a contract that clips to -128", machines.KindContract, false, &Models{drivers: driver("vta-dense", func(task *ila.Task) {
			contract := task.Contract
			task.Contract = func(flat int) *term.Term {
				b, c := task.Model.B, contract(flat)
				return b.Choose(b.Equal(c, b.Bits(8, 0x81)), b.Bits(8, 0x80), c)
			}
		})}},
		{"a machine without the last instructions", machines.KindContract, true, &Models{drivers: driver("vta-dense-relu", func(task *ila.Task) {
			for i, s := range task.Steps { // the maximum with 0
				if strings.Contains(s.Text, "max") {
					task.Steps = append(task.Steps[:i:i], task.Steps[i+1:]...)
					return
				}
			}
		})}},
		{"a pool and a contract that are wrong in one way", machines.KindKernel, false, &Models{drivers: driver("flexasr-maxpool", mirror)}},
		{"a mean and a contract that are wrong in one way", machines.KindKernel, true, &Models{drivers: driver("flexasr-meanpool", mirror)}},
		{"a layer and a contract that are wrong in one way", machines.KindKernel, true, &Models{drivers: driver("flexasr-linear", mirror)}},
		{"an LSTM and a contract that are wrong in one way", machines.KindKernel, false, &Models{drivers: driver("flexasr-lstm", mirror)}},
		{"a layer norm and a contract that are wrong in one way", machines.KindKernel, false, &Models{drivers: driver("flexasr-layernorm", mirror)}},
		{"an attention and a contract that are wrong in one way", machines.KindKernel, false, &Models{drivers: driver("flexasr-attention", mirror)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.again {
				tier.Sweep(t)
			}
			c := &Campaign{Target: test.target, Seed: 1, Cases: 300, First: true}
			found := collect(t, c)
			if len(found) == 0 || found[0].Kind != test.kind {
				t.Errorf("%s: %v in %d cases", test.name, found, c.Progress().Cases)
				return
			}
			t.Logf("%s: %d cases: %s\n%s", test.name, c.Progress().Cases, found[0].Detail, found[0].Text)
			e, _, err := readEntry("models", source.NewFile("finding.txtar", found[0].Text))
			if err != nil {
				t.Fatal(err)
			}
			if o, err := test.target.Worker().Again(e); err != nil || o.Suspect == nil {
				t.Errorf("%s: it does not replay: %v\n%s", test.name, err, found[0].Text)
			}
			if kind, _, err := Replay(source.NewFile("finding.txtar", found[0].Text)); err != nil || kind != "" {
				t.Errorf("%s: the models as they are show %q, %v", test.name, kind, err)
			}
		})
	}
}

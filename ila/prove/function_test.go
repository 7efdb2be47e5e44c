package prove

import (
	"context"
	"strings"
	"testing"

	"tv/ila"
	"tv/semantics/term"
)

// squash is a machine that applies f twice to a byte of the bus, the second time with a mask.
func squash(stand func([]uint64) uint64) (m *ila.Model, f *ila.Function, out *ila.Var) {
	m = ila.New("squash", "")
	f = &ila.Function{Name: "f", Width: 8, Stand: stand}
	m.Function(f)
	in := m.Input("x", 8, "")
	out = m.Memory("out", 8, 2, "")
	i := m.Instruction("go", "", m.B.Truth(true))
	i.Store(out, m.Address(0), m.Apply(f, in.Term))
	i.Store(out, m.Address(1), m.B.And(m.Apply(f, in.Term), m.B.Bits(8, 15)))
	return m, f, out
}

// What rests on an uninterpreted function is proved for all, and refuted for none.
func TestFunctions(t *testing.T) {
	for _, test := range []struct {
		name     string
		contract func(b *term.Builder, fx, x *term.Term) *term.Term
		cell     uint64
		mutate   func(t *ila.Task, m *ila.Model)
		want     Verdict
		reason   string
	}{
		{name: "the same function", contract: func(b *term.Builder, fx, x *term.Term) *term.Term { return fx }, want: Proved},
		{name: "of a function", cell: 1, contract: func(b *term.Builder, fx, x *term.Term) *term.Term {
			return b.And(fx, b.Bits(8, 15))
		}, want: Proved},
		{name: "true of the stand-in alone", cell: 1, contract: func(b *term.Builder, fx, x *term.Term) *term.Term {
			return fx
		}, want: Unknown, reason: "incomplete"},
		{name: "what the stand-in computes", contract: func(b *term.Builder, fx, x *term.Term) *term.Term {
			return b.And(x, b.Bits(8, 7))
		}, want: Unknown, reason: "incomplete"},
		{name: "false of the stand-in", contract: func(b *term.Builder, fx, x *term.Term) *term.Term {
			return x
		}, want: Unknown, reason: "unsupported"},
		{name: "a fault all the same", contract: func(b *term.Builder, fx, x *term.Term) *term.Term { return fx },
			mutate: func(t *ila.Task, m *ila.Model) {
				m.Instructions[0].Store(t.Places(0)[0].Memory, m.Address(2), m.B.Bits(8, 0))
			}, want: Refuted, reason: "undefined"},
		{name: "no output", cell: 1, contract: func(b *term.Builder, fx, x *term.Term) *term.Term { return fx },
			mutate: func(t *ila.Task, m *ila.Model) { m.Instructions[0].Eachs = m.Instructions[0].Eachs[:1] },
			want:   Refuted, reason: "undefined"},
		{name: "an address by the stand-in", contract: func(b *term.Builder, fx, x *term.Term) *term.Term { return fx },
			mutate: func(t *ila.Task, m *ila.Model) {
				fx := m.Apply(m.Functions[0], m.Inputs[0].Term)
				m.Instructions[0].Store(t.Places(0)[0].Memory, m.At(fx), fx)
			}, want: Unknown, reason: "unsupported"},
	} {
		m, f, out := squash(func(a []uint64) uint64 { return a[0] & 7 })
		task := &ila.Task{Name: test.name, Model: m, Tables: map[string]func([]uint64) uint64{}}
		x := task.Declare("x", 8, false, 1)
		task.Steps = []ila.Step{{Values: []*term.Term{task.Element(x, 0)}}}
		task.Output = ila.Tensor{Name: "out", Dims: []int{1}, Width: 8}
		task.Places = func(int) []ila.Place { return []ila.Place{{Memory: out, Address: test.cell}} }
		task.Contract = func(int) *term.Term {
			return test.contract(m.B, m.Apply(f, task.Element(x, 0)), task.Element(x, 0))
		}
		if test.mutate != nil {
			test.mutate(task, m)
		}
		r, err := Verify(context.Background(), task)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != test.want || r.Reason != test.reason {
			t.Errorf("%s: %s, %s: %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
		task.Tables["f"] = f.Stand
		if _, err := Verify(context.Background(), task); err == nil || !strings.Contains(err.Error(), "leaves open") {
			t.Errorf("%s: a contract that interprets f: %v", test.name, err)
		}
		m.Functions = nil
		if err := ila.Validate(m); err == nil {
			t.Errorf("%s: a model applies a function that it does not have", test.name)
		}
	}
}

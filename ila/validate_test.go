package ila_test

import (
	"strings"
	"testing"

	"tv/ila"
	"tv/ila/ilatest/examples"
)

// A model that is none is told so.
func TestValidate(t *testing.T) {
	for _, test := range []struct {
		want  string
		wreck func(m *ila.Model, from *ila.Var)
	}{
		{"is a child of itself", func(m *ila.Model, _ *ila.Var) { m.Children[0].Children = append(m.Children[0].Children, m) }},
		{"two variables n", func(m *ila.Model, _ *ila.Var) { m.Input("n", 1, "") }},
		{"two instructions start", func(m *ila.Model, _ *ila.Var) { m.Instruction("start", "", m.B.Truth(false)) }},
		{"not a truth value", func(m *ila.Model, _ *ila.Var) { m.Instructions[0].Decode = m.B.Bits(1, 1) }},
		{"a value of sort unsigned3", func(m *ila.Model, _ *ila.Var) { m.Instructions[0].Sets[0].Value = m.B.Bits(3, 1) }},
		{"no bit-vector of its state", func(m *ila.Model, from *ila.Var) { m.Instructions[0].Set(from, m.B.Bits(8, 1)) }},
		{"twice", func(m *ila.Model, _ *ila.Var) { i := m.Instructions[0]; i.Set(i.Sets[0].Var, i.Sets[0].Value) }},
		{"of another width", func(m *ila.Model, from *ila.Var) { m.Instructions[0].Store(from, m.Address(0), m.B.Bits(9, 1)) }},
		{"an end of copy", func(m *ila.Model, _ *ila.Var) {
			m.Children[0].RequireEnd(m.B.Truth(true), ila.CodeFinish, "")
		}},
		{"an end of copy", func(m *ila.Model, _ *ila.Var) { m.RequireEnd(m.B.Bits(1, 1), ila.CodeFinish, "") }},
		{"an end of copy", func(m *ila.Model, from *ila.Var) {
			m.RequireEnd(m.B.Equal(m.Load(from, m.Address(0)), m.B.Bits(8, 1)), ila.CodeFinish, "")
		}},
	} {
		m, from, _ := examples.Copy()
		if err := ila.Validate(m); err != nil {
			t.Fatal(err)
		}
		test.wreck(m, from)
		if err := ila.Validate(m); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Validate: %v, want %q", err, test.want)
		}
	}
}

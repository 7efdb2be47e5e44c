package run

import (
	"errors"
	"testing"

	"tv/ila"
	"tv/ila/ilatest/examples"
	"tv/semantics/term"
)

// Both executors meet the same faults, and leave the state alone then.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		n       uint64
		written uint64
		code    string
	}{{4, 4, ""}, {5, 4, ila.CodeUnwritten}, {9, 8, ila.CodeAddress}} {
		m, from, to := examples.Copy()
		simulator, symbolic := NewSimulator(m), NewSymbolic(m)
		for at := range test.written {
			simulator.SetCell(from, at, at)
			symbolic.SetCell(from, at, m.B.Bits(8, at))
		}
		for name, err := range map[string]error{
			"simulator": simulator.Step(test.n), "symbolic executor": symbolic.Step(m.B.Bits(4, test.n)),
		} {
			var f *ila.Fault
			if errors.As(err, &f); (f == nil) != (test.code == "") || f != nil && f.Code != test.code {
				t.Errorf("%s with n = %d: %v, want code %q", name, test.n, err, test.code)
			}
		}
		if _, ok := simulator.Cell(to, 0); ok != (test.code == "") {
			t.Errorf("n = %d: to[0] is written: %t", test.n, ok)
		}
	}
	m, _, _ := examples.Copy()
	data := (&ila.Task{Model: m}).Declare("x", 4, false, 1)
	var f *ila.Fault
	if err := NewSymbolic(m).Step((&ila.Task{Model: m}).Element(data, 0)); !errors.As(err, &f) || f.Code != ila.CodeSymbolic {
		t.Errorf("control by data: %v", err)
	}
}

// Whether a program may end must not depend on data where they are terms.
func TestEndByData(t *testing.T) {
	one := func(b *term.Builder, _ *term.Term) *term.Term { return b.Bits(8, 1) }
	m := examples.Door(1, one).Model
	s := NewSymbolic(m)
	x := (&ila.Task{Model: m}).Declare("y", 8, false, 1)
	if err := s.Step(m.B.Bits(1, 1), (&ila.Task{Model: m}).Element(x, 0)); err != nil {
		t.Fatal(err)
	}
	var f *ila.Fault
	if err := s.End(); !errors.As(err, &f) || f.Code != ila.CodeSymbolic {
		t.Errorf("an end by data: %v", err)
	}
}

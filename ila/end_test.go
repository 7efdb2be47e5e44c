package ila

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tv/semantics/term"
)

// door is a machine that stores a word and one that says when it is done, if its last bit is set, and the first steps of
// a program for it: x is stored, and stop(x) said.
func door(steps int, stop func(b *term.Builder, x *term.Term) *term.Term) *Task {
	m := New("door", "stores, and says when it is done")
	b := m.B
	op, in := m.Input("op", 1, "0 stores, 1 stops"), m.Input("in", 8, "a word")
	out := m.Memory("out", 8, 1, "")
	done := m.Bits("done", 8, "")
	m.Instruction("store", "", b.Equal(op.Term, b.Bits(1, 0))).Store(out, m.Address(0), in.Term)
	m.Instruction("stop", "", b.Equal(op.Term, b.Bits(1, 1))).Set(done, in.Term)
	m.RequireEnd(b.Equal(b.Extract(done.Term, 0, 1), b.Bits(1, 1)), CodeFinish, "it is not done")
	t := &Task{Name: "door", Model: m}
	x := t.Element(t.Declare("x", 8, false, 1), 0)
	t.Steps = []Step{{Values: []*term.Term{b.Bits(1, 0), x}}, {Values: []*term.Term{b.Bits(1, 1), stop(b, x)}}}[:steps]
	t.Output = Tensor{Name: "out", Dims: []int{1}, Width: 8}
	t.Places = func(int) []Place { return []Place{{out, 0}} }
	t.Contract = func(int) *term.Term { return x }
	return t
}

// A program that ends before its machine has said so is never proved: where it never says so, the run is at fault; where
// that hangs on data, what samples do not meet is open.
func TestEnds(t *testing.T) {
	one := func(b *term.Builder, _ *term.Term) *term.Term { return b.Bits(8, 1) }
	for _, test := range []struct {
		name   string
		steps  int
		stop   func(b *term.Builder, x *term.Term) *term.Term
		want   Verdict
		reason string
	}{
		{"said", 2, one, Proved, ""},
		{"not said", 1, one, Refuted, "undefined"},
		{"taken back", 2, func(b *term.Builder, _ *term.Term) *term.Term { return b.Bits(8, 2) }, Refuted, "undefined"},
		{"by an even number", 2, func(_ *term.Builder, x *term.Term) *term.Term { return x }, Refuted, "undefined"},
		{"but for one number", 2, func(b *term.Builder, x *term.Term) *term.Term {
			return b.Choose(b.Equal(x, b.Bits(8, 77)), b.Bits(8, 0), b.Bits(8, 1))
		}, Unknown, "unsupported"},
	} {
		task := door(test.steps, test.stop)
		r, err := Verify(context.Background(), task)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != test.want || r.Reason != test.reason {
			t.Errorf("%s: %s, %s: %s", test.name, r.Verdict, r.Reason, r.Detail)
		}
		if r.Fault != nil && (r.Fault.Code != CodeFinish || !r.Fault.AtEnd || r.Fault.Step != test.steps) {
			t.Errorf("%s: %v after %d steps, want the end after %d", test.name, r.Fault, r.Fault.Step, test.steps)
		}
	}
	if _, err := VerifyAgainst(context.Background(), door(2, one), door(1, one)); err == nil || !strings.Contains(err.Error(), CodeFinish) {
		t.Errorf("compared with a program that has no end: %v", err)
	}
	for steps, want := range map[int]bool{1: true, 2: false} {
		fault := &Fault{Code: CodeFinish, Step: steps, AtEnd: true}
		if got := door(steps, one).faultsAnyway(fault); got != want {
			t.Errorf("after %d steps: at fault whatever functions are: %t", steps, got)
		}
	}
}

// Machines that let programs end differently are not the same, and an end is of bit-vectors of the root.
func TestEndsOfModels(t *testing.T) {
	one := func(b *term.Builder, _ *term.Term) *term.Term { return b.Bits(8, 1) }
	left, right := door(2, one).Model, door(2, one).Model
	for _, want := range []Verdict{Proved, Refuted} {
		list, err := (&Refinement{Left: left, Right: right}).Check(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		last := list[len(list)-1]
		if last.Question != "ends agree" || last.Verdict != want {
			t.Errorf("%s: %s, want ends agree: %s", last.Question, last.Verdict, want)
		}
		right.Ends = nil
	}
	for _, wreck := range []func(m *Model){
		func(m *Model) { m.Child("c", "").RequireEnd(m.B.Truth(true), CodeFinish, "") },
		func(m *Model) { m.RequireEnd(m.B.Bits(1, 1), CodeFinish, "") },
		func(m *Model) {
			m.RequireEnd(m.B.Equal(m.Load(m.State[0], m.Address(0)), m.B.Bits(8, 1)), CodeFinish, "")
		},
	} {
		m := door(2, one).Model
		wreck(m)
		if err := Validate(m); err == nil || !strings.Contains(err.Error(), "an end of") {
			t.Errorf("Validate: %v", err)
		}
	}
	m := door(1, one).Model
	s := NewSymbolic(m)
	x := (&Task{Model: m}).Declare("y", 8, false, 1)
	if err := s.Step(m.B.Bits(1, 1), (&Task{Model: m}).Element(x, 0)); err != nil {
		t.Fatal(err)
	}
	var f *Fault
	if err := s.End(); !errors.As(err, &f) || f.Code != CodeSymbolic {
		t.Errorf("an end by data: %v", err)
	}
}

package examples

import (
	"tv/ila"
	"tv/semantics/term"
)

// Copy returns a machine that copies n cells from one memory to another, a step each.
func Copy() (m *ila.Model, from, to *ila.Var) {
	m = ila.New("copy", "copies cells")
	n := m.Input("n", 4, "cells")
	from, to = m.Memory("from", 8, 8, ""), m.Memory("to", 8, 8, "")
	at := m.Bits("at", 4, "")
	m.Instruction("start", "", m.B.Truth(true)).Set(at, n.Term)
	c := m.Child("copy", "")
	i := c.Instruction("cell", "", m.B.Not(m.B.Equal(at.Term, m.B.Bits(4, 0))))
	before := m.B.SubBits(at.Term, m.B.Bits(4, 1))
	i.Store(to, m.At(before), m.Load(from, m.At(before)))
	i.Set(at, before)
	return m, from, to
}

// Door returns the first steps of a program for a machine that stores a word and ends once it was told that it is done,
// by a word whose last bit is set: x is stored, then stop(x) is said.
func Door(steps int, stop func(b *term.Builder, x *term.Term) *term.Term) *ila.Task {
	m := ila.New("door", "stores, and says when it is done")
	b := m.B
	op, in := m.Input("op", 1, "0 stores, 1 stops"), m.Input("in", 8, "a word")
	out := m.Memory("out", 8, 1, "")
	done := m.Bits("done", 8, "")
	m.Instruction("store", "", b.Equal(op.Term, b.Bits(1, 0))).Store(out, m.Address(0), in.Term)
	m.Instruction("stop", "", b.Equal(op.Term, b.Bits(1, 1))).Set(done, in.Term)
	m.RequireEnd(b.Equal(b.Extract(done.Term, 0, 1), b.Bits(1, 1)), ila.CodeFinish, "it is not done")
	t := &ila.Task{Name: "door", Model: m}
	x := t.Element(t.Declare("x", 8, false, 1), 0)
	t.Steps = []ila.Step{{Values: []*term.Term{b.Bits(1, 0), x}}, {Values: []*term.Term{b.Bits(1, 1), stop(b, x)}}}[:steps]
	t.Output = ila.Tensor{Name: "out", Dims: []int{1}, Width: 8}
	t.Places = func(int) []ila.Place { return []ila.Place{{Memory: out}} }
	t.Contract = func(int) *term.Term { return x }
	return t
}

package ila

import (
	"tv/semantics/term"
)

// A Function is one that a machine applies and that its sources do not say: it is uninterpreted. What is proved holds
// whatever it computes. The simulator computes Stand in its place; a difference that a run with it shows refutes
// nothing.
type Function struct {
	Name, Doc string
	Width     int // bits of the result
	Stand     func(args []uint64) uint64
}

// Function adds an uninterpreted function to the root of a model.
func (m *Model) Function(f *Function) { m.Functions = append(m.Functions, f) }

// Apply returns what f computes of args.
func (m *Model) Apply(f *Function, args ...*term.Term) *term.Term {
	return m.B.Apply(term.BitsSort(f.Width), f.Name, args...)
}

// LookupFunction returns the uninterpreted function of a name, or nil.
func (m *Model) LookupFunction(name string) *Function {
	for m.Parent != nil {
		m = m.Parent
	}
	for _, f := range m.Functions {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// visit calls f for every term of an instruction once, arguments first.
func (i *Instruction) visit(f func(*term.Term)) {
	seen := map[*term.Term]bool{}
	var visit func(*term.Term)
	visit = func(t *term.Term) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		for _, a := range t.Args {
			visit(a)
		}
		f(t)
	}
	i.terms(visit)
}

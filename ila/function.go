package ila

import (
	"tv/semantics/term"
)

// A Function is one that a machine applies as a whole. Proofs take it for a symbol that both sides may apply: what is proved holds
// whatever it computes. One with Tables is interpreted: the machine's sources say what it is, and a difference that a run shows
// refutes. Of any other nobody says what it is: the simulator computes Stand in its place, and what such a run shows refutes
// nothing.
type Function struct {
	Name, Doc string
	Width     int // bits of the result
	Stand     func(args []uint64) uint64

	Tables   string        // of an interpreted function: whose tables Stand computes by
	Distance func() string // of an interpreted function, or nil: how far it lies from the one that it stands for
}

// Function adds a function to the root of a model.
func (m *Model) Function(f *Function) { m.Functions = append(m.Functions, f) }

// Apply returns what f computes of args.
func (m *Model) Apply(f *Function, args ...*term.Term) *term.Term {
	return m.B.Apply(term.BitsSort(f.Width), f.Name, args...)
}

// LookupFunction returns the function of a name, or nil.
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

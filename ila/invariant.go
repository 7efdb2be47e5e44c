package ila

import (
	"fmt"

	"tv/semantics/index"
	"tv/semantics/term"
)

// An Invariant is a condition on state and inputs that holds whenever an instruction of a model or of its children
// takes place. Check proves it of the first state, of every step, and of new inputs where the children rest.
type Invariant struct {
	Name, Doc string
	Cond      *term.Term // reads no memory
}

// A Filling says that cells First to First+Count-1 of a memory are written whenever When holds. Check proves it as it
// does an Invariant.
type Filling struct {
	Memory       *Var
	First, Count uint64
	When         *term.Term // reads no memory
}

// Invariant states an invariant.
func (m *Model) Invariant(name, doc string, cond *term.Term) {
	m.Invariants = append(m.Invariants, Invariant{name, doc, cond})
}

// Filled states that cells are written.
func (m *Model) Filled(memory *Var, first, count uint64, when *term.Term) {
	m.Fillings = append(m.Fillings, Filling{memory, first, count, when})
}

// cells prints which cells a filling is about.
func (f Filling) cells() string {
	return fmt.Sprintf("%s[%d..%d]", f.Memory.Name, f.First, f.First+f.Count-1)
}

// FilledByPrograms says that cells of a memory hold what programs put there: to read one that nobody wrote is a fault
// of the program, not of the model.
func (v *Var) FilledByPrograms() *Var { v.FreeCells = true; return v }

// AddressedByPrograms says the same of addresses too: one beyond the memory is a fault of the program.
func (v *Var) AddressedByPrograms() *Var { v.FreeCells, v.FreeAddress = true, true; return v }

// stated returns the invariants and fillings of a model and of all models below its root.
func (m *Model) stated() (invariants []Invariant, fillings []Filling) {
	root := m
	for root.Parent != nil {
		root = root.Parent
	}
	root.all(func(c *Model) {
		invariants, fillings = append(invariants, c.Invariants...), append(fillings, c.Fillings...)
	})
	return invariants, fillings
}

// atRest returns that no instruction of the children of a model, or below them, decodes.
func (m *Model) atRest() *term.Term {
	rest := m.B.Truth(true)
	for _, c := range m.Children {
		c.all(func(c *Model) {
			for _, i := range c.Instructions {
				rest = m.B.And(rest, m.B.Not(i.Decode))
			}
		})
	}
	return rest
}

// CodeInvariant is the code of a model that does not keep what it states.
const CodeInvariant = "machine-invariant"

// invariants judges what a model states, one finding each.
func (m *Model) invariants() (list []Finding) {
	b := m.B
	all, fillings := m.stated()
	for _, v := range all {
		f := Finding{Model: m.path(), Question: "invariant: " + v.Name, Code: CodeInvariant, Verdict: Proved}
		m.first(&f, v.Cond)
		m.all(func(c *Model) {
			for _, i := range c.Instructions {
				goal := c.after(i, v.Cond)
				if goal != v.Cond {
					f.claim(b, c.premise(i, true), goal, c.path()+"."+i.Name)
				}
			}
		})
		m.renewed(&f, v.Cond, v.Cond)
		list = append(list, f)
	}
	for _, v := range fillings {
		f := Finding{Model: m.path(), Question: "filled: " + v.cells(), Code: CodeInvariant, Verdict: Proved}
		m.first(&f, b.Not(v.When))
		m.all(func(c *Model) {
			for _, i := range c.Instructions {
				stored, spoilt := i.writes(v)
				goal := b.Or(b.Not(c.after(i, v.When)), b.Truth(stored))
				if !spoilt {
					goal = b.Or(goal, v.When)
				}
				f.claim(b, c.premise(i, true), goal, c.path()+"."+i.Name)
			}
		})
		m.renewed(&f, v.When, b.Not(v.When))
		list = append(list, f)
	}
	return list
}

// first asks whether goal holds in the first state: all bit-vectors are 0.
func (m *Model) first(f *Finding, goal *term.Term) {
	zero := map[*term.Term]*term.Term{}
	scalars, _ := m.vars()
	for _, v := range scalars {
		if !v.input {
			zero[v.Term] = m.B.Bits(v.Width, 0)
		}
	}
	f.claim(m.B, m.B.Truth(true), replace(m.B, goal, zero), "the first state")
}

// renewed asks whether goal still holds when the children rest and inputs change; mention tells which inputs matter.
func (m *Model) renewed(f *Finding, mention, goal *term.Term) {
	fresh := map[*term.Term]*term.Term{}
	for _, v := range m.Inputs {
		fresh[v.Term] = m.B.Read(m.B.Input("next input "+v.Name, nil, v.Term.Sort), nil)
	}
	if replace(m.B, mention, fresh) == mention {
		return
	}
	all, _ := m.stated()
	premise := m.B.And(m.atRest(), goal)
	for _, v := range all {
		premise = m.B.And(premise, v.Cond)
	}
	f.claim(m.B, premise, replace(m.B, goal, fresh), "new inputs")
}

// premise returns what holds when an instruction of m takes place: what is stated, that the children rest, and its
// decode; with its checks too where they are met.
func (m *Model) premise(i *Instruction, checked bool) *term.Term {
	all, _ := m.stated()
	premise := m.B.Truth(true)
	for _, v := range all {
		premise = m.B.And(premise, v.Cond)
	}
	premise = m.B.And(m.B.And(premise, m.atRest()), i.Decode)
	if checked {
		for _, c := range i.Checks {
			premise = m.B.And(premise, c.Cond)
		}
	}
	return premise
}

// after returns a condition as it reads after an instruction.
func (m *Model) after(i *Instruction, cond *term.Term) *term.Term {
	next := map[*term.Term]*term.Term{}
	for _, s := range i.Sets {
		next[s.Var.Term] = s.Value
	}
	return replace(m.B, cond, next)
}

// replace returns t with variables replaced.
func replace(b *term.Builder, t *term.Term, by map[*term.Term]*term.Term) *term.Term {
	return rebuild(b, t, map[*term.Term]*term.Term{}, func(t *term.Term) *term.Term {
		if r := by[t]; r != nil {
			return r
		}
		if t.Op == term.Read || t.Op == term.Number {
			return t
		}
		return nil
	})
}

// writes tells whether an instruction writes all cells of a filling, and whether it may take the value of one.
func (i *Instruction) writes(f Filling) (all, spoils bool) {
	done := map[uint64]bool{}
	for _, e := range i.Eachs {
		for _, st := range e.Stores {
			if st.Memory != f.Memory {
				continue
			}
			if st.Value == nil {
				spoils = true
				continue
			}
			if st.When != nil {
				continue
			}
			for k := 0; k < e.N && constant(st.Address); k++ {
				at := &state{counts: map[*index.Atom]uint64{e.Var: uint64(k)}}
				done[at.value(st.Address)] = true
			}
		}
	}
	if spoils {
		return false, true
	}
	for at := f.First; at < f.First+f.Count; at++ {
		if !done[at] {
			return false, false
		}
	}
	return true, false
}

// constant tells whether a term depends on nothing but counters.
func constant(t *term.Term) bool {
	if t.Op == term.Read {
		return false
	}
	for _, a := range t.Args {
		if !constant(a) {
			return false
		}
	}
	return true
}

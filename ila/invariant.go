package ila

import (
	"fmt"

	"tv/semantics/term"
)

// An Invariant is a condition on state and inputs that holds whenever an instruction of a model or of its children
// takes place. Package refine proves it of the first state, of every step, and of new inputs where the children rest.
type Invariant struct {
	Name, Doc string
	Cond      *term.Term // reads no memory
}

// A Filling says that cells First to First+Count-1 of a memory are written whenever When holds. It is
// proved as an Invariant is.
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

// String prints which cells a filling is about.
func (f Filling) String() string {
	return fmt.Sprintf("%s[%d..%d]", f.Memory.Name, f.First, f.First+f.Count-1)
}

// FilledByPrograms says that cells of a memory hold what programs put there: to read one that nobody wrote is a fault
// of the program, not of the model.
func (v *Var) FilledByPrograms() *Var { v.FreeCells = true; return v }

// AddressedByPrograms says the same of addresses too: one beyond the memory is a fault of the program.
func (v *Var) AddressedByPrograms() *Var { v.FreeCells, v.FreeAddress = true, true; return v }

// CodeInvariant is the code of a model that does not keep what it states.
const CodeInvariant = "machine-invariant"

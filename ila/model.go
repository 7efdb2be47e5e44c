package ila

import (
	"tv/semantics/index"
	"tv/semantics/term"
)

// A Var is an input or a state variable of a model: a bit-vector, or a memory if Depth is not 0.
type Var struct {
	Name  string
	Doc   string
	Width int    // bits, of a cell for a memory; 1 to 64
	Depth uint64 // cells of a memory
	Term  *term.Term

	// Of a memory: what programs see to, so that it is their fault where it goes wrong; else the model has to.
	FreeCells   bool // that cells are written before they are read
	FreeAddress bool // that addresses lie in the memory

	input bool
	slot  int
	owner *Model
}

// IsInput tells whether v is an input, which each instruction is given anew.
func (v *Var) IsInput() bool { return v.input }

// Slot is the number of v among the inputs and bit-vectors of its machine, or among the memories. Layout gives it.
func (v *Var) Slot() int { return v.slot }

// Path names v with the models that it belongs to: "vta.gemm.at".
func (v *Var) Path() string { return v.owner.Path() + "." + v.Name }

// AddressWidth is the width of every address, wide enough that no machine's sums and products of fields wrap: an
// address that does not exist has to be seen.
const AddressWidth = 48

// A Param is a choice that a model was built with, for the manual.
type Param struct{ Name, Value, Doc string }

// A Requirement is a condition that an instruction must meet when it takes place; where it does not, the step is a
// fault with the given code.
type Requirement struct {
	Cond      *term.Term
	Code, Msg string
}

// A Set gives a state variable a new value.
type Set struct {
	Var   *Var
	Value *term.Term
}

// A StoreTo writes a cell of a memory, where When is nil or holds. With a nil Value the cell loses its value,
// as if nobody had written it: what a machine leaves there is unspecified.
type StoreTo struct {
	Memory  *Var
	Address *term.Term
	Value   *term.Term
	When    *term.Term
}

// An Each is its stores for every value of Var, which counts from 0 up to N; Var is nil and N is 1 for stores
// that take place once.
type Each struct {
	Var    *index.Atom
	N      int
	Stores []StoreTo
}

// An Instruction takes place where its decode holds.
type Instruction struct {
	Name, Doc string
	Decode    *term.Term
	Checks    []Requirement
	Sets      []Set
	Eachs     []Each
	Issue     *Issue // of the root's, where units run at once; else nil
}

// A Model is a machine. Children share the state and inputs of their parent and have state of their own.
type Model struct {
	Name, Doc    string
	B            *term.Builder
	Params       []Param
	Functions    []*Function                 // of the root: that are applied as a whole
	Parts        map[*term.Term][]*term.Term // of the root: what Part said
	Inputs       []*Var
	State        []*Var // of its own
	Instructions []*Instruction
	Invariants   []Invariant
	Fillings     []Filling
	Ends         []Requirement // of the root: conditions on bit-vectors that hold where a program may end
	Units        *Units        // of the root, or nil: instructions take place one after the other
	Turns        *Turns        // of the root, or nil
	Children     []*Model
	Parent       *Model

	tensors, rows map[*term.Tensor]*Tensor // of tasks: what elements and rows read
}

// New returns a model without anything in it.
func New(name, doc string) *Model { return &Model{Name: name, Doc: doc, B: term.NewBuilder()} }

// Child adds a child model: micro-instructions that run after an instruction of m as long as one decodes.
func (m *Model) Child(name, doc string) *Model {
	c := &Model{Name: name, Doc: doc, B: m.B, Parent: m}
	m.Children = append(m.Children, c)
	return c
}

func (m *Model) read(kind string, v *Var, s term.Sort) *Var {
	v.owner = m
	v.Term = m.B.Read(m.B.Input(kind+" "+m.Path()+"."+v.Name, nil, s), nil)
	return v
}

// Path names a model below its root: "vta.gemm".
func (m *Model) Path() string {
	if m.Parent == nil {
		return m.Name
	}
	return m.Parent.Path() + "." + m.Name
}

// Input adds an input of the given width in bits.
func (m *Model) Input(name string, width int, doc string) *Var {
	v := m.read("input", &Var{Name: name, Doc: doc, Width: width, input: true}, term.BitsSort(width))
	m.Inputs = append(m.Inputs, v)
	return v
}

// Bits adds a state variable of the given width in bits, 0 at first.
func (m *Model) Bits(name string, width int, doc string) *Var {
	v := m.read("state", &Var{Name: name, Doc: doc, Width: width}, term.BitsSort(width))
	m.State = append(m.State, v)
	return v
}

// Memory adds a memory of depth cells of the given width in bits, with nothing written.
func (m *Model) Memory(name string, width int, depth uint64, doc string) *Var {
	v := m.read("state", &Var{Name: name, Doc: doc, Width: width, Depth: depth},
		term.MemorySort(AddressWidth, width))
	m.State = append(m.State, v)
	return v
}

// Instruction adds an instruction.
func (m *Model) Instruction(name, doc string, decode *term.Term) *Instruction {
	i := &Instruction{Name: name, Doc: doc, Decode: decode}
	m.Instructions = append(m.Instructions, i)
	return i
}

// Require adds a requirement.
func (i *Instruction) Require(cond *term.Term, code, msg string) {
	i.Checks = append(i.Checks, Requirement{Cond: cond, Code: code, Msg: msg})
}

// RequireEnd adds a condition on bit-vectors that the last instruction of a program has to leave true: a host that
// waits for it reads nothing before.
func (m *Model) RequireEnd(cond *term.Term, code, msg string) {
	m.Ends = append(m.Ends, Requirement{Cond: cond, Code: code, Msg: msg})
}

// Set adds an update of a bit-vector.
func (i *Instruction) Set(v *Var, value *term.Term) { i.Sets = append(i.Sets, Set{v, value}) }

// Store adds the update of one cell.
func (i *Instruction) Store(memory *Var, address, value *term.Term) {
	i.Eachs = append(i.Eachs, Each{N: 1, Stores: []StoreTo{{Memory: memory, Address: address, Value: value}}})
}

// Each adds stores for every value of v, a variable that Counter made.
func (i *Instruction) Each(v *index.Atom, stores ...StoreTo) {
	n, _ := v.Hi.Const()
	i.Eachs = append(i.Eachs, Each{Var: v, N: int(n.Big().Int64()), Stores: stores})
}

// Counter returns a variable that counts from 0 up to n, for Each and for sums.
func (m *Model) Counter(name string, n int) *index.Atom {
	return m.B.Index.NewVar(name, m.B.Index.Const(0), m.B.Index.Const(int64(n)))
}

// Count returns the value of a counter as a bit-vector.
func (m *Model) Count(width int, v *index.Atom) *term.Term {
	return m.B.Number(term.BitsSort(width), v.Expr())
}

// At returns the address base + the parts; all are extended or cut to the width of addresses.
func (m *Model) At(parts ...*term.Term) *term.Term {
	var sum *term.Term
	for _, p := range parts {
		if p.Sort.Width < AddressWidth {
			p = m.B.ExtendU(p, AddressWidth)
		}
		if sum == nil {
			sum = p
		} else {
			sum = m.B.AddBits(sum, p)
		}
	}
	return sum
}

// Address returns a number as an address.
func (m *Model) Address(n uint64) *term.Term { return m.B.Bits(AddressWidth, n) }

// CountAt returns the value of a counter as an address.
func (m *Model) CountAt(v *index.Atom) *term.Term { return m.Count(AddressWidth, v) }

// Times returns n times x as an address.
func (m *Model) Times(n uint64, x *term.Term) *term.Term {
	return m.B.MulBits(m.Address(n), m.B.ExtendU(x, AddressWidth))
}

// Load returns the cell of a memory at an address.
func (m *Model) Load(memory *Var, address *term.Term) *term.Term {
	return m.B.Load(memory.Term, address)
}

// Walk calls f for m and all models below it, a model before its children.
func (m *Model) Walk(f func(*Model)) {
	f(m)
	for _, c := range m.Children {
		c.Walk(f)
	}
}

// Layout returns the inputs of the root and the state of all models, and gives each its slot: inputs and
// bit-vectors count together, memories by themselves.
func (m *Model) Layout() (scalars, memories []*Var) {
	m.Walk(func(c *Model) {
		for _, v := range append(append([]*Var(nil), c.Inputs...), c.State...) {
			if v.Depth > 0 {
				v.slot = len(memories)
				memories = append(memories, v)
			} else {
				v.slot = len(scalars)
				scalars = append(scalars, v)
			}
		}
	})
	return scalars, memories
}

// Variables returns all state of a model and of the models below it, in a fixed order: models before their
// children.
func (m *Model) Variables() []*Var {
	var out []*Var
	m.Walk(func(c *Model) { out = append(out, c.State...) })
	return out
}

// ParamImplementation is the name of the parameter that says whose choices a model follows.
const ParamImplementation = "implementation"

// Title names a machine and whose choices it follows: "vta (fsim)".
func (m *Model) Title() string {
	for _, p := range m.Params {
		if p.Name == ParamImplementation {
			return m.Name + " (" + p.Value + ")"
		}
	}
	return m.Name
}

// Lookup returns the state variable or input of the root with the given name, or nil.
func (m *Model) Lookup(name string) *Var {
	for _, v := range append(append([]*Var(nil), m.Inputs...), m.State...) {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// terms calls f for each expression of an instruction.
func (i *Instruction) terms(f func(*term.Term)) {
	f(i.Decode)
	for _, c := range i.Checks {
		f(c.Cond)
	}
	for _, s := range i.Sets {
		f(s.Value)
	}
	for _, e := range i.Eachs {
		for _, s := range e.Stores {
			f(s.Address)
			if s.Value != nil {
				f(s.Value)
			}
			if s.When != nil {
				f(s.When)
			}
		}
	}
}

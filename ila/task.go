package ila

import (
	"strings"

	"tv/internal/source"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A Tensor is an input of a task. Elements are bit-vectors of Width bits, in row-major order.
type Tensor struct {
	Name   string
	Dims   []int
	Width  int
	Signed bool        // how elements are printed and read from files
	Format string      // of elements that are no integers: "adaptive8.3"
	Span   source.Span // in a listing, or nothing

	// Extents are the sizes as expressions; Dims is nil where one of them is not a number.
	Extents []*index.Expr

	tensor  *term.Tensor
	reads   []*term.Term
	numbers []*index.Expr        // 0, 1, ..., where indices are by dims
	rows    map[int]*term.Tensor // what terms that are so many elements at once read
}

// Size returns the number of elements.
func (t *Tensor) Size() int {
	n := 1
	for _, d := range t.Dims {
		n *= d
	}
	return n
}

// Symbol returns what terms over elements of t read.
func (t *Tensor) Symbol() *term.Tensor { return t.tensor }

// A Place is a cell of a memory.
type Place struct {
	Memory  *Var
	Address uint64
}

// A Step is one instruction: a value for each input of the model, and where a listing has it. Inputs behind those that Values has are
// elements of a tensor, which need no terms of their own.
type Step struct {
	Values []*term.Term
	Row    Stretch
	Text   string      // for messages and traces
	Span   source.Span // in a listing, or nothing
}

// An Init is a cell that holds a value before the first instruction.
type Init struct {
	Place
	Value *term.Term
}

// A Task is a program for a machine and the contract on what it computes.
type Task struct {
	Name     string // "vta-dense 64x128x32"
	Model    *Model
	Inputs   []*Tensor
	Init     []Init
	Steps    []Step
	Output   Tensor
	Places   func(flat int) []Place                // of an element of the output, lowest bits first
	Contract func(flat int) *term.Term             // what the element must be, a term over elements of Inputs
	Tables   map[string]func(args []uint64) uint64 // functions that terms of Contract apply by name
	Scalars  map[string]Scalar                     // those of Tables that parts of the machine may have the values of
	Claim    string                                // the contract as a formula
	Rests    []string                              // what the model assumes beyond its sources

	// Corners are values of inputs at which constants of the machine show, such as the ends of what it converts: runs on
	// samples try them too.
	Corners []func(x *Tensor, flat int) uint64
}

// Where returns the place of a fault in a listing: of the instruction; at the end, of the output that nobody wrote or
// of the last instruction, after which something is missing.
func (t *Task) Where(f *Fault) source.Span {
	switch {
	case f.Step < len(t.Steps):
		return t.Steps[f.Step].Span
	case f.Code == CodeUnwritten || len(t.Steps) == 0:
		return t.Output.Span
	}
	return t.Steps[len(t.Steps)-1].Span
}

// Problem returns a fault as an error at its place; it names the machine, as another may have none.
func (t *Task) Problem(f *Fault) *source.Error {
	msg := strings.TrimSuffix(f.Error(), " ["+f.Code+"]")
	return &source.Error{Name: t.Name, Span: t.Where(f), Code: f.Code, Msg: msg + "; on " + t.Model.Title(), Err: f}
}

// Declare adds an input tensor.
func (t *Task) Declare(name string, width int, signed bool, dims ...int) *Tensor {
	x := newTensor(t.Model, name, width, signed, constants(t.Model.B.Index, dims))
	t.Inputs = append(t.Inputs, x)
	return x
}

func newTensor(m *Model, name string, width int, signed bool, extents []*index.Expr) *Tensor {
	x := &Tensor{Name: name, Width: width, Signed: signed, Extents: extents, Dims: []int{}}
	x.tensor = m.B.Input("tensor "+name, nil, term.BitsSort(width))
	if m.tensors == nil {
		m.tensors, m.rows = map[*term.Tensor]*Tensor{}, map[*term.Tensor]*Tensor{}
	}
	m.tensors[x.tensor] = x
	for _, e := range extents {
		d, ok := ConstInt(e)
		if !ok {
			x.Dims = nil
			return x
		}
		x.Dims = append(x.Dims, d)
	}
	x.reads = make([]*term.Term, x.Size())
	return x
}

// Element returns the element of an input at a row-major offset.
func (t *Task) Element(x *Tensor, flat int) *term.Term { return x.element(t.Model.B, flat) }

// At is Element where the task is not at hand.
func (t *Tensor) At(b *term.Builder, flat int) *term.Term { return t.element(b, flat) }

func (t *Tensor) element(b *term.Builder, flat int) *term.Term {
	switch {
	case t.reads[flat] != nil:
	case len(t.reads) <= manyElements:
		t.reads[flat] = b.Read(t.tensor, constants(b.Index, []int{flat}))
	default:
		first := flat / readsAtOnce * readsAtOnce
		last := min(first+readsAtOnce, len(t.reads))
		at := make([]*index.Expr, 0, (last-first)*len(t.Dims))
		for i := first; i < last; i++ {
			rest, left := i, len(t.reads)
			for _, d := range t.Dims {
				left /= d
				at = append(at, t.number(b, rest/left))
				rest %= left
			}
		}
		copy(t.reads[first:], b.Reads(t.tensor, len(t.Dims), at))
	}
	return t.reads[flat]
}

// number returns an index on an axis.
func (t *Tensor) number(b *term.Builder, n int) *index.Expr {
	for len(t.numbers) <= n {
		t.numbers = append(t.numbers, b.Index.Const(int64(len(t.numbers))))
	}
	return t.numbers[n]
}

const (
	// manyElements is how many elements of a tensor have one index, their offset: the indices of more are by dims, which are fewer numbers.
	manyElements = 1 << 16
	// readsAtOnce is how many of them are made together.
	readsAtOnce = 1 << 10
)

// Offset returns the row-major offset of an element that a term reads.
func (t *Tensor) Offset(read *term.Term) int {
	flat := 0
	for i, e := range read.Index {
		n, _ := ConstInt(e)
		if i > 0 {
			flat *= t.Dims[i]
		}
		flat += n
	}
	return flat
}

// PutBytes writes a value before the first instruction, as bytes from an address on, lowest first.
func (t *Task) PutBytes(memory *Var, address uint64, value *term.Term) {
	for i := 0; i < value.Sort.Width; i += memory.Width {
		t.Init = append(t.Init, Init{Place{memory, address + uint64(i/memory.Width)},
			t.Model.B.Extract(value, i, memory.Width)})
	}
}

package ila

import (
	"fmt"

	"tv/semantics/index"
	"tv/semantics/term"
)

// A Nest is a driver as a loop nest: a task whose sizes may be names. Where they are numbers, Task unrolls it.
type Nest struct {
	Name     string
	Model    *Model
	Inputs   []*Tensor
	Init     []Spread
	Body     []Node
	Output   *Tensor
	Place    func(at []*index.Expr) Cell       // of the element of the output at an index
	Contract func(at []*index.Expr) *term.Term // what that element must be, a term over elements of Inputs
	Tables   map[string]func(args []uint64) uint64
	Claim    string
	Rests    []string
	Corners  []func(x *Tensor, flat int) uint64 // as of a Task
}

// A Cell is a cell of a memory.
type Cell struct {
	Memory  *Var
	Address *index.Expr
}

// A Spread is cells that hold values before the first instruction: At returns address and value for each index
// within Counts.
type Spread struct {
	Memory *Var
	Counts []*index.Expr
	At     func(v []*index.Expr) (address *index.Expr, value *term.Term)
}

// A Node is a loop, Body for i = 0 to Count-1, or one instruction: a value for each input of the model.
type Node struct {
	Name  string
	Count *index.Expr
	Body  func(i *index.Expr) []Node

	Values []*term.Term
	Text   string // for messages and traces
}

// Loop returns the node that runs body for i = 0 to count-1.
func Loop(name string, count *index.Expr, body func(i *index.Expr) []Node) Node {
	return Node{Name: name, Count: count, Body: body}
}

// Result sets the output tensor.
func (n *Nest) Result(name string, width int, signed bool, extents ...*index.Expr) {
	n.Output = newTensor(n.Model, name, width, signed, extents)
}

// Declare adds an input tensor.
func (n *Nest) Declare(name string, width int, signed bool, extents ...*index.Expr) *Tensor {
	x := newTensor(n.Model, name, width, signed, extents)
	n.Inputs = append(n.Inputs, x)
	return x
}

// Element returns the element of an input at a row-major offset.
func (n *Nest) Element(x *Tensor, flat *index.Expr) *term.Term {
	if at, ok := flat.Const(); ok && x.reads != nil {
		k, _ := at.Int64()
		return x.element(n.Model.B, int(k))
	}
	return n.Model.B.Read(x.tensor, []*index.Expr{flat})
}

// A Row is the elements of an input at the offsets From + k·Step.
type Row struct {
	Tensor     *Tensor
	From, Step *index.Expr
}

// Dot returns the sum over k < count of the products x[k]·y[k] of signed numbers, modulo 2^width.
func (n *Nest) Dot(width int, count *index.Expr, x, y Row) *term.Term {
	b := n.Model.B
	if x.Tensor.reads != nil && y.Tensor.reads != nil {
		fromX, okX := ConstInt(x.From)
		fromY, okY := ConstInt(y.From)
		if okX && okY {
			n, stepX, stepY := integer(count), integer(x.Step), integer(y.Step)
			pairs := make([]*term.Term, 0, 2*n)
			for i := range n {
				pairs = append(pairs, x.Tensor.element(b, fromX+i*stepX), y.Tensor.element(b, fromY+i*stepY))
			}
			return b.Dot(width, pairs...)
		}
	}
	k := b.Index.NewVar("k", b.Index.Const(0), count)
	side := func(r Row) *term.Term {
		at := b.Index.Add(r.From, b.Index.Mul(k.Expr(), r.Step))
		return b.ExtendS(n.Element(r.Tensor, at), width)
	}
	if only, ok := ConstInt(count); ok && only == 1 {
		one := func(r Row) *term.Term { return b.ExtendS(n.Element(r.Tensor, r.From), width) }
		return b.MulBits(one(x), one(y))
	}
	return b.Reduce(term.Sum, []*index.Atom{k}, b.MulBits(side(x), side(y)))
}

func integer(e *index.Expr) int {
	n, ok := ConstInt(e)
	if !ok {
		panic(fmt.Sprintf("ila: %s is not a number", e))
	}
	return n
}

// Task unrolls a nest whose sizes are numbers.
func (n *Nest) Task() *Task {
	ix := n.Model.B.Index
	t := &Task{Name: n.Name, Model: n.Model, Inputs: n.Inputs, Output: *n.Output, Tables: n.Tables, Claim: n.Claim,
		Rests: n.Rests, Corners: n.Corners}
	for _, s := range n.Init {
		counts := make([]int, len(s.Counts))
		for i, c := range s.Counts {
			counts[i] = integer(c)
		}
		each(counts, func(at []int) {
			address, value := s.At(constants(ix, at))
			t.Init = append(t.Init, Init{Place{s.Memory, uint64(integer(address))}, value})
		})
	}
	var unroll func([]Node)
	unroll = func(nodes []Node) {
		for _, d := range nodes {
			if d.Body == nil {
				t.Steps = append(t.Steps, Step{Values: d.Values, Text: d.Text})
				continue
			}
			for i := range integer(d.Count) {
				unroll(d.Body(ix.Const(int64(i))))
			}
		}
	}
	unroll(n.Body)
	// runs on samples and the proof ask for every element again
	at := func(flat int) []*index.Expr { return constants(ix, Unravel(n.Output.Dims, flat)) }
	places := make([]Place, n.Output.Size())
	t.Places = func(flat int) []Place {
		if places[flat].Memory == nil {
			c := n.Place(at(flat))
			places[flat] = Place{c.Memory, uint64(integer(c.Address))}
		}
		return places[flat : flat+1]
	}
	contracts := make([]*term.Term, n.Output.Size())
	t.Contract = func(flat int) *term.Term {
		if contracts[flat] == nil {
			contracts[flat] = n.Contract(at(flat))
		}
		return contracts[flat]
	}
	return t
}

// each calls f for every index within counts, the last varying fastest.
func each(counts []int, f func(at []int)) {
	total := 1
	for _, c := range counts {
		total *= c
	}
	for flat := range total {
		f(Unravel(counts, flat))
	}
}

func constants(ix *index.Builder, at []int) []*index.Expr {
	out := make([]*index.Expr, len(at))
	for i, v := range at {
		out[i] = ix.Const(int64(v))
	}
	return out
}

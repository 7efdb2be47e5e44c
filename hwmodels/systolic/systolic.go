// Package systolic models a weight-stationary systolic array cycle by cycle: operands enter skewed from the
// left, a row a cycle later than the one above, partial sums move down.
//
//	NewModel          the array; rows and columns are parameters
//	NewSpecification  the same instruction in one step, without cycles
//	MatMul            the program for a matrix product on the array and its contract
//	OneStep           the same program on the specification
//
// Source: H. T. Kung, Why Systolic Architectures?, IEEE Computer 15(1), 1982.
package systolic

import (
	"fmt"

	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

const (
	maxSide = 64   // rows, columns
	maxRows = 1024 // of the left operand
)

// A Machine is the model and the variables that drivers name.
type Machine struct {
	*ila.Model
	A, W, Out *ila.Var
}

// NewModel returns an array of rows x columns processing elements with int8 operands and int32 sums.
func NewModel(rows, columns int) *Machine {
	model := ila.New("systolic", "A weight-stationary systolic array, one micro-step a cycle.")
	b := model.B
	m := &Machine{Model: model}
	m.Params = []ila.Param{
		{Name: "rows", Value: fmt.Sprint(rows), Doc: "processing elements that a sum runs through"},
		{Name: "columns", Value: fmt.Sprint(columns), Doc: "sums that are computed side by side"},
	}
	count := m.Input("count", 16, "rows of the left operand; 0: nothing happens")
	m.A = m.Memory("a", 8, maxRows*maxSide, "left operand, 64 cells a row").FilledByPrograms()
	m.W = m.Memory("w", 8, maxSide*maxSide, "weights, 64 cells a row").FilledByPrograms()
	m.Out = m.Memory("out", 32, maxRows*maxSide, "result, 64 cells a row")
	x := m.Memory("x", 8, maxSide*maxSide, "operand registers, 64 a row")
	p := m.Memory("p", 32, maxSide*maxSide, "partial sums, 64 a row")
	cycle := m.Bits("cycle", 16, "cycles since the start")
	left := m.Bits("left", 16, "cycles to go")

	start := m.Instruction("matmul", "Clears the pipeline and starts it.", b.Truth(true))
	start.Require(b.Not(b.LessU(b.Bits(16, maxRows), count.Term)), ila.CodeOperand,
		fmt.Sprintf("more than %d rows", maxRows))
	start.Set(cycle, b.Bits(16, 0))
	total := b.AddBits(count.Term, b.Bits(16, uint64(rows+columns-2)))
	start.Set(left, b.Choose(b.Equal(count.Term, b.Bits(16, 0)), b.Bits(16, 0), total))
	cell := func(i, j int) *term.Term { return m.Address(uint64(i*maxSide + j)) }
	for i := range rows {
		for j := range columns {
			start.Store(x, cell(i, j), b.Bits(8, 0))
			start.Store(p, cell(i, j), b.Bits(32, 0))
		}
	}

	running := b.Not(b.Equal(left.Term, b.Bits(16, 0)))
	m.Invariant("rows", "While the array runs it has no more rows than the memories.",
		b.Or(b.Not(running), b.Not(b.LessU(b.Bits(16, maxRows), count.Term))))
	for i := range rows {
		m.Filled(x, uint64(i*maxSide), uint64(columns), running)
		m.Filled(p, uint64(i*maxSide), uint64(columns), running)
	}
	child := m.Child("array", "One cycle of all processing elements.")
	step := child.Instruction("cycle", "x moves right, p + x·w moves down, the last row leaves at the bottom.",
		running)
	step.Set(cycle, b.AddBits(cycle.Term, b.Bits(16, 1)))
	step.Set(left, b.SubBits(left.Term, b.Bits(16, 1)))
	// within tells whether 0 <= cycle - late < count, and returns that row
	within := func(late int) (inside, row *term.Term) {
		row = b.SubBits(cycle.Term, b.Bits(16, uint64(late)))
		early := b.LessU(cycle.Term, b.Bits(16, uint64(late)))
		return b.And(b.Not(early), b.LessU(row, count.Term)), row
	}
	for i := range rows {
		inside, row := within(i)
		entering := b.Choose(inside, m.Load(m.A, b.AddBits(m.Times(maxSide, row), m.Address(uint64(i)))), b.Bits(8, 0))
		for j := range columns {
			operand := entering
			if j > 0 {
				operand = m.Load(x, cell(i, j-1))
			}
			sum := b.MulBits(b.ExtendS(operand, 32), b.ExtendS(m.Load(m.W, cell(i, j)), 32))
			if i > 0 {
				sum = b.AddBits(m.Load(p, cell(i-1, j)), sum)
			}
			step.Store(x, cell(i, j), operand)
			step.Store(p, cell(i, j), sum)
			if i == rows-1 {
				leaves, out := within(i + j)
				step.Eachs = append(step.Eachs, ila.Each{N: 1, Stores: []ila.StoreTo{{Memory: m.Out, When: leaves,
					Address: b.AddBits(m.Times(maxSide, out), m.Address(uint64(j))), Value: sum}}})
			}
		}
	}
	return m
}

// NewSpecification returns a machine whose instruction computes in one step what the array does in cycles.
func NewSpecification(rows, columns int) *Machine {
	model := ila.New("systolic-step", "The product that a systolic array computes, in one step.")
	b := model.B
	m := &Machine{Model: model}
	count := m.Input("count", 16, "rows of the left operand; 0: nothing happens")
	m.A = m.Memory("a", 8, maxRows*maxSide, "left operand, 64 cells a row").FilledByPrograms()
	m.W = m.Memory("w", 8, maxSide*maxSide, "weights, 64 cells a row").FilledByPrograms()
	m.Out = m.Memory("out", 32, maxRows*maxSide, "result, 64 cells a row")
	step := m.Instruction("matmul", "out[i][j] = the sum over k of a[i][k]·w[k][j], modulo 2^32, for i < count.", b.Truth(true))
	step.Require(b.Not(b.LessU(b.Bits(16, maxRows), count.Term)), ila.CodeOperand,
		fmt.Sprintf("more than %d rows", maxRows))
	i, k := m.Counter("i", maxRows), m.Counter("k", rows)
	for j := range columns {
		left := m.Load(m.A, b.AddBits(b.MulBits(m.Address(maxSide), m.CountAt(i)), m.CountAt(k)))
		right := m.Load(m.W, b.AddBits(b.MulBits(m.Address(maxSide), m.CountAt(k)), m.Address(uint64(j))))
		step.Each(i, ila.StoreTo{Memory: m.Out, When: b.LessU(m.Count(16, i), count.Term),
			Address: b.AddBits(b.MulBits(m.Address(maxSide), m.CountAt(i)), m.Address(uint64(j))),
			Value:   b.Reduce(term.Sum, []*index.Atom{k}, b.MulBits(b.ExtendS(left, 32), b.ExtendS(right, 32)))})
	}
	return m
}

// MatMul returns the program for out = a·w with a [m][k], w [k][n] int8 and out [m][n] int32, on an array of k
// rows and n columns, and its contract: sums modulo 2^32. An error says which size does not fit.
func MatMul(m, k, n int) (*ila.Task, error) { return matMul(NewModel, m, k, n) }

// OneStep is MatMul on the specification.
func OneStep(m, k, n int) (*ila.Task, error) { return matMul(NewSpecification, m, k, n) }

func matMul(machineOf func(rows, columns int) *Machine, m, k, n int) (*ila.Task, error) {
	switch {
	case m < 1 || m > maxRows:
		return nil, fmt.Errorf("m is %d: the machine takes 1 to %d rows", m, maxRows)
	case k < 1 || k > maxSide || n < 1 || n > maxSide:
		return nil, fmt.Errorf("%dx%d: the machine has 1 to %d rows and columns", k, n, maxSide)
	}
	machine := machineOf(k, n)
	b := machine.B
	t := &ila.Task{Name: "systolic-matmul", Model: machine.Model}
	t.Claim = fmt.Sprintf("out[i,j] = sum(k < %d) a[i,k]·w[k,j], modulo 2^32", k)
	a := t.Declare("a", 8, true, m, k)
	w := t.Declare("w", 8, true, k, n)
	for at := range m * k {
		t.PutBytes(machine.A, uint64(at/k*maxSide+at%k), t.Element(a, at))
	}
	for at := range k * n {
		t.PutBytes(machine.W, uint64(at/n*maxSide+at%n), t.Element(w, at))
	}
	t.Steps = []ila.Step{{Values: []*term.Term{b.Bits(16, uint64(m))}, Text: fmt.Sprintf("matmul %d", m)}}
	t.Output = ila.Tensor{Name: "out", Dims: []int{m, n}, Width: 32, Signed: true}
	t.Places = func(flat int) []ila.Place {
		return []ila.Place{{Memory: machine.Out, Address: uint64(flat/n*maxSide + flat%n)}}
	}
	t.Contract = func(flat int) *term.Term {
		var pairs []*term.Term
		for x := range k {
			pairs = append(pairs, t.Element(a, flat/n*k+x), t.Element(w, x*n+flat%n))
		}
		return b.Dot(32, pairs...)
	}
	return t, nil
}

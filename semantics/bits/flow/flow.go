// Package flow is the syntax that languages of operations have in common when their texts have been read: values of a width, operations,
// registers, and an order in which each operation comes after those that it reads.
//
//	flow.go   Program and its parts; Ordered
//	lexer.go  Lexer: tokens of texts of words, numbers and marks
//	eval      the reference evaluator, on integers
//	lower     to a bits.Design
//
// What operations mean depends on their kinds, which are names with that of a language before them: comb.add, std_add, reticle.add. Evaluator
// and lowering each have their own table of these.
package flow

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/bits"
)

// MaxWidth bounds values.
const MaxWidth = 1 << 16

// A Value is what an operation computes, a register holds or an input has. Values are numbered by their place in Program.Values.
type Value struct {
	Name   string
	Width  int // at least 1
	Signed bool
	Lanes  int // of a vector: how many parts of equal width it has, the first lowest; else 1
	Span   source.Span
}

// An Op computes a value.
type Op struct {
	Kind    string
	Args    []int
	Result  int
	Numbers []int      // attributes
	Consts  []*big.Int // of constants: one a lane; of truth tables: one a bit, in the order of the text
	Span    source.Span
}

// A Register holds a value from one cycle to the next: Reset makes it ResetTo, else, where there is no Enable or that is 1, it loads Input.
// What is absent is below 0.
type Register struct {
	Value          int
	Input, Enable  int
	Reset, ResetTo int
	Initial        *big.Int // nil: any value
	Clear          *Clear   // nil: Reset, if there is one, counts at an edge of the clock
}

// A Clear is an asynchronous reset. A register holds To in each cycle in which the reset is active, and in each in which it was active at some
// time since the last edge of the clock.
type Clear struct {
	Input int  // the value of the input that resets
	Low   bool // where it is 0
	Was   int  // the value of the input that says that it did
	To    *big.Int
}

// An Output is a port and its value.
type Output struct {
	bits.Port
	Value int
}

// A Program is a text that was read.
type Program struct {
	Name      string
	Values    []Value
	Inputs    []bits.Port
	Inner     []int // the values of inputs
	Outputs   []Output
	Ops       []Op // in an order of evaluation, after Ordered
	Registers []Register
	Clocked   string // the clock; empty: none
	Top       string // of texts with names for what they define
	Trusts    []string
}

// Add makes a value.
func (p *Program) Add(v Value) int {
	if v.Lanes == 0 {
		v.Lanes = 1
	}
	p.Values = append(p.Values, v)
	return len(p.Values) - 1
}

// Ordered orders operations, and drops those that no output and no register needs. The error is comb-cycle.
func (p *Program) Ordered() error {
	by := map[int]int{}
	for i, o := range p.Ops {
		by[o.Result] = i
	}
	var roots []int
	for _, o := range p.Outputs {
		roots = append(roots, o.Value)
	}
	for _, r := range p.Registers {
		for _, v := range []int{r.Input, r.Enable, r.Reset, r.ResetTo} {
			if v >= 0 {
				roots = append(roots, v)
			}
		}
	}
	var order []Op
	cycle := bits.Postorder(roots, func(v int) []int {
		if i, ok := by[v]; ok {
			return p.Ops[i].Args
		}
		return nil
	}, func(v int) {
		if i, ok := by[v]; ok {
			order = append(order, p.Ops[i])
		}
	})
	if cycle != nil {
		first := cycle[0]
		for _, v := range cycle {
			if p.Ops[by[v]].Span.Start < p.Ops[by[first]].Span.Start {
				first = v
			}
		}
		return source.Errorf(p.Ops[by[first]].Span, "comb-cycle", "%s is made of itself, through no register (operations on the way: %d)",
			p.Values[first].Name, len(cycle))
	}
	p.Ops = order
	return nil
}

// Ports are the ports without the clock.
func (p *Program) Ports() (in, out []bits.Port) {
	for _, o := range p.Outputs {
		out = append(out, o.Port)
	}
	return p.Inputs, out
}

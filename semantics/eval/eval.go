// Package eval is the reference evaluator: what a Glenside program means, one element at a time.
//
// It is separate from the lowering and the prover and shares no code with them: everything else is tested
// against it. It answers for the output elements asked for, computing only what they need.
//
//	Arith      real (exact rationals, MIN, interval enclosures of exp, log, sqrt, erf) or exact (bit for bit)
//	Value      one element in one of these arithmetics
//	Inputs     where the elements of the input tensors come from
//	Evaluator  a typed program at a point of its domain with inputs
package eval

import (
	"errors"

	"tv/glenside"
)

// Arith is the arithmetic in force; see doc/semantics.md.
type Arith uint8

const (
	Real  Arith = iota // every element is a real number or MIN
	Exact              // bit for bit in the element types
)

// A Value is one element. The zero value is the real number 0.
type Value struct {
	stub int
}

// String prints a decimal, exactly where that is possible: "3", "-7/2", "0x1p-3", "-0", "nan", "inf", "min" for MIN.
func (v Value) String() string { panic("stub") }

// ParseValue reads what String prints, and decimals, for an element of type t under arithmetic a.
func ParseValue(s string, a Arith, t glenside.ElemType) (Value, error) { panic("stub") }

// IntValue returns n as an element of type t, converted as a cast would (in real: n itself).
func IntValue(n int64, a Arith, t glenside.ElemType) Value { panic("stub") }

// Relation is what is known about two values.
type Relation uint8

const (
	Undecided Relation = iota // enclosures overlap
	Same
	Different
)

// Compare tells whether two results are the same: in real, equal numbers (disjoint enclosures are Different);
// in exact, equal bits, all NaNs being one value.
func Compare(x, y Value) Relation { panic("stub") }

// Inputs gives the elements of the input tensors: the element at a row-major offset.
type Inputs interface {
	Element(name string, offset int64) Value
}

// ErrUndefined says that an element has no value: a division by zero, the root of a negative number, an
// index of take outside its axis. Returned errors wrap it and say which.
var ErrUndefined = errors.New("undefined")

// An UninterpretedError says that an element rests on a symbol that the arithmetic does not interpret.
type UninterpretedError struct{ Symbol string }

func (e *UninterpretedError) Error() string { return "rests on uninterpreted " + e.Symbol }

// An Evaluator computes elements of one program. It is not safe for concurrent use.
type Evaluator struct{}

// New prepares a typed program for evaluation at a point of its domain. It fails where the program is ill
// formed at the point (a condition of the typing is false), with the error that the condition stands for.
func New(ty *glenside.Typing, a Arith, point glenside.Point, in Inputs) (*Evaluator, error) {
	panic("stub")
}

// Dims returns the dims of a component of the result: component is empty unless the program returns a tuple,
// else the path of indices into it.
func (e *Evaluator) Dims(component []int) []int64 { panic("stub") }

// Element returns the element of the result at an index, one number an axis, each within its dim.
func (e *Evaluator) Element(component []int, index []int64) (Value, error) { panic("stub") }

// NodeElement returns an element of the value of any node that is a tensor or an access pattern; NodeDims its dims.
func (e *Evaluator) NodeElement(n *glenside.Node, index []int64) (Value, error) { panic("stub") }

// NodeDims returns the dims of a node that is a tensor or an access pattern.
func (e *Evaluator) NodeDims(n *glenside.Node) []int64 { panic("stub") }

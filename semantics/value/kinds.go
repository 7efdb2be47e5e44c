package value

import (
	"errors"

	"tv/semantics/domain"
)

// Arith is the arithmetic in force.
type Arith = domain.Arith

const (
	Real  = domain.Real
	Exact = domain.Exact
	Auto  = domain.Auto
)

// Relation is what is known about two values.
type Relation uint8

const (
	Undecided Relation = iota // enclosures overlap
	Same
	Different
)

// String returns "undecided", "same" or "different".
func (r Relation) String() string { return [...]string{"undecided", "same", "different"}[r] }

// Inputs gives the elements of the input tensors: the element at a row-major offset. An Inputs that is an
// [Opener] too is asked once for each tensor instead of by name for each element.
type Inputs interface {
	Element(name string, offset int64) Value
}

// An Opener gives the elements of one tensor as a function of the row-major offset.
type Opener interface {
	Open(name string) func(offset int64) Value
}

// ErrUndefined says that an element has no value: a division by zero, the root of a negative number, an
// index of take outside its axis. Returned errors wrap it and say which.
var ErrUndefined = errors.New("undefined")

// An UninterpretedError says that an element rests on a symbol that the arithmetic does not interpret: the
// name of a function ("exp"), of an accelerator call ("flex-lstm") or a phrase ("cast from float32 to int8").
type UninterpretedError struct{ Symbol string }

func (e *UninterpretedError) Error() string { return "rests on uninterpreted " + e.Symbol }

package value

import (
	"math/big"

	"tv/semantics/domain"
)

// An Arithmetic computes with the elements of one type. Operations on a failure return that failure.
// Operands of another arithmetic are failures too: the caller has checked what comes in.
type Arithmetic interface {
	Zero() Value
	Integer(n int64) Value     // n converted as a cast would
	Constant(r *big.Rat) Value // the decimal of a literal, converted as a cast would
	Infinity(sign int) Value   // the literals inf and -inf
	Lowest() Value             // MIN

	Add(x, y Value) Value
	Sub(x, y Value) Value
	Mul(x, y Value) Value
	Div(x, y Value) Value
	Mean(sum Value, n int64) Value // sum/n for n >= 1
	Max(x, y Value) Value          // the earlier of equal values; a NaN only if both are
	Min(x, y Value) Value

	Neg(x Value) Value
	Relu(x Value) Value             // x if x >= 0, else 0
	LeakyRelu(x, slope Value) Value // x if x > 0, else slope*x
	Sqrt(x Value) Value
	Round(x Value) Value // half away from zero

	Exp(x Value) Value
	Log(x Value) Value
	Erf(x Value) Value
	Sigmoid(x Value) Value
	Tanh(x Value) Value

	ShiftLeft(x Value, by int64) Value
	ShiftRight(x Value, by int64) Value
}

// Of returns the arithmetic of elements of type t.
func Of(a Arith, t domain.Elem) Arithmetic {
	if !a.Bits(t) {
		return realArithmetic{}
	}
	switch t.Kind {
	case domain.ElemFloat:
		return &ieee{newExact(t)}
	case domain.ElemFix:
		return &fixed{*newIntegers(t)}
	case domain.ElemAdaptive:
		return newAdaptive(t, 0)
	case domain.ElemSat:
		return &saturating{*newIntegers(t)}
	}
	return newIntegers(t)
}

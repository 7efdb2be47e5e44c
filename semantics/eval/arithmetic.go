package eval

import (
	"math/big"

	"tv/semantics/domain"
)

// An arithmetic computes with the elements of one type. Operations on a failure return that failure.
// Operands of another arithmetic are failures too: the caller has checked what comes in.
type arithmetic interface {
	zero() Value
	integer(n int64) Value     // n converted as a cast would
	constant(r *big.Rat) Value // the decimal of a literal, converted as a cast would
	infinity(sign int) Value   // the literals inf and -inf
	lowest() Value             // MIN

	add(x, y Value) Value
	sub(x, y Value) Value
	mul(x, y Value) Value
	div(x, y Value) Value
	mean(sum Value, n int64) Value // sum/n for n >= 1
	max(x, y Value) Value          // the earlier of equal values; a NaN only if both are
	min(x, y Value) Value

	neg(x Value) Value
	relu(x Value) Value             // x if x >= 0, else 0
	leakyRelu(x, slope Value) Value // x if x > 0, else slope*x
	sqrt(x Value) Value
	round(x Value) Value // half away from zero

	exp(x Value) Value
	log(x Value) Value
	erf(x Value) Value
	sigmoid(x Value) Value
	tanh(x Value) Value

	shiftLeft(x Value, by int64) Value
	shiftRight(x Value, by int64) Value

	cast(x Value, to domain.Elem) Value
}

// arithmeticOf returns the arithmetic of elements of type t.
func arithmeticOf(a Arith, t domain.Elem) arithmetic {
	if a == Real {
		return realArithmetic{elem: t}
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

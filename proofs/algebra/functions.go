package algebra

import (
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// Names of functions that have laws of their own (doc/certificates.md 4.3). Conditions on elements
// are functions whose values are true and false.
const (
	Chosen  = "chosen"   // the second operand where the first is true, and else the third
	Both    = "both"     // whether all operands are true
	Not     = "not"      // whether the operand is not
	Less    = "less"     // whether the first operand is less than the second
	AtMost  = "at most"  // or equal; of floats, which have NaN
	Equal   = "equal"    // whether two operands are equal
	BitAnd  = "bits and" // of both numbers
	BitOr   = "bits or"  //
	BitXor  = "bits xor" //
	Divided = "quotient" // by a positive number, rounded towards 0

	DividedByData   = "quotient by data"  // by any number
	RemainderByData = "remainder by data" // x - y·(x/y)
	ShiftByData     = "right shift by data"
	ShiftLeftByData = "left shift by data"

	above0 = "more than" // whether the operand, a real number, is more than 0
	equal0 = "equal to"  // whether it is 0
)

// Truth is the sort of conditions on elements.
var Truth = domain.Elem{Kind: domain.ElemBool, Width: 1}

// Function is a function that has a value where all its operands have. Nothing else is known of it
// but what its name says together with the sort of operands, in which polynomials differ.
func (l *State) Function(sort domain.Elem, name string, args ...*Scalar) *Scalar {
	if of := args[len(args)-1].Elem; !IsReal(of) && of != Truth && name != Chosen {
		name += " of " + of.String()
	}
	return l.Make(Scalar{Op: OpFunction, Name: name, Args: args, Elem: sort})
}

// symmetric reports whether the two operands of a function may be exchanged.
func symmetric(name string) bool {
	kind, _, _ := strings.Cut(name, " of ")
	return slices.Contains([]string{Equal, BitAnd, BitOr, BitXor}, kind)
}

// lawful brings closed operands of a function in order; if it is one of them, that is first.
func lawful[T comparable](name string, list []T, id func(T) int) (out []T, first bool) {
	if name == Chosen && list[1] == list[2] {
		return list[1:2], true
	}
	if name == Both || symmetric(name) {
		list = slices.Clone(list)
		slices.SortFunc(list, func(x, y T) int { return id(x) - id(y) })
	}
	if name == Both {
		list = slices.Compact(list)
		return list, len(list) == 1
	}
	return list, false
}

// compared brings comparisons of real numbers into one form: y - x > 0 for x < y and y - x = 0, up
// to factors that change nothing.
func (e *engine) compared(c *Context, name string, args []sum) (string, []sum) {
	if !e.laws.field || name != Less && name != Equal && name != above0 && name != equal0 {
		return name, args
	}
	x := args[len(args)-1]
	if len(args) == 2 {
		x = concat(x, e.scale(minusOne, args[0]))
		name = map[string]string{Less: above0, Equal: equal0}[name]
	}
	if x = e.tidy(c, x); len(x) > 0 {
		by := new(big.Rat)
		for _, s := range x {
			by = content(by, s.coef)
		}
		if name == equal0 && x[0].coef.Sign() < 0 {
			by.Neg(by)
		}
		x = e.scale(by.Inv(by), x)
	}
	return name, []sum{x}
}

// Partial reports whether a term may have no value for some contents: then an operation that does
// not take it, whatever it is, may have a value where a function of it has none. MIN is no value,
// and stands in maxima with others alone.
func (t *Scalar) Partial() bool { return t.part }

// partial says so of the operation alone.
func (t *Scalar) partial() bool {
	switch t.Op {
	case OpConst:
		return t.Val == nil && !isFloat(t.Elem)
	case OpRead:
		return t.asks
	case OpDiv:
		d := t.Args[1]
		return !isFloat(t.Elem) && (d.Op != OpConst || d.Val == nil || d.Val.Sign() == 0 ||
			!IsReal(t.Elem) && d.Val.Sign() < 0)
	case OpApply:
		if isInteger(t.Elem) && t.shortShift() {
			return false
		}
		return !isFloat(t.Elem) && (!IsReal(t.Elem) ||
			!slices.Contains([]string{"exp", "erf", "tanh"}, t.Name))
	case OpConvert:
		return partialConversion(t)
	case OpGather:
		return true
	}
	return false
}

// shortShift reports whether t is a shift by a number that is less than the width.
func (t *Scalar) shortShift() bool {
	if t.Name != "left-shift" && t.Name != "right-shift" || t.Args[1].Op != OpNumber {
		return false
	}
	n, ok := t.Args[1].E.Const()
	k, small := n.Int64()
	return ok && small && k >= 0 && k < int64(t.Elem.Width)
}

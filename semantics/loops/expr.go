package loops

import (
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
)

// An Expr is an element: operands first, then the operation; Choice alone leaves one operand out. It has type Elem.
// Operands have the type of the result but where the operation says otherwise; a language writes its conversions out.
type Expr struct {
	Op     Op
	Elem   domain.Elem
	Args   []*Expr
	From   Access   // of Read
	Int    *Int     // of FromInt
	Number *big.Rat // of Literal
	Name   string   // of Special and of Function
	// Checked tells of Negate, Add, Sub, Mul, ShiftLeft and Absolute of integers with a sign that the call ends where the
	// result is none of the type (and of ShiftLeft, where the operand is below 0).
	Checked bool
	At      source.Span
}

// Op is the operation of an Expr.
//
// Convert: between floats rounds; from a float to an integer type goes towards 0, and beyond the type the call ends; from
// an integer to a float type rounds; between integer types is modulo 2^width, so that a widening keeps the value. A bool is
// 0 or 1, and what is converted to a bool is whether it is not 0.
type Op uint8

const (
	Read    Op = iota // the element From
	Literal           // Number, which is one of Elem if that is an integer type, and rounds to one of a float type
	Special           // Name is inf, -inf, nan or -0, of a float type
	FromInt           // Int as an element: of an integer type modulo 2^width, of a float type rounded
	Convert           // Args[0] of another type, see below

	Negate // integers wrap
	Add    // integers wrap; floats round
	Sub
	Mul
	Div     // integers towards 0, and undefined by 0 and of the least one by -1; floats
	Rem     // integers: x - y·(x Div y), undefined as Div
	DivDown // integers, rounded down
	DivUp   // integers, rounded up
	BitAnd  // integers and bools
	BitOr
	BitXor
	BitNot
	ShiftLeft  // x·2^y modulo 2^width, also for x below 0; y of any integer type, 0 <= y < width or the call ends
	ShiftRight // x div 2^y, rounded down: signed types keep the sign

	// Comparisons have type bool, and two operands of one type. Of floats one with a NaN is false, but NotEqual.
	IsEqual
	IsNotEqual
	IsLess
	IsLessEqual

	Choice   // Args[1] where Args[0], a bool, holds, else Args[2], which alone is executed
	Minimum  // the lesser; of floats NaN if one is, and -0 is below 0
	Maximum  // the greater; likewise
	MinNum   // the lesser; of floats the other if one is NaN; of 0 and -0 either
	MaxNum   // the greater; likewise
	Absolute // integers wrap
	Function // of floats, by Name: exp log sqrt erf pow sin cos tan tanh floor ceil round trunc fma rsqrt
)

// Element returns the read of an access.
func Element(a Access) *Expr {
	return &Expr{Op: Read, Elem: a.Buffer.Elem, From: a, At: a.Where}
}

// Same tells whether two elements are written alike.
func (e *Expr) Same(f *Expr) bool {
	if e.Op != f.Op || e.Elem != f.Elem || e.Name != f.Name || e.Checked != f.Checked || !slices.EqualFunc(e.Args, f.Args, (*Expr).Same) {
		return false
	}
	switch e.Op {
	case Read:
		return e.From.Same(f.From)
	case FromInt:
		return e.Int.Same(f.Int)
	case Literal:
		return e.Number.Cmp(f.Number) == 0
	}
	return true
}

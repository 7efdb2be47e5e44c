package domain

import "strings"

// An Arith says which numbers the elements of tensors are; see doc/semantics.md. The zero value is the default.
type Arith uint8

const (
	Auto  Arith = iota // each element type by itself: floats are real numbers, all others bit for bit
	Real               // every element is a real number or MIN
	Exact              // bit for bit in the element types
)

// String returns "auto", "real" or "exact".
func (a Arith) String() string { return [...]string{"auto", "real", "exact"}[a] }

// ArithOf returns Exact or Real.
func ArithOf(exact bool) Arith {
	if exact {
		return Exact
	}
	return Real
}

// ParseArith reads what String prints.
func ParseArith(s string) (Arith, bool) {
	for _, a := range []Arith{Auto, Real, Exact} {
		if a.String() == s {
			return a, true
		}
	}
	return Auto, false
}

// ArithIn returns the arithmetic that the arguments of a litmus file ask about, the default where they name none.
func ArithIn(args string) Arith {
	if strings.Contains(args, "--require-exact") {
		return Exact
	}
	_, rest, _ := strings.Cut(args, "--arith")
	word, _, _ := strings.Cut(strings.TrimLeft(rest, " ="), " ")
	a, _ := ParseArith(strings.TrimSpace(word))
	return a
}

// Bits tells whether the elements of a type are what its bits say; otherwise they are real numbers.
func (a Arith) Bits(t Elem) bool { return a == Exact || a == Auto && t.Kind != ElemFloat }

package domain

// An Arith says which numbers the elements of tensors are; see doc/semantics.md.
type Arith uint8

const (
	Real  Arith = iota // every element is a real number or MIN
	Exact              // bit for bit in the element types
	Auto               // each element type by itself: floats are real numbers, all others bit for bit
)

// String returns "real", "exact" or "auto".
func (a Arith) String() string { return [...]string{"real", "exact", "auto"}[a] }

// ArithOf returns Exact or Real.
func ArithOf(exact bool) Arith {
	if exact {
		return Exact
	}
	return Real
}

// ParseArith reads what String prints.
func ParseArith(s string) (Arith, bool) {
	for _, a := range []Arith{Real, Exact, Auto} {
		if a.String() == s {
			return a, true
		}
	}
	return Real, false
}

// Bits tells whether the elements of a type are what its bits say; otherwise they are real numbers.
func (a Arith) Bits(t Elem) bool { return a == Exact || a == Auto && t.Kind != ElemFloat }

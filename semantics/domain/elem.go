package domain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ElemKind is the family of an element type.
type ElemKind uint8

const (
	ElemFloat    ElemKind = iota // IEEE-754 binary: Width 16, 32 or 64
	ElemInt                      // signed, wraps: Width 8, 16, 32 or 64
	ElemUint                     // unsigned, wraps
	ElemBool                     // Width 1
	ElemSat                      // signed, saturates: satN, Width 8, 16 or 32
	ElemFix                      // fixM.F: signed, M integer bits with the sign, F fraction bits; Width M+F
	ElemAdaptive                 // adaptiveN.E: AdaptivFloat of N bits, E of them exponent; Width N
)

// An Elem is the type of an element of a tensor. It is comparable. The zero value is no type.
type Elem struct {
	Kind  ElemKind
	Width int // bits
	Frac  int // fraction bits of ElemFix, exponent bits of ElemAdaptive, else 0
}

// Float32 is the element type of a tensor whose declaration names none.
var Float32 = Elem{Kind: ElemFloat, Width: 32}

var elemTypes = map[string]Elem{
	"bool": {ElemBool, 1, 0},
	"int":  {ElemInt, 32, 0}, "int8": {ElemInt, 8, 0}, "int16": {ElemInt, 16, 0},
	"int32": {ElemInt, 32, 0}, "int64": {ElemInt, 64, 0},
	"uint": {ElemUint, 32, 0}, "uint8": {ElemUint, 8, 0}, "uint16": {ElemUint, 16, 0},
	"uint32": {ElemUint, 32, 0}, "uint64": {ElemUint, 64, 0},
	"float": {ElemFloat, 32, 0}, "float16": {ElemFloat, 16, 0}, "float32": {ElemFloat, 32, 0},
	"float64": {ElemFloat, 64, 0},
	"sat8":    {ElemSat, 8, 0}, "sat16": {ElemSat, 16, 0}, "sat32": {ElemSat, 32, 0},
}

// ElemNames returns the names of the element types that have no parameters, sorted.
func ElemNames() []string {
	var names []string
	for name, t := range elemTypes {
		if name == t.String() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// ParseElem reads "int8", "float32", "sat16", "fix6.14", "adaptive8.3"; "int", "uint" and "float" mean
// 32 bits. Fixed point has 1 to 64 bits, at least one of them before the point; AdaptivFloat has 3 to 32
// bits, of which one is the sign and at least one the exponent.
func ParseElem(s string) (Elem, bool) {
	if t, ok := elemTypes[s]; ok {
		return t, true
	}
	if m, f, ok := dottedNumbers(s, "fix"); ok && m >= 1 && m+f <= 64 {
		return Elem{ElemFix, m + f, f}, true
	}
	if n, e, ok := dottedNumbers(s, "adaptive"); ok && n >= 3 && n <= 32 && e >= 1 && e < n {
		return Elem{ElemAdaptive, n, e}, true
	}
	return Elem{}, false
}

// dottedNumbers reads two numbers of at most two digits, without leading zeros: prefix, number, ".", number.
func dottedNumbers(s, prefix string) (a, b int, ok bool) {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok {
		return 0, 0, false
	}
	left, right, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(left)
	b, errB := strconv.Atoi(right)
	ok = errA == nil && errB == nil && len(rest) <= 5 && fmt.Sprintf("%d.%d", a, b) == rest && b >= 0
	return a, b, ok
}

// String returns the canonical spelling.
func (t Elem) String() string {
	switch t.Kind {
	case ElemInt:
		return fmt.Sprintf("int%d", t.Width)
	case ElemUint:
		return fmt.Sprintf("uint%d", t.Width)
	case ElemBool:
		return "bool"
	case ElemSat:
		return fmt.Sprintf("sat%d", t.Width)
	case ElemFix:
		return fmt.Sprintf("fix%d.%d", t.Width-t.Frac, t.Frac)
	case ElemAdaptive:
		return fmt.Sprintf("adaptive%d.%d", t.Width, t.Frac)
	default:
		return fmt.Sprintf("float%d", t.Width)
	}
}

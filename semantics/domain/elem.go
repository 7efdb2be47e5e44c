package domain

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// ElemKind is the family of an element type.
type ElemKind uint8

const (
	ElemFloat    ElemKind = iota // IEEE-754 binary: Width 16, 32 or 64; BFloat16
	ElemInt                      // signed, wraps: Width 8, 16, 32 or 64
	ElemUint                     // unsigned, wraps
	ElemBool                     // Width 1
	ElemSat                      // signed, saturates: satN, Width 8, 16 or 32
	ElemFix                      // fixM.F: signed, M integer bits with the sign, F fraction bits; Width M+F
	ElemAdaptive                 // adaptiveN.E: AdaptivFloat of N bits, E of them exponent; Width N
)

// Kinds are families of element types, each a bit; none stands for all.
type Kinds uint16

// The families that have functions of their own.
const (
	RealKinds Kinds = 1 << ElemFloat                                                   // exp and what is made of it
	BitKinds  Kinds = 1<<ElemInt | 1<<ElemUint | 1<<ElemBool | 1<<ElemSat | 1<<ElemFix // shifts
)

// Has tells whether the family of a type is among them.
func (k Kinds) Has(t Elem) bool { return k == 0 || k>>t.Kind&1 != 0 }

// String names the families, for the reference.
func (k Kinds) String() string {
	return map[Kinds]string{RealKinds: "floats", BitKinds: "integers, saturating and fixed-point types"}[k]
}

// An Elem is the type of an element of a tensor. It is comparable. The zero value is no type.
type Elem struct {
	Kind  ElemKind
	Width int // bits
	Frac  int // fraction bits of ElemFix, exponent bits of ElemAdaptive and of BFloat16, else 0
}

// Float32 is the element type of a tensor whose declaration names none.
var Float32 = Elem{Kind: ElemFloat, Width: 32}

// BFloat16 is the upper half of a float32: 8 exponent and 7 fraction bits, otherwise as IEEE-754 has it.
var BFloat16 = Elem{Kind: ElemFloat, Width: 16, Frac: 8}

var elemTypes = map[string]Elem{
	"bool": {ElemBool, 1, 0},
	"int":  {ElemInt, 32, 0}, "int8": {ElemInt, 8, 0}, "int16": {ElemInt, 16, 0},
	"int32": {ElemInt, 32, 0}, "int64": {ElemInt, 64, 0},
	"uint": {ElemUint, 32, 0}, "uint8": {ElemUint, 8, 0}, "uint16": {ElemUint, 16, 0},
	"uint32": {ElemUint, 32, 0}, "uint64": {ElemUint, 64, 0},
	"float": {ElemFloat, 32, 0}, "float16": {ElemFloat, 16, 0}, "float32": {ElemFloat, 32, 0},
	"float64": {ElemFloat, 64, 0}, "bfloat16": BFloat16,
	"sat8": {ElemSat, 8, 0}, "sat16": {ElemSat, 16, 0}, "sat32": {ElemSat, 32, 0},
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
	case ElemFloat:
		if t.Frac != 0 {
			return "bfloat16"
		}
	}
	return fmt.Sprintf("float%d", t.Width)
}

// Greatest is the greatest finite number of a float type, nil of other types.
func (t Elem) Greatest() *big.Rat {
	if t.Kind != ElemFloat {
		return nil
	}
	fraction := map[Elem]uint{BFloat16: 7, {ElemFloat, 16, 0}: 10, {ElemFloat, 32, 0}: 23, {ElemFloat, 64, 0}: 52}[t]
	if fraction == 0 {
		return nil
	}
	bias := uint(1)<<(uint(t.Width)-fraction-2) - 1
	n := new(big.Int).Lsh(big.NewInt(1), fraction+1)
	return new(big.Rat).SetInt(n.Lsh(n.Sub(n, big.NewInt(1)), bias-fraction))
}

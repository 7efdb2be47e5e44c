package cnest

import (
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// A ctype is void, an integer type or a float type. Types of one width and sign are one here: long long is long.
type ctype struct {
	family   family
	width    int // bits
	unsigned bool
}

type family uint8

const (
	void family = iota
	integer
	floating
)

// Types that the rules of C name.
var (
	intType      = ctype{integer, 32, false}
	unsignedType = ctype{integer, 32, true}
	longType     = ctype{integer, 64, false}
	ulongType    = ctype{integer, 64, true}
	floatType    = ctype{floating, 32, false}
	doubleType   = ctype{floating, 64, false}
)

// String is the name of a type.
func (t ctype) String() string {
	name := map[int]string{8: "char", 16: "short", 32: "int", 64: "long"}[t.width]
	switch {
	case t.family == void:
		return "void"
	case t == floatType:
		return "float"
	case t == doubleType:
		return "double"
	case t.unsigned:
		return "unsigned " + name
	case t.width == 8:
		return "signed char"
	}
	return name
}

func (t ctype) elem() domain.Elem {
	switch {
	case t.family == floating:
		return domain.Elem{Kind: domain.ElemFloat, Width: t.width}
	case t.unsigned:
		return domain.Elem{Kind: domain.ElemUint, Width: t.width}
	}
	return domain.Elem{Kind: domain.ElemInt, Width: t.width}
}

// limits are the least and the greatest integer of a type; of double, those up to which all are numbers of double.
func (t ctype) limits() (lo, hi *big.Int) {
	one := big.NewInt(1)
	switch {
	case t.family == floating:
		hi = new(big.Int).Lsh(one, map[int]uint{32: 24, 64: 53}[t.width])
		return new(big.Int).Neg(hi), hi
	case t.unsigned:
		hi = new(big.Int).Lsh(one, uint(t.width))
		return new(big.Int), hi.Sub(hi, one)
	}
	hi = new(big.Int).Lsh(one, uint(t.width-1))
	return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
}

// promoted is the type in which operators take an operand: all that is narrower than int is an int.
func (t ctype) promoted() ctype {
	if t.family == integer && t.width < 32 {
		return intType
	}
	return t
}

// usual is the type in which an operator takes two operands, by the usual arithmetic conversions.
func usual(a, b ctype) ctype {
	if a.family == floating || b.family == floating {
		if a == doubleType || b == doubleType {
			return doubleType
		}
		return floatType
	}
	a, b = a.promoted(), b.promoted()
	switch {
	case a.width > b.width:
		return a
	case b.width > a.width:
		return b
	}
	a.unsigned = a.unsigned || b.unsigned
	return a
}

// typeWords are the words that types are made of, and those that stand before them and say nothing of elements.
var typeWords = []string{"void", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "const", "static",
	"inline", "__inline__", "__inline", "restrict", "__restrict__", "__restrict", "register"}

// namedTypes are those of stdint.h and stddef.h.
var namedTypes = map[string]ctype{
	"int8_t": {integer, 8, false}, "int16_t": {integer, 16, false}, "int32_t": intType, "int64_t": longType,
	"uint8_t": {integer, 8, true}, "uint16_t": {integer, 16, true}, "uint32_t": unsignedType, "uint64_t": ulongType,
	"size_t": ulongType, "ssize_t": longType, "ptrdiff_t": longType, "intptr_t": longType, "uintptr_t": ulongType,
}

// refusedWords begin what C has and the subset has not.
var refusedWords = map[string]string{
	"goto": "goto", "break": "break", "continue": "continue", "switch": "switch",
	"case": "case", "default": "default", "struct": "structs", "union": "unions", "enum": "enums", "typedef": "typedef",
	"volatile": "volatile", "extern": "declarations of other files", "sizeof": "sizeof", "_Bool": "type _Bool", "bool": "type bool",
	"_Complex": "complex numbers", "auto": "auto", "__attribute__": "attributes", "asm": "assembly", "__asm__": "assembly",
}

// startsType tells whether a token is the first of a type.
func startsType(t token) bool {
	if t.kind != word {
		return false
	}
	_, named := namedTypes[t.text]
	return named || slices.Contains(typeWords, t.text)
}

// reserved tells whether a word cannot be a name.
func reserved(s string) bool {
	_, refused := refusedWords[s]
	return refused || slices.Contains(typeWords, s) || slices.Contains([]string{"for", "while", "do", "if", "else", "return"}, s)
}

// basicType returns the type that words say together, such as unsigned long int; qualifiers are no part of it.
func basicType(words []string) (t ctype, ok bool) {
	count := map[string]int{}
	for _, w := range words {
		count[w]++
	}
	has := func(list ...string) bool { // these and no others
		n := 0
		for _, w := range list {
			n += count[w]
		}
		return n == len(words)
	}
	sign := count["signed"] + count["unsigned"]
	if len(words) == 0 || sign > 1 || count["int"] > 1 || count["char"] > 1 || count["short"] > 1 || count["long"] > 2 {
		return ctype{}, false
	}
	t = ctype{integer, 32, count["unsigned"] > 0}
	switch text := strings.Join(words, " "); {
	case text == "void":
		return ctype{}, true
	case text == "float":
		return floatType, true
	case text == "double":
		return doubleType, true
	case count["char"] == 1:
		t.width, ok = 8, has("char", "signed", "unsigned")
	case count["short"] == 1:
		t.width, ok = 16, has("short", "int", "signed", "unsigned")
	case count["long"] > 0:
		t.width, ok = 64, has("long", "int", "signed", "unsigned")
	default:
		ok = has("int", "signed", "unsigned")
	}
	return t, ok
}

package cnest

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A ctype is an arithmetic type of C, or void, the zero value. int has 32 bits, long and long long
// have 64, char has a sign.
type ctype struct {
	elem domain.Elem
	rank int // of integers (6.3.1.1): 1 char, 2 short, 3 int, 4 long, 5 long long
}

func whole(width, rank int) ctype {
	return ctype{domain.Elem{Kind: domain.ElemInt, Width: width}, rank}
}

func float(width int) ctype {
	return ctype{domain.Elem{Kind: domain.ElemFloat, Width: width}, 0}
}

func (t ctype) unsigned() ctype {
	t.elem.Kind = domain.ElemUint
	return t
}

var (
	void    = ctype{}
	char    = whole(8, 1)
	short   = whole(16, 2)
	integer = whole(32, 3)
	long    = whole(64, 4)
	single  = float(32)
	double  = float(64)

	// named are the types of <stdint.h> and <stddef.h>.
	named = map[string]ctype{
		"int8_t": char, "int16_t": short, "int32_t": integer, "int64_t": long, "ptrdiff_t": long,
		"uint8_t": char.unsigned(), "uint16_t": short.unsigned(), "uint32_t": integer.unsigned(),
		"uint64_t": long.unsigned(), "size_t": long.unsigned(),
	}
	// specified are those of the words that specify them (6.7.2), sorted.
	specified = func() map[string]ctype {
		out := map[string]ctype{"void": void, "float": single, "double": double}
		for words, t := range map[string]ctype{"char": char, "short": short, "int short": short,
			"int": integer, "long": long, "int long": long, "long long": whole(64, 5),
			"int long long": whole(64, 5)} {
			for _, more := range []string{"", "signed", "unsigned"} {
				list := strings.Fields(words + " " + more)
				slices.Sort(list)
				if out[strings.Join(list, " ")] = t; more == "unsigned" {
					out[strings.Join(list, " ")] = t.unsigned()
				}
			}
		}
		out["signed"], out["unsigned"] = integer, integer.unsigned()
		return out
	}()
)

func (t ctype) isFloat() bool { return t.elem.Kind == domain.ElemFloat && t != void }
func (t ctype) isInt() bool   { return t.rank > 0 }
func (t ctype) signed() bool  { return t.elem.Kind == domain.ElemInt }

// promoted is the type of an operand by itself (6.3.1.1): int has all values of what is smaller.
func (t ctype) promoted() ctype {
	if t.isInt() && t.rank < integer.rank {
		return integer
	}
	return t
}

// usual is the common type of two operands (6.3.1.8).
func usual(x, y ctype) ctype {
	if x.isFloat() || y.isFloat() {
		if x == double || y == double {
			return double
		}
		return single
	}
	if x, y = x.promoted(), y.promoted(); x.rank < y.rank {
		x, y = y, x
	}
	switch {
	case x.signed() == y.signed(), !x.signed(), x.elem.Width > y.elem.Width:
		return x // the higher rank
	case x.rank == y.rank:
		return y // which is the unsigned one
	}
	return x.unsigned() // signed, of a higher rank, and without all values of y
}

// limits are the least and the greatest value of a type; of double, ends of a range in which every
// integer is a value, and sums, products and roundings of quotients are exact if they are in it.
func (t ctype) limits() (least, most *big.Int) {
	bits := map[bool]uint{true: uint(t.elem.Width) - 1, false: uint(t.elem.Width)}[t.signed()]
	if t.isFloat() {
		bits = map[bool]uint{true: 52, false: 23}[t == double]
	}
	most = loops.Beyond(bits)
	most.Sub(most, big.NewInt(1))
	switch {
	case t.isFloat():
		return new(big.Int).Neg(most), most
	case t.signed():
		return new(big.Int).Sub(new(big.Int).Neg(most), big.NewInt(1)), most
	}
	return new(big.Int), most
}

// literalType is the first type of a constant that has its value (6.4.4.1).
func literalType(n *big.Int, suffix string, decimal bool) (ctype, bool) {
	list := []ctype{integer, long, whole(64, 5)}
	switch strings.ReplaceAll(suffix, "u", "") {
	case "":
	case "l":
		list = list[1:]
	case "ll":
		list = list[2:]
	default:
		return void, false
	}
	us := strings.Count(suffix, "u")
	for _, t := range list {
		for _, t := range []ctype{t, t.unsigned()} {
			_, most := t.limits()
			if n.Cmp(most) <= 0 && (us == 1 && !t.signed() || us == 0 && (t.signed() || !decimal)) {
				return t, true
			}
		}
	}
	return void, false
}

// character is what a constant of one character stands for, an int (6.4.4.4), as a decimal.
func character(t token) string {
	inner := t.text[1 : len(t.text)-1]
	if len(inner) == 1 && inner[0] < 128 {
		return strconv.Itoa(int(inner[0]))
	}
	code, known := map[string]int{`\n`: 10, `\t`: 9, `\r`: 13, `\0`: 0, `\\`: 92, `\'`: 39,
		`\"`: 34, `\a`: 7, `\b`: 8, `\f`: 12, `\v`: 11, `\?`: 63}[inner]
	check(known, t.at, "unsupported-op", "a character that is not one of ASCII")
	return strconv.Itoa(code)
}

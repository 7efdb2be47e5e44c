package tc

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// types are those of words.
var types = func() map[string]domain.Elem {
	out := map[string]domain.Elem{}
	for _, name := range reserved[8:] {
		out[name], _ = domain.ParseElem(strings.Replace(name, "double", "float64", 1))
	}
	return out
}()

var int32Type, float32Type = types["int32"], types["float"]

func isFloat(e domain.Elem) bool { return e.Kind == domain.ElemFloat }

// elem is the type of a word.
func elem(at source.Span, word string) domain.Elem {
	check(slices.Contains(reserved[6:], word), at, "bad-syntax", "expected a type")
	e, known := types[word]
	check(known, at, "unsupported-op", "elements of %s", word)
	return e
}

// match is the common type of two operands: a float, else the larger one, else the signed one. Of a
// float with a larger integer, and of a signed integer with a larger one without a sign, it is not
// certain which rule comes first.
func match(x, y domain.Elem, at source.Span) domain.Elem {
	if isFloat(y) || !isFloat(x) && y.Kind == domain.ElemInt && x.Kind != domain.ElemInt {
		x, y = y, x // x is a float if one is, else signed if one is
	}
	switch {
	case x.Kind == y.Kind && x.Width < y.Width:
		return y
	case x.Kind != y.Kind && x.Width < y.Width:
		refuse(at, "unsupported-op", "an operation on %s and %s", x, y)
	}
	return x
}

// A value is an element, or a literal, which has the type of what it is beside, else its own.
type value struct {
	*loops.Data
	literal string // without a sign
	minus   bool
}

func operation(op loops.DataOp, e domain.Elem, at source.Span, args ...*loops.Data) *loops.Data {
	return &loops.Data{Op: op, Elem: e, Args: args, Span: at}
}

// number is a literal.
func number(n *node) value {
	text, e := strings.ToLower(strings.Replace(n.text, "+", "", 1)), float32Type
	if !strings.ContainsAny(text, ".e") {
		text, e = integer(n).String(), int32Type
	} else if strings.HasSuffix(text, ".") {
		text += "0"
	}
	return value{Data: &loops.Data{Elem: e, Span: n.at}, literal: text}
}

// as is a value in a type. A literal has to be one of it, by itself: floats round. A sign is an
// operation of its own: it is certain only of types that are those of literals, or larger.
func (v value) as(e domain.Elem, at source.Span) *loops.Data {
	if v.literal == "" {
		return convert(v.Data, e, at)
	}
	n, whole := new(big.Int).SetString(v.literal, 10)
	fits := isFloat(e) || whole && n.BitLen() < e.Width ||
		whole && n.BitLen() == e.Width && e.Kind == domain.ElemUint
	check(fits, v.Span, "unsupported-op", "%s is not surely a number of %s", v.literal, e)
	d := &loops.Data{Op: loops.DataLiteral, Elem: e, Text: v.literal, Span: v.Span}
	if v.minus {
		plain := isFloat(e) || e.Kind == domain.ElemInt && e.Width >= 32
		check(plain, v.Span, "unsupported-op", "a literal with a sign as %s", e)
		d = operation(loops.DataNeg, e, v.Span, d)
	}
	return d
}

// into is a value as it is assigned to what has a type: a literal has to be the same whether it is
// one of that type, or one that is converted.
func (v value) into(e domain.Elem, at source.Span) *loops.Data {
	if v.literal != "" && v.Elem == int32Type {
		v.as(int32Type, at)
	} else if v.literal != "" && v.Elem != e {
		r, _ := new(big.Rat).SetString(v.literal)
		_, exact := r.Float32()
		check(exact, at, "unsupported-op", "%s as %s", v.literal, e)
	}
	return v.as(e, at)
}

// convert is a conversion.
func convert(x *loops.Data, to domain.Elem, at source.Span) *loops.Data {
	if x.Elem == to {
		return x
	}
	check(!isFloat(x.Elem) || isFloat(to), at, "unsupported-op", "an integer made of a float")
	return operation(loops.DataConvert, to, at, x)
}

// extreme is the greatest number of a type, or the least.
func extreme(e domain.Elem, greatest bool) string {
	if end := e.Greatest(); end != nil {
		return map[bool]string{false: "-"}[greatest] + end.Num().String()
	}
	least, most := new(big.Int), loops.Beyond(uint(e.Width))
	if e.Kind == domain.ElemInt {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	if !greatest {
		return least.String()
	}
	return most.Sub(most, big.NewInt(1)).String()
}

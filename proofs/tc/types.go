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
// float with a larger integer, and of an integer with a larger one that alone has no sign, it is not
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

// A value is an element, or a literal, which has the type of what it is beside.
type value struct {
	*loops.Data
	literal string // without a sign
	minus   bool
	at      source.Span
}

func operation(op loops.DataOp, e domain.Elem, at source.Span, args ...*loops.Data) *loops.Data {
	return &loops.Data{Op: op, Elem: e, Args: args, Span: at}
}

// number is a literal.
func number(n *node) value {
	whole, power, _ := strings.Cut(strings.ToLower(n.text), "e")
	text := strings.TrimSuffix(whole, ".")
	if power != "" {
		text += "e" + strings.TrimPrefix(power, "+")
	}
	if !strings.ContainsAny(n.text, ".eE") {
		text = integer(n).String()
	} else if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return value{literal: text, at: n.at}
}

// own is the type of a value that is beside nothing.
func (v value) own() domain.Elem {
	switch {
	case v.literal == "":
		return v.Elem
	case strings.ContainsAny(v.literal, ".e"):
		return float32Type
	}
	return int32Type
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
	check(fits, v.at, "unsupported-op", "%s is not surely a number of %s", v.literal, e)
	d := &loops.Data{Op: loops.DataLiteral, Elem: e, Text: v.literal, Span: v.at}
	if v.minus {
		plain := isFloat(e) || e.Kind == domain.ElemInt && e.Width >= 32
		check(plain, v.at, "unsupported-op", "a literal with a sign as %s", e)
		d = operation(loops.DataNeg, e, v.at, d)
	}
	return d
}

// into is a value as it is assigned to what has a type: a literal has to be the same whether it is
// one of that type, or one that is converted.
func (v value) into(e domain.Elem, at source.Span) *loops.Data {
	if own := v.own(); v.literal != "" && own == int32Type {
		v.as(own, at)
	} else if v.literal != "" && own != e {
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

// extreme is the greatest number of an integer type, or the least.
func extreme(e domain.Elem, greatest bool) string {
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

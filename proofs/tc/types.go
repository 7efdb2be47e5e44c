package tc

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

func typed(kind domain.ElemKind, width int) domain.Elem { return domain.Elem{Kind: kind, Width: width} }

var (
	int32Type   = typed(domain.ElemInt, 32)
	float32Type = typed(domain.ElemFloat, 32)

	types = map[string]domain.Elem{
		"int8": typed(domain.ElemInt, 8), "int16": typed(domain.ElemInt, 16),
		"int32": int32Type, "int64": typed(domain.ElemInt, 64),
		"uint8": typed(domain.ElemUint, 8), "uint16": typed(domain.ElemUint, 16),
		"uint32": typed(domain.ElemUint, 32), "uint64": typed(domain.ElemUint, 64),
		"float": float32Type, "float32": float32Type,
		"double": typed(domain.ElemFloat, 64), "float64": typed(domain.ElemFloat, 64),
	}
)

func isFloat(e domain.Elem) bool { return e.Kind == domain.ElemFloat }

// elem is the type of a word.
func elem(at source.Span) domain.Elem {
	e, known := types[at.Text()]
	check(known || slices.Contains(reserved, at.Text()), at, "bad-syntax", "expected a type")
	check(known, at, "unsupported-op", "elements of %s", at.Text())
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

// as is a literal as one of a type.
func (v value) as(e domain.Elem) *loops.Data {
	check(has(e, v.literal), v.at, "unsupported-op", "%s is not surely a number of %s", v.literal, e)
	d := &loops.Data{Op: loops.DataLiteral, Elem: e, Text: v.literal, Span: v.at}
	if v.minus {
		d = operation(loops.DataNeg, e, v.at, d)
	}
	return d
}

// has reports whether a literal is one of a type, by itself: floats round.
func has(e domain.Elem, literal string) bool {
	v, ok := new(big.Int).SetString(literal, 10)
	if isFloat(e) {
		return true
	}
	bits := e.Width
	if e.Kind == domain.ElemInt {
		bits--
	}
	return ok && v.BitLen() <= bits
}

// beside is a value as an operand of a type, with another operand of that type or one that goes into
// it. A sign is an operation of its own: it is certain only of types that are those of literals, or
// larger.
func (v value) beside(e domain.Elem, at source.Span) *loops.Data {
	if v.literal == "" {
		return convert(v.Data, e, at)
	}
	plain := isFloat(e) || e.Kind == domain.ElemInt && e.Width >= 32
	check(!v.minus || plain, at, "unsupported-op", "a literal with a sign as %s", e)
	return v.as(e)
}

// into is a value as it is assigned to what has a type: a literal has to be the same whether it is
// one of that type, or one that is converted.
func (v value) into(e domain.Elem, at source.Span) *loops.Data {
	switch own := v.own(); {
	case v.literal == "":
		return convert(v.Data, e, at)
	case own == e:
	case own == int32Type:
		check(has(own, v.literal), at, "unsupported-op", "%s is no int32", v.literal)
	default:
		r, _ := new(big.Rat).SetString(v.literal)
		_, exact := r.Float32()
		check(exact && isFloat(e), at, "unsupported-op", "%s as %s", v.literal, e)
	}
	return v.as(e)
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
	last := big.NewInt(1)
	switch {
	case e.Kind == domain.ElemInt:
		last.Lsh(last, uint(e.Width-1))
	case greatest:
		last.Lsh(last, uint(e.Width))
	default:
		return "0"
	}
	if !greatest {
		return last.Neg(last).String()
	}
	return last.Sub(last, big.NewInt(1)).String()
}

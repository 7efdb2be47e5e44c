package tc

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

var (
	boolean = domain.Elem{Kind: domain.ElemBool, Width: 1}
	int32s  = domain.Elem{Kind: domain.ElemInt, Width: 32}
)

func isInteger(t domain.Elem) bool { return t.Kind == domain.ElemInt || t.Kind == domain.ElemUint }

// limits are the least and the greatest number of a type; of a float the greatest finite ones.
func limits(t domain.Elem) (lo, hi *big.Int) {
	one := big.NewInt(1)
	switch t.Kind {
	case domain.ElemInt:
		hi = new(big.Int).Lsh(one, uint(t.Width-1))
		return new(big.Int).Neg(hi), hi.Sub(hi, one)
	case domain.ElemUint, domain.ElemBool:
		hi = new(big.Int).Lsh(one, uint(t.Width))
		return new(big.Int), hi.Sub(hi, one)
	}
	// (2^p - 1)·2^(e-p) of p bits and exponents below e
	p, e := map[int]uint{16: 11, 32: 24, 64: 53}[t.Width], map[int]uint{16: 16, 32: 128, 64: 1024}[t.Width]
	hi = new(big.Int).Lsh(one, p)
	hi.Sub(hi, one).Lsh(hi, e-p)
	return new(big.Int).Neg(hi), hi
}

// matched is the type in which two operands meet: a float before an integer, then the larger one, and a signed one if one
// is. A bool is the smallest of the unsigned integers.
func matched(a, b domain.Elem) domain.Elem {
	aFloat, bFloat := a.Kind == domain.ElemFloat, b.Kind == domain.ElemFloat
	switch {
	case aFloat != bFloat:
		if aFloat {
			return a
		}
		return b
	case a.Kind != b.Kind && (a.Kind == domain.ElemInt || b.Kind == domain.ElemInt):
		return domain.Elem{Kind: domain.ElemInt, Width: max(a.Width, b.Width)}
	case a.Width >= b.Width:
		return a
	}
	return b
}

// An element is one in its type. A literal has none yet: it takes that of the operand beside it.
type element struct {
	elem    domain.Elem
	x       *loops.Expr
	literal *expr
	num     *big.Rat // of a literal
	at      source.Span
}

func applied(t domain.Elem, op loops.Op, at source.Span, args ...*loops.Expr) element {
	return element{elem: t, x: &loops.Expr{Op: op, Elem: t, Args: args, At: at}, at: at}
}

func literalOf(t domain.Elem, n *big.Rat, at source.Span) element {
	return element{elem: t, x: &loops.Expr{Op: loops.Literal, Elem: t, Number: n, At: at}, at: at}
}

// holds tells whether an integer type has a number.
func holds(t domain.Elem, n *big.Rat) bool {
	lo, hi := limits(t)
	return n.IsInt() && n.Num().Cmp(lo) >= 0 && n.Num().Cmp(hi) <= 0
}

// settled gives a literal that stands alone its type: float32 where it has a point or an exponent, else int32.
func (v element) settled() element {
	switch {
	case v.literal == nil:
		return v
	case v.literal.float:
		return literalOf(domain.Float32, v.num, v.at)
	case !holds(int32s, v.num):
		fail(v.at, "too-large", "%s is no int32", show(v.at))
	}
	return literalOf(int32s, v.num, v.at)
}

// beside gives a literal the type of the operand beside it.
func (v element) beside(w element) element {
	switch {
	case v.literal == nil || w.literal != nil || w.elem == boolean:
		return v.settled()
	case isInteger(w.elem) && v.literal.float:
		fail(v.at, "type-mismatch", "%s is no %s, which is the type of the operand beside it: convert one of them", show(v.at), w.elem)
	case isInteger(w.elem) && !holds(w.elem, v.num):
		fail(v.at, "type-mismatch", "%s is no %s, which is the type of the operand beside it", show(v.at), w.elem)
	}
	return literalOf(w.elem, v.num, v.at)
}

// converted is the conversion to a type.
func (v element) converted(t domain.Elem) element {
	if v.literal != nil && !v.literal.float && (t.Kind == domain.ElemFloat || isInteger(t) && holds(t, v.num)) {
		return literalOf(t, v.num, v.at) // the same number
	}
	v = v.settled()
	if v.elem == t {
		return v
	}
	return applied(t, loops.Convert, v.at, v.x)
}

// pair matches two operands.
func pair(a, b element) (t domain.Elem, x, y *loops.Expr) {
	a, b = a.beside(b), b.beside(a)
	t = matched(a.elem, b.elem)
	return t, a.converted(t).x, b.converted(t).x
}

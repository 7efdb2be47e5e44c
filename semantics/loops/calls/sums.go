package calls

import (
	"math/big"

	"tv/semantics/loops"
)

// A term is a product: factors, of which none is a product or a negative.
type term struct {
	negative bool
	factors  []*loops.Expr
}

// terms takes an element apart into the summands of a sum of products.
func terms(e *loops.Expr) []term {
	switch e.Op {
	case loops.Add:
		return append(terms(e.Args[0]), terms(e.Args[1])...)
	case loops.Sub:
		return append(terms(e.Args[0]), negated(terms(e.Args[1]))...)
	case loops.Negate:
		return negated(terms(e.Args[0]))
	case loops.Mul:
		x, y := terms(e.Args[0]), terms(e.Args[1])
		if len(x) == 1 && len(y) == 1 { // sums in products are not multiplied out
			return []term{{x[0].negative != y[0].negative, append(x[0].factors[:len(x[0].factors):len(x[0].factors)], y[0].factors...)}}
		}
	}
	return []term{{false, []*loops.Expr{e}}}
}

func negated(list []term) []term {
	for i := range list {
		list[i].negative = !list[i].negative
	}
	return list
}

// element is the product that a term is, in the type of like.
func (t term) element(like *loops.Expr) *loops.Expr {
	out := one(like)
	if len(t.factors) > 0 {
		out = t.factors[0]
		for _, f := range t.factors[1:] {
			out = &loops.Expr{Op: loops.Mul, Elem: like.Elem, Args: []*loops.Expr{out, f}}
		}
	}
	if t.negative {
		out = &loops.Expr{Op: loops.Negate, Elem: like.Elem, Args: []*loops.Expr{out}}
	}
	return out
}

// sum is the sum of terms, in the type of like; 0 of none.
func sum(list []term, like *loops.Expr) *loops.Expr {
	if len(list) == 0 {
		return literal(like, 0)
	}
	out := list[0].element(like)
	for _, t := range list[1:] {
		out = &loops.Expr{Op: loops.Add, Elem: like.Elem, Args: []*loops.Expr{out, t.element(like)}}
	}
	return out
}

func literal(like *loops.Expr, n int64) *loops.Expr {
	return &loops.Expr{Op: loops.Literal, Elem: like.Elem, Number: big.NewRat(n, 1)}
}

func one(like *loops.Expr) *loops.Expr { return literal(like, 1) }

func isZero(e *loops.Expr) bool { return e.Op == loops.Literal && e.Number.Sign() == 0 }

// without takes the read of a cell out of the summands, where it is one of them, once, and by itself: the rest is what is
// added to it.
func without(list []term, cell loops.Access) (rest []term, ok bool) {
	for i, t := range list {
		if len(t.factors) == 1 && !t.negative && t.factors[0].Op == loops.Read && t.factors[0].From.Same(cell) {
			return append(list[:i:i], list[i+1:]...), true
		}
	}
	return nil, false
}

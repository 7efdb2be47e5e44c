package arrays

import (
	"math/big"

	"tv/semantics/index"
	"tv/semantics/term"
)

// A Range is that of the integers Lo, ..., Hi - 1, none where there are none.
type Range struct{ Lo, Hi *index.Expr }

// Where is inside where all conds are at least 0, else outside, each asked where it is needed: so cells that are not
// written keep what they held.
func (l *Lowering) Where(ctx *index.Context, conds []*index.Expr, outside, inside func(*index.Context) *term.Term) *term.Term {
	if len(conds) == 0 {
		return inside(ctx)
	}
	c := conds[0]
	switch l.X.Decide(ctx, c) {
	case index.True:
		return l.Where(ctx, conds[1:], outside, inside)
	case index.False:
		return outside(ctx)
	}
	not := l.X.AddInt(l.X.Scale(index.Int(-1), c), -1)
	return l.B.If(c, l.Where(l.X.Assume(ctx, c), conds[1:], outside, inside), outside(l.X.Assume(ctx, not)))
}

// Sum adds the values of body over a box, from left to right in row-major order; of an empty box it is 0. A box
// without ranges has one place: the sum is body of it.
func (l *Lowering) Sum(s term.Sort, box []Range, body func(at []*index.Expr) *term.Term) *term.Term {
	return l.Fold(term.Sum, s, box, body)
}

// Fold is Sum for any fold; of an empty box it is what the fold is of nothing.
func (l *Lowering) Fold(f term.Fold, s term.Sort, box []Range, body func(at []*index.Expr) *term.Term) *term.Term {
	depth := l.depth
	defer func() { l.depth = depth }()
	var vars []*index.Atom
	at := make([]*index.Expr, len(box))
	for i, r := range box {
		places := l.X.Sub(r.Hi, r.Lo)
		if !l.X.Nonneg(l.X.Root(), places) {
			places = l.X.Max(l.X.Root(), places, l.X.Const(0))
		}
		switch n, ok := places.Const(); {
		case ok && n.Sign() == 0:
			return l.Nothing(f, s)
		case ok && n.IsOne():
			at[i] = r.Lo
		default: // a variable counts from 0
			v := l.B.Bound(l.depth, places)
			l.depth++
			vars, at[i] = append(vars, v), l.X.Add(r.Lo, v.Expr())
		}
	}
	return l.B.Reduce(f, vars, body(at))
}

// Nothing is what a fold is of nothing.
func (l *Lowering) Nothing(f term.Fold, s term.Sort) *term.Term {
	switch f {
	case term.Sum:
		return l.B.Int(s, 0)
	case term.Product:
		return l.B.Int(s, 1)
	}
	return l.B.Lowest(s)
}

// Depth counts the variables of folds around the element that is asked for. Elements with variables are the same at one
// depth only.
func (l *Lowering) Depth() int { return l.depth }

// Sub is a difference.
func (l *Lowering) Sub(x, y *term.Term) *term.Term {
	if x.Sort.Kind == term.Saturate { // x + (-y) is not x - y there
		return l.B.Apply(x.Sort, "subtract", x, y)
	}
	return l.B.Sub(x, y)
}

// Number is a literal. Small integers are in every sort that has enough bits; what is not goes through a conversion.
func (l *Lowering) Number(s term.Sort, v *big.Rat) *term.Term {
	bits := min(s.Width-s.Frac-1, 10)
	if s.Kind == term.Real || s.Kind != term.Adaptive && v.IsInt() && v.Num().BitLen() <= bits {
		return l.B.Const(s, v)
	}
	return l.B.Convert(s, l.B.Const(term.Sort{}, v))
}

// Package lower makes arrays of terms of comprehensions.
package lower

import (
	"math/big"

	"tv/semantics"
	"tv/semantics/arrays"
	"tv/semantics/comprehension/syntax"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/procedures"
	"tv/semantics/term"
	"tv/semantics/words"
)

type lowering struct {
	*arrays.Lowering
	t *syntax.Typed
}

// indices are what the indices of a statement stand for.
type indices map[*procedures.Index]*index.Expr

// Lower implements semantics.Program for t.
func Lower(t *syntax.Typed, b *term.Builder, o semantics.LowerOptions) (*semantics.Lowered, error) {
	l := &lowering{arrays.New(t, b, o), t}
	return l.Arrays(l.element)
}

// size is a size of the text.
func (l *lowering) size(s domain.Size) *index.Expr { return l.Size(l.t.Size(s)) }

// element is what a cell holds after a statement: outside the ranges of the free indices what it held before.
func (l *lowering) element(part int, ctx *index.Context, at []*index.Expr) *term.Term {
	k := part - len(l.t.Parameters)
	if k == len(l.t.Statements) { // the result is what an earlier statement has left
		return l.At(l.t.Parts()[part].Operands[0], ctx, at)
	}
	s := l.t.Statements[k]
	before := func(ctx *index.Context) *term.Term { return l.At(l.t.Before(k, s.Target), ctx, at) }
	var conds []*index.Expr
	values := indices{}
	for i, f := range s.Free {
		values[f] = at[i]
		if !f.Lo.Equal(domain.IntSize(0)) {
			conds = append(conds, l.X.Sub(at[i], l.size(f.Lo)))
		}
		if !f.Hi.Equal(s.Target.Dims[i]) {
			conds = append(conds, l.X.AddInt(l.X.Sub(l.size(f.Hi), at[i]), -1))
		}
	}
	return l.Where(ctx, conds, before, func(ctx *index.Context) *term.Term {
		if s.Adds {
			return l.B.Add(before(ctx), l.sum(k, ctx, values))
		}
		return l.sum(k, ctx, values)
	})
}

// sum adds the values over the summed indices.
func (l *lowering) sum(k int, ctx *index.Context, values indices) *term.Term {
	s := l.t.Statements[k]
	box := make([]arrays.Range, len(s.Summed))
	for n, i := range s.Summed {
		box[n] = arrays.Range{Lo: l.size(i.Lo), Hi: l.size(i.Hi)}
	}
	return l.Sum(l.Sort(s.Target.Elem), box, func(at []*index.Expr) *term.Term {
		for n, i := range s.Summed {
			values[i] = at[n]
		}
		return l.value(k, s.Value, ctx, values)
	})
}

// value is an expression of statement k.
func (l *lowering) value(k int, n *words.Node, ctx *index.Context, values indices) *term.Term {
	switch note := n.Note.(type) {
	case *big.Rat:
		return l.Number(l.Sort(l.t.Statements[k].Target.Elem), note)
	case *syntax.Read:
		at := make([]*index.Expr, len(note.At))
		for i, s := range note.At {
			at[i] = l.size(s.Rest)
			for _, t := range s.Terms {
				at[i] = l.X.Add(at[i], l.X.Scale(index.Int(t.Factor), values[t.Index]))
			}
		}
		return l.At(l.t.Before(k, note.Tensor), ctx, at)
	}
	x := l.value(k, n.Args[0], ctx, values)
	if len(n.Args) == 1 {
		return l.B.Neg(x)
	}
	y := l.value(k, n.Args[1], ctx, values)
	switch n.Op {
	case "+":
		return l.B.Add(x, y)
	case "-":
		return l.Sub(x, y)
	}
	return l.B.Mul(x, y)
}

package lower

import (
	"fmt"

	"tv/semantics/arrays"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/rise/syntax"
	"tv/semantics/term"
)

// noValue is an element that has no value: a symbol of which nothing is known, so that what is made of it equals nothing but
// itself.
func (l *lowering) noValue(c *syntax.Core, t *syntax.Type) val {
	if l.t.Rule() == nil {
		fail(c.Span, "an element that may not be one of the array: it has no value")
	}
	switch t.Kind {
	case syntax.Array:
		return array(func(*index.Context, *index.Expr) val { return l.noValue(c, t.A) })
	case syntax.Pair:
		return pair{l.noValue(c, t.A), l.noValue(c, t.B)}
	case syntax.Index:
		fail(c.Span, "a place that may have no value")
	}
	return &number{make: func(*index.Context) *term.Term { return l.B.Apply(l.Sort(t.Elem), "no value") }}
}

// isSum tells whether a free function is taken for the sum of real numbers.
func (l *lowering) isSum(f *syntax.Function) bool {
	return f.Sum && l.Sort(f.Result.Elem).Kind == term.Real
}

// isUnit tells whether a variable is the 0 of such a function.
func (l *lowering) isUnit(q *syntax.Param) bool {
	if r := l.t.Rule(); r != nil {
		for _, f := range r.Functions {
			if f.Unit == q && l.isSum(f) {
				return true
			}
		}
	}
	return false
}

// free is a free function: a symbol for each number of its result.
func (l *lowering) free(f *syntax.Function) val {
	return curried(len(f.Args), nil, func(x []val) val {
		if l.isSum(f) {
			sort := f.Result.Elem
			return &number{make: func(ctx *index.Context) *term.Term {
				return l.B.Add(l.term(x[0], ctx, sort), l.term(x[1], ctx, sort))
			}}
		}
		name := "free " + f.Name
		return l.symbols(name, f.Result, func(ctx *index.Context) (args []*term.Term) {
			for i, t := range f.Args {
				args = append(args, l.seen(ctx, fmt.Sprintf("%s %d", name, i), t, x[i])...)
			}
			return args
		}, nil)
	})
}

// symbols is a value of a type of which each number is a symbol of some terms and of its places in arrays.
func (l *lowering) symbols(name string, t *syntax.Type, of func(*index.Context) []*term.Term, at []*index.Expr) val {
	switch t.Kind {
	case syntax.Array:
		return array(func(_ *index.Context, i *index.Expr) val {
			return l.symbols(name, t.A, of, append(at[:len(at):len(at)], i))
		})
	case syntax.Pair:
		return pair{l.symbols(name+" fst", t.A, of, at), l.symbols(name+" snd", t.B, of, at)}
	}
	return &number{make: func(ctx *index.Context) *term.Term {
		args := of(ctx)
		for _, i := range at {
			args = append(args, l.B.Number(term.Sort{}, i))
		}
		return l.B.Apply(l.Sort(t.Elem), name, args...)
	}}
}

// seen are terms that are equal for two values just where these are: of an array the sum, over its places, of a symbol of the
// place and of what stands there.
func (l *lowering) seen(ctx *index.Context, name string, t *syntax.Type, v val) []*term.Term {
	switch t.Kind {
	case syntax.Array:
		return []*term.Term{l.sequence(name, l.size(t.Dim), func(i *index.Expr) []*term.Term {
			return l.seen(ctx, name+" of", t.A, v.(array)(ctx, i))
		})}
	case syntax.Pair:
		return append(l.seen(ctx, name+" fst", t.A, v.(pair).a), l.seen(ctx, name+" snd", t.B, v.(pair).b)...)
	case syntax.Index:
		return []*term.Term{l.term(v, ctx, t.ElemOf())}
	}
	return []*term.Term{l.term(v, ctx, t.Elem)}
}

// sequence is the sum over n places of a symbol of the place and of terms. Of two such sums with a symbol of which nothing is
// known the one is the other just where the terms are equal at each place.
func (l *lowering) sequence(name string, n *index.Expr, at func(i *index.Expr) []*term.Term) *term.Term {
	return l.Fold(term.Sum, term.Sort{}, []arrays.Range{{Lo: l.X.Const(0), Hi: n}}, func(k []*index.Expr) *term.Term {
		return l.B.Apply(term.Sort{}, name, append([]*term.Term{l.B.Number(term.Sort{}, k[0])}, at(k[0])...)...)
	})
}

// free is one number of a reduction with a step of which nothing is known: a symbol of the number of elements, of the start,
// and of what the step makes at each place of an accumulator that is a symbol too. The accumulator is named by the depth of
// reductions, not by which one it is: the other side has its own.
func (r *reduction) free(ctx *index.Context, e domain.Elem, at []*index.Expr) *term.Term {
	own := *r
	own.mark = fmt.Sprintf("accumulator at depth %d", r.Depth())
	name := "fold " + kinds(r.acc)
	steps := own.sequence(name+" step", own.n, func(i *index.Expr) []*term.Term {
		return own.seen(ctx, name+" makes", own.acc, own.step(ctx, own.unknown(own.acc, nil), i))
	})
	args := append([]*term.Term{r.B.Number(term.Sort{}, own.n), steps}, own.seen(ctx, name+" start", own.acc, own.init)...)
	for _, i := range at {
		args = append(args, r.B.Number(term.Sort{}, i))
	}
	return r.B.Apply(r.Sort(e), name, args...)
}

// kinds is what a type is made of: symbols for values of different types have different names.
func kinds(t *syntax.Type) string {
	switch t.Kind {
	case syntax.Array:
		return "array of " + kinds(t.A)
	case syntax.Pair:
		return "(" + kinds(t.A) + ", " + kinds(t.B) + ")"
	}
	return t.ElemOf().String()
}

package lower

import (
	"tv/semantics/index"
	"tv/semantics/rise/syntax"
	"tv/semantics/term"
)

// curried is a function of n arguments, one after the other.
func curried(n int, x []val, f func(x []val) val) val {
	if len(x) == n {
		return f(x)
	}
	return function(func(y val) val { return curried(n, append(x[:len(x):len(x)], y), f) })
}

// call applies a function to arguments.
func call(f val, args ...val) val {
	for _, a := range args {
		f = f.(function)(a)
	}
	return f
}

// pattern is the function that a pattern is.
func (l *lowering) pattern(c *syntax.Core) val {
	switch c.Name {
	case "id", "fst", "snd", "unzip", "transpose", "split", "join", "slide", "padClamp", "padEmpty", "take", "drop":
		return function(func(x val) val { return l.moved(c, x) })
	case "zip", "makePair", "mapFst", "mapSnd", "map", "let", "padCst", "concat", "idx":
		return curried(2, nil, func(x []val) val { return l.both(c, x[0], x[1]) })
	case "generate":
		return function(func(f val) val {
			return array(func(_ *index.Context, i *index.Expr) val { return call(f, counted(i)) })
		})
	case "reduce", "scanSeq":
		return curried(3, nil, func(x []val) val { return l.fold(c, x[0], x[1], x[2].(array)) })
	case "reorder":
		return curried(3, nil, func(x []val) val {
			l.inverses(c, x[0], x[1])
			return array(func(ctx *index.Context, i *index.Expr) val {
				return x[2].(array)(ctx, l.place(c, call(x[0], counted(i)), ctx))
			})
		})
	case "gather":
		return curried(2, nil, func(x []val) val {
			ix, a, of := x[0].(array), x[1].(array), c.Type.B.A
			return array(func(ctx *index.Context, i *index.Expr) val {
				if c.Type.A.A.Kind == syntax.Scalar {
					return l.gathered(of, a, ix(ctx, i), c.Type.A.A)
				}
				return l.inside(c, of.A, a, l.size(of.Dim), l.place(c, ix(ctx, i), ctx))
			})
		})
	case "scatter":
		return curried(2, nil, func(x []val) val { return l.scattered(c, x[0].(array), x[1].(array)) })
	}
	return l.ofNumbers(c)
}

// moved are the patterns of one argument.
func (l *lowering) moved(c *syntax.Core, x val) val {
	switch c.Name {
	case "id":
		return x
	case "fst":
		return x.(pair).a
	case "snd":
		return x.(pair).b
	}
	a := x.(array)
	at := func(place func(ctx *index.Context, i *index.Expr) *index.Expr) val {
		return array(func(ctx *index.Context, i *index.Expr) val { return a(ctx, place(ctx, i)) })
	}
	windows := func(step *index.Expr) val {
		return array(func(_ *index.Context, i *index.Expr) val {
			return array(func(ctx *index.Context, j *index.Expr) val { return a(ctx, l.X.Add(l.X.Mul(i, step), j)) })
		})
	}
	switch c.Name {
	case "unzip":
		return pair{array(func(ctx *index.Context, i *index.Expr) val { return a(ctx, i).(pair).a }),
			array(func(ctx *index.Context, i *index.Expr) val { return a(ctx, i).(pair).b })}
	case "transpose":
		return array(func(_ *index.Context, i *index.Expr) val {
			return array(func(ctx *index.Context, j *index.Expr) val { return a(ctx, j).(array)(ctx, i) })
		})
	case "split":
		return windows(l.size(c.Given[0]))
	case "slide":
		return windows(l.size(c.Given[1]))
	case "join":
		m := l.size(c.Type.A.A.Dim)
		return array(func(ctx *index.Context, i *index.Expr) val {
			return a(ctx, l.X.Div(ctx, i, m)).(array)(ctx, l.X.Mod(ctx, i, m))
		})
	case "padClamp":
		return l.clamped(c.Type.A.A, c, a)
	case "drop":
		n := l.size(c.Given[0])
		return at(func(_ *index.Context, i *index.Expr) *index.Expr { return l.X.Add(i, n) })
	case "padEmpty":
		n := l.size(c.Type.A.Dim)
		return array(func(ctx *index.Context, i *index.Expr) val { return l.inside(c, c.Type.A.A, a, n, i) })
	}
	return a // take
}

// clamped is an array with places before those of a and behind, of type t each. Which of the three a place lies in is told by
// conditions, which sums over windows take apart. The ends of a are places before and behind as well, where it is known that a
// place is one of those: such are the ends of a pad around a pad.
func (l *lowering) clamped(t *syntax.Type, c *syntax.Core, a array) val {
	left, last := l.size(c.Given[0]), l.X.AddInt(l.size(c.Type.A.Dim), -1)
	first := func(ctx *index.Context) val { return a(ctx, l.X.Const(0)) }
	final := func(ctx *index.Context) val { return a(ctx, last) }
	return array(func(ctx *index.Context, i *index.Expr) val {
		k := l.X.Sub(i, left)
		switch {
		case l.X.Nonneg(ctx, l.X.Scale(index.Int(-1), k)):
			return first(ctx)
		case l.X.Nonneg(ctx, l.X.Sub(k, last)):
			return final(ctx)
		}
		return l.where(c, t, []*index.Expr{k}, func(*index.Context) val {
			return l.where(c, t, []*index.Expr{l.X.Sub(last, k)}, func(ctx *index.Context) val { return a(ctx, k) }, final)
		}, first)
	})
}

// inside is the element of an array at a place, which has no value where that is none of its places.
func (l *lowering) inside(c *syntax.Core, t *syntax.Type, a array, n, i *index.Expr) val {
	conds := []*index.Expr{i, l.X.AddInt(l.X.Sub(n, i), -1)}
	return l.where(c, t, conds, func(ctx *index.Context) val { return a(ctx, i) },
		func(*index.Context) val { return l.noValue(c, t) })
}

// scattered is an array with the elements of a at the places of ix. Where these are data, of the place that is written to a place
// nothing is known but that it depends on ix: none, or two, are no place of a. Else they have to be known to be all places, in
// order or in the opposite order: a place beyond the array would leave nothing with a value.
func (l *lowering) scattered(c *syntax.Core, ix, a array) val {
	n, of, whole := l.size(c.Type.A.Dim), c.Type.A.A, c.Type.B.A
	return array(func(ctx *index.Context, i *index.Expr) val {
		if of.Kind == syntax.Scalar {
			return l.gathered(whole, a, &number{make: func(ctx *index.Context) *term.Term {
				all := l.sequence("scatter", n, func(k *index.Expr) []*term.Term {
					return []*term.Term{l.term(ix(ctx, k), ctx, of.Elem)}
				})
				return l.B.Apply(l.Sort(of.Elem), "place scattered", all, l.B.Number(term.Sort{}, i))
			}}, of)
		}
		v := l.X.NewVar("place", l.X.Const(0), n)
		to := l.place(c, ix(ctx, v.Expr()), ctx)
		if !l.X.Nonneg(ctx, to) || !l.X.Nonneg(ctx, l.X.AddInt(l.X.Sub(n, to), -1)) {
			fail(c.Span, "scatter: places that are not known to lie in the array")
		}
		for _, sign := range []int64{1, -1} {
			if first := l.X.Sub(to, l.X.Scale(index.Int(sign), v.Expr())); !first.Mentions(v) {
				return a(ctx, l.X.Scale(index.Int(sign), l.X.Sub(i, first)))
			}
		}
		fail(c.Span, "scatter: places that are not in order")
		return nil
	})
}

// gathered is the element of an array of type t at a place that is data: without a value where it is none of its places.
func (l *lowering) gathered(t *syntax.Type, a array, place val, of *syntax.Type) val {
	return l.among(t, t.A, a, place.(*number), of)
}

// among is the part of type t of such an element, which at finds in each.
func (l *lowering) among(whole, t *syntax.Type, at func(*index.Context, *index.Expr) val, place *number, of *syntax.Type) val {
	part := func(t *syntax.Type, get func(*index.Context, val) val) val {
		return l.among(whole, t, func(ctx *index.Context, i *index.Expr) val { return get(ctx, at(ctx, i)) }, place, of)
	}
	switch t.Kind {
	case syntax.Array:
		return array(func(_ *index.Context, i *index.Expr) val {
			return part(t.A, func(ctx *index.Context, v val) val { return v.(array)(ctx, i) })
		})
	case syntax.Pair:
		return pair{part(t.A, func(_ *index.Context, v val) val { return v.(pair).a }),
			part(t.B, func(_ *index.Context, v val) val { return v.(pair).b })}
	}
	return &number{make: func(ctx *index.Context) *term.Term {
		k := l.X.NewVar("k", l.X.Const(0), l.size(whole.Dim))
		return l.B.Gather(k, l.term(at(ctx, k.Expr()), ctx, t.ElemOf()), l.term(place, ctx, of.Elem))
	}}
}

// both are the patterns of two arguments.
func (l *lowering) both(c *syntax.Core, x, y val) val {
	switch c.Name {
	case "makePair":
		return pair{x, y}
	case "mapFst":
		return pair{call(x, y.(pair).a), y.(pair).b}
	case "mapSnd":
		return pair{y.(pair).a, call(x, y.(pair).b)}
	case "let":
		return call(y, x)
	case "map":
		return array(func(ctx *index.Context, i *index.Expr) val { return call(x, y.(array)(ctx, i)) })
	case "zip":
		return array(func(ctx *index.Context, i *index.Expr) val { return pair{x.(array)(ctx, i), y.(array)(ctx, i)} })
	case "idx":
		a, of := y.(array), c.Type.B.A
		if c.Type.A.Kind == syntax.Scalar {
			return l.gathered(of, a, x, c.Type.A)
		}
		return l.placed(c, of.A, x.(*number), func(ctx *index.Context, x *number) val {
			return l.inside(c, of.A, a, l.size(of.Dim), l.place(c, x, ctx))
		})
	case "padCst":
		left, n, t := l.size(c.Given[0]), l.size(c.Type.B.A.Dim), c.Type.A
		return array(func(_ *index.Context, i *index.Expr) val {
			k := l.X.Sub(i, left)
			return l.where(c, t, []*index.Expr{k, l.X.AddInt(l.X.Sub(n, k), -1)},
				func(ctx *index.Context) val { return y.(array)(ctx, k) }, always(x))
		})
	}
	n, t := l.size(c.Type.A.Dim), c.Type.A.A // concat
	return array(func(_ *index.Context, i *index.Expr) val {
		return l.where(c, t, []*index.Expr{l.X.AddInt(l.X.Sub(n, i), -1)},
			func(ctx *index.Context) val { return x.(array)(ctx, i) },
			func(ctx *index.Context) val { return y.(array)(ctx, l.X.Sub(i, n)) })
	})
}

// inverses refuses functions of places that are not known to map the places of an array into themselves, and to be inverses
// of each other.
func (l *lowering) inverses(c *syntax.Core, f, g val) {
	n := l.size(c.Given[0])
	i := l.X.NewVar("place", l.X.Const(0), n).Expr()
	ctx := l.X.Root()
	to := l.place(c, call(f, counted(i)), ctx)
	if !l.X.Nonneg(ctx, to) || !l.X.Nonneg(ctx, l.X.AddInt(l.X.Sub(n, to), -1)) ||
		l.place(c, call(g, counted(to)), ctx) != i {
		fail(c.Span, "functions of places that are not known to be inverses of each other")
	}
}

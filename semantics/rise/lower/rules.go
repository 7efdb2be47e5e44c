package lower

import (
	"fmt"
	"slices"

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
	return &number{make: func(*index.Context) *term.Term { return l.noTerm(l.Sort(t.Elem)) }}
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
		if f.Comm || f.Assoc || f.Unit != nil {
			return &number{make: func(ctx *index.Context) *term.Term {
				return l.lawful(ctx, f, l.term(x[0], ctx, f.Result.Elem), l.term(x[1], ctx, f.Result.Elem))
			}}
		}
		return l.symbols(name, f.Result, func(ctx *index.Context) (args []*term.Term) {
			for i, t := range f.Args {
				args = append(args, l.seen(ctx, fmt.Sprintf("%s %d", name, i), t, x[i])...)
			}
			return args
		}, nil)
	})
}

// lawful is a free function of two numbers that has laws and is no sum: a symbol of its operands, without its units, of all
// that an associative one joins, and without their order where that does not count.
func (l *lowering) lawful(ctx *index.Context, f *syntax.Function, x, y *term.Term) *term.Term {
	return l.join(ctx, f, x.Sort, append(l.parts(ctx, f, x), l.parts(ctx, f, y)...))
}

// A joined term is what a function with laws makes of operands, from left to right.
type joined struct {
	by    *syntax.Function
	parts []part
}

// A part is one operand, or as many as n that are told by a sum of symbols of their places, from one on, and of them.
type part struct {
	one *term.Term
	n   *index.Expr
	at  func(from *index.Expr) *term.Term
}

// parts are what f joins in t: of its unit nothing.
func (l *lowering) parts(ctx *index.Context, f *syntax.Function, t *term.Term) []part {
	if f.Unit != nil && t == l.At(slices.Index(l.t.Parameters, f.Unit), ctx, nil) {
		return nil
	}
	if of := l.joined[t]; f.Assoc && of.by == f {
		return slices.Clip(of.parts)
	}
	return []part{{one: t, n: l.X.Const(1)}}
}

// join is what f makes of parts. An associative one says how many operands there are, and which stands where: it is a
// function of their list.
func (l *lowering) join(ctx *index.Context, f *syntax.Function, sort term.Sort, parts []part) *term.Term {
	switch {
	case len(parts) == 0:
		return l.At(slices.Index(l.t.Parameters, f.Unit), ctx, nil)
	case len(parts) == 1 && parts[0].one != nil:
		return parts[0].one
	}
	var ones []*term.Term
	for _, p := range parts {
		if p.one != nil {
			ones = append(ones, p.one)
		}
	}
	return l.strictly(ones, sort, func(ones []*term.Term) *term.Term {
		own := slices.Clone(parts)
		for i := range own {
			if own[i].one != nil {
				own[i].one, ones = ones[0], ones[1:]
			}
		}
		t := l.symbolOf(f, sort, own)
		l.joined[t] = joined{f, own}
		return t
	})
}

// symbolOf is the symbol of parts that are joined. Of a commutative function they are operands one by one.
func (l *lowering) symbolOf(f *syntax.Function, sort term.Sort, parts []part) *term.Term {
	if f.Assoc && !f.Comm {
		n := l.X.Const(0)
		for _, p := range parts {
			n = l.X.Add(n, p.n)
		}
		return l.B.Apply(sort, "free "+f.Name+" of all", l.B.Number(term.Sort{}, n), l.listed(f, parts, l.X.Const(0)))
	}
	var args []*term.Term
	for _, p := range parts {
		args = append(args, p.one)
	}
	if f.Comm {
		args = l.unordered(args)
	}
	return l.B.Apply(sort, fmt.Sprint("free ", f.Name, " of ", len(parts)), args...)
}

// listed is the sum of symbols of the places of operands, the first of which is from, and of them.
func (l *lowering) listed(f *syntax.Function, parts []part, from *index.Expr) *term.Term {
	sum := l.B.Int(term.Sort{}, 0)
	for _, p := range parts {
		if p.one != nil {
			sum = l.B.Add(sum, l.B.Apply(term.Sort{}, "free "+f.Name+" at", l.B.Number(term.Sort{}, from), p.one))
		} else {
			sum = l.B.Add(sum, p.at(from))
		}
		from = l.X.Add(from, p.n)
	}
	return sum
}

// joining is one number of a reduction each step of which joins as many operands to the same number of the accumulator, all
// behind it or all before it, by one associative function: it joins the operands of all steps to the start. Nil where it is
// something else.
func (r *reduction) joining(ctx *index.Context, e domain.Elem, get func(val, *index.Context) val, at []*index.Expr) *term.Term {
	own := *r
	own.mark = r.level()
	acc := own.accumulator(e, at)
	var by *syntax.Function
	var back bool // the operands of a step stand before what was joined
	var count *index.Expr
	step := func(k *index.Expr) (f *syntax.Function, before bool, parts []part) {
		t := own.term(get(own.step(ctx, own.unknown(own.acc, nil), k), ctx), ctx, e)
		of := own.joined[t]
		if f = of.by; f == nil || !f.Assoc || f.Comm {
			return nil, false, nil
		}
		last := len(of.parts) - 1
		switch acc {
		case of.parts[0].one:
			return f, false, of.parts[1:]
		case of.parts[last].one:
			return f, true, of.parts[:last]
		}
		return nil, false, nil
	}
	own.Fold(term.Sum, term.Sort{}, []arrays.Range{{Lo: r.X.Const(0), Hi: r.n}}, func(k []*index.Expr) *term.Term {
		f, before, parts := step(k[0])
		all := own.listed(f, parts, r.X.Const(0))
		if f == nil || own.looksAt(all, map[*term.Term]bool{}) {
			return all
		}
		n := r.X.Const(0)
		for _, p := range parts {
			n = r.X.Add(n, p.n)
		}
		if !slices.ContainsFunc(k[0].Free(), n.Mentions) {
			by, back, count = f, before, n
		}
		return all
	})
	if by == nil {
		return nil
	}
	all := part{n: r.X.Mul(r.n, count), at: func(from *index.Expr) *term.Term {
		return own.Fold(term.Sum, term.Sort{}, []arrays.Range{{Lo: r.X.Const(0), Hi: r.n}}, func(k []*index.Expr) *term.Term {
			at := k[0]
			if back { // the operands of the last step are the first
				at = r.X.AddInt(r.X.Sub(r.n, at), -1)
			}
			f, before, parts := step(at)
			if f != by || before != back {
				fail(r.c.Span, "a reduction whose steps differ")
			}
			return own.listed(by, parts, r.X.Add(from, r.X.Mul(k[0], count)))
		})
	}}
	start := r.parts(ctx, by, r.term(get(r.init, ctx), ctx, e))
	if back {
		return r.join(ctx, by, r.Sort(e), append([]part{all}, start...))
	}
	return r.join(ctx, by, r.Sort(e), append(start, all))
}

// maxSymmetric bounds the numbers of which all sums of products are made.
const maxSymmetric = 6

// unordered are terms that are equal for two lists just where these are equal but for their order: of real numbers the sums of
// their products, one, two, three by one, and so on: the coefficients of the polynomial of which they are the roots.
func (l *lowering) unordered(list []*term.Term) []*term.Term {
	if len(list) > maxSymmetric || list[0].Sort.Kind != term.Real {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b *term.Term) int { return a.ID() - b.ID() })
		return list
	}
	var sums []*term.Term
	for _, t := range list {
		sums = append(sums, l.B.Int(t.Sort, 0))
		for k := len(sums) - 1; k > 0; k-- {
			sums[k] = l.B.Add(sums[k], l.B.Mul(sums[k-1], t))
		}
		sums[0] = l.B.Add(sums[0], t)
	}
	return sums
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
		return l.strictly(args, l.Sort(t.Elem), func(args []*term.Term) *term.Term {
			return l.application(l.Sort(t.Elem), name, args)
		})
	}}
}

// noTerm is the number that noValue makes.
func (l *lowering) noTerm(sort term.Sort) *term.Term { return l.B.Apply(sort, term.NoValue) }

// strictly is a symbol of terms: without a value where one of them has none, which conditions on places around it say. Of the
// one or the other, as data says, it is that of the one or that of the other.
func (l *lowering) strictly(args []*term.Term, sort term.Sort, symbol func([]*term.Term) *term.Term) *term.Term {
	for i, a := range args {
		if a == l.noTerm(a.Sort) {
			return l.noTerm(sort)
		}
		if a.Op == term.If && (l.mayLack(a.Args[0]) || l.mayLack(a.Args[1])) {
			of := func(t *term.Term) *term.Term {
				other := slices.Clone(args)
				other[i] = t
				return l.strictly(other, sort, symbol)
			}
			return l.B.If(a.Index[0], of(a.Args[0]), of(a.Args[1]))
		}
	}
	for _, a := range args {
		if a.Op == term.Apply && a.Name == choice {
			of := func(branch int) *term.Term {
				other := slices.Clone(args)
				for i, b := range args {
					if b.Op == term.Apply && b.Name == choice && b.Args[0] == a.Args[0] {
						other[i] = b.Args[branch]
					}
				}
				return l.strictly(other, sort, symbol)
			}
			return l.choice(a.Args[0], of(1), of(2))
		}
	}
	return symbol(args)
}

// mayLack tells whether a number has no value under some condition on places.
func (l *lowering) mayLack(t *term.Term) bool {
	return t == l.noTerm(t.Sort) || t.Op == term.If && (l.mayLack(t.Args[0]) || l.mayLack(t.Args[1]))
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
// reductions, not by which one it is: the other side has its own. Where the step makes this number of the same number of the
// accumulator alone, it is a reduction of numbers.
func (r *reduction) free(ctx *index.Context, e domain.Elem, get func(val, *index.Context) val, at []*index.Expr) *term.Term {
	own := *r
	own.mark = r.level()
	if len(at) == 0 || own.separate(ctx, e, get, at) {
		own.alone = true
		return own.chainOf(ctx, e, get)
	}
	return own.symbol(e, own.acc, func(i *index.Expr) val { return own.step(ctx, own.unknown(own.acc, nil), i) }, own.init, ctx, at)
}

// separate tells whether the step makes a number of the same number of the accumulator alone.
func (r *reduction) separate(ctx *index.Context, e domain.Elem, get func(val, *index.Context) val, at []*index.Expr) bool {
	acc, alone := r.accumulator(e, at), true
	r.sequence("", r.n, func(i *index.Expr) []*term.Term {
		t := r.term(get(r.step(ctx, r.unknown(r.acc, nil), i), ctx), ctx, e)
		alone = !r.looksAt(t, map[*term.Term]bool{acc: true})
		return []*term.Term{t}
	})
	return alone
}

// symbol is a number of a reduction to values of type t.
func (r *reduction) symbol(e domain.Elem, t *syntax.Type, step func(i *index.Expr) val, init val, ctx *index.Context,
	at []*index.Expr,
) *term.Term {
	name := "fold " + kinds(t)
	steps := r.sequence(name+" step", r.n, func(i *index.Expr) []*term.Term { return r.seen(ctx, name+" makes", t, step(i)) })
	args := append([]*term.Term{r.B.Number(term.Sort{}, r.n), steps}, r.seen(ctx, name+" start", t, init)...)
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

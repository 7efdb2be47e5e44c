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

// maxUnrolled is how many elements are folded one by one, where what is done is no sum, product or maximum.
const maxUnrolled = 64

// delayed is a value of a type that is found when its numbers are asked for.
func (l *lowering) delayed(t *syntax.Type, v func(*index.Context) val) val {
	switch t.Kind {
	case syntax.Array:
		return array(func(ctx *index.Context, i *index.Expr) val { return v(ctx).(array)(ctx, i) })
	case syntax.Pair:
		return pair{l.delayed(t.A, func(ctx *index.Context) val { return v(ctx).(pair).a }),
			l.delayed(t.B, func(ctx *index.Context) val { return v(ctx).(pair).b })}
	case syntax.Index:
		return &number{ix: func(ctx *index.Context) *index.Expr {
			if n := v(ctx).(*number); n.ix != nil {
				return n.ix(ctx)
			}
			return nil
		}}
	}
	return &number{make: func(ctx *index.Context) *term.Term { return l.term(v(ctx), ctx, t.Elem) }}
}

// A reduction is a fold of f over the first elements of an array. Which argument of f is the accumulator its pattern says.
type reduction struct {
	*lowering
	c    *syntax.Core
	f    val
	init val
	a    array
	n    *index.Expr
	acc  *syntax.Type
	mark string // names the accumulator while f is looked at
	// alone says that one number of the accumulator is looked at: it needs no places.
	alone bool
}

// fold is reduce and scanSeq.
func (l *lowering) fold(c *syntax.Core, f, init val, a array) val {
	r := &reduction{lowering: l, c: c, f: f, init: init, a: a, acc: c.Type.B.A}
	l.folded++
	r.mark = fmt.Sprintf("accumulator %d", l.folded)
	if c.Name == "scanSeq" {
		return array(func(_ *index.Context, i *index.Expr) val {
			upto := *r
			upto.n = l.X.AddInt(i, 1)
			return upto.value()
		})
	}
	r.n = l.size(c.Type.B.B.A.Dim)
	return r.value()
}

// step applies f to what was folded and the element at a place.
func (r *reduction) step(ctx *index.Context, acc val, i *index.Expr) val {
	x := r.a(ctx, i)
	if r.c.Name == "scanSeq" {
		return call(r.f, x, acc)
	}
	return call(r.f, acc, x)
}

// value is what was folded in the end: few elements one by one, else each number of it by itself.
func (r *reduction) value() val {
	if n, ok := r.n.Const(); ok && (n.Cmp(index.Int(1)) <= 0 || n.Cmp(index.Int(maxUnrolled)) <= 0 && r.acc.Kind != syntax.Scalar) {
		count, _ := n.Int64()
		return r.unrolled(count)
	}
	return r.part(r.acc, func(v val, _ *index.Context) val { return v }, nil)
}

func (r *reduction) unrolled(count int64) val {
	return r.delayed(r.acc, func(ctx *index.Context) val {
		acc := r.init
		for i := range count {
			acc = r.step(ctx, acc, r.X.Const(i))
		}
		return acc
	})
}

// part is the part of what was folded that get takes out; at are the places of arrays on the way, and what is in pairs on
// the way is told by numbers.
func (r *reduction) part(t *syntax.Type, get func(val, *index.Context) val, at []*index.Expr) val {
	more := func(e *index.Expr) []*index.Expr { return append(slices.Clip(at), e) }
	switch t.Kind {
	case syntax.Array:
		return array(func(_ *index.Context, i *index.Expr) val {
			return r.part(t.A, func(v val, ctx *index.Context) val { return get(v, ctx).(array)(ctx, i) }, more(i))
		})
	case syntax.Pair:
		return pair{r.part(t.A, func(v val, ctx *index.Context) val { return get(v, ctx).(pair).a }, more(r.X.Const(0))),
			r.part(t.B, func(v val, ctx *index.Context) val { return get(v, ctx).(pair).b }, more(r.X.Const(1)))}
	case syntax.Index:
		return &number{ix: func(*index.Context) *index.Expr {
			fail(r.c.Span, "places that are folded")
			return nil
		}}
	}
	return &number{make: func(ctx *index.Context) *term.Term { return r.number(ctx, t.Elem, get, at) }}
}

// unknown is an accumulator of which nothing is known: each number of it has a term of its own.
func (r *reduction) unknown(t *syntax.Type, at []*index.Expr) val {
	more := func(e *index.Expr) []*index.Expr { return append(slices.Clip(at), e) }
	switch t.Kind {
	case syntax.Array:
		return array(func(_ *index.Context, i *index.Expr) val { return r.unknown(t.A, more(i)) })
	case syntax.Pair:
		return pair{r.unknown(t.A, more(r.X.Const(0))), r.unknown(t.B, more(r.X.Const(1)))}
	case syntax.Index:
		fail(r.c.Span, "places that are folded")
	}
	return &number{make: func(*index.Context) *term.Term { return r.accumulator(t.Elem, at) }}
}

func (r *reduction) accumulator(e domain.Elem, at []*index.Expr) *term.Term {
	if r.alone {
		return r.B.Apply(r.Sort(e), r.mark)
	}
	args := make([]*term.Term, len(at))
	for i, x := range at {
		args[i] = r.B.Number(term.Sort{}, x)
	}
	return r.B.Apply(r.Sort(e), r.mark, args...)
}

// A step is what is done to an accumulator: acc op others, with the sum, product or maximum as op. The least of real
// numbers is a maximum of what they are taken away from 0.
type step struct {
	fold  term.Fold
	least bool
	of    *term.Term
	plain bool // acc + e or e + acc: the order of sums is that of the text
}

// number is one number of what was folded: of acc op e the fold of e, where e does not look at what was folded.
func (r *reduction) number(ctx *index.Context, e domain.Elem, get func(val, *index.Context) val, at []*index.Expr) *term.Term {
	sort := r.Sort(e)
	init := func(ctx *index.Context) *term.Term { return r.term(get(r.init, ctx), ctx, e) }
	over := func(kind term.Fold) (folded *term.Term, s *step) {
		folded = r.Fold(kind, sort, []arrays.Range{{Lo: r.X.Const(0), Hi: r.n}}, func(k []*index.Expr) *term.Term {
			t := r.term(get(r.step(ctx, r.unknown(r.acc, nil), k[0]), ctx), ctx, e)
			if s = r.apart(t, r.accumulator(e, at)); s == nil {
				return t
			}
			return s.of
		})
		return folded, s
	}
	folded, s := over(term.Sum)
	if s != nil && s.fold != term.Sum {
		folded, s = over(s.fold)
	}
	switch {
	case s == nil || sort.Kind == term.Float && !s.plain:
		if r.t.Rule() != nil {
			if t := r.joining(ctx, e, get, at); t != nil {
				return t
			}
		}
		if n, ok := r.n.Const(); ok && n.Cmp(index.Int(maxUnrolled)) <= 0 {
			count, _ := n.Int64()
			return r.term(get(r.unrolled(count), ctx), ctx, e)
		}
		if r.t.Rule() == nil {
			fail(r.c.Span, "a fold that is no sum, product or maximum")
		}
		return r.free(ctx, e, get, at)
	case sort.Kind == term.Float:
		return r.inOrder(ctx, sort, init, func(ctx *index.Context, i *index.Expr) *term.Term {
			return r.apart(r.term(get(r.step(ctx, r.unknown(r.acc, nil), i), ctx), ctx, e), r.accumulator(e, at)).of
		})
	case s.fold == term.Sum:
		return r.B.Add(init(ctx), folded)
	case s.fold == term.Product:
		return r.B.Mul(init(ctx), folded)
	case s.least:
		return r.B.Neg(r.B.Max(r.B.Neg(init(ctx)), folded))
	}
	return r.B.Max(init(ctx), folded)
}

// inOrder is a sum of floats bit for bit. A fold starts with its first element, which is what the text starts from: 0 + x is
// not x where that is -0. From 0 on it is 0 added to the sum of the elements, as 0 and -0 differ in no sum but with -0.
func (r *reduction) inOrder(ctx *index.Context, sort term.Sort, init func(*index.Context) *term.Term,
	element func(*index.Context, *index.Expr) *term.Term) *term.Term {
	if first := init(ctx); first.Op == term.Const && first.Value.Sign() == 0 {
		return r.B.Add(first, r.Fold(term.Sum, sort, []arrays.Range{{Lo: r.X.Const(0), Hi: r.n}},
			func(k []*index.Expr) *term.Term { return element(ctx, k[0]) }))
	}
	box := []arrays.Range{{Lo: r.X.Const(0), Hi: r.X.AddInt(r.n, 1)}}
	return r.Fold(term.Sum, sort, box, func(k []*index.Expr) *term.Term {
		i := r.X.AddInt(k[0], -1)
		return r.Where(ctx, []*index.Expr{i}, init, func(ctx *index.Context) *term.Term { return element(ctx, i) })
	})
}

// apart takes t = acc op others apart, nil where it is something else.
func (r *reduction) apart(t, acc *term.Term) *step {
	var s step
	join := r.B.Add
	switch ordered := t.Sort.Kind == term.Float; {
	case t.Op == term.Add:
		s.plain = t.Args[0] == acc || t.Args[1] == acc
	case t.Op == term.Mul && !ordered:
		s.fold, join = term.Product, r.B.Mul
	case t.Op == term.Max && !ordered:
		s.fold, join = term.Maximum, r.B.Max
	case t.Op == term.Min && t.Sort.Kind == term.Real:
		s.fold, join, s.least = term.Maximum, r.B.Min, true
	default:
		return nil
	}
	own := 0
	for _, x := range operands(t.Op, t, nil) {
		switch {
		case x == acc:
			own++
		case r.looksAt(x, map[*term.Term]bool{}):
			return nil
		case s.of == nil:
			s.of = x
		default:
			s.of = join(s.of, x)
		}
	}
	if own != 1 || s.of == nil {
		return nil
	}
	if s.least {
		s.of = r.B.Neg(s.of)
	}
	return &s
}

// operands are what a term is the sum, product or extreme of.
func operands(op term.Op, t *term.Term, list []*term.Term) []*term.Term {
	if t.Op != op {
		return append(list, t)
	}
	return operands(op, t.Args[1], operands(op, t.Args[0], list))
}

// looksAt tells whether what was folded occurs in a term.
func (r *reduction) looksAt(t *term.Term, seen map[*term.Term]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	return t.Op == term.Apply && t.Name == r.mark ||
		slices.ContainsFunc(t.Args, func(x *term.Term) bool { return r.looksAt(x, seen) })
}

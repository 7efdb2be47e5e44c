package lower

import (
	"slices"
	"strings"

	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/rise/syntax"
	"tv/semantics/term"
)

// A number is made when it is asked for, at the depth of folds at which it is: the variables of what was made elsewhere
// may be those of the fold around.
type number struct {
	make func(*index.Context) *term.Term
	ix   func(*index.Context) *index.Expr // of one that counts
	// conds are those of a bool that compares what counts: all are at least 0.
	conds func(*index.Context) []*index.Expr
	// yes and no are the two of which one counts, as conds of which say.
	of      *number
	yes, no func(*index.Context) val
	memo    map[[2]int]*term.Term // by context and depth
}

// counted is a number that counts.
func counted(e *index.Expr) *number {
	return &number{ix: func(*index.Context) *index.Expr { return e }}
}

func always(v val) func(*index.Context) val { return func(*index.Context) val { return v } }

// term is a number as an element of a type.
func (l *lowering) term(v val, ctx *index.Context, elem domain.Elem) *term.Term {
	n, sort := v.(*number), l.Sort(elem)
	switch {
	case n.ix != nil:
		return l.B.Number(sort, n.ix(ctx))
	case n.conds != nil:
		yes, no := l.B.Int(sort, 1), l.B.Int(sort, 0)
		return l.Where(ctx, n.conds(ctx), func(*index.Context) *term.Term { return no },
			func(*index.Context) *term.Term { return yes })
	}
	key := [2]int{ctx.ID(), l.Depth()}
	t := n.memo[key]
	if t == nil {
		if n.memo == nil {
			n.memo = map[[2]int]*term.Term{}
		}
		t = n.make(ctx)
		n.memo[key] = t
	}
	return t
}

// place is a number that counts, as an index expression.
func (l *lowering) place(c *syntax.Core, v val, ctx *index.Context) *index.Expr {
	n := v.(*number)
	if n.ix == nil {
		fail(c.Span, "a place that depends on data")
	}
	return n.ix(ctx)
}

// ofNumbers is a function of numbers.
func (l *lowering) ofNumbers(c *syntax.Core) val {
	of := c.Type.A
	switch c.Name {
	case "neg":
		return function(func(x val) val {
			if of.Kind == syntax.Index {
				return &number{ix: func(ctx *index.Context) *index.Expr { return l.X.Scale(index.Int(-1), l.place(c, x, ctx)) }}
			}
			return &number{make: func(ctx *index.Context) *term.Term { return l.B.Neg(l.term(x, ctx, of.Elem)) }}
		})
	case "cast":
		return function(func(x val) val { return l.cast(c, x) })
	case "select":
		return curried(3, nil, func(x []val) val {
			return l.either(c, c.Type.B.A, x[0].(*number), always(x[1]), always(x[2]))
		})
	}
	if of.Kind == syntax.Pair {
		return function(func(p val) val { return l.binary(c, of.A, p.(pair).a, p.(pair).b) })
	}
	return curried(2, nil, func(x []val) val { return l.binary(c, of, x[0], x[1]) })
}

// cast is a conversion.
func (l *lowering) cast(c *syntax.Core, x val) val {
	from, to := c.Type.A, c.Type.B
	switch {
	case to.Kind == syntax.Index:
		return &number{ix: func(ctx *index.Context) *index.Expr { return l.place(c, x, ctx) }}
	case from.Kind == syntax.Index && to.Elem.Kind == domain.ElemBool:
		fail(c.Span, "a bool of a number that counts")
	case from.Kind == syntax.Index:
		return &number{make: func(ctx *index.Context) *term.Term { return l.term(x, ctx, to.Elem) }}
	}
	return &number{make: func(ctx *index.Context) *term.Term {
		t, sort := l.term(x, ctx, from.Elem), l.Sort(to.Elem)
		if t.Sort == sort && from.Elem.Kind == to.Elem.Kind {
			return t
		}
		return l.B.Convert(sort, t)
	}}
}

// binary is a function of two numbers of a type.
func (l *lowering) binary(c *syntax.Core, of *syntax.Type, x, y val) val {
	if of.Kind == syntax.Index {
		return l.counting(c, x, y)
	}
	return &number{make: func(ctx *index.Context) *term.Term {
		return l.applied(c, of.Elem, l.term(x, ctx, of.Elem), l.term(y, ctx, of.Elem))
	}}
}

func (l *lowering) applied(c *syntax.Core, of domain.Elem, x, y *term.Term) *term.Term {
	bool := l.Sort(c.Type.B.ElemOf())
	if c.Type.B.Kind == syntax.Func {
		bool = l.Sort(c.Type.B.B.ElemOf())
	}
	switch c.Name {
	case "add":
		return l.B.Add(x, y)
	case "sub":
		return l.Sub(x, y)
	case "mult":
		return l.B.Mul(x, y)
	case "min":
		return l.B.Min(x, y)
	case "max":
		return l.B.Max(x, y)
	case "minimumf":
		if x.Sort.Kind == term.Float {
			return l.B.Apply(x.Sort, "c.minimum", x, y)
		}
		return l.B.Min(x, y)
	case "maximumf":
		if x.Sort.Kind == term.Float {
			return l.B.Apply(x.Sort, "c.maximum", x, y)
		}
		return l.B.Max(x, y)
	case "div":
		if of.Kind == domain.ElemFloat {
			return l.B.Div(x, y)
		}
		return l.B.Apply(x.Sort, "c.floordiv", x, y)
	case "mod":
		return l.Sub(x, l.B.Mul(y, l.B.Apply(x.Sort, "c.floordiv", x, y)))
	case "==":
		return l.B.Apply(bool, "c.eq", x, y)
	case "<":
		return l.B.Apply(bool, "c.lt", x, y)
	case "<=":
		return l.B.Apply(bool, "c.le", x, y)
	case ">":
		return l.B.Apply(bool, "c.lt", y, x)
	}
	return l.B.Apply(bool, "c.le", y, x) // >=
}

// counting is a function of two numbers that count.
func (l *lowering) counting(c *syntax.Core, x, y val) val {
	compared := func(conds func(a, b *index.Expr) []*index.Expr) val {
		return &number{conds: func(ctx *index.Context) []*index.Expr { return conds(l.place(c, x, ctx), l.place(c, y, ctx)) }}
	}
	switch c.Name {
	case "==":
		return compared(func(a, b *index.Expr) []*index.Expr { return []*index.Expr{l.X.Sub(a, b), l.X.Sub(b, a)} })
	case "<":
		return compared(func(a, b *index.Expr) []*index.Expr { return []*index.Expr{l.X.AddInt(l.X.Sub(b, a), -1)} })
	case "<=":
		return compared(func(a, b *index.Expr) []*index.Expr { return []*index.Expr{l.X.Sub(b, a)} })
	case ">":
		return compared(func(a, b *index.Expr) []*index.Expr { return []*index.Expr{l.X.AddInt(l.X.Sub(a, b), -1)} })
	case ">=":
		return compared(func(a, b *index.Expr) []*index.Expr { return []*index.Expr{l.X.Sub(a, b)} })
	}
	return &number{ix: func(ctx *index.Context) *index.Expr {
		return l.combined(c, ctx, l.place(c, x, ctx), l.place(c, y, ctx))
	}}
}

func (l *lowering) combined(c *syntax.Core, ctx *index.Context, a, b *index.Expr) *index.Expr {
	switch c.Name {
	case "add":
		return l.X.Add(a, b)
	case "sub":
		return l.X.Sub(a, b)
	case "mult":
		return l.X.Mul(a, b)
	case "min":
		return l.X.Min(ctx, a, b)
	case "max":
		return l.X.Max(ctx, a, b)
	}
	if !l.positive(ctx, b, a) {
		fail(c.Span, "a divisor that is not known to be positive")
	}
	if c.Name == "div" {
		return l.X.Div(ctx, a, b)
	}
	return l.X.Mod(ctx, a, b)
}

// positive tells whether b, by which a is divided, is known to be more than 0: where nobody says so it is where it is a factor of
// the number of places that the variables of a have, of which there is one.
func (l *lowering) positive(ctx *index.Context, b, a *index.Expr) bool {
	if l.X.Nonneg(ctx, l.X.AddInt(b, -1)) {
		return true
	}
	places := l.X.Const(1)
	for _, v := range a.Free() {
		if lo, hi := ctx.Bounds(v); v.Kind == index.Var && lo.IsZero() {
			places = l.X.Mul(places, hi)
		}
	}
	_, factor := l.X.ExactDiv(places, b)
	return factor && l.X.Nonneg(ctx, b)
}

// where is yes where all conds are at least 0, else no.
func (l *lowering) where(c *syntax.Core, t *syntax.Type, conds []*index.Expr, yes, no func(*index.Context) val) val {
	return l.either(c, t, &number{conds: func(*index.Context) []*index.Expr { return conds }}, yes, no)
}

// either is one of two values of a type, as a bool says.
func (l *lowering) either(c *syntax.Core, t *syntax.Type, cond *number, yes, no func(*index.Context) val) val {
	switch t.Kind {
	case syntax.Array:
		return array(func(_ *index.Context, i *index.Expr) val {
			return l.either(c, t.A, cond, func(ctx *index.Context) val { return yes(ctx).(array)(ctx, i) },
				func(ctx *index.Context) val { return no(ctx).(array)(ctx, i) })
		})
	case syntax.Pair:
		return pair{l.either(c, t.A, cond, func(ctx *index.Context) val { return yes(ctx).(pair).a },
			func(ctx *index.Context) val { return no(ctx).(pair).a }),
			l.either(c, t.B, cond, func(ctx *index.Context) val { return yes(ctx).(pair).b },
				func(ctx *index.Context) val { return no(ctx).(pair).b })}
	case syntax.Index:
		return &number{ix: func(ctx *index.Context) *index.Expr { return l.decided(c, ctx, cond, yes, no) },
			of: cond, yes: yes, no: no}
	}
	return &number{make: func(ctx *index.Context) *term.Term {
		of := func(v func(*index.Context) val) func(*index.Context) *term.Term {
			return func(ctx *index.Context) *term.Term { return l.term(v(ctx), ctx, t.Elem) }
		}
		if cond.conds != nil {
			return l.Where(ctx, cond.conds(ctx), of(no), of(yes))
		}
		return l.chosen(c, l.term(cond, ctx, domain.Elem{Kind: domain.ElemBool, Width: 1}), of(yes)(ctx), of(no)(ctx))
	}}
}

// placed is what stands at a place: of a place that is one or another, what stands at the one or at the other.
func (l *lowering) placed(c *syntax.Core, t *syntax.Type, x *number, at func(*index.Context, *number) val) val {
	if x.of == nil || x.of.conds == nil {
		return l.delayed(t, func(ctx *index.Context) val { return at(ctx, x) })
	}
	branch := func(v func(*index.Context) val) func(*index.Context) val {
		return func(ctx *index.Context) val { return l.placed(c, t, v(ctx).(*number), at) }
	}
	return l.either(c, t, x.of, branch(x.yes), branch(x.no))
}

// decided is the one of two numbers that count which is known to be meant.
func (l *lowering) decided(c *syntax.Core, ctx *index.Context, cond *number, yes, no func(*index.Context) val) *index.Expr {
	if cond.conds == nil {
		fail(c.Span, "a place that depends on data")
	}
	for _, e := range cond.conds(ctx) {
		switch l.X.Decide(ctx, e) {
		case index.False:
			return l.place(c, no(ctx), ctx)
		case index.True:
		default:
			fail(c.Span, "a place that depends on a condition")
		}
	}
	return l.place(c, yes(ctx), ctx)
}

// chosen is one of two numbers, as data says. In real numbers and integers the lesser or the greater of two that are
// compared is that.
func (l *lowering) chosen(c *syntax.Core, cond, yes, no *term.Term) *term.Term {
	if cond.Op == term.Apply && (cond.Name == "c.lt" || cond.Name == "c.le") && yes.Sort.Kind != term.Float {
		switch a, b := cond.Args[0], cond.Args[1]; {
		case yes == a && no == b:
			return l.B.Min(a, b)
		case yes == b && no == a:
			return l.B.Max(a, b)
		}
	}
	for _, t := range []*term.Term{yes, no} {
		if l.partial(t) {
			fail(c.Span, "a branch that may have no value, which counts only where it is taken")
		}
	}
	return l.choice(cond, yes, no)
}

// choice names the function of a condition and two numbers.
const choice = "c.choose"

func (l *lowering) choice(cond, yes, no *term.Term) *term.Term {
	if yes == no && !l.partial(cond) {
		return yes
	}
	return l.B.Apply(yes.Sort, choice, cond, yes, no)
}

// partial tells whether a number may have no value: it is divided by, or converted from what is beyond its type.
func (l *lowering) partial(t *term.Term) bool {
	if !t.MayBePartial() && !t.MayBeLowest() {
		return false
	}
	known, ok := l.partials[t]
	if ok {
		return known
	}
	positive := func(x *term.Term) bool { // as a number of the type too: -1 is one of the greatest of its bits
		return x.Op == term.Const && x.Value.Sign() > 0 &&
			(x.Sort.Width == 0 || x.Value.Num().BitLen() < x.Sort.Width)
	}
	switch known = t.MayBeLowest(); t.Op {
	case term.Div: // of floats bit for bit it has a value
		known = known || t.Sort.Kind != term.Float && !positive(t.Args[1])
	case term.Convert:
		known = known || t.Args[0].Sort.Kind == term.Real || t.Args[0].Sort.Kind == term.Float
	case term.Apply:
		known = known || t.Name == "c.floordiv" && !positive(t.Args[1]) || strings.HasPrefix(t.Name, unstatedName)
	case term.Gather, term.Read:
		known = known || t.MayBePartial()
	}
	known = known || slices.ContainsFunc(t.Args, l.partial)
	l.partials[t] = known
	return known
}

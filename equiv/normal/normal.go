package normal

import (
	"math/big"
	"strings"

	"tv/semantics/index"
	"tv/semantics/term"
)

// normal returns the open polynomial of t at ctx.
func (e *Engine) normal(ctx *index.Context, t *term.Term) sum {
	key := termKey{t.ID(), ctx.ID()}
	if s, ok := e.terms[key]; ok {
		return s
	}
	e.spend(1)
	s := e.compute(ctx, t)
	e.terms[key] = s
	return s
}

func (e *Engine) compute(ctx *index.Context, t *term.Term) sum {
	arg := func(i int) sum { return e.normal(ctx, t.Args[i]) }
	switch t.Op {
	case term.Const:
		if t.Name != "" {
			return e.ofAtom(e.atom(Atom{kind: applyAtom, name: e.typed("constant "+t.Name, t.Sort)}))
		}
		return e.constant(t.Value)
	case term.Lowest:
		return e.ofAtom(e.atom(Atom{kind: lowestAtom, name: t.Sort.String()}))
	case term.Number:
		return e.number(t.Index[0])
	case term.Read:
		offset := e.b.Const(0)
		for i, d := range t.Tensor.Dims {
			offset = e.b.Add(e.b.Mul(offset, d), t.Index[i])
		}
		return e.ofAtom(e.atom(Atom{kind: readAtom, tensor: t.Tensor, offset: offset}))
	case term.Add:
		return e.add(arg(0), arg(1))
	case term.Neg:
		return e.scale(big.NewRat(-1, 1), arg(0))
	case term.Mul:
		return e.mul(ctx, arg(0), arg(1))
	case term.Div:
		if !e.laws.Field || t.Sort.Kind != term.Real {
			switch d := t.Args[1]; d.Op { // a divisor counts as it is, not modulo anything: a mean's may be large
			case term.Const:
				return e.apply(ctx, e.typed("div by "+d.String(), t.Sort), []sum{arg(0)})
			case term.Number:
				return e.apply(ctx, e.typed("div by number "+d.String(), t.Sort), []sum{arg(0)})
			}
			return e.apply(ctx, e.typed("div", t.Sort), []sum{arg(0), arg(1)})
		}
		if d := t.Args[1]; d.Op == term.Const && d.Name == "" && d.Value.Sign() != 0 {
			return e.scale(new(big.Rat).Inv(d.Value), arg(0))
		}
		return e.quotient(ctx, arg(0), arg(1))
	case term.Max:
		return e.maximum(ctx, e.scope(t.Sort), sum{termOf(arg(0), nil, nil), termOf(arg(1), nil, nil)})
	case term.Min:
		if !e.laws.Negation || t.Sort.Kind != term.Real || t.MayBeLowest() {
			return e.least(ctx, arg(0), arg(1))
		}
		e.used |= UsedOrder
		minus := big.NewRat(-1, 1)
		return e.scale(minus, e.maximum(ctx, "", sum{
			termOf(e.scale(minus, arg(0)), nil, nil), termOf(e.scale(minus, arg(1)), nil, nil)}))
	case term.Apply:
		if t.Name == "c.choose" {
			if x, ok := e.selected(ctx, t.Sort, t.Args[0], arg(1), arg(2)); ok {
				return x
			}
		}
		if x, ok := e.byPowers(ctx, t); ok {
			return x
		}
		name, args := e.named(ctx, t.Name, t.Sort, t.Args...)
		switch { // of integers that wrap
		case t.Name == "relu" && t.Sort.Kind == term.Unsigned:
			return arg(0)
		case t.Name == "relu" && t.Sort.Kind == term.Signed:
			return e.maximum(ctx, e.scope(t.Sort), sum{termOf(arg(0), nil, nil), termOf(nil, nil, nil)})
		case t.Name == "left-shift" && wraps(t.Sort):
			if n := t.Args[1]; n.Op == term.Const && n.Value != nil && n.Value.IsInt() && n.Value.Sign() >= 0 &&
				n.Value.Cmp(big.NewRat(int64(t.Sort.Width), 1)) < 0 {
				by := new(big.Int).Lsh(big.NewInt(1), uint(n.Value.Num().Uint64()))
				return e.scale(new(big.Rat).SetInt(by), arg(0))
			}
		case t.Name == "round" && (t.Sort.Kind == term.Signed || t.Sort.Kind == term.Unsigned):
			return arg(0)
		}
		return e.apply(ctx, e.typed(name, t.Sort), args)
	case term.Convert:
		if c := t.Args[0]; c.Sort.Kind == term.Bool && c.Op == term.Apply && strings.HasPrefix(c.Name, "c.") && e.ring(t.Sort) {
			return e.indicator(ctx, t.Sort, t.Args[0])
		}
		return e.convert(ctx, t.Args[0].Sort, t.Sort, arg(0))
	case term.Reduce:
		return e.fold(ctx, t)
	case term.If:
		cond := e.b.Condition(t.Index[0])
		switch e.b.Decide(ctx, cond) {
		case index.True:
			return arg(0)
		case index.False:
			return arg(1)
		}
		not := e.b.AddInt(e.b.Scale(index.Int(-1), cond), -1)
		x := e.guarded(e.normal(e.b.Assume(ctx, cond), t.Args[0]), cond)
		y := e.guarded(e.normal(e.b.Assume(ctx, not), t.Args[1]), not)
		return append(append(make(sum, 0, len(x)+len(y)), x...), y...)
	case term.Gather:
		return e.gather(ctx, axis(t), t.Vars[0], arg(0), arg(1))
	}
	panic("normal: unknown operation")
}

// axis names what the index of a gather runs over, and its sort: the same bits are another index in another sort, and
// polynomials forget which it is.
func axis(t *term.Term) string {
	name := t.Vars[0].Lo.String() + " to " + t.Vars[0].Hi.String()
	if at := t.Args[1].Sort; at.Kind != term.Real {
		name += " in " + at.String()
	}
	return name
}

// typed is the name of a function of a sort: beside real numbers it is another than that of the reals.
func (e *Engine) typed(name string, s term.Sort) string {
	if scope := e.scope(s); scope != "" {
		name += " in " + scope
	}
	return name
}

// least returns the lesser of x and y where no law says what it is.
func (e *Engine) least(ctx *index.Context, x, y sum) sum {
	return e.piecewise(ctx, []sum{x, y}, func(ctx *index.Context, args []sum) sum {
		p, q := e.closeSum(ctx, args[0]), e.closeSum(ctx, args[1])
		if p == q {
			return args[0]
		}
		if p.id > q.id {
			p, q = q, p
		}
		return e.ofAtom(e.atom(Atom{kind: applyAtom, name: "min", polys: []*Poly{p, q}}))
	})
}

func (e *Engine) fold(ctx *index.Context, t *term.Term) sum {
	body, kind := e.normal(ctx, t.Args[0]), t.Fold
	if e.unroll && kind != term.Product {
		if pieces, ok := e.written(ctx, body, t.Vars); ok {
			var out sum
			for _, p := range pieces {
				if kind == term.Maximum {
					out = append(out, termOf(p, nil, nil))
				} else {
					e.noLowest(p)
					out = append(out, p...)
				}
			}
			if kind == term.Maximum {
				return e.maximum(ctx, e.scope(t.Sort), out)
			}
			return e.tidy(ctx, out)
		}
	}
	bodies, vars := []sum{body}, t.Vars
	if e.stride > 1 && kind != term.Product {
		bodies, vars = e.inParts(ctx, body, vars)
	}
	switch kind {
	case term.Maximum:
		var members sum
		for _, b := range bodies {
			members = append(members, termOf(b, vars, nil))
		}
		return e.maximum(ctx, e.scope(t.Sort), members)
	case term.Product:
		e.noLowest(body)
		var out sum
		for _, l := range e.split(ctx, []sum{body}) {
			if len(l.guards) > 0 && mentionsBound(l.guards, t.Vars) {
				panic(stop{ErrBudget}) // pieces along the axis of a product: not supported
			}
			part := e.product(l.ctx, termOf(l.groups[0], t.Vars, nil))
			for _, g := range l.guards {
				part = e.guarded(part, g)
			}
			out = append(out, part...)
		}
		return out
	}
	e.noLowest(body)
	return summed(bodies, vars)
}

// summed returns the sum of bodies over variables.
func summed(bodies []sum, vars []*index.Atom) (out sum) {
	for _, b := range bodies {
		for _, s := range b {
			c := *s
			c.vars = appendTo(s.vars, vars)
			out = append(out, &c)
		}
	}
	return out
}

func mentionsBound(guards []*index.Expr, vars []*index.Atom) bool {
	for _, g := range guards {
		if mentionsAny(g, vars) {
			return true
		}
	}
	return false
}

package lower

import (
	"fmt"
	"slices"

	"tv/semantics/arrays"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A chain is what steps of which nothing is known make of a number, one after the other. The steps of what a step makes of
// what a step made are two, those of a fold that starts from a fold stand behind those of the other, and a step that is a fold
// from the accumulator on is as many as that has. So folds of pieces are those of the whole.
type chain struct {
	from  *term.Term
	links []link
	ways  []way
}

// A link is as many steps as n: told by the sum of symbols of their places, from one on, and of what they make of an
// accumulator of a name.
type link struct {
	n    *index.Expr
	told func(from *index.Expr, mark string) *term.Term
}

// A way is one by which a number goes into a step: as an operand of a function.
type way struct {
	function string
	operand  int
}

// linked are the steps, from the first on, by which t is made of the accumulator of a name: nil where it is made of it in
// another way than through one operand of each function.
func (l *lowering) linked(t *term.Term, mark string) (links []link, ways []way) {
	for t.Op != term.Apply || t.Name != mark {
		own, more, inner := l.lastLink(t, func(x *term.Term) bool { return l.mentions(x, mark, map[*term.Term]bool{}) })
		if own == nil {
			return nil, nil
		}
		links, ways, t = append(slices.Clip(own), links...), append(ways, more...), inner
	}
	return links, ways
}

// lastLink takes the last steps from t, those of a chain or one that goes through the operand which is chosen, and returns
// what they start from.
func (l *lowering) lastLink(t *term.Term, chosen func(*term.Term) bool) (links []link, ways []way, inner *term.Term) {
	if c, ok := l.chained[t]; ok && chosen(c.from) {
		for _, k := range c.links {
			if chosen(k.told(l.X.Const(0), " ")) {
				return nil, nil, nil
			}
		}
		return c.links, c.ways, c.from
	}
	w := way{function: t.Name, operand: slices.IndexFunc(t.Args, chosen)}
	if w.operand < 0 || !l.isFree(t) || slices.ContainsFunc(t.Args[w.operand+1:], chosen) {
		return nil, nil, nil
	}
	return []link{l.single(t, w)}, []way{w}, t.Args[w.operand]
}

// isFree tells whether t is a free function without laws of its operands.
func (l *lowering) isFree(t *term.Term) bool { return t.Op == term.Apply && l.opaque[t] }

// single is the step that t is, of its operand on a way.
func (l *lowering) single(t *term.Term, w way) link {
	return link{n: l.X.Const(1), told: func(from *index.Expr, mark string) *term.Term {
		args := slices.Clone(t.Args)
		args[w.operand] = l.B.Apply(args[w.operand].Sort, mark)
		return l.told(from, l.B.Apply(t.Sort, t.Name, args...))
	}}
}

// told is the symbol of a step at a place.
func (l *lowering) told(at *index.Expr, makes *term.Term) *term.Term {
	return l.B.Apply(term.Sort{}, "fold "+makes.Sort.String()+" step", l.B.Number(term.Sort{}, at), makes)
}

// mentions tells whether a symbol of a name occurs in t.
func (l *lowering) mentions(t *term.Term, name string, seen map[*term.Term]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	return t.Op == term.Apply && t.Name == name ||
		slices.ContainsFunc(t.Args, func(x *term.Term) bool { return l.mentions(x, name, seen) })
}

// chainOf is one number of a reduction with steps of which nothing is known, each of which makes it of that number alone.
func (r *reduction) chainOf(ctx *index.Context, e domain.Elem, get func(val, *index.Context) val) *term.Term {
	makes := func(k *index.Expr) *term.Term { return r.term(get(r.step(ctx, r.unknown(r.acc, nil), k), ctx), ctx, e) }
	from := func(ctx *index.Context) *term.Term { return r.term(get(r.init, ctx), ctx, e) }
	over := []arrays.Range{{Lo: r.X.Const(0), Hi: r.n}}
	// steps are those of one element: one step if it is not known of which it is made
	steps := func(k *index.Expr) (links []link, ways []way) {
		t := makes(k)
		if links, ways = r.linked(t, r.mark); links == nil {
			return []link{{n: r.X.Const(1), told: func(from *index.Expr, mark string) *term.Term {
				own := *r
				own.mark = mark
				return own.told(from, own.term(get(own.step(ctx, own.unknown(own.acc, nil), k), ctx), ctx, e))
			}}}, nil
		}
		return links, ways
	}
	count, ways, looks, stays := r.X.Const(1), []way(nil), true, false
	r.Fold(term.Sum, term.Sort{}, over, func(k []*index.Expr) *term.Term {
		t := makes(k[0])
		looks, stays = r.looksAt(t, map[*term.Term]bool{}), t == r.accumulator(e, nil)
		if !looks || stays {
			return r.told(k[0], t)
		}
		links, own := steps(k[0])
		if n := r.total(links); !slices.ContainsFunc(k[0].Free(), n.Mentions) {
			count, ways = n, own
		} else {
			fail(r.c.Span, "a fold with a number of steps that depends on its place")
		}
		return r.told(k[0], t)
	})
	last := r.X.AddInt(r.n, -1)
	if stays {
		return from(ctx)
	}
	if !looks { // the last step says all
		return r.Where(ctx, []*index.Expr{last}, from, func(ctx *index.Context) *term.Term {
			return r.term(get(r.step(ctx, r.unknown(r.acc, nil), last), ctx), ctx, e)
		})
	}
	all := link{n: r.X.Mul(r.n, count), told: func(from *index.Expr, mark string) *term.Term {
		return r.Fold(term.Sum, term.Sort{}, over, func(k []*index.Expr) *term.Term {
			links, _ := steps(k[0])
			return r.chainList(links, r.X.Add(from, r.X.Mul(k[0], count)), mark)
		})
	}}
	return r.chain(r.Sort(e), from(ctx), []link{all}, ways)
}

// total is the number of steps.
func (l *lowering) total(links []link) *index.Expr {
	n := l.X.Const(0)
	for _, k := range links {
		n = l.X.Add(n, k.n)
	}
	return n
}

// chainList tells all steps, the first of which is at a place.
func (l *lowering) chainList(links []link, from *index.Expr, mark string) *term.Term {
	sum := l.B.Int(term.Sort{}, 0)
	for _, k := range links {
		sum = l.B.Add(sum, k.told(from, mark))
		from = l.X.Add(from, k.n)
	}
	return sum
}

// chain is the symbol of steps from a number on. That is one to which no step leads that goes by one of their ways.
func (l *lowering) chain(sort term.Sort, from *term.Term, links []link, ways []way) *term.Term {
	for {
		known := l.chained[from]
		if known.links == nil {
			i := slices.IndexFunc(ways, func(w way) bool {
				return l.isFree(from) && from.Name == w.function && w.operand < len(from.Args)
			})
			if i < 0 {
				break
			}
			known = chain{from.Args[ways[i].operand], []link{l.single(from, ways[i])}, nil}
		}
		from, links, ways = known.from, append(slices.Clip(known.links), links...), append(slices.Clip(ways), known.ways...)
	}
	told := l.chainList(links, l.X.Const(0), l.level())
	return l.strictly([]*term.Term{from}, sort, func(from []*term.Term) *term.Term {
		t := l.B.Apply(sort, "fold "+sort.String(), l.B.Number(term.Sort{}, l.total(links)), told, from[0])
		l.chained[t] = chain{from[0], links, ways}
		return t
	})
}

// level names the accumulator of a fold by the depth of reductions around it, not by which one it is: the other side has its own.
func (l *lowering) level() string { return fmt.Sprintf("accumulator at depth %d", l.Depth()) }

// application is what a free function without laws makes of its operands. Where one of them is a chain and its steps are
// such as this is, it is one more.
func (l *lowering) application(sort term.Sort, name string, args []*term.Term) *term.Term {
	t := l.B.Apply(sort, name, args...)
	l.opaque[t] = true
	for i, a := range args {
		w := way{name, i}
		if c := l.chained[a]; c.links != nil && slices.Contains(c.ways, w) {
			return l.chain(sort, a, []link{l.single(t, w)}, []way{w})
		}
	}
	return t
}

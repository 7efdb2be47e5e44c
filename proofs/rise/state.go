package rise

import (
	"slices"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// The values of the patterns, by what they are applied to.

func stateMap(l *lowering, in *pattern, a []*value) *value {
	return l.array(in.sizes["n"], func(c *context, i *expr) *value {
		return a[0].apply(a[1].at(c, i))
	})
}

func stateSame(_ *lowering, _ *pattern, a []*value) *value { return a[0] }

func stateLet(_ *lowering, _ *pattern, a []*value) *value { return a[1].apply(a[0]) }

func stateZip(l *lowering, in *pattern, a []*value) *value {
	return l.array(in.sizes["n"], func(c *context, i *expr) *value {
		return &value{parts: &[2]*value{a[0].at(c, i), a[1].at(c, i)}}
	})
}

func stateUnzip(l *lowering, in *pattern, a []*value) *value {
	var parts [2]*value
	for k := range parts {
		parts[k] = l.array(in.sizes["n"], func(c *context, i *expr) *value {
			return a[0].at(c, i).parts[k]
		})
	}
	return &value{parts: &parts}
}

func stateFirst(_ *lowering, _ *pattern, a []*value) *value { return a[0].parts[0] }

func stateSecond(_ *lowering, _ *pattern, a []*value) *value { return a[0].parts[1] }

func statePair(_ *lowering, _ *pattern, a []*value) *value {
	return &value{parts: &[2]*value{a[0], a[1]}}
}

func stateMapFirst(_ *lowering, _ *pattern, a []*value) *value {
	return &value{parts: &[2]*value{a[0].apply(a[1].parts[0]), a[1].parts[1]}}
}

func stateMapSecond(_ *lowering, _ *pattern, a []*value) *value {
	return &value{parts: &[2]*value{a[1].parts[0], a[0].apply(a[1].parts[1])}}
}

func stateTranspose(l *lowering, in *pattern, a []*value) *value {
	return l.array(in.sizes["m"], func(_ *context, i *expr) *value {
		return l.array(in.sizes["n"], func(c *context, j *expr) *value {
			return a[0].at(c, j).at(c, i)
		})
	})
}

func stateSplit(l *lowering, in *pattern, a []*value) *value {
	n := l.Place(in.sizes["n"])
	return l.array(in.sizes["m"], func(_ *context, i *expr) *value {
		return l.array(in.sizes["n"], func(c *context, j *expr) *value {
			return a[0].at(c, l.B.Add(l.B.Mul(i, n), j))
		})
	})
}

func stateJoin(l *lowering, in *pattern, a []*value) *value {
	n, m := l.Place(in.sizes["n"]), l.Place(in.sizes["m"])
	return l.array(in.sizes["n"].Mul(in.sizes["m"]), func(c *context, i *expr) *value {
		at := l.Regroup(c, []*expr{n, m}, []*expr{l.B.Mul(n, m)}, []*expr{i})
		return a[0].at(c, at[0]).at(c, at[1])
	})
}

func stateSlide(l *lowering, in *pattern, a []*value) *value {
	step := l.Place(in.sizes["sp"])
	return l.array(in.sizes["n"].Add(one), func(_ *context, i *expr) *value {
		return l.array(in.sizes["sz"], func(c *context, j *expr) *value {
			return a[0].at(c, l.B.Add(l.B.Mul(i, step), j))
		})
	})
}

// padded is what stands at a place of an array with places before those of x and behind.
func (l *lowering) padded(in *pattern, i *expr, first, last func(*context) *value,
	x *value) *value {
	n := l.Place(in.sizes["n"])
	inner := l.B.Sub(i, l.Place(in.sizes["l"]))
	return l.derived(in.types["t"], func(c *context, _ domain.Elem, of leaf) *element {
		return l.Choose(c, inner, func(c *context) *element {
			return l.Choose(c, l.B.AddInt(l.B.Sub(n, inner), -1),
				func(c *context) *element { return of(c, x.at(c, inner)) },
				func(c *context) *element { return of(c, last(c)) })
		}, func(c *context) *element { return of(c, first(c)) })
	})
}

// statePadClamp counts the first and the last element as pads too, where a place is surely one.
func statePadClamp(l *lowering, in *pattern, a []*value) *value {
	last := l.B.AddInt(l.Place(in.sizes["n"]), -1)
	return l.array(in.whole(), func(c *context, i *expr) *value {
		inner := l.B.Sub(i, l.Place(in.sizes["l"]))
		if l.B.Nonneg(c, l.B.Scale(algebra.Int(-1), inner)) {
			return a[0].at(c, l.B.Const(0))
		} else if l.B.Nonneg(c, l.B.Sub(inner, last)) {
			return a[0].at(c, last)
		}
		return l.padded(in, i, func(c *context) *value { return a[0].at(c, l.B.Const(0)) },
			func(c *context) *value { return a[0].at(c, last) }, a[0])
	})
}

func statePadConst(l *lowering, in *pattern, a []*value) *value {
	out := func(*context) *value { return a[0] }
	return l.array(in.whole(), func(_ *context, i *expr) *value {
		return l.padded(in, i, out, out, a[1])
	})
}

// whole is how many elements there are with those that a pattern adds before and behind.
func (in *pattern) whole() size { return in.sizes["l"].Add(in.sizes["n"]).Add(in.sizes["r"]) }

func statePadEmpty(l *lowering, in *pattern, a []*value) *value {
	read := func(_ *context, _ []int, _ []*expr, elem domain.Elem) *element { return l.None(elem) }
	empty := l.tensor(in.types["t"], nil, nil, read)
	n := l.Place(in.sizes["n"])
	return l.array(in.sizes["n"].Add(in.sizes["r"]), func(c *context, i *expr) *value {
		within := l.B.AddInt(l.B.Sub(n, i), -1)
		return l.derived(in.types["t"], func(c *context, _ domain.Elem, of leaf) *element {
			return l.Choose(c, within, func(c *context) *element { return of(c, a[0].at(c, i)) },
				func(c *context) *element { return of(c, empty) })
		})
	})
}

func stateTake(l *lowering, in *pattern, a []*value) *value {
	return l.array(in.sizes["n"], func(c *context, i *expr) *value { return a[0].at(c, i) })
}

func stateDrop(l *lowering, in *pattern, a []*value) *value {
	n := l.Place(in.sizes["n"])
	return l.array(in.sizes["m"], func(c *context, i *expr) *value {
		return a[0].at(c, l.B.Add(i, n))
	})
}

func stateConcat(l *lowering, in *pattern, a []*value) *value {
	n := l.Place(in.sizes["n"])
	return l.array(in.sizes["n"].Add(in.sizes["m"]), func(_ *context, i *expr) *value {
		first := l.B.AddInt(l.B.Sub(n, i), -1)
		return l.derived(in.types["t"], func(c *context, _ domain.Elem, of leaf) *element {
			return l.Choose(c, first, func(c *context) *element { return of(c, a[0].at(c, i)) },
				func(c *context) *element { return of(c, a[1].at(c, l.B.Sub(i, n))) })
		})
	})
}

func stateGenerate(l *lowering, in *pattern, a []*value) *value {
	return l.array(in.sizes["n"], func(_ *context, i *expr) *value {
		return a[0].apply(l.placed(i))
	})
}

func stateIdx(l *lowering, in *pattern, a []*value) *value {
	if in.types["i"].find().kind == scalar {
		return l.gathered(in, a[1], a[0])
	}
	return l.derived(in.types["t"], func(c *context, _ domain.Elem, of leaf) *element {
		return l.taken(c, of, a[1], a[0]) // which lies in the array, as places has seen to
	})
}

// taken is what stands in x at a place, which a comparison may choose.
func (l *lowering) taken(c *context, of leaf, x, place *value) *element {
	if e := place.either; e != nil {
		return l.where(c, e[0].holds(c),
			func(c *context) *element { return l.taken(c, of, x, e[1]) },
			func(c *context) *element { return l.taken(c, of, x, e[2]) })
	}
	return of(c, x.at(c, place.place(c)))
}

// within refuses a place that is not known to lie in an array of n, whichever is chosen.
func (l *lowering) within(c *context, place *value, n *expr) {
	if place.either == nil {
		l.lies(c, place.place(c), n)
		return
	}
	for _, cond := range place.either[0].holds(c) {
		if l.B.Nonneg(c, cond) {
			continue
		}
		not := l.B.AddInt(l.B.Scale(algebra.Int(-1), cond), -1)
		l.within(l.B.Assume(c, not), place.either[2], n)
		c = l.B.Assume(c, cond)
	}
	l.within(c, place.either[1], n)
}

// lies refuses a place that is not known to lie in an array of n.
func (l *lowering) lies(c *context, i, n *expr) {
	if !l.B.Nonneg(c, i) || !l.B.Nonneg(c, l.B.AddInt(l.B.Sub(n, i), -1)) {
		algebra.Fail(algebra.CodeUnsupported, "a place that is not known to lie in the array")
	}
}

func stateGather(l *lowering, in *pattern, a []*value) *value {
	return l.array(in.sizes["m"], func(c *context, i *expr) *value {
		at := a[0].at(c, i)
		if in.types["i"].find().kind == scalar {
			return l.gathered(in, a[1], at)
		}
		place := at.place(c)
		l.lies(c, place, l.Place(in.sizes["n"]))
		return a[1].at(c, place)
	})
}

// stateScatter is what was put at a place. Of places that are no elements all have to lie in the
// array, and the next to be beside: then each is one of them.
func stateScatter(l *lowering, in *pattern, a []*value) *value {
	n := l.Place(in.sizes["n"])
	return l.array(in.sizes["n"], func(c *context, i *expr) *value {
		if in.types["i"].find().kind == scalar {
			elem := l.Elem(in.types["i"].find().elem)
			return l.gathered(in, a[1], l.scalar(func(c *context) *element {
				all := l.listing("scattered", n, func(k *expr) []*element {
					return []*element{a[0].at(c, k).scalar(c)}
				})
				return l.Function(elem, "scatter", l.Number(domain.Elem{}, i), all)
			}))
		}
		v := l.B.NewVar(l.B.Const(0), n)
		to := a[0].at(c, v.Expr()).place(c)
		l.lies(c, to, n)
		if n.Is(1) {
			return a[1].at(c, i)
		}
		for _, step := range []int64{1, -1} {
			k := l.B.Scale(algebra.Int(step), v.Expr())
			if first := l.B.Sub(to, k); !first.Mentions(v) {
				return a[1].at(c, l.B.Scale(algebra.Int(step), l.B.Sub(i, first)))
			}
		}
		algebra.Fail(algebra.CodeUnsupported, "scatter to places that are not in order")
		return nil
	})
}

// gathered is what an array has at a place that is an element.
func (l *lowering) gathered(in *pattern, x, place *value) *value {
	return l.derived(in.types["t"], func(c *context, elem domain.Elem, of leaf) *element {
		v := l.B.NewVar(l.B.Const(0), l.Place(in.sizes["n"]))
		return l.Make(element{Op: algebra.OpGather, Vars: []*algebra.Atom{v}, Elem: l.Elem(elem),
			Args: []*element{of(c, x.at(c, v.Expr())), place.scalar(c)}})
	})
}

func stateReorder(l *lowering, in *pattern, a []*value) *value {
	return l.array(in.sizes["n"], func(c *context, i *expr) *value {
		return a[2].at(c, a[0].apply(l.placed(i)).place(c))
	})
}

func stateCast(l *lowering, in *pattern, a []*value) *value {
	from, to := in.types["s"].find().elem, in.types["t"].find().elem
	return l.scalar(func(c *context) *element { return l.Convert(from, to, a[0].scalar(c)) })
}

func stateSelect(l *lowering, in *pattern, a []*value) *value {
	if in.types["t"].find().kind == natural && a[0].holds != nil {
		return &value{either: &[3]*value{a[0], a[1], a[2]}, place: func(*context) *expr {
			algebra.Fail(algebra.CodeUnsupported, "a place that a comparison chooses")
			return nil
		}}
	}
	return l.derived(in.types["t"], func(c *context, _ domain.Elem, of leaf) *element {
		if a[0].holds != nil {
			return l.where(c, a[0].holds(c), func(c *context) *element { return of(c, a[1]) },
				func(c *context) *element { return of(c, a[2]) })
		}
		return l.Chosen(a[0].scalar(c), of(c, a[1]), of(c, a[2]))
	})
}

// where is x where no cond is negative, and else y.
func (l *lowering) where(c *context, conds []*expr, x, y func(*context) *element) *element {
	if len(conds) == 0 {
		return x(c)
	}
	rest := func(c *context) *element { return l.where(c, conds[1:], x, y) }
	return l.Choose(c, conds[0], rest, y)
}

func stateScalar(l *lowering, in *pattern, a []*value) *value {
	return l.operation(in.name, in.types["t"], a[0], append(a, nil)[1])
}

// places refuses a text in which a place is not known to lie in its array, or a permutation not to
// be one, wherever it stands at c. Variables have values if they are places. What a comparison of
// places chooses is only there where it does.
func (l *lowering) places(c *context, n *node, e *environment) {
	if n.op == "call" && n.args[0].pattern != nil {
		p, args := n.args[0].pattern, n.args[1:]
		l.placesOf(c, p, args, e)
		if p.name == "select" && len(args) > 1 && slices.Contains(comparisons, args[0].op) &&
			args[0].args[0].typ.find().kind == natural {
			l.chosen(c, args, e)
			return
		}
	} else if p := n.pattern; p != nil {
		l.placesOf(c, p, nil, e)
	}
	for _, q := range n.params {
		if q.below != nil && q.typ.find().kind == natural {
			v := l.B.NewVar(l.B.Const(0), l.Place(*q.below))
			e = &environment{q.variable, l.placed(v.Expr()), e}
		}
	}
	for i, a := range n.args {
		if i > 0 || n.op != "call" || a.pattern == nil {
			l.places(c, a, e)
		}
	}
}

// chosen does so for what is chosen between.
func (l *lowering) chosen(c *context, args []*node, e *environment) {
	then, otherwise := c, c
	conds := l.value(args[0], e).holds(c)
	for _, cond := range conds {
		then = l.B.Assume(then, cond)
	}
	if len(conds) == 1 {
		otherwise = l.B.Assume(c, l.B.AddInt(l.B.Scale(algebra.Int(-1), conds[0]), -1))
	}
	for i, a := range args {
		l.places([]*context{c, then, otherwise, c}[min(i, 3)], a, e)
	}
}

// placesOf looks at what a pattern is applied to.
func (l *lowering) placesOf(c *context, p *pattern, args []*node, e *environment) {
	wanted := map[string]int{"idx": 1, "reorder": 2}[p.name]
	if p.name == "idx" && p.types["i"].find().kind == scalar { // what is beyond has no value
		return
	}
	if len(args) < wanted {
		algebra.Fail(algebra.CodeUnsupported, "%s that is not applied where it stands", p.name)
	}
	switch wanted {
	case 1:
		l.within(c, l.value(args[0], e), l.Place(p.sizes["n"]))
	case 2:
		l.permutes(c, l.value(args[0], e), l.value(args[1], e), l.Place(p.sizes["n"]))
	}
}

// permutes checks that f maps the places of an array of n to such places, and g back: so f is one
// to one, and each place is one that f maps to.
func (l *lowering) permutes(c *context, f, g *value, n *expr) {
	v := l.B.NewVar(l.B.Const(0), n)
	to := f.apply(l.placed(v.Expr())).place(c)
	l.lies(c, to, n)
	back := g.apply(l.placed(to)).place(c)
	if d := l.B.Sub(back, v.Expr()); !d.Is(0) &&
		(!l.B.Nonneg(c, d) || !l.B.Nonneg(c, l.B.Scale(algebra.Int(-1), d))) {
		algebra.Fail(algebra.CodeUnsupported, "places that are not known to be exchanged")
	}
}

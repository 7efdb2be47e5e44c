package normal

import (
	"sort"

	"tv/internal/mix"
	"tv/semantics/index"
)

// maxOrders bounds the orders of bound variables that are tried where their roles look alike.
const maxOrders = 120

// slotted gives the bound variables of a reduced summand their slots and splits it into body and box. The
// order of the variables depends on their roles alone, so that summands equal but for names and ranges have
// one body.
func (e *Engine) slotted(ctx *index.Context, s *summand) (*body, box) {
	base := 0
	for _, f := range s.factors {
		base = max(base, f.atom.height)
	}
	var value *Poly
	if s.isTerm {
		value = e.closeSum(ctx, s.value)
		base = max(base, value.height)
	}
	bx := box{coef: s.coef}
	var guards []*index.Expr
	free := map[*index.Atom]*interval{}
	var freeVars []*index.Atom
	for _, g := range s.guards {
		x := e.endOf(g)
		v, lower, bound := x.v, x.lower, x.at
		if v == nil || s.bound(v) {
			guards = append(guards, g)
			continue
		}
		r := free[v]
		if r == nil {
			lo, hi := ctx.Bounds(v)
			r = &interval{dim: dim{v: v}, lo: lo, hi: hi}
			free[v] = r
			freeVars = append(freeVars, v)
		}
		switch {
		case lower && e.b.Nonneg(ctx, e.b.Sub(bound, r.lo)):
			r.lo = bound
		case !lower && e.b.Nonneg(ctx, e.b.Sub(r.hi, bound)):
			r.hi = bound
		case lower && e.b.Nonneg(ctx, e.b.Sub(r.lo, bound)), !lower && e.b.Nonneg(ctx, e.b.Sub(bound, r.hi)):
			// weaker than what is known
		default:
			guards = append(guards, g)
		}
	}
	sort.Slice(freeVars, func(i, j int) bool { return freeVars[i].ID() < freeVars[j].ID() })
	for _, v := range freeVars {
		if r := free[v]; e.b.Nonneg(ctx, e.b.Sub(r.lo, r.hi)) {
			bx.coef = zero // the conditions contradict each other
		} else {
			bx.ranges = append(bx.ranges, *r)
		}
	}

	var best *body
	var bestOrder []*index.Atom
	for _, order := range e.variableOrders(s) {
		bd := e.withSlots(ctx, s, value, guards, order, base)
		if bd != nil && (best == nil || bd.id < best.id) {
			best, bestOrder = bd, order
		}
	}
	if best == nil {
		panic(stop{ErrBudget}) // see withSlots
	}
	for i, v := range bestOrder {
		bx.ranges = append(bx.ranges, interval{dim{slot: base + i}, v.Lo, v.Hi})
	}
	return best, bx
}

// withSlots interns the body of s with its variables numbered in the given order. It returns nil where an atom
// simplifies once its variables are slots, so that not just the body is left: a maximum of two terms that become
// one.
func (e *Engine) withSlots(ctx *index.Context, s *summand, value *Poly, guards []*index.Expr, order []*index.Atom, base int) *body {
	m := make(map[*index.Atom]*index.Expr, len(order))
	for i, v := range order {
		m[v] = e.b.Slot(base + i).Expr()
	}
	t := &summand{coef: one, guards: guards, factors: s.factors, isTerm: s.isTerm, value: s.value}
	if len(m) > 0 {
		out := e.substSummand(ctx, t, m)
		if len(out) != 1 || out[0].coef.Cmp(one) != 0 || len(out[0].vars) > 0 {
			return nil
		}
		t = out[0]
		if s.isTerm {
			value = e.closeSum(ctx, t.value)
		}
	}
	bd := body{base: base, slots: len(order), term: s.isTerm, factors: t.factors}
	if s.isTerm {
		bd.factors = []factor{{e.atom(Atom{kind: valueAtom, polys: []*Poly{value}}), 1}}
	}
	bd.guards = append(bd.guards, t.guards...)
	sort.Slice(bd.guards, func(i, j int) bool { return bd.guards[i].ID() < bd.guards[j].ID() })
	return e.body(bd)
}

func (e *Engine) body(bd body) *body {
	h := mix.Word(uint64(bd.base), uint64(bd.slots))
	for _, g := range bd.guards {
		h = mix.Word(h, uint64(g.ID()))
	}
	for _, f := range bd.factors {
		h = mix.Word(mix.Word(h, uint64(f.atom.id)), uint64(f.exp))
	}
	h &= hashMask
next:
	for _, o := range e.bodies[h] {
		if o.base != bd.base || o.slots != bd.slots || o.term != bd.term ||
			len(o.guards) != len(bd.guards) || len(o.factors) != len(bd.factors) {
			continue
		}
		for i := range bd.guards {
			if o.guards[i] != bd.guards[i] {
				continue next
			}
		}
		for i := range bd.factors {
			if o.factors[i] != bd.factors[i] {
				continue next
			}
		}
		return o
	}
	e.nbody++
	bd.id = e.nbody
	for _, g := range bd.guards {
		bd.free = union(bd.free, g.Free())
	}
	for _, f := range bd.factors {
		bd.free = union(bd.free, f.atom.free)
	}
	for i := range bd.slots {
		bd.free = without(bd.free, e.b.Slot(bd.base+i))
	}
	kept := bd
	e.bodies[h] = append(e.bodies[h], &kept)
	return &kept
}

// variableOrders returns the orders of the bound variables to try: one, unless variables play roles that look alike.
func (e *Engine) variableOrders(s *summand) [][]*index.Atom {
	if len(s.vars) < 2 {
		return [][]*index.Atom{s.vars}
	}
	colors := map[*index.Atom]uint64{}
	for _, v := range s.vars {
		colors[v] = 1
	}
	for range s.vars {
		next := map[*index.Atom]uint64{}
		for _, v := range s.vars {
			saved := colors[v]
			colors[v] = 0xfeed
			h := saved
			for _, f := range s.factors {
				if f.atom.mentions(v) {
					h += mix.Word(hashAtom(f.atom, colors), uint64(f.exp))
				}
			}
			for _, t := range s.value {
				h += hashSummand(t, colors)
			}
			for _, g := range s.guards {
				if g.Mentions(v) {
					h += mix.Word(7, hashExpr(g, colors))
				}
			}
			colors[v] = saved
			next[v] = mix.Word(h, 3)
		}
		colors = next
	}
	order := append([]*index.Atom(nil), s.vars...)
	sort.SliceStable(order, func(i, j int) bool { return colors[order[i]] < colors[order[j]] })
	out := [][]*index.Atom{order}
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && colors[order[hi]] == colors[order[lo]] {
			hi++
		}
		if hi-lo > 1 {
			var more [][]*index.Atom
			for _, o := range out {
				more = append(more, permutations(o, lo, hi)...)
				if len(more) > maxOrders {
					return [][]*index.Atom{order}
				}
			}
			out = more
		}
		lo = hi
	}
	return out
}

// permutations returns o with positions lo..hi-1 in every order.
func permutations(o []*index.Atom, lo, hi int) [][]*index.Atom {
	if hi-lo < 2 {
		return [][]*index.Atom{o}
	}
	var out [][]*index.Atom
	for i := lo; i < hi; i++ {
		p := append([]*index.Atom(nil), o...)
		p[lo], p[i] = p[i], p[lo]
		out = append(out, permutations(p, lo+1, hi)...)
		if len(out) > maxOrders {
			return out
		}
	}
	return out
}

// The hashes below depend on structure alone: a variable counts by its color, not by its name, and the slots bound
// inside an atom, those below its height, count alike, however they are numbered.

func hashExpr(x *index.Expr, colors map[*index.Atom]uint64) uint64 { return hashInside(x, colors, 0) }

func hashInside(x *index.Expr, colors map[*index.Atom]uint64, height int) uint64 {
	h := uint64(5)
	for _, t := range x.Terms() {
		p := uint64(1)
		for _, a := range t.Atoms() {
			p += hashIndex(a, colors, height)
		}
		n, small := t.Coef.Int64()
		if !small {
			n = int64(mix.String(0, t.Coef.String()))
		}
		h += mix.Word(p, uint64(n))
	}
	return h
}

func hashIndex(a *index.Atom, colors map[*index.Atom]uint64, height int) uint64 {
	switch a.Kind {
	case index.Slot:
		if a.N < height {
			return 29
		}
		return mix.Word(11, uint64(a.N))
	case index.Size, index.Var:
		if c, ok := colors[a]; ok {
			return mix.Word(13, c)
		}
		return mix.Word(17, uint64(a.ID()))
	}
	return mix.Word(mix.Word(uint64(a.Kind), hashInside(a.Num, colors, height)), hashInside(a.Den, colors, height))
}

func hashAtom(a *Atom, colors map[*index.Atom]uint64) uint64 {
	return hashAtomInside(a, colors, a.height)
}

func hashAtomInside(a *Atom, colors map[*index.Atom]uint64, height int) uint64 {
	h := mix.String(uint64(a.kind), a.name)
	switch a.kind {
	case readAtom:
		return mix.Word(mix.Word(h, uint64(a.tensor.ID)), hashInside(a.offset, colors, height))
	case numberAtom:
		return mix.Word(h, hashIndex(a.number, colors, height))
	}
	for _, p := range a.polys {
		ph := uint64(0)
		for _, pt := range p.parts {
			b := uint64(pt.body.slots)
			for _, f := range pt.body.factors {
				b += mix.Word(hashAtomInside(f.atom, colors, height), uint64(f.exp))
			}
			for _, g := range pt.body.guards {
				b += mix.Word(19, hashInside(g, colors, height))
			}
			ph += mix.Word(b, hashSteps(pt.steps, colors, height))
		}
		h = mix.Word(h, ph)
	}
	return h
}

// hashSteps does not look at which slot a range is of.
func hashSteps(s *steps, colors map[*index.Atom]uint64, height int) uint64 {
	if s.segs == nil {
		return mix.String(31, s.coef.RatString())
	}
	h := uint64(0)
	for _, g := range s.segs {
		h += mix.Word(hashInside(g.lo, colors, height), hashInside(g.hi, colors, height)) + hashSteps(g.to, colors, height)
	}
	return h
}

func hashSummand(s *summand, colors map[*index.Atom]uint64) uint64 {
	h := mix.String(uint64(len(s.vars)), s.coef.RatString())
	for _, f := range s.factors {
		h += mix.Word(hashAtom(f.atom, withBound(colors, s.vars)), uint64(f.exp))
	}
	return h
}

// withBound colors the variables bound inside alike.
func withBound(colors map[*index.Atom]uint64, vars []*index.Atom) map[*index.Atom]uint64 {
	if len(vars) == 0 {
		return colors
	}
	out := make(map[*index.Atom]uint64, len(colors)+len(vars))
	for k, v := range colors {
		out[k] = v
	}
	for _, v := range vars {
		out[v] = 23
	}
	return out
}

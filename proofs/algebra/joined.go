package algebra

import "slices"

// maxJoined bounds how many members join boxes in a region, and the members of a maximum.
const maxJoined = 16

// joined has members at one place join boxes that they are beside, or in, in all maxima of p that
// no slot changes, and likewise summands in arguments of functions boxes that they are beside: that
// comes last, so that goals stay what they were.
func (e *engine) joined(c *Context, p *poly) *poly {
	for range maxJoined {
		r := rewriter{engine: e, c: c, leaf: func(x sum) sum { return x }}
		for _, a := range e.sets(p, nil) {
			if by, ok := e.longer(c, a); ok {
				r.gone, r.by = a, by
				break
			}
		}
		if r.gone == nil {
			return p
		}
		r.touches = func(a *atom) bool { return a.contains(r.gone) }
		p = e.closeSum(c, r.sum(e.open(p)))
	}
	return p
}

// longer is a maximum, or a function, in which a member or a summand has joined a box.
func (e *engine) longer(c *Context, a *atom) (by sum, ok bool) {
	if a.kind == maxAtom {
		members := e.open(a.polys[0])
		if len(members) > maxJoined {
			return nil, false
		}
		set, ok := e.join(c, members)
		if !ok {
			return nil, false
		}
		return e.maximum(c, a.name, set), true
	}
	args := make([]sum, len(a.polys))
	for i, q := range a.polys {
		args[i] = e.open(q)
		if !ok && !q.set && len(args[i]) <= maxJoined {
			var sum sum
			if sum, ok = e.beside(c, args[i]); ok {
				args[i] = sum
			}
		}
	}
	if !ok {
		return nil, false
	}
	return e.apply(c, a.name, args...), true
}

// beside has one summand without variables join the box of one with a variable: f(lo-1) and f(hi)
// make the sum of f(k) for lo <= k < hi longer, which has to begin no later than it ends.
func (e *engine) beside(c *Context, x sum) (out sum, ok bool) {
	for i, t := range x {
		if !t.alone() {
			continue
		}
		value := e.closeSum(c, sum{t})
		for j, b := range x {
			if len(b.vars) != 1 || len(b.guards) > 0 {
				continue
			}
			v, each := b.vars[0], sum{{coef: b.coef, factors: b.factors}}
			for _, y := range []box1{{e.AddInt(v.Lo, -1), e.AddInt(v.Lo, -1), v.Hi, 0},
				{v.Hi, v.Lo, e.AddInt(v.Hi, 1), 0}} {
				at := e.substSum(c, each, map[*Atom]*Expr{v: y.at})
				if !e.Nonneg(c, e.Sub(v.Hi, v.Lo)) || e.closeSum(c, at) != value {
					continue
				}
				w := e.NewVar(e.Const(0), e.Sub(y.hi, y.lo)) // counted from the first
				for k, s := range x {
					if k != i && k != j {
						out = append(out, s)
					}
				}
				for _, s := range e.substSum(c, each, map[*Atom]*Expr{v: e.Add(y.lo, w.expr)}) {
					longer := *s
					longer.vars = append(slices.Clone(s.vars), w)
					out = append(out, &longer)
				}
				return out, true
			}
		}
	}
	return nil, false
}

// sets lists the maxima in p, and the functions, that no slot changes, inner ones first.
func (e *engine) sets(p *poly, list []*atom) []*atom {
	for _, pt := range p.parts {
		for _, f := range pt.body.factors {
			for _, q := range f.a.polys {
				list = e.sets(q, list)
			}
			has := f.a.kind == maxAtom || f.a.kind == applyAtom
			if has && !slices.ContainsFunc(f.a.free, isSlot) && !slices.Contains(list, f.a) {
				list = append(list, f.a)
			}
		}
	}
	return list
}

// join has one member without variables join the box of one with a variable: x[lo-1] and x[hi] make
// the box of x[k] for lo <= k < hi longer, which has to begin no later than it ends; x[lo] and
// x[hi-1] are in a box that is not empty.
func (e *engine) join(c *Context, set sum) (out sum, ok bool) {
	for i, t := range set {
		if !t.alone() {
			continue
		}
		value := e.closeSum(c, t.value)
		for j, b := range set {
			if len(b.vars) != 1 || len(b.guards) > 0 {
				continue
			}
			v := b.vars[0]
			for _, x := range []box1{{v.Lo, v.Lo, v.Hi, 1}, {e.AddInt(v.Hi, -1), v.Lo, v.Hi, 1},
				{e.AddInt(v.Lo, -1), e.AddInt(v.Lo, -1), v.Hi, 0},
				{v.Hi, v.Lo, e.AddInt(v.Hi, 1), 0}} {
				at := e.substSum(c, b.value, map[*Atom]*Expr{v: x.at})
				if !e.Nonneg(c, e.AddInt(e.Sub(v.Hi, v.Lo), -x.least)) ||
					e.closeSum(c, at) != value {
					continue
				}
				w := e.NewVar(e.Const(0), e.Sub(x.hi, x.lo)) // counted from the first
				longer := e.substSum(c, b.value, map[*Atom]*Expr{v: e.Add(x.lo, w.expr)})
				out = slices.Clone(set)
				out[j] = memberOf(longer, []*Atom{w}, nil)
				return slices.Delete(out, i, i+1), true
			}
		}
	}
	return nil, false
}

// A box1 is what a box with one variable becomes with the member at a place, if it has so many
// places.
type box1 struct {
	at, lo, hi *Expr
	least      int64
}

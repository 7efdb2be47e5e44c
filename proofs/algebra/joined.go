package algebra

import "slices"

// maxJoined bounds how many members join boxes in a region, and the members of a maximum.
const maxJoined = 16

// joined has members at one place join boxes that they are beside, or in, in all maxima of p that
// no slot changes: that comes last, so that goals stay what they were.
func (e *engine) joined(c *Context, p *poly) *poly {
	for range maxJoined {
		var top *atom
		var set sum
		for _, a := range e.sets(p, nil) {
			members := e.open(a.polys[0])
			if len(members) > maxJoined {
				continue
			}
			if found, ok := e.join(c, members); ok {
				top, set = a, found
				break
			}
		}
		if top == nil {
			return p
		}
		r := rewriter{engine: e, c: c, leaf: func(x sum) sum { return x }}
		r.touches = func(a *atom) bool { return a.contains(top) }
		r.gone, r.by = top, e.maximum(c, top.name, set)
		p = e.closeSum(c, r.sum(e.open(p)))
	}
	return p
}

// sets lists the maxima in p that no slot changes, inner ones first.
func (e *engine) sets(p *poly, list []*atom) []*atom {
	for _, pt := range p.parts {
		for _, f := range pt.body.factors {
			for _, q := range f.a.polys {
				list = e.sets(q, list)
			}
			if f.a.kind == maxAtom && !slices.ContainsFunc(f.a.free, isSlot) &&
				!slices.Contains(list, f.a) {
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

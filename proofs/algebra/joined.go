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
			v, lo, hi := e.ends1(c, b)
			if v == nil {
				continue
			}
			each := sum{{coef: b.coef, factors: b.factors}}
			for _, y := range []box1{{e.AddInt(lo, -1), e.AddInt(lo, -1), hi, 0},
				{hi, lo, e.AddInt(hi, 1), 0}} {
				at := e.substSum(c, each, map[*Atom]*Expr{v: y.at})
				if !e.Nonneg(c, e.Sub(hi, lo)) || e.closeSum(c, at) != value {
					continue
				}
				w, place, guards := e.between1(c, b, y)
				for k, s := range x {
					if k != i && k != j {
						out = append(out, s)
					}
				}
				for _, s := range e.substSum(c, each, map[*Atom]*Expr{v: place}) {
					longer := *s
					longer.vars = append(slices.Clone(s.vars), w)
					longer.guards = append(slices.Clone(s.guards), guards...)
					out = append(out, &longer)
				}
				return out, true
			}
		}
	}
	return nil, false
}

// moved is p where summands without variables that are the first or the last place of a sum and are
// taken away from it have made it shorter, and those that stand beside a sum have made it longer.
func (e *engine) moved(c *Context, p *poly) *poly {
	for range maxJoined {
		x := e.open(p)
		if len(x) < 2 || len(x) > maxJoined {
			return p
		}
		out, ok := e.move(c, x)
		if !ok {
			return p
		}
		p = e.closeSum(c, out)
	}
	return p
}

// move moves an end of the box of one summand with a variable by a place: of the sum of f(k) for lo
// <= k < hi less f(lo), or f(hi-1), where there is such a place, or with f(lo-1) or f(hi).
func (e *engine) move(c *Context, x sum) (out sum, ok bool) {
	for i, t := range x {
		if !t.alone() {
			continue
		}
		with := e.closeSum(c, sum{t})
		without := e.closeSum(c, scaled(minusOne, sum{t}))
		for j, b := range x {
			v, lo, hi := e.ends1(c, b)
			if v == nil {
				continue
			}
			less, last := e.AddInt(lo, -1), e.AddInt(hi, -1)
			each := sum{{coef: b.coef, factors: b.factors}}
			for k, y := range []box1{{lo, e.AddInt(lo, 1), hi, 1}, {last, lo, last, 1},
				{less, less, hi, 0}, {hi, lo, e.AddInt(hi, 1), 0}} {
				value := map[bool]*poly{true: without, false: with}[k < 2]
				if !e.Nonneg(c, e.AddInt(e.Sub(hi, lo), -y.least)) ||
					e.closeSum(c, e.substSum(c, each, map[*Atom]*Expr{v: y.at})) != value {
					continue
				}
				w := e.NewVar(y.lo, y.hi)
				for _, s := range e.substSum(c, each, map[*Atom]*Expr{v: w.expr}) {
					moved := *s
					moved.vars = append(slices.Clone(s.vars), w)
					out = append(out, &moved)
				}
				for k, s := range x {
					if k != i && k != j {
						out = append(out, s)
					}
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
			v, lo, hi := e.ends1(c, b)
			if v == nil {
				continue
			}
			for _, x := range []box1{{lo, lo, hi, 1}, {e.AddInt(hi, -1), lo, hi, 1},
				{e.AddInt(lo, -1), e.AddInt(lo, -1), hi, 0}, {hi, lo, e.AddInt(hi, 1), 0}} {
				at := e.substSum(c, b.value, map[*Atom]*Expr{v: x.at})
				if !e.Nonneg(c, e.AddInt(e.Sub(hi, lo), -x.least)) ||
					e.closeSum(c, at) != value {
					continue
				}
				w, place, guards := e.between1(c, b, x)
				longer := e.substSum(c, b.value, map[*Atom]*Expr{v: place})
				out = slices.Clone(set)
				out[j] = memberOf(longer, []*Atom{w}, guards)
				return slices.Delete(out, i, i+1), true
			}
		}
	}
	return nil, false
}

// ends1 is the range of the one variable of b, with the conditions that bound it; nil if b is no
// such box.
func (e *engine) ends1(c *Context, b *summand) (v *Atom, lo, hi *Expr) {
	if len(b.vars) != 1 {
		return nil, nil, nil
	}
	v, lo, hi = b.vars[0], b.vars[0].Lo, b.vars[0].Hi
	for _, g := range b.guards {
		switch of, lower, at := e.boundOf(g, v); {
		case of != nil && lower && e.Nonneg(c, e.Sub(at, lo)):
			lo = at
		case of != nil && !lower && e.Nonneg(c, e.Sub(hi, at)):
			hi = at
		default:
			return nil, nil, nil
		}
	}
	return v, lo, hi
}

// between1 is a variable for the places of a longer box than that of b, and the place that it
// stands for: counted from the first of them; or where conditions bound b, and there is room in
// its range, with conditions again.
func (e *engine) between1(c *Context, b *summand, x box1) (w *Atom, place *Expr, guards []*Expr) {
	v := b.vars[0]
	if len(b.guards) > 0 && e.Nonneg(c, e.Sub(v.Hi, x.hi)) && e.Nonneg(c, e.Sub(x.lo, v.Lo)) {
		w = e.NewVar(v.Lo, v.Hi)
		if x.lo != v.Lo {
			guards = append(guards, e.Sub(w.expr, x.lo))
		}
		return w, w.expr, append(guards, e.AddInt(e.Sub(x.hi, w.expr), -1))
	}
	w = e.NewVar(e.Const(0), e.Sub(x.hi, x.lo))
	return w, e.Add(x.lo, w.expr), nil
}

// A box1 is what a box with one variable becomes with the member at a place, if it has so many
// places.
type box1 struct {
	at, lo, hi *Expr
	least      int64
}

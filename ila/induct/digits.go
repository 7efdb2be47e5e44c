package induct

import (
	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// most returns a power of two that is at least an expression, if there is a small one.
func (p *inductor) most(e *index.Expr) (int64, bool) {
	if n, ok := ila.ConstInt(e); ok {
		return int64(n), true
	}
	for bits := range 32 {
		if n := int64(1) << bits; p.nonneg(p.ix.Sub(p.ix.Const(n), e)) {
			return n, true
		}
	}
	return 0, false
}

// ranges returns what knows between which numbers values lie.
func (p *inductor) ranges(e *prove.Equality) *prove.Ranges {
	r := &prove.Ranges{Most: p.most}
	r.Sum = func(t *term.Term) (lo, hi int64, ok bool) {
		width := t.Sort.Width
		list, ok := p.summands(nil, t, 1, nil, width, r)
		if !ok {
			return 0, 0, false
		}
		var products []prove.Product
		var times []int64
		for _, s := range p.recombine(e, list, width) {
			n := int64(1)
			for _, v := range s.vars {
				most, known := p.most(p.ix.Sub(v.Hi, v.Lo))
				if !known || most > 1<<31 || n > 1<<31 {
					return 0, 0, false
				}
				n *= max(0, most)
			}
			products, times = append(products, prove.Product{Coefficient: s.coefficient, X: s.x, Y: s.y}), append(times, n)
		}
		return r.Bound(width, products, times)
	}
	return r
}

// recombine puts summands together whose factors are digits of the same two elements, under variables of the same ranges,
// where they add up to the product of the elements.
func (p *inductor) recombine(e *prove.Equality, list []summand, width int) []summand {
	type group struct {
		vars  []*index.Atom
		u, v  *term.Term
		parts []prove.Product
		from  []summand
	}
	var groups []*group
	var out []summand
next:
	for _, s := range list {
		if s.y == nil || e.ElementOf(s.x) == nil || e.ElementOf(s.y) == nil {
			out = append(out, s)
			continue
		}
		for _, g := range groups {
			x, y, ok := p.under(s, g.vars)
			if !ok {
				continue
			}
			if u, v := e.ElementOf(x), e.ElementOf(y); u == g.u && v == g.v || u == g.v && v == g.u {
				g.parts = append(g.parts, prove.Product{Coefficient: s.coefficient, X: x, Y: y})
				g.from = append(g.from, s)
				continue next
			}
		}
		groups = append(groups, &group{s.vars, e.ElementOf(s.x), e.ElementOf(s.y),
			[]prove.Product{{Coefficient: s.coefficient, X: s.x, Y: s.y}}, []summand{s}})
	}
	for _, g := range groups {
		if len(g.parts) == 1 && g.parts[0].X.Op == term.Read && g.parts[0].Y.Op == term.Read {
			out = append(out, g.from...)
			continue
		}
		if c, ok := e.Recombine(width, g.u, g.v, g.parts); ok {
			if c != 0 {
				out = append(out, summand{c, g.vars, g.u, g.v})
			}
			continue
		}
		out = append(out, g.from...)
	}
	return out
}

// under returns the factors of a summand with other variables for its own; ok is false where they have other ranges.
func (p *inductor) under(s summand, vars []*index.Atom) (x, y *term.Term, ok bool) {
	if len(s.vars) != len(vars) {
		return nil, nil, false
	}
	m := map[*index.Atom]*index.Expr{}
	for i, v := range s.vars {
		if p.ix.Subst(p.ctx, v.Lo, m) != vars[i].Lo || p.ix.Subst(p.ctx, v.Hi, m) != vars[i].Hi {
			return nil, nil, false
		}
		m[v] = vars[i].Expr()
	}
	return p.subst(s.x, m), p.subst(s.y, m), true
}

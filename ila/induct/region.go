package induct

import (
	"tv/ila"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A region is cells of a memory that were written: value at address at, for all values of vars in their ranges.
// Without a value the cells lost theirs.
type region struct {
	vars  []*index.Atom
	at    *index.Expr
	value *term.Term
}

// rename returns a region with variables of its own; further atoms are replaced as sub says, and more are
// variables of the result too.
func (p *inductor) rename(w *region, sub map[*index.Atom]*index.Expr, more ...*index.Atom) *region {
	m := map[*index.Atom]*index.Expr{}
	for a, e := range sub {
		m[a] = e
	}
	out := &region{vars: more}
	for _, v := range w.vars {
		lo, hi := p.ix.Subst(p.ctx, v.Lo, m), p.ix.Subst(p.ctx, v.Hi, m)
		n := p.ix.NewVar(v.Name, lo, hi)
		m[v] = n.Expr()
		out.vars = append(out.vars, n)
	}
	out.at = p.ix.Subst(p.ctx, w.at, m)
	if w.value != nil {
		out.value = p.subst(w.value, m)
	}
	return out
}

// found tells whether an address lies in a region.
type found uint8

const (
	open found = iota
	no
	yes
)

// find tells whether the address lies in a region, for all values of the variables in it, and for which values of
// the region's variables: there are no others. Where it is open, it returns the conditions e >= 0 that are.
func (p *inductor) find(w *region, at *index.Expr) (found, map[*index.Atom]*index.Expr, []*index.Expr) {
	for _, v := range w.vars {
		if at.Mentions(v) {
			w = p.rename(w, nil)
			break
		}
	}
	d := p.ix.Sub(at, w.at)
	if p.nonneg(p.ix.AddInt(d, -1)) || p.nonneg(p.ix.AddInt(p.neg(d), -1)) {
		return no, nil, nil
	}
	unknown := map[*index.Atom]bool{}
	for _, v := range w.vars {
		unknown[v] = true
	}
	left, sub := p.unify(d, unknown)
	var conds []*index.Expr
	for _, e := range left {
		if p.nonneg(p.ix.AddInt(e, -1)) || p.nonneg(p.ix.AddInt(p.neg(e), -1)) {
			return no, nil, nil
		}
		if !p.zero(e) {
			conds = append(conds, e, p.neg(e))
		}
	}
	complete := true
	for _, v := range w.vars {
		s := sub[v]
		if s == nil {
			complete = false
			continue
		}
		for _, e := range []*index.Expr{p.ix.Sub(s, p.ix.Subst(p.ctx, v.Lo, sub)),
			p.ix.AddInt(p.ix.Sub(p.ix.Subst(p.ctx, v.Hi, sub), s), -1)} {
			switch {
			case p.nonneg(e):
			case p.nonneg(p.ix.AddInt(p.neg(e), -1)):
				return no, nil, nil
			default:
				conds = append(conds, e)
			}
		}
	}
	if !complete || len(conds) > 0 {
		return open, nil, conds
	}
	if !p.zero(p.ix.Sub(p.ix.Subst(p.ctx, w.at, sub), at)) {
		return open, nil, nil
	}
	return yes, sub, nil
}

// unify returns what unknowns must be for d = 0, and the equations that are left. Variables that are divided are
// taken apart into digits on the way.
func (p *inductor) unify(d *index.Expr, unknown map[*index.Atom]bool) ([]*index.Expr, map[*index.Atom]*index.Expr) {
	ctx, list := p.split(d)
	all := map[*index.Atom]bool{}
	for v := range unknown {
		all[v] = true
	}
	var joined []*index.Expr
	back := map[*index.Atom]*index.Expr{} // digits of what is known, and remainders
	for _, x := range list {
		if !unknown[x.v] {
			p.parted(x, back)
			continue
		}
		for _, part := range x.parts {
			all[part] = true
		}
		joined = append(joined, p.ix.Sub(x.v.Expr(), x.value))
	}
	outside := p.ctx
	p.ctx = ctx
	sub := map[*index.Atom]*index.Expr{}
	left := p.solve(append(p.equations(p.ix.Subst(ctx, d, values(list)), all, back), joined...), all, sub)
	p.ctx = outside
	for v, e := range sub {
		sub[v] = p.ix.Subst(p.ctx, e, back)
	}
	for i, e := range left {
		left[i] = p.ix.Subst(p.ctx, e, back)
	}
	return left, sub
}

func (p *inductor) neg(e *index.Expr) *index.Expr { return p.ix.Scale(index.Int(-1), e) }

// equations takes d = 0 apart: where d = g·a + b with -g < b < g, both a and b are 0. What is known is brought
// below g by division first; the variables that stand for remainders are put into back.
func (p *inductor) equations(d *index.Expr, unknown map[*index.Atom]bool,
	back map[*index.Atom]*index.Expr) []*index.Expr {
	if d.IsZero() {
		return nil
	}
	for _, g := range p.radices(d) {
		var a, b *index.Expr = p.ix.Const(0), p.ix.Const(0)
		held, free := p.ix.Const(0), p.ix.Const(0) // parts of b without and with unknowns
		for _, t := range d.Terms() {
			e := p.ix.FromTerm(t)
			if q, ok := p.ix.ExactDiv(e, g); ok {
				a = p.ix.Add(a, q)
				continue
			}
			b = p.ix.Add(b, e)
			if mentionsAny(e, unknown) {
				free = p.ix.Add(free, e)
			} else {
				held = p.ix.Add(held, e)
			}
		}
		below := p.ix.AddInt(g, -1)
		if a.IsZero() || !p.nonneg(below) {
			continue
		}
		if b.IsZero() {
			return p.equations(a, unknown, back)
		}
		if p.nonneg(p.ix.Sub(below, b)) && p.nonneg(p.ix.Add(below, b)) {
			return append(p.equations(a, unknown, back), p.equations(b, unknown, back)...)
		}
		if !held.IsZero() && p.nonneg(p.neg(free)) && p.nonneg(p.ix.Add(below, free)) {
			q := p.div(held, g)
			rest := p.ix.NewVar("rest", p.ix.Const(0), g)
			back[rest] = p.ix.Subst(p.ctx, p.ix.Sub(held, p.ix.Mul(g, q)), back)
			return append(p.equations(p.ix.Add(a, q), unknown, back),
				p.equations(p.ix.Add(rest.Expr(), free), unknown, back)...)
		}
	}
	return []*index.Expr{d}
}

// radices returns what the terms of d are multiples of, variables left out, the greatest first; 1 is left out.
func (p *inductor) radices(d *index.Expr) []*index.Expr {
	type radix struct {
		e      *index.Expr
		degree int
		coef   index.Num
	}
	var list []radix
next:
	for _, t := range d.Terms() {
		c := t.Coef
		if c.Sign() < 0 {
			c = c.Neg()
		}
		r := radix{e: p.ix.Num(c), coef: c}
		if len(t.Atoms()) == 0 {
			continue
		}
		for _, a := range t.Atoms() {
			if a.Kind == index.Size {
				r.e = p.ix.Mul(r.e, a.Expr())
				r.degree++
			}
		}
		if n, ok := ila.ConstInt(r.e); ok && n == 1 {
			continue
		}
		for _, o := range list {
			if o.e == r.e {
				continue next
			}
		}
		at := 0
		for at < len(list) && (list[at].degree > r.degree || list[at].degree == r.degree && list[at].coef.Cmp(c) > 0) {
			at++
		}
		list = append(list[:at], append([]radix{r}, list[at:]...)...)
	}
	out := make([]*index.Expr, len(list))
	for i, r := range list {
		out[i] = r.e
	}
	return out
}

func mentionsAny(e *index.Expr, set map[*index.Atom]bool) bool {
	for _, a := range e.Free() {
		if set[a] {
			return true
		}
	}
	return false
}

// solve eliminates unknowns from equations e = 0, floor divisions of unknowns before unknowns. It puts what
// unknowns must be into sub, and returns the equations left.
func (p *inductor) solve(eqs []*index.Expr, unknown map[*index.Atom]bool,
	sub map[*index.Atom]*index.Expr) []*index.Expr {
	for {
		at, atom, value := p.pivot(eqs, unknown)
		if atom == nil {
			return eqs
		}
		var rest []*index.Expr
		one := map[*index.Atom]*index.Expr{atom: value}
		for i, e := range eqs {
			if i == at {
				continue
			}
			if atom.Kind == index.Var {
				e = p.ix.Subst(p.ctx, e, one)
			} else if c, r, ok := p.ix.Linear(e, atom); ok {
				e = p.ix.Add(p.ix.Mul(c, value), r)
			}
			if !e.IsZero() {
				rest = append(rest, e)
			}
		}
		if atom.Kind == index.Var {
			for a, e := range sub {
				sub[a] = p.ix.Subst(p.ctx, e, one)
			}
			sub[atom] = value
		}
		eqs = rest
	}
}

// pivot returns an equation in which an unknown, or a division of unknowns, stands alone.
func (p *inductor) pivot(eqs []*index.Expr, unknown map[*index.Atom]bool) (at int, atom *index.Atom,
	value *index.Expr) {
	for _, floors := range []bool{true, false} {
		for i, e := range eqs {
			for _, t := range e.Terms() {
				if len(t.Atoms()) != 1 || !t.Coef.IsOne() && !t.Coef.Neg().IsOne() {
					continue
				}
				a := t.Atoms()[0]
				if floors != (a.Kind == index.Floor) || !mentionsAny(a.Expr(), unknown) {
					continue
				}
				c, r, ok := p.ix.Linear(e, a)
				if !ok || len(c.Free()) > 0 || floors && mentionsAny(r, unknown) || !floors && r.Mentions(a) {
					continue
				}
				if t.Coef.Sign() > 0 {
					r = p.neg(r)
				}
				return i, a, r
			}
		}
	}
	return 0, nil, nil
}

// read returns the cell at an address of a memory as the current frame finds it.
func (p *inductor) read(slot int, at *index.Expr) *term.Term {
	for f := p.cur; ; f = f.outer {
		list := f.writes[slot]
		for i := len(list) - 1; i >= 0; i-- {
			w := list[i]
			found, sub, conds := p.find(w, at)
			switch {
			case found == no:
				continue
			case found == yes && w.value != nil:
				return p.subst(w.value, sub)
			case found == yes:
				p.stuck("%s[%s] is read and has no value", p.l.Memories[slot].Name, at)
			}
			p.undecided(conds, "whether %s[%s] is what was written at %s is open", p.l.Memories[slot].Name, at, w.at)
		}
		switch {
		case f.outer == nil:
			p.stuck("%s[%s] is read and was never written", p.l.Memories[slot].Name, at)
		case f.carried[slot] != nil:
			memory := p.b.Read(f.carried[slot], nil)
			return p.b.Load(memory, p.b.Number(term.BitsSort(ila.AddressWidth), at))
		}
		f.reads = append(f.reads, access{slot, at})
	}
}

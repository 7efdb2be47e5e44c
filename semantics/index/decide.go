package index

import "slices"

type nonnegKey struct{ ctx, expr int }

// fuel bounds the steps of one decision, so that verdicts do not depend on the clock.
const fuel = 400

// Nonneg reports whether e >= 0 is proved at c; false means not proved. No search beyond a fixed number of
// steps: a bounded variable in which e is linear is replaced by the ends of its range, a floor division by
// what defines it, a named size by its lower bound plus a slack; accepted if no coefficient is negative.
func (b *Builder) Nonneg(c *Context, e *Expr) bool {
	if n, ok := e.Const(); ok {
		return n.Sign() >= 0
	}
	iv := b.interval(c, e)
	if !iv.noLo && iv.lo.Sign() >= 0 {
		return true
	}
	if !iv.noHi && iv.hi.Sign() < 0 {
		return false
	}
	key := nonnegKey{c.id, e.id}
	if known, ok := b.memo[key]; ok {
		return known
	}
	if b.stated(c, e) {
		b.memo[key] = true
		return true
	}
	if b.negative(c, e) {
		b.memo[key] = false
		return false
	}
	p := prover{b: b, ctx: c, fuel: fuel}
	ok := p.vars(e, nil)
	b.steps += fuel - p.fuel
	if !ok {
		f := b.WithoutFactor(e)
		ok = f != e && b.Nonneg(c, f)
	}
	b.memo[key] = ok
	return ok
}

// WithoutFactor divides e by the sizes, at least 0, that all its terms have: if the rest is not negative e is not, n·i >= n·m where
// i >= m.
func (b *Builder) WithoutFactor(e *Expr) *Expr {
	if len(e.terms) < 2 {
		return e
	}
	for _, a := range e.terms[0].mono.atoms {
		if a.Kind != Size || a.Least < 0 {
			continue
		}
		terms, all := make([]Term, 0, len(e.terms)), true
		for _, t := range e.terms {
			m, ok := b.over(t.mono, a.expr.terms[0].mono)
			terms, all = append(terms, Term{Coef: t.Coef, mono: m}), all && ok
		}
		if all {
			return b.WithoutFactor(b.sum(terms))
		}
	}
	return e
}

// stated reports whether e is a fact, or greater than one by a number.
func (b *Builder) stated(c *Context, e *Expr) bool {
	for ; c != nil; c = c.parent {
		if c.fact == e {
			return true
		}
		if c.fact != nil && len(c.fact.terms) == len(e.terms) && e.exceeds(c.fact) {
			return true
		}
	}
	return false
}

// exceeds reports whether e - f is a number that is not negative. Most facts say nothing of e: their difference is not
// worth keeping.
func (e *Expr) exceeds(f *Expr) bool {
	x, y := e.terms, f.terms
	for len(x) > 0 && len(y) > 0 && len(x[0].mono.atoms) > 0 {
		if x[0].mono != y[0].mono || x[0].Coef.Cmp(y[0].Coef) != 0 {
			return false
		}
		x, y = x[1:], y[1:]
	}
	if len(x) > 0 && len(x[0].mono.atoms) > 0 || len(y) > 0 && len(y[0].mono.atoms) > 0 {
		return false
	}
	return e.ConstTerm().Cmp(f.ConstTerm()) >= 0
}

// cancels reports whether e - f does not hold a: the terms of both that do are the same.
func (e *Expr) cancels(f *Expr, a *Atom) bool {
	x, y := e.terms, f.terms
	for len(x) > 0 || len(y) > 0 {
		var t Term
		switch {
		case len(x) > 0 && len(y) > 0 && x[0].mono == y[0].mono:
			t = x[0]
			same := t.Coef.Cmp(y[0].Coef) == 0
			if x, y = x[1:], y[1:]; same {
				continue
			}
		case len(y) == 0 || len(x) > 0 && compareMono(x[0].mono, y[0].mono) < 0:
			t, x = x[0], x[1:]
		default:
			t, y = y[0], y[1:]
		}
		if t.mentions(a) {
			return false
		}
	}
	return true
}

// mentions reports whether the size, variable or slot a occurs in t.
func (t Term) mentions(a *Atom) bool {
	return slices.ContainsFunc(t.mono.atoms, func(x *Atom) bool {
		return x == a || x.Kind >= Floor && x.expr.Mentions(a)
	})
}

type prover struct {
	b    *Builder
	ctx  *Context
	fuel int
	used []*Expr // facts that were taken away on the way: i - j and j - i would take turns
}

func (p *prover) spend() bool {
	p.fuel--
	return p.fuel >= 0
}

// vars removes floor divisions and variables from e, then decides over sizes. nonempty holds what the
// existence of the variables removed so far says of sizes: the last position of their ranges is not
// before the first.
func (p *prover) vars(e *Expr, nonempty []*Expr) (ok bool) {
	b := p.b
	if !p.spend() {
		return false
	}
	if n, ok := e.Const(); ok {
		return n.Sign() >= 0
	}
	if len(nonempty) == 0 {
		key := nonnegKey{p.ctx.id, e.id}
		if known, ok := b.memo[key]; ok {
			return known
		}
		defer func() {
			if p.fuel >= 0 && (ok || len(p.used) == 0) {
				b.memo[key] = ok
			}
		}()
	}
	if iv := b.interval(p.ctx, e); !iv.noLo && iv.lo.Sign() >= 0 {
		return true
	} else if !iv.noHi && iv.hi.Sign() < 0 {
		return false
	}
	var v *Atom
	for _, a := range e.free {
		if a.Kind == Var {
			v = a // the last made: inner ranges may depend on outer ones
		}
	}
	// divisions that hold variables go first; those of sizes alone are ends of ranges, and wait
	if d := outermost(e, v != nil); d != nil {
		if b.stated(p.ctx, e) { // what a fact says of a division
			return true
		}
		if d.Kind != Floor {
			return p.extreme(e, d, nonempty)
		}
		return p.floor(e, d, nonempty)
	}
	if v == nil {
		return p.sizes(e, sizeFacts(e, nonempty, p.ctx.Facts()), factDepth)
	}
	if p.facts(e, v, nonempty) {
		return true
	}
	c, r, ok := b.Linear(e, v)
	if !ok {
		return false
	}
	lo, hi := p.ctx.Bounds(v)
	last := b.AddInt(hi, -1)
	if len(hi.free) > 0 || len(lo.free) > 0 {
		nonempty = append(nonempty[:len(nonempty):len(nonempty)], b.Sub(last, lo))
	}
	iv := b.interval(p.ctx, c)
	atLo := func() bool { return p.vars(b.Add(b.Mul(c, lo), r), nonempty) }
	atLast := func() bool { return p.vars(b.Add(b.Mul(c, last), r), nonempty) }
	switch {
	case !iv.noLo && iv.lo.Sign() >= 0:
		return atLo()
	case !iv.noHi && iv.hi.Sign() <= 0:
		return atLast()
	}
	return atLo() && atLast() // linear in v, so least at one end
}

// facts tries e - f for the facts f that hold v: e >= f >= 0.
func (p *prover) facts(e *Expr, v *Atom, nonempty []*Expr) bool {
	for c := p.ctx; c != nil; c = c.parent {
		if c.fact == nil || !c.fact.Mentions(v) || slices.Contains(p.used, c.fact) || !e.cancels(c.fact, v) {
			continue
		}
		p.used = append(p.used, c.fact)
		ok := p.vars(p.b.Sub(e, c.fact), nonempty)
		if p.used = p.used[:len(p.used)-1]; ok {
			return true
		}
	}
	return false
}

// outermost returns the floor division, maximum or minimum in a term of e that was made last; with withVars, of those
// that hold variables.
func outermost(e *Expr, withVars bool) *Atom {
	var d *Atom
	for _, t := range e.terms {
		for _, a := range t.mono.atoms {
			if a.Kind >= Floor && (d == nil || a.id > d.id) && (!withVars || !onlySizes(a.expr)) {
				d = a
			}
		}
	}
	return d
}

// remainder returns the variable that stands for Num mod Den of a floor division.
func (b *Builder) remainder(d *Atom) *Atom {
	if d.Lo == nil { // Lo of a Floor atom keeps its remainder
		d.Lo = b.NewVar("rem", b.Const(0), d.Den).expr
	}
	return d.Lo.terms[0].mono.atoms[0]
}

// extreme decides e = c·d + r for a maximum or minimum d, which is one of its two operands and not on the wrong side of
// either.
func (p *prover) extreme(e *Expr, d *Atom, nonempty []*Expr) bool {
	b := p.b
	c, r, ok := b.Linear(e, d)
	if !ok {
		return false
	}
	x, y := b.Add(b.Mul(c, d.Num), r), b.Add(b.Mul(c, d.Den), r)
	if len(y.terms) < len(x.terms) { // the simple one first, which may leave fuel
		x, y = y, x
	}
	iv := b.interval(p.ctx, c)
	up, down := !iv.noLo && iv.lo.Sign() >= 0, !iv.noHi && iv.hi.Sign() <= 0
	if d.Kind == Max && up || d.Kind == Min && down {
		return p.vars(x, nonempty) || p.vars(y, nonempty)
	}
	return p.vars(x, nonempty) && p.vars(y, nonempty)
}

// floor decides e = c·(t div q) + r: with t = q·(t div q) + rem, q·e = c·(t - rem) + q·r, and q >= 1. As e is an
// integer, e >= 0 where q·e > -q.
func (p *prover) floor(e *Expr, d *Atom, nonempty []*Expr) bool {
	b := p.b
	c, r, ok := b.Linear(e, d)
	if !ok {
		return false
	}
	diff := b.Sub(d.Num, b.remainder(d).expr)
	if k, rest := b.divide(c, d.Den); rest.IsZero() {
		if p.vars(b.Add(b.Mul(k, diff), r), nonempty) {
			return true
		}
	} else if p.vars(b.Add(b.Add(b.Mul(c, diff), b.Mul(d.Den, r)), b.AddInt(d.Den, -1)), nonempty) {
		return true
	}
	// t div q >= 0 for t >= 0
	if iv := b.interval(p.ctx, c); !iv.noLo && iv.lo.Sign() >= 0 && p.vars(d.Num, nonempty) && p.vars(r, nonempty) {
		return true
	}
	return p.monotone(d, c, r, nonempty)
}

// monotone decides e = c·(t div q) + r by a variable of t at the end of its range where t div q has no division of variables:
// it is not less at any other place where c >= 0, nor greater where c <= 0.
func (p *prover) monotone(d *Atom, c, r *Expr, nonempty []*Expr) bool {
	b := p.b
	iv := b.interval(p.ctx, c)
	up, down := !iv.noLo && iv.lo.Sign() >= 0, !iv.noHi && iv.hi.Sign() <= 0
	for _, v := range d.Num.free {
		k, s, ok := b.Linear(d.Num, v)
		slope, number := constant(k, ok)
		if v.Kind != Var || !number || !up && !down {
			continue
		}
		lo, hi := p.ctx.Bounds(v)
		end := lo
		if up != (slope.Sign() > 0) {
			end = b.AddInt(hi, -1)
		}
		q := b.Div(b.root, b.Add(b.Scale(slope, end), s), d.Den)
		if outermost(q, true) == nil && p.vars(b.Add(b.Mul(c, q), r), nonempty) {
			return true
		}
	}
	return false
}

// sizes decides e >= 0 over named sizes under facts: a size is replaced by its least value plus a slack;
// where that does not do, by the bound that a fact gives plus a slack.
func (p *prover) sizes(e *Expr, facts []*Expr, depth int) bool {
	if !p.spend() {
		return false
	}
	if p.b.slackNonneg(e) {
		return true
	}
	if depth == 0 || depth == factDepth && p.b.below(e, facts) {
		return false
	}
	b := p.b
	for i, f := range facts {
		// e >= f >= 0, where f takes a product of e away
		rest := b.Sub(e, f)
		if !shareProduct(e, f) && len(rest.terms) >= len(e.terms) {
			continue // what is no shorter is another question of the same kind
		}
		if len(rest.terms) <= len(e.terms) && len(rest.terms) < len(e.terms)+len(f.terms)-1 {
			others := append(append([]*Expr(nil), facts[:i]...), facts[i+1:]...)
			if p.sizes(rest, others, depth-1) {
				return true
			}
		}
	}
	for i, f := range facts {
		if outermost(f, false) != nil {
			continue
		}
		for _, n := range f.free {
			if !e.Mentions(n) {
				continue
			}
			c, r, ok := b.Linear(f, n)
			if !ok {
				continue
			}
			k, ok := c.Const()
			if !ok {
				continue
			}
			one := k.IsOne()
			if !one && !k.Neg().IsOne() {
				continue
			}
			slack := b.Size(n.Name+"'", 0)
			var by *Expr
			var rest []*Expr
			if one { // n >= -r: n = slack - r, and n is not below its least
				by = b.Sub(slack, r)
			} else { // n <= r: n = r - slack
				by = b.Sub(r, slack)
			}
			rest = append(rest, b.AddInt(by, -n.Least))
			m := map[*Atom]*Expr{n: by}
			for j, g := range facts {
				if j != i {
					rest = append(rest, b.Subst(b.bare, g, m))
				}
			}
			if p.sizes(b.Subst(b.bare, e, m), rest, depth-1) {
				return true
			}
		}
	}
	return false
}

// shareProduct tells whether a product of two or more stands in both expressions, in y perhaps with further factors: what
// bounds K·M·N bounds K·N.
func shareProduct(x, y *Expr) bool {
	for _, s := range x.terms {
		if len(s.mono.atoms) < 2 {
			break // terms are sorted by degree
		}
		for _, t := range y.terms {
			if s.mono.within(t.mono) {
				return true
			}
		}
	}
	return false
}

// within tells whether a product divides another; the atoms of both are in one order.
func (m *mono) within(of *mono) bool {
	rest := of.atoms
	for _, a := range m.atoms {
		i := slices.Index(rest, a)
		if i < 0 {
			return false
		}
		rest = rest[i+1:]
	}
	return true
}

// factDepth bounds the facts that one decision over sizes uses one after the other.
const factDepth = 4

// below reports whether e is negative at one of a few points at which the facts hold: then no search can prove it.
func (b *Builder) below(e *Expr, facts []*Expr) bool {
	for k := range 8 {
		var at func(a *Atom) (Num, bool)
		at = func(a *Atom) (Num, bool) {
			switch {
			case a.Kind >= Floor:
				return b.evalAtom(a, at)
			case a.Kind != Size:
				return Num{}, false
			}
			n := int64(k)
			if k >= 4 { // sizes that differ
				n = int64(a.id*(2*k-7)) % 5
			}
			return Int(a.Least + n), true
		}
		if v, ok := b.eval(e, at); !ok || v.Sign() >= 0 {
			continue
		}
		holds := true
		for _, f := range facts {
			v, ok := b.eval(f, at)
			holds = holds && ok && v.Sign() >= 0
		}
		if holds {
			return true
		}
	}
	return false
}

// eval returns the value of e where atoms have the values that at gives, if it has one.
func (b *Builder) eval(e *Expr, at func(*Atom) (Num, bool)) (Num, bool) {
	var sum Num
	for _, t := range e.terms {
		v := t.Coef
		for _, a := range t.mono.atoms {
			x, ok := at(a)
			if !ok {
				return Num{}, false
			}
			v = v.Mul(x)
		}
		sum = sum.Add(v)
	}
	return sum, true
}

// evalAtom returns the value of a division, maximum or minimum.
func (b *Builder) evalAtom(a *Atom, at func(*Atom) (Num, bool)) (Num, bool) {
	x, okX := b.eval(a.Num, at)
	y, okY := b.eval(a.Den, at)
	switch {
	case !okX || !okY:
		return Num{}, false
	case a.Kind == Floor:
		if y.Sign() <= 0 {
			return Num{}, false
		}
		q, _ := x.DivMod(y)
		return q, true
	case (x.Cmp(y) > 0) == (a.Kind == Max):
		return x, true
	}
	return y, true
}

// maxFacts bounds the facts that one decision considers.
const maxFacts = 12

// sizeFacts picks the facts that are about sizes alone and may tell something of e. Of many it picks those that share a size with e, then those that share
// one with these, and so on: no other can be of use.
func sizeFacts(e *Expr, lists ...[]*Expr) []*Expr {
	var all []*Expr
	for _, l := range lists {
		for _, f := range l {
			if onlySizes(f) {
				all = append(all, f)
			}
		}
	}
	for n := idle(e, all); n != nil; n = idle(e, all) {
		all = slices.DeleteFunc(all, func(f *Expr) bool { return f.Mentions(n) })
	}
	if len(all) <= maxFacts {
		return all
	}
	var out []*Expr
	near := e.free
	for len(out) < maxFacts {
		var next []*Atom
		var far []*Expr
		for _, f := range all {
			switch {
			case !slices.ContainsFunc(f.free, func(a *Atom) bool { return slices.Contains(near, a) }):
				far = append(far, f)
			case len(out) < maxFacts:
				out = append(out, f)
				next = append(next, f.free...)
			}
		}
		if len(next) == 0 {
			break
		}
		near, all = next, far
	}
	return out
}

// idle returns a size of the facts of which e says nothing, and they say only that it is not less than something: as it may
// be as great as one likes, such facts tell nothing of others.
func idle(e *Expr, facts []*Expr) *Atom {
	for _, f := range facts {
		for _, n := range f.free {
			if !e.Mentions(n) && !slices.ContainsFunc(facts, func(g *Expr) bool { return !rises(g, n) }) {
				return n
			}
		}
	}
	return nil
}

// rises reports whether n stands in e alone in a term, above 0, if at all.
func rises(e *Expr, n *Atom) bool {
	return !slices.ContainsFunc(e.terms, func(t Term) bool {
		return t.mentions(n) && (len(t.mono.atoms) > 1 || t.mono.atoms[0] != n || t.Coef.Sign() < 0)
	})
}

func onlySizes(e *Expr) bool {
	for _, a := range e.free {
		if a.Kind != Size {
			return false
		}
	}
	return true
}

// power returns the size that a product is a power of, or nil.
func (t Term) power() *Atom {
	for _, a := range t.mono.atoms {
		if a.Kind != Size || a != t.mono.atoms[0] {
			return nil
		}
	}
	if len(t.mono.atoms) == 0 {
		return nil
	}
	return t.mono.atoms[0]
}

// slackNonneg expands e with each size written as its least value plus a slack and accepts if no
// coefficient is negative, those of higher powers of a size added to those of lower ones.
func (b *Builder) slackNonneg(e *Expr) bool {
	m := map[*Atom]*Expr{}
	for _, a := range e.free {
		if a.Kind != Size {
			return false
		}
		if a.Least != 0 {
			m[a] = b.AddInt(b.Size(a.Name+"'", 0), a.Least)
		}
	}
	powers := map[*Atom]Num{} // sums of the coefficients of higher powers of a size: a square is no less than what it is of
	for _, t := range b.Subst(b.bare, e, m).terms {
		k := t.Coef
		if a := t.power(); a != nil {
			k = k.Add(powers[a])
			powers[a] = k
		}
		if k.Sign() < 0 {
			return false
		}
		for _, a := range t.mono.atoms {
			if a.Kind > Floor || a.Kind == Floor && (!b.slackNonneg(a.Num) || !b.slackNonneg(a.Den)) {
				return false
			}
		}
	}
	return true
}

package index

import "slices"

// A Context is what is known at a place of a term: facts about sizes, and the conditions on the way there.
// Contexts are immutable; each refines its parent.
type Context struct {
	b      *Builder
	id     int
	parent *Context
	v      *Atom // a variable whose range is narrowed to [lo, hi), or nil
	lo, hi *Expr
	fact   *Expr // a further e >= 0, or nil
	box    *box  // shared with the parent where the ranges are

	asked, broken uint16 // points of the box at which the facts were looked at, and do not hold: sets of bits
}

// ID numbers contexts in the order of their making; the root's is 0.
func (c *Context) ID() int { return c.id }

// Bounds returns the range [lo, hi) of a variable at c.
func (c *Context) Bounds(v *Atom) (lo, hi *Expr) {
	for ; c != nil; c = c.parent {
		if c.v == v {
			return c.lo, c.hi
		}
	}
	return v.Lo, v.Hi
}

// Narrow returns c with the range of v replaced by [lo, hi), which the caller knows to hold.
func (c *Context) Narrow(v *Atom, lo, hi *Expr) *Context {
	id := c.b.contexts
	c.b.contexts++
	return &Context{b: c.b, id: id, parent: c, v: v, lo: lo, hi: hi, box: &box{}}
}

// With returns c with the further fact e >= 0.
func (c *Context) With(e *Expr) *Context {
	id := c.b.contexts
	c.b.contexts++
	return &Context{b: c.b, id: id, parent: c, fact: e, box: c.box}
}

// Facts returns the facts e >= 0 at c that are not ranges of variables, innermost first.
func (c *Context) Facts() []*Expr {
	var out []*Expr
	for ; c != nil; c = c.parent {
		if c.fact != nil {
			out = append(out, c.fact)
		}
	}
	return out
}

// Empty reports whether c is known to be no place: a fact is contradicted by what was learned later.
func (b *Builder) Empty(c *Context) bool {
	for _, f := range c.Facts() {
		if b.Nonneg(c, b.AddInt(b.Scale(Int(-1), f), -1)) {
			return true
		}
	}
	return false
}

// Truth is what is known of a condition.
type Truth uint8

const (
	Open  Truth = iota // holds at some points, or not known
	True               // holds everywhere
	False              // holds nowhere
)

// Condition returns an e' with the same sign as e, for the condition e >= 0, in which a floor division that stands
// alone is gone: r - t div q >= 0 is q·r + q - 1 - t >= 0, and t div q + r >= 0 is t + q·r >= 0. Before that what all terms
// beside the number have in common is: g·e + n >= 0 is e + n div g >= 0.
func (b *Builder) Condition(e *Expr) *Expr {
	for {
		e = b.primitive(e)
		d, k := loneFloor(e)
		if d == nil {
			return e
		}
		r := b.Sub(e, b.Scale(k, d.expr))
		e = b.Mul(d.Den, r)
		if k.Sign() > 0 {
			e = b.Add(e, d.Num)
		} else {
			e = b.Sub(b.Add(e, b.AddInt(d.Den, -1)), d.Num)
		}
	}
}

// primitive divides e, if it has divisions, by what its coefficients have in common.
func (b *Builder) primitive(e *Expr) *Expr {
	var g Num
	divisions := false
	for _, t := range e.terms {
		if len(t.mono.atoms) == 0 {
			continue
		}
		g = g.GCD(t.Coef)
		for _, a := range t.mono.atoms {
			divisions = divisions || a.Kind >= Floor
		}
	}
	if !divisions || g.Cmp(Int(1)) <= 0 {
		return e
	}
	out := make([]Term, 0, len(e.terms))
	for _, t := range e.terms {
		if q, _ := t.Coef.DivMod(g); q.Sign() != 0 { // rounded down
			out = append(out, Term{q, t.mono})
		}
	}
	return b.sum(out)
}

// Coarse returns an e' with the same sign as e at ctx, for the condition e >= 0, which has lost what is too small to matter:
// g·e' + r >= 0 with r in [0, g) is e' >= 0. So 12·i + 4·j + k - 12 >= 0 is i - 1 >= 0 where 4·j + k is less than 12.
func (b *Builder) Coarse(ctx *Context, e *Expr) *Expr {
	for _, t := range e.terms {
		g := t.Coef
		if g.Sign() < 0 {
			g = g.Neg()
		}
		if len(t.mono.atoms) == 0 || g.IsOne() {
			continue
		}
		q := b.Num(g)
		if x, r := b.divideBy(e, q); len(r.free) > 0 && b.inRange(ctx, r, q) {
			return b.Coarse(ctx, x)
		}
	}
	return e
}

// loneFloor returns the floor division that is a term of e with coefficient 1 or -1, where no other atom of e is a
// division, a maximum or a minimum.
func loneFloor(e *Expr) (d *Atom, coef Num) {
	for _, t := range e.terms {
		for _, a := range t.mono.atoms {
			if a.Kind < Floor {
				continue
			}
			if d != nil || a.Kind != Floor || len(t.mono.atoms) != 1 || !t.Coef.IsOne() && !t.Coef.Neg().IsOne() {
				return nil, Num{}
			}
			d, coef = a, t.Coef
		}
	}
	return d, coef
}

// Decide tells what is known of e >= 0 at c.
func (b *Builder) Decide(c *Context, e *Expr) Truth {
	e = b.Condition(e)
	if b.Nonneg(c, e) {
		return True
	}
	if b.Nonneg(c, b.AddInt(b.Scale(Int(-1), e), -1)) {
		return False
	}
	if len(e.free) > 0 && onlySizes(e) && b.nonempty(c, e) {
		return True
	}
	return Open
}

// nonempty reports whether e >= 0 follows from a variable having a place at c: of 0 <= i < n - 1 that n is at least 2.
func (b *Builder) nonempty(c *Context, e *Expr) bool {
	for ; c != nil; c = c.parent {
		if c.v == nil {
			continue
		}
		if way := b.Sub(c.hi, c.lo); onlySizes(way) && b.Nonneg(b.root, b.AddInt(b.Sub(e, way), 1)) {
			return true
		}
	}
	return false
}

// Assume returns c with e >= 0, which must be Open there. Where e bounds a single variable by sizes, the
// variable's range is narrowed; otherwise e becomes a fact.
func (b *Builder) Assume(c *Context, e *Expr) *Context {
	e = b.Condition(e)
	v, lower, bound := b.Bound(e)
	if v == nil {
		return b.residue(b.propagate(c.With(e), e), e)
	}
	lo, hi := c.Bounds(v)
	if lower {
		if b.Nonneg(c, b.Sub(bound, lo)) {
			return b.inhabited(c.Narrow(v, bound, hi), bound, hi)
		}
	} else if b.Nonneg(c, b.Sub(hi, bound)) {
		return b.inhabited(c.Narrow(v, lo, bound), lo, bound)
	}
	return c.With(e)
}

// inhabited returns c, where a variable lies in [lo, hi), with the fact that this is not empty, if that tells something: of
// 0 <= i < 4*(n div 4) that n is at least 4.
func (b *Builder) inhabited(c *Context, lo, hi *Expr) *Context {
	way := b.Sub(hi, lo)
	if len(way.free) == 0 || !onlySizes(way) || outermost(way, false) == nil {
		return c
	}
	if some := b.Condition(b.AddInt(way, -1)); !b.Nonneg(c, some) {
		return c.With(some)
	}
	return c
}

// residue narrows what is known of t mod q where e >= 0 says that it is at least a number, or at most one: there
// t - q·(t div q) stands for it.
func (b *Builder) residue(c *Context, e *Expr) *Context {
	for _, term := range e.Terms() {
		for _, d := range term.Atoms() {
			if d.Kind != Floor {
				continue
			}
			v := b.remainder(d)
			mod := b.Sub(d.Num, b.Mul(d.Den, d.expr))
			lo, hi := c.Bounds(v)
			if n, ok := b.Sub(e, mod).Const(); ok {
				if at := b.Num(n.Neg()); b.Nonneg(c, b.Sub(at, lo)) {
					return c.Narrow(v, at, hi)
				}
			} else if n, ok := b.Add(e, mod).Const(); ok {
				if at := b.AddInt(b.Num(n), 1); b.Nonneg(c, b.Sub(hi, at)) {
					return c.Narrow(v, lo, at)
				}
			}
		}
	}
	return c
}

// propagate narrows the ranges of the variables in e, which is >= 0 at c, as far as the ranges of the others allow:
// 2 - i - j >= 0 leaves i at most 2. Only ranges of numbers count.
func (b *Builder) propagate(c *Context, e *Expr) *Context {
	for _, v := range e.free {
		if v.Kind != Var {
			continue
		}
		ce, r, ok := b.Linear(e, v)
		k, num := constant(ce, ok)
		if !num || k.Sign() == 0 {
			continue
		}
		iv := b.interval(c, r)
		lo, hi := c.Bounds(v)
		l, okLo := lo.Const()
		h, okHi := hi.Const()
		if iv.noHi || !okLo || !okHi {
			continue
		}
		if k.Sign() > 0 { // v >= ceil(-max(r)/k)
			least, _ := iv.hi.Neg().Add(k).Sub(Int(1)).DivMod(k)
			if least.Cmp(l) > 0 && least.Cmp(h) < 0 {
				c = c.Narrow(v, b.Num(least), hi)
			}
		} else { // v <= floor(max(r)/-k)
			most, _ := iv.hi.DivMod(k.Neg())
			if end := most.Add(Int(1)); end.Cmp(h) < 0 && end.Cmp(l) > 0 {
				c = c.Narrow(v, lo, b.Num(end))
			}
		}
	}
	return c
}

// constant returns the number that a coefficient is, if there is one.
func constant(x *Expr, ok bool) (Num, bool) {
	if !ok {
		return Num{}, false
	}
	return x.Const()
}

// Bound reads e >= 0 as v >= bound (lower) or v < bound, where e holds one variable, linearly with a
// constant coefficient, and no slots; otherwise v is nil.
func (b *Builder) Bound(e *Expr) (v *Atom, lower bool, bound *Expr) {
	for _, a := range e.free {
		switch a.Kind {
		case Slot:
			return nil, false, nil
		case Var:
			if v != nil {
				return nil, false, nil
			}
			v = a
		}
	}
	if v == nil {
		return nil, false, nil
	}
	return b.BoundOf(e, v)
}

// BoundOf is Bound for a variable beside which others may be named: the bound names them.
func (b *Builder) BoundOf(e *Expr, v *Atom) (of *Atom, lower bool, bound *Expr) {
	if slices.ContainsFunc(e.free, func(a *Atom) bool { return a.Kind == Slot }) {
		return nil, false, nil
	}
	ce, r, ok := b.Linear(e, v)
	if !ok {
		return nil, false, nil
	}
	c, ok := ce.Const()
	if !ok {
		return nil, false, nil
	}
	if c.Sign() > 0 { // v >= ceil(-r/c) = (c-1-r) div c
		return v, true, b.Div(b.root, b.Add(b.Num(c.Sub(Int(1))), b.Scale(Int(-1), r)), b.Num(c))
	}
	// v <= r div -c
	return v, false, b.AddInt(b.Div(b.root, r, b.Num(c.Neg())), 1)
}

// interval is an enclosure [lo, hi] of the values of an expression; a missing end is infinite.
type interval struct {
	lo, hi     Num
	noLo, noHi bool
}

func (b *Builder) interval(c *Context, e *Expr) interval {
	sum := interval{}
	for _, t := range e.terms {
		p := interval{lo: t.Coef, hi: t.Coef}
		for _, a := range t.mono.atoms {
			p = p.times(b.enclosure(c, a))
		}
		sum = interval{sum.lo.Add(p.lo), sum.hi.Add(p.hi), sum.noLo || p.noLo, sum.noHi || p.noHi}
	}
	return sum
}

func (x interval) times(y interval) interval {
	if y.noLo || x.noLo && x.noHi { // not needed: atoms have a lower end
		return interval{noLo: true, noHi: true}
	}
	if y.lo.Sign() >= 0 {
		// y >= 0: each end of x is multiplied by the end of y that is worse
		out := interval{noLo: x.noLo, noHi: x.noHi}
		if !x.noLo {
			if x.lo.Sign() >= 0 {
				out.lo = x.lo.Mul(y.lo)
			} else if y.noHi {
				out.noLo = true
			} else {
				out.lo = x.lo.Mul(y.hi)
			}
		}
		if !x.noHi {
			if x.hi.Sign() <= 0 {
				out.hi = x.hi.Mul(y.lo)
			} else if y.noHi {
				out.noHi = true
			} else {
				out.hi = x.hi.Mul(y.hi)
			}
		}
		return out
	}
	if x.noLo || x.noHi || y.noHi {
		return interval{noLo: true, noHi: true}
	}
	ps := []Num{x.lo.Mul(y.lo), x.lo.Mul(y.hi), x.hi.Mul(y.lo), x.hi.Mul(y.hi)}
	out := interval{lo: ps[0], hi: ps[0]}
	for _, p := range ps[1:] {
		if p.Cmp(out.lo) < 0 {
			out.lo = p
		}
		if p.Cmp(out.hi) > 0 {
			out.hi = p
		}
	}
	return out
}

func (b *Builder) atomInterval(c *Context, a *Atom) interval {
	switch a.Kind {
	case Size:
		return interval{lo: Int(a.Least), noHi: true}
	case Slot:
		return interval{noLo: true, noHi: true}
	case Var:
		lo, hi := c.Bounds(a)
		l, h := b.interval(c, lo), b.interval(c, hi)
		return interval{l.lo, h.hi.Sub(Int(1)), l.noLo, h.noHi}
	case Floor:
		n, d := b.interval(c, a.Num), b.interval(c, a.Den)
		if n.noLo {
			return interval{noLo: true, noHi: true}
		}
		if !d.noHi && d.lo.Cmp(d.hi) == 0 && d.lo.Sign() > 0 {
			out := interval{noHi: n.noHi}
			out.lo, _ = n.lo.DivMod(d.lo)
			if !n.noHi {
				out.hi, _ = n.hi.DivMod(d.lo)
			}
			return out
		}
		if n.lo.Sign() >= 0 {
			out := interval{noHi: n.noHi, hi: n.hi}
			if !n.noHi && !d.noLo && d.lo.Sign() > 0 {
				out.hi, _ = n.hi.DivMod(d.lo)
			}
			return out
		}
		return interval{lo: n.lo, hi: n.hi, noHi: n.noHi || n.hi.Sign() < 0}
	case Max, Min:
		x, y := b.interval(c, a.Num), b.interval(c, a.Den)
		pick := func(p, q Num, noP, noQ, greatest bool) (Num, bool) {
			if noP || noQ {
				return Num{}, true
			}
			if (p.Cmp(q) > 0) == greatest {
				return p, false
			}
			return q, false
		}
		var out interval
		out.lo, out.noLo = pick(x.lo, y.lo, x.noLo, y.noLo, a.Kind == Max)
		out.hi, out.noHi = pick(x.hi, y.hi, x.noHi, y.noHi, a.Kind == Max)
		return out
	}
	return interval{noLo: true, noHi: true}
}

package algebra

import "slices"

// A Context is what is known at a place: narrower ranges of variables and facts e >= 0. Contexts
// are immutable; each refines its parent.
type Context struct {
	b      *Builder
	ID     int
	parent *Context
	v      *Atom // narrowed to [lo, hi), or nil
	lo, hi *Expr
	fact   *Expr
	ranged *ranged // shared with the parent where that has the same ranges
	held   [pointsTried]truth
}

// Bounds returns the range [lo, hi) of a variable at c.
func (c *Context) Bounds(v *Atom) (lo, hi *Expr) {
	for ; c != nil; c = c.parent {
		if c.v == v && v != nil {
			return c.lo, c.hi
		}
	}
	return v.Lo, v.Hi
}

func (c *Context) child(x Context) *Context {
	c.b.counts.context++
	x.b, x.ID, x.parent, x.ranged = c.b, c.b.counts.context, c, c.ranged
	if x.v != nil {
		x.ranged = &ranged{spans: map[*Atom]span{}}
	}
	return &x
}

// Assume returns c with e >= 0. Where e bounds one variable by sizes and the bound lies within the
// range, the range is narrowed; otherwise e becomes a fact.
func (b *Builder) Assume(c *Context, e *Expr) *Context {
	e = b.plain(e)
	key := [2]int{c.ID, e.ID}
	if known := b.assumed[key]; known != nil {
		return known
	}
	var out *Context
	v, lower, at := b.bound(e)
	if v != nil {
		lo, hi := c.Bounds(v)
		switch {
		case lower && b.Nonneg(c, b.Sub(at, lo)):
			out = b.held(c.child(Context{v: v, lo: at, hi: hi}), b.Sub(hi, at))
		case !lower && b.Nonneg(c, b.Sub(hi, at)):
			out = b.held(c.child(Context{v: v, lo: lo, hi: at}), b.Sub(at, lo))
		}
	}
	if out == nil {
		out = b.bounded(c.child(Context{fact: e}), e)
	}
	b.assumed[key] = out
	b.made(func() { delete(b.assumed, key) })
	return out
}

// held returns c with the fact that the range of a variable, so long, holds its value: it is at
// least 1 long. Where divisions say how long, that tells of sizes what their least values do not.
func (b *Builder) held(c *Context, long *Expr) *Context {
	if !hasFloor(long) || !long.OnlySizes() {
		return c
	}
	some := b.plain(b.AddInt(long, -1))
	if _, number := some.Const(); number {
		return c
	}
	return c.child(Context{fact: some})
}

// bounded narrows the range of t mod q, for which t - q·(t div q) stands, where e >= 0 says that it
// is at least a number, or at most.
func (b *Builder) bounded(c *Context, e *Expr) *Context {
	for _, t := range e.terms {
		for _, d := range t.mono.atoms {
			if d.Kind != KindFloor {
				continue
			}
			mod := b.Sub(d.X, b.Mul(d.Y, d.expr))
			m := b.remainder(d)
			lo, hi := c.Bounds(m)
			if n, ok := b.Sub(e, mod).Const(); ok && b.Nonneg(c, b.Sub(b.Num(n.Neg()), lo)) {
				return c.child(Context{v: m, lo: b.Num(n.Neg()), hi: hi})
			}
			if n, ok := b.Add(e, mod).Const(); ok && b.Nonneg(c, b.Sub(hi, b.Num(n.Add(Int(1))))) {
				return c.child(Context{v: m, lo: lo, hi: b.Num(n.Add(Int(1)))})
			}
		}
	}
	return c
}

// remainder is the variable that stands for t mod q, of d = t div q.
func (b *Builder) remainder(d *Atom) *Atom {
	if d.rem == nil {
		d.rem = b.NewVar(b.Const(0), d.Y)
		b.made(func() { d.rem = nil })
	}
	return d.rem
}

// state adds a fact about sizes to the root, divided by what its coefficients share.
func (b *Builder) state(e *Expr) {
	if _, ok := e.Const(); ok || b.Nonneg(b.Root, e) {
		return
	}
	b.Root = b.Root.child(Context{fact: b.primitive(e)})
	if f := b.plain(e); f != e { // the same without a division
		b.state(f)
	}
}

// primitive divides e by what its coefficients have in common, beside the number, which is rounded
// down: the truth of e >= 0 is the same.
func (b *Builder) primitive(e *Expr) *Expr {
	var g Num
	for _, t := range e.terms {
		if len(t.mono.atoms) > 0 {
			g = g.gcd(t.Coef)
		}
	}
	if g.Sign() == 0 || g.is(1) {
		return e
	}
	var out []Term
	for _, t := range e.terms {
		if q, _ := t.Coef.DivMod(g); q.Sign() != 0 {
			out = append(out, Term{q, t.mono})
		}
	}
	return b.sum(out)
}

// plain returns a condition with the same truth as e >= 0 in which a floor division that stands
// alone is gone: r - t div q >= 0 is q·r + q - 1 - t >= 0, and t div q + r >= 0 is t + q·r >= 0.
func (b *Builder) plain(e *Expr) *Expr {
next:
	if hasFloor(e) {
		e = b.primitive(e)
	}
	var d *Atom
	var k Num
	for _, t := range e.terms {
		for _, a := range t.mono.atoms {
			if a.Kind < KindFloor {
				continue
			}
			one := t.Coef.is(1) || t.Coef.is(-1)
			if d != nil || a.Kind != KindFloor || len(t.mono.atoms) != 1 || !one {
				return e
			}
			d, k = a, t.Coef
		}
	}
	if d == nil {
		return e
	}
	r := b.Mul(d.Y, b.Sub(e, b.Scale(k, d.expr)))
	if k.is(1) {
		e = b.Add(r, d.X)
	} else {
		e = b.Sub(b.Add(r, b.AddInt(d.Y, -1)), d.X)
	}
	goto next
}

// Rounded returns a condition with the same truth as e >= 0 at c: if e is g·s + t for a number g,
// and t is at least 0 and less than g, then e is negative where s is, as it is at most -g + t, and
// nowhere else. As long as there is such a g, s stands for e.
func (b *Builder) Rounded(c *Context, e *Expr) *Expr {
next:
	for _, term := range e.terms {
		n := term.Coef
		if n.Sign() < 0 {
			n = n.Neg()
		}
		if len(term.mono.atoms) == 0 || n.is(1) {
			continue
		}
		g := b.Num(n)
		s, t := b.apart(e, g)
		if _, number := t.Const(); number || !b.within(c, t, g) {
			continue
		}
		e = s
		goto next
	}
	return e
}

type truth uint8

const (
	open truth = iota
	yes
	no
)

// decide tells what is known of e >= 0 at c.
func (b *Builder) decide(c *Context, e *Expr) truth {
	e = b.plain(e)
	switch {
	case b.Nonneg(c, e):
		return yes
	case b.Nonneg(c, b.not(e)):
		return no
	case len(e.Free) > 0 && e.OnlySizes() && b.placed(c, e):
		return yes
	}
	return open
}

// placed reports whether e >= 0 where a variable has a place: e is at least the length of a range,
// less 1.
func (b *Builder) placed(c *Context, e *Expr) bool {
	for ; c != nil; c = c.parent {
		if c.v == nil {
			continue
		}
		long := b.Sub(c.hi, c.lo)
		if long.OnlySizes() && b.Nonneg(b.Root, b.AddInt(b.Sub(e, long), 1)) {
			return true
		}
	}
	return false
}

// A branch is an operand of a conditional term: at c it is what the term is, under guards.
type branch struct {
	c      *Context
	guards []*Expr
	arg    int
}

// branches returns the operands of a term that is the first where cond >= 0 and else the second.
func (b *Builder) branches(c *Context, cond *Expr) []branch {
	cond = b.plain(cond)
	not := b.not(cond)
	switch b.decide(c, cond) {
	case yes:
		return []branch{{c, nil, 0}}
	case no:
		return []branch{{c, nil, 1}}
	}
	return []branch{{b.Assume(c, cond), []*Expr{cond}, 0}, {b.Assume(c, not), []*Expr{not}, 1}}
}

// some reports whether the box of vars surely has a place.
func (b *Builder) some(c *Context, vars []*Atom) bool {
	return !slices.ContainsFunc(vars, func(v *Atom) bool {
		return !b.Nonneg(c, b.AddInt(b.Sub(v.Hi, v.Lo), -1))
	})
}

// bound reads e >= 0 as v >= at (lower) or v < at, where e holds one variable, linearly with a
// number as coefficient, and no slots; otherwise v is nil.
func (b *Builder) bound(e *Expr) (v *Atom, lower bool, at *Expr) {
	for _, a := range e.Free {
		if a.Kind == KindSlot || a.Kind == KindVar && v != nil {
			return nil, false, nil
		}
		if a.Kind == KindVar {
			v = a
		}
	}
	if v == nil {
		return nil, false, nil
	}
	return b.boundOf(e, v)
}

// boundOf is bound for a variable of several in e: at holds the others.
func (b *Builder) boundOf(e *Expr, v *Atom) (of *Atom, lower bool, at *Expr) {
	c, r, ok := b.Linear(e, v)
	k, number := c.Const()
	switch {
	case !ok || !number || k.Sign() == 0:
		return nil, false, nil
	case k.Sign() > 0: // v >= ceil(-r/k)
		return v, true, b.Div(b.Root, b.AddInt(b.Add(b.Num(k), b.Scale(Int(-1), r)), -1), b.Num(k))
	}
	return v, false, b.AddInt(b.Div(b.Root, r, b.Num(k.Neg())), 1)
}

// span is an enclosure of the values of an expression; a missing end is infinite.
type span struct {
	lo, hi     Num
	noLo, noHi bool
}

var everything = span{noLo: true, noHi: true}

func (b *Builder) span(c *Context, e *Expr) span {
	var sum span
	for _, t := range e.terms {
		p := span{lo: Int(1), hi: Int(1)}
		for _, a := range t.mono.atoms {
			p = p.times(b.spanAt(c, a))
		}
		if p.lo, p.hi = p.lo.Mul(t.Coef), p.hi.Mul(t.Coef); t.Coef.Sign() < 0 {
			p.lo, p.hi, p.noLo, p.noHi = p.hi, p.lo, p.noHi, p.noLo
		}
		sum = span{sum.lo.Add(p.lo), sum.hi.Add(p.hi), sum.noLo || p.noLo, sum.noHi || p.noHi}
	}
	return sum
}

func (x span) times(y span) span {
	if x.noLo || y.noLo {
		return everything
	}
	if x.lo.Sign() >= 0 && y.lo.Sign() >= 0 {
		return span{lo: x.lo.Mul(y.lo), hi: x.hi.Mul(y.hi), noHi: x.noHi || y.noHi}
	}
	if x.noHi || y.noHi {
		return everything
	}
	out := span{lo: x.lo.Mul(y.lo), hi: x.lo.Mul(y.lo)}
	for _, p := range []Num{x.lo.Mul(y.hi), x.hi.Mul(y.lo), x.hi.Mul(y.hi)} {
		if p.Cmp(out.lo) < 0 {
			out.lo = p
		}
		if p.Cmp(out.hi) > 0 {
			out.hi = p
		}
	}
	return out
}

func (b *Builder) spanOf(c *Context, a *Atom) span {
	switch a.Kind {
	case KindSize:
		return span{lo: Int(a.Least), noHi: true}
	case KindVar:
		lo, hi := c.Bounds(a)
		l, h := b.span(c, lo), b.span(c, hi)
		return span{l.lo, h.hi.Add(Int(-1)), l.noLo, h.noHi}
	case KindFloor:
		x := b.span(c, a.X)
		if y, ok := a.Y.Const(); ok && !x.noLo {
			lo, _ := x.lo.DivMod(y)
			hi, _ := x.hi.DivMod(y)
			return span{lo: lo, hi: hi, noHi: x.noHi}
		}
		if !x.noLo && x.lo.Sign() >= 0 {
			return span{hi: x.hi, noHi: x.noHi}
		}
	}
	return everything
}

const (
	fuel     = 400         // steps of one decision
	maxSteps = 200_000_000 // steps of all decisions of a certificate
	maxTerms = 20_000      // terms of an expression
	maxFacts = 12          // facts about sizes that one decision looks at
)

// Nonneg reports whether e >= 0 is certain at c by the test that doc/certificates.md describes:
// variables are put at the ends of their ranges, floor divisions are replaced by what defines them,
// sizes are written as their least value, or a bound that a fact gives, plus a slack, and no
// coefficient may then be negative. False means not known.
func (b *Builder) Nonneg(c *Context, e *Expr) bool {
	ok := b.nonnegative(c, e)
	if !ok {
		b.refused++
	}
	return ok
}

func (b *Builder) nonnegative(c *Context, e *Expr) bool {
	s := b.span(c, e) // of a number, that number
	if !s.noLo && s.lo.Sign() >= 0 || !s.noHi && s.hi.Sign() < 0 {
		return s.hi.Sign() >= 0 || s.noHi
	}
	key := [2]int{c.ID, e.ID}
	if known, ok := b.nonneg[key]; ok {
		return known
	}
	p := prover{b: b, c: c, fuel: fuel, taken: map[*Context]bool{}}
	known := !c.negative(e) && p.vars(e, nil)
	if b.steps -= fuel - p.fuel; b.steps < 0 {
		Fail(CodeLimit, "the certificate takes too many steps to check")
	}
	if q := b.reduced(e); !known && q != nil {
		known = b.nonnegative(c, q)
	}
	b.nonneg[key] = known
	b.made(func() { delete(b.nonneg, key) })
	return known
}

// reduced is e over a size that divides each of its terms: what is not negative times a size is not
// negative. It is nil where there is none, or but one term.
func (b *Builder) reduced(e *Expr) *Expr {
	for _, a := range e.terms[len(e.terms)-1].Atoms() { // a number is the last
		q, r := b.Divide(e, a.expr)
		if len(e.terms) > 1 && a.Kind == KindSize && a.Least >= 0 && len(r.terms) == 0 {
			return q
		}
	}
	return nil
}

type prover struct {
	b     *Builder
	c     *Context
	fuel  int
	taken map[*Context]bool // whose facts were taken away on the way: each once
}

// vars removes variables and divisions from e. nonempty holds what the existence of the variables
// removed so far says about others: the last position of a range is not before the first.
func (p *prover) vars(e *Expr, nonempty []*Expr) bool {
	b := p.b
	if p.fuel--; p.fuel < 0 {
		return false
	}
	if s := b.span(p.c, e); !s.noLo && s.lo.Sign() >= 0 {
		return true
	} else if !s.noHi && s.hi.Sign() < 0 {
		return false
	}
	for c := p.c; c != nil; c = c.parent { // e is a fact, or a fact and a number more
		if c.fact != nil && slices.Equal(c.fact.Free, e.Free) { // others are not worth a difference
			if n, ok := b.Sub(e, c.fact).Const(); ok && n.Sign() >= 0 {
				return true
			}
		}
	}
	var v *Atom // the last made: inner ranges may depend on outer ones
	for _, a := range e.Free {
		if a.Kind == KindVar {
			v = a
		} else if a.Kind == KindSlot {
			return false
		}
	}
	if d := outermost(e, v != nil); d != nil {
		return p.division(e, d, nonempty)
	}
	if v == nil {
		facts := slices.Clone(nonempty)
		for c := p.c; c != nil; c = c.parent {
			if c.fact != nil {
				facts = append(facts, c.fact)
			}
		}
		return p.sizes(e, useful(e, facts), maxChain)
	}
	for c := p.c; c != nil; c = c.parent { // e - f >= 0 for a fact f >= 0 that takes v away
		f := c.fact
		if f != nil && !p.taken[c] && f.Mentions(v) &&
			!slices.ContainsFunc(f.terms, func(t Term) bool {
				return mentions(t.mono.free, v) && !slices.ContainsFunc(e.terms, t.equal)
			}) {
			p.taken[c] = true
			rest := b.Sub(e, f)
			ok := !rest.Mentions(v) && p.vars(rest, nonempty)
			if p.taken[c] = false; ok {
				return true
			}
		}
	}
	k, r, ok := b.Linear(e, v)
	if !ok {
		return false
	}
	lo, hi := p.c.Bounds(v)
	last := b.AddInt(hi, -1)
	if len(hi.Free)+len(lo.Free) > 0 {
		nonempty = append(nonempty[:len(nonempty):len(nonempty)], b.Sub(last, lo))
	}
	s := b.span(p.c, k)
	least := func(at *Expr) bool { return p.vars(b.Add(b.Mul(k, at), r), nonempty) }
	switch { // linear in v, so least at one end
	case !s.noLo && s.lo.Sign() >= 0:
		return least(lo)
	case !s.noHi && s.hi.Sign() <= 0:
		return least(last)
	}
	return least(lo) && least(last)
}

// useful are the first of those facts about sizes that may bear on e. A size that is not in e and
// that facts bound from below alone can be so large that all of these hold: they are left out.
func useful(e *Expr, facts []*Expr) []*Expr {
	facts = slices.DeleteFunc(facts, func(f *Expr) bool { return !f.OnlySizes() })
	for again := true; again; {
		again = false
		capped := map[*Atom]bool{} // from above, or in a way that is not looked into
		for _, f := range facts {
			for _, t := range f.terms {
				single := len(t.mono.atoms) == 1 && t.mono.atoms[0].Kind == KindSize
				for _, n := range t.mono.free {
					capped[n] = capped[n] || !single || t.Coef.Sign() < 0
				}
			}
		}
		facts = slices.DeleteFunc(facts, func(f *Expr) bool {
			out := slices.ContainsFunc(f.Free, func(n *Atom) bool {
				return !capped[n] && !e.Mentions(n)
			})
			again = again || out
			return out
		})
	}
	return facts[:min(len(facts), maxFacts)]
}

// outermost returns the division, maximum or minimum of e that was made last; with variables, of
// those that hold some.
func outermost(e *Expr, variables bool) (d *Atom) {
	for _, t := range e.terms {
		for _, a := range t.mono.atoms {
			if a.Kind >= KindFloor && (d == nil || a.ID > d.ID) &&
				!(variables && a.X.OnlySizes() && a.Y.OnlySizes()) {
				d = a
			}
		}
	}
	return d
}

// division removes d from e = k·d + r. For d = t div q, t = q·d + rem with 0 <= rem < q, so that
// q·e = k·(t - rem) + q·r, and e is an integer, so that q·e > -q is enough.
func (p *prover) division(e *Expr, d *Atom, nonempty []*Expr) bool {
	b := p.b
	k, r, ok := b.Linear(e, d)
	if !ok {
		return false
	}
	s := b.span(p.c, k)
	up, down := !s.noLo && s.lo.Sign() >= 0, !s.noHi && s.hi.Sign() <= 0
	if d.Kind != KindFloor {
		x, y := b.Add(b.Mul(k, d.X), r), b.Add(b.Mul(k, d.Y), r)
		if len(y.terms) < len(x.terms) { // the simple one first, which may leave fuel
			x, y = y, x
		}
		if d.Kind == KindMax && up || d.Kind == KindMin && down { // max >= x, and -min >= -x
			return p.vars(x, nonempty) || p.vars(y, nonempty)
		}
		return p.vars(x, nonempty) && p.vars(y, nonempty) // d is one of the two
	}
	diff := b.Sub(d.X, b.remainder(d).expr)
	if q, rest := b.Divide(k, d.Y); len(rest.terms) == 0 {
		if p.vars(b.Add(b.Mul(q, diff), r), nonempty) {
			return true
		}
	} else if p.vars(b.Add(b.Mul(k, diff), b.Mul(d.Y, r), b.AddInt(d.Y, -1)), nonempty) {
		return true
	}
	return up && p.vars(d.X, nonempty) && p.vars(r, nonempty) // t div q >= 0 for t >= 0
}

const maxChain = 4 // facts that are used one after the other

// below reports whether e is negative at one of a few points where all facts hold: it has no proof.
func below(e *Expr, facts []*Expr) bool {
	return slices.ContainsFunc([]int64{0, 1, 2, 3, 5, 7}, func(k int64) bool {
		var at func(a *Atom) (Num, bool)
		at = func(a *Atom) (Num, bool) {
			if a.Kind >= KindFloor {
				return a.made(at)
			}
			n := k // above the least size; from 5 on by name
			if k > 4 {
				n = int64(a.ID) * k % 5
			}
			return Int(a.Least + n), a.Kind == KindSize
		}
		fact := func(f *Expr) bool { v, ok := f.at(at); return !ok || v.Sign() < 0 }
		v, ok := e.at(at)
		return ok && v.Sign() < 0 && !slices.ContainsFunc(facts, fact)
	})
}

// at returns the value of e at a point, if it has one.
func (e *Expr) at(point func(*Atom) (Num, bool)) (sum Num, ok bool) {
	for _, t := range e.terms {
		v := t.Coef
		for _, a := range t.mono.atoms {
			x, ok := point(a)
			if !ok {
				return sum, false
			}
			v = v.Mul(x)
		}
		sum = sum.Add(v)
	}
	return sum, true
}

// sizes decides e >= 0 over sizes: each is its least value plus a slack, or, with a fact, what the
// fact says it is at least or at most, with a slack.
func (p *prover) sizes(e *Expr, facts []*Expr, depth int) bool {
	b := p.b
	if p.fuel--; p.fuel < 0 {
		return false
	}
	if b.slack(e) {
		return true
	}
	if depth == 0 || depth == maxChain && below(e, facts) {
		return false
	}
	for i, f := range facts { // e - f >= 0 for a fact f >= 0 that takes a product of e away
		rest := b.Sub(e, f)
		if n := len(rest.terms); n <= len(e.terms) && n < len(e.terms)+len(f.terms)-1 {
			others := slices.Delete(slices.Clone(facts), i, i+1)
			if p.sizes(rest, others, depth-1) {
				return true
			}
		}
	}
	for i, f := range facts {
		if hasFloor(f) {
			continue
		}
		for _, n := range f.Free {
			k, r, ok := b.Linear(f, n)
			if !ok || !e.Mentions(n) || !k.Is(1) && !k.Is(-1) {
				continue
			}
			by := b.Sub(b.Size(n.Name+Derived, 0), r) // n = slack - r
			if k.Is(-1) {
				by = b.Sub(r, b.Size(n.Name+Derived, 0))
			}
			m := map[*Atom]*Expr{n: by}
			rest := []*Expr{b.AddInt(by, -n.Least)}
			for j, g := range facts {
				if j != i && !hasFloor(g) {
					rest = append(rest, b.Subst(b.Root, g, m))
				}
			}
			if !hasFloor(e) && p.sizes(b.Subst(b.Root, e, m), rest, depth-1) {
				return true
			}
		}
	}
	return false
}

// slack expands e with each size written as its least value plus a slack: no coefficient may be
// negative, those of higher powers of a size added to it, and divisions must have operands of that
// kind.
func (b *Builder) slack(e *Expr) bool {
	m := map[*Atom]*Expr{}
	for _, a := range e.Free {
		if a.Kind != KindSize {
			return false
		}
		if a.Least != 0 {
			m[a] = b.AddInt(b.Size(a.Name+Derived, 0), a.Least)
		}
	}
	higher := map[*Atom]Num{} // coefficients of the powers of a size from the highest on, added up
	for _, t := range b.Subst(b.bare, e, m).terms {
		k := t.Coef
		if a := t.mono.atoms; len(a) > 0 && a[0].Kind == KindSize && a[0] == a[len(a)-1] {
			k = k.Add(higher[a[0]])
			higher[a[0]] = k
		}
		if k.Sign() < 0 {
			return false
		}
		for _, a := range t.mono.atoms {
			if a.Kind == KindSize && a.Least < 0 || a.Kind >= KindFloor &&
				!(b.slack(a.X) && b.slack(a.Y)) {
				return false
			}
		}
	}
	return true
}

package proofs

import (
	"fmt"
	"math/big"
	"slices"
)

type mode uint8

const (
	sumMode mode = iota
	setMode
	productMode
)

// closing returns the closed form of x: summands with one body are added up.
func (e *engine) closing(c *Context, x sum, m mode) *poly {
	var key closeKey
	if len(x) == 1 {
		key = closeKey{x[0], c.id, m}
		if p := e.closed[key]; p != nil {
			return p
		}
	}
	var order []*body
	lists := map[*body][]box{}
	for _, s := range x {
		for _, r := range e.reduced(c, s, m) {
			bd, bx := e.slotted(c, r)
			if bx.coef.Sign() == 0 {
				continue
			}
			if lists[bd] == nil {
				order = append(order, bd)
			}
			lists[bd] = append(lists[bd], bx)
		}
	}
	var parts []part
	for _, bd := range order {
		if st := e.stepsOf(c, lists[bd], m != sumMode); st != nil {
			parts = append(parts, part{bd, st})
		}
	}
	p := e.poly(parts, m == setMode)
	if len(x) == 1 {
		e.closed[key] = p
	}
	return p
}

func (e *engine) closeSum(c *Context, x sum) *poly { return e.closing(c, x, sumMode) }

// reduced brings a summand into the form that its goals ask for.
func (e *engine) reduced(c *Context, s *summand, m mode) sum {
	var done sum
	work := sum{s}
	for len(work) > 0 {
		s := e.plainly(c, work[len(work)-1], m)
		work = work[:len(work)-1]
		e.spend(1)
		if s == nil {
			continue
		}
		if len(s.vars) == 0 {
			done = append(done, s)
			continue
		}
		g := e.goal(c, s, m)
		switch a := e.asks(g); {
		case a != nil && (a.order != nil || a.up != nil):
			fail(codeWitness, "goal %d: no region", g.N)
		case a == nil:
			done = append(done, s)
		case a.merge != nil:
			work = append(work, e.merged(c, s, g, s.vars[a.merge[0]], s.vars[a.merge[1]]))
		case a.cut != nil && m == productMode:
			fail(codeWitness, "goal %d: a product is not cut", g.N)
		case a.cut != nil:
			for _, cond := range []*Expr{e.not(a.cut), a.cut} {
				t := *s
				t.guards = concat(s.guards, []*Expr{cond})
				work = append(work, &t)
			}
		default:
			for _, t := range e.mapped(c, s, m, g, a) {
				if a.again {
					work = append(work, t)
				} else if t = e.plainly(c, t, m); t != nil {
					done = append(done, t)
				}
			}
		}
	}
	return done
}

// plainly decides conditions or turns them into ranges, and removes variables with one position
// and unused ones; nil where nothing is left.
func (e *engine) plainly(c *Context, s *summand, m mode) *summand {
again:
	var kept []*Expr
	for _, g := range s.guards {
		switch e.decide(c, g) {
		case no:
			return nil
		case open:
			kept = append(kept, g)
		}
	}
	t := *s
	t.guards = e.strongest(c, kept)
	s = &t
	if x := e.pinned(c, s); x != nil && m != productMode {
		s = x
		goto again
	}
	for i, g := range s.guards {
		x := e.endOf(e.plain(g))
		k := slices.Index(s.vars, x.v)
		if k < 0 || x.v == nil {
			continue
		}
		lo, hi := x.v.Lo, x.v.Hi
		if x.lower {
			lo = x.at
		} else {
			hi = x.at
		}
		if !e.Nonneg(c, e.Sub(lo, x.v.Lo)) || !e.Nonneg(c, e.Sub(x.v.Hi, hi)) ||
			!e.Nonneg(c, e.Sub(hi, lo)) {
			continue // the new end is not known to lie within the range
		}
		w := e.NewVar(lo, hi)
		t.guards = slices.Delete(slices.Clone(s.guards), i, i+1)
		s = e.replaced(c, &t, k, w.expr, w)
		goto again
	}
	for i, v := range s.vars {
		extent := e.Sub(v.Hi, v.Lo)
		n, number := extent.Const()
		if number && n.Sign() <= 0 {
			if m == productMode {
				return memberOf(constant(one), nil, nil)
			}
			return nil
		}
		if number && n.is(1) {
			s = e.replaced(c, s, i, v.Lo)
			goto again
		}
		if m == productMode || s.mentions(v) {
			continue
		}
		t := *s
		t.vars = slices.Delete(slices.Clone(s.vars), i, i+1)
		if m == setMode && e.Nonneg(c, e.AddInt(extent, -1)) {
			s = &t
			goto again
		}
		if m == sumMode && e.Nonneg(c, extent) {
			if number {
				t.coef = new(big.Rat).Mul(s.coef, new(big.Rat).SetInt(n.Big()))
				s = &t
				goto again
			}
			if count := e.mul(c, sum{&t}, e.number(extent)); len(count) == 1 {
				s = count[0]
				goto again
			}
		}
	}
	return s
}

// strongest drops conditions that stand there twice, and those that another implies in which a
// variable of both cancels.
func (e *engine) strongest(c *Context, guards []*Expr) []*Expr {
	for i := 0; i < len(guards); i++ {
		for j, g := range guards {
			if i == j || guards[i] != g && !slices.ContainsFunc(g.Free, guards[i].Mentions) {
				continue
			}
			d := e.Sub(guards[i], g)
			if guards[i] == g || movable(d) < movable(guards[i]) && e.Nonneg(c, d) {
				guards = slices.Delete(guards, i, i+1)
				i--
				break
			}
		}
	}
	return guards
}

// movable counts the variables and slots in x.
func movable(x *Expr) int {
	n := 0
	for _, a := range x.Free {
		if a.Kind != KindSize {
			n++
		}
	}
	return n
}

// pinned replaces a variable that two conditions fix, g >= 0 and -g >= 0, g being v - x or x - v:
// v is x, which has to lie in the range of v. It returns nil where there is none.
func (e *engine) pinned(c *Context, s *summand) *summand {
	for i, g := range s.guards {
		opposite := func(t, u Term) bool { return t.equal(Term{u.Coef.Neg(), u.mono}) }
		j := slices.IndexFunc(s.guards, func(h *Expr) bool {
			return slices.EqualFunc(g.terms, h.terms, opposite)
		})
		if j <= i {
			continue
		}
		for k, v := range s.vars {
			n, r, ok := e.Linear(g, v)
			if !ok {
				continue
			}
			if sign, number := n.Const(); !number || !sign.is(1) && !sign.is(-1) {
				continue
			} else if sign.is(1) {
				r = e.Scale(Int(-1), r)
			}
			t := *s
			t.guards = slices.Clone(s.guards)
			t.guards = slices.Delete(slices.Delete(t.guards, j, j+1), i, i+1)
			t.guards = append(t.guards, e.Sub(r, v.Lo), e.AddInt(e.Sub(v.Hi, r), -1))
			return e.replaced(c, &t, k, r)
		}
	}
	return nil
}

// replaced puts x, in terms of vars, for variable i.
func (e *engine) replaced(c *Context, s *summand, i int, x *Expr, vars ...*Atom) *summand {
	t := *s
	t.vars = slices.Concat(s.vars[:i], vars, s.vars[i+1:])
	out := e.subst(c, &t, map[*Atom]*Expr{s.vars[i]: x})
	if len(out) != 1 {
		fail(codeUnsupported, "a change of variables takes a summand apart")
	}
	return out[0]
}

// slotted splits a summand into body and box. Slots are numbered from above those bound inside, in
// the order of the variables.
func (e *engine) slotted(c *Context, s *summand) (*body, box) {
	base := 0
	for _, f := range s.factors {
		base = max(base, f.a.height)
	}
	if s.member {
		base = e.closeSum(c, s.value).height
	}
	bx := box{coef: s.coef}
	t := summand{coef: one, factors: s.factors, member: s.member, value: s.value}
	free := map[*Atom]*interval{}
	for _, g := range s.guards {
		x := e.endOf(e.plain(g))
		if x.v == nil || slices.Contains(s.vars, x.v) {
			t.guards = append(t.guards, g)
			continue
		}
		r := free[x.v]
		if r == nil {
			lo, hi := c.Bounds(x.v)
			r = &interval{x.v, lo, hi}
			free[x.v] = r
		}
		switch {
		case x.lower && e.Nonneg(c, e.Sub(x.at, r.lo)):
			r.lo = x.at
		case !x.lower && e.Nonneg(c, e.Sub(r.hi, x.at)):
			r.hi = x.at
		case x.lower && e.Nonneg(c, e.Sub(r.lo, x.at)), !x.lower && e.Nonneg(c, e.Sub(x.at, r.hi)):
		default:
			t.guards = append(t.guards, g)
		}
	}
	for _, r := range free {
		if e.Nonneg(c, e.Sub(r.lo, r.hi)) {
			bx.coef = zeroRat // the conditions contradict each other
		}
		bx.ranges = append(bx.ranges, *r)
	}
	slices.SortFunc(bx.ranges, func(x, y interval) int { return x.dim.ID - y.dim.ID })
	for {
		m := map[*Atom]*Expr{}
		for i, v := range s.vars {
			m[v] = e.slot(base + i).expr
		}
		out := e.subst(c, &t, m)
		if len(out) != 1 || len(out[0].vars) > 0 {
			fail(codeUnsupported, "numbering the variables changed a summand")
		}
		bd := body{base: base, slots: len(s.vars), member: s.member, factors: out[0].factors}
		bd.guards = out[0].guards
		height := 0
		if s.member {
			p := e.closeSum(c, out[0].value)
			height = p.height
			bd.factors = []factor{{e.atom(atom{kind: valueAtom, polys: []*poly{p}}), 1}}
		}
		for _, f := range bd.factors {
			height = max(height, f.a.height)
		}
		if height > base { // the answers inside made more slots under the other names
			base = height
			continue
		}
		slices.SortFunc(bd.guards, func(x, y *Expr) int { return x.ID - y.ID })
		bd.guards = slices.Compact(bd.guards)
		if out[0].coef.Cmp(one) != 0 {
			bx.coef = new(big.Rat).Mul(bx.coef, out[0].coef)
		}
		for i, v := range s.vars {
			bx.ranges = append(bx.ranges, interval{e.slot(base + i), v.Lo, v.Hi})
		}
		return e.body(bd), bx
	}
}

// A Goal is a summand whose variables may be changed, or a region of the output that may be cut.
type Goal struct {
	B         *Builder
	C         *Context
	N         int     // the number of the goal
	Region    bool    // a difference that is not 0; Vars are the axes of the output
	Undefined bool    // a region of which what is left are conditions of AFTER
	Set       bool    // members of a set, not summands of a sum
	Fold      bool    // a product
	Vars      []*Atom // v0, v1, ... of the answer
	Outer     []*Atom // u0, u1, ...: sizes and variables of other summands
	Guards    []*Expr
	s         *summand
	diff      *poly
	facts     []*poly
	e         *engine
}

// Orders returns how many maxima of a region have members that can be ordered.
func (g *Goal) Orders() int { return len(g.e.maxima(g.diff, nil)) }

// Linear returns the difference of a region and the facts of its case, each at least 0, as linear
// forms over what is kept apart; the empty name stands for 1.
func (g *Goal) Linear() (diff map[string]*big.Rat, facts []map[string]*big.Rat) {
	form := func(p *poly) map[string]*big.Rat {
		out := map[string]*big.Rat{}
		for _, pt := range p.parts {
			switch {
			case pt.steps.dim != nil:
				out[fmt.Sprint(pt.body.id, pt.steps.id)] = one
			case len(pt.body.factors)+len(pt.body.guards) == 0:
				out[""] = pt.steps.coef
			default:
				out[fmt.Sprint(pt.body.id)] = pt.steps.coef
			}
		}
		return out
	}
	for _, f := range g.facts {
		facts = append(facts, form(f))
	}
	return form(g.diff), facts
}

func (e *engine) goal(c *Context, s *summand, m mode) *Goal {
	g := &Goal{B: e.Builder, C: c, Vars: s.vars, Guards: s.guards, s: s}
	g.Set, g.Fold = m == setMode, m == productMode
	g.outer()
	return g
}

// outer lists what an answer may name besides the goal's variables.
func (g *Goal) outer() {
	var free []*Atom
	if g.s != nil {
		free = g.s.free()
	} else {
		free = g.diff.free
	}
	for _, v := range g.Vars {
		lo, hi := g.C.Bounds(v)
		free = union(union(union(free, lo.Free), hi.Free), v.Hi.Free)
	}
	for _, a := range free {
		if !slices.Contains(g.Vars, a) {
			g.Outer = append(g.Outer, a)
		}
	}
}

func (s *summand) free() []*Atom {
	var free []*Atom
	for _, g := range s.guards {
		free = union(free, g.Free)
	}
	for _, f := range s.factors {
		free = union(free, f.a.free)
	}
	for _, t := range s.value {
		inner := t.free()
		for _, v := range t.vars {
			inner = without(inner, v)
		}
		free = union(free, inner)
	}
	return free
}

// Exprs calls f with every index expression of the goal and a text that says where it stands.
func (g *Goal) Exprs(f func(where string, x *Expr)) {
	for _, x := range g.Guards {
		f("guard", x)
	}
	if g.s != nil {
		g.s.exprs("", f)
	}
	if g.diff != nil {
		g.diff.exprs("", f)
	}
}

func (s *summand) exprs(where string, f func(string, *Expr)) {
	for _, x := range s.factors {
		x.exprs(where, f)
	}
	for _, t := range s.value {
		for _, x := range t.guards {
			f(where+"guard", x)
		}
		t.exprs(where+t.coef.RatString()+" ", f)
	}
}

func (x factor) exprs(where string, f func(string, *Expr)) {
	where += string(rune('a'+x.a.kind)) + x.a.name + big.NewInt(int64(x.exp)).String() + " "
	if x.a.e != nil {
		f(where, x.a.e)
	}
	if x.a.number != nil {
		f(where, x.a.number.expr)
	}
	for _, p := range x.a.polys {
		p.exprs(where, f)
	}
}

func (p *poly) exprs(where string, f func(string, *Expr)) {
	for _, pt := range p.parts {
		for _, x := range pt.body.guards {
			f(where+"guard", x)
		}
		for _, bx := range boxes(pt.steps) {
			for _, r := range bx.ranges {
				f(where+"range", r.lo)
				f(where+"range", r.hi)
			}
		}
		for _, x := range pt.body.factors {
			x.exprs(where, f)
		}
	}
}

// A Range is one dimension of a box.
type Range struct {
	Dim    *Atom
	Lo, Hi *Expr
}

// Parts calls f with the conditions and the first box of every part of what is left in a region,
// those inside atoms too.
func (g *Goal) Parts(f func(guards []*Expr, ranges []Range)) {
	if g.diff != nil {
		g.diff.each(f)
	}
}

func (p *poly) each(f func([]*Expr, []Range)) {
	for _, pt := range p.parts {
		var ranges []Range
		for _, r := range boxes(pt.steps)[0].ranges {
			ranges = append(ranges, Range{r.dim, r.lo, r.hi})
		}
		f(pt.body.guards, ranges)
		for _, x := range pt.body.factors {
			for _, q := range x.a.polys {
				q.each(f)
			}
		}
	}
}

// An answer to a goal: a cut in two, or new variables with ranges, what the goal's variables are in
// terms of them, and what they are in terms of the goal's. No answer leaves the goal as it is.
type answer struct {
	cut      *Expr
	vars     []*Atom
	to, from []*Expr
	again    bool       // what comes of the map is a goal of its own
	merge    []int      // two variables that become one
	order    []int      // a maximum and two of its members
	up, down []*big.Rat // multiples of the facts
}

// mapped checks an answer that changes variables and applies it. In a sum the map is a bijection of
// boxes. In a set it reaches every member: each place of the old box has a place in the new one at
// which the member is the same.
func (e *engine) mapped(c *Context, s *summand, m mode, g *Goal, a *answer) sum {
	fwd, back := map[*Atom]*Expr{}, map[*Atom]*Expr{}
	for i, v := range s.vars {
		fwd[v] = a.to[i]
		lo, hi := c.Bounds(v)
		if !e.between(c, a.to[i], lo, hi) {
			fail(codeRange, "goal %d: the map leaves the range of v%d", g.N, i)
		}
	}
	for i, w := range a.vars {
		back[w] = a.from[i]
		if !e.Nonneg(c, e.Sub(w.Hi, w.Lo)) {
			fail(codeRange, "goal %d: the range of w%d ends before it begins", g.N, i)
		}
		if !e.between(c, a.from[i], w.Lo, w.Hi) {
			fail(codeRange, "goal %d: the inverse leaves the range of w%d", g.N, i)
		}
	}
	same := true
	for i, v := range s.vars {
		same = same && e.Subst(c, a.to[i], back) == v.expr
	}
	for i, w := range a.vars {
		if m != setMode && e.Subst(c, a.from[i], fwd) != w.expr {
			fail(codeInverse, "goal %d: the maps do not compose to w%d", g.N, i)
		}
	}
	t := *s
	t.vars = a.vars
	out := e.subst(c, &t, fwd)
	if !same && m == setMode && len(out) == 1 {
		u := *out[0]
		u.vars = s.vars
		again := e.subst(c, &u, back)
		same = len(again) == 1 && e.alike(c, again[0], s)
	}
	if !same {
		fail(codeInverse, "goal %d: the maps do not compose to the identity", g.N)
	}
	return out
}

// merged puts one variable t for u and v, where v has n places and everything is a function of
// n·u + v: of t when u is 0 and v is t. Places (u, v) and t correspond, also where there are none.
func (e *engine) merged(c *Context, s *summand, g *Goal, u, v *Atom) *summand {
	n := e.Sub(v.Hi, v.Lo)
	at := func(u, v *Expr) *Expr { return e.Add(e.Mul(n, u), v) }
	t := e.NewVar(at(u.Lo, v.Lo), at(u.Hi, v.Lo))
	one := *s
	one.vars = append([]*Atom{t}, without(without(s.vars, u), v)...)
	out := e.subst(c, &one, map[*Atom]*Expr{u: e.Const(0), v: t.expr})
	if len(out) == 1 && len(out[0].vars) == len(one.vars) && e.Nonneg(c, e.Sub(u.Hi, u.Lo)) {
		back := *out[0]
		back.vars = s.vars
		again := e.subst(c, &back, map[*Atom]*Expr{t: at(u.expr, v.expr)})
		if len(again) == 1 && e.alike(c, again[0], s) {
			return out[0]
		}
	}
	fail(codeInverse, "goal %d: its variables are not digits of one", g.N)
	return nil
}

// alike reports whether two summands are equal for the same variables.
func (e *engine) alike(c *Context, x, y *summand) bool {
	return len(x.vars) == len(y.vars) && x.coef.Cmp(y.coef) == 0 &&
		slices.Equal(x.guards, y.guards) && slices.Equal(x.factors, y.factors) &&
		(!x.member || e.closeSum(c, x.value) == e.closeSum(c, y.value))
}

func (e *engine) between(c *Context, x, lo, hi *Expr) bool {
	return e.Nonneg(c, e.Sub(x, lo)) && e.Nonneg(c, e.AddInt(e.Sub(hi, x), -1))
}

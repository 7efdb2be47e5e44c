package algebra

import (
	"encoding/binary"
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
		key = closeKey{x[0], c.ID, m}
		if p := e.closed[key]; p != nil {
			return p
		}
	} else if m != productMode {
		x = e.adjacent(c, x)
	}
	var order []*body
	lists := map[*body][]box{}
	for _, s := range x {
		if s.member == (m == sumMode) {
			Fail(CodeUnsupported, "members where summands should be, or the other way round")
		}
		for _, b := range e.boxesOf(c, s, m) {
			if lists[b.body] == nil {
				order = append(order, b.body)
			}
			lists[b.body] = append(lists[b.body], b.box)
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

// boxesOf returns the bodies and boxes of a summand. Conditions that bound a free variable are put
// aside, as [g]·Σ f = Σ [g]·f: the goals of what is summed are asked once, not at each place.
func (e *engine) boxesOf(c *Context, s *summand, m mode) []boxed {
	if m != sumMode {
		return e.boxesIn(c, s, m)
	}
	core := *s
	core.coef, core.guards = one, nil
	var outside []interval
	for _, g := range s.guards {
		ok := !slices.ContainsFunc(s.vars, g.Mentions)
		if ok {
			outside, ok = e.narrow(c, outside, e.endOf(e.plain(g)))
		}
		if !ok {
			core.guards = append(core.guards, g)
		}
	}
	if e.empty(c, outside) {
		return nil
	}
	key := core.key(c)
	inner, known := e.boxed[key]
	if !known {
		inner = e.boxesIn(c, &core, m)
		e.boxed[key] = inner
	}
	out := make([]boxed, 0, len(inner))
	for _, b := range inner {
		n, ok := 0, true // the ranges of free variables come first
		all := slices.Clone(outside)
		for ; n < len(b.box.ranges) && b.box.ranges[n].dim.Kind == KindVar && ok; n++ {
			r := b.box.ranges[n]
			if all, ok = e.narrow(c, all, end{r.dim, true, r.lo}); ok {
				all, ok = e.narrow(c, all, end{r.dim, false, r.hi})
			}
		}
		if !ok {
			return e.boxesIn(c, s, m)
		}
		if !e.empty(c, all) {
			coef := s.coef
			if b.box.coef != one {
				coef = new(big.Rat).Mul(coef, b.box.coef)
			}
			out = append(out, boxed{b.body, box{coef, sorted(all, b.box.ranges[n:])}})
		}
	}
	return out
}

// boxesIn does the same, with all conditions.
func (e *engine) boxesIn(c *Context, s *summand, m mode) []boxed {
	var out []boxed
	for _, r := range e.reduced(c, s, m) {
		if bd, bx := e.slotted(c, r); bx.coef.Sign() != 0 {
			out = append(out, boxed{bd, bx})
		}
	}
	return out
}

// narrow adds the condition x to ranges of free variables; ok is false where it bounds none or has
// no known order with the ends that are there.
func (e *engine) narrow(c *Context, ranges []interval, x end) (out []interval, ok bool) {
	if x.v == nil {
		return ranges, false
	}
	i := slices.IndexFunc(ranges, func(r interval) bool { return r.dim == x.v })
	if i < 0 {
		lo, hi := c.Bounds(x.v)
		i, ranges = len(ranges), append(ranges, interval{x.v, lo, hi})
	}
	r := &ranges[i]
	switch {
	case x.lower && e.Nonneg(c, e.Sub(x.at, r.lo)):
		r.lo = x.at
	case !x.lower && e.Nonneg(c, e.Sub(r.hi, x.at)):
		r.hi = x.at
	case x.lower && e.Nonneg(c, e.Sub(r.lo, x.at)), !x.lower && e.Nonneg(c, e.Sub(x.at, r.hi)):
	default:
		return ranges, false
	}
	return ranges, true
}

// empty reports whether one of the ranges certainly is.
func (e *engine) empty(c *Context, ranges []interval) bool {
	return slices.ContainsFunc(ranges, func(r interval) bool {
		return e.Nonneg(c, e.Sub(r.lo, r.hi))
	})
}

// sorted returns the ranges of free variables in order and those of slots after them.
func sorted(free, slots []interval) []interval {
	slices.SortFunc(free, func(x, y interval) int { return x.dim.ID - y.dim.ID })
	return concat(free, slots)
}

// key tells summands at c apart, but for their coefficients.
func (s *summand) key(c *Context) string {
	k := binary.AppendUvarint(nil, uint64(c.ID))
	for _, v := range s.vars {
		k = binary.AppendUvarint(k, uint64(v.ID)+1)
	}
	k = append(k, 0)
	for _, g := range s.guards {
		k = binary.AppendUvarint(k, uint64(g.ID)+1)
	}
	k = append(k, 0)
	for _, f := range s.factors {
		k = binary.AppendVarint(binary.AppendUvarint(k, uint64(f.a.id)), int64(f.exp))
	}
	return string(k)
}

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
		if list := e.counted(c, s); list != nil && m == sumMode {
			work = append(work, list...)
			continue
		}
		g := e.goal(c, s, m)
		switch a := e.asks(g); {
		case a != nil && (a.order != nil || a.up != nil):
			Fail(CodeWitness, "goal %d: no region", g.N)
		case a == nil:
			done = append(done, s)
		case a.merge != nil:
			work = append(work, e.merged(c, s, g, s.vars[a.merge[0]], s.vars[a.merge[1]]))
		case a.among && m != sumMode:
			Fail(CodeWitness, "goal %d: no sum", g.N)
		case a.among:
			work = append(work, e.met(c, s, g, a)...)
		case a.cut != nil && m == productMode:
			Fail(CodeWitness, "goal %d: a product is not cut", g.N)
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
					continue
				}
				t = e.plainly(c, t, m)
				switch {
				case t == nil:
				case m == sumMode && e.countable(c, t) != nil:
					work = append(work, t)
				default:
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
			if m == setMode { // the boxes of sums are told apart piece by piece
				g = e.Rounded(c, g)
			}
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
		if x := e.ended(c, s, i, e.endOf(e.plain(g))); x != nil {
			s = x
			goto again
		}
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

// A count is a variable that nothing but conditions mention, and how often what is left is there.
type count struct {
	of     *Atom
	places *Expr
	rest   []*Expr // conditions that do not mention it
}

// countable is, by law (S2), a variable of s with as many places, wherever the others are: nothing
// mentions it, or conditions alone, each of which is an end within its range, or beyond another
// one. It is nil if there is none.
func (e *engine) countable(c *Context, s *summand) *count {
	for _, v := range s.vars {
		if s.depends(v) {
			continue
		}
		lo, hi, ok := v.Lo, v.Hi, true
		var rest []*Expr
		for _, g := range s.guards {
			if !g.Mentions(v) {
				rest = append(rest, g)
				continue
			}
			of, lower, at := e.boundOf(e.plain(g), v)
			switch {
			case of == nil || slices.ContainsFunc(g.Free, isSlot):
				ok = false
			case lower && e.Nonneg(c, e.Sub(at, lo)):
				lo = at
			case !lower && e.Nonneg(c, e.Sub(hi, at)):
				hi = at
			case lower && e.Nonneg(c, e.Sub(lo, at)), !lower && e.Nonneg(c, e.Sub(at, hi)):
			default:
				ok = false
			}
		}
		if n := e.Sub(hi, lo); ok && e.Nonneg(c, n) {
			return &count{v, n, rest}
		}
	}
	return nil
}

// counted is a summand as often as a variable that is countable has places: for N - M of them N
// times it is, and -M times. It is nil if there is no such variable.
func (e *engine) counted(c *Context, s *summand) sum {
	n := e.countable(c, s)
	if n == nil {
		return nil
	}
	t := *s
	t.guards = n.rest
	t.vars = slices.DeleteFunc(slices.Clone(s.vars), func(v *Atom) bool { return v == n.of })
	return e.mul(c, sum{&t}, e.number(n.places))
}

// ended takes condition i, which is an end of a variable of s, into its range; nil where it is not
// known to lie within.
func (e *engine) ended(c *Context, s *summand, i int, x end) *summand {
	k := slices.Index(s.vars, x.v)
	if k < 0 || x.v == nil {
		return nil
	}
	lo, hi := x.v.Lo, x.v.Hi
	if x.lower {
		lo = x.at
	} else {
		hi = x.at
	}
	if !e.Nonneg(c, e.Sub(lo, x.v.Lo)) || !e.Nonneg(c, e.Sub(x.v.Hi, hi)) ||
		!e.Nonneg(c, e.Sub(hi, lo)) {
		return nil
	}
	w := e.NewVar(lo, hi)
	t := *s
	t.guards = slices.Delete(slices.Clone(s.guards), i, i+1)
	return e.replaced(c, &t, k, w.expr, w)
}

// among takes conditions into ranges whose ends are places of variables that a summand is not
// summed over.
func (e *engine) among(c *Context, list sum) (out sum) {
	for _, s := range list {
		for i := 0; i < len(s.guards); i++ {
			if x := e.ended(c, s, i, e.endAmong(e.plain(s.guards[i]), s.vars)); x != nil {
				s, i = x, -1
			}
		}
		out = append(out, s)
	}
	return out
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
		Fail(CodeUnsupported, "a change of variables takes a summand apart")
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
	var free []interval
	for _, g := range s.guards {
		ok := false
		if x := e.endOf(e.plain(g)); !slices.Contains(s.vars, x.v) {
			free, ok = e.narrow(c, free, x)
		}
		if !ok {
			t.guards = append(t.guards, g)
		}
	}
	if e.empty(c, free) {
		bx.coef = zeroRat // the conditions contradict each other
	}
	for {
		m := map[*Atom]*Expr{}
		for i, v := range s.vars {
			m[v] = e.slot(base + i).expr
		}
		out := e.subst(c, &t, m)
		if len(out) != 1 || len(out[0].vars) > 0 {
			Fail(CodeUnsupported, "numbering the variables changed a summand")
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
		bx.ranges = sorted(free, bx.ranges)
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

// An answer to a goal: a cut in two, or new variables with ranges, what the goal's variables are in
// terms of them, and what they are in terms of the goal's. No answer leaves the goal as it is.
type answer struct {
	cut      *Expr
	words    bool // elements are compared as functions of leaves
	vars     []*Atom
	to, from []*Expr
	again    bool       // what comes of the map is a goal of its own
	among    bool       // the map is one of the places at which the conditions hold
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
			Fail(CodeRange, "goal %d: the map leaves the range of v%d", g.N, i)
		}
	}
	for i, w := range a.vars {
		back[w] = a.from[i]
		if !e.Nonneg(c, e.Sub(w.Hi, w.Lo)) {
			Fail(CodeRange, "goal %d: the range of w%d ends before it begins", g.N, i)
		}
		if !e.between(c, a.from[i], w.Lo, w.Hi) {
			Fail(CodeRange, "goal %d: the inverse leaves the range of w%d", g.N, i)
		}
	}
	same := true
	for i, v := range s.vars {
		same = same && e.Subst(c, a.to[i], back) == v.expr
	}
	for i, w := range a.vars {
		if m != setMode && e.Subst(c, a.from[i], fwd) != w.expr {
			Fail(CodeInverse, "goal %d: the maps do not compose to w%d", g.N, i)
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
		Fail(CodeInverse, "goal %d: the maps do not compose to the identity", g.N)
	}
	return out
}

// met applies a map of the places at which the conditions of a sum hold: those at which the goal's
// variables leave their ranges are excluded by conditions. A place of the goal that meets its
// conditions has one in the new ranges, which is its alone as the maps are inverse to each other.
func (e *engine) met(c *Context, s *summand, g *Goal, a *answer) sum {
	fwd, back := map[*Atom]*Expr{}, map[*Atom]*Expr{}
	var within []*Expr
	for i, v := range s.vars {
		fwd[v] = a.to[i]
		if lo, hi := c.Bounds(v); lo != v.Lo || hi != v.Hi {
			Fail(CodeUnsupported, "goal %d: v%d is bounded from outside", g.N, i)
		}
		within = append(within, e.Sub(a.to[i], v.Lo), e.AddInt(e.Sub(v.Hi, a.to[i]), -1))
	}
	for i, w := range a.vars {
		back[w] = a.from[i]
		if !e.Nonneg(c, e.Sub(w.Hi, w.Lo)) {
			Fail(CodeRange, "goal %d: the range of w%d ends before it begins", g.N, i)
		}
		if !e.meets(c, s, e.Sub(a.from[i], w.Lo)) ||
			!e.meets(c, s, e.AddInt(e.Sub(w.Hi, a.from[i]), -1)) {
			Fail(CodeRange, "goal %d: the inverse leaves the range of w%d", g.N, i)
		}
		if e.Subst(c, a.from[i], fwd) != w.expr {
			Fail(CodeInverse, "goal %d: the maps do not compose to w%d", g.N, i)
		}
	}
	for i, v := range s.vars {
		if e.Subst(c, a.to[i], back) != v.expr {
			Fail(CodeInverse, "goal %d: the maps do not compose to v%d", g.N, i)
		}
	}
	t := *s
	t.vars = a.vars
	return e.guarded(e.subst(c, &t, fwd), within)
}

// meets reports whether x >= 0 is known where the conditions of s hold: by itself, or because it is
// no less than one of them.
func (e *engine) meets(c *Context, s *summand, x *Expr) bool {
	return e.Nonneg(c, x) || slices.ContainsFunc(s.guards, func(g *Expr) bool {
		return e.Nonneg(c, e.Sub(x, g))
	})
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
	Fail(CodeInverse, "goal %d: its variables are not digits of one", g.N)
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

package normal

import (
	"slices"
	"sort"

	"tv/internal/mix"
	"tv/semantics/index"
)

// mode is what a closed polynomial's parts are combined by.
type mode uint8

const (
	sumMode mode = iota
	maxMode
	productMode
)

// closeSum returns the closed form of x: equal sums have equal closed forms as far as the laws reach.
func (e *Engine) closeSum(ctx *index.Context, x sum) *Poly {
	if len(x) == 0 {
		return e.intern(nil, false)
	}
	key := closeKey{x[0], len(x), ctx.ID()}
	if len(x) == 1 {
		if p := e.closes[key]; p != nil {
			return p
		}
	}
	p := e.close(ctx, x, sumMode)
	if len(x) == 1 {
		e.closes[key] = p
	}
	return p
}

func (e *Engine) closeTerms(ctx *index.Context, x sum) *Poly { return e.close(ctx, x, maxMode) }

func (e *Engine) closeProduct(ctx *index.Context, t *summand) *Poly {
	return e.close(ctx, sum{t}, productMode)
}

func (e *Engine) close(ctx *index.Context, x sum, m mode) *Poly {
	var order []*body
	lists := map[*body][]box{}
	if m != productMode {
		x = e.stretches(ctx, x)
	}
	for _, s := range x {
		if s.isTerm == (m == sumMode) {
			panic(stop{ErrBudget}) // terms where summands should be
		}
		for _, r := range e.reduce(ctx, s, m) {
			bd, bx := e.slotted(ctx, r)
			if _, ok := lists[bd]; !ok {
				order = append(order, bd)
			}
			lists[bd] = append(lists[bd], bx)
		}
	}
	if m != productMode {
		order = e.joinInstances(ctx, order, lists)
	}
	parts := make([]part, 0, len(order))
	for _, bd := range order {
		if st := e.stepsOf(ctx, lists[bd], m != sumMode); st != nil {
			parts = append(parts, part{bd, st})
		}
	}
	return e.intern(parts, m == maxMode)
}

// intern sorts parts by body.
func (e *Engine) intern(parts []part, isMax bool) *Poly {
	sort.Slice(parts, func(i, j int) bool { return parts[i].body.id < parts[j].body.id })
	h := uint64(len(parts))
	if isMax {
		h += 1 << 20
	}
	for _, p := range parts {
		h = mix.Word(mix.Word(h, uint64(p.body.id)), uint64(p.steps.id))
	}
	h &= hashMask
next:
	for _, o := range e.polys[h] {
		if o.max != isMax || len(o.parts) != len(parts) {
			continue
		}
		for i := range parts {
			if o.parts[i] != parts[i] {
				continue next
			}
		}
		return o
	}
	e.npoly++
	p := &Poly{id: e.npoly, parts: parts, max: isMax}
	for _, pt := range parts {
		p.free = union(p.free, pt.body.free)
		p.free = union(p.free, pt.steps.free())
		p.height = max(p.height, pt.body.base+pt.body.slots)
	}
	e.polys[h] = append(e.polys[h], p)
	return p
}

// free lists the variables and sizes that the ranges of s hold.
func (s *steps) free() []*index.Atom {
	var out []*index.Atom
	for _, g := range s.segs {
		if s.dim.v != nil {
			out = union(out, []*index.Atom{s.dim.v})
		}
		out = union(union(out, g.lo.Free()), g.hi.Free())
		out = union(out, g.to.free())
	}
	return out
}

// reduce brings a summand into the form in which variables are numbered: conditions decided or absorbed into
// ranges, variables of one position and unused ones gone, digits split and merged, positions shifted.
func (e *Engine) reduce(ctx *index.Context, s *summand, m mode) sum {
	var done sum
	work := sum{s}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		e.spend(1)
		next, changed := e.step(ctx, s, m)
		if changed {
			for i := len(next) - 1; i >= 0; i-- {
				work = append(work, next[i])
			}
			continue
		}
		done = append(done, e.shift(ctx, e.orient(ctx, next[0]), onlySizes))
	}
	return done
}

// step applies the first rule that changes s.
func (e *Engine) step(ctx *index.Context, s *summand, m mode) (sum, bool) {
	var kept []*index.Expr
	for _, g := range s.guards {
		switch e.b.Decide(ctx, g) {
		case index.False:
			return nil, true
		case index.Open:
			if !slices.Contains(kept, g) {
				kept = append(kept, g)
			}
		}
	}
	for i, g := range kept {
		if m != maxMode {
			break // sums are told apart by pieces of their boxes, which rounding moves
		}
		if c := e.b.Coarse(ctx, g); c != g {
			t := *s
			t.guards = slices.Clone(kept)
			t.guards[i] = c
			return sum{&t}, true
		}
	}
	kept = e.strongest(ctx, kept)
	if len(kept) != len(s.guards) {
		t := *s
		t.guards = kept
		s = &t
	}
	for i, g := range s.guards {
		if out, ok := e.absorb(ctx, s, i, g); ok {
			return out, true
		}
	}
	if m != productMode {
		if out, ok := e.pinned(ctx, s); ok {
			return out, true
		}
	}
	for i, v := range s.vars {
		if extent, ok := e.b.Sub(v.Hi, v.Lo).Const(); ok {
			if extent.Sign() <= 0 {
				if m == productMode {
					t := *s
					t.value, t.vars = e.constant(one), nil
					return sum{&t}, true
				}
				return nil, true
			}
			if extent.IsOne() {
				return e.replace(ctx, s, i, v.Lo), true
			}
		}
		if !s.reads(v) && m != productMode {
			if out, ok := e.unused(ctx, s, i, m); ok {
				return out, true
			}
		}
	}
	if m != productMode {
		if out, ok := e.splitDigits(ctx, s); ok {
			e.used |= UsedDigits
			e.splits++
			return out, true
		}
		if out, ok := e.mergeDigits(ctx, s, m); ok {
			e.used |= UsedDigits
			e.merges++
			return out, true
		}
	}
	return sum{s}, false
}

// replace puts x, in terms of new variables, for the i-th variable.
func (e *Engine) replace(ctx *index.Context, s *summand, i int, x *index.Expr, vars ...*index.Atom) sum {
	t := *s
	t.vars = append(append(append([]*index.Atom(nil), s.vars[:i]...), s.vars[i+1:]...), vars...)
	return e.substSummand(ctx, &t, map[*index.Atom]*index.Expr{s.vars[i]: x})
}

// strongest drops conditions that others imply, where a variable of both cancels.
func (e *Engine) strongest(ctx *index.Context, guards []*index.Expr) []*index.Expr {
	for i := 0; i < len(guards); i++ {
		for j := range guards {
			if i == j || !overlap(guards[i], guards[j]) {
				continue
			}
			if d := e.b.Sub(guards[i], guards[j]); variables(d) < variables(guards[i]) && e.b.Nonneg(ctx, d) {
				guards = slices.Delete(guards, i, i+1)
				i--
				break
			}
		}
	}
	return guards
}

// overlap reports whether a variable occurs in both.
func overlap(x, y *index.Expr) bool {
	for _, a := range x.Free() {
		if a.Kind != index.Size && y.Mentions(a) {
			return true
		}
	}
	return false
}

// variables counts the variables and slots in x.
func variables(x *index.Expr) int {
	n := 0
	for _, a := range x.Free() {
		if a.Kind != index.Size {
			n++
		}
	}
	return n
}

// pinned replaces a bound variable that two conditions fix, g >= 0 and -g >= 0 with g = v - x or x - v: v is x, which
// has to lie in the range of v.
func (e *Engine) pinned(ctx *index.Context, s *summand) (sum, bool) {
	b := e.b
	for i, g := range s.guards {
		for j := i + 1; j < len(s.guards); j++ {
			if !b.Add(g, s.guards[j]).IsZero() {
				continue
			}
			for k, v := range s.vars {
				c, r, ok := b.Linear(g, v)
				if !ok {
					continue
				}
				n, number := c.Const()
				if !number || !n.IsOne() && !n.Neg().IsOne() {
					continue
				}
				x := r
				if n.IsOne() {
					x = b.Scale(index.Int(-1), r)
				}
				t := *s
				t.guards = nil
				for l, h := range s.guards {
					if l != i && l != j {
						t.guards = append(t.guards, h)
					}
				}
				t.guards = append(t.guards, b.Sub(x, v.Lo), b.AddInt(b.Sub(v.Hi, x), -1))
				return e.replace(ctx, &t, k, x), true
			}
		}
	}
	return nil, false
}

// absorb narrows the range of a bound variable by the i-th condition, where that names it alone of those that s binds.
func (e *Engine) absorb(ctx *index.Context, s *summand, i int, g *index.Expr) (sum, bool) {
	x := e.endOf(g)
	if x.v == nil {
		x = e.endAmong(s, g)
	}
	v, lower, bound := x.v, x.lower, x.at
	if v == nil || !s.bound(v) {
		return nil, false
	}
	lo, hi := v.Lo, v.Hi
	if lower {
		lo = bound
	} else {
		hi = bound
	}
	// the new end lies within the old range: else the condition stays
	if !e.b.Nonneg(ctx, e.b.Sub(lo, v.Lo)) || !e.b.Nonneg(ctx, e.b.Sub(v.Hi, hi)) || !e.b.Nonneg(ctx, e.b.Sub(hi, lo)) {
		return nil, false
	}
	t := *s
	t.guards = append(append([]*index.Expr(nil), s.guards[:i]...), s.guards[i+1:]...)
	for j, x := range s.vars {
		if x == v {
			w := e.b.NewVar(v.Name, lo, hi)
			return e.replace(ctx, &t, j, w.Expr(), w), true
		}
	}
	return nil, false
}

// endAmong is the end that a condition gives the only variable of it that s binds: a sum over k <= i is one over i + 1 places. An end
// that is a quotient is left as a condition.
func (e *Engine) endAmong(s *summand, g *index.Expr) (x end) {
	var only *index.Atom
	for _, v := range s.vars {
		if g.Mentions(v) {
			if only != nil {
				return end{}
			}
			only = v
		}
	}
	if only == nil {
		return end{}
	}
	x.v, x.lower, x.at = e.b.BoundOf(g, only)
	if x.v != nil && slices.ContainsFunc(x.at.Terms(), func(t index.Term) bool {
		return slices.ContainsFunc(t.Atoms(), func(a *index.Atom) bool { return a.Kind >= index.Floor })
	}) {
		return end{}
	}
	return x
}

// unused removes a variable that nothing mentions, or only conditions that say between what it lies: a sum counts its positions,
// a maximum wants one.
func (e *Engine) unused(ctx *index.Context, s *summand, i int, m mode) (sum, bool) {
	v := s.vars[i]
	s, ok := e.freed(ctx, s, v)
	if !ok {
		return nil, false
	}
	lo, hi, rest, ok := e.spanned(ctx, s, v)
	least := int64(0)
	if m == maxMode {
		least = 1
	}
	extent := e.b.Sub(hi, lo)
	if !ok || !e.b.Nonneg(ctx, e.b.AddInt(extent, -least)) {
		return nil, false
	}
	t := *s
	t.guards = rest
	t.vars = slices.DeleteFunc(slices.Clone(s.vars), func(u *index.Atom) bool { return u == v })
	if m == maxMode {
		return sum{&t}, true
	}
	return e.mul(ctx, sum{&t}, e.number(extent)), true
}

// freed is s without v in the ranges of its other variables: they are as wide as they are for any v, and conditions say the rest.
func (e *Engine) freed(ctx *index.Context, s *summand, v *index.Atom) (*summand, bool) {
	b := e.b
	end := func(x *index.Expr, greatest bool) (*index.Expr, bool) {
		k, r, ok := b.Linear(x, v)
		n, number := k.Const()
		switch {
		case !ok || !number:
			return nil, false
		case (n.Sign() > 0) == greatest:
			return b.Add(r, b.Mul(k, b.AddInt(v.Hi, -1))), true
		}
		return b.Add(r, b.Mul(k, v.Lo)), true
	}
	for i, u := range s.vars {
		if !u.Lo.Mentions(v) && !u.Hi.Mentions(v) {
			continue
		}
		lo, okLo := end(u.Lo, false)
		hi, okHi := end(u.Hi, true)
		if !okLo || !okHi {
			return s, false
		}
		w := b.NewVar(u.Name, lo, hi)
		t := *s
		t.guards = appendTo(s.guards, []*index.Expr{b.Sub(u.Expr(), u.Lo), b.AddInt(b.Sub(u.Hi, u.Expr()), -1)})
		out := e.replace(ctx, &t, i, w.Expr(), w)
		if len(out) != 1 {
			return s, false
		}
		return e.freed(ctx, out[0], v)
	}
	return s, true
}

// spanned returns between what a variable lies where the conditions that mention it hold, and the others: these ends lie within
// its range wherever the other variables of s are.
func (e *Engine) spanned(ctx *index.Context, s *summand, v *index.Atom) (lo, hi *index.Expr, rest []*index.Expr, ok bool) {
	lo, hi = v.Lo, v.Hi
	for _, g := range s.guards {
		if !g.Mentions(v) {
			rest = append(rest, g)
			continue
		}
		of, lower, at := e.b.BoundOf(g, v)
		switch {
		case of == nil:
			return lo, hi, nil, false
		case lower && e.b.Nonneg(ctx, e.b.Sub(at, lo)):
			lo = at
		case !lower && e.b.Nonneg(ctx, e.b.Sub(hi, at)):
			hi = at
		case lower && e.b.Nonneg(ctx, e.b.Sub(lo, at)), !lower && e.b.Nonneg(ctx, e.b.Sub(at, hi)):
		default:
			return lo, hi, nil, false
		}
	}
	return lo, hi, rest, true
}

// eachOffset calls f with the tensor number and offset of every read in s, those inside atoms too: polynomials are graphs,
// and each is gone into once.
func (s *summand) eachOffset(f func(tensor int, offset *index.Expr)) { s.offsets(map[*Poly]bool{}, f) }

func (s *summand) offsets(seen map[*Poly]bool, f func(tensor int, offset *index.Expr)) {
	for _, x := range s.factors {
		x.atom.offsets(seen, f)
	}
	for _, t := range s.value {
		t.offsets(seen, f)
	}
}

func (a *Atom) offsets(seen map[*Poly]bool, f func(tensor int, offset *index.Expr)) {
	if a.kind == readAtom {
		f(a.tensor.ID, a.offset)
	}
	for _, p := range a.polys {
		if seen[p] {
			continue
		}
		seen[p] = true
		for _, pt := range p.parts {
			for _, x := range pt.body.factors {
				x.atom.offsets(seen, f)
			}
		}
	}
}

// eachFloor calls f with every floor division in x, inner ones too.
func eachFloor(x *index.Expr, f func(*index.Atom)) {
	for _, t := range x.Terms() {
		for _, a := range t.Atoms() {
			if a.Kind == index.Floor {
				f(a)
				eachFloor(a.Num, f)
			}
		}
	}
}

// splitDigits writes a bound variable v that is divided, as (v + r) div q, as q·v1 + v0 - r. Where q does not
// divide the ends of the range, the range is cut.
func (e *Engine) splitDigits(ctx *index.Context, s *summand) (sum, bool) {
	b := e.b
	for i, v := range s.vars {
		var q, r *index.Expr
		consider := func(x *index.Expr) {
			if !x.Mentions(v) {
				return
			}
			eachFloor(x, func(d *index.Atom) {
				rest := b.Sub(d.Num, v.Expr())
				if !onlySizes(rest) || !onlySizes(d.Den) || d.Den == q {
					return
				}
				if q != nil {
					if _, ok := b.ExactDiv(q, d.Den); !ok {
						return
					}
				}
				q, r = d.Den, rest
			})
		}
		s.eachOffset(func(_ int, x *index.Expr) { consider(x) })
		for _, g := range s.guards {
			consider(g)
		}
		if q == nil {
			continue
		}
		lo, hi := b.Add(v.Lo, r), b.Add(v.Hi, r)
		l, okLo := b.ExactDiv(lo, q)
		h, okHi := b.ExactDiv(hi, q)
		if okLo && okHi {
			v1 := b.NewVar(v.Name, l, h)
			v0 := b.NewVar(v.Name, b.Const(0), q)
			x := b.Sub(b.Add(b.Mul(q, v1.Expr()), v0.Expr()), r)
			return e.replace(ctx, s, i, x, v1, v0), true
		}
		// cut at the first or the last multiple of q inside the range
		at := b.Sub(b.Mul(q, b.Div(ctx, b.Add(lo, b.AddInt(q, -1)), q)), r)
		if okLo {
			at = b.Sub(b.Mul(q, b.Div(ctx, hi, q)), r)
		}
		if !b.Nonneg(ctx, b.Sub(at, v.Lo)) || !b.Nonneg(ctx, b.Sub(v.Hi, at)) {
			continue
		}
		if at == v.Lo || at == v.Hi { // within one cell, which Div did not see: give it the cell's number
			continue
		}
		left, right := b.NewVar(v.Name, v.Lo, at), b.NewVar(v.Name, at, v.Hi)
		e.used |= UsedCuts
		return append(e.replace(ctx, s, i, left.Expr(), left), e.replace(ctx, s, i, right.Expr(), right)...), true
	}
	return nil, false
}

func onlySizes(x *index.Expr) bool {
	for _, a := range x.Free() {
		if a.Kind != index.Size {
			return false
		}
	}
	return true
}

// mergeDigits replaces u and v, which occur as j·u + v only, by one variable. In a sum the digits must be
// exact: j is the number of positions of v. In a maximum windows may overlap: j is at most that.
func (e *Engine) mergeDigits(ctx *index.Context, s *summand, m mode) (sum, bool) {
	if len(s.vars) < 2 {
		return nil, false
	}
	b := e.b
	for ui, u := range s.vars {
		for vi, v := range s.vars {
			if ui == vi {
				continue
			}
			j := e.digitRatio(s, u, v)
			if j == nil {
				continue
			}
			extent := b.Sub(v.Hi, v.Lo)
			last := b.AddInt(u.Hi, -1)
			hi := b.Add(b.Mul(j, last), v.Hi)
			if m == maxMode && j != extent {
				if !b.Nonneg(ctx, b.Sub(extent, j)) || !b.Nonneg(ctx, b.AddInt(j, -1)) ||
					!b.Nonneg(ctx, b.Sub(last, u.Lo)) {
					continue
				}
			} else if j != extent { // digits: right if there are none, too
				continue
			}
			t := b.NewVar(v.Name, b.Add(b.Mul(j, u.Lo), v.Lo), hi)
			merged := *s
			merged.vars = []*index.Atom{t}
			for _, x := range s.vars {
				if x != u && x != v {
					merged.vars = append(merged.vars, x)
				}
			}
			out := e.substSummand(ctx, &merged, map[*index.Atom]*index.Expr{u: b.Const(0), v: t.Expr()})
			if len(out) != 1 {
				continue
			}
			back := e.substSummand(ctx, out[0], map[*index.Atom]*index.Expr{t: b.Add(b.Mul(j, u.Expr()), v.Expr())})
			if len(back) == 1 && e.same(ctx, back[0], s) {
				return out, true
			}
		}
	}
	return nil, false
}

// digitRatio returns j where every read holds u and v linearly, with coefficients in the ratio j.
func (e *Engine) digitRatio(s *summand, u, v *index.Atom) *index.Expr {
	var j *index.Expr
	ok := true
	check := func(_ int, x *index.Expr) {
		if !ok || !x.Mentions(u) && !x.Mentions(v) {
			return
		}
		cu, _, lu := e.b.Linear(x, u)
		cv, _, lv := e.b.Linear(x, v)
		if !lu || !lv || cu.IsZero() || cv.IsZero() {
			ok = false
			return
		}
		r, exact := e.b.ExactDiv(cu, cv)
		if !exact || j != nil && r != j || !onlySizes(r) {
			ok = false
			return
		}
		j = r
	}
	s.eachOffset(check)
	for _, g := range s.guards {
		check(0, g)
	}
	if !ok {
		return nil
	}
	return j
}

// same reports whether two summands are the same but for the names of their variables' list.
func (e *Engine) same(ctx *index.Context, x, y *summand) bool {
	if x.coef.Cmp(y.coef) != 0 || len(x.factors) != len(y.factors) || len(x.guards) != len(y.guards) || x.isTerm != y.isTerm {
		return false
	}
	for i := range x.factors {
		if x.factors[i] != y.factors[i] {
			return false
		}
	}
	for i := range x.guards {
		if x.guards[i] != y.guards[i] {
			return false
		}
	}
	return !x.isTerm || e.closeSum(ctx, x.value) == e.closeSum(ctx, y.value)
}

// orient turns bound variables round with which offsets fall: sum over k < W of A[W - 1 - k] becomes that of A[k]. Where one
// rises with some offsets and falls with others, what these are says which way it goes, whatever it is called.
func (e *Engine) orient(ctx *index.Context, s *summand) *summand {
	b := e.b
	m := map[*index.Atom]*index.Expr{}
	t := *s
	for i, v := range s.vars {
		if e.falls(s, v) {
			w := b.NewVar(v.Name, v.Lo, v.Hi)
			if len(m) == 0 {
				t.vars = slices.Clone(s.vars)
			}
			t.vars[i], m[v] = w, b.Sub(b.AddInt(b.Add(v.Lo, v.Hi), -1), w.Expr())
		}
	}
	if len(m) == 0 {
		return s
	}
	if out := e.substSummand(ctx, &t, m); len(out) == 1 {
		return out[0]
	}
	return s
}

// falls tells whether a bound variable goes the other way in the normal form. A read counts by its tensor, the step of the
// variable and what else moves it from outside.
func (e *Engine) falls(s *summand, v *index.Atom) bool {
	b := e.b
	var rising, falling uint64
	some, plain := false, true
	s.eachOffset(func(tensor int, x *index.Expr) {
		if !plain || !x.Mentions(v) {
			return
		}
		c, rest, ok := b.Linear(x, v)
		if plain = ok && onlySizes(c); !plain {
			return
		}
		up := b.Nonneg(b.Root(), c)
		if !up {
			c = b.Scale(index.Int(-1), c)
			if plain = b.Nonneg(b.Root(), c); !plain {
				return
			}
		}
		moving := b.Const(0)
		for _, p := range rest.Terms() {
			if q := b.FromTerm(p); !onlySizes(q) && !slices.ContainsFunc(s.vars, q.Mentions) {
				moving = b.Add(moving, q)
			}
		}
		h := mix.Word(mix.Word(uint64(tensor), hashExpr(c, nil)), hashExpr(moving, nil))
		if up {
			rising += h
		} else {
			falling, some = falling+h, true
		}
	})
	return plain && some && (rising == 0 || falling < rising)
}

// shift moves each bound variable so that the part of an offset that still expressions make up, sizes and numbers where nothing else
// is said, is as small as the variable's step allows: sum over k < 16 of A[k + 32] becomes sum over 32 <= k < 48 of A[k].
func (e *Engine) shift(ctx *index.Context, s *summand, still func(*index.Expr) bool) *summand {
	if len(s.vars) == 0 {
		return s
	}
	b := e.b
	type read struct {
		tensor int
		hash   uint64
		fixed  *index.Expr // the part that is still
		offset *index.Expr
	}
	var reads []read
	colors := map[*index.Atom]uint64{}
	for _, v := range s.vars {
		colors[v] = 1
	}
	s.eachOffset(func(tensor int, x *index.Expr) {
		fixed := b.Const(0)
		for _, t := range x.Terms() {
			if p := b.FromTerm(t); still(p) {
				fixed = b.Add(fixed, p)
			}
		}
		reads = append(reads, read{tensor, hashExpr(b.Sub(x, fixed), colors), fixed, x})
	})
	sort.SliceStable(reads, func(i, j int) bool {
		if reads[i].tensor != reads[j].tensor {
			return reads[i].tensor < reads[j].tensor
		}
		if reads[i].hash != reads[j].hash {
			return reads[i].hash < reads[j].hash
		}
		return reads[i].fixed != reads[j].fixed && b.Nonneg(b.Root(), b.Sub(reads[j].fixed, reads[i].fixed))
	})
	moves := map[*index.Atom]*index.Expr{}
	var roles map[*index.Atom]uint64
	for _, r := range reads {
		type step struct {
			v *index.Atom
			c *index.Expr
		}
		var steps []step
		fixed := r.fixed
		for _, v := range s.vars {
			c, _, ok := b.Linear(r.offset, v)
			if !ok || c.IsZero() || !onlySizes(c) {
				continue
			}
			if k, moved := moves[v]; moved {
				fixed = b.Sub(fixed, b.Mul(c, k))
				continue
			}
			steps = append(steps, step{v, c})
		}
		sort.SliceStable(steps, func(i, j int) bool {
			if x, y := degree(steps[i].c), degree(steps[j].c); x != y { // w goes before 1, even where w may be 0
				return x > y
			}
			d := b.Sub(steps[i].c, steps[j].c)
			if d.IsZero() { // either could take the shift: the roles say which
				if roles == nil {
					roles = e.shiftRoles(s, still)
				}
				return roles[steps[i].v] < roles[steps[j].v]
			}
			return b.Nonneg(b.Root(), d)
		})
		for _, st := range steps {
			k := e.nearest(fixed, st.c)
			moves[st.v] = k
			fixed = b.Sub(fixed, b.Mul(st.c, k))
		}
	}
	m := map[*index.Atom]*index.Expr{}
	t := *s
	t.vars = append([]*index.Atom(nil), s.vars...)
	for i, v := range s.vars {
		k := moves[v]
		if k == nil || k.IsZero() {
			continue
		}
		w := b.NewVar(v.Name, b.Add(v.Lo, k), b.Add(v.Hi, k))
		t.vars[i] = w
		m[v] = b.Sub(w.Expr(), k)
	}
	if len(m) == 0 {
		return s
	}
	out := e.substSummand(ctx, &t, m)
	if len(out) != 1 {
		return s
	}
	return out[0]
}

// degree returns the most atoms that a term of x has.
func degree(x *index.Expr) int {
	n := 0
	for _, t := range x.Terms() {
		n = max(n, len(t.Atoms()))
	}
	return n
}

// shiftRoles hashes how each bound variable occurs in offsets, whatever the shifts of all of them are.
func (e *Engine) shiftRoles(s *summand, still func(*index.Expr) bool) map[*index.Atom]uint64 {
	roles := map[*index.Atom]uint64{}
	for _, v := range s.vars {
		roles[v] = 1
	}
	for range 2 {
		next := map[*index.Atom]uint64{}
		for _, v := range s.vars {
			saved := roles[v]
			roles[v] = 0xfeed
			h := saved
			s.eachOffset(func(tensor int, x *index.Expr) {
				if !x.Mentions(v) {
					return
				}
				moving := e.b.Const(0)
				for _, t := range x.Terms() {
					if p := e.b.FromTerm(t); !still(p) {
						moving = e.b.Add(moving, p)
					}
				}
				h += mix.Word(uint64(tensor), hashExpr(moving, roles))
			})
			roles[v] = saved
			next[v] = mix.Word(h, 3)
		}
		roles = next
	}
	return roles
}

// nearest returns x/c rounded to the nearest integer or, with named sizes, its polynomial part.
func (e *Engine) nearest(x, c *index.Expr) *index.Expr {
	n, okX := x.Const()
	d, okC := c.Const()
	if !okX || !okC {
		return e.b.Quotient(x, c)
	}
	if d.Sign() < 0 {
		n, d = n.Neg(), d.Neg()
	}
	if d.Sign() == 0 {
		return e.b.Const(0)
	}
	k, _ := n.Add(n).Add(d).DivMod(d.Add(d))
	return e.b.Num(k)
}

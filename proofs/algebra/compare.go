package algebra

import (
	"encoding/binary"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// equal checks that the elements of two components are equal at every index, and that AFTER's are
// defined where BEFORE's are. Regions of the output are cut as the witness says.
func (e *engine) equal(c *Context, axes []*Atom, x, y func(*Context, []*Expr) *Scalar) {
	at, some := e.index(c, axes)
	if !some {
		return
	}
	s, t := x(c, at), y(c, at)
	if s.none() {
		return
	}
	diff := e.difference(c, s, t)
	if len(diff.parts) > 0 && e.nowhere(c) {
		return
	}
	// A region of one place at most is that place, or is none; what is known of it may say more
	// with its axes than without.
	only, single := e.single(c, axes)
	if single && len(diff.parts) > 0 {
		if at := e.difference(c, x(c, only), y(c, only)); len(at.parts) == 0 {
			diff = at
		}
	}
	var a *answer // what is to be done about the region; nil where nothing is left
	what := "the two sides are not equal"
	if len(diff.parts) > 0 &&
		!(e.real && (e.cleared(c, diff) || len(e.parted(c, diff).parts) == 0)) {
		a = e.settle(c, axes, diff, nil)
	}
	if a != nil && a.words {
		e.sameFixed(c, s, t)
		a = nil
	}
	if a == nil { // also where cases of an order made them equal
		what = "AFTER is not known to be defined where BEFORE is"
		diff, left := e.undefined(c, s, t)
		if left && single {
			_, left = e.undefined(c, x(c, only), y(c, only))
		}
		if left {
			a = e.ask(c, axes, diff, nil, true)
		}
	}
	switch {
	case a == nil:
	case a.cut == nil:
		e.renumbered(c, axes, a, x, y)
	case e.decide(c, a.cut) != open:
		Fail(CodeWitness, "a cut at a condition that is decided: %s", what)
	default:
		e.equal(e.Assume(c, a.cut), axes, x, y)
		e.equal(e.Assume(c, e.not(a.cut)), axes, x, y)
	}
}

// difference is what is left of one element less the other.
func (e *engine) difference(c *Context, s, t *Scalar) *poly {
	diff := e.closeSum(c, concat(e.normal(c, s), scaled(minusOne, e.normal(c, t))))
	if len(diff.parts) > 0 { // ends may be places of the output
		diff = e.closeSum(c, e.among(c, e.open(diff)))
		if len(diff.parts) > 0 { // boxes that others left one place of are no sums
			diff = e.joined(c, e.closeSum(c, e.open(diff)))
		}
		diff = e.moved(c, diff)
	}
	all := e.laws.modulus
	if isInteger(s.Elem) && len(diff.parts) > 0 {
		all = new(big.Int).Lsh(big.NewInt(1), uint(s.Elem.Width))
		diff = e.closeSum(c, multiples(e.open(diff), s.Elem.Width))
	}
	if len(diff.parts) > 0 && e.cancelled(c, diff, all) {
		return e.closeSum(c, nil)
	}
	return diff
}

// multiples leaves out of a difference of integers of so many bits what is a multiple of 2^bits.
func multiples(x sum, bits int) sum {
	return slices.DeleteFunc(slices.Clone(x), func(s *summand) bool {
		n := s.coef.Num()
		return s.coef.IsInt() && (n.Sign() == 0 || n.TrailingZeroBits() >= uint(bits))
	})
}

// nowhere reports whether a fact of c is contradicted by the others, and by ranges that were
// narrowed since: then there is no place.
func (e *engine) nowhere(c *Context) bool {
	for d := c; d != nil; d = d.parent {
		if d.fact != nil && e.Nonneg(c, e.not(d.fact)) {
			return true
		}
	}
	return false
}

// renumbered compares at the places of new axes, each of which is an index and among which every
// index of the region is.
func (e *engine) renumbered(c *Context, axes []*Atom, a *answer,
	x, y func(*Context, []*Expr) *Scalar) {
	back := map[*Atom]*Expr{}
	for i, w := range a.vars {
		back[w] = a.from[i]
		if !e.between(c, a.from[i], w.Lo, w.Hi) {
			Fail(CodeRange, "the inverse leaves the range of w%d", i)
		}
	}
	for i, v := range axes {
		if !e.between(e.Root, a.to[i], v.Lo, v.Hi) {
			Fail(CodeRange, "the map leaves axis %d", i)
		}
		if e.Subst(c, a.to[i], back) != v.expr {
			Fail(CodeInverse, "the maps do not compose to v%d", i)
		}
	}
	at := func(f func(*Context, []*Expr) *Scalar) func(*Context, []*Expr) *Scalar {
		return func(c *Context, places []*Expr) *Scalar {
			m := map[*Atom]*Expr{}
			for i, w := range a.vars {
				m[w] = places[i]
			}
			var index []*Expr
			for _, t := range a.to {
				index = append(index, e.Subst(c, t, m))
			}
			return f(c, index)
		}
	}
	e.equal(e.Root, a.vars, at(x), at(y))
}

// ask asks what to do about a difference in a region, which has no default.
func (e *engine) ask(c *Context, axes []*Atom, diff *poly, facts []sum, undefined bool) *answer {
	g := &Goal{B: e.Builder, C: c, Region: true, Undefined: undefined, Vars: axes, diff: diff, e: e}
	for _, f := range facts {
		g.facts = append(g.facts, e.closeSum(c, f))
	}
	g.outer()
	a := e.asks(g)
	switch {
	case undefined && (a == nil || a.cut == nil && a.to == nil):
		Fail(CodeDefined, "goal %d: AFTER is not known to be defined where BEFORE is", g.N)
	case a == nil || (a.cut != nil || a.to != nil || a.words) && facts != nil:
		Fail(CodeGoal, "goal %d: the two sides are not equal", g.N)
	}
	return a
}

// settle checks that diff is 0 under facts, each of which is at least 0, by cases of the order of
// two members of a maximum; or it returns how the region is to be cut or renumbered first.
func (e *engine) settle(c *Context, axes []*Atom, diff *poly, facts []sum) *answer {
	if len(diff.parts) == 0 {
		return nil
	}
	a := e.ask(c, axes, diff, facts, false)
	switch {
	case a.cut != nil || a.to != nil || a.words:
		return a
	case !e.real: // where 255 is -1, a sum of facts says nothing
		Fail(CodeWitness, "integers that wrap have no order that polynomials keep")
	case a.up != nil:
		e.implied0(c, diff, append(slices.Clip(facts), constant(one)), a)
		return nil
	}
	list := e.maxima(diff, nil)
	if a.order[0] >= len(list) {
		Fail(CodeWitness, "no maximum %d to order", a.order[0])
	}
	top := list[a.order[0]]
	set := e.open(top.polys[0])
	u, v := a.order[1], a.order[2]
	if u >= len(set) || v >= len(set) || u == v {
		Fail(CodeWitness, "no members %d and %d to order", u, v)
	}
	for range 2 { // u >= v and v goes, then the other way round
		r := rewriter{engine: e, c: c, leaf: func(x sum) sum { return x }}
		r.touches = func(a *atom) bool { return a.contains(top) }
		r.gone, r.by = top, e.maximum(c, "", slices.Delete(slices.Clone(set), v, v+1))
		fact := concat(set[u].value, e.scale(minusOne, set[v].value))
		e.settle(c, axes, e.closeSum(c, r.sum(e.open(diff))), append(slices.Clip(facts), fact))
		u, v = v, u
	}
	return nil
}

// implied0 checks that diff = Σ up·facts and -diff = Σ down·facts with numbers that are not
// negative, or, where there is no down, that -1 = Σ up·facts: the case does not exist.
func (e *engine) implied0(c *Context, diff *poly, facts []sum, a *answer) {
	combined := func(by []*big.Rat, rest sum) {
		if len(by) != len(facts) {
			Fail(CodeWitness, "%d coefficients for %d facts", len(by), len(facts))
		}
		for i, k := range by {
			if k.Sign() < 0 {
				Fail(CodeWitness, "a fact is taken with a negative coefficient")
			}
			rest = concat(rest, e.scale(k, facts[i]))
		}
		if len(e.closeSum(c, rest).parts) > 0 {
			Fail(CodeWitness, "the facts do not add up")
		}
	}
	if a.down == nil {
		combined(a.up, constant(one))
		return
	}
	combined(a.up, e.scale(minusOne, e.open(diff)))
	combined(a.down, e.open(diff))
}

// contains reports whether b is a or inside it.
func (a *atom) contains(b *atom) bool {
	return a == b || slices.ContainsFunc(a.polys, func(p *poly) bool {
		return slices.ContainsFunc(p.parts, func(pt part) bool {
			return slices.ContainsFunc(pt.body.factors, func(f factor) bool {
				return f.a.contains(b)
			})
		})
	})
}

// maxima lists the maxima in p, inner ones first, whose members can be ordered: one value each,
// that no variable inside p changes and that is a number.
func (e *engine) maxima(p *poly, list []*atom) []*atom {
	for _, pt := range p.parts {
		for _, f := range pt.body.factors {
			for _, q := range f.a.polys {
				list = e.maxima(q, list)
			}
			if f.a.kind != maxAtom || f.a.name != "" || slices.Contains(list, f.a) ||
				slices.ContainsFunc(f.a.free, isSlot) {
				continue
			}
			set := e.open(f.a.polys[0])
			if len(set) > 1 && !slices.ContainsFunc(set, func(t *summand) bool {
				return !t.alone() || e.mayBeLowest(t.value)
			}) {
				list = append(list, f.a)
			}
		}
	}
	return list
}

// index returns the index that axes stand for at c; some is false where the region has no element.
func (e *engine) index(c *Context, axes []*Atom) (at []*Expr, some bool) {
	for _, v := range axes {
		lo, hi := c.Bounds(v)
		i := v.expr
		if n, ok := e.Sub(hi, lo).Const(); ok && n.is(1) {
			i = lo
		} else if ok && n.Sign() <= 0 {
			return nil, false
		}
		at = append(at, i)
	}
	return at, true
}

// single is the index of a region that has at most one place on some axis, where conditions and no
// number say so; found is false where it has more on all.
func (e *engine) single(c *Context, axes []*Atom) (at []*Expr, found bool) {
	for _, v := range axes {
		lo, hi := c.Bounds(v)
		_, known := e.Sub(hi, lo).Const()
		i := v.expr
		if known || (lo != v.Lo || hi != v.Hi) && e.Nonneg(c, e.AddInt(e.Sub(lo, hi), 1)) {
			n, _ := e.Sub(hi, lo).Const()
			if !known || n.is(1) {
				i, found = lo, found || !known
			}
		}
		at = append(at, i)
	}
	return at, found
}

// cleared multiplies out the inverses that no law took apart and reports whether nothing is left:
// p·inv(q) = r where p = r·q, for every q whose inverse is surely taken.
func (e *engine) cleared(c *Context, diff *poly) bool {
	in := map[*atom]int{}
	for _, pt := range diff.parts {
		for _, f := range pt.body.factors {
			in[f.a]++
		}
	}
	for a, n := range in { // no factor takes away an inverse at the places of a variable
		if n == 1 && a.kind == powerAtom && slices.ContainsFunc(a.free, isSlot) {
			return false
		}
	}
	d := e.open(diff)
	for range 8 {
		a := e.inverse(d)
		if a == nil {
			return false
		}
		most := 0
		for _, s := range d {
			for _, f := range s.factors {
				if f.a == a {
					most = max(most, -f.exp)
				}
			}
		}
		var next sum
		for _, s := range d {
			left := most
			t := *s
			t.factors = nil
			for _, f := range s.factors {
				if f.a == a {
					left += f.exp
				} else {
					t.factors = append(t.factors, f)
				}
			}
			next = append(next, e.mul(c, sum{&t}, e.power(c, e.open(a.polys[0]), left))...)
		}
		p := e.closeSum(c, next)
		if len(p.parts) == 0 {
			return true
		}
		d = e.open(p)
	}
	return false
}

// inverse returns an atom whose inverse some summand holds for certain: without conditions, over a
// box that is not empty, and not at the places of a variable. So it is not 0 where both are
// defined.
func (e *engine) inverse(d sum) *atom {
	for _, s := range d {
		sure := len(s.guards) == 0 && e.some(e.Root, s.vars)
		for _, f := range s.factors {
			if sure && f.a.kind == powerAtom && f.exp < 0 &&
				!slices.ContainsFunc(d, func(t *summand) bool { return meet(t.vars, f.a.free) }) {
				return f.a
			}
		}
	}
	return nil
}

// --- definedness ---

// Kinds of conditions under which an element is defined. That of a gather is "within" and its ends;
// those of integers name the operation.
const (
	isNonzero  = "!= 0"
	isNonneg   = ">= 0"
	isPositive = "> 0"
	isNumber   = "not MIN"
	isSummed   = "not MIN, if there are two, among " // and the places of the sum or product
)

// needs are the conditions of an element: for each kind, the set of values that it is asked of.
type needs struct {
	kinds []string
	of    map[string]sum
}

func (o *needs) add(kind string, m *summand) {
	if !slices.Contains(o.kinds, kind) {
		o.kinds = append(o.kinds, kind)
	}
	o.of[kind] = append(o.of[kind], m)
}

// A surrounding is what stands around a term: variables that are bound, or conditions.
type surrounding struct {
	vars   []*Atom
	guards []*Expr
}

// walk visits the terms in t that may ask something of values, and what stands around each; not
// those inside a term of which visit says that it has seen to them.
func (e *engine) walk(c *Context, t *Scalar, around []surrounding, seen map[string]bool,
	visit func(*Context, *Scalar, []surrounding) (inside bool)) {
	if !t.asks {
		return
	}
	key := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(t.id)), uint64(c.ID))
	for _, s := range around {
		for _, v := range s.vars {
			key = binary.AppendUvarint(key, uint64(v.ID)<<1)
		}
		for _, g := range s.guards {
			key = binary.AppendUvarint(key, uint64(g.ID)<<1|1)
		}
	}
	if seen[string(key)] {
		return
	}
	seen[string(key)] = true
	e.spend(1)
	if !visit(c, t, around) {
		return
	}
	in := func(s surrounding) []surrounding { return append(slices.Clip(around), s) }
	switch t.Op {
	case OpReduce, OpGather:
		e.walk(c, t.Args[0], in(surrounding{vars: t.Vars}), seen, visit)
		for _, a := range t.Args[1:] {
			e.walk(c, a, around, seen, visit)
		}
	case OpIf:
		for _, b := range e.branches(c, t.E) {
			inside := around
			if len(b.guards) > 0 {
				inside = in(surrounding{guards: b.guards})
			}
			e.walk(b.c, t.Args[b.arg], inside, seen, visit)
		}
	default:
		for _, a := range t.Args {
			e.walk(c, a, around, seen, visit)
		}
	}
}

// collect returns what t asks, before any law is applied to it.
func (e *engine) collect(c *Context, t *Scalar) *needs {
	o := &needs{of: map[string]sum{}}
	e.walk(c, t, nil, map[string]bool{}, func(c *Context, t *Scalar, around []surrounding) bool {
		real := e.reals(t.Elem)
		var vars []*Atom
		var guards []*Expr
		for _, s := range around {
			vars, guards = concat(vars, s.vars), concat(guards, s.guards)
		}
		add := func(kind string, arg *Scalar) {
			if !e.reals(arg.Elem) { // what has a value in one type may have none in another
				kind += " in " + arg.Elem.String()
			}
			for _, v := range e.divisors(kind, e.normal(c, arg)) {
				o.add(kind, memberOf(v, vars, guards))
			}
		}
		for _, a := range t.Args {
			if e.laws.field && e.asksNumber(t, a) {
				add(isNumber, a)
			}
		}
		switch t.Op {
		case OpRead, OpConst: // they ask where nothing is known, or the type has no such number
			add("has a value", t)
		case OpDiv:
			if d := t.Args[1]; real {
				add(isNonzero, d)
			} else if d.Op != OpConst || d.Val == nil || d.Val.Sign() <= 0 {
				add("may be divided", t)
			}
		case OpApply:
			switch {
			case real && t.Name == "sqrt":
				add(isNonneg, t.Args[0])
			case real && t.Name == "log":
				add(isPositive, t.Args[0])
			case !real && e.partial(t), real && failing().MatchString(t.Name):
				add("has a value", t)
			}
		case OpConvert:
			if e.laws.field && partialConversion(t) {
				add("may be converted", t)
			}
		case OpReduce:
			if real && t.Fold != FoldMax && e.maybe(t.Args[0]) {
				value := e.normal(c, t.Args[0])
				o.add(e.summed(t.Vars), memberOf(value, concat(vars, t.Vars), guards))
			}
		case OpGather:
			e.collectGather(o, c, vars, guards, t)
		}
		return t.Op != OpGather
	})
	return o
}

// summed returns the kind of condition that a sum or product over vars puts on its operand: that of
// one place is the operand, which may be MIN; with two or more places none may.
func (e *engine) summed(vars []*Atom) string {
	places := e.Const(1)
	for _, v := range vars {
		places = e.Mul(places, e.Sub(v.Hi, v.Lo))
	}
	if e.Nonneg(e.Root, e.AddInt(places, -2)) {
		return isNumber
	}
	return isSummed + Formatted(places)
}

// collectGather asks the index to lie within its axis, and what the body asks at that place.
func (e *engine) collectGather(o *needs, c *Context, vars []*Atom, guards []*Expr, t *Scalar) {
	v := t.Vars[0]
	name := axis(t)
	at := e.normal(c, t.Args[1])
	o.add("within "+name, memberOf(at, vars, guards))
	for i, inner := range []*needs{e.collect(c, t.Args[1]), e.collect(c, t.Args[0])} {
		for _, kind := range inner.kinds {
			for _, m := range inner.of[kind] {
				value := m.value
				if i == 1 {
					if slices.ContainsFunc(m.guards, func(g *Expr) bool { return g.Mentions(v) }) {
						Fail(CodeUnsupported, "a condition on the value of an input")
					}
					value = e.gather(c, name, v, m.value, at)
				}
				o.add(kind, memberOf(value, concat(vars, m.vars), concat(guards, m.guards)))
			}
		}
	}
}

// partial reports whether a function of numbers that are no floats may have no value.
func (e *engine) partial(t *Scalar) bool {
	switch t.Name {
	case "mean":
		return !e.Nonneg(e.Root, e.AddInt(t.Args[1].E, -1))
	case "left-shift", "right-shift":
		return !t.shortShift()
	case "sqrt", "exp", "log", "erf", "sigmoid", "tanh": // of all but roots nothing is known
		return !isFloat(t.Elem)
	}
	return false
}

// failing matches functions without a meaning in the reals that may have no value in their types:
// shifts, and casts to whole or fixed-point numbers of what they may not hold ("cast int8": of
// floats). It is compiled once a statement has a function.
var failing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((left|right)-shift|` +
		`cast ((adaptive|fix)\S+ to )?u?int\d+|cast (adaptive\S+ to )?fix\S+)$`)
})

// asksNumber reports whether an operand of t may be MIN in the reals, where t has no value then.
func (e *engine) asksNumber(t, operand *Scalar) bool {
	arithmetic := t.Op >= OpAdd && t.Op < OpMax || t.Op == OpApply || t.Op == OpConvert ||
		t.Op == OpFunction
	return arithmetic && IsReal(operand.Elem) && e.maybe(operand)
}

// maybe reports whether a term may be MIN in the reals.
func (e *engine) maybe(t *Scalar) bool {
	switch t.Op {
	case OpLowest:
		return true
	case OpMax:
		return e.maybe(t.Args[0]) && e.maybe(t.Args[1])
	case OpMin, OpIf:
		return e.maybe(t.Args[0]) || e.maybe(t.Args[1])
	case OpGather:
		return e.maybe(t.Args[0])
	case OpReduce:
		if t.Fold == FoldMax && e.some(e.Root, t.Vars) && e.maybe(t.Args[0]) {
			return !e.numbered(t)
		}
		return t.Fold == FoldMax && !e.some(e.Root, t.Vars) || e.maybe(t.Args[0])
	}
	return false
}

// numbered reports whether a maximum has a place, among the first of few, whose value is surely not
// MIN: then it is not (law (M2)). A window at the border of an image has one within.
func (e *engine) numbered(t *Scalar) bool {
	const few = 64
	places := []map[*Atom]*Expr{{}}
	for _, v := range t.Vars {
		count, fixed := e.Sub(v.Hi, v.Lo).Const()
		n, small := count.Int64()
		_, begins := v.Lo.Const()
		if !fixed || !begins || !small || n < 1 || n > few || int(n)*len(places) > few {
			return false
		}
		var next []map[*Atom]*Expr
		for _, place := range places {
			for i := range n {
				more := maps.Clone(place)
				more[v] = e.AddInt(v.Lo, i)
				next = append(next, more)
			}
		}
		places = next
	}
	for _, place := range places {
		if !e.maybeAt(t.Args[0], place) {
			return true
		}
	}
	return false
}

// maybeAt reports whether a term may be MIN at a place.
func (e *engine) maybeAt(t *Scalar, place map[*Atom]*Expr) bool {
	if t.Op != OpIf {
		return e.maybe(t)
	}
	asks := e.Subst(e.Root, t.E, place)
	switch {
	case e.Nonneg(e.Root, asks):
		return e.maybeAt(t.Args[0], place)
	case e.Nonneg(e.Root, e.AddInt(e.Scale(Int(-1), asks), -1)):
		return e.maybeAt(t.Args[1], place)
	}
	return e.maybeAt(t.Args[0], place) || e.maybeAt(t.Args[1], place)
}

// divisors takes a divisor apart: a product is not 0 where none of its factors is.
func (e *engine) divisors(kind string, value sum) []sum {
	if kind != isNonzero || len(value) != 1 || !value[0].alone() {
		return []sum{value}
	}
	var out []sum
	for _, f := range value[0].factors {
		switch {
		case f.a.kind == powerAtom:
			out = append(out, e.open(f.a.polys[0]))
		case f.a.kind == applyAtom && f.a.name == "sqrt": // 0 where its operand is
			out = append(out, e.divisors(kind, e.open(f.a.polys[0]))...)
		default:
			out = append(out, ofAtom(f.a))
		}
	}
	return out
}

// sure reports whether a condition holds of a value whatever the inputs are.
func (e *engine) sure(c *Context, kind string, value sum) bool {
	x := e.tidy(c, value)
	switch kind {
	case isNonzero, isPositive:
		return kind == isNonzero && x.number() != nil || e.signOfSum(x) == positive
	case isNonneg:
		return e.signOfSum(x) >= nonnegative
	default:
		if kind == isNumber || strings.HasPrefix(kind, isSummed) {
			return len(x) != 1 || !e.mayBeLowest(x)
		}
	}
	return false
}

// undefined returns what AFTER asks that BEFORE does not and that is not sure.
func (e *engine) undefined(c *Context, before, after *Scalar) (*poly, bool) {
	have, need := e.collect(c, before), e.collect(c, after)
	for _, kind := range need.kinds {
		asked := e.members(c, kind, need.of[kind])
		for _, s := range asked { // a condition is asked for once, whether or not a place has it
			absent := func(v *Atom) bool { return !s.mentions(v) }
			s.vars = slices.DeleteFunc(slices.Clone(s.vars), absent)
		}
		if len(asked) == 0 {
			continue
		}
		known := e.members(c, kind, have.of[kind])
		if strings.HasPrefix(kind, isSummed) {
			known = concat(known, e.members(c, isNumber, have.of[isNumber]))
		}
		all := e.closing(c, concat(known, asked), setMode)
		if all != e.closing(c, known, setMode) {
			return all, true
		}
	}
	return nil, false
}

// members lists the values of which a condition is not sure, each without conditions inside.
func (e *engine) members(c *Context, kind string, set sum) sum {
	var out sum
	for _, t := range set {
		for _, l := range e.split(c, t.value) {
			v := l.groups[0]
			if e.sure(l.c, kind, v) {
				continue
			}
			if x := e.tidy(l.c, v); kind == isNonzero && e.laws.field && len(x) > 0 {
				v = e.scale(new(big.Rat).Inv(x[0].coef), x)
			}
			out = append(out, memberOf(v, t.vars, concat(t.guards, l.guards)))
		}
	}
	return out
}

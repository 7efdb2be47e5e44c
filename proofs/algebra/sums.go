package algebra

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// A sum is an open polynomial: summands whose variables have names of their own.
type sum []*summand

// A summand is coef · Σ over vars of [guards] · the product of factors; or, as a member of a set,
// the value for each place of vars at which guards hold.
type summand struct {
	coef    *big.Rat
	vars    []*Atom
	guards  []*Expr // each e >= 0
	factors []factor
	member  bool
	value   sum
}

type factor struct {
	a   *atom
	exp int
}

type atomKind uint8

const (
	readAtom   atomKind = iota // the element of tensor name at offset e
	numberAtom                 // the integer that number stands for
	applyAtom                  // the function name of polys
	powerAtom                  // polys[0] itself: its inverse has exponent -1
	maxAtom                    // the greatest member of polys[0]
	lowestAtom                 // MIN
	foldAtom                   // the product of the only member of polys[0] over its box
	valueAtom                  // polys[0], as the body of a member
	gatherAtom                 // polys[0] with slot n replaced by the value of polys[1]
)

// An atom is an interned factor.
type atom struct {
	id     int
	kind   atomKind
	name   string
	e      *Expr
	number *Atom
	slot   int
	polys  []*poly
	free   []*Atom
	height int // above all slots bound inside
}

// A poly is a closed polynomial or a set, interned: for each body the function from boxes to
// coefficients.
type poly struct {
	id     int
	set    bool
	parts  []part
	free   []*Atom
	height int
}

type part struct {
	body  *body
	steps *steps
}

// A body is what is summed over a box: slots base to base+slots-1 stand for the variables.
type body struct {
	id, base, slots int
	member          bool
	guards          []*Expr
	factors         []factor
	free            []*Atom
}

// Laws are those of an arithmetic.
type laws struct {
	field   bool     // there are reals, which have division, order and exp
	modulus *big.Int // coefficients count modulo this, if not nil
	natural bool     // no number is below 0, which is MIN
}

// An engine brings terms into closed form under the answers to its goals.
type engine struct {
	*Builder
	laws        laws
	asks        func(*Goal) *answer
	terms       map[[2]int]sum
	local       map[*Scalar]bool // plain terms that are not the same everywhere
	closed      map[closeKey]*poly
	boxed       map[string][]boxed
	atoms       map[string]*atom
	bodies      map[string]*body
	polys       map[string]*poly
	engineSteps map[string]*steps
	opens       map[*poly]sum
	ends        map[*Expr]end
	expBases    map[string]*big.Rat
	conversions map[string][2]domain.Elem // between integers, by the names of functions
	spent       int
	alive       func()  // called now and then; a panic ends the check
	inOrder     bool    // sums may not be re-ordered
	real        bool    // what is compared are real numbers
	leafGuards  []*Expr // of the region that piecewise is in
}

type closeKey struct {
	s    *summand
	c    int
	mode mode
}

// A boxed is a summand as a body and a box.
type boxed struct {
	body *body
	box  box
}

var one, minusOne, zeroRat = big.NewRat(1, 1), big.NewRat(-1, 1), new(big.Rat)

// spend counts work, so that what a certificate costs has a bound that does not know the clock.
func (e *engine) spend(n int) {
	if e.spent += n; e.spent > maxWork {
		Fail(CodeLimit, "the certificate takes too much work to check")
	} else if e.spent%1024 < n {
		e.alive()
	}
}

const maxWork = 30_000_000

func (e *engine) atom(a atom) *atom {
	k := append(binary.AppendUvarint([]byte{byte(a.kind)}, uint64(a.slot)), a.name...)
	k = append(k, 0)
	if a.e != nil {
		k = binary.AppendUvarint(k, uint64(a.e.ID))
	}
	if a.number != nil {
		k = binary.AppendUvarint(k, uint64(a.number.ID))
	}
	for _, p := range a.polys {
		k = binary.AppendUvarint(k, uint64(p.id))
	}
	if known := e.atoms[string(k)]; known != nil {
		return known
	}
	a.id = len(e.atoms) + 1
	if a.e != nil {
		a.free = a.e.Free
	}
	if a.number != nil {
		a.free = a.number.expr.Free
	}
	for i, p := range a.polys {
		free := p.free
		if a.kind == gatherAtom && i == 0 {
			free = without(free, e.slot(a.slot))
			a.height = a.slot + 1
		}
		a.free = union(a.free, free)
		a.height = max(a.height, p.height)
	}
	e.atoms[string(k)] = &a
	return &a
}

func without(list []*Atom, drop *Atom) []*Atom {
	return slices.DeleteFunc(slices.Clone(list), func(a *Atom) bool { return a == drop })
}

func constant(c *big.Rat) sum {
	if c.Sign() == 0 {
		return nil
	}
	return sum{{coef: c}}
}

func ofAtom(a *atom) sum { return sum{{coef: one, factors: []factor{{a, 1}}}} }

func memberOf(value sum, vars []*Atom, guards []*Expr) *summand {
	return &summand{coef: one, vars: vars, guards: guards, member: true, value: value}
}

// alone reports whether s is coef times factors, without a box or conditions.
func (s *summand) alone() bool { return len(s.vars)+len(s.guards) == 0 }

// number returns the number that x is, other than 0, or nil.
func (x sum) number() *big.Rat {
	if len(x) == 1 && x[0].alone() && len(x[0].factors) == 0 {
		return x[0].coef
	}
	return nil
}

func (s *summand) mentions(v *Atom) bool {
	for _, g := range s.guards {
		if g.Mentions(v) {
			return true
		}
	}
	return s.depends(v)
}

// depends reports whether v is in what is added up, or is a member.
func (s *summand) depends(v *Atom) bool {
	return slices.ContainsFunc(s.factors, func(f factor) bool { return mentions(f.a.free, v) }) ||
		slices.ContainsFunc(s.value, func(t *summand) bool { return t.mentions(v) })
}

// number returns an integer expression as a polynomial.
func (e *engine) number(x *Expr) sum {
	var out sum
	for _, t := range x.terms {
		s := &summand{coef: new(big.Rat).SetInt(t.Coef.Big())}
		for _, a := range t.mono.atoms {
			f := factor{e.atom(atom{kind: numberAtom, number: a}), 1}
			s.factors = mergeFactors(s.factors, []factor{f})
		}
		out = append(out, s)
	}
	return out
}

func mergeFactors(x, y []factor) []factor {
	if len(x) == 0 || len(y) == 0 {
		return append(x[:len(x):len(x)], y...)
	}
	out := make([]factor, 0, len(x)+len(y))
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].a == y[0].a:
			if n := x[0].exp + y[0].exp; n != 0 {
				out = append(out, factor{x[0].a, n})
			}
			x, y = x[1:], y[1:]
		case x[0].a.id < y[0].a.id:
			out, x = append(out, x[0]), x[1:]
		default:
			out, y = append(out, y[0]), y[1:]
		}
	}
	return append(append(out, x...), y...)
}

func negated(fs []factor) []factor {
	out := make([]factor, len(fs))
	for i, f := range fs {
		out[i] = factor{f.a, -f.exp}
	}
	return out
}

func concat[T any](x, y []T) []T {
	if len(y) == 0 {
		return x
	}
	return append(x[:len(x):len(x)], y...)
}

// gathered writes c·s + d·s as (c+d)·s in sums that are long, for the same s in the same
// variables: where programs add what they have twice, over and over, summands double each time.
func gathered(c *Context, x sum) sum {
	if len(x) < longSum {
		return x
	}
	var out sum
	places := map[string]int{}
	for _, s := range x {
		key := s.key(c)
		if i, ok := places[key]; ok {
			t := *out[i]
			t.coef = new(big.Rat).Add(t.coef, s.coef)
			out[i] = &t
			continue
		}
		places[key], out = len(out), append(out, s)
	}
	return out
}

// longSum is the length from which it is worth the search.
const longSum = 256

// scale multiplies a sum by a number.
func (e *engine) scale(c *big.Rat, x sum) sum {
	if c.Cmp(one) == 0 {
		return x
	}
	e.noLowest(x)
	return scaled(c, x)
}

// scaled does so for MIN as well: on one side and on the other it cancels.
func scaled(c *big.Rat, x sum) sum {
	out := make(sum, len(x))
	for i, s := range x {
		t := *s
		t.coef = new(big.Rat).Mul(c, s.coef)
		out[i] = &t
	}
	return out
}

// noLowest refuses arithmetic on MIN in the reals: it is undefined, and the ring laws would hide
// that. In integers it is a number like others.
func (e *engine) noLowest(x sum) {
	for _, s := range x {
		for _, f := range s.factors {
			if e.laws.field && f.a.kind == lowestAtom {
				Fail(CodeUnsupported, "arithmetic on MIN")
			}
		}
	}
}

func (e *engine) mul(c *Context, x, y sum) sum {
	e.noLowest(x)
	e.noLowest(y)
	e.spend(len(x) * len(y))
	var out sum
	for _, s := range x {
		for _, t := range y {
			out = append(out, e.times(c, s, t)...)
		}
	}
	return out
}

func (e *engine) power(c *Context, x sum, n int) sum {
	out := constant(one)
	for range n {
		out = e.mul(c, out, x)
	}
	return out
}

func (e *engine) times(c *Context, s, t *summand) sum {
	if slices.ContainsFunc(s.vars, func(v *Atom) bool { return slices.Contains(t.vars, v) }) {
		t = e.rename(c, t)
	}
	p := &summand{coef: s.coef, vars: concat(s.vars, t.vars), guards: concat(s.guards, t.guards),
		factors: onceEach(mergeFactors(s.factors, t.factors))}
	if t.coef != one {
		p.coef = new(big.Rat).Mul(s.coef, t.coef)
	}
	return e.roots(c, p)
}

// roots applies sqrt(x)·sqrt(x) = x and puts x for a power of x that is no inverse.
func (e *engine) roots(c *Context, p *summand) sum {
	for i, f := range p.factors {
		rest := *p
		if f.a.kind == powerAtom && f.exp > 0 {
			rest.factors = concat(p.factors[:i], p.factors[i+1:])
			return e.mul(c, sum{&rest}, e.power(c, e.open(f.a.polys[0]), f.exp))
		}
		if !e.laws.field || f.a.kind != applyAtom || f.a.name != "sqrt" || f.exp > -2 && f.exp < 2 {
			continue
		}
		by, n := e.open(f.a.polys[0]), f.exp/2
		rest.factors = concat(p.factors[:i], p.factors[i+1:])
		if f.exp%2 != 0 {
			rest.factors = mergeFactors(rest.factors, []factor{{f.a, f.exp % 2}})
		}
		if n < 0 {
			by, n = e.invert(c, by), -n
		}
		return e.mul(c, sum{&rest}, e.power(c, by, n))
	}
	return sum{p}
}

// rename gives the variables of s new names.
func (e *engine) rename(c *Context, s *summand) *summand {
	m := map[*Atom]*Expr{}
	vars := make([]*Atom, len(s.vars))
	for i, v := range s.vars {
		vars[i] = e.NewVar(v.Lo, v.Hi)
		m[v] = vars[i].expr
	}
	out := e.subst(c, s, m)
	if len(out) != 1 {
		Fail(CodeUnsupported, "a renaming changed a summand")
	}
	t := *out[0]
	t.vars = concat(vars, t.vars[len(s.vars):])
	return &t
}

// guarded adds conditions to every summand that has them in no stronger form.
func (e *engine) guarded(x sum, guards []*Expr) sum {
	out := slices.Clone(x)
	for i := range out {
		for _, g := range guards {
			if end := e.endOf(g); end.v == nil || !e.implied(out[i], end) {
				t := *out[i]
				t.guards = concat(t.guards, []*Expr{g})
				out[i] = &t
			}
		}
	}
	return out
}

// An end is a condition that bounds one variable: v >= at (lower) or v < at.
type end struct {
	v     *Atom
	lower bool
	at    *Expr
}

func (e *engine) endOf(g *Expr) end {
	x, ok := e.ends[g]
	if !ok {
		x.v, x.lower, x.at = e.bound(g)
		e.ends[g] = x
	}
	return x
}

// endAmong is the end of the only one of vars that g has, in terms of what else it has but slots.
func (e *engine) endAmong(g *Expr, vars []*Atom) end {
	x := e.endOf(g)
	if x.v != nil || slices.ContainsFunc(g.Free, isSlot) {
		return x
	}
	for _, v := range vars {
		if !g.Mentions(v) {
			continue
		}
		if x.v != nil {
			return end{}
		}
		x.v = v
	}
	if x.v != nil {
		x.v, x.lower, x.at = e.boundOf(g, x.v)
	}
	return x
}

func (e *engine) implied(s *summand, by end) bool {
	n, ok := by.at.Const()
	for _, g := range s.guards {
		x := e.endOf(g)
		if x.v != by.v || x.lower != by.lower || !ok {
			continue
		}
		if m, ok := x.at.Const(); ok && (m.Cmp(n) == 0 || (m.Cmp(n) > 0) == by.lower) {
			return true
		}
	}
	return false
}

// --- substitution ---

// substSum replaces free variables of x. What is opened twice has the same variables twice: those
// of x that m speaks of are others, and get new names first.
func (e *engine) substSum(c *Context, x sum, m map[*Atom]*Expr) sum {
	var out sum
	for _, s := range x {
		if slices.ContainsFunc(s.vars, func(v *Atom) bool { return speaksOf(m, v) }) {
			s = e.rename(c, s)
		}
		out = append(out, e.subst(c, s, m)...)
	}
	return out
}

// speaksOf reports whether m replaces v or puts something in which v occurs.
func speaksOf(m map[*Atom]*Expr, v *Atom) bool {
	for a, x := range m {
		if a == v || x.Mentions(v) {
			return true
		}
	}
	return false
}

// subst replaces variables of s where its own are bound, so that m may speak of them; they stay and
// come first in the result's.
func (e *engine) subst(c *Context, s *summand, m map[*Atom]*Expr) sum {
	out := &summand{coef: s.coef, vars: s.vars, member: s.member}
	for _, g := range s.guards {
		out.guards = append(out.guards, e.Subst(c, g, m))
	}
	if s.member {
		out.value = e.substSum(c, s.value, m)
		return sum{out}
	}
	return e.factorwise(c, s.factors, out, func(a *atom) bool { return touches(a.free, m) },
		func(a *atom) sum { return e.substAtom(c, a, m) })
}

// factorwise returns s times factors, with its image for each atom that is touched.
func (e *engine) factorwise(c *Context, factors []factor, s *summand, touched func(*atom) bool,
	image func(*atom) sum) sum {
	var rest []sum
	for _, f := range factors {
		if !touched(f.a) {
			s.factors = mergeFactors(s.factors, []factor{f})
			continue
		}
		x, n := image(f.a), f.exp
		if len(x) == 1 && x[0].alone() && x[0].coef.Cmp(one) == 0 {
			fs := slices.Clone(x[0].factors)
			for i := range fs {
				fs[i].exp *= n
			}
			s.factors = mergeFactors(s.factors, fs)
			continue
		}
		if n < 0 {
			x, n = e.invert(c, x), -n
		}
		rest = append(rest, e.power(c, x, n))
	}
	result := sum{s}
	for _, x := range rest {
		result = e.mul(c, result, x)
	}
	return result
}

func (e *engine) substAtom(c *Context, a *atom, m map[*Atom]*Expr) sum {
	inner := func(i int) sum { return e.substSum(c, e.open(a.polys[i]), m) }
	switch a.kind {
	case readAtom:
		return ofAtom(e.atom(atom{kind: readAtom, name: a.name, e: e.Subst(c, a.e, m)}))
	case numberAtom:
		return e.number(e.Subst(c, a.number.expr, m))
	case powerAtom:
		return inner(0)
	case maxAtom:
		return e.maximum(c, a.name, inner(0))
	case foldAtom:
		return e.product(c, inner(0)[0])
	case gatherAtom:
		v := e.NewVar(e.Const(0), e.Const(1<<62))
		body := e.substSum(c, e.open(a.polys[0]), map[*Atom]*Expr{e.slot(a.slot): v.expr})
		return e.gather(c, a.name, v, e.substSum(c, body, m), inner(1))
	}
	args := make([]sum, len(a.polys))
	for i := range args {
		args[i] = inner(i)
	}
	return e.apply(c, a.name, args...)
}

// open turns a closed polynomial into summands, with new variables for its slots.
func (e *engine) open(p *poly) sum {
	if s, ok := e.opens[p]; ok {
		return s
	}
	var out sum
	for _, pt := range p.parts {
		for _, bx := range boxes(pt.steps) {
			out = append(out, e.openBox(pt.body, bx)...)
		}
	}
	e.opens[p] = out
	return out
}

func (e *engine) openBox(bd *body, bx box) sum {
	s := &summand{coef: bx.coef, guards: bd.guards, factors: bd.factors}
	if bd.member {
		s.member, s.factors, s.value = true, nil, e.open(bd.factors[0].a.polys[0])
	}
	m := map[*Atom]*Expr{}
	var vars []*Atom
	var guards []*Expr
	for _, r := range bx.ranges {
		if r.dim.Kind == KindVar {
			v := r.dim.expr
			guards = append(guards, e.Sub(v, r.lo), e.AddInt(e.Sub(r.hi, v), -1))
			continue
		}
		v := e.NewVar(r.lo, r.hi)
		vars = append(vars, v)
		m[r.dim] = v.expr
	}
	out := e.subst(e.Root, s, m)
	for i, t := range out {
		u := *t
		u.vars, u.guards = concat(vars, t.vars), concat(t.guards, guards)
		out[i] = &u
	}
	return out
}

// --- interning ---

func (e *engine) body(bd body) *body {
	k := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(bd.base)), uint64(bd.slots))
	k = append(k, fmt.Sprint(bd.member)...)
	for _, g := range bd.guards {
		k = binary.AppendUvarint(k, uint64(g.ID)+1)
	}
	k = append(k, 0)
	for _, f := range bd.factors {
		k = binary.AppendVarint(binary.AppendUvarint(k, uint64(f.a.id)), int64(f.exp))
	}
	if known := e.bodies[string(k)]; known != nil {
		return known
	}
	bd.id = len(e.bodies) + 1
	for _, g := range bd.guards {
		bd.free = union(bd.free, g.Free)
	}
	for _, f := range bd.factors {
		bd.free = union(bd.free, f.a.free)
	}
	for i := range bd.slots {
		bd.free = without(bd.free, e.slot(bd.base+i))
	}
	e.bodies[string(k)] = &bd
	return &bd
}

func (e *engine) poly(parts []part, set bool) *poly {
	slices.SortFunc(parts, func(p, q part) int { return p.body.id - q.body.id })
	k := fmt.Append(nil, set)
	for _, p := range parts {
		k = binary.AppendUvarint(binary.AppendUvarint(k, uint64(p.body.id)), uint64(p.steps.id))
	}
	if known := e.polys[string(k)]; known != nil {
		return known
	}
	p := &poly{id: len(e.polys) + 1, parts: parts, set: set}
	for _, pt := range parts {
		p.free = union(union(p.free, pt.body.free), pt.steps.free())
		p.height = max(p.height, pt.body.base+pt.body.slots)
	}
	e.polys[string(k)] = p
	return p
}

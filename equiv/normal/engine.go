package normal

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"sort"

	"tv/internal/mix"
	"tv/semantics/index"
	"tv/semantics/term"
)

// ErrBudget says that the engine gave up by count.
var ErrBudget = errors.New("normal form: budget spent")

// ErrLowest says that MIN is an operand of an operation that it is not defined for.
var ErrLowest = errors.New("normal form: arithmetic on MIN")

// An Engine makes normal forms under one set of laws. It is not safe for concurrent use.
type Engine struct {
	ctx  context.Context
	b    *index.Builder
	laws Laws

	terms  map[termKey]sum
	atoms  map[uint64][]*Atom
	bodies map[uint64][]*body
	polys  map[uint64][]*Poly
	steps  map[uint64][]*steps
	opens  map[*Poly]sum
	closes map[closeKey]*Poly
	ends   map[*index.Expr]end

	choices map[*Poly]*Atom // what choice returns

	expBases                    map[string]*big.Rat   // of coefficients under exp, by what is left without factors 2 and 3
	conversions                 map[string]conversion // between integers, by the names of their atoms
	natom, nbody, npoly, nsteps int

	output []*index.Atom // the variables of the output's axes

	Words bool // whether integers are compared as machine words where nothing else helps

	budget int
	spent  int   // since the clock was looked at
	unroll bool  // sums and maxima over ranges of numbers are written out
	stride int64 // sums and maxima over a named number of places are taken every so many places, where that divides it
	used   LawSet
	cuts   int // regions of the output that were compared apart
	merges int // pairs of bound variables merged, variables split into digits
	splits int
}

type termKey struct{ term, ctx int }
type closeKey struct {
	first *summand
	n     int
	ctx   int
}

// LawSet records the laws that a run used, for the exactness line and the certificate.
type LawSet uint16

const (
	UsedField  LawSet = 1 << iota // an inverse was cancelled or taken apart
	UsedExp                       // a law of exp, log or sqrt
	UsedOrder                     // min as a negated max
	UsedDigits                    // a bound variable split into digits, or two merged
	UsedCuts                      // boxes cut or joined
)

// NewEngine returns an engine over the expressions of b. budget bounds the work in summands closed; the end of
// ctx ends it too.
func NewEngine(ctx context.Context, b *index.Builder, laws Laws, budget int) *Engine {
	return &Engine{
		ctx: ctx, b: b, laws: laws, budget: budget,
		terms:  map[termKey]sum{},
		atoms:  map[uint64][]*Atom{},
		bodies: map[uint64][]*body{},
		polys:  map[uint64][]*Poly{},
		steps:  map[uint64][]*steps{},
		opens:  map[*Poly]sum{},
		closes: map[closeKey]*Poly{},
		ends:   map[*index.Expr]end{},

		choices:     map[*Poly]*Atom{},
		expBases:    map[string]*big.Rat{},
		conversions: map[string]conversion{},
	}
}

// stop ends a run from deep inside; Compare recovers it.
type stop struct{ err error }

func (e *Engine) spend(n int) {
	e.budget -= n
	if e.budget < 0 {
		panic(stop{ErrBudget})
	}
	if e.spent += n; e.spent >= breath {
		e.spent = 0
		if err := e.ctx.Err(); err != nil {
			panic(stop{err})
		}
	}
}

// breath is the work between two looks at the clock.
const breath = 256

// hashMask keeps all bits of a hash: a hash only finds the bucket. A test takes them away.
var hashMask = ^uint64(0)

// union merges two lists of atoms sorted by id.
func union(x, y []*index.Atom) []*index.Atom {
	if len(y) == 0 {
		return x
	}
	if len(x) == 0 {
		return y
	}
	out := make([]*index.Atom, 0, len(x)+len(y))
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] == y[j]:
			out = append(out, x[i])
			i, j = i+1, j+1
		case x[i].ID() < y[j].ID():
			out = append(out, x[i])
			i++
		default:
			out = append(out, y[j])
			j++
		}
	}
	return append(append(out, x[i:]...), y[j:]...)
}

func contains(list []*index.Atom, a *index.Atom) bool {
	i := sort.Search(len(list), func(i int) bool { return list[i].ID() >= a.ID() })
	return i < len(list) && list[i] == a
}

func (a *Atom) mentions(v *index.Atom) bool { return contains(a.free, v) }

func (s *summand) mentions(v *index.Atom) bool {
	for _, g := range s.guards {
		if g.Mentions(v) {
			return true
		}
	}
	return s.reads(v)
}

// reads reports whether what s adds up depends on a variable.
func (s *summand) reads(v *index.Atom) bool {
	for _, f := range s.factors {
		if f.atom.mentions(v) {
			return true
		}
	}
	for _, t := range s.value {
		if t.mentions(v) {
			return true
		}
	}
	return false
}

func (s *summand) bound(v *index.Atom) bool {
	for _, x := range s.vars {
		if x == v {
			return true
		}
	}
	return false
}

// atom interns a.
func (e *Engine) atom(a Atom) *Atom {
	h := mix.String(uint64(a.kind)<<8|uint64(a.slot), a.name)
	if a.tensor != nil {
		h = mix.Word(h, uint64(a.tensor.ID))
	}
	if a.offset != nil {
		h = mix.Word(h, uint64(a.offset.ID()))
	}
	if a.number != nil {
		h = mix.Word(h, uint64(a.number.ID()))
	}
	for _, p := range a.polys {
		h = mix.Word(h, uint64(p.id))
	}
	h &= hashMask
next:
	for _, o := range e.atoms[h] {
		if o.kind != a.kind || o.name != a.name || o.tensor != a.tensor || o.offset != a.offset ||
			o.number != a.number || o.slot != a.slot || len(o.polys) != len(a.polys) {
			continue
		}
		for i := range a.polys {
			if o.polys[i] != a.polys[i] {
				continue next
			}
		}
		return o
	}
	e.natom++
	a.id = e.natom
	if a.offset != nil {
		a.free = a.offset.Free()
	}
	if a.number != nil {
		a.free = a.number.Expr().Free()
	}
	for _, p := range a.polys {
		free := p.free
		if a.kind == gatherAtom && p == a.polys[0] {
			free = without(free, e.b.Slot(a.slot))
			a.height = max(a.height, a.slot+1)
		}
		a.free = union(a.free, free)
		a.height = max(a.height, p.height)
	}
	kept := a
	e.atoms[h] = append(e.atoms[h], &kept)
	return &kept
}

func without(list []*index.Atom, drop ...*index.Atom) []*index.Atom {
	var out []*index.Atom
	for _, a := range list {
		keep := true
		for _, d := range drop {
			keep = keep && a != d
		}
		if keep {
			out = append(out, a)
		}
	}
	return out
}

// --- open polynomials ---

func (e *Engine) constant(c *big.Rat) sum {
	if c.Sign() == 0 {
		return nil
	}
	return sum{{coef: c}}
}

func (e *Engine) ofAtom(a *Atom) sum { return sum{{coef: one, factors: []factor{{a, 1}}}} }

// number returns an integer expression as a polynomial.
func (e *Engine) number(x *index.Expr) sum {
	var out sum
	for _, t := range x.Terms() {
		s := &summand{coef: new(big.Rat).SetInt(t.Coef.Big())}
		for _, a := range t.Atoms() {
			s.factors = mergeFactors(s.factors, []factor{{e.atom(Atom{kind: numberAtom, number: a}), 1}})
		}
		out = append(out, s)
	}
	return out
}

func mergeFactors(x, y []factor) []factor {
	if len(y) == 0 {
		return x
	}
	if len(x) == 0 {
		return y
	}
	out := make([]factor, 0, len(x)+len(y))
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i].atom == y[j].atom:
			if n := x[i].exp + y[j].exp; n != 0 {
				out = append(out, factor{x[i].atom, n})
			}
			i, j = i+1, j+1
		case x[i].atom.id < y[j].atom.id:
			out = append(out, x[i])
			i++
		default:
			out = append(out, y[j])
			j++
		}
	}
	return append(append(out, x[i:]...), y[j:]...)
}

func (e *Engine) add(x, y sum) sum {
	if len(x) == 0 {
		return y
	}
	if len(y) == 0 {
		return x
	}
	e.noLowest(x)
	e.noLowest(y)
	return collected(append(append(make(sum, 0, len(x)+len(y)), x...), y...))
}

// longSum is the length from which equal summands are looked for before a sum is closed. A program is a graph: x + x, and
// that again, and so on has as many summands as the tree has leaves.
const longSum = 256

// collected adds up the coefficients of summands that differ in nothing else, where there are many.
func collected(x sum) sum {
	if len(x) < longSum {
		return x
	}
	seen := make(map[uint64][]int, len(x)) // places in out, by a hash
	var out sum
next:
	for _, s := range x {
		h := s.hash()
		for _, i := range seen[h] {
			if t := out[i]; t.alike(s) {
				more := *t
				more.coef = new(big.Rat).Add(t.coef, s.coef)
				out[i] = &more
				continue next
			}
		}
		seen[h] = append(seen[h], len(out))
		out = append(out, s)
	}
	return slices.DeleteFunc(out, func(s *summand) bool { return s.coef.Sign() == 0 })
}

func (s *summand) hash() uint64 {
	h := uint64(len(s.vars))
	for _, f := range s.factors {
		h = mix.Word(mix.Word(h, uint64(f.atom.id)), uint64(f.exp))
	}
	for _, g := range s.guards {
		h = mix.Word(h, uint64(g.ID()))
	}
	return h
}

// alike tells whether two summands of a sum differ in their coefficients at most.
func (s *summand) alike(t *summand) bool {
	return !s.isTerm && !t.isTerm && slices.Equal(s.vars, t.vars) && slices.Equal(s.guards, t.guards) &&
		slices.Equal(s.factors, t.factors)
}

func (e *Engine) scale(c *big.Rat, x sum) sum {
	if c.Cmp(one) == 0 {
		return x
	}
	e.noLowest(x)
	out := make(sum, len(x))
	for i, s := range x {
		t := *s
		t.coef = new(big.Rat).Mul(c, s.coef)
		out[i] = &t
	}
	return out
}

// noLowest gives up where MIN is an operand in the reals: arithmetic on it is undefined, and the ring laws would
// hide it. In integers it is a number like others.
func (e *Engine) noLowest(x sum) {
	if !e.laws.Field {
		return
	}
	for _, s := range x {
		for _, f := range s.factors {
			if f.atom.kind == lowestAtom {
				panic(stop{ErrLowest})
			}
		}
	}
}

func (e *Engine) mul(ctx *index.Context, x, y sum) sum {
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	e.noLowest(x)
	e.noLowest(y)
	if len(x)*len(y) > e.budget {
		panic(stop{ErrBudget})
	}
	var out sum
	for _, s := range x {
		for _, t := range y {
			e.spend(1) // one by one: the clock is looked at on the way through a large product
			out = append(out, e.mulSummand(ctx, s, t)...)
		}
	}
	return out
}

func (e *Engine) mulSummand(ctx *index.Context, s, t *summand) sum {
	if clash(s, t) {
		t = e.rename(ctx, t)
	}
	p := &summand{
		coef:    s.coef,
		vars:    appendTo(s.vars, t.vars),
		guards:  appendTo(s.guards, t.guards),
		factors: mergeFactors(s.factors, t.factors),
	}
	if s.coef.Cmp(one) == 0 {
		p.coef = t.coef
	} else if t.coef.Cmp(one) != 0 {
		p.coef = new(big.Rat).Mul(s.coef, t.coef)
	}
	for k, f := range p.factors {
		if f.exp > 1 && isIndicator(f.atom) { // it is 0 or 1
			p.factors = slices.Clone(p.factors)
			p.factors[k].exp = 1
		}
	}
	if e.laws.Field {
		return e.reduceRoots(ctx, p)
	}
	return sum{p}
}

// reduceRoots replaces even powers of square roots, sqrt(p)^2 = p, and inverses of inverses, (p^-1)^-1 = p.
func (e *Engine) reduceRoots(ctx *index.Context, s *summand) sum {
	for i, f := range s.factors {
		if f.atom.kind == powerAtom && f.exp > 0 {
			rest := *s
			rest.factors = append(append([]factor(nil), s.factors[:i]...), s.factors[i+1:]...)
			out := sum{&rest}
			for range f.exp {
				out = e.mul(ctx, out, e.open(f.atom.polys[0]))
			}
			return out
		}
		if f.atom.kind != applyAtom || f.atom.name != term.Sqrt || f.exp > -2 && f.exp < 2 {
			continue
		}
		e.used |= UsedExp
		half := f.exp / 2
		rest := *s
		rest.factors = append(append([]factor(nil), s.factors[:i]...), s.factors[i+1:]...)
		if odd := f.exp - 2*half; odd != 0 {
			rest.factors = mergeFactors(rest.factors, []factor{{f.atom, odd}})
		}
		out := sum{&rest}
		by := e.open(f.atom.polys[0])
		if half < 0 {
			by, half = e.invert(ctx, by), -half
		}
		for range half {
			out = e.mul(ctx, out, by)
		}
		return out
	}
	return sum{s}
}

func appendTo[T any](x, y []T) []T {
	if len(y) == 0 {
		return x
	}
	if len(x) == 0 {
		return y
	}
	return append(append(make([]T, 0, len(x)+len(y)), x...), y...)
}

func clash(s, t *summand) bool {
	for _, v := range s.vars {
		if t.bound(v) {
			return true
		}
	}
	return false
}

// rename gives the bound variables of s new names.
func (e *Engine) rename(ctx *index.Context, s *summand) *summand {
	m := make(map[*index.Atom]*index.Expr, len(s.vars))
	vars := make([]*index.Atom, len(s.vars))
	for i, v := range s.vars {
		vars[i] = e.b.NewVar(v.Name, v.Lo, v.Hi)
		m[v] = vars[i].Expr()
	}
	out := e.substSummand(ctx, s, m)
	if len(out) != 1 || len(out[0].vars) != len(s.vars) { // an atom simplified; seldom, so not worth going on
		panic(stop{ErrBudget})
	}
	t := *out[0]
	t.vars = vars
	return &t
}

// guarded adds the condition g >= 0 to every summand. A summand that has the condition in a stronger form, as the
// inner pieces of nested concatenations have, is kept as it is.
func (e *Engine) guarded(x sum, g *index.Expr) sum {
	end := e.endOf(g)
	out := x
	for i, s := range x {
		if end.v != nil && e.implied(s, end) {
			continue
		}
		if len(out) > 0 && &out[0] == &x[0] {
			out = append(sum(nil), x...)
		}
		t := *s
		t.guards = appendTo(s.guards, []*index.Expr{g})
		out[i] = &t
	}
	return out
}

// An end is a condition that bounds one variable by sizes: v >= at (lower) or v < at.
type end struct {
	v     *index.Atom
	lower bool
	at    *index.Expr
}

func (e *Engine) endOf(g *index.Expr) end {
	if x, ok := e.ends[g]; ok {
		return x
	}
	var x end
	x.v, x.lower, x.at = e.b.Bound(g)
	e.ends[g] = x
	return x
}

// implied reports whether a condition of s bounds the same variable at least as strongly, by numbers.
func (e *Engine) implied(s *summand, by end) bool {
	n, ok := by.at.Const()
	if !ok {
		return false
	}
	for _, g := range s.guards {
		if x := e.endOf(g); x.v == by.v && x.lower == by.lower {
			if m, ok := x.at.Const(); ok && (m.Cmp(n) == 0 || (m.Cmp(n) > 0) == by.lower) {
				return true
			}
		}
	}
	return false
}

// --- substitution ---

func touches(free []*index.Atom, m map[*index.Atom]*index.Expr) bool {
	for _, a := range free {
		if _, ok := m[a]; ok {
			return true
		}
	}
	return false
}

// substSummand replaces variables where those of s are bound, so that m may speak of them; vars stay as they are.
func (e *Engine) substSummand(ctx *index.Context, s *summand, m map[*index.Atom]*index.Expr) sum {
	out := &summand{coef: s.coef, vars: s.vars, guards: s.guards, isTerm: s.isTerm}
	for i, g := range s.guards {
		if r := e.b.Subst(ctx, g, m); r != g {
			if &out.guards[0] == &s.guards[0] {
				out.guards = append([]*index.Expr(nil), s.guards...)
			}
			out.guards[i] = r
		}
	}
	if s.isTerm {
		out.value = e.substSum(ctx, s.value, m)
		return sum{out}
	}
	var rest []sum
	changed := false
	for _, f := range s.factors {
		if touches(f.atom.free, m) {
			changed = true
		}
	}
	if !changed {
		out.factors = s.factors
		return sum{out}
	}
	for _, f := range s.factors {
		x := e.substAtom(ctx, f.atom, m)
		if len(x) == 1 && len(x[0].vars) == 0 && len(x[0].guards) == 0 && x[0].coef.Cmp(one) == 0 {
			for range abs(f.exp) {
				if f.exp > 0 {
					out.factors = mergeFactors(out.factors, x[0].factors)
				} else {
					out.factors = mergeFactors(out.factors, negated(x[0].factors))
				}
			}
			continue
		}
		if f.exp < 0 {
			x = e.invert(ctx, x)
		}
		for range abs(f.exp) {
			rest = append(rest, x)
		}
	}
	result := sum{out}
	for _, x := range rest {
		result = e.mul(ctx, result, x)
	}
	return result
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

func negated(fs []factor) []factor {
	out := make([]factor, len(fs))
	for i, f := range fs {
		out[i] = factor{f.atom, -f.exp}
	}
	return out
}

// substSum replaces free variables of x. A polynomial that is opened twice, as a factor and inside another, has the
// same variables both times: bound ones of x that m replaces or brings in are not those of m and get new names first.
func (e *Engine) substSum(ctx *index.Context, x sum, m map[*index.Atom]*index.Expr) sum {
	var out sum
	for _, s := range x {
		if slices.ContainsFunc(s.vars, func(v *index.Atom) bool { return occursIn(m, v) }) {
			s = e.rename(ctx, s)
		}
		out = append(out, e.substSummand(ctx, s, m)...)
	}
	return out
}

// occursIn reports whether m replaces v, or something by what holds v.
func occursIn(m map[*index.Atom]*index.Expr, v *index.Atom) bool {
	if _, replaced := m[v]; replaced {
		return true
	}
	for _, x := range m {
		if x.Mentions(v) {
			return true
		}
	}
	return false
}

func (e *Engine) substAtom(ctx *index.Context, a *Atom, m map[*index.Atom]*index.Expr) sum {
	if !touches(a.free, m) {
		return e.ofAtom(a)
	}
	e.spend(1) // functions of sums are rebuilt from what they hold, to any depth
	switch a.kind {
	case readAtom:
		return e.ofAtom(e.atom(Atom{kind: readAtom, tensor: a.tensor, offset: e.b.Subst(ctx, a.offset, m)}))
	case numberAtom:
		return e.number(e.b.Subst(ctx, a.number.Expr(), m))
	case powerAtom:
		return e.substPoly(ctx, a.polys[0], m)
	case maxAtom:
		return e.maximum(ctx, a.name, e.substSum(ctx, e.open(a.polys[0]), m))
	case foldAtom:
		return e.product(ctx, e.substSum(ctx, e.open(a.polys[0]), m)[0])
	case gatherAtom:
		v := e.b.NewVar("at", e.b.Const(0), e.b.Const(1<<62))
		inner := e.substSum(ctx, e.open(a.polys[0]), map[*index.Atom]*index.Expr{e.b.Slot(a.slot): v.Expr()})
		return e.gather(ctx, a.name, v, e.substSum(ctx, inner, m), e.substPoly(ctx, a.polys[1], m))
	}
	args := make([]sum, len(a.polys))
	for i, p := range a.polys {
		args[i] = e.substPoly(ctx, p, m)
	}
	return e.apply(ctx, a.name, args)
}

func (e *Engine) substPoly(ctx *index.Context, p *Poly, m map[*index.Atom]*index.Expr) sum {
	return e.substSum(ctx, e.open(p), m)
}

// open turns a closed polynomial into summands: each box of its steps one, with new variables for the slots, and with
// conditions for the ranges of free variables.
func (e *Engine) open(p *Poly) sum {
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

func (e *Engine) openBox(bd *body, bx box) sum {
	s := &summand{coef: bx.coef, guards: bd.guards, factors: bd.factors}
	if bd.term {
		s.isTerm, s.factors, s.value = true, nil, e.open(bd.factors[0].atom.polys[0])
	}
	m := map[*index.Atom]*index.Expr{}
	var vars []*index.Atom
	var guards []*index.Expr
	for _, r := range bx.ranges {
		if r.dim.v != nil {
			guards = append(guards, e.b.Sub(r.dim.v.Expr(), r.lo), e.b.AddInt(e.b.Sub(r.hi, r.dim.v.Expr()), -1))
			continue
		}
		v := e.b.NewVar("k", r.lo, r.hi)
		vars = append(vars, v)
		m[e.b.Slot(r.dim.slot)] = v.Expr()
	}
	out := e.substSum(e.b.Root(), sum{s}, m)
	for i, t := range out {
		c := *t
		c.vars = appendTo(t.vars, vars)
		c.guards = appendTo(t.guards, guards)
		out[i] = &c
	}
	return out
}

// boxes lists the boxes of a step function.
func boxes(s *steps) []box {
	if s == nil {
		return nil
	}
	if s.segs == nil {
		return []box{{coef: s.coef}}
	}
	var out []box
	for _, g := range s.segs {
		for _, b := range boxes(g.to) {
			b.ranges = append([]interval{{s.dim, g.lo, g.hi}}, b.ranges...)
			out = append(out, b)
		}
	}
	return out
}

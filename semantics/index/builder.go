package index

import (
	"sort"

	"tv/internal/mix"
)

// A Builder owns the expressions of one question and is not safe for concurrent use.
type Builder struct {
	exprs map[uint64]*Expr // by hash; the others follow by next
	buf   []Term           // where sums are made
	parts [2][]Term        // where Linear takes expressions apart
	rest  []*Atom
	free  []Expr // room for those to come
	room  []Term
	monos map[uint64][]*mono
	atoms map[atomKey]*Atom

	nexpr, nmono, natom int
	slots               []*Atom
	root                *Context
	bare                *Context // knows nothing: for steps inside a decision, so that decisions do not nest
	contexts            int
	steps               int // work done by Nonneg, see Steps
	memo                map[nonnegKey]bool
	quotients           map[quotientKey]quotient
}

// A quotient is what r div q is, where r is the first of those that differ by a multiple of q: -i and 7·i are divided by 8
// alike, but not by one expression.
type quotient struct{ r, is *Expr }

// quotientKey tells divisions apart: by the context, by what q leaves of r, and by q.
type quotientKey struct{ ctx, rest, q int }

type atomKey struct {
	kind     Kind
	name     string
	num, den *Expr
}

// NewBuilder returns an empty builder whose root context knows nothing.
func NewBuilder() *Builder {
	b := &Builder{
		exprs: make(map[uint64]*Expr, 8*slab),
		monos: map[uint64][]*mono{},
		atoms: map[atomKey]*Atom{},
		memo:  map[nonnegKey]bool{},

		quotients: map[quotientKey]quotient{},
	}
	b.root = &Context{b: b, box: &box{}}
	b.bare = b.root
	b.contexts = 1
	return b
}

// Root returns the context of the whole question: facts about named sizes.
func (b *Builder) Root() *Context { return b.root }

// Fact adds e >= 0 to what holds everywhere. All facts are added before contexts are made.
func (b *Builder) Fact(e *Expr) { b.root = b.root.With(b.tight(e)) }

// Suppose runs f with e >= 0 for each of facts added to what holds everywhere.
func (b *Builder) Suppose(facts []*Expr, f func()) {
	root := b.root
	for _, e := range facts {
		if !b.Nonneg(b.root, e) {
			b.Fact(e)
		}
	}
	f()
	b.root = root
}

// tight divides e >= 0 by what its coefficients have in common; the constant is rounded down, as e is an integer.
func (b *Builder) tight(e *Expr) *Expr {
	g := Num{}
	for _, t := range e.terms {
		if len(t.mono.atoms) > 0 {
			g = g.GCD(t.Coef)
		}
	}
	if g.Sign() == 0 || g.IsOne() {
		return e
	}
	out := make([]Term, len(e.terms))
	for i, t := range e.terms {
		k, _ := t.Coef.DivMod(g)
		out[i] = Term{k, t.mono}
	}
	return b.sum(out)
}

// Steps counts the work done by decisions, in units that do not depend on the machine.
func (b *Builder) Steps() int { return b.steps }

// Exprs counts the distinct expressions made.
func (b *Builder) Exprs() int { return b.nexpr }

func (b *Builder) mono(atoms []*Atom) *mono {
	h := uint64(len(atoms))
	for _, a := range atoms {
		h = mix.Word(h, uint64(a.id))
	}
	h &= hashMask
next:
	for _, m := range b.monos[h] {
		if len(m.atoms) != len(atoms) {
			continue
		}
		for i := range atoms {
			if m.atoms[i] != atoms[i] {
				continue next
			}
		}
		return m
	}
	b.nmono++
	m := &mono{id: b.nmono, atoms: append([]*Atom(nil), atoms...)}
	b.monos[h] = append(b.monos[h], m)
	return m
}

// intern takes sorted terms without zeros and without equal products.
func (b *Builder) intern(terms []Term) *Expr {
	h := uint64(len(terms))
	for _, t := range terms {
		h = mix.Word(mix.Word(h, uint64(t.mono.id)), t.Coef.hash())
	}
	h &= hashMask
next:
	for e := b.exprs[h]; e != nil; e = e.next {
		if len(e.terms) != len(terms) {
			continue
		}
		for i := range terms {
			if e.terms[i].mono != terms[i].mono || e.terms[i].Coef.Cmp(terms[i].Coef) != 0 {
				continue next
			}
		}
		return e
	}
	b.nexpr++
	e := b.newExpr()
	*e = Expr{id: b.nexpr, hash: h, terms: b.kept(terms), next: b.exprs[h]}
	for _, t := range terms {
		for _, a := range t.mono.atoms {
			e.free = union(e.free, a.variables())
		}
	}
	b.exprs[h] = e
	return e
}

// slab is the room that is made at a time for expressions and terms, which live as long as their builder.
const slab = 32

func (b *Builder) newExpr() *Expr {
	if len(b.free) == 0 {
		b.free = make([]Expr, slab)
	}
	e := &b.free[0]
	b.free = b.free[1:]
	return e
}

// kept returns a copy of terms.
func (b *Builder) kept(terms []Term) []Term {
	n := len(terms)
	if n > len(b.room) {
		b.room = make([]Term, max(n, 2*slab))
	}
	out := b.room[:n:n]
	b.room = b.room[n:]
	copy(out, terms)
	return out
}

// variables returns the sizes, variables and slots in a.
func (a *Atom) variables() []*Atom {
	if a.Kind >= Floor {
		return union(a.Num.free, a.Den.free)
	}
	return a.self
}

// union merges two lists sorted by id; it returns one of them where it holds the other.
func union(x, y []*Atom) []*Atom {
	if len(y) == 0 {
		return x
	}
	if len(x) == 0 {
		return y
	}
	if holds(x, y) {
		return x
	}
	if holds(y, x) {
		return y
	}
	out := make([]*Atom, 0, len(x)+len(y))
	i, j := 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] == y[j]:
			out = append(out, x[i])
			i, j = i+1, j+1
		case x[i].id < y[j].id:
			out = append(out, x[i])
			i++
		default:
			out = append(out, y[j])
			j++
		}
	}
	return append(append(out, x[i:]...), y[j:]...)
}

// holds tells whether a list sorted by id has all of another.
func holds(x, y []*Atom) bool {
	if len(y) > len(x) {
		return false
	}
	for _, a := range x {
		if len(y) > 0 && y[0] == a {
			y = y[1:]
		}
	}
	return len(y) == 0
}

// sum collects equal products and interns.
func (b *Builder) sum(terms []Term) *Expr {
	sorted := true
	for i := 1; i < len(terms); i++ {
		if compareMono(terms[i-1].mono, terms[i].mono) >= 0 {
			sorted = false
			break
		}
	}
	if !sorted {
		terms = append([]Term(nil), terms...)
		sort.SliceStable(terms, func(i, j int) bool { return compareMono(terms[i].mono, terms[j].mono) < 0 })
	}
	out := b.buf[:0]
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].mono == t.mono {
			out[n-1].Coef = out[n-1].Coef.Add(t.Coef)
			if out[n-1].Coef.Sign() == 0 {
				out = out[:n-1]
			}
		} else if t.Coef.Sign() != 0 {
			out = append(out, t)
		}
	}
	b.buf = out
	return b.intern(out)
}

// Const returns the expression n.
func (b *Builder) Const(n int64) *Expr { return b.Num(Int(n)) }

// Num returns the expression n.
func (b *Builder) Num(n Num) *Expr {
	if n.Sign() == 0 {
		return b.intern(nil)
	}
	b.buf = append(b.buf[:0], Term{n, b.mono(nil)})
	return b.intern(b.buf)
}

func (b *Builder) newAtom(a *Atom) *Atom {
	b.natom++
	a.id = b.natom
	a.self = []*Atom{a}
	a.expr = b.intern([]Term{{Int(1), b.mono(a.self)}})
	return a
}

// Size returns the named size, whose value is at least least. The first use of a name fixes least. Names of programs are
// as Spelt returns them; what is made up has a name that is not, so that the two are never one.
func (b *Builder) Size(name string, least int64) *Expr {
	key := atomKey{kind: Size, name: name}
	a := b.atoms[key]
	if a == nil {
		a = b.newAtom(&Atom{Kind: Size, Name: name, Least: least})
		b.atoms[key] = a
	}
	return a.expr
}

// NewVar returns a new variable v with lo <= v < hi.
func (b *Builder) NewVar(name string, lo, hi *Expr) *Atom {
	return b.newAtom(&Atom{Kind: Var, Name: name, Lo: lo, Hi: hi})
}

// Slot returns the n-th slot.
func (b *Builder) Slot(n int) *Atom {
	for len(b.slots) <= n {
		b.slots = append(b.slots, b.newAtom(&Atom{Kind: Slot, N: len(b.slots)}))
	}
	return b.slots[n]
}

// Add returns the sum.
func (b *Builder) Add(x, y *Expr) *Expr {
	switch {
	case len(x.terms) == 0:
		return y
	case len(y.terms) == 0:
		return x
	}
	return b.plus(x, Int(1), y)
}

// plus returns x + k·y, for a k that is not 0.
func (b *Builder) plus(x *Expr, k Num, y *Expr) *Expr {
	out, s, t := b.buf[:0], x.terms, y.terms
	for len(s) > 0 && len(t) > 0 {
		switch c := compareMono(s[0].mono, t[0].mono); {
		case c < 0:
			out, s = append(out, s[0]), s[1:]
		case c > 0:
			out, t = append(out, Term{k.Mul(t[0].Coef), t[0].mono}), t[1:]
		default:
			if n := s[0].Coef.Add(k.Mul(t[0].Coef)); n.Sign() != 0 {
				out = append(out, Term{n, s[0].mono})
			}
			s, t = s[1:], t[1:]
		}
	}
	out = append(out, s...)
	for _, u := range t {
		out = append(out, Term{k.Mul(u.Coef), u.mono})
	}
	b.buf = out
	return b.intern(out)
}

// Scale returns n·x.
func (b *Builder) Scale(n Num, x *Expr) *Expr {
	if n.IsOne() {
		return x
	}
	if n.Sign() == 0 {
		return b.intern(nil)
	}
	return b.plus(b.intern(nil), n, x)
}

// Sub returns x - y.
func (b *Builder) Sub(x, y *Expr) *Expr { return b.plus(x, Int(-1), y) }

// AddInt returns x + n.
func (b *Builder) AddInt(x *Expr, n int64) *Expr { return b.Add(x, b.Const(n)) }

// Mul returns the product.
func (b *Builder) Mul(x, y *Expr) *Expr {
	if n, ok := x.Const(); ok {
		return b.Scale(n, y)
	}
	if n, ok := y.Const(); ok {
		return b.Scale(n, x)
	}
	out := make([]Term, 0, len(x.terms)*len(y.terms))
	for _, s := range x.terms {
		for _, t := range y.terms {
			out = append(out, Term{s.Coef.Mul(t.Coef), b.times(s.mono, t.mono)})
		}
	}
	return b.sum(out)
}

func (b *Builder) times(x, y *mono) *mono {
	if len(x.atoms) == 0 {
		return y
	}
	if len(y.atoms) == 0 {
		return x
	}
	atoms := make([]*Atom, 0, len(x.atoms)+len(y.atoms))
	i, j := 0, 0
	for i < len(x.atoms) && j < len(y.atoms) {
		if x.atoms[i].id <= y.atoms[j].id {
			atoms = append(atoms, x.atoms[i])
			i++
		} else {
			atoms = append(atoms, y.atoms[j])
			j++
		}
	}
	return b.mono(append(append(atoms, x.atoms[i:]...), y.atoms[j:]...))
}

// over returns x / y where every atom of y is in x.
func (b *Builder) over(x, y *mono) (*mono, bool) {
	rest := make([]*Atom, 0, len(x.atoms))
	j := 0
	for _, a := range x.atoms {
		if j < len(y.atoms) && a == y.atoms[j] {
			j++
		} else {
			rest = append(rest, a)
		}
	}
	if j < len(y.atoms) {
		return nil, false
	}
	return b.mono(rest), true
}

// Subst replaces atoms by expressions, inside divisions too, and simplifies under ctx.
func (b *Builder) Subst(ctx *Context, e *Expr, m map[*Atom]*Expr) *Expr {
	if !touches(e, m) {
		return e
	}
	s := substitution{b: b, ctx: ctx, m: m}
	return s.expr(e)
}

// A substitution remembers what it made of divisions, maxima and minima: each stands in many places of a nested one, and to
// visit each place costs what is exponential in the depth.
type substitution struct {
	b    *Builder
	ctx  *Context
	m    map[*Atom]*Expr
	memo map[*Atom]*Expr // nil: none was met yet
}

func (s *substitution) expr(e *Expr) *Expr {
	if !touches(e, s.m) {
		return e
	}
	sum := s.b.Const(0)
	var kept []Term
	for _, t := range e.terms {
		changed := false
		for _, a := range t.mono.atoms {
			changed = changed || s.atom(a) != a.expr
		}
		if !changed {
			kept = append(kept, t)
			continue
		}
		p := s.b.Num(t.Coef)
		for _, a := range t.mono.atoms {
			p = s.b.Mul(p, s.atom(a))
		}
		sum = s.b.Add(sum, p)
	}
	return s.b.Add(s.b.intern(kept), sum)
}

func touches(e *Expr, m map[*Atom]*Expr) bool {
	for _, a := range e.free {
		if _, ok := m[a]; ok {
			return true
		}
	}
	return false
}

func (s *substitution) atom(a *Atom) *Expr {
	if x, ok := s.m[a]; ok {
		return x
	}
	if a.Kind < Floor || !touches(a.Num, s.m) && !touches(a.Den, s.m) {
		return a.expr
	}
	if x, ok := s.memo[a]; ok {
		return x
	}
	num, den := s.expr(a.Num), s.expr(a.Den)
	var x *Expr
	switch a.Kind {
	case Max:
		x = s.b.Max(s.ctx, num, den)
	case Min:
		x = s.b.Min(s.ctx, num, den)
	default:
		x = s.b.Div(s.ctx, num, den)
	}
	if s.memo == nil {
		s.memo = map[*Atom]*Expr{}
	}
	s.memo[a] = x
	return x
}

// Max returns the greater of x and y.
func (b *Builder) Max(ctx *Context, x, y *Expr) *Expr {
	if b.Nonneg(ctx, b.Sub(x, y)) {
		return x
	}
	if b.Nonneg(ctx, b.Sub(y, x)) {
		return y
	}
	return b.extreme(Max, Min, x, y)
}

// Min returns the smaller of x and y.
func (b *Builder) Min(ctx *Context, x, y *Expr) *Expr {
	if b.Nonneg(ctx, b.Sub(x, y)) {
		return y
	}
	if b.Nonneg(ctx, b.Sub(y, x)) {
		return x
	}
	return b.extreme(Min, Max, x, y)
}

// extreme returns the maximum or minimum of x and y, of which neither is known to be the greater: max(x, min(x, z)) is x.
func (b *Builder) extreme(kind, other Kind, x, y *Expr) *Expr {
	for _, p := range [2][2]*Expr{{x, y}, {y, x}} {
		if t := p[1].terms; len(t) == 1 && len(t[0].mono.atoms) == 1 && t[0].Coef.IsOne() {
			if a := t[0].mono.atoms[0]; a.Kind == other && (a.Num == p[0] || a.Den == p[0]) {
				return p[0]
			}
		}
	}
	return b.binary(kind, x, y)
}

func (b *Builder) binary(kind Kind, x, y *Expr) *Expr {
	if kind != Floor && x.id > y.id {
		x, y = y, x
	}
	key := atomKey{kind: kind, num: x, den: y}
	a := b.atoms[key]
	if a == nil {
		a = b.newAtom(&Atom{Kind: kind, Num: x, Den: y})
		b.atoms[key] = a
	}
	return a.expr
}

// FromTerm returns a term as an expression.
func (b *Builder) FromTerm(t Term) *Expr { return b.intern([]Term{t}) }

package algebra

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Kind tells the atoms of expressions apart.
type Kind uint8

const (
	KindSize  Kind = iota // a named size: at least Least
	KindVar               // a variable with the range [Lo, Hi)
	KindSlot              // a place for a variable inside a closed polynomial: N
	KindFloor             // X div Y, rounded down, for Y > 0
	KindMax
	KindMin
)

// An Atom is what polynomials are made of.
type Atom struct {
	ID     int
	Kind   Kind
	Name   string
	Least  int64
	N      int
	Lo, Hi *Expr
	X, Y   *Expr
	expr   *Expr
	rem    *Atom // of a floor: the variable that stands for X mod Y
}

type mono struct {
	id    int
	atoms []*Atom // ascending, with repetition
	free  []*Atom
}

// A Term is a coefficient and a product of atoms.
type Term struct {
	Coef Num
	mono *mono
}

// An Expr is an interned polynomial with integer coefficients: equal ones are the same pointer.
type Expr struct {
	ID    int
	terms []Term  // descending degree, the constant last
	Free  []*Atom // sizes, variables and slots, those inside other atoms too; ascending
	next  *Expr   // of those with the same hash
}

// Expr returns the expression that is a alone.
func (a *Atom) Expr() *Expr { return a.expr }

// Atoms returns the factors.
func (t Term) Atoms() []*Atom { return t.mono.atoms }

// Terms returns the summands.
func (e *Expr) Terms() []Term { return e.terms }

// Const returns the value of an expression without atoms.
func (e *Expr) Const() (Num, bool) {
	switch {
	case len(e.terms) == 0:
		return Num{}, true
	case len(e.terms) == 1 && len(e.terms[0].mono.atoms) == 0:
		return e.terms[0].Coef, true
	}
	return Num{}, false
}

func (e *Expr) Is(n int64) bool { c, ok := e.Const(); return ok && c.is(n) }

// Mentions reports whether a occurs in e.
func (e *Expr) Mentions(a *Atom) bool { return mentions(e.Free, a) }

func mentions(free []*Atom, a *Atom) bool { return slices.Contains(free, a) }

// meet reports whether two lists share an atom.
func meet(x, y []*Atom) bool {
	return slices.ContainsFunc(x, func(a *Atom) bool { return mentions(y, a) })
}

func isSlot(a *Atom) bool { return a.Kind == KindSlot }

// OnlySizes reports whether e holds no variable and no slot.
func (e *Expr) OnlySizes() bool {
	return !slices.ContainsFunc(e.Free, func(a *Atom) bool { return a.Kind != KindSize })
}

// A Builder makes expressions and decides conditions on them.
type Builder struct {
	exprs    map[uint64]*Expr // by hash
	monos    map[string]*mono
	binaries map[[3]int]*Atom
	sizes    map[string]*Atom
	slots    []*Atom
	nonneg   map[[2]int]bool
	divided  map[[3]int]divided // by context, what the divisor leaves of a numerator, and divisor
	assumed  map[[2]int]*Context
	Root     *Context // the facts about sizes
	bare     *Context // nothing
	counts   struct{ expr, mono, atom, context int }
	scratch  bool
	undo     []func()
	key      []byte
	buf      []Term
	parts    [2][]Term // where Linear takes expressions apart
	unit     *mono     // of a number
	steps    int       // left, of all decisions
	refused  int       // conditions that were not found to hold
}

func NewBuilder() *Builder {
	b := &Builder{exprs: map[uint64]*Expr{}, monos: map[string]*mono{},
		binaries: map[[3]int]*Atom{}, sizes: map[string]*Atom{}, nonneg: map[[2]int]bool{},
		divided: map[[3]int]divided{},
		assumed: map[[2]int]*Context{}, steps: maxSteps}
	b.unit = b.mono(nil)
	b.bare = &Context{b: b, ranged: &ranged{spans: map[*Atom]span{}}}
	b.Root = b.bare
	return b
}

func (b *Builder) made(undo func()) {
	if b.scratch {
		b.undo = append(b.undo, undo)
	}
}

func (b *Builder) mono(atoms []*Atom) *mono {
	b.key = b.key[:0]
	for _, a := range atoms {
		b.key = binary.AppendUvarint(b.key, uint64(a.ID))
	}
	if m := b.monos[string(b.key)]; m != nil {
		return m
	}
	key := string(b.key)
	m := &mono{id: b.counts.mono, atoms: atoms}
	for _, a := range atoms {
		m.free = union(m.free, a.free())
	}
	b.counts.mono++
	b.monos[key] = m
	b.made(func() { delete(b.monos, key) })
	return m
}

func before(x, y *mono) int {
	if d := len(y.atoms) - len(x.atoms); d != 0 {
		return d
	}
	for i, a := range x.atoms {
		if d := a.ID - y.atoms[i].ID; d != 0 {
			return d
		}
	}
	return 0
}

// sum interns the sum of terms, in any order.
func (b *Builder) sum(terms []Term) *Expr {
	inOrder := func(x, y Term) int { return before(x.mono, y.mono) }
	if !slices.IsSortedFunc(terms, inOrder) {
		slices.SortStableFunc(terms, inOrder)
	}
	out := terms[:0:len(terms)]
	for _, t := range terms {
		if n := len(out); n > 0 && out[n-1].mono == t.mono {
			out[n-1].Coef = out[n-1].Coef.Add(t.Coef)
		} else {
			out = append(out, t)
		}
		if n := len(out); out[n-1].Coef.Sign() == 0 {
			out = out[:n-1]
		}
	}
	return b.intern(out)
}

// intern returns the expression of terms that are in order, which it copies if need be.
func (b *Builder) intern(terms []Term) *Expr {
	var h uint64
	for _, t := range terms {
		h = (h ^ uint64(t.mono.id)<<32 ^ uint64(t.Coef.small)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	for e := b.exprs[h]; e != nil; e = e.next {
		if slices.EqualFunc(e.terms, terms, Term.equal) {
			return e
		}
	}
	e := &Expr{ID: b.counts.expr, terms: slices.Clone(terms), next: b.exprs[h]}
	b.counts.expr++
	for _, t := range terms {
		e.Free = union(e.Free, t.mono.free)
	}
	b.exprs[h] = e
	b.made(func() { b.exprs[h] = e.next })
	return e
}

func (t Term) equal(u Term) bool { return t.mono == u.mono && t.Coef.Cmp(u.Coef) == 0 }

func (a *Atom) free() []*Atom {
	if a.Kind < KindFloor {
		return []*Atom{a}
	}
	return union(a.X.Free, a.Y.Free)
}

func union(x, y []*Atom) []*Atom {
	if len(x) == 0 {
		return y
	}
	more := 0
	for _, a := range y {
		if !mentions(x, a) {
			more++
		}
	}
	switch {
	case more == 0:
		return x
	case len(x)+more == len(y):
		return y
	}
	out := append(make([]*Atom, 0, len(x)+more), x...)
	for _, a := range y {
		if !mentions(x, a) {
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(p, q *Atom) int { return p.ID - q.ID })
	return out
}

func (b *Builder) atom(a *Atom) *Atom {
	a.ID = b.counts.atom
	b.counts.atom++
	a.expr = b.intern([]Term{{Int(1), b.mono([]*Atom{a})}})
	return a
}

// Const returns the number n.
func (b *Builder) Const(n int64) *Expr { return b.Num(Int(n)) }

func (b *Builder) Num(n Num) *Expr {
	if n.Sign() == 0 {
		return b.intern(nil)
	}
	return b.intern([]Term{{n, b.unit}})
}

// derived stands in the names of sizes and tensors that the checker makes itself. It is a control
// character, which no name of a program holds.
const Derived = "\x01"

// Size returns the named size, which is at least least.
func (b *Builder) Size(name string, least int64) *Expr {
	a := b.sizes[name]
	if a == nil {
		a = b.atom(&Atom{Kind: KindSize, Name: name, Least: least})
		b.sizes[name] = a
		b.made(func() { delete(b.sizes, name) })
	}
	return a.expr
}

// NewVar returns a new variable with the range [lo, hi).
func (b *Builder) NewVar(lo, hi *Expr) *Atom {
	return b.atom(&Atom{Kind: KindVar, Lo: lo, Hi: hi})
}

func (b *Builder) slot(n int) *Atom {
	for len(b.slots) <= n {
		b.slots = append(b.slots, b.atom(&Atom{Kind: KindSlot, N: len(b.slots)}))
	}
	return b.slots[n]
}

// Add returns the sum of its arguments.
func (b *Builder) Add(xs ...*Expr) *Expr {
	if len(xs) == 2 {
		return b.plus(xs[0], Int(1), xs[1])
	}
	n := 0
	for _, x := range xs {
		n += len(x.terms)
	}
	terms := make([]Term, 0, n)
	for _, x := range xs {
		terms = append(terms, x.terms...)
	}
	return b.sum(terms)
}

// plus returns x + k·y, for a k that is not 0.
func (b *Builder) plus(x *Expr, k Num, y *Expr) *Expr {
	out, s, t := b.buf[:0], x.terms, y.terms
	for len(s) > 0 && len(t) > 0 {
		switch d := before(s[0].mono, t[0].mono); {
		case d < 0:
			out, s = append(out, s[0]), s[1:]
		case d > 0:
			out, t = append(out, Term{k.Mul(t[0].Coef), t[0].mono}), t[1:]
		default:
			if c := s[0].Coef.Add(k.Mul(t[0].Coef)); c.Sign() != 0 {
				out = append(out, Term{c, s[0].mono})
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

// AddInt returns x + n.
func (b *Builder) AddInt(x *Expr, n int64) *Expr { return b.plus(x, Int(1), b.Const(n)) }

// Scale returns n·x.
func (b *Builder) Scale(n Num, x *Expr) *Expr {
	if n.Sign() == 0 {
		return b.intern(nil)
	}
	return b.plus(b.intern(nil), n, x)
}

// Sub returns x - y.
func (b *Builder) Sub(x, y *Expr) *Expr { return b.plus(x, Int(-1), y) }

// not returns the condition that e >= 0 does not hold.
func (b *Builder) not(e *Expr) *Expr { return b.AddInt(b.Scale(Int(-1), e), -1) }

// Mul returns the product of its arguments.
func (b *Builder) Mul(xs ...*Expr) *Expr {
	p := xs[0]
	for _, x := range xs[1:] {
		if len(p.terms)*len(x.terms) > maxTerms {
			Fail(CodeLimit, "an index expression has too many terms")
		}
		terms := make([]Term, 0, len(p.terms)*len(x.terms))
		for _, s := range p.terms {
			for _, t := range x.terms {
				terms = append(terms, Term{s.Coef.Mul(t.Coef), b.times(s.mono, t.mono)})
			}
		}
		p = b.sum(terms)
	}
	return p
}

func (b *Builder) times(x, y *mono) *mono {
	if len(x.atoms) == 0 {
		return y
	}
	if len(y.atoms) == 0 {
		return x
	}
	atoms := append(append(make([]*Atom, 0, len(x.atoms)+len(y.atoms)), x.atoms...), y.atoms...)
	slices.SortFunc(atoms, func(p, q *Atom) int { return p.ID - q.ID })
	return b.mono(atoms)
}

// over returns x/y, if y divides x.
func (b *Builder) over(x, y *mono) (*mono, bool) {
	if x == y {
		return b.unit, true
	}
	if len(x.atoms) <= len(y.atoms) {
		return nil, false
	}
	rest := make([]*Atom, 0, len(x.atoms)-len(y.atoms))
	i := 0
	for _, a := range x.atoms {
		if i < len(y.atoms) && y.atoms[i] == a {
			i++
		} else {
			rest = append(rest, a)
		}
	}
	if i < len(y.atoms) {
		return nil, false
	}
	return b.mono(rest), true
}

// Linear writes e as c·a + r where neither holds a; ok is false where it is not of that form.
func (b *Builder) Linear(e *Expr, a *Atom) (c, r *Expr, ok bool) {
	with, without := b.parts[0][:0], b.parts[1][:0]
	alone := a.expr.terms[0].mono
	for _, t := range e.terms {
		if !slices.Contains(t.mono.atoms, a) {
			without = append(without, t)
		} else if m, ok := b.over(t.mono, alone); ok {
			with = append(with, Term{t.Coef, m})
		} else {
			without = append(without, t)
		}
	}
	b.parts = [2][]Term{with, without}
	c, r = b.sum(with), b.sum(without)
	return c, r, !occurs(c, a) && !occurs(r, a)
}

// occurs reports whether a is in e, as an atom or inside one.
func occurs(e *Expr, a *Atom) bool {
	if a.Kind < KindFloor {
		return e.Mentions(a)
	}
	for _, t := range e.terms {
		for _, x := range t.mono.atoms {
			if x == a || x.Kind >= KindFloor && (occurs(x.X, a) || occurs(x.Y, a)) {
				return true
			}
		}
	}
	return false
}

// Subst replaces variables, sizes and slots; divisions are simplified at c.
func (b *Builder) Subst(c *Context, e *Expr, m map[*Atom]*Expr) *Expr {
	if !touches(e.Free, m) {
		return e
	}
	var sum []*Expr
	for _, t := range e.terms {
		p := b.Num(t.Coef)
		for _, a := range t.mono.atoms {
			x := a.expr
			if by := m[a]; by != nil {
				x = by
			} else if a.Kind >= KindFloor && touches(x.Free, m) {
				x = b.binary(c, a.Kind, b.Subst(c, a.X, m), b.Subst(c, a.Y, m))
			}
			p = b.Mul(p, x)
		}
		sum = append(sum, p)
	}
	return b.Add(sum...)
}

func touches(free []*Atom, m map[*Atom]*Expr) bool {
	return slices.ContainsFunc(free, func(a *Atom) bool { return m[a] != nil })
}

// binary returns the division, maximum or minimum of x and y, simplified at c.
func (b *Builder) binary(c *Context, k Kind, x, y *Expr) *Expr {
	if k == KindFloor {
		return b.Div(c, x, y)
	}
	switch {
	case b.Nonneg(c, b.Sub(x, y)):
	case b.Nonneg(c, b.Sub(y, x)):
		x, y = y, x
	case y.absorbs(k, x):
		return x
	case x.absorbs(k, y):
		return y
	default:
		if x.ID > y.ID {
			x, y = y, x
		}
		return b.pair(k, x, y)
	}
	if k == KindMax {
		return x
	}
	return y
}

// absorbs reports whether y is min(x, z) for some z and k a maximum, or the other way round: then
// x is what the two give.
func (y *Expr) absorbs(k Kind, x *Expr) bool {
	if len(y.terms) != 1 || !y.terms[0].Coef.is(1) || len(y.terms[0].mono.atoms) != 1 {
		return false
	}
	a := y.terms[0].mono.atoms[0]
	return a.Kind > KindFloor && a.Kind != k && (a.X == x || a.Y == x)
}

// Max returns the greater of x and y at c.
func (b *Builder) Max(c *Context, x, y *Expr) *Expr { return b.binary(c, KindMax, x, y) }

// Min returns the smaller of x and y at c.
func (b *Builder) Min(c *Context, x, y *Expr) *Expr { return b.binary(c, KindMin, x, y) }

func (b *Builder) pair(k Kind, x, y *Expr) *Expr {
	key := [3]int{int(k), x.ID, y.ID}
	a := b.binaries[key]
	if a == nil {
		a = b.atom(&Atom{Kind: k, X: x, Y: y})
		b.binaries[key] = a
		b.made(func() { delete(b.binaries, key) })
	}
	return a.expr
}

// Div returns x div y, rounded down, for a y that is positive wherever c is reached. Clauses that
// contradict each other, and axes without an index, make others: nobody is there to ask; it is 0.
func (b *Builder) Div(c *Context, x, y *Expr) *Expr {
	n, number := y.Const()
	switch m, ok := x.Const(); {
	case number && n.Sign() <= 0:
		return b.Const(0)
	case number && n.is(1):
		return x
	case number && ok:
		q, _ := m.DivMod(n)
		return b.Num(q)
	}
	a, r := b.Divide(x, y)
	if len(r.terms) == 0 {
		return a
	}
	key := b.division(c, r, y)
	if q := b.again(key, r, y); q != nil {
		if hasFloor(q) { // where more is known, it may be another
			b.refused++
		}
		return b.Add(a, q)
	}
	if b.within(c, r, y) {
		return a
	}
	if number { // numbers say in which cell r lies
		if in := b.span(c, r); !in.noLo && !in.noHi {
			low, _ := in.lo.DivMod(n)
			if high, _ := in.hi.DivMod(n); low.Cmp(high) == 0 {
				return b.Add(a, b.Num(low))
			}
		}
	}
	if b.within(c, b.Add(r, y), y) { // r lies in a cell nearby
		return b.AddInt(a, -1)
	}
	for k, s := int64(1), b.Sub(r, y); k <= maxNear && b.Nonneg(c, s); k, s = k+1, b.Sub(s, y) {
		if b.Nonneg(c, b.AddInt(b.Sub(y, s), -1)) {
			return b.AddInt(a, k)
		}
	}
	q := b.quotient(c, r, y)
	b.remember(key, r, q)
	return b.Add(a, q)
}

// quotient returns r div y, where y divides no part of r and r lies in no cell that is known.
func (b *Builder) quotient(c *Context, r, y *Expr) *Expr {
	for _, d := range r.terms { // (s + t div p) div y = (p·s + t) div (p·y)
		if f := d.mono.atoms; len(f) == 1 && f[0].Kind == KindFloor && d.Coef.is(1) {
			if s := b.Sub(r, f[0].expr); !hasFloor(s) {
				p := f[0].Y
				return b.Div(c, b.Add(b.Mul(p, s), f[0].X), b.Mul(p, y))
			}
		}
	}
	for _, g := range b.common(r, y) { // (g·s + t) div (g·k) = s div k for 0 <= t < g
		s, t := b.apart(r, g)
		k, rest := b.Divide(y, g)
		if len(s.terms) > 0 && len(rest.terms) == 0 && b.within(c, t, g) {
			return b.Div(c, s, k)
		}
	}
	return b.pair(KindFloor, r, y)
}

func hasFloor(e *Expr) bool {
	for _, t := range e.terms {
		for _, a := range t.mono.atoms {
			if a.Kind >= KindFloor {
				return true
			}
		}
	}
	return false
}

// Mod returns x - y·(x div y).
func (b *Builder) Mod(c *Context, x, y *Expr) *Expr { return b.Sub(x, b.Mul(y, b.Div(c, x, y))) }

// maxNear bounds the cells that a division looks at one by one.
const maxNear = 8

func (b *Builder) within(c *Context, x, y *Expr) bool {
	below := b.AddInt(b.Sub(y, x), -1)
	if b.refuted(c, below) {
		b.refused++
		return false
	}
	return b.Nonneg(c, x) && b.Nonneg(c, below)
}

// Divide writes x = y·a + r, taking out of x what the leading term of y divides; exact as
// polynomials, whatever the values are.
func (b *Builder) Divide(x, y *Expr) (a, r *Expr) {
	lead := y.terms[0]
	var quotient, rest []Term
	for len(x.terms) > 0 {
		head := x.terms[0]
		m, ok := b.over(head.mono, lead.mono)
		var k Num
		if ok && lead.Coef.Sign() > 0 {
			k, _ = head.Coef.DivMod(lead.Coef)
			if len(head.mono.atoms) > 0 && k.is(-1) && head.Coef.Add(lead.Coef).Sign() > 0 {
				k = Num{} // -i stays -i, it is not (q-1)·i - q·i
			}
		}
		if k.Sign() != 0 {
			part := []Term{{k, m}}
			quotient = append(quotient, part...)
			x = b.Sub(x, b.Mul(b.intern(part), y))
			if len(x.terms) == 0 || x.terms[0].mono != head.mono {
				continue
			}
			head = x.terms[0]
		}
		rest = append(rest, head)
		x = b.intern(x.terms[1:])
	}
	return b.sum(quotient), b.sum(rest)
}

// apart writes x = g·s + t termwise for a g of one term.
func (b *Builder) apart(x, g *Expr) (s, t *Expr) {
	var in, out []Term
	for _, term := range x.terms {
		m, ok := b.over(term.mono, g.terms[0].mono)
		k, rem := Num{}, term.Coef
		if ok {
			k, rem = term.Coef.DivMod(g.terms[0].Coef)
		}
		if !ok || rem.Sign() != 0 && len(term.mono.atoms) > 0 {
			out = append(out, term)
			continue
		}
		in, out = append(in, Term{k, m}), append(out, Term{rem, term.mono})
	}
	return b.sum(in), b.sum(out)
}

// common returns the divisors of a y of one term that it shares with terms of x, greatest first.
func (b *Builder) common(x, y *Expr) []*Expr {
	if len(y.terms) != 1 {
		return nil
	}
	var out []*Expr
	for _, t := range x.terms {
		if len(t.mono.atoms) == 0 {
			continue
		}
		var atoms []*Atom
		left := y.terms[0].mono.atoms
		for _, a := range t.mono.atoms {
			if i := slices.Index(left, a); i >= 0 {
				atoms, left = append(atoms, a), left[i+1:]
			}
		}
		g := b.intern([]Term{{t.Coef.gcd(y.terms[0].Coef), b.mono(atoms)}})
		if g != y && !g.Is(1) && !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	slices.SortStableFunc(out, func(p, q *Expr) int {
		if d := before(p.terms[0].mono, q.terms[0].mono); d != 0 {
			return d
		}
		return q.terms[0].Coef.Cmp(p.terms[0].Coef)
	})
	return out
}

// String prints an expression as certificates do, with names for its variables.
func (e *Expr) Format(name func(*Atom) string) string {
	parts := make([]string, 0, len(e.terms))
	for _, t := range e.terms {
		var p []string
		if !t.Coef.is(1) || len(t.mono.atoms) == 0 {
			p = append(p, t.Coef.String())
		}
		for _, a := range t.mono.atoms {
			if a.Kind < KindFloor {
				p = append(p, name(a))
				continue
			}
			op := [...]string{KindFloor: "div", KindMax: "max", KindMin: "min"}[a.Kind]
			p = append(p, fmt.Sprintf("(%s %s %s)", op, a.X.Format(name), a.Y.Format(name)))
		}
		parts = append(parts, wrap("*", p))
	}
	if len(parts) == 0 {
		return "0"
	}
	return wrap("+", parts)
}

func wrap(op string, parts []string) string {
	if len(parts) == 1 {
		return parts[0]
	}
	return "(" + op + " " + strings.Join(parts, " ") + ")"
}

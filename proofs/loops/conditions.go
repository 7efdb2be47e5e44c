package loops

import (
	"fmt"
	"slices"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// A conditioner states the conditions under which a procedure has no error.
type conditioner struct {
	integers
	t       *typing
	known   map[string]bool
	guarded bool     // at what data decides about (law 9)
	asked   []string // there
}

// conditions states all conditions of a typing, and refuses where one cannot be stated.
func (t *typing) conditions() {
	b := algebra.NewBuilder()
	n := &conditioner{t: t, known: map[string]bool{}}
	n.integers = integers{b, func(name string) *expr {
		return n.place(t.Env.Size(domain.NamedSize(name)))
	}}
	t.bound = t.ranges()
	n.sized()
	first := &instances{Builder: b, c: b.Root, outward: true}
	all := func(Stmt) bool { return true }
	n.visit(reached{&place{block: t.p.Body}, first}, all, n.statement)
	for _, key := range n.asked {
		if !n.known[key] {
			unsupported("%s, or not, depending on data", key)
		}
	}
}

func (n *conditioner) add(p *domain.Pred, format string, args ...any) {
	if key := p.String(); n.guarded && !n.t.cannotFail(p) {
		n.asked = append(n.asked, key)
	} else if !n.known[key] && !n.guarded && !n.t.cannotFail(p) {
		n.known[key] = true
		n.t.asked = append(n.t.asked, algebra.Condition{Pred: p, Msg: fmt.Sprintf(format, args...)})
	}
}

// statement states what a statement asks for where it is reached.
func (n *conditioner) statement(r reached) {
	switch s := r.statement().(type) {
	case *Assign:
		n.guarded = s.Guarded
		n.typed(s.Value.Elem == s.To.Buffer.Elem, "%s is assigned another type", s.To.Buffer.Name)
		n.within(r, s.To)
		n.data(r, s.Value)
	case *Require:
		n.guarded = s.Guarded
		for _, w := range n.ways(s.Cond, true, r.at, r.where.c) {
			n.never(r, w, "%s", s.Text)
		}
	case *For:
		if n.guarded = false; s.Unordered {
			n.unordered(r, s)
		}
	}
}

func (n *conditioner) typed(ok bool, format string, args ...any) {
	if !ok {
		algebra.Fail(algebra.CodeStatement, format, args...)
	}
}

func (n *conditioner) data(r reached, d *Data) {
	if d.Op == DataRead {
		n.typed(d.Elem == d.From.Buffer.Elem, "%s is read as another type", d.From.Buffer.Name)
		n.within(r, d.From)
		n.initialised(r, d.From)
	}
	before := n.guarded
	for i, a := range d.Args {
		choice := d.Op == DataChoose || d.Op == DataBoth || d.Op == DataEither
		n.guarded = before || choice && i > 0
		n.data(r, a)
	}
	n.guarded = before
}

// within asks for the subscripts of an access to lie within its dims.
func (n *conditioner) within(r reached, a Access) {
	b := a.Buffer
	n.typed(len(a.At) == len(b.Dims), "%s has %d dims", b.Name, len(b.Dims))
	for k, e := range n.all(a.At, r.at, r.where.c) {
		below := n.AddInt(r.where.negated(e), -1)
		above := n.Sub(e, n.place(n.t.Env.Size(b.Dims[k])))
		for _, out := range []*expr{below, above} {
			n.never(r, way{rest: []*expr{out}}, "an index of %s lies within axis %d", b.Name, k)
		}
	}
}

// never asks for a way in which things may be not to be one in which a statement is reached.
func (n *conditioner) never(r reached, w way, format string, args ...any) {
	for _, w := range r.where.split(w) {
		n.neverOne(r, w, format, args...)
	}
}

// neverOne is never for a way without greatest and least values.
func (n *conditioner) neverOne(r reached, w way, format string, args ...any) {
	where := r.where.clone()
	where.zero, where.rest = append(where.zero, w.zero...), append(where.rest, w.rest...)
	all := slices.Clone(where.rest)
	for _, e := range where.zero {
		all = append(all, e, where.negated(e))
	}
	if n.Impossible(all) || n.withoutFractions(where) {
		return
	}
	conds := where.exist()
	var some []*domain.Pred
	for _, e := range conds {
		follows := func(other *expr) bool { // conditions are different: of two none is lost
			d := n.Sub(e, other)
			return n.Nonneg(n.Root, d) && !n.Nonneg(n.Root, where.negated(d))
		}
		switch not := n.AddInt(where.negated(e), -1); {
		case n.Nonneg(n.Root, not):
			return
		case n.Nonneg(n.Root, e), slices.ContainsFunc(conds, follows):
		default:
			some = append(some, n.atMost(n.AddInt(e, 1)))
		}
	}
	switch len(some) {
	case 0:
		n.add(domain.Le(domain.IntSize(1), domain.IntSize(0)), format, args...)
	case 1:
		n.add(some[0], format, args...)
	default:
		n.add(domain.Or(some...), format, args...)
	}
}

// withoutFractions reports whether there are no instances even where fractions may lie between
// bounds (law 4): of products of sizes limits are known, of quotients by sizes they are not.
func (n *conditioner) withoutFractions(where *instances) bool {
	s := where.clone()
	s.fractions = true
	return slices.ContainsFunc(s.exist(), func(e *expr) bool {
		return n.t.cannotFail(n.atMost(n.AddInt(e, 1)))
	})
}

// initialised refuses an access that may read what no statement has written.
func (n *conditioner) initialised(r reached, a Access) {
	if n.t.p.Given(a.Buffer) {
		return
	}
	c := r.where.c
	for _, e := range r.where.conditions() {
		c = n.Assume(c, e)
	}
	s := &algebra.State{B: n.Builder, Terms: algebra.NewTerms()}
	t := newTrace(s, n.size)
	t.written = true
	t.back(&cell{a.Buffer, n.all(a.At, r.at, c)}, r.at, false, c)
}

// place is a size as an index expression.
func (n *conditioner) place(x domain.Size) (out *expr) {
	if v, ok := x.Const(); ok {
		return n.Num(algebra.BigNum(v))
	}
	if x.Op() == domain.SizeName {
		least, known := n.t.Env.Mins[x.Name()]
		if !known {
			least = 1
		}
		return n.Builder.Size(x.Name(), least)
	}
	for i, a := range x.Operands() {
		y := n.place(a)
		switch op := x.Op(); {
		case i == 0:
			out = y
		case op == domain.SizeAdd:
			out = n.Add(out, y)
		case op == domain.SizeMul:
			out = n.Mul(out, y)
		case op == domain.SizeMax:
			out = n.Max(n.Root, out, y)
		case op == domain.SizeMin:
			out = n.Min(n.Root, out, y)
		case !n.Nonneg(n.Root, n.AddInt(y, -1)):
			unsupported("a size divided by what is not known to be positive")
		case op == domain.SizeDiv:
			out = n.Div(n.Root, out, y)
		default:
			out = n.Mod(n.Root, out, y)
		}
	}
	return out
}

// atMost says that e is not positive: its summands stand where their factors are positive.
func (n *conditioner) atMost(e *expr) *domain.Pred {
	var sides [2]domain.Size
	for _, t := range e.Terms() {
		k, side := t.Coef, 0
		if k.Sign() < 0 {
			k, side = k.Neg(), 1
		}
		p := domain.BigSize(k.Big())
		for _, a := range t.Atoms() {
			p = p.Mul(n.factor(a))
		}
		sides[side] = sides[side].Add(p)
	}
	return domain.Le(sides[0], sides[1])
}

func (n *conditioner) factor(a *atom) domain.Size {
	whole := func(e *expr) (out domain.Size) {
		for _, t := range e.Terms() {
			p := domain.BigSize(t.Coef.Big())
			for _, b := range t.Atoms() {
				p = p.Mul(n.factor(b))
			}
			out = out.Add(p)
		}
		return out
	}
	switch a.Kind {
	case algebra.KindSize:
		return domain.NamedSize(a.Name)
	case algebra.KindFloor:
		return whole(a.X).Div(whole(a.Y))
	case algebra.KindMax:
		return whole(a.X).Max(whole(a.Y))
	case algebra.KindMin:
		return whole(a.X).Min(whole(a.Y))
	}
	unsupported("a condition that holds a counter")
	return domain.Size{}
}

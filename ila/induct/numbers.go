package induct

import (
	"slices"

	"tv/ila"
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// nonneg tells whether e >= 0 is known for all values of what it mentions. Beyond the test of package index it
// writes variables below floor divisions as digits, and takes single facts away.
func (p *inductor) nonneg(e *index.Expr) bool {
	if n, ok := e.Const(); ok {
		return n.Sign() >= 0
	}
	key := [2]int{p.ctx.ID(), e.ID()}
	if known, ok := p.known[key]; ok {
		return known
	}
	known := false
	if !p.negative(p.ctx, e) {
		known = p.decide(p.ctx, e)
		if !known {
			if ctx, list := p.split(e); len(list) > 0 {
				known = p.decide(ctx, p.ix.Subst(ctx, e, values(list)))
			}
		}
	}
	p.known[key] = known
	return known
}

// maxSearched bounds the facts of contexts in which more than quick is tried: the time of that grows with their number
// exponentially.
const maxSearched = 8

// decide tells whether e >= 0 is known in a context.
func (p *inductor) decide(ctx *index.Context, e *index.Expr) bool {
	e = p.primitive(p.ix.Condition(e))
	if p.quick(ctx, e) {
		return true
	}
	if len(ctx.Facts()) > maxSearched {
		return false
	}
	return p.ix.Nonneg(ctx, e) || p.atEnds(ctx, e, ctx.Facts())
}

// atEnds tells whether e >= 0 holds at the ends of the ranges of its variables, in each of which it is linear,
// the variable made last first. What the facts say is taken away from what is left, in multiples.
func (p *inductor) atEnds(ctx *index.Context, e *index.Expr, facts []*index.Expr) bool {
	v := lastVar(e)
	if v == nil {
		return p.ofSizes(ctx, p.lower(ctx, e, facts), facts, maxFacts)
	}
	return p.linearIn(e, v) && p.overRange(ctx, e, v, facts, func(e *index.Expr, facts []*index.Expr) bool { return p.atEnds(ctx, e, facts) })
}

// lastVar returns the variable of e that was made last: the ranges of those before do not mention it.
func lastVar(e *index.Expr) (v *index.Atom) {
	for _, a := range e.Free() {
		if a.Kind == index.Var {
			v = a
		}
	}
	return v
}

func (p *inductor) linearIn(e *index.Expr, v *index.Atom) bool {
	_, _, ok := p.ix.Linear(e, v)
	return ok
}

// overRange tells whether ask says yes of e, which is linear in v, where e is least on the range of v: at the one end that the sign of
// v's coefficient says, as far as it is known in signs, else at both. That v exists is a fact about sizes there.
func (p *inductor) overRange(signs *index.Context, e *index.Expr, v *index.Atom, facts []*index.Expr,
	ask func(e *index.Expr, facts []*index.Expr) bool) bool {
	c, r, _ := p.ix.Linear(e, v)
	last := p.ix.AddInt(v.Hi, -1)
	if some := p.ix.Sub(last, v.Lo); onlySizes(some) && len(some.Free()) > 0 {
		facts = append(facts[:len(facts):len(facts)], some)
	}
	at := func(end *index.Expr) bool { return ask(p.ix.Add(p.ix.Mul(c, end), r), facts) }
	switch {
	case p.ix.Nonneg(signs, c):
		return at(v.Lo)
	case p.ix.Nonneg(signs, p.neg(c)):
		return at(last)
	}
	return at(v.Lo) && at(last)
}

// floorBound returns what is at most den·e for e = c·floor(num/den) + r: num - den < den·floor(num/den) <= num. ok is false where e is
// not linear in the division d, or the sign of c is not known in signs.
func (p *inductor) floorBound(signs *index.Context, e *index.Expr, d *index.Atom) (bound *index.Expr, ok bool) {
	c, r, ok := p.ix.Linear(e, d)
	if !ok {
		return nil, false
	}
	num := d.Num
	if p.ix.Nonneg(signs, c) {
		num = p.ix.AddInt(p.ix.Sub(num, d.Den), 1)
	} else if !p.ix.Nonneg(signs, p.neg(c)) {
		return nil, false
	}
	return p.ix.Add(p.ix.Mul(c, num), p.ix.Mul(d.Den, r)), true
}

// lower returns e, or what is below it: floor divisions that are taken away in e and that facts do not mention,
// replaced by greater ones that they do.
func (p *inductor) lower(ctx *index.Context, e *index.Expr, facts []*index.Expr) *index.Expr {
	for _, t := range e.Terms() {
		for _, d := range t.Atoms() {
			if d.Kind != index.Floor || t.Coef.Sign() > 0 {
				continue
			}
			c, r, ok := p.ix.Linear(e, d)
			if !ok || !p.ix.Nonneg(ctx, p.neg(c)) {
				continue
			}
			for _, f := range facts {
				for _, u := range f.Terms() {
					for _, g := range u.Atoms() {
						if g.Kind == index.Floor && g != d && p.ix.Nonneg(ctx, p.ix.Sub(g.Expr(), d.Expr())) {
							return p.ix.Add(p.ix.Mul(c, g.Expr()), r)
						}
					}
				}
			}
		}
	}
	return e
}

// maxFacts bounds the facts that are combined for one answer.
const maxFacts = 4

// ofSizes tells whether e >= 0, over sizes, follows from the facts: products that e takes away are cancelled by
// multiples of facts f >= 0 that do, and floor divisions are replaced by their bounds.
func (p *inductor) ofSizes(ctx *index.Context, e *index.Expr, facts []*index.Expr, depth int) bool {
	e = p.primitive(e)
	if p.ix.Nonneg(ctx, e) {
		return true
	}
	for _, t := range e.Terms() {
		if depth == 0 || t.Coef.Sign() > 0 || len(t.Atoms()) == 0 {
			continue
		}
		for i, f := range facts {
			for _, u := range f.Terms() {
				least, ok := quotient(u.Atoms(), t.Atoms())
				if u.Coef.Sign() > 0 || !ok {
					continue
				}
				// f may only grow where the further factors of the product become their least values, and
				// u·e - t·f, both coefficients below 0, is free of the product then
				coef := u.Coef.Mul(index.Int(least))
				product := p.ix.Num(index.Int(1))
				for _, a := range t.Atoms() {
					product = p.ix.Mul(product, a.Expr())
				}
				grown := p.ix.Add(p.ix.Sub(f, p.ix.FromTerm(u)), p.ix.Scale(coef, product))
				x, y := p.ix.Scale(coef.Neg(), e), p.ix.Scale(t.Coef.Neg(), grown)
				rest := append(slices.Clone(facts[:i]), facts[i+1:]...)
				if p.ofSizes(ctx, p.ix.Sub(x, y), rest, depth-1) {
					return true
				}
			}
		}
	}
	for _, f := range facts {
		if p.ix.Nonneg(ctx, p.ix.Sub(e, f)) {
			return true
		}
	}
	for _, t := range e.Terms() {
		for _, d := range t.Atoms() {
			if d.Kind != index.Floor {
				continue
			}
			if at, ok := p.floorBound(ctx, e, d); ok {
				return p.ofSizes(ctx, at, facts, depth)
			}
		}
	}
	return false
}

// quotient returns the least value of the product of atoms without those of another, which it must hold; the others
// must be sizes from 1 on.
func quotient(atoms, without []*index.Atom) (least int64, ok bool) {
	least = 1
	n := 0
	for _, a := range atoms {
		if n < len(without) && a == without[n] {
			n++
			continue
		}
		if a.Kind != index.Size || a.Least < 1 {
			return 0, false
		}
		least *= a.Least
	}
	return least, n == len(without)
}

// primitive divides e >= 0 by what its coefficients have in common.
func (p *inductor) primitive(e *index.Expr) *index.Expr {
	g := index.Num{}
	for _, t := range e.Terms() {
		if len(t.Atoms()) > 0 {
			g = g.GCD(t.Coef)
		}
	}
	if g.Sign() == 0 || g.IsOne() {
		return e
	}
	out := p.ix.Const(0)
	for _, t := range e.Terms() {
		k, _ := t.Coef.DivMod(g)
		one := p.ix.Num(k)
		for _, a := range t.Atoms() {
			one = p.ix.Mul(one, a.Expr())
		}
		out = p.ix.Add(out, one)
	}
	return out
}

// zero tells whether e = 0 is known.
func (p *inductor) zero(e *index.Expr) bool { return e.IsZero() || p.nonneg(e) && p.nonneg(p.neg(e)) }

// div returns e div q; where a remainder is known, the quotient is free of divisions.
func (p *inductor) div(e, q *index.Expr) *index.Expr {
	a := p.ix.Quotient(e, q)
	r := p.ix.Sub(e, p.ix.Mul(q, a))
	for _, k := range []int64{0, 1, -1} {
		rest := p.ix.Sub(r, p.ix.Scale(index.Int(k), q))
		if p.nonneg(rest) && p.nonneg(p.ix.AddInt(p.ix.Sub(q, rest), -1)) {
			return p.ix.AddInt(a, k)
		}
	}
	return p.ix.Div(p.ctx, e, q)
}

// mod returns e mod q.
func (p *inductor) mod(e, q *index.Expr) *index.Expr { return p.ix.Sub(e, p.ix.Mul(q, p.div(e, q))) }

// A digits is a variable as digits: it is value, a sum of the parts times what they count, where the facts hold.
type digits struct {
	v       *index.Atom
	radices []*index.Expr
	parts   []*index.Atom // the lowest first; parts[0] counts ones, the next radices[0], and so on
	value   *index.Expr
	facts   []*index.Expr
}

// values returns what to put for variables that are taken apart.
func values(list []*digits) map[*index.Atom]*index.Expr {
	sub := map[*index.Atom]*index.Expr{}
	for _, d := range list {
		sub[d.v] = d.value
	}
	return sub
}

// split takes apart those variables of e that are divided by something, and returns the context in which the
// digits range.
func (p *inductor) split(e *index.Expr) (*index.Context, []*digits) {
	divided := map[*index.Atom][]*index.Expr{}
	var order []*index.Atom
	var visit func(*index.Expr)
	visit = func(e *index.Expr) {
		for _, t := range e.Terms() {
			for _, a := range t.Atoms() {
				if a.Kind != index.Floor {
					continue
				}
				visit(a.Num)
				if free := a.Num.Free(); len(free) == 1 && free[0].Kind == index.Var && a.Num == free[0].Expr() {
					v := free[0]
					if divided[v] == nil {
						order = append(order, v)
					}
					if !slices.Contains(divided[v], a.Den) {
						divided[v] = append(divided[v], a.Den)
					}
				}
			}
		}
	}
	visit(e)
	var list []*digits
	for _, v := range order {
		if !p.nonneg(v.Lo) {
			continue
		}
		if d := p.digitsOf(v, divided[v]); d != nil {
			list = append(list, d)
		}
	}
	if len(list) == 0 {
		return p.ctx, nil
	}
	sub := values(list)
	ctx := p.ix.Root()
	for _, f := range p.ctx.Facts() {
		if s := p.ix.Subst(ctx, f, sub); s != f {
			ctx = ctx.With(p.primitive(s))
		} else if !slices.Contains(ctx.Facts(), f) {
			ctx = ctx.With(f)
		}
	}
	for _, d := range list {
		for _, f := range d.facts {
			ctx = ctx.With(f)
		}
	}
	return ctx, list
}

// digitsOf returns v as digits below which all of the radices divide, or nil where they do not divide each other.
func (p *inductor) digitsOf(v *index.Atom, radices []*index.Expr) *digits {
	radices = slices.Clone(radices)
	for i := range radices { // insertion sort by divisibility
		for j := i; j > 0; j-- {
			if _, ok := p.ix.ExactDiv(radices[j-1], radices[j]); ok {
				radices[j-1], radices[j] = radices[j], radices[j-1]
			}
		}
	}
	key := [2]int{p.ctx.ID(), v.ID()}
	if d := p.digits[key]; d != nil && slices.Equal(d.radices, radices) {
		return d
	}
	zero := p.ix.Const(0)
	d := &digits{v: v, radices: radices, value: zero}
	below := p.ix.Const(1)
	for _, r := range radices {
		n, ok := p.ix.ExactDiv(r, below)
		if !ok {
			return nil
		}
		digit := p.ix.NewVar(v.Name, zero, n)
		d.parts = append(d.parts, digit)
		d.value = p.ix.Add(d.value, p.ix.Mul(below, digit.Expr()))
		below = r
	}
	last := p.ix.AddInt(v.Hi, -1)
	top := p.ix.NewVar(v.Name, zero, p.ix.AddInt(p.div(last, below), 1))
	d.parts = append(d.parts, top)
	d.value = p.ix.Add(d.value, p.ix.Mul(below, top.Expr()))
	d.facts = []*index.Expr{p.ix.Sub(last, d.value)}
	if !v.Lo.IsZero() {
		d.facts = append(d.facts, p.ix.Sub(d.value, v.Lo))
	}
	p.digits[key] = d
	return d
}

// parted puts what the digits of a variable are into m.
func (p *inductor) parted(d *digits, m map[*index.Atom]*index.Expr) {
	below := p.ix.Const(1)
	for i, part := range d.parts {
		e := p.div(d.v.Expr(), below)
		if i < len(d.radices) {
			n, _ := p.ix.ExactDiv(d.radices[i], below)
			e = p.mod(e, n)
			below = d.radices[i]
		}
		m[part] = e
	}
}

// number returns the integer e as a bit-vector: e modulo 2^width.
func (p *inductor) number(s term.Sort, e *index.Expr) *term.Term {
	if n, ok := e.Const(); ok {
		_, r := n.DivMod(index.BigNum(power(s.Width).Big()))
		return p.b.Bits(s.Width, r.Big().Uint64())
	}
	return p.b.Number(s, e)
}

// power returns 2^n.
func power(n int) index.Num {
	out := index.Int(1)
	for range n {
		out = out.Add(out)
	}
	return out
}

// num returns an integer that a bit-vector is modulo 2^width, where it is a number.
func (p *inductor) num(t *term.Term) (*index.Expr, bool) {
	switch {
	case t == nil:
		return nil, false
	case t.Op == term.Number:
		return t.Index[0], true
	case t.Op == term.Const && t.Sort.Kind == term.Unsigned:
		return p.ix.Num(index.BigNum(t.Value.Num())), true
	case t.Op == term.Extract:
		return p.bitsOf(t.Args[0], t.Low(), t.Sort.Width)
	}
	return nil, false
}

// bitsOf returns bits of a bit-vector as an integer, where it is a number.
func (p *inductor) bitsOf(t *term.Term, low, width int) (*index.Expr, bool) {
	e, ok := p.num(t)
	if !ok {
		return nil, false
	}
	if low == 0 {
		return e, true
	}
	e = p.value(t)
	q := p.div(e, p.ix.Num(power(low)))
	if low+width < t.Sort.Width {
		q = p.mod(q, p.ix.Num(power(width)))
	}
	return q, true
}

// value returns the value of a number as an unsigned integer.
func (p *inductor) value(t *term.Term) *index.Expr {
	e, ok := p.num(t)
	if !ok {
		p.stuck("%s depends on data", prove.Shorten(t.String()))
	}
	return p.reduced(e, t.Sort.Width)
}

func (p *inductor) reduced(e *index.Expr, width int) *index.Expr {
	modulus := power(width)
	if n, ok := e.Const(); ok {
		_, r := n.DivMod(modulus)
		return p.ix.Num(r)
	}
	m := p.ix.Num(modulus)
	base := p.balanced(e, width)
	if n, ok := base.Const(); ok {
		return p.ix.Num(n)
	}
	if p.oracle != nil {
		return base // a guess, checked later
	}
	for _, c := range []*index.Expr{base, p.ix.Sub(base, m), p.ix.Add(base, m)} {
		if p.nonneg(c) && p.nonneg(p.ix.AddInt(p.ix.Sub(m, c), -1)) {
			return c
		}
	}
	return p.mod(base, m)
}

// balanced returns e with coefficients modulo 2^width, those in the upper half as negative ones.
func (p *inductor) balanced(e *index.Expr, width int) *index.Expr {
	modulus, half := power(width), power(width-1)
	out := p.ix.Const(0)
	for _, t := range e.Terms() {
		_, c := t.Coef.DivMod(modulus)
		if c.Cmp(half) >= 0 {
			c = c.Sub(modulus)
		}
		part := p.ix.Num(c)
		for _, a := range t.Atoms() {
			part = p.ix.Mul(part, a.Expr())
		}
		out = p.ix.Add(out, part)
	}
	return out
}

// signed returns the value of a number as a signed integer.
func (p *inductor) signed(t *term.Term) *index.Expr {
	e := p.value(t)
	half := p.ix.Num(power(t.Sort.Width - 1))
	switch {
	case p.oracle != nil, p.nonneg(p.ix.AddInt(p.ix.Sub(half, e), -1)):
		return e
	case p.nonneg(p.ix.Sub(e, half)):
		return p.ix.Sub(e, p.ix.Num(power(t.Sort.Width)))
	}
	p.stuck("the sign of %s is open", e)
	return nil
}

// subst replaces atoms in a term.
func (p *inductor) subst(t *term.Term, m map[*index.Atom]*index.Expr) *term.Term {
	if len(m) == 0 {
		return t
	}
	memo := map[*term.Term]*term.Term{}
	return p.rebuild(t, memo, func(t *term.Term) *term.Term {
		switch t.Op {
		case term.Number:
			return p.number(t.Sort, p.ix.Subst(p.ctx, t.Index[0], m))
		case term.Read:
			if len(t.Index) == 0 {
				return t
			}
			return p.b.Read(t.Tensor, []*index.Expr{p.ix.Subst(p.ctx, t.Index[0], m)})
		case term.Reduce:
			v := t.Vars[0]
			lo, hi := p.ix.Subst(p.ctx, v.Lo, m), p.ix.Subst(p.ctx, v.Hi, m)
			inner := m
			if lo != v.Lo || hi != v.Hi {
				inner = map[*index.Atom]*index.Expr{}
				for a, e := range m {
					inner[a] = e
				}
				w := p.ix.NewVar(v.Name, lo, hi)
				inner[v] = w.Expr()
				v = w
			}
			return p.b.Reduce(term.Sum, []*index.Atom{v}, p.subst(t.Args[0], inner))
		}
		return nil
	})
}

// rebuild returns t with subterms replaced where f returns one; f sees a term before its arguments.
func (p *inductor) rebuild(t *term.Term, memo map[*term.Term]*term.Term, f func(*term.Term) *term.Term) *term.Term {
	return ila.Rebuild(p.b, t, memo, f)
}

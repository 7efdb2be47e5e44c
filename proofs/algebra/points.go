package algebra

// Programs that reshape many times nest divisions, each of which stands in several others: what is
// asked of an atom is remembered, or its cost doubles with each of them.

// pointsTried is how many points an inequality is tried at before it is decided.
const pointsTried = 6

// ranged is what is remembered of atoms where variables have the same ranges.
type ranged struct {
	spans  map[*Atom]span
	points [pointsTried]map[*Atom]*Num // nil: no value
}

// spanAt returns the span of a, remembered for those made of others.
func (b *Builder) spanAt(c *Context, a *Atom) span {
	if a.Kind < KindFloor {
		return b.spanOf(c, a)
	}
	s, ok := c.ranged.spans[a]
	if !ok {
		s = b.spanOf(c, a)
		c.ranged.spans[a] = s
	}
	return s
}

// negative reports whether e is below 0 at one of a few points of c, where all facts hold: nothing
// can then prove e >= 0.
func (c *Context) negative(e *Expr) bool {
	for k := range pointsTried {
		if v, ok := e.at(c.point(k)); ok && v.Sign() < 0 && c.holds(k) {
			return true
		}
	}
	return false
}

// refuted reports whether e >= 0 has no proof at c, as far as a few points tell.
func (b *Builder) refuted(c *Context, e *Expr) bool {
	if known, ok := b.nonneg[[2]int{c.ID, e.ID}]; ok {
		return !known
	}
	return c.negative(e)
}

// holds reports whether the facts of c hold at its point of number k.
func (c *Context) holds(k int) bool {
	if c.held[k] == open {
		c.held[k] = yes
		for f := c; f != nil; f = f.parent {
			if f.fact == nil {
				continue
			}
			if v, ok := f.fact.at(c.point(k)); !ok || v.Sign() < 0 {
				c.held[k] = no
			}
		}
	}
	return c.held[k] == yes
}

// point returns the values of atoms at the point of number k: the first and the last places of all
// ranges, then places between them.
func (c *Context) point(k int) func(*Atom) (Num, bool) {
	known := c.ranged.points[k]
	if known == nil {
		known = map[*Atom]*Num{}
		c.ranged.points[k] = known
	}
	var at func(a *Atom) (Num, bool)
	at = func(a *Atom) (Num, bool) {
		v, ok := known[a]
		if !ok {
			if n, some := c.place(a, k, at); some {
				v = &n
			}
			known[a] = v
		}
		if v == nil {
			return Num{}, false
		}
		return *v, true
	}
	return at
}

// place returns the value of a at the point of number k, where others have those that at gives.
func (c *Context) place(a *Atom, k int, at func(*Atom) (Num, bool)) (Num, bool) {
	some := int64(a.ID*(2*k+1)+k) % 1009
	switch a.Kind {
	case KindSize:
		return Int(a.Least + some%5), true
	case KindVar:
		low, high := c.Bounds(a)
		lo, okLo := low.at(at)
		hi, okHi := high.at(at)
		n, small := hi.Add(lo.Neg()).Int64()
		switch {
		case !okLo || !okHi || lo.Cmp(hi) >= 0:
			return Num{}, false
		case k == 0 || !small:
			return lo, true
		case k == 1:
			return hi.Add(Int(-1)), true
		}
		return lo.Add(Int(some % n)), true
	case KindSlot:
		return Num{}, false
	}
	return a.made(at)
}

// made returns the value of a division, maximum or minimum.
func (a *Atom) made(at func(*Atom) (Num, bool)) (Num, bool) {
	x, okX := a.X.at(at)
	y, okY := a.Y.at(at)
	switch {
	case !okX || !okY || a.Kind == KindFloor && y.Sign() <= 0:
		return Num{}, false
	case a.Kind == KindFloor:
		q, _ := x.DivMod(y)
		return q, true
	case (x.Cmp(y) > 0) == (a.Kind == KindMax):
		return x, true
	}
	return y, true
}

// divided is what was found of r div y: q.
type divided struct{ r, q *Expr }

// division returns what tells r div y from other divisions: numerators that differ by a multiple of
// y are one.
func (b *Builder) division(c *Context, r, y *Expr) [3]int {
	if n, ok := y.Const(); ok {
		var left []Term
		for _, t := range r.terms {
			if _, k := t.Coef.DivMod(n); k.Sign() != 0 {
				left = append(left, Term{k, t.mono})
			}
		}
		r = b.intern(left)
	}
	return [3]int{c.ID, r.ID, y.ID}
}

// again returns r div y as it follows from what was found of a numerator that differs by a multiple
// of y, else nil.
func (b *Builder) again(key [3]int, r, y *Expr) *Expr {
	known, ok := b.divided[key]
	if !ok {
		return nil
	}
	by, rest := b.Divide(b.Sub(r, known.r), y)
	if len(rest.terms) > 0 {
		return nil
	}
	return b.Add(by, known.q)
}

func (b *Builder) remember(key [3]int, r, q *Expr) {
	if _, known := b.divided[key]; !known {
		b.divided[key] = divided{r, q}
		b.made(func() { delete(b.divided, key) })
	}
}

// inside reports whether 0 <= x < y for a number y, by the spans of what x is made of or by a
// division made before.
func (b *Builder) inside(c *Context, x, y *Expr) bool {
	n, ok := y.Const()
	if !ok || n.Sign() <= 0 {
		return false
	}
	if s := b.span(c, x); !s.noLo && !s.noHi && s.lo.Sign() >= 0 && s.hi.Cmp(n) < 0 {
		return true
	}
	a, r := b.Divide(x, y)
	q := b.again(b.division(c, r, y), r, y)
	return q != nil && b.Add(a, q).Is(0)
}

// lies remembers that 0 <= x < y, as the caller knows: what is made of x does not show it. x div y
// is 0, and without the part a that y divides, -a.
func (b *Builder) lies(c *Context, x, y *Expr) {
	if a, r := b.Divide(x, y); len(r.terms) > 0 {
		b.remember(b.division(c, r, y), r, b.Scale(Int(-1), a))
	}
}

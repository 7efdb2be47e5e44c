package index

// pointsTried is how many points an inequality is tried at before it is decided.
const pointsTried = 8

// A box is what contexts in which all variables have the same ranges remember of atoms: divisions stand in other
// divisions, several times each, so that what is computed anew costs twice as much with each reshape.
type box struct {
	intervals map[*Atom]interval
	points    [pointsTried]map[*Atom]Num // values; of atoms without one it is in undefined
	undefined [pointsTried]map[*Atom]bool
}

// enclosure returns the interval of a at c.
func (b *Builder) enclosure(c *Context, a *Atom) interval {
	if a.Kind < Floor {
		return b.atomInterval(c, a)
	}
	if iv, ok := c.box.intervals[a]; ok {
		return iv
	}
	iv := b.atomInterval(c, a)
	if c.box.intervals == nil {
		c.box.intervals = map[*Atom]interval{}
	}
	c.box.intervals[a] = iv
	return iv
}

// negative reports whether e is below 0 at one of a few points of c: then no search can prove it.
func (b *Builder) negative(c *Context, e *Expr) bool {
	for k := range pointsTried {
		if v, ok := b.eval(e, c.point(k)); ok && v.Sign() < 0 && c.admits(k) {
			return true
		}
	}
	return false
}

// refuted reports whether e >= 0 is not to be proved at c, as it does not hold somewhere.
func (b *Builder) refuted(c *Context, e *Expr) bool {
	if known, ok := b.memo[nonnegKey{c.id, e.id}]; ok {
		return !known
	}
	return b.negative(c, e)
}

// admits reports whether the facts of c hold at its point k.
func (c *Context) admits(k int) bool {
	bit := uint16(1) << k
	for f := c; c.asked&bit == 0 && f != nil; f = f.parent {
		if f != c && f.box == c.box && f.asked&bit != 0 { // the same point: what was found there
			c.broken |= f.broken & bit
			break
		}
		if f.fact == nil {
			continue
		}
		if v, ok := c.b.eval(f.fact, c.point(k)); !ok || v.Sign() < 0 {
			c.broken |= bit
			break
		}
	}
	c.asked |= bit
	return c.broken&bit == 0
}

// point returns the values of sizes, variables and what is made of them at the point k of c.
func (c *Context) point(k int) func(*Atom) (Num, bool) {
	if c.box.points[k] == nil {
		c.box.points[k], c.box.undefined[k] = map[*Atom]Num{}, map[*Atom]bool{}
	}
	values, undefined := c.box.points[k], c.box.undefined[k]
	var at func(a *Atom) (Num, bool)
	at = func(a *Atom) (Num, bool) {
		if v, ok := values[a]; ok || undefined[a] {
			return v, ok
		}
		var v Num
		var ok bool
		if a.Kind < Floor {
			v, ok = c.place(a, k, at)
		} else {
			v, ok = c.b.evalAtom(a, at)
		}
		if ok {
			values[a] = v
		} else {
			undefined[a] = true
		}
		return v, ok
	}
	return at
}

// place chooses the value of a size or a variable at the point k: first ends of ranges, then something between them.
func (c *Context) place(a *Atom, k int, at func(*Atom) (Num, bool)) (Num, bool) {
	switch a.Kind {
	case Size:
		return Int(a.Least + int64((a.id*k+k)%5)), true
	case Slot:
		return Num{}, false
	}
	low, high := c.Bounds(a)
	lo, okLo := c.b.eval(low, at)
	hi, okHi := c.b.eval(high, at)
	if !okLo || !okHi || lo.Cmp(hi) >= 0 {
		return Num{}, false
	}
	last := hi.Sub(Int(1))
	n, small := last.Sub(lo).Int64()
	switch {
	case k >= 5 && small && n > 0:
		return lo.Add(Int(int64(a.id*k*k+k) % (n + 1))), true
	case (a.id+k)%2 == 1:
		return last, true
	}
	return lo, true
}

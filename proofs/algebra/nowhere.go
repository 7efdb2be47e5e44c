package algebra

// Bounds of what Nowhere does.
const (
	maxResidues = 8   // of a variable
	maxNowhere  = 256 // cases
)

// Nowhere reports whether nothing meets all that a context says: by elimination, or by cases of a
// variable inside quotients by numbers. One with few values has each of them; another one, v, is
// n·w + r for a number n that something is divided by, and each r from 0 on and below n.
func (b *Builder) Nowhere(c *Context) bool {
	var all []*Expr
	ranged := map[*Atom]bool{}
	within := func(v *Atom, lo, hi *Expr) {
		ranged[v] = true
		all = append(all, b.Sub(v.expr, lo), b.AddInt(b.Sub(hi, v.expr), -1))
	}
	for ; c != nil; c = c.parent {
		if c.fact != nil {
			all = append(all, c.fact)
		} else if c.v != nil {
			within(c.v, c.lo, c.hi)
		}
	}
	for i := 0; i < len(all); i++ {
		for _, v := range all[i].Free {
			if v.Kind == KindVar && !ranged[v] {
				within(v, v.Lo, v.Hi)
			}
		}
	}
	left := maxNowhere
	return b.nowhere(all, &left)
}

func (b *Builder) nowhere(all []*Expr, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	if b.Impossible(all) {
		return true
	}
	v, cases := b.residues(all)
	for _, x := range cases {
		var some []*Expr
		for _, e := range all {
			some = append(some, b.Subst(b.Root, e, map[*Atom]*Expr{v: x}))
		}
		if !b.nowhere(some, left) {
			return false
		}
	}
	return cases != nil
}

// residues is a variable inside a quotient by a number, and what it may be.
func (b *Builder) residues(all []*Expr) (v *Atom, cases []*Expr) {
	best := int64(maxResidues + 1)
	each := func(a *Atom, by int64) {
		lo, numberLo := a.Lo.Const()
		n, number := b.Sub(a.Hi, a.Lo).Const()
		if places, fits := n.Int64(); number && numberLo && fits && 0 < places && places < best {
			v, best, cases = a, places, nil
			for k := range places {
				cases = append(cases, b.AddInt(b.Num(lo), k))
			}
		} else if 1 < by && by < best {
			v, best, cases = a, by, nil
			m := b.Const(by)
			w := b.NewVar(b.Div(b.Root, a.Lo, m), b.AddInt(b.Div(b.Root, b.AddInt(a.Hi, -1), m), 1))
			for r := range by {
				cases = append(cases, b.AddInt(b.Scale(Int(by), w.expr), r))
			}
		}
	}
	var visit func(*Expr)
	visit = func(e *Expr) {
		for _, t := range e.terms {
			for _, d := range t.mono.atoms {
				if d.X == nil {
					continue
				}
				by, _ := d.Y.Const()
				if n, ok := by.Int64(); d.Kind == KindFloor && ok {
					for _, a := range d.X.Free {
						if a.Kind == KindVar {
							each(a, n)
						}
					}
				}
				visit(d.X)
				visit(d.Y)
			}
		}
	}
	for _, e := range all {
		visit(e)
	}
	return v, cases
}

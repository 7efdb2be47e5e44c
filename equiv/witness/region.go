package witness

import "tv/proofs/algebra"

const (
	maxRegions  = 1024 // regions that the output is cut into
	manyEnds    = 64   // of ranges, from which on those in the middle are cut at first
	maxElements = 256  // elements of an output that are compared one by one
)

// region proposes where to cut a region of the output.
func (f *finder) region(g *algebra.Goal) string {
	if f.regions++; f.regions > 2*maxRegions {
		return ""
	}
	if f.digits {
		if text := f.renumber(g); text != "" {
			return text
		}
	}
	var cut *algebra.Expr
	if f.elements {
		cut = f.half(g)
	} else {
		cut = openCondition(g)
	}
	if _, facts := g.Linear(); f.orders && !g.Undefined && (cut == nil || len(facts) > 0) {
		if text := f.order(g); text != "" { // after the cuts: there are none under an order
			return text
		}
	}
	switch {
	case cut == nil && f.words && !g.Undefined:
		return "(words)"
	case cut == nil:
		return ""
	}
	return "(cut " + cut.Format(namer(g, nil)) + ")"
}

// renumber proposes digits for the axes of the output that are divided, where the region is all of it.
func (f *finder) renumber(g *algebra.Goal) string {
	for _, v := range g.Vars {
		if lo, hi := g.C.Bounds(v); lo != v.Lo || hi != v.Hi {
			return ""
		}
	}
	ch := newChange(g)
	for range maxRounds {
		if done, _ := ch.split(); !done {
			break
		}
	}
	return ch.answer("map")
}

// half cuts the longest axis of a small output in two.
func (f *finder) half(g *algebra.Goal) *algebra.Expr {
	total, longest := int64(1), int64(1)
	var cut *algebra.Expr
	for _, v := range g.Vars {
		lo, hi := g.C.Bounds(v)
		first, ok1 := lo.Const()
		n, ok2 := g.B.Sub(hi, lo).Const()
		k, ok3 := n.Int64()
		l, ok4 := first.Int64()
		if !ok1 || !ok2 || !ok3 || !ok4 || k > maxElements {
			return nil
		}
		total *= k
		if total > maxElements {
			return nil
		}
		if k > longest {
			longest, cut = k, g.B.AddInt(v.Expr(), -l-k/2)
		}
	}
	return cut
}

// openCondition proposes a condition on the output's index that decides one that is left.
func openCondition(g *algebra.Goal) *algebra.Expr {
	b := g.B
	var cut *algebra.Expr
	consider := func(x *algebra.Expr) {
		if cut != nil {
			return
		}
		some := false
		for _, a := range x.Free {
			known := a.Kind == algebra.KindSize
			for _, v := range g.Vars {
				if a == v {
					known, some = true, true
				}
			}
			if !known {
				return
			}
		}
		if some && b.Open(g.C, x) {
			cut = x
		}
	}
	g.Parts(func(guards []*algebra.Expr, ranges []algebra.Range) {
		for _, x := range guards {
			least, most := x, x
			for _, r := range ranges {
				if r.Dim.Kind != algebra.KindSlot {
					continue
				}
				c, _, ok := b.Linear(x, r.Dim)
				if !ok || len(c.Terms()) == 0 {
					continue
				}
				lo, hi := r.Lo, b.AddInt(r.Hi, -1)
				if !b.Nonneg(g.C, c) {
					lo, hi = hi, lo
				}
				least = b.Subst(g.C, least, map[*algebra.Atom]*algebra.Expr{r.Dim: lo})
				most = b.Subst(g.C, most, map[*algebra.Atom]*algebra.Expr{r.Dim: hi})
			}
			consider(least)
			consider(most)
		}
	})
	var ends []*algebra.Expr
	g.Parts(func(_ []*algebra.Expr, ranges []algebra.Range) {
		for _, r := range ranges {
			if r.Dim.Kind == algebra.KindVar {
				ends = append(ends, b.Sub(r.Dim.Expr(), r.Lo), b.AddInt(b.Sub(r.Hi, r.Dim.Expr()), -1))
			}
		}
	})
	middle := 0
	if len(ends) > manyEnds {
		middle = len(ends) / 2
	}
	for i := range ends {
		consider(ends[(middle+i)%len(ends)])
	}
	return cut
}

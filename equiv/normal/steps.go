package normal

import (
	"math/big"
	"sort"

	"tv/internal/mix"
	"tv/semantics/index"
)

var zero = new(big.Rat)

// stepsOf adds boxes up to a step function, or unites them where members is set. The result is nil where it
// is 0 everywhere.
func (e *Engine) stepsOf(ctx *index.Context, bs []box, members bool) *steps {
	live := bs[:0:0]
	for _, b := range bs {
		if b.coef.Sign() != 0 {
			live = append(live, b)
		}
	}
	return e.stepsAt(ctx, live, make([]int, len(live)), members)
}

// stepsAt handles the boxes from the dim on that comes first among those that are left: at counts, for each
// box, the ranges that are done with.
func (e *Engine) stepsAt(ctx *index.Context, bs []box, at []int, members bool) *steps {
	if len(bs) == 0 {
		return nil
	}
	first, found := dim{}, false
	for i, b := range bs {
		if at[i] < len(b.ranges) {
			if d := b.ranges[at[i]].dim; !found || d.before(first) {
				first, found = d, true
			}
		}
	}
	if !found {
		coef := one
		if !members {
			coef = new(big.Rat)
			for _, b := range bs {
				coef.Add(coef, b.coef)
			}
			if m := e.laws.Modulus; m != nil && coef.IsInt() {
				coef.SetInt(new(big.Int).Mod(coef.Num(), m))
			}
		}
		if coef.Sign() == 0 {
			return nil
		}
		return e.internSteps(steps{coef: coef})
	}
	var full interval
	if first.v != nil {
		lo, hi := ctx.Bounds(first.v)
		full = interval{dim: first, lo: lo, hi: hi}
	}
	ranges := make([]interval, len(bs))
	next := make([]int, len(bs))
	for i, b := range bs {
		if at[i] < len(b.ranges) && b.ranges[at[i]].dim == first {
			ranges[i], next[i] = b.ranges[at[i]], at[i]+1
		} else {
			ranges[i], next[i] = full, at[i]
		}
	}
	var segs []segment
	ends, ok := e.sortEnds(e.b.Root(), ranges)
	if !ok && ctx != e.b.Root() { // it may be that they have an order here alone
		for i, r := range ranges {
			ranges[i].lo, ranges[i].hi = e.settled(ctx, r.lo), e.settled(ctx, r.hi)
		}
		ends, ok = e.sortEnds(ctx, ranges)
	}
	if ok {
		segs = e.sweep(ctx, bs, next, ranges, ends, members)
	} else {
		segs = e.byRange(ctx, bs, next, ranges, members)
	}
	if len(segs) == 0 {
		return nil
	}
	if first.v != nil && len(segs) == 1 && segs[0].lo == full.lo && segs[0].hi == full.hi {
		return segs[0].to
	}
	return e.internSteps(steps{dim: first, segs: segs})
}

// settled is an end with each maximum and minimum as the one of the two that it is here.
func (e *Engine) settled(ctx *index.Context, x *index.Expr) *index.Expr {
	m := map[*index.Atom]*index.Expr{}
	for _, a := range x.Free() {
		m[a] = a.Expr()
	}
	return e.b.Subst(ctx, x, m)
}

// sortEnds returns the ends of ranges in ascending order, or fails where two cannot be compared.
func (e *Engine) sortEnds(ctx *index.Context, ranges []interval) ([]*index.Expr, bool) {
	seen := map[*index.Expr]bool{}
	var ends []*index.Expr
	for _, r := range ranges {
		for _, x := range []*index.Expr{r.lo, r.hi} {
			if !seen[x] {
				seen[x] = true
				ends = append(ends, x)
			}
		}
	}
	ok := true
	sort.SliceStable(ends, func(i, j int) bool {
		x, cx := ends[i].Const()
		y, cy := ends[j].Const()
		if cx && cy {
			return x.Cmp(y) < 0
		}
		if e.b.Nonneg(ctx, e.b.Sub(ends[j], ends[i])) {
			return true
		}
		if !e.b.Nonneg(ctx, e.b.Sub(ends[i], ends[j])) {
			ok = false
		}
		return false
	})
	for i := 1; ok && i < len(ends); i++ {
		ok = e.b.Nonneg(ctx, e.b.Sub(ends[i], ends[i-1]))
	}
	return ends, ok
}

func (e *Engine) sweep(ctx *index.Context, bs []box, next []int, ranges []interval, ends []*index.Expr, members bool) []segment {
	place := make(map[*index.Expr]int, len(ends))
	for i, x := range ends {
		place[x] = i
	}
	cells := make([][]int, len(ends)-1) // boxes over each elementary interval
	for i, r := range ranges {
		for c := place[r.lo]; c < place[r.hi]; c++ {
			cells[c] = append(cells[c], i)
		}
	}
	var segs []segment
	for c, in := range cells {
		sub := make([]box, len(in))
		at := make([]int, len(in))
		for k, i := range in {
			sub[k], at[k] = bs[i], next[i]
		}
		to := e.stepsAt(ctx, sub, at, members)
		if to == nil {
			continue
		}
		if n := len(segs); n > 0 && segs[n-1].hi == ends[c] && segs[n-1].to == to {
			segs[n-1].hi = ends[c+1]
			e.used |= UsedCuts
			continue
		}
		segs = append(segs, segment{ends[c], ends[c+1], to})
	}
	return segs
}

// byRange keeps ranges that cannot be ordered apart: equal ones are added up, the others overlap.
func (e *Engine) byRange(ctx *index.Context, bs []box, next []int, ranges []interval, members bool) []segment {
	type ends struct{ lo, hi *index.Expr }
	groups := map[ends][]int{}
	var order []ends
	for i, r := range ranges {
		k := ends{r.lo, r.hi}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], i)
	}
	sort.Slice(order, func(i, j int) bool {
		if order[i].lo != order[j].lo {
			return order[i].lo.ID() < order[j].lo.ID()
		}
		return order[i].hi.ID() < order[j].hi.ID()
	})
	var segs []segment
	for _, k := range order {
		var sub []box
		var at []int
		for _, i := range groups[k] {
			sub, at = append(sub, bs[i]), append(at, next[i])
		}
		if to := e.stepsAt(ctx, sub, at, members); to != nil {
			segs = append(segs, segment{k.lo, k.hi, to})
		}
	}
	return segs
}

func (e *Engine) internSteps(s steps) *steps {
	h := uint64(s.dim.slot)
	if s.dim.v != nil {
		h = mix.Word(h, uint64(s.dim.v.ID()))
	}
	if s.coef != nil {
		h = mix.String(h, s.coef.RatString())
	}
	for _, g := range s.segs {
		h = mix.Word(mix.Word(mix.Word(h, uint64(g.lo.ID())), uint64(g.hi.ID())), uint64(g.to.id))
	}
	h &= hashMask
next:
	for _, o := range e.steps[h] {
		if o.dim != s.dim || len(o.segs) != len(s.segs) || (o.coef == nil) != (s.coef == nil) ||
			o.coef != nil && o.coef.Cmp(s.coef) != 0 {
			continue
		}
		for i := range s.segs {
			if o.segs[i] != s.segs[i] {
				continue next
			}
		}
		return o
	}
	e.nsteps++
	s.id = e.nsteps
	kept := s
	e.steps[h] = append(e.steps[h], &kept)
	return &kept
}

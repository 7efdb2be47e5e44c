package algebra

import (
	"encoding/binary"
	"math/big"
	"slices"
)

// An interval is the range [lo, hi) of a dimension: a free variable or a slot.
type interval struct {
	dim    *Atom
	lo, hi *Expr
}

// A box has a coefficient on the product of its ranges, which are in the order of rank.
type box struct {
	coef   *big.Rat
	ranges []interval
}

// Steps are a function from the places of a box to coefficients: 0 outside segs. Interned: equal
// functions are the same pointer, as far as the ends can be ordered.
type steps struct {
	id   int
	dim  *Atom
	segs []segment
	coef *big.Rat // of the function without dimensions
}

type segment struct {
	lo, hi *Expr
	to     *steps
}

func rank(a *Atom) int {
	if a.Kind == KindSlot {
		return 1<<40 + a.N
	}
	return a.ID
}

// boxes lists the boxes of a step function.
func boxes(s *steps) []box {
	if s.dim == nil {
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

func (s *steps) free() []*Atom {
	var out []*Atom
	for _, g := range s.segs {
		if s.dim.Kind == KindVar {
			out = union(out, []*Atom{s.dim})
		}
		out = union(union(union(out, g.lo.Free), g.hi.Free), g.to.free())
	}
	return out
}

// stepsOf adds boxes up, or unites them as sets; nil where the result is 0 everywhere.
func (e *engine) stepsOf(c *Context, bs []box, set bool) *steps {
	return e.stepsAt(c, bs, make([]int, len(bs)), set)
}

// stepsAt handles the dimensions that are left: done counts, for each box, the ranges behind.
func (e *engine) stepsAt(c *Context, bs []box, done []int, set bool) *steps {
	e.spend(len(bs))
	if len(bs) == 0 {
		return nil
	}
	var dim *Atom
	for i, b := range bs {
		if done[i] < len(b.ranges) {
			if d := b.ranges[done[i]].dim; dim == nil || rank(d) < rank(dim) {
				dim = d
			}
		}
	}
	if dim == nil {
		coef := one
		if !set {
			coef = new(big.Rat)
			for _, b := range bs {
				coef.Add(coef, b.coef)
			}
			if m := e.laws.modulus; m != nil && coef.IsInt() {
				coef.SetInt(new(big.Int).Mod(coef.Num(), m))
			}
		}
		if coef.Sign() == 0 {
			return nil
		}
		return e.internSteps(steps{coef: coef})
	}
	var full interval
	if dim.Kind == KindVar {
		full.lo, full.hi = c.Bounds(dim)
	}
	ranges, next := make([]interval, len(bs)), make([]int, len(bs))
	for i, b := range bs {
		ranges[i], next[i] = full, done[i]
		if done[i] < len(b.ranges) && b.ranges[done[i]].dim == dim {
			ranges[i], next[i] = b.ranges[done[i]], done[i]+1
		} else if full.lo == nil {
			Fail(CodeUnsupported, "a box without a range for a slot")
		}
	}
	segs := e.sweep(c, bs, next, ranges, set)
	if len(segs) == 0 {
		return nil
	}
	if len(segs) == 1 && segs[0].lo == full.lo && segs[0].hi == full.hi {
		return segs[0].to
	}
	return e.internSteps(steps{dim: dim, segs: segs})
}

// sweep cuts the ranges at all their ends, in order. Where two ends have no known order, ranges
// with the same ends are added up and the others are kept beside each other: they may overlap.
func (e *engine) sweep(c *Context, bs []box, next []int, ranges []interval, set bool) []segment {
	ends, ok := e.order(e.Root, ranges)
	if !ok && c != e.Root { // there may be an order here alone
		for i, r := range ranges {
			ranges[i].lo, ranges[i].hi = e.settled(c, r.lo), e.settled(c, r.hi)
		}
		ends, ok = e.order(c, ranges)
	}
	var segs []segment
	emit := func(lo, hi *Expr, in []int) {
		sub, at := make([]box, len(in)), make([]int, len(in))
		for k, i := range in {
			sub[k], at[k] = bs[i], next[i]
		}
		to := e.stepsAt(c, sub, at, set)
		if n := len(segs); ok && to != nil && n > 0 && segs[n-1].hi == lo && segs[n-1].to == to {
			segs[n-1].hi = hi
		} else if to != nil {
			segs = append(segs, segment{lo, hi, to})
		}
	}
	if ok {
		place := make(map[*Expr]int, len(ends))
		for i, x := range ends {
			place[x] = i
		}
		cells := make([][]int, len(ends))
		for i, r := range ranges {
			for k := place[r.lo]; k < place[r.hi]; k++ {
				cells[k] = append(cells[k], i)
			}
		}
		for k, in := range cells[:len(ends)-1] {
			emit(ends[k], ends[k+1], in)
		}
		return segs
	}
	groups := map[[2]int][]int{}
	var keys [][2]int
	for i, r := range ranges {
		k := [2]int{r.lo.ID, r.hi.ID}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], i)
	}
	slices.SortFunc(keys, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
	for _, k := range keys {
		r := ranges[groups[k][0]]
		emit(r.lo, r.hi, groups[k])
	}
	return segs
}

// settled is an end in which a maximum or minimum is the one of two that it is here.
func (e *engine) settled(c *Context, x *Expr) *Expr {
	same := map[*Atom]*Expr{}
	for _, a := range x.Free {
		same[a] = a.expr
	}
	return e.Subst(c, x, same)
}

// order sorts the ends of ranges at c, or fails where two cannot be compared.
func (e *engine) order(c *Context, ranges []interval) ([]*Expr, bool) {
	seen := map[*Expr]bool{}
	var ends []*Expr
	for _, r := range ranges {
		for _, x := range []*Expr{r.lo, r.hi} {
			if !seen[x] {
				seen[x] = true
				ends = append(ends, x)
			}
		}
	}
	slices.SortStableFunc(ends, func(x, y *Expr) int {
		m, okX := x.Const()
		n, okY := y.Const()
		switch {
		case okX && okY:
			return m.Cmp(n)
		case e.Nonneg(c, e.Sub(y, x)):
			return -1
		case e.Nonneg(c, e.Sub(x, y)):
			return 1
		}
		return 0
	})
	for i := 1; i < len(ends); i++ {
		if !e.Nonneg(c, e.Sub(ends[i], ends[i-1])) {
			return nil, false
		}
	}
	return ends, true
}

func (e *engine) internSteps(s steps) *steps {
	var k []byte
	if s.coef != nil {
		k = append(k, s.coef.RatString()...)
	} else {
		k = binary.AppendUvarint(append(k, 'd'), uint64(rank(s.dim)))
	}
	for _, g := range s.segs {
		for _, n := range []int{g.lo.ID, g.hi.ID, g.to.id} {
			k = binary.AppendUvarint(k, uint64(n))
		}
	}
	if known := e.engineSteps[string(k)]; known != nil {
		return known
	}
	s.id = len(e.engineSteps) + 1
	e.engineSteps[string(k)] = &s
	return &s
}

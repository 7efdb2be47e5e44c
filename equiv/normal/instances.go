package normal

import (
	"fmt"
	"slices"
	"sort"

	"tv/semantics/index"
)

// joinInstances finds bodies that are another body with one slot at one position, as x[3] is of the sum of x[k] over
// k < 3, and makes their boxes boxes of that body. lists may lose bodies, order too.
func (e *Engine) joinInstances(ctx *index.Context, order []*body, lists map[*body][]box) []*body {
	if len(order) < 2 || len(order) > maxJoined {
		return order
	}
	joined := map[*body]bool{}
	for _, in := range order {
		for _, p := range order {
			if p.slots != in.slots+1 || joined[p] || in.term != p.term || len(in.factors) != len(p.factors) {
				continue
			}
			if e.join(ctx, in, p, lists) {
				joined[in] = true
				e.used |= UsedCuts
				break
			}
		}
	}
	if len(joined) == 0 {
		return order
	}
	var kept []*body
	for _, bd := range order {
		if !joined[bd] {
			kept = append(kept, bd)
		}
	}
	return kept
}

// maxJoined bounds the bodies among which instances are looked for.
const maxJoined = 64

// instanceWork is what a look at an instance costs, in summands closed: it numbers variables anew each time.
const instanceWork = 16

// join moves the boxes of in to p if in is p with a slot at a position that in's reads, or the ends of p's boxes,
// suggest.
func (e *Engine) join(ctx *index.Context, in, p *body, lists map[*body][]box) bool {
	have, some := in.offsets()
	want, also := p.offsets()
	if !some || !also || len(have) != len(want) {
		return false
	}
	for i := range have {
		if have[i].tensor != want[i].tensor {
			return false
		}
	}
	for n := range p.slots {
		slot := e.b.Slot(p.base + n)
		for _, at := range e.positions(slot, have, want, lists[p]) {
			in2p, ok := e.instance(ctx, in, p, n, at)
			if !ok {
				continue
			}
			for _, b := range lists[in] {
				lists[p] = append(lists[p], in2p(b))
			}
			return true
		}
	}
	return false
}

// positions proposes where a slot may stand.
func (e *Engine) positions(slot *index.Atom, have, want []offset, bs []box) []*index.Expr {
	var out []*index.Expr
	seen := map[*index.Expr]bool{}
	add := func(x *index.Expr) {
		if !seen[x] && !hasSlot(x) && len(out) < 16 {
			seen[x] = true
			out = append(out, x)
		}
	}
	for _, w := range want {
		c, rest, ok := e.b.Linear(w.at, slot)
		if !ok || c.IsZero() {
			continue
		}
		for _, h := range have {
			if h.tensor != w.tensor {
				continue
			}
			if v, exact := e.b.ExactDiv(e.b.Sub(h.at, rest), c); exact {
				add(v)
			}
		}
		break
	}
	for _, b := range bs {
		for _, r := range b.ranges {
			if r.dim.v == nil && r.dim.slot == slot.N {
				add(r.hi)
				add(e.b.AddInt(r.lo, -1))
				add(r.lo)
				add(e.b.AddInt(r.hi, -1))
			}
		}
	}
	return out
}

type offset struct {
	tensor int
	at     *index.Expr
}

// maxOffsets bounds the factors of bodies that are held against each other.
const maxOffsets = 4_000

// offsets lists the reads of a body by tensor, one for each path to it: an instance may have the same read twice where the
// body that it is of has two. There may be too many paths: then ok is false.
func (bd *body) offsets() (out []offset, ok bool) {
	left := maxOffsets
	var in func(fs []factor)
	in = func(fs []factor) {
		for _, f := range fs {
			if left--; left < 0 {
				return
			}
			if f.atom.kind == readAtom {
				out = append(out, offset{f.atom.tensor.ID, f.atom.offset})
			}
			for _, p := range f.atom.polys {
				for _, pt := range p.parts {
					in(pt.body.factors)
				}
			}
		}
	}
	in(bd.factors)
	sort.SliceStable(out, func(i, j int) bool { return out[i].tensor < out[j].tensor })
	return out, left >= 0
}

// instance reports whether p with its n-th slot at a position is in, and how boxes of in become boxes of p. The
// other variables of p are given ranges with names that tell which slot of in each becomes, and how far it is shifted.
func (e *Engine) instance(ctx *index.Context, in, p *body, n int, at *index.Expr) (func(box) box, bool) {
	e.spend(instanceWork)
	s := &summand{coef: one, guards: p.guards, factors: p.factors}
	if p.term {
		s.isTerm, s.factors, s.value = true, nil, e.open(p.factors[0].atom.polys[0])
	}
	m := map[*index.Atom]*index.Expr{}
	for i := range p.slots {
		if i == n {
			m[e.b.Slot(p.base+i)] = at
			continue
		}
		lo := e.b.Scale(index.Int(-1), e.b.Size(fmt.Sprintf("lo#%d", i), 0)) // so that no condition is decided
		v := e.b.NewVar("k", lo, e.b.Add(lo, e.b.Size(fmt.Sprintf("extent#%d", i), 2)))
		s.vars = append(s.vars, v)
		m[e.b.Slot(p.base+i)] = v.Expr()
	}
	out := e.substSummand(ctx, s, m)
	if len(out) != 1 {
		return nil, false
	}
	red := e.reduce(ctx, out[0], productMode) // which neither drops nor merges variables
	if len(red) != 1 || len(red[0].vars) != in.slots || red[0].coef.Cmp(one) != 0 {
		return nil, false
	}
	bd, bx := e.slotted(ctx, red[0])
	if bd != in || len(bx.ranges) != in.slots {
		return nil, false
	}
	slotOf := make([]int, in.slots) // of p, for each slot of in
	shift := make([]*index.Expr, in.slots)
	for j, r := range bx.ranges {
		found := false
		for i := range p.slots {
			lo := e.b.Size(fmt.Sprintf("lo#%d", i), 0)
			if i == n || !r.lo.Mentions(lo.Free()[0]) {
				continue
			}
			slotOf[j], shift[j] = i, e.b.Add(r.lo, lo)
			found = onlySizes(r.lo) && e.b.Sub(r.hi, r.lo) == e.b.Size(fmt.Sprintf("extent#%d", i), 2)
		}
		if !found {
			return nil, false
		}
	}
	return func(b box) box {
		c := box{coef: b.coef}
		slots := make([]interval, p.slots)
		slots[n] = interval{dim{slot: p.base + n}, at, e.b.AddInt(at, 1)}
		for _, r := range b.ranges {
			if r.dim.v != nil {
				c.ranges = append(c.ranges, r)
				continue
			}
			j := r.dim.slot - in.base
			slots[slotOf[j]] = interval{dim{slot: p.base + slotOf[j]}, e.b.Sub(r.lo, shift[j]), e.b.Sub(r.hi, shift[j])}
		}
		c.ranges = append(c.ranges, slots...)
		return c
	}, true
}

// hasSlot tells whether a slot occurs in x.
func hasSlot(x *index.Expr) bool {
	return slices.ContainsFunc(x.Free(), func(a *index.Atom) bool { return a.Kind == index.Slot })
}

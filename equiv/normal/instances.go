package normal

import (
	"sort"

	"tv/semantics/index"
)

// maxPairs bounds the pairs of bodies that are looked at for instances.
const maxPairs = 4096

// joinInstances finds bodies without slots that are a body with slots at one position, as x[3] is of the sum of
// x[k] over k < 3, and makes them boxes of one position of that body. lists may lose bodies, order too.
func (e *Engine) joinInstances(ctx *index.Context, order []*body, lists map[*body][]box) []*body {
	var plain, slotted []*body
	for _, bd := range order {
		if bd.slots == 0 {
			plain = append(plain, bd)
		} else {
			slotted = append(slotted, bd)
		}
	}
	if len(plain) == 0 || len(slotted) == 0 || len(plain)*len(slotted) > maxPairs {
		return order
	}
	joined := map[*body]bool{}
	for _, in := range plain {
		for _, p := range slotted {
			at, ok := e.instance(ctx, in, p)
			if !ok {
				continue
			}
			for _, b := range lists[in] {
				for i, x := range at {
					b.ranges = append(b.ranges[:len(b.ranges):len(b.ranges)],
						interval{dim{slot: p.base + i}, x, e.b.AddInt(x, 1)})
				}
				lists[p] = append(lists[p], b)
			}
			joined[in] = true
			e.used |= UsedCuts
			break
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

type offset struct {
	tensor int
	at     *index.Expr
}

func (bd *body) offsets() []offset {
	var out []offset
	for _, f := range bd.factors {
		f.atom.eachOffset(func(tensor int, at *index.Expr) { out = append(out, offset{tensor, at}) })
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].tensor < out[j].tensor })
	return out
}

// instance returns the values of p's slots at which it is in.
func (e *Engine) instance(ctx *index.Context, in, p *body) ([]*index.Expr, bool) {
	if in.term != p.term || len(in.factors) != len(p.factors) {
		return nil, false
	}
	have, want := in.offsets(), p.offsets()
	if len(have) != len(want) {
		return nil, false
	}
	for i := range have {
		if have[i].tensor != want[i].tensor {
			return nil, false
		}
	}
	return e.solve(ctx, in, p, have, want, make([]*index.Expr, p.slots))
}

// solve finds values for the slots that are still nil from reads of the same tensor.
func (e *Engine) solve(ctx *index.Context, in, p *body, have, want []offset, at []*index.Expr) ([]*index.Expr, bool) {
	missing := -1
	for i, x := range at {
		if x == nil {
			missing = i
		}
	}
	m := map[*index.Atom]*index.Expr{}
	for i, x := range at {
		if x != nil {
			m[e.b.Slot(p.base+i)] = x
		}
	}
	if missing < 0 {
		s := &summand{coef: one, guards: p.guards, factors: p.factors}
		if p.term {
			s.isTerm, s.factors, s.value = true, nil, e.open(p.factors[0].atom.polys[0])
		}
		out := e.substSummand(ctx, s, m)
		if len(out) != 1 {
			return nil, false
		}
		red := e.reduce(ctx, out[0], sumMode)
		if len(red) != 1 || len(red[0].vars) > 0 || red[0].coef.Cmp(one) != 0 {
			return nil, false
		}
		bd, bx := e.slotted(ctx, red[0])
		return at, bd == in && len(bx.ranges) == 0
	}
	for _, w := range want {
		x := e.b.Subst(ctx, w.at, m)
		var slot *index.Atom
		n := 0
		for i := range at {
			if s := e.b.Slot(p.base + i); x.Mentions(s) {
				slot, n = s, n+1
			}
		}
		if n != 1 {
			continue
		}
		c, rest, ok := e.b.Linear(x, slot)
		if !ok {
			continue
		}
		for _, h := range have {
			if h.tensor != w.tensor {
				continue
			}
			v, exact := e.b.ExactDiv(e.b.Sub(h.at, rest), c)
			if !exact || !onlySizes(v) {
				continue
			}
			next := append([]*index.Expr(nil), at...)
			next[slot.N-p.base] = v
			if found, ok := e.solve(ctx, in, p, have, want, next); ok {
				return found, true
			}
		}
		return nil, false
	}
	return nil, false
}

package induct

import (
	"encoding/binary"
	"slices"

	"tv/semantics/index"
)

// maxSteps bounds the facts that are taken away for one answer.
const maxSteps = 10

// mostCancels bounds the search for one answer.
const mostCancels = 400

// quick tells whether e >= 0 follows from the ends of ranges, the bounds of divisions and products of facts with sizes.
// Each step is kept only if no point of the context shows that it loses too much, so that few are tried.
func (p *inductor) quick(ctx *index.Context, e *index.Expr) bool {
	var facts, others []*index.Expr
	for _, f := range ctx.Facts() {
		if onlySizes(f) {
			facts = append(facts, f)
		} else {
			others = append(others, f)
		}
	}
	if p.quickly(ctx, e, facts) {
		return true
	}
	for _, f := range others {
		if p.quickly(ctx, p.ix.Sub(e, f), facts) {
			return true
		}
	}
	return false
}

// quickly is quick with the facts about sizes, those that there is a value of a variable included.
func (p *inductor) quickly(ctx *index.Context, e *index.Expr, facts []*index.Expr) bool {
	if n, ok := e.Const(); ok {
		return n.Sign() >= 0
	}
	if p.negative(ctx, e) {
		return false
	}
	v := lastVar(e)
	if v == nil {
		return p.sizesOnly(ctx, e, facts) || p.withoutFloors(ctx, e, facts)
	}
	if !p.linearIn(e, v) {
		return p.withoutFloors(ctx, e, facts)
	}
	return p.overRange(p.bare, e, v, facts, func(e *index.Expr, facts []*index.Expr) bool { return p.quickly(ctx, e, facts) })
}

// withoutFloors replaces a division by its bound: num - den < den·d <= num.
func (p *inductor) withoutFloors(ctx *index.Context, e *index.Expr, facts []*index.Expr) bool {
	for _, t := range e.Terms() {
		for _, d := range t.Atoms() {
			if d.Kind != index.Floor {
				continue
			}
			if at, ok := p.floorBound(p.bare, e, d); ok {
				return p.quickly(ctx, p.primitive(at), facts)
			}
		}
	}
	return false
}

// sizesOnly tells whether e >= 0, over sizes, is a sum of products of facts and sizes, and of what is never negative. All
// is written over what sizes exceed their least values by: then what is taken away has to be cancelled by facts.
func (p *inductor) sizesOnly(ctx *index.Context, e *index.Expr, facts []*index.Expr) bool {
	key := binary.AppendUvarint(nil, uint64(ctx.ID()))
	key = binary.AppendUvarint(key, uint64(e.ID()))
	for _, f := range facts {
		key = binary.AppendUvarint(key, uint64(f.ID()))
	}
	if known, ok := p.sized[string(key)]; ok {
		return known
	}
	known := p.byCancelling(ctx, e, facts)
	p.sized[string(key)] = known
	return known
}

// byCancelling is sizesOnly where it was not asked before: questions about different variables often end in the same one.
func (p *inductor) byCancelling(ctx *index.Context, e *index.Expr, facts []*index.Expr) bool {
	list := make([]*index.Expr, len(facts))
	for i, f := range facts {
		list[i] = p.excess(f)
	}
	points := p.points(ctx)
	e = p.excess(e)
	slices.SortStableFunc(list, func(x, y *index.Expr) int { return len(x.Terms()) - len(y.Terms()) }) // limits first
	for _, p.lowers = range []bool{false, true} {
		p.cancels = 0
		if p.cancelled(points, e, list, maxSteps, map[cancelling]bool{}) {
			return true
		}
	}
	return false
}

// A cancelling is a question and the steps that are left for it.
type cancelling struct{ e, steps int }

// excess writes an expression over what sizes exceed their least values by.
func (p *inductor) excess(e *index.Expr) *index.Expr {
	if known := p.excesses[e]; known != nil {
		return known
	}
	m := map[*index.Atom]*index.Expr{}
	for _, a := range e.Free() {
		if a.Kind == index.Size && a.Least != 0 {
			m[a] = p.ix.AddInt(p.excessOf(a).Expr(), a.Least)
		}
	}
	out := p.ix.Subst(p.bare, e, m)
	p.excesses[e] = out
	return out
}

// cancelled tells whether e >= 0, over excesses, by facts that cancel what is negative in it, the greatest product first.
func (p *inductor) cancelled(points []point, e *index.Expr, facts []*index.Expr, steps int, failed map[cancelling]bool) bool {
	p.cancels++
	if p.cancels > mostCancels {
		return false
	}
	terms := e.Terms()
	lead := -1
	for i, t := range terms {
		if t.Coef.Sign() < 0 {
			lead = i
			break
		}
		for _, a := range t.Atoms() {
			if !p.natural(a) {
				return false
			}
		}
	}
	key := cancelling{e.ID(), steps}
	switch {
	case lead < 0:
		return true
	case steps == 0 || failed[key]:
		return false
	}
	t := terms[lead]                            // no fact takes a constant away
	for _, whole := range []bool{true, false} { // facts about the very product first
		for _, f := range facts {
			if p.cancels > mostCancels {
				return false
			}
			for _, u := range f.Terms() {
				if u.Coef.Sign() > 0 || len(u.Atoms()) == 0 || whole != (len(u.Atoms()) == len(t.Atoms())) {
					continue
				}
				q, ok := p.over(t.Atoms(), u.Atoms())
				if !ok {
					continue
				}
				for _, by := range q {
					// -u·e + t·by·f is free of the product
					rest := p.ix.Sub(p.ix.Scale(u.Coef.Neg(), e), p.ix.Scale(t.Coef.Neg(), p.ix.Mul(by, f)))
					if !p.dips(points, rest) && p.cancelled(points, rest, facts, steps-1, failed) {
						return true
					}
				}
			}
		}
	}
	if p.lowers && p.lowered(points, e, facts, steps, failed) {
		return true
	}
	failed[key] = true
	return false
}

// lowered is cancelled where what is added is replaced by what facts say that it exceeds.
func (p *inductor) lowered(points []point, e *index.Expr, facts []*index.Expr, steps int, failed map[cancelling]bool) bool {
	for _, t := range e.Terms() {
		if t.Coef.Sign() < 0 || len(t.Atoms()) == 0 {
			continue
		}
		for _, f := range facts {
			if p.cancels > mostCancels {
				return false
			}
			for _, u := range f.Terms() {
				if u.Coef.Sign() < 0 || len(u.Atoms()) == 0 {
					continue
				}
				q, ok := p.over(t.Atoms(), u.Atoms())
				if !ok {
					continue
				}
				rest := p.ix.Sub(p.ix.Scale(u.Coef, e), p.ix.Scale(t.Coef, p.ix.Mul(q[0], f)))
				if !p.dips(points, rest) && p.cancelled(points, rest, facts, steps-1, failed) {
					return true
				}
			}
		}
	}
	return false
}

// natural tells whether an atom over excesses is never negative.
func (p *inductor) natural(a *index.Atom) bool {
	switch a.Kind {
	case index.Size:
		return a.Least >= 0
	case index.Floor:
		return p.positive(a.Num)
	}
	return false
}

// positive tells whether no coefficient of an expression over excesses is negative.
func (p *inductor) positive(e *index.Expr) bool {
	for _, t := range e.Terms() {
		if t.Coef.Sign() < 0 {
			return false
		}
		for _, a := range t.Atoms() {
			if !p.natural(a) {
				return false
			}
		}
	}
	return true
}

// over returns the product of atoms without those of another, if none of those left is ever negative: first that of the
// sizes whose excesses they are, which has the same leading term, then that of the excesses.
func (p *inductor) over(atoms, without []*index.Atom) ([]*index.Expr, bool) {
	sizes, out := p.ix.Const(1), p.ix.Const(1)
	n := 0
	for _, a := range atoms {
		if n < len(without) && a == without[n] {
			n++
			continue
		}
		if !p.natural(a) {
			return nil, false
		}
		out = p.ix.Mul(out, a.Expr())
		sizes = p.ix.Mul(sizes, p.ix.AddInt(a.Expr(), max(0, p.leasts[a])))
	}
	if sizes == out {
		return []*index.Expr{out}, n == len(without)
	}
	return []*index.Expr{sizes, out}, n == len(without)
}

// excessOf returns what a size exceeds its least value by.
func (p *inductor) excessOf(a *index.Atom) *index.Atom {
	x := p.ix.Size(a.Name+" above its least", 0).Free()[0]
	p.leasts[x] = a.Least
	return x
}

// dips tells whether an expression over sizes, or their excesses, is negative at one of the points.
func (p *inductor) dips(points []point, e *index.Expr) bool {
	for i := range points {
		if v, ok := points[i].value(e); ok && v < 0 {
			return true
		}
	}
	return false
}

package witness

import (
	"slices"
	"strings"

	"tv/proofs/algebra"
)

// align proposes that a variable of a sum steps through what the first read reads, wherever the sum stands: Σ over k < K of
// w[k]·dy[x - k] where 0 <= x - k < N is Σ over i < N of dy[i]·w[x - i] where 0 <= x - i < K. One is what a convolution gathers,
// the other what it scatters, and no range holds both.
func (ch *change) align() (text string, ok bool) {
	reads := slices.DeleteFunc(slices.Clone(ch.parts), func(p located) bool {
		return p.where == "range" || strings.HasSuffix(p.where, "guard")
	})
	slices.SortStableFunc(reads, func(p, q located) int { return strings.Compare(p.where, q.where) })
	var placed []*atom // by reads before
	for _, p := range reads {
		var own []*atom
		for _, v := range ch.vars {
			if p.x.Mentions(v) && !slices.Contains(placed, v) {
				own = append(own, v)
			}
		}
		if v, by := ch.offset(p.x, own); v != nil {
			return ch.alignTo(v, by)
		}
		placed = append(placed, own...)
	}
	return "", false
}

// offset is a variable that can take up a part of where a read lies that is made of what the sum is not over, and the place that
// the variable is of then.
func (ch *change) offset(x *expr, own []*atom) (v *atom, place *expr) {
	b := ch.b
	outer, most := b.Const(0), -1
	for _, t := range x.Terms() {
		if y := b.FromTerm(t); !y.OnlySizes() && !slices.ContainsFunc(ch.vars, y.Mentions) {
			outer = b.Add(outer, y)
		}
	}
	for _, o := range own {
		c, _, ok := b.Linear(x, o)
		if !ok || len(c.Terms()) == 0 || !c.OnlySizes() {
			continue
		}
		to := o.Expr()
		if !b.Nonneg(b.Root, c) {
			c, to = b.Scale(algebra.Int(-1), c), b.Scale(algebra.Int(-1), to)
		}
		// The variable with the longest steps first: what it takes is a multiple of these, and is in no other's.
		if k := ch.multiple(outer, c); len(k.Terms()) > 0 && degree(c) > most {
			v, place, most = o, b.Add(to, k), degree(c)
		}
	}
	return v, place
}

// multiple is the sum of terms of x that c divides, by c.
func (ch *change) multiple(x, c *expr) *expr {
	out := ch.b.Const(0)
	for _, t := range x.Terms() {
		if k, ok := ch.exact(ch.b.FromTerm(t), c); ok {
			out = ch.b.Add(out, k)
		}
	}
	return out
}

// alignTo proposes a variable that is a place, which is v, or -v, and more, in the range that conditions say it has.
func (ch *change) alignTo(v *atom, place *expr) (text string, ok bool) {
	b := ch.b
	sign, rest, _ := b.Linear(place, v)
	lo, hi := ch.within(v, place)
	if lo == nil || hi == nil || !b.Nonneg(ch.g.C, b.Sub(hi, lo)) {
		return "", false
	}
	w := b.NewVar(lo, hi)
	ch.replace([]*atom{v}, map[*atom]*expr{v: b.Mul(sign, b.Sub(w.Expr(), rest))}, []*atom{w}, []*expr{place})
	return ch.answer("among"), true
}

// within is the range, made of sizes, in which the conditions of the goal keep a place of v; nil where they say of an end nothing.
func (ch *change) within(v *atom, place *expr) (lo, hi *expr) {
	b := ch.b
	back := map[*atom]*expr{} // the goal's variables are looked at in the new ones
	for i, o := range ch.g.Vars {
		back[o] = ch.to[i]
	}
	for _, g := range ch.g.Guards {
		g = b.Subst(ch.g.C, g, back)
		if c, _, ok := b.Linear(g, v); !ok || len(c.Terms()) == 0 {
			continue
		} else if up := b.Sub(place, g); up.OnlySizes() { // place - up = g >= 0
			lo = up
		} else if down := b.Add(place, g); down.OnlySizes() { // down - place = g >= 0
			hi = b.AddInt(down, 1)
		}
	}
	return lo, hi
}

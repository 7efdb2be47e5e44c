package witness

import (
	"cmp"
	"maps"
	"slices"

	"tv/proofs/algebra"
)

// A span is a part of a sum that one side takes by itself: n places of what a read steps through by coef, from the offset that is a
// number.
type span struct {
	read            string
	offset, n, coef int64
}

// A range is a sum over several variables that one read steps through as through one range of so many places, by coef, and where
// the other side's parts of it end, ascending.
type flatRange struct {
	read    string
	coef, n int64
	ends    []int64
}

// maxFlat bounds how many sums of a witness are taken as one range.
const maxFlat = 512

// note keeps where a sum over one variable lies in what it reads: Σ over k < 16 of A[(k + 32) div 9, ...]·B[k + 32] has 16 places
// from 32. What is cut off a sum that was taken as one range says nothing of the other side.
func (f *finder) note(ch *change) {
	if ch.g.Set || f.open || len(ch.vars) != 1 {
		return
	}
	if lo, n, ok := places(ch.vars[0]); ok {
		for _, s := range ch.spans(lo, n) {
			f.spans[s] = true
		}
	}
}

// spans are n places from lo on in what a sum over one variable reads.
func (ch *change) spans(lo, n int64) (out []span) {
	for _, p := range ch.parts {
		if coef, offset, ok := ch.steps(p, ch.vars[0]); ok && coef > 0 {
			out = append(out, span{p.where, offset + lo*coef, n, coef})
		}
	}
	return out
}

// flatten proposes one variable for those of a sum that one read steps through as through one range, if the other side takes that
// range in parts; of one variable the ends of the parts as cuts, and then places that are counted from 0. Parts that begin and end
// within a digit have no digits in common: so the whole sum is cut as the parts are, instead of them into digits. Of what a sum asks
// that is a set over as many places, it does the same.
func (f *finder) flatten(ch *change) (text string, ok bool) {
	b, c := ch.b, ch.g.C
	if len(ch.vars) != 1 {
		order, r := f.whole(ch)
		if ch.g.Set {
			order, r = ch.falling(), f.flat
		}
		if len(order) == 0 || r.n == 0 || count(order) != r.n || f.flattened == maxFlat {
			return "", false
		}
		f.flattened++
		f.flat, f.open = r, true
		w := b.NewVar(b.Const(0), b.Const(r.n))
		m, place, size := map[*atom]*expr{}, b.Const(0), r.n
		for _, v := range order {
			_, n, _ := places(v)
			rest := b.Mod(c, w.Expr(), b.Const(size))
			size /= n
			m[v] = b.Div(c, rest, b.Const(size))
			place = b.Add(place, b.Scale(algebra.Int(size), v.Expr()))
		}
		ch.replace(order, m, []*atom{w}, []*expr{place})
		return ch.answer("step"), true
	}
	v := ch.vars[0]
	lo, n, ok := places(v)
	if !ok || f.flat.n == 0 {
		return "", false
	}
	at, known := int64(0), false
	if ch.g.Set {
		at, known = lo, f.open
	} else if i := slices.IndexFunc(ch.parts, func(p located) bool {
		coef, _, ok := ch.steps(p, v)
		return ok && p.where == f.flat.read && coef == f.flat.coef
	}); i >= 0 {
		_, offset, _ := ch.steps(ch.parts[i], v)
		at, known = f.flat.place(offset)+lo, true
	}
	if known {
		for _, end := range f.flat.ends {
			if at < end && end < at+n {
				return ch.cut(b.AddInt(v.Expr(), at-lo-end)), true
			}
		}
	}
	if lo == 0 {
		f.open = false // the last of its parts
	}
	if !ch.divided() || !known && !ch.g.Set {
		return "", false
	}
	if lo != 0 {
		w := b.NewVar(b.Const(0), b.Const(n))
		ch.replace([]*atom{v}, map[*atom]*expr{v: b.AddInt(w.Expr(), lo)}, []*atom{w}, []*expr{b.AddInt(v.Expr(), -lo)})
	}
	return ch.answer("map"), true
}

// falling returns the variables of a set in the order in which a read of all of them steps with them, from the longest step to the
// shortest; none where there is no such read.
func (ch *change) falling() []*atom {
	for _, p := range ch.parts {
		coefs, order, ok := map[*atom]int64{}, slices.Clone(ch.vars), true
		for _, v := range order {
			coefs[v], _, _ = ch.steps(p, v)
			ok = ok && coefs[v] > 0
		}
		if ok {
			slices.SortStableFunc(order, func(u, v *atom) int { return cmp.Compare(coefs[v], coefs[u]) })
			return order
		}
	}
	return nil
}

// count is the number of places of variables that all start at 0, or 0.
func count(vars []*atom) int64 {
	all := int64(1)
	for _, v := range vars {
		lo, n, ok := places(v)
		if !ok || lo != 0 || n >= 1<<20 || all >= 1<<32 {
			return 0
		}
		all *= n
	}
	return all
}

// whole returns the variables of a sum in the order in which a read steps through them as through one range, and that range; none
// where there is no such read, or the other side has no parts of it.
func (f *finder) whole(ch *change) ([]*atom, flatRange) {
	for _, p := range ch.parts {
		coefs, order := map[*atom]int64{}, slices.Clone(ch.vars)
		for _, v := range order {
			coefs[v], _, _ = ch.steps(p, v)
		}
		slices.SortStableFunc(order, func(u, v *atom) int { return cmp.Compare(coefs[v], coefs[u]) })
		r := flatRange{read: p.where, coef: coefs[order[len(order)-1]], n: count(order)}
		ok, size := r.coef > 0 && r.n > 0, int64(1)
		for i := len(order) - 1; i >= 0 && ok; i-- {
			_, n, _ := places(order[i])
			ok = coefs[order[i]] == r.coef*size
			size *= n
		}
		if !ok {
			continue
		}
		if r.ends = f.ends(r); len(r.ends) > 0 {
			return order, r
		}
	}
	return nil, flatRange{}
}

// ends are those of the parts that the other side takes of a range, ascending: what is part of a part was cut off it.
func (f *finder) ends(r flatRange) (out []int64) {
	parts := map[int64]int64{} // the end of the longest part from a place on
	for s := range f.spans {
		if at := r.place(s.offset); s.read == r.read && s.coef == r.coef && at+s.n <= r.n && s.n < r.n {
			parts[at] = max(parts[at], at+s.n)
		}
	}
	end := int64(0)
	for _, at := range slices.Sorted(maps.Keys(parts)) {
		if parts[at] <= end {
			continue
		}
		end = parts[at]
		out = append(out, at, end)
	}
	out = slices.DeleteFunc(out, func(end int64) bool { return end <= 0 || end >= r.n })
	slices.Sort(out)
	return slices.Compact(out)
}

// place is where an offset lies within the range.
func (r flatRange) place(offset int64) int64 {
	n := offset / r.coef % r.n
	return (n + r.n) % r.n
}

// steps tells by what number a read steps with a variable, and what its offset has beside it that is a number.
func (ch *change) steps(p located, v *atom) (coef, offset int64, ok bool) {
	c, rest, ok := ch.b.Linear(p.x, v)
	if !ok || p.where == "guard" {
		return 0, 0, false
	}
	for _, t := range rest.Terms() {
		if n, number := ch.b.FromTerm(t).Const(); number {
			offset, _ = n.Int64()
		}
	}
	n, number := c.Const()
	if number {
		coef, number = n.Int64()
	}
	return coef, offset, number
}

// divided tells whether something of the goal divides the one variable.
func (ch *change) divided() bool {
	found := false
	for _, p := range ch.parts {
		if p.x.Mentions(ch.vars[0]) {
			eachFloor(p.x, func(d *atom) { found = found || d.X.Mentions(ch.vars[0]) })
		}
	}
	return found
}

// places are where the range of a variable starts and how many places it has, if these are numbers.
func places(v *atom) (lo, n int64, ok bool) {
	a, okA := v.Lo.Const()
	b, okB := v.Hi.Const()
	if !okA || !okB {
		return 0, 0, false
	}
	lo, okA = a.Int64()
	hi, okB := b.Int64()
	return lo, hi - lo, okA && okB && hi > lo
}

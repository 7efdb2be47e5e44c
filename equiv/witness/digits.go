package witness

import (
	"fmt"
	"slices"
	"strings"

	"tv/proofs/algebra"
)

type (
	expr = algebra.Expr
	atom = algebra.Atom
)

// A change of variables on its way: vars are the new ones, to gives the goal's variables in terms
// of them, from the new ones in terms of the goal's.
type change struct {
	g     *algebra.Goal
	b     *algebra.Builder
	vars  []*atom
	to    []*expr // of g.Vars
	from  map[*atom]*expr
	parts []located // every expression of the goal, in the new variables
	moved bool
}

type located struct {
	where string
	x     *expr
}

// maxRounds bounds the splits and merges of one change.
const maxRounds = 24

// newChange begins with the variables of a goal.
func newChange(g *algebra.Goal) *change {
	ch := &change{g: g, b: g.B, from: map[*atom]*expr{}}
	for _, v := range g.Vars {
		w := ch.b.NewVar(v.Lo, v.Hi)
		ch.vars, ch.to = append(ch.vars, w), append(ch.to, w.Expr())
		ch.from[w] = v.Expr()
	}
	m := map[*atom]*expr{}
	for i, v := range g.Vars {
		m[v] = ch.to[i]
	}
	g.Exprs(func(where string, x *expr) {
		ch.parts = append(ch.parts, located{where, ch.b.Subst(g.C, x, m)})
	})
	return ch
}

// change proposes new variables for a sum.
func (f *finder) change(g *algebra.Goal) string {
	ch := newChange(g)
	if f.looked += len(ch.parts); f.most > 0 && f.looked > f.most {
		panic(stopped{ErrTooMuch})
	}
	if !g.Fold {
		f.note(ch)
		if f.parts {
			if text, ok := f.flatten(ch); ok {
				return text
			}
		}
	}
	if f.align && !g.Fold && !g.Set {
		if text, ok := ch.align(); ok {
			return text
		}
	}
	if (f.unroll || f.short) && !g.Fold {
		if cut := ch.few(f.short); cut != nil {
			return ch.cut(cut)
		}
	}
	word := "map"
	if f.stride > 0 && !g.Fold {
		if ch.apart(f.stride) {
			return ch.answer("step")
		} else if cut := ch.rest(f.stride); cut != nil {
			return ch.cut(cut)
		}
	}
	if !g.Fold {
		for range maxRounds {
			done, cut := ch.split()
			if cut != nil {
				return ch.cut(cut)
			}
			if !done {
				break
			}
		}
		ch.round()
		// a merge is a step of its own: composed with splits, neither the ranges nor the identity may be
		// plain to see
		if j := ch.pair(); j != nil {
			word = "step"
			if !ch.moved && j.overlap {
				ch.merge(j)
			} else if !ch.moved {
				return ch.join(j)
			}
		} else if f.short && ch.moved && ch.few(true) != nil {
			word = "step" // a digit that takes few numbers
		} else if ch.moved && ch.narrows() {
			word = "step" // a condition becomes the range of a digit, which may then be merged with another
		} else {
			ch.orient()
			ch.shift()
		}
	}
	if word == "map" {
		ch.arrange()
	}
	return ch.answer(word)
}

// answer writes the change down; it is "" where there is none.
func (ch *change) answer(word string) string {
	if !ch.moved {
		return ""
	}
	name := namer(ch.g, ch.vars)
	var text strings.Builder
	list := func(xs []*expr) {
		text.WriteString(" (")
		for i, x := range xs {
			if i > 0 {
				text.WriteByte(' ')
			}
			text.WriteString(x.Format(name))
		}
		text.WriteByte(')')
	}
	text.WriteString("(" + word)
	var ends, from []*expr
	for _, w := range ch.vars {
		ends, from = append(ends, w.Lo, w.Hi), append(from, ch.from[w])
	}
	list(ends)
	list(ch.to)
	list(from)
	return text.String() + ")"
}

// apart takes a variable with a named number of places that n divides as every n-th of them, and the remainder.
func (ch *change) apart(n int64) bool {
	b := ch.b
	for _, v := range ch.vars {
		extent := b.Sub(v.Hi, v.Lo)
		part, ok := ch.exact(extent, b.Const(n))
		if _, number := extent.Const(); number || !ok {
			continue
		}
		k := algebra.Int(n)
		t := b.Sub(v.Expr(), v.Lo)
		a, d := b.NewVar(b.Const(0), part), b.NewVar(b.Const(0), b.Const(n))
		ch.replace([]*atom{v}, map[*atom]*expr{v: b.Add(v.Lo, b.Scale(k, a.Expr()), d.Expr())},
			[]*atom{a, d}, []*expr{b.Div(ch.g.C, t, b.Const(n)), b.Mod(ch.g.C, t, b.Const(n))})
		return true
	}
	return false
}

// rest proposes to cut off the last places of a variable with a named number of them, so that n divides how many are left; nil where
// there is none.
func (ch *change) rest(n int64) *expr {
	b := ch.b
	for _, v := range ch.vars {
		extent := b.Sub(v.Hi, v.Lo)
		if _, number := extent.Const(); number {
			continue
		}
		for more := int64(1); more < n; more++ {
			if _, ok := ch.exact(b.AddInt(extent, -more), b.Const(n)); ok {
				return b.AddInt(b.Sub(v.Hi, v.Expr()), -more-1)
			}
		}
	}
	return nil
}

// cut writes a condition on the new variables as one on the goal's.
func (ch *change) cut(x *expr) string {
	return "(cut " + ch.b.Subst(ch.g.C, x, ch.from).Format(namer(ch.g, nil)) + ")"
}

// Limits of sums that are written out.
const (
	maxFew   = 100 // places of all variables
	maxShort = 4   // of one variable, where the others are kept
)

// few proposes to cut off the first half of a range, if there are few places in all or, with short, of one variable.
func (ch *change) few(short bool) *expr {
	total := int64(1)
	var cut *expr
	for _, v := range ch.vars {
		n, ok := ch.b.Sub(v.Hi, v.Lo).Const()
		k, small := n.Int64()
		switch ok = ok && small && k <= maxFew; {
		case short && (!ok || k > maxShort):
			continue
		case !ok:
			return nil
		}
		if total *= k; total > maxFew {
			return nil
		}
		if k > 1 && cut == nil {
			cut = ch.b.Sub(ch.b.AddInt(v.Expr(), -k/2), v.Lo)
		}
	}
	return cut
}

// replace puts x, in terms of new variables, for variable i; from gives the new ones in terms of it.
func (ch *change) replace(gone []*atom, m map[*atom]*expr, vars []*atom, from []*expr) {
	b, c := ch.b, ch.g.C
	var kept []*atom
	for i, w := range vars {
		ch.from[w] = b.Subst(c, from[i], ch.from)
		kept = append(kept, w)
	}
	for _, w := range ch.vars {
		still := true
		for _, o := range gone {
			still = still && w != o
		}
		if still {
			kept = append(kept, w)
		}
	}
	ch.vars = kept
	for i := range ch.to {
		ch.to[i] = b.Subst(c, ch.to[i], m)
	}
	for i := range ch.parts {
		ch.parts[i].x = b.Subst(c, ch.parts[i].x, m)
	}
	ch.moved = true
}

func eachFloor(x *expr, f func(*atom)) {
	for _, t := range x.Terms() {
		for _, a := range t.Atoms() {
			if a.Kind >= algebra.KindFloor {
				if a.Kind == algebra.KindFloor {
					f(a)
				}
				eachFloor(a.X, f)
				eachFloor(a.Y, f)
			}
		}
	}
}

func (ch *change) exact(x, y *expr) (*expr, bool) {
	if len(y.Terms()) == 0 {
		return nil, false
	}
	if n, ok := y.Const(); ok && n.Sign() < 0 {
		x, y = ch.b.Scale(algebra.Int(-1), x), ch.b.Scale(algebra.Int(-1), y)
	}
	q, r := ch.b.Divide(x, y)
	return q, len(r.Terms()) == 0
}

// split writes a variable v that is divided, as (v + r) div q, as q·a + b - r. Where q does not
// divide the ends of the range, it proposes to cut the range.
func (ch *change) split() (done bool, cut *expr) {
	b, c := ch.b, ch.g.C
	for _, v := range ch.vars {
		var q, r *expr
		for _, p := range ch.parts {
			if !p.x.Mentions(v) {
				continue
			}
			eachFloor(p.x, func(d *atom) {
				rest := b.Sub(d.X, v.Expr())
				if !rest.OnlySizes() || !d.Y.OnlySizes() || d.Y == q {
					return
				}
				if q != nil {
					if _, ok := ch.exact(q, d.Y); !ok {
						return
					}
				}
				q, r = d.Y, rest
			})
		}
		if q == nil {
			continue
		}
		lo, hi := b.Add(v.Lo, r), b.Add(v.Hi, r)
		l, okLo := ch.exact(lo, q)
		h, okHi := ch.exact(hi, q)
		if okLo && okHi {
			a, d := b.NewVar(l, h), b.NewVar(b.Const(0), q)
			t := b.Add(v.Expr(), r)
			ch.replace([]*atom{v}, map[*atom]*expr{v: b.Sub(b.Add(b.Mul(q, a.Expr()), d.Expr()), r)},
				[]*atom{a, d}, []*expr{b.Div(c, t, q), b.Mod(c, t, q)})
			return true, nil
		}
		at := b.Sub(b.Mul(q, b.Div(c, b.Add(lo, b.AddInt(q, -1)), q)), r)
		if okLo {
			at = b.Sub(b.Mul(q, b.Div(c, hi, q)), r)
		}
		if at != v.Lo && at != v.Hi && b.Nonneg(c, b.Sub(at, v.Lo)) && b.Nonneg(c, b.Sub(v.Hi, at)) {
			return false, b.Sub(v.Expr(), at)
		}
	}
	return false, nil
}

// round has conditions of a set as the checker will have them: digits that are too small to matter are not in them any more.
func (ch *change) round() {
	if !ch.g.Set {
		return
	}
	for i, p := range ch.parts {
		if p.where == "guard" {
			ch.parts[i].x = ch.b.Rounded(ch.g.C, p.x)
		}
	}
}

// narrows reports whether a condition of a set is one on a single new variable.
func (ch *change) narrows() bool {
	return ch.g.Set && slices.ContainsFunc(ch.parts, func(p located) bool {
		n := 0
		for _, v := range ch.vars {
			if p.x.Mentions(v) {
				n++
			}
		}
		return p.where == "guard" && n == 1 && len(p.x.Free) == 1
	})
}

// A digits is a pair of variables that occur as j·u + v only.
type digits struct {
	u, v    *atom
	j       *expr
	overlap bool
}

// pair returns two variables that can be one. In a sum j is the number of places of v; in a set
// windows may overlap, and j is at most that.
func (ch *change) pair() *digits {
	b, c := ch.b, ch.g.C
	for _, u := range ch.vars {
		for _, v := range ch.vars {
			if u == v {
				continue
			}
			j := ch.ratio(u, v)
			if j == nil {
				continue
			}
			extent, last := b.Sub(v.Hi, v.Lo), b.AddInt(u.Hi, -1)
			overlap := j != extent
			if !overlap || ch.g.Set && b.Nonneg(c, b.AddInt(j, -1)) && b.Nonneg(c, b.Sub(extent, j)) && b.Nonneg(c, b.Sub(last, u.Lo)) {
				return &digits{u, v, j, overlap}
			}
		}
	}
	return nil
}

// merge puts one variable for two, of windows that overlap.
func (ch *change) merge(d *digits) {
	b, c := ch.b, ch.g.C
	u, v, j := d.u, d.v, d.j
	last := b.AddInt(u.Hi, -1)
	t := b.NewVar(b.Add(b.Mul(j, u.Lo), v.Lo), b.Add(b.Mul(j, last), v.Hi))
	high := b.Min(c, b.Div(c, b.Sub(t.Expr(), v.Lo), j), last)
	low := b.Sub(t.Expr(), b.Mul(j, high))
	ch.replace([]*atom{u, v}, map[*atom]*expr{u: high, v: low},
		[]*atom{t}, []*expr{b.Add(b.Mul(j, u.Expr()), v.Expr())})
}

// join names two variables of a goal that has not changed yet.
func (ch *change) join(d *digits) string {
	var at [2]int
	for i, w := range ch.vars {
		if w == d.u {
			at[0] = i
		} else if w == d.v {
			at[1] = i
		}
	}
	return fmt.Sprintf("(merge %d %d)", at[0], at[1])
}

// ratio returns j where every expression holds u and v linearly with coefficients in the ratio j.
func (ch *change) ratio(u, v *atom) *expr {
	var j *expr
	for _, p := range ch.parts {
		if !p.x.Mentions(u) && !p.x.Mentions(v) {
			continue
		}
		cu, _, okU := ch.b.Linear(p.x, u)
		cv, _, okV := ch.b.Linear(p.x, v)
		if !okU || !okV || len(cu.Terms()) == 0 || len(cv.Terms()) == 0 {
			return nil
		}
		r, exact := ch.exact(cu, cv)
		if !exact || j != nil && r != j || !r.OnlySizes() {
			return nil
		}
		j = r
	}
	return j
}

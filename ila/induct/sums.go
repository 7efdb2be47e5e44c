package induct

import (
	"tv/ila/prove"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A summand is coefficient · Σ over vars of x · y, modulo 2^width; y is nil for a single factor, both are for a
// number. Factors are sign-extended to the width of the sum.
type summand struct {
	coefficient uint64
	vars        []*index.Atom
	x, y        *term.Term
}

// sameValue tells whether two terms have the same value whatever the data are.
func (p *inductor) sameValue(e *prove.Equality, x, y *term.Term) bool {
	switch {
	case x == y:
		return true
	case x.Sort != y.Sort:
		return false
	case p.sameSum(e, x, y):
		return true
	}
	if x.Op == y.Op && x.Op != term.Read && x.Op != term.Const && x.Op != term.Number && x.Op != term.Reduce &&
		x.Op != term.If && x.Name == y.Name && len(x.Args) == len(y.Args) && (x.Op != term.Extract || x.Low() == y.Low()) {
		all := true
		for i := range x.Args {
			all = all && p.sameValue(e, x.Args[i], y.Args[i])
		}
		if all {
			return true
		}
	}
	return e.Enumerate(x, y)
}

// sameSum compares two terms as sums of summands. A sum over a range is met by sums over the parts of the range,
// one after the other.
func (p *inductor) sameSum(e *prove.Equality, x, y *term.Term) bool {
	if !isSum(x) && !isSum(y) {
		return false
	}
	width := x.Sort.Width
	ranges := p.ranges(e)
	left, okX := p.summands(nil, x, 1, nil, width, ranges)
	right, okY := p.summands(nil, y, 1, nil, width, ranges)
	if !okX || !okY {
		return false
	}
	left, right = p.recombine(e, left, width), p.recombine(e, right, width)
	for _, s := range left {
		if right, okX = p.cancel(s, right); !okX {
			return false
		}
	}
	return len(right) == 0
}

// summands appends those of c·t, summed over vars, modulo 2^width: t has that width or is wider.
func (p *inductor) summands(list []summand, t *term.Term, c uint64, vars []*index.Atom, width int,
	ranges *prove.Ranges) ([]summand, bool) {
	t = ranges.Settle(t)
	one := func(x, y *term.Term, c uint64) ([]summand, bool) {
		if c &= term.Ones(width); c == 0 {
			return list, true
		}
		return append(list, p.merge(summand{c, vars, x, y})), true
	}
	switch t.Op {
	case term.Const:
		v, _ := t.ConstBits()
		return one(nil, nil, c*v)
	case term.Add:
		list, ok := p.summands(list, t.Args[0], c, vars, width, ranges)
		if !ok {
			return nil, false
		}
		return p.summands(list, t.Args[1], c, vars, width, ranges)
	case term.Neg:
		return p.summands(list, t.Args[0], -c, vars, width, ranges)
	case term.Mul:
		for i := range 2 {
			if v, ok := t.Args[i].ConstBits(); ok {
				return p.summands(list, t.Args[1-i], c*v, vars, width, ranges)
			}
		}
		return one(prove.Strip(t.Args[0]), prove.Strip(t.Args[1]), c)
	case term.Reduce:
		if t.Fold != term.Sum {
			return nil, false
		}
		return p.summands(list, t.Args[0], c, append(vars[:len(vars):len(vars)], t.Vars...), width, ranges)
	case term.Dot:
		return nil, false
	case term.Extract:
		if of := ranges.Settle(t.Args[0]); t.Low() == 0 && (isSum(of) || of != t.Args[0]) { // equal modulo a greater power of two
			return p.summands(list, of, c, vars, width, ranges)
		}
	case term.ExtendS, term.ExtendU:
		if of := t.Args[0]; of.Sort.Width >= width && isSum(of) { // so here
			return p.summands(list, of, c, vars, width, ranges)
		}
		if of := ranges.Unwrapped(t); of != nil && of.Sort.Width >= width && isSum(of) {
			return p.summands(list, of, c, vars, width, ranges)
		}
	}
	return one(prove.Strip(t), nil, c)
}

// isSum tells whether a term is compared as a sum of summands.
func isSum(t *term.Term) bool { return t.Op == term.Reduce || prove.IsSum(t) }

// merge replaces pairs of variables that occur as g·u + v only, 0 <= v < g, by one variable.
func (p *inductor) merge(s summand) summand {
next:
	for i, u := range s.vars {
		for j, v := range s.vars {
			if i == j || !v.Lo.IsZero() || v.Hi.Mentions(u) || u.Lo.Mentions(v) || u.Hi.Mentions(v) {
				continue
			}
			g := v.Hi
			fits := true
			for _, t := range []*term.Term{s.x, s.y} {
				fits = fits && p.joint(t, u, v, g)
			}
			for _, w := range s.vars {
				fits = fits && (w == u || w == v || !mentionsEither(w.Lo, u, v) && !mentionsEither(w.Hi, u, v))
			}
			if !fits {
				continue
			}
			w := p.ix.NewVar(v.Name, p.ix.Mul(g, u.Lo), p.ix.Mul(g, u.Hi))
			m := map[*index.Atom]*index.Expr{u: p.ix.Const(0), v: w.Expr()}
			out := summand{coefficient: s.coefficient, x: s.x, y: s.y}
			for k, x := range s.vars {
				if k != i && k != j {
					out.vars = append(out.vars, x)
				}
			}
			out.vars = append(out.vars, w)
			if s.x != nil {
				out.x = p.subst(s.x, m)
			}
			if s.y != nil {
				out.y = p.subst(s.y, m)
			}
			s = out
			goto next
		}
	}
	return s
}

func mentionsEither(e *index.Expr, u, v *index.Atom) bool { return e.Mentions(u) || e.Mentions(v) }

// joint tells whether u and v occur in t as g·u + v only.
func (p *inductor) joint(t *term.Term, u, v *index.Atom, g *index.Expr) bool {
	if t == nil {
		return true
	}
	for _, e := range t.Index {
		cu, _, okU := p.ix.Linear(e, u)
		cv, rest, okV := p.ix.Linear(e, v)
		if !okU || !okV || cu != p.ix.Mul(g, cv) || cv.Mentions(u) {
			return false
		}
		if cu2, _, ok := p.ix.Linear(rest, u); !ok || cu2 != cu {
			return false
		}
	}
	for _, x := range t.Vars {
		if mentionsEither(x.Lo, u, v) || mentionsEither(x.Hi, u, v) {
			return false
		}
	}
	for _, a := range t.Args {
		if !p.joint(a, u, v, g) {
			return false
		}
	}
	return true
}

// cancel takes summands that add up to s out of a list.
func (p *inductor) cancel(s summand, list []summand) ([]summand, bool) {
	if len(s.vars) > 1 {
		return nil, false
	}
	used := make([]bool, len(list))
	if len(s.vars) == 0 {
		for i, o := range list {
			if len(o.vars) == 0 && o.coefficient == s.coefficient && sameFactors(s, o) {
				used[i] = true
				return unused(list, used), true
			}
		}
		return nil, false
	}
	v := s.vars[0]
	for at := v.Lo; ; {
		if p.zero(p.ix.Sub(v.Hi, at)) {
			return unused(list, used), true
		}
		found := false
		for i, o := range list {
			if used[i] || len(o.vars) > 1 || o.coefficient != s.coefficient {
				continue
			}
			part, size := o, p.ix.Const(1)
			moved := summand{x: s.x, y: s.y}
			m := map[*index.Atom]*index.Expr{v: at}
			if len(o.vars) == 1 {
				w := o.vars[0]
				size = p.ix.Sub(w.Hi, w.Lo)
				if !p.nonneg(size) {
					continue
				}
				m[v] = p.ix.Add(at, p.ix.Sub(w.Expr(), w.Lo))
			}
			// what is left of the range must hold the part
			if !p.nonneg(p.ix.Sub(p.ix.Sub(v.Hi, at), size)) {
				continue
			}
			if s.x != nil {
				moved.x = p.subst(s.x, m)
			}
			if s.y != nil {
				moved.y = p.subst(s.y, m)
			}
			if !sameFactors(moved, part) {
				continue
			}
			used[i], found = true, true
			at = p.ix.Add(at, size)
			break
		}
		if !found {
			return nil, false
		}
	}
}

func sameFactors(x, y summand) bool {
	return x.x == y.x && x.y == y.y || x.x == y.y && x.y == y.x
}

func unused(list []summand, used []bool) []summand {
	var out []summand
	for i, s := range list {
		if !used[i] {
			out = append(out, s)
		}
	}
	return out
}

package algebra

import (
	"encoding/binary"
	"math/big"
	"slices"
	"strings"
)

// mostCorners bounds what the boxes of one body are taken apart into.
const mostCorners = 4096

// cancelled reports whether the summands of a difference take each other away by law (S1): [lo, hi)
// with lo <= hi is what is not below lo less what is not below hi, and the product of such is a sum
// of corners, with signs. What is summed is the same where it is the same expression of places that
// were moved, each variable by what does not depend on any, which is a bijection of the integers.
// Where all corners of a body add up to 0, so does each place of it, and no end was compared with
// that of another box. all is a modulus of coefficients, or nil.
func (e *engine) cancelled(c *Context, diff *poly, all *big.Int) bool {
	if e.inOrder || diff.set {
		return false
	}
	bodies := map[*body][]box{}
	for _, s := range e.open(diff) {
		t := e.centred(c, s)
		if t == nil {
			return false
		}
		bd, bx := e.slotted(c, t)
		bodies[bd] = append(bodies[bd], bx)
	}
	for _, list := range bodies {
		total := e.total(c, list)
		if total == nil {
			return false
		}
		for _, n := range total {
			if all != nil && n.IsInt() {
				n = new(big.Rat).SetInt(new(big.Int).Mod(n.Num(), all))
			}
			if n.Sign() != 0 {
				return false
			}
		}
	}
	return true
}

// total adds up the corners of boxes; nil where a box may end before it begins, and of too many.
func (e *engine) total(c *Context, list []box) map[string]*big.Rat {
	var dims []*Atom
	for _, b := range list {
		for _, r := range b.ranges {
			if !slices.Contains(dims, r.dim) {
				dims = append(dims, r.dim)
			}
		}
	}
	if len(dims) > 12 || len(list)<<len(dims) > mostCorners {
		return nil
	}
	out := map[string]*big.Rat{}
	for _, b := range list {
		ends := make([]interval, len(dims))
		for i, d := range dims {
			ends[i].lo, ends[i].hi = c.Bounds(d)
			for _, r := range b.ranges {
				if r.dim == d {
					ends[i] = r
				}
			}
			if ends[i].lo == nil || !e.Nonneg(c, e.Sub(ends[i].hi, ends[i].lo)) {
				return nil
			}
		}
		for corner := range 1 << len(dims) {
			var key []byte
			n := new(big.Rat).Set(b.coef)
			for i, r := range ends {
				at := r.lo
				if corner>>i&1 > 0 {
					at = r.hi
					n.Neg(n)
				}
				key = binary.AppendUvarint(key, uint64(at.ID))
			}
			if was := out[string(key)]; was != nil {
				n.Add(n, was)
			}
			out[string(key)] = n
		}
	}
	return out
}

// A seen read of a summand: its tensor, the coefficients of the variables, and what is beside them.
type seen struct {
	name string
	by   []*Expr
	rest *Expr
}

// centred moves the variables of a summand so that its reads begin as near to 0 as their steps
// allow; nil where that takes it apart.
func (e *engine) centred(c *Context, s *summand) *summand {
	if len(s.vars) == 0 {
		return s
	}
	var reads []seen
	for _, f := range s.factors {
		reads = e.reads(s, f.a, reads)
	}
	slices.SortStableFunc(reads, func(x, y seen) int {
		if x.name != y.name {
			return strings.Compare(x.name, y.name)
		}
		return slices.CompareFunc(x.by, y.by, func(p, q *Expr) int { return p.ID - q.ID })
	})
	by := make([]*Expr, len(s.vars))
	for _, r := range reads {
		rest, open := r.rest, []int(nil)
		for i, k := range r.by {
			switch {
			case len(k.terms) == 0:
			case by[i] != nil:
				rest = e.Sub(rest, e.Mul(k, by[i]))
			case k.terms[0].Coef.Sign() > 0:
				open = append(open, i)
			}
		}
		// the longest steps first: of w·i + j the i takes what w divides
		slices.SortStableFunc(open, func(i, j int) int {
			x, y := r.by[i].terms[0], r.by[j].terms[0]
			if n := len(y.mono.atoms) - len(x.mono.atoms); n != 0 {
				return n
			}
			return y.Coef.Cmp(x.Coef)
		})
		for _, i := range open {
			by[i], rest = e.Divide(rest, r.by[i])
		}
	}
	m := map[*Atom]*Expr{}
	t := *s
	t.vars = slices.Clone(s.vars)
	for i, v := range s.vars {
		if by[i] != nil && len(by[i].terms) > 0 {
			w := e.NewVar(e.Add(v.Lo, by[i]), e.Add(v.Hi, by[i]))
			t.vars[i], m[v] = w, e.Sub(w.expr, by[i])
		}
	}
	if len(m) == 0 {
		return s
	}
	out := e.subst(c, &t, m)
	if len(out) != 1 || len(out[0].vars) != len(t.vars) {
		return nil
	}
	return out[0]
}

// reads lists those of an atom that the variables of s move and that nothing bound inside it does.
func (e *engine) reads(s *summand, a *atom, list []seen) []seen {
	if a.kind == readAtom && slices.ContainsFunc(s.vars, a.e.Mentions) {
		r := seen{name: a.name, rest: a.e}
		for _, v := range s.vars {
			k, rest, ok := e.Linear(r.rest, v)
			r.by, r.rest = append(r.by, k), rest
			fixed := func(x *Atom) bool { return x.Kind == KindSize }
			if !ok || !all(k.Free, fixed) {
				return list
			}
		}
		still := func(x *Atom) bool {
			return x.Kind == KindSize || x.Kind == KindVar && !slices.Contains(s.vars, x)
		}
		if !all(r.rest.Free, still) {
			return list
		}
		return append(list, r)
	}
	for _, p := range a.polys {
		for _, pt := range p.parts {
			for _, f := range pt.body.factors {
				list = e.reads(s, f.a, list)
			}
		}
	}
	return list
}

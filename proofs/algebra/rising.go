package algebra

import (
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// unwrapped takes functions of integers that rise out of a maximum: out of that of all members that
// are one function, or out of that over the box of one member.
func (e *engine) unwrapped(c *Context, scope string, set sum) (out sum, ok bool) {
	name := func(t *summand) string {
		if a := e.tidy(c, t.value).sole(); a != nil && a.kind == applyAtom {
			return a.name
		}
		return ""
	}
	for rest := set; len(rest) > 0; {
		t := rest[0]
		var same, others sum
		for _, u := range rest {
			if name(u) == name(t) {
				same = append(same, u)
			} else {
				others = append(others, u)
			}
		}
		x, taken := e.outOf(c, scope, same)
		if !taken {
			x, taken = e.outOf(c, scope, sum{t})
			others = rest[1:]
		}
		if taken {
			t, ok = memberOf(x, nil, nil), true
		}
		out, rest = append(out, t), others
	}
	if !ok {
		return nil, false
	}
	return e.maximum(c, scope, out), true
}

// outOf does so for one function that all members are: a shift to the right by a number, the lesser
// of something and a bound that all share, a conversion that keeps the numbers it is given.
func (e *engine) outOf(c *Context, scope string, set sum) (sum, bool) {
	if len(set) == 0 || len(set) == 1 && len(set[0].vars) == 0 {
		return nil, false
	}
	sure := false
	list := make([]*atom, len(set))
	for i, t := range set {
		sure = sure || len(t.guards) == 0 && e.some(e.Root, t.vars)
		list[i] = e.tidy(c, t.value).sole()
		if list[i] == nil || list[i].kind != applyAtom || list[i].name != list[0].name {
			return nil, false
		}
	}
	f := list[0]
	conv, converts := e.conversions[f.name]
	of := func(bound *poly) sum {
		args := make(sum, len(set))
		for i, t := range set {
			p := list[i].polys[0]
			if p == bound {
				p = list[i].polys[1]
			}
			args[i] = memberOf(e.open(p), t.vars, t.guards)
		}
		return e.maximum(c, scope, args)
	}
	shared := func(bound *poly) bool {
		for i, t := range set {
			if !slices.Contains(list[i].polys, bound) || meet(t.vars, bound.free) {
				return false
			}
		}
		return true
	}
	keeps := func(a *atom) bool { return e.keeps(a.polys[0], conv) }
	if converts {
		scope = e.scope(conv[0])
	}
	switch {
	case !sure:
	case converts && all(list, keeps),
		strings.HasPrefix(f.name, "right-shift ") && len(f.polys) == 1:
		return e.apply(c, f.name, of(nil)), true
	case f.name == "min":
		if i := slices.IndexFunc(f.polys, shared); i >= 0 {
			return e.lesser(c, of(f.polys[i]), e.open(f.polys[i])), true
		}
	}
	return nil, false
}

func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !holds(x) })
}

// sole returns the atom that x is, or nil.
func (x sum) sole() *atom {
	if len(x) == 1 && x[0].alone() && x[0].coef.Cmp(one) == 0 && len(x[0].factors) == 1 &&
		x[0].factors[0].exp == 1 {
		return x[0].factors[0].a
	}
	return nil
}

// bounds returns numbers between which p lies, whose type is t: those of t, or closer ones where p
// is a number, a maximum or the lesser of two, a number of a narrower type or a sum that does not
// wrap.
func (e *engine) bounds(p *poly, t domain.Elem) (lo, hi *big.Int) {
	lo, hi = typeEnds(t)
	x := e.open(p)
	if r := plain(x); r != nil && r.IsInt() {
		n := new(big.Int).Set(r.Num())
		if m := e.laws.modulus; m != nil && n.Cmp(hi) > 0 {
			n.Sub(n, m)
		}
		if n.Cmp(lo) >= 0 && n.Cmp(hi) <= 0 {
			return n, n
		}
		return lo, hi
	}
	a := x.sole()
	if a == nil {
		l, h := e.unwrappedEnds(x, t)
		if e.laws.modulus != nil || l == nil || l.Cmp(lo) < 0 || h.Cmp(hi) > 0 {
			return lo, hi
		}
		return l, h
	}
	switch before, ok := e.conversions[a.name]; {
	case indicates(a):
		return new(big.Int), big.NewInt(1)
	case ok && a.kind == applyAtom:
		if e.keeps(a.polys[0], before) {
			return e.bounds(a.polys[0], before[0])
		}
	case a.kind == applyAtom && a.name == "min":
		lo, hi = e.bounds(a.polys[0], t)
		l, h := e.bounds(a.polys[1], t)
		return extreme(-1, lo, l), extreme(-1, hi, h)
	case a.kind == maxAtom:
		most := lo
		for _, u := range e.open(a.polys[0]) {
			l, h := e.bounds(e.closeSum(e.Root, u.value), t)
			if most = extreme(1, most, h); u.alone() {
				lo = extreme(1, lo, l)
			}
		}
		return lo, most
	}
	return lo, hi
}

// extreme returns the greater of x and y, or the lesser where side is -1.
func extreme(side int, x, y *big.Int) *big.Int {
	if x.Cmp(y) == side {
		return x
	}
	return y
}

// typeEnds returns the least and the greatest number of a type of integers.
func typeEnds(t domain.Elem) (lo, hi *big.Int) {
	hi = new(big.Int).Lsh(big.NewInt(1), uint(t.Width))
	if t.Kind == domain.ElemUint {
		return new(big.Int), hi.Sub(hi, big.NewInt(1))
	}
	hi.Rsh(hi, 1)
	return new(big.Int).Neg(hi), hi.Sub(hi, big.NewInt(1))
}

package normal

import (
	"math/big"
	"slices"
	"strings"

	"tv/semantics/index"
	"tv/semantics/term"
)

// outOfFunctions takes functions out of a maximum: out of that of all terms that are one function, or out of that over the
// box of one term.
func (e *Engine) outOfFunctions(ctx *index.Context, scope string, terms sum) (out sum, ok bool) {
	names := make([]string, len(terms))
	for i, t := range terms {
		if a := soleFunction(e.tidy(ctx, t.value)); a != nil {
			names[i] = a.name
		}
	}
	done := make([]bool, len(terms))
	for i, t := range terms {
		if done[i] {
			continue
		}
		var same sum
		for j, u := range terms {
			if names[j] == names[i] && !done[j] {
				same = append(same, u)
			}
		}
		value, taken := e.outOfFunction(ctx, scope, same)
		if taken {
			for j := range terms {
				done[j] = done[j] || names[j] == names[i]
			}
		} else {
			value, taken = e.outOfFunction(ctx, scope, sum{t})
		}
		if taken {
			t, ok = termOf(value, nil, nil), true
		}
		out = append(out, t)
	}
	if !ok {
		return nil, false
	}
	return e.maximum(ctx, scope, out), true
}

// outOfFunction takes a function of integers that rises out of a maximum that is surely not empty: a shift to the right, a
// least of something and a bound that all terms share, a conversion that keeps numbers. ok is false where terms are no such.
func (e *Engine) outOfFunction(ctx *index.Context, scope string, terms sum) (out sum, ok bool) {
	if len(terms) == 0 || len(terms) == 1 && len(terms[0].vars) == 0 {
		return nil, false
	}
	sure := false
	values := make([]*Atom, len(terms))
	for i, t := range terms {
		sure = sure || len(t.guards) == 0 && e.somewhere(t.vars)
		values[i] = soleFunction(e.tidy(ctx, t.value))
		if values[i] == nil || values[i].name != values[0].name {
			return nil, false
		}
	}
	if !sure {
		return nil, false
	}
	inner := func(scope string, of func(a *Atom) *Poly) sum {
		args := make(sum, len(terms))
		for i, t := range terms {
			args[i] = termOf(e.open(of(values[i])), t.vars, t.guards)
		}
		return e.maximum(ctx, scope, args)
	}
	first := func(a *Atom) *Poly { return a.polys[0] }
	name := values[0].name
	if c, ok := e.conversions[name]; ok {
		for _, a := range values {
			if !keepsNumbers(c, e.rangeOf(a.polys[0], c.from)) {
				return nil, false
			}
		}
		return e.apply(ctx, name, []sum{inner(e.scope(c.from), first)}), true
	}
	if strings.HasPrefix(name, "right-shift 1:") {
		return e.apply(ctx, name, []sum{inner(scope, first)}), true
	}
	if name != "min" {
		return nil, false
	}
	for _, bound := range values[0].polys {
		shared := func(i int) bool {
			return slices.Contains(values[i].polys, bound) && !slices.ContainsFunc(terms[i].vars, func(v *index.Atom) bool {
				return contains(bound.free, v)
			})
		}
		all := true
		for i := range terms {
			all = all && shared(i)
		}
		if all {
			other := func(a *Atom) *Poly {
				if a.polys[0] == bound {
					return a.polys[1]
				}
				return a.polys[0]
			}
			return e.least(ctx, inner(scope, other), e.open(bound)), true
		}
	}
	return nil, false
}

// soleFunction returns the function that x is, or nil.
func soleFunction(x sum) *Atom {
	if a := soleAtom(x); a != nil && a.kind == applyAtom {
		return a
	}
	return nil
}

// A conversion is one between integers.
type conversion struct{ from, to term.Sort }

// An interval of integers, ends included.
type integers struct{ lo, hi *big.Int }

// integersOf returns those that a sort of integers holds.
func integersOf(s term.Sort) integers {
	half := new(big.Int).Lsh(big.NewInt(1), uint(s.Width-1))
	if s.Kind == term.Signed {
		return integers{new(big.Int).Neg(half), half.Sub(half, big.NewInt(1))}
	}
	return integers{new(big.Int), half.Sub(half.Lsh(half, 1), big.NewInt(1))}
}

// keepsNumbers reports whether a conversion changes no number of r.
func keepsNumbers(c conversion, r integers) bool {
	to := integersOf(c.to)
	return r.lo.Cmp(to.lo) >= 0 && r.hi.Cmp(to.hi) <= 0
}

// rangeOf returns an interval that holds p, which is of sort s: bounds by max and min with numbers are seen, those of
// narrower sorts, and those of sums that do not wrap.
func (e *Engine) rangeOf(p *Poly, s term.Sort) integers {
	r := integersOf(s)
	x := e.open(p)
	if n := bareNumber(x); n != nil && n.IsInt() {
		at := new(big.Int).Set(n.Num())
		if e.laws.Modulus != nil && at.Cmp(r.hi) > 0 {
			at.Sub(at, e.laws.Modulus)
		}
		if at.Cmp(r.lo) >= 0 && at.Cmp(r.hi) <= 0 {
			return integers{at, at}
		}
		return r
	}
	a := soleAtom(x)
	if a == nil {
		if in := e.integersIn(x, s); e.laws.Modulus == nil && e.within(in, s) {
			return *in
		}
		return r
	}
	if c, ok := e.conversionOf(a); ok {
		if in := e.rangeOf(a.polys[0], c.from); keepsNumbers(c, in) {
			return in
		}
		return r
	}
	switch {
	case isIndicator(a):
		return integers{new(big.Int), big.NewInt(1)}
	case a.kind == applyAtom && a.name == "min":
		u, v := e.rangeOf(a.polys[0], s), e.rangeOf(a.polys[1], s)
		return integers{least(u.lo, v.lo), least(u.hi, v.hi)}
	case a.kind == maxAtom:
		hi := r.lo
		for _, t := range e.open(a.polys[0]) {
			u := e.rangeOf(e.closeSum(e.b.Root(), t.value), s)
			hi = greatest(hi, u.hi)
			if len(t.vars)+len(t.guards) == 0 {
				r.lo = greatest(r.lo, u.lo)
			}
		}
		r.hi = hi
	}
	return r
}

func least(x, y *big.Int) *big.Int {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

func greatest(x, y *big.Int) *big.Int {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}

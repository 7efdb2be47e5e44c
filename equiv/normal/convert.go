package normal

import (
	"math/big"
	"slices"

	"tv/semantics/index"
	"tv/semantics/term"
)

func wraps(s term.Sort) bool { return s.Kind == term.Signed || s.Kind == term.Unsigned }

// convert returns x, a polynomial of sort from, converted to another: doc/semantics.md 9.1.
func (e *Engine) convert(ctx *index.Context, from, to term.Sort, x sum) sum {
	switch {
	case from == to:
		return x
	case wraps(from) && wraps(to) && to.Width <= from.Width:
		return e.factorwise(ctx, x, func(a *Atom) sum { return e.narrowed(ctx, from, to, a) })
	case wraps(from) && (wraps(to) || to.Kind == term.Real):
		if a := soleAtom(x); a != nil {
			return e.widened(ctx, from, to, a)
		}
		if e.within(e.integersIn(x, from), from) {
			return e.factorwise(ctx, x, func(a *Atom) sum { return e.widened(ctx, from, to, a) })
		}
	}
	return e.converted(ctx, from, to, x)
}

// converted keeps a conversion as a function.
func (e *Engine) converted(ctx *index.Context, from, to term.Sort, x sum) sum {
	name := "convert " + from.String() + " to " + to.String()
	if wraps(from) && wraps(to) {
		e.conversions[name] = conversion{from, to}
	}
	return e.apply(ctx, name, []sum{x})
}

// factorwise applies f to the factors of all summands.
func (e *Engine) factorwise(ctx *index.Context, x sum, f func(*Atom) sum) (out sum) {
	for _, s := range x {
		t := *s
		t.factors = nil
		product := sum{&t}
		for _, factor := range s.factors {
			by := f(factor.atom)
			for range abs(factor.exp) {
				product = e.mul(ctx, product, by)
			}
		}
		out = append(out, product...)
	}
	return out
}

// narrowed is an atom modulo 2 to the width of a sort that is not wider than its own: what was converted to that is the
// same modulo so much, and sizes count modulo anything.
func (e *Engine) narrowed(ctx *index.Context, from, to term.Sort, a *Atom) sum {
	if a.kind == numberAtom {
		return e.ofAtom(a)
	}
	if isIndicator(a) {
		return e.ofAtom(e.atom(Atom{kind: applyAtom, name: e.typed(indicates, to), polys: a.polys}))
	}
	if c, ok := e.conversionOf(a); ok {
		return e.convert(ctx, c.from, to, e.open(a.polys[0]))
	}
	return e.converted(ctx, from, to, e.ofAtom(a))
}

// widened is the number that an atom is in a sort that has all those of its own, or them modulo something: a conversion
// before that changed no number is not needed. Of real numbers the greatest is that of the greatest integer.
func (e *Engine) widened(ctx *index.Context, from, to term.Sort, a *Atom) sum {
	if isIndicator(a) {
		return e.ofAtom(e.atom(Atom{kind: applyAtom, name: e.typed(indicates, to), polys: a.polys}))
	}
	if a.kind == numberAtom && to.Kind == term.Real && e.sizeWithin(ctx, a, from) {
		return e.ofAtom(a)
	}
	if c, ok := e.conversionOf(a); ok && keepsNumbers(c, e.rangeOf(a.polys[0], c.from)) {
		return e.convert(ctx, c.from, to, e.open(a.polys[0]))
	}
	if to.Kind == term.Real && a.kind == maxAtom {
		if terms := e.open(a.polys[0]); slices.ContainsFunc(terms, e.surely) {
			return e.maximum(ctx, e.scope(to), mapped(terms, func(x sum) sum { return e.convert(ctx, from, to, x) }))
		}
	}
	return e.converted(ctx, from, to, e.ofAtom(a))
}

// sizeWithin reports whether an integer of sizes and indices is one that a sort has: then it is that number, and counts as it is.
func (e *Engine) sizeWithin(ctx *index.Context, a *Atom, s term.Sort) bool {
	all, x := integersOf(s), a.number.Expr()
	least := e.b.Const(0)
	if all.lo.Sign() < 0 && all.lo.IsInt64() {
		least = e.b.Const(all.lo.Int64())
	}
	if !all.hi.IsInt64() {
		return false
	}
	most := e.b.Const(all.hi.Int64())
	return e.b.Nonneg(ctx, e.b.Sub(x, least)) && e.b.Nonneg(ctx, e.b.Sub(most, x))
}

// surely reports whether a term of a maximum is there, whatever the inputs are.
func (e *Engine) surely(t *summand) bool { return len(t.guards) == 0 && e.somewhere(t.vars) }

// mapped applies f to the values of terms.
func mapped(terms sum, f func(sum) sum) sum {
	out := make(sum, len(terms))
	for i, t := range terms {
		out[i] = termOf(f(t.value), t.vars, t.guards)
	}
	return out
}

// conversionOf returns the conversion between integers that an atom is.
func (e *Engine) conversionOf(a *Atom) (conversion, bool) {
	if a.kind != applyAtom {
		return conversion{}, false
	}
	c, ok := e.conversions[a.name]
	return c, ok
}

// within reports whether r is known and has no number that a sort of integers has not.
func (e *Engine) within(r *integers, s term.Sort) bool {
	all := integersOf(s)
	return r != nil && r.lo.Cmp(all.lo) >= 0 && r.hi.Cmp(all.hi) <= 0
}

// integersIn returns an interval that holds the integer that x is before it wraps, where its atoms are numbers of a sort; nil
// where none is known.
func (e *Engine) integersIn(x sum, s term.Sort) *integers {
	total := integers{new(big.Int), new(big.Int)}
	for _, m := range x {
		if !m.coef.IsInt() || m.isTerm {
			return nil
		}
		r := integers{m.coef.Num(), m.coef.Num()}
		for _, f := range m.factors {
			if f.exp < 0 || f.atom.kind == numberAtom || f.atom.kind == lowestAtom {
				return nil
			}
			for range f.exp {
				r = product(r, e.rangeOf(e.closeSum(e.b.Root(), e.ofAtom(f.atom)), s))
			}
		}
		for _, v := range m.vars {
			n, ok := e.b.Sub(v.Hi, v.Lo).Const()
			if !ok {
				return nil
			}
			r = product(r, integers{new(big.Int), greatest(n.Big(), new(big.Int))})
		}
		if len(m.guards) > 0 || len(m.vars) > 0 { // or it is not there
			r = product(r, integers{new(big.Int), big.NewInt(1)})
		}
		total.lo, total.hi = new(big.Int).Add(total.lo, r.lo), new(big.Int).Add(total.hi, r.hi)
	}
	return &total
}

// product returns an interval that holds the products of numbers of two.
func product(x, y integers) integers {
	var out integers
	for _, a := range []*big.Int{x.lo, x.hi} {
		for _, b := range []*big.Int{y.lo, y.hi} {
			p := new(big.Int).Mul(a, b)
			if out.lo == nil {
				out = integers{p, p}
			}
			out = integers{least(out.lo, p), greatest(out.hi, p)}
		}
	}
	return out
}

// soleAtom returns the atom that x is, or nil.
func soleAtom(x sum) *Atom {
	if len(x) != 1 || len(x[0].vars)+len(x[0].guards) > 0 || x[0].coef.Cmp(one) != 0 || len(x[0].factors) != 1 ||
		x[0].factors[0].exp != 1 {
		return nil
	}
	return x[0].factors[0].atom
}

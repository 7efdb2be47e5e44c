package normal

import (
	"math/big"
	"slices"

	"tv/semantics/index"
	"tv/semantics/term"
)

// A leaf of a split: where all of guards hold, no summand of groups has a condition on free variables alone.
type leaf struct {
	ctx    *index.Context
	guards []*index.Expr
	groups []sum
}

// split cuts the place into regions in which every condition of every summand that mentions none of its bound
// variables is decided.
func (e *Engine) split(ctx *index.Context, groups []sum) []leaf {
	var out []leaf
	e.splitInto(&out, ctx, nil, groups)
	return out
}

func (e *Engine) splitInto(out *[]leaf, ctx *index.Context, guards []*index.Expr, groups []sum) {
	e.spend(1 + len(guards)) // each decision below looks at the guards
	var cut *index.Expr
	decided := make([]sum, len(groups))
	for i, g := range groups {
		plain := true
		for _, s := range g {
			plain = plain && len(s.guards) == 0
		}
		if plain {
			decided[i] = g
			continue
		}
	next:
		for _, s := range g {
			var kept []*index.Expr
			for _, x := range s.guards {
				switch e.b.Decide(ctx, x) {
				case index.True:
				case index.False:
					continue next
				default:
					kept = append(kept, x)
					if cut == nil && !mentionsAny(x, s.vars) {
						cut = x
					}
				}
			}
			if len(kept) != len(s.guards) {
				t := *s
				t.guards = kept
				s = &t
			}
			decided[i] = append(decided[i], s)
		}
	}
	if cut == nil {
		*out = append(*out, leaf{ctx, guards, decided})
		return
	}
	not := e.b.AddInt(e.b.Scale(index.Int(-1), cut), -1)
	e.splitInto(out, e.b.Assume(ctx, cut), appendTo(guards, []*index.Expr{cut}), decided)
	e.splitInto(out, e.b.Assume(ctx, not), appendTo(guards, []*index.Expr{not}), decided)
}

func mentionsAny(x *index.Expr, vars []*index.Atom) bool {
	for _, v := range vars {
		if x.Mentions(v) {
			return true
		}
	}
	return false
}

// piecewise applies f, which is not linear, to arguments region by region.
func (e *Engine) piecewise(ctx *index.Context, args []sum, f func(*index.Context, []sum) sum) sum {
	var out sum
	for _, l := range e.split(ctx, args) {
		part := f(l.ctx, l.groups)
		for _, g := range l.guards {
			part = e.guarded(part, g)
		}
		out = append(out, part...)
	}
	return out
}

// apply returns the function name of args.
func (e *Engine) apply(ctx *index.Context, name string, args []sum) sum {
	for _, a := range args {
		if name != "relu" { // of MIN: 0; not a real function here, but it may be asked
			e.noLowest(a)
		}
	}
	return e.piecewise(ctx, args, func(ctx *index.Context, args []sum) sum {
		if e.laws.Field {
			switch name {
			case term.Exp:
				return e.exp(ctx, args[0])
			case term.Log:
				if x, ok := e.log(ctx, args[0]); ok {
					return x
				}
			case term.Sqrt:
				if x, ok := e.sqrt(ctx, args[0]); ok {
					return x
				}
			case term.Erf:
				return e.erf(ctx, args[0])
			}
		}
		polys := make([]*Poly, len(args))
		for i, a := range args {
			polys[i] = e.closeSum(ctx, a)
		}
		return e.ofAtom(e.atom(Atom{kind: applyAtom, name: name, polys: polys}))
	})
}

// tidy closes and opens: summands with the same body are added up.
func (e *Engine) tidy(ctx *index.Context, x sum) sum { return e.open(e.closeSum(ctx, x)) }

// exp returns the product of exp of the summands.
func (e *Engine) exp(ctx *index.Context, x sum) sum {
	out := e.constant(one)
	for _, s := range e.tidy(ctx, x) {
		e.used |= UsedExp
		if l := soleLog(s); l != nil && s.coef.IsInt() && s.coef.Num().IsInt64() && e.positivePoly(l.polys[0]) {
			by, n := e.open(l.polys[0]), s.coef.Num().Int64() // exp(n·log(p)) = p^n
			if n < 0 {
				by, n = e.invert(ctx, by), -n
			}
			for range min(n, unrollLimit+1) {
				out = e.mul(ctx, out, by)
			}
			if n <= unrollLimit {
				continue
			}
			panic(stop{ErrBudget})
		}
		t := *s
		base, n := e.expBase(s.coef)
		t.coef = base
		a := e.atom(Atom{kind: applyAtom, name: term.Exp, polys: []*Poly{e.closeSum(ctx, sum{&t})}})
		out = e.mul(ctx, out, sum{{coef: one, factors: []factor{{a, n}}}})
	}
	return out
}

// Limits of the powers of one exp.
const (
	maxExpPower = 64
	expShare    = 12 // of an argument with an unwieldy coefficient: its halves, thirds and quarters are powers too
)

// expBase writes the coefficient of an argument of exp as base·n: exp(p/q·m) = exp(m/q)^p. Where p is large, base is a
// share of the first such coefficient that was met and differs by factors 2 and 3 only, so that exp(0.7978845608·x) and
// exp(1.5957691216·x) are powers of one exp.
func (e *Engine) expBase(c *big.Rat) (base *big.Rat, n int) {
	if p := c.Num(); p.IsInt64() && abs(int(p.Int64())) <= maxExpPower {
		return new(big.Rat).SetFrac(big.NewInt(1), c.Denom()), int(p.Int64())
	}
	core := new(big.Rat).SetFrac(withoutTwosAndThrees(c.Num()), withoutTwosAndThrees(c.Denom())).RatString()
	if e.expBases[core] == nil {
		e.expBases[core] = new(big.Rat).Mul(new(big.Rat).Abs(c), big.NewRat(1, expShare))
	}
	base = e.expBases[core]
	ratio := new(big.Rat).Quo(c, base)
	if m := ratio.Num(); ratio.IsInt() && m.IsInt64() && abs(int(m.Int64())) <= expShare*maxExpPower {
		return base, int(m.Int64())
	}
	return c, 1
}

// withoutTwosAndThrees returns |n| divided by 2 and 3 as often as possible.
func withoutTwosAndThrees(n *big.Int) *big.Int {
	n = new(big.Int).Abs(n)
	n.Rsh(n, n.TrailingZeroBits())
	three := big.NewInt(3)
	for {
		q, r := new(big.Int).QuoRem(n, three, new(big.Int))
		if r.Sign() != 0 {
			return n
		}
		n = q
	}
}

// soleLog returns the logarithm that s is a multiple of, or nil.
func soleLog(s *summand) *Atom {
	if len(s.vars)+len(s.guards) > 0 || len(s.factors) != 1 || s.factors[0].exp != 1 {
		return nil
	}
	if a := s.factors[0].atom; a.kind == applyAtom && a.name == term.Log {
		return a
	}
	return nil
}

// erf is odd: the argument's first coefficient is made positive.
func (e *Engine) erf(ctx *index.Context, x sum) sum {
	x = e.tidy(ctx, x)
	if len(x) == 0 {
		return nil
	}
	sign := big.NewRat(int64(x[0].coef.Sign()), 1)
	a := e.atom(Atom{kind: applyAtom, name: term.Erf, polys: []*Poly{e.closeSum(ctx, e.scale(sign, x))}})
	return e.scale(sign, e.ofAtom(a))
}

// log takes positive factors that all summands share out of a logarithm: log(exp(m)·r) = m + log(r).
func (e *Engine) log(ctx *index.Context, x sum) (sum, bool) {
	x = e.tidy(ctx, x)
	if len(x) == 0 {
		return nil, false
	}
	var common []factor
	for _, f := range commonFactors(x) {
		if e.positive(f.atom) {
			common = append(common, f)
		}
	}
	if len(common) == 0 {
		return nil, false
	}
	e.used |= UsedExp
	rest := make(sum, len(x))
	for i, s := range x {
		t := *s
		t.factors = mergeFactors(s.factors, negated(common))
		rest[i] = &t
	}
	var out sum
	if bare := len(rest) == 1 && len(rest[0].vars)+len(rest[0].guards)+len(rest[0].factors) == 0; !bare || rest[0].coef.Cmp(one) != 0 {
		out = append(out, e.logAtom(ctx, rest)...)
	}
	for _, f := range common {
		n := new(big.Rat).SetInt64(int64(f.exp))
		switch {
		case f.atom.kind == applyAtom && f.atom.name == term.Exp:
			out = append(out, e.scale(n, e.open(f.atom.polys[0]))...)
		case f.atom.kind == powerAtom:
			out = append(out, e.scale(n, e.logAtom(ctx, e.open(f.atom.polys[0])))...)
		default:
			out = append(out, e.scale(n, e.logAtom(ctx, e.ofAtom(f.atom)))...)
		}
	}
	return out, true
}

func (e *Engine) logAtom(ctx *index.Context, x sum) sum {
	return e.ofAtom(e.atom(Atom{kind: applyAtom, name: term.Log, polys: []*Poly{e.closeSum(ctx, x)}}))
}

// positive reports whether an atom is known to be greater than 0: exp, and a sum of products of such
// with positive coefficients that is not empty.
func (e *Engine) positive(a *Atom) bool {
	switch a.kind {
	case applyAtom:
		return a.name == term.Exp
	case numberAtom:
		return e.b.Nonneg(e.b.Root(), e.b.AddInt(a.number.Expr(), -1))
	case powerAtom:
		return e.positivePoly(a.polys[0])
	}
	return false
}

func (e *Engine) positivePoly(p *Poly) bool { return e.positiveSum(e.open(p)) }

// positiveSum: each summand is at least 0 and one of them is surely there and greater than 0.
func (e *Engine) positiveSum(x sum) bool {
	sure := false
	for _, s := range x {
		if s.coef.Sign() < 0 {
			return false
		}
		strict := len(s.guards) == 0
		for _, f := range s.factors {
			if !e.positive(f.atom) {
				if f.exp%2 != 0 && !e.nonneg(f.atom) {
					return false
				}
				strict = false
			}
		}
		sure = sure || strict && e.somewhere(s.vars)
	}
	return sure
}

// nonneg reports whether an atom is known to be at least 0: roots, and maxima with a term that is or with two terms whose
// sum is.
func (e *Engine) nonneg(a *Atom) bool {
	switch a.kind {
	case applyAtom:
		return a.name == term.Sqrt
	case powerAtom:
		return e.nonnegSum(e.open(a.polys[0]))
	case maxAtom:
		var plain []sum
		for _, t := range e.open(a.polys[0]) {
			if len(t.vars) > 0 || len(t.guards) > 0 {
				continue
			}
			if e.nonnegSum(t.value) {
				return true
			}
			plain = append(plain, t.value)
		}
		return len(plain) == 2 && e.nonnegSum(e.tidy(e.b.Root(), append(append(sum(nil), plain[0]...), plain[1]...)))
	}
	return false
}

func (e *Engine) nonnegSum(x sum) bool {
	for _, s := range x {
		if s.coef.Sign() < 0 {
			return false
		}
		for _, f := range s.factors {
			if f.exp%2 != 0 && !e.positive(f.atom) && !e.nonneg(f.atom) {
				return false
			}
		}
	}
	return true
}

// sqrt takes the root of a square number.
func (e *Engine) sqrt(ctx *index.Context, x sum) (sum, bool) {
	x = e.tidy(ctx, x)
	if len(x) == 0 {
		return nil, true
	}
	if len(x) != 1 || len(x[0].vars)+len(x[0].guards)+len(x[0].factors) > 0 || x[0].coef.Sign() < 0 {
		return nil, false
	}
	n, d := x[0].coef.Num(), x[0].coef.Denom()
	rn, rd := new(big.Int).Sqrt(n), new(big.Int).Sqrt(d)
	if new(big.Int).Mul(rn, rn).Cmp(n) != 0 || new(big.Int).Mul(rd, rd).Cmp(d) != 0 {
		return nil, false
	}
	return e.constant(new(big.Rat).SetFrac(rn, rd)), true
}

// invert returns 1/x.
func (e *Engine) invert(ctx *index.Context, x sum) sum { return e.quotient(ctx, e.constant(one), x) }

// quotient returns y/x. The factors that x has go into the summands of y first: an inverse there cancels.
func (e *Engine) quotient(ctx *index.Context, y, x sum) sum {
	e.noLowest(x)
	return e.piecewise(ctx, []sum{x}, func(ctx *index.Context, args []sum) sum {
		e.used |= UsedField
		x := e.tidy(ctx, args[0])
		if len(x) == 0 { // undefined; the obligations say so
			return e.mul(ctx, y, e.ofAtom(e.atom(Atom{kind: applyAtom, name: "1/0"})))
		}
		common := commonFactors(x)
		lead := inverse(x[0].coef)
		outside := e.mul(ctx, y, sum{{coef: lead, factors: negated(common)}})
		var inner sum
		for _, s := range x {
			t := *s
			t.coef = new(big.Rat).Mul(s.coef, lead)
			t.factors = mergeFactors(s.factors, negated(common))
			inner = append(inner, e.reduceRoots(ctx, &t)...)
		}
		if len(inner) == 1 && len(inner[0].vars)+len(inner[0].guards)+len(inner[0].factors) == 0 {
			return outside
		}
		a := e.atom(Atom{kind: powerAtom, polys: []*Poly{e.closeSum(ctx, inner)}})
		return e.mul(ctx, outside, sum{{coef: one, factors: []factor{{a, -1}}}})
	})
}

func inverse(c *big.Rat) *big.Rat { return new(big.Rat).Inv(c) }

// commonFactors returns the factors that every summand has and that hold no bound variable, each to the least
// of its powers.
func commonFactors(x sum) []factor {
	powers := func(s *summand) map[*Atom]int {
		m := map[*Atom]int{}
		for _, f := range s.factors {
			ok := true
			for _, v := range s.vars {
				ok = ok && !f.atom.mentions(v)
			}
			if ok {
				m[f.atom] = f.exp
			}
		}
		return m
	}
	least := powers(x[0])
	for _, s := range x[1:] {
		m := powers(s)
		for a, n := range m {
			if least[a] > n { // absent counts as power 0
				least[a] = n
			}
		}
		for a, n := range least {
			if n > m[a] {
				least[a] = m[a]
			}
		}
	}
	var out []factor
	for a, n := range least {
		if n != 0 {
			out = mergeFactors(out, []factor{{a, n}})
		}
	}
	return out
}

// term makes a term of a maximum or a product.
func termOf(value sum, vars []*index.Atom, guards []*index.Expr) *summand {
	return &summand{coef: one, vars: vars, guards: guards, isTerm: true, value: value}
}

// A scope is where a maximum is taken, as polynomials forget their sort: the integers of a sort, beside real numbers. The
// empty one is that of the laws: the reals where they are those of a field, else integers.
func (e *Engine) scope(s term.Sort) string {
	if e.laws.Field && s.Kind != term.Real {
		return s.String()
	}
	return ""
}

// real reports whether the laws of real numbers hold in a scope.
func (e *Engine) real(scope string) bool { return e.laws.Field && scope == "" }

// maximum returns the greatest of terms.
func (e *Engine) maximum(ctx *index.Context, scope string, terms sum) sum {
	var flat sum
	lowest := term.Sort{}.String() // the sort of MIN, where nothing else is left
	for _, t := range terms {
		for _, s := range t.value {
			if len(s.factors) == 1 && s.factors[0].atom.kind == lowestAtom {
				lowest = s.factors[0].atom.name
			}
		}
		flat = e.flatten(ctx, scope, flat, t)
	}
	return e.piecewise(ctx, []sum{flat}, func(ctx *index.Context, args []sum) sum {
		if e.real(scope) {
			if terms, c, rest, ok := e.outside(ctx, args[0]); ok {
				return append(e.scale(c, e.maximum(ctx, "", terms)), rest...)
			}
			if out, ok := e.bySigns(ctx, args[0]); ok {
				return out
			}
		} else if out, ok := e.outOfFunctions(ctx, scope, args[0]); ok {
			return out
		}
		p := e.closeTerms(ctx, args[0])
		if len(p.parts) == 0 {
			return e.ofAtom(e.atom(Atom{kind: lowestAtom, name: lowest}))
		}
		if len(p.parts) == 1 {
			bd := p.parts[0].body
			if bd.slots == 0 && len(bd.guards) == 0 && p.parts[0].steps.segs == nil {
				return e.open(bd.factors[0].atom.polys[0])
			}
		}
		return e.ofAtom(e.atom(Atom{kind: maxAtom, name: scope, polys: []*Poly{p}}))
	})
}

// outside takes what all terms share out of a maximum that is surely not empty: summands without bound variables,
// max(b + x, b + y) = b + max(x, y), and a positive factor, max(c·x, c·y) = c·max(x, y). ok is false where nothing is.
func (e *Engine) outside(ctx *index.Context, terms sum) (inner sum, c *big.Rat, rest sum, ok bool) {
	sure := false
	values := make([]*Poly, len(terms))
	content := new(big.Rat)
	shared := map[part]int{}
	for i, t := range terms {
		sure = sure || len(t.guards) == 0 && e.somewhere(t.vars)
		values[i] = e.closeSum(ctx, t.value)
		for _, s := range e.open(values[i]) {
			content = gcd(content, s.coef)
		}
		for _, pt := range values[i].parts {
			if !mentionsPart(pt, t.vars) {
				shared[pt]++
			}
		}
	}
	if !sure || content.Sign() == 0 {
		return nil, nil, nil, false
	}
	var common []part
	for _, pt := range values[0].parts {
		if shared[pt] == len(terms) {
			common = append(common, pt)
		}
	}
	if len(common) == 0 && content.Cmp(one) == 0 || len(terms) == 1 && len(terms[0].vars) == 0 {
		return nil, nil, nil, false
	}
	inverse := inverse(content)
	rest = e.open(e.intern(common, false))
	for i, t := range terms {
		var kept []part
		for _, pt := range values[i].parts {
			if shared[pt] < len(terms) || mentionsPart(pt, t.vars) {
				kept = append(kept, pt)
			}
		}
		inner = append(inner, termOf(e.scale(inverse, e.open(e.intern(kept, false))), t.vars, t.guards))
	}
	e.used |= UsedOrder
	return inner, content, rest, true
}

// mentionsPart reports whether the places that vars stand for decide what pt is, or where it is anything.
func mentionsPart(pt part, vars []*index.Atom) bool {
	ranges := pt.steps.free()
	return slices.ContainsFunc(vars, func(v *index.Atom) bool {
		return contains(pt.body.free, v) || contains(ranges, v)
	})
}

// gcd returns the greatest positive rational that both are integer multiples of.
func gcd(x, y *big.Rat) *big.Rat {
	if x.Sign() == 0 {
		return new(big.Rat).Abs(y)
	}
	n := new(big.Int).GCD(nil, nil, new(big.Int).Abs(new(big.Int).Mul(x.Num(), y.Denom())), new(big.Int).Abs(new(big.Int).Mul(y.Num(), x.Denom())))
	return new(big.Rat).SetFrac(n, new(big.Int).Mul(x.Denom(), y.Denom()))
}

// flatten appends t to flat: conditions inside its value become conditions of terms, MIN vanishes, and a value
// that is itself a maximum gives its terms.
func (e *Engine) flatten(ctx *index.Context, scope string, flat sum, t *summand) sum {
	for _, l := range e.split(ctx, []sum{t.value}) {
		value := l.groups[0]
		guards := appendTo(t.guards, l.guards)
		if len(value) == 1 && len(value[0].vars) == 0 && len(value[0].guards) == 0 &&
			len(value[0].factors) == 1 && value[0].factors[0].exp == 1 && value[0].coef.Cmp(one) == 0 {
			switch a := value[0].factors[0].atom; a.kind {
			case lowestAtom:
				continue
			case maxAtom:
				for _, inner := range e.open(a.polys[0]) {
					if clash(t, inner) {
						inner = e.rename(ctx, inner)
					}
					flat = e.bounded(ctx, scope, flat, termOf(inner.value, appendTo(t.vars, inner.vars), appendTo(guards, inner.guards)))
				}
				continue
			}
		}
		flat = e.bounded(ctx, scope, flat, termOf(value, t.vars, guards))
	}
	return flat
}

// bounded appends t to flat, without the bound that it may have.
func (e *Engine) bounded(ctx *index.Context, scope string, flat sum, t *summand) sum {
	if value, ok := e.unbounded(ctx, t.value, t.vars, t.guards); ok && e.real(scope) {
		return e.flatten(ctx, scope, flat, termOf(value, nil, nil))
	}
	return append(flat, t)
}

// unbounded takes a bound out of a maximum over a box that is not empty: over k, max of min(c, x[k]) is min(c, max of x[k]),
// and min(a, b) is -max(-a, -b). ok is false where value is no such minimum.
func (e *Engine) unbounded(ctx *index.Context, value sum, vars []*index.Atom, guards []*index.Expr) (out sum, ok bool) {
	if !e.laws.Field || len(vars) == 0 || len(guards) > 0 {
		return nil, false
	}
	var s *summand // the only one that depends on k; the others are added to all
	for _, x := range value {
		switch {
		case !slices.ContainsFunc(vars, x.mentions):
			out = append(out, x)
		case s != nil:
			return nil, false
		default:
			s = x
		}
	}
	if s == nil || len(s.vars)+len(s.guards) > 0 || len(s.factors) != 1 || s.factors[0].exp != 1 || s.coef.Sign() > 0 ||
		s.factors[0].atom.kind != maxAtom {
		return nil, false
	}
	for _, v := range vars {
		if !e.b.Nonneg(e.b.Root(), e.b.AddInt(e.b.Sub(v.Hi, v.Lo), -1)) {
			return nil, false
		}
	}
	var bounds, rest sum
	sure := false // that each x[k] is there
	for _, t := range e.open(s.factors[0].atom.polys[0]) {
		if clash(&summand{vars: vars}, t) {
			t = e.rename(ctx, t)
		}
		if !slices.ContainsFunc(vars, t.mentions) {
			bounds = append(bounds, t)
			continue
		}
		if e.mayBeLowest(t.value) {
			return nil, false
		}
		sure = sure || len(t.vars)+len(t.guards) == 0
		rest = append(rest, t)
	}
	if len(bounds) == 0 || !sure {
		return nil, false
	}
	e.used |= UsedOrder
	minus := big.NewRat(-1, 1)
	inner := e.maximum(ctx, "", sum{termOf(e.scale(minus, e.maximum(ctx, "", rest)), vars, nil)})
	return append(out, e.scale(s.coef, e.maximum(ctx, "", append(bounds, termOf(e.scale(minus, inner), nil, nil))))...), true
}

// unrollLimit bounds the factors that a product over a box of numbers is written out to.
const unrollLimit = 64

// product returns the product of a term over its box.
func (e *Engine) product(ctx *index.Context, t *summand) sum {
	if len(t.vars) == 0 {
		return t.value
	}
	v := t.vars[len(t.vars)-1]
	lo, okLo := v.Lo.Const()
	hi, okHi := v.Hi.Const()
	if n, small := hi.Sub(lo).Int64(); okLo && okHi && small && n <= unrollLimit {
		out := e.constant(one)
		for i := int64(0); i < n; i++ {
			at := e.b.Num(lo.Add(index.Int(i)))
			inner := e.substSum(ctx, t.value, map[*index.Atom]*index.Expr{v: at})
			out = e.mul(ctx, out, e.product(ctx, termOf(inner, t.vars[:len(t.vars)-1], t.guards)))
		}
		return out
	}
	if len(e.closeSum(ctx, t.value).parts) == 0 { // of zeros: 0, if there is one
		if e.somewhere(t.vars) {
			return nil
		}
	}
	p := e.closeProduct(ctx, t)
	if len(p.parts) == 0 { // facts say that the box is empty
		return e.constant(one)
	}
	return e.ofAtom(e.atom(Atom{kind: foldAtom, polys: []*Poly{p}}))
}

// gather returns body with v replaced by the value of at: it distributes over sums, products and functions down to
// the reads. name keeps gathers over axes of other lengths apart.
func (e *Engine) gather(ctx *index.Context, name string, v *index.Atom, body, at sum) sum {
	body = e.rejoin(ctx, v, body)
	return e.piecewise(ctx, []sum{at}, func(ctx *index.Context, args []sum) sum {
		g := gathering{e: e, ctx: ctx, name: name, v: v, at: e.closeSum(ctx, args[0])}
		return g.sum(body)
	})
}

// rejoin takes away conditions that set one position of v apart, where what stands there is what the others say of it:
// x[0] if v is 0, else x[v].
func (e *Engine) rejoin(ctx *index.Context, v *index.Atom, body sum) sum {
	for range body {
		joined := e.rejoinOnce(ctx, v, body)
		if joined == nil {
			return body
		}
		body = joined
	}
	return body
}

func (e *Engine) rejoinOnce(ctx *index.Context, v *index.Atom, body sum) sum {
	for _, s := range body {
		for _, g := range s.guards {
			end := e.endOf(g)
			if end.v != v {
				continue
			}
			p := v.Lo // the position that g leaves
			if n, ok := e.b.Sub(end.at, v.Lo).Const(); end.lower || !ok || !n.IsOne() {
				p = end.at
				if n, ok := e.b.Sub(v.Hi, end.at).Const(); !end.lower || !ok || !n.IsOne() {
					continue
				}
			}
			not := e.b.AddInt(e.b.Scale(index.Int(-1), g), -1)
			var here, there, rest sum
			for _, t := range body {
				switch {
				case slices.Contains(t.guards, g):
					here = append(here, withoutGuard(t, g))
				case slices.Contains(t.guards, not):
					there = append(there, withoutGuard(t, not))
				default:
					rest = append(rest, t)
				}
			}
			m := map[*index.Atom]*index.Expr{v: p}
			if e.closeSum(ctx, e.substSum(ctx, here, m)) == e.closeSum(ctx, e.substSum(ctx, there, m)) {
				return append(there, rest...)
			}
		}
	}
	return nil
}

func withoutGuard(s *summand, g *index.Expr) *summand {
	t := *s
	t.guards = nil
	for _, h := range s.guards {
		if h != g {
			t.guards = append(t.guards, h)
		}
	}
	return &t
}

type gathering struct {
	e    *Engine
	ctx  *index.Context
	name string
	v    *index.Atom
	at   *Poly
}

func (g *gathering) sum(x sum) sum {
	var out sum
	for _, s := range x {
		if !s.mentions(g.v) {
			out = append(out, s)
			continue
		}
		if g.conditional(s) {
			return g.opaque(x)
		}
		t := *s
		if s.isTerm {
			t.value = g.sum(s.value)
			out = append(out, &t)
			continue
		}
		t.factors = nil
		product := sum{&t}
		for _, f := range s.factors {
			by := g.atom(f.atom)
			if f.exp < 0 {
				by = g.e.invert(g.ctx, by)
			}
			for range abs(f.exp) {
				product = g.e.mul(g.ctx, product, by)
			}
		}
		out = append(out, product...)
	}
	return out
}

// conditional reports whether a condition of s, or a range, depends on v: on the value of an input.
func (g *gathering) conditional(s *summand) bool {
	return slices.ContainsFunc(s.guards, func(c *index.Expr) bool { return c.Mentions(g.v) }) ||
		slices.ContainsFunc(s.vars, func(k *index.Atom) bool { return k.Lo.Mentions(g.v) || k.Hi.Mentions(g.v) })
}

func (g *gathering) atom(a *Atom) sum {
	e := g.e
	if !a.mentions(g.v) {
		return e.ofAtom(a)
	}
	switch a.kind {
	case powerAtom:
		return g.sum(e.open(a.polys[0]))
	case maxAtom: // terms of a maximum are no summands: with a condition on v, the whole of it is opaque
		terms := e.open(a.polys[0])
		if !slices.ContainsFunc(terms, g.conditional) {
			return e.maximum(g.ctx, a.name, g.sum(terms))
		}
	case applyAtom:
		args := make([]sum, len(a.polys))
		for i, p := range a.polys {
			args[i] = g.sum(e.open(p))
		}
		return e.apply(g.ctx, a.name, args)
	case gatherAtom:
		if !contains(a.polys[0].free, g.v) {
			return e.gatherAt(a.name, a.slot, a.polys[0], e.closeSum(g.ctx, g.sum(e.open(a.polys[1]))))
		}
	}
	return g.opaque(e.ofAtom(a))
}

// opaque keeps the replacement of v in x as an atom.
func (g *gathering) opaque(x sum) sum {
	e := g.e
	slot := e.closeSum(g.ctx, x).height
	for {
		p := e.closeSum(g.ctx, e.substSum(g.ctx, x, map[*index.Atom]*index.Expr{g.v: e.b.Slot(slot).Expr()}))
		if p.height <= slot {
			return e.gatherAt(g.name, slot, p, g.at)
		}
		slot = p.height // closing under another name may change the height
	}
}

func (e *Engine) gatherAt(name string, slot int, body, at *Poly) sum {
	return e.ofAtom(e.atom(Atom{kind: gatherAtom, name: name, slot: slot, polys: []*Poly{body, at}}))
}

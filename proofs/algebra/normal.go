package algebra

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"tv/semantics/domain"
)

// normal returns the open polynomial of t at c.
//
// A plain term in which no condition was left open at the root is the same everywhere.
func (e *engine) normal(c *Context, t *Scalar) sum {
	if t.plain && c != e.Root && !e.local[t] {
		if s := e.normal(e.Root, t); !e.local[t] {
			return s
		}
	}
	key := [2]int{t.id, c.ID}
	s, known := e.terms[key]
	if !known {
		e.spend(1)
		before := e.refused
		s = e.compute(c, t)
		if t.plain && c == e.Root && e.refused != before {
			e.local[t] = true
		}
		if len(t.Args) > 0 && t.Op != OpMul { // others are no work
			e.terms[key] = s
		}
	}
	if c == e.Root && e.local[t] {
		e.refused++ // for the term around it
	}
	return s
}

func (e *engine) compute(c *Context, t *Scalar) sum {
	arg := func(i int) sum { return e.normal(c, t.Args[i]) }
	integer := t.Elem.Kind == domain.ElemInt || t.Elem.Kind == domain.ElemUint
	switch t.Op {
	case OpConst:
		if t.Val == nil {
			return e.function(c, e.of("constant "+t.Name, t.Elem))
		}
		return constant(t.Val)
	case OpLowest:
		if e.laws.natural {
			return nil
		}
		return ofAtom(e.atom(atom{kind: lowestAtom, name: e.lowestName(t.Elem)}))
	case OpNumber:
		return e.number(t.E)
	case OpRead:
		return ofAtom(e.atom(atom{kind: readAtom, name: t.Name, e: t.E}))
	case OpAdd:
		x, y := arg(0), arg(1)
		if len(x) > 0 && len(y) > 0 {
			e.noLowest(x)
			e.noLowest(y)
		}
		return gathered(c, concat(x, y))
	case OpNeg:
		return e.scale(minusOne, arg(0))
	case OpMul:
		return e.mul(c, arg(0), arg(1))
	case OpDiv:
		d := t.Args[1]
		if e.reals(t.Elem) {
			if d.Op == OpConst && d.Val != nil && d.Val.Sign() != 0 {
				return e.scale(new(big.Rat).Inv(d.Val), arg(0))
			}
			return e.over(c, arg(0), arg(1))
		}
		if d.Op == OpConst && d.Val != nil { // as it is, not modulo anything
			return e.apply(c, e.of("div by "+d.Val.RatString(), t.Elem), arg(0))
		}
		return e.apply(c, e.of("div", t.Elem), arg(0), arg(1))
	case OpMax:
		return e.greatest(c, e.scope(t.Elem), arg(0), arg(1))
	case OpMin:
		if x, y := arg(0), arg(1); !e.reals(t.Elem) || e.mayBeLowest(x) || e.mayBeLowest(y) {
			return e.lesser(c, x, y)
		}
		x, y := e.scale(minusOne, arg(0)), e.scale(minusOne, arg(1))
		return e.scale(minusOne, e.greatest(c, "", x, y))
	case OpApply:
		name := t.Name
		var args []sum
		for i, x := range t.Args { // numbers count as they are, not modulo anything
			switch {
			case e.reals(t.Elem) || x.Op != OpConst && x.Op != OpNumber:
				args = append(args, arg(i))
			case x.Op == OpNumber:
				name += " " + Formatted(x.E)
			default:
				name += " " + fmt.Sprint(x.Val, x.Name)
			}
		}
		switch {
		case name == "relu" && t.Elem.Kind == domain.ElemUint:
			return arg(0)
		case name == "relu" && integer:
			return e.greatest(c, e.scope(t.Elem), arg(0), nil)
		case t.Name == "left-shift" && integer:
			n, ok := t.Args[1].E.Const()
			if k, _ := n.Int64(); ok && k >= 0 && k < int64(t.Elem.Width) {
				by := new(big.Int).Lsh(big.NewInt(1), uint(k))
				return e.scale(new(big.Rat).SetInt(by), arg(0))
			}
		case t.Name == "right-shift" && integer && !e.partial(t):
			k, _ := t.Args[1].E.Const()
			return e.rightShift(c, t.Elem, int(k.Big().Int64()), arg(0))
		case t.Name == "round" && integer:
			return arg(0)
		}
		return e.apply(c, e.of(name, t.Elem), args...)
	case OpConvert:
		return e.convert(c, t.Args[0].Elem, t.Elem, arg(0))
	case OpFunction:
		if x, ok := e.selected(c, t); ok {
			return x
		} else if x, ok := e.powers(c, t); ok {
			return x
		}
		args := make([]sum, len(t.Args))
		for i := range args {
			args[i] = arg(i)
		}
		return e.apply(c, t.Name, args...)
	case OpReduce:
		return e.reduce(c, t)
	case OpIf:
		var out sum
		for _, b := range e.branches(c, t.E) {
			out = concat(out, e.guarded(e.normal(b.c, t.Args[b.arg]), b.guards))
		}
		return out
	}
	return e.gather(c, axis(t), t.Vars[0], arg(0), arg(1)) // opGather
}

// lesser returns the lesser of x and y where it is no negated maximum.
func (e *engine) lesser(c *Context, x, y sum) sum {
	return e.piecewise(c, []sum{x, y}, func(c *Context, args []sum) sum {
		p, q := e.closeSum(c, args[0]), e.closeSum(c, args[1])
		if p == q {
			return args[0]
		} else if p.id > q.id {
			p, q = q, p
		}
		return ofAtom(e.atom(atom{kind: applyAtom, name: "min", polys: []*poly{p, q}}))
	})
}

// Formatted prints an expression of sizes. Names are quoted: one may hold blanks and parentheses.
func Formatted(x *Expr) string {
	return x.Format(func(a *Atom) string { return strconv.Quote(a.Name) })
}

// axis names what the index of a gather runs over and its type: what bits mean as an index depends
// on the type, which polynomials forget.
func axis(t *Scalar) string {
	return "0 to " + Formatted(t.Vars[0].Hi) + " by " + t.Args[1].Elem.String()
}

func (e *engine) lowestName(t domain.Elem) string {
	if e.reals(t) {
		return ""
	}
	return t.String()
}

// mayBeLowest reports whether x can be MIN, as a maximum of nothing is.
func (e *engine) mayBeLowest(x sum) bool {
	for _, s := range x {
		for _, f := range s.factors {
			switch f.a.kind {
			case lowestAtom:
				return true
			case gatherAtom:
				if e.mayBeLowest(e.open(f.a.polys[0])) {
					return true
				}
			case foldAtom: // a product of one factor is that factor
				if e.mayBeLowest(e.open(f.a.polys[0])[0].value) {
					return true
				}
			case maxAtom:
				if !slices.ContainsFunc(e.open(f.a.polys[0]), func(t *summand) bool {
					return len(t.guards) == 0 && e.some(e.Root, t.vars) &&
						!e.mayBeLowest(t.value)
				}) {
					return true
				}
			case applyAtom:
				if f.a.name == "min" && slices.ContainsFunc(f.a.polys, func(p *poly) bool {
					return e.mayBeLowest(e.open(p))
				}) {
					return true
				}
			}
		}
	}
	return false
}

func (e *engine) reduce(c *Context, t *Scalar) sum {
	body := e.normal(c, t.Args[0])
	if t.Fold == FoldMax {
		return e.maximum(c, e.scope(t.Elem), sum{memberOf(body, t.Vars, nil)})
	}
	e.noLowest(body)
	var out sum
	if t.Fold == FoldSum {
		for _, s := range body {
			u := *s
			u.vars = concat(t.Vars, s.vars)
			out = append(out, &u)
		}
		return out
	}
	return e.piecewise(c, []sum{body}, func(c *Context, args []sum) sum {
		for _, g := range e.leafGuards {
			if slices.ContainsFunc(t.Vars, g.Mentions) {
				Fail(CodeUnsupported, "a product of pieces along its axis")
			}
		}
		return e.product(c, memberOf(args[0], t.Vars, nil))
	})
}

// A leaf of a split: where guards hold, no summand of groups has a condition on free variables.
type leaf struct {
	c      *Context
	guards []*Expr
	groups []sum
}

// split cuts the place into regions in which every condition of a summand that mentions none of
// its own variables is decided.
func (e *engine) split(c *Context, groups ...sum) []leaf {
	var out []leaf
	e.splitInto(&out, c, nil, groups)
	return out
}

func (e *engine) splitInto(out *[]leaf, c *Context, guards []*Expr, groups []sum) {
	e.spend(1)
	var cut *Expr
	decided := make([]sum, len(groups))
	for i, g := range groups {
	next:
		for _, s := range g {
			var kept []*Expr
			for _, x := range s.guards {
				switch e.decide(c, x) {
				case no:
					continue next
				case open:
					kept = append(kept, x)
					if cut == nil && !slices.ContainsFunc(s.vars, x.Mentions) {
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
		*out = append(*out, leaf{c, guards, decided})
		return
	}
	for _, g := range []*Expr{cut, e.not(cut)} {
		e.splitInto(out, e.Assume(c, g), concat(guards, []*Expr{g}), decided)
	}
}

// piecewise applies f, which is not linear, to arguments region by region.
func (e *engine) piecewise(c *Context, args []sum, f func(*Context, []sum) sum) sum {
	var out sum
	for _, l := range e.split(c, args...) {
		e.leafGuards = l.guards
		out = append(out, e.guarded(f(l.c, l.groups), l.guards)...)
	}
	return out
}

// apply returns the function name of args.
func (e *engine) apply(c *Context, name string, args ...sum) sum {
	for _, a := range args {
		if name != "relu" {
			e.noLowest(a)
		}
	}
	return e.piecewise(c, args, func(c *Context, args []sum) sum {
		if e.laws.field && len(args) == 1 {
			switch name {
			case "exp":
				return e.exp(c, args[0])
			case "log":
				return e.log(c, args[0])
			case "sqrt":
				return e.sqrt(c, args[0])
			case "erf": // odd
				if x := e.tidy(c, args[0]); len(x) == 0 {
					return nil
				} else if s := big.NewRat(int64(x[0].coef.Sign()), 1); s.Sign() < 0 {
					return e.scale(s, e.function(c, name, e.scale(s, x)))
				}
			}
		}
		return e.function(c, name, args...)
	})
}

// function returns the function name of args as an atom.
func (e *engine) function(c *Context, name string, args ...sum) sum {
	name, args = e.compared(c, name, args)
	polys := make([]*poly, len(args))
	for i, a := range args {
		polys[i] = e.closeSum(c, a)
	}
	polys, first := lawful(name, polys, func(p *poly) int { return p.id })
	if first {
		return e.open(polys[0])
	}
	return ofAtom(e.atom(atom{kind: applyAtom, name: name, polys: polys}))
}

// tidy closes and opens: summands with one body are added up.
func (e *engine) tidy(c *Context, x sum) sum { return e.open(e.closeSum(c, x)) }

// exp of a sum is the product of exp of the summands; exp(n·m) = exp(m)^n; exp(n·log(x)) = x^n for
// x > 0.
func (e *engine) exp(c *Context, x sum) sum {
	out := constant(one)
	for _, s := range e.tidy(c, x) {
		if by := e.underLog(s); by != nil && s.coef.IsInt() && s.coef.Num().IsInt64() {
			n := s.coef.Num().Int64()
			if n < 0 {
				by, n = e.invert(c, by), -n
			}
			if n <= MaxUnroll {
				out = e.mul(c, out, e.power(c, by, int(n)))
				continue
			}
		}
		t := *s
		base, n := e.expBase(s.coef)
		t.coef = base
		a := e.function(c, "exp", sum{&t})[0].factors[0].a
		out = e.mul(c, out, sum{{coef: one, factors: []factor{{a, n}}}})
	}
	return out
}

// expBase writes the coefficient of an operand of exp as base·n with a small n: as 1/q·p or, where
// p is large, as a multiple of a 12th of the first such coefficient up to factors 2 and 3.
func (e *engine) expBase(c *big.Rat) (base *big.Rat, n int) {
	const share = 12
	if p := c.Num(); p.CmpAbs(big.NewInt(MaxUnroll)) <= 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), c.Denom()), int(p.Int64())
	}
	n23, d23 := without23(c.Num()), without23(c.Denom())
	core := new(big.Rat).SetFrac(n23, d23).RatString()
	if e.expBases[core] == nil {
		e.expBases[core] = new(big.Rat).Mul(new(big.Rat).Abs(c), big.NewRat(1, share))
	}
	base = e.expBases[core]
	ratio := new(big.Rat).Quo(c, base)
	if ratio.IsInt() && ratio.Num().CmpAbs(big.NewInt(share*MaxUnroll)) <= 0 {
		return base, int(ratio.Num().Int64())
	}
	return c, 1
}

// without23 returns |n| divided by 2 and by 3 as often as possible.
func without23(n *big.Int) *big.Int {
	n = new(big.Int).Abs(n)
	for _, d := range []*big.Int{big.NewInt(2), big.NewInt(3)} {
		q, r := new(big.Int).QuoRem(n, d, new(big.Int))
		for ; r.Sign() == 0; q, r = new(big.Int).QuoRem(n, d, new(big.Int)) {
			n = q
		}
	}
	return n
}

// underLog returns x if s is a multiple of log(x) and x is certainly positive.
func (e *engine) underLog(s *summand) sum {
	if !s.alone() || len(s.factors) != 1 || s.factors[0].exp != 1 {
		return nil
	}
	a := s.factors[0].a
	if a.kind != applyAtom || a.name != "log" || e.signOf(a.polys[0]) < positive {
		return nil
	}
	return e.open(a.polys[0])
}

// log takes positive factors that all summands share out: log(exp(m)·r) = m + log(r).
func (e *engine) log(c *Context, x sum) sum {
	x = e.tidy(c, x)
	common := slices.DeleteFunc(commonFactors(x), func(f factor) bool {
		return e.sign(f.a) < positive
	})
	if len(common) == 0 {
		return e.function(c, "log", x)
	}
	var out, rest sum
	for _, s := range x {
		t := *s
		t.factors = mergeFactors(s.factors, negated(common))
		rest = append(rest, &t)
	}
	if n := rest.number(); n == nil || n.Cmp(one) != 0 {
		out = e.function(c, "log", rest)
	}
	for _, f := range common {
		n := big.NewRat(int64(f.exp), 1)
		switch {
		case f.a.kind == applyAtom && f.a.name == "exp":
			out = concat(out, e.scale(n, e.open(f.a.polys[0])))
		case f.a.kind == powerAtom:
			out = concat(out, e.scale(n, e.function(c, "log", e.open(f.a.polys[0]))))
		default:
			out = concat(out, e.scale(n, e.function(c, "log", ofAtom(f.a))))
		}
	}
	return out
}

// sqrt takes the root of a square number.
func (e *engine) sqrt(c *Context, x sum) sum {
	x = e.tidy(c, x)
	if len(x) == 0 {
		return nil
	}
	if c := x.number(); c != nil && c.Sign() > 0 {
		n, d := new(big.Int).Sqrt(c.Num()), new(big.Int).Sqrt(c.Denom())
		root := new(big.Rat).SetFrac(n, d)
		if new(big.Rat).Mul(root, root).Cmp(c) == 0 {
			return constant(root)
		}
	}
	return e.function(c, "sqrt", x)
}

// invert returns 1/x.
func (e *engine) invert(c *Context, x sum) sum { return e.over(c, constant(one), x) }

// over returns y/x; an inverse in y cancels with a factor of x.
func (e *engine) over(c *Context, y, x sum) sum {
	e.noLowest(x)
	return e.piecewise(c, []sum{x}, func(c *Context, args []sum) sum {
		x := e.tidy(c, args[0])
		if len(x) == 0 { // undefined, which the conditions of the element say
			return e.mul(c, y, e.function(c, "1/0"))
		}
		common := commonFactors(x)
		lead := new(big.Rat).Inv(x[0].coef)
		outside := e.mul(c, y, sum{{coef: lead, factors: negated(common)}})
		var inner sum
		for _, s := range x {
			t := *s
			t.coef = new(big.Rat).Mul(s.coef, lead)
			t.factors = mergeFactors(s.factors, negated(common))
			inner = append(inner, e.roots(c, &t)...)
		}
		if inner.number() != nil {
			return outside
		}
		a := e.atom(atom{kind: powerAtom, polys: []*poly{e.closeSum(c, inner)}})
		return e.mul(c, outside, sum{{coef: one, factors: []factor{{a, -1}}}})
	})
}

// commonFactors returns the factors that hold no variable of a summand, each to the least of its
// powers in x, 0 where it is none.
func commonFactors(x sum) []factor {
	var out []factor
	seen := map[*atom]bool{}
	for _, s := range x {
		for _, f := range s.factors {
			held := func(t *summand) bool { return meet(t.vars, f.a.free) }
			if seen[f.a] || slices.ContainsFunc(x, held) {
				continue
			}
			seen[f.a] = true
			least := f.exp
			for _, t := range x {
				n := 0
				for _, g := range t.factors {
					if g.a == f.a {
						n = g.exp
					}
				}
				least = min(least, n)
			}
			if least != 0 {
				out = mergeFactors(out, []factor{{f.a, least}})
			}
		}
	}
	return out
}

// Signs, weakest first.
const (
	anySign = iota
	nonnegative
	positive
)

// sign says what is certain of the sign of an atom.
func (e *engine) sign(a *atom) int {
	switch a.kind {
	case applyAtom:
		if a.name == "exp" {
			return positive
		} else if a.name == "sqrt" {
			return nonnegative
		}
	case numberAtom:
		if e.Nonneg(e.Root, e.AddInt(a.number.expr, -1)) {
			return positive
		}
	case powerAtom:
		return e.signOf(a.polys[0])
	case maxAtom: // of u and v it is at least their mean
		var both sum
		n := 0
		for _, t := range e.open(a.polys[0]) {
			switch {
			case !t.alone():
				continue
			case e.signOfSum(t.value) >= nonnegative:
				return nonnegative
			}
			both, n = append(both, t.value...), n+1
		}
		if n == 2 && e.signOfSum(e.tidy(e.Root, both)) >= nonnegative {
			return nonnegative
		}
	}
	return anySign
}

func (e *engine) signOf(p *poly) int { return e.signOfSum(e.open(p)) }

// signOfSum: at least 0 if each summand is; positive if one of them is and is surely there.
func (e *engine) signOfSum(x sum) int {
	sign := nonnegative
	for _, s := range x {
		if s.coef.Sign() < 0 {
			return anySign
		}
		strict := len(s.guards) == 0
		for _, f := range s.factors {
			k := e.sign(f.a)
			if k == anySign && f.exp%2 != 0 {
				return anySign
			}
			strict = strict && k == positive
		}
		if strict && e.some(e.Root, s.vars) {
			sign = positive
		}
	}
	return sign
}

// greatest returns the greater of x and y.
func (e *engine) greatest(c *Context, scope string, x, y sum) sum {
	return e.maximum(c, scope, sum{memberOf(x, nil, nil), memberOf(y, nil, nil)})
}

// maximum returns the greatest member of a set of numbers of a scope.
func (e *engine) maximum(c *Context, scope string, set sum) sum {
	var flat sum
	lowest := ""
	for _, t := range set {
		flat = e.flatten(c, scope, flat, t, &lowest)
	}
	return e.piecewise(c, []sum{flat}, func(c *Context, args []sum) sum {
		if e.laws.field && scope == "" {
			if inner, k, rest, ok := e.outside(c, args[0]); ok {
				return concat(e.scale(k, e.maximum(c, "", inner)), rest)
			}
			if out, ok := e.signed(c, args[0]); ok {
				return out
			}
		} else if out, ok := e.unwrapped(c, scope, args[0]); ok {
			return out
		}
		p := e.closing(c, args[0], setMode)
		if len(p.parts) == 0 && e.laws.natural {
			return nil
		} else if len(p.parts) == 0 {
			return ofAtom(e.atom(atom{kind: lowestAtom, name: lowest}))
		}
		if bd := p.parts[0].body; len(p.parts) == 1 && bd.slots == 0 && len(bd.guards) == 0 &&
			p.parts[0].steps.dim == nil {
			return e.open(bd.factors[0].a.polys[0])
		}
		return ofAtom(e.atom(atom{kind: maxAtom, name: scope, polys: []*poly{p}}))
	})
}

// flatten adds a member: conditions inside its value become conditions of members, MIN vanishes,
// and a value that is itself a maximum gives its members.
func (e *engine) flatten(c *Context, scope string, flat sum, t *summand, lowest *string) sum {
	for _, l := range e.split(c, t.value) {
		value, guards := e.fewer(c, l.groups[0]), concat(t.guards, l.guards)
		if e.laws.natural && len(value) == 0 {
			continue
		}
		if len(value) == 1 && value[0].alone() && len(value[0].factors) == 1 &&
			value[0].factors[0].exp == 1 && value[0].coef.Cmp(one) == 0 {
			switch a := value[0].factors[0].a; a.kind {
			case lowestAtom:
				*lowest = a.name
				continue
			case maxAtom:
				for _, in := range e.open(a.polys[0]) {
					if len(t.vars) > 0 {
						in = e.rename(c, in)
					}
					flat = e.bounded(c, scope, flat, memberOf(in.value, concat(t.vars, in.vars),
						concat(guards, in.guards)), lowest)
				}
				continue
			}
		}
		flat = e.bounded(c, scope, flat, memberOf(value, t.vars, guards), lowest)
	}
	return flat
}

// bounded adds a member that is flat. One that is b - r·max(c, x) over a box that is not empty,
// where b and c do not depend on the place, is b - r·max(c, -max(-x)), the inner maximum being over
// the box.
func (e *engine) bounded(c *Context, scope string, flat sum, t *summand, lowest *string) sum {
	if x := e.unbounded(c, t.value, t.vars); x != nil && len(t.guards) == 0 && scope == "" {
		return e.flatten(c, scope, flat, memberOf(x, nil, nil), lowest)
	}
	return append(flat, t)
}

func (e *engine) unbounded(c *Context, value sum, vars []*Atom) sum {
	still := func(t *summand) bool { return !slices.ContainsFunc(vars, t.mentions) }
	m := slices.DeleteFunc(slices.Clone(value), still)
	if !e.laws.field || len(vars) == 0 || !e.some(e.Root, vars) ||
		len(m) != 1 || !m[0].alone() || len(m[0].factors) != 1 {
		return nil
	}
	b := slices.DeleteFunc(slices.Clone(value), func(t *summand) bool { return !still(t) })
	r, f := m[0].coef, m[0].factors[0]
	if r.Sign() > 0 || f.exp != 1 || f.a.kind != maxAtom {
		return nil
	}
	var fixed, moving sum
	sure := false // that there is an x at every place
	for _, t := range e.open(f.a.polys[0]) {
		t = e.rename(c, t)
		switch {
		case e.mayBeLowest(t.value), slices.ContainsFunc(t.vars, func(u *Atom) bool {
			return !u.Lo.OnlySizes() || !u.Hi.OnlySizes()
		}):
			return nil
		case still(t):
			fixed = append(fixed, t)
		default:
			moving, sure = append(moving, t), sure || t.alone()
		}
	}
	if len(fixed) == 0 || !sure {
		return nil
	}
	minus := big.NewRat(-1, 1)
	x := e.maximum(c, "", sum{memberOf(e.scale(minus, e.maximum(c, "", moving)), vars, nil)})
	most := e.maximum(c, "", append(fixed, memberOf(e.scale(minus, x), nil, nil)))
	return concat(b, e.scale(r, most))
}

// fewer removes variables of sums that have one place or none: what is left may be a maximum alone.
func (e *engine) fewer(c *Context, x sum) sum {
	var out sum
	for _, s := range x {
		if len(s.vars) > 0 {
			s = e.plainly(c, s, sumMode)
		}
		if s != nil {
			out = append(out, s)
		}
	}
	return out
}

// outside takes what all members share out of a maximum that is surely not empty:
// max(b + x, b + y) = b + max(x, y) and max(r·x, r·y) = r·max(x, y) for a number r > 0.
func (e *engine) outside(c *Context, set sum) (inner sum, r *big.Rat, rest sum, ok bool) {
	if len(set) == 0 || len(set) == 1 && len(set[0].vars) == 0 {
		return nil, nil, nil, false
	}
	sure := false
	set, least := e.shifted(c, set)
	values := make([]*poly, len(set))
	shared := map[part]int{}
	r = new(big.Rat)
	for i, t := range set {
		sure = sure || len(t.guards) == 0 && e.some(e.Root, t.vars)
		values[i] = e.closeSum(c, t.value)
		for _, s := range e.open(values[i]) {
			r = content(r, s.coef)
		}
		for _, pt := range values[i].parts {
			if !meet(t.vars, pt.body.free) && !meet(t.vars, pt.steps.free()) {
				shared[pt]++
			}
		}
	}
	common := slices.DeleteFunc(slices.Clone(values[0].parts), func(pt part) bool {
		return shared[pt] < len(set)
	})
	if !sure || r.Sign() == 0 || len(common) == 0 && r.Cmp(one) == 0 && least.Sign() == 0 {
		return nil, nil, nil, false
	}
	for i, t := range set {
		kept := slices.DeleteFunc(slices.Clone(values[i].parts), func(pt part) bool {
			return slices.Contains(common, pt)
		})
		value := e.scale(new(big.Rat).Inv(r), e.open(e.poly(kept, false)))
		inner = append(inner, memberOf(value, t.vars, t.guards))
	}
	return inner, r, concat(e.open(e.poly(common, false)), constant(least)), true
}

// shifted takes the least number that stands alone in a member off all of them: max(a + 1, 0) and
// max(a, -1) + 1 are one. A member that may be MIN has no sum.
func (e *engine) shifted(c *Context, set sum) (sum, *big.Rat) {
	least := new(big.Rat)
	for i, t := range set {
		k := new(big.Rat)
		for _, pt := range e.closeSum(c, t.value).parts {
			if len(pt.body.factors)+len(pt.body.guards) == 0 && pt.steps.dim == nil {
				k = pt.steps.coef
			}
		}
		if e.mayBeLowest(t.value) {
			return set, new(big.Rat)
		}
		if i == 0 || k.Cmp(least) < 0 {
			least = k
		}
	}
	if least.Sign() == 0 {
		return set, least
	}
	out := make(sum, len(set))
	for i, t := range set {
		by := constant(new(big.Rat).Neg(least))
		out[i] = memberOf(concat(t.value, by), t.vars, t.guards)
	}
	return out, least
}

// content returns the greatest positive rational that both are integer multiples of.
func content(x, y *big.Rat) *big.Rat {
	if x.Sign() == 0 {
		return new(big.Rat).Abs(y)
	}
	a := new(big.Int).Abs(new(big.Int).Mul(x.Num(), y.Denom()))
	b := new(big.Int).Abs(new(big.Int).Mul(y.Num(), x.Denom()))
	n := new(big.Int).GCD(nil, nil, a, b)
	return new(big.Rat).SetFrac(n, new(big.Int).Mul(x.Denom(), y.Denom()))
}

// product returns the product of a member over its box; over few places it is written out.
func (e *engine) product(c *Context, t *summand) sum {
	if len(t.vars) == 0 {
		return t.value
	}
	k := len(t.vars) - 1
	v := t.vars[k]
	if n, ok := e.Sub(v.Hi, v.Lo).Const(); ok && n.Cmp(Int(MaxUnroll)) <= 0 {
		out := constant(one)
		places, _ := n.Int64()
		for i := range places {
			at := e.substSum(c, t.value, map[*Atom]*Expr{v: e.AddInt(v.Lo, i)})
			out = e.mul(c, out, e.product(c, memberOf(at, t.vars[:k], nil)))
		}
		return out
	}
	if len(e.closeSum(c, t.value).parts) == 0 && e.some(c, t.vars) {
		return nil // of zeros, and there is one
	}
	if p := e.closing(c, sum{t}, productMode); len(p.parts) > 0 {
		return ofAtom(e.atom(atom{kind: foldAtom, polys: []*poly{p}}))
	}
	return constant(one) // clauses say that there is no place
}

// gather returns body with v replaced by the value of at: it distributes over sums, products and
// functions down to the reads. name keeps axes of different lengths apart.
func (e *engine) gather(c *Context, name string, v *Atom, body, at sum) sum {
	return e.piecewise(c, []sum{at}, func(c *Context, args []sum) sum {
		p := e.closeSum(c, args[0])
		r := rewriter{engine: e, c: c, v: v}
		r.touches = func(a *atom) bool { return mentions(a.free, v) }
		r.leaf = func(x sum) sum { return e.gathered(c, name, v, x, p) }
		return r.sum(body)
	})
}

// gathered keeps the replacement of v in x by the value of at as an atom.
func (e *engine) gathered(c *Context, name string, v *Atom, x sum, at *poly) sum {
	for slot := e.closeSum(c, x).height; ; {
		p := e.closeSum(c, e.substSum(c, x, map[*Atom]*Expr{v: e.slot(slot).expr}))
		if p.height <= slot {
			return ofAtom(e.atom(atom{kind: gatherAtom, name: name, slot: slot,
				polys: []*poly{p, at}}))
		}
		slot = p.height
	}
}

// A rewriter rebuilds sums from their leaves.
type rewriter struct {
	*engine
	c       *Context
	v       *Atom // a condition that holds it makes its sum a leaf; or nil
	touches func(*atom) bool
	leaf    func(sum) sum
	gone    *atom // replaced by by
	by      sum
}

func (r *rewriter) sum(x sum) sum {
	var out sum
	for _, s := range x {
		if r.conditional(s) {
			return r.leaf(x)
		}
		t := *s
		if s.member {
			t.value = r.sum(s.value)
			out = append(out, &t)
			continue
		}
		t.factors = nil
		touched := func(a *atom) bool { return a == r.gone || r.touches(a) }
		out = concat(out, r.factorwise(r.c, s.factors, &t, touched, r.rebuilt))
	}
	return out
}

// conditional reports whether a condition of s, or the range of a variable, depends on r.v: on the
// value of an input.
func (r *rewriter) conditional(s *summand) bool {
	depends := func(x *Expr) bool { return x.Mentions(r.v) }
	return r.v != nil && (slices.ContainsFunc(s.guards, depends) ||
		slices.ContainsFunc(s.vars, func(k *Atom) bool { return depends(k.Lo) || depends(k.Hi) }))
}

func (r *rewriter) rebuilt(a *atom) sum {
	if a == r.gone {
		return r.by
	}
	switch a.kind {
	case powerAtom:
		return r.sum(r.open(a.polys[0]))
	case maxAtom: // its members are no summands: a leaf must not be made of them
		if set := r.open(a.polys[0]); !slices.ContainsFunc(set, r.conditional) {
			return r.maximum(r.c, a.name, r.sum(set))
		}
	case applyAtom:
		args := make([]sum, len(a.polys))
		for i, p := range a.polys {
			args[i] = r.sum(r.open(p))
		}
		return r.apply(r.c, a.name, args...)
	case gatherAtom:
		if r.v != nil && !mentions(a.polys[0].free, r.v) {
			at := r.closeSum(r.c, r.sum(r.open(a.polys[1])))
			return ofAtom(r.atom(atom{kind: gatherAtom, name: a.name, slot: a.slot,
				polys: []*poly{a.polys[0], at}}))
		}
	}
	return r.leaf(ofAtom(a))
}

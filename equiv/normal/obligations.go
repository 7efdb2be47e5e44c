package normal

import (
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tv/semantics/index"
	"tv/semantics/term"
)

// Obligations are the conditions under which an element is defined: for each kind of condition the set of the
// values that it is asked of, as terms of a maximum (sets of values over boxes, under conditions).
type Obligations struct {
	kinds map[string]sum
	order []string
	texts map[string][]string // for people
}

// maxTexts bounds the conditions of a kind that are printed.
const maxTexts = 4

func newObligations() *Obligations {
	return &Obligations{kinds: map[string]sum{}, texts: map[string][]string{}}
}

// note makes a kind known.
func (o *Obligations) note(kind string) {
	if _, known := o.kinds[kind]; !known {
		o.order = append(o.order, kind)
		o.kinds[kind] = nil
	}
}

// Kinds of conditions. That of a gather is "within LO to HI"; those of typed operations name the operation.
const (
	hasValue = "has a value"
	nonzero  = "!= 0"
	nonneg   = ">= 0"
	positive = "> 0"
	isNumber = "is a number"                           // not MIN, as the maximum of nothing is
	isSummed = "is a number, if there are two, among " // and the number of places of the sum or product
)

type visit struct {
	term, ctx int
	around    string // what binds and conditions the place: a condition under an axis that may be empty says less
}

// scopeOf names the variables and conditions around a place.
func scopeOf(vars []*index.Atom, guards []*index.Expr) string {
	var b []byte
	for _, v := range vars {
		b = strconv.AppendInt(append(b, ' '), int64(v.ID()), 10)
	}
	for _, g := range guards {
		b = strconv.AppendInt(append(b, '|'), int64(g.ID()), 10)
	}
	return string(b)
}

// Obligations collects the conditions under which the elements of x are defined, before any law is applied.
func (e *Engine) Obligations(ctx *index.Context, x term.Array) (o *Obligations, err error) {
	defer e.recovered(&err)
	return e.obligationsOf(ctx, x.Element(ctx, e.indexAt(ctx, e.axes(x.Dims)))), nil
}

// recovered turns a stop into an error.
func (e *Engine) recovered(err *error) {
	if r := recover(); r != nil {
		s, ok := r.(stop)
		if !ok {
			panic(r)
		}
		*err = s.err
	}
}

// indexAt returns the index that the variables of an output stand for at ctx: their places where they have one only.
func (e *Engine) indexAt(ctx *index.Context, vars []*index.Atom) []*index.Expr {
	at := make([]*index.Expr, len(vars))
	for i, v := range vars {
		lo, hi := ctx.Bounds(v)
		at[i] = v.Expr()
		if (lo != v.Lo || hi != v.Hi) && e.b.Decide(ctx, e.b.AddInt(e.b.Sub(lo, hi), 1)) == index.True { // one place at most
			at[i] = lo
		}
	}
	return at
}

// Defined reports whether the elements of y are defined wherever those of x are: every condition of y is one of x's at the
// same element, or holds whatever the inputs are. left names conditions that are not; texts lists x's. It gives up
// like Compare.
func (e *Engine) Defined(ctx *index.Context, x, y term.Array) (texts, left []string, err error) {
	defer e.recovered(&err)
	vars := e.axes(x.Dims)
	have := e.obligationsOf(ctx, x.Element(ctx, e.indexAt(ctx, vars)))
	regions := 0
	return have.Texts(), e.definedAt(ctx, vars, x, y, &regions), nil
}

// definedAt does so in a region of the output, which it cuts where a condition is open.
func (e *Engine) definedAt(ctx *index.Context, vars []*index.Atom, x, y term.Array, regions *int) []string {
	at := e.indexAt(ctx, vars)
	have, need := e.obligationsOf(ctx, x.Element(ctx, at)), e.obligationsOf(ctx, y.Element(ctx, at))
	left := e.discharged(ctx, have, need)
	if len(left) == 0 {
		return nil
	}
	cut := e.cutTerms(ctx, need)
	if cut == nil {
		cut = e.cutTerms(ctx, have)
	}
	if cut == nil || *regions >= maxRegions {
		return left
	}
	*regions++
	not := e.b.AddInt(e.b.Scale(index.Int(-1), cut), -1)
	if left := e.definedAt(e.b.Assume(ctx, cut), vars, x, y, regions); len(left) > 0 {
		return left
	}
	return e.definedAt(e.b.Assume(ctx, not), vars, x, y, regions)
}

// cutTerms proposes a condition on the output's index that is open at ctx.
func (e *Engine) cutTerms(ctx *index.Context, o *Obligations) *index.Expr {
	for _, kind := range o.order {
		for _, t := range o.kinds[kind] {
			for _, g := range t.guards {
				if onFreeVariables(g) && !mentionsAny(g, t.vars) && e.b.Decide(ctx, g) == index.Open {
					return g
				}
			}
			for _, s := range t.value { // a divisor that is one thing here and another there
				for _, g := range s.guards {
					if onFreeVariables(g) && !mentionsAny(g, t.vars) && !mentionsAny(g, s.vars) && e.b.Decide(ctx, g) == index.Open {
						return g
					}
				}
			}
		}
	}
	return nil
}

func (e *Engine) collect(o *Obligations, seen map[visit]bool, ctx *index.Context, vars []*index.Atom, guards []*index.Expr, t *term.Term) {
	if !t.MayBePartial() {
		return
	}
	key := visit{t.ID(), ctx.ID(), scopeOf(vars, guards)}
	if seen[key] {
		return
	}
	seen[key] = true
	e.spend(1)
	add := func(kind string, arg *term.Term) {
		value := e.normal(ctx, arg)
		kind = typed(kind, arg)
		o.note(kind)
		for _, v := range e.factorsOf(ctx, kind, value) {
			o.kinds[kind] = append(o.kinds[kind], termOf(v, vars, guards))
		}
		if !e.sure(ctx, kind, value) && len(o.texts[kind]) < maxTexts {
			o.texts[kind] = append(o.texts[kind], arg.String())
		}
	}
	for _, a := range t.Args {
		if asksNumber(t, a) {
			add(isNumber, a)
		}
	}
	switch t.Op {
	case term.Div:
		switch t.Sort.Kind {
		case term.Real:
			add(nonzero, t.Args[1])
		case term.Float:
		default: // of integers: the divisor and, for the quotient that overflows, the dividend
			if d := t.Args[1]; d.Op != term.Const || d.Value == nil || d.Value.Sign() <= 0 {
				add("may be divided", t)
			}
		}
	case term.Apply:
		switch {
		case t.Sort.Kind == term.Real && t.Name == term.Sqrt:
			add(nonneg, t.Args[0])
		case t.Sort.Kind == term.Real && t.Name == term.Log:
			add(positive, t.Args[0])
		case partialFunction(e.b, t):
			add(hasValue, t)
		}
	case term.Read: // of a tensor that nothing is known of
		if t.Tensor.Partial {
			kind := typed(hasValue, t)
			o.note(kind)
			o.kinds[kind] = append(o.kinds[kind], termOf(e.normal(ctx, t), vars, guards))
		}
	case term.Convert:
		if partialConversion(t) {
			add("may be converted", t)
		}
	case term.Gather:
		v, name := t.Vars[0], axis(t)
		add("within "+name, t.Args[1])
		e.collect(o, seen, ctx, vars, guards, t.Args[1])
		// what the body asks, it asks at the position gathered
		inner := newObligations()
		e.collect(inner, map[visit]bool{}, ctx, nil, nil, t.Args[0])
		at := e.normal(ctx, t.Args[1])
		for _, kind := range inner.order {
			o.note(kind)
			for _, c := range inner.kinds[kind] {
				for _, g := range c.guards {
					if g.Mentions(v) {
						panic(stop{ErrBudget}) // a condition on the value of an input
					}
				}
				value := e.gather(ctx, name, v, c.value, at)
				o.kinds[kind] = append(o.kinds[kind], termOf(value, appendTo(vars, c.vars), appendTo(guards, c.guards)))
			}
			o.texts[kind] = append(o.texts[kind], inner.texts[kind]...)
		}
		return
	case term.Reduce:
		if body := t.Args[0]; t.Sort.Kind == term.Real && t.Fold != term.Maximum && body.MayBeLowest() {
			kind := e.summed(t.Vars)
			o.note(kind)
			o.kinds[kind] = append(o.kinds[kind], termOf(e.normal(ctx, body), appendTo(vars, t.Vars), guards))
		}
		e.collect(o, seen, ctx, appendTo(vars, t.Vars), guards, t.Args[0])
		return
	case term.If:
		cond := e.b.Condition(t.Index[0])
		not := e.b.AddInt(e.b.Scale(index.Int(-1), cond), -1)
		switch e.b.Decide(ctx, cond) {
		case index.True:
			e.collect(o, seen, ctx, vars, guards, t.Args[0])
		case index.False:
			e.collect(o, seen, ctx, vars, guards, t.Args[1])
		default:
			e.collect(o, seen, e.b.Assume(ctx, cond), vars, appendTo(guards, []*index.Expr{cond}), t.Args[0])
			e.collect(o, seen, e.b.Assume(ctx, not), vars, appendTo(guards, []*index.Expr{not}), t.Args[1])
		}
		return
	}
	for _, a := range t.Args {
		e.collect(o, seen, ctx, vars, guards, a)
	}
}

// typed says in which sort a condition is asked, where that is not the reals: polynomials forget it, and the same bits
// may have a quotient as unsigned numbers and none as signed ones.
func typed(kind string, t *term.Term) string {
	if t.Sort.Kind == term.Real {
		return kind
	}
	return kind + " in " + t.Sort.String()
}

// summed returns the kind of condition that a sum or product over vars puts on its operand: of one place it is the
// operand, which may be MIN; with two or more places none may.
func (e *Engine) summed(vars []*index.Atom) string {
	places := e.b.Const(1)
	for _, v := range vars {
		places = e.b.Mul(places, e.b.Sub(v.Hi, v.Lo))
	}
	if e.b.Nonneg(e.b.Root(), e.b.AddInt(places, -2)) {
		return isNumber
	}
	return isSummed + places.String()
}

// asksNumber reports whether an operand of t may be MIN of the reals, where t has no value then.
func asksNumber(t, operand *term.Term) bool {
	if operand.Sort.Kind != term.Real || !operand.MayBeLowest() {
		return false
	}
	switch t.Op {
	case term.Add, term.Mul, term.Div, term.Neg, term.Apply, term.Convert:
		return true
	}
	return false
}

// partialFunction reports whether a function may have no value. Of those of the reals only infinity has none:
// roots and logarithms ask it of their operands.
func partialFunction(b *index.Builder, t *term.Term) bool {
	switch t.Name {
	case term.NoValue, "inf", "-inf": // a literal of a sort that has no such number
		return true
	}
	if t.Sort.Kind == term.Real { // shifts and casts have no meaning here, and in their types not always a value
		return t.Name == "left-shift" || t.Name == "right-shift" || partialCast(t.Name)
	}
	switch t.Name {
	case "mean": // of nothing
		n := t.Args[1]
		return !(n.Op == term.Const && n.Value != nil && n.Value.Sign() > 0 ||
			n.Op == term.Number && b.Nonneg(b.Root(), b.AddInt(n.Index[0], -1)))
	case term.Sqrt, term.Exp, term.Log, term.Erf, "sigmoid", "tanh": // but for roots nothing is known of them
		return t.Sort.Kind != term.Float
	case "left-shift", "right-shift":
		n := t.Args[1]
		return !(n.Op == term.Const && n.Value != nil && n.Value.Sign() >= 0 && n.Value.Cmp(big.NewRat(int64(t.Sort.Width), 1)) < 0)
	}
	return false
}

// partialCast reports whether a function of the reals is a cast to whole or fixed-point numbers that may be out of range:
// "cast int8" of a float, "cast fix8.8 to int8".
func partialCast(name string) bool {
	name, cast := strings.CutPrefix(name, "cast ")
	from, to, typed := strings.Cut(name, " to ")
	if !typed {
		from, to = "float", name
	}
	is := func(s string, kinds ...string) bool {
		return slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(s, kind) })
	}
	if is(from, "int", "uint", "bool", "sat") || is(from, "fix") && is(to, "fix") { // modulo the range
		return false
	}
	return cast && is(to, "int", "uint", "fix")
}

// partialConversion reports whether a conversion may have no value: of a number outside the range, and of MIN, which is
// asked for by itself.
func partialConversion(t *term.Term) bool {
	from, to := t.Args[0].Sort.Kind, t.Sort.Kind
	switch to {
	case term.Real, term.Float, term.Bool:
		return false
	case term.Saturate, term.Adaptive:
		return from == term.Float // NaN
	}
	return from == term.Real || from == term.Float || from == term.Adaptive || from == term.Fixed && to != term.Fixed
}

// factorsOf takes a divisor apart: a product is not 0 where none of its factors is. Other values are kept.
func (e *Engine) factorsOf(ctx *index.Context, kind string, value sum) []sum {
	if kind != nonzero || len(value) != 1 || len(value[0].vars)+len(value[0].guards) > 0 {
		return []sum{value}
	}
	var out []sum
	for _, f := range value[0].factors {
		switch {
		case f.atom.kind == powerAtom:
			out = append(out, e.open(f.atom.polys[0]))
		case f.atom.kind == applyAtom && f.atom.name == term.Sqrt && e.laws.Field: // sqrt(x) is 0 where x is
			out = append(out, e.factorsOf(ctx, kind, e.open(f.atom.polys[0]))...)
		default:
			out = append(out, e.ofAtom(f.atom))
		}
	}
	return out
}

// sure reports whether a condition holds of a value whatever the inputs are.
func (e *Engine) sure(ctx *index.Context, kind string, value sum) bool {
	p := e.closeSum(ctx, value)
	open := e.open(p)
	if len(open) == 1 && len(open[0].vars)+len(open[0].guards)+len(open[0].factors) == 0 {
		s := open[0].coef.Sign()
		return kind == nonzero || kind == nonneg && s >= 0 || kind == positive && s > 0
	}
	switch kind {
	case nonneg:
		if len(open) == 0 || e.nonnegSum(open) {
			return true
		}
	case nonzero, positive:
	default:
		numeric := kind == isNumber || strings.HasPrefix(kind, isSummed)
		return numeric && (len(open) != 1 || !e.mayBeLowest(open))
	}
	return e.positivePoly(p)
}

// somewhere reports whether a box surely has a place.
func (e *Engine) somewhere(vars []*index.Atom) bool {
	return !slices.ContainsFunc(vars, func(v *index.Atom) bool {
		return !e.b.Nonneg(e.b.Root(), e.b.AddInt(e.b.Sub(v.Hi, v.Lo), -1))
	})
}

// mayBeLowest reports whether a value can be MIN: MIN itself, what is gathered where that can be, and a maximum of
// which no term is surely there and a number.
func (e *Engine) mayBeLowest(x sum) bool {
	for _, s := range x {
		for _, f := range s.factors {
			switch f.atom.kind {
			case lowestAtom:
				return true
			case gatherAtom:
				if e.mayBeLowest(e.open(f.atom.polys[0])) {
					return true
				}
			case foldAtom: // a product of one factor is that factor
				if e.mayBeLowest(e.open(f.atom.polys[0])[0].value) {
					return true
				}
			case maxAtom:
				if !slices.ContainsFunc(e.open(f.atom.polys[0]), func(t *summand) bool {
					return len(t.guards) == 0 && e.somewhere(t.vars) && !e.mayBeLowest(t.value)
				}) {
					return true
				}
			case applyAtom:
				if f.atom.name == "min" && slices.ContainsFunc(f.atom.polys, func(p *Poly) bool { return e.mayBeLowest(e.open(p)) }) {
					return true
				}
			}
		}
	}
	return false
}

// discharged names the conditions of after that are not among those of before and do not hold whatever the inputs are.
func (e *Engine) discharged(ctx *index.Context, before, after *Obligations) (left []string) {
	for _, kind := range after.order {
		var open sum
		for _, t := range after.kinds[kind] {
			for _, l := range e.split(ctx, []sum{t.value}) {
				part := termOf(l.groups[0], nil, appendTo(t.guards, l.guards))
				for _, v := range t.vars { // asked for once, whether or not there is a place for it
					if part.mentions(v) {
						part.vars = append(part.vars, v)
					}
				}
				if !e.sure(l.ctx, kind, part.value) {
					open = append(open, part)
				}
			}
		}
		if len(open) == 0 {
			continue
		}
		var have sum
		asked := before.kinds[kind]
		if strings.HasPrefix(kind, isSummed) {
			asked = appendTo(asked, before.kinds[isNumber])
		}
		for _, t := range asked {
			for _, l := range e.split(ctx, []sum{t.value}) {
				have = append(have, termOf(l.groups[0], t.vars, appendTo(t.guards, l.guards)))
			}
		}
		asks := func(have, open sum) bool {
			known := e.closeTerms(ctx, e.monic(ctx, kind, have))
			return known != e.closeTerms(ctx, e.monic(ctx, kind, append(have[:len(have):len(have)], open...)))
		}
		if asks(have, open) && asks(e.placeByPlace(ctx, have), e.placeByPlace(ctx, open)) {
			text := "a value"
			if ts := after.texts[kind]; len(ts) > 0 {
				text = ts[0]
			}
			left = append(left, text+" "+kind)
		}
	}
	sort.Strings(left)
	return left
}

// fewPlaces bounds the places of a condition that are looked at one by one.
const fewPlaces = 16

// placeByPlace writes conditions at few places as one for each: what is asked at four places, as of a pool in pairs, is what is asked
// of the window of the pool.
func (e *Engine) placeByPlace(ctx *index.Context, conditions sum) (out sum) {
	for _, t := range conditions {
		places := int64(1)
		for _, v := range t.vars {
			n, number := e.b.Sub(v.Hi, v.Lo).Const()
			k, small := n.Int64()
			if !number || !small || k < 1 || k > fewPlaces {
				places = fewPlaces + 1
				break
			}
			places = min(places*k, fewPlaces+1)
		}
		list, ok := []sum(nil), false
		if len(t.vars) > 0 && places <= fewPlaces {
			list, ok = e.written(ctx, sum{termOf(t.value, nil, t.guards)}, t.vars)
		}
		if !ok {
			out = append(out, t)
		}
		for _, x := range list {
			out = append(out, x...)
		}
	}
	return out
}

// monic divides values that are asked not to be 0 by their first coefficient.
func (e *Engine) monic(ctx *index.Context, kind string, terms sum) sum {
	if kind != nonzero || !e.laws.Field {
		return terms
	}
	out := make(sum, len(terms))
	for i, t := range terms {
		v := e.tidy(ctx, t.value)
		if len(v) > 0 {
			v = e.scale(inverse(v[0].coef), v)
		}
		out[i] = termOf(v, t.vars, t.guards)
	}
	return out
}

// Texts lists the conditions for people, those that hold whatever the inputs are left out.
func (o *Obligations) Texts() []string {
	var out []string
	seen := map[string]bool{}
	for _, kind := range o.order {
		for _, s := range o.texts[kind] {
			line := s + " " + kind
			if !seen[line] {
				seen[line] = true
				out = append(out, line)
			}
		}
	}
	return out
}

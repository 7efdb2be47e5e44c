package syntax

import (
	"fmt"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/words"
)

// An inference is the work on one text.
type inference struct {
	sizes     map[string]domain.Size // what unknown sizes were found to be; their names begin with ?
	quotients []quotient             // unknowns that were found too
	made      []origin               // of the unknowns, in order
	open      []equation             // that did not determine an unknown
	choices   []choice
	owed      []owed
	uses      []domain.SizeUse
	used      map[string]bool
	functions map[string]*Function   // of a rule
	declared  func(source.Span)      // refuses a name that is no size, of a rule
	free      map[source.Span]*scope // where names are taken for sizes, as they are nothing else there
}

// An equation of two sizes, at the place that asks for it.
type equation struct {
	a, b domain.Size
	span source.Span
	what string
}

// A choice is whether a function of two numbers takes them as a pair.
type choice struct {
	span   source.Span
	of, to *Type
}

// owed is a condition on sizes of the text.
type owed struct {
	pred *domain.Pred
	span source.Span
	code string
	msg  string
}

func (in *inference) require(span source.Span, p *domain.Pred, code, format string, args ...any) {
	in.owed = append(in.owed, owed{p, span, code, fmt.Sprintf(format, args...)})
}

// An origin is the pattern that an unknown size belongs to.
type origin struct {
	pattern string
	span    source.Span
}

// unknown is a size that is to be found. Sizes are not negative.
func (in *inference) unknown(from origin) domain.Size {
	in.made = append(in.made, from)
	return unknown(len(in.made))
}

func unknown(n int) domain.Size { return domain.NamedSize(fmt.Sprintf("?%d", n)) }

// A quotient is an unknown that is rest/factor, without remainder.
type quotient struct {
	name         string
	factor, rest domain.Size // without unknowns but quotients before it
}

// plain is a size in which of all unknowns that were found only quotients are left.
func (in *inference) plain(s domain.Size) domain.Size {
	for {
		by := map[string]domain.Size{}
		for _, name := range s.Names() {
			if is, ok := in.sizes[name]; ok {
				by[name] = is
			}
		}
		if len(by) == 0 {
			return s
		}
		s = s.Subst(by)
	}
}

// closed is a size in what is known of unknowns: with q = N/4, 4*q is N and not 4*(N div 4).
func (in *inference) closed(s domain.Size) domain.Size {
	s = in.plain(s)
	for _, q := range slices.Backward(in.quotients) {
		if times, rest, ok := linear(q.name, s); ok {
			if n := times.Div(q.factor); n.Mul(q.factor).Equal(times) {
				s = n.Mul(q.rest).Add(rest)
				continue
			}
		}
		s = s.Subst(map[string]domain.Size{q.name: q.rest.Div(q.factor)})
	}
	return s
}

// inQuotients is a size in which names are what they are in terms of quotients, if they are: N is 4*q.
func (in *inference) inQuotients(s domain.Size) domain.Size {
	s = in.plain(s)
	for _, q := range in.quotients {
		for _, name := range q.rest.Names() {
			if times, rest, ok := linear(name, q.rest); ok && times.Equal(domain.IntSize(1)) {
				s = s.Subst(map[string]domain.Size{name: q.factor.Mul(domain.NamedSize(q.name)).Sub(rest)})
				break
			}
		}
	}
	return s
}

// isQuotient tells whether an unknown is one.
func (in *inference) isQuotient(name string) bool {
	return slices.ContainsFunc(in.quotients, func(q quotient) bool { return q.name == name })
}

// unify makes types equal: what stands at a place has type got, and the place asks for want.
func (in *inference) unify(want, got *Type, span source.Span, what string) {
	fail := func() {
		if s, ok := in.free[span]; ok {
			words.Fail(span, "unbound-name", "%s is no variable and no pattern%s", span.Text(), s.suggest(span.Text()))
		}
		in.resolve()
		words.Fail(span, "type-mismatch", "%s is %s, where %s should be", what, in.shown(got), in.shown(want))
	}
	in.equal(want, got, span, what, fail)
}

func (in *inference) equal(a, b *Type, span source.Span, what string, fail func()) {
	if a, b = a.found(), b.found(); a == b {
		return
	}
	switch {
	case a.Kind == Var && b.Kind == Var:
		b.class = max(a.class, b.class)
		a.is = b
	case a.Kind == Var:
		in.bind(a, b, fail)
	case b.Kind == Var:
		in.bind(b, a, fail)
	case a.Kind != b.Kind:
		fail()
	case a.Kind == Scalar && (a.Elem != b.Elem || a.Data != b.Data):
		fail()
	case a.Kind == Array:
		in.equate(equation{a.Dim, b.Dim, span, what})
		in.equal(a.A, b.A, span, what, fail)
	case a.Kind == Pair || a.Kind == Func:
		in.equal(a.A, b.A, span, what, fail)
		in.equal(a.B, b.B, span, what, fail)
	}
}

// bind lets a variable stand for a type of its class in which it does not occur.
func (in *inference) bind(v, t *Type, fail func()) {
	fits := v.class == anything || t.Kind != Func
	if v.class >= number {
		fits = t.Kind == Index || t.Kind == Scalar && t.Data == "" &&
			(v.class == number || t.Elem.Kind == domain.ElemInt)
	}
	if !fits || occurs(v, t) {
		fail()
	}
	v.is = t
	if v.class == data {
		in.holdsData(t, fail)
	}
}

// holdsData lets no variable in a type of data become a function.
func (in *inference) holdsData(t *Type, fail func()) {
	switch t = t.found(); t.Kind {
	case Func:
		fail()
	case Var:
		t.class = max(t.class, data)
	case Array:
		in.holdsData(t.A, fail)
	case Pair:
		in.holdsData(t.A, fail)
		in.holdsData(t.B, fail)
	}
}

func occurs(v, t *Type) bool {
	t = t.found()
	return t == v || t.A != nil && occurs(v, t.A) || t.B != nil && occurs(v, t.B)
}

// equate makes sizes equal: by solving the equation for an unknown, or as a condition where there is none; what
// has several unknowns waits for others.
func (in *inference) equate(e equation) {
	if !in.solve(&e) {
		in.open = append(in.open, e)
	}
}

func (in *inference) solve(e *equation) bool {
	d := in.plain(e.a.Sub(e.b))
	if d.TooLarge() {
		words.Fail(e.span, "too-large", "a size of %s is too large", e.what)
	}
	unknowns := slices.DeleteFunc(d.Names(), func(name string) bool {
		return !strings.HasPrefix(name, "?") || in.isQuotient(name)
	})
	if len(unknowns) == 0 {
		in.known(e)
		return true
	}
	for _, v := range unknowns {
		if in.alone(v, d) {
			return true
		}
	}
	return len(unknowns) == 1 && in.divided(unknowns[0], d, e)
}

// known is an equation without unknowns.
func (in *inference) known(e *equation) {
	a, b := in.closed(e.a), in.closed(e.b)
	if n, ok := a.Sub(b).Const(); ok && n.Sign() != 0 {
		words.Fail(e.span, "shape-mismatch", "%s has %s elements, where %s should be", e.what, b.Formula(), a.Formula())
	}
	if !a.Equal(b) && !in.inQuotients(e.a.Sub(e.b)).Equal(domain.IntSize(0)) {
		in.require(e.span, domain.Eq(a, b), "shape-mismatch", "%s has %s elements, where %s should be", e.what, b.Formula(),
			a.Formula())
	}
}

// linear takes d apart into factor * v + rest; ok is false where it is no such sum.
func linear(v string, d domain.Size) (factor, rest domain.Size, ok bool) {
	at := func(n int64) domain.Size { return d.Subst(map[string]domain.Size{v: domain.IntSize(n)}) }
	rest = at(0)
	factor = at(1).Sub(rest)
	return factor, rest, factor.Mul(domain.NamedSize(v)).Add(rest).Equal(d)
}

// alone solves d = 0 for an unknown that stands by itself.
func (in *inference) alone(v string, d domain.Size) bool {
	factor, rest, ok := linear(v, d)
	switch {
	case !ok:
		return false
	case factor.Equal(domain.IntSize(1)):
		in.sizes[v] = domain.IntSize(0).Sub(rest)
	case factor.Equal(domain.IntSize(-1)):
		in.sizes[v] = rest
	default:
		return false
	}
	return true
}

// divided solves d = 0 for the only unknown where it has a factor: that divides the rest, and is positive, or
// there were many solutions.
func (in *inference) divided(v string, d domain.Size, e *equation) bool {
	factor, rest, ok := linear(v, d)
	if !ok {
		return false
	}
	if factor.AtLeast(1, nil) {
		rest = domain.IntSize(0).Sub(rest)
	} else if factor = domain.IntSize(0).Sub(factor); !factor.AtLeast(1, nil) {
		return false
	}
	f, r := in.closed(factor), in.closed(rest)
	in.require(e.span, domain.Le(domain.IntSize(1), f), "not-divisible", "%s is taken apart by %s, which is not positive",
		e.what, f.Formula())
	if n := rest.Div(factor); n.Mul(factor).Equal(rest) {
		in.sizes[v] = n
		return true
	}
	in.quotients = append(in.quotients, quotient{v, factor, rest})
	in.require(e.span, domain.Divides(f, r), "not-divisible", "%s has %s elements, where a multiple of %s should be", e.what,
		r.Formula(), f.Formula())
	return true
}

// resolve solves what can be solved, and makes the choices that can be made.
func (in *inference) resolve() {
	for again := true; again; {
		again = false
		open, choices := in.open, in.choices
		in.open, in.choices = nil, nil
		for i := range open {
			if in.solve(&open[i]) {
				again = true
			} else {
				in.open = append(in.open, open[i])
			}
		}
		for _, c := range choices {
			if in.choose(c, false) {
				again = true
			} else {
				in.choices = append(in.choices, c)
			}
		}
	}
}

// choose finds out whether a function of two numbers is asked for one of a pair. Where nothing is known it is not.
func (in *inference) choose(c choice, must bool) bool {
	of, to, a := c.of.found(), c.to.found(), &Type{Kind: Var, class: number}
	want := &Type{Kind: Func}
	switch {
	case of.Kind == Pair || to.Kind == Scalar || to.Kind == Index || to.Kind == Var && to.class >= number:
		want.A, want.B = &Type{Kind: Pair, A: a, B: a}, a
	case must || to.Kind == Func || of.Kind == Scalar || of.Kind == Index || of.Kind == Var && of.class >= number:
		want.A, want.B = a, &Type{Kind: Func, A: a, B: a}
	default:
		return false
	}
	in.unify(want, &Type{Kind: Func, A: of, B: to}, c.span, c.span.Text())
	return true
}

// shown prints a type in what is known of sizes.
func (in *inference) shown(t *Type) string { return in.final(t, nil).String() }

// final is a type without variables; open is called for those that are left, which stay if it is nil.
func (in *inference) final(t *Type, open func(*Type)) *Type {
	t = t.found()
	if t.Kind == Var && open != nil {
		open(t)
		t = t.found()
	}
	switch t.Kind {
	case Array:
		return &Type{Kind: Array, Dim: in.closed(t.Dim), A: in.final(t.A, open)}
	case Pair, Func:
		return &Type{Kind: t.Kind, A: in.final(t.A, open), B: in.final(t.B, open)}
	}
	return t
}

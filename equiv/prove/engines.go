package prove

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tv/equiv/normal"
	"tv/equiv/sizes"
	"tv/semantics"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// prove proves a goal in every case of the domain, in the arithmetic given.
func (v *Prover) prove(ctx context.Context, arith domain.Arith, g goal) Answer {
	preds := v.Domain.Preds
	all, ok := sizes.Cases(preds, v.Domain.Mins)
	if !ok {
		return Answer{Reason: "incomplete", Detail: "the domain has too many cases"}
	}
	out := Answer{Proved: true, Engine: "normal-form"}
	for i, cs := range all {
		if ctx.Err() != nil {
			return Answer{Err: ctx.Err()}
		}
		a := v.proveCase(ctx, part{of: i, cases: len(all), clauses: cs}, arith, g)
		if !a.Proved {
			a.Idealised = MergeNames(out.Idealised, a.Idealised)
			return a
		}
		out.add(a)
	}
	return out
}

// proveCase proves a goal in one case of the domain: p without a tensor.
func (v *Prover) proveCase(ctx context.Context, p part, arith domain.Arith, g goal) (a Answer) {
	b := term.NewBuilder()
	most := 0
	if g.budget > 0 { // each term takes a step: with more there is no proof within them
		most = v.steps(g)
	}
	b.Limit(most, ctx.Err)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case term.Ended:
			if errors.Is(r.Err, term.ErrTerms) {
				a = Answer{Reason: "incomplete", Detail: r.Err.Error(), spent: true}
			} else {
				a = Answer{Err: r.Err}
			}
		default:
			panic(r)
		}
	}()
	sz := sizes.NewFacts(b.Index, v.Domain.Names, v.Domain.Mins, p.clauses)
	sz.Limit(v.Domain)
	if sz.Contradictory(p.clauses) {
		return Answer{Proved: true}
	}
	for _, c := range v.After.Conditions() {
		if !v.Domain.Asks(c.Pred) && !sz.Proves(c.Pred, false) && (v.Case || !v.asked().Implies(c.Pred)) {
			return Answer{Reason: "incomplete", Detail: fmt.Sprintf("not known to hold: %s (%s)", c.Pred, c.Msg), Open: &c}
		}
	}
	x, y, err := v.lower(b, sz, arith, g)
	if err != nil {
		return Answer{Reason: "unsupported", Detail: err.Error(), open: true}
	}
	defer func() { v.Counts.Terms += b.Terms() }()
	out := Answer{Proved: true, Idealised: MergeNames(x.Idealised, y.Idealised)}
	p.tensors = len(x.Components)
	for i := range x.Components {
		p.tensor, p.path = i, x.Components[i].Path
		a := v.proveTensor(ctx, b, sz, arith, g, p, x, y)
		if !a.Proved {
			a.Idealised = out.Idealised
			return a
		}
		out.add(a)
	}
	return out
}

// proveTensor proves a goal for one tensor of the result in one case of the domain.
func (v *Prover) proveTensor(ctx context.Context, b *term.Builder, sz *sizes.Facts, arith domain.Arith, g goal, p part,
	x, y *semantics.Lowered,
) Answer {
	s, t := x.Components[p.tensor].Array, y.Components[p.tensor].Array
	for k := range s.Dims {
		if d := b.Index.Sub(s.Dims[k], t.Dims[k]); !isZero(b.Index, d) {
			return Answer{Reason: "incomplete",
				Detail: fmt.Sprintf("axis %d: %s and %s are not known to be equal", k, s.Dims[k], t.Dims[k])}
		}
		if len(t.Dims[k].Free()) < len(s.Dims[k].Free()) {
			s.Dims = slices.Clone(s.Dims) // the plain one of two that are equal
			s.Dims[k] = t.Dims[k]
		}
	}
	if slices.ContainsFunc(s.Dims, func(d *index.Expr) bool { return isZero(b.Index, d) }) {
		return Answer{Proved: true} // it has no element in this case of the domain
	}
	if g.lemma() && s.Sort.Kind == term.Real && mayBeLowest(b, s) {
		return Answer{Reason: "incomplete", Detail: "a cut of a tensor that may hold MIN"}
	}
	var a Answer
	if c, ok := v.table(ctx, b, g, s, t); ok {
		a = answerOf(c)
		a.Engine = "enumerate"
	} else {
		v.granted(b, s, func() { a = v.engine(ctx, b, arith, g, p)(s, t) })
	}
	if a.Proved {
		a.Where = MergeNames(a.Where, limited(b))
		return a
	}
	if a.apart != nil && a.Found == nil && g.budget == 0 && !g.lemma() {
		if a.Found = v.inWords(a.apart, sz, p.path); a.Found != nil {
			a.Engine = "normal-form"
		}
	}
	if g.budget == 0 {
		a.Spots = append(a.Spots, Spot{Path: p.path, Corners: a.corners, Sizes: sz})
	}
	if opaque := MergeNames(x.Opaque, y.Opaque); len(opaque) > 0 {
		a.Reason, a.Detail = "unsupported", "rests on uninterpreted "+strings.Join(opaque, ", ")+"; "+a.Detail
	}
	return a
}

// table compares two tensors that are constants of many parts; the engines are quick at others.
func (v *Prover) table(ctx context.Context, b *term.Builder, g goal, x, y term.Array) (normal.Comparison, bool) {
	for i, p := range v.sides() {
		part := len(p.Parts()) - 1
		if g.lemma() {
			part = g.parts[i]
		}
		if part < 0 || constantParts(p.Parts(), part, g.cuts[i]) < normal.TableParts {
			return normal.Comparison{}, false
		}
	}
	return normal.Table(ctx, b.Index, x.Dims, x, y)
}

// constantParts returns how many parts one is made of that reads no input and no tensor that stands for a part; 0 of others.
func constantParts(parts []semantics.Part, part int, standing semantics.Standing) int {
	seen := map[int]bool{}
	var reads func(n int) bool
	reads = func(n int) bool {
		if _, cut := standing[n]; cut || parts[n].Input != "" {
			return true
		} else if seen[n] {
			return false
		}
		seen[n] = true
		return slices.ContainsFunc(parts[n].Operands, reads)
	}
	if reads(part) {
		return 0
	}
	return len(seen)
}

// granted calls f while what x takes for granted holds: the output has an element, of others nothing is asked, and
// the sizes that each divides by are not 0.
func (v *Prover) granted(b *term.Builder, x term.Array, f func()) {
	var some []*index.Expr
	for _, d := range x.Dims {
		some = append(some, b.Index.AddInt(d, -1))
	}
	b.Index.Suppose(some, func() { b.Index.Suppose(v.divisors(b, x), f) })
}

// divisors returns e - 1 for each size e that every element of x divides by, with what else is needed to see that it
// does: where e is 0, x has no value and nothing is asked.
func (v *Prover) divisors(b *term.Builder, x term.Array) []*index.Expr {
	if len(v.Domain.Names) == 0 {
		return nil
	}
	root := b.Index.Root()
	at := make([]*index.Expr, len(x.Dims))
	for i, d := range x.Dims {
		at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), d).Expr()
	}
	var out []*index.Expr
	seen := map[*term.Term]bool{}
	var walk func(t *term.Term)
	walk = func(t *term.Term) {
		if seen[t] || !t.MayBePartial() || t.Op == term.If || t.Op == term.Gather {
			return
		}
		seen[t] = true
		for _, v := range t.Vars { // of nothing nothing is asked
			extent := b.Index.AddInt(b.Index.Sub(v.Hi, v.Lo), -1)
			if !slices.Contains(out, extent) && !b.Index.Nonneg(root, extent) {
				return
			}
		}
		if n := len(t.Args) - 1; (t.Op == term.Div || t.Op == term.Apply && t.Name == "mean") && t.Args[n].Op == term.Number {
			if e := t.Args[n].Index[0]; b.Index.Nonneg(root, e) {
				out = append(out, b.Index.AddInt(e, -1))
			}
		}
		for _, a := range t.Args {
			walk(a)
		}
	}
	walk(x.Element(root, at))
	return out
}

// mayBeLowest reports whether an element of x may be MIN.
func mayBeLowest(b *term.Builder, x term.Array) bool {
	at := make([]*index.Expr, len(x.Dims))
	for i, d := range x.Dims {
		at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), d).Expr()
	}
	return x.Element(b.Index.Root(), at).MayBeLowest()
}

func isZero(b *index.Builder, d *index.Expr) bool {
	return d.IsZero() || b.Nonneg(b.Root(), d) && b.Nonneg(b.Root(), b.Scale(index.Int(-1), d))
}

// engine returns the comparison of two components under the laws of the arithmetic: polynomials for reals and
// for integers that wrap, terms in their order where there is anything else.
func (v *Prover) engine(ctx context.Context, tb *term.Builder, arith domain.Arith, g goal, p part) func(x, y term.Array) Answer {
	b := tb.Index
	root := b.Root()
	laws, polynomial := v.laws(arith)
	if !polynomial {
		o := normal.NewOrdered(ctx, b, v.steps(g))
		return func(x, y term.Array) Answer {
			a := answerOf(o.Compare(root, x.Dims, x, y))
			if a.Proved || g.budget > 0 {
				return a
			}
			return v.solve(ctx, p, arith, a)
		}
	}
	fresh := func() *normal.Engine {
		e := normal.NewEngine(ctx, b, laws, v.steps(g))
		e.Words = true
		return e
	}
	e := fresh()
	return func(x, y term.Array) Answer {
		a := compare(e, fresh, root, x, y)
		if a.Proved {
			return a
		}
		if z := asked(tb, x, y); z.Element != nil {
			if b := compare(fresh(), fresh, root, x, z); b.Proved {
				return b
			}
		}
		if a.Reason != "incomplete" || g.budget > 0 {
			return a
		}
		if c := normal.NewEngine(ctx, b, laws, min(enumerateBudget, v.Steps)).Enumerate(root, x.Dims, enumerateElements, x, y); c.Equal {
			return Answer{Proved: true, Engine: "enumerate"}
		}
		return v.solve(ctx, p, arith, a)
	}
}

// Limits of the enumerate engine: elements of the output, and steps.
const (
	enumerateElements = 256
	enumerateBudget   = 400_000
)

// asked is y without a value where x has none, as conditions on places say: there nothing is asked of it. It has no elements
// if x has a value at all places.
func asked(b *term.Builder, x, y term.Array) term.Array {
	lacks := false
	var under func(x, y *term.Term) *term.Term
	under = func(x, y *term.Term) *term.Term {
		switch {
		case x.Op == term.Apply && x.Name == term.NoValue:
			lacks = true
			return x
		case x.Op == term.If && x.MayBePartial():
			return b.If(x.Index[0], under(x.Args[0], y), under(x.Args[1], y))
		}
		return y
	}
	at := make([]*index.Expr, len(x.Dims))
	for i, d := range x.Dims {
		at[i] = b.Index.NewVar(fmt.Sprintf("i%d", i), b.Index.Const(0), d).Expr()
	}
	root := b.Index.Root()
	if under(x.Element(root, at), y.Element(root, at)); !lacks {
		return term.Array{}
	}
	element := y.Element
	y.Element = func(ctx *index.Context, at []*index.Expr) *term.Term {
		return under(x.Element(ctx, at), element(ctx, at))
	}
	return y
}

// compare is the normal form of two components and of what they rest on. Where the former has taken all steps, the latter has as many
// once more.
func compare(e *normal.Engine, fresh func() *normal.Engine, root *index.Context, x, y term.Array) Answer {
	a := answerOf(e.Compare(root, x.Dims, x, y))
	if !a.Proved {
		return a
	}
	where, left, err := e.Defined(root, x, y)
	if errors.Is(err, normal.ErrBudget) {
		where, left, err = fresh().Defined(root, x, y)
	}
	if err != nil {
		return Answer{Reason: "incomplete", Detail: err.Error()}
	}
	if len(left) > 0 {
		return Answer{Reason: "incomplete", Detail: "AFTER may be undefined: not known that " + strings.Join(left, "; ")}
	}
	a.Where = where
	return a
}

package algebra

import (
	"fmt"
	"math/big"
	"strings"
)

// This file shows goals and expressions to whoever answers goals. A checker without it accepts the
// same certificates.

// A CodeInfo documents an error code.
type CodeInfo struct{ Code, Meaning string }

// Codes returns the codes of the errors of this package.
func Codes() []CodeInfo {
	return []CodeInfo{
		{CodeMalformed, "a file that is no certificate of a version that tv knows"},
		{CodeDigest, "a certificate whose text is not the one that its digest was made of"},
		{CodeStatement, "a certificate of programs that are no question, or of different shapes"},
		{CodeWitness, "a certificate with an answer that does not fit the goal it answers"},
		{CodeRange, "a certificate with a map of indices that leaves its range"},
		{CodeInverse, "a certificate with two maps that are not inverse to each other"},
		{CodeIndex, "a certificate with an index expression that has no value"},
		{CodeGoal, "a certificate that leaves the two sides different"},
		{CodeDefined, "a certificate that does not show AFTER to be defined wherever BEFORE is"},
		{CodeUnsupported, "a certificate for programs that the checker has no law for"},
		{CodeLimit, "a certificate that is too large, or takes too much work, to check"},
		{CodeObligation, "a certificate with obligations that are not those of its statement"},
	}
}

// String returns the line of a witness: "cut BEFORE AFTER USES...".
func (c Cut) String() string {
	return "cut " + strings.Trim(fmt.Sprint(append([]int{c.Before, c.After}, c.Uses...)), "[]")
}

// FromTerm returns the expression that is t alone.
func (b *Builder) FromTerm(t Term) *Expr { return b.intern([]Term{t}) }

// Open reports whether neither e >= 0 nor its negation is known at c.
func (b *Builder) Open(c *Context, e *Expr) bool { return b.decide(c, e) == open }

// Orders returns how many maxima of a region have members that can be ordered.
func (g *Goal) Orders() int { return len(g.e.maxima(g.diff, nil)) }

// Linear returns the difference of a region and the facts of its case, each at least 0, as linear
// forms over what is kept apart; the empty name stands for 1.
func (g *Goal) Linear() (diff map[string]*big.Rat, facts []map[string]*big.Rat) {
	form := func(p *poly) map[string]*big.Rat {
		out := map[string]*big.Rat{}
		for _, pt := range p.parts {
			switch {
			case pt.steps.dim != nil:
				out[fmt.Sprint(pt.body.id, pt.steps.id)] = one
			case len(pt.body.factors)+len(pt.body.guards) == 0:
				out[""] = pt.steps.coef
			default:
				out[fmt.Sprint(pt.body.id)] = pt.steps.coef
			}
		}
		return out
	}
	for _, f := range g.facts {
		facts = append(facts, form(f))
	}
	return form(g.diff), facts
}

// Exprs calls f with every index expression of the goal and a text that says where it stands.
func (g *Goal) Exprs(f func(where string, x *Expr)) {
	for _, x := range g.Guards {
		f("guard", x)
	}
	if g.s != nil {
		g.s.exprs("", f)
	}
	if g.diff != nil {
		g.diff.exprs("", f)
	}
}

func (s *summand) exprs(where string, f func(string, *Expr)) {
	for _, x := range s.factors {
		x.exprs(where, f)
	}
	for _, t := range s.value {
		for _, x := range t.guards {
			f(where+"guard", x)
		}
		t.exprs(where+t.coef.RatString()+" ", f)
	}
}

func (x factor) exprs(where string, f func(string, *Expr)) {
	where += string(rune('a'+x.a.kind)) + x.a.name + big.NewInt(int64(x.exp)).String() + " "
	if x.a.e != nil {
		f(where, x.a.e)
	}
	if x.a.number != nil {
		f(where, x.a.number.expr)
	}
	for _, p := range x.a.polys {
		p.exprs(where, f)
	}
}

func (p *poly) exprs(where string, f func(string, *Expr)) {
	for _, pt := range p.parts {
		for _, x := range pt.body.guards {
			f(where+"guard", x)
		}
		for _, bx := range boxes(pt.steps) {
			for _, r := range bx.ranges {
				f(where+"range", r.lo)
				f(where+"range", r.hi)
			}
		}
		for _, x := range pt.body.factors {
			x.exprs(where, f)
		}
	}
}

// A Range is one dimension of a box.
type Range struct {
	Dim    *Atom
	Lo, Hi *Expr
}

// Parts calls f with the conditions and the first box of every part of what is left in a region,
// those inside atoms too.
func (g *Goal) Parts(f func(guards []*Expr, ranges []Range)) {
	if g.diff != nil {
		g.diff.each(f)
	}
}

func (p *poly) each(f func([]*Expr, []Range)) {
	for _, pt := range p.parts {
		var ranges []Range
		for _, r := range boxes(pt.steps)[0].ranges {
			ranges = append(ranges, Range{r.dim, r.lo, r.hi})
		}
		f(pt.body.guards, ranges)
		for _, x := range pt.body.factors {
			for _, q := range x.a.polys {
				q.each(f)
			}
		}
	}
}

// Scratch runs f and forgets every expression that f made, so that whoever answers a goal may
// compute with the checker's expressions without leaving a trace in the order of later ones.
func (b *Builder) Scratch(f func()) {
	if b.scratch {
		f()
		return
	}
	counts, slots := b.counts, len(b.slots)
	b.scratch = true
	defer func() {
		for i := range b.undo { // the last one first
			b.undo[len(b.undo)-1-i]()
		}
		b.scratch, b.undo, b.counts, b.slots = false, b.undo[:0], counts, b.slots[:slots]
	}()
	f()
}

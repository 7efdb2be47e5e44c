package normal

import (
	"math/big"
	"sort"

	"tv/semantics/index"
)

// maxOrderCases bounds the cases that one comparison tries.
const maxOrderCases = 512

// orders decides identities of maxima by cases: of two terms of a maximum one is the greater. In each case the
// other goes, and the order is a linear fact. What is left must be 0 by the polynomial laws, or follow from the
// facts. It reports whether diff is 0 in every case.
func (e *Engine) orders(ctx *index.Context, diff *Poly) bool {
	cases := maxOrderCases
	return e.orderCases(ctx, diff, nil, &cases)
}

func (e *Engine) orderCases(ctx *index.Context, diff *Poly, facts []linear, cases *int) bool {
	if len(diff.parts) == 0 {
		return true
	}
	if *cases--; *cases < 0 {
		return false
	}
	d := linearOf(diff)
	if infeasible(append(facts[:len(facts):len(facts)], d.greater())) &&
		infeasible(append(facts[:len(facts):len(facts)], d.negated().greater())) {
		return true
	}
	a := e.choice(diff)
	if a == nil {
		return false
	}
	terms := e.open(a.polys[0])
	u, v := terms[0], terms[1]
	order := linearOf(e.closeSum(ctx, append(append(sum(nil), u.value...), e.scale(big.NewRat(-1, 1), v.value)...)))
	for _, c := range []struct {
		fact linear
		drop int
	}{{order, 1}, {order.negated(), 0}} {
		known := append(facts[:len(facts):len(facts)], c.fact)
		if infeasible(known) {
			continue
		}
		rest := append(append(sum(nil), terms[:c.drop]...), terms[c.drop+1:]...)
		r := replacement{e: e, ctx: ctx, atom: a, by: e.maximum(ctx, "", rest)}
		if !e.orderCases(ctx, e.closeSum(ctx, r.sum(e.open(diff))), known, cases) {
			return false
		}
	}
	return true
}

// choice returns a maximum of several terms without bound variables or conditions, none of whose terms holds such a
// maximum, that is not under a bound variable; or nil.
func (e *Engine) choice(p *Poly) *Atom {
	a, known := e.choices[p]
	if !known {
		a = e.firstChoice(p)
		e.choices[p] = a
	}
	return a
}

func (e *Engine) firstChoice(p *Poly) *Atom {
	for _, pt := range p.parts {
		for _, f := range pt.body.factors {
			if a := e.choiceIn(f.atom); a != nil {
				bound := false
				for i := range pt.body.slots {
					bound = bound || a.mentions(e.b.Slot(pt.body.base+i))
				}
				if !bound {
					return a
				}
			}
		}
	}
	return nil
}

func (e *Engine) choiceIn(a *Atom) *Atom {
	for _, p := range a.polys {
		if inner := e.choice(p); inner != nil {
			return inner
		}
	}
	if a.kind != maxAtom || !e.real(a.name) || len(a.polys[0].parts) < 2 {
		return nil
	}
	for _, pt := range a.polys[0].parts {
		if pt.body.slots > 0 || len(pt.body.guards) > 0 || pt.steps.segs != nil {
			return nil
		}
	}
	return a
}

// A replacement puts a polynomial for an atom, inside other atoms too.
type replacement struct {
	e    *Engine
	ctx  *index.Context
	atom *Atom
	by   sum
}

func (r *replacement) sum(x sum) sum {
	var out sum
	for _, s := range x {
		t := *s
		if s.isTerm {
			t.value = r.sum(s.value)
			out = append(out, &t)
			continue
		}
		t.factors = nil
		product := sum{&t}
		for _, f := range s.factors {
			by := r.in(f.atom)
			if f.exp < 0 {
				by = r.e.invert(r.ctx, by)
			}
			for range abs(f.exp) {
				product = r.e.mul(r.ctx, product, by)
			}
		}
		out = append(out, product...)
	}
	return out
}

func (r *replacement) in(a *Atom) sum {
	e := r.e
	switch {
	case a == r.atom:
		return r.by
	case len(a.polys) == 0:
		return e.ofAtom(a)
	}
	switch a.kind {
	case powerAtom:
		return r.sum(e.open(a.polys[0]))
	case maxAtom:
		return e.maximum(r.ctx, a.name, r.sum(e.open(a.polys[0])))
	case applyAtom:
		args := make([]sum, len(a.polys))
		for i, p := range a.polys {
			args[i] = r.sum(e.open(p))
		}
		return e.apply(r.ctx, a.name, args)
	}
	return e.ofAtom(a)
}

// A linear is Σ coefficient · part + constant, at least 0, or greater than 0 where strict is set.
type linear struct {
	coefs    map[part]*big.Rat
	constant *big.Rat
	strict   bool
}

// linearOf reads a polynomial as a linear form over its parts.
func linearOf(p *Poly) linear {
	l := linear{coefs: map[part]*big.Rat{}, constant: new(big.Rat)}
	for _, pt := range p.parts {
		switch {
		case pt.steps.segs != nil:
			l.coefs[pt] = one
		case len(pt.body.factors) == 0 && len(pt.body.guards) == 0:
			l.constant = pt.steps.coef
		default:
			l.coefs[part{body: pt.body}] = pt.steps.coef
		}
	}
	return l
}

func (l linear) negated() linear {
	n := linear{coefs: map[part]*big.Rat{}, constant: new(big.Rat).Neg(l.constant), strict: l.strict}
	for k, c := range l.coefs {
		n.coefs[k] = new(big.Rat).Neg(c)
	}
	return n
}

func (l linear) greater() linear {
	l.strict = true
	return l
}

// maxFacts bounds the facts that elimination may make.
const maxLinear = 200

// infeasible reports whether no values of the parts satisfy all facts, by eliminating one part after the other
// (Fourier and Motzkin). It gives up, with false, where that makes too many facts.
func infeasible(facts []linear) bool {
	for {
		var pick *part
		for _, f := range facts {
			for k := range f.coefs {
				if pick == nil || k.before(*pick) {
					pick = &k
				}
			}
		}
		if pick == nil {
			break
		}
		var up, down, rest []linear
		for _, f := range facts {
			switch c := f.coefs[*pick]; {
			case c == nil:
				rest = append(rest, f)
			case c.Sign() > 0:
				up = append(up, f)
			default:
				down = append(down, f)
			}
		}
		if len(up)*len(down)+len(rest) > maxLinear {
			return false
		}
		for _, u := range up {
			for _, d := range down {
				rest = append(rest, eliminate(u, d, *pick))
			}
		}
		facts = rest
	}
	for _, f := range facts {
		if f.constant.Sign() < 0 || f.strict && f.constant.Sign() == 0 {
			return true
		}
	}
	return false
}

func (p part) before(o part) bool {
	if p.body.id != o.body.id {
		return p.body.id < o.body.id
	}
	return p.steps != nil && (o.steps == nil || p.steps.id < o.steps.id)
}

// eliminate adds u and d so that k goes.
func eliminate(u, d linear, k part) linear {
	x, y := new(big.Rat).Neg(d.coefs[k]), u.coefs[k]
	out := linear{coefs: map[part]*big.Rat{}, strict: u.strict || d.strict}
	out.constant = new(big.Rat).Add(new(big.Rat).Mul(x, u.constant), new(big.Rat).Mul(y, d.constant))
	add := func(l linear, by *big.Rat) {
		keys := make([]part, 0, len(l.coefs))
		for q := range l.coefs {
			keys = append(keys, q)
		}
		sort.Slice(keys, func(i, j int) bool { return keys[i].before(keys[j]) })
		for _, q := range keys {
			c := new(big.Rat).Mul(by, l.coefs[q])
			if have := out.coefs[q]; have != nil {
				c.Add(c, have)
			}
			if c.Sign() == 0 {
				delete(out.coefs, q)
			} else {
				out.coefs[q] = c
			}
		}
	}
	add(u, x)
	add(d, y)
	return out
}

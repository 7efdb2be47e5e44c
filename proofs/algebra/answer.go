package algebra

import (
	"math/big"
	"strconv"
	"strings"

	"tv/semantics/domain"
)

func bigPower(width int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(width)) }

func newEngine(b *Builder, alive func(), asks func(*Goal) *answer) *engine {
	return &engine{Builder: b, asks: asks, alive: alive, terms: map[[2]int]sum{},
		local: map[*Scalar]bool{}, closed: map[closeKey]*poly{}, boxed: map[string][]boxed{},
		atoms: map[string]*atom{}, bodies: map[string]*body{}, polys: map[string]*poly{},
		engineSteps: map[string]*steps{}, opens: map[*poly]sum{}, ends: map[*Expr]end{},
		expBases: map[string]*big.Rat{}, conversions: map[string][2]domain.Elem{}}
}

// parse reads an answer:
//
//	(cut E)                                 E >= 0, or not
//	(words)                                 elements are integers that are equal for all values of
//	                                        what they are made of
//	(map (LO HI ...) (E ...) (E ...))       ranges of w0, w1, ...; v0, v1, ... in terms of them;
//	                                        w0, w1, ... in terms of v0, v1, ...
//
//	(step ...)                              the same; what comes of it is a goal again
//	(among ...)                             the same, where the conditions of a sum hold
//	(merge U V)                             variables U and V occur as n·vU + vV only, where vV
//	                                        has n places: they become one, in a goal again
//	(order K U V)                           members U and V of the maximum K of the difference are
//	                                        ordered one way, then the other
//	(facts (C ...) (D ...))                 the difference is Σ C·fact, its negative Σ D·fact
//	(facts (C ...))                         -1 is Σ C·fact: the case does not exist
//
// The last fact is 1. In an expression v0, v1, ... are the goal's variables, u0, u1, ... its outer
// names; + and * take any number of operands, div, mod, max and min two.
func (g *Goal) parse(text string) *answer {
	if text == "" {
		return nil
	}
	p := &parser{g: g, tokens: strings.Fields(spaced.Replace(text))}
	var a answer
	p.want("(")
	switch word := p.next(); word {
	case "cut":
		a.cut = p.expr(nil, true)
	case "words":
		if a.words = true; !g.Region {
			Fail(CodeWitness, "goal %d is no region", g.N)
		}
	case "map", "step", "among":
		a.again, a.among = word == "step", word == "among"
		if g.Region && word != "map" {
			Fail(CodeWitness, "goal %d is a region", g.N)
		}
		ends := p.list(nil, false)
		if len(ends)%2 != 0 {
			Fail(CodeWitness, "goal %d: a range without an end", g.N)
		}
		for i := 0; i < len(ends); i += 2 {
			if !ends[i].OnlySizes() || !ends[i+1].OnlySizes() {
				Fail(CodeWitness, "goal %d: the range of w%d depends on more than sizes", g.N, i/2)
			}
			a.vars = append(a.vars, g.B.NewVar(ends[i], ends[i+1]))
		}
		a.to = p.list(a.vars, false)
		a.from = p.list(nil, true)
		if len(a.to) != len(g.Vars) || len(a.from) != len(a.vars) {
			Fail(CodeWitness, "goal %d: a map of other variables", g.N)
		}
	case "order":
		a.order = p.indices(3)
	case "merge":
		a.merge = p.indices(2)
		if u, v := a.merge[0], a.merge[1]; g.Region || u == v || max(u, v) >= len(g.Vars) {
			Fail(CodeWitness, "goal %d has no variables %d and %d", g.N, u, v)
		}
	case "facts":
		a.up = p.numbers()
		if len(p.tokens) > 1 {
			a.down = p.numbers()
		}
	default:
		Fail(CodeWitness, "goal %d: no answer begins like this", g.N)
	}
	p.want(")")
	if len(p.tokens) > 0 {
		Fail(CodeWitness, "goal %d: text after the answer", g.N)
	}
	return &a
}

var spaced = strings.NewReplacer("(", " ( ", ")", " ) ")

type parser struct {
	g      *Goal
	tokens []string
}

func (p *parser) next() string {
	if len(p.tokens) == 0 {
		Fail(CodeWitness, "goal %d: the answer ends early", p.g.N)
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	return t
}

func (p *parser) want(token string) {
	if t := p.next(); t != token {
		Fail(CodeWitness, "goal %d: %q where %q should be", p.g.N, t, token)
	}
}

func (p *parser) indices(n int) (out []int) {
	for range n {
		t := p.next()
		i, err := strconv.Atoi(t)
		if err != nil || i < 0 || strconv.Itoa(i) != t {
			Fail(CodeWitness, "goal %d: %q counts nothing", p.g.N, t)
		}
		out = append(out, i)
	}
	return out
}

// each reads what stands before the next closing parenthesis, by item.
func (p *parser) each(item func()) {
	for len(p.tokens) > 0 && p.tokens[0] != ")" {
		item()
	}
	p.want(")")
}

func (p *parser) numbers() []*big.Rat {
	out := []*big.Rat{}
	p.want("(")
	p.each(func() {
		t := p.next()
		r, ok := new(big.Rat), len(t) < 200 && !strings.ContainsAny(t, "eEpPxX")
		if ok {
			_, ok = r.SetString(t)
		}
		if !ok {
			Fail(CodeWitness, "goal %d: %q is no number", p.g.N, t)
		}
		out = append(out, r)
	})
	return out
}

func (p *parser) list(w []*Atom, v bool) (out []*Expr) {
	p.want("(")
	p.each(func() { out = append(out, p.expr(w, v)) })
	return out
}

// expr reads an expression in which w0, w1, ... are w, and v0, v1, ... are the goal's if v is set.
func (p *parser) expr(w []*Atom, v bool) *Expr {
	b, c := p.g.B, p.g.C
	t := p.next()
	if t != "(" {
		if n, ok := new(big.Int).SetString(t, 10); ok && n.BitLen() < 512 {
			return b.Num(BigNum(n))
		}
		names := map[byte][]*Atom{'u': p.g.Outer, 'w': w}
		if v {
			names['v'] = p.g.Vars
		}
		list := names[t[0]]
		if i, err := strconv.Atoi(t[1:]); err == nil && i >= 0 && i < len(list) {
			return list[i].expr
		}
		Fail(CodeWitness, "goal %d: %q is no name here", p.g.N, t)
	}
	op := p.next()
	var args []*Expr
	p.each(func() { args = append(args, p.expr(w, v)) })
	switch {
	case op == "+" && len(args) > 0:
		return b.Add(args...)
	case op == "*" && len(args) > 0:
		return b.Mul(args...)
	case len(args) != 2:
	case op == "max":
		return b.Max(c, args[0], args[1])
	case op == "min":
		return b.Min(c, args[0], args[1])
	case op == "div", op == "mod":
		if !b.Nonneg(c, b.AddInt(args[1], -1)) {
			Fail(CodeIndex, "goal %d: a divisor is not known to be positive", p.g.N)
		}
		if op == "mod" {
			return b.Mod(c, args[0], args[1])
		}
		return b.Div(c, args[0], args[1])
	}
	Fail(CodeWitness, "goal %d: %q with %d operands", p.g.N, op, len(args))
	return nil
}

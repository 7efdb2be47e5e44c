package rules

import (
	"math/bits"
	"strings"

	"tv/semantics/bits/rule"
)

// A typing is a rule's terms with their widths as polynomials, and what has to hold of its numbers for a side to be well formed.
type typing struct {
	rule   *rule.Rule
	widths map[*rule.Term]rule.Expr // nil: a Bool
	facts  []rule.Expr              // each is at least 0 at every admitted instance
	needs  []rule.Expr              // of the side that is typed: each has to be at least 0
	fits   [][2]rule.Expr           // likewise: the first is a number of so many bits as the second
	other  bool                     // widths have to be equal that are not one polynomial
}

// typed types both sides. It is false where the sides do not have the same widths and conditions for all numbers, as far as is seen:
// widths that are equal have to be one polynomial, and what the right side needs a consequence of guard, left side and least values.
func typed(r *rule.Rule) (*typing, bool) {
	t := &typing{rule: r, widths: map[*rule.Term]rule.Expr{}}
	for _, g := range r.Where {
		t.assume(g)
	}
	for _, v := range r.Vars {
		if v.Width != nil {
			t.facts = append(t.facts, v.Width.Plus(-1, rule.Int(1)))
		}
	}
	t.term(r.Sides[0])
	left := t.fits
	t.facts = append(t.facts, t.needs...)
	for _, f := range left {
		if n, ok := f[0].Constant(); ok && n >= 0 {
			t.facts = append(t.facts, f[1].Plus(-1, rule.Int(bitLength(n))))
		}
	}
	t.needs, t.fits = nil, nil
	t.term(r.Sides[1])
	if t.other || !r.Sides[0].Bool && !t.widths[r.Sides[0]].Equal(t.widths[r.Sides[1]]) {
		return nil, false
	}
	for _, e := range t.needs {
		if !t.implied(e) {
			return nil, false
		}
	}
	for _, f := range t.fits {
		if !t.fitsIn(f, left) {
			return nil, false
		}
	}
	return t, true
}

// assume collects the orders that a guard says.
func (t *typing) assume(g *rule.Guard) {
	switch g.Op {
	case "and":
		for _, q := range g.Parts {
			t.assume(q)
		}
	case "=":
		t.facts = append(t.facts, g.Left.Plus(-1, g.Right), g.Right.Plus(-1, g.Left))
	case "<":
		t.facts = append(t.facts, g.Right.Plus(-1, g.Left).Plus(-1, rule.Int(1)))
	case "<=":
		t.facts = append(t.facts, g.Right.Plus(-1, g.Left))
	}
}

// implied tells whether e is seen to be at least 0: it is what is left of it, without one to three facts, when names are written as their
// least values plus something.
func (t *typing) implied(e rule.Expr) bool { return t.without(e, 3) }

func (t *typing) without(e rule.Expr, more int) bool {
	if t.notNegative(e) {
		return true
	}
	for _, f := range t.facts {
		if more > 0 && t.without(e.Plus(-1, f), more-1) {
			return true
		}
	}
	return false
}

func (t *typing) notNegative(e rule.Expr) bool {
	shifted := rule.Expr{}
	for m, c := range e {
		part := rule.Int(c)
		for name := range strings.SplitSeq(m, "*") {
			if name != "" {
				part = part.Times(rule.Name(name).Plus(1, rule.Int(int64(t.least(name)))))
			}
		}
		shifted = shifted.Plus(1, part)
	}
	for _, c := range shifted {
		if c < 0 {
			return false
		}
	}
	return true
}

func (t *typing) least(name string) int {
	for _, n := range t.rule.Numbers {
		if n.Name == name {
			return n.Least
		}
	}
	return 0
}

// fitsIn tells whether a number is one of so many bits at every admitted instance: the left side has it too, it has few enough bits,
// or it is at most the width.
func (t *typing) fitsIn(f [2]rule.Expr, left [][2]rule.Expr) bool {
	for _, g := range left {
		if f[0].Equal(g[0]) && f[1].Equal(g[1]) {
			return true
		}
	}
	if n, ok := f[0].Constant(); ok {
		return n >= 0 && t.implied(f[1].Plus(-1, rule.Int(bitLength(n))))
	}
	return t.implied(f[0]) && t.implied(f[1].Plus(-1, f[0]))
}

func bitLength(n int64) int64 { return int64(bits.Len64(uint64(n))) }

// term finds the width of a term and of its parts.
func (t *typing) term(x *rule.Term) rule.Expr {
	args := make([]rule.Expr, len(x.Args))
	for i, a := range x.Args {
		args[i] = t.term(a)
	}
	w := t.width(x, args)
	t.other = t.other || !w.Within()
	t.widths[x] = w
	return w
}

func (t *typing) need(e rule.Expr) { t.needs = append(t.needs, e) }

// width is how many bits a term has, of arguments of so many. Arguments that have to be of one width are of that of the first.
func (t *typing) width(x *rule.Term, args []rule.Expr) rule.Expr {
	one := rule.Int(1)
	same := func(list []rule.Expr) {
		for _, w := range list {
			t.other = t.other || w != nil && !w.Equal(list[0])
		}
	}
	switch x.Op {
	case rule.OpVar:
		for _, v := range t.rule.Vars {
			if v.Name == x.Name {
				return v.Width
			}
		}
		return nil
	case rule.OpConst:
		switch {
		case x.Bool:
			return nil
		case strings.HasPrefix(x.Name, "#b"):
			return rule.Int(int64(len(x.Name) - 2))
		}
		return rule.Int(int64(4 * (len(x.Name) - 2)))
	case rule.OpNumber:
		t.need(x.Indices[1].Plus(-1, one))
		t.fits = append(t.fits, [2]rule.Expr{x.Indices[0], x.Indices[1]})
		return x.Indices[1]
	case "not", "and", "or", "xor", "=>":
		return nil
	case "bool->bitvector", "bvcomp":
		same(args)
		return one
	case "concat":
		sum := rule.Expr{}
		for _, w := range args {
			sum = sum.Plus(1, w)
		}
		return sum
	case "extract":
		hi, lo := x.Indices[0], x.Indices[1]
		t.need(lo)
		t.need(hi.Plus(-1, lo))
		t.need(args[0].Plus(-1, hi).Plus(-1, one))
		return hi.Plus(-1, lo).Plus(1, one)
	case "zero_extend", "sign_extend":
		t.need(x.Indices[0])
		return args[0].Plus(1, x.Indices[0])
	case "repeat":
		t.need(x.Indices[0].Plus(-1, one))
		return args[0].Times(x.Indices[0])
	case "rotate_left", "rotate_right":
		t.need(x.Indices[0])
		return args[0]
	case "ite":
		same(args[1:])
		return args[1]
	}
	same(args)
	if x.Bool {
		return nil
	}
	return args[0]
}

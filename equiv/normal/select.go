package normal

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/semantics/index"
	"tv/semantics/term"
)

// What conditions on data choose is a polynomial: x where c holds and else y is y + [c]·(x - y), where [c], the indicator of
// c, is the number 1 where c holds and else 0. So [c]·[c] = [c], [not c] = 1 - [c], [c and d] = [c]·[d], and [p = 0]·p = 0.

// indicates is the name of indicators, before their sort.
const indicates = "c.holds"

// mostChosen bounds the summands of x - y: each choice in another may double what is multiplied out.
const mostChosen = 8

func isIndicator(a *Atom) bool { return a.kind == applyAtom && strings.HasPrefix(a.name, indicates) }

// named is the name of a function, in which numbers are that count as they are, and its other operands.
func (e *Engine) named(ctx *index.Context, name string, s term.Sort, list ...*term.Term) (string, []sum) {
	var args []sum
	for i, x := range list { // numbers count as they are, not modulo anything: a mean's count may be large
		if e.real(e.scope(s)) || x.Op != term.Const && x.Op != term.Number || varies(x) {
			args = append(args, e.normal(ctx, x))
		} else {
			name += fmt.Sprintf(" %d:%s", i, x)
		}
	}
	return name, args
}

// varies reports whether t is a number of machine words that is not the same at all places: in a name nothing would bind it.
func varies(t *term.Term) bool {
	return t.Op == term.Number && wraps(t.Sort) && slices.ContainsFunc(t.Index[0].Free(), func(a *index.Atom) bool { return a.Kind == index.Var })
}

// ring reports whether elements of a sort are added and multiplied as polynomials are.
func (e *Engine) ring(s term.Sort) bool { return wraps(s) || s.Kind == term.Real && e.laws.Field }

// selected is x where cond holds and else y; ok is false where it stays a function.
func (e *Engine) selected(ctx *index.Context, s term.Sort, cond *term.Term, x, y sum) (out sum, ok bool) {
	if !e.ring(s) || cond.Op != term.Apply || mayBeLowest(x) || mayBeLowest(y) {
		return nil, false
	}
	ok = true
	out = e.piecewise(ctx, []sum{x, y}, func(ctx *index.Context, args []sum) sum {
		d := e.tidy(ctx, e.add(args[0], e.scale(big.NewRat(-1, 1), args[1])))
		if len(d) > mostChosen {
			ok = false
			return nil
		}
		if (cond.Name == "c.lt" || cond.Name == "c.le") && s.Kind == term.Real && e.real(e.scope(cond.Args[0].Sort)) {
			v, w := e.normal(ctx, cond.Args[0]), e.normal(ctx, cond.Args[1])
			if !mayBeLowest(v) && !mayBeLowest(w) {
				if out, ok := e.positively(ctx, e.add(w, e.scale(big.NewRat(-1, 1), v)), d, args[1]); ok {
					return out
				}
			}
		}
		if out, ok := e.ahead(ctx, s, cond, d, args[1]); ok {
			return out
		}
		is := e.indicator(ctx, s, cond)
		zero := e.zeroWhere(ctx, cond)
		if soleAtom(is) == nil { // or each summand of the product has it
			zero = nil
		}
		by := slices.DeleteFunc(slices.Clone(e.mul(ctx, is, d)), func(t *summand) bool {
			return zero != nil && slices.ContainsFunc(t.factors, func(f factor) bool { return f.atom == zero && f.exp > 0 })
		})
		return e.add(args[1], by)
	})
	return out, ok
}

// ahead is x where cond holds and else y, if cond is v < w, or v <= w, of integers of their type, and x - y, which is d, is w - v or
// v - w: y and, or less, what max(v, w) is more than v. Law (M1) of doc/certificates.md 4.3.
func (e *Engine) ahead(ctx *index.Context, s term.Sort, cond *term.Term, d, y sum) (out sum, ok bool) {
	if cond.Name != "c.lt" && cond.Name != "c.le" || !wraps(s) || cond.Args[0].Sort != s {
		return nil, false
	}
	v, w := e.normal(ctx, cond.Args[0]), e.normal(ctx, cond.Args[1])
	if mayBeLowest(v) || mayBeLowest(w) {
		return nil, false
	}
	for _, sign := range []int64{1, -1} {
		by, back := big.NewRat(sign, 1), big.NewRat(-sign, 1)
		if len(e.closeSum(ctx, e.add(d, e.add(e.scale(by, v), e.scale(back, w)))).parts) == 0 {
			e.used |= UsedOrder
			most := e.maximum(ctx, e.scope(s), sum{termOf(v, nil, nil), termOf(w, nil, nil)})
			return e.add(y, e.add(e.scale(by, most), e.scale(back, v))), true
		}
	}
	return nil, false
}

func mayBeLowest(x sum) bool {
	return slices.ContainsFunc(x, func(s *summand) bool {
		return slices.ContainsFunc(s.factors, func(f factor) bool { return f.atom.kind == lowestAtom })
	})
}

// zeroWhere returns the atom that is 0 where cond holds, or nil.
func (e *Engine) zeroWhere(ctx *index.Context, cond *term.Term) *Atom {
	if cond.Name != "c.eq" || !isZero(cond.Args[1]) {
		return nil
	}
	if x := e.normal(ctx, cond.Args[0]); len(x) == 1 && !isIndicatorSum(x) {
		if a := soleAtom(e.tidy(ctx, x)); a != nil && a.kind != numberAtom { // sizes are one atom modulo anything
			return a
		}
	}
	return nil
}

func isZero(t *term.Term) bool { return t.Op == term.Const && t.Name == "" && t.Value.Sign() == 0 }

// isIndicatorSum reports whether no other atoms are in x.
func isIndicatorSum(x sum) bool {
	return !slices.ContainsFunc(x, func(s *summand) bool {
		return len(s.vars)+len(s.guards) > 0 || !s.coef.IsInt() ||
			slices.ContainsFunc(s.factors, func(f factor) bool { return !isIndicator(f.atom) })
	})
}

// indicator is 1 where cond holds and else 0, as a number of a sort.
func (e *Engine) indicator(ctx *index.Context, s term.Sort, cond *term.Term) sum {
	not := func(x sum) sum { return e.add(e.constant(one), e.scale(big.NewRat(-1, 1), x)) }
	name, args := cond.Name, cond.Args
	switch {
	case cond.Op != term.Apply || len(args) != 2:
	case name == "c.and":
		return e.mul(ctx, e.indicator(ctx, s, args[0]), e.indicator(ctx, s, args[1]))
	case name == "c.or":
		return not(e.mul(ctx, not(e.indicator(ctx, s, args[0])), not(e.indicator(ctx, s, args[1]))))
	case name == "c.lt" && args[0].Sort.Kind != term.Float:
		return not(e.compared(ctx, s, cond.Sort, "c.le", args[1], args[0]))
	case name == "c.ne":
		return not(e.equality(ctx, s, cond.Sort, args[0], args[1]))
	case name == "c.eq":
		return e.equality(ctx, s, cond.Sort, args[0], args[1])
	}
	if cond.Op == term.Apply && name == "c.not" && len(args) == 1 {
		return not(e.indicator(ctx, s, args[0]))
	}
	return e.apply(ctx, e.typed(indicates, s), []sum{e.normal(ctx, cond)})
}

// compared is the indicator of a comparison.
func (e *Engine) compared(ctx *index.Context, s, truth term.Sort, op string, x, y *term.Term) sum {
	name, args := e.named(ctx, op, truth, x, y)
	return e.apply(ctx, e.typed(indicates, s), []sum{e.apply(ctx, e.typed(name, truth), args)})
}

// equality is the indicator of x = y. Where x is 0 or 1 and y is 0, it is 1 - x.
func (e *Engine) equality(ctx *index.Context, s, truth term.Sort, x, y *term.Term) sum {
	if isZero(y) && wraps(x.Sort) {
		if p := e.normal(ctx, x); isIndicatorSum(p) {
			if as, ok := e.bit(ctx, p, s); ok {
				return e.add(e.constant(one), e.scale(big.NewRat(-1, 1), as))
			}
		}
	}
	return e.compared(ctx, s, truth, "c.eq", x, y)
}

// bit returns a polynomial of indicators in another sort, if it is 0 or 1 whatever holds.
func (e *Engine) bit(ctx *index.Context, x sum, s term.Sort) (out sum, ok bool) {
	var atoms []*Atom
	for _, t := range x {
		for _, f := range t.factors {
			if !slices.Contains(atoms, f.atom) {
				atoms = append(atoms, f.atom)
			}
		}
	}
	const most = 6
	if len(atoms) > most {
		return nil, false
	}
	for holds := range 1 << len(atoms) {
		total := new(big.Int)
		for _, t := range x {
			if !slices.ContainsFunc(t.factors, func(f factor) bool { return holds>>slices.Index(atoms, f.atom)&1 == 0 }) {
				total.Add(total, t.coef.Num())
			}
		}
		if m := e.laws.Modulus; m != nil {
			total.Mod(total, m)
		}
		if total.Sign() < 0 || total.Cmp(big.NewInt(1)) > 0 {
			return nil, false
		}
	}
	for _, t := range x {
		coef := t.coef
		if m := e.laws.Modulus; m != nil {
			n := new(big.Int).Mod(coef.Num(), m)
			if n.BitLen() >= m.BitLen()-1 { // of what is below 0
				n.Sub(n, m)
			}
			coef = new(big.Rat).SetInt(n)
		}
		term := e.constant(coef)
		for _, f := range t.factors {
			term = e.mul(ctx, term, e.ofAtom(e.atom(Atom{kind: applyAtom, name: e.typed(indicates, s), polys: f.atom.polys})))
		}
		out = append(out, term...)
	}
	return out, true
}

// byPowers states what operations on bits are of what is 0 or 1, or 0 or -1, and what powers of 2 do to integers: x & (2^k - 1) is x - 2^k·(x >> k), x / 2^k is x >> k where x is
// not below 0, and x % n is x - n·(x / n).
func (e *Engine) byPowers(ctx *index.Context, t *term.Term) (out sum, ok bool) {
	if !wraps(t.Sort) || len(t.Args) != 2 {
		return nil, false
	}
	if t.Name == "c.and" || t.Name == "c.or" {
		x, y := e.normal(ctx, t.Args[0]), e.normal(ctx, t.Args[1])
		if isIndicatorSum(x) && isIndicatorSum(y) {
			p, one := e.bit(ctx, x, t.Sort)
			q, two := e.bit(ctx, y, t.Sort)
			both := e.mul(ctx, p, q)
			if one && two && t.Name == "c.and" {
				return both, true
			} else if one && two {
				return e.add(e.add(p, q), e.scale(big.NewRat(-1, 1), both)), true
			}
		}
	}
	for k, mask := range t.Args {
		if t.Name != "c.and" {
			break
		}
		minus := e.scale(big.NewRat(-1, 1), e.normal(ctx, mask))
		if len(minus) == 0 || !isIndicatorSum(minus) {
			continue
		}
		if by, ok := e.bit(ctx, minus, t.Sort); ok { // all bits, or none
			return e.mul(ctx, by, e.normal(ctx, t.Args[1-k])), true
		}
	}
	if t.Args[1].Op != term.Const || t.Args[1].Name != "" || !t.Args[1].Value.IsInt() {
		return nil, false
	}
	n := t.Args[1].Value.Num()
	less := func(x, q sum, n *big.Int) sum { return e.add(x, e.scale(new(big.Rat).SetInt(new(big.Int).Neg(n)), q)) }
	switch t.Name {
	case "c.shr":
		if n.Sign() > 0 && n.Cmp(big.NewInt(int64(t.Sort.Width))) < 0 {
			return e.shifted(ctx, t.Sort, int(n.Int64()), e.normal(ctx, t.Args[0])), true
		}
	case "c.and":
		power := new(big.Int).Add(n, big.NewInt(1))
		if by, is := powerOf2(power); is && by > 0 && by < t.Sort.Width {
			x := e.normal(ctx, t.Args[0])
			return less(x, e.shifted(ctx, t.Sort, by, x), power), true
		}
	case "c.div", "c.rem":
		if n.Sign() <= 0 {
			return nil, false
		}
		by, is := powerOf2(n)
		q := e.piecewise(ctx, []sum{e.normal(ctx, t.Args[0])}, func(ctx *index.Context, args []sum) sum {
			if is && by > 0 && e.rangeOf(e.closeSum(ctx, args[0]), t.Sort).lo.Sign() >= 0 {
				return e.shifted(ctx, t.Sort, by, args[0])
			}
			return e.apply(ctx, e.typed("c.div 1:"+t.Args[1].String(), t.Sort), args)
		})
		if t.Name == "c.div" {
			return q, true
		}
		return less(e.normal(ctx, t.Args[0]), q, n), true
	}
	return nil, false
}

// shifted is x >> by. What was shifted is shifted by as much as both, unless that is all bits.
func (e *Engine) shifted(ctx *index.Context, s term.Sort, by int, x sum) sum {
	name := func(k int) string { return e.typed(fmt.Sprintf("c.shr 1:%d", k), s) }
	return e.piecewise(ctx, []sum{x}, func(ctx *index.Context, args []sum) sum {
		if a := soleAtom(e.tidy(ctx, args[0])); a != nil && a.kind == applyAtom {
			for k := 1; k+by < s.Width; k++ {
				if a.name == name(k) {
					return e.ofAtom(e.atom(Atom{kind: applyAtom, name: name(k + by), polys: a.polys}))
				}
			}
		}
		return e.apply(ctx, name(by), args)
	})
}

// powerOf2 returns k if n is 2^k.
func powerOf2(n *big.Int) (k int, ok bool) {
	return n.BitLen() - 1, n.Sign() > 0 && n.TrailingZeroBits() == uint(n.BitLen()-1)
}

package rules

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/semantics/bits/rule"
)

// A normalizer writes terms of any width as polynomials, by the laws of doc/semantics.md, section 10. Equal polynomials are equal terms,
// at every width; the converse is not claimed.
//
// A word is seen in two ways. At each place of a bit it is a multilinear polynomial with whole coefficients in what Bools and words have there
// (bits); as a number modulo 2^w it is a polynomial in Bools and in words' conjunctions (number). By law 10.1 the first turns
// into the second when each product of words is taken for their conjunction and 1 for -1, the word of ones alone.
type normalizer struct {
	*typing
	ids   map[string]int // atoms by their keys
	atoms []atom
	done  map[*rule.Term]poly
	seen  map[*rule.Term]poly
}

// An atom is what nothing more is known of.
type atom struct {
	kind   atomKind
	number poly  // of a word: the polynomial that it stands for as a number, nil of one that is only itself
	words  []int // of a conjunction
}

type atomKind int

const (
	aBool  atomKind = iota // 0 or 1, and its own square
	aWord                  // a bit at each place
	anAnd                  // of words, as a number
	aPower                 // 2 to the power of a name
)

// A poly has coefficients by monomials: the numbers of their atoms in order, each followed by a comma. None is 0.
type poly map[string]*big.Int

// maxMonomials bounds a polynomial, maxExponent what is shifted by; beyond that a rule has no form.
const (
	maxMonomials = 2048
	maxExponent  = 256
	maxVariables = 10
)

// errLarge ends a form that would be too large.
type errLarge struct{}

func (errLarge) Error() string { return "a form is too large" }

// sameForms tells whether both sides have one form, at all widths at which the left one is well formed.
func sameForms(r *rule.Rule) bool {
	t, ok := typed(r)
	return ok && t.sameForms()
}

func (t *typing) sameForms() (same bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(errLarge); !ok {
				panic(r)
			}
			same = false
		}
	}()
	n := &normalizer{typing: t, ids: map[string]int{}, done: map[*rule.Term]poly{}, seen: map[*rule.Term]poly{}}
	left, right := t.fields(t.rule.Sides[0]), t.fields(t.rule.Sides[1])
	if left.Bool {
		return n.truth(left).equal(n.truth(right))
	}
	return n.number(left).equal(n.number(right))
}

func constant(v int64) poly {
	if v == 0 {
		return poly{}
	}
	return poly{"": big.NewInt(v)}
}

func (p poly) equal(q poly) bool {
	if len(p) != len(q) {
		return false
	}
	for m, c := range p {
		if q[m] == nil || c.Cmp(q[m]) != 0 {
			return false
		}
	}
	return true
}

func (p poly) add(m string, c *big.Int) {
	old := p[m]
	if old == nil {
		old = new(big.Int)
	}
	sum := new(big.Int).Add(old, c)
	if sum.Sign() == 0 {
		delete(p, m)
		return
	}
	p[m] = sum
	if len(p) > maxMonomials {
		panic(errLarge{})
	}
}

// plus is p + k·q.
func (p poly) plus(k int64, q poly) poly {
	out := poly{}
	for m, c := range p {
		out[m] = c
	}
	for m, c := range q {
		out.add(m, new(big.Int).Mul(big.NewInt(k), c))
	}
	return out
}

func (p poly) key() string {
	var parts []string
	for m, c := range p {
		parts = append(parts, c.String()+"*"+m)
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

func members(m string) (ids []int) {
	for part := range strings.SplitSeq(strings.TrimSuffix(m, ","), ",") {
		if part != "" {
			id, _ := strconv.Atoi(part)
			ids = append(ids, id)
		}
	}
	return ids
}

func monomial(ids []int) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(strconv.Itoa(id))
		b.WriteByte(',')
	}
	return b.String()
}

// times multiplies. Bools and words at a place are their own squares, conjunctions and powers are not.
func (n *normalizer) times(p, q poly) poly {
	out := poly{}
	for m, c := range p {
		for o, d := range q {
			ids := append(members(m), members(o)...)
			slices.Sort(ids)
			kept := ids[:0]
			for i, id := range ids {
				if i > 0 && id == ids[i-1] && n.atoms[id].kind <= aWord {
					continue
				}
				kept = append(kept, id)
			}
			out.add(monomial(kept), new(big.Int).Mul(c, d))
		}
	}
	return out
}

func (n *normalizer) atom(key string, a atom) int {
	id, ok := n.ids[key]
	if !ok {
		id = len(n.atoms)
		n.ids[key] = id
		n.atoms = append(n.atoms, a)
	}
	return id
}

func (n *normalizer) variable(key string, kind atomKind) poly {
	return poly{monomial([]int{n.atom(key, atom{kind: kind})}): big.NewInt(1)}
}

// bits is a word at each place.
func (n *normalizer) bits(t *rule.Term) poly {
	if p := n.seen[t]; p != nil {
		return p
	}
	p := n.place(t)
	n.seen[t] = p
	return p
}

func (n *normalizer) place(t *rule.Term) poly {
	not := func(p poly) poly { return constant(1).plus(-1, p) }
	fold := func(f func(p, q poly) poly) poly {
		p := n.bits(t.Args[0])
		for _, a := range t.Args[1:] {
			p = f(p, n.bits(a))
		}
		return p
	}
	or := func(p, q poly) poly { return p.plus(1, q).plus(-1, n.times(p, q)) }
	xor := func(p, q poly) poly { return p.plus(1, q).plus(-2, n.times(p, q)) }
	switch t.Op {
	case rule.OpVar:
		return n.variable("word "+t.Name, aWord)
	case "bvnot":
		return not(n.bits(t.Args[0]))
	case "bvand":
		return fold(n.times)
	case "bvor":
		return fold(or)
	case "bvxor":
		return fold(xor)
	case "bvnand":
		return not(fold(n.times))
	case "bvnor":
		return not(fold(or))
	case "bvxnor":
		return not(fold(xor))
	case "ite":
		c := n.truth(t.Args[0])
		return n.times(c, n.bits(t.Args[1])).plus(1, n.times(not(c), n.bits(t.Args[2])))
	case "bool->bitvector": // one place
		return n.truth(t.Args[0])
	case "bvcomp":
		return n.equal(t.Args[0], t.Args[1])
	}
	return n.atPlaces(n.number(t), n.widths[t])
}

// lifted is the number of a word that is p at each place (law 10.1).
func (n *normalizer) lifted(p poly) poly {
	out := poly{}
	for m, c := range p {
		var bools, words []int
		for _, id := range members(m) {
			if n.atoms[id].kind == aBool {
				bools = append(bools, id)
			} else {
				words = append(words, id)
			}
		}
		var value poly
		switch {
		case len(words) == 0:
			value = constant(-1)
		case len(words) == 1 && n.atoms[words[0]].number != nil:
			value = n.atoms[words[0]].number
		default:
			value = poly{monomial([]int{n.atom("and "+monomial(words), atom{kind: anAnd, words: words})}): big.NewInt(1)}
		}
		for o, d := range n.times(poly{monomial(bools): c}, value) {
			out.add(o, d)
		}
	}
	return out
}

// atPlaces is the converse: what a number is at each place. One that is no combination of conjunctions with values 0 and 1 is a word of its own.
func (n *normalizer) atPlaces(p poly, width rule.Expr) poly {
	out := poly{}
	for m, c := range p {
		var ids []int
		words := 0
		negative := true
		for _, id := range members(m) {
			switch a := n.atoms[id]; a.kind {
			case aBool:
				ids = append(ids, id)
			case anAnd:
				ids, negative = append(ids, a.words...), false
				words++
			default:
				words = 2
			}
		}
		if words > 1 {
			return n.itself(p, width)
		}
		slices.Sort(ids)
		if negative { // 1 stands for -1
			c = new(big.Int).Neg(c)
		}
		out.add(monomial(ids), c)
	}
	if !n.zeroOrOne(out) {
		return n.itself(p, width)
	}
	return out
}

func (n *normalizer) itself(p poly, width rule.Expr) poly {
	id := n.atom("number "+p.key()+" @ "+width.String(), atom{kind: aWord, number: p})
	return poly{monomial([]int{id}): big.NewInt(1)}
}

// zeroOrOne tells whether a multilinear polynomial has the values 0 and 1 alone.
func (n *normalizer) zeroOrOne(p poly) bool {
	var ids []int
	for m := range p {
		ids = append(ids, members(m)...)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > maxVariables {
		return false
	}
	one := big.NewInt(1)
	for at := range 1 << len(ids) {
		sum := new(big.Int)
		for m, c := range p {
			if !slices.ContainsFunc(members(m), func(id int) bool { return at>>slices.Index(ids, id)&1 == 0 }) {
				sum.Add(sum, c)
			}
		}
		if sum.Sign() != 0 && sum.Cmp(one) != 0 {
			return false
		}
	}
	return true
}

// number is a word modulo 2 to the power of its width.
func (n *normalizer) number(t *rule.Term) poly {
	if p := n.done[t]; p != nil {
		return p
	}
	p := n.value(t)
	n.done[t] = p
	return p
}

func (n *normalizer) value(t *rule.Term) poly {
	fold := func(f func(p, q poly) poly) poly {
		p := n.number(t.Args[0])
		for _, a := range t.Args[1:] {
			p = f(p, n.number(a))
		}
		return p
	}
	switch t.Op {
	case rule.OpVar, "bvnot", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bool->bitvector", "bvcomp":
		return n.lifted(n.bits(t))
	case "ite":
		c := n.truth(t.Args[0])
		return n.times(c, n.number(t.Args[1])).plus(1, n.times(constant(1).plus(-1, c), n.number(t.Args[2])))
	case "bvadd":
		return fold(func(p, q poly) poly { return p.plus(1, q) })
	case "bvsub":
		return fold(func(p, q poly) poly { return p.plus(-1, q) })
	case "bvneg":
		return poly{}.plus(-1, n.number(t.Args[0]))
	case "bvmul":
		return fold(n.times)
	case rule.OpConst, rule.OpNumber:
		if v, ok := literal(t); ok {
			return poly{}.plus(1, v)
		}
	case "bvshl": // law 10.3: the amount is a number that is written, so that it is below 2^w
		if e := amount(t.Args[1]); e != nil {
			if p := n.twoTo(e); p != nil {
				return n.times(n.number(t.Args[0]), p)
			}
		}
	case "extract":
		if p := n.low(t); p != nil {
			return p
		}
	}
	return n.lifted(n.opaque(t, aWord))
}

// literal is a constant, the ones of a width that is a number as -1: one number of those that it is.
func literal(t *rule.Term) (poly, bool) {
	if t.Op != rule.OpNumber && t.Op != rule.OpConst || t.Bool {
		return nil, false
	}
	v, width := new(big.Int), int64(0)
	if t.Op == rule.OpNumber {
		c, ok := t.Indices[0].Constant()
		w, fixed := t.Indices[1].Constant()
		if !ok {
			return nil, false
		}
		if v.SetInt64(c); !fixed {
			return poly{}.plus(1, poly{"": v}).clean(), true
		}
		width = w
	} else {
		base := map[byte]int{'b': 2, 'x': 16}[t.Name[1]]
		v.SetString(t.Name[2:], base)
		width = int64(len(t.Name)-2) * map[int]int64{2: 1, 16: 4}[base]
	}
	if ones := new(big.Int).Lsh(big.NewInt(1), uint(width)); v.Cmp(new(big.Int).Sub(ones, big.NewInt(1))) == 0 {
		v.SetInt64(-1)
	}
	return poly{"": v}.clean(), true
}

func (p poly) clean() poly {
	for m, c := range p {
		if c.Sign() == 0 {
			delete(p, m)
		}
	}
	return p
}

// amount is the number that a constant is, nil of any other term.
func amount(t *rule.Term) rule.Expr {
	switch t.Op {
	case rule.OpNumber:
		return t.Indices[0]
	case rule.OpConst:
		base := map[byte]int{'b': 2, 'x': 16}[t.Name[1]]
		if v, err := strconv.ParseInt(t.Name[2:], base, 32); err == nil {
			return rule.Int(v)
		}
	}
	return nil
}

// twoTo is 2 to the power of an exponent that is a sum of names, nil of another one.
func (n *normalizer) twoTo(e rule.Expr) poly {
	p := constant(1)
	for m, c := range e {
		switch {
		case c < 0 || c > maxExponent || strings.Contains(m, "*"):
			return nil
		case m == "":
			p = n.times(p, poly{"": new(big.Int).Lsh(big.NewInt(1), uint(c))})
		default:
			for range c {
				p = n.times(p, n.variable("power "+m, aPower))
			}
		}
	}
	return p
}

// low is the lowest bits of a word (law 10.4), nil of others.
func (n *normalizer) low(t *rule.Term) poly {
	hi, lo, of := t.Indices[0], t.Indices[1], t.Args[0]
	if len(lo) > 0 {
		return nil
	}
	if inner := of.Args; (of.Op == "zero_extend" || of.Op == "sign_extend") && n.implied(n.widths[inner[0]].Plus(-1, hi).Plus(-1, rule.Int(1))) {
		return n.number(inner[0])
	}
	return n.number(of)
}

// opaque is a term of which is known only that equal arguments make equal ones.
func (n *normalizer) opaque(t *rule.Term, kind atomKind) poly {
	key := t.Op
	for _, i := range t.Indices {
		key += " " + i.String()
	}
	for _, a := range t.Args {
		key += " (" + n.name(a) + ")"
	}
	if kind == aWord {
		key += " @ " + n.widths[t].String()
	}
	return n.variable(key, kind)
}

func (n *normalizer) name(t *rule.Term) string {
	if t.Bool {
		return "truth " + n.truth(t).key()
	}
	return n.number(t).key() + " @ " + n.widths[t].String()
}

// truth is a Bool as a multilinear polynomial with the values 0 and 1.
func (n *normalizer) truth(t *rule.Term) poly {
	not := func(p poly) poly { return constant(1).plus(-1, p) }
	or := func(p, q poly) poly { return p.plus(1, q).plus(-1, n.times(p, q)) }
	xor := func(p, q poly) poly { return p.plus(1, q).plus(-2, n.times(p, q)) }
	fold := func(f func(p, q poly) poly) poly {
		p := n.truth(t.Args[0])
		for _, a := range t.Args[1:] {
			p = f(p, n.truth(a))
		}
		return p
	}
	switch t.Op {
	case rule.OpVar:
		return n.variable("bool "+t.Name, aBool)
	case rule.OpConst:
		return constant(map[string]int64{"true": 1, "false": 0}[t.Name])
	case "not":
		return not(n.truth(t.Args[0]))
	case "and":
		return fold(n.times)
	case "or":
		return fold(or)
	case "xor":
		return fold(xor)
	case "=>": // from the right
		p := n.truth(t.Args[len(t.Args)-1])
		for i := len(t.Args) - 2; i >= 0; i-- {
			p = or(not(n.truth(t.Args[i])), p)
		}
		return p
	case "ite":
		c := n.truth(t.Args[0])
		return n.times(c, n.truth(t.Args[1])).plus(1, n.times(not(c), n.truth(t.Args[2])))
	case "=", "bveq", "distinct":
		all := constant(1)
		for i := range t.Args {
			for j := i + 1; j < len(t.Args) && (t.Op == "distinct" || j == i+1); j++ {
				e := n.equal(t.Args[i], t.Args[j])
				if t.Op == "distinct" {
					e = not(e)
				}
				all = n.times(all, e)
			}
		}
		return all
	case "bitvector->bool":
		return not(n.vanishes(n.number(t.Args[0]), n.widths[t.Args[0]]))
	}
	less := func(op string, i, j int) poly {
		a, b := t.Args[i], t.Args[j]
		p, q := n.number(a), n.number(b)
		if p.equal(q) || op == "ult" && (len(q) == 0 || p.equal(constant(-1))) {
			return poly{}
		}
		// Complements are ordered the other way round: of both the first text stands for the two.
		width := " @ " + n.widths[a].String()
		key := func(p, q poly) string { return op + " (" + p.key() + ") (" + q.key() + ")" + width }
		complement := func(p poly) poly { return constant(-1).plus(-1, p) }
		return n.variable(min(key(p, q), key(complement(q), complement(p))), aBool)
	}
	op := "u"
	if t.Op[2] == 's' {
		op = "s"
	}
	switch t.Op[3:] {
	case "lt":
		return less(op+"lt", 0, 1)
	case "gt":
		return less(op+"lt", 1, 0)
	case "le":
		return not(less(op+"lt", 1, 0))
	}
	return not(less(op+"lt", 0, 1))
}

// equal is whether two words, or two Bools, are equal.
func (n *normalizer) equal(a, b *rule.Term) poly {
	if a.Bool {
		p, q := n.truth(a), n.truth(b)
		return constant(1).plus(-1, p.plus(1, q).plus(-2, n.times(p, q)))
	}
	for _, x := range [][2]*rule.Term{{a, b}, {b, a}} { // an exclusive or is 0 where its operands are equal
		if x[0].Op == "bvxor" && len(x[0].Args) == 2 && len(n.number(x[1])) == 0 {
			return n.equal(x[0].Args[0], x[0].Args[1])
		}
	}
	return n.vanishes(n.number(a).plus(-1, n.number(b)), n.widths[a])
}

// vanishes is whether a number is 0 modulo 2^w: it is where its negative is, and an odd constant is not.
func (n *normalizer) vanishes(p poly, width rule.Expr) poly {
	if len(p) == 0 {
		return constant(1)
	}
	if c := p[""]; len(p) == 1 && c != nil && c.Bit(0) == 1 {
		return poly{}
	}
	key := min(p.key(), poly{}.plus(-1, p).key())
	return n.variable(fmt.Sprintf("zero (%s) @ %s", key, width), aBool)
}

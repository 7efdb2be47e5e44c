package rules

import (
	"slices"

	"tv/semantics/bits/rule"
)

// fields writes a term with its fields as far in as they go, by law 10.8: of words in a row those that a field lies in, of a bitwise term its
// operands' fields, of a sum the sums of lowest bits. Words in a row are one flat concatenation, in which neighbouring fields of one word are one.
// Where it is not seen at all numbers where a field begins, it stays where it is.
func (t *typing) fields(x *rule.Term) *rule.Term {
	args := make([]*rule.Term, len(x.Args))
	for i, a := range x.Args {
		args[i] = t.fields(a)
	}
	y := *x
	y.Args = args
	t.widths[&y] = t.widths[x]
	return t.rewritten(&y)
}

// made is an operation of words, its width being known.
func (t *typing) made(op string, width rule.Expr, indices []rule.Expr, args ...*rule.Term) *rule.Term {
	y := &rule.Term{Op: op, Indices: indices, Args: args}
	t.widths[y] = width
	return t.rewritten(y)
}

// rewritten applies the law to a term whose arguments are as they should be.
func (t *typing) rewritten(x *rule.Term) *rule.Term {
	one := rule.Int(1)
	width := t.widths[x]
	switch x.Op {
	case "concat":
		return t.row(x.Args)
	case "extract":
		return t.field(x.Args[0], x.Indices[0], x.Indices[1])
	case "rotate_left", "rotate_right":
		by := x.Indices[0]
		if x.Op == "rotate_right" {
			by = width.Plus(-1, by)
		}
		if a := x.Args[0]; t.implied(by.Plus(-1, one)) && t.implied(width.Plus(-1, by).Plus(-1, one)) {
			return t.row([]*rule.Term{t.field(a, width.Plus(-1, by).Plus(-1, one), rule.Expr{}), t.field(a, width.Plus(-1, one), width.Plus(-1, by))})
		}
	case "zero_extend", "sign_extend":
		return t.extended(x)
	case "bvudiv", "bvurem":
		if e := t.powerOf(x.Args[1]); e != nil {
			return t.byPower(x, e)
		}
	case "bvnot", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor":
		return t.byParts(x, 0)
	case "ite":
		if !x.Bool {
			return t.byParts(x, 1)
		}
	}
	return x
}

// powerOf is the exponent of a power of 2 that is no 0 at any numbers, nil of another term.
func (t *typing) powerOf(x *rule.Term) rule.Expr {
	if p, ok := literal(x); ok && len(p) == 1 {
		if c := p[""]; c.Sign() > 0 && c.TrailingZeroBits() == uint(c.BitLen()-1) {
			return rule.Int(int64(c.BitLen() - 1))
		}
	}
	if x.Op != "bvshl" {
		return nil
	}
	one, ok := literal(x.Args[0])
	e := amount(x.Args[1])
	if !ok || !one.equal(constant(1)) || e == nil || !t.implied(t.widths[x].Plus(-1, e).Plus(-1, rule.Int(1))) {
		return nil
	}
	return e
}

// byPower is a quotient by a power of 2 as a shift, and a remainder as its lowest bits (law 10.9).
func (t *typing) byPower(x *rule.Term, e rule.Expr) *rule.Term {
	w := t.widths[x]
	number := func(n rule.Expr) *rule.Term {
		y := &rule.Term{Op: rule.OpNumber, Indices: []rule.Expr{n, w}}
		t.widths[y] = w
		return y
	}
	if x.Op == "bvudiv" {
		return t.made("bvlshr", w, nil, x.Args[0], number(e))
	}
	power := t.made("bvshl", w, nil, number(rule.Int(1)), number(e))
	return t.made("bvand", w, nil, x.Args[0], t.made("bvsub", w, nil, power, number(rule.Int(1))))
}

// zero is the constant 0 of a width.
func (t *typing) zero(width rule.Expr) *rule.Term {
	y := &rule.Term{Op: rule.OpNumber, Indices: []rule.Expr{{}, width}}
	t.widths[y] = width
	return y
}

func isZero(x *rule.Term) bool { return x.Op == rule.OpNumber && len(x.Indices[0]) == 0 }

// extended puts zeros before a word that has some before it, and extends the operands of a bitwise word in its place.
func (t *typing) extended(x *rule.Term) *rule.Term {
	n, a := x.Indices[0], x.Args[0]
	width := t.widths[x]
	switch {
	case len(n) == 0:
		return a
	case x.Op == "zero_extend" && t.implied(n.Plus(-1, rule.Int(1))):
		return t.row([]*rule.Term{t.zero(n), a})
	case slices.Contains([]string{"bvand", "bvor", "bvxor"}, a.Op), x.Op == "sign_extend" && slices.Contains([]string{"bvnot", "bvnand", "bvnor", "bvxnor"}, a.Op):
		args := make([]*rule.Term, len(a.Args))
		for i, b := range a.Args {
			args[i] = t.made(x.Op, width, x.Indices, b)
		}
		return t.made(a.Op, width, nil, args...)
	}
	return x
}

// row is a flat concatenation, with neighbours that are fields of one word joined.
func (t *typing) row(list []*rule.Term) *rule.Term {
	var parts []*rule.Term
	for _, a := range list {
		inner := []*rule.Term{a}
		if a.Op == "concat" {
			inner = a.Args
		}
		for _, p := range inner {
			if n := len(parts); n > 0 {
				if q := t.joined(parts[n-1], p); q != nil {
					parts[n-1] = q
					continue
				}
			}
			parts = append(parts, p)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	width := rule.Expr{}
	for _, p := range parts {
		width = width.Plus(1, t.widths[p])
	}
	y := &rule.Term{Op: "concat", Args: parts}
	t.widths[y] = width
	return y
}

// joined is what two neighbours are together, nil where that is two words.
func (t *typing) joined(high, low *rule.Term) *rule.Term {
	if isZero(high) && isZero(low) {
		return t.zero(t.widths[high].Plus(1, t.widths[low]))
	}
	of, hi, middle := t.within(high)
	other, below, lo := t.within(low)
	if !sameTerm(of, other) || !middle.Equal(below.Plus(1, rule.Int(1))) {
		return nil
	}
	return t.field(of, hi, lo)
}

// within says of which word a term is which field.
func (t *typing) within(x *rule.Term) (of *rule.Term, hi, lo rule.Expr) {
	if x.Op == "extract" {
		return x.Args[0], x.Indices[0], x.Indices[1]
	}
	return x, t.widths[x].Plus(-1, rule.Int(1)), rule.Expr{}
}

func sameTerm(a, b *rule.Term) bool {
	return a == b || a.Op == b.Op && a.Name == b.Name && slices.EqualFunc(a.Indices, b.Indices, rule.Expr.Equal) && slices.EqualFunc(a.Args, b.Args, sameTerm)
}

// field is bits hi to lo of a word that is as it should be.
func (t *typing) field(a *rule.Term, hi, lo rule.Expr) *rule.Term {
	one := rule.Int(1)
	width := hi.Plus(-1, lo).Plus(1, one)
	if len(lo) == 0 && width.Equal(t.widths[a]) {
		return a
	}
	each := func(args []*rule.Term) []*rule.Term {
		out := make([]*rule.Term, len(args))
		for i, b := range args {
			out[i] = t.field(b, hi, lo)
		}
		return out
	}
	switch a.Op {
	case "extract":
		return t.field(a.Args[0], hi.Plus(1, a.Indices[1]), lo.Plus(1, a.Indices[1]))
	case "concat":
		if y := t.cut(a, hi, lo); y != nil {
			return y
		}
	case "zero_extend", "sign_extend":
		if b := a.Args[0]; t.implied(t.widths[b].Plus(-1, hi).Plus(-1, one)) {
			return t.field(b, hi, lo)
		}
	case "bvnot", "bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor":
		return t.made(a.Op, width, nil, each(a.Args)...)
	case "ite":
		return t.made(a.Op, width, nil, append([]*rule.Term{a.Args[0]}, each(a.Args[1:])...)...)
	case "bvadd", "bvsub", "bvneg", "bvmul":
		if len(lo) == 0 {
			return t.made(a.Op, width, nil, each(a.Args)...)
		}
	case rule.OpNumber:
		if isZero(a) {
			return t.zero(width)
		}
	}
	y := &rule.Term{Op: "extract", Indices: []rule.Expr{hi, lo}, Args: []*rule.Term{a}}
	t.widths[y] = width
	return y
}

// cut is a field of words in a row, where it is seen in which words its ends lie; else nil.
func (t *typing) cut(a *rule.Term, hi, lo rule.Expr) *rule.Term {
	n := len(a.Args)
	base := make([]rule.Expr, n+1) // where each part begins, from the lowest; parts are numbered from there
	base[0] = rule.Expr{}
	for i := range n {
		base[i+1] = base[i].Plus(1, t.widths[a.Args[n-1-i]])
	}
	find := func(bit rule.Expr) int {
		for i := range n {
			if t.implied(bit.Plus(-1, base[i])) && t.implied(base[i+1].Plus(-1, bit).Plus(-1, rule.Int(1))) {
				return i
			}
		}
		return -1
	}
	from, to := find(lo), find(hi)
	if from < 0 || to < from {
		return nil
	}
	var parts []*rule.Term
	for i := to; i >= from; i-- {
		p := a.Args[n-1-i]
		top, bottom := t.widths[p].Plus(-1, rule.Int(1)), rule.Expr{}
		if i == to {
			top = hi.Plus(-1, base[i])
		}
		if i == from {
			bottom = lo.Plus(-1, base[i])
		}
		parts = append(parts, t.field(p, top, bottom))
	}
	return t.row(parts)
}

// byParts is a bitwise operation of rows that are cut at the same places, as a row. The first arguments are none of them.
func (t *typing) byParts(x *rule.Term, first int) *rule.Term {
	rows := x.Args[first:]
	for _, a := range rows {
		same := a.Op == "concat" && len(a.Args) == len(rows[0].Args)
		for i := 0; same && i < len(a.Args); i++ {
			same = t.widths[a.Args[i]].Equal(t.widths[rows[0].Args[i]])
		}
		if !same {
			return x
		}
	}
	var parts []*rule.Term
	for i := range rows[0].Args {
		args := slices.Clone(x.Args[:first])
		for _, a := range rows {
			args = append(args, a.Args[i])
		}
		parts = append(parts, t.made(x.Op, t.widths[rows[0].Args[i]], nil, args...))
	}
	return t.row(parts)
}

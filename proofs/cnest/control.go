package cnest

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// size is an integer of control: made of sizes by their names, and of counters by names with #.
type size = domain.Size

var zero, one = domain.IntSize(0), domain.IntSize(1)

// strictly computes what conditions alone ask for. Whether that wraps where it is none of its type,
// as data does, is not for the checker to say: where it might, the text is refused. Conditions on
// what all else has computed are of int or long, or refused as well.
func (l *lowering) strictly(level int, do func()) {
	before := l.strict
	l.strict = max(before, level)
	do()
	l.strict = before
}

// computed is an integer of control as the value of a variable.
func (l *lowering) computed(v *variable, at source.Span, from func() (size, ctype)) size {
	check(v.typ.isInt(), at, "not-static-control", "a float in an integer of control")
	var out size
	l.strictly(map[bool]int{true: 2}[l.tests[v]], func() {
		x, t := from()
		out = l.convert(x, t, v.typ, at)
	})
	return out
}

// tested is the condition of an if.
func (l *lowering) tested(n *node) (c *loops.Test) {
	l.strictly(1, func() { c = l.condition(n) })
	return c
}

// require asks for x to be a value of its type, where that is not known.
func (l *lowering) require(x size, t ctype, at source.Span) {
	check(!x.TooLarge(), at, "too-large", "an integer is too large")
	if l.exact {
		return
	}
	lo, hi := t.limits()
	least, most := domain.BigSize(lo), domain.BigSize(hi)
	all := &loops.Cond{Op: loops.CondAll}
	if !l.Nonneg(x.Sub(least)) {
		all.Conds = append(all.Conds, l.AtMost(least, x))
	}
	if !l.Nonneg(most.Sub(x)) {
		all.Conds = append(all.Conds, l.AtMost(x, most))
	}
	if all.Conds != nil {
		wide := t.signed() && t.rank >= integer.rank
		check(l.strict == 0 || l.strict == 1 && wide, at, "not-affine",
			"an integer that only conditions ask for may be none of %s", t.elem)
		text := fmt.Sprintf("the integer of %s is a value of %s", at.Text(), t.elem)
		l.Emit(&loops.Require{Cond: all, Text: text, Span: at})
	}
}

func refuse(at source.Span, code, format string, args ...any) {
	check(false, at, code, format, args...)
}

var integerLiteral = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)` +
		`([uU]?(?:l|L|ll|LL)?|(?:l|L|ll|LL)[uU])$`)
})

// number is a constant of an integer type (6.4.4.1), if it is one.
func number(n *node) (*big.Int, ctype, bool) {
	m := integerLiteral().FindStringSubmatch(n.text)
	if n.op != "number" || m == nil {
		return nil, void, false
	}
	v, ok := new(big.Int).SetString(m[1], 0)
	t, has := literalType(v, strings.ToLower(m[2]), m[1][0] != '0')
	check(ok && has, n.at, "bad-syntax", "a number that no type has")
	return v, t, true
}

// control computes an integer of control, whose value has to be one of its type, and so has every
// value on the way to it.
func (l *lowering) control(n *node) (size, ctype) {
	switch n.op {
	case "number":
		v, t, ok := number(n)
		check(ok, n.at, "not-static-control", "a float in an integer of control")
		return domain.BigSize(v), t
	case "name":
		x, known := l.now[n.v]
		check(l.steers[n.v], n.at, "not-static-control", "%s is data", n.v.name)
		check(known, n.at, "not-static-control", "%s has no value of sizes and counters", n.v.name)
		return x, n.v.typ
	case "neg", "unary+":
		x, t := l.control(n.args[0])
		if t = t.promoted(); n.op == "neg" {
			x = loops.Negative(x)
		}
		l.require(x, t, n.at)
		return x, t
	case "cast":
		x, t := l.control(n.args[0])
		return l.convert(x, t, n.typ, n.at), n.typ
	case "?:":
		return l.alternative(n)
	case "call":
		return l.controlCall(n)
	case "<<", ">>", "&":
		check(powered(n), n.at, "not-static-control", "%s in an integer of control", n.op)
		return l.powers(n)
	case "+", "-", "*", "/", "%":
		x, s := l.control(n.args[0])
		y, t := l.control(n.args[1])
		return l.arithmetic(n.op, x, s, y, t, n.at)
	}
	refuse(n.at, "not-static-control", "%s in an integer of control", n.op)
	return zero, void
}

// convert is a conversion that has to keep the value (6.3.1.3).
func (l *lowering) convert(x size, from, to ctype, at source.Span) size {
	check(to != void, at, "not-static-control", "a conversion to void")
	if from != to {
		l.require(x, to, at)
	}
	return x
}

// arithmetic is an operation on integers of control (6.5.5, 6.5.6).
func (l *lowering) arithmetic(op string, x size, s ctype, y size, t ctype,
	at source.Span) (size, ctype) {
	c := usual(s, t)
	x, y = l.convert(x, s, c, at), l.convert(y, t, c, at)
	switch op {
	case "+":
		x = x.Add(y)
	case "-":
		x = x.Sub(y)
	case "*":
		x = x.Mul(y)
	case "/", "%":
		check(!c.isFloat(), at, "not-affine", "a quotient that is not rounded")
		l.divisor(y, at)
		q := l.Quotient(x, y)
		if op == "%" {
			q = x.Sub(y.Mul(q))
		}
		x = q
	default:
		refuse(at, "not-static-control", "%s in an integer of control", op)
	}
	l.require(x, c, at)
	return x, c
}

// powered reports whether a shift or a mask of an integer of control is a product with a power of
// 2, a quotient or a remainder by one, or what is left without it: all are by literals.
func powered(n *node) bool {
	mask, _ := complement(n)
	v, _, ok := number(mask)
	if n.op == "&" {
		return ok && v.BitLen() < 31 && v.Sign() > 0 && v.TrailingZeroBits() == 0 &&
			new(big.Int).Add(v, big.NewInt(1)).TrailingZeroBits() == uint(v.BitLen())
	}
	return ok && v.Cmp(big.NewInt(31)) < 0
}

// complement is what a mask is by: m of x & ~m, where m is an int, so that ~m has all upper bits.
func complement(n *node) (m *node, all bool) {
	if m = n.args[1]; n.op == "&" && m.op == "unary~" {
		if _, t, ok := number(m.args[0]); ok && t == integer {
			return m.args[0], true
		}
	}
	return m, false
}

// powers is x << k, x·2^k; x >> k, x divided by it and rounded down; x & (2^k - 1), what is left
// then, and x & ~(2^k - 1), x without that (6.5.7, 6.5.10, and gcc for x below 0).
func (l *lowering) powers(n *node) (size, ctype) {
	x, s := l.control(n.args[0])
	mask, all := complement(n)
	k, t, _ := number(mask)
	check(s.isInt(), n.at, "not-static-control", "%s of what is no integer", n.op)
	switch n.op {
	case "&":
		c := usual(s, t)
		x = l.convert(x, s, c, n.at)
		rest := x.Mod(domain.BigSize(k).Add(one))
		if all {
			return x.Sub(rest), c
		}
		return rest, c
	case ">>":
		return x.Div(domain.IntSize(1 << k.Int64())), s.promoted()
	}
	x = x.Mul(domain.IntSize(1 << k.Int64()))
	l.require(x, s.promoted(), n.at)
	return x, s.promoted()
}

func (l *lowering) divisor(y size, at source.Span) {
	check(loops.Constant(y) && l.Nonneg(y.Sub(one)), at, "not-affine",
		"a divisor that is not known to be a positive number of sizes")
}

// alternative is c ? x : y, where that is one integer of control whatever holds (6.5.15).
func (l *lowering) alternative(n *node) (size, ctype) {
	if k, known := l.picked[n]; known {
		x, s := l.control(n.args[1+k])
		t := void
		l.tries(func() { _, t = l.control(n.args[2-k]) })
		check(t != void, n.at, "not-affine", "an integer of control by cases")
		to := usual(s, t)
		return l.convert(x, s, to, n.at), to
	}
	c := l.condition(n.args[0])
	var x, y size
	var s, t ctype
	l.EmitIf(&loops.If{Span: n.at}, c, func() { x, s = l.control(n.args[1]) },
		func() { y, t = l.control(n.args[2]) })
	to := usual(s, t)
	l.EmitIf(&loops.If{Span: n.at}, c, func() { l.convert(x, s, to, n.at) },
		func() { l.convert(y, t, to, n.at) })
	out, ok := l.Choice(c, x, y)
	check(ok, n.at, "not-affine", "an integer of control by cases")
	return out, to
}

// condition is one that sizes and counters decide (6.5.8, 6.5.9, 6.5.13, 6.5.14, 6.5.3.3).
func (l *lowering) condition(n *node) *loops.Test {
	switch n.op {
	case "&&", "||":
		a, b := l.condition(n.args[0]), (*loops.Test)(nil)
		second := func() { b = l.condition(n.args[1]) }
		if n.op == "&&" {
			l.EmitIf(&loops.If{Span: n.at}, a, second, nil)
			return &loops.Test{Op: loops.CondAll, Of: []*loops.Test{a, b}}
		}
		l.EmitIf(&loops.If{Span: n.at}, a, nil, second)
		return &loops.Test{Op: loops.CondAny, Of: []*loops.Test{a, b}}
	case "unary!":
		return loops.Not(l.condition(n.args[0]))
	case "<", "<=", ">", ">=", "==", "!=":
		x, s := l.control(n.args[0])
		y, t := l.control(n.args[1])
		c := usual(s, t)
		x, y = l.convert(x, s, c, n.at), l.convert(y, t, c, n.at)
		if n.op[0] == '>' {
			x, y = y, x
		}
		switch n.op {
		case "<", ">":
			return &loops.Test{Op: loops.CondLess, X: x, Y: y}
		case "<=", ">=":
			return &loops.Test{Op: loops.CondLessEqual, X: x, Y: y}
		case "!=":
			return loops.Not(&loops.Test{Op: loops.CondEqual, X: x, Y: y})
		}
		return &loops.Test{Op: loops.CondEqual, X: x, Y: y}
	}
	x, _ := l.control(n)
	return loops.Not(&loops.Test{Op: loops.CondEqual, X: x, Y: zero})
}

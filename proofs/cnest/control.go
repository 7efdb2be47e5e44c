package cnest

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// size is an integer of control: made of sizes by their names, and of counters by names with #.
type size = domain.Size

var zero, one = domain.IntSize(0), domain.IntSize(1)

// nonneg reports whether x is known not to be negative where the text is now.
func (l *lowering) nonneg(x size) bool {
	return l.within.Nonneg(x) || slices.ContainsFunc(l.facts, func(f size) bool {
		return l.within.Nonneg(x.Sub(f)) // x = f + (x - f)
	})
}

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
func (l *lowering) tested(n *node) (c *cond) {
	l.strictly(1, func() { c = l.condition(n) })
	return c
}

// require asks for x to be a value of its type, where that is not known.
func (l *lowering) require(x size, t ctype, at source.Span) {
	check(!x.TooLarge(), at, "too-large", "an integer is too large")
	lo, hi := t.limits()
	least, most := domain.BigSize(lo), domain.BigSize(hi)
	all := &loops.Cond{Op: loops.CondAll}
	if !l.nonneg(x.Sub(least)) {
		all.Conds = append(all.Conds, l.atMost(least, x))
	}
	if !l.nonneg(most.Sub(x)) {
		all.Conds = append(all.Conds, l.atMost(x, most))
	}
	if all.Conds != nil {
		wide := t.signed() && t.rank >= integer.rank
		check(l.strict == 0 || l.strict == 1 && wide, at, "not-affine",
			"an integer that only conditions ask for may be none of %s", t.elem)
		text := fmt.Sprintf("the integer of %s is a value of %s", at.Text(), t.elem)
		l.emit(&loops.Require{Cond: all, Text: text, Span: at})
	}
}

func (l *lowering) atMost(x, y size) *loops.Cond {
	return &loops.Cond{Op: loops.CondLessEqual, X: l.integer(x), Y: l.integer(y)}
}

// integer is x as the form has it.
func (l *lowering) integer(x size) *loops.Int { return loops.IntOf(x, l.counters) }

func (l *lowering) integers(list []size) (out []*loops.Int) {
	for _, x := range list {
		out = append(out, l.integer(x))
	}
	return out
}

// constant reports whether no counter occurs in x.
func constant(x size) bool {
	return !slices.ContainsFunc(x.Names(), func(s string) bool { return s[0] == '#' })
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
			x = negative(x)
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
		q := l.quotient(x, y, at)
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

func (l *lowering) divisor(y size, at source.Span) {
	check(constant(y) && l.nonneg(y.Sub(one)), at, "not-affine",
		"a divisor that is not known to be a positive number of sizes")
}

// quotient is x / y, rounded towards 0 (6.5.5).
func (l *lowering) quotient(x, y size, at source.Span) size {
	l.divisor(y, at)
	switch minus := negative(x); {
	case l.nonneg(x):
		return x.Div(y)
	case l.nonneg(minus):
		return negative(minus.Div(y))
	default:
		return x.Div(y).Max(zero).Add(negative(minus.Div(y)).Min(zero))
	}
}

// negative is -x, with what is rounded up for numbers as what is rounded down: -(y div d) is
// (d - 1 - y) div d.
func negative(x size) (out size) {
	terms := []size{x}
	if x.Op() == domain.SizeAdd {
		terms = x.Operands()
	}
	for _, t := range terms {
		if t.Op() == domain.SizeDiv {
			if d, ok := t.Operands()[1].Const(); ok && d.Sign() > 0 {
				d := domain.BigSize(d)
				out = out.Add(d.Sub(one).Sub(t.Operands()[0]).Div(d))
				continue
			}
		}
		out = out.Sub(t)
	}
	return out
}

// alternative is c ? x : y, where that is one integer of control whatever holds (6.5.15).
func (l *lowering) alternative(n *node) (size, ctype) {
	c := l.condition(n.args[0])
	var x, y size
	var s, t ctype
	l.emitIf(c, n.at, func() { x, s = l.control(n.args[1]) },
		func() { y, t = l.control(n.args[2]) })
	to := usual(s, t)
	l.emitIf(c, n.at, func() { l.convert(x, s, to, n.at) }, func() { l.convert(y, t, to, n.at) })
	switch known := l.decided(c); {
	case known > 0 || x.Equal(y):
		return x, to
	case known < 0:
		return y, to
	case c.op == loops.CondLess || c.op == loops.CondLessEqual:
		switch d := x.Sub(y); { // c says that c.x - c.y is below 0, or at most
		case d.Equal(c.x.Sub(c.y)):
			return x.Min(y), to
		case d.Equal(c.y.Sub(c.x)):
			return x.Max(y), to
		}
	}
	refuse(n.at, "not-affine", "an integer of control by cases")
	return zero, void
}

// A cond is a condition on integers of control; of CondLess, CondLessEqual and CondEqual x and y.
type cond struct {
	op   loops.CondOp
	x, y size
	of   []*cond
}

// condition is one that sizes and counters decide (6.5.8, 6.5.9, 6.5.13, 6.5.14, 6.5.3.3).
func (l *lowering) condition(n *node) *cond {
	switch n.op {
	case "&&", "||":
		a, b := l.condition(n.args[0]), (*cond)(nil)
		second := func() { b = l.condition(n.args[1]) }
		if n.op == "&&" {
			l.emitIf(a, n.at, second, nil)
			return &cond{op: loops.CondAll, of: []*cond{a, b}}
		}
		l.emitIf(a, n.at, nil, second)
		return &cond{op: loops.CondAny, of: []*cond{a, b}}
	case "unary!":
		return not(l.condition(n.args[0]))
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
			return &cond{op: loops.CondLess, x: x, y: y}
		case "<=", ">=":
			return &cond{op: loops.CondLessEqual, x: x, y: y}
		case "!=":
			return not(&cond{op: loops.CondEqual, x: x, y: y})
		}
		return &cond{op: loops.CondEqual, x: x, y: y}
	}
	x, _ := l.control(n)
	return not(&cond{op: loops.CondEqual, x: x, y: zero})
}

func not(c *cond) *cond { return &cond{op: loops.CondNot, of: []*cond{c}} }

// form is c as the form has it.
func (l *lowering) form(c *cond) *loops.Cond {
	out := &loops.Cond{Op: c.op}
	for _, d := range c.of {
		out.Conds = append(out.Conds, l.form(d))
	}
	if c.of == nil {
		out.X, out.Y = l.integer(c.x), l.integer(c.y)
	}
	return out
}

// follows are integers that are not negative where c holds, or with no does not hold.
func follows(c *cond, no bool) (out []size) {
	switch {
	case c.op == loops.CondNot:
		return follows(c.of[0], !no)
	case c.op == loops.CondAll && !no, c.op == loops.CondAny && no:
		for _, d := range c.of {
			out = append(out, follows(d, no)...)
		}
		return out
	case c.of != nil, c.op == loops.CondEqual && no:
		return nil
	case c.op == loops.CondEqual:
		return []size{c.x.Sub(c.y), c.y.Sub(c.x)}
	}
	less := map[bool]size{true: one}[c.op == loops.CondLess]
	if no {
		return []size{c.x.Sub(c.y).Sub(one.Sub(less))}
	}
	return []size{c.y.Sub(c.x).Sub(less)}
}

// decided is 1 where c is known to hold, -1 where it is known not to, else 0.
func (l *lowering) decided(c *cond) int {
	if c.op == loops.CondNot {
		return -l.decided(c.of[0])
	}
	for k, sign := range []int{1, -1} {
		list := follows(c, k == 1)
		if exact := c.of == nil && (c.op != loops.CondEqual || k == 0); exact &&
			!slices.ContainsFunc(list, func(x size) bool { return !l.nonneg(x) }) {
			return sign
		}
	}
	return 0
}

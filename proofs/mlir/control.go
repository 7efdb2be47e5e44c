package mlir

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// size is an integer of control: made of sizes by their names, and of counters by names with #.
type size = domain.Size

var zero, one = domain.IntSize(0), domain.IntSize(1)

// A number is an integer of control, with what has to be a value of its type if it steers.
type number struct {
	x     size
	needs []need
	rough bool // where a need is none of its type, x modulo 2^width is not what the text computes
}

type need struct {
	x  size
	of typ
}

// nonneg reports whether x is known not to be negative where the text is now.
func (l *lowering) nonneg(x size) bool {
	return l.within.Nonneg(x) || slices.ContainsFunc(l.facts, func(f size) bool {
		return l.within.Nonneg(x.Sub(f)) // x = f + (x - f)
	})
}

// has reports whether x is known to be a value of its type.
func (l *lowering) has(n need) bool {
	least, most := n.of.limits()
	return l.nonneg(n.x.Sub(domain.BigSize(least))) && l.nonneg(domain.BigSize(most).Sub(n.x))
}

// computed is the number x of a type. It is made of others: by addition, subtraction and
// multiplication alone if it is smooth.
func (l *lowering) computed(x size, t typ, smooth bool, at source.Span, from ...*number) *number {
	check(!x.TooLarge(), at, "too-large", "an integer is too large")
	out := &number{x: x}
	for _, n := range from {
		out.rough = out.rough || n.rough || !smooth && len(n.needs) > 0
		out.needs = append(out.needs, n.needs...)
	}
	if n := (need{x, t}); !l.has(n) {
		out.needs = append(out.needs, n)
	}
	return out
}

// required asks for what a number needs to steer.
func (l *lowering) required(n *number, at source.Span) size {
	for _, need := range n.needs {
		if l.has(need) {
			continue
		}
		least, most := need.of.limits()
		all := &loops.Cond{Op: loops.CondAll, Conds: []*loops.Cond{
			l.atMost(domain.BigSize(least), need.x), l.atMost(need.x, domain.BigSize(most))}}
		text := fmt.Sprintf("an integer of %q is a value of %s", at.Text(), need.of.text)
		l.emit(&loops.Require{Cond: all, Text: text, Span: at})
	}
	return n.x
}

func (l *lowering) atMost(x, y size) *loops.Cond {
	return &loops.Cond{Op: loops.CondLessEqual, X: l.integer(x), Y: l.integer(y)}
}

// number is a value as an integer of control.
func (l *lowering) number(v *value, at source.Span) *number {
	check(v.num != nil, at, "not-static-control", "%%%s is no integer of sizes and counters", v.name)
	return v.num
}

// steered is a value that steers.
func (l *lowering) steered(v *value, at source.Span) size {
	return l.required(l.number(v, at), at)
}

// integer is x as the form has it.
func (l *lowering) integer(x size) *loops.Int {
	if n, ok := x.Const(); ok {
		return &loops.Int{Op: loops.IntNumber, N: n}
	}
	if name := x.Name(); name != "" {
		if f := l.counters[name]; f != nil {
			return loops.CounterOf(f)
		}
		return loops.SizeOf(name)
	}
	args := l.integers(x.Operands())
	if x.Op() == domain.SizeMod { // x - y*(x div y)
		again := l.integers(append(x.Operands(), x.Operands()[1]))
		return loops.Minus(args[0], loops.IntMul.Of(again[2], loops.IntDiv.Of(again[0], again[1])))
	}
	op := map[domain.SizeOp]loops.IntOp{domain.SizeAdd: loops.IntAdd, domain.SizeMul: loops.IntMul,
		domain.SizeDiv: loops.IntDiv, domain.SizeMax: loops.IntMax, domain.SizeMin: loops.IntMin}
	return op[x.Op()].Of(args...)
}

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

// divisor is one that is known to be positive.
func (l *lowering) divisor(y *number, at source.Span) {
	check(constant(y.x) && l.nonneg(y.x.Sub(one)) && len(y.needs) == 0, at, "not-affine",
		"a divisor that is not known to be a positive number of sizes")
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

func ceiling(x, y size) size { return negative(negative(x).Div(y)) }

// results are those of a map for its operands.
func (l *lowering) results(m *mapping, args []*value, at source.Span) (out []*number) {
	check(m != nil && len(args) == len(m.dims)+len(m.syms), at, "bad-syntax",
		"another number of operands than inputs of the map")
	var inputs []*number
	for _, v := range args {
		inputs = append(inputs, l.number(v, at))
	}
	for _, e := range m.results {
		out = append(out, l.affine(e, inputs, at))
	}
	return out
}

// affine is an affine expression. Every part of it has to be an index if it steers.
func (l *lowering) affine(e *node, inputs []*number, at source.Span) *number {
	switch e.op {
	case "input":
		return inputs[e.k]
	case "number":
		return l.computed(domain.BigSize(e.n), index, true, at)
	}
	x, y := l.affine(e.args[0], inputs, at), l.affine(e.args[1], inputs, at)
	op := map[string]string{"+": "addi", "*": "muli", "floordiv": "floordivsi",
		"ceildiv": "ceildivsi", "mod": "mod"}[e.op]
	return l.arithmetic(op, x, y, index, at)
}

// arithmetic is an operation on integers of control of a type.
func (l *lowering) arithmetic(op string, x, y *number, t typ, at source.Span) *number {
	a, b := x.x, y.x
	if strings.HasSuffix(op, "ui") { // of what is not negative the same as with a sign
		check(l.nonneg(a) && l.nonneg(b), at, "not-affine", "an operation on a negative number")
	}
	switch op {
	case "addi":
		return l.computed(a.Add(b), t, true, at, x, y)
	case "subi":
		return l.computed(a.Sub(b), t, true, at, x, y)
	case "muli":
		return l.computed(a.Mul(b), t, true, at, x, y)
	case "maxsi", "maxui":
		return l.computed(a.Max(b), t, false, at, x, y)
	case "minsi", "minui":
		return l.computed(a.Min(b), t, false, at, x, y)
	}
	l.divisor(y, at)
	switch op {
	case "floordivsi":
		a = a.Div(b)
	case "ceildivsi", "ceildivui":
		a = ceiling(a, b)
	case "mod":
		a = a.Mod(b)
	case "divsi", "divui":
		a = l.quotient(a, b)
	case "remsi", "remui":
		if l.nonneg(a) {
			a = a.Mod(b)
		} else {
			a = a.Sub(b.Mul(l.quotient(a, b)))
		}
	default:
		refuse(at, "unsupported-op", "%s of an integer of control", op)
	}
	return l.computed(a, t, false, at, x, y)
}

// quotient is x / y, rounded towards 0.
func (l *lowering) quotient(x, y size) size {
	switch minus := negative(x); {
	case l.nonneg(x):
		return x.Div(y)
	case l.nonneg(minus):
		return negative(minus.Div(y))
	default:
		return x.Div(y).Max(zero).Add(negative(minus.Div(y)).Min(zero))
	}
}

// A test is a condition on integers of control; of CondLess, CondLessEqual and CondEqual x and y.
type test struct {
	op    loops.CondOp
	x, y  size
	of    []*test
	needs []need
	rough bool
}

// compared is a condition on two numbers.
func (l *lowering) compared(predicate string, x, y *number, at source.Span) *test {
	a, b := x.x, y.x
	if strings.HasPrefix(predicate, "u") {
		check(l.nonneg(a) && l.nonneg(b), at, "not-affine", "an operation on a negative number")
		predicate = "s" + predicate[1:]
	}
	if predicate == "sgt" || predicate == "sge" {
		a, b = b, a
	}
	out := &test{x: a, y: b, needs: slices.Concat(x.needs, y.needs)}
	out.op = map[string]loops.CondOp{"slt": loops.CondLess, "sgt": loops.CondLess,
		"sle": loops.CondLessEqual, "sge": loops.CondLessEqual, "eq": loops.CondEqual,
		"ne": loops.CondEqual}[predicate]
	if predicate == "ne" {
		return not(out)
	}
	return out
}

func not(c *test) *test { return &test{op: loops.CondNot, of: []*test{c}, needs: c.needs} }

func joined(op loops.CondOp, list ...*test) *test {
	out := &test{op: op, of: list}
	for _, c := range list {
		out.needs = append(out.needs, c.needs...)
	}
	return out
}

// form is c as the form has it.
func (l *lowering) form(c *test) *loops.Cond {
	out := &loops.Cond{Op: c.op}
	for _, d := range c.of {
		out.Conds = append(out.Conds, l.form(d))
	}
	if c.op <= loops.CondEqual {
		out.X, out.Y = l.integer(c.x), l.integer(c.y)
	}
	return out
}

// follows are integers that are not negative where c holds, or with no does not hold.
func follows(c *test, no bool) (out []size) {
	switch {
	case c.op == loops.CondNot:
		return follows(c.of[0], !no)
	case c.op == loops.CondAll && !no, c.op == loops.CondAny && no:
		for _, d := range c.of {
			out = append(out, follows(d, no)...)
		}
		return out
	case c.op > loops.CondEqual, c.op == loops.CondEqual && no:
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
func (l *lowering) decided(c *test) int {
	if c.op == loops.CondNot {
		return -l.decided(c.of[0])
	}
	for k, sign := range []int{1, -1} {
		list := follows(c, k == 1)
		if exact := c.op < loops.CondEqual || c.op == loops.CondEqual && k == 0; exact &&
			!slices.ContainsFunc(list, func(x size) bool { return !l.nonneg(x) }) {
			return sign
		}
	}
	return 0
}

// alternative is c ? x : y, where that is one integer of control whatever holds.
func (l *lowering) alternative(c *test, x, y *number, t typ, at source.Span) *number {
	from := []*number{x, y, {needs: c.needs}}
	d := x.x.Sub(y.x)
	switch known := l.decided(c); {
	case known > 0 || x.x.Equal(y.x):
		return l.computed(x.x, t, false, at, from...)
	case known < 0:
		return l.computed(y.x, t, false, at, from...)
	case c.op == loops.CondNot:
		return l.alternative(c.of[0], y, x, t, at)
	case c.op <= loops.CondLessEqual && d.Equal(c.x.Sub(c.y)): // c says that it is below 0, or at most
		return l.computed(x.x.Min(y.x), t, false, at, from...)
	case c.op <= loops.CondLessEqual && d.Equal(c.y.Sub(c.x)):
		return l.computed(x.x.Max(y.x), t, false, at, from...)
	}
	refuse(at, "not-affine", "an integer of control by cases")
	return nil
}

// literal is a number as an element has it.
func literal(n *big.Int, t typ, at source.Span) *loops.Data {
	return &loops.Data{Op: loops.DataLiteral, Elem: t.elem, Text: n.String(), Span: at}
}

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

// has reports whether x is known to be a value of its type.
func (l *lowering) has(n need) bool {
	least, most := n.of.limits()
	return l.Nonneg(n.x.Sub(domain.BigSize(least))) && l.Nonneg(domain.BigSize(most).Sub(n.x))
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
			l.AtMost(domain.BigSize(least), need.x), l.AtMost(need.x, domain.BigSize(most))}}
		text := fmt.Sprintf("an integer of %q is a value of %s", at.Text(), need.of.text)
		l.Emit(&loops.Require{Cond: all, Text: text, Span: at})
	}
	return n.x
}

// number is a value as an integer of control.
func (l *lowering) number(v *value, at source.Span) *number {
	check(v.num != nil, at, "not-static-control", "%%%s is not made of sizes and counters", v.name)
	return v.num
}

// steered is a value that steers.
func (l *lowering) steered(v *value, at source.Span) size {
	return l.required(l.number(v, at), at)
}

// divisor is one that is known to be positive.
func (l *lowering) divisor(y *number, at source.Span) {
	check(loops.Constant(y.x) && l.Nonneg(y.x.Sub(one)) && len(y.needs) == 0, at, "not-affine",
		"a divisor that is not known to be a positive number of sizes")
}

func ceiling(x, y size) size { return loops.Negative(loops.Negative(x).Div(y)) }

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
		check(l.Nonneg(a) && l.Nonneg(b), at, "not-affine", "an operation on a negative number")
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
		a = l.Quotient(a, b)
	case "remsi", "remui":
		if l.Nonneg(a) {
			a = a.Mod(b)
		} else {
			a = a.Sub(b.Mul(l.Quotient(a, b)))
		}
	default:
		refuse(at, "unsupported-op", "%s of an integer of control", op)
	}
	return l.computed(a, t, false, at, x, y)
}

// A test is a condition on integers of control.
type test struct {
	*loops.Test
	needs []need
}

// compared is a condition on two numbers.
func (l *lowering) compared(predicate string, x, y *number, at source.Span) *test {
	a, b := x.x, y.x
	if strings.HasPrefix(predicate, "u") {
		check(l.Nonneg(a) && l.Nonneg(b), at, "not-affine", "an operation on a negative number")
		predicate = "s" + predicate[1:]
	}
	if predicate == "sgt" || predicate == "sge" {
		a, b = b, a
	}
	out := &loops.Test{X: a, Y: b}
	out.Op = map[string]loops.CondOp{"slt": loops.CondLess, "sgt": loops.CondLess,
		"sle": loops.CondLessEqual, "sge": loops.CondLessEqual, "eq": loops.CondEqual,
		"ne": loops.CondEqual}[predicate]
	if predicate == "ne" {
		out = loops.Not(out)
	}
	return &test{out, slices.Concat(x.needs, y.needs)}
}

func not(c *test) *test { return &test{loops.Not(c.Test), c.needs} }

func joined(op loops.CondOp, list ...*test) *test {
	out := &test{Test: &loops.Test{Op: op}}
	for _, c := range list {
		out.Of, out.needs = append(out.Of, c.Test), append(out.needs, c.needs...)
	}
	return out
}

// alternative is c ? x : y, where that is one integer of control whatever holds.
func (l *lowering) alternative(c *test, x, y *number, t typ, at source.Span) *number {
	out, ok := l.Choice(c.Test, x.x, y.x)
	check(ok, at, "not-affine", "an integer of control by cases")
	return l.computed(out, t, false, at, x, y, &number{needs: c.needs})
}

// literal is a number as an element has it.
func literal(n *big.Int, t typ, at source.Span) *loops.Data {
	return &loops.Data{Op: loops.DataLiteral, Elem: t.elem, Text: n.String(), Span: at}
}

package cnest

import (
	"slices"
	"strings"

	"tv/proofs/algebra"
	"tv/proofs/loops"
)

// maxCalls bounds calls of functions of the file.
const maxCalls = 1 << 10

// inline does what a function of the file does (6.5.2.2), and then has result take what it returns.
func (l *lowering) inline(n *node, f *function, result func(*node)) {
	check(!slices.Contains(l.active, f), n.at, "unknown-call", "%s calls itself", f.name)
	check(len(n.args) == len(f.params), n.at, "bad-syntax", "%s has %d parameters", f.name,
		len(f.params))
	check(n == l.alone || !l.writes(f), n.at, "unsupported-op",
		"%s writes, and is called in an expression", f.name)
	l.calls++
	check(l.calls <= maxCalls, n.at, "too-large", "more than %d calls", maxCalls)
	l.alone = nil
	outer := l.exact
	defer func() { l.exact = outer }()
	given, now := make([]*array, len(n.args)), make([]size, len(n.args))
	for i, p := range f.params {
		switch {
		case p.array && f.contract:
			a := l.memory(n.args[i])
			check(a.typ == p.typ && (p.readonly || !a.readonly) && len(p.dims) == 1 &&
				p.dims[0] == nil, n.at, "unsupported-op", "%s is an array of another type", p.name)
			given[i], a.readonly = a, p.readonly
		case p.array:
			check(!p.static, p.at, "unsupported-op", "an extent that is promised to a call")
			given[i] = l.argument(n.args[i])
		case l.steers[p]:
			now[i] = l.computed(p, n.at, func() (size, ctype) { return l.control(n.args[i]) })
		default:
			x, t := l.data(n.args[i])
			given[i] = l.hold(p.name, p.typ, convert(x, t, p.typ, n.at), n.at)
			given[i].readonly = p.readonly
		}
	}
	for i, p := range f.params {
		if given[i] == nil {
			l.now[p] = now[i]
		}
	}
	for i, p := range f.params {
		if p.array && !f.contract {
			l.arrays[p] = l.handed(n, p, given[i])
		} else if given[i] != nil {
			l.arrays[p] = given[i]
		}
	}
	l.exact = l.exact || f.contract
	l.active = append(l.active, f)
	body, value := f.split()
	l.statements(body)
	result(value)
	l.active = l.active[:len(l.active)-1]
}

// split takes a return at the end off.
func (f *function) split() ([]*stmt, *node) {
	if k := len(f.body) - 1; k >= 0 && f.body[k].op == "return" {
		return f.body[:k], f.body[k].x
	}
	return f.body, nil
}

// argument is an array, or a block that begins within one (6.3.2.1, 6.5.3.2).
func (l *lowering) argument(n *node) *array {
	down := 0
	if n.op == "addr" {
		n, down = n.args[0], 1
	} else if at := n.args; n.op == "+" && at[0].far() != nil {
		sum := &node{op: "+", args: []*node{at[0].far(), at[1]}, at: n.at}
		n, down = &node{op: "[]", args: []*node{at[0].args[0].args[0], sum}, at: n.at}, 1
	} else if n.op == "+" { // a pointer and a number (6.5.6 8)
		n, down = &node{op: "[]", args: n.args, at: n.at}, 1
	}
	a, at := l.path(n)
	rank := len(a.dims) - len(at) + down
	check(rank >= 1 && len(at) <= len(a.dims), n.at, "unsupported-op", "a pointer expected")
	if len(at) == 0 && down == 0 {
		return a
	}
	b := *a
	b.block, b.offset = true, a.flat(at)
	b.dims = append([]size{one}, a.dims[len(a.dims)-rank+1:]...)
	return &b
}

// handed is an array as the one that a parameter declares: the same, or a block of its memory.
func (l *lowering) handed(n *node, p *variable, a *array) *array {
	check(a.typ == p.typ && (p.readonly || !a.readonly) && len(a.dims) == len(p.dims), n.at,
		"unsupported-op", "%s is an array of another type", p.name)
	out := *a
	out.readonly = p.readonly
	for k, d := range p.dims {
		if d == nil {
			continue
		}
		x := l.extent(d)
		check(k == 0 || x.Equal(a.dims[k]), n.at, "unsupported-op", "%s has other extents", p.name)
	}
	return &out
}

// controlCall is a call whose result is an integer of control.
func (l *lowering) controlCall(n *node) (x size, t ctype) {
	f := l.callee(n)
	switch {
	case f != nil:
	case slices.Contains([]string{"floord", "ceild", "min", "max"}, n.text):
		return l.extremeOrQuotient(n)
	default:
		return l.rounded(n)
	}
	l.inline(n, f, func(value *node) {
		check(value != nil && f.result.isInt(), n.at, "not-static-control", "%s returns no integer",
			f.name)
		x, t = l.control(value)
		x, t = l.convert(x, t, f.result, n.at), f.result
	})
	return x, t
}

// extremeOrQuotient is a function that Pluto writes, which C has not: the least or greatest of two
// integers, or their quotient rounded down or up.
func (l *lowering) extremeOrQuotient(n *node) (size, ctype) {
	check(len(n.args) == 2, n.at, "bad-syntax", "%s has two operands", n.text)
	x, s := l.control(n.args[0])
	y, t := l.control(n.args[1])
	c := usual(s, t)
	check(c.isInt(), n.at, "not-static-control", "a float in an integer of control")
	x, y = l.convert(x, s, c, n.at), l.convert(y, t, c, n.at)
	switch n.text {
	case "min":
		return x.Min(y), c
	case "max":
		return x.Max(y), c
	}
	l.divisor(y, n.at)
	if n.text == "ceild" {
		x = loops.Negative(loops.Negative(x).Div(y))
	} else {
		x = x.Div(y)
	}
	l.require(x, c, n.at)
	return x, c
}

// rounded is floor or ceil of the quotient of two integers, which a double has exactly: a quotient
// k - 1/d is not rounded to k as long as k*d is below 2^53.
func (l *lowering) rounded(n *node) (size, ctype) {
	known := (n.text == "floor" || n.text == "ceil") && len(n.args) == 1
	check(known, n.at, "unknown-call", "%s is no function of the file", n.text)
	q := n.args[0]
	if q.op != "/" {
		x, t := l.control(q)
		return l.convert(x, t, double, n.at), double
	}
	x, s := l.control(q.args[0])
	y, t := l.control(q.args[1])
	check(usual(s, t) == double, n.at, "not-affine", "a quotient that is no double")
	x, y = l.convert(x, s, double, n.at), l.convert(y, t, double, n.at)
	l.divisor(y, n.at)
	if n.text == "floor" {
		return x.Div(y), double
	}
	return loops.Negative(loops.Negative(x).Div(y)), double
}

// dataCall is a call whose result is data.
func (l *lowering) dataCall(n *node) (*loops.Data, ctype) {
	f := l.callee(n)
	if f == nil {
		return l.maths(n)
	}
	check(f.result != void, n.at, "bad-syntax", "%s returns nothing", f.name)
	var out *array
	l.inline(n, f, func(value *node) {
		check(value != nil, n.at, "unsupported-op", "%s ends without a return", f.name)
		x, t := l.data(value)
		out = l.hold(f.name, f.result, convert(x, t, f.result, n.at), n.at)
	})
	return out.read(n.at), f.result
}

// chosen is min or max, a macro of Pluto's: x < y ? x : y, or y < x ? x : y; or abs (7.22.6.1).
func (l *lowering) chosen(n *node) (*loops.Data, ctype) {
	x, s := l.data(n.args[0])
	if n.text == "abs" {
		x = convert(x, s, integer, n.at)
		minus := l.fitting(operation(loops.DataNeg, integer, n.at, x), integer, n.at)
		return operation(loops.DataMax, integer, n.at, x, minus), integer
	}
	y, t := l.data(n.args[1])
	c := usual(s, t)
	x, y = convert(x, s, c, n.at), convert(y, t, c, n.at)
	op, v, w := loops.DataMin, x, y
	if n.text == "max" {
		op, v, w = loops.DataMax, y, x
	}
	if !c.isFloat() {
		return operation(op, c, n.at, x, y), c
	}
	less := operation(loops.DataLess, ctype{elem: algebra.Truth}, n.at, v, w)
	return operation(loops.DataChoose, c, n.at, less, x, y), c
}

// maths is a function of <math.h> (7.12).
func (l *lowering) maths(n *node) (*loops.Data, ctype) {
	if k := map[string]int{"min": 2, "max": 2, "abs": 1}[n.text]; k > 0 && k == len(n.args) {
		return l.chosen(n)
	}
	t, name := double, n.text
	if s, ok := strings.CutSuffix(name, "f"); ok && s != "er" {
		t, name = single, s
	}
	args := map[string]int{"exp": 1, "log": 1, "sqrt": 1, "erf": 1, "tanh": 1, "fmax": 2, "fmin": 2,
		"fabs": 1}
	check(args[name] > 0, n.at, "unknown-call", "%s is not known", n.text)
	check(len(n.args) == args[name], n.at, "bad-syntax", "%s has %d operands", n.text, args[name])
	out := &loops.Data{Op: loops.DataApply, Elem: t.elem, Text: name, Span: n.at}
	if args[name] == 2 {
		op := map[string]loops.DataOp{"fmax": loops.DataMax, "fmin": loops.DataMin}[name]
		out = operation(op, t, n.at)
	}
	for _, a := range n.args {
		x, s := l.data(a)
		out.Args = append(out.Args, convert(x, s, t, n.at))
	}
	if name == "fabs" { // the greater one of x and -x
		minus := operation(loops.DataNeg, t, n.at, out.Args[0])
		return operation(loops.DataMax, t, n.at, out.Args[0], minus), t
	}
	return out, t
}

// extent is one of an array: an integer of control.
func (l *lowering) extent(n *node) size {
	x, t := l.control(n)
	check(t.isInt(), n.at, "not-affine", "an extent is an integer")
	return x
}

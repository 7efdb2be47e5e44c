package tc

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// data is an element.
func (l *lowering) data(n *node) value {
	switch n.op {
	case "number":
		return number(n)
	case "name", "call", "extent":
		if l.tensors[n.text] != nil && n.op != "extent" {
			return l.read(n)
		} else if n.op == "call" {
			return l.function(n)
		}
		x := l.form(l.control(n)) // a size or index is an int32
		return made(&loops.Data{Op: loops.DataInt, Elem: int32Type, Int: x, Span: n.at})
	case "neg":
		x := l.data(n.args[0])
		if x.minus = !x.minus; x.literal != "" {
			return x
		}
		return made(operation(loops.DataNeg, x.Elem, n.at, x.Data))
	case "+", "-", "*", "/", "%":
		op := map[string]loops.DataOp{"+": loops.DataAdd, "-": loops.DataSub, "*": loops.DataMul,
			"/": loops.DataDiv, "%": loops.DataRemainder}[n.op]
		out := binary(op, l.data(n.args[0]), l.data(n.args[1]), n.at)
		check(n.op != "%" || !isFloat(out.Elem), n.at, "type-mismatch", "a remainder of floats")
		if n.op == "/" && !isFloat(out.Elem) { // it truncates
			out.Op = loops.DataQuotient
		}
		return out
	case "?:":
		return l.choice(n)
	case "let":
		return l.data(n.args[0])
	}
	refuse(n.at, "unsupported-op", "%s of data", n.op)
	return value{}
}

func made(d *loops.Data) value { return value{Data: d} }

// read is an element of a tensor.
func (l *lowering) read(n *node) value {
	b := l.tensor(n).of
	from := loops.Access{Buffer: b, Span: n.at}
	for _, a := range n.args {
		from.At = append(from.At, l.form(l.control(a)))
	}
	return made(&loops.Data{Op: loops.DataRead, Elem: b.Elem, From: from, Span: n.at})
}

// pair are two operands in their common type.
func pair(x, y value, at source.Span) (*loops.Data, *loops.Data) {
	e := x.Elem
	switch {
	case x.literal != "" && y.literal != "":
		refuse(at, "unsupported-op", "an operation on literals alone")
	case x.literal != "":
		e = y.Elem
	case y.literal == "":
		e = match(e, y.Elem, at)
	}
	return x.as(e, at), y.as(e, at)
}

// choice is x < y ? x : y and the like, or by a condition on integers one of two, and the other is
// not computed.
func (l *lowering) choice(n *node) value {
	c, x, y := n.args[0], n.args[1], n.args[2]
	if k := slices.Index([]string{"<", "<=", ">", ">="}, c.op); k >= 0 {
		straight := same(c.args[0], x) && same(c.args[1], y)
		op := loops.DataMin
		if (k < 2) != straight {
			op = loops.DataMax
		}
		if straight || same(c.args[0], y) && same(c.args[1], x) {
			return binary(op, l.data(x), l.data(y), n.at)
		}
	}
	var v, w value
	then := l.block(func() { v = l.data(x) })
	other := l.block(func() { w = l.data(y) })
	a, b := pair(v, w, n.at)
	if l.onData(c) {
		check(then == nil && other == nil, n.at, "unsupported-op", "a choice between what asks")
		return made(operation(loops.DataChoose, a.Elem, n.at, l.truth(c), a, b))
	}
	cond := l.condition(c)
	to := loops.Access{Buffer: &loops.Buffer{Name: "case", Elem: a.Elem, Span: n.at}, Span: n.at}
	l.emit(&loops.Alloc{Buffer: to.Buffer, Span: n.at})
	l.emit(&loops.If{Cond: cond, Span: n.at,
		Then: append(then, &loops.Assign{To: to, Value: a, Span: n.at}),
		Else: append(other, &loops.Assign{To: to, Value: b, Span: n.at})})
	return made(&loops.Data{Op: loops.DataRead, Elem: a.Elem, From: to, Span: n.at})
}

var (
	connected = map[string]loops.DataOp{"&&": loops.DataBoth, "||": loops.DataEither,
		"!": loops.DataNot}
	compared = map[string]loops.DataOp{"<": loops.DataLess, ">": loops.DataLess,
		"<=": loops.DataLessEqual, ">=": loops.DataLessEqual, "==": loops.DataEqual,
		"!=": loops.DataEqual}
)

// isCondition reports whether n is a condition, which is no element.
func isCondition(n *node) bool { return connected[n.op]+compared[n.op] != 0 }

// onData reports whether a condition reads tensors, or compares what is no integer.
func (l *lowering) onData(n *node) (on bool) {
	n.visit(func(n *node) {
		integers := []string{"name", "number", "extent", "let", "neg", "+", "-", "*", "/", "%"}
		read := n.op == "name" && l.tensors[n.text] != nil
		float := n.op == "number" && strings.ContainsAny(strings.ToLower(n.text), ".e")
		on = on || read || float || !isCondition(n) && !slices.Contains(integers, n.op)
	})
	return on
}

// truth is a condition on elements.
func (l *lowering) truth(n *node) *loops.Data {
	var list []*loops.Data
	if op := connected[n.op]; op != 0 {
		for _, a := range n.args {
			list = append(list, l.truth(a))
		}
		return operation(op, algebra.Truth, n.at, list...)
	}
	check(compared[n.op] != 0, n.at, "unsupported-op", "%s as a condition", n.op)
	x, y := pair(l.data(n.args[0]), l.data(n.args[1]), n.at)
	if n.op[0] == '>' {
		x, y = y, x
	}
	out := operation(compared[n.op], algebra.Truth, n.at, x, y)
	if n.op == "!=" {
		out = operation(loops.DataNot, algebra.Truth, n.at, out)
	}
	return out
}

// condition is one on integers, which surely have 32 bits.
func (l *lowering) condition(n *node) *loops.Cond {
	var list []*loops.Cond
	switch n.op {
	case "&&", "||", "!":
		for _, a := range n.args {
			list = append(list, l.condition(a))
		}
		op := map[string]loops.CondOp{"&&": loops.CondAll, "||": loops.CondAny, "!": loops.CondNot}
		return &loops.Cond{Op: op[n.op], Conds: list}
	case "<", "<=", ">", ">=", "==", "!=":
		var x, y size
		asked := l.block(func() { x, y = l.control(n.args[0]), l.control(n.args[1]) })
		check(asked == nil, n.at, "not-affine", "a condition on what may not have 32 bits")
		op := loops.CondLess
		switch n.op {
		case "==", "!=":
			op = loops.CondEqual
		case ">", "<=":
			x, y = y, x
		}
		out := l.compare(op, x, y)
		if slices.Contains([]string{"<=", ">=", "!="}, n.op) {
			out = &loops.Cond{Op: loops.CondNot, Conds: []*loops.Cond{out}}
		}
		return out
	}
	refuse(n.at, "unsupported-op", "%s as a condition", n.op)
	return nil
}

// bit is 1 where a condition holds, and else 0.
func (l *lowering) bit(c *node, e domain.Elem) value {
	number := func(text string) *node {
		return &node{op: "call", text: e.String(), at: c.at,
			args: []*node{{op: "number", text: text, at: c.at}}}
	}
	return l.choice(&node{op: "?:", at: c.at, args: []*node{c, number("1"), number("0")}})
}

func same(x, y *node) bool {
	return x.op == y.op && x.text == y.text && slices.EqualFunc(x.args, y.args, same)
}

// binary is an operation on operands in their common type.
func binary(op loops.DataOp, x, y value, at source.Span) value {
	a, b := pair(x, y, at)
	return made(operation(op, a.Elem, at, a, b))
}

var extremes = map[string]loops.DataOp{"min": loops.DataMin, "max": loops.DataMax,
	"fmin": loops.DataMin, "fmax": loops.DataMax}

// function is a call.
func (l *lowering) function(n *node) value {
	if slices.Contains(reserved[6:], n.text) && len(n.args) == 1 {
		if isCondition(n.args[0]) { // as a number it is 1 or 0
			return l.bit(n.args[0], elem(n.at, n.text))
		}
		return made(l.data(n.args[0]).into(elem(n.at, n.text), n.at))
	}
	var args []value
	for _, a := range n.args {
		args = append(args, l.data(a))
	}
	if op, known := extremes[n.text]; known && len(args) == 2 {
		out := binary(op, args[0], args[1], n.at)
		check(n.text[0] == 'm' || isFloat(out.Elem), n.at, "unsupported-op", "fmax of integers")
		return out
	}
	known := slices.Contains([]string{"exp", "log", "sqrt", "erf", "tanh", "fabs", "rsqrt"},
		n.text)
	check(known && len(args) == 1, n.at, "unsupported-op", "a call of %s with %d operands", n.text,
		len(args))
	check(args[0].literal == "" && isFloat(args[0].Elem), n.at, "unsupported-op",
		"%s of what is no float", n.text)
	if n.text == "fabs" { // the greater one of x and -x
		minus := operation(loops.DataNeg, args[0].Elem, n.at, args[0].Data)
		return made(operation(loops.DataMax, args[0].Elem, n.at, args[0].Data, minus))
	}
	d := operation(loops.DataApply, args[0].Elem, n.at, args[0].Data)
	if d.Text = strings.TrimPrefix(n.text, "r"); d.Text != n.text { // rsqrt is 1/sqrt
		one := &loops.Data{Op: loops.DataLiteral, Elem: d.Elem, Text: "1", Span: n.at}
		return made(operation(loops.DataDiv, d.Elem, n.at, one, d))
	}
	return made(d)
}

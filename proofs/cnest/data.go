package cnest

import (
	"math/big"
	"regexp"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// data is an element, with all conversions written out. What has to be done before goes to the
// statements in front.
func (l *lowering) data(n *node) (*loops.Data, ctype) {
	if x, t, ok := l.counted(n); ok {
		return x, t
	}
	switch n.op {
	case "number":
		return literal(n)
	case "name", "[]", "deref":
		if n.op == "name" && l.steers[n.v] {
			x, t := l.control(n)
			out := &loops.Data{Op: loops.DataInt, Elem: t.elem, Int: l.Integer(x), Span: n.at}
			if least, most := l.Within.Bounds(x); least != nil && most != nil {
				l.spans[out] = [2]*big.Int{least, most}
			}
			return out, t
		}
		a, t := l.access(n)
		return &loops.Data{Op: loops.DataRead, Elem: t.elem, From: a, Span: n.at}, t
	case "neg", "unary+":
		x, t := l.data(n.args[0])
		x, t = convert(x, t, t.promoted(), n.at), t.promoted()
		if n.op == "neg" {
			x = l.fitting(operation(loops.DataNeg, t, n.at, x), t, n.at)
		}
		return x, t
	case "cast":
		x, t := l.data(n.args[0])
		return convert(x, t, n.typ, n.at), n.typ
	case "?:":
		return l.choice(n)
	case "call":
		return l.dataCall(n)
	case "<", "<=", ">", ">=", "==", "!=", "&&", "||", "unary!":
		bit := func(text string) *node { return &node{op: "number", text: text, at: n.at} }
		return l.choice(&node{op: "?:", args: []*node{n, bit("1"), bit("0")}, at: n.at})
	case "unary~": // -1 - x (6.5.3.3)
		x, t := l.data(n.args[0])
		check(t.isInt(), n.at, "unsupported-op", "~ of what is no integer")
		x, t = convert(x, t, t.promoted(), n.at), t.promoted()
		one := &loops.Data{Op: loops.DataLiteral, Elem: t.elem, Text: "1", Span: n.at}
		x = operation(loops.DataNeg, t, n.at, operation(loops.DataAdd, t, n.at, one, x))
		return x, t
	case "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>":
		x, s := l.data(n.args[0])
		y, t := l.data(n.args[1])
		return l.binary(n.op, x, s, y, t, n.at)
	}
	refuse(n.at, "unsupported-op", "%s of data", n.op)
	return nil, void
}

func operation(op loops.DataOp, t ctype, at source.Span, args ...*loops.Data) *loops.Data {
	return &loops.Data{Op: op, Elem: t.elem, Args: args, Span: at}
}

// binary is an operation on operands of their common type (6.5.5, 6.5.6, 6.5.10 to 6.5.12).
// Integers wrap.
func binary(op string, x *loops.Data, s ctype, y *loops.Data, t ctype,
	at source.Span) (*loops.Data, ctype) {
	if op == "<<" || op == ">>" {
		return shift(op, x, s, y, t, at)
	}
	c := usual(s, t)
	ops := map[string]loops.DataOp{"+": loops.DataAdd, "-": loops.DataSub, "*": loops.DataMul}
	if c.isFloat() {
		ops["/"] = loops.DataDiv
	} else {
		ops["/"], ops["%"] = loops.DataQuotient, loops.DataRemainder
		ops["&"], ops["|"], ops["^"] = loops.DataBitAnd, loops.DataBitOr, loops.DataBitXor
	}
	o, known := ops[op]
	check(known && s != void && t != void, at, "unsupported-op", "%s of data", op)
	x, y = convert(x, s, c, at), convert(y, t, c, at)
	return operation(o, c, at, x, y), c
}

// integral is the integer that x spells, if it is one.
func integral(x *loops.Data) (*big.Int, bool) {
	if x.Op != loops.DataLiteral {
		return nil, false
	}
	return new(big.Int).SetString(x.Text, 10)
}

// shift is x·2^k, or x divided by it, rounded down, also of x below 0 (6.5.7, and gcc with
// -fwrapv): for a literal k below the width, or for data, at which the call may end.
func shift(op string, x *loops.Data, s ctype, y *loops.Data, t ctype,
	at source.Span) (*loops.Data, ctype) {
	k, ok := integral(y)
	check(s.isInt() && t.isInt(), at, "unsupported-op", "a shift that is not one of integers")
	s, x = s.promoted(), convert(x, s, s.promoted(), at)
	if !ok { // as x, y is in 0..width-1 if and only if it is so as what it was
		from := t.promoted()
		check(from.elem.Width <= s.elem.Width, at, "unsupported-op", "a shift by what is wider")
		o := map[string]loops.DataOp{"<<": loops.DataShiftLeft, ">>": loops.DataShift}[op]
		y = convert(convert(y, t, from, at), from, s, at)
		return operation(o, s, at, x, y), s
	}
	check(k.Sign() >= 0 && k.Cmp(big.NewInt(int64(s.elem.Width))) < 0, at, "unsupported-op",
		"a shift by less than 0, or by the width or more")
	by := &loops.Data{Op: loops.DataLiteral, Elem: s.elem, Text: k.String(), Span: at}
	if op == ">>" {
		return operation(loops.DataShift, s, at, x, by), s
	}
	power := new(big.Int).Lsh(big.NewInt(1), uint(k.Int64()))
	if by.Text = power.String(); !has(s, by.Text) { // 2^31 of an int is as -2^31
		by.Text = power.Neg(power).String()
	}
	return operation(loops.DataMul, s, at, x, by), s
}

var floatLiteral = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?)([fF]?)$`)
})

// literal is a constant (6.4.4).
func literal(n *node) (*loops.Data, ctype) {
	out := &loops.Data{Op: loops.DataLiteral, Span: n.at}
	v, t, ok := number(n)
	if ok {
		out.Text = v.String()
	} else {
		m := floatLiteral().FindStringSubmatch(n.text)
		check(m != nil && strings.ContainsAny(m[1], ".eE"), n.at, "bad-syntax", "a number expected")
		whole, power, _ := strings.Cut(strings.ToLower(m[1]), "e")
		if whole = strings.TrimSuffix(whole, "."); whole[0] == '.' {
			whole = "0" + whole
		}
		if out.Text, t = whole, double; power != "" {
			out.Text += "e" + strings.TrimPrefix(power, "+")
		}
		if m[4] != "" {
			t = single
		}
	}
	out.Elem = t.elem
	return out, t
}

// convert is a conversion (6.3.1.3 to 6.3.1.5). A constant that both types have is converted.
func convert(x *loops.Data, from, to ctype, at source.Span) *loops.Data {
	check(from != void && to != void, at, "unsupported-op", "a conversion of void")
	check(!from.isFloat() || to.isFloat(), at, "unsupported-op", "an integer made of a float")
	switch {
	case from.elem == to.elem:
		return x
	case x.Op == loops.DataLiteral && has(from, x.Text) && has(to, x.Text):
		return &loops.Data{Op: loops.DataLiteral, Elem: to.elem, Text: x.Text, Span: x.Span}
	}
	return operation(loops.DataConvert, to, at, x)
}

// has reports whether a number is surely a value of a type.
func has(t ctype, text string) bool {
	v, ok := new(big.Rat).SetString(text)
	if !ok {
		return false
	}
	exact := false
	switch {
	case t == double:
		_, exact = v.Float64()
	case t == single:
		_, exact = v.Float32()
	default:
		least, most := t.limits()
		exact = v.IsInt() && v.Num().Cmp(least) >= 0 && v.Num().Cmp(most) <= 0
	}
	return exact
}

// access is an element of an array, or a scalar.
func (l *lowering) access(n *node) (loops.Access, ctype) {
	a, at := l.path(n)
	check(len(at) == len(a.dims), n.at, "unsupported-op", "an array of %d dims by %d subscripts",
		len(a.dims), len(at))
	return loops.Access{Buffer: a.of, At: l.Integers(l.place(a, at, n.at)), Span: n.at}, a.typ
}

// path is an array and subscripts of it (6.5.2.1).
func (l *lowering) path(n *node) (a *array, at []size) {
	switch n.op {
	case "name":
		a := l.arrays[n.v]
		check(a != nil, n.at, "not-static-control", "%s is an integer of control", n.v.name)
		return a, nil
	case "[]":
		a, at = l.path(n.args[0])
		x, t := l.control(n.args[1])
		check(t.isInt(), n.at, "not-affine", "a subscript is an integer")
		return a, append(at, x)
	case "deref":
		check(n.args[0].op == "name", n.at, "unsupported-op", "arithmetic on pointers")
		a, at = l.path(n.args[0])
		return a, append(at, zero)
	}
	refuse(n.at, "unsupported-op", "%s of an array", n.op)
	return nil, nil
}

// An array is what a variable stands for: a buffer, or a block of one.
type array struct {
	of       *loops.Buffer
	typ      ctype
	readonly bool
	dims     []size // of the variable; of a block the first does not count
	block    bool
	offset   size // of the first element of a block
}

// flat is how far an element, by its first subscripts, is behind the first one in row-major order.
func (a *array) flat(at []size) (out size) {
	for k, d := range a.dims {
		if k > 0 {
			out = out.Mul(d)
		}
		if k < len(at) {
			out = out.Add(at[k])
		}
	}
	return a.offset.Add(out)
}

// place is the index in the buffer of an element of an array. In a block what is asked is that it
// lies in the buffer.
func (l *lowering) place(a *array, at []size, where source.Span) (out []size) {
	if !a.block {
		return at
	}
	x, dims := a.flat(at), a.of.Dims
	if len(dims) == 0 {
		check(x.Equal(zero), where, "unsupported-op", "a subscript of a scalar")
		return nil
	}
	out = make([]size, len(dims))
	for k := len(dims) - 1; k > 0; k-- {
		out[k], x = l.divided(x, dims[k])
	}
	out[0] = x
	return out
}

// divided is what is left of x by d, and the quotient: by terms that are multiples of d, or by the
// factor of a name that d has once, where what is left is known to be a remainder.
func (l *lowering) divided(x, d size) (rest, quotient size) {
	terms := []size{x}
	if x.Op() == domain.SizeAdd {
		terms = x.Operands()
	}
	for _, t := range terms {
		if q := t.Div(d); q.Mul(d).Equal(t) {
			quotient = quotient.Add(q)
		}
	}
	list := []size{quotient}
	for _, name := range d.Names() {
		at := func(y size, n int64) size {
			return y.Subst(map[string]size{name: domain.IntSize(n)})
		}
		if at(d, 1).Sub(at(d, 0)).Equal(one) {
			list = append(list, at(x, 1).Sub(at(x, 0)))
		}
	}
	for _, q := range list {
		if r := x.Sub(q.Mul(d)); l.Nonneg(r) && l.Nonneg(d.Sub(r).Sub(one)) {
			return r, q
		}
	}
	return x.Mod(d), x.Div(d)
}

// declare begins a buffer.
func (l *lowering) declare(name string, t ctype, dims []size, at source.Span) *array {
	b := &loops.Buffer{Name: name, Elem: t.elem, Dims: dims, Span: at}
	l.born[b] = len(l.when)
	l.Emit(&loops.Alloc{Buffer: b, Span: at})
	return &array{of: b, typ: t, dims: dims}
}

// hold keeps a value in a local of its own.
func (l *lowering) hold(name string, t ctype, x *loops.Data, at source.Span) *array {
	a := l.declare(name, t, nil, at)
	l.keep(a, x, at)
	return a
}

// keep writes to a scalar that is a local of its own.
func (l *lowering) keep(a *array, x *loops.Data, at source.Span) {
	l.Emit(&loops.Assign{To: loops.Access{Buffer: a.of, Span: at}, Value: x, Span: at})
}

func (a *array) read(at source.Span) *loops.Data {
	from := loops.Access{Buffer: a.of, Span: at}
	return &loops.Data{Op: loops.DataRead, Elem: a.typ.elem, From: from, Span: at}
}

// extreme is which one of x and y a comparison of the two chooses, the lesser or the greater, and
// else DataChoose.
func extreme(c, x, y *loops.Data) loops.DataOp {
	if c.Op == loops.DataLess || c.Op == loops.DataLessEqual {
		switch a, b := c.Args[0], c.Args[1]; {
		case loops.Same(a, x) && loops.Same(b, y):
			return loops.DataMin
		case loops.Same(a, y) && loops.Same(b, x):
			return loops.DataMax
		}
	}
	return loops.DataChoose
}

// choice is c ? x : y (6.5.15), by a condition of control or by one on data.
func (l *lowering) choice(n *node) (*loops.Data, ctype) {
	var x, y *loops.Data
	var s, t ctype
	first, second := func() { x, s = l.data(n.args[1]) }, func() { y, t = l.data(n.args[2]) }
	if !l.isControl(n.args[0]) {
		c := l.truth(n.args[0])
		l.guarded(first)
		l.guarded(second)
		to := usual(s, t)
		x, y = convert(x, s, to, n.at), convert(y, t, to, n.at)
		op, args := loops.DataChoose, []*loops.Data{c, x, y}
		if e := extreme(c, x, y); e != loops.DataChoose && to.elem.Kind != domain.ElemFloat {
			op, args = e, args[1:]
		}
		return operation(op, to, n.at, args...), to
	}
	when := l.tested(n.args[0])
	then := l.Under(when.Follows(false), first)
	other := l.Under(when.Follows(true), second)
	to := usual(s, t)
	a := l.declare("case", to, nil, n.at)
	set := func(block []loops.Stmt, v *loops.Data, from ctype) []loops.Stmt {
		v = convert(v, from, to, n.at)
		return append(block, l.Under(nil, func() { l.keep(a, v, n.at) })...)
	}
	l.Emit(&loops.If{Cond: l.Form(when), Then: set(then, x, s), Else: set(other, y, t), Span: n.at})
	return a.read(n.at), to
}

// isControl reports whether nothing of an expression is data.
func (l *lowering) isControl(n *node) bool {
	yes, masks := true, map[*node]bool{}
	walk(n, func(x *node) {
		switch x.op {
		case "&", "<<", ">>":
			_, all := complement(x)
			masks[x.args[1]] = all
			yes = yes && powered(x)
		case "|", "^", "unary~": // integers of control have none
			yes = yes && masks[x]
		case "name":
			yes = yes && l.steers[x.v]
		case "[]", "deref", "call":
			yes = yes && x.op == "call" && l.callee(x) != nil
		}
	})
	return yes
}

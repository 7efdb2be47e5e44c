package rise

import (
	"slices"
	"strconv"
	"strings"

	"tv/semantics/domain"
)

// Operations on numbers, which stand in embed.

// embed is a number that operations on numbers make of others: its operands, which keep their names
// or are the parameters of its region.
func (b *builder) embed(o *operation) *node {
	b.plain(o, " ")
	r := o.region
	check(r != nil && (!o.generic || len(r.params) == len(o.args)), o.at, "wrong-arity",
		"a region with as many parameters as operands")
	check(o.generic || len(r.params) == 0, o.at, "bad-syntax", "operands keep their names")
	var args []*node
	var types []*typ
	for _, at := range o.args {
		args = append(args, b.use(at, wrapped))
		types = append(types, args[len(args)-1].typ)
		b.inference.numbers = append(b.inference.numbers, args[len(args)-1])
	}
	b.operands(o, types, wrapped)
	n := b.closed(r, raw, func() {
		for i, at := range o.args {
			if o.generic {
				at = r.params[i].at
				b.is(r.params[i].is, types[i], raw)
				check(b.find(at.Text()) == nil, at, "redefined-name", "%s again", at.Text())
			}
			if b.scopes[len(b.scopes)-1][at.Text()] != nil { // one value, twice
				check(!o.generic, at, "redefined-name", "%s twice", at.Text())
				continue
			}
			v := &variable{name: at.Text(), typ: types[i]}
			b.scopes[len(b.scopes)-1][at.Text()] = &held{variable: v, as: raw}
			b.block.names = append(b.block.names, &param{at: at, variable: v})
			b.block.values = append(b.block.values, args[i])
		}
	})
	b.inference.numbers = append(b.inference.numbers, n)
	return n
}

// numbers is an operation on numbers. All its types are written.
func (b *builder) numbers(o *operation) *node {
	_, name, _ := strings.Cut(o.name, ".")
	b.plain(o, " ", "value", "predicate", "fastmath", "overflowFlags")
	check(o.region == nil && o.written != nil, o.at, "bad-syntax", "%s with its type", o.name)
	for _, s := range []string{"fastmath", "overflowFlags"} {
		check(o.attrs[s] == nil || o.attrs[s].text == "none", o.at, "unsupported-op", "%s", s)
	}
	to := o.written.typ
	if name == "constant" {
		return b.constant(o, to)
	}
	var args []*node
	for i, at := range o.args {
		x := b.use(at, raw)
		b.is(o.operand[i], x.typ, raw)
		args = append(args, x)
	}
	check(len(args) > 0 && len(args) < 4, o.at, "wrong-arity", "%s", o.name)
	var n *node
	of := o.operand[len(args)-1].typ // of a choice, what is chosen
	switch {
	case name == "cmpi" || name == "cmpf":
		n = b.compared(o, name == "cmpf", args)
	case name == "select":
		ok := len(args) == 3 && o.operand[0].typ == truth && of.number()
		check(ok, o.at, "type-mismatch", "a condition and two numbers")
		n = b.node("choose", o.at, of, args...)
	case len(args) == 1 && name != "negf":
		n = b.converted(o, name, args[0])
	default:
		n = b.calculated(o, name, args)
	}
	for _, w := range o.operand {
		check(name == "select" && w == o.operand[0] || w.typ.find().kind == scalar &&
			of.find().elem == w.typ.find().elem, o.at, "type-mismatch", "operands of one type")
	}
	return n
}

// constant is a number that is written.
func (b *builder) constant(o *operation, to *typ) *node {
	a := o.attrs["value"]
	check(a != nil && a.text != "" && len(o.args) == 0 && a.is != nil && to.number(), o.at,
		"bad-literal", "a number with its type")
	b.is(a.is, to, raw)
	float := to.elem.Kind == domain.ElemFloat
	check(float == strings.ContainsAny(a.text, "."), a.at, "bad-literal", "no %s", to.elem)
	n := b.spelled(a.at, a.text)
	b.unify(a.at, n.typ, to)
	return n
}

// calculations are operations of operands and a result of one type, by what they end with: i, si or
// ui of integers, f of floats.
var calculations = map[string]string{"add": "+", "sub": "-", "mul": "*", "div": "/", "neg": "~",
	"max": "max", "min": "min", "maximum": "max", "minimum": "min", "maxnum": "max",
	"minnum": "min"}

func (b *builder) calculated(o *operation, name string, args []*node) *node {
	t := o.operand[0].typ
	b.is(o.written, t, raw)
	float := t.number() && t.elem.Kind == domain.ElemFloat
	kind := ""
	for _, s := range []string{"ui", "si", "i", "f"} {
		if kind == "" && strings.HasSuffix(name, s) {
			name, kind = strings.TrimSuffix(name, s), s
		}
	}
	op := calculations[name]
	extreme := op == "max" || op == "min"
	ok := op != "" && t.number() && (len(args) == 1) == (op == "~") && len(args) < 3
	if !float {
		ok = ok && len(name) == 3 && op != "/" && op != "~" && extreme == (kind != "i")
	}
	check(ok && float == (kind == "f"), o.at, "unsupported-op",
		"the checker does not read %s of %s", o.name, t.shape(2))
	if kind != "ui" {
		return b.node(op, o.at, t, args...)
	}
	u := unsigned(t)
	for i, x := range args {
		args[i] = b.node("convert", o.at, u, x)
	}
	return b.node("convert", o.at, t, b.node(op, o.at, u, args...))
}

// converted is a number as one of another type.
func (b *builder) converted(o *operation, name string, x *node) *node {
	from, to := o.operand[0].typ, o.written.typ
	check(from.number() && to.number(), o.at, "type-mismatch", "numbers")
	float := func(t *typ) bool { return t.elem.Kind == domain.ElemFloat }
	wider := from.elem.Width < to.elem.Width
	ok := false
	switch name {
	case "extsi", "extui":
		ok = !float(from) && !float(to) && wider
	case "trunci":
		ok = !float(from) && !float(to) && from.elem.Width > to.elem.Width
	case "sitofp", "uitofp":
		ok = !float(from) && float(to)
	case "extf":
		ok = float(from) && float(to) && wider
	case "truncf":
		ok = float(from) && float(to) && from.elem.Width > to.elem.Width
	}
	check(ok, o.at, "unsupported-op", "the checker does not read %s here", o.name)
	if name == "extui" || name == "uitofp" {
		x = b.node("convert", o.at, unsigned(from), x)
	}
	return b.node("convert", o.at, to, x)
}

// unsigned is the type of integers of the same width without a sign.
func unsigned(t *typ) *typ {
	return &typ{kind: scalar, elem: domain.Elem{Kind: domain.ElemUint, Width: t.elem.Width}}
}

// The comparisons, by their numbers.
var (
	ofIntegers = strings.Fields("eq ne slt sle sgt sge ult ule ugt uge")
	ofFloats   = strings.Fields("false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno " +
		"true")
)

// compared is a comparison: of floats, with u where one is NaN, with o where none is.
func (b *builder) compared(o *operation, float bool, args []*node) *node {
	t := o.operand[0].typ
	check(o.written.typ == truth && len(args) == 2 && t.number() &&
		float == (t.elem.Kind == domain.ElemFloat), o.at, "type-mismatch", "two numbers")
	predicate := b.predicate(o, float)
	of := func(op string, args ...*node) *node { return b.node(op, o.at, truth, args...) }
	x, y := args[0], args[1]
	unordered := float && predicate[0] == 'u'
	if !float && predicate[0] == 'u' {
		u := unsigned(t)
		x, y = b.node("convert", o.at, u, x), b.node("convert", o.at, u, y)
	}
	switch predicate {
	case "eq", "oeq":
		return of("==", x, y)
	case "ne", "une":
		return of("not", of("==", x, y))
	case "one":
		return of("either", of("<", x, y), of("<", y, x))
	}
	k := slices.Index([]string{"lt", "le", "gt", "ge"}, predicate[1:])
	check(k >= 0, o.at, "unsupported-op", "the checker does not read the comparison %s", predicate)
	if k >= 2 {
		x, y = y, x
	}
	if unordered { // that y <= x, or y < x, does not hold
		return of("not", of([]string{"<=", "<"}[k%2], y, x))
	}
	return of([]string{"<", "<="}[k%2], x, y)
}

// predicate is the name of a comparison.
func (b *builder) predicate(o *operation, float bool) string {
	list := ofIntegers
	if float {
		list = ofFloats
	}
	a := o.attrs["predicate"]
	check(a != nil && a.text != "", o.at, "bad-syntax", "a comparison")
	if k, err := strconv.Atoi(a.text); err == nil && k >= 0 && k < len(list) {
		return list[k]
	}
	check(slices.Contains(list, a.text), a.at, "bad-syntax", "%s is no comparison", a.text)
	return a.text
}

// embedded is the value of an operation on numbers that only those have.
func (l *lowering) embedded(n *node, e *environment) *value {
	var args []*value
	for _, a := range n.args {
		args = append(args, l.value(a, e))
	}
	return l.scalar(func(c *context) *element {
		var all []*element
		for _, v := range args {
			all = append(all, v.scalar(c))
		}
		switch n.op {
		case "convert":
			return l.Convert(n.args[0].typ.find().elem, n.typ.find().elem, all[0])
		case "not":
			return l.Not(all[0])
		case "either":
			return l.Not(l.Both(l.Not(all[0]), l.Not(all[1])))
		}
		return l.Chosen(all[0], all[1], all[2])
	})
}

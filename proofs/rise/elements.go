package rise

import (
	"math/big"
	"strings"

	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// An environment gives variables values.
type environment struct {
	*variable
	is *value
	up *environment
}

func (e *environment) find(v *variable) *value {
	for ; e != nil; e = e.up {
		if e.variable == v {
			return e.is
		}
	}
	algebra.Fail(algebra.CodeUnsupported, "%s, where its value is not known", v.name)
	return nil
}

// value is that of an expression.
func (l *lowering) value(n *node, e *environment) *value {
	defer l.deeper()()
	switch n.op {
	case "number":
		return l.number(n)
	case "name":
		return l.name(n, e)
	case "call":
		f := l.value(n.args[0], e)
		for _, a := range n.args[1:] {
			f = f.apply(l.value(a, e))
		}
		return f
	case "let": // of a function, and what it is applied to
		return l.let(n, e)
	case "fun":
		return l.fun(n.params, n.args[0], e)
	case "block":
		for i, q := range n.params {
			e = &environment{q.variable, l.value(n.args[i], e), e}
		}
		return l.value(n.args[len(n.params)], e)
	case "pair":
		return &value{parts: &[2]*value{l.value(n.args[0], e), l.value(n.args[1], e)}}
	case "array":
		return l.listed(n, e)
	case ">>":
		f, g := l.value(n.args[0], e), l.value(n.args[1], e)
		return &value{apply: func(x *value) *value { return g.apply(f.apply(x)) }}
	case "~":
		if x := n.args[0]; x.op == "number" && n.typ.find().kind == scalar {
			return l.literal(n.typ, "-"+x.text)
		}
		return l.operation("neg", n.typ, l.value(n.args[0], e), nil)
	case "convert", "not", "either", "choose":
		return l.embedded(n, e)
	}
	x, y := l.value(n.args[0], e), l.value(n.args[1], e)
	names := map[string]string{"+": "add", "-": "sub", "*": "mult", "/": "div", "%": "mod",
		"max": "max", "min": "min"}
	if name := names[n.op]; name != "" {
		return l.operation(name, n.typ, x, y)
	}
	if n.args[0].typ.find().kind == natural {
		return l.ordered(n.op, x, y)
	}
	return l.comparison(n.op, x, y)
}

func (l *lowering) let(n *node, e *environment) *value {
	apply := func(x *value) *value { return l.value(n.args[1], e).apply(x) }
	if len(n.args) == 2 {
		return &value{apply: apply}
	}
	v := apply(l.value(n.args[2], e))
	for _, a := range n.args[3:] {
		v = v.apply(l.value(a, e))
	}
	return v
}

func (l *lowering) fun(params []*param, body *node, e *environment) *value {
	if len(params) == 0 {
		return l.value(body, e)
	}
	return &value{apply: func(x *value) *value {
		return l.fun(params[1:], body, &environment{params[0].variable, x, e})
	}}
}

// number is a literal: a place, or an element of a type.
func (l *lowering) number(n *node) *value {
	if n.typ.find().kind == scalar {
		return l.literal(n.typ, n.text)
	}
	v, _ := new(big.Int).SetString(n.text, 10)
	return l.placed(l.B.Num(algebra.BigNum(v)))
}

func (l *lowering) literal(t *typ, text string) *value {
	elem := t.find().elem
	return l.scalar(func(*context) *element { return l.Decimal(elem, text) })
}

func (l *lowering) placed(e *expr) *value {
	return &value{place: func(*context) *expr { return e }}
}

// name is the value of a variable, a pattern or a size. A place or a size may be an element.
func (l *lowering) name(n *node, e *environment) *value {
	if n.pattern != nil {
		return l.pattern(n.pattern, nil)
	}
	var v *value
	if n.of != nil {
		v = e.find(n.of)
	} else {
		v = l.placed(l.Place(domain.NamedSize(n.at.Text())))
	}
	t := n.typ.find()
	if v.place == nil || t.kind != scalar {
		return v
	}
	return l.scalar(func(c *context) *element { return l.Number(l.Elem(t.elem), v.place(c)) })
}

// pattern is one that is applied to some values, and wants others.
func (l *lowering) pattern(in *pattern, have []*value) *value {
	if in.taken && len(have) == 1 {
		have = have[0].parts[:]
	} else if in.taken || len(have) < in.arity {
		return &value{apply: func(x *value) *value {
			return l.pattern(in, append(have[:len(have):len(have)], x))
		}}
	}
	return in.state(l, in, have)
}

// listed is an array whose elements stand there one by one.
func (l *lowering) listed(n *node, e *environment) *value {
	var list []*value
	for _, a := range n.args {
		list = append(list, l.value(a, e))
	}
	t := n.typ.find()
	return l.array(t.size, func(_ *context, i *expr) *value { return l.among(t.parts[0], list, i) })
}

// among is the value at a place of a list of values of type t.
func (l *lowering) among(t *typ, list []*value, i *expr) *value {
	if len(list) == 1 {
		return list[0]
	}
	if at, number := i.Const(); number {
		if k, small := at.Int64(); small && k >= 0 && k < int64(len(list)) {
			return list[k]
		}
	}
	half := len(list) / 2
	before := l.B.AddInt(l.B.Sub(l.B.Const(int64(half)), i), -1)
	return l.either(t, before, l.among(t, list[:half], i),
		l.among(t, list[half:], l.B.AddInt(i, -int64(half))))
}

// either is x where cond >= 0, and else y.
func (l *lowering) either(t *typ, cond *expr, x, y *value) *value {
	return l.derived(t, func(c *context, _ domain.Elem, of leaf) *element {
		return l.Choose(c, cond, func(c *context) *element { return of(c, x) },
			func(c *context) *element { return of(c, y) })
	})
}

// comparison is one of two numbers.
func (l *lowering) comparison(op string, x, y *value) *value {
	names := map[string]string{"<": algebra.Less, "==": algebra.Equal, "<=": algebra.AtMost}
	switch op {
	case ">":
		return l.comparison("<", y, x)
	case ">=":
		return l.comparison("<=", y, x)
	}
	return l.scalar(func(c *context) *element {
		return l.Test(names[op], x.scalar(c), y.scalar(c))
	})
}

// ordered is a comparison of two places.
func (l *lowering) ordered(op string, x, y *value) *value {
	less := func(x, y *value, by int64) func(*context) []*expr {
		return func(c *context) []*expr {
			return []*expr{l.B.AddInt(l.B.Sub(y.place(c), x.place(c)), -by)}
		}
	}
	switch op {
	case "<":
		return &value{holds: less(x, y, 1)}
	case ">":
		return &value{holds: less(y, x, 1)}
	case "<=":
		return &value{holds: less(x, y, 0)}
	case ">=":
		return &value{holds: less(y, x, 0)}
	}
	return &value{holds: func(c *context) []*expr {
		return append(less(x, y, 0)(c), less(y, x, 0)(c)...)
	}}
}

// operation is one on elements of a type, or on places.
func (l *lowering) operation(name string, t *typ, x, y *value) *value {
	if t = t.find(); t.kind == natural {
		return &value{place: func(c *context) *expr {
			if y == nil {
				return l.B.Scale(algebra.Int(-1), x.place(c))
			}
			return l.integer(name, c, x.place(c), y.place(c))
		}}
	}
	return l.scalar(func(c *context) *element {
		if y == nil {
			return l.Neg(x.scalar(c))
		}
		return l.arithmetic(name, t.elem, x.scalar(c), y.scalar(c))
	})
}

// integer is an operation on places. What divides has to be known to be positive.
func (l *lowering) integer(name string, c *context, x, y *expr) *expr {
	switch name {
	case "add":
		return l.B.Add(x, y)
	case "sub":
		return l.B.Sub(x, y)
	case "mult", "mul":
		return l.B.Mul(x, y)
	case "min":
		return l.B.Min(c, x, y)
	case "max":
		return l.B.Max(c, x, y)
	}
	if !l.B.Nonneg(c, l.B.AddInt(y, -1)) && !l.divides(c, x, y) {
		algebra.Fail(algebra.CodeUnsupported, "a place divided by what may not be positive")
	}
	if name == "div" {
		return l.B.Div(c, x, y)
	}
	return l.B.Mod(c, x, y)
}

// divides reports whether y is not negative and divides how many values the variables in x have
// from 0 on, all together. There are such values, as x is one: so y is not 0.
func (l *lowering) divides(c *context, x, y *expr) bool {
	all := l.B.Const(1)
	for _, v := range x.Free {
		if v.Kind != algebra.KindVar {
			continue
		}
		if lo, hi := c.Bounds(v); lo.Is(0) {
			all = l.B.Mul(all, hi)
		}
	}
	if y.Is(0) || !l.B.Nonneg(c, y) {
		return false
	}
	_, rest := l.B.Divide(all, y)
	return rest.Is(0)
}

// floored is the quotient of integers that is rounded down.
const floored = "quotient, rounded down,"

// arithmetic is an operation on elements. A quotient of integers that wrap is by a positive number.
func (l *lowering) arithmetic(name string, elem domain.Elem, x, y *element) *element {
	float, sort := elem.Kind == domain.ElemFloat, l.Elem(elem)
	whole := !float && !algebra.IsReal(sort) && y.Op == algebra.OpConst && y.Val != nil &&
		y.Val.Sign() > 0
	switch {
	case name == "add":
		return l.Op2(algebra.OpAdd, x, y)
	case name == "sub":
		return l.Sub(x, y)
	case name == "mult", name == "mul":
		return l.Op2(algebra.OpMul, x, y)
	case name == "div" && float:
		return l.Op2(algebra.OpDiv, x, y)
	case name == "div" && whole:
		return l.Function(sort, floored, x, y)
	case name == "mod" && whole:
		return l.Sub(x, l.Op2(algebra.OpMul, y, l.Function(sort, floored, x, y)))
	case name == "min" && !(float && !algebra.IsReal(sort)):
		return l.Op2(algebra.OpMin, x, y)
	case name == "max" && !(float && !algebra.IsReal(sort)):
		return l.Op2(algebra.OpMax, x, y)
	}
	algebra.Fail(algebra.CodeUnsupported, "the checker does not read %s of %s here",
		strings.ToLower(name), elem)
	return nil
}

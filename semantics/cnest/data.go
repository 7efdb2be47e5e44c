package cnest

import (
	"math/big"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

var boolean = domain.Elem{Kind: domain.ElemBool, Width: 1}

// A dval is an element in its type of C. What is 0 or 1 as a bool says is an int that is converted from it.
type dval struct {
	typ ctype
	x   *loops.Expr
}

// literal is a number as an element.
func literal(t ctype, n *big.Rat, at source.Span) dval {
	return dval{t, &loops.Expr{Op: loops.Literal, Elem: t.elem(), Number: n, At: at}}
}

func apply(t ctype, op loops.Op, at source.Span, args ...*loops.Expr) dval {
	return dval{t, &loops.Expr{Op: op, Elem: t.elem(), Args: args, At: at}}
}

// convert is a conversion of C. A literal is converted here where nothing is rounded twice.
func (e *elaborator) convert(v dval, t ctype) dval {
	switch {
	case v.typ == t:
		return v
	case v.x.Op == loops.Literal && v.typ.family == integer:
		n := v.x.Number
		if lo, hi := t.limits(); t.family == integer && (n.Num().Cmp(lo) < 0 || n.Num().Cmp(hi) > 0) {
			break
		}
		return literal(t, n, v.x.At)
	case v.x.Op == loops.Literal && v.typ.has(v.x.Number) && t.has(v.x.Number):
		return literal(t, v.x.Number, v.x.At)
	}
	return apply(t, loops.Convert, v.x.At, v.x)
}

// element returns an expression as an element.
func (e *elaborator) element(x *expr) dval {
	if v, ok := e.counted(x); ok {
		return v
	}
	switch x.op {
	case opName:
		return e.scalar(x)
	case opNumber:
		return literal(x.typ, x.num, x.span)
	case opSpecial:
		return dval{x.typ, &loops.Expr{Op: loops.Special, Elem: x.typ.elem(), Name: x.name, At: x.span}}
	case opIndex, opContent:
		a, t := e.access(x)
		return dval{t, loops.Element(a)}
	case opCast:
		return e.convert(e.element(x.args[0]), x.typ)
	case opCall:
		if x.call != nil {
			return e.inline(x)
		}
		return e.maths(x)
	case opAddress:
		fail(x.span, "unsupported-op", "%s: an address is an argument of a function, and no number", show(x.span))
	case "?:":
		return e.choice(x)
	case "<", "<=", ">", ">=", "==", "!=", "&&", "||", "!":
		b := e.bare(x)
		return dval{intType, &loops.Expr{Op: loops.Convert, Elem: intType.elem(), Args: []*loops.Expr{b}, At: x.span}}
	}
	if len(x.args) == 1 {
		return e.signed(x)
	}
	return e.arithmetic(x, x.op, e.element(x.args[0]), e.element(x.args[1]))
}

// counted is an operation on sizes, counters and constants as an element: the integer that it is, where that and all on the way
// to it surely lie in their types. ok is false of all else, which wraps.
func (e *elaborator) counted(x *expr) (v dval, ok bool) {
	switch x.op {
	case "+", "-", "*", "/", "%", "&", "<<", ">>":
	default:
		return dval{}, false
	}
	for _, a := range x.args { // in long sums of data this tells at once
		if leaf := a.op == opName || a.op == opIndex || a.op == opContent; leaf && !controls(a) {
			return dval{}, false
		}
	}
	if e.taken || e.loose || !controls(x) {
		return dval{}, false
	}
	var n cval
	var err *source.Error
	e.scratch(func() {
		err = attempt(func() { n = e.controlled(x) })
		ok = err == nil && len(e.cur.stmts) == 0
	})
	if !ok {
		return dval{}, false
	}
	if c, constant := n.constant(); constant && n.typ.family == integer {
		return literal(n.typ, new(big.Rat).SetInt(c), x.span), true
	}
	if n.x == nil || n.typ.family != integer {
		return dval{}, false
	}
	v = dval{n.typ, &loops.Expr{Op: loops.FromInt, Elem: n.typ.elem(), Int: n.x, At: x.span}}
	e.ranges[v.x] = interval{n.lo, n.hi}
	return v, true
}

// scalar is a name as an element: an integer of control has its value, in its type.
func (e *elaborator) scalar(x *expr) dval {
	s := x.sym
	switch {
	case s.array:
		fail(x.span, "unsupported-op", "%s is an array and no number", s.name)
	case s.control:
		v := e.standing(x)
		out := dval{s.typ, &loops.Expr{Op: loops.FromInt, Elem: s.typ.elem(), Int: e.whole(v), At: x.span}}
		e.ranges[out.x] = interval{v.lo, v.hi}
		return out
	case e.fixed[s].x != nil:
		return e.fixed[s]
	case e.data[s] == nil:
		fail(x.span, "", "")
	}
	return dval{s.typ, loops.Element(loops.Access{Buffer: e.data[s], Where: x.span})}
}

// signed is an operator of one operand.
func (e *elaborator) signed(x *expr) dval {
	v := e.element(x.args[0])
	v = e.convert(v, v.typ.promoted())
	switch {
	case x.op == "+":
		return v
	case x.op == "-":
		return e.overflowing(apply(v.typ, loops.Negate, x.span, v.x))
	case v.typ.family != integer:
		fail(x.span, "unsupported-op", "~ of a %s", v.typ)
	}
	return apply(v.typ, loops.BitNot, x.span, v.x)
}

// arithmeticOps are operators of two numbers of one type.
var arithmeticOps = map[string]loops.Op{"+": loops.Add, "-": loops.Sub, "*": loops.Mul, "/": loops.Div, "%": loops.Rem,
	"&": loops.BitAnd, "|": loops.BitOr, "^": loops.BitXor}

// arithmetic is an operator of two operands, which are converted first.
func (e *elaborator) arithmetic(x *expr, op string, a, b dval) dval {
	if op == "<<" || op == ">>" {
		t := a.typ.promoted()
		if a.typ.family != integer || b.typ.family != integer {
			fail(x.span, "unsupported-op", "%s of %s and %s", op, a.typ, b.typ)
		}
		b = e.convert(b, b.typ.promoted())
		return e.overflowing(apply(t, map[string]loops.Op{"<<": loops.ShiftLeft, ">>": loops.ShiftRight}[op], x.span,
			e.convert(a, t).x, b.x))
	}
	t := usual(a.typ, b.typ)
	if t.family == floating && strings.Contains("%&|^", op) {
		fail(x.span, "unsupported-op", "%s of %s and %s", op, a.typ, b.typ)
	}
	if e.taken && op == "*" { // by a literal 1 that is handed over nothing changes
		for k, v := range []dval{a, b} {
			if v.x.Op == loops.Literal && v.x.Number.Cmp(big.NewRat(1, 1)) == 0 {
				return e.convert([]dval{b, a}[k], t)
			}
		}
	}
	return e.overflowing(apply(t, arithmeticOps[op], x.span, e.convert(a, t).x, e.convert(b, t).x))
}

// truth is the condition of an if or a ?:, of type bool. A part of it that is a condition on control is that.
func (e *elaborator) truth(x *expr) *loops.Expr {
	if c, ok := e.decidable(x); ok {
		return e.holds(c, x.span)
	}
	return e.compared(x, e.truth)
}

// bare is what 0 or 1 says, of type bool: all in it is data.
func (e *elaborator) bare(x *expr) *loops.Expr { return e.compared(x, e.bare) }

// compared is an expression as a condition on data, of type bool; operands of && and || are what part makes of them.
func (e *elaborator) compared(x *expr, part func(*expr) *loops.Expr) *loops.Expr {
	switch x.op {
	case "&&", "||":
		return e.either(x, part)
	case "!":
		v := e.element(x.args[0])
		return comparison(loops.IsEqual, x.span, v.x, zero(v))
	case "<", "<=", ">", ">=", "==", "!=":
		a, b := e.element(x.args[0]), e.element(x.args[1])
		t := usual(a.typ, b.typ)
		y, z := e.convert(a, t).x, e.convert(b, t).x
		if strings.HasPrefix(x.op, ">") {
			y, z = z, y
		}
		op := map[string]loops.Op{"<": loops.IsLess, ">": loops.IsLess, "<=": loops.IsLessEqual, ">=": loops.IsLessEqual,
			"==": loops.IsEqual, "!=": loops.IsNotEqual}[x.op]
		return comparison(op, x.span, y, z)
	}
	v := e.element(x)
	if v.x.Op == loops.Convert && v.x.Args[0].Elem == boolean {
		return v.x.Args[0]
	}
	return comparison(loops.IsNotEqual, x.span, v.x, zero(v))
}

func comparison(op loops.Op, at source.Span, a, b *loops.Expr) *loops.Expr {
	return &loops.Expr{Op: op, Elem: boolean, Args: []*loops.Expr{a, b}, At: at}
}

func zero(v dval) *loops.Expr { return literal(v.typ, new(big.Rat), v.x.At).x }

// either is && or ||, whose second operand is evaluated if need be alone.
func (e *elaborator) either(x *expr, part func(*expr) *loops.Expr) *loops.Expr {
	first := part(x.args[0])
	fixed := func() dval { return literal(intType, big.NewRat(0, 1), x.span) }
	if x.op == "||" {
		fixed = func() dval { return literal(intType, big.NewRat(1, 1), x.span) }
	}
	second := func() dval {
		b := part(x.args[1])
		if n := b.Args[0]; b.Op == loops.IsNotEqual && n.Op == loops.FromInt && n.Int.Op == loops.Choose { // see holds
			return dval{intType, n}
		}
		return dval{intType, &loops.Expr{Op: loops.Convert, Elem: intType.elem(), Args: []*loops.Expr{b}, At: x.args[1].span}}
	}
	then, other := second, fixed
	if x.op == "||" {
		then, other = fixed, second
	}
	v := e.oneOf(first, then, other, intType, x.span)
	return comparison(loops.IsNotEqual, x.span, v.x, zero(v))
}

// choice is ?:. Where sizes and counters decide, a local gets the one that is taken, by an If: what the other would access is
// no condition on sizes then.
func (e *elaborator) choice(x *expr) dval {
	if !e.cur.when {
		if c, ok := e.decidable(x.args[0]); ok {
			to := loops.Access{Buffer: e.buffer("if", x.typeOf(), nil, x.span), Where: x.span}
			taken := func(arg *expr) []loops.Stmt {
				return e.inside(false, func() { e.assign(to, e.convert(e.element(arg), x.typeOf()).x, arg.span) }).stmts
			}
			e.branch(c, taken(x.args[1]), taken(x.args[2]), x.span)
			return dval{x.typeOf(), loops.Element(to)}
		}
	}
	c := e.truth(x.args[0])
	then, other := func() dval { return e.element(x.args[1]) }, func() dval { return e.element(x.args[2]) }
	if value, known := settled(c); known && value {
		return e.convert(then(), x.typeOf())
	} else if known {
		return e.convert(other(), x.typeOf())
	}
	return e.oneOf(c, then, other, x.typeOf(), x.span)
}

// oneOf is one of two values, which alone is computed. Where computing one takes statements, so does the choice.
func (e *elaborator) oneOf(c *loops.Expr, then, other func() dval, t ctype, at source.Span) dval {
	var a, b dval
	first := e.inside(true, func() { a = e.convert(then(), t) })
	second := e.inside(true, func() { b = e.convert(other(), t) })
	if len(first.stmts)+len(second.stmts) == 0 {
		if op, ok := loops.Extreme(c, a.x, b.x); ok {
			return apply(t, op, at, a.x, b.x)
		}
		return apply(t, loops.Choice, at, c, a.x, b.x)
	}
	to := loops.Access{Buffer: e.buffer("if", t, nil, at), Where: at}
	e.emit(&loops.When{Cond: c, At: at,
		Then: append(first.stmts, &loops.Assign{To: to, Value: a.x, At: at}),
		Else: append(second.stmts, &loops.Assign{To: to, Value: b.x, At: at})})
	return dval{t, loops.Element(to)}
}

// maths is a call of a function that no file defines.
func (e *elaborator) maths(x *expr) dval {
	var args []dval
	for _, a := range x.args {
		args = append(args, e.element(a))
	}
	if isIntrinsic(x.name) {
		return e.extremeOf(x, args[0], args[1])
	}
	if x.name == "abs" {
		return e.overflowing(apply(intType, loops.Absolute, x.span, e.convert(args[0], intType).x))
	}
	t, name := doubleType, x.name
	if _, ok := mathFunctions[name]; !ok {
		t, name = floatType, strings.TrimSuffix(name, "f")
	}
	var list []*loops.Expr
	for _, a := range args {
		list = append(list, e.convert(a, t).x)
	}
	op := map[string]loops.Op{"fabs": loops.Absolute, "fmin": loops.MinNum, "fmax": loops.MaxNum}[name]
	if op != 0 {
		return apply(t, op, x.span, list...)
	}
	v := apply(t, loops.Function, x.span, list...)
	v.x.Name = name
	return v
}

// extremeOf is min, max, floord or ceild of data. Of floats min is x < y ? x : y, as macros have it.
func (e *elaborator) extremeOf(x *expr, a, b dval) dval {
	t := usual(a.typ, b.typ)
	y, z := e.convert(a, t).x, e.convert(b, t).x
	switch {
	case t.family == integer:
		op := map[string]loops.Op{"min": loops.Minimum, "max": loops.Maximum, "floord": loops.DivDown,
			"ceild": loops.DivUp}[x.name]
		return apply(t, op, x.span, y, z)
	case x.name == "min":
		return apply(t, loops.Choice, x.span, comparison(loops.IsLess, x.span, y, z), y, z)
	case x.name == "max":
		return apply(t, loops.Choice, x.span, comparison(loops.IsLess, x.span, z, y), y, z)
	}
	fail(x.span, "unsupported-op", "%s of %s and %s", x.name, a.typ, b.typ)
	return dval{}
}

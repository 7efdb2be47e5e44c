package tc

import (
	"fmt"
	"math/big"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// functions are those that may be called, with their numbers of operands; those of math.h with f behind their names too.
var functions = map[string]int{"exp": 1, "log": 1, "sqrt": 1, "rsqrt": 1, "erf": 1, "pow": 2, "sin": 1, "cos": 1, "tan": 1, "tanh": 1,
	"floor": 1, "ceil": 1, "round": 1, "trunc": 1, "fma": 3, "fabs": 1, "fmin": 2, "fmax": 2, "min": 2, "max": 2}

// baseName is the name of a function without the f of float.
func baseName(name string) string {
	base := strings.TrimSuffix(name, "f")
	if _, ok := functions[name]; ok || base == "min" || base == "max" {
		return name
	}
	return base
}

// element returns an expression as an element.
func (c *scope) element(x *expr) element {
	switch x.op {
	case opNumber:
		return element{literal: x, num: x.num, at: x.span}
	case opName:
		t := int32s
		if s := c.sizes[x.name]; s != nil {
			t = s.elem
		}
		return c.counted(domain.NamedSize(x.name), t, x.span)
	case opExtent:
		return c.counted(c.tensors[x.name].dims[x.axis], int32s, x.span)
	case opApply:
		if t := c.tensors[x.name]; t != nil {
			return element{elem: t.buffer.Elem, x: loops.Element(c.access(x)), at: x.span}
		}
		return c.call(x)
	case opCast:
		if c.steers(x.args[0]) && x.typ != boolean { // as a number it is 1 or 0, which divides the statement
			bit := func(n int64) *expr {
				return &expr{op: opCast, typ: x.typ, args: []*expr{{op: opNumber, num: big.NewRat(n, 1), span: x.span}}, span: x.span}
			}
			return at(c.choice(&expr{op: "?:", args: []*expr{x.args[0], bit(1), bit(0)}, span: x.span}), x.span)
		}
		return at(c.element(x.args[0]).settled().converted(x.typ), x.span)
	case "?:":
		return c.choice(x)
	case "&&", "||":
		return c.either(x)
	case "!":
		v := c.truth(x.args[0])
		return applied(boolean, loops.BitNot, x.span, v)
	}
	if len(x.args) == 1 {
		return c.negated(x)
	}
	a, b := c.element(x.args[0]), c.element(x.args[1])
	return c.arithmetic(x.op, a, b, x.span)
}

// at is an element at another place, for messages.
func at(v element, where source.Span) element {
	v.at = where
	return v
}

// counted is an integer of control as an element.
func (c *scope) counted(s domain.Size, t domain.Elem, at source.Span) element {
	return element{elem: t, x: &loops.Expr{Op: loops.FromInt, Elem: t, Int: c.integer(s, at), At: at}, at: at}
}

func (c *scope) negated(x *expr) element {
	v := c.element(x.args[0])
	if v.literal != nil {
		v.num, v.at = new(big.Rat).Neg(v.num), x.span
		return v
	}
	if v.elem == boolean {
		fail(x.span, "type-mismatch", "- of a bool: convert it, as in int32(...)")
	}
	return applied(v.elem, loops.Negate, x.span, v.x)
}

// comparisons have the operands of > and >= exchanged.
var comparisons = map[string]loops.Op{"<": loops.IsLess, ">": loops.IsLess, "<=": loops.IsLessEqual, ">=": loops.IsLessEqual,
	"==": loops.IsEqual, "!=": loops.IsNotEqual}

// arithmetic is an operator of two operands, which are matched.
func (c *scope) arithmetic(op string, a, b element, at source.Span) element {
	t, x, y := pair(a, b)
	if compare, ok := comparisons[op]; ok {
		if strings.HasPrefix(op, ">") {
			x, y = y, x
		}
		return applied(boolean, compare, at, x, y)
	}
	code := map[string]loops.Op{"+": loops.Add, "-": loops.Sub, "*": loops.Mul, "/": loops.Div, "%": loops.Rem,
		"min": loops.Minimum, "max": loops.Maximum}[op]
	isFloat := t.Kind == domain.ElemFloat
	switch {
	case t == boolean:
		fail(at, "type-mismatch", "%s of bools: convert them, as in int32(...)", op)
	case isFloat && op == "%":
		fail(at, "type-mismatch", "%% of a %s", t)
	case isFloat && op == "min":
		code = loops.MinNum
	case isFloat && op == "max":
		code = loops.MaxNum
	}
	return applied(t, code, at, x, y)
}

// call is one of a function. Those of math.h are computed in float64 if an operand is of that type, otherwise in float32.
func (c *scope) call(x *expr) element {
	var args []element
	t := domain.Float32
	for _, a := range x.args {
		v := c.element(a)
		args = append(args, v)
		if v.literal == nil && v.elem.Kind == domain.ElemFloat {
			t = matched(t, v.elem)
		}
	}
	name := baseName(x.name)
	if name == "min" || name == "max" {
		return c.arithmetic(name, args[0], args[1], x.span)
	}
	if name != x.name {
		t = domain.Float32
	}
	var list []*loops.Expr
	for _, v := range args {
		list = append(list, v.beside(element{elem: t}).converted(t).x)
	}
	op := map[string]loops.Op{"fabs": loops.Absolute, "fmin": loops.MinNum, "fmax": loops.MaxNum}[name]
	if op != 0 {
		return applied(t, op, x.span, list...)
	}
	v := applied(t, loops.Function, x.span, list...)
	if v.x.Name = name; name == "rsqrt" { // of CUDA: 1/sqrt(x)
		v.x.Name = "sqrt"
		return applied(t, loops.Div, x.span, literalOf(t, big.NewRat(1, 1), x.span).x, v.x)
	}
	return v
}

// truth is a bool.
func (c *scope) truth(x *expr) *loops.Expr {
	v := c.element(x).settled()
	if v.elem != boolean {
		fail(x.span, "type-mismatch", "%s is of type %s, where a bool is wanted", show(x.span), v.elem)
	}
	return v.x
}

// either is && or ||, whose second operand is computed if need be alone.
func (c *scope) either(x *expr) element {
	a, b := c.truth(x.args[0]), c.truth(x.args[1])
	if x.op == "&&" {
		return applied(boolean, loops.Choice, x.span, a, b, literalOf(boolean, new(big.Rat), x.span).x)
	}
	return applied(boolean, loops.Choice, x.span, a, literalOf(boolean, big.NewRat(1, 1), x.span).x, b)
}

// choice is ?:, one of whose values alone is computed. A condition on indices and sizes divides the statement.
func (c *scope) choice(x *expr) element {
	cond := x.args[0]
	if !c.steers(cond) {
		return c.oneOf(c.truth(cond), x)
	}
	var key strings.Builder
	cond.key(&key)
	holds, ok := c.fixed[key.String()]
	switch {
	case ok:
		c.inside(func() { c.truth(cond) }) // it is a bool
		a, b := c.branch(x.args[1], !holds), c.branch(x.args[2], holds)
		a, b = a.beside(b), b.beside(a)
		t := matched(a.elem, b.elem)
		if holds {
			return a.converted(t)
		}
		return b.converted(t)
	case c.dry || len(c.fixed) >= maxDecided || c.value.weight<<len(c.fixed) > maxCopies:
		return c.oneOf(c.truth(cond), x)
	}
	c.inside(func() { c.truth(cond) })
	panic(undecided{key.String(), cond})
}

// branch is a value of ?:; of one that is not computed the type alone counts.
func (c *scope) branch(x *expr, dry bool) (v element) {
	if !dry {
		return c.element(x)
	}
	defer func(before bool) { c.dry = before }(c.dry)
	c.dry = true
	c.inside(func() { v = c.element(x) })
	return v
}

func (c *scope) oneOf(cond *loops.Expr, x *expr) element {
	t, a, b := pair(c.element(x.args[1]), c.element(x.args[2]))
	return applied(t, loops.Choice, x.span, cond, a, b)
}

// key writes what equal expressions have in common, and no others.
func (x *expr) key(b *strings.Builder) {
	fmt.Fprintf(b, "(%s %s %d", x.op, x.name, x.axis)
	if x.num != nil {
		b.WriteString(x.num.RatString())
	}
	b.WriteString(x.typ.String())
	for _, a := range x.args {
		a.key(b)
	}
	b.WriteByte(')')
}

// condition returns a condition on integers of control.
func (c *scope) condition(x *expr) *loops.Cond {
	switch x.op {
	case "&&", "||":
		op := map[string]loops.CondOp{"&&": loops.All, "||": loops.Any}[x.op]
		return &loops.Cond{Op: op, Conds: []*loops.Cond{c.condition(x.args[0]), c.condition(x.args[1])}, At: x.span}
	case "!":
		return &loops.Cond{Op: loops.None, Conds: []*loops.Cond{c.condition(x.args[0])}, At: x.span}
	}
	a := c.integer(c.size(x.args[0], c.fits), x.args[0].span)
	b := c.integer(c.size(x.args[1], c.fits), x.args[1].span)
	switch x.op {
	case ">", ">=":
		a, b = b, a
	}
	switch x.op {
	case "<", ">":
		return &loops.Cond{Op: loops.Less, A: a, B: b, At: x.span}
	case "<=", ">=":
		return &loops.Cond{Op: loops.LessEqual, A: a, B: b, At: x.span}
	}
	same := &loops.Cond{Op: loops.Equal, A: a, B: b, At: x.span}
	if x.op == "!=" {
		return &loops.Cond{Op: loops.None, Conds: []*loops.Cond{same}, At: x.span}
	}
	return same
}

package cnest

import (
	"math/big"

	"tv/internal/source"
	"tv/semantics/loops"
)

// condition returns a condition on integers of control. What its operands require is required where they are evaluated: a
// second operand of && only where the first holds.
func (e *elaborator) condition(x *expr) *loops.Cond {
	c := e.bareCondition(x)
	if c.At.File == nil {
		c.At = x.span
	}
	return c
}

func (e *elaborator) bareCondition(x *expr) *loops.Cond {
	switch x.op {
	case "&&", "||":
		first := e.condition(x.args[0])
		way, op := first, loops.All
		if x.op == "||" {
			way, op = loops.Not(first), loops.Any
		}
		var second *loops.Cond
		b := e.inside(e.cur.when, func() { second = e.condition(x.args[1]) })
		if len(b.stmts) > 0 {
			e.branch(way, b.stmts, nil, x.span)
		}
		return &loops.Cond{Op: op, Conds: []*loops.Cond{first, second}}
	case "!":
		return loops.Not(e.condition(x.args[0]))
	case "<", "<=", ">", ">=", "==", "!=":
		a, b, _ := e.operands(x)
		return relation(x.op, e.whole(a), e.whole(b))
	}
	return loops.Not(&loops.Cond{Op: loops.Equal, A: e.whole(e.controlled(x)), B: loops.Num(0)})
}

// relation compares two Ints.
func relation(op string, a, b *loops.Int) *loops.Cond {
	switch op {
	case ">", ">=":
		a, b = b, a
	}
	switch op {
	case "<", ">":
		return &loops.Cond{Op: loops.Less, A: a, B: b}
	case "<=", ">=":
		return &loops.Cond{Op: loops.LessEqual, A: a, B: b}
	}
	c := &loops.Cond{Op: loops.Equal, A: a, B: b}
	if op == "!=" {
		return loops.Not(c)
	}
	return c
}

// truthValue is ?:, or what is 1 or 0 as a condition says.
func (e *elaborator) truthValue(x *expr) cval {
	if x.op != "?:" {
		c := e.condition(x)
		if value, known := decided(c); known && value {
			return constantOf(intType, big.NewInt(1))
		} else if known {
			return constantOf(intType, new(big.Int))
		}
		return cval{typ: intType, x: e.choose(c, loops.Num(1), loops.Num(0)), lo: new(big.Int), hi: big.NewInt(1)}
	}
	c := e.condition(x.args[0])
	var a, b cval
	t := x.typeOf()
	if value, known := decided(c); known && value {
		return e.fit(e.controlled(x.args[1]), t, x.args[1].span, "")
	} else if known {
		return e.fit(e.controlled(x.args[2]), t, x.args[2].span, "")
	}
	then := e.inside(e.cur.when, func() { a = e.fit(e.controlled(x.args[1]), t, x.args[1].span, "") })
	other := e.inside(e.cur.when, func() { b = e.fit(e.controlled(x.args[2]), t, x.args[2].span, "") })
	if len(then.stmts)+len(other.stmts) > 0 {
		e.branch(c, then.stmts, other.stmts, x.span)
	}
	return cval{typ: t, x: e.choose(c, e.whole(a), e.whole(b)), lo: lesser(a.lo, b.lo), hi: greater(a.hi, b.hi)}
}

// holds is a condition on integers of control as an element: of type bool.
func (e *elaborator) holds(c *loops.Cond, at source.Span) *loops.Expr {
	one := &loops.Int{Op: loops.Choose, Cond: c, Args: []*loops.Int{loops.Num(1), loops.Num(0)}, At: at}
	is := &loops.Expr{Op: loops.FromInt, Elem: intType.elem(), Int: one, At: at}
	zero := &loops.Expr{Op: loops.Literal, Elem: intType.elem(), Number: new(big.Rat), At: at}
	return &loops.Expr{Op: loops.IsNotEqual, Elem: boolean, Args: []*loops.Expr{is, zero}, At: at}
}

// decidable returns a condition on control, if x is one in a form that control can have: without products of counters.
func (e *elaborator) decidable(x *expr) (c *loops.Cond, ok bool) {
	if !controls(x) {
		return nil, false
	}
	try := func() *source.Error { return attempt(func() { c = e.condition(x) }) }
	var err *source.Error
	e.scratch(func() { err = try() })
	if err != nil && err.Code == "not-affine" {
		return nil, false
	}
	return e.condition(x), true
}

package cnest

import (
	"slices"

	"tv/proofs/algebra"
	"tv/proofs/loops"
)

// guarded does what is executed or not as data says.
func (l *lowering) guarded(do func()) {
	l.unsure++
	do()
	l.unsure--
}

var tests = map[string]loops.DataOp{"&&": loops.DataBoth, "||": loops.DataEither,
	"<": loops.DataLess, "<=": loops.DataLessEqual, ">": loops.DataLess,
	">=": loops.DataLessEqual, "==": loops.DataEqual, "!=": loops.DataEqual}

// truth is whether an expression is not 0 (6.5.3.3, 6.5.8, 6.5.9, 6.5.13, 6.5.14).
func (l *lowering) truth(n *node) *loops.Data {
	out := &loops.Data{Op: tests[n.op], Elem: algebra.Truth, Span: n.at}
	switch n.op {
	case "&&", "||":
		out.Args = []*loops.Data{l.truth(n.args[0]), nil}
		l.guarded(func() { out.Args[1] = l.truth(n.args[1]) })
		return out
	case "unary!":
		return negation(l.truth(n.args[0]))
	case "<", "<=", ">", ">=", "==", "!=":
		x, s := l.data(n.args[0])
		y, t := l.data(n.args[1])
		c := usual(s, t)
		out.Args = []*loops.Data{convert(x, s, c, n.at), convert(y, t, c, n.at)}
		if n.op[0] == '>' {
			slices.Reverse(out.Args)
		}
		if n.op == "!=" {
			return negation(out)
		}
		return out
	}
	x, t := l.data(n)
	check(t != void, n.at, "bad-syntax", "a condition that is no number")
	zero := &loops.Data{Op: loops.DataLiteral, Elem: t.elem, Text: "0", Span: n.at}
	out.Op, out.Args = loops.DataEqual, []*loops.Data{x, zero}
	return negation(out)
}

func negation(c *loops.Data) *loops.Data {
	return &loops.Data{Op: loops.DataNot, Elem: algebra.Truth, Args: []*loops.Data{c}, Span: c.Span}
}

// conditional is what an element is assigned where data decides whether it is: else what it is. A
// local that was declared under a condition nothing reads where that does not hold.
func (l *lowering) conditional(to loops.Access, x *loops.Data, t ctype) *loops.Data {
	for _, c := range slices.Backward(l.when[l.born[to.Buffer]:]) {
		l.asked[c] = true
		old := &loops.Data{Op: loops.DataRead, Elem: t.elem, From: to, Span: to.Span}
		x = operation(loops.DataChoose, t, to.Span, c, x, old)
	}
	return x
}

// decide is an if by a condition on data: every assignment in it is a choice. The condition is kept
// as it was where something is written that it reads, and it is asked for again.
func (l *lowering) decide(s *stmt) {
	c := l.truth(s.x)
	held := &loops.Buffer{Name: "condition", Elem: algebra.Truth, Span: s.at}
	place := loops.Access{Buffer: held, Span: s.at}
	asked := false
	block := l.Under(nil, func() {
		for k, list := range [][]*stmt{s.body, s.rest} {
			when := c
			if k == 1 {
				when = negation(c)
			}
			born := l.written(s, k == 0)
			l.when = append(l.when, when)
			l.guarded(func() { l.statements(list) })
			l.when = l.when[:len(l.when)-1]
			asked = asked || l.asked[when]
			for b, n := range born {
				l.born[b] = n
			}
		}
	})
	// What nothing is chosen by may end the call all the same, and would be lost.
	check(asked, s.at, "certificate-unsupported", "a condition that decides nothing")
	if stale(c, block) {
		first := *c
		*c = loops.Data{Op: loops.DataRead, Elem: algebra.Truth, From: place, Span: s.at}
		l.born[held] = len(l.when)
		l.Emit(&loops.Alloc{Buffer: held, Span: s.at})
		l.Emit(&loops.Assign{To: place, Value: &first, Span: s.at})
	}
	*l.Out = append(*l.Out, block...)
}

// written are locals of here that the second branch of an if surely writes before it reads them:
// what the first leaves in them where it is not executed does not matter. It returns where they
// were declared.
func (l *lowering) written(s *stmt, first bool) map[*loops.Buffer]int {
	out := map[*loops.Buffer]int{}
	for v := range assigned(s.body) {
		a := l.arrays[v]
		if first && a != nil && !v.array && l.born[a.of] == len(l.when) && surely(s.rest, v) {
			out[a.of] = l.born[a.of]
			l.born[a.of] = len(l.when) + 1
		}
	}
	return out
}

// surely reports whether statements write a variable, in any case, before they read it.
func surely(list []*stmt, v *variable) bool {
	mentions := func(n *node) (yes bool) {
		walk(n, func(n *node) { yes = yes || n.v == v })
		return yes
	}
	for _, s := range list {
		n := s.x
		switch {
		case s.op == "do" && n.op == "=" && n.args[0].v == v:
			return !mentions(n.args[1])
		case s.op == "block" && surely(s.body, v),
			s.op == "if" && !mentions(n) && surely(s.body, v) && surely(s.rest, v):
			return true
		}
		read := false
		expressions([]*stmt{s}, func(_ *stmt, n *node) { read = read || n.v == v })
		if read {
			return false
		}
	}
	return false
}

// stale reports whether a condition reads what is written in a block in front of the last statement
// of it that asks for the condition.
func stale(c *loops.Data, block []loops.Stmt) bool {
	var list []*loops.Assign
	var visit func([]loops.Stmt)
	visit = func(block []loops.Stmt) {
		for _, s := range block {
			switch s := s.(type) {
			case *loops.Assign:
				list = append(list, s)
			case *loops.If:
				visit(s.Then)
				visit(s.Else)
			}
		}
	}
	visit(block)
	for i, s := range list {
		if i < len(list)-1 && reads(c, s.To.Buffer) {
			return true
		}
	}
	return false
}

func reads(d *loops.Data, b *loops.Buffer) bool {
	return d.Op == loops.DataRead && d.From.Buffer == b ||
		slices.ContainsFunc(d.Args, func(a *loops.Data) bool { return reads(a, b) })
}

package cnest

import (
	"slices"

	"tv/semantics/loops"
)

// Subscripts and ends of loops that are one of two integers, c ? x : y with neither the lesser nor the greater of two: what
// accesses the element, or the loop, stands in both branches of an If by c.

// choosing finds such an integer in a subscript of a statement, in the condition of which is no other.
func choosing(s loops.Stmt) (found *loops.Int) {
	access := func(a loops.Access) {
		for _, x := range a.At {
			if found == nil {
				found = chooses(x)
			}
		}
	}
	switch s := s.(type) {
	case *loops.Assign:
		access(s.To)
		var visit func(x *loops.Expr)
		visit = func(x *loops.Expr) {
			if x.Op == loops.Read {
				access(x.From)
			}
			for _, a := range x.Args {
				visit(a)
			}
		}
		visit(s.Value)
	case *loops.Require:
		found = chosenIn(s.Cond)
	}
	return found
}

func chooses(x *loops.Int) *loops.Int {
	if x.Op == loops.Choose {
		if c := chosenIn(x.Cond); c != nil {
			return c
		}
		return x
	}
	for _, a := range x.Args {
		if c := chooses(a); c != nil {
			return c
		}
	}
	return nil
}

func chosenIn(c *loops.Cond) *loops.Int {
	if c.A != nil {
		if x := chooses(c.A); x != nil {
			return x
		}
		return chooses(c.B)
	}
	for _, d := range c.Conds {
		if x := chosenIn(d); x != nil {
			return x
		}
	}
	return nil
}

// A pick says which of two integers a choice is.
type pick struct{ choice, as *loops.Int }

func (p pick) stmt(s loops.Stmt) loops.Stmt {
	switch s := s.(type) {
	case *loops.Assign:
		return &loops.Assign{To: p.access(s.To), Value: p.expr(s.Value), At: s.At}
	case *loops.Require:
		return &loops.Require{Cond: p.cond(s.Cond), Obligation: s.Obligation, Message: s.Message, At: s.At}
	}
	return s
}

func (p pick) access(a loops.Access) loops.Access {
	a.At = p.ints(a.At)
	if a.Number != nil {
		a.Number = p.int(a.Number)
	}
	return a
}

func (p pick) expr(x *loops.Expr) *loops.Expr {
	out := *x
	switch {
	case x.Op == loops.Read:
		out.From = p.access(x.From)
	case x.Int != nil:
		out.Int = p.int(x.Int)
	}
	out.Args = nil
	for _, a := range x.Args {
		out.Args = append(out.Args, p.expr(a))
	}
	return &out
}

func (p pick) ints(list []*loops.Int) (out []*loops.Int) {
	for _, x := range list {
		out = append(out, p.int(x))
	}
	return out
}

func (p pick) int(x *loops.Int) *loops.Int {
	if x == p.choice || x.Op == loops.Choose && x.At == p.choice.At && p.same(x) {
		return p.as
	}
	out := *x
	if out.Args = p.ints(x.Args); x.Cond != nil {
		out.Cond = p.cond(x.Cond)
	}
	return &out
}

// same tells whether a copy of the choice, which has been given another place, is it.
func (p pick) same(x *loops.Int) bool {
	return x.Cond == p.choice.Cond && slices.Equal(x.Args, p.choice.Args)
}

func (p pick) cond(c *loops.Cond) *loops.Cond {
	out := *c
	if c.A != nil {
		out.A, out.B = p.int(c.A), p.int(c.B)
	}
	out.Conds = nil
	for _, d := range c.Conds {
		out.Conds = append(out.Conds, p.cond(d))
	}
	return &out
}

// maxForks bounds the choices that are taken apart around a statement: each doubles it.
const maxForks = 6

// forked emits a statement by cases of the choices in its subscripts.
func (e *elaborator) forked(s loops.Stmt) bool {
	x := choosing(s)
	if x == nil || e.forks >= maxForks {
		return false
	}
	e.forks++
	defer func() { e.forks-- }()
	taken := func(as *loops.Int) []loops.Stmt {
		return e.inside(e.cur.when, func() { e.emit(pick{x, as}.stmt(s)) }).stmts
	}
	e.branch(x.Cond, taken(x.Args[0]), taken(x.Args[1]), s.Span())
	return true
}

// forkedLoop elaborates a loop by cases of a choice in its condition that nothing in the loop changes.
func (e *elaborator) forkedLoop(s *stmt) bool {
	var by *expr
	own := changed([]*stmt{s})
	if s.init != nil {
		for _, d := range s.init.decls {
			own[d.sym] = d.span
		}
	}
	s.x.visit(func(x *expr) bool {
		if by != nil || x.op != "?:" || !controls(x.args[0]) {
			return by == nil
		}
		free := true
		x.visit(func(y *expr) bool {
			if y.op == opName {
				_, moves := own[y.sym]
				free = free && !moves
			}
			return true
		})
		if v := (cval{}); free {
			err := error(nil)
			e.scratch(func() {
				if failed := attempt(func() { v = e.controlled(x) }); failed != nil {
					err = failed
				}
			})
			if err == nil && v.x != nil && v.x.Op == loops.Choose {
				by = x
			}
		}
		return by == nil
	})
	if by == nil || e.forks >= maxForks {
		return false
	}
	e.forks++
	defer func() { e.forks-- }()
	with := func(branch *expr) []*stmt {
		one := *s
		one.x = replaced(s.x, by, branch)
		return []*stmt{&one}
	}
	e.ifElse(&stmt{op: decides, x: by.args[0], body: with(by.args[1]), other: with(by.args[2]), span: s.span})
	return true
}

// replaced is x with a part of it in place of another.
func replaced(x, part, as *expr) *expr {
	if x == part {
		return &expr{op: opCast, typ: part.typeOf(), args: []*expr{as}, span: as.span}
	}
	out := *x
	out.args = nil
	for _, a := range x.args {
		out.args = append(out.args, replaced(a, part, as))
	}
	return &out
}

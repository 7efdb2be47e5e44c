package cnest

import "math/big"

// A pointer is a name for the elements of an array from a place on. One that moves, p++ or p += n, stands for the place where its
// declaration puts it, and an integer says how far it has gone: *p++ is p[gone++], and p[k] is p[gone + k].

// pointer tells whether a symbol is a pointer whose declaration says where it points to.
func (s *symbol) pointer() bool {
	return s.array && len(s.dimension) > 0 && s.dimension[0] == nil && s.init != nil && s.init.x != nil
}

// pointed is an element's address, of A + k that of A[k].
func pointed(x *expr) *expr {
	if x.op != "+" || len(x.args) != 2 {
		return x
	}
	for k, a := range x.args {
		if gone(a) != nil {
			at := *a.args[0]
			at.args = []*expr{at.args[0], {op: "+", args: []*expr{at.args[1], x.args[1-k]}, span: x.span}}
			return &expr{op: opAddress, args: []*expr{&at}, span: x.span}
		}
		if name := a.base(); name != nil && name.sym != nil && name.sym.array && a.op != opAddress {
			at := &expr{op: opIndex, args: []*expr{a, x.args[1-k]}, span: x.span}
			if _, subs := subscripted(a); len(subs) < len(name.sym.dimension) {
				return &expr{op: opAddress, args: []*expr{at}, span: x.span}
			}
		}
	}
	return x
}

// moves tells whether statements that are not resolved yet step a name, as they step pointers.
func moves(list []*stmt, name string) (found bool) {
	look := func(x *expr) bool {
		if op, ok := assigns(x.op); ok && (op == "+" || op == "-") && x.args[0].op == opName && x.args[0].name == name {
			found = true
		}
		return !found
	}
	each(list, func(s *stmt) {
		s.x.visit(look)
		s.step.visit(look)
		for _, x := range s.more {
			x.visit(look)
		}
		for _, d := range s.decls {
			d.init.visit(look)
		}
	})
	return found
}

// moving gives a pointer that moves the integer that says how far, and returns its declaration; nil of others.
func (r *resolver) moving(s *symbol) *stmt {
	if !s.array || len(s.dimension) != 1 || !s.param && !s.handed && !s.pointer() || !moves(r.callers[len(r.callers)-1].stmts, s.name) {
		return nil
	}
	zero := &expr{op: opNumber, typ: longType, num: new(big.Rat), span: s.span}
	gone := r.declare(&declaration{name: s.name + " moved", typ: longType, span: s.span, init: &initialiser{x: zero, span: s.span}})
	s.gone = gone
	own := *gone.declaration
	own.sym = gone
	return &stmt{op: declares, decls: []*declaration{&own}, span: s.span}
}

// there is the place that a pointer has moved to, as an address.
func (r *resolver) there(x *expr) *expr {
	x.sym.gone.used = true
	gone := &expr{op: opName, name: x.sym.gone.name, sym: x.sym.gone, span: x.span}
	return &expr{op: opAddress, args: []*expr{{op: opIndex, args: []*expr{x, gone}, span: x.span}}, span: x.span}
}

// gone is the integer of a pointer that moves, if x is where that is.
func gone(x *expr) *expr {
	if x.op != opAddress || x.args[0].op != opIndex {
		return nil
	}
	if name, at := x.args[0].args[0], x.args[0].args[1]; name.op == opName && name.sym.gone != nil && at.op == opName && at.sym == name.sym.gone {
		return at
	}
	return nil
}

// reached is an element of what a pointer points to that has moved: (&A[i])[k] is A[i + k].
func reached(x *expr) *expr {
	if (x.op == opIndex || x.op == opContent) && gone(x.args[0]) != nil {
		at := *x.args[0].args[0]
		if at.span = x.span; x.op == opIndex {
			at.args = []*expr{at.args[0], {op: "+", args: []*expr{at.args[1], x.args[1]}, span: x.args[1].span}}
		}
		return &at
	}
	return x
}

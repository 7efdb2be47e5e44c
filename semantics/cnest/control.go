package cnest

import "slices"

// A classifier finds the scalars that are integers of control.
type classifier struct {
	copies   []*instance
	queue    []*expr // of which all names are control
	seen     map[*expr]bool
	softened []*symbol
}

// restart forgets which locals looked like control, and looks again: some were banned since.
func (c *classifier) restart() {
	for _, s := range c.softened {
		s.control, s.soft = false, false
	}
	for c.soften() {
	}
}

// classify marks the symbols of a function and of what it calls, and parameters that are sizes in another program.
func classify(root *instance, sizes []string) *classifier {
	c := &classifier{seen: map[*expr]bool{}}
	c.collect(root)
	for _, p := range root.params {
		if p.scalar && p.typ.family == integer && slices.Contains(sizes, p.name) {
			p.control, p.sized = true, true
			c.queue = append(c.queue, p.assigned...)
		}
	}
	for _, in := range c.copies {
		for _, p := range in.params {
			c.queue = append(c.queue, p.dimension...)
		}
		expressions(in.stmts, c.subscripts)
		in.ret.visit(c.subscripts)
		each(in.stmts, func(s *stmt) {
			for _, d := range s.decls {
				c.queue = append(c.queue, d.sym.dimension...)
			}
			if s.op == iterates {
				c.heading(s)
			}
		})
	}
	c.spread()
	for c.soften() {
	}
	return c
}

// collect lists an instance and those within, and notes arguments as what is assigned to parameters.
func (c *classifier) collect(in *instance) {
	c.copies = append(c.copies, in)
	calls := func(x *expr) bool {
		if x.call != nil {
			for k, p := range x.call.params {
				if p.scalar {
					p.assigned = append(p.assigned, x.args[k])
				}
			}
			c.collect(x.call)
		}
		return true
	}
	expressions(in.stmts, calls)
	in.ret.visit(calls)
}

func (c *classifier) subscripts(x *expr) bool {
	if x.op == opIndex {
		c.queue = append(c.queue, x.args[1])
	}
	if x.said.File != nil && x.name == opRequires {
		c.queue = append(c.queue, x.args...)
	}
	return true
}

// heading: the counter, the condition and the step of a loop are control.
func (c *classifier) heading(s *stmt) {
	c.queue = append(c.queue, s.x)
	if s.step != nil {
		c.queue = append(c.queue, s.step.args...)
	}
}

// spread marks what the expressions that wait name, and waits for what is assigned to that.
func (c *classifier) spread() {
	for len(c.queue) > 0 {
		x := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		if c.seen[x] {
			continue
		}
		c.seen[x] = true
		x.visit(func(y *expr) bool {
			if y.op == opName && y.sym.scalar && y.sym.typ.family == integer && !y.sym.control {
				y.sym.control, y.sym.sized = true, y.sym.param
				c.queue = append(c.queue, y.sym.assigned...)
			}
			if y.call != nil {
				c.queue = append(c.queue, y.call.ret)
			}
			return y.call == nil && y.op != opIndex
		})
	}
}

// soften marks locals that conditions name and whose only value is a function of control. It tells whether it found one.
func (c *classifier) soften() (found bool) {
	for _, in := range c.copies {
		once := map[*symbol]*expr{}
		each(in.stmts, func(s *stmt) {
			for _, d := range s.decls {
				t := d.sym
				if t.scalar && t.typ.family == integer && !t.control && !t.banned && !t.stored && d.init != nil && d.init.x != nil {
					once[t] = d.init.x
				}
			}
		})
		mark := func(x *expr) bool {
			if init := once[x.sym]; x.op == opName && init != nil && !x.sym.control && controls(init) {
				x.sym.control, x.sym.soft, found = true, true, true
				c.softened = append(c.softened, x.sym)
			}
			return true
		}
		each(in.stmts, func(s *stmt) {
			if s.op == decides {
				s.x.visit(mark)
			}
		})
		expressions(in.stmts, func(x *expr) bool {
			if x.op == "?:" {
				x.args[0].visit(mark)
			}
			return true
		})
	}
	return found
}

// controls tells whether an expression is an integer of control: of constants, sizes, counters and the like alone.
func controls(x *expr) bool {
	if x == nil {
		return false
	}
	if _, _, ok := quotient(x); ok {
		return true
	}
	switch x.op {
	case opName:
		return x.sym.control
	case opNumber:
		return x.typ.family == integer
	case opSpecial, opIndex, opContent, opAddress:
		return false
	case opCast:
		if x.typ.family != integer {
			return false
		}
	case opCall:
		if x.call != nil {
			return x.call.fn.typ.family == integer && controls(x.call.ret)
		}
		if !isIntrinsic(x.name) {
			return false
		}
	}
	for _, a := range x.args {
		if !controls(a) {
			return false
		}
	}
	return true
}

// isIntrinsic tells whether a function is one of integers that Pluto writes and no file has to define.
func isIntrinsic(name string) bool {
	return name == "floord" || name == "ceild" || name == "min" || name == "max"
}

// quotient finds n and d in floor((double)n / (double)d), or ceil: so does Pluto divide integers of control.
func quotient(x *expr) (n, d *expr, ok bool) {
	if x.op != opCall || x.call != nil || x.name != "floor" && x.name != "ceil" || x.args[0].op != "/" {
		return nil, nil, false
	}
	exact := false
	strip := func(y *expr) *expr {
		for y.op == opCast && y.typ == doubleType {
			y, exact = y.args[0], true
		}
		return y
	}
	n, d = strip(x.args[0].args[0]), strip(x.args[0].args[1])
	return n, d, exact && controls(n) && controls(d)
}

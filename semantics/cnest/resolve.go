package cnest

import (
	"slices"
	"strings"

	"tv/internal/source"
)

// maxCopies bounds how many copies of functions a function may hold.
const maxCopies = 2000

// mathFunctions are those of math.h with their numbers of arguments; each with f is that of float.
var mathFunctions = map[string]int{"exp": 1, "log": 1, "sqrt": 1, "erf": 1, "pow": 2, "sin": 1, "cos": 1, "tan": 1, "tanh": 1,
	"floor": 1, "ceil": 1, "round": 1, "trunc": 1, "fma": 3, "fabs": 1, "fmin": 2, "fmax": 2}

// A resolver finds what names stand for, and copies the functions that are called.
type resolver struct {
	unit    *unit
	scopes  []map[string]*symbol
	callers []*function
	copies  int
	root    *instance
	outside map[string]*symbol // arrays of the file
	pure    bool               // no call may write arrays here: the order of evaluation would count
	errs    source.Errors

	contracts map[string]*unit // that were read, by text and type of elements
	at        source.Span      // of the call of a contract: all of the contract stands there
}

// resolve returns a function with all that it calls, and what was wrong with statements that were left out.
func resolve(u *unit, fn *function) (*instance, source.Errors) {
	r := &resolver{unit: u}
	in := r.instance(fn, fn.at)
	return in, r.errs
}

// instance returns a copy of a function.
func (r *resolver) instance(fn *function, at source.Span) *instance {
	if slices.Contains(r.callers, fn) {
		fail(at, "unsupported-op", "%s calls itself", fn.name)
	}
	if r.copies++; r.copies > maxCopies {
		fail(at, "too-large", "more than %d calls, one within the other counted", maxCopies)
	}
	fn.parse()
	in := &instance{fn: fn, ends: r.place(fn.at), taken: r.unit.contracts}
	if r.root == nil {
		r.root = in
	}
	outer := r.scopes
	var global []*stmt
	if r.root == in {
		global = r.global()
	}
	r.scopes, r.callers = []map[string]*symbol{r.outside, {}}, append(r.callers, fn)
	defer func() { r.scopes, r.callers = outer, r.callers[:len(r.callers)-1] }()
	for _, d := range fn.params {
		in.params = append(in.params, r.declare(d))
	}
	for _, s := range in.params {
		s.param, s.handed = r.root == in, r.root != in
		if far := r.moving(s); far != nil {
			global = append(global, far)
		}
	}
	before := len(r.errs)
	in.stmts = append(global, r.statements(fn.stmts)...)
	if in.broken = len(r.errs) > before; !in.broken {
		in.returns()
		in.ends = r.place(in.ends)
	}
	in.writes = writes(in.stmts, in.params)
	return in
}

// returns takes the last statement, if it is a return, and refuses others.
func (in *instance) returns() {
	if n := len(in.stmts); n > 0 && in.stmts[n-1].op == returns {
		last := in.stmts[n-1]
		in.stmts, in.ret, in.ends = in.stmts[:n-1], last.x, last.span
		switch isVoid := in.fn.typ.family == void; {
		case isVoid && last.x != nil:
			fail(last.span, "bad-syntax", "%s returns nothing", in.fn.name)
		case !isVoid && last.x == nil:
			fail(last.span, "bad-syntax", "%s returns a value of type %s", in.fn.name, in.fn.typ)
		}
	} else if in.fn.typ.family != void {
		fail(in.fn.at, "unsupported-op", "%s ends without a return", in.fn.name)
	}
	each(in.stmts, func(s *stmt) {
		if s.op == returns {
			fail(s.span, "unsupported-op", "a return before the end of a function")
		}
	})
}

// each calls f for statements and those within them.
func each(list []*stmt, f func(*stmt)) {
	for _, s := range list {
		f(s)
		if s.init != nil {
			each([]*stmt{s.init}, f)
		}
		each(s.body, f)
		each(s.other, f)
	}
}

// expressions calls f for all expressions of statements, operands where f says so. Those of called functions are not among
// them.
func expressions(list []*stmt, f func(*expr) bool) {
	each(list, func(s *stmt) {
		s.x.visit(f)
		s.step.visit(f)
		for _, d := range s.decls {
			for _, x := range d.sym.dimension {
				x.visit(f)
			}
			d.init.visit(f)
		}
	})
}

func (in *initialiser) visit(f func(*expr) bool) {
	if in == nil {
		return
	}
	in.x.visit(f)
	for _, e := range in.list {
		e.visit(f)
	}
}

// writes tells whether statements write elements of some arrays.
func writes(list []*stmt, params []*symbol) (found bool) {
	expressions(list, func(x *expr) bool {
		if _, ok := assigns(x.op); ok {
			name := x.args[0].base()
			found = found || name != nil && name.sym.array && (slices.Contains(params, name.sym) || name.sym.pointer())
		}
		if x.call != nil && x.call.writes {
			for k, a := range x.args {
				name := a.base()
				found = found || x.call.params[k].array && name != nil && (slices.Contains(params, name.sym) || name.sym.pointer())
			}
		}
		return true
	})
	return found
}

// base returns the name in A, A[i][k], &A[i][k] and *A, or nil.
func (x *expr) base() *expr {
	for x.op == opIndex || x.op == opAddress || x.op == opContent {
		x = x.args[0]
	}
	if x.op != opName {
		return nil
	}
	return x
}

func (r *resolver) declare(d *declaration) *symbol {
	if r.unit.contracts {
		c := *d
		c.span, d = r.at, &c
	}
	s := &symbol{declaration: d, scalar: !d.array}
	scope := r.scopes[len(r.scopes)-1]
	if old := scope[d.name]; old != nil {
		fail(d.span, "redefined-name", "%s is declared already, at %s", d.name, old.span.Position())
	}
	scope[d.name] = s
	for _, x := range d.dims {
		s.dimension = append(s.dimension, r.pureExpr(x))
	}
	if d.init != nil {
		c := *d
		c.init = r.initialiser(d.init, len(d.init.list) == 0)
		s.declaration = &c
		if s.scalar && c.init.x != nil {
			s.assigned = append(s.assigned, c.init.x)
		}
		if s.pointer() {
			c.init.x = pointed(c.init.x)
		}
	}
	return s
}

func (r *resolver) initialiser(in *initialiser, whole bool) *initialiser {
	out := &initialiser{span: in.span}
	switch {
	case in.x != nil && whole:
		out.x = r.wholeExpr(in.x)
	case in.x != nil:
		out.x = r.pureExpr(in.x)
	}
	for _, e := range in.list {
		out.list = append(out.list, r.initialiser(e, false))
	}
	return out
}

// scope resolves statements in a scope of their own.
func (r *resolver) scope(list []*stmt) []*stmt {
	r.scopes = append(r.scopes, map[string]*symbol{})
	defer func() { r.scopes = r.scopes[:len(r.scopes)-1] }()
	return r.statements(list)
}

func (r *resolver) statements(list []*stmt) (out []*stmt) {
	for _, whole := range list {
		err := attempt(func() {
			for _, s := range apart(whole) {
				for _, t := range r.headed(s) {
					out = append(out, r.statement(t))
				}
			}
		})
		if err != nil {
			r.errs = append(r.errs, err)
		}
	}
	return out
}

func (r *resolver) statement(s *stmt) *stmt {
	c := *s
	c.span = r.place(s.span)
	switch s.op {
	case evaluates:
		c.x = r.effect(s.x)
	case forgets:
		c.x = r.pureExpr(s.x)
	case returns:
		if s.x != nil {
			c.x = r.wholeExpr(s.x)
		}
	case encloses:
		c.body = r.scope(s.body)
	case decides:
		c.x, c.body, c.other = r.pureExpr(s.x), r.scope(s.body), r.scope(s.other)
	case declares:
		c.decls = nil
		for _, d := range s.decls {
			sym := r.declare(d)
			own := *sym.declaration
			own.sym = sym
			c.decls = append(c.decls, &own)
			if far := r.moving(sym); far != nil {
				c.decls = append(c.decls, far.decls...)
			}
		}
	case iterates:
		r.loop(s, &c)
	}
	return &c
}

func (r *resolver) loop(s, c *stmt) {
	r.scopes = append(r.scopes, map[string]*symbol{})
	defer func() { r.scopes = r.scopes[:len(r.scopes)-1] }()
	if s.init != nil {
		c.init = r.statement(s.init)
	}
	c.x = r.pureExpr(s.x)
	steps := []*expr{r.effect(s.step)}
	for _, x := range s.more {
		steps = append(steps, r.effect(x))
	}
	c.body, c.more = r.scope(s.body), nil
	r.steps(c, steps)
}

// effect resolves an assignment or a call that stands alone.
func (r *resolver) effect(x *expr) *expr {
	if x == nil {
		return nil
	}
	op, ok := assigns(x.op)
	if !ok {
		return r.wholeExpr(x)
	}
	c := *x
	c.span = r.place(x.span)
	c.args = []*expr{r.pureExpr(x.args[0])}
	if far := gone(c.args[0]); far != nil && op != "" {
		c.args[0] = far
	}
	if len(x.args) == 2 {
		if op == "" && x.args[1].op == "=" { // a = b = c
			c.args = append(c.args, r.effect(x.args[1]))
		} else if op == "" {
			c.args = append(c.args, r.wholeExpr(x.args[1]))
		} else {
			c.args = append(c.args, r.pureExpr(x.args[1]))
		}
	}
	if t := c.args[0]; t.op == opName && t.sym.scalar {
		t.sym.stored = true
		if len(c.args) == 2 {
			t.sym.assigned = append(t.sym.assigned, c.args[1])
		}
	}
	return &c
}

// pureExpr resolves an expression in which no call may write arrays: nothing says what is evaluated first.
func (r *resolver) pureExpr(x *expr) *expr {
	was := r.pure
	r.pure = true
	defer func() { r.pure = was }()
	return r.expr(x)
}

// wholeExpr resolves an expression that, if it is a call, may write arrays: all else has been evaluated.
func (r *resolver) wholeExpr(x *expr) *expr {
	was := r.pure
	r.pure = x.op != opCall
	defer func() { r.pure = was }()
	return r.expr(x)
}

func (r *resolver) expr(x *expr) *expr {
	if x == nil {
		return nil
	}
	if _, ok := assigns(x.op); ok {
		fail(x.span, "unsupported-op", "%s within an expression: an assignment is a statement of its own", x.op)
	}
	c := *x
	c.args = nil
	for _, a := range x.args {
		c.args = append(c.args, r.pureExpr(a))
	}
	switch x.op {
	case opName:
		if known := r.constant(x); known != nil {
			return known
		}
		if c.sym = r.lookup(x); c.sym.gone != nil {
			c.span = r.place(x.span)
			return r.there(&c)
		}
	case opCall:
		if r.special(&c, x.span) {
			break
		}
		r.call(&c)
	}
	c.span = r.place(x.span)
	return reached(&c)
}

// place is that of a call of a contract for what stands in the contract, and otherwise what is given.
func (r *resolver) place(at source.Span) source.Span {
	if r.unit.contracts {
		return r.at
	}
	return at
}

// lookup finds the declaration of a name.
func (r *resolver) lookup(x *expr) *symbol {
	var names []string
	for k := len(r.scopes) - 1; k >= 0; k-- {
		if s := r.scopes[k][x.name]; s != nil {
			s.used = true
			return s
		}
		for name := range r.scopes[k] {
			names = append(names, name)
		}
	}
	fail(x.span, "unbound-name", "%s is not declared%s", x.name, suggest(x.name, names))
	return nil
}

// call finds the function that is called: one of the file, of math.h, or one of those that Pluto writes.
func (r *resolver) call(x *expr) {
	at := x.span
	at.End = at.Start + len(x.name)
	if at.Text() != x.name {
		at = x.span
	}
	fn := r.unit.byName[x.name]
	arity, known := libraryArity(x.name)
	if fn == nil && !known && !r.unit.contracts {
		if u, taken := r.contracted(x); taken != nil {
			was, outer := r.unit, r.at
			r.unit, r.at, fn = u, x.span, taken
			defer func() { r.unit, r.at = was, outer }()
		}
	}
	for k, a := range x.args {
		x.args[k] = pointed(a)
	}
	switch {
	case fn != nil:
		if fn.parse(); len(fn.params) != len(x.args) {
			fail(at, "bad-syntax", "%s has %d parameters, not %d", x.name, len(fn.params), len(x.args))
		}
		x.call = r.instance(fn, at)
		if x.call.writes && r.pure {
			fail(at, "unsupported-op", "%s writes an array: such a call is a statement, or all that is assigned", x.name)
		}
	case !known:
		fail(at, "unknown-call", "%s is no function of the file or of math.h%s", x.name, suggest(x.name, r.callable()))
	case arity != len(x.args):
		fail(at, "bad-syntax", "%s has %d arguments, not %d", x.name, arity, len(x.args))
	}
}

// callable lists what may be called by name.
func (r *resolver) callable() []string {
	out := r.unit.names()
	for name := range mathFunctions {
		out = append(out, name, name+"f")
	}
	return append(out, "floord", "ceild", "min", "max", "abs")
}

// libraryArity returns the number of arguments of a function that no file defines.
func libraryArity(name string) (int, bool) {
	switch name {
	case "floord", "ceild", "min", "max":
		return 2, true
	case "abs":
		return 1, true
	}
	if n, ok := mathFunctions[name]; ok {
		return n, true
	}
	n, ok := mathFunctions[strings.TrimSuffix(name, "f")]
	return n, ok && strings.HasSuffix(name, "f")
}

package cnest

import (
	"maps"
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/loops"
)

// statements elaborates them one after the other; one that is refused is left out, and those behind it are read.
func (e *elaborator) statements(list []*stmt) {
	for k, s := range list {
		if e.over { // nothing of it is executed, and nothing asked of it
			e.over = false
			rest := e.inside(false, func() { e.statements(list[k:]) })
			e.emit(&loops.If{Cond: &loops.Cond{Op: loops.Any, At: s.span}, Then: rest.stmts, At: s.span})
			return
		}
		if !e.attempt(func() { e.statement(s) }) {
			e.lose([]*stmt{s}, unsaid)
		}
	}
}

func (e *elaborator) statement(s *stmt) {
	switch s.op {
	case evaluates:
		e.effect(s.x)
	case encloses:
		e.statements(s.body)
	case declares:
		for _, d := range s.decls {
			e.declaration(d)
		}
	case iterates:
		e.loop(s)
	case forgets:
		if sym := s.x.sym; sym != nil && sym.control {
			e.env.set(sym, standing{none: "it was stepped in the condition of the loop at " + s.span.Position().String()})
		}
	case decides:
		e.ifElse(s)
	}
}

// changed lists the scalars of control that statements assign.
func changed(list []*stmt) map[*symbol]source.Span {
	out := map[*symbol]source.Span{}
	expressions(list, func(x *expr) bool {
		if _, ok := assigns(x.op); ok && x.args[0].op == opName && x.args[0].sym.control {
			if _, seen := out[x.args[0].sym]; !seen {
				out[x.args[0].sym] = x.span
			}
		}
		return true
	})
	return out
}

// lose forgets the values of the scalars of control that statements assign.
func (e *elaborator) lose(list []*stmt, why string) {
	for s := range changed(list) {
		e.env.set(s, standing{none: why})
	}
	each(list, func(s *stmt) {
		for _, d := range s.decls {
			if d.sym.control && why == unsaid {
				e.env.set(d.sym, standing{none: why})
			}
		}
	})
}

// declaration elaborates a local.
func (e *elaborator) declaration(d *declaration) {
	s := d.sym
	switch {
	case s.array && s.dimension[0] == nil && d.init != nil && d.init.x != nil:
		if e.cur.when {
			fail(s.span, "not-static-control", "an if on data holds assignments, and ifs of such, alone")
		}
		e.views[s] = e.block(d.init.x, s, e.extents(s))
	case s.array:
		e.arrayLocal(s, d)
	case s.control && d.init == nil:
		e.env.set(s, standing{none: "it has no value yet"})
	case s.control && s.soft:
		e.soft(s, d)
	case s.control:
		e.set(s, d.init.one(), d.span)
	case d.init == nil && !s.used:
	case d.init == nil:
		e.local(s, nil)
	default:
		x := d.init.one()
		v := e.convert(e.element(x), s.typ)
		b := e.local(s, nil)
		e.assign(loops.Access{Buffer: b, Where: d.span}, v.x, join(d.span, x.span))
	}
}

// soft elaborates a local that looks like control. If it is no affine function, or if something is required of it, it is data
// after all: as such it may be anything, and wraps.
func (e *elaborator) soft(s *symbol, d *declaration) {
	var err *source.Error
	b := e.inside(e.cur.when, func() { err = attempt(func() { e.set(s, d.init.one(), d.span) }) })
	if err != nil && err.Code == "not-affine" || len(b.stmts) > 0 {
		s.banned, e.again = true, true
	}
	if err != nil {
		panic(err)
	}
}

// one returns the value of an initialiser of a scalar.
func (in *initialiser) one() *expr {
	for in.x == nil {
		if len(in.list) != 1 {
			fail(in.span, "bad-syntax", "one value, not a list")
		}
		in = in.list[0]
	}
	return in.x
}

// set gives a scalar of control a value.
func (e *elaborator) set(s *symbol, x *expr, at source.Span) {
	if e.cur.when {
		fail(at, "not-static-control", "%s is no function of sizes and counters: it is assigned as data says", s.name)
	}
	if !controls(x) {
		fail(x.span, "not-static-control", "%s is data, and %s is in a subscript, a bound or an extent", show(x.span), s.name)
	}
	e.env.set(s, standing{value: e.fit(e.control(x), s.typ, x.span, "")})
}

// arrayLocal elaborates a local array. A list sets the rest to 0.
func (e *elaborator) arrayLocal(s *symbol, d *declaration) {
	if s.dimension[0] == nil {
		fail(s.span, "unsupported-op", "local pointers without a value, and arrays without an extent: the subset of C has none")
	}
	dims := e.extents(s)
	if e.cur.when {
		fail(s.span, "not-static-control", "an if on data holds assignments, and ifs of such, alone")
	}
	b := e.local(s, dims)
	e.views[s] = &view{buffer: b, dims: dims}
	if d.init == nil {
		return
	}
	if d.init.x != nil {
		fail(d.init.span, "bad-syntax", "an array is set by a list")
	}
	count := int64(1)
	for k, n := range dims {
		if n.Op != loops.Number {
			fail(s.dimension[k].span, "unsupported-op", "C sets an array whose extents are numbers, and no other")
		}
		count *= max(min(n.N, maxCells+1), 0)
		count = min(count, maxCells+1)
	}
	e.clear(b, nil, s)
	e.list(b, d.init, nil, s)
}

// maxCells bounds the arrays that are set by lists.
const maxCells = 1 << 16

// clear sets the elements of an array to 0.
func (e *elaborator) clear(b *loops.Buffer, at []*loops.Int, s *symbol) {
	if len(at) == len(b.Dims) {
		e.assign(loops.Access{Buffer: b, At: at, Where: s.span}, literal(s.typ, new(big.Rat), s.span).x, s.span)
		return
	}
	l := &loops.For{Name: "i", Lo: []*loops.Int{loops.Num(0)}, Hi: []*loops.Int{b.Dims[len(at)]}, Step: loops.Num(1), At: s.span}
	e.enumerate(l)
	l.Body = e.inside(false, func() { e.clear(b, append(slices.Clip(at), loops.CounterOf(l)), s) }).stmts
	e.emit(l)
}

// list sets the elements that a list has; those of a list {0} are 0 already.
func (e *elaborator) list(b *loops.Buffer, in *initialiser, at []*loops.Int, s *symbol) {
	if in.x != nil {
		if len(at) != len(b.Dims) {
			if n := in.x; n.op == opNumber && n.num.Sign() == 0 {
				return
			}
			fail(in.span, "unsupported-op", "rows of an array have braces of their own, but for {0}")
		}
		if in.x.op == opNumber && in.x.num.Sign() == 0 {
			return
		}
		v := e.convert(e.element(in.x), s.typ)
		e.assign(loops.Access{Buffer: b, At: at, Where: in.span}, v.x, in.span)
		return
	}
	if len(at) == len(b.Dims) {
		fail(in.span, "bad-syntax", "more braces than %s has extents", s.name)
	}
	if n := b.Dims[len(at)].N; int64(len(in.list)) > n {
		fail(in.list[n].span, "bad-syntax", "more values than the %d of %s", n, s.name)
	}
	for k, x := range in.list {
		e.list(b, x, append(slices.Clip(at), loops.Num(int64(k))), s)
	}
}

// effect elaborates an assignment or a call that stands alone.
func (e *elaborator) effect(x *expr) {
	op, ok := assigns(x.op)
	switch {
	case ok:
		e.assignment(x, op)
	case x.op == opCall && x.call != nil:
		e.called(x)
	case x.said.File != nil:
		e.required(x)
	default:
		fail(x.span, "unsupported-op", "%s does nothing", show(x.span))
	}
}

// assignment elaborates x = y, x op= y and x++. In a = b = c the right one comes first.
func (e *elaborator) assignment(x *expr, op string) {
	to := x.args[0]
	right := &expr{op: opNumber, typ: intType, num: big.NewRat(1, 1), span: x.span}
	if len(x.args) == 2 {
		right = x.args[1]
		if right.op == "=" {
			e.effect(right)
			right = right.args[0]
		}
	}
	if to.op == opName && to.sym.control {
		if to.sym.constant {
			fail(to.span, "writes-input", "%s is const", to.name)
		}
		if op != "" {
			right = &expr{op: op, args: []*expr{to, right}, span: x.span}
		}
		e.set(to.sym, right, x.span)
		return
	}
	var v dval
	if v = e.element(right); op != "" {
		v = e.arithmetic(x, op, e.element(to), v)
	}
	target := e.target(to)
	e.assign(target, e.convert(v, to.typeOf()).x, x.span)
}

// target is the element that is assigned.
func (e *elaborator) target(x *expr) loops.Access {
	if x.op == opName && x.sym.scalar {
		switch {
		case x.sym.constant:
			fail(x.span, "writes-input", "%s is const", x.name)
		case e.data[x.sym] == nil:
			fail(x.span, "", "")
		}
		return loops.Access{Buffer: e.data[x.sym], Where: x.span}
	}
	if x.op != opIndex && x.op != opContent {
		fail(x.span, "bad-syntax", "%s cannot be assigned", show(x.span))
	}
	if name := x.base(); name != nil && name.sym.constant {
		fail(x.span, "writes-input", "%s is const", name.name)
	}
	a, _ := e.access(x)
	return a
}

// guarded is an if on control first and on data then, without else, as one if in another; any other statement is itself.
func guarded(s *stmt) *stmt {
	first, rest := s.x, (*expr)(nil)
	for first.op == "&&" && !controls(first) {
		if rest == nil {
			rest = first.args[1]
		} else {
			rest = &expr{op: "&&", args: []*expr{first.args[1], rest}, span: s.x.span}
		}
		first = first.args[0]
	}
	if rest == nil || len(s.other) > 0 || !controls(first) {
		return s
	}
	outer, inner := *s, *s
	inner.x = rest
	outer.x, outer.body = first, []*stmt{&inner}
	return &outer
}

// either finds c || d in a condition that is that, or d && ... of such, with c of control alone, and d of data.
func either(x *expr) *expr {
	switch {
	case x.op == "||" && controls(x.args[0]) && !controls(x.args[1]):
		return x
	case x.op == "&&":
		if found := either(x.args[0]); found != nil {
			return found
		}
		return either(x.args[1])
	}
	return nil
}

// without is x, made of &&, with another operand in place of part; nil stands for what holds.
func without(x, part, as *expr) *expr {
	if x == part {
		return as
	}
	if x.op != "&&" {
		return x
	}
	a, b := without(x.args[0], part, as), without(x.args[1], part, as)
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &expr{op: x.op, args: []*expr{a, b}, span: x.span}
}

// byEither elaborates if (c || d) S by cases of c, which asks for nothing and is of control: where it holds d is not executed.
func (e *elaborator) byEither(s *stmt) bool {
	either := either(s.x)
	if either == nil || e.cur.when || holdsLoops(s) || e.forks >= maxForks {
		return false
	}
	asks := true
	e.scratch(func() {
		asks = attempt(func() { e.condition(either.args[0]) }) != nil || len(e.cur.stmts) > 0
	})
	if asks {
		return false
	}
	e.forks++
	defer func() { e.forks-- }()
	yes, no := *s, *s
	yes.x, no.x = without(s.x, either, nil), without(s.x, either, either.args[1])
	first := []*stmt{&yes}
	if yes.x == nil {
		first = s.body
	}
	e.ifElse(&stmt{op: decides, x: either.args[0], body: first, other: []*stmt{&no}, span: s.span})
	return true
}

// ifElse elaborates an if: on control, or on data.
func (e *elaborator) ifElse(s *stmt) {
	if e.byEither(s) {
		return
	}
	s = guarded(s)
	if !e.cur.when && controls(s.x) {
		if c, ok := e.decidable(s.x); ok || holdsLoops(s) {
			if !ok {
				c = e.condition(s.x) // which says what is not affine
			}
			if value, known := decided(c); known && e.taken {
				e.statements(map[bool][]*stmt{true: s.body, false: s.other}[value])
				return
			}
			e.branches(s, c)
			return
		}
	}
	if holdsLoops(s) {
		fail(s.x.span, "not-static-control", "%s is data: the branches of such an if hold assignments and such ifs, not a loop",
			show(s.x.span))
	}
	for sym, at := range changed([]*stmt{s}) {
		fail(at, "not-static-control", "%s is no function of sizes and counters: it is assigned as data says", sym.name)
	}
	c := e.truth(s.x)
	then := e.inside(true, func() { e.statements(s.body) })
	other := e.inside(true, func() { e.statements(s.other) })
	e.emit(&loops.When{Cond: c, Then: then.stmts, Else: other.stmts, At: s.span})
}

// holdsLoops tells whether a branch has a loop.
func holdsLoops(s *stmt) (found bool) {
	each([]*stmt{s}, func(t *stmt) { found = found || t.op == iterates })
	return found
}

// branches elaborates an if on control: what scalars of control are behind it depends on the condition.
func (e *elaborator) branches(s *stmt, c *loops.Cond) {
	before, inside := len(e.env.done), changed([]*stmt{s})
	then := e.inside(false, func() { e.statements(s.body) })
	left := e.env.those(maps.Keys(inside))
	e.env.back(before)
	other := e.inside(false, func() { e.statements(s.other) })
	e.branch(c, then.stmts, other.stmts, s.span)
	for sym := range inside {
		a, okA := left[sym]
		b, okB := e.env.of[sym]
		switch {
		case !okA || !okB:
		case a.none != "":
			e.env.set(sym, a)
		case b.none == "":
			v := cval{typ: sym.typ, x: e.choose(c, a.value.x, b.value.x), lo: lesser(a.value.lo, b.value.lo),
				hi: greater(a.value.hi, b.value.hi)}
			e.env.set(sym, standing{value: v})
		}
	}
}

// inline elaborates a call as part of an expression.
func (e *elaborator) inline(x *expr) dval {
	switch {
	case x.call.broken:
		fail(x.span, "", "")
	case x.call.ret == nil:
		fail(x.span, "unsupported-op", "%s returns nothing", x.name)
	}
	e.called(x)
	return e.convert(e.element(x.call.ret), x.call.fn.typ)
}

// called elaborates the statements of a function that is called: parameters are locals, or views of what is handed over.
func (e *elaborator) called(x *expr) {
	in := x.call
	for k, p := range in.params {
		switch {
		case p.array:
		case p.control:
			if !controls(x.args[k]) {
				fail(x.args[k].span, "not-static-control", "%s is data, and parameter %s of %s is in a subscript, a bound or an extent",
					show(x.args[k].span), p.name, x.name)
			}
			e.env.set(p, standing{value: e.fit(e.control(x.args[k]), p.typ, x.args[k].span, "")})
		default:
			v := e.convert(e.element(x.args[k]), p.typ)
			if in.taken && v.x.Op == loops.Literal && !p.stored {
				e.fixed[p] = v
				continue
			}
			e.assign(loops.Access{Buffer: e.local(p, nil), Where: x.args[k].span}, v.x, x.args[k].span)
		}
	}
	loose, taken, entry := e.loose, e.taken, e.entry
	defer func() { e.loose, e.taken, e.entry, e.over = loose, taken, entry, false }()
	if in.taken { // what a contract computes are integers of mathematics
		e.loose, e.taken, e.entry = true, true, e.cur
	}
	for k, p := range in.params {
		switch {
		case p.array && in.taken:
			e.views[p] = e.flatBlock(x.args[k], p, e.extents(p))
		case p.array:
			e.views[p] = e.block(x.args[k], p, e.extents(p))
		}
	}
	e.statements(in.stmts)
}

// controlCall is a call whose value is an integer of control: its statements assign such alone.
func (e *elaborator) controlCall(x *expr) cval {
	in := x.call
	b := e.inside(e.cur.when, func() { e.called(x) })
	if !requireAlone(b.stmts) {
		fail(x.span, "not-static-control", "%s does more than to compute an integer of sizes and counters", x.name)
	}
	e.cur.stmts = append(e.cur.stmts, b.stmts...)
	return e.fit(e.control(in.ret), in.fn.typ, x.span, "")
}

// requireAlone tells whether statements require something and do nothing else.
func requireAlone(list []loops.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *loops.Require:
		case *loops.If:
			if !requireAlone(s.Then) || !requireAlone(s.Else) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

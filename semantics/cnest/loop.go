package cnest

import (
	"fmt"
	"maps"
	"math/big"

	"tv/semantics/loops"
)

// A plan is what a for says of its counter.
type plan struct {
	counter *symbol
	down    bool
	step    cval // how far it goes, not below 0
	lo      cval
	hi      []cval // exclusive, in the direction of the loop
	runaway bool   // the loop does not go towards its bound
	others  []advance
	meets   []cval // that the counter has to come to, one step at a time: i != n
}

// once tells whether one statement of a body changes a counter, and nothing within other statements.
func once(body []*stmt, counter *symbol) bool {
	all, top := 0, 0
	count := func(n *int) func(*expr) bool {
		return func(x *expr) bool {
			if _, ok := assigns(x.op); ok && x.args[0].op == opName && x.args[0].sym == counter {
				*n++
			}
			return true
		}
	}
	expressions(body, count(&all))
	for _, s := range body {
		if s.op == evaluates {
			s.x.visit(count(&top))
		}
	}
	return all == 1 && top == 1
}

// loop elaborates a for.
func (e *elaborator) loop(s *stmt) {
	if e.cur.when {
		fail(s.span, "not-static-control", "a loop in a branch of an if on data, which holds assignments and such ifs alone")
	}
	if s.x == nil || s.step == nil {
		fail(s.span, "unsupported-op", "a loop without a condition or a step: the subset of C has none")
	}
	if e.forkedLoop(s) {
		return
	}
	if s.init != nil {
		e.statement(s.init)
	}
	h := &plan{}
	h.counter = counterOf(s.step)
	if h.counter == nil {
		fail(s.step.span, "not-static-control", "the step of a for is i++, i--, i += n or i -= n of its counter i")
	}
	inside := changed(s.body)
	if at, ok := inside[h.counter]; ok && s.placed && once(s.body, h.counter) {
		delete(inside, h.counter)
	} else if ok {
		fail(at, "not-static-control", "%s is the counter of a loop, which alone changes it", h.counter.name)
	}
	h.lo = e.standing(&expr{op: opName, name: h.counter.name, sym: h.counter, span: s.span})
	before, began := len(e.env.done), e.env.those(maps.Keys(inside))
	for sym := range inside {
		e.env.set(sym, standing{none: "it changes in the loop at " + s.span.Position().String()})
	}
	e.stepOf(s.step, h)
	l := &loops.For{Name: h.counter.name, Step: h.step.x, At: s.span}
	if h.down {
		l.Step = loops.Product(loops.Num(-1), l.Step)
	}
	e.enumerate(l)
	e.advances(s, l, h, began)
	e.boundsOf(s.x, l, h)
	if h.runaway {
		e.runaway(s, h)
		return
	}
	e.fillBounds(l, h)
	for _, end := range h.meets {
		a, b := h.lo.x, end.x
		if h.down {
			a, b = b, a
		}
		e.require(&loops.Cond{Op: loops.LessEqual, A: a, B: b, At: s.x.span}, loops.Termination, s.span,
			"the loop over %s comes to its end", h.counter.name)
	}
	e.reach(h, h.lo, true)
	e.condition(s.x) // what it requires of what is no counter is required here, and once
	body := e.inside(false, func() {
		e.reach(h, h.within(l), true)
		e.condition(s.x)
		e.statements(s.body)
	})
	if l.Body = body.stmts; len(l.Body) > 0 || !e.taken {
		e.emit(l)
	}
	after := e.env.those(maps.Keys(inside))
	e.env.back(before)
	last := h.last(l)
	for sym := range inside {
		e.leave(sym, after[sym], l, h, last)
	}
	for _, a := range h.others {
		e.env.set(a.sym, standing{value: e.after(a, l, h)})
	}
	e.env.set(h.counter, standing{value: e.ended(s, h, last)})
	e.condition(s.x)
}

// enumerate gives a loop a number.
func (e *elaborator) enumerate(l *loops.For) { e.loops[l] = len(e.loops) }

// counterOf returns the scalar that a step changes, nil if that is none.
func counterOf(step *expr) *symbol {
	if _, ok := assigns(step.op); ok && step.args[0].op == opName && step.args[0].sym.control {
		return step.args[0].sym
	}
	return nil
}

// stepOf reads i++, i += n, i = i + n, i = n + i and so on.
func (e *elaborator) stepOf(x *expr, h *plan) {
	is := func(y *expr) bool { return y.op == opName && y.sym == h.counter }
	var by *expr
	switch op, _ := assigns(x.op); {
	case x.op == "++" || x.op == "--":
		h.down, by = x.op == "--", &expr{op: opNumber, typ: intType, num: big.NewRat(1, 1), span: x.span}
	case op == "+" || op == "-":
		h.down, by = op == "-", x.args[1]
	case op == "" && len(x.args[1].args) == 2 && is(x.args[1].args[0]) && (x.args[1].op == "+" || x.args[1].op == "-"):
		h.down, by = x.args[1].op == "-", x.args[1].args[1]
	case op == "" && x.args[1].op == "+" && len(x.args[1].args) == 2 && is(x.args[1].args[1]):
		by = x.args[1].args[0]
	default:
		fail(x.span, "not-static-control", "the step of a for is i++, i--, i += n or i -= n of its counter i")
	}
	by.visit(func(y *expr) bool {
		if is(y) {
			fail(y.span, "not-static-control", "the step of %s depends on it", h.counter.name)
		}
		return true
	})
	h.step = e.control(by)
	h.step.typ = usual(h.step.typ, h.counter.typ) // in which it is added
	if h.step.hi.Sign() <= 0 && h.step.lo.Sign() < 0 {
		h.down = !h.down
		h.step.x = loops.Negated(h.step.x)
		h.step.lo, h.step.hi = new(big.Int).Neg(h.step.hi), new(big.Int).Neg(h.step.lo)
	}
	if h.step.lo.Sign() < 0 {
		fail(by.span, "not-static-control", "%s may be below 0 and above: it is not known which way the loop goes", show(by.span))
	}
	if n, ok := h.step.constant(); ok && n.Sign() == 0 {
		h.runaway = true
	}
	if h.step.x.Counts() {
		fail(by.span, "not-affine", "%s: a step that depends on a counter", show(by.span))
	}
}

// boundsOf reads the condition of a loop: comparisons of the counter with what does not change in the loop.
func (e *elaborator) boundsOf(x *expr, l *loops.For, h *plan) {
	was := e.loose
	e.loose = true
	defer func() { e.loose = was }()
	e.scratch(func() { e.comparisons(x, x, l, h) })
}

// comparisons reads x, a part of the whole condition.
func (e *elaborator) comparisons(x, whole *expr, l *loops.For, h *plan) {
	switch x.op {
	case "&&":
		e.comparisons(x.args[0], whole, l, h)
		e.comparisons(x.args[1], whole, l, h)
		if h.runaway {
			fail(x.span, "not-static-control", "the loop does not go towards its bound")
		}
		return
	case "<", "<=", ">", ">=":
	case "!=":
		if x != whole || !h.step.x.Is(1) {
			fail(x.span, "unsupported-op", "!= is all of the condition of a loop whose step is 1 or -1, or none of it")
		}
	case "==":
		fail(x.span, "unsupported-op", "the condition of a for is made of <, <=, >, >= and &&: not %s", x.op)
	default:
		fail(x.span, "not-static-control", "the condition of a for is made of <, <=, >, >= and &&")
	}
	e.reach(h, constantOf(h.counter.typ, new(big.Int)), false) // which leaves the rest
	a, b, t := e.operands(x)
	e.reach(h, cval{typ: h.counter.typ, x: loops.CounterOf(l), lo: new(big.Int), hi: new(big.Int)}, false)
	left, second, _ := e.operands(x)
	op := x.op
	factor, rest, ok := linear(e.whole(left), l)
	other, right, okRight := linear(e.whole(second), l)
	if ok && okRight && factor != 0 { // where both go, i < j, what counts is how they go towards each other
		factor, other = factor-other, 0
	}
	if factor == 0 {
		factor, rest, other, right, a, b = other, right, factor, rest, b, a
		op = turned(op)
	}
	if !ok || !okRight || factor == 0 || other != 0 {
		fail(x.span, "not-affine", "%s does not compare %s with what is known when the loop begins", show(x.span), h.counter.name)
	}
	// factor·i + rest op right
	bound := e.sum(b, a, -1)
	bound.typ, bound.x = t, loops.Difference(right, rest)
	if factor < 0 {
		factor, bound = -factor, cval{typ: t, x: loops.Negated(bound.x), lo: new(big.Int).Neg(bound.hi), hi: new(big.Int).Neg(bound.lo)}
		op = turned(op)
	}
	if op == "!=" {
		if factor != 1 {
			fail(x.span, "not-affine", "%s: a counter that has to be a multiple of a number", show(x.span))
		}
		if op = "<"; h.down {
			op = ">"
		}
		h.meets = append(h.meets, bound)
	}
	up := op == "<" || op == "<="
	if up == h.down {
		h.runaway = true
		return
	}
	h.hi = append(h.hi, exclusive(op, bound, factor)...)
}

// turned is a comparison with its operands exchanged.
func turned(op string) string {
	if other, ok := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]; ok {
		return other
	}
	return op
}

// exclusive returns the bounds of i for which factor·i op bound is that i is before all of them.
func exclusive(op string, bound cval, factor int64) []cval {
	up := op == "<" || op == "<="
	parts := []*loops.Int{bound.x}
	if up && bound.x.Op == loops.Least || !up && bound.x.Op == loops.Greatest {
		parts = bound.x.Args
	}
	var out []cval
	for _, x := range parts {
		v := cval{typ: bound.typ, x: x, lo: bound.lo, hi: bound.hi}
		k := loops.Num(factor)
		shift := int64(0)
		switch op {
		case "<": // i < ceil(x/k)
			v.x = dividedBy(loops.CeilDiv, x, k)
		case "<=": // i < floor(x/k) + 1
			v.x, shift = dividedBy(loops.FloorDiv, x, k), 1
		case ">": // i > floor(x/k)
			v.x = dividedBy(loops.FloorDiv, x, k)
		case ">=": // i > ceil(x/k) - 1
			v.x, shift = dividedBy(loops.CeilDiv, x, k), -1
		}
		v.x = loops.Sum(v.x, loops.Num(shift))
		v.lo, v.hi = new(big.Int).Add(v.lo, big.NewInt(shift)), new(big.Int).Add(v.hi, big.NewInt(shift))
		if factor != 1 && v.lo.Sign() > 0 {
			v.lo = new(big.Int)
		}
		if factor != 1 && v.hi.Sign() < 0 {
			v.hi = new(big.Int)
		}
		out = append(out, v)
	}
	return out
}

func dividedBy(op loops.IntOp, x, k *loops.Int) *loops.Int {
	if k.N == 1 {
		return x
	}
	return loops.Quotient(op, x, k)
}

// fillBounds writes down where a loop starts and ends.
func (e *elaborator) fillBounds(l *loops.For, h *plan) {
	l.Lo = []*loops.Int{h.lo.x}
	if !h.down && h.lo.x.Op == loops.Greatest {
		l.Lo = h.lo.x.Args
	}
	for _, v := range h.hi {
		l.Hi = append(l.Hi, v.x)
	}
}

// nearest is the bound that is met first, as far as intervals say.
func (h *plan) nearest() *big.Int {
	var out *big.Int
	for _, v := range h.hi {
		n := v.hi
		if h.down {
			n = v.lo
		}
		if out == nil || (n.Cmp(out) < 0) != h.down {
			out = n
		}
	}
	return out
}

// within is the counter in an iteration.
func (h *plan) within(l *loops.For) cval {
	v := cval{typ: h.counter.typ, x: loops.CounterOf(l)}
	one := big.NewInt(1)
	if h.down {
		v.lo, v.hi = new(big.Int).Add(h.nearest(), one), h.lo.hi
	} else {
		v.lo, v.hi = h.lo.lo, new(big.Int).Sub(h.nearest(), one)
	}
	lo, hi := v.typ.limits()                                                  // it lies in its type, if the last value does
	if v.lo, v.hi = greater(v.lo, lo), lesser(v.hi, hi); v.lo.Cmp(v.hi) > 0 { // the loop never runs
		v.lo, v.hi = h.lo.lo, h.lo.lo
	}
	return v
}

// farthest is the bound that is met first, exclusive.
func farthest(l *loops.For, down bool) *loops.Int {
	switch {
	case len(l.Hi) == 1:
		return l.Hi[0]
	case down:
		return loops.Greatest.Of(l.Hi...)
	}
	return loops.Least.Of(l.Hi...)
}

// begins tells whether the loop starts before its bounds or at them wherever it is reached, or less than beyond behind one.
func (h *plan) begins(beyond *big.Int) bool {
	for _, v := range h.hi {
		behind := new(big.Int).Sub(h.lo.hi, v.lo)
		if h.down {
			behind.Sub(v.hi, h.lo.lo)
		}
		if behind.Cmp(beyond) >= 0 {
			return false
		}
	}
	return true
}

// way is how far it is from the start of a loop to its bound, and 0 if the bound is a step or more behind.
func (h *plan) way(l *loops.For) *loops.Int {
	way := loops.Difference(farthest(l, h.down), h.lo.x)
	if h.down {
		way = loops.Negated(way)
	}
	if !h.begins(h.step.lo) { // less than a step behind, and the quotient by the step, rounded up, is 0
		way = loops.Greatest.Of(loops.Num(0), way)
	}
	return way
}

// trips is how often the loop runs.
func (h *plan) trips(l *loops.For) *loops.Int {
	if h.step.x.Is(1) {
		return h.way(l)
	}
	return loops.Quotient(loops.CeilDiv, h.way(l), h.step.x)
}

// last is the counter when the loop has ended.
func (h *plan) last(l *loops.For) cval {
	v := cval{typ: h.counter.typ, x: loops.Sum(h.lo.x, loops.Product(l.Step, h.trips(l)))}
	if h.step.x.Is(1) { // it ends at the bound, or did not begin
		switch v.x = farthest(l, h.down); {
		case h.begins(big.NewInt(1)):
		case h.down:
			v.x = loops.Least.Of(h.lo.x, v.x)
		default:
			v.x = loops.Greatest.Of(h.lo.x, v.x)
		}
	}
	far := new(big.Int).Sub(h.step.hi, big.NewInt(1))
	if h.down {
		v.lo, v.hi = lesser(h.lo.lo, new(big.Int).Sub(h.nearest(), far)), h.lo.hi
	} else {
		v.lo, v.hi = h.lo.lo, greater(h.lo.hi, new(big.Int).Add(h.nearest(), far))
	}
	return v
}

// ended is the counter behind a loop: its last value lies in the type in which the step was added, and in its own.
func (e *elaborator) ended(s *stmt, h *plan, last cval) cval {
	what := fmt.Sprintf("%s when the loop has ended", h.counter.name)
	e.fit(last, h.step.typ, s.span, what)
	return e.fit(last, h.counter.typ, s.span, what)
}

// leave is what a scalar of control is behind a loop that changes it: what the last iteration left, if there was one.
func (e *elaborator) leave(sym *symbol, after standing, l *loops.For, h *plan, last cval) {
	before, ok := e.env.of[sym]
	switch {
	case !ok || after.none != "" && after.none == unsaid:
		e.env.set(sym, after)
		return
	case after.none != "" || before.none != "":
		e.env.set(sym, standing{none: "it changes in the loop at " + l.At.Position().String()})
		return
	}
	ran := &loops.Cond{Op: loops.Less, A: loops.Num(0), B: h.trips(l)}
	v := cval{typ: sym.typ, x: e.choose(ran, replace(after.value.x, l, loops.Difference(last.x, l.Step)), before.value.x),
		lo: lesser(after.value.lo, before.value.lo), hi: greater(after.value.hi, before.value.hi)}
	e.env.set(sym, standing{value: v})
}

// runaway elaborates a loop that goes away from its bound, or stays where it is: nothing, or without an end.
func (e *elaborator) runaway(s *stmt, h *plan) {
	for sym := range changed(s.body) {
		e.env.set(sym, standing{none: "it changes in a loop that does not end"})
	}
	e.env.set(h.counter, standing{value: h.lo})
	c := e.condition(s.x)
	never := &loops.Require{Cond: &loops.Cond{Op: loops.Any, At: s.span}, Obligation: loops.Termination,
		Message: fmt.Sprintf("the loop over %s does not go towards its bound", h.counter.name), At: s.span}
	e.branch(c, []loops.Stmt{never}, nil, s.span)
}

package cnest

import (
	"maps"
	"math/big"
	"slices"

	"tv/semantics/loops"
)

// apart takes the steps in subscripts of a statement out of it: A[p++] = x is A[p] = x and p++, and A[++p] = x is p++ and
// A[p] = x. C does not say what p is in the rest of such a statement, so that it may not occur there.
func apart(s *stmt) []*stmt {
	switch {
	case s.op == evaluates && s.x != nil:
		t := &takes{of: s.x}
		c := *s
		c.x = t.take(s.x, false)
		return t.around(&c)
	case s.op == declares:
		var out []*stmt
		found := false
		for _, d := range s.decls {
			c := &stmt{op: declares, decls: []*declaration{d}, span: s.span}
			if d.init == nil || d.init.x == nil {
				out = append(out, c)
				continue
			}
			t, own := &takes{of: d.init.x}, *d
			own.init = &initialiser{x: t.take(d.init.x, false), span: d.init.span}
			c.decls[0] = &own
			found = found || len(t.before)+len(t.behind) > 0
			out = append(out, t.around(c)...)
		}
		if found {
			return out
		}
	}
	return []*stmt{s}
}

// takes is what was taken out of an expression.
type takes struct {
	of             *expr
	before, behind []*stmt
}

func (t *takes) around(s *stmt) []*stmt { return append(append(t.before, s), t.behind...) }

// take returns an expression without the steps in subscripts. Operands that are perhaps not executed keep theirs.
func (t *takes) take(x *expr, subscript bool) *expr {
	if (x.op == "++" || x.op == "--") && subscript && x.args[0].op == opName {
		count := 0
		t.of.visit(func(y *expr) bool {
			if y.op == opName && y.name == x.args[0].name {
				count++
			}
			return true
		})
		if count > 1 {
			fail(x.span, "unsupported-op", "%s where %s occurs once more: C does not say which is first", show(x.span), x.args[0].name)
		}
		step := &stmt{op: evaluates, x: x, span: x.span}
		if x.span.Start < x.args[0].span.Start {
			t.before = append(t.before, step)
		} else {
			t.behind = append(t.behind, step)
		}
		return x.args[0]
	}
	c := *x
	c.args = slices.Clone(x.args)
	for k, a := range x.args {
		if maybe := x.op == "?:" || x.op == "&&" || x.op == "||"; k == 0 || !maybe {
			c.args[k] = t.take(a, subscript || x.op == opIndex && k == 1 || x.op == opContent)
		}
	}
	return &c
}

// steps finds the counter among what stands at the end of the heading of a loop, i++, j--: the first that the condition names.
// The others are done at the end of the body, which is where they are executed.
func (r *resolver) steps(s *stmt, list []*expr) {
	named := func(x *expr) (found bool) {
		if _, ok := assigns(x.op); !ok || x.args[0].op != opName {
			return false
		}
		s.x.visit(func(y *expr) bool {
			found = found || y.op == opName && y.sym == x.args[0].sym
			return true
		})
		return found
	}
	k := max(slices.IndexFunc(list, func(x *expr) bool { return x != nil && named(x) }), 0)
	if s.step = list[k]; s.step == nil { // there is none
		return
	}
	var counter *symbol
	if _, ok := assigns(s.step.op); ok && s.step.args[0].op == opName {
		counter = s.step.args[0].sym
	}
	for i, x := range list {
		if i == k {
			continue
		}
		x.visit(func(y *expr) bool {
			if y.op == opName && counter != nil && y.sym == counter {
				fail(y.span, "not-static-control", "%s is the counter of a loop, which alone changes it there", y.name)
			}
			return true
		})
		s.body = append(s.body, &stmt{op: evaluates, x: x, span: x.span})
	}
}

// An advance is a scalar of control to which each iteration of a loop adds the same.
type advance struct {
	sym      *symbol
	from, by cval
}

// advances finds the scalars that go in steps like the counter: the body is read with a name for what each holds when an
// iteration begins, and what it holds then is that name and something in which no counter occurs.
func (e *elaborator) advances(s *stmt, l *loops.For, h *plan, before map[*symbol]standing) {
	var list []*symbol
	own := following(s.body)
	for sym := range changed(s.body) {
		if !own[sym] {
			continue
		}
		if v, ok := before[sym]; ok && v.none == "" {
			list = append(list, sym)
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortFunc(list, func(a, b *symbol) int { return a.span.Start - b.span.Start })
	marks := map[*symbol]*loops.For{}
	for _, sym := range list {
		marks[sym] = &loops.For{Name: sym.name, At: s.span}
		e.enumerate(marks[sym])
	}
	left := e.probe(s, l, h, marks, false)
	for _, sym := range list {
		v, ok := left[sym]
		if !ok || v.none != "" {
			continue
		}
		factor, rest, ok := linear(v.value.x, marks[sym])
		if !ok || factor != 1 || rest.Counts() {
			continue
		}
		by := cval{typ: sym.typ, x: rest}
		if by.lo, by.hi = big.NewInt(by.x.N), big.NewInt(by.x.N); by.x.Op != loops.Number {
			w, ok := e.probe(s, l, h, marks, true)[sym]
			if !ok || w.none != "" {
				continue
			}
			by.lo, by.hi = w.value.lo, w.value.hi
		}
		h.others = append(h.others, advance{sym: sym, from: before[sym].value, by: by})
	}
}

// following lists the scalars that statements compute from what they were, but for counters of loops that begin there.
func following(list []*stmt) map[*symbol]bool {
	out := map[*symbol]bool{}
	steps := map[*expr]bool{}
	each(list, func(s *stmt) {
		if s.op != iterates || s.init == nil || s.step == nil {
			return
		}
		if _, begins := changed([]*stmt{s.init})[counterOf(s.step)]; begins {
			steps[s.step] = true
		}
	})
	expressions(list, func(x *expr) bool {
		op, ok := assigns(x.op)
		if !ok || x.args[0].op != opName || steps[x] {
			return true
		}
		sym, self := x.args[0].sym, op != ""
		x.args[len(x.args)-1].visit(func(y *expr) bool {
			self = self || y.op == opName && y.sym == sym
			return true
		})
		if self {
			out[sym] = true
		}
		return true
	})
	return out
}

// probe returns what scalars hold after the body of a loop that marks stand for at its begin. Marks are of any value of their
// types, or, if what counts is how far a scalar goes, they are 0.
func (e *elaborator) probe(s *stmt, l *loops.For, h *plan, marks map[*symbol]*loops.For, far bool) map[*symbol]standing {
	before, again, over := len(e.env.done), e.again, e.over
	defer func() {
		e.env.back(before)
		e.again, e.over = again, over
	}()
	mark := func(sym *symbol, l *loops.For, far bool) {
		v := cval{typ: sym.typ, x: loops.CounterOf(l), lo: new(big.Int), hi: new(big.Int)}
		if !far {
			v.lo, v.hi = sym.typ.limits()
		}
		e.env.set(sym, standing{value: v})
	}
	for sym, m := range marks {
		mark(sym, m, far)
	}
	mark(h.counter, l, false)
	e.scratch(func() { e.statements(s.body) })
	return e.env.those(maps.Keys(marks))
}

// reach is where the counter is v: it, and what goes with it. Inside, it is one of an iteration, not before the start.
func (e *elaborator) reach(h *plan, v cval, inside bool) {
	e.env.set(h.counter, standing{value: v})
	for _, a := range h.others {
		way := e.sum(v, h.lo, -1)
		if h.down {
			way = e.sum(h.lo, v, -1)
		}
		if inside {
			way.lo, way.hi = greater(way.lo, new(big.Int)), greater(way.hi, new(big.Int))
		}
		by, times := h.times(a, way)
		at := a.at(e, by, times)
		if inside {
			at = at.held()
		}
		e.env.set(a.sym, standing{value: at})
	}
}

// held is a value that lies in its type, as it was assigned.
func (v cval) held() cval {
	lo, hi := v.typ.limits()
	if v.lo, v.hi = greater(v.lo, lo), lesser(v.hi, hi); v.lo.Cmp(v.hi) > 0 {
		v.lo, v.hi = lo, hi
	}
	return v
}

// times is what an advance is multiplied by where the counter is so far from its start: both as a factor and a number of
// iterations. The way is a multiple of the step.
func (h *plan) times(a advance, way cval) (by, times cval) {
	step, stepIs := h.step.constant()
	n, byIs := a.by.constant()
	switch {
	case stepIs && byIs && step.Sign() > 0 && new(big.Int).Rem(n, step).Sign() == 0:
		return constantOf(a.by.typ, new(big.Int).Quo(n, step)), way
	case h.step.x.Same(a.by.x):
		return constantOf(a.by.typ, big.NewInt(1)), way
	case h.step.x.Is(1):
		return a.by, way
	}
	times = way
	times.x, times.lo = loops.Quotient(loops.FloorDiv, way.x, h.step.x), lesser(way.lo, new(big.Int))
	return a.by, times
}

// at is a scalar that has gone so often so far.
func (a advance) at(e *elaborator, by, times cval) cval {
	v := e.sum(a.from, e.product(by, times), 1)
	v.typ = a.sym.typ
	return v
}

// after is what an advance has come to behind the loop.
func (e *elaborator) after(a advance, l *loops.For, h *plan) cval {
	far := new(big.Int).Sub(h.nearest(), h.lo.lo)
	if h.down {
		far.Sub(h.lo.hi, h.nearest())
	}
	trips := cval{typ: a.by.typ, x: h.trips(l), lo: new(big.Int), hi: greater(far, new(big.Int))}
	return a.at(e, a.by, trips).held()
}

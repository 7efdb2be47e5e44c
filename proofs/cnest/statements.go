package cnest

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A lowering is a text on its way into the form, where it is now.
type lowering struct {
	*steering
	*loops.Text
	now     map[*variable]size // of integers of control; none where it is not known
	arrays  map[*variable]*array
	active  []*function // being called
	calls   int
	strict  int                         // see strictly
	checked bool                        // signed overflow of data is undefined
	spans   map[*loops.Data][2]*big.Int // where integers of control lie that are data
	exact   bool                        // integers of control do not wrap: in contracts
	when    []*loops.Data               // conditions on data under which a statement is executed
	asked   map[*loops.Data]bool        // those that something is chosen by
	born    map[*loops.Buffer]int       // under how many of them locals were declared
	unsure  int                         // how many conditions on data decide what is executed
	alone   *node                       // an expression that stands where nothing else is computed
	picked  map[*node]int               // which operand a choice of integers of control is
}

// Emit adds a statement, which data perhaps decides about.
func (l *lowering) Emit(s loops.Stmt) {
	switch s := s.(type) {
	case *loops.Assign:
		s.Guarded, s.Known = l.unsure > 0, l.unsure == len(l.when)
		s.Under = slices.Clone(l.when[:min(l.born[s.To.Buffer], len(l.when))])
	case *loops.Require:
		s.Guarded = l.unsure > 0
	}
	l.Text.Emit(s)
}

func (l *lowering) statements(list []*stmt) {
	for done := 0; done < len(list); done++ {
		s := list[done]
		if n := l.byCases(list[done:]); n > 0 {
			done += n - 1
			continue
		}
		switch s.op {
		case "block":
			l.statements(s.body)
		case "declare":
			l.local(s)
		case "do":
			l.perform(s.x)
		case "if":
			l.branch(s)
		case "for":
			l.loop(s)
		case "forget":
			delete(l.now, s.v)
		default:
			refuse(s.at, "unsupported-op", "a return that is not the end of its function")
		}
	}
}

// local begins a variable (6.2.4, 6.7.9).
func (l *lowering) local(s *stmt) {
	v := s.v
	switch {
	case l.steers[v] && !v.array:
		delete(l.now, v)
		if l.alone = s.x; s.x != nil {
			l.now[v] = l.computed(v, s.at, func() (size, ctype) { return l.control(s.x) })
		}
		return
	case s.x != nil && !v.array:
		l.alone = s.x
		x, t := l.data(s.x)
		l.arrays[v] = l.hold(v.name, v.typ, convert(x, t, v.typ, s.at), s.at)
		l.arrays[v].readonly = v.readonly
		return
	}
	if v.pointer() { // to an array, or a block of one
		check(len(l.when) == 0, v.at, "unsupported-op", "a pointer that data decides about")
		l.arrays[v] = l.handed(s.x, v, l.argument(s.x))
		return
	}
	var dims []size
	for _, d := range v.dims {
		x := l.extent(d)
		check(loops.Constant(x), v.at, "not-static-control", "an extent of a counter")
		if !l.Nonneg(x.Sub(one)) { // 6.7.6.2
			text := fmt.Sprintf("an extent of %s is positive", v.name)
			l.Emit(&loops.Require{Cond: l.AtMost(one, x), Text: text, Span: s.at})
		}
		dims = append(dims, x)
	}
	l.arrays[v] = l.declare(v.name, v.typ, dims, s.at)
	l.arrays[v].readonly = v.readonly
	if s.x != nil {
		l.cleared(l.arrays[v], nil, v.at)
		l.listed(l.arrays[v], s.x, nil)
	}
}

// cleared writes 0 to all elements of an array (6.7.9 21): a list may leave some out.
func (l *lowering) cleared(a *array, at []size, where source.Span) {
	if len(at) == len(a.dims) {
		x := &loops.Data{Op: loops.DataLiteral, Elem: a.typ.elem, Text: "0", Span: where}
		to := loops.Access{Buffer: a.of, At: l.Integers(at), Span: where}
		l.Emit(&loops.Assign{To: to, Value: x, Span: where})
		return
	}
	end := a.dims[len(at)]
	_, ok := end.Const()
	check(ok, where, "unsupported-op", "a list for an array whose extent is no number")
	f := &loops.For{Lo: l.Integers([]size{zero}), Hi: l.Integers([]size{end}), Step: l.Integer(one),
		Span: where}
	n, _ := end.Const()
	c := l.Counter(f, new(big.Int), n)
	f.Body = l.Under([]size{c, end.Sub(c).Sub(one)}, func() {
		l.cleared(a, append(slices.Clip(at), c), where)
	})
	l.Emit(f)
}

// listed writes what a list has to the elements of an array, in order; zeros are there.
func (l *lowering) listed(a *array, n *node, at []size) {
	if n.op == "list" {
		check(len(at) < len(a.dims), n.at, "bad-syntax", "a list for an element")
		end, _ := a.dims[len(at)].Const()
		check(end.Cmp(big.NewInt(int64(len(n.args)))) >= 0, n.at, "bad-syntax", "too many values")
		for k, x := range n.args {
			l.listed(a, x, append(slices.Clip(at), domain.IntSize(int64(k))))
		}
		return
	}
	if v, _, ok := number(n); ok && v.Sign() == 0 {
		return
	}
	check(len(at) == len(a.dims), n.at, "unsupported-op", "rows of a list without braces")
	l.alone = n
	x, t := l.data(n)
	to := loops.Access{Buffer: a.of, At: l.Integers(at), Span: n.at}
	l.Emit(&loops.Assign{To: to, Value: convert(x, t, a.typ, n.at), Span: n.at})
}

// perform does what an expression does that stands alone.
func (l *lowering) perform(n *node) {
	switch f := l.callee(n); {
	case n.op == ",":
		l.perform(n.args[0])
		l.perform(n.args[1])
	case n.op == "call" && f != nil:
		l.alone = n
		if f.result != void {
			l.dataCall(n)
			return
		}
		l.inline(n, f, func(x *node) {
			check(x == nil, n.at, "bad-syntax", "%s returns nothing", f.name)
		})
	case n.op == "call" && l.exact && promises[n.text] == len(n.args):
		l.promised(n)
	case n.op == "call" && library[n.text].args != "":
		l.performs(n)
	case n.op == "=" && n.args[1].op == "=": // the value is what the right one has then (6.5.16)
		l.perform(n.args[1])
		l.assign(&node{op: n.op, args: []*node{n.args[0], n.args[1].args[0]}, at: n.at})
	case assigns0(n):
		l.assign(n)
	default:
		refuse(n.at, "unsupported-op", "an expression without effect")
	}
}

// assign is an assignment (6.5.16, 6.5.2.4, 6.5.3.1).
func (l *lowering) assign(n *node) {
	to, op := n.args[0], strings.TrimSuffix(n.op, "=")
	from := n.args[len(n.args)-1]
	if len(n.args) == 1 {
		op, from = n.op[:1], &node{op: "number", text: "1", at: n.at}
	}
	l.alone = nil
	if op == "" {
		l.alone = from
	}
	if v := to.v; v != nil && l.steers[v] {
		check(!v.readonly && !v.array, n.at, "unsupported-op", "%s is not changed", v.name)
		check(len(l.when) == 0, n.at, "not-static-control", "data decides whether %s is changed",
			v.name)
		l.now[v] = l.computed(v, n.at, func() (size, ctype) {
			x, t := l.control(from)
			if op == "" {
				return x, t
			}
			y, s := l.control(to)
			return l.arithmetic(op, y, s, x, t, n.at)
		})
		return
	}
	a, _ := l.path(to)
	check(!a.readonly, n.at, "unsupported-op", "what is const is not changed")
	x, t := l.data(from)
	if op != "" {
		y, s := l.data(to)
		x, t = l.binary(op, y, s, x, t, n.at)
	}
	place, c := l.access(to)
	value := l.conditional(place, convert(x, t, c, n.at), c)
	l.Emit(&loops.Assign{To: place, Value: value, Span: n.at})
}

// either is an operand a || b of a condition that is made of such by && (6.5.13, 6.5.14): a is of
// control and asks for nothing, so that it may be computed first, and b is data.
func (l *lowering) either(x *node) *node {
	switch {
	case x.op == "||" && l.isControl(x.args[0]) && !l.isControl(x.args[1]) &&
		l.freely(func() { l.condition(x.args[0]) }):
		return x
	case x.op == "&&":
		if found := l.either(x.args[0]); found != nil {
			return found
		}
		return l.either(x.args[1])
	}
	return nil
}

// instead is x with an operand of its && in place of another, nil for one that holds.
func (x *node) instead(of, by *node) *node {
	if x == of {
		return by
	} else if x.op != "&&" {
		return x
	}
	a, b := x.args[0].instead(of, by), x.args[1].instead(of, by)
	if a == nil {
		return b
	} else if b == nil {
		return a
	}
	return &node{op: "&&", args: []*node{a, b}, at: x.at}
}

// branch is an if (6.8.4.1).
func (l *lowering) branch(s *stmt) {
	if len(l.when) == 0 && !l.isControl(s.x) {
		if e := l.either(s.x); e != nil {
			yes, no := *s, *s
			yes.x, no.x = s.x.instead(e, nil), s.x.instead(e, e.args[1])
			first := []*stmt{&yes}
			if yes.x == nil {
				first = s.body
			}
			s = &stmt{op: "if", x: e.args[0], body: first, rest: []*stmt{&no}, at: s.at}
		}
	}
	if !l.isControl(s.x) {
		x := l.fronted(s.x)
		if x == nil || s.rest != nil {
			l.decide(s)
			return
		}
		inner := *s // if (a && b) is if (a) if (b)
		inner.x = x.args[1]
		s = &stmt{op: s.op, x: x.args[0], body: []*stmt{&inner}, at: s.at}
	}
	c := l.tested(s.x)
	before, after := l.now, [2]map[*variable]size{}
	side := func(k int, block []*stmt) func() {
		return func() {
			l.now = maps.Clone(before)
			l.statements(block)
			after[k] = l.now
		}
	}
	l.EmitIf(&loops.If{Span: s.at}, c, side(0, s.body), side(1, s.rest))
	l.now = common(after[0], after[1])
	for v, x := range after[0] { // if (x < lo) x = lo: it is the greater one
		if y, known := after[1][v]; known && !x.Equal(y) {
			if z, ok := l.Choice(c, x, y); ok && !z.TooLarge() {
				l.now[v] = z
			}
		}
	}
}

// fronted is a condition as a && b with a of control alone, nil if it does not begin with such: (a
// && b) && c is a && (b && c).
func (l *lowering) fronted(x *node) *node {
	for x.op == "&&" && !l.isControl(x.args[0]) {
		first := x.args[0]
		if first.op != "&&" {
			return nil
		}
		behind := &node{op: "&&", args: []*node{first.args[1], x.args[1]}, at: x.at}
		x = &node{op: "&&", args: []*node{first.args[0], behind}, at: x.at}
	}
	if x.op != "&&" {
		return nil
	}
	return x
}

// A heading is that of a for (6.8.5.3).
type heading struct {
	s     *stmt
	v     *variable
	c     size   // the counter in an iteration
	meet  []size // what the counter comes to
	step  size
	up    bool
	ends  []size // below all of which, or above, it goes on
	fixed map[*variable]size
	body  []*stmt // with all of the step but that of the counter
	tick  *node   // which steps the counter
	lo    size
	goes  map[*variable]size // by how much other integers go with each iteration
	from  map[*variable]size // what they are at first
}

// loop is a for whose counter goes in steps towards ends that stay. What the body assigns to is not
// known at its begin, nor behind the loop.
func (l *lowering) loop(s *stmt) {
	check(len(l.when) == 0, s.at, "unsupported-op", "a loop that data decides about")
	l.statements(s.init)
	h := &heading{s: s}
	h.ticks()
	lo, known := l.now[h.v]
	check(known && l.steers[h.v], s.at, "not-static-control", "%s has no value", h.v.name)
	h.lo = lo
	changed := assigned(h.body)
	check(!changed[h.v] || s.within, s.at, "not-static-control", "%s is changed in its loop",
		h.v.name)
	delete(changed, h.v)
	f := &loops.For{Span: s.at}
	least, most := h.v.typ.limits()
	h.c = l.Counter(f, least, most)
	l.induct(h, changed)
	for v := range changed {
		delete(l.now, v)
	}
	h.fixed = l.now
	l.with(h, h.c, func() { l.pace(h) })
	l.with(h, h.c, func() { l.heading(h) })
	l.meets(h)
	l.with(h, lo, func() { l.condition(s.x) }) // before the first iteration
	l.narrow(h, lo)
	ahead := func(x, y size) size {
		if h.up {
			return x.Sub(y)
		}
		return y.Sub(x)
	}
	facts := []size{ahead(h.c, lo)}
	for _, e := range h.ends {
		facts = append(facts, ahead(e, h.c).Sub(one))
	}
	f.Body = l.Under(facts, func() {
		l.with(h, h.c, func() { l.statements(h.body) })
		l.with(h, h.c, func() {
			l.assign(h.tick)
			l.with(h, l.now[h.v], func() { l.condition(s.x) })
		})
	})
	extreme := map[bool]domain.SizeOp{true: domain.SizeMax, false: domain.SizeMin}
	f.Lo = l.Integers(loops.Apart(lo, extreme[h.up]))
	all := h.ends[0]
	for _, e := range h.ends {
		f.Hi = append(f.Hi, l.Integers(loops.Apart(e, extreme[!h.up]))...)
		if h.up {
			all = all.Min(e)
		} else {
			all = all.Max(e)
		}
	}
	f.Step = l.Integer(h.step)
	l.Emit(f)
	pace := h.step
	if !h.up {
		pace = zero.Sub(pace)
	}
	trips := ahead(all, lo).Add(pace).Sub(one).Div(pace)
	if !l.Nonneg(trips) {
		trips = trips.Max(zero)
	}
	l.now = maps.Clone(h.fixed)
	l.now[h.v] = lo.Add(trips.Mul(h.step))
	for v, by := range h.goes {
		l.now[v] = h.from[v].Add(trips.Mul(by))
	}
}

// with does something where what a body assigns to is not known, and the counter is x: but for what
// goes with it.
func (l *lowering) with(h *heading, x size, do func()) {
	l.now = maps.Clone(h.fixed)
	l.now[h.v] = x
	for v, by := range h.goes {
		l.now[v] = h.from[v].Add(h.along(x, by))
	}
	do()
}

// pace finds the step.
func (l *lowering) pace(h *heading) {
	l.Under(nil, func() {
		l.assign(h.tick)
		h.step = l.now[h.v].Sub(h.c)
		h.up = l.Nonneg(h.step.Sub(one))
		check(loops.Constant(h.step) && (h.up || l.Nonneg(zero.Sub(h.step).Sub(one))), h.s.at,
			"not-static-control", "a step of no known sign")
	})
}

// heading finds the ends. What it asks for is asked where it is executed.
func (l *lowering) heading(h *heading) {
	l.Under(nil, func() { l.limit(h, l.condition(h.s.x)) })
}

// meets asks that the counter comes to where a loop ends that goes on while it is not there.
func (l *lowering) meets(h *heading) {
	for _, end := range h.meet {
		x, y := h.lo, end
		if !h.up {
			x, y = y, x
		}
		if !l.Nonneg(y.Sub(x)) {
			text := fmt.Sprintf("%s comes to its end", h.v.name)
			l.Emit(&loops.Require{Cond: l.AtMost(x, y), Text: text, Span: h.s.at})
		}
	}
}

// limit takes a condition of a loop apart: all of some, each that a multiple of the counter, once,
// lies before an end.
func (l *lowering) limit(h *heading, c *loops.Test) {
	if c.Op == loops.CondAll {
		for _, d := range c.Of {
			l.limit(h, d)
		}
		return
	}
	if c.Op == loops.CondNot && c.Of[0].Op == loops.CondEqual && h.s.x.op == "!=" {
		d := c.Of[0].X.Sub(c.Of[0].Y)
		end := h.c.Sub(d)
		free := func() bool { return !slices.Contains(end.Names(), h.c.Name()) }
		if !free() {
			end = h.c.Add(d)
		}
		step, number := h.step.Const()
		check(number && step.IsInt64() && (step.Int64() == 1 || step.Int64() == -1) && free(),
			h.s.x.at, "not-static-control", "a counter that may go past its end")
		h.ends, h.meet = append(h.ends, end), append(h.meet, end)
		return
	}
	check(c.Op == loops.CondLess || c.Op == loops.CondLessEqual, h.s.x.at, "not-static-control",
		"a loop goes on as long as its counter is below ends, or above")
	d := c.X.Sub(c.Y) // below 0, or at most
	at := func(n int64) size { return d.Subst(map[string]size{h.c.Name(): domain.IntSize(n)}) }
	rest := at(0)
	n, number := at(1).Sub(rest).Const()
	check(number && n.IsInt64() && n.Sign() != 0 && h.up == (n.Sign() > 0) &&
		d.Sub(rest).Equal(domain.BigSize(n).Mul(h.c)), h.s.x.at, "not-static-control",
		"the end of a loop is not ahead of its counter")
	most := zero.Sub(rest) // n·c is at most that
	if c.Op == loops.CondLess {
		most = most.Sub(one)
	}
	if by := domain.BigSize(new(big.Int).Abs(n)); h.up {
		h.ends = append(h.ends, most.Div(by).Add(one))
	} else { // c is at least -most / |n|, rounded up
		h.ends = append(h.ends, by.Sub(one).Sub(most).Div(by).Sub(one))
	}
}

// narrow is the range of a counter in its loop.
func (l *lowering) narrow(h *heading, lo size) {
	least, most := h.v.typ.limits()
	first, last := l.Within.Bounds(lo)
	if h.up && first != nil {
		least = first
	} else if !h.up && last != nil {
		most = last
	}
	for _, e := range h.ends {
		first, last := l.Within.Bounds(e)
		if h.up && last != nil && last.Cmp(most) <= 0 {
			most = new(big.Int).Sub(last, big.NewInt(1))
		} else if !h.up && first != nil && first.Cmp(least) >= 0 {
			least = new(big.Int).Add(first, big.NewInt(1))
		}
	}
	l.Narrow(h.c, least, most)
}

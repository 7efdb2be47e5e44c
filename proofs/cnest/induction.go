package cnest

import (
	"maps"
	"slices"

	"tv/internal/source"
	"tv/proofs/loops"
)

// sequenced takes ++ and -- in subscripts out of a statement, in front of it or behind (6.5.2.4,
// 6.5.3.1). What they change occurs nowhere else there, as nothing says what is done first (6.5),
// and they are not where they are done or not as a condition says.
func sequenced(s *stmt) []*stmt {
	var before, behind []*stmt
	var take func(n *node, subscript bool)
	take = func(n *node, subscript bool) {
		for k, a := range n.args {
			if k > 0 && slices.Contains([]string{"?:", "&&", "||", ","}, n.op) {
				return
			}
			inside := subscript || n.op == "[]" && k == 1
			if !inside || a.op != "++" && a.op != "--" || a.args[0].op != "name" {
				take(a, inside)
				continue
			}
			count, name := 0, a.args[0]
			walk(s.x, func(m *node) {
				if m.v == name.v {
					count++
				}
			})
			check(count == 1, a.at, "unsupported-op", "%s is changed and read", name.text)
			do := &stmt{op: "do", x: a, at: a.at}
			if n.args[k] = name; a.at.Start < name.at.Start {
				before = append(before, do)
			} else {
				behind = append(behind, do)
			}
		}
	}
	if s.x != nil {
		take(s.x, false)
	}
	return append(append(before, s), behind...)
}

// ticks finds what steps the counter, of all that a heading does behind an iteration: what its
// condition is about. The rest is done at the end of the body, which has nothing of the counter.
func (h *heading) ticks() {
	var list []*node
	var flat func(n *node)
	flat = func(n *node) {
		if n.op != "," {
			list = append(list, n)
			return
		}
		flat(n.args[0])
		flat(n.args[1])
	}
	flat(h.s.step)
	mentions := func(n *node, v *variable) (yes bool) {
		walk(n, func(n *node) { yes = yes || n.v == v })
		return yes
	}
	k := slices.IndexFunc(list, func(n *node) bool {
		return assigns0(n) && n.args[0].v != nil && mentions(h.s.x, n.args[0].v)
	})
	check(k >= 0, h.s.at, "not-static-control", "no counter")
	h.tick, h.v, h.body = list[k], list[k].args[0].v, slices.Clone(h.s.body)
	for i, n := range list {
		if i != k {
			check(!mentions(n, h.v), n.at, "not-static-control", "%s is the counter", h.v.name)
			h.body = append(h.body, &stmt{op: "do", x: n, at: n.at})
		}
	}
}

// induct finds the integers to which each iteration adds the same: the body takes a name for any
// value that one may have to that value and what has no counter in it. What one iteration does so
// they all do, and after j of them it is the first value and j times that.
func (l *lowering) induct(h *heading, changed map[*variable]bool) {
	marks, first := map[*variable]size{}, map[*variable]size{}
	goes := going(h.body)
	for v := range changed {
		if x, known := l.now[v]; known && l.steers[v] && goes[v] {
			least, most := v.typ.limits()
			first[v], marks[v] = x, l.Counter(&loops.For{Span: h.s.at}, least, most)
		}
	}
	if len(marks) == 0 {
		return
	}
	h.goes, h.from = map[*variable]size{}, first
	for v, x := range l.tried(h, changed, marks) {
		if mark, asked := marks[v]; asked && loops.Constant(x.Sub(mark)) {
			h.goes[v] = x.Sub(mark)
		}
	}
}

// going are variables of which statements make what they are from what they were, but for counters
// that begin in them.
func going(list []*stmt) map[*variable]bool {
	out := map[*variable]bool{}
	begun := map[*node]bool{} // steps of such counters
	expressions(list, func(s *stmt, n *node) {
		if s.op == "for" && n == s.step && assigns0(n) && assigned(s.init)[n.args[0].v] {
			begun[n] = true
		}
		if begun[n] || !assigns0(n) || n.args[0].v == nil {
			return
		}
		self := n.op != "="
		walk(n.args[len(n.args)-1], func(m *node) { self = self || m.v == n.args[0].v })
		if self {
			out[n.args[0].v] = true
		}
	})
	return out
}

// tried is what integers are behind the body of a loop that names stand for at its begin. Nothing
// of it stays.
func (l *lowering) tried(h *heading, changed map[*variable]bool,
	marks map[*variable]size) (out map[*variable]size) {
	was, text := *l, *l.Text
	defer func() {
		*l, *l.Text = was, text
		switch r := recover().(type) {
		case nil, source.Errors: // it is refused when it is read for good
		default:
			panic(r)
		}
	}()
	l.now = maps.Clone(l.now)
	for v := range changed {
		delete(l.now, v)
	}
	maps.Copy(l.now, marks)
	l.now[h.v] = h.c
	l.Under(nil, func() { l.statements(h.body) })
	return l.now
}

// along is how far what goes by so much has gone where the counter is x.
func (h *heading) along(x, by size) size {
	way, step := x.Sub(h.lo), h.step
	if !h.up {
		way, step = zero.Sub(way), zero.Sub(step)
	}
	switch q := by.Div(step); {
	case by.Equal(step):
		return way
	case loops.Constant(q) && q.Mul(step).Equal(by):
		return q.Mul(way)
	}
	return way.Div(step).Mul(by)
}

package cnest

import "slices"

// Iteration statements without a step in a heading (6.8.5.1, 6.8.5.2, and 6.8.5.3 without its third
// expression): such a loop is in the form of a for whose step is a statement of the body.

// settled are the statements that a loop with a condition and without a step is. A step of a
// counter in the condition (6.5.2.4, 6.5.3.1) is done each time that it is evaluated, the last time
// included: what i is behind i-- > 0 is not followed.
func (p *parser) settled(s *stmt) []*stmt {
	n := s.x
	if n.op == "++" || n.op == "--" || n.op == "name" {
		n = &node{op: "!=", args: []*node{n, {op: "number", text: "0", at: n.at}}, at: n.at}
	}
	var moved *node
	own := *n
	own.args = slices.Clone(n.args)
	for k, a := range n.args {
		if (a.op == "++" || a.op == "--") && a.args[0].op == "name" {
			check(moved == nil, a.at, "unsupported-op", "two steps in a condition")
			moved, own.args[k] = a, a.args[0]
		}
	}
	s.x = &own
	if moved == nil {
		s.stepped()
		return []*stmt{s}
	}
	v, count := moved.args[0].v, 0
	walk(n, func(m *node) {
		if m.v == v {
			count++
		}
	})
	check(count == 1, moved.at, "unsupported-op", "%s is changed and read", v.name)
	do := &stmt{op: "do", x: moved, at: moved.at}
	list := s.init
	s.init = nil
	if moved.at.Start < moved.args[0].at.Start {
		s.body = append(slices.Clip(s.body), do)
		s.stepped()
		return append(slices.Clip(list), do, s)
	}
	s.body = append([]*stmt{do}, s.body...)
	s.stepped()
	return append(slices.Clip(list), s, &stmt{op: "forget", v: v, at: s.at})
}

// stepped finds the step: the statement of the body, in no other, that changes what the condition
// names. Nothing else changes that.
func (s *stmt) stepped() {
	for len(s.body) == 1 && s.body[0].op == "block" {
		s.body = s.body[0].body
	}
	for _, b := range s.body {
		if b.op != "do" || !assigns0(b.x) || b.x.args[0].v == nil {
			continue
		}
		named := false
		walk(s.x, func(n *node) { named = named || n.v == b.x.args[0].v })
		if named {
			s.step = b.x
			break
		}
	}
	check(s.step != nil, s.at, "not-static-control", "a loop without a counter")
	v, count := s.step.args[0].v, 0
	expressions(s.body, func(t *stmt, n *node) {
		if assigns0(n) && n.args[0].v == v {
			count++
		}
		check(t.op != "declare" || t.v != v, t.at, "not-static-control", "%s begins in its loop",
			v.name)
	})
	check(count == 1, s.at, "not-static-control", "%s is changed twice", v.name)
	s.within = true
}

// once is a do (6.8.5.2): its body, and that of a while after it. As its counter goes towards an
// end that stays where it is, the condition holds behind the first iteration only if it holds in
// front of it, where that is then the first one of the while.
func (p *parser) once(body []*stmt, s *stmt) []*stmt {
	n := s.x
	check(len(n.args) == 2, s.at, "not-static-control", "a do without a counter")
	left := n.args[0]
	if left.op == "++" || left.op == "--" {
		check(left.at.Start < left.args[0].at.Start, left.at, "unsupported-op", "a step in a do")
		body = append(slices.Clip(body), &stmt{op: "do", x: left, at: left.at})
		left = left.args[0]
		n = &node{op: n.op, args: []*node{left, n.args[1]}, at: n.at}
	}
	loop := &stmt{op: "for", x: n, body: body, at: s.at}
	loop.stepped()
	up, by := loop.step.op == "++", loop.step.op == "++" || loop.step.op == "--"
	if loop.step.op == "+=" || loop.step.op == "-=" {
		v, _, ok := number(loop.step.args[1])
		up, by = loop.step.op == "+=", ok && v.Sign() > 0
	}
	ends := map[string]bool{"<": true, "<=": true, ">": false, ">=": false}
	wants, compares := ends[n.op]
	check(by && compares && wants == up && left.v != nil && left.v == loop.step.args[0].v, s.at,
		"not-static-control", "a do whose counter does not go towards an end by a number")
	changed := assigned(body)
	walk(n.args[1], func(m *node) {
		check(!changed[m.v] && !assigns0(m), m.at, "not-static-control", "the end of a do moves")
	})
	return []*stmt{{op: "if", x: n, body: []*stmt{loop}, rest: body, at: s.at}}
}

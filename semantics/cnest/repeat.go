package cnest

import (
	"math/big"
	"slices"
)

// headed reads loops without a step in their headings, while, do and for (;c;), as such that have one, and takes steps out
// of conditions:
//
//	while (i-- > 0) S     is  while (i > 0) { i--; S }, and i is one less behind it
//	while (--i > 0) S     is  --i; while (i > 0) { S --i; }
//	do S while (i < n);   is  if (i < n) while (i < n) S else S, as i goes towards n alone
//	while (i) S           is  while (i != 0) S
func (r *resolver) headed(s *stmt) []*stmt {
	switch {
	case s.op == repeats:
		return []*stmt{r.atLeastOnce(s)}
	case s.op != iterates || s.x == nil:
		return []*stmt{s}
	}
	c := *s
	step, post := stepIn(s.x)
	if step == nil {
		if c.x = compared(s.x); s.step == nil {
			c.tick()
		}
		return []*stmt{&c}
	}
	if s.step != nil {
		fail(step.span, "unsupported-op", "%s in the condition of a loop whose heading has a step", show(step.span))
	}
	c.x = compared(withoutStep(s.x))
	evaluated := &stmt{op: evaluates, x: step, span: step.span}
	var list []*stmt
	if s.init != nil {
		list, c.init = append(list, s.init), nil
	}
	if post {
		c.body = append([]*stmt{evaluated}, s.body...)
		c.tick()
		list = append(list, &c, &stmt{op: forgets, x: step.args[0], span: s.span})
	} else {
		c.body = []*stmt{{op: encloses, body: s.body, span: s.span}, evaluated}
		c.tick()
		list = append(list, evaluated, &c)
	}
	if s.init == nil {
		return list
	}
	return []*stmt{{op: encloses, body: list, span: s.span}}
}

// stepIn finds i++ or --i as an operand of the comparison that a condition is, or as all of it; post is that of i++.
func stepIn(x *expr) (step *expr, post bool) {
	list := []*expr{x}
	if len(x.args) == 2 {
		list = x.args
	}
	for _, y := range list {
		if (y.op == "++" || y.op == "--") && y.args[0].op == opName {
			if step != nil {
				fail(y.span, "unsupported-op", "two steps in a condition")
			}
			step, post = y, y.span.Start == y.args[0].span.Start
		}
	}
	if step != nil {
		count := 0
		x.visit(func(y *expr) bool {
			if y.op == opName && y.name == step.args[0].name {
				count++
			}
			return true
		})
		if count > 1 {
			fail(step.span, "unsupported-op", "%s where %s occurs once more: C does not say which is first", show(step.span), step.args[0].name)
		}
	}
	return step, post
}

func withoutStep(x *expr) *expr {
	if x.op == "++" || x.op == "--" {
		return x.args[0]
	}
	c := *x
	c.args = slices.Clone(x.args)
	for k, y := range c.args {
		if (y.op == "++" || y.op == "--") && y.args[0].op == opName {
			c.args[k] = y.args[0]
		}
	}
	return &c
}

// compared is a condition; that a name is not 0 is a comparison.
func compared(x *expr) *expr {
	if x.op != opName {
		return x
	}
	zero := &expr{op: opNumber, typ: intType, num: new(big.Rat), span: x.span}
	return &expr{op: "!=", args: []*expr{x, zero}, span: x.span}
}

// tick finds the step of a loop among the statements of its body, which stand apart then: the one that changes what the
// condition names. If it is the last one it is the step of a for.
func (s *stmt) tick() {
	var body []*stmt
	own := map[string]bool{}
	for _, t := range s.body {
		body = append(body, apart(t)...)
		for _, d := range t.decls {
			own[d.name] = true
		}
	}
	mentioned := map[string]bool{}
	s.x.visit(func(x *expr) bool {
		mentioned[x.name] = mentioned[x.name] || x.op == opName
		return true
	})
	where := -1
	for k, t := range body {
		if t.op != evaluates {
			continue
		}
		if _, ok := assigns(t.x.op); !ok || t.x.args[0].op != opName || !mentioned[t.x.args[0].name] {
			continue
		}
		if where < 0 {
			where = k
		} else if t.x.args[0].name == body[where].x.args[0].name {
			fail(t.x.span, "not-static-control", "%s is the counter of a loop, which changes it once", t.x.args[0].name)
		}
	}
	if where < 0 {
		fail(s.span, "not-static-control", "no statement of the loop steps what its condition is about, as i++ does, whatever holds")
	}
	step := body[where].x
	step.visit(func(x *expr) bool {
		if x.op == opName && own[x.name] {
			fail(x.span, "not-static-control", "the step of a loop by %s, which its body declares", x.name)
		}
		return true
	})
	s.step, s.body, s.placed = step, body, true
	if where == len(body)-1 {
		s.body, s.placed = body[:where], false
	}
}

// atLeastOnce is a do. Its condition compares a counter with what stays as it is, and the counter goes towards that: where the
// condition does not hold before the first iteration it does not behind it.
func (r *resolver) atLeastOnce(s *stmt) *stmt {
	if r.unit.contracts {
		fail(s.span, "unsupported-op", "do loops in contracts")
	}
	if r.copies++; r.copies > maxCopies {
		fail(s.span, "too-large", "more than %d calls and do loops", maxCopies)
	}
	x, body := s.x, s.body
	if step, post := stepIn(x); step != nil {
		if post {
			fail(step.span, "unsupported-op", "%s in the condition of a do", show(step.span))
		}
		x = withoutStep(x)
		body = []*stmt{{op: encloses, body: s.body, span: s.span}, {op: evaluates, x: step, span: step.span}}
	}
	loop := &stmt{op: iterates, x: x, body: body, span: s.span}
	loop.tick()
	counter := loop.step.args[0].name
	up := loop.step.op == "++"
	if by := loop.step.args; loop.step.op == "+=" || loop.step.op == "-=" {
		up = loop.step.op == "+="
		if by[1].op != opNumber || by[1].num.Sign() <= 0 {
			up = x.op != "<" && x.op != "<="
		}
	}
	known := x.op == "<" || x.op == "<=" || x.op == ">" || x.op == ">="
	if !known || up != (x.op == "<" || x.op == "<=") || loop.step.op == "=" || x.args[0].op != opName || x.args[0].name != counter {
		fail(s.x.span, "not-static-control", "a do goes on while its counter, which goes in steps by a number, is before an end: while (i < n)")
	}
	stays := map[string]bool{}
	x.args[1].visit(func(y *expr) bool {
		stays[y.name] = stays[y.name] || y.op == opName
		return true
	})
	changes := func(y *expr) bool {
		if _, ok := assigns(y.op); ok && y.args[0].op == opName && stays[y.args[0].name] {
			fail(y.span, "not-static-control", "the end of a loop changes in it")
		}
		return true
	}
	each(body, func(t *stmt) {
		t.x.visit(changes)
		t.step.visit(changes)
		for _, y := range t.more {
			y.visit(changes)
		}
	})
	return &stmt{op: decides, x: x, body: []*stmt{loop}, other: body, span: s.span}
}

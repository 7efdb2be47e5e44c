package cnest

import (
	"maps"
	"math/big"

	"tv/internal/source"
	"tv/proofs/loops"
)

// maxCases bounds the choices around a statement that are made before it is read.
const maxCases = 6

// byCases reads a list of statements the first of which has an integer of control c ? x : y that is
// no one expression: where c holds with x in its place, and else with y. C computes c where it
// computes that integer, to the same value, if nothing in the statement changes what is in it; and
// here it may be computed in any case, as that asks for nothing.
//
// It returns how many statements it has read: all of them where the first is what an integer of
// control is from then on, and else that one.
func (l *lowering) byCases(list []*stmt) int {
	n := l.undecided(list[0])
	if n == nil || len(l.picked) >= maxCases {
		return 0
	}
	var c *loops.Test
	if !l.freely(func() { c = l.condition(n.args[0]) }) {
		return 0
	}
	if s := list[0]; s.op == "for" || s.op == "do" && !l.sets(s) {
		list = list[:1]
	}
	before, after := l.now, [2]map[*variable]size{}
	side := func(k int) func() {
		return func() {
			l.now, l.picked[n] = maps.Clone(before), k
			l.statements(list)
			after[k] = l.now
		}
	}
	l.EmitIf(&loops.If{Span: n.at}, c, side(0), side(1))
	delete(l.picked, n)
	l.now = common(after[0], after[1])
	return len(list)
}

// sets reports whether a statement sets an integer of control.
func (l *lowering) sets(s *stmt) bool {
	return assigns0(s.x) && s.x.args[0].v != nil && l.steers[s.x.args[0].v]
}

// common are the integers that are the same on two ways.
func common(x, y map[*variable]size) map[*variable]size {
	out := maps.Clone(x)
	for v, a := range x {
		if b, known := y[v]; !known || !a.Equal(b) {
			delete(out, v)
		}
	}
	return out
}

// undecided finds such an integer in a subscript, in what a variable of control is assigned, or in
// the condition of a loop.
func (l *lowering) undecided(s *stmt) (found *node) {
	changed := assigned([]*stmt{s})
	if s.op == "do" && assigns0(s.x) {
		inside := 0
		walk(s.x, func(n *node) {
			if assigns0(n) {
				inside++
			}
		})
		if inside == 1 { // the assignment itself comes last
			changed = nil
		}
	}
	for _, x := range s.init {
		if x.op == "declare" {
			changed[x.v] = true
		}
	}
	moves := func(n *node) (yes bool) {
		walk(n, func(n *node) { yes = yes || changed[n.v] || assigns0(n) })
		return yes
	}
	in := func(n *node) {
		walk(n, func(n *node) {
			_, known := l.picked[n]
			if found == nil && n.op == "?:" && !known && l.isControl(n) &&
				!moves(n) && !l.alike(n) {
				found = n
			}
		})
	}
	switch {
	case s.op == "declare" && s.x != nil && l.steers[s.v] && !s.v.array,
		s.op == "do" && l.sets(s),
		s.op == "for" && s.x != nil:
		in(s.x)
	case s.op == "declare" || s.op == "do":
		walk(s.x, func(n *node) {
			if n.op == "[]" {
				in(n.args[1])
			}
		})
	}
	return found
}

// alike reports whether a choice is one integer whatever holds, or cannot be read at all.
func (l *lowering) alike(n *node) bool {
	readable := func(x *node) bool { return l.tries(func() { l.control(x) }) }
	return l.tries(func() { l.alternative(n) }) ||
		!readable(n.args[1]) || !readable(n.args[2])
}

// tries reports whether something is not refused. Nothing of it stays.
func (l *lowering) tries(do func()) (ok bool) {
	was, text := *l, *l.Text
	l.now = maps.Clone(l.now)
	defer func() {
		*l, *l.Text = was, text
		switch r := recover().(type) {
		case nil, source.Errors:
		default:
			panic(r)
		}
	}()
	l.Under(nil, do)
	return true
}

// freely does so for good, if it asks for nothing.
func (l *lowering) freely(do func()) (ok bool) {
	ok = l.tries(func() {
		block := l.Under(nil, do)
		check(len(block) == 0, source.Span{}, "not-affine", "something is asked for")
	})
	if ok {
		do()
	}
	return ok
}

// counted is an operation on integers of control as an element: where it and all on the way to it
// surely lie in their types, it is that integer, and nothing wraps.
func (l *lowering) counted(n *node) (out *loops.Data, t ctype, ok bool) {
	switch n.op {
	case "+", "-", "*", "/", "%", "&", "<<", ">>", "neg":
	default:
		return nil, void, false
	}
	for _, a := range n.args { // in long sums of data this tells at once
		if (a.op == "name" || a.op == "[]") && !l.isControl(a) {
			return nil, void, false
		}
	}
	if l.exact || !l.isControl(n) {
		return nil, void, false
	}
	var x size
	if !l.freely(func() { x, t = l.control(n) }) || !t.isInt() {
		return nil, void, false
	}
	if c, constant := x.Const(); constant {
		out = &loops.Data{Op: loops.DataLiteral, Elem: t.elem, Text: c.String(), Span: n.at}
		return out, t, true
	}
	out = &loops.Data{Op: loops.DataInt, Elem: t.elem, Int: l.Integer(x), Span: n.at}
	if least, most := l.Within.Bounds(x); least != nil && most != nil {
		l.spans[out] = [2]*big.Int{least, most}
	}
	return out, t, true
}

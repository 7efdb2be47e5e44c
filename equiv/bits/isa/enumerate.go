package isa

import (
	"fmt"
	"slices"
	"strings"

	"tv/equiv/egraph"
)

// An instruction is a term with holes. Holes are numbered in the order in which they stand, and have the width of what they are filled with.
type instruction struct {
	body      *body
	widths    []int // of the holes
	numbers   []int // of the holes: equal ones have one argument
	width     int
	operators int
}

// A body is a part of an instruction: an operator of parts, or a hole where op is nil.
type body struct {
	op    *operator
	name  egraph.Op
	parts []*body
}

// A part is what a child of an operator becomes: a hole, or what an application in its class has.
type part struct {
	kept  bool
	apply egraph.Term // of what is kept
	arg   egraph.Class
}

// text is a body with the holes named by the numbers of their arguments.
func (b *body) text(numbers []int, next *int) string {
	if b.op == nil {
		*next++
		return fmt.Sprintf("i%d", numbers[*next-1])
	}
	if b.op.name == opConst {
		return literal(b.op.value, b.op.width)
	}
	parts := []string{b.op.head()}
	for _, p := range b.parts {
		parts = append(parts, p.text(numbers, next))
	}
	if b.op.name == "bool->bitvector" && len(b.op.indices) > 0 {
		parts = append(parts, fmt.Sprint(b.op.indices[0]))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (in *instruction) text() string {
	next := 0
	return in.body.text(in.numbers, &next)
}

// instruction numbers one.
func (s *search) instruction(in *instruction) int {
	key := fmt.Sprint(in.text(), in.widths, in.width)
	n, ok := s.known[key]
	if !ok {
		n = len(s.instructions)
		s.known[key] = n
		s.instructions = append(s.instructions, in)
	}
	return n
}

// canonical numbers arguments in the order of their first use: x y x is 0 1 0.
func canonical(args []egraph.Class) []int {
	numbers := make([]int, len(args))
	next := 0
	for i, a := range args {
		if k := slices.Index(args[:i], a); k >= 0 {
			numbers[i] = numbers[k]
			continue
		}
		numbers[i] = next
		next++
	}
	return numbers
}

// enumerate applies instructions wherever operators are, with parts that are there. It tells whether that was news.
func (s *search) enumerate() (changed bool) {
	for _, c := range slices.Collect(s.g.Classes()) {
		for _, n := range s.g.Nodes(c) {
			o := &s.ops[n.Op]
			if o.name == opApply {
				continue
			}
			if o.name != opConst {
				changed = s.identity(c) || changed
			}
			if o.name == opVar {
				continue
			}
			s.choose(n, make([]part, 0, len(n.Children)), 0, func(parts []part) {
				changed = s.apply(n, parts) || changed
			})
			if s.full() {
				return true
			}
		}
	}
	return changed
}

// choose goes through what the children of a node may become, with no more holes than an instruction may have.
func (s *search) choose(n egraph.Node, parts []part, holes int, yield func([]part)) {
	if s.stopped != "" {
		return
	}
	if len(parts) == len(n.Children) {
		yield(parts)
		s.full()
		return
	}
	child := s.g.Find(n.Children[len(parts)])
	if holes+1 <= s.o.Holes {
		s.choose(n, append(parts, part{arg: child}), holes+1, yield)
	}
	for _, a := range s.g.Nodes(child) {
		o := &s.ops[a.Op]
		if o.name != opApply || s.instructions[o.instruction].body.op == nil {
			continue
		}
		if more := len(a.Children); holes+more <= s.o.Holes {
			s.choose(n, append(parts, part{kept: true, apply: a.Term}), holes+more, yield)
		}
	}
}

// apply adds the application of a node whose children become parts. Arguments are the oldest terms of their classes, so that
// equal ones are one term.
func (s *search) apply(n egraph.Node, parts []part) bool {
	in := &instruction{width: s.g.Data(s.g.Class(n.Term)), operators: 1, body: &body{op: &s.ops[n.Op], name: n.Op}}
	if in.body.op.name == opConst {
		in.operators = 0
	}
	r := reason{kind: applies}
	var classes []egraph.Class
	var args, children []egraph.Term
	for _, p := range parts {
		if !p.kept {
			t := s.g.Representative(p.arg)
			in.body.parts = append(in.body.parts, &body{})
			in.widths, classes = append(in.widths, s.g.Data(p.arg)), append(classes, s.g.Find(p.arg))
			args, children, r.kept = append(args, t), append(children, t), append(r.kept, false)
			continue
		}
		of := s.instructions[s.ops[s.g.Op(p.apply)].instruction]
		in.body.parts = append(in.body.parts, of.body)
		in.widths, in.operators = append(in.widths, of.widths...), in.operators+of.operators
		var inner []egraph.Term
		for _, a := range s.g.Args(p.apply) {
			c := s.g.Class(a)
			inner, classes = append(inner, s.g.Representative(c)), append(classes, c)
		}
		child, err := s.g.Add(s.g.Op(p.apply), inner...)
		if err != nil {
			panic("isa: " + err.Error())
		}
		args, children, r.kept = append(args, inner...), append(children, child), append(r.kept, true)
	}
	in.numbers = canonical(classes)
	return s.unite(n.Op, children, in, args, r)
}

// identity applies a hole to a class.
func (s *search) identity(c egraph.Class) bool {
	t, w := s.g.Representative(c), s.g.Data(c)
	in := &instruction{body: &body{}, widths: []int{w}, numbers: []int{0}, width: w}
	op := s.op(operator{name: opApply, instruction: s.instruction(in)}, "")
	if to, ok := s.g.Lookup(op, t); ok && s.g.Class(to) == s.g.Class(t) {
		return false
	}
	to, err := s.g.Add(op, t)
	if err != nil {
		panic("isa: " + err.Error())
	}
	return s.union(t, to, reason{kind: itself})
}

// unite adds a node with its children as they are, the application of an instruction, and that they are equal.
func (s *search) unite(op egraph.Op, children []egraph.Term, in *instruction, args []egraph.Term, r reason) bool {
	apply := s.op(operator{name: opApply, instruction: s.instruction(in)}, "")
	if c, ok := s.g.Congruent(apply, args...); ok {
		if d, ok := s.g.Congruent(op, children...); ok && c == d {
			return false
		}
	}
	from, err := s.g.Add(op, children...)
	if err != nil {
		panic("isa: " + err.Error())
	}
	to, err := s.g.Add(apply, args...)
	if err != nil {
		panic("isa: " + err.Error())
	}
	return s.union(from, to, r)
}

// union makes terms equal for a reason, and tells whether that was news.
func (s *search) union(from, to egraph.Term, r reason) bool {
	r.from, r.to = from, to
	united, err := s.g.Union(from, to, egraph.Reason(len(s.reasons)))
	if err != nil {
		panic("isa: " + err.Error())
	}
	if united {
		s.reasons = append(s.reasons, r)
	}
	return united
}

// An application is an instruction applied in a class.
type application struct {
	term  egraph.Term
	class egraph.Class
	args  []egraph.Class
}

// applications are those of all classes. Constants are none: they stand where they are.
func (s *search) applications() (out []application) {
	for c := range s.g.Classes() {
		for _, n := range s.g.Nodes(c) {
			o := &s.ops[n.Op]
			if o.name != opApply {
				continue
			}
			if b := s.instructions[o.instruction].body.op; b != nil && b.name == opConst {
				continue
			}
			a := application{term: n.Term, class: c}
			for _, child := range n.Children {
				a.args = append(a.args, s.g.Find(child))
			}
			out = append(out, a)
		}
	}
	return out
}

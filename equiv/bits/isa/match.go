package isa

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"tv/equiv/egraph"
	"tv/semantics/bits/rule"
)

// A matcher finds the instances of a left side.
type matcher struct {
	*search
	rule  *rule.Rule
	vars  map[string]egraph.Class
	names map[string]int
	later []equation // what a number has to be, once names are known
}

type equation struct {
	x rule.Expr
	n int
}

// rewrite applies each rule to what is there, in the order of rules and classes. It tells whether that was news.
func (s *search) rewrite() (changed bool) {
	type instance struct {
		rule  int
		vars  map[string]egraph.Term
		names map[string]int
	}
	var found []instance
	for i, r := range s.o.Rules {
		if len(r.Warnings) > 0 { // the left side does not say what a variable of the right side is
			continue
		}
		for _, c := range slices.Collect(s.g.Classes()) {
			m := &matcher{search: s, rule: r.Rule, vars: map[string]egraph.Class{}, names: map[string]int{}}
			m.term(r.Sides[0], c, func() {
				if len(m.names) < len(r.Numbers) || !m.settled() {
					return
				}
				terms := map[string]egraph.Term{}
				for name, class := range m.vars {
					terms[name] = s.g.Representative(class)
				}
				found = append(found, instance{i, terms, maps.Clone(m.names)})
			})
		}
	}
	for _, in := range found {
		if s.full() {
			return true
		}
		changed = s.instance(in.rule, in.vars, in.names) || changed
	}
	return changed
}

func (m *matcher) settled() bool {
	return !slices.ContainsFunc(m.later, func(e equation) bool { return e.x.At(m.names) != int64(e.n) })
}

// instance adds both sides of a rule, if it is admitted, and that they are equal.
func (s *search) instance(i int, vars map[string]egraph.Term, names map[string]int) bool {
	r := s.o.Rules[i]
	key := fmt.Sprint(i, vars, names)
	if s.sides[key] {
		return false
	}
	s.sides[key] = true
	if in := r.At(names); !in.Admitted || in.Ill != "" || !r.Admits(names) {
		return false
	}
	from, err := s.side(r.Sides[0], vars, names)
	if err != nil {
		return false
	}
	to, err := s.side(r.Sides[1], vars, names)
	if err != nil {
		return false
	}
	if !s.union(from, to, reason{kind: rewrites, rule: i, vars: vars, names: names}) {
		return false
	}
	s.matches[i]++
	return true
}

// side adds a side of a rule with terms for its variables.
func (s *search) side(x *rule.Term, vars map[string]egraph.Term, names map[string]int) (egraph.Term, error) {
	switch x.Op {
	case rule.OpVar:
		return vars[x.Name], nil
	case rule.OpConst, rule.OpNumber:
		v, w := value(x, names)
		return s.constant(v, w)
	}
	var indices []int
	for _, e := range x.Indices {
		indices = append(indices, int(e.At(names)))
	}
	var args []egraph.Term
	for _, a := range x.Args {
		arg, err := s.side(a, vars, names)
		if err != nil {
			return 0, err
		}
		args = append(args, arg)
	}
	return s.call(x.Op, indices, args)
}

// value is a constant of a rule, and its width.
func value(x *rule.Term, names map[string]int) (*big.Int, int) {
	if x.Op == rule.OpNumber {
		return big.NewInt(x.Indices[0].At(names)), int(x.Indices[1].At(names))
	}
	if x.Bool {
		return big.NewInt(map[string]int64{"true": 1, "false": 0}[x.Name]), 0
	}
	base, digit := 2, 1
	if x.Name[1] == 'x' {
		base, digit = 16, 4
	}
	v, _ := new(big.Int).SetString(x.Name[2:], base)
	return v, digit * (len(x.Name) - 2)
}

// term matches a term with a class, and goes on with k for each way to.
func (m *matcher) term(x *rule.Term, c egraph.Class, k func()) {
	c = m.g.Find(c)
	switch x.Op {
	case rule.OpVar:
		m.variable(x, c, k)
		return
	case rule.OpConst, rule.OpNumber:
		for _, n := range m.g.Nodes(c) {
			if o := &m.ops[n.Op]; o.name == opConst {
				m.constant(x, o, k)
			}
		}
		return
	}
	for _, n := range m.g.Nodes(c) {
		if o := &m.ops[n.Op]; o.name == x.Op && len(o.indices) == len(x.Indices) {
			m.numbers(x.Indices, o.indices, func() { m.args(x, n, k) })
		}
	}
}

// args matches the arguments of a call. Those of more than two are folded as they are in the graph.
func (m *matcher) args(x *rule.Term, n egraph.Node, k func()) {
	if len(x.Args) > 2 && (leftToRight[x.Op] || x.Op == "=>") {
		rest := &rule.Term{Op: x.Op, Args: x.Args[:len(x.Args)-1], Bool: x.Bool}
		pair := []*rule.Term{rest, x.Args[len(x.Args)-1]}
		if x.Op == "=>" {
			rest.Args = x.Args[1:]
			pair = []*rule.Term{x.Args[0], rest}
		}
		m.term(pair[0], n.Children[0], func() { m.term(pair[1], n.Children[1], k) })
		return
	}
	if len(x.Args) != len(n.Children) {
		return
	}
	var next func(i int)
	next = func(i int) {
		if i == len(x.Args) {
			k()
			return
		}
		m.term(x.Args[i], n.Children[i], func() { next(i + 1) })
	}
	next(0)
}

func (m *matcher) variable(x *rule.Term, c egraph.Class, k func()) {
	if old, ok := m.vars[x.Name]; ok {
		if m.g.Find(old) == c {
			k()
		}
		return
	}
	width := m.g.Data(c)
	if x.Bool != (width == 0) {
		return
	}
	m.vars[x.Name] = c
	defer delete(m.vars, x.Name)
	if x.Bool {
		k()
		return
	}
	for _, v := range m.rule.Vars {
		if v.Name == x.Name {
			m.number(v.Width, width, k)
		}
	}
}

func (m *matcher) constant(x *rule.Term, o *operator, k func()) {
	if x.Op == rule.OpConst {
		if v, w := value(x, nil); w == o.width && v.Cmp(o.value) == 0 {
			k()
		}
		return
	}
	if o.width == 0 || !o.value.IsInt64() || o.value.Int64() > 1<<20 {
		return
	}
	m.numbers(x.Indices, []int{int(o.value.Int64()), o.width}, k)
}

func (m *matcher) numbers(xs []rule.Expr, values []int, k func()) {
	if len(xs) == 0 {
		k()
		return
	}
	m.number(xs[0], values[0], func() { m.numbers(xs[1:], values[1:], k) })
}

// number matches what a rule says of a number: a name is bound, what is computed is looked at when all names are known.
func (m *matcher) number(x rule.Expr, n int, k func()) {
	for _, name := range m.rule.Numbers {
		if !x.Equal(rule.Name(name.Name)) {
			continue
		}
		if old, ok := m.names[name.Name]; ok {
			if old == n {
				k()
			}
			return
		}
		if n < name.Least {
			return
		}
		m.names[name.Name] = n
		k()
		delete(m.names, name.Name)
		return
	}
	if v, ok := x.Constant(); ok {
		if v == int64(n) {
			k()
		}
		return
	}
	m.later = append(m.later, equation{x, n})
	k()
	m.later = m.later[:len(m.later)-1]
}

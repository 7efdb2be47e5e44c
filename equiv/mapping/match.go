package mapping

import (
	"slices"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/semantics/domain"
)

// A matcher finds the instances of the left side of a rule in the classes of a graph, or in one term. It tries, and takes back what it
// has bound where that leads nowhere.
type matcher struct {
	evaluator
	given    map[string]int64 // sizes that the target fixes, where the left side does not
	integers []string         // of the rule
	yield    func()           // of each match: the binding is the matcher's, and changes afterwards

	later []equation // what has to hold and could not be decided when it was met
	trail []func()   // takes back the bindings, the last first
}

// An equation is a value in the graph and what a rule says it is.
type equation struct {
	x *rule.Expr
	v *value
}

// goals are what is left to match.
type goals struct {
	x     *rule.Expr
	at    place
	value *value // where x is no term
	rest  *goals
}

// A place is a class, any term of which may be an instance, or a term that is to be one as it stands.
type place struct {
	class egraph.Class
	term  egraph.Term // -1 of a class
}

// root matches a left side with a class.
func (m *matcher) root(c egraph.Class) { m.solve(&goals{x: m.rule.LHS, at: place{c, -1}}) }

// term matches a left side with a term as it stands: variables stand for its very parts.
func (m *matcher) term(t egraph.Term) { m.solve(&goals{x: m.rule.LHS, at: place{m.g.Class(t), t}}) }

func (m *matcher) solve(gs *goals) {
	switch {
	case gs == nil:
		m.finish()
	case gs.value != nil:
		m.unify(gs.x, gs.value, func() { m.solve(gs.rest) })
	case gs.x.Kind == rule.Tensor:
		m.tensor(gs.x.Text, gs.at, func() { m.solve(gs.rest) })
	case gs.x.Kind == rule.Call:
		m.call(gs)
	}
}

// try goes on, and then takes back what was bound since.
func (m *matcher) try(k func()) {
	mark, waiting := len(m.trail), len(m.later)
	k()
	m.back(mark)
	m.later = m.later[:waiting]
}

func (m *matcher) back(mark int) {
	for len(m.trail) > mark {
		undo := m.trail[len(m.trail)-1]
		m.trail = m.trail[:len(m.trail)-1]
		undo()
	}
}

func bind[T any](m *matcher, in map[string]T, name string, v T) {
	in[name] = v
	m.trail = append(m.trail, func() { delete(in, name) })
}

func (m *matcher) call(gs *goals) {
	if gs.x.Op != nil {
		m.nodes(gs, gs.x.Op)
		return
	}
	if word, ok := m.words[gs.x.Text]; ok {
		m.nodes(gs, glenside.LookupSpelling(gs.x.Category(), word))
		return
	}
	for _, word := range m.tokens(gs.x.Text) {
		m.try(func() {
			bind(m, m.words, gs.x.Text, word)
			m.nodes(gs, glenside.LookupSpelling(gs.x.Category(), word))
		})
	}
}

func (m *matcher) tokens(name string) []string {
	return m.rule.Tokens[slices.IndexFunc(m.rule.Tokens, func(t *rule.TokenVar) bool { return t.Name == name })].Tokens
}

// nodes matches a call with the nodes of a class: first the arguments, then the other operands, which may be said in terms of
// what the arguments bind.
func (m *matcher) nodes(gs *goals, op *glenside.Op) {
	head, ok := m.g.ops.head(op)
	if !ok {
		return
	}
	if t := gs.at.term; t >= 0 {
		if m.g.operator(t).op == op {
			m.node(gs, m.g.operator(t), func(i int) place { return place{m.g.Class(m.g.Args(t)[i]), m.g.Args(t)[i]} })
		}
		return
	}
	for _, n := range m.g.NodesOf(gs.at.class, head) {
		m.node(gs, m.g.ops.list[n.Op], func(i int) place { return place{n.Children[i], -1} })
	}
}

// node matches a call with a node, whose arguments are at places.
func (m *matcher) node(gs *goals, x *operator, argument func(int) place) {
	if len(x.slots) != len(gs.x.Args) {
		return
	}
	rest, arguments := gs.rest, 0
	for i, s := range slices.Backward(x.slots) {
		if (s == nil) != (isOperator(gs.x.Args[i]) && !isShape(x.op, i, len(x.slots))) {
			return
		}
		if s != nil {
			rest = &goals{x: gs.x.Args[i], value: s, rest: rest}
		} else {
			arguments++
		}
	}
	for i, s := range slices.Backward(x.slots) {
		if s == nil {
			arguments--
			rest = &goals{x: gs.x.Args[i], at: argument(arguments), rest: rest}
		}
	}
	m.try(func() { m.solve(rest) })
}

func isShape(op *glenside.Op, i, n int) bool {
	return op.OperandAt(i, n).Sort == glenside.SortAccessShape
}

// tensor matches a variable with a class, whose type says its sizes and groups.
func (m *matcher) tensor(name string, at place, k func()) {
	c := m.g.Find(at.class)
	if t, ok := m.terms[name]; ok {
		if t == at.term || at.term < 0 && m.g.Class(t) == c {
			k()
		}
		return
	}
	v, t := m.variable(name), m.g.Data(c)
	if t.Kind != glenside.TypeAccess || v.Elem != nil && *v.Elem != t.Elem {
		return
	}
	dims, ok := numbersOf(t.Dims)
	if !ok {
		return
	}
	m.try(func() {
		if v.Elem == nil {
			switch m.elem {
			case t.Elem:
			case domain.Elem{}:
				m.elem = t.Elem
				m.trail = append(m.trail, func() { m.elem = domain.Elem{} })
			default:
				return
			}
		}
		if at.term < 0 {
			at.term = m.g.Representative(c)
		}
		bind(m, m.terms, name, at.term)
		m.dims(v.Access, dims[:t.Split], func() { m.dims(v.Compute, dims[t.Split:], k) })
	})
}

// unify matches an operand of a rule with a value.
func (m *matcher) unify(x *rule.Expr, v *value, k func()) {
	switch x.Kind {
	case rule.Int, rule.IntName, rule.IntOp:
		if v.kind == intValue {
			m.integer(x, v.ints[0], k)
		}
		return
	case rule.Shape:
		if v.kind == shapeValue {
			m.dims(x.Args, v.ints, k)
		}
		return
	case rule.Access:
		if v.kind == accessValue {
			s, c := &value{kind: shapeValue, ints: v.ints[:v.split]}, &value{kind: shapeValue, ints: v.ints[v.split:]}
			m.unify(x.Args[0], s, func() { m.unify(x.Args[1], c, k) })
		}
		return
	case rule.ListName:
		if _, bound := m.lists[x.Text]; !bound && v.kind == listValue {
			m.try(func() {
				bind(m, m.lists, x.Text, v.ints)
				k()
			})
			return
		}
	case rule.ListOp:
		if x.Text == "list" && v.kind == listValue {
			m.dims(x.Args, v.ints, k)
			return
		}
	case rule.TokenName:
		if _, bound := m.words[x.Text]; !bound && v.kind == wordValue {
			if slices.Contains(m.tokens(x.Text), v.text) {
				m.try(func() {
					bind(m, m.words, x.Text, v.text)
					k()
				})
			}
			return
		}
	}
	m.equate(equation{x, v}, k)
}

// equate goes on if an equation holds, or may hold: then it is looked at again when all is bound.
func (m *matcher) equate(q equation, k func()) {
	switch got, err := m.value(q.x); {
	case err == errOpen:
		m.try(func() {
			m.later = append(m.later, q)
			k()
		})
	case err == nil && got.equal(q.v):
		k()
	}
}

func (m *matcher) integer(x *rule.Expr, n int64, k func()) {
	if x.Kind == rule.IntName {
		if old, bound := m.ints[x.Text]; !bound {
			if n < 0 && !slices.Contains(m.rule.Ints, x.Text) {
				return
			}
			m.try(func() {
				bind(m, m.ints, x.Text, n)
				k()
			})
			return
		} else if old != n {
			return
		}
	}
	m.equate(equation{x, &value{ints: []int64{n}}}, k)
}

// dims matches integers and groups with dims: where several groups are not bound, in each way to cut the dims.
func (m *matcher) dims(list []*rule.Expr, dims []int64, k func()) {
	if len(list) == 0 {
		if len(dims) == 0 {
			k()
		}
		return
	}
	x, rest := list[0], list[1:]
	if x.Kind != rule.Group {
		if len(dims) > 0 {
			m.integer(x, dims[0], func() { m.dims(rest, dims[1:], k) })
		}
		return
	}
	if old, bound := m.lists[x.Text]; bound {
		if len(old) <= len(dims) && slices.Equal(old, dims[:len(old)]) {
			m.dims(rest, dims[len(old):], k)
		}
		return
	}
	least, groups := 0, false
	for _, y := range rest {
		if y.Kind == rule.Group {
			groups = true
		} else {
			least++
		}
	}
	for n := range len(dims) - least + 1 {
		if !groups && n < len(dims)-least {
			continue // what is left is as many integers
		}
		m.try(func() {
			bind(m, m.lists, x.Text, dims[:n:n])
			m.dims(rest, dims[n:], k)
		})
	}
}

// finish solves what was put off, and looks at the guard.
func (m *matcher) finish() {
	mark, kept := len(m.trail), slices.Clone(m.later)
	defer func() {
		m.back(mark)
		m.later = append(m.later[:0], kept...)
	}()
	open := slices.Clone(kept)
	for progress := true; progress && len(open) > 0; {
		progress = false
		var rest []equation
		for _, q := range open {
			got, err := m.value(q.x)
			switch {
			case err == nil && got.equal(q.v):
				progress = true
			case err == errOpen && q.v.kind == intValue && m.invert(q.x, q.v.ints[0]):
				progress = true
			case err == errOpen:
				rest = append(rest, q)
			default:
				return
			}
		}
		open = rest
	}
	for _, name := range m.unbound() {
		n, ok := m.given[name]
		if !ok {
			return
		}
		bind(m, m.ints, name, n)
	}
	for _, q := range open {
		if got, err := m.value(q.x); err != nil || !got.equal(q.v) {
			return
		}
	}
	for _, v := range m.rule.Vars {
		if _, ok := m.terms[v.Name]; !ok {
			return // it stands in shapes alone: no term is bound to it
		}
	}
	if m.elem == (domain.Elem{}) { // the rule is about no other types than it says
		m.elem = domain.Float32
		if len(m.rule.Types) > 0 {
			m.elem = m.rule.Types[0]
		}
		m.trail = append(m.trail, func() { m.elem = domain.Elem{} })
	}
	if m.holds() {
		m.yield()
	}
}

// unbound lists the sizes and integers that the left side has not bound. Other names without a value leave no match: they are
// met when the sides are made.
func (m *matcher) unbound() (names []string) {
	for _, n := range m.integers {
		if _, ok := m.ints[n]; !ok {
			names = append(names, n)
		}
	}
	return names
}

// invert binds the one name that an integer has without a value, so that it is n: ?h of 2·?h = 8.
func (m *matcher) invert(x *rule.Expr, n int64) bool {
	if x.Kind == rule.IntName {
		if _, bound := m.ints[x.Text]; bound || n < 0 && !slices.Contains(m.rule.Ints, x.Text) {
			return false
		}
		bind(m, m.ints, x.Text, n)
		return true
	}
	if x.Kind != rule.IntOp || x.Text != "+" && x.Text != "*" && x.Text != "-" {
		return false
	}
	at := -1
	known := make([]int64, 0, len(x.Args))
	for i, a := range x.Args {
		v, err := m.int(a)
		switch {
		case err == nil:
			known = append(known, v)
		case err != errOpen || at >= 0:
			return false
		default:
			at = i
		}
	}
	if at < 0 {
		return false
	}
	var err error
	switch {
	case x.Text == "*":
		for _, v := range known {
			if v == 0 || n%v != 0 {
				return false
			}
			n /= v
		}
	case x.Text == "+":
		for _, v := range known {
			if n, err = minus(n, v); err != nil {
				return false
			}
		}
	case at == 0 && len(x.Args) > 1: // ? - v - ... = n
		for _, v := range known {
			if n, err = plus(n, v); err != nil {
				return false
			}
		}
	default: // v - ... - ? = n
		var first int64
		if len(x.Args) > 1 {
			first, known = known[0], known[1:]
		}
		for _, v := range known {
			if first, err = minus(first, v); err != nil {
				return false
			}
		}
		if n, err = minus(first, n); err != nil {
			return false
		}
	}
	return m.invert(x.Args[at], n)
}

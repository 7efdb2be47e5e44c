package prove

import (
	"tv/ila"
	"tv/semantics/term"
)

// An evaluation computes terms over operands again and again, of which one changes at a time.
type evaluation struct {
	task     *ila.Task
	nodes    []node
	values   []uint64
	places   map[*term.Term]int
	operands []ila.Stretch // of one element each
	at       map[ila.Stretch]int
	above    [][]int // nodes that take a node
	affected [][]int // by operand: what depends on it, in order; nil where nobody asked
}

// A node is an operation on the values of others: pairs of factors where it is a sum of products.
type node struct {
	of      *term.Term
	args    []int
	f       func([]uint64) uint64 // of an application, and of factors
	signed  int                   // width of factors that have a sign
	product bool
}

// newEvaluation returns nil where a term has an operation that is none on bit-vectors.
func newEvaluation(t *ila.Task, terms ...*term.Term) *evaluation {
	e := &evaluation{task: t, places: map[*term.Term]int{}, at: map[ila.Stretch]int{}}
	for _, x := range terms {
		if _, ok := e.add(x); !ok {
			return nil
		}
	}
	e.above = make([][]int, len(e.nodes))
	for n := range e.nodes {
		for _, a := range e.nodes[n].args {
			e.above[a] = append(e.above[a], n)
		}
	}
	e.affected = make([][]int, len(e.nodes))
	return e
}

func (e *evaluation) put(n node) int {
	e.nodes, e.values = append(e.nodes, n), append(e.values, 0)
	return len(e.nodes) - 1
}

// elements returns where the elements of a stretch are.
func (e *evaluation) elements(s ila.Stretch) (list []int) {
	for i := range s.Count {
		one := ila.Stretch{Tensor: s.Tensor, From: s.From + i, Count: 1}
		at, ok := e.at[one]
		if !ok {
			at = e.put(node{})
			e.at[one] = at
			e.operands = append(e.operands, one)
		}
		list = append(list, at)
	}
	return list
}

func (e *evaluation) add(t *term.Term) (at int, ok bool) {
	if at, ok = e.places[t]; ok {
		return at, true
	}
	n := node{of: t}
	if v, constant := t.ConstBits(); constant {
		at = e.put(node{})
		e.values[at], e.places[t] = v, at
		return at, true
	}
	if s, ok := e.task.Model.StretchOf(t); ok {
		if s.Count != 1 {
			return 0, false // rows are seen where they are multiplied
		}
		at = e.elements(s)[0]
		e.places[t] = at
		return at, true
	}
	if t.Op == term.Read || t.Op == term.Load || t.Op == term.Reduce || t.Op == term.Number || len(t.Args) == 0 {
		return 0, false
	}
	n.product = t.Op == term.Dot
	var rows [][]int // of RowProducts: its sides
	if t.Op == term.Apply {
		for name, s := range e.task.Scalars {
			if t.Name == ila.Products(name) || t.Name == ila.RowProducts(name) {
				n.product, n.f, n.signed = true, e.task.Tables[name], s.Width
			}
			if t.Name == ila.RowProducts(name) {
				rows = make([][]int, 2)
			}
		}
		if f := e.task.Model.LookupFunction(t.Name); f != nil {
			n.f = f.Stand
		} else if n.f == nil {
			n.f = e.task.Tables[t.Name]
		}
		if n.f == nil {
			return 0, false
		}
	}
	for i, a := range t.Args {
		if s, ok := e.task.Model.StretchOf(a); ok && rows != nil && a.Sort.Width > s.Tensor.Width {
			side := 0
			if i > 0 {
				side = 1
			}
			rows[side] = e.elements(s)
			continue
		}
		at, ok := e.add(a)
		if !ok {
			return 0, false
		}
		n.args = append(n.args, at)
	}
	if rows != nil {
		left, right := rows[0], rows[1]
		if left == nil {
			left = n.args
		}
		if right == nil {
			right = n.args
		}
		n.args = nil
		for i := range left {
			n.args = append(n.args, left[i], right[i])
		}
	}
	at = e.put(n)
	e.places[t] = at
	return at, true
}

// compute computes a node from what it takes.
func (e *evaluation) compute(at int) {
	n := &e.nodes[at]
	if n.product {
		sum := uint64(0)
		for i := 0; i < len(n.args); i += 2 {
			sum += uint64(e.factor(n, i) * e.factor(n, i+1))
		}
		e.values[at] = sum & term.Ones(n.of.Sort.Width)
		return
	}
	var buffer [4]uint64
	args := buffer[:0]
	for _, a := range n.args {
		args = append(args, e.values[a])
	}
	if n.f != nil {
		e.values[at] = n.f(args) & term.Ones(n.of.Sort.Width)
	} else {
		e.values[at] = term.EvalBits(n.of, args)
	}
}

// factor returns a factor of a sum of products as a number with its sign.
func (e *evaluation) factor(n *node, i int) int64 {
	v := e.values[n.args[i]]
	if n.f != nil {
		return term.Signed64(n.f([]uint64{v}), n.signed)
	}
	return term.Signed64(v, n.of.Args[i].Sort.Width)
}

// all computes everything.
func (e *evaluation) all() {
	for at := range e.nodes {
		if e.nodes[at].of != nil {
			e.compute(at)
		}
	}
}

// set gives an operand a value and computes what depends on it.
func (e *evaluation) set(o ila.Stretch, value uint64) {
	at := e.at[o]
	e.values[at] = value
	if e.affected[at] == nil {
		depends := make([]bool, len(e.nodes))
		depends[at] = true
		list := []int{}
		for n := at; n < len(e.nodes); n++ { // arguments come first
			if depends[n] {
				if n != at {
					list = append(list, n)
				}
				for _, above := range e.above[n] {
					depends[above] = true
				}
			}
		}
		e.affected[at] = list
	}
	for _, n := range e.affected[at] {
		e.compute(n)
	}
}

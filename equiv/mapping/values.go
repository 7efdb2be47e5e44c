package mapping

import (
	"errors"
	"math/bits"
	"slices"

	"tv/equiv/egraph"
	"tv/glenside"
	"tv/glenside/rule"
	"tv/semantics/domain"
)

// A binding says what the names of a rule stand for so far.
type binding struct {
	terms map[string]egraph.Term // by tensor variable: the oldest term of its class
	ints  map[string]int64       // sizes and integers
	lists map[string][]int64     // groups and lists
	words map[string]string
	elem  domain.Elem // of the variables that have no type of their own
}

func newBinding() *binding {
	return &binding{terms: map[string]egraph.Term{}, ints: map[string]int64{}, lists: map[string][]int64{}, words: map[string]string{}}
}

// What keeps an expression of a rule from having a value.
var (
	errOpen  = errors.New("a name has no value yet")
	errNone  = errors.New("there is no value")
	errTyped = errors.New("ill formed")
)

// An evaluator gives integers, lists and shapes of a rule their values in an instance. It is written from the language page
// alone: package rule, by which explanations are checked, is another reading of it.
type evaluator struct {
	g    *graph
	rule *rule.Rule
	*binding
}

// int is the value of an integer.
func (e *evaluator) int(x *rule.Expr) (int64, error) {
	switch x.Kind {
	case rule.Int:
		if !x.Value.IsInt64() {
			return 0, errNone
		}
		return x.Value.Int64(), nil
	case rule.IntName:
		n, ok := e.ints[x.Text]
		if !ok {
			return 0, errOpen
		}
		return n, nil
	}
	switch x.Text {
	case "rank":
		d, err := e.dimsOf(x.Args[0])
		return int64(len(d)), err
	case "size":
		d, err := e.dimsOf(x.Args[0])
		n := int64(1)
		for _, s := range d {
			if err == nil {
				n, err = times(n, s)
			}
		}
		return n, err
	case "dim":
		d, err := e.dimsOf(x.Args[0])
		if err != nil {
			return 0, err
		}
		return e.element(d, x.Args[1])
	case "at":
		l, err := e.list(x.Args[0])
		if err != nil {
			return 0, err
		}
		return e.element(l, x.Args[1])
	}
	args := make([]int64, len(x.Args))
	for i, a := range x.Args {
		var err error
		if args[i], err = e.int(a); err != nil {
			return 0, err
		}
	}
	return apply(x.Text, args)
}

// element is that of a list at a place.
func (e *evaluator) element(list []int64, at *rule.Expr) (int64, error) {
	i, err := e.int(at)
	if err != nil {
		return 0, err
	}
	if i < 0 || i >= int64(len(list)) {
		return 0, errNone
	}
	return list[i], nil
}

// apply computes. What is beyond 64 bits has no value here: such an instance is no match.
func apply(op string, args []int64) (int64, error) {
	n := args[0]
	if op == "-" && len(args) == 1 {
		return minus(0, n)
	}
	var err error
	for _, m := range args[1:] {
		switch op {
		case "+":
			n, err = plus(n, m)
		case "-":
			n, err = minus(n, m)
		case "*":
			n, err = times(n, m)
		case "min":
			n = min(n, m)
		case "max":
			n = max(n, m)
		default: // div, mod
			if m <= 0 {
				return 0, errNone
			}
			q, r := n/m, n%m
			if r < 0 {
				q, r = q-1, r+m
			}
			if n = q; op == "mod" {
				n = r
			}
		}
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

func plus(a, b int64) (int64, error) {
	if c := a + b; (c > a) == (b > 0) {
		return c, nil
	}
	return 0, errNone
}

func minus(a, b int64) (int64, error) {
	if c := a - b; (c < a) == (b > 0) {
		return c, nil
	}
	return 0, errNone
}

func times(a, b int64) (int64, error) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > 1<<62 {
		return 0, errNone
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), nil
	}
	return int64(lo), nil
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

// list is the value of a list.
func (e *evaluator) list(x *rule.Expr) ([]int64, error) {
	if x.Kind == rule.ListName {
		l, ok := e.lists[x.Text]
		if !ok {
			return nil, errOpen
		}
		return l, nil
	}
	var lists [][]int64
	var ints []int64
	for _, a := range x.Args {
		if a.Kind == rule.ListName || a.Kind == rule.ListOp {
			l, err := e.list(a)
			if err != nil {
				return nil, err
			}
			lists = append(lists, l)
			continue
		}
		n, err := e.int(a)
		if err != nil {
			return nil, err
		}
		ints = append(ints, n)
	}
	switch x.Text {
	case "list":
		return ints, nil
	case "iota":
		return between(0, ints[0])
	case "range":
		return between(ints[0], ints[1])
	case "append":
		return slices.Concat(lists...), nil
	case "compose":
		out := make([]int64, len(lists[1]))
		for i, at := range lists[1] {
			if at < 0 || at >= int64(len(lists[0])) {
				return nil, errNone
			}
			out[i] = lists[0][at]
		}
		return out, nil
	}
	if !isPermutation(lists[0], int64(len(lists[0]))) {
		return nil, errNone
	}
	out := make([]int64, len(lists[0]))
	for i, at := range lists[0] {
		out[at] = int64(i)
	}
	return out, nil
}

// mostListed bounds lists that a rule counts up.
const mostListed = 1 << 12

func between(lo, hi int64) ([]int64, error) {
	var out []int64
	if hi > lo && (hi > lo+mostListed || lo+mostListed < lo) {
		return nil, errNone
	}
	for n := lo; n < hi; n++ {
		out = append(out, n)
	}
	return out, nil
}

func isPermutation(l []int64, n int64) bool {
	if int64(len(l)) != n {
		return false
	}
	seen := make([]bool, n)
	for _, i := range l {
		if i < 0 || i >= n || seen[i] {
			return false
		}
		seen[i] = true
	}
	return true
}

// dims are those of a group, or of an expression.
func (e *evaluator) dimsOf(x *rule.Expr) ([]int64, error) {
	if x.Kind == rule.Group || x.Kind == rule.ListName {
		d, ok := e.lists[x.Text]
		if !ok {
			return nil, errOpen
		}
		return d, nil
	}
	t, err := e.typeOf(x)
	if err != nil {
		return nil, err
	}
	d, ok := numbersOf(t.Dims)
	if !ok || t.Kind == glenside.TypeTuple {
		return nil, errNone
	}
	return d, nil
}

// spliced are the dims that a list of integers and groups is.
func (e *evaluator) spliced(list []*rule.Expr) ([]int64, error) {
	out := []int64{}
	for _, x := range list {
		if x.Kind == rule.Group {
			d, err := e.dimsOf(x)
			if err != nil {
				return nil, err
			}
			out = append(out, d...)
			continue
		}
		n, err := e.int(x)
		if err != nil {
			return nil, err
		}
		if n < 0 {
			return nil, errNone
		}
		out = append(out, n)
	}
	return out, nil
}

// shape is the value of a shape.
func (e *evaluator) shape(x *rule.Expr) ([]int64, error) {
	if x.Kind == rule.Shape {
		return e.spliced(x.Args)
	}
	if x.Text == "shape-of" {
		return e.dimsOf(x.Args[0])
	}
	d, err := e.shape(x.Args[0])
	if err != nil {
		return nil, err
	}
	n, err := e.int(x.Args[1])
	if err != nil {
		return nil, err
	}
	switch {
	case n < 0 || n > int64(len(d)) || n == int64(len(d)) && x.Text == "shape-remove-axis":
		return nil, errNone
	case x.Text == "slice-shape":
		return d[n:], nil
	case x.Text == "shape-insert-axis":
		return slices.Insert(slices.Clone(d), int(n), 1), nil
	}
	return slices.Delete(slices.Clone(d), int(n), int(n)+1), nil
}

// value is that of an operand that is no term.
func (e *evaluator) value(x *rule.Expr) (*value, error) {
	var err error
	v := &value{}
	switch x.Kind {
	case rule.Int, rule.IntName, rule.IntOp:
		v.ints = make([]int64, 1)
		v.ints[0], err = e.int(x)
	case rule.ListName, rule.ListOp:
		v.kind = listValue
		v.ints, err = e.list(x)
	case rule.Shape, rule.ShapeOp:
		v.kind = shapeValue
		v.ints, err = e.shape(x)
	case rule.Access:
		v.kind = accessValue
		var c []int64
		if v.ints, err = e.shape(x.Args[0]); err == nil {
			v.split = len(v.ints)
			c, err = e.shape(x.Args[1])
			v.ints = slices.Concat(v.ints, c)
		}
	case rule.AccessOf:
		v.kind = accessValue
		var t *glenside.Type
		if t, err = e.typeOf(x.Args[0]); err == nil {
			v.split = t.Split
			v.ints, _ = numbersOf(t.Dims)
		}
	case rule.Number:
		v.kind, v.text = numberValue, e.g.ops.number(x.Text)
	case rule.Token:
		v.kind, v.text = wordValue, x.Text
	case rule.TokenName:
		v.kind = wordValue
		var ok bool
		if v.text, ok = e.words[x.Text]; !ok {
			err = errOpen
		}
	case rule.Call:
		if x.Op != glenside.OpLiteral {
			return nil, errTyped
		}
		v.kind, v.text = literalValue, e.g.ops.number(x.Args[0].Text)
	default:
		return nil, errTyped
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

// A tree is a side of an instance that is typed and need not be in the graph.
type tree struct {
	op   egraph.Op
	kids []*tree
	term egraph.Term // of a variable; kids is nil then, and isTerm set
	typ  *glenside.Type

	isTerm bool
}

// typeOf is the type of an expression. That of a variable to which nothing is bound is what its shape says.
func (e *evaluator) typeOf(x *rule.Expr) (*glenside.Type, error) {
	if x.Kind != rule.Tensor {
		t, err := e.tree(x)
		if err != nil {
			return nil, err
		}
		return t.typ, nil
	}
	if t, ok := e.terms[x.Text]; ok {
		return e.g.Data(e.g.Class(t)), nil
	}
	v := e.variable(x.Text)
	s, err := e.spliced(v.Access)
	if err != nil {
		return nil, err
	}
	c, err := e.spliced(v.Compute)
	if err != nil {
		return nil, err
	}
	return &glenside.Type{Kind: glenside.TypeAccess, Dims: sizesOf(slices.Concat(s, c)), Split: len(s), Elem: e.elem}, nil
}

func (e *evaluator) variable(name string) *rule.Var {
	return e.rule.Vars[slices.IndexFunc(e.rule.Vars, func(v *rule.Var) bool { return v.Name == name })]
}

// isOperator tells whether an expression of a rule is a term rather than part of an operator.
func isOperator(x *rule.Expr) bool {
	return x.Kind == rule.Tensor || x.Kind == rule.Call && x.Op != glenside.OpLiteral
}

// tree makes an expression in the instance.
func (e *evaluator) tree(x *rule.Expr) (*tree, error) {
	if x.Kind == rule.Tensor {
		t, ok := e.terms[x.Text]
		if !ok {
			return nil, errOpen
		}
		return &tree{term: t, isTerm: true, typ: e.g.Data(e.g.Class(t))}, nil
	}
	if x.Kind != rule.Call {
		return nil, errTyped
	}
	op := x.Op
	if op == nil {
		word, ok := e.words[x.Text]
		if !ok {
			return nil, errOpen
		}
		op = glenside.LookupSpelling(x.Category(), word)
	}
	node := &operator{op: op, slots: make([]*value, len(x.Args))}
	if adopts(op) {
		node.literal = e.elem
	}
	var kids []*tree
	for i, a := range x.Args {
		sort := op.OperandAt(i, len(x.Args)).Sort
		if isOperator(a) && sort != glenside.SortAccessShape {
			k, err := e.tree(a)
			if err != nil {
				return nil, err
			}
			kids = append(kids, k)
			continue
		}
		v, err := e.value(a)
		if err != nil {
			return nil, err
		}
		node.slots[i] = v
	}
	return e.g.call(node, kids...)
}

// call makes a tree of an operator and its arguments.
func (g *graph) call(node *operator, kids ...*tree) (*tree, error) {
	types := make([]*glenside.Type, len(kids))
	for i, k := range kids {
		types[i] = k.typ
	}
	t, err := g.ops.typeOf(node, types)
	if err != nil {
		return nil, errTyped
	}
	return &tree{op: g.ops.intern(node), kids: kids, typ: t}, nil
}

// add puts a tree in the graph.
func (g *graph) add(t *tree) (egraph.Term, error) {
	if t.isTerm {
		return t.term, nil
	}
	children := make([]egraph.Term, len(t.kids))
	for i, k := range t.kids {
		var err error
		if children[i], err = g.add(k); err != nil {
			return 0, err
		}
	}
	return g.Add(t.op, children...)
}

// holds tells whether all conditions of a rule are true in an instance.
func (e *evaluator) holds() bool {
	for _, w := range e.rule.Where {
		if ok, err := e.guard(w); err != nil || !ok {
			return false
		}
	}
	return true
}

// guard is what a condition is: true, false, or an error where it has no value.
func (e *evaluator) guard(w *rule.Guard) (bool, error) {
	switch w.Op {
	case "not":
		ok, err := e.guard(w.Args[0])
		return !ok, err
	case "and", "or":
		var without error
		for _, a := range w.Args {
			ok, err := e.guard(a)
			switch {
			case err != nil:
				without = err
			case ok == (w.Op == "or"):
				return ok, nil
			}
		}
		return w.Op == "and", without
	}
	if w.A.Kind == rule.ListName || w.A.Kind == rule.ListOp {
		l, err := e.list(w.A)
		if err != nil {
			return false, err
		}
		if w.Op == "permutation" {
			n, err := e.int(w.B)
			return err == nil && isPermutation(l, n), err
		}
		m, err := e.list(w.B)
		return slices.Equal(l, m), err
	}
	a, err := e.int(w.A)
	if err != nil {
		return false, err
	}
	b, err := e.int(w.B)
	if err != nil {
		return false, err
	}
	switch w.Op {
	case "=":
		return a == b, nil
	case "<":
		return a < b, nil
	case "<=":
		return a <= b, nil
	}
	return a >= 1 && b%a == 0, nil
}

package smt

import (
	"fmt"
	"math/big"
	"strings"
)

// A sort of formulas.
type sort struct {
	kind byte // 'b' Bool, 'r' Real, 'v' bit-vector, 'f' float
	n, m int  // bits of a bit-vector; exponent and significand bits of a float
}

var (
	boolSort = sort{kind: 'b'}
	realSort = sort{kind: 'r'}
)

func vector(n int) sort { return sort{kind: 'v', n: n} }

func floatSort(width int) sort {
	switch width {
	case 16:
		return sort{'f', 5, 11}
	case 32:
		return sort{'f', 8, 24}
	}
	return sort{'f', 11, 53}
}

func (s sort) String() string {
	switch s.kind {
	case 'b':
		return "Bool"
	case 'r':
		return "Real"
	case 'v':
		return fmt.Sprintf("(_ BitVec %d)", s.n)
	}
	return fmt.Sprintf("(_ FloatingPoint %d %d)", s.n, s.m)
}

// A form is a node of a formula. Equal forms of a query are one pointer.
type form struct {
	id     int
	op     string // as SMT-LIB spells it: "bvadd", "ite", "const", "num", ...
	name   string // of "const"
	params []int  // of an indexed operation
	value  *big.Rat
	args   []*form
	sort   sort
}

// A Query asks whether its formula is satisfiable.
type Query struct {
	forms   map[string]*form
	list    []*form
	formula *form
}

func newQuery() *Query { return &Query{forms: map[string]*form{}} }

func (q *Query) mk(f form) *form {
	var k strings.Builder
	fmt.Fprintf(&k, "%s %s %v %v", f.op, f.name, f.params, f.sort)
	if f.value != nil {
		k.WriteString(" " + f.value.RatString())
	}
	for _, a := range f.args {
		fmt.Fprintf(&k, " %d", a.id)
	}
	if x := q.forms[k.String()]; x != nil {
		return x
	}
	f.id = len(q.list)
	x := &f
	q.forms[k.String()] = x
	q.list = append(q.list, x)
	return x
}

func (q *Query) constant(name string, s sort) *form {
	return q.mk(form{op: "const", name: name, sort: s})
}

func (q *Query) truth(v bool) *form {
	return q.mk(form{op: map[bool]string{true: "true", false: "false"}[v], sort: boolSort})
}

// number returns a real, or a bit-vector of the integer v modulo 2^n.
func (q *Query) number(s sort, v *big.Rat) *form {
	if s.kind == 'v' {
		n := new(big.Int).Mod(v.Num(), new(big.Int).Lsh(big.NewInt(1), uint(s.n)))
		v = new(big.Rat).SetInt(n)
	}
	return q.mk(form{op: "num", value: v, sort: s})
}

func (q *Query) app(s sort, op string, args ...*form) *form {
	return q.mk(form{op: op, args: args, sort: s})
}

func (q *Query) indexed(s sort, op string, params []int, args ...*form) *form {
	return q.mk(form{op: op, params: params, args: args, sort: s})
}

func (q *Query) not(x *form) *form {
	switch x.op {
	case "true":
		return q.truth(false)
	case "false":
		return q.truth(true)
	case "not":
		return x.args[0]
	}
	return q.app(boolSort, "not", x)
}

func (q *Query) and(x, y *form) *form {
	switch {
	case x.op == "true":
		return y
	case y.op == "true", x == y:
		return x
	case x.op == "false" || y.op == "false":
		return q.truth(false)
	}
	return q.app(boolSort, "and", x, y)
}

func (q *Query) or(x, y *form) *form { return q.not(q.and(q.not(x), q.not(y))) }

func (q *Query) equal(x, y *form) *form {
	if x == y {
		return q.truth(true)
	}
	return q.app(boolSort, "=", x, y)
}

func (q *Query) ite(c, x, y *form) *form {
	switch {
	case c.op == "true" || x == y:
		return x
	case c.op == "false":
		return y
	}
	return q.app(x.sort, "ite", c, x, y)
}

// trivial reports whether the formula is false as it stands.
func (q *Query) trivial() bool { return q.formula.op == "false" }

// Text returns the query in SMT-LIB 2: a definition for each node, so that it grows with the number of nodes.
func (q *Query) Text() string {
	var s strings.Builder
	s.WriteString("(set-logic ALL)\n")
	used := map[*form]bool{}
	var mark func(f *form)
	mark = func(f *form) {
		if !used[f] {
			used[f] = true
			for _, a := range f.args {
				mark(a)
			}
		}
	}
	mark(q.formula)
	for _, f := range q.list {
		switch {
		case !used[f]:
		case f.op == "const":
			fmt.Fprintf(&s, "(declare-const |%s| %s)\n", f.name, f.sort)
		case len(f.args) > 0:
			fmt.Fprintf(&s, "(define-fun t%d () %s %s)\n", f.id, f.sort, f.body())
		}
	}
	fmt.Fprintf(&s, "(assert %s)\n(check-sat)\n", q.formula.ref())
	return s.String()
}

func (f *form) ref() string {
	switch {
	case f.op == "const":
		return "|" + f.name + "|"
	case len(f.args) > 0:
		return fmt.Sprintf("t%d", f.id)
	}
	return f.body()
}

func (f *form) body() string {
	switch f.op {
	case "true", "false":
		return f.op
	case "num":
		if f.sort.kind == 'v' {
			return fmt.Sprintf("(_ bv%s %d)", f.value.Num(), f.sort.n)
		}
		text := fmt.Sprintf("%s.0", new(big.Int).Abs(f.value.Num()))
		if !f.value.IsInt() {
			text = fmt.Sprintf("(/ %s %s.0)", text, f.value.Denom())
		}
		if f.value.Sign() < 0 {
			text = "(- " + text + ")"
		}
		return text
	}
	head := f.op
	if len(f.params) > 0 {
		head = "(_ " + f.op
		for _, p := range f.params {
			head += fmt.Sprintf(" %d", p)
		}
		head += ")"
	}
	var args strings.Builder
	switch {
	case f.op == "fp.to_sbv":
		args.WriteString(" RTZ")
	case f.op == "fp.add", f.op == "fp.mul", f.op == "fp.div", f.op == "fp.sqrt", f.op == "to_fp" && f.name != "bits":
		args.WriteString(" RNE")
	}
	for _, a := range f.args {
		args.WriteString(" " + a.ref())
	}
	return "(" + head + args.String() + ")"
}

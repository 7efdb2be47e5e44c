package algebra

import (
	"cmp"
	"slices"
)

// alike reports whether two nodes have the same bits in a region. It cuts the region where a
// condition is open; else it compares operands, folds place by place, a fold of n with an operation
// on that of n - 1 and the last, and maxima as sequences.
func (o *orderly) alike(c *Context, x, y *node) bool {
	o.spend(1)
	x, y = o.decided(c, x), o.decided(c, y)
	if x == y || x.elem != y.elem {
		return x == y
	}
	key := [3]int{c.ID, x.id, y.id}
	if known, ok := o.compared[key]; ok {
		return known
	}
	same := false
	if e := cmp.Or(x.choice(), y.choice()); e != nil {
		same = o.alike(o.Assume(c, e), x, y) && o.alike(o.Assume(c, o.not(e)), x, y)
	} else {
		same = o.sameForm(c, x, y) || x.op == OpReduce && o.peels(c, x, y) ||
			y.op == OpReduce && o.peels(c, y, x) || o.sameMaximum(c, x, y)
	}
	o.compared[key] = same
	return same
}

func (o *orderly) sameForm(c *Context, x, y *node) bool {
	if x.op != y.op || x.op == OpGather || x.fold != y.fold || x.name != y.name {
		return false
	}
	if x.op == OpRead { // of one place in the region, if not everywhere
		return o.Nonneg(c, o.Sub(x.e, y.e)) && o.Nonneg(c, o.Sub(y.e, x.e))
	}
	if x.e != y.e || len(x.args) != len(y.args) || len(x.args) == 0 {
		return false
	}
	if x.op == OpReduce {
		return o.sameTerms(c, x.e, o.termsOf(x), o.termsOf(y))
	}
	one := func(x, y *node) bool { return o.alike(c, x, y) }
	return slices.EqualFunc(x.args, y.args, one) || // or the other way round
		(x.op == OpAdd || x.op == OpMul) && one(x.args[0], y.args[1]) && one(x.args[1], y.args[0])
}

// peels compares a sum or product with its only term, or of n >= 2 terms with an operation on that
// of n - 1 and the last.
func (o *orderly) peels(c *Context, x, y *node) bool {
	fewer, at := *x, o.termsOf(x).at
	fewer.e = o.AddInt(x.e, -1)
	switch {
	case x.fold != FoldMax && fewer.e == o.Const(0):
		return o.alike(c, at(c, fewer.e), y)
	case x.fold == FoldSum && y.op == OpAdd, x.fold == FoldProduct && y.op == OpMul:
		last, first := at(c, fewer.e), o.intern(fewer)
		return o.Nonneg(c, o.AddInt(fewer.e, -1)) &&
			(o.alike(c, last, y.args[1]) && o.alike(c, first, y.args[0]) ||
				o.alike(c, last, y.args[0]) && o.alike(c, first, y.args[1]))
	}
	return false
}

// A stretch is so many terms of a sequence, and what stands at a place.
type stretch struct {
	n  *Expr
	at func(*Context, *Expr) *node
}

func (o *orderly) termsOf(n *node) stretch {
	return stretch{n.e, func(c *Context, i *Expr) *node {
		return o.subst(c, n.args[0], map[*Atom]*Expr{o.engine.slot(n.slot): i})
	}}
}

func (o *orderly) sameTerms(c *Context, n *Expr, x, y stretch) bool {
	i := o.Const(0)
	if n != o.Const(1) {
		i = o.NewVar(i, n).expr
	}
	return o.alike(c, x.at(c, i), y.at(c, i))
}

// sameMaximum compares maxima that each hold MIN, as every fold does: they are those of MIN and all
// terms in order, however they nest, as only infinities are below MIN and no NaN is compared.
func (o *orderly) sameMaximum(c *Context, x, y *node) bool {
	p, low := o.sequence(c, x)
	q, also := o.sequence(c, y)
	same := low && also
	for same && len(p) > 0 && len(q) > 0 {
		n := p[0].n
		if o.Nonneg(c, o.Sub(n, q[0].n)) {
			n = q[0].n
		}
		same = o.sameTerms(c, n, p[0], q[0]) && o.drop(c, &p, n) && o.drop(c, &q, n)
	}
	return same && len(p)+len(q) == 0
}

// drop takes n terms off a sequence, if its first stretch is known to have as many.
func (o *orderly) drop(c *Context, all *[]stretch, n *Expr) bool {
	s := (*all)[0]
	rest := stretch{o.Sub(s.n, n), func(c *Context, i *Expr) *node { return s.at(c, o.Add(i, n)) }}
	if *all = (*all)[1:]; rest.n != o.Const(0) {
		*all = append([]stretch{rest}, *all...)
	}
	return o.Nonneg(c, rest.n)
}

// sequence returns the terms of a maximum, and whether it holds MIN besides.
func (o *orderly) sequence(c *Context, n *node) (all []stretch, low bool) {
	switch {
	case n.op == OpMax:
		all, low = o.sequence(c, n.args[0])
		more, also := o.sequence(c, n.args[1])
		return append(all, more...), low || also
	case n.op == OpReduce && n.fold == FoldMax:
		return []stretch{o.nested(c, n)}, true
	case n.op == OpLowest:
		return nil, true
	}
	return []stretch{{o.Const(1), func(*Context, *Expr) *node { return n }}}, false
}

// nested returns the terms of a maximum of maxima as those of one.
func (o *orderly) nested(c *Context, n *node) stretch {
	rows, row := o.termsOf(n), n.args[0]
	if row.op == OpReduce && row.fold == FoldMax {
		k := o.nested(c, row).n
		if !k.Mentions(o.engine.slot(n.slot)) && o.Nonneg(c, o.AddInt(k, -1)) {
			return stretch{o.Mul(n.e, k), func(c *Context, i *Expr) *node {
				return o.nested(c, rows.at(c, o.Div(c, i, k))).at(c, o.Mod(c, i, k))
			}}
		}
	}
	return rows
}

// choice returns a condition that n, outside of folds, takes a branch by; nil if there is none.
func (n *node) choice() *Expr {
	args := n.args
	switch n.op {
	case OpIf:
		return n.e
	case OpReduce:
		return nil
	case OpGather:
		args = args[1:]
	}
	for _, a := range args {
		if e := a.choice(); e != nil {
			return e
		}
	}
	return nil
}

// decided returns n with the branches taken that are known in a region.
func (o *orderly) decided(c *Context, n *node) *node {
	key := [2]int{n.id, c.ID}
	out := o.taken[key]
	if out != nil {
		return out
	}
	truth := open
	if n.op == OpIf {
		truth = o.decide(c, n.e)
	}
	if out = n; truth != open {
		out = o.decided(c, n.args[int(truth-yes)])
	} else if t := *n; len(n.args) > 0 {
		t.args = nil
		for _, a := range n.args {
			t.args = append(t.args, o.decided(c, a))
		}
		if !slices.Equal(t.args, n.args) {
			out = o.lawful(t)
		}
	}
	o.taken[key] = out
	return out
}

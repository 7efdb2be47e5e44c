package normal

import (
	"slices"

	"tv/semantics/index"
	"tv/semantics/term"
)

// alike reports whether two nodes have the same bits in a region, where their texts differ. It goes down both at once:
//
//	conditions   the region is cut where one is open, and each part compared on its own: it does not matter in which
//	             order conditions stand, nor whether an operation is applied before a choice or after it
//	+ and ·      operands may be exchanged
//	folds        of one length, at each place; a sum of n terms against the sum of the first n - 1 plus the last
//	maxima       as sequences of terms, see sameMaximum
func (o *Ordered) alike(ctx *index.Context, p, q *node) bool {
	o.spend()
	p, q = o.within(ctx, p), o.within(ctx, q)
	if p == q {
		return true
	}
	if p.sort != q.sort {
		return false
	}
	key := [3]int{ctx.ID(), p.id, q.id}
	same, known := o.compared[key]
	if !known {
		same = o.match(ctx, p, q)
		o.compared[key] = same
	}
	return same
}

func (o *Ordered) match(ctx *index.Context, p, q *node) bool {
	cond := p.choice()
	if cond == nil {
		cond = q.choice()
	}
	if cond != nil {
		return o.alike(o.b.Assume(ctx, cond), p, q) && o.alike(o.b.Assume(ctx, o.not(cond)), p, q)
	}
	switch {
	case p.isMaximum() && q.isMaximum() && o.sameMaximum(ctx, p, q):
		return true
	case p.op == term.Reduce && q.op == term.Reduce:
		return p.fold == q.fold && p.index == q.index && o.sameAt(ctx, p.index, stretchOf(p), stretchOf(q))
	case p.op == term.Reduce:
		return o.samePeeled(ctx, p, q)
	case q.op == term.Reduce:
		return o.samePeeled(ctx, q, p)
	case p.op == term.Gather || p.op != q.op || p.name != q.name || len(p.args) != len(q.args):
		return false
	case p.op == term.Read: // of one place in the region, if not everywhere
		d := o.b.Sub(p.index, q.index)
		return p.tensor == q.tensor && o.b.Nonneg(ctx, d) && o.b.Nonneg(ctx, o.b.Scale(index.Int(-1), d))
	case len(p.args) == 0 || p.index != q.index:
		return false // without operands they would be one node
	}
	if o.sameArgs(ctx, p.args, q.args) {
		return true
	}
	return (p.op == term.Add || p.op == term.Mul) && o.sameArgs(ctx, p.args, []*node{q.args[1], q.args[0]})
}

func (o *Ordered) sameArgs(ctx *index.Context, x, y []*node) bool {
	for i := range x {
		if !o.alike(ctx, x[i], y[i]) {
			return false
		}
	}
	return true
}

// samePeeled compares a sum or product of n >= 2 terms with an operation.
func (o *Ordered) samePeeled(ctx *index.Context, p, q *node) bool {
	op := map[term.Fold]term.Op{term.Sum: term.Add, term.Product: term.Mul}[p.fold]
	rest := o.b.AddInt(p.index, -1)
	if q.op != op || !o.b.Nonneg(ctx, o.b.AddInt(rest, -1)) {
		return false
	}
	all := stretchOf(p)
	last, first := all.at(o, ctx, rest), all.at(o, ctx, o.b.Const(0))
	if n, ok := rest.Const(); !ok || !n.IsOne() {
		fewer := *p
		fewer.index = rest
		first = o.intern(fewer)
	}
	for i := range q.args {
		if o.alike(ctx, last, q.args[i]) && o.alike(ctx, first, q.args[1-i]) {
			return true
		}
	}
	return false
}

// A stretch is a part of a sequence of terms: so many, and the term at a place.
type stretch struct {
	length *index.Expr
	at     func(o *Ordered, ctx *index.Context, place *index.Expr) *node
}

// stretchOf returns the terms of a fold.
func stretchOf(n *node) stretch {
	return stretch{n.index, func(o *Ordered, ctx *index.Context, place *index.Expr) *node {
		return o.subst(ctx, n.args[0], map[*index.Atom]*index.Expr{o.b.Slot(n.slot): place})
	}}
}

// sameAt compares the first terms of two stretches.
func (o *Ordered) sameAt(ctx *index.Context, length *index.Expr, x, y stretch) bool {
	at := o.b.Const(0)
	if length != o.b.Const(1) {
		at = o.b.NewVar("t", at, length).Expr()
	}
	return o.alike(ctx, x.at(o, ctx, at), y.at(o, ctx, at))
}

// sameMaximum compares maxima term by term, where both hold MIN, as every fold does: only an infinity is below MIN and a
// NaN is not compared, so that each is the maximum of MIN and all terms in their order, however they nest.
func (o *Ordered) sameMaximum(ctx *index.Context, p, q *node) bool {
	x, low := o.sequence(ctx, p, nil)
	y, also := o.sequence(ctx, q, nil)
	if !low || !also {
		return false
	}
	for len(x) > 0 && len(y) > 0 {
		a, b := x[0].length, y[0].length
		switch {
		case a == b:
			if !o.sameAt(ctx, a, x[0], y[0]) {
				return false
			}
			x, y = x[1:], y[1:]
		case o.b.Nonneg(ctx, o.b.Sub(a, b)):
			if !o.sameAt(ctx, b, x[0], y[0]) {
				return false
			}
			x[0], y = x[0].after(o, b), y[1:]
		case o.b.Nonneg(ctx, o.b.Sub(b, a)):
			if !o.sameAt(ctx, a, x[0], y[0]) {
				return false
			}
			x, y[0] = x[1:], y[0].after(o, a)
		default:
			return false
		}
	}
	return len(x)+len(y) == 0
}

// after leaves out the first n terms.
func (s stretch) after(o *Ordered, n *index.Expr) stretch {
	return stretch{o.b.Sub(s.length, n), func(o *Ordered, ctx *index.Context, place *index.Expr) *node {
		return s.at(o, ctx, o.b.Add(place, n))
	}}
}

// sequence appends the terms of a maximum; low reports whether it holds MIN besides.
func (o *Ordered) sequence(ctx *index.Context, n *node, to []stretch) (all []stretch, low bool) {
	switch {
	case n.op == term.Max:
		all, low = o.sequence(ctx, n.args[0], to)
		all, also := o.sequence(ctx, n.args[1], all)
		return all, low || also
	case n.isFold(term.Maximum):
		return append(to, o.nested(ctx, n)), true
	case n.op == term.Lowest:
		return to, true
	}
	only := func(*Ordered, *index.Context, *index.Expr) *node { return n }
	return append(to, stretch{o.b.Const(1), only}), false
}

// nested returns the terms of a maximum of maxima of one length each as those of one.
func (o *Ordered) nested(ctx *index.Context, n *node) stretch {
	outer, body := stretchOf(n), n.args[0]
	if !body.isFold(term.Maximum) {
		return outer
	}
	inner := o.nested(ctx, body).length
	if inner.Mentions(o.b.Slot(n.slot)) || !o.b.Nonneg(ctx, o.b.AddInt(inner, -1)) {
		return outer
	}
	return stretch{o.b.Mul(outer.length, inner), func(o *Ordered, ctx *index.Context, place *index.Expr) *node {
		row := outer.at(o, ctx, o.b.Div(ctx, place, inner))
		return o.nested(ctx, row).at(o, ctx, o.b.Mod(ctx, place, inner))
	}}
}

func (n *node) isMaximum() bool { return n.op == term.Max || n.isFold(term.Maximum) }

func (n *node) isFold(f term.Fold) bool { return n.op == term.Reduce && n.fold == f }

// choice returns the condition of an if that n takes outside of folds, or nil.
func (n *node) choice() *index.Expr {
	switch {
	case n.op == term.If:
		return n.index
	case !n.chooses || n.op == term.Reduce:
		return nil
	case n.op == term.Gather:
		return n.args[1].choice()
	}
	for _, a := range n.args {
		if c := a.choice(); c != nil {
			return c
		}
	}
	return nil
}

// within returns n with the conditions decided that are known in a region.
func (o *Ordered) within(ctx *index.Context, n *node) *node {
	if !n.chooses {
		return n
	}
	key := [2]int{n.id, ctx.ID()}
	if known := o.decided[key]; known != nil {
		return known
	}
	o.spend()
	var out *node
	truth := index.Open
	if n.op == term.If {
		truth = o.b.Decide(ctx, n.index)
	}
	switch truth {
	case index.True:
		out = o.within(ctx, n.args[0])
	case index.False:
		out = o.within(ctx, n.args[1])
	default:
		c := *n
		c.args = make([]*node, len(n.args))
		for i, a := range n.args {
			c.args[i] = o.within(ctx, a)
		}
		if out = n; !slices.Equal(c.args, n.args) {
			out = o.lawful(c)
		}
	}
	o.decided[key] = out
	return out
}

// lawful interns a node whose operands were changed.
func (o *Ordered) lawful(n node) *node {
	if n.op == term.If {
		return o.ifNode(n)
	}
	return o.commute(n)
}

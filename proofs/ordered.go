package proofs

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// A node is an interned term of an arithmetic whose sums keep their order: floats, saturating and
// custom formats. Every reduction is a fold over one row-major position, so that reshapes match.
type node struct {
	id     int
	op     op
	fold   fold
	elem   domain.Elem
	name   string
	e      *Expr // offset, number, condition, or length of a fold
	args   []*node
	slot   int // that a fold or a gather binds
	free   []*Atom
	height int
}

// An orderly builds nodes. It re-associates nothing and asks no goals: it cuts the output where a
// condition of a program on the output's index is open.
type orderly struct {
	*engine
	nodes map[string]*node
	memo  map[[2]int]*node
	scope []*Atom // variables bound around the term at hand
	cuts  int

	compared map[[3]int]bool  // by region and nodes
	taken    map[[2]int]*node // by node and region: what is left of it
}

// needCut is the panic that says where the region must be cut.
type needCut struct{ e *Expr }

const maxRegions = 4096

// equal checks that two components have the same bits, and the second a value where the first has.
func (o *orderly) equal(c *Context, axes []*Atom, x, y func(*Context, []*Expr) *term) {
	at, some := o.index(c, axes)
	if !some {
		return
	}
	s, t := x(c, at), y(c, at)
	if cut := o.same(c, s, t); cut != nil {
		if o.cuts++; o.cuts > maxRegions {
			fail(codeLimit, "the output has too many pieces")
		}
		o.equal(o.Assume(c, cut), axes, x, y)
		o.equal(o.Assume(c, o.not(cut)), axes, x, y)
	}
}

// same compares two terms in a region, or says where to cut it.
func (o *orderly) same(c *Context, s, t *term) (cut *Expr) {
	defer func() {
		if r := recover(); r != nil {
			n, ok := r.(needCut)
			if !ok {
				panic(r)
			}
			o.scope, cut = nil, n.e
		}
	}()
	if !o.alike(c, o.build(c, s), o.build(c, t)) {
		fail(codeGoal, "the two sides are not equal in this order of operations")
	}
	have := o.partials(c, s)
	for _, n := range o.partials(c, t) {
		if !slices.Contains(have, n) {
			fail(codeDefined, "AFTER is not known to be defined where BEFORE is")
		}
	}
	return nil
}

func (o *orderly) build(c *Context, t *term) *node {
	key := [2]int{t.id, c.id}
	n := o.memo[key]
	if n == nil {
		o.spend(1)
		n = o.compute(c, t)
		o.memo[key] = n
	}
	return n
}

func (o *orderly) within(vars []*Atom, f func() *node) *node {
	o.scope = append(o.scope, vars...)
	n := f()
	o.scope = o.scope[:len(o.scope)-len(vars)]
	return n
}

func (o *orderly) compute(c *Context, t *term) *node {
	n := node{op: t.op, elem: t.elem, name: t.name, e: t.e}
	switch t.op {
	case opConst:
		if n.name = "literal " + t.name; t.val != nil { // which may be the digits of a number
			n.name = t.val.RatString()
		}
	case opReduce:
		return o.foldOf(c, t)
	case opIf:
		n.name, n.e = "", o.plain(t.e)
		truth := o.decide(c, n.e)
		if truth != open {
			return o.build(c, t.args[int(truth-yes)])
		}
		if !slices.ContainsFunc(o.scope, n.e.Mentions) {
			panic(needCut{n.e})
		}
		n.args = []*node{o.build(o.Assume(c, n.e), t.args[0]),
			o.build(o.Assume(c, o.not(n.e)), t.args[1])}
		return o.lawful(n)
	case opGather:
		v := t.vars[0]
		body := o.within(t.vars, func() *node { return o.build(c, t.args[0]) })
		n.slot, n.name = body.height, "0 to "+formatted(v.Hi)
		body = o.subst(c, body, map[*Atom]*Expr{v: o.engine.slot(n.slot).expr})
		n.args = []*node{body, o.build(c, t.args[1])}
	default:
		if t.op == opConvert {
			n.name = t.args[0].elem.String()
		}
		for _, a := range t.args {
			n.args = append(n.args, o.build(c, a))
		}
	}
	return o.lawful(n)
}

// lawful applies the laws that keep every bit.
func (o *orderly) lawful(n node) *node {
	float, total := n.elem.Kind == domain.ElemFloat, totallyOrdered(n.elem)
	is := func(i int, name string) bool { return n.args[i].op == opConst && n.args[i].name == name }
	switch {
	case n.op == opIf && n.args[0] == n.args[1]:
		return n.args[0]
	case n.op == opNeg && float && n.args[0].op == opNeg: // the sign bit, twice
		return n.args[0].args[0]
	case (n.op == opMul || n.op == opDiv) && float && n.args[0].op == opNeg:
		n.args = []*node{n.args[0].args[0], n.args[1]}
		return o.negated(n)
	case (n.op == opMul || n.op == opDiv) && float && n.args[1].op == opNeg:
		n.args = []*node{n.args[0], n.args[1].args[0]}
		return o.negated(n)
	case n.op == opMax || n.op == opMin:
		return o.extreme(n)
	case n.op == opApply && n.name == "relu" && total:
		zero := o.intern(node{op: opConst, elem: n.elem, name: "0"})
		return o.extreme(node{op: opMax, elem: n.elem, args: []*node{n.args[0], zero}})
	case n.op == opApply && n.name == "relu" &&
		(n.args[0].op == opApply && n.args[0].name == "relu" || is(0, "0")):
		return n.args[0]
	case n.op == opMul && (float || total) && is(1, "1"), n.op == opAdd && total && is(1, "0"):
		return n.args[0]
	case n.op == opMul && (float || total) && is(0, "1"), n.op == opAdd && total && is(0, "0"):
		return n.args[1]
	case n.op == opDiv && float && n.args[1].op == opConst: // both round the same real number
		if inv, ok := inverseOfPower(n.args[1].name); ok {
			by := o.intern(node{op: opConst, elem: n.elem, name: inv})
			return o.lawful(node{op: opMul, elem: n.elem, args: []*node{n.args[0], by}})
		}
	}
	if (n.op == opAdd || n.op == opMul) && n.args[0].id > n.args[1].id { // commute always
		n.args = []*node{n.args[1], n.args[0]}
	}
	return o.intern(n)
}

// negated returns -n, for a float n.
func (o *orderly) negated(n node) *node {
	return o.lawful(node{op: opNeg, elem: n.elem, args: []*node{o.lawful(n)}})
}

// totallyOrdered reports whether a type has neither NaN nor two zeros, so that equal values have
// equal bits and 0 and 1 change nothing.
func totallyOrdered(t domain.Elem) bool {
	return t.Kind == domain.ElemSat || t.Kind == domain.ElemFix || t.Kind == domain.ElemBool
}

// extreme nests a maximum or minimum to the left: it is the first of the extreme operands, so they
// may be grouped in any way, and one that stands there again does not count. Equal values of a
// total order are one value: there they commute.
func (o *orderly) extreme(n node) *node {
	var list []*node
	var flatten func(x *node)
	flatten = func(x *node) {
		if x.op == n.op && x.elem == n.elem {
			flatten(x.args[0])
			flatten(x.args[1])
		} else if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	flatten(n.args[0])
	flatten(n.args[1])
	if totallyOrdered(n.elem) {
		slices.SortFunc(list, func(x, y *node) int { return x.id - y.id })
	}
	out := list[0]
	for _, x := range list[1:] {
		out = o.intern(node{op: n.op, elem: n.elem, args: []*node{out, x}})
	}
	return out
}

// inverseOfPower returns 1/c for a c of 2^-14 to 2^14, which every float format holds.
func inverseOfPower(c string) (string, bool) {
	r, ok := new(big.Rat).SetString(c)
	if !ok || r.Sign() == 0 {
		return "", false
	}
	for _, n := range []*big.Int{r.Num(), r.Denom()} {
		if n.BitLen() > 15 || int(n.TrailingZeroBits()) != n.BitLen()-1 {
			return "", false
		}
	}
	return new(big.Rat).Inv(r).RatString(), true
}

// foldOf reads a reduction over several axes as one over the row-major position.
func (o *orderly) foldOf(c *Context, t *term) *node {
	body := o.within(t.vars, func() *node { return o.build(c, t.args[0]) })
	total := o.Const(1)
	for _, v := range t.vars {
		total = o.Mul(total, o.Sub(v.Hi, v.Lo))
	}
	pos := o.NewVar(o.Const(0), total)
	m, rest := map[*Atom]*Expr{}, pos.expr
	for i := len(t.vars) - 1; i >= 0; i-- {
		v, digit := t.vars[i], rest
		if extent := o.Sub(v.Hi, v.Lo); i > 0 {
			if !o.Nonneg(o.root, o.AddInt(extent, -1)) {
				fail(codeUnsupported, "an axis that may be empty has no digits")
			}
			digit, rest = o.Mod(c, rest, extent), o.Div(c, rest, extent)
		}
		m[v] = o.Add(v.Lo, digit)
	}
	body = o.subst(c, body, m)
	slot := body.height
	body = o.subst(c, body, map[*Atom]*Expr{pos: o.engine.slot(slot).expr})
	return o.intern(node{op: opReduce, fold: t.fold, elem: t.elem, e: total, slot: slot,
		args: []*node{body}})
}

func (o *orderly) subst(c *Context, n *node, m map[*Atom]*Expr) *node {
	if !touches(n.free, m) {
		return n
	}
	t := *n
	if n.e != nil {
		t.e = o.Subst(c, n.e, m)
	}
	t.args = nil
	for _, a := range n.args {
		t.args = append(t.args, o.subst(c, a, m))
	}
	if n.op == opIf {
		if truth := o.decide(c, t.e); truth != open {
			return t.args[int(truth-yes)]
		}
	}
	return o.lawful(t)
}

func (o *orderly) intern(n node) *node {
	k := []byte{byte(n.op), byte(n.fold), byte(n.elem.Kind)}
	for _, x := range []int{n.elem.Width, n.elem.Frac, n.slot, len(n.name)} {
		k = binary.AppendUvarint(k, uint64(x))
	}
	k = append(k, n.name...)
	if n.e != nil {
		k = binary.AppendUvarint(k, uint64(n.e.ID)+1)
		n.free = n.e.Free
	} else {
		k = append(k, 0)
	}
	n.height = 0
	for i, a := range n.args {
		k = binary.AppendUvarint(k, uint64(a.id))
		free := a.free
		if n.op == opReduce || n.op == opGather && i == 0 {
			free = without(free, o.engine.slot(n.slot))
			n.height = n.slot + 1
		}
		n.free = union(n.free, free)
		n.height = max(n.height, a.height)
	}
	if known := o.nodes[string(k)]; known != nil {
		return known
	}
	n.id = len(o.nodes) + 1
	o.nodes[string(k)] = &n
	return &n
}

// partials returns a node for each operation in t that may have no value; what is bound and
// conditional around it is part of the node.
func (o *orderly) partials(c *Context, t *term) (nodes []*node) {
	o.walk(c, t, nil, map[string]bool{}, func(c *Context, t *term, around []surrounding) bool {
		if !o.mayFail(t) {
			return true
		}
		for _, s := range around {
			o.scope = append(o.scope, s.vars...)
		}
		n := o.build(c, t)
		o.scope = nil
		for _, s := range slices.Backward(around) {
			for _, cond := range s.guards {
				n = o.intern(node{op: opApply, name: "where", e: cond, args: []*node{n}})
			}
			for _, v := range s.vars {
				slot := n.height
				body := o.subst(c, n, map[*Atom]*Expr{v: o.engine.slot(slot).expr})
				name := fmt.Sprintf("%d to %d", v.Lo.ID, v.Hi.ID)
				n = o.intern(node{op: opReduce, fold: foldProduct, name: name,
					slot: slot, args: []*node{body}})
			}
		}
		nodes = append(nodes, n)
		return true
	})
	return nodes
}

// mayFail reports whether an operation of exact arithmetic may have no value.
func (o *orderly) mayFail(t *term) bool {
	switch t.op {
	case opRead:
		return t.asks
	case opConst: // a literal that its type has not
		return t.val == nil && t.elem.Kind != domain.ElemFloat
	case opDiv:
		d := t.args[1]
		return t.elem.Kind != domain.ElemFloat &&
			(d.op != opConst || d.val == nil || d.val.Sign() <= 0)
	case opGather:
		return true
	case opConvert:
		switch to := t.elem.Kind; t.args[0].elem.Kind {
		case domain.ElemFloat:
			return to != domain.ElemFloat
		case domain.ElemAdaptive:
			return to != domain.ElemFloat && to != domain.ElemAdaptive
		case domain.ElemFix:
			return to == domain.ElemInt || to == domain.ElemUint
		}
	case opApply:
		return o.partial(t)
	}
	return false
}

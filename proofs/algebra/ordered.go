package algebra

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
	op     Op
	fold   Fold
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
func (o *orderly) equal(c *Context, axes []*Atom, x, y func(*Context, []*Expr) *Scalar) {
	at, some := o.index(c, axes)
	if !some {
		return
	}
	s, t := x(c, at), y(c, at)
	if s.none() {
		return
	}
	if cut := o.same(c, s, t); cut != nil {
		if o.cuts++; o.cuts > maxRegions {
			Fail(CodeLimit, "the output has too many pieces")
		}
		o.equal(o.Assume(c, cut), axes, x, y)
		o.equal(o.Assume(c, o.not(cut)), axes, x, y)
	}
}

// same compares two terms in a region, or says where to cut it.
func (o *orderly) same(c *Context, s, t *Scalar) (cut *Expr) {
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
		Fail(CodeGoal, "the two sides are not equal in this order of operations")
	}
	have := o.partials(c, s)
	for _, n := range o.partials(c, t) {
		if !slices.Contains(have, n) {
			Fail(CodeDefined, "AFTER is not known to be defined where BEFORE is")
		}
	}
	return nil
}

func (o *orderly) build(c *Context, t *Scalar) *node {
	key := [2]int{t.id, c.ID}
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

func (o *orderly) compute(c *Context, t *Scalar) *node {
	n := node{op: t.Op, elem: t.Elem, name: t.Name, e: t.E}
	switch t.Op {
	case OpConst:
		if n.name = "literal " + t.Name; t.Val != nil { // which may be the digits of a number
			n.name = t.Val.RatString()
		}
	case OpReduce:
		return o.foldOf(c, t)
	case OpIf:
		n.name, n.e = "", o.plain(t.E)
		truth := o.decide(c, n.e)
		if truth != open {
			return o.build(c, t.Args[int(truth-yes)])
		}
		if !slices.ContainsFunc(o.scope, n.e.Mentions) {
			panic(needCut{n.e})
		}
		n.args = []*node{o.build(o.Assume(c, n.e), t.Args[0]),
			o.build(o.Assume(c, o.not(n.e)), t.Args[1])}
		return o.lawful(n)
	case OpGather:
		v := t.Vars[0]
		body := o.within(t.Vars, func() *node { return o.build(c, t.Args[0]) })
		n.slot, n.name = body.height, "0 to "+Formatted(v.Hi)
		body = o.subst(c, body, map[*Atom]*Expr{v: o.engine.slot(n.slot).expr})
		n.args = []*node{body, o.build(c, t.Args[1])}
	default:
		if t.Op == OpConvert {
			n.name = t.Args[0].Elem.String()
		}
		for _, a := range t.Args {
			n.args = append(n.args, o.build(c, a))
		}
	}
	return o.lawful(n)
}

// lawful applies the laws that keep every bit.
func (o *orderly) lawful(n node) *node {
	float, total := isFloat(n.elem), totallyOrdered(n.elem)
	is := func(i int, name string) bool { return n.args[i].op == OpConst && n.args[i].name == name }
	switch {
	case n.op == OpIf && n.args[0] == n.args[1]:
		return n.args[0]
	case n.op == OpFunction:
		first := false
		n.args, first = lawful(n.name, n.args, func(x *node) int { return x.id })
		if first {
			return n.args[0]
		}
		return o.intern(n)
	case n.op == OpNeg && float && n.args[0].op == OpNeg: // the sign bit, twice
		return n.args[0].args[0]
	case (n.op == OpMul || n.op == OpDiv) && float && n.args[0].op == OpNeg:
		n.args = []*node{n.args[0].args[0], n.args[1]}
		return o.negated(n)
	case (n.op == OpMul || n.op == OpDiv) && float && n.args[1].op == OpNeg:
		n.args = []*node{n.args[0], n.args[1].args[0]}
		return o.negated(n)
	case n.op == OpMax || n.op == OpMin:
		return o.extreme(n)
	case n.op == OpApply && n.name == "relu" && total:
		zero := o.intern(node{op: OpConst, elem: n.elem, name: "0"})
		return o.extreme(node{op: OpMax, elem: n.elem, args: []*node{n.args[0], zero}})
	case n.op == OpApply && n.name == "relu" &&
		(n.args[0].op == OpApply && n.args[0].name == "relu" || is(0, "0")):
		return n.args[0]
	case n.op == OpMul && (float || total) && is(1, "1"), n.op == OpAdd && total && is(1, "0"):
		return n.args[0]
	case n.op == OpMul && (float || total) && is(0, "1"), n.op == OpAdd && total && is(0, "0"):
		return n.args[1]
	case n.op == OpDiv && float && n.args[1].op == OpConst: // both round the same real number
		if inv, ok := inverseOfPower(n.args[1].name); ok {
			by := o.intern(node{op: OpConst, elem: n.elem, name: inv})
			return o.lawful(node{op: OpMul, elem: n.elem, args: []*node{n.args[0], by}})
		}
	}
	if (n.op == OpAdd || n.op == OpMul) && n.args[0].id > n.args[1].id { // commute always
		n.args = []*node{n.args[1], n.args[0]}
	}
	return o.intern(n)
}

// negated returns -n, for a float n.
func (o *orderly) negated(n node) *node {
	return o.lawful(node{op: OpNeg, elem: n.elem, args: []*node{o.lawful(n)}})
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
func (o *orderly) foldOf(c *Context, t *Scalar) *node {
	body := o.within(t.Vars, func() *node { return o.build(c, t.Args[0]) })
	total := o.Const(1)
	for _, v := range t.Vars {
		total = o.Mul(total, o.Sub(v.Hi, v.Lo))
	}
	pos := o.NewVar(o.Const(0), total)
	m, rest := map[*Atom]*Expr{}, pos.expr
	for i := len(t.Vars) - 1; i >= 0; i-- {
		v, digit := t.Vars[i], rest
		if extent := o.Sub(v.Hi, v.Lo); i > 0 {
			if !o.Nonneg(o.Root, o.AddInt(extent, -1)) {
				Fail(CodeUnsupported, "an axis that may be empty has no digits")
			}
			digit, rest = o.Mod(c, rest, extent), o.Div(c, rest, extent)
		}
		m[v] = o.Add(v.Lo, digit)
	}
	body = o.subst(c, body, m)
	slot := body.height
	body = o.subst(c, body, map[*Atom]*Expr{pos: o.engine.slot(slot).expr})
	return o.intern(node{op: OpReduce, fold: t.Fold, elem: t.Elem, e: total, slot: slot,
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
	if n.op == OpIf {
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
		if n.op == OpReduce || n.op == OpGather && i == 0 {
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
func (o *orderly) partials(c *Context, t *Scalar) (nodes []*node) {
	o.walk(c, t, nil, map[string]bool{}, func(c *Context, t *Scalar, around []surrounding) bool {
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
				n = o.intern(node{op: OpApply, name: "where", e: cond, args: []*node{n}})
			}
			for _, v := range s.vars {
				slot := n.height
				body := o.subst(c, n, map[*Atom]*Expr{v: o.engine.slot(slot).expr})
				name := fmt.Sprintf("%d to %d", v.Lo.ID, v.Hi.ID)
				n = o.intern(node{op: OpReduce, fold: FoldProduct, name: name,
					slot: slot, args: []*node{body}})
			}
		}
		nodes = append(nodes, n)
		return true
	})
	return nodes
}

// mayFail reports whether an operation may have no value.
func (o *orderly) mayFail(t *Scalar) bool {
	if slices.ContainsFunc(t.Args, func(a *Scalar) bool { return o.asksNumber(t, a) }) {
		return true
	}
	switch t.Op {
	case OpRead:
		return t.asks
	case OpConst: // a literal that its type has not
		return t.Val == nil && !isFloat(t.Elem)
	case OpDiv:
		d := t.Args[1]
		return !isFloat(t.Elem) &&
			(d.Op != OpConst || d.Val == nil || d.Val.Sign() <= 0)
	case OpGather:
		return true
	case OpReduce:
		return IsReal(t.Elem) && t.Fold != FoldMax && o.maybe(t.Args[0])
	case OpConvert:
		return partialConversion(t)
	case OpApply:
		if IsReal(t.Elem) {
			return t.Name == "sqrt" || t.Name == "log" || failing().MatchString(t.Name)
		}
		return o.partial(t)
	}
	return false
}

// partialConversion reports whether a conversion may have no value.
func partialConversion(t *Scalar) bool {
	switch to := t.Elem.Kind; t.Args[0].Elem.Kind {
	case domain.ElemFloat: // or of real numbers
		return to != domain.ElemFloat
	case domain.ElemAdaptive:
		return to != domain.ElemFloat && to != domain.ElemAdaptive
	case domain.ElemFix:
		return to == domain.ElemInt || to == domain.ElemUint
	}
	return false
}

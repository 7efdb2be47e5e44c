package normal

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/internal/mix"
	"tv/semantics/index"
	"tv/semantics/term"
)

// An Ordered engine compares elements of sorts whose sums must keep their order: floats, saturating and custom
// formats. It knows commutativity of + and ·, rewrites indices, decides conditions and reads every reduction as
// a fold over one linear position, so that reshapes, transposes of the output and im2col match. It re-associates
// nothing.
type Ordered struct {
	ctx     context.Context
	b       *index.Builder
	nodes   map[uint64][]*node
	memo    map[termKey]*node
	count   int
	budget  int
	scope   []*index.Atom // bound variables around the term at hand
	regions int

	compared map[[3]int]bool  // by region and the nodes
	decided  map[[2]int]*node // by node and region: what is left of it there
}

// A node is a canonical term. Nodes are interned.
type node struct {
	id     int
	op     term.Op
	fold   term.Fold
	sort   term.Sort
	name   string // function, constant, conversion
	tensor *term.Tensor
	index  *index.Expr // offset of a read, condition of an if, number, length of a fold
	args   []*node
	slot   int // of a fold or gather: the slot it binds
	free   []*index.Atom
	height int

	chooses bool // an if is in it
}

// NewOrdered returns an engine over the expressions of b; budget bounds the nodes visited, and the end of ctx ends
// it too.
func NewOrdered(ctx context.Context, b *index.Builder, budget int) *Ordered {
	return &Ordered{ctx: ctx, b: b, nodes: map[uint64][]*node{}, memo: map[termKey]*node{}, budget: budget,
		compared: map[[3]int]bool{}, decided: map[[2]int]*node{}}
}

// needCut ends a run whose region must be cut at e >= 0.
type needCut struct{ e *index.Expr }

// Compare compares the elements of two arrays at every index of dims; Equal means that they are the same bit for
// bit wherever the first is defined, and that the second is defined there.
func (o *Ordered) Compare(ctx *index.Context, dims []*index.Expr, x, y term.Array) (c Comparison) {
	vars := make([]*index.Atom, len(dims))
	for i, d := range dims {
		vars[i] = o.b.NewVar(fmt.Sprintf("i%d", i), o.b.Const(0), d)
	}
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			c = Comparison{Err: s.err}
		}
	}()
	return o.compareAt(ctx, vars, x, y)
}

func (o *Ordered) compareAt(ctx *index.Context, vars []*index.Atom, x, y term.Array) Comparison {
	at := make([]*index.Expr, len(vars))
	for i, v := range vars {
		lo, hi := ctx.Bounds(v)
		at[i] = v.Expr()
		if n, ok := o.b.Sub(hi, lo).Const(); ok && n.IsOne() {
			at[i] = lo
		}
	}
	s, t := x.Element(ctx, at), y.Element(ctx, at)
	p, q, cut := o.both(ctx, s, t)
	if cut == nil && o.alike(ctx, p, q) {
		var ok bool
		if ok, cut = o.defined(ctx, s, t); ok {
			return Comparison{Equal: true}
		}
	}
	if cut != nil {
		if o.regions++; o.regions > 16*maxRegions {
			return Comparison{Err: ErrBudget}
		}
		if c := o.compareAt(o.b.Assume(ctx, cut), vars, x, y); !c.Equal {
			return c
		}
		return o.compareAt(o.b.Assume(ctx, o.not(cut)), vars, x, y)
	}
	left := func(n *node) string { return printed(maxLeft, func(w *printer) { w.node(n) }) }
	return Comparison{Left: []string{left(p), "against", left(q)}}
}

// both builds the nodes of two terms, or says where the region must be cut.
func (o *Ordered) both(ctx *index.Context, s, t *term.Term) (p, q *node, cut *index.Expr) {
	cut = o.uncut(func() { p, q = o.build(ctx, s), o.build(ctx, t) })
	return p, q, cut
}

// uncut runs f, or says where the region must be cut before it can.
func (o *Ordered) uncut(f func()) (cut *index.Expr) {
	defer func() {
		if r := recover(); r != nil {
			n, ok := r.(needCut)
			if !ok {
				panic(r)
			}
			o.scope = nil
			cut = n.e
		}
	}()
	f()
	return nil
}

func (o *Ordered) build(ctx *index.Context, t *term.Term) *node {
	key := termKey{t.ID(), ctx.ID()}
	if n, ok := o.memo[key]; ok {
		return n
	}
	o.spend()
	n := o.compute(ctx, t)
	o.memo[key] = n
	return n
}

// spend counts a step.
func (o *Ordered) spend() {
	if o.budget--; o.budget < 0 {
		panic(stop{ErrBudget})
	}
	if o.budget%breath == 0 {
		if err := o.ctx.Err(); err != nil {
			panic(stop{err})
		}
	}
}

func (o *Ordered) compute(ctx *index.Context, t *term.Term) *node {
	n := node{op: t.Op, sort: t.Sort}
	switch t.Op {
	case term.Const:
		n.name = t.Name
		if t.Name == "" {
			n.name = t.Value.RatString()
		}
	case term.Lowest:
	case term.Number:
		n.index = t.Index[0]
	case term.Read:
		n.tensor = t.Tensor
		n.index = o.b.Const(0)
		for i, d := range t.Tensor.Dims {
			n.index = o.b.Add(o.b.Mul(n.index, d), t.Index[i])
		}
	case term.Reduce:
		return o.fold(ctx, t)
	case term.If:
		cond := o.b.Condition(t.Index[0])
		switch o.b.Decide(ctx, cond) {
		case index.True:
			return o.build(ctx, t.Args[0])
		case index.False:
			return o.build(ctx, t.Args[1])
		}
		if !mentionsAny(cond, o.scope) {
			panic(needCut{cond})
		}
		n.index = cond
		n.args = []*node{o.build(o.b.Assume(ctx, cond), t.Args[0]), o.build(o.b.Assume(ctx, o.not(cond)), t.Args[1])}
		return o.ifNode(n)
	case term.Gather:
		v := t.Vars[0]
		o.scope = append(o.scope, v)
		body := o.build(ctx, t.Args[0])
		o.scope = o.scope[:len(o.scope)-1]
		n.slot = body.height
		n.name = v.Lo.String() + " to " + v.Hi.String()
		n.args = []*node{o.subst(ctx, body, map[*index.Atom]*index.Expr{v: o.b.Slot(n.slot).Expr()}), o.build(ctx, t.Args[1])}
	case term.Apply, term.Convert:
		n.name = t.Name
		if t.Op == term.Convert {
			n.name = t.Args[0].Sort.String()
		}
		fallthrough
	default:
		for _, a := range t.Args {
			n.args = append(n.args, o.build(ctx, a))
		}
	}
	return o.commute(n)
}

// commute orders the operands of + and ·, which commute in every sort, and applies the laws that keep every bit.
func (o *Ordered) commute(n node) *node {
	isFloat, isTotal := n.sort.Kind == term.Float, total(n.sort)
	switch {
	case isTotal && n.op == term.Add && n.args[0].is("0"), (isTotal || isFloat) && n.op == term.Mul && n.args[0].is("1"):
		return n.args[1]
	case isTotal && n.op == term.Add && n.args[1].is("0"), (isTotal || isFloat) && n.op == term.Mul && n.args[1].is("1"):
		return n.args[0]
	case isTotal && n.op == term.Apply && n.name == "relu":
		zero := o.intern(node{op: term.Const, sort: n.sort, name: "0"})
		return o.firstExtreme(node{op: term.Max, sort: n.sort, args: []*node{n.args[0], zero}})
	case n.op == term.Neg && isFloat && n.args[0].op == term.Neg: // the sign bit, twice
		return n.args[0].args[0]
	case isFloat && (n.op == term.Mul || n.op == term.Div) && (n.args[0].op == term.Neg || n.args[1].op == term.Neg):
		args := slices.Clone(n.args) // the sign of one operand is that of the result
		i := 0
		if args[0].op != term.Neg {
			i = 1
		}
		args[i] = args[i].args[0]
		n.args = args
		return o.commute(node{op: term.Neg, sort: n.sort, args: []*node{o.commute(n)}})
	case n.op == term.Max || n.op == term.Min:
		return o.firstExtreme(n)
	case n.op == term.Apply && n.name == "relu" && (n.args[0].op == term.Apply && n.args[0].name == "relu" || n.args[0].is("0")):
		return n.args[0]
	case n.op == term.Div && isFloat && n.args[1].op == term.Const: // both round the same real number
		if inv, ok := inversePowerOfTwo(n.args[1].name); ok {
			c := o.intern(node{op: term.Const, sort: n.sort, name: inv})
			return o.commute(node{op: term.Mul, sort: n.sort, args: []*node{n.args[0], c}})
		}
	}
	if (n.op == term.Add || n.op == term.Mul) && n.args[0].id > n.args[1].id {
		n.args = []*node{n.args[1], n.args[0]}
	}
	return o.intern(n)
}

// total reports whether the values of a sort are in a total order, without NaN and a second 0: the maximum of some is
// the same in whatever order they come, and 0 and 1 are neutral. Integers are not here: they have an engine that knows more.
func total(s term.Sort) bool {
	return s.Kind == term.Saturate || s.Kind == term.Fixed || s.Kind == term.Bool
}

// firstExtreme nests max or min to the left, each operand once: it is the first of the greatest or smallest operands, NaN
// aside, however they are grouped. Where the order is total, the operands commute too.
func (o *Ordered) firstExtreme(n node) *node {
	operands := o.operands(nil, n.op, n.args[0])
	operands = o.operands(operands, n.op, n.args[1])
	if total(n.sort) {
		slices.SortFunc(operands, func(x, y *node) int { return x.id - y.id })
	}
	first := operands[0]
	for _, x := range operands[1:] {
		first = o.intern(node{op: n.op, sort: n.sort, args: []*node{first, x}})
	}
	return first
}

// operands adds those of nested operations to a list, each once.
func (o *Ordered) operands(list []*node, op term.Op, x *node) []*node {
	switch {
	case x.op == op:
		return o.operands(o.operands(list, op, x.args[0]), op, x.args[1])
	case slices.Contains(list, x):
		return list
	}
	return append(list, x)
}

func (n *node) is(constant string) bool { return n.op == term.Const && n.name == constant }

// inversePowerOfTwo returns 1/c for a constant c of 2^-14 to 2^14, whose inverse every float format holds.
func inversePowerOfTwo(c string) (string, bool) {
	r, ok := new(big.Rat).SetString(c)
	if !ok || r.Sign() == 0 {
		return "", false
	}
	inv := new(big.Rat).Inv(r)
	for _, n := range []*big.Int{r.Num(), r.Denom()} {
		m := new(big.Int).Abs(n)
		if m.BitLen() > 15 || int(m.TrailingZeroBits()) != m.BitLen()-1 {
			return "", false
		}
	}
	return inv.RatString(), true
}

// ifNode keeps the condition that begins with a positive coefficient.
func (o *Ordered) ifNode(n node) *node {
	if n.args[0] == n.args[1] {
		return n.args[0]
	}
	if ts := n.index.Terms(); ts[0].Coef.Sign() < 0 {
		n.index = o.not(n.index)
		n.args = []*node{n.args[1], n.args[0]}
	}
	return o.intern(n)
}

// not returns the condition that holds where e >= 0 does not.
func (o *Ordered) not(e *index.Expr) *index.Expr { return o.b.AddInt(o.b.Scale(index.Int(-1), e), -1) }

// fold reads a reduction over several axes as one over the row-major position.
func (o *Ordered) fold(ctx *index.Context, t *term.Term) *node {
	b := o.b
	o.scope = append(o.scope, t.Vars...)
	body := o.build(ctx, t.Args[0])
	o.scope = o.scope[:len(o.scope)-len(t.Vars)]
	total := b.Const(1)
	for _, v := range t.Vars {
		total = b.Mul(total, b.Sub(v.Hi, v.Lo))
	}
	pos := b.NewVar("t", b.Const(0), total)
	m := map[*index.Atom]*index.Expr{}
	rest := pos.Expr()
	for i := len(t.Vars) - 1; i >= 0; i-- {
		v := t.Vars[i]
		extent := b.Sub(v.Hi, v.Lo)
		digit := rest
		if i > 0 {
			if !b.Nonneg(b.Root(), b.AddInt(extent, -1)) {
				panic(stop{ErrBudget}) // an axis that may be empty has no digits
			}
			digit = b.Mod(ctx, rest, extent)
			rest = b.Div(ctx, rest, extent)
		}
		m[v] = b.Add(v.Lo, digit)
	}
	body = o.subst(ctx, body, m)
	if n, ok := total.Const(); ok && n.IsOne() && t.Fold != term.Maximum {
		return o.subst(ctx, body, map[*index.Atom]*index.Expr{pos: b.Const(0)})
	}
	slot := body.height
	body = o.subst(ctx, body, map[*index.Atom]*index.Expr{pos: b.Slot(slot).Expr()})
	return o.intern(node{op: term.Reduce, fold: t.Fold, sort: t.Sort, index: total, slot: slot, args: []*node{body}})
}

// subst replaces variables; nodes are graphs, each of which is gone into once.
func (o *Ordered) subst(ctx *index.Context, n *node, m map[*index.Atom]*index.Expr) *node {
	return o.substIn(ctx, n, m, map[*node]*node{})
}

func (o *Ordered) substIn(ctx *index.Context, n *node, m map[*index.Atom]*index.Expr, done map[*node]*node) *node {
	if !touches(n.free, m) {
		return n
	}
	if known := done[n]; known != nil {
		return known
	}
	out := o.substNode(ctx, n, m, done)
	done[n] = out
	return out
}

func (o *Ordered) substNode(ctx *index.Context, n *node, m map[*index.Atom]*index.Expr, done map[*node]*node) *node {
	c := *n
	if n.index != nil {
		c.index = o.b.Subst(ctx, n.index, m)
	}
	c.args = make([]*node, len(n.args))
	for i, a := range n.args {
		c.args[i] = o.substIn(ctx, a, m, done)
	}
	if n.op == term.If {
		switch o.b.Decide(ctx, c.index) {
		case index.True:
			return c.args[0]
		case index.False:
			return c.args[1]
		}
	}
	return o.lawful(c)
}

func (o *Ordered) intern(n node) *node {
	h := mix.String(uint64(n.op)<<8|uint64(n.fold), n.name)
	h = mix.Word(h, uint64(n.sort.Kind)<<40|uint64(n.sort.Width)<<20|uint64(n.sort.Frac))
	if n.tensor != nil {
		h = mix.Word(h, uint64(n.tensor.ID))
	}
	if n.index != nil {
		h = mix.Word(h, uint64(n.index.ID()))
	}
	for _, a := range n.args {
		h = mix.Word(h, uint64(a.id))
	}
	h &= hashMask
next:
	for _, x := range o.nodes[h] {
		if x.op != n.op || x.fold != n.fold || x.sort != n.sort || x.name != n.name || x.tensor != n.tensor ||
			x.index != n.index || x.slot != n.slot || len(x.args) != len(n.args) {
			continue
		}
		for i := range n.args {
			if x.args[i] != n.args[i] {
				continue next
			}
		}
		return x
	}
	o.count++
	n.id = o.count
	n.free, n.height, n.chooses = nil, 0, n.op == term.If
	for _, a := range n.args {
		n.chooses = n.chooses || a.chooses
		n.free = union(n.free, a.free)
		n.height = max(n.height, a.height)
	}
	if n.op == term.Reduce || n.op == term.Gather {
		n.free = without(n.args[0].free, o.b.Slot(n.slot))
		if n.op == term.Gather {
			n.free = union(n.free, n.args[1].free)
		}
		n.height = max(n.height, n.slot+1)
	}
	if n.index != nil {
		n.free = union(n.free, n.index.Free())
	}
	kept := n
	o.nodes[h] = append(o.nodes[h], &kept)
	return &kept
}

// defined reports whether every condition under which t is defined is one of s, or where the region must be cut
// to tell: in branches that the values do not need, conditions are met for the first time here.
func (o *Ordered) defined(ctx *index.Context, s, t *term.Term) (ok bool, cut *index.Expr) {
	have := map[*node]bool{}
	cut = o.uncut(func() {
		o.conditions(ctx, s, nil, "", map[visit]bool{}, func(n *node) bool { have[n] = true; return true })
		ok = o.conditions(ctx, t, nil, "", map[visit]bool{}, func(n *node) bool { return have[n] })
	})
	return ok, cut
}

// conditions calls f with a node for each operation in t that is partial, with what is bound and conditional
// around it made part of the node; it stops where f returns false.
func (o *Ordered) conditions(ctx *index.Context, t *term.Term, around []func(*node) *node, scope string, seen map[visit]bool, f func(*node) bool) bool {
	key := visit{t.ID(), ctx.ID(), scope}
	if seen[key] {
		return true
	}
	seen[key] = true
	partial := false
	switch t.Op {
	case term.Div:
		partial = t.Sort.Kind != term.Float
	case term.Gather:
		partial = true
	case term.Convert:
		partial = partialConversion(t)
	case term.Apply:
		partial = t.Sort.Kind == term.Real && (t.Name == term.Sqrt || t.Name == term.Log) || partialFunction(o.b, t)
	case term.Reduce:
		partial = t.Sort.Kind == term.Real && t.Fold != term.Maximum && t.Args[0].MayBeLowest()
	}
	partial = partial || slices.ContainsFunc(t.Args, func(a *term.Term) bool { return asksNumber(t, a) })
	if partial {
		n := o.build(ctx, t)
		for i := len(around) - 1; i >= 0; i-- {
			n = around[i](n)
		}
		if !f(n) {
			return false
		}
	}
	nested := func(w func(*node) *node) []func(*node) *node {
		return append(around[:len(around):len(around)], w)
	}
	switch t.Op {
	case term.Reduce:
		inner := nested(func(n *node) *node {
			var names []string
			m := map[*index.Atom]*index.Expr{}
			for i, v := range t.Vars {
				names = append(names, v.Lo.String()+" to "+v.Hi.String())
				m[v] = o.b.Slot(n.height + i).Expr()
			}
			slot := n.height
			return o.intern(node{op: term.Reduce, fold: term.Product, name: strings.Join(names, ", "), slot: slot + len(t.Vars) - 1,
				args: []*node{o.subst(ctx, n, m)}})
		})
		o.scope = append(o.scope, t.Vars...)
		ok := o.conditions(ctx, t.Args[0], inner, scope+scopeOf(t.Vars, nil), seen, f)
		o.scope = o.scope[:len(o.scope)-len(t.Vars)]
		return ok
	case term.If:
		cond := o.b.Condition(t.Index[0])
		for i, c := range []*index.Expr{cond, o.not(cond)} {
			if o.b.Decide(ctx, c) == index.False {
				continue
			}
			inCtx, inner, in := ctx, around, scope
			if o.b.Decide(ctx, c) == index.Open {
				inCtx, in = o.b.Assume(ctx, c), scope+scopeOf(nil, []*index.Expr{c})
				inner = nested(func(n *node) *node {
					return o.intern(node{op: term.Apply, name: "where", index: c, args: []*node{n}})
				})
			}
			if !o.conditions(inCtx, t.Args[i], inner, in, seen, f) {
				return false
			}
		}
		return true
	case term.Gather: // its place in the axis is bound
		o.scope = append(o.scope, t.Vars...)
		ok := o.conditions(ctx, t.Args[0], around, scope+scopeOf(t.Vars, nil), seen, f)
		o.scope = o.scope[:len(o.scope)-len(t.Vars)]
		return ok && o.conditions(ctx, t.Args[1], around, scope, seen, f)
	}
	for _, a := range t.Args {
		if !o.conditions(ctx, a, around, scope, seen, f) {
			return false
		}
	}
	return true
}

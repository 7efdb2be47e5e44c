package mlir

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/algebra"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// inner is what is done in a block of its own, at whose end all is held that it still needs. What
// is needed around it is held before.
func (l *lowering) inner(do func()) func() {
	if do == nil {
		return nil
	}
	return func() {
		live, number := l.live, l.block
		l.blocks++
		l.block = l.blocks
		do()
		l.settle()
		l.live, l.block = live, number
	}
}

// body does what the operations of a region do, but for the last, which hands values on.
func (l *lowering) body(r *region, yield func(args []*value, at source.Span)) {
	list := r.body
	if n := len(list); n > 0 && (strings.HasSuffix(list[n-1].name, ".yield") ||
		slices.Contains([]string{"scf.reduce", "func.return"}, list[n-1].name)) {
		l.operations(list[:n-1])
		yield(list[n-1].args, list[n-1].at)
		return
	}
	l.operations(list)
	yield(nil, source.Span{})
}

func (l *lowering) operations(list []*operation) {
	for _, o := range list {
		l.operation(o)
	}
}

// operation does what one does.
func (l *lowering) operation(o *operation) {
	family, _, _ := strings.Cut(o.name, ".")
	switch o.name {
	case "affine.for":
		l.affineFor(o)
	case "scf.for":
		l.scfFor(o)
	case "func.call":
		l.call(o)
	case "affine.parallel":
		l.affineParallel(o)
	case "scf.parallel":
		l.scfParallel(o)
	case "affine.if":
		l.check(o, len(o.attrs["condition"].mapping().zero) > 0)
		l.branch(o, l.condition(o))
	case "scf.if":
		l.check(o, len(o.args) == 1)
		if o.args[0].test != nil {
			l.branch(o, o.args[0].test)
		} else {
			l.decide(o, o.args[0])
		}
	case "affine.apply", "affine.min", "affine.max":
		l.apply(o)
	default:
		switch family {
		case "arith", "math":
			l.arith(o)
		case "affine", "memref":
			if strings.HasPrefix(o.name, "affine.vector") {
				l.vector(o)
			} else {
				l.memory(o)
			}
		case "vector":
			l.vector(o)
		case "linalg":
			if o.name != "linalg.index" { // which its operation gave a value
				l.structured(o)
			}
		default:
			refuse(o.at, "unsupported-op", "%s is not read", o.name)
		}
	}
}

// check holds an operation in the generic syntax against what it has to have.
func (l *lowering) check(o *operation, ok bool) {
	check(ok, o.at, "bad-syntax", "%s without what it has to have", o.name)
}

func (a *attribute) mapping() *mapping {
	if a == nil || a.m == nil {
		return &mapping{}
	}
	return a.m
}

// condition is that of an affine.if.
func (l *lowering) condition(o *operation) *test {
	m, list := o.attrs["condition"].m, []*test(nil)
	for i, n := range l.results(m, o.args, o.at) {
		op := map[bool]loops.CondOp{true: loops.CondEqual, false: loops.CondLessEqual}[m.zero[i]]
		list = append(list, &test{&loops.Test{Op: op, Y: n.x}, n.needs})
	}
	return joined(loops.CondAll, list...)
}

// apply is an affine map of one result, or the least or the greatest one of its results.
func (l *lowering) apply(o *operation) {
	list := l.results(o.attrs["map"].mapping(), o.args, o.at)
	l.check(o, len(list) == 1 || len(list) > 1 && o.name != "affine.apply")
	l.check(o, len(o.results) == 1 && o.results[0].typ.text == "index")
	out, op := list[0], map[string]string{"affine.min": "minsi", "affine.max": "maxsi"}[o.name]
	for _, n := range list[1:] {
		out = l.arithmetic(op, out, n, index, o.at)
	}
	o.results[0].num = out
}

// arith is an operation of dialects arith and math.
func (l *lowering) arith(o *operation) {
	check(len(o.results) == 1 && o.elementary(), o.at, "unsupported-op", "%s with flags", o.name)
	v := o.results[0]
	_, op, _ := strings.Cut(o.name, ".")
	switch {
	case op == "constant" && v.typ.kind != vector:
		l.constant(v, o.attrs["value"], o.at)
	case op == "cmpi" || op == "cmpf":
		l.comparison(o, v)
	case op == "select":
		l.choice(o, v)
	case v.typ.text == "i1":
		l.logic(op, o, v)
	case v.typ.kind == vector:
		l.vectorArith(o, v)
	case v.typ.kind != scalar:
		refuse(o.at, "unsupported-op", "%s of %s", o.name, v.typ.text)
	case l.isControl(o):
		l.control(o, v, op)
	default:
		var args []*loops.Data
		for _, a := range o.args {
			if a.typ.kind == bit {
				args = append(args, l.truth(a, o.at))
			} else {
				args = append(args, l.data(a, o.at))
			}
			typed := a.typ.text == o.args[0].typ.text
			check(typed, o.at, "type-mismatch", "operands of two types")
		}
		d := l.calculate(o, v.typ, args)
		check(d.Elem == v.typ.elem, o.at, "type-mismatch", "a result of another type")
		if l.set(v, d); partial[strings.TrimPrefix(o.name, "arith.")] != 0 {
			l.hold(v) // it is executed here, whether it is used or not
		}
	}
}

// isControl reports whether a result is an integer of control: of integers of control, if it steers
// or is an index.
func (l *lowering) isControl(o *operation) bool {
	v := o.results[0]
	return (v.steers || v.typ.index) && !strings.HasPrefix(o.name, "math") && !v.typ.isFloat() &&
		!slices.ContainsFunc(o.args, func(a *value) bool { return a.num == nil })
}

// control is an operation on integers of control.
func (l *lowering) control(o *operation, v *value, op string) {
	switch op {
	case "index_cast", "extsi", "trunci", "index_castui", "extui":
		l.check(o, len(o.args) == 1)
		n := l.number(o.args[0], o.at)
		wider := v.typ.elem.Width > o.args[0].typ.elem.Width
		if strings.HasSuffix(op, "ui") {
			check(l.Nonneg(n.x), o.at, "not-affine", "an operation on a negative number")
		}
		v.num = l.computed(n.x, v.typ, !wider, o.at, n)
	default:
		l.check(o, len(o.args) == 2 && o.alike(v))
		v.num = l.arithmetic(op, l.number(o.args[0], o.at), l.number(o.args[1], o.at), v.typ, o.at)
	}
}

// alike reports whether the last two operands have the type of a value.
func (o *operation) alike(v *value) bool {
	n := len(o.args)
	return o.args[n-2].typ.text == v.typ.text && o.args[n-1].typ.text == v.typ.text
}

// predicates are those of the generic syntax, by their numbers.
var predicates = map[string][]string{
	"arith.cmpi": strings.Fields("eq ne slt sle sgt sge ult ule ugt uge"),
	"arith.cmpf": strings.Fields("false oeq ogt oge olt ole one ord " +
		"ueq ugt uge ult ule une uno true"),
}

// comparison is a condition on integers of control, or on data.
func (l *lowering) comparison(o *operation, v *value) {
	l.check(o, len(o.args) == 2 && o.attrs["predicate"] != nil && o.alike(o.args[0]))
	p := o.attrs["predicate"].text
	if n, ok := o.attrs["predicate"].integer(); ok && n.IsInt64() && n.Sign() >= 0 &&
		n.Int64() < int64(len(predicates[o.name])) {
		p = predicates[o.name][n.Int64()]
	}
	x, y := o.args[0], o.args[1]
	float, some := o.name == "arith.cmpf", x.typ.kind == scalar || x.typ.kind == vector
	check(slices.Contains(predicates[o.name], p) && x.typ.isFloat() == float && some, o.at,
		"unsupported-op", "a comparison by %s", p)
	l.check(o, v.typ.text == x.typ.bits().text)
	if !float && x.num != nil && y.num != nil {
		v.test = l.compared(p, x.num, y.num, o.at)
		return
	}
	v.compare = &comparison{p, x, y}
	x.uses, y.uses = x.uses+v.uses-1, y.uses+v.uses-1 // what uses v uses them
}

// logic is a condition made of two others.
func (l *lowering) logic(op string, o *operation, v *value) {
	l.check(o, len(o.args) == 2 && o.args[0].typ.text == "i1" && o.args[1].typ.text == "i1")
	check(slices.Contains([]string{"andi", "ori", "xori"}, op), o.at, "unsupported-op",
		"%s of conditions", op)
	x, y := o.args[0].test, o.args[1].test
	if x == nil || y == nil {
		l.set(v, l.logical(op, o))
		return
	}
	switch op {
	case "andi":
		v.test = joined(loops.CondAll, x, y)
	case "ori":
		v.test = joined(loops.CondAny, x, y)
	case "xori":
		first, second := joined(loops.CondAll, x, not(y)), joined(loops.CondAll, not(x), y)
		v.test = joined(loops.CondAny, first, second)
	}
}

// logical is a condition on data made of two others. The loads of both are executed.
func (l *lowering) logical(op string, o *operation) *loops.Data {
	of := func(op loops.DataOp, args ...*loops.Data) *loops.Data {
		for i, a := range args {
			args[i] = copied(a)
		}
		return operator(op, typ{elem: algebra.Truth}, o.at, args...)
	}
	x, y := l.truth(o.args[0], o.at), l.truth(o.args[1], o.at)
	if always(y) && op == "xori" {
		return of(loops.DataNot, x)
	}
	x, y = l.loaded(x, o.at), l.loaded(y, o.at)
	switch op {
	case "andi":
		return of(loops.DataBoth, x, y)
	case "ori":
		return of(loops.DataEither, x, y)
	}
	return of(loops.DataEither, of(loops.DataBoth, x, of(loops.DataNot, y)),
		of(loops.DataBoth, of(loops.DataNot, x), y))
}

// always reports whether a condition is that 0 = 0.
func always(c *loops.Data) bool {
	return c.Op == loops.DataEqual && c.Args[0].Op == loops.DataLiteral && loops.Same(c.Args[0],
		c.Args[1])
}

// loaded is what an operand is made of, held if loads are among it.
func (l *lowering) loaded(d *loops.Data, at source.Span) *loops.Data {
	if len(reads(d)) == 0 {
		return d
	}
	b := l.local("select", d.Elem, nil, at)
	l.Emit(&loops.Assign{To: access(b, at), Value: d, Span: at})
	return read(access(b, at))
}

// truth is a use of an i1 as a condition on data.
func (l *lowering) truth(v *value, at source.Span) *loops.Data {
	check(v.typ.text == "i1", at, "unsupported-op", "%%%s, %s, as a condition", v.name, v.typ.text)
	nothing := func() *loops.Data { return literal(new(big.Int), known["i32"], at) }
	is := func(op loops.DataOp) *loops.Data {
		return operator(op, typ{elem: algebra.Truth}, at, nothing(), nothing())
	}
	switch c := v.compare; {
	case c != nil:
		x := l.data(c.x, at)
		return holds(c.predicate, x, l.data(c.y, at), at)
	case v.test == nil:
		return l.data(v, at)
	case v.test.Op == loops.CondAll && len(v.test.Of) == 0:
		return is(loops.DataEqual)
	case v.test.Op == loops.CondAny && len(v.test.Of) == 0:
		return is(loops.DataLess)
	}
	check(len(v.test.needs) == 0, at, "not-affine", "a condition may be on none of its type")
	b := l.local("condition", algebra.Truth, nil, at)
	set := func(op loops.DataOp) func() {
		return func() { l.Emit(&loops.Assign{To: access(b, at), Value: is(op), Span: at}) }
	}
	l.emitIf(v.test, at, set(loops.DataEqual), set(loops.DataLess))
	return read(access(b, at))
}

// choice is a select.
func (l *lowering) choice(o *operation, v *value) {
	l.check(o, len(o.args) == 3 && o.alike(v))
	c, x, y := o.args[0], o.args[1], o.args[2]
	switch {
	case c.compare != nil && v.typ.kind == vector:
		l.vectorChoice(c.compare, o)
	case c.compare != nil && v.typ.kind == scalar:
		l.dataChoice(c.compare, o, v)
	case c.test == nil && c.typ.text == "i1" && v.typ.kind == scalar:
		by := l.loaded(l.truth(c, o.at), o.at)
		x := l.loaded(l.data(o.args[1], o.at), o.at)
		y := l.loaded(l.data(o.args[2], o.at), o.at)
		l.set(v, operator(loops.DataChoose, v.typ, o.at, by, x, y))
	case c.test == nil || v.typ.kind != scalar:
		refuse(o.at, "unsupported-op", "a condition on data")
	case l.isChoice(v, x, y):
		v.num = l.alternative(c.test, x.num, y.num, v.typ, o.at)
	default: // both are there before one is chosen: what they are made of is held
		check(len(c.test.needs) == 0, o.at, "not-affine", "a condition may be on none of its type")
		b := l.local("select", v.typ.elem, nil, o.at)
		set := func(a *value) func() {
			return func() { l.store(access(b, o.at), a, o.at) }
		}
		l.emitIf(c.test, o.at, set(x), set(y))
		v.fix(read(access(b, o.at)))
	}
}

// dataChoice is a select by a comparison of elements. If it is not the greater or the lesser one,
// what both are made of is held: the loads are executed in any case.
func (l *lowering) dataChoice(c *comparison, o *operation, v *value) {
	d := [4]*loops.Data{}
	for i, a := range []*value{c.x, c.y, o.args[1], o.args[2]} {
		d[i] = l.data(a, o.at)
	}
	x := extreme(c.predicate, d, v.typ, o.at)
	if x == nil {
		d[2], d[3] = l.loaded(d[2], o.at), l.loaded(d[3], o.at)
		by := holds(c.predicate, d[0], d[1], o.at)
		x = operator(loops.DataChoose, v.typ, o.at, by, d[2], d[3])
	}
	l.set(v, x)
}

// isChoice reports whether a choice is one of integers of control.
func (l *lowering) isChoice(v, x, y *value) bool {
	return x.num != nil && y.num != nil && (v.steers || v.typ.index)
}

// emitIf does one of two things, or nothing for nil, by a condition.
func (l *lowering) emitIf(c *test, at source.Span, then, other func()) {
	l.settle()
	l.EmitIf(&loops.If{Span: at}, c.Test, l.inner(then), l.inner(other))
}

// carry begins locals for what a loop or a branch hands on.
func (l *lowering) carry(o *operation) (out []*loops.Buffer) {
	for _, v := range o.results {
		check(v.typ.kind == scalar, o.at, "unsupported-op", "%s hands on %s", o.name, v.typ.text)
		out = append(out, l.local("%"+v.name, v.typ.elem, nil, o.at))
	}
	return out
}

// hand writes values to locals, all at once.
func (l *lowering) hand(to []*loops.Buffer, at source.Span) func([]*value, source.Span) {
	return func(args []*value, end source.Span) {
		if end.File != nil {
			at = end
		}
		check(len(args) == len(to), at, "bad-syntax", "%d values are handed on", len(to))
		for i, v := range args {
			check(v.typ.kind == scalar && v.typ.elem == to[i].Elem, at, "type-mismatch",
				"%%%s is of another type", v.name)
			l.store(access(to[i], at), v, at)
		}
	}
}

// branch is an if.
func (l *lowering) branch(o *operation, c *test) {
	for _, n := range c.needs {
		l.required(&number{needs: []need{n}}, o.at)
	}
	to := l.carry(o)
	side := func(k int) func() {
		if k >= len(o.regions) {
			l.check(o, len(to) == 0)
			return nil
		}
		return func() { l.body(o.regions[k], l.hand(to, o.at)) }
	}
	l.check(o, len(o.regions) == 1 || len(o.regions) == 2)
	l.emitIf(c, o.at, side(0), side(1))
	for i, v := range o.results {
		v.fix(read(access(to[i], o.at)))
	}
}

// decide is an if by a condition on data, which is kept. Every assignment in it is a choice. What
// it hands on the first branch writes in any case, and the second where that is executed.
func (l *lowering) decide(o *operation, c *value) {
	l.check(o, len(o.regions) == 2 || len(o.regions) == 1 && len(o.results) == 0)
	held := l.local("condition", algebra.Truth, nil, o.at)
	l.Emit(&loops.Assign{To: access(held, o.at), Value: l.truth(c, o.at), Span: o.at})
	to := l.carry(o)
	l.settle()
	for k, r := range o.regions {
		when := read(access(held, o.at))
		if k == 1 {
			when = operator(loops.DataNot, typ{elem: algebra.Truth}, o.at, when)
		}
		for _, b := range to {
			l.born[b] = len(l.when) + 1 - k
		}
		l.when = append(l.when, when)
		l.inner(func() { l.body(r, l.hand(to, o.at)) })()
		l.when = l.when[:len(l.when)-1]
	}
	for i, v := range o.results {
		v.fix(read(access(to[i], o.at)))
	}
}

// A heading is that of a loop.
type heading struct {
	lo, hi []size // from the greatest one on, below all
	step   size
}

// affineFor is a loop whose bounds are maps.
func (l *lowering) affineFor(o *operation) {
	lower, upper := o.attrs["lower"].mapping(), o.attrs["upper"].mapping()
	n := len(lower.dims) + len(lower.syms)
	step, ok := o.attrs["step"].integer()
	l.check(o, ok && step.Sign() > 0 && len(o.args) >= o.inputs() && len(lower.results) > 0 &&
		len(upper.results) > 0)
	h := heading{step: domain.BigSize(step)}
	for _, x := range l.results(lower, o.args[:n], o.at) {
		h.lo = append(h.lo, loops.Apart(l.required(x, o.at), domain.SizeMax)...)
	}
	for _, x := range l.results(upper, o.args[n:o.inputs()], o.at) {
		h.hi = append(h.hi, loops.Apart(l.required(x, o.at), domain.SizeMin)...)
	}
	l.loop(o, h, o.args[o.inputs():])
}

// scfFor is a loop whose bounds are values.
func (l *lowering) scfFor(o *operation) {
	l.check(o, len(o.args) >= 3)
	l.loop(o, l.heading(o, o.args[0], o.args[1], o.args[2]), o.args[3:])
}

// heading is that of a loop whose bounds are values.
func (l *lowering) heading(o *operation, lo, hi, step *value) heading {
	x, y := l.steered(lo, o.at), l.steered(hi, o.at)
	h := heading{loops.Apart(x, domain.SizeMax), loops.Apart(y, domain.SizeMin),
		l.steered(step, o.at)}
	check(loops.Constant(h.step) && l.Nonneg(h.step.Sub(one)), o.at, "not-static-control",
		"a step that is not known to be positive")
	return h
}

// loop is a for, with what its iterations hand on.
func (l *lowering) loop(o *operation, h heading, inits []*value) {
	l.check(o, len(o.regions) == 1 && len(o.regions[0].params) == len(inits)+1 &&
		len(o.results) == len(inits))
	params := o.regions[0].params
	l.check(o, params[0].typ.text == "index")
	to := l.carry(o)
	l.hand(to, o.at)(inits, o.at)
	l.nested(h, o.at, func(c size) {
		params[0].num = &number{x: c}
		for i, b := range to {
			p := params[i+1]
			l.check(o, p.typ.elem == b.Elem && p.typ.kind == scalar)
			l.set(p, read(access(b, o.at)))
			p.done, p.carried = true, true
		}
		l.body(o.regions[0], l.hand(to, o.at))
	})
	for i, v := range o.results {
		v.fix(read(access(to[i], o.at)))
	}
}

// nested does something in a loop. Each value of the counter is an index, the last one too.
func (l *lowering) nested(h heading, at source.Span, do func(size)) *loops.For {
	check(len(l.when) == 0, at, "unsupported-op", "a loop that data decides about")
	f := &loops.For{Lo: l.Integers(h.lo), Hi: l.Integers(h.hi), Step: l.Integer(h.step), Span: at}
	c, facts := l.counter(f, h)
	l.settle()
	f.Body = l.Under(facts, l.inner(func() {
		do(c)
		l.required(l.computed(c.Add(h.step), index, true, at), at)
	}))
	l.Emit(f)
	return f
}

// counter makes the counter of a loop, and says what is not negative in it.
func (l *lowering) counter(f *loops.For, h heading) (c size, facts []size) {
	least, most := index.limits()
	c = l.Counter(f, least, most)
	for _, x := range h.lo {
		if first, _ := l.Within.Bounds(x); first != nil && first.Cmp(least) > 0 {
			least = first
		}
		facts = append(facts, c.Sub(x))
	}
	for _, x := range h.hi {
		if _, last := l.Within.Bounds(x); last != nil && last.Cmp(most) <= 0 {
			most = new(big.Int).Sub(last, big.NewInt(1))
		}
		facts = append(facts, x.Sub(c).Sub(one))
	}
	l.Narrow(c, least, most)
	return c, facts
}

package mlir

import (
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// writes lists the buffers that regions write, but for those that begin in them.
func writes(list []*region) (out []*loops.Buffer) {
	for _, r := range list {
		each(r, func(o *oper) {
			for _, u := range written(o) {
				if b := bufferOf(u.def); b != nil && !slices.Contains(out, b) {
					out = append(out, b)
				}
			}
		})
	}
	return out
}

// written returns the memrefs that an operation itself writes.
func written(o *oper) []*use {
	switch o.name {
	case "affine.store", "affine.vector_store", "memref.store", "vector.store", "vector.transfer_write", "memref.copy":
		if len(o.args) > 1 {
			return o.args[1:2]
		}
	}
	if !strings.HasPrefix(o.name, "linalg.") {
		return nil
	}
	var out []*use
	for _, u := range o.args { // the inputs too: which are the outputs the segments say
		if u.def.typ.family == memrefType {
			out = append(out, u)
		}
	}
	return out
}

// bufferOf returns the buffer of a memref that is known, or of what it is a part of.
func bufferOf(d *def) *loops.Buffer {
	for {
		switch {
		case d.mem != nil:
			return d.mem.root.buffer
		case d.op != nil && !d.param && (d.op.name == "memref.subview" || d.op.name == "memref.cast") && len(d.op.args) > 0:
			d = d.op.args[0].def
		default:
			return nil
		}
	}
}

// enter has what is pending read what the regions of an operation write.
func (e *elaborator) enter(o *oper) {
	for _, b := range writes(o.regions) {
		e.overwrite(b)
	}
}

// A bounded is a loop with its counter.
type bounded struct {
	lo, hi []*cval
	step   *cval
}

// count makes the loop of some bounds; the caller fills its body.
func (e *elaborator) count(d *def, b bounded, at source.Span) *loops.For {
	name := strings.TrimPrefix(d.name, "%")
	if digit((name + "i")[0]) {
		name = "i" + name
	}
	l := &loops.For{Name: name, Lo: ints(b.lo), Hi: ints(b.hi), Step: b.step.x, At: at}
	lo, hi := b.lo[0], b.hi[0]
	for _, v := range b.lo[1:] {
		if v.lo.Cmp(lo.lo) > 0 {
			lo = v
		}
	}
	for _, v := range b.hi[1:] {
		if v.hi.Cmp(hi.hi) < 0 {
			hi = v
		}
	}
	d.x = counterOf(l, lo, hi)
	return l
}

// carried are locals that go round a loop, or that a branch gives.
func (e *elaborator) carried(list []*def) (out []*loops.Buffer) {
	for _, d := range list {
		b := &loops.Buffer{Elem: e.elem(d.typ.scalar(), d.at)}
		if d.typ.family == vectorType {
			e.plainly(d.at, "a vector")
			for _, n := range d.typ.dims {
				b.Dims = append(b.Dims, loops.Num(n))
			}
		}
		out = append(out, e.local(d.name, b, d.at))
	}
	return out
}

// set assigns values to locals, all of which are computed first.
func (e *elaborator) set(to []*loops.Buffer, args []*use, types []*def, at source.Span) {
	if len(args) != len(to) {
		fail(at, "type-mismatch", "%d values, not %d", len(args), len(to))
	}
	for i, u := range args {
		typedAs(u, types[i].typ)
	}
	for i, u := range args {
		e.assign(&root{buffer: to[i]}, func(lanes []*loops.Int) []*loops.Int { return lanes }, e.value(u), at)
	}
}

// standsFor has a parameter or a result be what a local holds; changes tells whether it is written while that is read.
func (d *def) standsFor(b *loops.Buffer, changes bool) {
	d.data = &data{elem: b.Elem, def: d}
	if d.typ.family == vectorType {
		d.data.shape = d.typ.dims
	}
	d.data.become(b, d.at)
	if changes {
		d.data.reads = []*loops.Buffer{b}
	}
}

// round elaborates a loop: bounds are taken, what goes round is a local.
func (e *elaborator) round(o *oper, b bounded, inits []*use) {
	e.plainly(o.at, "a loop")
	if len(o.regions) != 1 || len(o.regions[0].params) != 1+len(inits) || len(o.results) != len(inits) {
		fail(o.at, "bad-syntax", "%s has a body with a counter and a parameter for each value that goes round", o.name)
	}
	body := o.regions[0]
	params := body.params[1:]
	e.enter(o)
	locals := e.carried(params)
	e.set(locals, inits, params, o.at)
	l := e.count(body.params[0], b, o.at)
	l.Body = e.inside(newBlock(nil), func() {
		for i, d := range params {
			d.standsFor(locals[i], true)
			e.cur.pending[locals[i]] = []*data{d.data}
		}
		e.block(body)
		e.set(locals, e.yields(o), params, o.at)
	}).stmts
	e.emit(l)
	for i, d := range o.results {
		typedDefs(d, params[i])
		d.standsFor(locals[i], false)
	}
}

func typedDefs(d, other *def) {
	if !d.typ.same(other.typ) {
		mismatch(d.at, d.name, d.typ, other.typ)
	}
}

// yields returns the operands of what ended a region.
func (e *elaborator) yields(o *oper) []*use {
	t := e.cur.end
	if t == nil {
		return nil
	}
	if want := strings.SplitN(o.name, ".", 2)[0] + ".yield"; t.name != want {
		fail(t.at, "bad-syntax", "%s ends the region of %s, not %s", want, o.name, t.name)
	}
	return t.args
}

func (e *elaborator) affineFor(o *oper) {
	lower, upper := o.needed("lowerBoundMap", "lower_bound"), o.needed("upperBoundMap", "upper_bound")
	if lower.m == nil || upper.m == nil || len(lower.m.exprs) == 0 || len(upper.m.exprs) == 0 {
		fail(o.at, "bad-syntax", "bounds are maps")
	}
	n := lower.m.dims + lower.m.symbols
	m := n + upper.m.dims + upper.m.symbols
	if m > len(o.args) {
		fail(o.at, "type-mismatch", "%s has fewer operands than its bounds", o.name)
	}
	step := o.needed("step").int64("a step")
	if step < 1 {
		fail(o.at, "unsupported-op", "a step below 1")
	}
	e.round(o, bounded{e.mapped(lower, o.args[:n]), e.mapped(upper, o.args[n:m]), num(step)}, o.args[m:])
}

func (e *elaborator) scfFor(o *oper) {
	o.takes(3, -1, len(o.results))
	b := bounded{[]*cval{e.control(o.args[0])}, []*cval{e.control(o.args[1])}, e.step(o.args[2])}
	e.round(o, b, o.args[3:])
}

// step is a step of scf, which is above 0: a call that gets to another ends there, and nobody asks how it would go on.
func (e *elaborator) step(u *use) *cval {
	v := e.control(u)
	if v.lo.Sign() > 0 {
		return v
	}
	e.require(&loops.Cond{Op: loops.LessEqual, A: loops.Num(1), B: v.x}, loops.Termination, u.at, "the step %s is above 0", u.name)
	out := *v
	if n, ok := v.number(); ok && n < 1 {
		out.x, out.hi = loops.Num(1), big.NewInt(1)
	}
	out.lo = big.NewInt(1)
	return &out
}

// reductions are the locals that iterations of a parallel loop update.
type reductions struct {
	locals []*loops.Buffer
	ops    []loops.Op
	elems  []domain.Elem // of the results
	next   int           // which is updated by the next scf.reduce
	loop   *loops.Parallel
}

// together elaborates a parallel loop over several counters.
func (e *elaborator) together(o *oper, list []bounded, sums *reductions) {
	e.plainly(o.at, "a loop")
	body := o.regions[0]
	sums.loop = &loops.Parallel{}
	for _, op := range sums.ops {
		sums.loop.Reductions = addOp(sums.loop.Reductions, op)
	}
	e.enter(o)
	var nest func(k int)
	nest = func(k int) {
		if k == len(list) {
			e.cur.sums = sums
			e.block(body)
			if o.name == "affine.parallel" {
				e.sumUp(o, sums)
			}
			return
		}
		l := e.count(body.params[k], list[k], o.at)
		l.Parallel = sums.loop
		l.Body = e.inside(newBlock(nil), func() { nest(k + 1) }).stmts
		e.emit(l)
	}
	nest(0)
}

func addOp(list []loops.Op, op loops.Op) []loops.Op {
	if !slices.Contains(list, op) {
		list = append(list, op)
	}
	return list
}

// sumUp updates the locals by what the body of an affine.parallel yields.
func (e *elaborator) sumUp(o *oper, sums *reductions) {
	args := e.yields(o)
	if len(args) != len(sums.locals) {
		fail(o.at, "type-mismatch", "%d values are reduced, not %d", len(sums.locals), len(args))
	}
	for i, u := range args {
		typedAs(u, o.results[i].typ)
		e.update(sums.locals[i], sums.ops[i], e.value(u), o.at)
	}
}

// update combines a local with a value.
func (e *elaborator) update(b *loops.Buffer, op loops.Op, x *data, at source.Span) {
	to := loops.Access{Buffer: b, Where: at}
	e.emit(&loops.Assign{To: to, Value: apply(op, b.Elem, at, loops.Element(to), convert(b.Elem, at, x.at(nil))), At: at})
	x.execute()
}

// reduced gives the results of a parallel loop what the locals hold.
func (e *elaborator) reduced(o *oper, sums *reductions) {
	for i, d := range o.results {
		b, elem := sums.locals[i], sums.elems[i]
		d.standsFor(b, false)
		if b.Elem != elem {
			d.data.elem = elem
			read := d.data.at
			d.data.at = func(lanes []*loops.Int) *loops.Expr { return convert(elem, d.at, read(lanes)) }
		}
	}
}

// kinds are the reductions of affine.parallel, by number.
var kinds = strings.Fields("addf addi assign maximumf maxs maxu minimumf mins minu mulf muli ori andi maxnumf minnumf")

func (e *elaborator) affineParallel(o *oper) {
	steps := o.needed("steps").ints("a step")
	lower, upper := o.needed("lowerBoundsMap"), o.needed("upperBoundsMap")
	if lower.m == nil || upper.m == nil || len(o.regions) != 1 || len(o.regions[0].params) != len(steps) {
		fail(o.at, "bad-syntax", "%s has bounds and steps for each counter", o.name)
	}
	n := lower.m.dims + lower.m.symbols
	if n > len(o.args) {
		fail(o.at, "type-mismatch", "%s has fewer operands than its bounds", o.name)
	}
	lo := grouped(o, "lowerBoundsGroups", e.mapped(lower, o.args[:n]), len(steps))
	hi := grouped(o, "upperBoundsGroups", e.mapped(upper, o.args[n:]), len(steps))
	var list []bounded
	for k, s := range steps {
		if s < 1 {
			fail(o.at, "unsupported-op", "a step below 1")
		}
		list = append(list, bounded{lo[k], hi[k], num(s)})
	}
	sums := &reductions{}
	if a := o.attr("reductions"); a != nil {
		if len(a.list) != len(o.results) {
			fail(o.at, "type-mismatch", "%d reductions and %d results", len(a.list), len(o.results))
		}
		for i, b := range a.list {
			e.reduction(sums, o.results[i], kindOf(b))
		}
	}
	e.together(o, list, sums)
	e.reduced(o, sums)
}

// kindOf returns the name of a reduction.
func kindOf(a *attr) string {
	switch {
	case a.kind == integerAttr && a.n.IsInt64() && a.n.Int64() >= 0 && a.n.Int64() < int64(len(kinds)):
		return kinds[a.n.Int64()]
	case a.kind == stringAttr:
		return a.s
	}
	fail(a.at, "bad-syntax", "the name of a reduction")
	return ""
}

// reduction adds a local that begins with what its operation leaves alone.
func (e *elaborator) reduction(sums *reductions, d *def, kind string) {
	elem := e.elem(d.typ, d.at)
	b := &loops.Buffer{Elem: elem}
	lowest, highest := limitsOf(elem)
	at := d.op.at
	if elem == boolean || d.typ.family == vectorType || strings.HasSuffix(kind, "f") != d.typ.floating() {
		fail(at, "type-mismatch", "a reduction %s of type %s", kind, d.typ)
	}
	var op loops.Op
	var first *loops.Expr
	switch kind {
	case "addf": // -0 + x is x for any x
		op, first = loops.Add, &loops.Expr{Op: loops.Special, Elem: elem, Name: "-0", At: at}
	case "addi", "ori":
		op, first = loops.Add, elementOf(elem, 0, at)
		if kind == "ori" {
			op = loops.BitOr
		}
	case "mulf", "muli":
		op, first = loops.Mul, literal(elem, big.NewRat(1, 1), at)
	case "andi":
		op, first = loops.BitAnd, elementOf(elem, -1, at)
	case "maxs", "maximumf", "maxf", "maxnumf":
		op, first = loops.Maximum, lowest
		if kind == "maxnumf" {
			op = loops.MaxNum
		}
	case "mins", "minimumf", "minf", "minnumf":
		op, first = loops.Minimum, highest
		if kind == "minnumf" {
			op = loops.MinNum
		}
	case "maxu":
		b.Elem = unsigned(elem)
		op, first = loops.Maximum, elementOf(b.Elem, 0, at)
	case "minu":
		b.Elem = unsigned(elem)
		op, first = loops.Minimum, elementOf(b.Elem, -1, at)
	default:
		fail(at, "unsupported-op", "a reduction %s", kind)
	}
	e.local(d.name, b, at)
	e.emit(&loops.Assign{To: loops.Access{Buffer: b, Where: at}, Value: first, At: at})
	sums.add(b, op, elem)
}

func (s *reductions) add(b *loops.Buffer, op loops.Op, elem domain.Elem) {
	s.locals, s.ops, s.elems = append(s.locals, b), append(s.ops, op), append(s.elems, elem)
}

// limitsOf are the least and the greatest element of a type.
func limitsOf(t domain.Elem) (lowest, highest *loops.Expr) {
	if t.Kind == domain.ElemFloat {
		return &loops.Expr{Op: loops.Special, Elem: t, Name: "-inf"}, &loops.Expr{Op: loops.Special, Elem: t, Name: "inf"}
	}
	lo, hi := limits(t.Width)
	return literal(t, new(big.Rat).SetInt(lo), source.Span{}), literal(t, new(big.Rat).SetInt(hi), source.Span{})
}

// grouped splits the bounds of all counters into those of each.
func grouped(o *oper, name string, list []*cval, count int) (out [][]*cval) {
	sizes := o.needed(name).ints("a number of bounds")
	if len(sizes) == 1 && count > 1 { // a splat
		for len(sizes) < count {
			sizes = append(sizes, sizes[0])
		}
	}
	for _, n := range sizes {
		if n < 1 || n > int64(len(list)) {
			fail(o.at, "bad-syntax", "%s: other numbers of bounds", name)
		}
		out, list = append(out, list[:n]), list[n:]
	}
	if len(out) != count || len(list) > 0 {
		fail(o.at, "bad-syntax", "%s: other numbers of bounds", name)
	}
	return out
}

func (e *elaborator) scfParallel(o *oper) {
	groups := o.segments(4)
	n := len(groups[0])
	if len(groups[1]) != n || len(groups[2]) != n || len(o.regions) != 1 || len(o.regions[0].params) != n ||
		len(groups[3]) != len(o.results) {
		fail(o.at, "bad-syntax", "%s has bounds and steps for each counter", o.name)
	}
	var list []bounded
	for k := range n {
		list = append(list, bounded{[]*cval{e.control(groups[0][k])}, []*cval{e.control(groups[1][k])}, e.step(groups[2][k])})
	}
	sums := &reductions{locals: e.carried(o.results)}
	e.set(sums.locals, groups[3], o.results, o.at)
	for _, b := range sums.locals {
		sums.elems = append(sums.elems, b.Elem)
	}
	e.together(o, list, sums)
	if sums.next != len(sums.locals) {
		fail(o.at, "bad-syntax", "%d values are reduced, not %d", sums.next, len(sums.locals))
	}
	e.reduced(o, sums)
}

// reduce is scf.reduce: each of its regions combines the local and an operand.
func (e *elaborator) reduce(o *oper) {
	sums := e.cur.sums
	if sums == nil || len(o.regions) != len(o.args) || sums.next+len(o.args) > len(sums.locals) {
		fail(o.at, "bad-syntax", "scf.reduce in an scf.parallel with as many values")
	}
	for i, u := range o.args {
		op := combining(o, o.regions[i])
		b := sums.locals[sums.next]
		sums.next++
		if x := e.value(u); x.elem == b.Elem && x.shape == nil {
			sums.loop.Reductions = addOp(sums.loop.Reductions, op)
			e.update(b, op, x, o.at)
			continue
		}
		fail(u.at, "type-mismatch", "%s is not of the type of what it is reduced into", u.name)
	}
}

// combining returns the operation of a region that holds nothing else.
func combining(o *oper, r *region) loops.Op {
	if len(r.ops) == 2 && len(r.params) == 2 && r.ops[1].name == "scf.reduce.return" && len(r.ops[1].args) == 1 {
		f := r.ops[0]
		op, ok := arithOps[f.name]
		commutes := slices.Contains([]loops.Op{loops.Add, loops.Mul, loops.Minimum, loops.Maximum, loops.MinNum, loops.MaxNum,
			loops.BitAnd, loops.BitOr}, op.op)
		if ok && commutes && !op.unsigned && len(f.args) == 2 && len(f.results) == 1 && r.ops[1].args[0].def == f.results[0] {
			a, b := f.args[0].def, f.args[1].def
			if a == r.params[0] && b == r.params[1] || a == r.params[1] && b == r.params[0] {
				return op.op
			}
		}
	}
	fail(o.at, "unsupported-op", "scf.reduce by more than one operation that commutes")
	return 0
}

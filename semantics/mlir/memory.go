package mlir

import (
	"fmt"
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/loops"
)

// A root is a buffer, with what is known of its life.
type root struct {
	buffer *loops.Buffer
	block  *block // that a local is allocated in, to be freed
	freed  source.Span
}

// A view is a memref: a buffer, or a part of one.
type view struct {
	root *root
	dims []*cval
	part func(at source.Span, index []*cval) []*cval // nil of the whole buffer
}

// elem returns the type of data that stands for a type.
func (e *elaborator) elem(t *typ, at source.Span) domain.Elem {
	x, ok := t.elemOf()
	if !ok || t.family == vectorType {
		fail(at, "unsupported-op", "elements of type %s", t)
	}
	return x
}

// injective refuses a memref from outside of which it is not known that its elements lie apart.
func injective(t *typ, at source.Span) {
	if t.layout == nil {
		return
	}
	strides := t.layout.strides
	if t.layout.m != nil {
		if permutes(t.layout.m) {
			return
		}
		strides = nil
	}
	type axis struct{ stride, dim int64 }
	var list []axis
	for k, s := range strides {
		if t.dims[k] != dynamic && t.dims[k] <= 1 {
			continue
		}
		if s == dynamic || s <= 0 {
			fail(at, "unsupported-op", "%s: a memref whose layout is not known", t)
		}
		list = append(list, axis{s, t.dims[k]})
	}
	if strides == nil && len(t.dims) > 0 {
		fail(at, "unsupported-op", "%s: a memref whose layout is not known", t)
	}
	slices.SortFunc(list, func(a, b axis) int { return big.NewInt(a.stride).Cmp(big.NewInt(b.stride)) })
	for k := range list {
		if k == 0 {
			continue
		}
		reach := new(big.Int).Mul(big.NewInt(list[k-1].stride), big.NewInt(list[k-1].dim))
		if list[k-1].dim == dynamic || reach.Cmp(big.NewInt(list[k].stride)) > 0 {
			fail(at, "unsupported-op", "%s: a memref whose elements perhaps lie in one place", t)
		}
	}
}

// permutes tells whether a map exchanges its dims.
func permutes(m *affineMap) bool {
	seen := make([]bool, m.dims)
	for _, x := range m.exprs {
		if x.op != "d" || x.d >= m.dims || seen[x.d] {
			return false
		}
		seen[x.d] = true
	}
	return len(m.exprs) == m.dims
}

// memref returns the view that an operand is.
func (e *elaborator) memref(u *use) *view {
	u.def.left()
	if u.def.mem == nil {
		fail(u.at, "type-mismatch", "%s is of type %s and no memref", u.name, u.def.typ)
	}
	if at := u.def.mem.root.freed; at.File != nil {
		fail(u.at, "unsupported-op", "%s is freed, at %s", u.name, at.Position())
	}
	return u.def.mem
}

// access returns the element of a view, whose subscripts lie within it.
func (e *elaborator) access(v *view, at source.Span, index []*cval) []*loops.Int {
	if len(index) != len(v.dims) {
		fail(at, "type-mismatch", "%d subscripts of a memref of rank %d", len(index), len(v.dims))
	}
	if v.part == nil {
		return ints(index)
	}
	for k, x := range index {
		e.within(x, v.dims[k], at, k)
	}
	return ints(v.part(at, index))
}

// within requires a subscript to lie in an axis of a part of a buffer. The buffer's own are looked at in each access.
func (e *elaborator) within(x, dim *cval, at source.Span, axis int) {
	var conds []*loops.Cond
	if x.lo.Sign() < 0 {
		conds = append(conds, &loops.Cond{Op: loops.LessEqual, A: loops.Num(0), B: x.x})
	}
	if x.hi.Cmp(dim.lo) >= 0 {
		conds = append(conds, &loops.Cond{Op: loops.Less, A: x.x, B: dim.x})
	}
	for _, c := range conds {
		e.require(c, loops.Bounds, at, "axis %d of the part that %s accesses", axis, show(at))
	}
}

// loaded is the element that a load reads.
func (e *elaborator) loaded(o *oper, v *view, index []*cval) *data {
	at := e.access(v, o.at, index)
	x := loops.Element(loops.Access{Buffer: v.root.buffer, At: at, Where: o.at})
	d := &data{elem: x.Elem, at: func([]*loops.Int) *loops.Expr { return x }, reads: []*loops.Buffer{v.root.buffer}, size: 1}
	return d.ends()
}

// index returns the subscripts of an access: those of a map, or values.
func (e *elaborator) index(o *oper, args []*use) []*cval {
	if isAffine(o.name) {
		return e.mapped(o.needed("map"), args)
	}
	return e.controls(args)
}

func (e *elaborator) load(o *oper) {
	o.takes(1, -1, 1)
	v := e.memref(o.args[0])
	o.gives(o.args[0].def.typ.elem)
	e.produce(o.results[0], e.loaded(o, v, e.index(o, o.args[1:])))
}

func (e *elaborator) store(o *oper) {
	o.takes(2, -1, 0)
	typedAs(o.args[0], o.args[1].def.typ.elemType(o.args[1]))
	x := e.value(o.args[0])
	v := e.memref(o.args[1])
	at := e.access(v, o.at, e.index(o, o.args[2:]))
	e.assign(v.root, func([]*loops.Int) []*loops.Int { return at }, x, o.at)
}

// elemType is the type of the elements of a memref.
func (t *typ) elemType(u *use) *typ {
	if t.family != memrefType {
		fail(u.at, "type-mismatch", "%s is of type %s and no memref", u.name, t)
	}
	return t.elem
}

// takes says how many operands, at most -1 for any number, and results an operation has.
func (o *oper) takes(least, most, results int) {
	if len(o.args) < least || most >= 0 && len(o.args) > most || len(o.results) != results {
		fail(o.at, "bad-syntax", "%s has other numbers of operands or results", o.name)
	}
}

// gives holds the type of a result against one that follows.
func (o *oper) gives(t *typ) {
	if d := o.results[0]; !d.typ.same(t) {
		mismatch(o.at, d.name, t, d.typ)
	}
}

func (e *elaborator) alloc(o *oper) {
	o.takes(0, -1, 1)
	e.plainly(o.at, "a memref")
	t := o.results[0].typ
	if t.family != memrefType {
		fail(o.at, "type-mismatch", "%s is no memref", t)
	}
	groups := o.segments(2)
	sizes := e.controls(groups[0])
	if len(groups[1]) > 0 || t.layout != nil && (t.layout.m == nil || !permutes(t.layout.m)) {
		if len(groups[1]) > 0 || t.layout.m != nil {
			fail(o.at, "unsupported-op", "%s: a memref whose layout is not known", t)
		}
		injective(t, o.at)
	}
	v := &view{}
	b := &loops.Buffer{Elem: e.elem(t.elem, o.at)}
	for _, n := range t.dims {
		x := num(max(n, 0))
		if n == dynamic {
			if len(sizes) == 0 {
				fail(o.at, "type-mismatch", "%s has more dynamic extents than the operation says", t)
			}
			x, sizes = e.natural(sizes[0], o.at), sizes[1:]
		}
		v.dims, b.Dims = append(v.dims, x), append(b.Dims, x.x)
	}
	if len(sizes) > 0 {
		fail(o.at, "type-mismatch", "%s has fewer dynamic extents than the operation says", t)
	}
	v.root = &root{buffer: e.local(o.results[0].name, b, o.at), block: e.cur}
	if o.name == "memref.alloca" {
		v.root.block = nil
	}
	o.results[0].mem = v
}

func (e *elaborator) dealloc(o *oper) {
	o.takes(1, 1, 0)
	v := e.memref(o.args[0])
	if v.part != nil || v.root.block != e.cur {
		fail(o.at, "unsupported-op", "%s is freed where it was not allocated", o.args[0].name)
	}
	e.overwrite(v.root.buffer)
	v.root.freed = o.at
}

func (e *elaborator) dim(o *oper) {
	o.takes(2, 2, 1)
	v, axis := e.memref(o.args[0]), e.control(o.args[1])
	n, ok := axis.number()
	if !ok || n < 0 || n >= int64(len(v.dims)) {
		fail(o.args[1].at, "not-static-control", "%s: an axis of the memref is a number below %d", o.args[1].name, len(v.dims))
	}
	o.results[0].x = v.dims[n]
}

// cast changes what a type says of extents.
func (e *elaborator) cast(o *oper) {
	o.takes(1, 1, 1)
	v, t := e.memref(o.args[0]), o.results[0].typ
	if t.family != memrefType || len(t.dims) != len(v.dims) || !t.elem.same(o.args[0].def.typ.elem) {
		mismatch(o.at, "the result", t, o.args[0].def.typ)
	}
	out := *v
	out.dims = slices.Clone(v.dims)
	for k, n := range t.dims {
		if n != dynamic {
			e.equal(v.dims[k], num(n), o.at, k)
			out.dims[k] = num(n)
		}
	}
	o.results[0].mem = &out
}

// equal requires two extents to be one.
func (e *elaborator) equal(a, b *cval, at source.Span, axis int) {
	if loops.Same(a.x, b.x) {
		return
	}
	m, okA := a.number()
	n, okB := b.number()
	if okA && okB && m != n {
		fail(at, "type-mismatch", "extents of axis %d are %d and %d", axis, m, n)
	}
	e.require(&loops.Cond{Op: loops.Equal, A: a.x, B: b.x}, loops.Bounds, at, "extents of axis %d in %s", axis, show(at))
}

// copy copies element by element.
func (e *elaborator) copy(o *oper) {
	o.takes(2, 2, 0)
	e.plainly(o.at, "a copy")
	from, to := e.memref(o.args[0]), e.memref(o.args[1])
	if !o.args[0].def.typ.elem.same(o.args[1].def.typ.elem) || len(from.dims) != len(to.dims) {
		mismatch(o.at, o.args[1].name, o.args[1].def.typ, o.args[0].def.typ)
	}
	if from.root == to.root {
		fail(o.at, "unsupported-op", "a copy within one memref")
	}
	for k := range from.dims {
		e.equal(from.dims[k], to.dims[k], o.at, k)
	}
	e.nest(o, "c", from.dims, func(index []*cval) {
		x := e.loaded(o, from, index)
		at := e.access(to, o.at, index)
		e.assign(to.root, func([]*loops.Int) []*loops.Int { return at }, x, o.at)
	})
}

// nest makes loops over a box for an operation, and f their body.
func (e *elaborator) nest(o *oper, name string, dims []*cval, f func(index []*cval)) {
	for _, u := range written(o) {
		e.overwrite(bufferOf(u.def))
	}
	e.enter(o)
	e.nestFrom(o.at, name, dims, nil, f)
}

func (e *elaborator) nestFrom(at source.Span, name string, dims, index []*cval, f func(index []*cval)) {
	if len(index) == len(dims) {
		f(index)
		return
	}
	dim := dims[len(index)]
	l := upTo(fmt.Sprint(name, len(index)), dim.x, at)
	l.Body = e.inside(newBlock(nil), func() {
		e.nestFrom(at, name, dims, append(slices.Clip(index), counterOf(l, num(0), dim)), f)
	}).stmts
	e.emit(l)
}

// upTo is a loop from 0 to below a bound.
func upTo(name string, hi *loops.Int, at source.Span) *loops.For {
	return &loops.For{Name: name, Lo: []*loops.Int{loops.Num(0)}, Hi: []*loops.Int{hi}, Step: loops.Num(1), At: at}
}

// counterOf is the counter of a loop that goes up from lo to below hi.
func counterOf(l *loops.For, lo, hi *cval) *cval {
	most := new(big.Int).Sub(hi.hi, big.NewInt(1))
	if most.Cmp(lo.lo) < 0 { // it does not run
		most = lo.lo
	}
	return &cval{x: loops.CounterOf(l), lo: lo.lo, hi: most, size: 1}
}

// subview is a part of a memref: offsets, sizes and strides by axis. Axes of one element may be left out of the result.
func (e *elaborator) subview(o *oper) {
	o.takes(1, -1, 1)
	groups := o.segments(4)
	if len(groups[0]) != 1 {
		fail(o.at, "bad-syntax", "a subview is one of a memref")
	}
	v, t := e.memref(groups[0][0]), o.results[0].typ
	offsets := e.mixed(o, "static_offsets", groups[1], len(v.dims))
	sizes := e.mixed(o, "static_sizes", groups[2], len(v.dims))
	strides := e.mixed(o, "static_strides", groups[3], len(v.dims))
	if t.family != memrefType || !t.elem.same(groups[0][0].def.typ.elem) {
		mismatch(o.at, "the result", t, groups[0][0].def.typ)
	}
	kept := keptAxes(o, t, sizes)
	out := &view{root: v.root}
	for _, k := range kept {
		out.dims = append(out.dims, e.natural(sizes[k], o.at))
	}
	out.part = func(at source.Span, index []*cval) []*cval {
		full := slices.Clone(offsets)
		for i, k := range kept {
			full[k] = e.inWord(e.sum(at, offsets[k], e.inWord(e.product(at, strides[k], index[i]), 64, at)), 64, at)
		}
		if v.part == nil {
			return full
		}
		for k, x := range full {
			e.within(x, v.dims[k], at, k)
		}
		return v.part(at, full)
	}
	o.results[0].mem = out
}

// keptAxes are those that the result of a subview has.
func keptAxes(o *oper, t *typ, sizes []*cval) (kept []int) {
	drop := len(sizes) - len(t.dims)
	for k, s := range sizes {
		n, ok := s.number()
		want := int64(dynamic)
		if len(kept) < len(t.dims) {
			want = t.dims[len(kept)]
		}
		if ok && n == 1 && drop > 0 && (want != 1 || len(t.dims) == len(kept)) {
			drop--
			continue
		}
		if len(kept) == len(t.dims) || ok != (want != dynamic) || ok && n != want {
			fail(o.at, "type-mismatch", "the sizes of the part are not those of %s", t)
		}
		kept = append(kept, k)
	}
	if len(kept) != len(t.dims) {
		fail(o.at, "type-mismatch", "the sizes of the part are not those of %s", t)
	}
	return kept
}

// mixed returns numbers of an attribute, with values where it leaves them out.
func (e *elaborator) mixed(o *oper, name string, args []*use, rank int) (out []*cval) {
	for _, n := range o.needed(name).ints("an extent") {
		if n != dynamic {
			out = append(out, num(n))
			continue
		}
		if len(args) == 0 {
			fail(o.at, "bad-syntax", "%s: there are fewer operands", name)
		}
		out, args = append(out, e.control(args[0])), args[1:]
	}
	if len(args) > 0 || len(out) != rank {
		fail(o.at, "bad-syntax", "%s: %d of a memref of rank %d", name, len(out), rank)
	}
	return out
}

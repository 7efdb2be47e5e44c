package mlir

import (
	"math/big"
	"slices"

	"tv/internal/source"
	"tv/semantics/loops"
)

// A transfer is what moves a vector from or to a memref: the axis along which each of its axes goes, -1 of none.
type transfer struct {
	at     source.Span
	view   *view
	index  []*cval
	shape  []int64
	axes   []int
	within []bool // it is said that no element lies outside
}

// lane is a counter of a vector as an integer of control.
func lane(x *loops.Int, n int64) *cval {
	return &cval{x: x, lo: new(big.Int), hi: big.NewInt(n - 1), size: 1}
}

// element returns the subscripts of an element.
func (e *elaborator) element(t *transfer, lanes []*loops.Int) []*cval {
	index := slices.Clone(t.index)
	for k, axis := range t.axes {
		if axis >= 0 {
			index[axis] = e.inWord(e.sum(t.at, index[axis], lane(lanes[k], t.shape[k])), 64, t.at)
		}
	}
	return index
}

// guard returns the condition that an element lies in the memref, nil where all do. None may lie before it.
func (e *elaborator) guard(t *transfer) func(lanes []*loops.Int) *loops.Cond {
	var guarded []int
	for k, axis := range t.axes {
		if axis < 0 || t.within[k] {
			continue
		}
		at, dim := t.index[axis], t.view.dims[axis]
		if at.lo.Sign() < 0 {
			e.require(&loops.Cond{Op: loops.LessEqual, A: loops.Num(0), B: at.x}, loops.Bounds, t.at, "axis %d of %s", axis, show(t.at))
		}
		if last := new(big.Int).Add(at.hi, big.NewInt(t.shape[k])); last.Cmp(dim.lo) > 0 {
			guarded = append(guarded, k)
		}
	}
	if len(guarded) == 0 {
		return nil
	}
	return func(lanes []*loops.Int) *loops.Cond {
		index := e.element(t, lanes)
		c := &loops.Cond{Op: loops.All, At: t.at}
		for _, k := range guarded {
			axis := t.axes[k]
			c.Conds = append(c.Conds, &loops.Cond{Op: loops.Less, A: index[axis].x, B: t.view.dims[axis].x, At: t.at})
		}
		if len(c.Conds) == 1 {
			return c.Conds[0]
		}
		return c
	}
}

// read is the vector that a transfer reads, all of whose elements lie within the memref.
func (e *elaborator) read(t *transfer) *data {
	b := t.view.root.buffer
	x := &data{elem: b.Elem, shape: t.shape, reads: []*loops.Buffer{b}, size: 1}
	x.at = func(lanes []*loops.Int) *loops.Expr {
		return loops.Element(loops.Access{Buffer: b, At: e.access(t.view, t.at, e.element(t, lanes)), Where: t.at})
	}
	return x.ends()
}

// trailing are the last axes of a memref, along which a vector lies.
func trailing(o *oper, rank int, v *typ) []int {
	if v.family != vectorType || len(v.dims) > rank {
		fail(o.at, "type-mismatch", "a vector of rank %d of a memref of rank %d", len(v.dims), rank)
	}
	var out []int
	for k := range v.dims {
		out = append(out, rank-len(v.dims)+k)
	}
	return out
}

func (e *elaborator) vectorLoad(o *oper) {
	o.takes(1, -1, 1)
	v, d := e.memref(o.args[0]), o.results[0]
	t := e.along(o, v, o.args[1:], d.typ)
	o.gives(d.typ.shaped(o.args[0].def.typ.elem))
	e.produce(d, e.read(t))
}

// along is the transfer of a vector that lies along the last axes, within the memref.
func (e *elaborator) along(o *oper, v *view, index []*use, vt *typ) *transfer {
	return &transfer{at: o.at, view: v, index: e.rank(o, v, e.index(o, index)), shape: vt.dims, axes: trailing(o, len(v.dims), vt)}
}

// rank holds the number of subscripts against the rank.
func (e *elaborator) rank(o *oper, v *view, index []*cval) []*cval {
	if len(index) != len(v.dims) {
		fail(o.at, "type-mismatch", "%d subscripts of a memref of rank %d", len(index), len(v.dims))
	}
	return index
}

func (e *elaborator) vectorStore(o *oper) {
	o.takes(2, -1, 0)
	x, vt := e.value(o.args[0]), o.args[0].def.typ
	v := e.memref(o.args[1])
	typedAs(o.args[0], vt.shaped(o.args[1].def.typ.elem))
	t := e.along(o, v, o.args[2:], vt)
	e.assign(v.root, func(lanes []*loops.Int) []*loops.Int { return e.access(v, o.at, e.element(t, lanes)) }, x, o.at)
}

// transferOf reads what both transfers have.
func (e *elaborator) transferOf(o *oper, memref *use, index []*use, vt *typ) *transfer {
	v := e.memref(memref)
	t := &transfer{at: o.at, view: v, index: e.rank(o, v, e.controls(index)), shape: vt.dims, within: make([]bool, len(vt.dims))}
	if !vt.same(vt.shaped(memref.def.typ.elem)) || vt.family != vectorType {
		mismatch(o.at, "the vector", vt, vt.shaped(memref.def.typ.elem))
	}
	if a := o.attr("permutation_map"); a == nil {
		t.axes = trailing(o, len(v.dims), vt)
	} else {
		if a.m == nil || a.m.dims != len(v.dims) || a.m.symbols != 0 || len(a.m.exprs) != len(vt.dims) {
			fail(a.at, "type-mismatch", "a map from the axes of the memref to those of the vector")
		}
		for _, x := range a.m.exprs {
			axis := -1
			if x.op == "d" {
				axis = x.d
			}
			if axis < 0 && (x.op != "" || x.n.Sign() != 0) || axis >= 0 && slices.Contains(t.axes, axis) {
				fail(a.at, "unsupported-op", "a map of a transfer that does more than exchange axes")
			}
			t.axes = append(t.axes, axis)
		}
	}
	if a := o.attr("in_bounds"); a != nil {
		for k, n := range a.ints("in_bounds") {
			if k < len(t.within) {
				t.within[k] = n != 0
			}
		}
	}
	return t
}

func (e *elaborator) transferRead(o *oper) {
	groups := o.segments(4)
	if len(o.results) != 1 || len(groups[0]) != 1 || len(groups[2]) != 1 || len(groups[3]) > 0 {
		fail(o.at, "unsupported-op", "a transfer with a mask")
	}
	d := o.results[0]
	pad := e.value(groups[2][0])
	typedAs(groups[2][0], d.typ.scalar())
	t := e.transferOf(o, groups[0][0], groups[1], d.typ)
	x, guard := e.read(t), e.guard(t)
	if guard == nil {
		e.produce(d, x)
		return
	}
	e.plainly(o.at, "a vector")
	if len(pad.needs) > 0 {
		e.materialize(pad)
	}
	b := &loops.Buffer{Elem: x.elem}
	for _, n := range x.shape {
		b.Dims = append(b.Dims, loops.Num(n))
	}
	e.local(d.name, b, o.at)
	e.over(x.shape, o.at, func(lanes []*loops.Int) {
		set := func(x *data) []loops.Stmt {
			return e.inside(newBlock(nil), func() {
				e.emit(&loops.Assign{To: loops.Access{Buffer: b, At: lanes, Where: o.at}, Value: x.at(lanes), At: o.at})
			}).stmts
		}
		e.emit(&loops.If{Cond: guard(lanes), Then: set(x), Else: set(pad), At: o.at})
	})
	d.data = &data{elem: x.elem, shape: x.shape, def: d}
	d.data.become(b, o.at)
}

func (e *elaborator) transferWrite(o *oper) {
	groups := o.segments(4)
	if len(o.results) != 0 || len(groups[0]) != 1 || len(groups[1]) != 1 || len(groups[3]) > 0 {
		fail(o.at, "unsupported-op", "a transfer with a mask, or of a tensor")
	}
	x := e.value(groups[0][0])
	t := e.transferOf(o, groups[1][0], groups[2], groups[0][0].def.typ)
	if slices.Contains(t.axes, -1) {
		fail(o.at, "unsupported-op", "a map of a transfer that does more than exchange axes")
	}
	to := func(lanes []*loops.Int) []*loops.Int { return e.access(t.view, o.at, e.element(t, lanes)) }
	e.assignWhere(t.view.root, to, x, e.guard(t), o.at)
}

// broadcast is vector.broadcast or vector.splat: an axis that the operand does not have, or has one element of, repeats it.
func (e *elaborator) broadcast(o *oper) {
	o.takes(1, 1, 1)
	u, d := o.args[0], o.results[0]
	from, to := u.def.typ, d.typ
	drop := len(to.dims) - len(from.dims)
	fits := to.family == vectorType && from.scalar().same(to.elem) && drop >= 0
	for k := range from.dims {
		fits = fits && (from.dims[k] == 1 || from.dims[k] == to.dims[drop+k])
	}
	if !fits {
		fail(o.at, "type-mismatch", "%s is not repeated in %s", from, to)
	}
	x := e.value(u)
	out := e.combine(x.elem, []*data{x}, func(args []*loops.Expr) *loops.Expr { return args[0] })
	out.shape = to.dims
	out.at = func(lanes []*loops.Int) *loops.Expr {
		own := slices.Clone(lanes[min(drop, len(lanes)):])
		for k := range own {
			if from.dims[k] == 1 {
				own[k] = loops.Num(0)
			}
		}
		return x.at(own)
	}
	e.produce(d, out)
}

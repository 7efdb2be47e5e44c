package mlir

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A places makes integers of the index of an element.
type places func(at []size) []size

// A lanes is a vector: the expression of an element by its index. Where inside are integers that
// may be negative there, it is a pad instead, and a vector that is made of it has no expression.
type lanes struct {
	of     func(at []size) *loops.Data
	inside places
	pad    *loops.Data
	parts  []*value // vectors that it is made of
	strict bool     // it reads a local: that is executed for all elements, or an error is lost
}

// element is that of an index, or nil if it has no expression.
func (l *lowering) lane(v *value, at []size) *loops.Data {
	outside := func(x size) bool { return !l.Nonneg(x) }
	if x := v.vec; x.inside != nil && slices.ContainsFunc(x.inside(at), outside) {
		return nil
	}
	return v.vec.of(at)
}

// setLanes makes v a vector.
func (l *lowering) setLanes(v *value, x *lanes, reads ...*loops.Buffer) {
	for _, p := range x.parts {
		reads, x.strict = append(reads, p.reads...), x.strict || p.vec.strict
	}
	v.vec, v.reads, v.done = x, reads, !x.strict
	l.live = append(l.live, v)
}

// vectorOf is a use of a vector.
func (l *lowering) vectorOf(v *value, at source.Span) *value {
	check(v.vec != nil, at, "unsupported-op", "%%%s, %s, as a vector", v.name, v.typ.text)
	if v.uses > 1 && len(v.vec.parts) > 0 {
		l.hold(v)
	}
	v.uses--
	v.done = true
	return v
}

// shape are the extents of a vector.
func (t typ) shape() (out []size) {
	for _, n := range t.dims {
		out = append(out, domain.IntSize(n))
	}
	return out
}

// holdLanes keeps a vector in a local.
func (l *lowering) holdLanes(v *value) {
	b := l.local("%"+v.name, v.typ.elem, v.typ.shape(), v.at)
	place := func(at []size) loops.Access {
		return loops.Access{Buffer: b, At: l.Integers(at), Span: v.at}
	}
	if x := v.vec; x.inside == nil {
		l.spread(v, v.at, place, nil)
	} else {
		l.box(v.typ.shape(), v.at, func(at []size) {
			set := func(d *loops.Data) func() {
				return func() { l.Emit(&loops.Assign{To: place(at), Value: copied(d), Span: v.at}) }
			}
			l.emitIf(nonnegative(x.inside(at)), v.at, set(x.of(at)), set(x.pad))
		})
	}
	v.vec = &lanes{of: func(at []size) *loops.Data { return read(place(at)) }}
	v.reads, v.done = nil, true
}

func nonnegative(list []size) *test {
	all := joined(loops.CondAll)
	for _, x := range list {
		all.Of = append(all.Of, &loops.Test{Op: loops.CondLessEqual, Y: x})
	}
	return all
}

// spread writes the elements of a vector, those that are inside if that is given. Where they have
// no expression, or would read what was just written, the vector or its parts are held before.
func (l *lowering) spread(v *value, at source.Span, to func([]size) loops.Access,
	inside places) {
	l.settle()
	if inside != nil {
		l.holdParts(v, func(x *lanes) bool { return x.strict })
	}
	before := l.Out
	for padded := true; ; padded = false {
		var block []loops.Stmt
		missing, clash := false, false
		l.Out = &block
		l.box(v.typ.shape(), at, func(index []size) {
			write := func() {
				place, d := to(index), l.lane(v, index)
				if missing = d == nil; missing {
					return
				}
				walk(d, func(x *loops.Data) {
					clash = clash || x.Op == loops.DataRead && x.From.Buffer == place.Buffer &&
						!loops.SameAccess(x.From, place)
				})
				l.Emit(&loops.Assign{To: place, Value: d, Span: at})
			}
			if inside == nil {
				write()
			} else {
				l.emitIf(nonnegative(inside(index)), at, write, nil)
			}
		})
		switch l.Out = before; {
		case !missing && !clash:
			*l.Out = append(*l.Out, block...)
			return
		case missing && padded:
			l.holdParts(v, func(x *lanes) bool { return x.inside != nil })
		default:
			l.hold(v)
		}
	}
}

// holdParts holds those of the loads that a vector is made of.
func (l *lowering) holdParts(v *value, which func(*lanes) bool) {
	for _, p := range v.vec.parts {
		l.holdParts(p, which)
	}
	if len(v.vec.parts) == 0 && which(v.vec) {
		l.hold(v)
	}
}

// vectorArith is an operation of dialects arith and math on each element.
func (l *lowering) vectorArith(o *operation, v *value) {
	t := v.typ.single()
	if o.name == "arith.constant" {
		a := o.attrs["value"]
		l.check(o, a != nil && a.typ.text == v.typ.text)
		check(a.list == nil, o.at, "unsupported-op", "a vector of several constants")
		one := &value{typ: t, at: o.at}
		l.constant(one, &attribute{at: a.at, text: a.text}, o.at)
		d := l.taken(one, o.at)
		l.setLanes(v, &lanes{of: func([]size) *loops.Data { return copied(d) }})
		return
	}
	l.each(o, o.args, func(args []*loops.Data) *loops.Data { return l.calculate(o, t, args) })
}

// each makes a vector whose elements are made of those of others.
func (l *lowering) each(o *operation, args []*value, of func([]*loops.Data) *loops.Data) {
	v, x := o.results[0], &lanes{}
	for _, a := range args {
		check(slices.Equal(a.typ.dims, v.typ.dims), o.at, "unsupported-op", "%s of vectors", o.name)
		x.parts = append(x.parts, l.vectorOf(a, o.at))
	}
	x.of = func(at []size) *loops.Data {
		var args []*loops.Data
		for _, p := range x.parts {
			d := l.lane(p, at)
			if d == nil {
				return nil
			}
			args = append(args, d)
		}
		return of(args)
	}
	l.setLanes(v, x)
}

// vectorChoice is a select of the greater, or lesser, elements.
func (l *lowering) vectorChoice(c *comparison, o *operation) {
	t := o.results[0].typ.single()
	l.each(o, []*value{c.x, c.y, o.args[1], o.args[2]}, func(d []*loops.Data) *loops.Data {
		x := extreme(c.predicate, [4]*loops.Data(d), t, o.at)
		check(x != nil, o.at, "unsupported-op",
			"a choice of vectors that is not the greater or lesser one of two")
		return x
	})
}

// vector is an operation of dialect vector, or a load or store of a vector of dialect affine.
func (l *lowering) vector(o *operation) {
	_, op, _ := strings.Cut(o.name, ".")
	switch op {
	case "broadcast", "splat":
		l.check(o, len(o.args) == 1 && len(o.results) == 1 && o.results[0].typ.kind == vector)
		v, d := o.results[0], l.once(o.args[0], o.at)
		check(d.Elem == v.typ.elem, o.at, "type-mismatch", "a vector of another type")
		l.setLanes(v, &lanes{of: func([]size) *loops.Data { return copied(d) }}, reads(d)...)
	case "load", "vector_load":
		l.check(o, len(o.args) > 0 && len(o.results) == 1)
		l.load(o, o.results[0], o.args[0], o.args[1:])
	case "transfer_read":
		n := len(o.args) - 1
		l.check(o, n > 0 && len(o.results) == 1)
		l.load(o, o.results[0], o.args[0], o.args[1:n])
		x, pad := o.results[0].vec, l.once(o.args[n], o.at)
		check(pad.Elem == o.results[0].typ.elem, o.at, "type-mismatch", "a pad of another type")
		if x.inside != nil {
			x.pad, o.results[0].reads = pad, append(o.results[0].reads, reads(pad)...)
		}
	case "store", "vector_store", "transfer_write":
		l.check(o, len(o.args) > 1 && len(o.results) == 0)
		v, m := l.vectorOf(o.args[0], o.at), l.viewed(o.args[1], o.at)
		w := l.window(o, v.typ, o.args[1], o.args[2:])
		l.flush(m.of, v)
		to := func(at []size) loops.Access { return l.element(o.args[1], w.place(at), o.at) }
		l.spread(v, o.at, to, w.inside())
	default:
		refuse(o.at, "unsupported-op", "%s is not read", o.name)
	}
}

// once is a use of a scalar, which is executed here even if no element is.
func (l *lowering) once(v *value, at source.Span) *loops.Data {
	if v.needed() && !v.done {
		l.hold(v)
	}
	return l.data(v, at)
}

// load is a vector that is read from a memref. That it lies within that, but for what is padded, is
// asked here: so it does not matter for which elements it is read.
func (l *lowering) load(o *operation, v, from *value, args []*value) {
	w, m := l.window(o, v.typ, from, args), l.viewed(from, o.at)
	for k, x := range w.first {
		j := slices.Index(w.axes, k)
		switch {
		case j < 0:
			l.below(x, w.dims[k], o.at)
		case !w.open[j]:
			l.below(x, w.dims[k].Sub(v.typ.shape()[j]).Add(one), o.at)
		case !l.Nonneg(x):
			text := "a subscript is not negative"
			l.Emit(&loops.Require{Cond: l.AtMost(zero, x), Text: text, Span: o.at})
		}
	}
	of := func(at []size) *loops.Data { return read(l.element(from, w.place(at), o.at)) }
	l.setLanes(v, &lanes{inside: w.inside(), strict: m.life.block >= 0, of: of}, m.of)
}

// A window is where the elements of a vector are in a memref: along axes, -1 for one that does not
// move, which are open if there may be none.
type window struct {
	first, dims []size
	axes        []int
	open        []bool
}

// window is that of a load or a store.
func (l *lowering) window(o *operation, t typ, of *value, args []*value) *window {
	w := &window{first: l.subscripts(o, args), dims: l.viewed(of, o.at).dims}
	check(of.mem.part == nil, o.at, "unsupported-op", "a vector in a part of a memref")
	check(t.kind == vector && t.elem == of.typ.elem && len(w.first) == len(w.dims) &&
		len(w.dims) >= len(t.dims), o.at, "unsupported-op", "%s in %s", t.text, of.typ.text)
	transfer, write := strings.Contains(o.name, "transfer"), strings.HasSuffix(o.name, "write")
	m, flags := o.attrs["permutation_map"], o.attrs["in_bounds"]
	l.check(o, m == nil || m.m != nil && len(m.m.results) == len(t.dims) &&
		len(m.m.dims) == len(w.dims))
	l.check(o, flags == nil || len(flags.list) == len(t.dims))
	for j := range t.dims {
		k := len(w.dims) - len(t.dims) + j
		if transfer && m != nil {
			e := m.m.results[j]
			ok := e.op == "input" && !slices.Contains(w.axes, e.k)
			check(ok || e.op == "number" && e.n.Sign() == 0 && !write, o.at, "unsupported-op",
				"a map of a vector")
			if k = e.k; !ok {
				k = -1
			}
		}
		closed := !transfer || k < 0 || flags != nil && flags.list[j].text == "true"
		w.axes, w.open = append(w.axes, k), append(w.open, !closed)
	}
	return w
}

func (w *window) place(at []size) []size {
	out := slices.Clone(w.first)
	for j, k := range w.axes {
		if k >= 0 {
			out[k] = out[k].Add(at[j])
		}
	}
	return out
}

// inside is what is not negative where there is an element, or nil if there always is one.
func (w *window) inside() places {
	if !slices.Contains(w.open, true) {
		return nil
	}
	return func(at []size) (out []size) {
		for j, k := range w.axes {
			if w.open[j] {
				out = append(out, w.dims[k].Sub(w.first[k].Add(at[j])).Sub(one))
			}
		}
		return out
	}
}

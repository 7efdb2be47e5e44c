package mlir

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A lanes is a vector: the expression of an element by its index. Where inside are integers that
// may be negative there, it is a pad instead, and a vector that is made of it has no expression.
type lanes struct {
	of     func(at []size) *loops.Data
	inside func(at []size) []size
	pad    *loops.Data
	parts  []*value // vectors that it is made of
}

// element is that of an index, or nil if it has no expression.
func (l *lowering) lane(v *value, at []size) *loops.Data {
	if x := v.vec; x.inside == nil || !slices.ContainsFunc(x.inside(at), func(s size) bool { return !l.nonneg(s) }) {
		return x.of(at)
	}
	return nil
}

// setLanes makes v a vector.
func (l *lowering) setLanes(v *value, x *lanes, reads ...*loops.Buffer) {
	for _, p := range x.parts {
		reads = append(reads, p.reads...)
	}
	v.vec, v.reads, v.done = x, reads, len(reads) == 0
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
		return loops.Access{Buffer: b, At: l.integers(at), Span: v.at}
	}
	if x := v.vec; x.inside == nil {
		l.spread(v, v.at, place, nil)
	} else {
		l.box(v.typ.shape(), v.at, func(at []size) {
			set := func(d *loops.Data) func() {
				return func() { l.emit(&loops.Assign{To: place(at), Value: copied(d), Span: v.at}) }
			}
			l.emitIf(nonnegative(x.inside(at)), v.at, set(x.of(at)), set(x.pad))
		})
	}
	v.vec = &lanes{of: func(at []size) *loops.Data { return read(place(at)) }}
	v.reads, v.done = nil, true
}

func nonnegative(list []size) *test {
	all := &test{op: loops.CondAll}
	for _, x := range list {
		all.of = append(all.of, &test{op: loops.CondLessEqual, y: x})
	}
	return all
}

// spread writes the elements of a vector, those that are inside if that is given. Where they have no
// expression, or would read what was just written, the vector or its parts are held before.
func (l *lowering) spread(v *value, at source.Span, to func([]size) loops.Access, inside func([]size) []size) {
	l.settle()
	before := l.out
	for padded := true; ; padded = false {
		var block []loops.Stmt
		missing, clash := false, false
		l.out = &block
		l.box(v.typ.shape(), at, func(index []size) {
			write := func() {
				place, d := to(index), l.lane(v, index)
				if missing = d == nil; missing {
					return
				}
				walk(d, func(x *loops.Data) {
					clash = clash || x.Op == loops.DataRead && x.From.Buffer == place.Buffer &&
						!slices.EqualFunc(x.From.At, place.At, sameInt)
				})
				l.emit(&loops.Assign{To: place, Value: d, Span: at})
			}
			if inside == nil {
				write()
			} else {
				l.emitIf(nonnegative(inside(index)), at, write, nil)
			}
		})
		switch l.out = before; {
		case !missing && !clash:
			*l.out = append(*l.out, block...)
			return
		case missing && padded:
			l.holdPadded(v)
		default:
			l.hold(v)
		}
	}
}

// holdPadded holds the loads that a vector is made of that are padded.
func (l *lowering) holdPadded(v *value) {
	if v.vec.inside != nil {
		l.hold(v)
		return
	}
	for _, p := range v.vec.parts {
		l.holdPadded(p)
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
		return extreme(c.predicate, [4]*loops.Data(d), t, o.at)
	})
}

// vector is an operation of dialect vector, or a load or store of a vector of dialect affine.
func (l *lowering) vector(o *operation) {
	_, op, _ := strings.Cut(o.name, ".")
	switch op {
	case "broadcast", "splat":
		l.check(o, len(o.args) == 1 && len(o.results) == 1 && o.results[0].typ.kind == vector)
		d := l.data(o.args[0], o.at)
		check(d.Elem == o.results[0].typ.elem, o.at, "type-mismatch", "a vector of another type")
		l.setLanes(o.results[0], &lanes{of: func([]size) *loops.Data { return copied(d) }}, reads(d)...)
	case "load", "vector_load":
		l.check(o, len(o.args) > 0 && len(o.results) == 1)
		l.load(o, o.results[0], o.args[0], o.args[1:])
	case "transfer_read":
		n := len(o.args) - 1
		l.check(o, n > 0 && len(o.results) == 1)
		l.load(o, o.results[0], o.args[0], o.args[1:n])
		x, pad := o.results[0].vec, l.data(o.args[n], o.at)
		check(pad.Elem == o.results[0].typ.elem, o.at, "type-mismatch", "a pad of another type")
		if x.inside != nil {
			x.pad, o.results[0].reads = pad, append(o.results[0].reads, reads(pad)...)
		}
	case "store", "vector_store", "transfer_write":
		l.check(o, len(o.args) > 1 && len(o.results) == 0)
		v, m := l.vectorOf(o.args[0], o.at), l.viewed(o.args[1], o.at)
		place, inside := l.moved(o, v.typ, o.args[1], o.args[2:])
		l.flush(m.of, v)
		l.spread(v, o.at, func(at []size) loops.Access { return l.element(o.args[1], place(at), o.at) }, inside)
	default:
		refuse(o.at, "unsupported-op", "%s is not read", o.name)
	}
}

// load is a vector that is read from a memref.
func (l *lowering) load(o *operation, v, from *value, args []*value) {
	place, inside := l.moved(o, v.typ, from, args)
	l.setLanes(v, &lanes{inside: inside, of: func(at []size) *loops.Data {
		return read(l.element(from, place(at), o.at))
	}}, l.viewed(from, o.at).of)
}

// moved is which element of a memref belongs to which of a vector, and what is not negative where
// there is one.
func (l *lowering) moved(o *operation, t typ, of *value, args []*value) (func([]size) []size, func([]size) []size) {
	first, dims := l.subscripts(o, args), l.viewed(of, o.at).dims
	check(t.kind == vector && t.elem == of.typ.elem && len(first) == len(dims) && len(dims) >= len(t.dims),
		o.at, "unsupported-op", "a vector of %s in %s", t.text, of.typ.text)
	axes, open := make([]int, len(t.dims)), make([]bool, len(t.dims))
	for j := range axes {
		axes[j] = len(dims) - len(axes) + j
	}
	transfer, write := strings.Contains(o.name, "transfer"), strings.HasSuffix(o.name, "write")
	if m := o.attrs["permutation_map"]; transfer && m != nil {
		l.check(o, m.m != nil && len(m.m.results) == len(axes))
		for j, e := range m.m.results {
			axes[j] = -1
			if check(e.op == "input" || e.op == "number" && !write, o.at, "unsupported-op", "a map of a vector"); e.op == "input" {
				check(!slices.Contains(axes[:j], e.k), o.at, "unsupported-op", "a map of a vector")
				axes[j] = e.k
			}
		}
	}
	for j := range open {
		flags := o.attrs["in_bounds"]
		l.check(o, flags == nil || len(flags.list) == len(open))
		open[j] = transfer && axes[j] >= 0 && (flags == nil || flags.list[j].text != "true")
	}
	place := func(at []size) []size {
		out := slices.Clone(first)
		for j, k := range axes {
			if k >= 0 {
				out[k] = out[k].Add(at[j])
			}
		}
		return out
	}
	if !slices.Contains(open, true) {
		return place, nil
	}
	return place, func(at []size) (out []size) {
		for j, k := range axes {
			if open[j] {
				out = append(out, dims[k].Sub(place(at)[k]).Sub(one))
			}
		}
		return out
	}
}

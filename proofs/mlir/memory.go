package mlir

import (
	"fmt"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
	"tv/semantics/domain"
)

// A view is what a memref stands for: a buffer, or a part of one.
type view struct {
	of   *loops.Buffer
	dims []size
	life *life
	part places // of a part, where an element of it is in the buffer
}

// A life is that of a local.
type life struct {
	block int // in which it begins; -1 is that of a parameter
	ended bool
}

// viewed is a memref.
func (l *lowering) viewed(v *value, at source.Span) *view {
	check(v.mem != nil, at, "unsupported-op", "%%%s, %s, as a memref", v.name, v.typ.text)
	check(!v.mem.life.ended, at, "unsupported-op", "%%%s after its dealloc", v.name)
	return v.mem
}

// element is one of a memref.
func (l *lowering) element(v *value, at []size, where source.Span) loops.Access {
	m := l.viewed(v, where)
	check(len(at) == len(m.dims), where, "unsupported-op", "%%%s has %d dims", v.name, len(m.dims))
	if m.part != nil {
		for k, x := range at {
			l.below(x, m.dims[k], where)
		}
		at = m.part(at)
	}
	return loops.Access{Buffer: m.of, At: l.Integers(at), Span: where}
}

// below asks for a subscript to lie within an extent of a part.
func (l *lowering) below(x, d size, at source.Span) {
	if !l.Nonneg(x) || !l.Nonneg(d.Sub(x).Sub(one)) {
		c := &loops.Cond{Op: loops.CondAll, Conds: []*loops.Cond{l.AtMost(zero, x),
			l.AtMost(x.Add(one), d)}}
		l.Emit(&loops.Require{Cond: c, Text: "a subscript lies within its part", Span: at})
	}
}

// subview is a part of a memref: every so manyth element from one on, as many as are given. Axes of
// one element may be left out.
func (l *lowering) subview(o *operation, v *value) {
	m, args := *l.viewed(o.args[0], o.at), o.args[1:]
	var parts [3][]size
	for i, s := range []string{"static_offsets", "static_sizes", "static_strides"} {
		a := o.attrs[s]
		l.check(o, a != nil && len(a.list) == len(m.dims))
		for _, x := range a.list {
			n, ok := x.integer()
			if l.check(o, ok); x.text != dynamic {
				parts[i] = append(parts[i], domain.BigSize(n))
				continue
			}
			l.check(o, len(args) > 0)
			parts[i], args = append(parts[i], l.steered(args[0], o.at)), args[1:]
		}
	}
	var dims []size
	ones, left := 0, len(m.dims)-len(v.typ.dims)
	axis := make([]int, len(m.dims)) // of the part; -1 is one that is left out
	for _, n := range parts[1] {
		if n.Equal(one) {
			ones++
		}
	}
	check(v.typ.kind == memref && v.typ.elem == m.of.Elem && (left == 0 || left == ones), o.at,
		"unsupported-op", "a part of these axes")
	for k, n := range parts[1] {
		if axis[k] = len(dims); left > 0 && n.Equal(one) {
			axis[k] = -1
			continue
		}
		d := v.typ.dims[len(dims)]
		l.check(o, d < 0 || n.Equal(domain.IntSize(d)))
		dims = append(dims, n)
	}
	outer := m.part
	m.dims, m.part = dims, func(at []size) []size {
		out := slices.Clone(parts[0])
		for k := range out {
			if axis[k] >= 0 {
				out[k] = out[k].Add(at[axis[k]].Mul(parts[2][k]))
			}
		}
		if outer != nil {
			return outer(out)
		}
		return out
	}
	v.mem = &m
}

// subscripts are those of an access.
func (l *lowering) subscripts(o *operation, args []*value) (out []size) {
	if strings.HasPrefix(o.name, "affine.") {
		for _, n := range l.results(o.attrs["map"].mapping(), args, o.at) {
			out = append(out, l.required(n, o.at))
		}
		return out
	}
	for _, v := range args {
		out = append(out, l.steered(v, o.at))
	}
	return out
}

// memory is an operation on memrefs.
func (l *lowering) memory(o *operation) {
	_, op, _ := strings.Cut(o.name, ".")
	count := map[string]int{"load": 1, "dim": 1, "store": 0, "alloc": 1, "alloca": 1, "cast": 1,
		"subview": 1}[op]
	least := map[string]int{"load": 1, "dim": 2, "store": 2, "dealloc": 1, "copy": 2, "cast": 1,
		"subview": 1}[op]
	l.check(o, len(o.results) == count && len(o.args) >= least)
	switch op {
	case "load":
		v, a := o.results[0], o.args[0]
		l.check(o, a.typ.kind == memref && v.typ.text == a.typ.single().text)
		l.set(v, read(l.element(a, l.subscripts(o, o.args[1:]), o.at)))
	case "store":
		v, a := o.args[0], o.args[1]
		l.check(o, a.typ.kind == memref && v.typ.text == a.typ.single().text)
		l.store(l.element(a, l.subscripts(o, o.args[2:]), o.at), v, o.at)
	case "alloc", "alloca":
		l.alloc(o, o.results[0])
	case "dealloc":
		m := l.viewed(o.args[0], o.at)
		check(m.life.block == l.block && m.part == nil, o.at, "unsupported-op",
			"a dealloc in another block than the alloc")
		l.settle()
		m.life.ended = true
	case "dim":
		m, k := l.viewed(o.args[0], o.at), l.steered(o.args[1], o.at)
		n, ok := k.Int64()
		check(ok && n >= 0 && n < int64(len(m.dims)), o.at, "unsupported-op", "an axis of %%%s",
			o.args[0].name)
		o.results[0].num = &number{x: m.dims[n]}
	case "copy":
		l.copy(o)
	case "subview":
		l.subview(o, o.results[0])
	case "cast":
		l.cast(o.args[0], o.results[0], o.at)
	default:
		refuse(o.at, "unsupported-op", "%s is not read", o.name)
	}
}

// alloc begins a local.
func (l *lowering) alloc(o *operation, v *value) {
	check(v.typ.kind == memref && v.typ.plain, o.at, "unsupported-op", "a local of %s", v.typ.text)
	var dims []size
	args := o.args
	for _, n := range v.typ.dims {
		if n >= 0 {
			dims = append(dims, domain.IntSize(n))
			continue
		}
		l.check(o, len(args) > 0)
		x := l.steered(args[0], o.at)
		check(loops.Constant(x), o.at, "not-static-control", "an extent of a counter")
		if args = args[1:]; !l.Nonneg(x) {
			text := fmt.Sprintf("an extent of %%%s is not negative", v.name)
			l.Emit(&loops.Require{Cond: l.AtMost(zero, x), Text: text, Span: o.at})
		}
		dims = append(dims, x)
	}
	l.check(o, len(args) == 0)
	b := l.local("%"+v.name, v.typ.elem, dims, o.at)
	v.mem = &view{of: b, dims: dims, life: &life{block: l.block}}
}

// equal asks for extents to be the same.
func (l *lowering) equal(x, y size, at source.Span) {
	if !x.Equal(y) {
		c := &loops.Cond{Op: loops.CondEqual, X: l.Integer(x), Y: l.Integer(y)}
		l.Emit(&loops.Require{Cond: c, Text: "extents are the same", Span: at})
	}
}

// copy writes all elements of one memref to another.
func (l *lowering) copy(o *operation) {
	from, to := l.viewed(o.args[0], o.at), l.viewed(o.args[1], o.at)
	check(from.of != to.of && len(from.dims) == len(to.dims) && from.of.Elem == to.of.Elem, o.at,
		"unsupported-op", "a copy between these")
	for k, d := range from.dims {
		l.equal(d, to.dims[k], o.at)
	}
	l.box(from.dims, o.at, func(at []size) {
		x := read(l.element(o.args[0], at, o.at))
		l.Emit(&loops.Assign{To: l.element(o.args[1], at, o.at), Value: x, Span: o.at})
	})
}

// box does something for all indices below extents.
func (l *lowering) box(dims []size, at source.Span, do func([]size)) {
	var loop func(k int, index []size)
	loop = func(k int, index []size) {
		if k == len(dims) {
			do(index)
			return
		}
		h := heading{[]size{zero}, dims[k : k+1], one}
		l.nested(h, at, func(c size) { loop(k+1, append(index[:k:k], c)) })
	}
	loop(0, nil)
}

// cast is a memref by another type: a ? for a number that it is, or the other way round.
func (l *lowering) cast(from, to *value, at source.Span) {
	m := *l.viewed(from, at)
	plain := from.typ.plain && to.typ.plain
	check(to.typ.kind == memref && plain && to.typ.elem == from.typ.elem &&
		len(to.typ.dims) == len(m.dims), at, "unsupported-op", "a cast to %s", to.typ.text)
	for k, n := range to.typ.dims {
		if n >= 0 {
			l.equal(m.dims[k], domain.IntSize(n), at)
		}
	}
	to.mem = &m
}

package cnest

import (
	"tv/internal/source"
	"tv/semantics/loops"
)

// subscripted takes A[i][k] apart: the name and its subscripts; *A is A[0].
func subscripted(x *expr) (name *expr, at []*expr) {
	switch x.op {
	case opIndex:
		name, at = subscripted(x.args[0])
		return name, append(at, x.args[1])
	case opContent:
		name, at = subscripted(x.args[0])
		return name, append(at, nil)
	}
	return x, nil
}

// place returns the view of an array and the subscripts of it; nil stands for 0.
func (e *elaborator) place(x *expr) (name *expr, v *view, at []*expr) {
	name, at = subscripted(x)
	if name.op != opName {
		fail(name.span, "unsupported-op", "%s is not the name of an array", show(name.span))
	}
	if !name.sym.array {
		fail(x.span, "unsupported-op", "%s is no array", name.name)
	}
	if v = e.views[name.sym]; v == nil {
		fail(x.span, "", "")
	}
	return name, v, at
}

// access returns the element that an expression names.
func (e *elaborator) access(x *expr) (loops.Access, ctype) {
	name, v, at := e.place(x)
	if len(at) != len(v.dims) {
		fail(x.span, "unsupported-op", "%s has %d extents, and %d subscripts here", name.name, len(v.dims), len(at))
	}
	out := loops.Access{Buffer: v.buffer, Where: x.span}
	out.At, out.Number = e.address(v, e.subscripts(at), name.name, x.span)
	return out, name.sym.typ
}

func (e *elaborator) subscripts(at []*expr) (out []*loops.Int) {
	for _, a := range at {
		if a == nil {
			out = append(out, loops.Num(0))
			continue
		}
		v := e.control(a)
		if v.typ.family != integer {
			fail(a.span, "bad-syntax", "a subscript is an integer, not a %s", v.typ)
		}
		out = append(out, v.x)
	}
	return out
}

// address returns the subscripts of the buffer for those of a view, and the number of the element where they were made of it.
func (e *elaborator) address(v *view, subs []*loops.Int, name string, at source.Span) (list []*loops.Int, number *loops.Int) {
	if v.check {
		for k, d := range v.dims {
			if d != nil {
				e.require(&loops.Cond{Op: loops.All, Conds: []*loops.Cond{
					{Op: loops.LessEqual, A: loops.Num(0), B: subs[k]}, {Op: loops.Less, A: subs[k], B: d}}},
					loops.Bounds, at, "axis %d of %s", k, name)
			}
		}
	}
	if v.flat == nil {
		subs = append([]*loops.Int{}, subs...)
		if v.base != nil {
			subs[0] = loops.Sum(v.base, subs[0])
		}
		return append(v.lead[:len(v.lead):len(v.lead)], subs...), nil
	}
	return e.unflatten(v, loops.Sum(v.flat, flatten(subs, v.dims)), at)
}

// flatten returns the number of an element, row by row.
func flatten(subs, dims []*loops.Int) *loops.Int {
	n := subs[0]
	for k, s := range subs[1:] {
		n = loops.Sum(loops.Product(n, dims[k+1]), s)
	}
	return n
}

// unflatten returns the subscripts of the element with a number: the digits of the number to the extents as bases, the
// first of which may be too large; so the element is in the buffer if its number is one of an element. That is returned too
// where it takes divisions.
func (e *elaborator) unflatten(v *view, n *loops.Int, at source.Span) (list []*loops.Int, number *loops.Int) {
	dims := v.buffer.Dims
	if len(dims) == 0 { // a scalar is one element
		e.require(&loops.Cond{Op: loops.Equal, A: n, B: loops.Num(0)}, loops.Bounds, at, "%s is one element", v.buffer.Name)
		return nil, nil
	}
	number = n
	divided := false
	out := make([]*loops.Int, len(dims))
	for k := len(dims) - 1; k > 0; k-- {
		if high, low, ok := e.digit(n, dims[k]); ok {
			out[k], n = low, high
			continue
		}
		divided = true
		out[k] = loops.Quotient(loops.FloorMod, n, dims[k])
		n = loops.Quotient(loops.FloorDiv, n, dims[k])
	}
	if out[0] = n; !divided {
		return out, nil
	}
	return out, number
}

// block returns the view that an argument gives to a parameter: A, A[i], &A[i][k], or &x of a scalar.
func (e *elaborator) block(arg *expr, p *symbol, dims []*loops.Int) *view {
	x, address := arg, arg.op == opAddress
	if address {
		x = arg.args[0]
	}
	if x.op == opName && x.sym.scalar && address {
		return e.single(x, p, dims)
	}
	if x.op != opName && x.op != opIndex && x.op != opContent {
		fail(arg.span, "unsupported-op", "%s is not an array or a block of one: A, A[i] or &A[i][k]", show(arg.span))
	}
	name, v, at := e.place(x)
	rank := len(v.dims) - len(at)
	if address {
		rank++
	}
	switch {
	case address && len(at) == 0 || rank != len(dims):
		fail(arg.span, "unsupported-op", "%s is not what %s takes: %d extents, not %d", show(arg.span), p.name, rank, len(dims))
	case name.sym.typ != p.typ:
		fail(arg.span, "unsupported-op", "%s has elements of type %s, and %s of type %s", name.name, name.sym.typ, p.name, p.typ)
	case name.sym.constant && !p.constant:
		fail(arg.span, "unsupported-op", "%s is const, and %s is not", name.name, p.name)
	}
	return e.part(v, e.subscripts(at), dims, arg.span)
}

// part returns the view, with extents of its own, of the elements of v from some subscripts on.
func (e *elaborator) part(v *view, subs []*loops.Int, dims []*loops.Int, at source.Span) *view {
	whole := len(v.dims) - len(dims) // how many axes are fixed
	rest := v.dims[whole:]
	inner := true // the rows of the block are rows of v
	for k := 1; k < len(dims); k++ {
		inner = inner && e.equal(dims[k], rest[k])
	}
	out := &view{buffer: v.buffer, dims: dims}
	var start *loops.Int // of the first axis that is not fixed
	if len(subs) > whole && !subs[whole].Is(0) {
		start = subs[whole]
	}
	same := dims[0] != nil && rest[0] != nil && e.equal(dims[0], rest[0])
	switch {
	case v.flat == nil && inner && whole == 0 && len(v.lead) == 0: // from a row on
		if out.base = v.base; start != nil {
			out.base = start
			if v.base != nil {
				out.base = loops.Sum(v.base, start)
			}
		}
		out.check = dims[0] != nil && (!same || start != nil || v.check)
	case v.flat == nil && inner && same && start == nil && !v.check: // all of a row
		first := append([]*loops.Int{}, subs[:whole]...)
		if v.base != nil {
			first[0] = loops.Sum(v.base, first[0])
		}
		out.lead = append(v.lead[:len(v.lead):len(v.lead)], first...)
	default: // elements in a row, wherever rows of the buffer end
		for len(subs) < len(v.dims) {
			subs = append(subs, loops.Num(0))
		}
		out.flat, out.check = e.number(v, subs), true
	}
	return out
}

// number is that of an element of a view among all of the buffer.
func (e *elaborator) number(v *view, subs []*loops.Int) *loops.Int {
	if v.flat != nil {
		return loops.Sum(v.flat, flatten(subs, v.dims))
	}
	all := append(v.lead[:len(v.lead):len(v.lead)], subs...)
	if v.base != nil {
		all[len(v.lead)] = loops.Sum(v.base, subs[0])
	}
	return flatten(all, v.buffer.Dims)
}

// single is a scalar as a block of one element.
func (e *elaborator) single(x *expr, p *symbol, dims []*loops.Int) *view {
	s := x.sym
	switch {
	case s.control:
		fail(x.span, "not-static-control", "%s is an integer of control: its address cannot be taken", s.name)
	case s.typ != p.typ || len(dims) != 1:
		fail(x.span, "unsupported-op", "&%s is not what %s takes", s.name, p.name)
	case e.data[s] == nil:
		fail(x.span, "", "")
	case e.data[s].Kind == loops.In && !p.constant:
		fail(x.span, "unsupported-op", "the address of parameter %s: copy it to a local", s.name)
	}
	return &view{buffer: e.data[s], flat: loops.Num(0), dims: dims, check: true}
}

package glenside

import (
	"slices"

	"tv/glenside"
	"tv/proofs/algebra"
)

// moves states calls that say where an element comes from and no more. It is nil for other kinds of
// calls, as folds, scalar and layer are.
func (o *operation) moves(kind string) *scalar {
	l, b, a := o.l, o.l.B, o.a
	switch kind {
	case "construct-tuple":
		return l.at(place{a[o.p.path[0]], o.p.path[1:]}, o.c, o.at)
	case "tuple-get-item":
		return l.at(place{a[0], append([]int{o.number(1)}, o.p.path...)}, o.c, o.at)
	case "access-literal":
		return l.spelled(o.elem, a[0].Args[0].Text)
	case "constant-tensor":
		return l.spelled(o.elem, a[0].Text)
	case "zeros":
		return l.Int(o.elem, 0)
	case "access-tensor", "access", "access-shift-right", "copy":
		return o.x(0, o.at)
	case "access-transpose", "transpose":
		return o.permuted(l.ty.Type(a[1]).Ints)
	case "access-cartesian-product":
		s, t := o.split(0), o.split(1)
		return o.stack(s+t, 2, func(i int) []*expr {
			if i == 0 {
				return append(slices.Clone(o.at[:s]), o.at[s+t+1:]...)
			}
			return append(slices.Clone(o.at[s:s+t]), o.at[s+t+1:]...)
		})
	case "access-pair":
		return o.stack(o.split(0), 2, func(int) []*expr { return o.without(o.split(0)) })
	case "stack":
		k := o.axis(len(a)-1, len(o.at))
		return o.stack(k, len(a)-1, func(int) []*expr { return o.without(k) })
	case "access-windows":
		s, m := o.split(0), len(o.dims(0))-o.split(0)
		in := slices.Clone(o.at[:s])
		for i, stride := range o.dims(2) {
			in = append(in, b.Add(b.Mul(o.at[s+i], stride), o.at[s+m+i]))
		}
		return o.x(0, in)
	case "access-slice":
		return o.x(0, o.moved(o.number(1), b.Add(o.at[o.number(1)], l.Size(a[2].Int))))
	case "strided-slice":
		in := slices.Clone(o.at)
		for i, lo := range o.dims(1) {
			in[i] = b.Add(in[i], lo)
		}
		return o.x(0, in)
	case "split":
		k, low := o.number(2), o.zero
		for _, t := range o.ty.Items[:o.p.path[0]] {
			low = b.Add(low, l.dims(t)[k])
		}
		return o.x(0, o.moved(k, b.Add(o.at[k], low)))
	case "access-concatenate":
		return o.concat(o.number(2), l.parts(o.p.n, o.number(2)))
	case "concatenate":
		var parts []place
		for i := range l.ty.Type(a[1]).Items {
			parts = append(parts, place{a[1], []int{i}})
		}
		return o.concat(o.number(0), parts)
	case "access-pad":
		pads := make([][2]*expr, len(o.at))
		for i := range pads {
			pads[i] = [2]*expr{o.zero, o.zero}
		}
		pads[o.number(2)] = [2]*expr{l.Size(a[3].Int), l.Size(a[4].Int)}
		if a[1].Text == "min-padding" {
			return o.pad(pads, l.Nothing(algebra.FoldMax, o.elem))
		}
		return o.pad(pads, l.Int(o.elem, 0))
	case "pad":
		pads := make([][2]*expr, len(o.at))
		for i := range pads {
			pads[i] = [2]*expr{o.dims(1)[2*i], o.dims(1)[2*i+1]}
		}
		return o.pad(pads, l.Int(o.elem, 0))
	case "access-squeeze":
		return o.x(0, o.dropped([]int{o.number(1)}, len(o.dims(0))))
	case "squeeze":
		var axes []int
		for _, s := range l.ty.Type(a[1]).Ints {
			k, _ := s.Int64()
			axes = append(axes, int(k))
		}
		return o.x(0, o.dropped(axes, len(o.dims(0))))
	case "access-insert-axis":
		return o.x(0, o.without(o.number(1)))
	case "expand-dims":
		k := o.axis(1, len(o.dims(0))+1)
		return o.x(0, slices.Delete(slices.Clone(o.at), k, k+o.number(2)))
	case "access-broadcast":
		return o.x(0, l.Broadcast(o.c, o.dims(0), l.dims(o.ty), o.at))
	case "access-reshape", "access-flatten", "batch-flatten", "reshape":
		return o.x(0, l.Regroup(o.c, o.dims(0), l.dims(o.ty), o.at))
	case "upsampling":
		in := slices.Clone(o.at)
		for i := range 2 {
			f, _ := glenside.ParseDecimal(a[1+i].Text)
			y := b.Scale(algebra.BigNum(f.Denom()), o.at[2+i])
			in[2+i] = b.Div(o.c, y, b.Num(algebra.BigNum(f.Num())))
		}
		return o.x(0, in)
	}
	return nil
}

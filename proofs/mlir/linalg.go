package mlir

import (
	"strings"

	"tv/internal/source"
	"tv/proofs/loops"
)

// named are operations that add products, or take greatest or least elements: their dims, and the
// subscripts of each operand, the last of which is written. S and D stand for strides and
// dilations, X and Y for what a window of v and w elements has at x and y.
var named = map[string][]string{
	"matmul":             {"m, n, k", "m, k", "k, n", "m, n"},
	"matmul_transpose_a": {"m, n, k", "k, m", "k, n", "m, n"},
	"matmul_transpose_b": {"m, n, k", "m, k", "n, k", "m, n"},
	"batch_matmul":       {"b, m, n, k", "b, m, k", "b, k, n", "b, m, n"},
	"matvec":             {"m, n", "m, n", "n", "m"},
	"vecmat":             {"n, m", "m", "m, n", "n"},
	"dot":                {"m", "m", "m", ""},
	"conv_1d":            {"x, w", "x + w", "w", "x"},
	"conv_2d":            {"x, y, v, w", "x + v, y + w", "v, w", "x, y"},
	"conv_1d_nwc_wcf":    {"n, x, f, w, c", "n, x * S0 + w * D0, c", "w, c, f", "n, x, f"},
	"conv_2d_nhwc_hwcf":  {"n, x, y, f, v, w, c", "n, X, Y, c", "v, w, c, f", "n, x, y, f"},
	"conv_2d_nchw_fchw":  {"n, f, x, y, c, v, w", "n, c, X, Y", "f, c, v, w", "n, f, x, y"},
	"pooling_nhwc_sum":   pooling,
	"pooling_nhwc_max":   pooling,
	"pooling_nhwc_min":   pooling,
	"pooling_nchw_sum":   channels,
	"pooling_nchw_max":   channels,

	"depthwise_conv_2d_nhwc_hwc": {"n, x, y, c, v, w", "n, X, Y, c", "v, w, c", "n, x, y, c"},
	"depthwise_conv_2d_nchw_chw": {"n, x, y, c, v, w", "n, c, X, Y", "c, v, w", "n, c, x, y"},
}

var pooling = []string{"n, x, y, c, v, w", "n, X, Y, c", "v, w", "n, x, y, c"}
var channels = []string{"n, c, x, y, v, w", "n, c, X, Y", "v, w", "n, c, x, y"}

// structured is an operation of dialect linalg: its body for all indices of its dims.
func (l *lowering) structured(o *operation) {
	_, op, _ := strings.Cut(o.name, ".")
	check(len(o.results) == 0 && len(o.args) > 0, o.at, "unsupported-op", "%s of tensors", o.name)
	var maps []*mapping
	parallel := map[int]bool{}
	switch words := named[op]; {
	case words != nil:
		l.check(o, len(o.args) == len(words)-1)
		for _, w := range words[1:] {
			maps = append(maps, o.subscripted(words[0], w))
		}
		for _, e := range maps[len(maps)-1].results {
			parallel[e.k] = true
		}
	case op == "fill" || op == "copy":
		l.check(o, len(o.args) == 2)
		whole := &mapping{dims: make([]string, len(o.args[1].typ.dims))}
		for k := range whole.dims {
			whole.results, parallel[k] = append(whole.results, &node{op: "input", k: k}), true
		}
		maps = []*mapping{whole, whole}
	case op == "generic":
		kinds := o.attrs["iterator_types"]
		l.check(o, o.attrs["indexing_maps"] != nil && kinds != nil)
		for _, a := range o.attrs["indexing_maps"].list {
			m := a.mapping()
			l.check(o, len(m.syms) == 0 && len(m.dims) == len(kinds.list))
			maps = append(maps, m)
		}
		for k, a := range kinds.list {
			parallel[k] = strings.Contains(a.text, "parallel")
			check(parallel[k] || strings.Contains(a.text, "reduction"), a.at, "unsupported-op",
				"a kind of iterator")
		}
	default:
		refuse(o.at, "unsupported-op", "%s is not read", o.name)
	}
	l.check(o, len(maps) == len(o.args))
	l.iterate(o, op, maps, parallel)
}

// subscripted is a map that is written down in named.
func (o *operation) subscripted(dims, results string) *mapping {
	results = strings.ReplaceAll(results, "X", "x * S0 + v * D0")
	results = strings.ReplaceAll(results, "Y", "y * S1 + w * D1")
	for i, name := range []string{"strides", "dilations"} {
		for k := range 2 {
			sign, by := "SD"[i:i+1]+string(rune('0'+k)), "1"
			if a := o.attrs[name]; a != nil && strings.Contains(results, sign) {
				l := append(a.list, a) // a alone is one for all
				check(a.list == nil || k < len(a.list), a.at, "bad-syntax", "too few %s", name)
				by = l[min(k, len(a.list))].text
			}
			results = strings.ReplaceAll(results, sign, by)
		}
	}
	p := &parser{file: source.NewFile("", "affine_map<("+dims+") -> ("+results+")>")}
	return p.mapping()
}

// iterate does the body of an operation for all indices. The range of a dim is an extent that it
// alone is a subscript of; so are others, which have to be the same.
func (l *lowering) iterate(o *operation, op string, maps []*mapping, parallel map[int]bool) {
	n := len(maps[0].dims)
	ranges := make([]*size, n)
	for i, m := range maps {
		if o.args[i].typ.kind != memref {
			continue
		}
		dims := l.viewed(o.args[i], o.at).dims
		l.check(o, len(dims) == len(m.results))
		for k, e := range m.results {
			if e.op == "input" && ranges[e.k] == nil {
				ranges[e.k] = &dims[k]
			} else if e.op == "input" {
				l.equal(dims[k], *ranges[e.k], o.at)
			}
		}
	}
	var made []*loops.For
	var nest func(k int, at []size)
	nest = func(k int, at []size) {
		if k == n {
			l.point(o, op, maps, at)
			return
		}
		check(ranges[k] != nil, o.at, "unsupported-op", "a dim of no range")
		h := heading{[]size{zero}, []size{*ranges[k]}, one}
		f := l.nested(h, o.at, func(c size) { nest(k+1, append(at[:k:k], c)) })
		if parallel[k] {
			made = append(made, f)
		}
	}
	var block []loops.Stmt
	l.settle()
	out := l.Out
	l.Out = &block
	nest(0, nil)
	l.Out = out
	for _, f := range made {
		check(loops.NoneMeet(block, f), o.at, "unsupported-op",
			"iterations in no order that may not leave cells to each other")
	}
	*l.Out = append(*l.Out, block...)
}

// point is the body of an operation at an index.
func (l *lowering) point(o *operation, op string, maps []*mapping, index []size) {
	inputs := make([]*number, len(index))
	for k, x := range index {
		inputs[k] = &number{x: x}
	}
	places := make([]loops.Access, len(maps))
	for i, m := range maps {
		if o.args[i].typ.kind != memref {
			continue
		}
		var at []size
		for _, e := range m.results {
			at = append(at, l.required(l.affine(e, inputs, o.at), o.at))
		}
		places[i] = l.element(o.args[i], at, o.at)
	}
	value := func(i int) *loops.Data {
		if o.args[i].typ.kind == scalar {
			o.args[i].uses++ // again at each point
			return l.taken(o.args[i], o.at)
		}
		return read(places[i])
	}
	last := len(maps) - 1
	if len(o.regions) > 0 { // which the generic syntax has of all
		l.region(o, places, value, inputs)
		return
	}
	d := value(0)
	if op != "fill" && op != "copy" {
		d = l.accumulated(o, op, value)
	}
	check(d.Elem == places[last].Buffer.Elem, o.at, "unsupported-op", "%s of several types", o.name)
	l.Emit(&loops.Assign{To: places[last], Value: d, Span: o.at})
}

// accumulated is what a named operation makes of its operands.
func (l *lowering) accumulated(o *operation, op string, element func(int) *loops.Data) *loops.Data {
	x, y, z := element(0), element(1), element(2)
	t := o.args[2].typ.single()
	check(x.Elem == z.Elem && (y.Elem == z.Elem || strings.HasPrefix(op, "pooling")), o.at,
		"unsupported-op", "%s of several types", o.name)
	switch op {
	case "pooling_nhwc_max", "pooling_nchw_max":
		return operator(loops.DataMax, t, o.at, z, x)
	case "pooling_nhwc_min":
		return operator(loops.DataMin, t, o.at, z, x)
	case "pooling_nhwc_sum", "pooling_nchw_sum":
		return operator(loops.DataAdd, t, o.at, z, x)
	}
	return operator(loops.DataAdd, t, o.at, z, operator(loops.DataMul, t, o.at, x, y))
}

// region is the body of a linalg.generic at a point: a parameter that is used is loaded.
func (l *lowering) region(o *operation, places []loops.Access, element func(int) *loops.Data,
	inputs []*number) {
	r := o.regions[0]
	l.check(o, len(r.params) == len(places))
	for _, x := range r.body {
		if x.name == "linalg.index" {
			k, ok := x.attrs["dim"].integer()
			l.check(x, ok && len(x.results) == 1 && k.IsInt64() && k.Sign() >= 0 &&
				k.Int64() < int64(len(inputs)))
			x.results[0].num = inputs[k.Int64()]
		}
	}
	for i, v := range r.params {
		check(v.typ.text == o.args[i].typ.single().text, o.at, "type-mismatch",
			"a parameter of another type")
		if l.set(v, element(i)); v.uses == 0 {
			v.done = true
		}
	}
	written := len(places) - 1 // the last ones are written, as many as are yielded
	l.body(r, func(args []*value, at source.Span) {
		l.check(o, len(args) > 0 && len(args) < len(places)+1)
		written = len(places) - len(args)
		for i, v := range args {
			l.store(places[written+i], v, o.at)
		}
	})
	counts := o.attrs["operandSegmentSizes"]
	l.check(o, counts != nil && len(counts.list) == 2)
	n, ok := counts.list[0].integer()
	l.check(o, ok && n.IsInt64() && n.Int64() == int64(written))
}

package proofs

import (
	"math/big"
	"slices"
	"strings"

	"tv/glenside"
)

// call states the element of a call at an index: doc/operators.md, one case an operator.
func (l *lowering) call(p place, c *Context, at []*Expr) *term {
	b, n, a := l.b, p.n, p.n.Args
	ty := l.ty.Type(n)
	arg := func(i int) place { return place{n: a[i]} }
	x := func(i int, at []*Expr) *term { return l.at(arg(i), c, at) }
	split := func(i int) int { return l.ty.Type(a[i]).Split }
	dims := func(i int) []*Expr { return l.dims(l.ty.Type(a[i])) }
	int0 := func(i int) int { v, _ := l.ty.Type(a[i]).Int.Int64(); return int(v) }
	axis := func(i, rank int) int {
		if k := int0(i); k < 0 {
			return k + rank
		}
		return int0(i)
	}
	elem := l.elemOf(l.typeOf(p))
	zero := b.Const(0)
	moved := func(k int, e *Expr) []*Expr { // at with e on axis k
		in := slices.Clone(at)
		in[k] = e
		return in
	}
	// fold folds operand i over its dims from axis k on, at having the dims before
	foldRest := func(f fold, i, k int, at []*Expr) *term {
		rest := func(rest []*Expr, whole func([]*Expr) []*Expr) *term {
			return l.reduce(f, elem, rest, func(in []*Expr) *term {
				return x(i, append(slices.Clip(at[:k]), whole(in)...))
			})
		}
		d := dims(i)[k:]
		j, m := l.sides(a[i])
		if j -= k; j < 0 || m > maxUnroll || l.exact { // one fold
			return rest(d, func(in []*Expr) []*Expr { return in })
		}
		return l.chain(f, elem, m, func(side int64) *term { // one for each operand side by side
			return rest(slices.Delete(slices.Clone(d), j, j+1), func(in []*Expr) []*Expr {
				return slices.Insert(slices.Clone(in), j, b.Const(side))
			})
		})
	}
	along := func(f fold, i, k int, from *Expr, g func(*term) *term) *term { // folds along axis k
		d := b.Sub(dims(i)[k], from)
		item := func(e *Expr) *term { return g(x(i, moved(k, b.Add(e, from)))) }
		return l.reduce(f, elem, []*Expr{d}, func(in []*Expr) *term { return item(in[0]) })
	}
	same := func(t *term) *term { return t }
	fn := func(name string) func(*term) *term {
		return func(t *term) *term { return l.apply(t, name, t) }
	}
	gap := func(k int) []*Expr { return slices.Insert(slices.Clone(at), k, zero) }
	// pieces are n tensors one after the other along an axis; e is the index on it
	pieces := func(n int, e *Expr, size func(int) *Expr,
		item func(int, *Context, *Expr) *term) *term {
		var pick func(i int, c *Context, e *Expr) *term
		pick = func(i int, c *Context, e *Expr) *term {
			if i == n-1 {
				return item(i, c, e)
			}
			d := size(i)
			return l.choose(c, b.AddInt(b.Sub(d, e), -1),
				func(c *Context) *term { return item(i, c, e) },
				func(c *Context) *term { return pick(i+1, c, b.Sub(e, d)) })
		}
		return pick(0, c, e)
	}
	stack := func(k, n int, index func(int) []*Expr) *term { // operands side by side on axis k
		return pieces(n, at[k], func(int) *Expr { return b.Const(1) },
			func(i int, c *Context, _ *Expr) *term { return l.at(arg(i), c, index(i)) })
	}
	without := func(k int) []*Expr { return slices.Delete(slices.Clone(at), k, k+1) }
	pad := func(pads [][2]*Expr, out *term) *term {
		in := slices.Clone(at)
		var conds []*Expr
		for i, w := range pads {
			in[i] = b.Sub(at[i], w[0])
			if len(w[0].terms) > 0 {
				conds = append(conds, in[i])
			}
			if len(w[1].terms) > 0 {
				conds = append(conds, b.AddInt(b.Sub(dims(0)[i], in[i]), -1))
			}
		}
		return l.inside(c, conds, out, func(c *Context) *term { return l.at(arg(0), c, in) })
	}
	concat := func(k int, parts []place) *term { // one after the other on axis k
		return pieces(len(parts), at[k],
			func(i int) *Expr { return l.dims(l.typeOf(parts[i]))[k] },
			func(i int, c *Context, e *Expr) *term { return l.at(parts[i], c, moved(k, e)) })
	}
	dropped := func(axes []int, rank int) []*Expr {
		in := slices.Clone(at)
		slices.Sort(axes)
		for _, k := range axes {
			in = slices.Insert(in, k, zero)
		}
		return in[:rank]
	}
	permuted := func(list []glenside.Size) *term {
		in := make([]*Expr, len(at))
		for i, s := range list {
			k, _ := s.Int64()
			in[k] = at[i]
		}
		return x(0, in)
	}
	// dense sums x[... i k]·w[... j k], or w[k j]
	dense := func(i, j int, transposed bool) *term {
		r := len(at) - 1
		k := dims(i)[len(dims(i))-1]
		return l.reduce(foldSum, elem, []*Expr{k}, func(in []*Expr) *term {
			w := append(slices.Clone(at[:max(r-1, 0)]), at[r], in[0])
			if !transposed {
				w = []*Expr{in[0], at[r]}
			}
			return l.op2(opMul, x(i, append(slices.Clone(at[:r]), in[0])), x(j, w))
		})
	}
	expSum := func(k int) *term { return along(foldSum, 0, k, zero, fn("exp")) }
	normalise := func(x, mean, variance, epsilon, gamma, beta *term) *term {
		root := l.apply(x, "sqrt", l.op2(opAdd, variance, epsilon))
		return l.op2(opAdd, l.op2(opMul, l.op2(opDiv, l.sub(x, mean), root), gamma), beta)
	}
	name := n.Op.Name
	if n.Op.Category == glenside.CatAccelerator && l.exact {
		return l.opaque(p, name, at) // the numerics of a machine
	}
	switch strings.TrimPrefix(name, "relay-") {
	case "construct-tuple":
		return l.at(place{a[p.path[0]], p.path[1:]}, c, at)
	case "tuple-get-item":
		return l.at(place{a[0], append([]int{int0(1)}, p.path...)}, c, at)
	case "access-literal":
		return l.literal(elem, a[0].Args[0])
	case "constant-tensor":
		return l.literal(elem, a[0])
	case "zeros":
		return l.int(elem, 0)
	case "access-tensor", "access", "access-shift-right", "copy":
		return x(0, at)
	case "access-transpose", "transpose":
		return permuted(l.ty.Type(a[1]).Ints)
	case "access-cartesian-product":
		s, t := split(0), split(1)
		return stack(s+t, 2, func(i int) []*Expr {
			if i == 0 {
				return append(slices.Clone(at[:s]), at[s+t+1:]...)
			}
			return append(slices.Clone(at[s:s+t]), at[s+t+1:]...)
		})
	case "access-pair":
		return stack(split(0), 2, func(int) []*Expr { return without(split(0)) })
	case "stack":
		k := axis(len(a)-1, len(at))
		return stack(k, len(a)-1, func(int) []*Expr { return without(k) })
	case "access-windows":
		s, m := split(0), len(dims(0))-split(0)
		in := slices.Clone(at[:s])
		for i, stride := range dims(2) {
			in = append(in, b.Add(b.Mul(at[s+i], stride), at[s+m+i]))
		}
		return x(0, in)
	case "access-slice":
		return x(0, moved(int0(1), b.Add(at[int0(1)], l.size(a[2].Int))))
	case "strided-slice":
		in := slices.Clone(at)
		for i, lo := range dims(1) {
			in[i] = b.Add(in[i], lo)
		}
		return x(0, in)
	case "split":
		k, low := int0(2), zero
		for _, t := range ty.Items[:p.path[0]] {
			low = b.Add(low, l.dims(t)[k])
		}
		return x(0, moved(k, b.Add(at[k], low)))
	case "access-concatenate":
		return concat(int0(2), []place{arg(0), arg(1)})
	case "concatenate":
		var parts []place
		for i := range l.ty.Type(a[1]).Items {
			parts = append(parts, place{a[1], []int{i}})
		}
		return concat(int0(0), parts)
	case "access-pad":
		pads := make([][2]*Expr, len(at))
		for i := range pads {
			pads[i] = [2]*Expr{zero, zero}
		}
		pads[int0(2)] = [2]*Expr{l.size(a[3].Int), l.size(a[4].Int)}
		if a[1].Text == "min-padding" {
			return pad(pads, l.nothing(foldMax, elem))
		}
		return pad(pads, l.int(elem, 0))
	case "pad":
		pads := make([][2]*Expr, len(at))
		for i := range pads {
			pads[i] = [2]*Expr{dims(1)[2*i], dims(1)[2*i+1]}
		}
		return pad(pads, l.int(elem, 0))
	case "access-squeeze":
		return x(0, dropped([]int{int0(1)}, len(dims(0))))
	case "squeeze":
		var axes []int
		for _, s := range l.ty.Type(a[1]).Ints {
			k, _ := s.Int64()
			axes = append(axes, int(k))
		}
		return x(0, dropped(axes, len(dims(0))))
	case "access-insert-axis":
		return x(0, without(int0(1)))
	case "expand-dims":
		k := axis(1, len(dims(0))+1)
		return x(0, slices.Delete(slices.Clone(at), k, k+int0(2)))
	case "access-broadcast":
		return x(0, l.broadcast(c, dims(0), l.dims(ty), at))
	case "access-reshape", "access-flatten", "batch-flatten", "reshape":
		return x(0, l.regroup(c, dims(0), l.dims(ty), at))
	case "dot-product":
		s := split(0)
		return l.reduce(foldSum, elem, dims(0)[s+1:], func(in []*Expr) *term {
			return l.reduce(foldProduct, elem, dims(0)[s:s+1], func(i []*Expr) *term {
				return x(0, slices.Concat(at, i, in))
			})
		})
	case "reduce-sum":
		return foldRest(foldSum, 0, split(0), at)
	case "reduce-max":
		return foldRest(foldMax, 0, split(0), at)
	case "reduce-mean":
		count := b.Mul(append([]*Expr{b.Const(1)}, dims(0)[split(0):]...)...)
		return l.average(foldRest(foldSum, 0, split(0), at), count)
	case "elementwise-add", "elementwise-mul":
		f := map[string]fold{"elementwise-add": foldSum, "elementwise-mul": foldProduct}[name]
		at = gap(split(0))
		if d, ok := dims(0)[split(0)].Const(); ok && d.Sign() > 0 && d.Cmp(Int(maxUnroll)) <= 0 {
			k, _ := d.Int64()
			return l.chain(f, elem, int(k), func(i int64) *term {
				return x(0, moved(split(0), b.Const(i)))
			})
		}
		return along(f, 0, split(0), zero, same)
	case "elementwise-div":
		s := split(0)
		d0 := dims(0)[s]
		at = gap(s)
		d, ok := d0.Const()
		if ok && d.Cmp(Int(maxUnroll)) <= 0 {
			t := x(0, at)
			for i := int64(1); Int(i).Cmp(d) < 0; i++ {
				t = l.op2(opDiv, t, x(0, moved(s, b.Const(i))))
			}
			return t
		}
		if l.exact {
			return l.opaque(p, name, without(s))
		}
		return l.choose(c, b.AddInt(d0, -2), func(c *Context) *term {
			return l.op2(opDiv, x(0, at), along(foldProduct, 0, s, b.Const(1), same))
		}, func(c *Context) *term { return x(0, at) }) // alone it is not divided
	case "add", "multiply", "divide", "maximum", "minimum":
		to := l.dims(ty)
		y, z := x(0, l.broadcast(c, dims(0), to, at)), x(1, l.broadcast(c, dims(1), to, at))
		return l.op2(map[string]op{"relay-add": opAdd, "relay-multiply": opMul,
			"relay-divide": opDiv, "relay-maximum": opMax, "relay-minimum": opMin}[name], y, z)
	case "relu":
		if l.exact {
			return fn("relu")(x(0, at))
		}
		return l.op2(opMax, x(0, at), l.int(elem, 0))
	case "negative":
		return l.neg(x(0, at))
	case "sqrt", "erf", "round":
		return fn(strings.TrimPrefix(name, "relay-"))(x(0, at))
	case "sigmoid":
		if l.exact {
			return fn("sigmoid")(x(0, at))
		}
		e := l.apply(x(0, at), "exp", l.neg(x(0, at)))
		return l.op2(opDiv, l.int(elem, 1), l.op2(opAdd, l.int(elem, 1), e))
	case "tanh":
		if l.exact {
			return fn("tanh")(x(0, at))
		}
		e := fn("exp")(l.op2(opMul, l.int(elem, 2), x(0, at)))
		return l.sub(l.int(elem, 1), l.op2(opDiv, l.int(elem, 2), l.op2(opAdd, e, l.int(elem, 1))))
	case "leaky-relu":
		slope, y := l.literal(elem, a[1]), x(0, at)
		if l.exact || slope.val == nil {
			return l.apply(y, "leaky-relu", y, slope)
		}
		if slope.val.Cmp(big.NewRat(1, 1)) > 0 {
			return l.op2(opMin, y, l.op2(opMul, slope, y))
		}
		return l.op2(opMax, y, l.op2(opMul, slope, y))
	case "clip":
		y, lo, hi := x(0, at), l.literal(elem, a[1]), l.literal(elem, a[2])
		return l.op2(opMin, l.op2(opMax, y, lo), hi)
	case "left-shift", "right-shift":
		bits := l.mk(term{op: opNumber, e: l.size(a[1].Int)})
		return l.apply(x(0, at), strings.TrimPrefix(name, "relay-"), x(0, at), bits)
	case "cast":
		from, to := l.ty.Type(a[0]).Elem, ty.Elem
		wider := from.Kind == to.Kind && to.Kind == glenside.ElemFloat && from.Width < to.Width
		switch {
		case from == to || !l.exact && wider:
			return x(0, at)
		case l.exact:
			return l.mk(term{op: opConvert, args: []*term{x(0, at)}, elem: elem})
		case from.Kind == glenside.ElemFloat:
			return fn("cast " + to.String())(x(0, at))
		}
		return fn("cast " + from.String() + " to " + to.String())(x(0, at))
	case "softmax":
		k := split(0)
		if name != "softmax" {
			k = axis(1, len(at))
		}
		return l.op2(opDiv, fn("exp")(x(0, at)), expSum(k))
	case "log-softmax":
		return l.sub(x(0, at), fn("log")(expSum(axis(1, len(at)))))
	case "batch-norm-inference":
		k := int0(5)
		i := at[k : k+1]
		return normalise(x(0, at), x(3, i), x(4, i), l.literal(elem, a[6]), x(1, i), x(2, i))
	case "layer-norm":
		k := len(at) - 1
		mean := func() *term { return l.average(along(foldSum, 0, k, zero, same), dims(0)[k]) }
		square := func(t *term) *term {
			d := l.sub(t, mean())
			return l.op2(opMul, d, d)
		}
		variance := l.average(along(foldSum, 0, k, zero, square), dims(0)[k])
		epsilon := l.constant(elem, big.NewRat(1, 100_000))
		return normalise(x(0, at), mean(), variance, epsilon, x(1, at[k:]), x(2, at[k:]))
	case "dropout":
		if p.path[0] == 0 {
			return x(0, at)
		}
		return l.opaque(p, "mask", at)
	case "bias-add":
		k := axis(2, len(at))
		return l.op2(opAdd, x(0, at), x(1, at[k:k+1]))
	case "dense", "batch-matmul", "vta-dense":
		return dense(0, 1, true)
	case "systolic-array", "systolic-array-with-blocking":
		return dense(2, 3, false)
	case "flex-linear":
		bias := make([]*Expr, len(dims(2)))
		for i := range bias {
			bias[i] = zero
		}
		bias[len(bias)-1] = at[1]
		return l.op2(opAdd, dense(0, 1, true), x(2, bias))
	case "mean":
		k := int0(1)
		at = gap(k)
		return l.average(along(foldSum, 0, k, zero, same), dims(0)[k])
	case "take":
		k, r := int0(2), len(dims(1))
		v := b.NewVar(zero, dims(0)[k])
		in := slices.Concat(at[:k], []*Expr{v.expr}, at[k+r:])
		return l.mk(term{op: opGather, vars: []*Atom{v}, elem: elem,
			args: []*term{x(0, in), x(1, at[k:k+r])}})
	case "flex-maxpool":
		even := b.Scale(Int(2), at[0])
		return l.op2(opMax, x(0, moved(0, even)), x(0, moved(0, b.AddInt(even, 1))))
	case "upsampling":
		in := slices.Clone(at)
		for i := range 2 {
			f, _ := glenside.ParseDecimal(a[1+i].Text)
			y := b.Scale(bigNum(f.Denom()), at[2+i])
			in[2+i] = b.Div(c, y, b.num(bigNum(f.Num())))
		}
		return x(0, in)
	case "flex-lstm", "vta-conv1d":
		return l.opaque(p, name, at)
	}
	return l.image(p, c, at)
}

// image states the element of a convolution or a pool.
func (l *lowering) image(p place, c *Context, at []*Expr) *term {
	b, a, name := l.b, p.n.Args, p.n.Op.Name
	elem := l.elemOf(l.typeOf(p))
	zero := b.Const(0)
	dims := func(i int) []*Expr { return l.dims(l.ty.Type(a[i])) }
	channel, space := 1, []int{2, 3}          // of images
	outer, inner, kernel := 0, 1, []int{2, 3} // of weights
	image, weights := 0, 1
	var strides, pads []*Expr // pads: before each axis, then after each
	depthwise, hwio := false, false
	layout := func(i int) {
		if a[i].Text == "relay-activation-layout-nhwc" {
			channel, space = 3, []int{1, 2}
		}
	}
	switch name {
	case "relay-conv1d":
		space, kernel = []int{2}, []int{2}
		strides, pads = dims(2), dims(3)
	case "relay-conv2d", "hlscnn-conv2d":
		s := dims(2)
		strides, pads = s[len(s)-2:], dims(3)
		depthwise = !l.size(a[4].Int).is(1)
		layout(7)
		hwio = a[8].Text == "relay-kernel-layout-hwio"
	case "relay-max-pool2d", "relay-avg-pool2d":
		strides, pads = dims(2), dims(3)
		layout(4)
	case "relay-global-avg-pool2d":
		layout(1)
	default: // the systolic convolutions
		if !strings.HasPrefix(name, "systolic-array-conv2d") {
			fail(codeUnsupported, "the operator %s", name)
		}
		image, weights = 3, 2
		strides = []*Expr{l.size(a[6].Int), l.size(a[7].Int)}
		pads = []*Expr{zero, zero, zero, zero}
		if strings.Contains(name, "nhwc") {
			channel, space, hwio = 3, []int{1, 2}, true
		}
	}
	if hwio {
		outer, inner, kernel = 3, 2, []int{0, 1}
	}
	size := dims(image)
	if name == "relay-global-avg-pool2d" {
		window := []*Expr{size[space[0]], size[space[1]]}
		sum := l.reduce(foldSum, elem, window, func(in []*Expr) *term {
			at := slices.Clone(at)
			at[space[0]], at[space[1]] = in[0], in[1]
			return l.at(place{n: a[0]}, c, at)
		})
		return l.average(sum, b.Mul(size[space[0]], size[space[1]]))
	}
	m := len(space)
	start := func(i int) *Expr { return b.Sub(b.Mul(at[space[i]], strides[i]), pads[i]) }
	read := func(at, w []*Expr, out *term) *term { // at a place w of the window
		at = slices.Clone(at)
		var conds []*Expr
		for i, k := range space {
			at[k] = b.Add(start(i), w[i])
			if len(pads[i].terms) > 0 {
				conds = append(conds, at[k])
			}
			if len(pads[m+i].terms) > 0 {
				conds = append(conds, b.AddInt(b.Sub(size[k], at[k]), -1))
			}
		}
		return l.inside(c, conds, out, func(c *Context) *term {
			return l.at(place{n: a[image]}, c, at)
		})
	}
	switch name {
	case "relay-max-pool2d":
		low := l.nothing(foldMax, elem)
		return l.reduce(foldMax, elem, dims(1), func(w []*Expr) *term { return read(at, w, low) })
	case "relay-avg-pool2d":
		count, touches, padded := b.Const(1), true, false
		var first, extents []*Expr // of the part of the window inside the image
		for i, k := range space {
			w := dims(1)[i]
			lo, hi := start(i), b.Add(start(i), w)
			for _, side := range []*Expr{pads[i], pads[m+i]} {
				touches = touches && b.Nonneg(b.root, b.AddInt(b.Sub(w, side), -1))
				padded = padded || len(side.terms) > 0
			}
			if len(pads[i].terms) > 0 {
				lo = b.Max(c, lo, zero)
			}
			if len(pads[m+i].terms) > 0 {
				hi = b.Min(c, hi, size[k])
			}
			if !touches {
				hi = b.Max(c, hi, lo)
			}
			first, extents = append(first, lo), append(extents, b.Sub(hi, lo))
			count = b.Mul(count, extents[i])
		}
		zeros := elem.Kind == glenside.ElemFloat || elem.Kind == glenside.ElemAdaptive
		if padded && l.exact && zeros {
			// padding is left out of the sum: -0 + 0 is not -0
			if !touches {
				return l.opaque(p, name, at)
			}
			return l.average(l.reduce(foldSum, elem, extents, func(in []*Expr) *term {
				at := slices.Clone(at)
				for i, k := range space {
					at[k] = b.Add(first[i], in[i])
				}
				return l.at(place{n: a[image]}, c, at)
			}), count)
		}
		sum := l.reduce(foldSum, elem, dims(1), func(w []*Expr) *term {
			return read(at, w, l.int(elem, 0))
		})
		return l.average(sum, count)
	}
	w := dims(weights)
	extents := []*Expr{w[inner]}
	for _, k := range kernel {
		extents = append(extents, w[k])
	}
	return l.reduce(foldSum, elem, extents, func(in []*Expr) *term {
		pixel, weight := slices.Clone(at), make([]*Expr, len(at))
		if !depthwise {
			pixel[channel] = in[0]
		}
		weight[outer], weight[inner] = at[channel], in[0]
		for i, k := range kernel {
			weight[k] = in[1+i]
		}
		x := read(pixel, in[1:], l.int(elem, 0))
		return l.op2(opMul, x, l.at(place{n: a[weights]}, c, weight))
	})
}

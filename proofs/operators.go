package proofs

import (
	"slices"
	"strings"

	"tv/glenside"
	"tv/semantics/domain"
)

// An operation is a call that is asked for its element at an index.
type operation struct {
	l    *lowering
	p    place
	c    *Context
	at   []*Expr
	a    []*glenside.Node // operands
	ty   *glenside.Type
	elem domain.Elem
	zero *Expr
}

// call states the element of a call at an index: doc/operators.md, one case an operator.
func (l *lowering) call(p place, c *Context, at []*Expr) *term {
	o := &operation{l, p, c, at, p.n.Args, l.ty.Type(p.n), l.elemOf(l.typeOf(p)), l.b.Const(0)}
	if p.n.Op.Category == glenside.CatAccelerator && l.exact {
		return l.opaque(p, p.n.Op.Name, at) // the numerics of a machine
	}
	kind := strings.TrimPrefix(p.n.Op.Name, "relay-")
	for _, state := range []func(string) *term{o.moves, o.folds, o.scalar, o.layer} {
		if t := state(kind); t != nil {
			return t
		}
	}
	return l.image(p, c, at)
}

func (o *operation) arg(i int) place           { return place{n: o.a[i]} }
func (o *operation) x(i int, at []*Expr) *term { return o.l.at(o.arg(i), o.c, at) }
func (o *operation) split(i int) int           { return o.l.ty.Type(o.a[i]).Split }
func (o *operation) dims(i int) []*Expr        { return o.l.dims(o.l.ty.Type(o.a[i])) }
func (o *operation) apply(name string) func(*term) *term {
	return func(t *term) *term { return o.l.apply(t, name, t) }
}

// number is operand i, an integer without names.
func (o *operation) number(i int) int {
	v, _ := o.l.ty.Type(o.a[i]).Int.Int64()
	return int(v)
}

// axis is operand i, an axis that counts from the end where it is negative.
func (o *operation) axis(i, rank int) int {
	if k := o.number(i); k < 0 {
		return k + rank
	}
	return o.number(i)
}

// moved is the index with e on axis k, gap the index with one axis more, without with one less.
func (o *operation) moved(k int, e *Expr) []*Expr {
	in := slices.Clone(o.at)
	in[k] = e
	return in
}

func (o *operation) gap(k int) []*Expr { return slices.Insert(slices.Clone(o.at), k, o.zero) }

func (o *operation) without(k int) []*Expr { return slices.Delete(slices.Clone(o.at), k, k+1) }

// dropped is the index in a tensor that has these axes of size 1 as well.
func (o *operation) dropped(axes []int, rank int) []*Expr {
	in := slices.Clone(o.at)
	slices.Sort(axes)
	for _, k := range axes {
		in = slices.Insert(in, k, o.zero)
	}
	return in[:rank]
}

func (o *operation) permuted(list []domain.Size) *term {
	in := make([]*Expr, len(o.at))
	for i, s := range list {
		k, _ := s.Int64()
		in[k] = o.at[i]
	}
	return o.x(0, in)
}

// pieces are n tensors one after the other along an axis; e is the index on it.
func (o *operation) pieces(n int, e *Expr, size func(int) *Expr,
	item func(int, *Context, *Expr) *term) *term {
	b := o.l.b
	var pick func(i int, c *Context, e *Expr) *term
	pick = func(i int, c *Context, e *Expr) *term {
		if i == n-1 {
			return item(i, c, e)
		}
		d := size(i)
		return o.l.choose(c, b.AddInt(b.Sub(d, e), -1),
			func(c *Context) *term { return item(i, c, e) },
			func(c *Context) *term { return pick(i+1, c, b.Sub(e, d)) })
	}
	return pick(0, o.c, e)
}

// stack has n operands side by side on axis k.
func (o *operation) stack(k, n int, index func(int) []*Expr) *term {
	return o.pieces(n, o.at[k], func(int) *Expr { return o.l.b.Const(1) },
		func(i int, c *Context, _ *Expr) *term { return o.l.at(o.arg(i), c, index(i)) })
}

// concat has parts one after the other on axis k.
func (o *operation) concat(k int, parts []place) *term {
	return o.pieces(len(parts), o.at[k],
		func(i int) *Expr { return o.l.dims(o.l.typeOf(parts[i]))[k] },
		func(i int, c *Context, e *Expr) *term { return o.l.at(parts[i], c, o.moved(k, e)) })
}

// pad has places before and after each axis of operand 0, where the element is out.
func (o *operation) pad(pads [][2]*Expr, out *term) *term {
	b := o.l.b
	in := slices.Clone(o.at)
	var conds []*Expr
	for i, w := range pads {
		in[i] = b.Sub(o.at[i], w[0])
		if len(w[0].terms) > 0 {
			conds = append(conds, in[i])
		}
		if len(w[1].terms) > 0 {
			conds = append(conds, b.AddInt(b.Sub(o.dims(0)[i], in[i]), -1))
		}
	}
	return o.l.inside(o.c, conds, out, func(c *Context) *term { return o.l.at(o.arg(0), c, in) })
}

// foldRest folds operand i over its dims from axis k on, at having the dims before.
func (o *operation) foldRest(f fold, i, k int, at []*Expr) *term {
	l := o.l
	rest := func(rest []*Expr, whole func([]*Expr) []*Expr) *term {
		return l.reduce(f, o.elem, rest, func(in []*Expr) *term {
			return o.x(i, append(slices.Clip(at[:k]), whole(in)...))
		})
	}
	d := o.dims(i)[k:]
	j, m := l.sides(o.a[i])
	if j -= k; j < 0 || m > maxUnroll || l.exact { // one fold
		return rest(d, func(in []*Expr) []*Expr { return in })
	}
	return l.chain(f, o.elem, m, func(side int64) *term { // one for each operand side by side
		return rest(slices.Delete(slices.Clone(d), j, j+1), func(in []*Expr) []*Expr {
			return slices.Insert(slices.Clone(in), j, l.b.Const(side))
		})
	})
}

// along folds operand i along axis k, each element given to g first.
func (o *operation) along(f fold, i, k int, from *Expr, g func(*term) *term) *term {
	b := o.l.b
	d := b.Sub(o.dims(i)[k], from)
	return o.l.reduce(f, o.elem, []*Expr{d}, func(in []*Expr) *term {
		return g(o.x(i, o.moved(k, b.Add(in[0], from))))
	})
}

func same(t *term) *term { return t }

func (o *operation) expSum(k int) *term {
	return o.along(foldSum, 0, k, o.zero, o.apply("exp"))
}

// dense sums x[... i k]·w[... j k], or w[k j].
func (o *operation) dense(i, j int, transposed bool) *term {
	r := len(o.at) - 1
	k := o.dims(i)[len(o.dims(i))-1]
	return o.l.reduce(foldSum, o.elem, []*Expr{k}, func(in []*Expr) *term {
		w := append(slices.Clone(o.at[:max(r-1, 0)]), o.at[r], in[0])
		if !transposed {
			w = []*Expr{in[0], o.at[r]}
		}
		return o.l.op2(opMul, o.x(i, append(slices.Clone(o.at[:r]), in[0])), o.x(j, w))
	})
}

func (o *operation) normalise(x, mean, variance, epsilon, gamma, beta *term) *term {
	l := o.l
	root := l.apply(x, "sqrt", l.op2(opAdd, variance, epsilon))
	return l.op2(opAdd, l.op2(opMul, l.op2(opDiv, l.sub(x, mean), root), gamma), beta)
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
		zeros := elem.Kind == domain.ElemFloat || elem.Kind == domain.ElemAdaptive
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

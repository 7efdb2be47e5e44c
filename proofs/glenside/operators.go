package glenside

import (
	"math/big"
	"slices"
	"strings"

	"tv/glenside"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// An operation is a call that is asked for its element at an index.
type operation struct {
	l    *lowering
	p    place
	c    *context
	at   []*expr
	a    []*glenside.Node // operands
	ty   *glenside.Type
	elem domain.Elem
	zero *expr
}

// call states the element of a call at an index: doc/operators.md, one case an operator.
func (l *lowering) call(p place, c *context, at []*expr) *scalar {
	o := l.operation(p, c, at)
	if p.n.Op.Category == glenside.CatAccelerator && !o.idealised() {
		return l.opaque(p, p.n.Op.Name, at) // the numerics of a machine
	}
	kind := strings.TrimPrefix(p.n.Op.Name, "relay-")
	for _, state := range []func(string) *scalar{o.moves, o.folds, o.scalar, o.layer} {
		if t := state(kind); t != nil {
			return t
		}
	}
	return l.image(p, c, at)
}

func (l *lowering) operation(p place, c *context, at []*expr) *operation {
	elem := l.Elem(l.typeOf(p).Elem)
	return &operation{l, p, c, at, p.n.Args, l.ty.Type(p.n), elem, l.B.Const(0)}
}

// idealised reports whether an accelerator call has its ideal meaning, on real numbers alone.
func (o *operation) idealised() bool {
	return !slices.ContainsFunc(o.a, func(n *glenside.Node) bool {
		t := o.l.ty.Type(n)
		return t.Kind <= glenside.TypeTensor && o.l.Arith.Bits(t.Elem)
	})
}

func (o *operation) arg(i int) place             { return place{n: o.a[i]} }
func (o *operation) x(i int, at []*expr) *scalar { return o.l.at(o.arg(i), o.c, at) }
func (o *operation) split(i int) int             { return o.l.ty.Type(o.a[i]).Split }
func (o *operation) dims(i int) []*expr          { return o.l.dims(o.l.ty.Type(o.a[i])) }
func (o *operation) apply(name string) func(*scalar) *scalar {
	return func(t *scalar) *scalar { return o.l.Apply(t, name, t) }
}

// number is operand i, an integer without names.
func (o *operation) number(i int) int { return o.l.number(o.a[i]) }

func (l *lowering) number(n *glenside.Node) int {
	v, _ := l.ty.Type(n).Int.Int64()
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
func (o *operation) moved(k int, e *expr) []*expr {
	in := slices.Clone(o.at)
	in[k] = e
	return in
}

func (o *operation) gap(k int) []*expr { return slices.Insert(slices.Clone(o.at), k, o.zero) }

func (o *operation) without(k int) []*expr { return slices.Delete(slices.Clone(o.at), k, k+1) }

// dropped is the index in a tensor that has these axes of size 1 as well.
func (o *operation) dropped(axes []int, rank int) []*expr {
	in := slices.Clone(o.at)
	slices.Sort(axes)
	for _, k := range axes {
		in = slices.Insert(in, k, o.zero)
	}
	return in[:rank]
}

func (o *operation) permuted(list []domain.Size) *scalar {
	in := make([]*expr, len(o.at))
	for i, s := range list {
		k, _ := s.Int64()
		in[k] = o.at[i]
	}
	return o.x(0, in)
}

// pieces are n tensors one after the other along an axis; e is the index on it.
func (o *operation) pieces(n int, e *expr, size func(int) *expr,
	item func(int, *context, *expr) *scalar) *scalar {
	b := o.l.B
	var pick func(i int, c *context, e *expr) *scalar
	pick = func(i int, c *context, e *expr) *scalar {
		if i == n-1 {
			return item(i, c, e)
		}
		d := size(i)
		return o.l.Choose(c, b.AddInt(b.Sub(d, e), -1),
			func(c *context) *scalar { return item(i, c, e) },
			func(c *context) *scalar { return pick(i+1, c, b.Sub(e, d)) })
	}
	return pick(0, o.c, e)
}

// stack has n operands side by side on axis k.
func (o *operation) stack(k, n int, index func(int) []*expr) *scalar {
	return o.pieces(n, o.at[k], func(int) *expr { return o.l.B.Const(1) },
		func(i int, c *context, _ *expr) *scalar { return o.l.at(o.arg(i), c, index(i)) })
}

// manyParts is how many parts are told apart one after the other: of more, the halves are told
// apart first, as each part is asked for under all conditions before it.
const manyParts = 16

// concat has parts one after the other on axis k.
func (o *operation) concat(k int, parts []place) *scalar {
	b := o.l.B
	size := func(i int) *expr { return o.l.dims(o.l.typeOf(parts[i]))[k] }
	item := func(i int, c *context, e *expr) *scalar {
		return o.l.at(parts[i], c, o.moved(k, e))
	}
	if len(parts) <= manyParts {
		return o.pieces(len(parts), o.at[k], size, item)
	}
	from := o.l.starts(o.p.n, parts, size)
	var among func(c *context, i, j int) *scalar // parts i to j-1
	among = func(c *context, i, j int) *scalar {
		if j == i+1 {
			return item(i, c, b.Sub(o.at[k], from[i]))
		}
		m := (i + j) / 2
		return o.l.Choose(c, b.AddInt(b.Sub(from[m], o.at[k]), -1),
			func(c *context) *scalar { return among(c, i, m) },
			func(c *context) *scalar { return among(c, m, j) })
	}
	return among(o.c, 0, len(parts))
}

// starts returns where the parts of a node begin.
func (l *lowering) starts(n *glenside.Node, parts []place, size func(int) *expr) []*expr {
	from, known := l.begins[n]
	if !known {
		from = []*expr{l.B.Const(0)}
		for i := range parts[1:] {
			from = append(from, l.B.Add(from[i], size(i)))
		}
		l.begins[n] = from
	}
	return from
}

// parts returns what n concatenates on an axis: its operands or, where there are many, theirs.
func (l *lowering) parts(n *glenside.Node, axis int) []place {
	if known := l.joined[n]; known != nil {
		return known
	}
	var all []place // the last first
	for x := n; ; x = x.Args[0] {
		_, cut := l.cuts[part{node: x.ID}]
		same := x.Kind == glenside.KindCall && x.Op == n.Op && l.number(x.Args[2]) == axis
		if x != n && (cut || !same) {
			all = append(all, place{n: x})
			break
		}
		all = append(all, place{n: x.Args[1]})
	}
	slices.Reverse(all)
	if len(all) <= manyParts {
		all = []place{{n: n.Args[0]}, {n: n.Args[1]}}
	}
	l.joined[n] = all
	return all
}

// pad has places before and after each axis of operand 0, where the element is out.
func (o *operation) pad(pads [][2]*expr, out *scalar) *scalar {
	b := o.l.B
	in := slices.Clone(o.at)
	var conds []*expr
	for i, w := range pads {
		in[i] = b.Sub(o.at[i], w[0])
		if !w[0].Is(0) {
			conds = append(conds, in[i])
		}
		if !w[1].Is(0) {
			conds = append(conds, b.AddInt(b.Sub(o.dims(0)[i], in[i]), -1))
		}
	}
	return o.l.Inside(o.c, conds, out, func(c *context) *scalar { return o.l.at(o.arg(0), c, in) })
}

// foldRest folds operand i over its dims from axis k on, at having the dims before.
func (o *operation) foldRest(f algebra.Fold, i, k int, at []*expr) *scalar {
	l := o.l
	rest := func(rest []*expr, whole func([]*expr) []*expr) *scalar {
		return l.Reduce(f, o.elem, rest, func(in []*expr) *scalar {
			return o.x(i, append(slices.Clip(at[:k]), whole(in)...))
		})
	}
	d := o.dims(i)[k:]
	j, m := l.sides(o.a[i])
	if j -= k; j < 0 || m > algebra.MaxUnroll || !algebra.IsReal(o.elem) { // one fold
		return rest(d, func(in []*expr) []*expr { return in })
	}
	return l.Chain(f, o.elem, m, func(side int64) *scalar { // one for each operand side by side
		return rest(slices.Delete(slices.Clone(d), j, j+1), func(in []*expr) []*expr {
			return slices.Insert(slices.Clone(in), j, l.B.Const(side))
		})
	})
}

// along folds operand i along axis k, each element given to g first.
func (o *operation) along(f algebra.Fold, i, k int, from *expr, g func(*scalar) *scalar) *scalar {
	b := o.l.B
	d := b.Sub(o.dims(i)[k], from)
	return o.l.Reduce(f, o.elem, []*expr{d}, func(in []*expr) *scalar {
		return g(o.x(i, o.moved(k, b.Add(in[0], from))))
	})
}

func same(t *scalar) *scalar { return t }

func (o *operation) expSum(k int) *scalar {
	return o.along(algebra.FoldSum, 0, k, o.zero, o.apply("exp"))
}

// dense sums x[... i k]·w[... j k], or w[k j].
func (o *operation) dense(i, j int, transposed bool) *scalar {
	r := len(o.at) - 1
	k := o.dims(i)[len(o.dims(i))-1]
	return o.l.Reduce(algebra.FoldSum, o.elem, []*expr{k}, func(in []*expr) *scalar {
		w := append(slices.Clone(o.at[:max(r-1, 0)]), o.at[r], in[0])
		if !transposed {
			w = []*expr{in[0], o.at[r]}
		}
		return o.l.Op2(algebra.OpMul, o.x(i, append(slices.Clone(o.at[:r]), in[0])), o.x(j, w))
	})
}

func (o *operation) normalise(x, mean, variance, epsilon, gamma, beta *scalar) *scalar {
	l := o.l
	root := l.Apply(x, "sqrt", l.Op2(algebra.OpAdd, variance, epsilon))
	scaled := l.Op2(algebra.OpMul, l.Op2(algebra.OpDiv, l.Sub(x, mean), root), gamma)
	return l.Op2(algebra.OpAdd, scaled, beta)
}

// normaliseRows takes mean and variance over the last axis.
func (o *operation) normaliseRows(epsilon *big.Rat) *scalar {
	l, k := o.l, len(o.at)-1
	mean := func() *scalar {
		return l.Average(o.along(algebra.FoldSum, 0, k, o.zero, same), o.dims(0)[k])
	}
	square := func(t *scalar) *scalar {
		d := l.Sub(t, mean())
		return l.Op2(algebra.OpMul, d, d)
	}
	variance := l.Average(o.along(algebra.FoldSum, 0, k, o.zero, square), o.dims(0)[k])
	return o.normalise(o.x(0, o.at), mean(), variance, l.Constant(o.elem, epsilon),
		o.x(1, o.at[k:]), o.x(2, o.at[k:]))
}

// attention sums the rows of operand 0, each by its share among the exponentials of its products
// with operand 1.
func (o *operation) attention() *scalar {
	l, m := o.l, o.dims(0)
	weight := func(t *expr) *scalar {
		return o.apply("exp")(l.Reduce(algebra.FoldSum, o.elem, m[1:], func(in []*expr) *scalar {
			return l.Op2(algebra.OpMul, o.x(0, []*expr{t, in[0]}), o.x(1, in))
		}))
	}
	sum := func(f func(t *expr) *scalar) *scalar {
		return l.Reduce(algebra.FoldSum, o.elem, m[:1], func(in []*expr) *scalar {
			return f(in[0])
		})
	}
	return sum(func(t *expr) *scalar {
		share := l.Op2(algebra.OpDiv, weight(t), sum(weight))
		return l.Op2(algebra.OpMul, share, o.x(0, []*expr{t, o.at[0]}))
	})
}

func (o *operation) sigmoid(t *scalar) *scalar {
	l, one := o.l, o.l.Int(o.elem, 1)
	return l.Op2(algebra.OpDiv, one, l.Op2(algebra.OpAdd, one, l.Apply(t, "exp", l.Neg(t))))
}

func (o *operation) tanh(t *scalar) *scalar {
	l, one, two := o.l, o.l.Int(o.elem, 1), o.l.Int(o.elem, 2)
	e := o.apply("exp")(l.Op2(algebra.OpMul, two, t))
	return l.Sub(one, l.Op2(algebra.OpDiv, two, l.Op2(algebra.OpAdd, e, one)))
}

// image states the element of a convolution or a pool.
func (l *lowering) image(p place, c *context, at []*expr) *scalar {
	b, a, name := l.B, p.n.Args, p.n.Op.Name
	elem := l.Elem(l.typeOf(p).Elem)
	zero := b.Const(0)
	dims := func(i int) []*expr { return l.dims(l.ty.Type(a[i])) }
	channel, space := 1, []int{2, 3}          // of images
	outer, inner, kernel := 0, 1, []int{2, 3} // of weights
	image, weights := 0, 1
	var strides, pads []*expr // pads: before each axis, then after each
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
		depthwise = !l.Size(a[4].Int).Is(1)
		layout(7)
		hwio = a[8].Text == "relay-kernel-layout-hwio"
	case "relay-max-pool2d", "relay-avg-pool2d":
		strides, pads = dims(2), dims(3)
		layout(4)
	case "relay-global-avg-pool2d":
		layout(1)
	default: // the systolic convolutions
		if !strings.HasPrefix(name, "systolic-array-conv2d") {
			algebra.Fail(algebra.CodeUnsupported, "the operator %s", name)
		}
		image, weights = 3, 2
		strides = []*expr{l.Size(a[6].Int), l.Size(a[7].Int)}
		pads = []*expr{zero, zero, zero, zero}
		if strings.Contains(name, "nhwc") {
			channel, space, hwio = 3, []int{1, 2}, true
		}
	}
	if hwio {
		outer, inner, kernel = 3, 2, []int{0, 1}
	}
	size := dims(image)
	if name == "relay-global-avg-pool2d" {
		window := []*expr{size[space[0]], size[space[1]]}
		sum := l.Reduce(algebra.FoldSum, elem, window, func(in []*expr) *scalar {
			at := slices.Clone(at)
			at[space[0]], at[space[1]] = in[0], in[1]
			return l.at(place{n: a[0]}, c, at)
		})
		return l.Average(sum, b.Mul(size[space[0]], size[space[1]]))
	}
	m := len(space)
	start := func(i int) *expr { return b.Sub(b.Mul(at[space[i]], strides[i]), pads[i]) }
	read := func(at, w []*expr, out *scalar) *scalar { // at a place w of the window
		at = slices.Clone(at)
		var conds []*expr
		for i, k := range space {
			at[k] = b.Add(start(i), w[i])
			if !pads[i].Is(0) {
				conds = append(conds, at[k])
			}
			if !pads[m+i].Is(0) {
				conds = append(conds, b.AddInt(b.Sub(size[k], at[k]), -1))
			}
		}
		return l.Inside(c, conds, out, func(c *context) *scalar {
			return l.at(place{n: a[image]}, c, at)
		})
	}
	switch name {
	case "relay-max-pool2d":
		low := l.Nothing(algebra.FoldMax, elem)
		return l.Reduce(algebra.FoldMax, elem, dims(1), func(w []*expr) *scalar {
			return read(at, w, low)
		})
	case "relay-avg-pool2d":
		count, touches, padded := b.Const(1), true, false
		var first, extents []*expr // of the part of the window inside the image
		for i, k := range space {
			w := dims(1)[i]
			lo, hi := start(i), b.Add(start(i), w)
			for _, side := range []*expr{pads[i], pads[m+i]} {
				touches = touches && b.Nonneg(b.Root, b.AddInt(b.Sub(w, side), -1))
				padded = padded || !side.Is(0)
			}
			if !pads[i].Is(0) {
				lo = b.Max(c, lo, zero)
			}
			if !pads[m+i].Is(0) {
				hi = b.Min(c, hi, size[k])
			}
			if !touches {
				hi = b.Max(c, hi, lo)
			}
			first, extents = append(first, lo), append(extents, b.Sub(hi, lo))
			count = b.Mul(count, extents[i])
		}
		zeros := elem.Kind == domain.ElemFloat || elem.Kind == domain.ElemAdaptive
		if padded && !algebra.IsReal(elem) && zeros {
			// padding is left out of the sum: -0 + 0 is not -0
			if !touches {
				return l.opaque(p, name, at)
			}
			return l.Average(l.Reduce(algebra.FoldSum, elem, extents, func(in []*expr) *scalar {
				at := slices.Clone(at)
				for i, k := range space {
					at[k] = b.Add(first[i], in[i])
				}
				return l.at(place{n: a[image]}, c, at)
			}), count)
		}
		sum := l.Reduce(algebra.FoldSum, elem, dims(1), func(w []*expr) *scalar {
			return read(at, w, l.Int(elem, 0))
		})
		return l.Average(sum, count)
	}
	w := dims(weights)
	extents := []*expr{w[inner]}
	for _, k := range kernel {
		extents = append(extents, w[k])
	}
	return l.Reduce(algebra.FoldSum, elem, extents, func(in []*expr) *scalar {
		pixel, weight := slices.Clone(at), make([]*expr, len(at))
		if !depthwise {
			pixel[channel] = in[0]
		}
		weight[outer], weight[inner] = at[channel], in[0]
		for i, k := range kernel {
			weight[k] = in[1+i]
		}
		x := read(pixel, in[1:], l.Int(elem, 0))
		return l.Op2(algebra.OpMul, x, l.at(place{n: a[weights]}, c, weight))
	})
}

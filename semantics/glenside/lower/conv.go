package lower

import (
	"math/big"

	"tv/glenside"
	"tv/semantics/index"
	"tv/semantics/term"
)

// A layout says which axis is which: of images outer is the batch, of weights the output channel.
type layout struct {
	outer, channel int
	space          []int
}

var (
	ncw  = layout{0, 1, []int{2}} // weights: oiw
	nchw = layout{0, 1, []int{2, 3}}
	nhwc = layout{0, 3, []int{1, 2}}
	oihw = nchw
	hwio = layout{3, 2, []int{0, 1}}
)

func imageLayout(n *glenside.Node) layout {
	if n.Text == "relay-activation-layout-nhwc" {
		return nhwc
	}
	return nchw
}

func kernelLayout(n *glenside.Node) layout {
	if n.Text == "relay-kernel-layout-hwio" {
		return hwio
	}
	return oihw
}

// A slide is a window that moves over an axis: at place i it covers i·stride - before and what follows.
type slide struct {
	window, stride *index.Expr
	padding
}

// A sliding is an image with windows that move over its spatial axes.
type sliding struct {
	l      *lowering
	x      *array
	image  layout
	slides []slide
}

// over returns the windows over height and width; amounts are (top left bottom right).
func (l *lowering) over(x *array, image layout, windows, strides, amounts []*index.Expr) sliding {
	s := sliding{l, x, image, make([]slide, 2)}
	for i := range s.slides {
		s.slides[i] = slide{windows[i], strides[i], padding{amounts[i], amounts[i+2]}}
	}
	return s
}

// start returns where on spatial axis i the window for the output at an index begins: in the padding,
// where that is negative.
func (s sliding) start(i int, at []*index.Expr) *index.Expr {
	w := s.slides[i]
	return s.l.x.Sub(s.l.x.Mul(at[s.image.space[i]], w.stride), w.before)
}

// read returns the element of the image at a place in the windows for the output at an index, and
// outside where that is in the padding. Batch and channel are those of the output, but for a channel
// that is given.
func (s sliding) read(ctx *index.Context, at, place []*index.Expr, channel *index.Expr,
	outside *term.Term) *term.Term {
	in := s.l.vector(len(at))
	copy(in, at)
	if channel != nil {
		in[s.image.channel] = channel
	}
	var conds []*index.Expr
	for i, a := range s.image.space {
		pos := s.l.x.Add(s.start(i, at), place[i])
		conds = append(conds, s.l.inside(s.slides[i].padding, pos, s.x.dims[a])...)
		in[a] = s.l.on(s.x.dims[a], pos)
	}
	return s.l.within(ctx, conds, outside, func(ctx *index.Context) *term.Term { return s.x.elem(ctx, in) })
}

// --- convolutions ---

// A convolution is one of images with weights.
type convolution struct {
	sliding
	w         *array
	kernel    layout
	depthwise bool // output channel o reads channel o alone
}

// convolve: out[n o i...] = sum over c, p... of x'[n c i·stride+p...] · w[o c p...], x' being x padded
// with zeros. The sum runs over the channels, then over the rows and columns of the weights, pads
// included.
func (l *lowering) convolve(n *glenside.Node, c convolution) meaning {
	dims := l.vector(1 + len(c.slides))
	dims[0] = c.w.dims[c.kernel.channel]
	for i, a := range c.kernel.space {
		dims[1+i] = c.w.dims[a]
	}
	zero := l.b.Int(c.x.sort, 0)
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.vector(len(dims)) // the channel and the place in the kernel
		return l.reduce(term.Sum, c.x.sort, dims, in, func() *term.Term {
			channel := in[0]
			if c.depthwise {
				channel = nil
			}
			return l.b.Mul(c.read(ctx, at, in[1:], channel, zero), c.weight(ctx, at, in))
		})
	})
}

// weight returns the weight for the output at an index, of a channel and a place in the kernel.
func (c convolution) weight(ctx *index.Context, at, in []*index.Expr) *term.Term {
	w := c.l.vector(len(at))
	w[c.kernel.outer], w[c.kernel.channel] = at[c.image.channel], in[0]
	for i, a := range c.kernel.space {
		w[a] = in[1+i]
	}
	return c.w.elem(ctx, w)
}

func lowerConv1d(l *lowering, n *glenside.Node) meaning {
	x, w := l.array(n.Args[0]), l.array(n.Args[1])
	amounts := l.dims(l.ty.Type(n.Args[3]).Dims)
	stride := l.size(l.ty.Type(n.Args[2]).Dims[0])
	only := slide{w.dims[2], stride, padding{amounts[0], amounts[1]}}
	return l.convolve(n, convolution{sliding: sliding{l, x, ncw, []slide{only}}, w: w, kernel: ncw})
}

// conv2d lowers the operands of relay-conv2d; of three strides the first is that of the channels.
func (l *lowering) conv2d(n *glenside.Node) meaning {
	x, w, kernel := l.array(n.Args[0]), l.array(n.Args[1]), kernelLayout(n.Args[8])
	strides := l.dims(l.ty.Type(n.Args[2]).Dims)
	windows := []*index.Expr{w.dims[kernel.space[0]], w.dims[kernel.space[1]]}
	amounts := l.dims(l.ty.Type(n.Args[3]).Dims)
	s := l.over(x, imageLayout(n.Args[7]), windows, strides[len(strides)-2:], amounts)
	return l.convolve(n, convolution{s, w, kernel, !isOne(l.size(n.Args[4].Int))})
}

// --- pools ---

func (l *lowering) pool(n *glenside.Node) sliding {
	sizes := func(i int) []*index.Expr { return l.dims(l.ty.Type(n.Args[i]).Dims) }
	return l.over(l.array(n.Args[0]), imageLayout(n.Args[4]), sizes(1), sizes(2), sizes(3))
}

// fold returns the fold over the windows for the output at an index, with outside in the padding.
func (s sliding) fold(ctx *index.Context, f term.Fold, at []*index.Expr, outside *term.Term) *term.Term {
	dims := []*index.Expr{s.slides[0].window, s.slides[1].window}
	place := s.l.vector(2)
	return s.l.reduce(f, s.x.sort, dims, place, func() *term.Term {
		return s.read(ctx, at, place, nil, outside)
	})
}

func lowerMaxPool(l *lowering, n *glenside.Node) meaning {
	s := l.pool(n)
	lowest := l.b.Lowest(s.x.sort)
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return s.fold(ctx, term.Maximum, at, lowest)
	})
}

// lowerAvgPool: the mean of what is not in the padding. In the reals the padding is added as zeros; in
// exact arithmetic, where -0 + 0 is not -0, the sum runs over the part of the windows within the image.
func lowerAvgPool(l *lowering, n *glenside.Node) meaning {
	s := l.pool(n)
	zero := l.b.Int(s.x.sort, 0)
	padded := false
	for _, w := range s.slides {
		padded = padded || !w.before.IsZero() || !w.after.IsZero()
	}
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		low, high := s.covered(ctx, at)
		count := l.x.Const(1)
		for i := range low {
			count = l.x.Mul(count, l.x.Sub(high[i], low[i]))
		}
		if s.x.sort.Kind == term.Real || !padded {
			return l.average(s.fold(ctx, term.Sum, at, zero), count)
		}
		in := l.vector(len(at))
		copy(in, at)
		var vars []*index.Atom
		for i, a := range s.image.space {
			v := l.x.NewVar("k", low[i], high[i])
			vars = append(vars, v)
			in[a] = l.on(s.x.dims[a], v.Expr())
		}
		return l.average(l.b.Reduce(term.Sum, vars, s.x.elem(ctx, in)), count)
	})
}

// covered returns the ranges of positions within the image that the windows for the output at an index
// cover.
func (s sliding) covered(ctx *index.Context, at []*index.Expr) (low, high []*index.Expr) {
	x := s.l.x
	for i, w := range s.slides {
		from := s.start(i, at)
		to := x.Add(from, w.window)
		if !w.before.IsZero() {
			from = x.Max(ctx, from, s.l.zero)
		}
		if !w.after.IsZero() {
			to = x.Min(ctx, to, s.x.dims[s.image.space[i]])
		}
		if !s.l.touches(w) {
			to = x.Max(ctx, to, from)
		}
		low, high = append(low, from), append(high, to)
	}
	return low, high
}

// touches reports whether every window is known to cover a place that is not in the padding.
func (l *lowering) touches(s slide) bool {
	most := l.x.AddInt(s.window, -1)
	return l.x.Nonneg(l.x.Root(), l.x.Sub(most, s.before)) && l.x.Nonneg(l.x.Root(), l.x.Sub(most, s.after))
}

func lowerGlobalAvgPool(l *lowering, n *glenside.Node) meaning {
	x, image := l.array(n.Args[0]), imageLayout(n.Args[1])
	count := l.x.Mul(x.dims[image.space[0]], x.dims[image.space[1]])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.vector(len(at))
		copy(in, at)
		for _, a := range image.space {
			in[a] = nil
		}
		sum := l.reduce(term.Sum, x.sort, x.dims, in, func() *term.Term { return x.elem(ctx, in) })
		return l.average(sum, count)
	})
}

// lowerUpsampling: out[n c i j] = x[n c i' j'] with i' = i / height and j' = j / width, rounded down.
func lowerUpsampling(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	factors := make([]*big.Rat, 2)
	for i := range factors {
		factors[i], _ = glenside.ParseDecimal(n.Args[1+i].Text)
	}
	return l.view(n, x, func(ctx *index.Context, at []*index.Expr) []*index.Expr {
		in := l.vector(len(at))
		copy(in, at)
		for i, f := range factors {
			a := 2 + i
			scaled := l.x.Scale(index.BigNum(f.Denom()), at[a])
			in[a] = l.on(x.dims[a], l.x.Div(ctx, scaled, l.x.Num(index.BigNum(f.Num()))))
		}
		return in
	})
}

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

// slides returns the slides over height and width; amounts are (top left bottom right).
func (l *lowering) slides(windows, strides, amounts []*index.Expr) []slide {
	out := make([]slide, 2)
	for i := range out {
		out[i] = slide{windows[i], strides[i], padding{amounts[i], amounts[i+2]}}
	}
	return out
}

// start returns where the window at place i begins: in the padding, where that is negative.
func (l *lowering) start(s slide, i *index.Expr) *index.Expr {
	return l.x.Sub(l.x.Mul(i, s.stride), s.before)
}

// A convolution is one of images with weights.
type convolution struct {
	x, w          *array
	image, kernel layout
	slides        []slide
	depthwise     bool // output channel o reads channel o alone
}

// convolve: out[n o i...] = sum over c, p... of x'[n c i·stride+p...] · w[o c p...], x' being x padded with zeros.
// The sum runs over the channels, then over the rows and columns of the weights, pads included.
func (l *lowering) convolve(n *glenside.Node, c convolution) value {
	dims := l.vector(1 + len(c.slides))
	dims[0] = c.w.dims[c.kernel.channel]
	for i, a := range c.kernel.space {
		dims[1+i] = c.w.dims[a]
	}
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.vector(len(dims))
		return l.reduce(term.Sum, c.x.sort, dims, in, func() *term.Term {
			return l.b.Mul(l.pixel(ctx, c, at, in), l.weight(ctx, c, at, in))
		})
	})
}

// weight returns the weight for the output at an index and in = (channel, place in the kernel).
func (l *lowering) weight(ctx *index.Context, c convolution, at, in []*index.Expr) *term.Term {
	w := l.vector(len(at))
	w[c.kernel.outer], w[c.kernel.channel] = at[c.image.channel], in[0]
	for i, a := range c.kernel.space {
		w[a] = in[1+i]
	}
	return c.w.elem(ctx, w)
}

// pixel returns the element of the padded image that the weight is multiplied with.
func (l *lowering) pixel(ctx *index.Context, c convolution, at, in []*index.Expr) *term.Term {
	x := l.vector(len(at))
	x[c.image.outer], x[c.image.channel] = at[c.image.outer], in[0]
	if c.depthwise {
		x[c.image.channel] = at[c.image.channel]
	}
	return l.slid(ctx, c.x, c.image, c.slides, x, at, in[1:], l.b.Int(c.x.sort, 0))
}

// slid returns the element of x, padded with outside, at a place in the windows for the output at an index. The
// rest of the index is in at already.
func (l *lowering) slid(ctx *index.Context, x *array, image layout, slides []slide, at, out, place []*index.Expr,
	outside *term.Term) *term.Term {
	var conds []*index.Expr
	for i, a := range image.space {
		pos := l.x.Add(l.start(slides[i], out[a]), place[i])
		conds = append(conds, l.inside(slides[i].padding, pos, x.dims[a])...)
		at[a] = l.on(x.dims[a], pos)
	}
	return l.within(ctx, conds, outside, func(ctx *index.Context) *term.Term { return x.elem(ctx, at) })
}

func lowerConv1d(l *lowering, n *glenside.Node) value {
	x, w := l.array(n.Args[0]), l.array(n.Args[1])
	amounts := l.dims(l.ty.Type(n.Args[3]).Dims)
	stride := l.size(l.ty.Type(n.Args[2]).Dims[0])
	return l.convolve(n, convolution{x: x, w: w, image: ncw, kernel: ncw,
		slides: []slide{{w.dims[2], stride, padding{amounts[0], amounts[1]}}}})
}

// conv2d lowers the operands of relay-conv2d; of three strides the first is that of the channels.
func (l *lowering) conv2d(n *glenside.Node) value {
	c := convolution{x: l.array(n.Args[0]), w: l.array(n.Args[1]),
		image: imageLayout(n.Args[7]), kernel: kernelLayout(n.Args[8])}
	strides := l.dims(l.ty.Type(n.Args[2]).Dims)
	windows := []*index.Expr{c.w.dims[c.kernel.space[0]], c.w.dims[c.kernel.space[1]]}
	c.slides = l.slides(windows, strides[len(strides)-2:], l.dims(l.ty.Type(n.Args[3]).Dims))
	c.depthwise = !isOne(l.size(n.Args[4].Int))
	return l.convolve(n, c)
}

// --- pools ---

// A pool takes windows of images.
type pool struct {
	x      *array
	image  layout
	slides []slide
}

func (l *lowering) pool(n *glenside.Node) pool {
	sizes := func(i int) []*index.Expr { return l.dims(l.ty.Type(n.Args[i]).Dims) }
	return pool{l.array(n.Args[0]), imageLayout(n.Args[4]), l.slides(sizes(1), sizes(2), sizes(3))}
}

// reduce returns the fold over the windows for the output at an index, with outside in the padding.
func (p pool) reduce(l *lowering, ctx *index.Context, f term.Fold, at []*index.Expr, outside *term.Term) *term.Term {
	dims := []*index.Expr{p.slides[0].window, p.slides[1].window}
	place := l.vector(2)
	return l.reduce(f, p.x.sort, dims, place, func() *term.Term {
		in := l.vector(len(at))
		copy(in, at)
		return l.slid(ctx, p.x, p.image, p.slides, in, at, place, outside)
	})
}

func lowerMaxPool(l *lowering, n *glenside.Node) value {
	p := l.pool(n)
	lowest := l.b.Lowest(p.x.sort)
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return p.reduce(l, ctx, term.Maximum, at, lowest)
	})
}

// lowerAvgPool: the mean of what is not in the padding. In the reals the padding is added as zeros; in exact
// arithmetic, where -0 + 0 is not -0, the sum runs over the part of the window within the image.
func lowerAvgPool(l *lowering, n *glenside.Node) value {
	p := l.pool(n)
	zero := l.b.Int(p.x.sort, 0)
	padded := false
	for _, s := range p.slides {
		padded = padded || !s.before.IsZero() || !s.after.IsZero()
	}
	full := l.x.Mul(p.slides[0].window, p.slides[1].window)
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		if !padded {
			return l.average(p.reduce(l, ctx, term.Sum, at, zero), full)
		}
		in := l.vector(len(at))
		copy(in, at)
		var vars []*index.Atom
		count := l.x.Const(1)
		for i, a := range p.image.space {
			s, size := p.slides[i], p.x.dims[a]
			start := l.start(s, at[a])
			low := l.x.Max(ctx, start, l.zero)
			high := l.x.Min(ctx, l.x.Add(start, s.window), size)
			if !l.touches(s) {
				high = l.x.Max(ctx, high, low)
			}
			count = l.x.Mul(count, l.x.Sub(high, low))
			v := l.x.NewVar("k", low, high)
			vars = append(vars, v)
			in[a] = l.on(size, v.Expr())
		}
		var sum *term.Term
		if l.opts.Exact {
			sum = l.b.Reduce(term.Sum, vars, p.x.elem(ctx, in))
		} else {
			sum = p.reduce(l, ctx, term.Sum, at, zero)
		}
		return l.average(sum, count)
	})
}

// touches reports whether every window is known to cover a place that is not in the padding.
func (l *lowering) touches(s slide) bool {
	most := l.x.AddInt(s.window, -1)
	return l.x.Nonneg(l.x.Root(), l.x.Sub(most, s.before)) && l.x.Nonneg(l.x.Root(), l.x.Sub(most, s.after))
}

func lowerGlobalAvgPool(l *lowering, n *glenside.Node) value {
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
func lowerUpsampling(l *lowering, n *glenside.Node) value {
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

package lower

import (
	"math/big"

	"tv/glenside"
	"tv/semantics/domain"
	"tv/semantics/index"
	"tv/semantics/term"
)

// relayOps holds the operators of relay-operator-call.
var relayOps = map[string]lowerer{
	"relay-add":      func(l *lowering, n *glenside.Node) meaning { return l.zip(n, l.b.Add) },
	"relay-multiply": func(l *lowering, n *glenside.Node) meaning { return l.zip(n, l.b.Mul) },
	"relay-divide":   func(l *lowering, n *glenside.Node) meaning { return l.zip(n, l.b.Div) },
	"relay-maximum":  func(l *lowering, n *glenside.Node) meaning { return l.zip(n, l.b.Max) },
	"relay-minimum":  func(l *lowering, n *glenside.Node) meaning { return l.zip(n, l.b.Min) },

	"relay-relu":       func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.relu(n)) },
	"relay-sqrt":       func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.unary(n, term.Sqrt)) },
	"relay-negative":   func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.b.Neg) },
	"relay-sigmoid":    func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.sigmoid(n)) },
	"relay-tanh":       func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.tanh(n)) },
	"relay-erf":        func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.unary(n, term.Erf)) },
	"relay-round":      func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.unary(n, fnRound)) },
	"relay-copy":       func(l *lowering, n *glenside.Node) meaning { return l.as(n, l.array(n.Args[0])) },
	"relay-leaky-relu": func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.leakyRelu(n)) },
	"relay-clip":       func(l *lowering, n *glenside.Node) meaning { return l.each(n, l.clip(n)) },
	"relay-left-shift": func(l *lowering, n *glenside.Node) meaning {
		return l.each(n, l.bitShift(n, fnLeftShift))
	},
	"relay-right-shift": func(l *lowering, n *glenside.Node) meaning {
		return l.each(n, l.bitShift(n, fnRightShift))
	},
	"relay-cast": lowerCast,

	"relay-softmax": func(l *lowering, n *glenside.Node) meaning {
		x := l.array(n.Args[0])
		return l.softmax(n, x, l.axis(n.Args[1], len(x.dims)))
	},
	"relay-log-softmax":          lowerLogSoftmax,
	"relay-batch-norm-inference": lowerBatchNorm,
	"relay-layer-norm": func(l *lowering, n *glenside.Node) meaning {
		return l.layerNorm(n, layerEpsilon)
	},
	"relay-dropout": func(l *lowering, n *glenside.Node) meaning {
		mask := l.unknown(l.ty.Type(n).Items[1], "mask of relay-dropout", n)
		return meaning{items: []meaning{*l.value(n.Args[0]), {array: mask}}}
	},
	"relay-bias-add": func(l *lowering, n *glenside.Node) meaning {
		x, bias := l.array(n.Args[0]), l.array(n.Args[1])
		axis := l.axis(n.Args[2], len(x.dims))
		return meaning{array: l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
			return l.b.Add(x.elem(ctx, at), bias.elem(ctx, at[axis:axis+1]))
		})}
	},

	"relay-dense":             lowerDense,
	"relay-batch-matmul":      lowerDense,
	"relay-conv1d":            lowerConv1d,
	"relay-conv2d":            func(l *lowering, n *glenside.Node) meaning { return l.conv2d(n) },
	"relay-max-pool2d":        lowerMaxPool,
	"relay-avg-pool2d":        lowerAvgPool,
	"relay-global-avg-pool2d": lowerGlobalAvgPool,
	"relay-upsampling":        lowerUpsampling,

	"relay-batch-flatten": lowerReshape,
	"relay-reshape":       lowerReshape,
	"relay-transpose": func(l *lowering, n *glenside.Node) meaning {
		return l.transpose(n, l.array(n.Args[0]), l.ty.Type(n.Args[1]).Ints)
	},
	"relay-squeeze": func(l *lowering, n *glenside.Node) meaning {
		x := l.array(n.Args[0])
		dropped := make([]bool, len(x.dims))
		for _, a := range l.ty.Type(n.Args[1]).Ints {
			i, _ := a.Int64()
			dropped[i] = true
		}
		return l.drop(n, x, dropped)
	},
	"relay-expand-dims": func(l *lowering, n *glenside.Node) meaning {
		x := l.array(n.Args[0])
		return l.insert(n, x, l.axis(n.Args[1], len(x.dims)+1), l.int(n.Args[2]))
	},
	"relay-pad": func(l *lowering, n *glenside.Node) meaning {
		x := l.array(n.Args[0])
		amounts := l.dims(l.ty.Type(n.Args[1]).Dims)
		pads := make([]padding, len(x.dims))
		for i := range pads {
			pads[i] = padding{amounts[2*i], amounts[2*i+1]}
		}
		return l.pad(n, x, pads, l.b.Int(x.sort, 0))
	},
	"relay-concatenate": func(l *lowering, n *glenside.Node) meaning {
		var xs []*array
		for _, item := range l.value(n.Args[1]).items {
			xs = append(xs, item.array)
		}
		return l.concatenate(n, l.int(n.Args[0]), xs)
	},
	"relay-stack": func(l *lowering, n *glenside.Node) meaning {
		last := len(n.Args) - 1
		xs := make([]*array, last)
		for i, a := range n.Args[:last] {
			xs[i] = l.array(a)
		}
		return l.stack(n, l.axis(n.Args[last], len(xs[0].dims)+1), xs)
	},
	"relay-split": lowerSplit,
	"relay-strided-slice": func(l *lowering, n *glenside.Node) meaning {
		x := l.array(n.Args[0])
		begin := l.dims(l.ty.Type(n.Args[1]).Dims)
		return l.view(n, x, func(_ *index.Context, at []*index.Expr) []*index.Expr {
			in := l.vector(len(at))
			for i, e := range at {
				in[i] = l.on(x.dims[i], l.x.Add(e, begin[i]))
			}
			return in
		})
	},
	"relay-take": lowerTake,
	"relay-mean": lowerRelayMean,
	"relay-zeros": func(l *lowering, n *glenside.Node) meaning {
		return l.constantly(n, l.b.Int(l.sort(l.ty.Type(n).Elem), 0))
	},
}

// zip combines two operands, broadcast to the result.
func (l *lowering) zip(n *glenside.Node, f func(x, y *term.Term) *term.Term) meaning {
	x, y := l.array(n.Args[0]), l.array(n.Args[1])
	dims := l.dims(l.ty.Type(n).Dims)
	toX, toY := l.broadcast(x, dims), l.broadcast(y, dims)
	return meaning{array: l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return f(x.elem(ctx, toX(ctx, at)), y.elem(ctx, toY(ctx, at)))
	})}
}

// --- functions of one element ---

// sigmoid is 1 / (1 + exp(-x)) in the reals.
func (l *lowering) sigmoid(n *glenside.Node) func(*term.Term) *term.Term {
	if l.bits(n) {
		return l.unary(n, fnSigmoid)
	}
	exp, one := l.unary(n, term.Exp), l.b.Int(term.Sort{}, 1)
	return func(x *term.Term) *term.Term { return l.b.Div(one, l.b.Add(one, exp(l.b.Neg(x)))) }
}

// tanh is 1 - 2 / (exp(2x) + 1) in the reals.
func (l *lowering) tanh(n *glenside.Node) func(*term.Term) *term.Term {
	if l.bits(n) {
		return l.unary(n, fnTanh)
	}
	exp, one, two := l.unary(n, term.Exp), l.b.Int(term.Sort{}, 1), l.b.Int(term.Sort{}, 2)
	return func(x *term.Term) *term.Term {
		return l.b.Sub(one, l.b.Div(two, l.b.Add(exp(l.b.Mul(two, x)), one)))
	}
}

// leakyRelu is x where that is positive, else slope·x: the greater of the two for a slope up to 1, else
// the smaller.
func (l *lowering) leakyRelu(n *glenside.Node) func(*term.Term) *term.Term {
	slope := l.literal(l.sort(l.ty.Type(n).Elem), n.Args[1])
	if l.bits(n) || slope.Op != term.Const {
		f := l.function(fnLeakyRelu, slope.Sort)
		return func(x *term.Term) *term.Term { return f(x, slope) }
	}
	pick := l.b.Max
	if slope.Value.Cmp(big.NewRat(1, 1)) > 0 {
		pick = l.b.Min
	}
	return func(x *term.Term) *term.Term { return pick(x, l.b.Mul(slope, x)) }
}

// clip is min(max(x, low), high).
func (l *lowering) clip(n *glenside.Node) func(*term.Term) *term.Term {
	s := l.sort(l.ty.Type(n).Elem)
	low, high := l.literal(s, n.Args[1]), l.literal(s, n.Args[2])
	return func(x *term.Term) *term.Term { return l.b.Min(l.b.Max(x, low), high) }
}

func (l *lowering) bitShift(n *glenside.Node, name string) func(*term.Term) *term.Term {
	s := l.sort(l.ty.Type(n).Elem)
	f := l.function(name, s)
	bits := l.number(s, l.size(n.Args[1].Int))
	return func(x *term.Term) *term.Term { return f(x, bits) }
}

// lowerCast: in the arithmetic real a cast to the same type or to a wider float changes no value; in the others it is a
// conversion of sorts.
func lowerCast(l *lowering, n *glenside.Node) meaning {
	from, to := l.ty.Type(n.Args[0]).Elem, l.ty.Type(n).Elem
	switch {
	case from == to:
		return l.as(n, l.array(n.Args[0]))
	case l.opts.Arith != domain.Real:
		s := l.sort(to)
		if s == l.sort(from) { // both are real
			return l.as(n, l.array(n.Args[0]))
		}
		return l.each(n, func(x *term.Term) *term.Term { return l.b.Convert(s, x) })
	case from.Kind == to.Kind && to.Kind == domain.ElemFloat && from.Width < to.Width:
		return l.as(n, l.array(n.Args[0]))
	case from.Kind == domain.ElemFloat: // of equal numbers in floats of all widths the cast is the same
		return l.each(n, l.unary(n, fnCast+to.String()))
	}
	return l.each(n, l.unary(n, fnCast+from.String()+" to "+to.String()))
}

// --- normalisation ---

// lowerLogSoftmax: out[i] = x[i] - log(sum), where sum is that of exp(x[j]) over an axis.
func lowerLogSoftmax(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	log := l.unary(n, term.Log)
	sum := l.sumOfExp(x, l.axis(n.Args[1], len(x.dims)), l.unary(n, term.Exp))
	return meaning{array: l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return l.sub(x.elem(ctx, at), log(sum(ctx, at)))
	})}
}

// lowerBatchNorm: out[i] = (x[i] - mean[a]) / sqrt(variance[a] + epsilon) · gamma[a] + beta[a] with a =
// i[axis].
func lowerBatchNorm(l *lowering, n *glenside.Node) meaning {
	x, gamma, beta := l.array(n.Args[0]), l.array(n.Args[1]), l.array(n.Args[2])
	mean, variance := l.array(n.Args[3]), l.array(n.Args[4])
	axis := l.int(n.Args[5])
	epsilon := l.literal(x.sort, n.Args[6])
	normal := l.normaliser(n, epsilon)
	return meaning{array: l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		a := at[axis : axis+1]
		return normal(x.elem(ctx, at), mean.elem(ctx, a), variance.elem(ctx, a),
			gamma.elem(ctx, a), beta.elem(ctx, a))
	})}
}

// normaliser returns the function (x - mean) / sqrt(variance + epsilon) · gamma + beta.
func (l *lowering) normaliser(n *glenside.Node, epsilon *term.Term) func(x, mean, variance, gamma,
	beta *term.Term) *term.Term {
	sqrt := l.unary(n, term.Sqrt)
	return func(x, mean, variance, gamma, beta *term.Term) *term.Term {
		unit := l.b.Div(l.sub(x, mean), sqrt(l.b.Add(variance, epsilon)))
		return l.b.Add(l.b.Mul(unit, gamma), beta)
	}
}

// layerEpsilon is the epsilon of relay-layer-norm.
var layerEpsilon = big.NewRat(1, 100_000)

// layerNorm normalises by mean and variance over the last axis.
func (l *lowering) layerNorm(n *glenside.Node, epsilon *big.Rat) meaning {
	x, gamma, beta := l.array(n.Args[0]), l.array(n.Args[1]), l.array(n.Args[2])
	last := len(x.dims) - 1
	normal := l.normaliser(n, l.constant(x.sort, epsilon))
	average := func(rows []*index.Expr, item func(in []*index.Expr) *term.Term) *term.Term {
		in := l.vector(last + 1)
		copy(in, rows)
		sum := l.reduceOver(l.unshared, term.Sum, x.sort, x.dims, in, func() *term.Term { return item(in) })
		return l.average(sum, x.dims[last])
	} // with variables of their own, as the mean stands inside the sum of the variance
	mean := l.remember(func(ctx *index.Context, rows []*index.Expr) *term.Term {
		return average(rows, func(in []*index.Expr) *term.Term { return x.elem(ctx, in) })
	})
	variance := l.remember(func(ctx *index.Context, rows []*index.Expr) *term.Term {
		m := mean(ctx, rows)
		return average(rows, func(in []*index.Expr) *term.Term {
			d := l.sub(x.elem(ctx, in), m)
			return l.b.Mul(d, d)
		})
	})
	return meaning{array: l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		rows, a := at[:last], at[last:]
		return normal(x.elem(ctx, at), mean(ctx, rows), variance(ctx, rows),
			gamma.elem(ctx, a), beta.elem(ctx, a))
	})}
}

// --- the rest ---

// lowerDense: out[s i j] = sum over k of x[s i k] · w[s j k].
func lowerDense(l *lowering, n *glenside.Node) meaning {
	x, w := l.array(n.Args[0]), l.array(n.Args[1])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return l.denseAt(ctx, x, w, at)
	})
}

func (l *lowering) denseAt(ctx *index.Context, x, w *array, at []*index.Expr) *term.Term {
	i := len(at) - 1
	in := l.vector(len(at))
	copy(in, at[:i])
	return l.reduce(term.Sum, x.sort, x.dims, in, func() *term.Term {
		row := l.joined(at[:i-1], []*index.Expr{at[i], in[i]})
		return l.b.Mul(x.elem(ctx, in), w.elem(ctx, row))
	})
}

// lowerSplit cuts x into equal parts or at given indices.
func lowerSplit(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	axis := l.int(n.Args[2])
	var parts meaning
	low := domain.Size{}
	for _, t := range l.ty.Type(n).Items {
		part := l.shift(t, x, axis, l.size(low))
		if !part.array.plain {
			part.array.elem, part.array.remembers = l.remember(part.array.elem), true
		}
		parts.items = append(parts.items, part)
		low = low.Add(t.Dims[axis])
	}
	return parts
}

// lowerTake: out[... j ...] = x[... indices[j] ...] on an axis.
func lowerTake(l *lowering, n *glenside.Node) meaning {
	x, indices := l.array(n.Args[0]), l.array(n.Args[1])
	axis := l.int(n.Args[2])
	rank := len(indices.dims)
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		v := l.x.NewVar("k", l.zero, x.dims[axis])
		in := l.vector(len(x.dims))
		copy(in, at[:axis])
		in[axis] = l.on(x.dims[axis], v.Expr())
		copy(in[axis+1:], at[axis+rank:])
		return l.b.Gather(v, x.elem(ctx, in), indices.elem(ctx, at[axis:axis+rank]))
	})
}

// lowerRelayMean: out = mean of x over an axis.
func lowerRelayMean(l *lowering, n *glenside.Node) meaning {
	x := l.array(n.Args[0])
	axis := l.int(n.Args[1])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.gap(at, axis)
		sum := l.reduce(term.Sum, x.sort, x.dims, in, func() *term.Term { return x.elem(ctx, in) })
		return l.average(sum, x.dims[axis])
	})
}

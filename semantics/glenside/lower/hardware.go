package lower

import (
	"math/big"

	"tv/glenside"
	"tv/semantics/index"
	"tv/semantics/term"
)

// hardwareOps holds the systolic arrays, whose tile sizes do not change the value.
var hardwareOps = map[string]lowerer{
	"systolic-array":                                       lowerSystolic,
	"systolic-array-with-blocking":                         lowerSystolic,
	"systolic-array-conv2d-nchw-oihw-with-blocking":        systolicConv(nchw, oihw),
	"systolic-array-conv2d-nhwc-hwio-with-blocking":        systolicConv(nhwc, hwio),
	"systolic-array-conv2d-im2col-nchw-oihw-with-blocking": systolicConv(nchw, oihw),
	"systolic-array-conv2d-im2col-nhwc-hwio-with-blocking": systolicConv(nhwc, hwio),
}

// acceleratorOps holds the functions of accelerator-call.
var acceleratorOps = map[string]lowerer{
	"cim-gemm":        ideal(lowerCimGemm),
	"flex-attention":  ideal(lowerFlexAttention),
	"flex-layernorm":  ideal(func(l *lowering, n *glenside.Node) meaning { return l.layerNorm(n, new(big.Rat)) }),
	"flex-linear":     ideal(lowerFlexLinear),
	"flex-maxpool":    ideal(lowerFlexMaxpool),
	"flex-meanpool":   ideal(lowerFlexMeanpool),
	"vta-dense":       ideal(lowerDense),
	"hlscnn-conv2d":   ideal(func(l *lowering, n *glenside.Node) meaning { return l.conv2d(n) }),
	"flex-lstm":       lowerLSTM,
	"flex-lstm-cells": lowerLSTM,
	"vta-conv1d":      func(l *lowering, n *glenside.Node) meaning { return l.opaqueTensor(n) },
}

// ideal gives an accelerator call its meaning on tensors of real numbers. On others it has the numerics of its
// machine, of which nothing is known here.
func ideal(f lowerer) lowerer {
	return func(l *lowering, n *glenside.Node) meaning {
		for _, a := range n.Args {
			if x := l.array(a); x != nil && x.sort.Kind != term.Real {
				return l.opaqueTensor(n)
			}
		}
		l.idealised[n.Op.Name] = true
		return f(l, n)
	}
}

// lowerSystolic: out[s j] = sum over k of x[s k] · w[k j].
func lowerSystolic(l *lowering, n *glenside.Node) meaning {
	x, w := l.array(n.Args[2]), l.array(n.Args[3])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		last := len(at) - 1
		in := l.vector(len(at))
		copy(in, at[:last])
		return l.reduce(term.Sum, x.sort, x.dims, in, func() *term.Term {
			return l.b.Mul(x.elem(ctx, in), w.elem(ctx, l.joined(in[last:], at[last:])))
		})
	})
}

func systolicConv(image, kernel layout) lowerer {
	return func(l *lowering, n *glenside.Node) meaning {
		windows := []*index.Expr{l.size(n.Args[4].Int), l.size(n.Args[5].Int)}
		strides := []*index.Expr{l.size(n.Args[6].Int), l.size(n.Args[7].Int)}
		none := []*index.Expr{l.zero, l.zero, l.zero, l.zero}
		s := l.over(l.array(n.Args[3]), image, windows, strides, none)
		return l.convolve(n, convolution{sliding: s, w: l.array(n.Args[2]), kernel: kernel})
	}
}

// lowerCimGemm: out[i j] = alpha · the sum over k of a[i k] · b[k j], plus beta · c[i j], which is not read where beta is 0.
func lowerCimGemm(l *lowering, n *glenside.Node) meaning {
	a, b, c := l.array(n.Args[0]), l.array(n.Args[1]), l.array(n.Args[2])
	alpha, beta := l.literal(a.sort, n.Args[3]), l.literal(a.sort, n.Args[4])
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.vector(len(at))
		copy(in, at[:1])
		sum := l.reduce(term.Sum, a.sort, a.dims, in, func() *term.Term {
			return l.b.Mul(a.elem(ctx, in), b.elem(ctx, []*index.Expr{in[1], at[1]}))
		})
		sum = l.b.Mul(alpha, sum)
		if beta.Op == term.Const && beta.Value != nil && beta.Value.Sign() == 0 {
			return sum
		}
		return l.b.Add(sum, l.b.Mul(beta, c.elem(ctx, at)))
	})
}

// lowerFlexAttention: out[j] = sum over t of exp(s[t]) / total · m[t j], where s[t] = sum over k of m[t k] · q[k] and total is
// the sum of exp(s[t]).
func lowerFlexAttention(l *lowering, n *glenside.Node) meaning {
	m, q := l.array(n.Args[0]), l.array(n.Args[1])
	exp := l.unary(n, term.Exp)
	weight := l.remember(func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.vector(2)
		in[0] = at[0]
		return exp(l.reduce(term.Sum, m.sort, m.dims, in, func() *term.Term {
			return l.b.Mul(m.elem(ctx, in), q.elem(ctx, in[1:]))
		}))
	})
	total := l.remember(func(ctx *index.Context, _ []*index.Expr) *term.Term {
		in := l.vector(1)
		return l.reduce(term.Sum, m.sort, m.dims[:1], in, func() *term.Term { return weight(ctx, in) })
	})
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		in := l.vector(2)
		in[1] = at[0]
		return l.reduce(term.Sum, m.sort, m.dims, in, func() *term.Term {
			return l.b.Mul(l.b.Div(weight(ctx, in[:1]), total(ctx, nil)), m.elem(ctx, in))
		})
	})
}

// lowerFlexLinear: out[i j] = sum over k of x[i k] · w[j k], plus bias[j]; the bias may be a row of a
// matrix.
func lowerFlexLinear(l *lowering, n *glenside.Node) meaning {
	x, w, bias := l.array(n.Args[0]), l.array(n.Args[1]), l.array(n.Args[2])
	row := make([]*index.Expr, len(bias.dims)-1)
	for i := range row {
		row[i] = l.zero
	}
	return l.bound(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		return l.b.Add(l.denseAt(ctx, x, w, at), bias.elem(ctx, l.joined(row, at[1:])))
	})
}

// lowerFlexMaxpool: out[i j] = max(x[2i j], x[2i+1 j]).
func lowerFlexMaxpool(l *lowering, n *glenside.Node) meaning {
	return l.pairs(n, l.b.Max)
}

// lowerFlexMeanpool: out[i j] = (x[2i j] + x[2i+1 j]) / 2.
func lowerFlexMeanpool(l *lowering, n *glenside.Node) meaning {
	return l.pairs(n, func(x, y *term.Term) *term.Term { return l.average(l.b.Add(x, y), l.x.Const(2)) })
}

// pairs is a function of rows 2i and 2i+1.
func (l *lowering) pairs(n *glenside.Node, of func(x, y *term.Term) *term.Term) meaning {
	x := l.array(n.Args[0])
	return meaning{array: l.result(n, func(ctx *index.Context, at []*index.Expr) *term.Term {
		even := l.x.Scale(index.Int(2), at[0])
		odd := l.x.AddInt(even, 1)
		return of(x.elem(ctx, l.replaced(at, 0, even)), x.elem(ctx, l.replaced(at, 0, odd)))
	})}
}

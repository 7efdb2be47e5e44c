package eval

import (
	"math"
	"math/big"

	"tv/semantics/value"
)

// relayMoves are the operators of relay-operator-call that only say where elements are.
var relayMoves = map[string]rule{
	"relay-copy":          same,
	"relay-batch-flatten": reshaped,
	"relay-reshape":       reshaped,
	"relay-squeeze":       reshaped,
	"relay-expand-dims":   reshaped,
	"relay-transpose":     func(k *call) result { return result{view: k.arg(0).transpose(k.list(1))} },

	"relay-pad": func(k *call) result {
		x, amounts := k.arg(0), k.list(1)
		for axis := range x.dims {
			x = x.pad(axis, amounts[2*axis], amounts[2*axis+1], k.Zero())
		}
		return result{view: x}
	},
	"relay-concatenate": func(k *call) result {
		var parts []view
		for _, item := range k.result(k.node.Args[1]).items {
			parts = append(parts, item.view)
		}
		return result{view: concatenate(int(k.int(0)), parts)}
	},
	"relay-stack": func(k *call) result {
		n := len(k.node.Args) - 1
		parts := make([]view, n)
		for i := range parts {
			parts[i] = k.arg(i)
		}
		return result{view: stack(k.axis(n, len(k.dims)), parts)}
	},
	"relay-split": func(k *call) result {
		x, axis := k.arg(0), int(k.int(2))
		var parts []result
		from := int64(0)
		for _, t := range k.typ.Items {
			n := k.ints(0, t.Dims)[axis]
			parts = append(parts, result{view: x.slice(axis, from, n)})
			from += n
		}
		return result{items: parts}
	},
	"relay-strided-slice": func(k *call) result {
		x := k.arg(0)
		for axis, begin := range k.list(1) {
			x = x.slice(axis, begin, k.dims[axis])
		}
		return result{view: x}
	},
	"relay-zeros": func(k *call) result { return result{view: view{k.dims, constant(k.Zero())}} },

	// The second component, the mask, is uninterpreted.
	"relay-dropout": func(k *call) result {
		x := k.arg(0)
		mask := view{x.dims, constant(value.Uninterpreted("the mask of relay-dropout"))}
		return result{items: []result{{view: x}, {view: mask}}}
	},
}

// relayRules are the other operators of relay-operator-call.
var relayRules = map[string]rule{
	"relay-add":      func(k *call) result { return k.broadcasting(k.Add) },
	"relay-multiply": func(k *call) result { return k.broadcasting(k.Mul) },
	"relay-divide":   func(k *call) result { return k.broadcasting(k.Div) },
	"relay-maximum":  func(k *call) result { return k.broadcasting(k.Max) },
	"relay-minimum":  func(k *call) result { return k.broadcasting(k.Min) },

	"relay-relu":     func(k *call) result { return k.each(k.arg(0), k.Relu) },
	"relay-sqrt":     func(k *call) result { return k.each(k.arg(0), k.Sqrt) },
	"relay-negative": func(k *call) result { return k.each(k.arg(0), k.Neg) },
	"relay-sigmoid":  func(k *call) result { return k.each(k.arg(0), k.Sigmoid) },
	"relay-tanh":     func(k *call) result { return k.each(k.arg(0), k.Tanh) },
	"relay-erf":      func(k *call) result { return k.each(k.arg(0), k.Erf) },
	"relay-round":    func(k *call) result { return k.each(k.arg(0), k.Round) },

	"relay-leaky-relu": func(k *call) result {
		slope := k.number(1)
		return k.each(k.arg(0), func(x value.Value) value.Value { return k.LeakyRelu(x, slope) })
	},
	"relay-clip": func(k *call) result {
		low, high := k.number(1), k.number(2)
		return k.each(k.arg(0), func(x value.Value) value.Value { return k.Min(k.Max(x, low), high) })
	},
	"relay-left-shift": func(k *call) result {
		by := k.int(1)
		return k.each(k.arg(0), func(x value.Value) value.Value { return k.ShiftLeft(x, by) })
	},
	"relay-right-shift": func(k *call) result {
		by := k.int(1)
		return k.each(k.arg(0), func(x value.Value) value.Value { return k.ShiftRight(x, by) })
	},
	"relay-cast": func(k *call) result {
		from, to := k.argType(0).Elem, k.typ.Elem
		if from == to {
			return same(k)
		}
		return k.each(k.arg(0), func(x value.Value) value.Value { return value.Cast(k.arith, x, from, to) })
	},

	"relay-softmax": func(k *call) result {
		x := k.arg(0)
		return result{view: k.softmax(x, k.axis(1, len(x.dims)))}
	},
	"relay-log-softmax": func(k *call) result {
		x := k.arg(0)
		_, sums := k.exponentials(x, k.axis(1, len(x.dims)))
		return k.both(x, sums, func(x, sum value.Value) value.Value { return k.Sub(x, k.Log(sum)) })
	},

	// (x - mean) / sqrt(variance + epsilon) * gamma + beta
	"relay-batch-norm-inference": func(k *call) result {
		x, axis, epsilon := k.arg(0), k.axis(5, len(k.dims)), k.number(6)
		vector := func(i int) *tree { return k.arg(i).along(k.dims, axis).tree }
		gamma, beta, mean, variance := vector(1), vector(2), vector(3), k.arg(4)
		deviation := k.step(variance.dims, func(index []int64) value.Value { // one root a channel
			return k.Sqrt(k.Add(variance.tree.at(index), epsilon))
		}).along(k.dims, axis).tree
		s := k.operation(k.dims, false, false)
		s.byIndex = func(index []int64) value.Value {
			v := k.Div(k.Sub(x.tree.at(index), mean.at(index)), deviation.at(index))
			return k.Add(k.Mul(v, gamma.at(index)), beta.at(index))
		}
		return result{view: viewOf(s, k.dims)}
	},
	"relay-layer-norm": func(k *call) result {
		return result{view: k.normalised(k.arg(0), k.arg(1), k.arg(2), k.Constant(big.NewRat(1, 100000)))}
	},
	"relay-bias-add": func(k *call) result {
		return k.both(k.arg(0), k.arg(1).along(k.dims, k.axis(2, len(k.dims))), k.Add)
	},

	"relay-dense": func(k *call) result { return result{view: k.dense()} },
	"relay-batch-matmul": func(k *call) result {
		x, y := k.arg(0), k.arg(1)
		dims := append(append([]int64{}, k.dims...), x.dims[2])
		return result{view: k.perElement(k.dims, k.products(1, x.along(dims, 0, 1, 3), y.along(dims, 0, 2, 3)))}
	},
	// out[n o i] = sum over c, p of x'[n c i*s+p] * w[o c p]
	"relay-conv1d": func(k *call) result {
		w, stride, padding := k.arg(1), k.list(2)[0], k.list(3)
		x := k.arg(0).pad(2, padding[0], padding[1], k.Zero())
		dims := append(append([]int64{}, k.dims...), w.dims[1], w.dims[2])
		data := x.move(dims, []affine{axisOf(0), axisOf(3), axisOf(4).plus(axisOf(2), stride)})
		weights := w.move(dims, []affine{axisOf(1), axisOf(3), axisOf(4)})
		return result{view: k.perElement(k.dims, k.products(2, data, weights))}
	},
	"relay-conv2d": func(k *call) result { return result{view: k.conv2d()} },

	"relay-max-pool2d": func(k *call) result {
		image, pool, strides, padding := k.image(4), k.list(1), k.list(2), k.list(3)
		x := k.arg(0).pad(image.h, padding[0], padding[2], k.Lowest())
		x = x.pad(image.w, padding[1], padding[3], k.Lowest())
		by := identity(4)
		by[image.h] = axisOf(4).plus(axisOf(image.h), strides[0])
		by[image.w] = axisOf(5).plus(axisOf(image.w), strides[1])
		windows := x.move(append(append([]int64{}, k.dims...), pool...), by)
		return result{view: k.perElement(k.dims, k.largest(windows, 2))}
	},
	"relay-avg-pool2d": func(k *call) result { return result{view: k.averagePool()} },
	"relay-global-avg-pool2d": func(k *call) result {
		x, image := k.arg(0), k.image(1)
		from := identity(4)
		from[image.h], from[image.w] = axisOf(4), axisOf(5)
		all := x.move(append(append([]int64{}, k.dims...), x.dims[image.h], x.dims[image.w]), from)
		return result{view: k.perElement(k.dims, k.average(all, 2))}
	},
	// out[n c i j] = x[n c i*h/h' j*w/w'], rounded down, for the dims h, w of x and h', w' of the result
	"relay-upsampling": func(k *call) result {
		x := k.arg(0)
		at := make([]int64, 4)
		s := k.operation(k.dims, false, false)
		s.byIndex = func(index []int64) value.Value {
			copy(at, index)
			for axis := 2; axis < 4; axis++ {
				at[axis] = scaled(index[axis], x.dims[axis], k.dims[axis])
			}
			return x.tree.at(at)
		}
		return result{view: viewOf(s, k.dims)}
	},

	"relay-take": func(k *call) result { return result{view: k.take()} },
	"relay-mean": func(k *call) result {
		x := k.arg(0).last(int(k.int(1)))
		return result{view: k.perElement(k.dims, k.average(x, 1))}
	},
}

// normalised is (x - mean) / sqrt(variance + epsilon) * gamma + beta, with mean and variance over the last axis.
func (k *call) normalised(x, gamma, beta view, epsilon value.Value) view {
	axis := len(x.dims) - 1
	overRow := func(v view) view { return v.insertAxis(axis).along(k.dims, axesOf(k.dims)...) }
	mean := overRow(k.step(k.dims[:axis], k.average(x, 1)))
	centred := k.both(x, mean, k.Sub).view
	square := k.both(centred, centred, k.Mul).view
	variance := k.step(k.dims[:axis], k.average(square, 1))
	deviation := overRow(k.step(variance.dims, func(index []int64) value.Value { // one root a row
		return k.Sqrt(k.Add(variance.tree.at(index), epsilon))
	})).tree
	factor, term := gamma.along(k.dims, axis).tree, beta.along(k.dims, axis).tree
	s := k.operation(k.dims, false, false)
	s.byIndex = func(index []int64) value.Value {
		v := k.Div(centred.tree.at(index), deviation.at(index))
		return k.Add(k.Mul(v, factor.at(index)), term.at(index))
	}
	return viewOf(s, k.dims)
}

// broadcasting applies f to operands 0 and 1, repeated to the dims of the result.
func (k *call) broadcasting(f func(x, y value.Value) value.Value) result {
	return k.both(k.arg(0).broadcast(k.dims), k.arg(1).broadcast(k.dims), f)
}

// scaled returns i*to/from, rounded down.
func scaled(i, to, from int64) int64 {
	if i <= math.MaxInt32 && to <= math.MaxInt32 {
		return i * to / from
	}
	n := new(big.Int).Mul(big.NewInt(i), big.NewInt(to))
	return n.Quo(n, big.NewInt(from)).Int64()
}

// dense is out[i j] = sum over k of x[i k] * w[j k] for operands 0 and 1.
func (k *call) dense() view {
	x, w := k.arg(0), k.arg(1)
	dims := append(append([]int64{}, k.dims...), x.dims[1])
	return k.perElement(k.dims, k.products(1, x.along(dims, 0, 2), w.along(dims, 1, 2)))
}

// image returns the layout that operand i names.
func (k *call) image(i int) imageLayout {
	if k.word(i) == "relay-activation-layout-nhwc" {
		return nhwc
	}
	return nchw
}

// conv2d is the convolution of the operands of relay-conv2d. Of three strides, the first is that of the
// channels.
func (k *call) conv2d() view {
	kernel := oihw
	if k.word(8) == "relay-kernel-layout-hwio" {
		kernel = hwio
	}
	strides, padding := k.list(2), k.list(3)
	strides = strides[len(strides)-2:]
	return k.convolution(k.arg(0), k.arg(1), k.image(7), kernel, [2]int64(strides), [4]int64(padding), k.int(4))
}

// averagePool is the mean of each window, without what lies in the padding.
func (k *call) averagePool() view {
	x, image, pool, strides, padding := k.arg(0), k.image(4), k.list(1), k.list(2), k.list(3)
	h, w := x.dims[image.h], x.dims[image.w]
	at := make([]int64, 4)
	return k.perElement(k.dims, func(index []int64) value.Value {
		top, left := index[image.h]*strides[0]-padding[0], index[image.w]*strides[1]-padding[1]
		copy(at, index)
		var sum value.Value
		n := int64(0)
		for i := max(top, 0); i < min(top+pool[0], h); i++ {
			for j := max(left, 0); j < min(left+pool[1], w); j++ {
				at[image.h], at[image.w] = i, j
				if n++; n == 1 {
					sum = x.tree.at(at)
				} else {
					sum = k.Add(sum, x.tree.at(at))
				}
			}
		}
		if n == 0 {
			return value.Undefinedf("the mean of a window of padding")
		}
		return k.Mean(sum, n)
	})
}

// take is out[... j... ...] = x[... indices[j...] ...].
func (k *call) take() view {
	x, indices, axis := k.arg(0), k.arg(1), int(k.int(2))
	inner := axis + len(indices.dims) // where the axes of x after the axis begin in the result
	at := make([]int64, len(x.dims))
	s := k.operation(k.dims, false, false)
	s.byIndex = func(index []int64) value.Value {
		v := indices.tree.at(index[axis:inner])
		i, failed, ok := v.Integer()
		if !ok {
			return failed
		}
		if i < 0 || i >= x.dims[axis] {
			return value.Undefinedf("index %s into an axis of %d elements", v, x.dims[axis])
		}
		copy(at, index[:axis])
		at[axis] = i
		copy(at[axis+1:], index[inner:])
		return x.tree.at(at)
	}
	return viewOf(s, k.dims)
}

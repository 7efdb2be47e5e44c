package eval

import (
	"tv/glenside"
	"tv/semantics/value"
)

// acceleratorRules are the functions of accelerator-call: where all operands are of real numbers their ideal meaning
// on tensors; elsewhere uninterpreted, since the numerics are the machine's.
var acceleratorRules = map[string]rule{
	"cim-gemm": ideal(func(k *call) view {
		a, b := k.arg(0), k.arg(1)
		dims := append(append([]int64{}, k.dims...), a.dims[1])
		product := k.perElement(k.dims, k.products(1, a.along(dims, 0, 2), b.along(dims, 2, 1)))
		alpha, beta := k.number(3), k.number(4)
		scaled := k.each(product, func(x value.Value) value.Value { return k.Mul(alpha, x) }).view
		if n, ok := glenside.ParseDecimal(k.node.Args[4].Text); ok && n.Sign() == 0 {
			return scaled
		}
		return k.both(scaled, k.arg(2), func(x, y value.Value) value.Value { return k.Add(x, k.Mul(beta, y)) }).view
	}),
	"flex-attention": ideal(func(k *call) view {
		m, q := k.arg(0), k.arg(1)
		scores := k.step(m.dims[:1], k.products(1, m, q.along(m.dims, 1)))
		weights := k.softmax(scores, 0)
		features := []int64{m.dims[1], m.dims[0]} // by timesteps
		return k.perElement(k.dims, k.products(1, weights.along(features, 1), m.along(features, 1, 0)))
	}),
	"flex-layernorm": ideal(func(k *call) view { return k.normalised(k.arg(0), k.arg(1), k.arg(2), k.Zero()) }),
	"flex-linear": ideal(func(k *call) view {
		bias := k.arg(2)
		if len(bias.dims) == 2 { // a row
			bias = bias.fix(0, 0)
		}
		return k.both(k.dense(), bias.along(k.dims, 1), k.Add).view
	}),
	"flex-maxpool": ideal(func(k *call) view {
		x := k.arg(0)
		windows := x.reshape([]int64{k.dims[0], 2, k.dims[1]})
		return k.both(windows.fix(1, 0), windows.fix(1, 1), k.Max).view
	}),
	"flex-meanpool": ideal(func(k *call) view {
		pairs := k.arg(0).reshape([]int64{k.dims[0], 2, k.dims[1]}).transpose([]int64{0, 2, 1})
		return k.perElement(k.dims, k.average(pairs, 1))
	}),
	"vta-dense":     ideal((*call).dense),
	"hlscnn-conv2d": ideal((*call).conv2d),

	"flex-lstm":       lstm(func(k *call, steps int64) view { h, _ := k.lstm(steps); return h }),
	"flex-lstm-cells": lstm(func(k *call, steps int64) view { _, c := k.lstm(steps); return c }),

	// A placeholder: no arithmetic interprets it.
	"vta-conv1d": opaque,
}

// lstm is f of a call whose operands are those of an LSTM, at as many timesteps as it has at the sizes that are evaluated.
func lstm(f func(k *call, steps int64) view) rule {
	return func(k *call) result {
		_, ok := k.typing.Recurrent(k.node)
		if !ok || k.dims[0] < 1 || k.dims[0] > glenside.MostTimesteps {
			return opaque(k)
		}
		return ideal(func(k *call) view { return f(k, k.dims[0]) })(k)
	}
}

// lstm runs timesteps of an LSTM, for rows of a batch each, and returns its states and its cells behind each: of gates the first rows are
// i, then f, g and o.
func (k *call) lstm(steps int64) (view, view) {
	wx, wh, bx, bh := k.arg(3), k.arg(4), k.arg(5), k.arg(6)
	states := wh.dims[1]
	batch := volume(k.dims) / (steps * states)
	inputs := k.arg(0).reshape([]int64{steps, batch, wx.dims[1]})
	dims, gates := []int64{batch, states}, []int64{batch, 4 * states}
	h, c := k.arg(1).reshape(dims), k.arg(2).reshape(dims)
	product := func(x, w view) func(index []int64) value.Value {
		loop := append(append([]int64{}, gates...), w.dims[1])
		return k.products(1, x.along(loop, 0, 2), w.along(loop, 1, 2))
	}
	keep := func(t int64, cells bool, v view) view { // or what stands for it
		s := glenside.State{Call: k.node, Step: int(t) + 1, Cells: cells}
		if name, stands := k.standing[s]; stands {
			v = viewOf(k.tensor(name, k.typ.Elem), dims)
		}
		k.states[s] = v.reshape(k.dims[1:])
		return v
	}
	var hs, cs []view
	for t := range steps {
		fromInput, fromState := product(inputs.fix(0, t), wx), product(h, wh)
		sums := k.step(gates, func(index []int64) value.Value {
			bias := k.Add(bx.tree.at(index[1:]), bh.tree.at(index[1:]))
			return k.Add(k.Add(fromInput(index), fromState(index)), bias)
		})
		gate := func(n int64, f func(value.Value) value.Value) view {
			return k.each(sums.slice(1, n*states, states), f).view
		}
		i, f, g, o := gate(0, k.Sigmoid), gate(1, k.Sigmoid), gate(2, k.Tanh), gate(3, k.Sigmoid)
		old := c.tree
		c = keep(t, true, k.step(dims, func(index []int64) value.Value {
			return k.Add(k.Mul(f.tree.at(index), old.at(index)), k.Mul(i.tree.at(index), g.tree.at(index)))
		}))
		cell := c.tree
		h = keep(t, false, k.step(dims, func(index []int64) value.Value {
			return k.Mul(o.tree.at(index), k.Tanh(cell.at(index)))
		}))
		hs, cs = append(hs, h), append(cs, c)
	}
	return stack(0, hs).reshape(k.dims), stack(0, cs).reshape(k.dims)
}

func ideal(f func(*call) view) rule {
	return func(k *call) result {
		for i := range k.node.Args {
			if t := k.argType(i); t.Kind <= glenside.TypeTensor && k.arith.Bits(t.Elem) {
				return opaque(k)
			}
		}
		return result{view: f(k)}
	}
}

func opaque(k *call) result {
	return result{view: view{k.dims, constant(value.Uninterpreted(k.node.Op.Name))}}
}

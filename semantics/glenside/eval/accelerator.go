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

	// A whole network and a placeholder: no arithmetic interprets them.
	"flex-lstm":  opaque,
	"vta-conv1d": opaque,
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

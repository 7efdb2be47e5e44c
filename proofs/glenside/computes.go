package glenside

import (
	"math/big"
	"slices"

	"tv/glenside"
	"tv/proofs/algebra"
	"tv/semantics/domain"
)

// folds states sums, products, maxima and quotients over axes.
func (o *operation) folds(kind string) *scalar {
	l, b := o.l, o.l.B
	switch kind {
	case "dot-product":
		s := o.split(0)
		return l.Reduce(algebra.FoldSum, o.elem, o.dims(0)[s+1:], func(in []*expr) *scalar {
			return l.Reduce(algebra.FoldProduct, o.elem, o.dims(0)[s:s+1], func(i []*expr) *scalar {
				return o.x(0, slices.Concat(o.at, i, in))
			})
		})
	case "reduce-sum":
		return o.foldRest(algebra.FoldSum, 0, o.split(0), o.at)
	case "reduce-max":
		return o.foldRest(algebra.FoldMax, 0, o.split(0), o.at)
	case "reduce-mean":
		count := b.Mul(append([]*expr{b.Const(1)}, o.dims(0)[o.split(0):]...)...)
		return l.Average(o.foldRest(algebra.FoldSum, 0, o.split(0), o.at), count)
	case "elementwise-add", "elementwise-mul":
		f := map[string]algebra.Fold{"elementwise-add": algebra.FoldSum,
			"elementwise-mul": algebra.FoldProduct}[kind]
		o.at = o.gap(o.split(0))
		d, ok := o.dims(0)[o.split(0)].Const()
		if ok && d.Sign() > 0 && d.Cmp(algebra.Int(algebra.MaxUnroll)) <= 0 {
			k, _ := d.Int64()
			return l.Chain(f, o.elem, int(k), func(i int64) *scalar {
				return o.x(0, o.moved(o.split(0), b.Const(i)))
			})
		}
		return o.along(f, 0, o.split(0), o.zero, same)
	case "elementwise-div":
		s := o.split(0)
		d0 := o.dims(0)[s]
		o.at = o.gap(s)
		d, ok := d0.Const()
		if ok && d.Cmp(algebra.Int(algebra.MaxUnroll)) <= 0 {
			t := o.x(0, o.at)
			for i := int64(1); algebra.Int(i).Cmp(d) < 0; i++ {
				t = l.Op2(algebra.OpDiv, t, o.x(0, o.moved(s, b.Const(i))))
			}
			return t
		}
		if !algebra.IsReal(o.elem) {
			return l.opaque(o.p, kind, o.without(s))
		}
		return l.Choose(o.c, b.AddInt(d0, -2), func(c *context) *scalar {
			rest := o.along(algebra.FoldProduct, 0, s, b.Const(1), same)
			return l.Op2(algebra.OpDiv, o.x(0, o.at), rest)
		}, func(c *context) *scalar { return o.x(0, o.at) }) // alone it is not divided
	case "mean":
		k := o.number(1)
		o.at = o.gap(k)
		return l.Average(o.along(algebra.FoldSum, 0, k, o.zero, same), o.dims(0)[k])
	}
	return nil
}

// scalar states what is done to each element by itself.
func (o *operation) scalar(kind string) *scalar {
	l, a := o.l, o.a
	switch kind {
	case "add", "multiply", "divide", "maximum", "minimum":
		to := l.dims(o.ty)
		y := o.x(0, l.Broadcast(o.c, o.dims(0), to, o.at))
		z := o.x(1, l.Broadcast(o.c, o.dims(1), to, o.at))
		return l.Op2(map[string]algebra.Op{
			"add": algebra.OpAdd, "multiply": algebra.OpMul, "divide": algebra.OpDiv,
			"maximum": algebra.OpMax, "minimum": algebra.OpMin}[kind], y, z)
	case "relu":
		if !algebra.IsReal(o.elem) {
			return o.apply("relu")(o.x(0, o.at))
		}
		return l.Op2(algebra.OpMax, o.x(0, o.at), l.Int(o.elem, 0))
	case "negative":
		return l.Neg(o.x(0, o.at))
	case "sqrt", "erf", "round":
		return o.apply(kind)(o.x(0, o.at))
	case "sigmoid":
		if !algebra.IsReal(o.elem) {
			return o.apply("sigmoid")(o.x(0, o.at))
		}
		return o.sigmoid(o.x(0, o.at))
	case "tanh":
		if !algebra.IsReal(o.elem) {
			return o.apply("tanh")(o.x(0, o.at))
		}
		return o.tanh(o.x(0, o.at))
	case "leaky-relu":
		slope, y := l.spelled(o.elem, a[1].Text), o.x(0, o.at)
		if !algebra.IsReal(o.elem) || slope.Val == nil {
			return l.Apply(y, "leaky-relu", y, slope)
		}
		if slope.Val.Cmp(big.NewRat(1, 1)) > 0 {
			return l.Op2(algebra.OpMin, y, l.Op2(algebra.OpMul, slope, y))
		}
		return l.Op2(algebra.OpMax, y, l.Op2(algebra.OpMul, slope, y))
	case "clip":
		y, lo, hi := o.x(0, o.at), l.spelled(o.elem, a[1].Text), l.spelled(o.elem, a[2].Text)
		return l.Op2(algebra.OpMin, l.Op2(algebra.OpMax, y, lo), hi)
	case "left-shift", "right-shift":
		bits := l.Make(scalar{Op: algebra.OpNumber, E: l.Size(a[1].Int)})
		return l.Apply(o.x(0, o.at), kind, o.x(0, o.at), bits)
	case "cast":
		from, to := l.ty.Type(a[0]).Elem, o.ty.Elem
		wider := from.Kind == to.Kind && to.Kind == domain.ElemFloat && from.Width < to.Width
		switch {
		case from == to, l.Arith == domain.Real && wider,
			l.Arith != domain.Real && l.Elem(from) == l.Elem(to):
			return o.x(0, o.at)
		case l.Arith != domain.Real:
			x := []*scalar{o.x(0, o.at)}
			return l.Make(scalar{Op: algebra.OpConvert, Args: x, Elem: o.elem})
		case from.Kind == domain.ElemFloat:
			return o.apply("cast " + to.String())(o.x(0, o.at))
		}
		return o.apply("cast " + from.String() + " to " + to.String())(o.x(0, o.at))
	}
	return nil
}

// layer states layers of networks, but for convolutions and pools, and what machines do ideally.
func (o *operation) layer(kind string) *scalar {
	l, b, a, name := o.l, o.l.B, o.a, o.p.n.Op.Name
	switch kind {
	case "softmax":
		k := o.split(0)
		if name != "softmax" {
			k = o.axis(1, len(o.at))
		}
		return l.Op2(algebra.OpDiv, o.apply("exp")(o.x(0, o.at)), o.expSum(k))
	case "log-softmax":
		return l.Sub(o.x(0, o.at), o.apply("log")(o.expSum(o.axis(1, len(o.at)))))
	case "batch-norm-inference":
		k := o.number(5)
		i := o.at[k : k+1]
		return o.normalise(o.x(0, o.at), o.x(3, i), o.x(4, i), l.spelled(o.elem, a[6].Text),
			o.x(1, i), o.x(2, i))
	case "layer-norm":
		return o.normaliseRows(big.NewRat(1, 100_000))
	case "flex-layernorm":
		return o.normaliseRows(new(big.Rat))
	case "dropout":
		if o.p.path[0] == 0 {
			return o.x(0, o.at)
		}
		return l.opaque(o.p, "mask", o.at)
	case "bias-add":
		k := o.axis(2, len(o.at))
		return l.Op2(algebra.OpAdd, o.x(0, o.at), o.x(1, o.at[k:k+1]))
	case "dense", "batch-matmul", "vta-dense":
		return o.dense(0, 1, true)
	case "systolic-array", "systolic-array-with-blocking":
		return o.dense(2, 3, false)
	case "cim-gemm":
		product := l.Op2(algebra.OpMul, l.spelled(o.elem, o.a[3].Text), o.dense(0, 1, false))
		beta := l.spelled(o.elem, o.a[4].Text)
		if n, ok := glenside.ParseDecimal(o.a[4].Text); ok && n.Sign() == 0 {
			return product
		}
		return l.Op2(algebra.OpAdd, product, l.Op2(algebra.OpMul, beta, o.x(2, o.at)))
	case "flex-linear":
		bias := make([]*expr, len(o.dims(2)))
		for i := range bias {
			bias[i] = o.zero
		}
		bias[len(bias)-1] = o.at[1]
		return l.Op2(algebra.OpAdd, o.dense(0, 1, true), o.x(2, bias))
	case "take":
		k, r := o.number(2), len(o.dims(1))
		v := b.NewVar(o.zero, o.dims(0)[k])
		in := slices.Concat(o.at[:k], []*expr{v.Expr()}, o.at[k+r:])
		return l.Make(scalar{Op: algebra.OpGather, Vars: []*algebra.Atom{v}, Elem: o.elem,
			Args: []*scalar{o.x(0, in), o.x(1, o.at[k:k+r])}})
	case "flex-maxpool":
		even := b.Scale(algebra.Int(2), o.at[0])
		return l.Op2(algebra.OpMax, o.x(0, o.moved(0, even)), o.x(0, o.moved(0, b.AddInt(even, 1))))
	case "flex-meanpool":
		even := b.Scale(algebra.Int(2), o.at[0])
		sum := l.Op2(algebra.OpAdd, o.x(0, o.moved(0, even)), o.x(0, o.moved(0, b.AddInt(even, 1))))
		return l.Average(sum, b.Const(2))
	case "flex-attention":
		return o.attention()
	case "flex-lstm", "flex-lstm-cells":
		return o.lstm(name == "flex-lstm-cells")
	case "vta-conv1d":
		return l.opaque(o.p, name, o.at)
	}
	return nil
}

package proofs

import (
	"math/big"
	"slices"

	"tv/semantics/domain"
)

// folds states sums, products, maxima and quotients over axes.
func (o *operation) folds(kind string) *term {
	l, b := o.l, o.l.b
	switch kind {
	case "dot-product":
		s := o.split(0)
		return l.reduce(foldSum, o.elem, o.dims(0)[s+1:], func(in []*Expr) *term {
			return l.reduce(foldProduct, o.elem, o.dims(0)[s:s+1], func(i []*Expr) *term {
				return o.x(0, slices.Concat(o.at, i, in))
			})
		})
	case "reduce-sum":
		return o.foldRest(foldSum, 0, o.split(0), o.at)
	case "reduce-max":
		return o.foldRest(foldMax, 0, o.split(0), o.at)
	case "reduce-mean":
		count := b.Mul(append([]*Expr{b.Const(1)}, o.dims(0)[o.split(0):]...)...)
		return l.average(o.foldRest(foldSum, 0, o.split(0), o.at), count)
	case "elementwise-add", "elementwise-mul":
		f := map[string]fold{"elementwise-add": foldSum, "elementwise-mul": foldProduct}[kind]
		o.at = o.gap(o.split(0))
		d, ok := o.dims(0)[o.split(0)].Const()
		if ok && d.Sign() > 0 && d.Cmp(Int(maxUnroll)) <= 0 {
			k, _ := d.Int64()
			return l.chain(f, o.elem, int(k), func(i int64) *term {
				return o.x(0, o.moved(o.split(0), b.Const(i)))
			})
		}
		return o.along(f, 0, o.split(0), o.zero, same)
	case "elementwise-div":
		s := o.split(0)
		d0 := o.dims(0)[s]
		o.at = o.gap(s)
		d, ok := d0.Const()
		if ok && d.Cmp(Int(maxUnroll)) <= 0 {
			t := o.x(0, o.at)
			for i := int64(1); Int(i).Cmp(d) < 0; i++ {
				t = l.op2(opDiv, t, o.x(0, o.moved(s, b.Const(i))))
			}
			return t
		}
		if l.exact {
			return l.opaque(o.p, kind, o.without(s))
		}
		return l.choose(o.c, b.AddInt(d0, -2), func(c *Context) *term {
			return l.op2(opDiv, o.x(0, o.at), o.along(foldProduct, 0, s, b.Const(1), same))
		}, func(c *Context) *term { return o.x(0, o.at) }) // alone it is not divided
	case "mean":
		k := o.number(1)
		o.at = o.gap(k)
		return l.average(o.along(foldSum, 0, k, o.zero, same), o.dims(0)[k])
	}
	return nil
}

// scalar states what is done to each element by itself.
func (o *operation) scalar(kind string) *term {
	l, a := o.l, o.a
	switch kind {
	case "add", "multiply", "divide", "maximum", "minimum":
		to := l.dims(o.ty)
		y := o.x(0, l.broadcast(o.c, o.dims(0), to, o.at))
		z := o.x(1, l.broadcast(o.c, o.dims(1), to, o.at))
		return l.op2(map[string]op{"add": opAdd, "multiply": opMul, "divide": opDiv,
			"maximum": opMax, "minimum": opMin}[kind], y, z)
	case "relu":
		if l.exact {
			return o.apply("relu")(o.x(0, o.at))
		}
		return l.op2(opMax, o.x(0, o.at), l.int(o.elem, 0))
	case "negative":
		return l.neg(o.x(0, o.at))
	case "sqrt", "erf", "round":
		return o.apply(kind)(o.x(0, o.at))
	case "sigmoid":
		if l.exact {
			return o.apply("sigmoid")(o.x(0, o.at))
		}
		e := l.apply(o.x(0, o.at), "exp", l.neg(o.x(0, o.at)))
		return l.op2(opDiv, l.int(o.elem, 1), l.op2(opAdd, l.int(o.elem, 1), e))
	case "tanh":
		if l.exact {
			return o.apply("tanh")(o.x(0, o.at))
		}
		e := o.apply("exp")(l.op2(opMul, l.int(o.elem, 2), o.x(0, o.at)))
		one, two := l.int(o.elem, 1), l.int(o.elem, 2)
		return l.sub(one, l.op2(opDiv, two, l.op2(opAdd, e, one)))
	case "leaky-relu":
		slope, y := l.literal(o.elem, a[1]), o.x(0, o.at)
		if l.exact || slope.val == nil {
			return l.apply(y, "leaky-relu", y, slope)
		}
		if slope.val.Cmp(big.NewRat(1, 1)) > 0 {
			return l.op2(opMin, y, l.op2(opMul, slope, y))
		}
		return l.op2(opMax, y, l.op2(opMul, slope, y))
	case "clip":
		y, lo, hi := o.x(0, o.at), l.literal(o.elem, a[1]), l.literal(o.elem, a[2])
		return l.op2(opMin, l.op2(opMax, y, lo), hi)
	case "left-shift", "right-shift":
		bits := l.mk(term{op: opNumber, e: l.size(a[1].Int)})
		return l.apply(o.x(0, o.at), kind, o.x(0, o.at), bits)
	case "cast":
		from, to := l.ty.Type(a[0]).Elem, o.ty.Elem
		wider := from.Kind == to.Kind && to.Kind == domain.ElemFloat && from.Width < to.Width
		switch {
		case from == to || !l.exact && wider:
			return o.x(0, o.at)
		case l.exact:
			return l.mk(term{op: opConvert, args: []*term{o.x(0, o.at)}, elem: o.elem})
		case from.Kind == domain.ElemFloat:
			return o.apply("cast " + to.String())(o.x(0, o.at))
		}
		return o.apply("cast " + from.String() + " to " + to.String())(o.x(0, o.at))
	}
	return nil
}

// layer states layers of networks, but for convolutions and pools, and what machines do ideally.
func (o *operation) layer(kind string) *term {
	l, b, a, name := o.l, o.l.b, o.a, o.p.n.Op.Name
	switch kind {
	case "softmax":
		k := o.split(0)
		if name != "softmax" {
			k = o.axis(1, len(o.at))
		}
		return l.op2(opDiv, o.apply("exp")(o.x(0, o.at)), o.expSum(k))
	case "log-softmax":
		return l.sub(o.x(0, o.at), o.apply("log")(o.expSum(o.axis(1, len(o.at)))))
	case "batch-norm-inference":
		k := o.number(5)
		i := o.at[k : k+1]
		return o.normalise(o.x(0, o.at), o.x(3, i), o.x(4, i), l.literal(o.elem, a[6]),
			o.x(1, i), o.x(2, i))
	case "layer-norm":
		k := len(o.at) - 1
		mean := func() *term {
			return l.average(o.along(foldSum, 0, k, o.zero, same), o.dims(0)[k])
		}
		square := func(t *term) *term {
			d := l.sub(t, mean())
			return l.op2(opMul, d, d)
		}
		variance := l.average(o.along(foldSum, 0, k, o.zero, square), o.dims(0)[k])
		epsilon := l.constant(o.elem, big.NewRat(1, 100_000))
		return o.normalise(o.x(0, o.at), mean(), variance, epsilon,
			o.x(1, o.at[k:]), o.x(2, o.at[k:]))
	case "dropout":
		if o.p.path[0] == 0 {
			return o.x(0, o.at)
		}
		return l.opaque(o.p, "mask", o.at)
	case "bias-add":
		k := o.axis(2, len(o.at))
		return l.op2(opAdd, o.x(0, o.at), o.x(1, o.at[k:k+1]))
	case "dense", "batch-matmul", "vta-dense":
		return o.dense(0, 1, true)
	case "systolic-array", "systolic-array-with-blocking":
		return o.dense(2, 3, false)
	case "flex-linear":
		bias := make([]*Expr, len(o.dims(2)))
		for i := range bias {
			bias[i] = o.zero
		}
		bias[len(bias)-1] = o.at[1]
		return l.op2(opAdd, o.dense(0, 1, true), o.x(2, bias))
	case "take":
		k, r := o.number(2), len(o.dims(1))
		v := b.NewVar(o.zero, o.dims(0)[k])
		in := slices.Concat(o.at[:k], []*Expr{v.expr}, o.at[k+r:])
		return l.mk(term{op: opGather, vars: []*Atom{v}, elem: o.elem,
			args: []*term{o.x(0, in), o.x(1, o.at[k:k+r])}})
	case "flex-maxpool":
		even := b.Scale(Int(2), o.at[0])
		return l.op2(opMax, o.x(0, o.moved(0, even)), o.x(0, o.moved(0, b.AddInt(even, 1))))
	case "flex-lstm", "vta-conv1d":
		return l.opaque(o.p, name, o.at)
	}
	return nil
}

package eval

import "tv/semantics/value"

// computeRules are the operators of compute, applied to each item of ((S) (C)).
var computeRules = map[string]rule{
	"relu":     func(k *call) result { return k.each(k.arg(0), k.Relu) },
	"negative": func(k *call) result { return k.each(k.arg(0), k.Neg) },
	"sqrt":     func(k *call) result { return k.each(k.arg(0), k.Sqrt) },
	"softmax":  func(k *call) result { return result{view: k.softmax(k.arg(0), k.split(0))} },

	"reduce-sum": func(k *call) result {
		x := k.arg(0)
		return result{view: k.perElement(k.dims, k.sum(x, len(x.dims)-k.split(0)))}
	},
	"reduce-max": func(k *call) result {
		x := k.arg(0)
		return result{view: k.perElement(k.dims, k.largest(x, len(x.dims)-k.split(0)))}
	},
	"reduce-mean": func(k *call) result {
		x := k.arg(0)
		return result{view: k.perElement(k.dims, k.average(x, len(x.dims)-k.split(0)))}
	},

	// The items are (n c...): the sum over c of the products of n factors.
	"dot-product": func(k *call) result {
		x, s := k.arg(0), k.split(0)
		n, axes := x.dims[s], len(x.dims)-s-1
		items := x.last(s)
		items.dims = items.dims[:len(items.dims)-1]
		switch {
		case n == 0:
			one := view{items.dims, constant(k.Integer(1))}
			return result{view: k.perElement(k.dims, k.sum(one, axes))}
		case n <= 4:
			factors := make([]view, n)
			for i := range factors {
				factors[i] = x.fix(s, int64(i))
			}
			return result{view: k.perElement(k.dims, k.products(axes, factors...))}
		}
		terms := k.operation(items.dims, false, true)
		terms.byIndex = k.fold(x.last(s), 1, k.Integer(1), k.Mul)
		return result{view: k.perElement(k.dims, k.sum(viewOf(terms, items.dims), axes))}
	},

	// The items are (n c...): the results combine the first axis of the item.
	"elementwise-add": func(k *call) result { return k.elementwise(k.Zero(), k.Add) },
	"elementwise-mul": func(k *call) result { return k.elementwise(k.Integer(1), k.Mul) },
	"elementwise-div": func(k *call) result {
		return k.elementwise(value.Undefinedf("the quotient of no operands"), k.Div)
	},
}

// elementwise combines the first compute axis of operand 0 from the left.
func (k *call) elementwise(empty value.Value, f func(x, y value.Value) value.Value) result {
	x, s := k.arg(0), k.split(0)
	if x.dims[s] == 2 {
		return k.both(x.fix(s, 0), x.fix(s, 1), f)
	}
	return result{view: k.perElement(k.dims, k.fold(x.last(s), 1, empty, f))}
}

// largest returns the maximum of x along its last axes, which starts from MIN.
func (k *call) largest(x view, axes int) func(index []int64) value.Value {
	l := newLoop(axes, x)
	return func(index []int64) value.Value {
		most := k.Lowest()
		for more := l.start(index); more; more = l.next() {
			most = k.Max(most, l.cursors[0].read())
		}
		return most
	}
}

// average returns the mean of x along its last axes.
func (k *call) average(x view, axes int) func(index []int64) value.Value {
	n := volume(x.dims[len(x.dims)-axes:])
	if n == 0 {
		return func([]int64) value.Value { return value.Undefinedf("the mean of no elements") }
	}
	sum := k.sum(x, axes)
	return func(index []int64) value.Value { return k.Mean(sum(index), n) }
}

// softmax returns exp(x)/sum of exp(x) along an axis.
func (k *call) softmax(x view, axis int) view {
	exps, sums := k.exponentials(x, axis)
	return k.both(exps, sums, k.Div).view
}

// exponentials returns exp(x), and its sums along an axis repeated along that axis.
func (k *call) exponentials(x view, axis int) (exps, sums view) {
	exp := k.operation(x.dims, true, true)
	exp.byIndex = func(index []int64) value.Value { return k.Exp(x.tree.at(index)) }
	exps = viewOf(exp, x.dims)
	row := exps.last(axis)
	sums = k.step(row.dims[:len(row.dims)-1], k.sum(row, 1))
	return exps, sums.insertAxis(axis).along(x.dims, axesOf(x.dims)...)
}

// axesOf returns 0, 1, ... up to the rank.
func axesOf(dims []int64) []int {
	axes := make([]int, len(dims))
	for i := range axes {
		axes[i] = i
	}
	return axes
}

// Package eval computes graphs of Relay on numbers, whole tensors at a time: what TVM's operators mean in inference, written
// from their description. It knows nothing of Glenside, and the translation into Glenside is tested against it.
//
//	Run   the tensors of a graph's result, from left to right
//
// Tensors are lists of elements in row-major order.
package eval

import (
	"fmt"
	"math/big"
	"slices"

	"tv/semantics/domain"
	"tv/semantics/relay/syntax"
	"tv/semantics/value"
)

// A tensor is one with its elements, or a tuple of them.
type tensor struct {
	dims  []int64
	elem  domain.Elem
	data  []value.Value
	items []*tensor
}

// Run computes the result of a graph in an arithmetic. Inputs are by their place.
func Run(g *syntax.Graph, a value.Arith, inputs [][]value.Value) ([][]value.Value, error) {
	m := &machine{arith: a, values: make([]*tensor, len(g.Nodes))}
	places := map[*syntax.Node]int{}
	for i, n := range g.Inputs {
		places[n] = i
	}
	for _, n := range g.Nodes {
		var t *tensor
		switch n.Kind {
		case syntax.NodeInput:
			t = &tensor{dims: n.Type.Dims, elem: n.Type.Elem, data: inputs[places[n]]}
			if int64(len(t.data)) != size(t.dims) {
				return nil, fmt.Errorf("%s has %d elements", n.Name, len(t.data))
			}
		case syntax.NodeScalar:
			t = m.fill(n.Type, n.Literal)
		case syntax.NodeConstant:
			t = m.constant(n.Constant)
		case syntax.NodeTuple:
			t = &tensor{}
			for _, x := range n.Args {
				t.items = append(t.items, m.values[x.ID])
			}
		case syntax.NodeItem:
			t = m.values[n.Args[0].ID].items[n.Index]
		default:
			var err error
			if t, err = m.call(n); err != nil {
				return nil, err
			}
		}
		m.values[n.ID] = t
	}
	return m.values[g.Result.ID].leaves(), nil
}

func (t *tensor) leaves() (list [][]value.Value) {
	if t.items == nil {
		return [][]value.Value{t.data}
	}
	for _, item := range t.items {
		list = append(list, item.leaves()...)
	}
	return list
}

// A machine has the values of nodes so far.
type machine struct {
	arith  value.Arith
	values []*tensor
}

func (m *machine) of(e domain.Elem) value.Arithmetic { return value.Of(m.arith, e) }

// number is a decimal as an element.
func (m *machine) number(text string, e domain.Elem) value.Value {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return value.Undefinedf("%s is no number", text)
	}
	return m.of(e).Constant(r)
}

func (m *machine) fill(t *syntax.Type, text string) *tensor {
	return &tensor{dims: t.Dims, elem: t.Elem, data: slices.Repeat([]value.Value{m.number(text, t.Elem)}, int(size(t.Dims)))}
}

func (m *machine) constant(c *syntax.Constant) *tensor {
	t := &tensor{dims: c.Type.Dims, elem: c.Type.Elem}
	for i := range c.Elements() {
		if text, ok := c.Text(i); ok {
			t.data = append(t.data, m.number(text, t.elem))
		} else {
			t.data = append(t.data, value.Undefinedf("%#x is no number", c.Bits(i)))
		}
	}
	return t
}

func size(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// at returns an element. Places before the first or behind the last are where padding is: ok is false.
func (t *tensor) at(index ...int64) (v value.Value, ok bool) {
	offset := int64(0)
	for i, d := range t.dims {
		if index[i] < 0 || index[i] >= d {
			return v, false
		}
		offset = offset*d + index[i]
	}
	return t.data[offset], true
}

// get is at where the place is known to be inside.
func (t *tensor) get(index ...int64) value.Value {
	v, ok := t.at(index...)
	if !ok {
		return value.Undefinedf("index %v is outside %v", index, t.dims)
	}
	return v
}

// build makes a tensor of its elements by index.
func build(t *syntax.Type, f func(i []int64) value.Value) *tensor {
	out := &tensor{dims: t.Dims, elem: t.Elem}
	n := size(t.Dims)
	i := make([]int64, len(t.Dims))
	for range n {
		out.data = append(out.data, f(i))
		for a := len(i) - 1; a >= 0; a-- {
			if i[a]++; i[a] < t.Dims[a] {
				break
			}
			i[a] = 0
		}
	}
	return out
}

// Places of batch, channel, height and width.
func axes(layout string) (n, c, h, w int) {
	if layout == "NHWC" {
		return 0, 3, 1, 2
	}
	return 0, 1, 2, 3
}

// call computes a call of an operator.
func (m *machine) call(n *syntax.Node) (*tensor, error) {
	var args []*tensor
	for _, a := range n.Args {
		args = append(args, m.values[a.ID])
	}
	elem := n.Type.Elem
	if n.Type.Kind == syntax.TypeTuple {
		elem = n.Type.Items[0].Elem
	}
	k := m.of(elem)
	one := func(f func(value.Value) value.Value) (*tensor, error) {
		t := &tensor{dims: args[0].dims, elem: elem}
		for _, v := range args[0].data {
			t.data = append(t.data, f(v))
		}
		return t, nil
	}
	two := func(f func(x, y value.Value) value.Value) (*tensor, error) {
		return build(n.Type, func(i []int64) value.Value { return f(spread(args[0], i), spread(args[1], i)) }), nil
	}
	moved := func(f func(i []int64) value.Value) (*tensor, error) { return build(n.Type, f), nil }
	axis := func() int { return int(n.Ints["axis"][0]) }
	switch n.Op.Name {
	case "nn.conv2d", "nn.conv1d", "nn.dense", "nn.batch_matmul": // of numbers of the type of the result
		for i, a := range args {
			if a.elem == elem {
				continue
			}
			wide := &tensor{dims: a.dims, elem: elem}
			for _, v := range a.data {
				wide.data = append(wide.data, value.Cast(m.arith, v, a.elem, elem))
			}
			args[i] = wide
		}
	}
	switch n.Op.Name {
	case "add":
		return two(k.Add)
	case "subtract":
		return two(k.Sub)
	case "multiply":
		return two(k.Mul)
	case "divide":
		return two(k.Div)
	case "maximum":
		return two(k.Max)
	case "minimum":
		return two(k.Min)
	case "negative":
		return one(k.Neg)
	case "sqrt":
		return one(k.Sqrt)
	case "sigmoid":
		return one(k.Sigmoid)
	case "tanh":
		return one(k.Tanh)
	case "erf":
		return one(k.Erf)
	case "round":
		return one(k.Round)
	case "copy":
		return args[0], nil
	case "nn.relu":
		return one(k.Relu)
	case "nn.leaky_relu":
		slope := m.number(n.Words["alpha"], elem)
		return one(func(v value.Value) value.Value { return k.LeakyRelu(v, slope) })
	case "clip":
		low, high := m.number(n.Words["a_min"], elem), m.number(n.Words["a_max"], elem)
		return one(func(v value.Value) value.Value { return k.Min(k.Max(v, low), high) })
	case "left_shift":
		return one(func(v value.Value) value.Value { return k.ShiftLeft(v, n.Ints["bits"][0]) })
	case "right_shift":
		return one(func(v value.Value) value.Value { return k.ShiftRight(v, n.Ints["bits"][0]) })
	case "cast":
		return one(func(v value.Value) value.Value { return value.Cast(m.arith, v, args[0].elem, elem) })
	case "nn.conv2d":
		return m.conv2d(n, args), nil
	case "nn.conv1d":
		x, w, s, before := args[0], args[1], n.Ints["strides"][0], n.Ints["padding"][0]
		return moved(func(i []int64) value.Value {
			sum := k.Zero()
			for c := range w.dims[1] {
				for p := range w.dims[2] {
					if v, ok := x.at(i[0], c, i[2]*s+p-before); ok {
						sum = k.Add(sum, k.Mul(v, w.get(i[1], c, p)))
					}
				}
			}
			return sum
		})
	case "nn.dense":
		return moved(func(i []int64) value.Value {
			sum := k.Zero()
			for j := range args[0].dims[1] {
				sum = k.Add(sum, k.Mul(args[0].get(i[0], j), args[1].get(i[1], j)))
			}
			return sum
		})
	case "nn.batch_matmul":
		x, y, flip := args[0], args[1], n.Ints["transpose"]
		return moved(func(i []int64) value.Value {
			sum := k.Zero()
			for j := range x.dims[2-flip[0]] {
				a, b := []int64{i[0], i[1], j}, []int64{i[0], j, i[2]}
				if flip[0] == 1 {
					a[1], a[2] = a[2], a[1]
				}
				if flip[1] == 1 {
					b[1], b[2] = b[2], b[1]
				}
				sum = k.Add(sum, k.Mul(x.get(a...), y.get(b...)))
			}
			return sum
		})
	case "nn.bias_add":
		return moved(func(i []int64) value.Value { return k.Add(args[0].get(i...), args[1].get(i[axis()])) })
	case "nn.batch_norm":
		epsilon := m.number(n.Words["epsilon"], elem)
		out := build(n.Type.Items[0], func(i []int64) value.Value {
			c := i[axis()]
			x := k.Sub(args[0].get(i...), args[3].get(c))
			x = k.Div(x, k.Sqrt(k.Add(args[4].get(c), epsilon)))
			return k.Add(k.Mul(x, args[1].get(c)), args[2].get(c))
		})
		return &tensor{items: []*tensor{out, nil, nil}}, nil
	case "nn.layer_norm":
		return m.layerNorm(n, args), nil
	case "nn.softmax", "nn.log_softmax":
		return m.softmax(n, args[0]), nil
	case "nn.dropout":
		return &tensor{items: []*tensor{args[0], nil}}, nil
	case "nn.max_pool2d", "nn.avg_pool2d":
		return m.pool(n, args[0]), nil
	case "nn.global_avg_pool2d", "nn.adaptive_avg_pool2d":
		_, _, h, w := axes(n.Words["layout"])
		return moved(func(i []int64) value.Value {
			j, sum := slices.Clone(i), k.Zero()
			for j[h] = range args[0].dims[h] {
				for j[w] = range args[0].dims[w] {
					sum = k.Add(sum, args[0].get(j...))
				}
			}
			return k.Mean(sum, args[0].dims[h]*args[0].dims[w])
		})
	case "nn.pad":
		return moved(func(i []int64) value.Value {
			j := slices.Clone(i)
			for a := range j {
				j[a] -= n.Ints["pad_width"][2*a]
			}
			if v, ok := args[0].at(j...); ok {
				return v
			}
			return k.Zero()
		})
	case "nn.batch_flatten", "squeeze", "reshape", "expand_dims": // the elements stay in their order
		return &tensor{dims: n.Type.Dims, elem: elem, data: args[0].data}, nil
	case "transpose":
		return moved(func(i []int64) value.Value {
			j := make([]int64, len(i))
			for a, from := range n.Ints["axes"] {
				j[from] = i[a]
			}
			return args[0].get(j...)
		})
	case "concatenate":
		return moved(func(i []int64) value.Value {
			j := slices.Clone(i)
			for _, t := range args[0].items {
				if j[axis()] < t.dims[axis()] {
					return t.get(j...)
				}
				j[axis()] -= t.dims[axis()]
			}
			return value.Undefinedf("a concatenation ends early")
		})
	case "stack":
		return moved(func(i []int64) value.Value {
			return args[0].items[i[axis()]].get(slices.Delete(slices.Clone(i), axis(), axis()+1)...)
		})
	case "split":
		out := &tensor{}
		for p, t := range n.Type.Items {
			out.items = append(out.items, build(t, func(i []int64) value.Value {
				j := slices.Clone(i)
				j[axis()] += n.Ints["cuts"][p]
				return args[0].get(j...)
			}))
		}
		return out, nil
	case "strided_slice":
		return moved(func(i []int64) value.Value {
			j := slices.Clone(i)
			for a := range j {
				j[a] = n.Ints["begin"][a] + j[a]*n.Ints["strides"][a]
			}
			return args[0].get(j...)
		})
	case "take":
		return m.take(n, args[0], args[1]), nil
	case "mean", "sum", "max", "min":
		return m.reduce(n, args[0]), nil
	case "nn.upsampling":
		return moved(func(i []int64) value.Value {
			return args[0].get(i[0], i[1], i[2]*args[0].dims[2]/n.Type.Dims[2], i[3]*args[0].dims[3]/n.Type.Dims[3])
		})
	case "zeros", "ones", "full":
		return m.fill(n.Type, n.Words["value"]), nil
	}
	return nil, fmt.Errorf("%s is not evaluated", n.Op.Name)
}

// spread is the element of a tensor at an index of what it is broadcast to.
func spread(t *tensor, i []int64) value.Value {
	j := slices.Clone(i[len(i)-len(t.dims):])
	for a, d := range t.dims {
		if d == 1 {
			j[a] = 0
		}
	}
	return t.get(j...)
}

// conv2d sums over a window of the channels of a group.
func (m *machine) conv2d(n *syntax.Node, args []*tensor) *tensor {
	x, w, k := args[0], args[1], m.of(n.Type.Elem)
	in, ic, ih, iw := axes(n.Words["data_layout"])
	place := map[rune]int{}
	for i, letter := range n.Words["kernel_layout"] {
		place[letter] = i
	}
	o, c, kh, kw := place['O'], place['I'], place['H'], place['W']
	s, p := n.Ints["strides"], n.Ints["padding"]
	perGroup := w.dims[o] / n.Ints["groups"][0]
	return build(n.Type, func(i []int64) value.Value {
		sum, a, b := k.Zero(), make([]int64, 4), make([]int64, 4)
		a[in], b[o] = i[in], i[ic]
		first := i[ic] / perGroup * w.dims[c]
		for b[c] = range w.dims[c] {
			for b[kh] = range w.dims[kh] {
				for b[kw] = range w.dims[kw] {
					a[ic], a[ih], a[iw] = first+b[c], i[ih]*s[0]+b[kh]-p[0], i[iw]*s[1]+b[kw]-p[1]
					if v, ok := x.at(a...); ok {
						sum = k.Add(sum, k.Mul(v, w.get(b...)))
					}
				}
			}
		}
		return sum
	})
}

// pool takes the greatest element of a window, or the mean of those that are no padding.
func (m *machine) pool(n *syntax.Node, x *tensor) *tensor {
	k := m.of(n.Type.Elem)
	in, ic, ih, iw := axes(n.Words["layout"])
	size, s, p := n.Ints["pool_size"], n.Ints["strides"], n.Ints["padding"]
	return build(n.Type, func(i []int64) value.Value {
		a, count, sum, greatest := make([]int64, 4), int64(0), k.Zero(), value.MinValue(m.arith, n.Type.Elem)
		a[in], a[ic] = i[in], i[ic]
		for h := range size[0] {
			for w := range size[1] {
				a[ih], a[iw] = i[ih]*s[0]+h-p[0], i[iw]*s[1]+w-p[1]
				if v, ok := x.at(a...); ok {
					sum, greatest = k.Add(sum, v), k.Max(greatest, v)
					count++
				}
			}
		}
		switch {
		case n.Op.Name == "nn.max_pool2d":
			return greatest
		case count == 0:
			return value.Undefinedf("a window holds padding alone")
		}
		return k.Mean(sum, count)
	})
}

// layerNorm takes off the mean over an axis and divides by the deviation.
func (m *machine) layerNorm(n *syntax.Node, args []*tensor) *tensor {
	x, k := args[0], m.of(n.Type.Elem)
	last := n.Ints["axis"][0]
	epsilon := m.number(n.Words["epsilon"], n.Type.Elem)
	return build(n.Type, func(i []int64) value.Value {
		j := slices.Clone(i)
		over := func(f func(v value.Value) value.Value) value.Value {
			sum := k.Zero()
			for j[last] = range x.dims[last] {
				sum = k.Add(sum, f(x.get(j...)))
			}
			return k.Mean(sum, x.dims[last])
		}
		mean := over(func(v value.Value) value.Value { return v })
		variance := over(func(v value.Value) value.Value { d := k.Sub(v, mean); return k.Mul(d, d) })
		y := k.Div(k.Sub(x.get(i...), mean), k.Sqrt(k.Add(variance, epsilon)))
		return k.Add(k.Mul(y, args[1].get(i[last])), args[2].get(i[last]))
	})
}

func (m *machine) softmax(n *syntax.Node, x *tensor) *tensor {
	k, axis := m.of(n.Type.Elem), n.Ints["axis"][0]
	return build(n.Type, func(i []int64) value.Value {
		j, sum := slices.Clone(i), k.Zero()
		for j[axis] = range x.dims[axis] {
			sum = k.Add(sum, k.Exp(x.get(j...)))
		}
		if n.Op.Name == "nn.log_softmax" {
			return k.Sub(x.get(i...), k.Log(sum))
		}
		return k.Div(k.Exp(x.get(i...)), sum)
	})
}

// take reads the elements that indices name, of one axis or, without one, of all in their order.
func (m *machine) take(n *syntax.Node, x, indices *tensor) *tensor {
	axis := 0
	if a := n.Ints["axis"]; a != nil {
		axis = int(a[0])
	} else {
		x = &tensor{dims: []int64{size(x.dims)}, elem: x.elem, data: x.data}
	}
	return build(n.Type, func(i []int64) value.Value {
		many := len(indices.dims)
		at, failed, ok := indices.get(i[axis : axis+many]...).Integer()
		switch {
		case !ok:
			return failed
		case n.Words["mode"] == "clip":
			at = min(max(at, 0), x.dims[axis]-1)
		case at < 0 || at >= x.dims[axis]:
			return value.Undefinedf("index %d is outside", at)
		}
		return x.get(slices.Concat(i[:axis], []int64{at}, i[axis+many:])...)
	})
}

// reduce goes over the axes that are reduced.
func (m *machine) reduce(n *syntax.Node, x *tensor) *tensor {
	k, over := m.of(n.Type.Elem), n.Ints["axis"]
	keep := len(n.Type.Dims) == len(x.dims) && len(over) > 0
	count := int64(1)
	for _, a := range over {
		count *= x.dims[a]
	}
	return build(n.Type, func(i []int64) value.Value {
		at, next := make([]int64, len(x.dims)), 0
		for a := range at {
			if !slices.Contains(over, int64(a)) {
				at[a] = i[next]
				next++
			} else if keep {
				next++
			}
		}
		var out value.Value
		for c := range count {
			rest := c
			for _, a := range slices.Backward(over) {
				at[a] = rest % x.dims[a]
				rest /= x.dims[a]
			}
			v := x.get(at...)
			switch {
			case c == 0:
				out = v
			case n.Op.Name == "max":
				out = k.Max(out, v)
			case n.Op.Name == "min":
				out = k.Min(out, v)
			default:
				out = k.Add(out, v)
			}
		}
		if n.Op.Name == "mean" && len(over) > 0 {
			out = k.Mean(out, count)
		}
		return out
	})
}

package relay

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/semantics/domain"
)

// permuted are dims in the order of the letters of another layout.
func permuted(dims []int64, from, to string) []int64 {
	out := make([]int64, len(dims))
	for i := range dims {
		out[i] = dims[strings.IndexByte(from, to[i])]
	}
	return out
}

func activation(layout string) string {
	return "relay-activation-layout-" + strings.ToLower(layout)
}

// windows is how many there are along an axis.
func (c *call) windows(extent, size, stride int64) int64 {
	c.must(size > 0 && stride > 0 && extent >= size, codeShape, "a window does not fit")
	return (extent-size)/stride + 1
}

// convolved checks what convolutions have in common.
func (c *call) convolved(args []string, x, w []int64, groups int64) domain.Elem {
	c.must(c.x.elem == c.node.args[1].typ.elem, "type-mismatch", "the operands are of two types")
	c.must(x[1] == w[1]*groups, codeShape, "the channels do not fit")
	c.must(c.one("channels", w[0]) == w[0], codeShape, "channels are others")
	if c.given("kernel_size") {
		c.must(slices.Equal(c.numbers("kernel_size", len(w)-2, 0), w[2:]), codeShape,
			"kernel_size is another")
	}
	for _, d := range c.ints("dilation") {
		c.must(d == 1, codeAttr, "dilation is not read")
	}
	return c.outType(args)
}

// conv2d is a convolution; one by channels has in Glenside the layout NCHW alone.
func (c *call) conv2d(args []string) (*typ, string) {
	layout := c.layout("data_layout", "NCHW", "NHWC")
	kernel := c.layout("kernel_layout", "OIHW", "HWIO", "HWOI")
	weights := c.node.args[1].typ.dims
	c.must(len(weights) == 4 && (layout == "NCHW") == (kernel == "OIHW"), codeAttr,
		"%s is not read with %s", kernel, layout)
	x, w := permuted(c.x.dims, layout, "NCHW"), permuted(weights, kernel, "OIHW")
	groups := c.one("groups", 1)
	c.must(groups == 1 && kernel != "HWOI" ||
		groups > 1 && groups == x[1] && groups == w[0] && w[1] == 1 && kernel != "HWIO",
		codeAttr, "these groups are not read")
	elem := c.convolved(args, x, w, groups)
	s, p := c.numbers("strides", 2, 1), c.padding(2)
	out := []int64{x[0], w[0], c.windows(x[2]+p[0]+p[2], w[2], s[0]),
		c.windows(x[3]+p[1]+p[3], w[3], s[1])}
	in, k, inner := args[0], args[1], layout
	if kernel == "HWOI" {
		in = relay("transpose", in, "(list 0 3 1 2)")
		k, kernel, inner = relay("transpose", k, "(list 2 3 0 1)"), "OIHW", "NCHW"
	}
	text := relay("conv2d", in, k, shape(s), shape(p), decimal(groups), decimal(w[0]), shape(w[1:]),
		activation(inner), "relay-kernel-layout-"+strings.ToLower(kernel))
	if inner != layout {
		text = relay("transpose", text, "(list 0 2 3 1)")
	}
	return &typ{dims: permuted(out, "NCHW", layout), elem: elem}, text
}

func (c *call) conv1d(args []string) (*typ, string) {
	c.layout("data_layout", "NCW")
	c.layout("kernel_layout", "OIW")
	x, w := c.x.dims, c.node.args[1].typ.dims
	c.must(len(w) == 3 && c.one("groups", 1) == 1, codeAttr, "one group")
	elem := c.convolved(args, x, w, 1)
	s, p := c.numbers("strides", 1, 1), c.padding(1)
	out := []int64{x[0], w[0], c.windows(x[2]+p[0]+p[1], w[2], s[0])}
	return &typ{dims: out, elem: elem}, relay("conv1d", args[0], args[1], shape(s), shape(p))
}

// batchMatmul multiplies; which operands are transposed attributes say, from release 0.8 on. Where
// there are none the dims do, and where those fit both ways the release.
func (c *call) batchMatmul(args []string) (*typ, string) {
	elem := c.outType(args)
	x, y := c.x, c.node.args[1].typ
	c.must(len(x.dims) == 3 && len(y.dims) == 3 && x.elem == y.elem && x.dims[0] == y.dims[0],
		codeShape, "the operands do not fit")
	ta, tb := c.truth("transpose_a", false), c.truth("transpose_b", false)
	if c.attrs["transpose_a"] == nil && c.attrs["transpose_b"] == nil {
		tb = x.dims[2] == y.dims[2]
		if tb && x.dims[2] == y.dims[1] {
			major, minor, dev, ok := c.b.meta.version()
			dev = dev && major == 0 && minor == 8
			c.must(ok && (!dev || c.e.meta != nil), "transpose-unknown", "nothing says which is "+
				"transposed")
			tb = major == 0 && minor < 8 || dev
		}
	}
	m, k, n := x.dims[1], x.dims[2], y.dims[2]
	if ta {
		m, k = k, m
		args[0] = relay("transpose", args[0], "(list 0 2 1)")
	}
	other := y.dims[1]
	if tb {
		n, other = other, n
	} else {
		args[1] = relay("transpose", args[1], "(list 0 2 1)")
	}
	c.must(k == other, codeShape, "the operands do not fit")
	return &typ{dims: []int64{x.dims[0], m, n}, elem: elem}, relay("batch-matmul", args...)
}

func (c *call) pool(name string) (*typ, string) {
	layout := c.layout("layout", "NCHW", "NHWC")
	c.must(c.given("pool_size") && !c.truth("ceil_mode", false), codeAttr, "ceil_mode")
	for _, d := range c.ints("dilation") {
		c.must(d == 1, codeAttr, "dilation is not read")
	}
	size, s, p := c.numbers("pool_size", 2, 1), c.numbers("strides", 2, 1), c.padding(2)
	c.must(!c.truth("count_include_pad", false) || slices.Max(p) == 0, codeAttr,
		"count_include_pad")
	c.must(max(p[0], p[2]) < size[0] && max(p[1], p[3]) < size[1], codeAttr,
		"a window of padding alone")
	x := permuted(c.x.dims, layout, "NCHW")
	out := []int64{x[0], x[1], c.windows(x[2]+p[0]+p[2], size[0], s[0]),
		c.windows(x[3]+p[1]+p[3], size[1], s[1])}
	return &typ{dims: permuted(out, "NCHW", layout), elem: c.x.elem},
		relay(name, c.in, shape(size), shape(s), shape(p), activation(layout))
}

// pad puts zeros around; the value is an operand from release 0.8 on.
func (c *call) pad() (*typ, string) {
	c.must(c.word("pad_mode", "constant") == "constant", codeAttr, "pad_mode")
	zero := c.rational("pad_value", "0")
	if len(c.node.args) == 2 {
		zero = c.node.args[1].num
		c.node.args = c.node.args[:1]
	}
	c.must(zero != nil && zero.Sign() == 0, codeAttr, "zeros alone")
	var flat []int64
	c.must(c.given("pad_width") && c.attrs["pad_width"].kind == "list", codeAttr, "pad_width")
	for _, v := range c.attrs["pad_width"].list {
		one := &call{e: c.e, attrs: map[string]*value{"pair": v}}
		flat = append(flat, one.ints("pair")...)
	}
	c.must(len(flat) == 2*len(c.x.dims), codeAttr, "pad_width has not two numbers for each axis")
	t := &typ{elem: c.x.elem}
	for i, d := range c.x.dims {
		c.must(min(flat[2*i], flat[2*i+1]) >= 0, codeAttr, "pad_width")
		t.dims = append(t.dims, flat[2*i]+d+flat[2*i+1])
	}
	return t, relay("pad", c.in, shape(flat))
}

// layerNorm is over the last axis and with 1e-5 an operator of Glenside; others are spelt out.
func (c *call) layerNorm(args []string) (*typ, string) {
	k := c.axis("axis", -1, len(c.x.dims))
	c.vectors(k)
	c.must(c.truth("center", true) && c.truth("scale", true), codeAttr, "center and scale")
	epsilon := c.rational("epsilon", "0.00001")
	if int(k) == len(c.x.dims)-1 && epsilon.Cmp(big.NewRat(1, 100_000)) == 0 {
		return c.x, relay("layer-norm", args...)
	}
	behind := slices.Repeat([]int64{1}, len(c.x.dims)-1-int(k))
	mean := func(x string) string {
		return relay("expand-dims", relay("mean", x, decimal(k)), decimal(k), "1")
	}
	vector := func(x string) string {
		return relay("reshape", x, shape(append(slices.Clone(c.x.dims[k:k+1]), behind...)))
	}
	from := relay("add", c.in, relay("negative", mean(c.in)))
	variance := mean(relay("multiply", from, from))
	literal := "(access-literal (literal " + spelled(epsilon, c.x.elem) + "))"
	root := relay("sqrt", relay("add", variance, literal))
	scaled := relay("multiply", relay("divide", from, root), vector(args[1]))
	return c.x, relay("add", scaled, vector(args[2]))
}

func (c *call) squeeze() (*typ, string) {
	axes := c.axes("axis", len(c.x.dims))
	t := &typ{elem: c.x.elem}
	for i, d := range c.x.dims {
		if d == 1 && !c.given("axis") {
			axes = append(axes, int64(i))
		}
		if listed := slices.Contains(axes, int64(i)); !listed {
			t.dims = append(t.dims, d)
		} else {
			c.must(d == 1, codeShape, "axis %d is not 1", i)
		}
	}
	slices.Sort(axes)
	return t, relay("squeeze", c.in, list("list", axes))
}

// reshape: 0 is the dim reached, -1 what is left over, -2 all dims that follow, -3 two of them as
// one, -4 one as the two that are named behind it.
func (c *call) reshape() (*typ, string) {
	c.must(c.given("newshape") && !c.truth("reverse", false), codeAttr, "newshape")
	want, from := c.ints("newshape"), c.x.dims
	bad := func(ok bool) { c.must(ok, "bad-attribute", "newshape does not fit") }
	next := func() int64 {
		bad(len(from) > 0)
		d := from[0]
		from = from[1:]
		return d
	}
	var out []int64
	open, zero := -1, c.truth("allowzero", false)
	for i := 0; i < len(want); i++ {
		d := want[i]
		switch {
		case d > 0 || d == 0 && zero || d == -1:
			if d == -1 {
				bad(open < 0)
				open, d = len(out), 1
			}
			from = from[min(1, len(from)):]
			out = append(out, d)
		case d == 0:
			out = append(out, next())
		case d == -2:
			out, from = append(out, from...), nil
		case d == -3:
			out = append(out, next()*next())
		case d == -4:
			bad(i+2 < len(want))
			whole, a, b := next(), want[i+1], want[i+2]
			if a == -1 && b > 0 {
				a = whole / b
			} else if b == -1 && a > 0 {
				b = whole / a
			}
			bad(a > 0 && b > 0 && a <= whole && b <= whole && a*b == whole)
			out = append(out, a, b)
			i += 2
		default:
			bad(false)
		}
	}
	for _, d := range out {
		bad(d < 1<<31)
	}
	rest, all := elements(out), elements(c.x.dims)
	if open >= 0 {
		bad(rest > 0 && all%rest == 0)
		out[open] = all / rest
	}
	bad(elements(out) == all)
	return &typ{dims: out, elem: c.x.elem}, relay("reshape", c.in, shape(out))
}

// joined puts the components of a tuple one behind the other, or one upon the other.
func (c *call) joined() (*typ, string) {
	tuple := c.node.args[0]
	c.must(len(c.x.items) > 0, codeShape, "an empty tuple")
	first := c.x.items[0]
	c.must(!first.tuple, codeShape, "a tuple of tensors")
	stack := c.e.name == "stack"
	k := c.axis("axis", 0, len(first.dims)+boolean(stack))
	dims := slices.Clone(first.dims)
	var parts []string
	for i, t := range c.x.items {
		c.must(!t.tuple && t.elem == first.elem && len(t.dims) == len(first.dims), codeShape,
			"component %d does not fit", i)
		for a, d := range t.dims {
			c.must(d == first.dims[a] || int64(a) == k && !stack, codeShape,
				"component %d does not fit", i)
		}
		if i > 0 && !stack {
			dims[k] += t.dims[k]
		}
		if tuple.kind == "tuple" {
			parts = append(parts, tuple.args[i].use())
		} else {
			parts = append(parts, fmt.Sprintf("(tuple-get-item %s %d)", c.in, i))
		}
	}
	if stack {
		dims = slices.Insert(dims, int(k), int64(len(parts)))
		return &typ{dims: dims, elem: first.elem}, relay("stack", append(parts, decimal(k))...)
	}
	return &typ{dims: dims, elem: first.elem}, relay("concatenate", decimal(k), c.in)
}

// split cuts into so many parts, or at places.
func (c *call) split() (*typ, string) {
	k := c.axis("axis", 0, len(c.x.dims))
	c.must(c.given("indices_or_sections"), codeAttr, "indices_or_sections")
	places, extent := c.ints("indices_or_sections"), c.x.dims[k]
	text := list("list", places)
	if c.attrs["indices_or_sections"].kind == "number" {
		n := places[0]
		c.must(n > 0 && n <= extent && extent%n == 0, codeShape, "there are no %d equal parts", n)
		text, places = decimal(n), nil
		for i := int64(1); i < n; i++ {
			places = append(places, i*(extent/n))
		}
	} else if len(places) == 0 {
		text = "1"
	}
	t, from := &typ{tuple: true}, int64(0)
	for _, to := range append(places, extent) {
		c.must(from <= to && to <= extent, "bad-attribute", "no axis is cut at %d", to)
		part := &typ{dims: slices.Clone(c.x.dims), elem: c.x.elem}
		part.dims[k] = to - from
		t.items = append(t.items, part)
		from = to
	}
	return t, relay("split", c.in, text, decimal(k))
}

// slice takes what is from begin to before end, at strides; in the mode size end is how much, and
// strides say nothing.
func (c *call) slice() (*typ, string) {
	begin, end := c.ints("begin"), c.ints("end")
	axes := c.axes("axes", len(c.x.dims))
	if !c.given("axes") {
		for i := range begin {
			axes = append(axes, int64(i))
		}
	}
	size := c.layout("slice_mode", "end", "size") == "size"
	c.must(len(begin) == len(end) && len(begin) == len(axes) && len(axes) <= len(c.x.dims),
		codeAttr, "begin, end and axes are of several lengths")
	step := c.ints("strides")
	if size || !slices.ContainsFunc(step, func(s int64) bool { return s != 1 }) {
		step = slices.Repeat([]int64{1}, len(axes))
	}
	c.must(len(step) == len(axes), codeAttr, "strides of several axes")
	from, to := make([]int64, len(c.x.dims)), slices.Clone(c.x.dims)
	ones := slices.Repeat([]int64{1}, len(from))
	steps := slices.Clone(ones)
	for i, k := range axes {
		b, e, extent := begin[i], end[i], c.x.dims[k]
		if b < 0 {
			b += extent
		}
		b = min(max(b, 0), extent)
		switch {
		case size && e < 0:
			e = extent
		case size:
			e = b + min(e, extent)
		case e < 0:
			e += extent
		}
		from[k], to[k] = b, min(e, extent)
		c.must(from[k] < to[k], "bad-attribute", "nothing is left of axis %d", k)
		c.must(step[i] > 0 && step[i] < 1<<31, codeAttr, "a stride of %d is not read", step[i])
		steps[k] = step[i]
	}
	t := &typ{elem: c.x.elem}
	for k := range from {
		t.dims = append(t.dims, (to[k]-from[k]-1)/steps[k]+1)
	}
	if elements(t.dims) == 0 {
		return t, relay("reshape", c.in, shape(t.dims))
	}
	part := relay("strided-slice", c.in, shape(from), shape(to), shape(ones))
	if slices.Equal(steps, ones) {
		return t, part
	}
	windows := "(access-windows (access " + part + " 0) " + shape(ones) + " " + shape(steps) + ")"
	return t, relay("reshape", windows, shape(t.dims))
}

// take gathers; in the mode clip an index outside is the nearest one, in the mode fast there is
// no such index.
func (c *call) take(args []string) (*typ, string) {
	j := c.node.args[1].typ
	c.must(j.elem.Kind == domain.ElemInt || j.elem.Kind == domain.ElemUint, "type-mismatch",
		"indices are integers")
	c.must(c.one("batch_dims", 0) == 0, codeAttr, "batch_dims")
	in, dims, k := c.in, c.x.dims, int64(0)
	if c.given("axis") {
		k = c.axis("axis", 0, len(dims))
	} else {
		dims = []int64{elements(dims)}
		in = relay("reshape", in, shape(dims))
	}
	out := slices.Concat(dims[:k], j.dims, dims[k+1:])
	at := args[1]
	if mode := c.word("mode", "clip"); mode == "clip" {
		at = c.clipped(at, dims[k])
	} else {
		c.must(mode == "fast", codeAttr, "the mode %s is not read", mode)
	}
	return &typ{dims: out, elem: c.x.elem}, relay("take", in, at, decimal(k))
}

// clipped is an index as the nearest one of so many.
func (c *call) clipped(at string, extent int64) string {
	n := c.node.args[1]
	c.must(extent > 0, codeShape, "there is nothing to take")
	last := new(big.Rat).SetInt64(extent - 1)
	bits := n.typ.elem.Width - boolean(n.typ.elem.Kind == domain.ElemInt)
	beyond := extent > 1 && last.Num().BitLen() > bits // no index reaches the last one
	if v := n.num; v != nil {
		if v.Sign() < 0 {
			v = new(big.Rat)
		} else if v.Cmp(last) > 0 {
			v = last
		}
		if n.kind == "scalar" {
			return "(access-literal (literal " + spelled(v, n.typ.elem) + "))"
		}
		return constant(v, n.typ)
	}
	if beyond {
		last.SetInt(new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1)))
	}
	return relay("clip", at, "0", last.Num().String())
}

// fold reduces axes. A mean is one of each axis, the highest first; sums and greatest values are
// over the last axes in Glenside.
func (c *call) fold() (*typ, string) {
	x, axes := c.x, c.axes("axis", len(c.x.dims))
	all := !c.given("axis") || len(axes) == 0
	t, order, over := &typ{elem: x.elem}, []int64{}, []int64{}
	kept := &typ{}
	for i, d := range x.dims {
		if all || slices.Contains(axes, int64(i)) != c.truth("exclude", false) {
			c.must(d > 0, codeShape, "there is nothing to reduce")
			over = append(over, int64(i))
			if d = 1; !c.truth("keepdims", false) {
				continue
			}
		} else {
			order = append(order, int64(i))
			kept.dims = append(kept.dims, d)
		}
		t.dims = append(t.dims, d)
	}
	float, name, text := x.elem.Kind == domain.ElemFloat, c.e.name, c.in
	switch {
	case len(over) == 0:
		return t, relay("copy", text)
	case name == "mean":
		c.must(float || len(over) == 1, codeAttr, "a mean of integers is over one axis")
		for _, k := range slices.Backward(over) {
			text = relay("mean", text, decimal(k))
		}
	default:
		c.must(float || name != "min", codeAttr, "there is none of integers")
		if name == "min" {
			text = relay("negative", text)
		}
		if order := append(slices.Clone(order), over...); !slices.IsSorted(order) {
			text = "(access-transpose " + text + " " + list("list", order) + ")"
		}
		folds := map[string]string{"sum": "reduce-sum", "max": "reduce-max", "min": "reduce-max"}
		text = fmt.Sprintf("(compute %s (access %s %d))", folds[name], text, len(order))
		if name == "min" {
			text = relay("negative", text)
		}
	}
	if len(t.dims) != len(kept.dims) {
		text = relay("reshape", text, shape(t.dims))
	}
	return t, text
}

func (c *call) upsampling() (*typ, string) {
	c.layout("layout", "NCHW")
	c.must(c.word("method", "nearest_neighbor") == "nearest_neighbor", codeAttr, "method")
	t := &typ{dims: slices.Clone(c.x.dims), elem: c.x.elem}
	var scales []string
	for i, name := range []string{"scale_h", "scale_w"} {
		s := c.rational(name, "1")
		d := new(big.Rat).Mul(s, new(big.Rat).SetInt64(t.dims[2+i]))
		c.must(d.IsInt() && d.Num().IsInt64() && d.Sign() > 0, codeAttr, "%s", name)
		t.dims[2+i] = d.Num().Int64()
		scales = append(scales, spelled(s, domain.Float32))
	}
	return t, relay("upsampling", "(access "+c.in+" 4)", scales[0], scales[1], activation("NCHW"))
}

func (c *call) filled() (*typ, string) {
	c.must(c.attrs["shape"] != nil, codeAttr, "shape")
	t := &typ{dims: c.ints("shape"), elem: c.elem("float32")}
	c.must(len(t.dims) == 0 || slices.Min(t.dims) >= 0, codeAttr, "shape")
	switch c.e.name {
	case "zeros":
		return t, relay("zeros", shape(t.dims))
	case "ones":
		return t, constant(big.NewRat(1, 1), t)
	}
	n := c.node.args[0]
	c.must(n.kind == "scalar" && (t.elem.Kind == domain.ElemFloat || n.num.IsInt()), codeAttr,
		"the value is a constant")
	c.node.args = nil
	return t, constant(n.num, t)
}

package relay

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/semantics/domain"
)

// A call is one of an operator: its type, and what it is in Glenside.
type call struct {
	e     *expr
	b     *builder
	node  *node
	attrs map[string]*value
	x     *typ   // the first operand, which is a tensor
	in    string // and what it is
}

func (c *call) must(ok bool, code, format string, args ...any) {
	if !ok {
		refuse(c.e.at, code, c.e.name+": "+format, args...)
	}
}

// relay writes a Relay call of Glenside.
func relay(name string, operands ...string) string {
	return "(relay-operator-call relay-" + name + " " + strings.Join(operands, " ") + ")"
}

func list(head string, numbers []int64) string {
	for _, n := range numbers {
		head += " " + strconv.FormatInt(n, 10)
	}
	return "(" + head + ")"
}

func shape(dims []int64) string { return list("shape", dims) }

func decimal[T int | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// elements is how many a tensor has.
func elements(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// What attributes operators have; what is not among them is refused.
var attributes = map[string]string{
	"nn.leaky_relu": "alpha", "clip": "a_min a_max", "cast": "dtype",
	"nn.conv2d": convolution, "nn.conv1d": convolution,
	"nn.dense":        "units out_dtype auto_scheduler_rewritten_layout",
	"nn.batch_matmul": "transpose_a transpose_b out_dtype auto_scheduler_rewritten_layout",
	"nn.bias_add":     "axis", "nn.batch_norm": norm, "nn.layer_norm": norm, "nn.softmax": "axis",
	"nn.log_softmax": "axis", "nn.dropout": "rate", "nn.max_pool2d": pool,
	"nn.avg_pool2d":          pool + " count_include_pad",
	"nn.global_avg_pool2d":   "layout out_layout",
	"nn.adaptive_avg_pool2d": "output_size layout out_layout",
	"nn.pad":                 "pad_width pad_value pad_mode",
	"squeeze":                "axis", "transpose": "axes",
	"reshape": "newshape reverse allowzero", "expand_dims": "axis num_newaxis",
	"concatenate": "axis", "stack": "axis", "split": "indices_or_sections axis",
	"strided_slice": "begin end strides slice_mode axes", "take": "axis mode batch_dims",
	"mean": folds, "sum": folds, "max": folds, "min": folds,
	"nn.upsampling": "scale_h scale_w layout method align_corners",
	"zeros":         "shape dtype", "ones": "shape dtype", "full": "shape dtype",
}

const (
	convolution = "strides padding dilation groups channels kernel_size data_layout " +
		"kernel_layout out_layout out_dtype auto_scheduler_rewritten_layout"
	norm  = "axis epsilon center scale"
	pool  = "pool_size strides dilation padding layout out_layout ceil_mode"
	folds = "axis keepdims exclude"
)

// read finds the type of the call and what it is.
func (c *call) read() {
	if m := c.e.meta; m != nil {
		c.attrs = map[string]*value{}
		for name, v := range c.e.attrs {
			c.attrs[name] = v
		}
		var more map[string]string
		if c.b.meta != nil || c.e.name != "nn.batch_matmul" { // whose dims may say it
			more = c.b.meta.find(m)
		}
		for name, text := range more {
			c.must(c.attrs[name] == nil, codeSyntax, "%s is there twice", name)
			kind := "string"
			if _, err := strconv.Atoi(text); err == nil {
				kind = "number" // a list would be the number of a node
				c.must(c.e.name == "nn.batch_matmul", codeAttr, "metadata is not read")
			}
			c.attrs[name] = &value{kind: kind, text: text, num: number{text: text}}
		}
	}
	known := strings.Fields(attributes[c.e.name])
	for name := range c.attrs {
		c.must(slices.Contains(known, name), codeAttr, "there is no attribute %s", name)
	}
	var args []string
	for _, a := range c.node.args {
		args = append(args, a.use())
		c.must(!a.first, "no-inference-meaning", "an operand has one component")
		c.must(a.typ.tuple == (c.e.name == "concatenate" || c.e.name == "stack"), codeShape,
			"an operand is no tensor")
	}
	if len(args) > 0 {
		c.x, c.in = c.node.args[0].typ, args[0]
	}
	c.node.kind = c.e.name
	operands := 1
	if two[c.e.name] {
		operands = 2
	} else if n := more[c.e.name]; n > 0 {
		operands = n - 1
	}
	padded := c.e.name == "nn.pad" && len(args) == 2
	c.must(len(args) == operands || padded, codeShape, "%d operands", len(args))
	c.node.typ, c.node.text = c.meaning(args)
	for _, d := range c.node.typ.dims {
		c.must(d >= 0 && d <= 1<<40, codeLarge, "there are too many elements")
	}
}

var two = map[string]bool{"add": true, "subtract": true, "multiply": true, "divide": true,
	"maximum": true, "minimum": true, "left_shift": true, "right_shift": true, "nn.conv2d": true,
	"nn.conv1d": true, "nn.dense": true, "nn.batch_matmul": true, "nn.bias_add": true, "take": true}

// more is one more than the operands of others than one.
var more = map[string]int{"nn.batch_norm": 6, "nn.layer_norm": 4, "zeros": 1, "ones": 1}

// meaning is what an operator gives and what that is.
func (c *call) meaning(args []string) (*typ, string) {
	x, in := c.x, c.in
	switch name := c.e.name; name {
	case "add", "multiply", "divide", "maximum", "minimum":
		return c.broadcast(), relay(name, args...)
	case "subtract":
		return c.broadcast(), relay("add", in, relay("negative", args[1]))
	case "negative", "sqrt", "sigmoid", "tanh", "erf", "round", "copy", "nn.relu":
		return x, relay(strings.TrimPrefix(name, "nn."), in)
	case "nn.leaky_relu":
		return x, relay("leaky-relu", in, c.float("alpha", "0.25"))
	case "clip":
		return x, relay("clip", in, c.float("a_min", ""), c.float("a_max", ""))
	case "left_shift", "right_shift":
		n := c.node.args[1]
		c.must(n.kind == "scalar" && n.typ.elem == x.elem && n.num.IsInt() && n.num.Sign() >= 0,
			codeAttr, "the number of bits is a constant")
		return x, relay(strings.ReplaceAll(name, "_", "-"), in, n.num.Num().String())
	case "cast":
		return c.cast()
	case "nn.conv2d":
		return c.conv2d(args)
	case "nn.conv1d":
		return c.conv1d(args)
	case "nn.dense":
		w := c.node.args[1].typ
		c.must(len(x.dims) == 2 && len(w.dims) == 2 && x.dims[1] == w.dims[1] && x.elem == w.elem,
			codeShape, "the operands do not fit")
		c.must(c.one("units", w.dims[0]) == w.dims[0], codeShape, "units are others")
		elem := c.outType(args)
		return &typ{dims: []int64{x.dims[0], w.dims[0]}, elem: elem}, relay("dense", args...)
	case "nn.batch_matmul":
		return c.batchMatmul(args)
	case "nn.bias_add":
		k := c.axis("axis", 1, len(x.dims))
		c.vectors(k)
		return x, relay("bias-add", in, args[1], decimal(k))
	case "nn.batch_norm":
		k := c.axis("axis", 1, len(x.dims))
		c.vectors(k)
		c.must(c.truth("center", true) && c.truth("scale", true), codeAttr, "center and scale")
		v := c.node.args[1].typ
		c.node.first = true
		args = append(args, decimal(k), c.float("epsilon", "0.00001"))
		return &typ{tuple: true, items: []*typ{x, v, v}}, relay("batch-norm-inference", args...)
	case "nn.layer_norm":
		return c.layerNorm(args)
	case "nn.softmax", "nn.log_softmax":
		k := c.axis("axis", -1, len(x.dims))
		name = strings.ReplaceAll(strings.TrimPrefix(name, "nn."), "_", "-")
		return x, relay(name, in, decimal(k))
	case "nn.dropout":
		c.node.first = true
		return &typ{tuple: true, items: []*typ{x, x}}, relay("dropout", in, c.float("rate", "0.5"))
	case "nn.max_pool2d", "nn.avg_pool2d":
		return c.pool(strings.ReplaceAll(strings.TrimPrefix(name, "nn."), "_", "-"))
	case "nn.global_avg_pool2d", "nn.adaptive_avg_pool2d":
		c.must(c.attrs["output_size"] != nil == (name == "nn.adaptive_avg_pool2d"), codeAttr, "")
		if c.attrs["output_size"] != nil {
			for _, n := range c.ints("output_size") {
				c.must(n == 1, codeAttr, "one place alone")
			}
		}
		layout := c.layout("layout", "NCHW", "NHWC")
		t := permuted(x.dims, layout, "NCHW")
		out := permuted([]int64{t[0], t[1], 1, 1}, "NCHW", layout)
		return &typ{dims: out, elem: x.elem}, relay("global-avg-pool2d", in, activation(layout))
	case "nn.pad":
		return c.pad()
	case "nn.batch_flatten":
		c.must(len(x.dims) > 0, codeShape, "a scalar")
		out := []int64{x.dims[0], elements(x.dims[1:])}
		return &typ{dims: out, elem: x.elem}, relay("batch-flatten", in)
	case "squeeze":
		return c.squeeze()
	case "transpose":
		axes := c.axes("axes", len(x.dims))
		if !c.given("axes") {
			for i := range x.dims {
				axes = append(axes, int64(len(x.dims)-1-i))
			}
		}
		c.must(len(axes) == len(x.dims), codeShape, "not all axes")
		t := &typ{elem: x.elem}
		for _, k := range axes {
			t.dims = append(t.dims, x.dims[k])
		}
		return t, relay("transpose", in, list("list", axes))
	case "reshape":
		return c.reshape()
	case "expand_dims":
		n := c.one("num_newaxis", 1)
		c.must(c.given("axis") && n >= 0 && n <= 32, codeAttr, "num_newaxis")
		k := c.axis("axis", 0, len(x.dims)+1)
		out := slices.Concat(x.dims[:k], slices.Repeat([]int64{1}, int(n)), x.dims[k:])
		return &typ{dims: out, elem: x.elem}, relay("expand-dims", in, decimal(k), decimal(n))
	case "concatenate", "stack":
		return c.joined()
	case "split":
		return c.split()
	case "strided_slice":
		return c.slice()
	case "take":
		return c.take(args)
	case "mean", "sum", "max", "min":
		return c.fold()
	case "nn.upsampling":
		return c.upsampling()
	case "zeros", "ones", "full":
		return c.filled()
	}
	c.must(false, codeOp, "tv has no meaning for this")
	return nil, ""
}

func (c *call) given(name string) bool {
	v := c.attrs[name]
	return v != nil && v.kind != "none"
}

// ints is an attribute that is a list of integers, or one.
func (c *call) ints(name string) (out []int64) {
	v := c.attrs[name]
	if !c.given(name) {
		return nil
	}
	items := v.list
	if v.kind != "list" {
		items = []*value{v}
	}
	for _, item := range items {
		n, err := strconv.ParseInt(item.num.text, 10, 64)
		c.must(item.kind == "number" && err == nil, codeAttr, "%s is no list of integers", name)
		out = append(out, n)
	}
	return out
}

// one is an attribute that is an integer.
func (c *call) one(name string, otherwise int64) int64 {
	if !c.given(name) {
		return otherwise
	}
	v := c.ints(name)
	c.must(len(v) == 1 && c.attrs[name].kind == "number", codeAttr, "%s is no integer", name)
	return v[0]
}

// numbers is an attribute of n numbers, or of one that stands for all.
func (c *call) numbers(name string, n int, otherwise int64) []int64 {
	v := c.ints(name)
	if !c.given(name) {
		v = []int64{otherwise}
	}
	if len(v) == 1 {
		v = slices.Repeat(v, n)
	}
	c.must(len(v) == n && slices.Min(v) >= 0 && slices.Max(v) < 1<<31, codeAttr, "%s", name)
	return v
}

// padding is before all axes, then behind all.
func (c *call) padding(n int) []int64 {
	if v := c.ints("padding"); len(v) == n {
		c.attrs["padding"].list = append(slices.Clip(c.attrs["padding"].list),
			c.attrs["padding"].list...)
		p := c.numbers("padding", 2*n, 0)
		c.attrs["padding"].list = c.attrs["padding"].list[:n]
		return p
	}
	return c.numbers("padding", 2*n, 0)
}

// axis is an attribute that is one of so many axes; negative ones count from the end.
func (c *call) axis(name string, otherwise int64, rank int) int64 {
	return c.counted(c.one(name, otherwise), rank)
}

func (c *call) counted(k int64, rank int) int64 {
	if k < 0 {
		k += int64(rank)
	}
	c.must(k >= 0 && k < int64(rank), "bad-attribute", "there is no axis %d", k)
	return k
}

// axes are those of a list, each once.
func (c *call) axes(name string, rank int) (out []int64) {
	for _, k := range c.ints(name) {
		k = c.counted(k, rank)
		c.must(!slices.Contains(out, k), "bad-attribute", "an axis is there twice")
		out = append(out, k)
	}
	return out
}

func (c *call) truth(name string, otherwise bool) bool {
	v := c.attrs[name]
	switch {
	case v == nil:
		return otherwise
	case v.kind == "bool":
		return v.text == "True"
	}
	n := c.one(name, -1)
	c.must(n == 0 || n == 1, codeAttr, "%s is True or False", name)
	return n == 1
}

func (c *call) word(name, otherwise string) string {
	if !c.given(name) {
		return otherwise
	}
	c.must(c.attrs[name].kind == "string", codeAttr, "%s is a word", name)
	return c.attrs[name].text
}

// layout is a word that is one of some, of which the first is the default.
func (c *call) layout(name string, words ...string) string {
	w := c.word(name, words[0])
	c.must(slices.Contains(words, w), codeAttr, "%s is not read", w)
	if strings.HasSuffix(name, "layout") && name != "kernel_layout" {
		c.must(len(c.x.dims) == len(w), codeShape, "the operand is not %s", w)
		out := c.word("out_layout", "")
		c.must(out == "" || out == w, codeAttr, "out_layout is not read")
	}
	return w
}

// outType is the element type of a product, to which its operands are converted first: their own,
// or one of wider integers.
func (c *call) outType(args []string) domain.Elem {
	c.must(c.word("auto_scheduler_rewritten_layout", "") == "", codeAttr, "another layout")
	from := c.x.elem
	name := c.word("out_dtype", "")
	if name == "" || name == from.String() {
		return from
	}
	to, ok := domain.ParseElem(name)
	c.must(ok, codeAttr, "out_dtype is not read")
	c.must((from.Kind == to.Kind || from.Kind == domain.ElemUint) && to.Width > from.Width,
		codeAttr, "out_dtype is not read")
	for _, k := range []domain.ElemKind{from.Kind, to.Kind} {
		c.must(k == domain.ElemInt || k == domain.ElemUint, codeAttr, "out_dtype is not read")
	}
	for i := range args {
		c.must(c.node.args[i].num == nil, codeAttr, "a constant of another type")
		args[i] = relay("cast", args[i], to.String())
	}
	return to
}

// rational is an attribute that is a number.
func (c *call) rational(name, otherwise string) *big.Rat {
	text := otherwise
	if v := c.attrs[name]; v != nil {
		c.must(v.kind == "number", codeAttr, "%s is no number", name)
		text = v.num.text
	}
	v, ok := rational(text)
	c.must(ok, "bad-attribute", "%s is missing", name)
	return v
}

func (c *call) float(name, otherwise string) string {
	return spelled(c.rational(name, otherwise), domain.Float32)
}

// vectors are the operands behind the first: as long as an axis of that.
func (c *call) vectors(k int64) {
	for _, a := range c.node.args[1:] {
		c.must(a.typ.elem == c.x.elem && slices.Equal(a.typ.dims, c.x.dims[k:k+1]), codeShape,
			"an operand is not as long as axis %d", k)
	}
}

func (c *call) broadcast() *typ {
	x, y := c.x.dims, c.node.args[1].typ.dims
	c.must(c.x.elem == c.node.args[1].typ.elem, "type-mismatch", "the operands are of two types")
	n := max(len(x), len(y))
	ones := slices.Repeat([]int64{1}, n)
	x, y = slices.Concat(ones[len(x):], x), slices.Concat(ones[len(y):], y)
	t := &typ{elem: c.x.elem, dims: slices.Clone(x)}
	for i, d := range y {
		c.must(x[i] == d || x[i] == 1 || d == 1, codeShape, "the operands do not fit each other")
		if x[i] == 1 {
			t.dims[i] = d
		}
	}
	return t
}

// elem is an attribute that is an element type.
func (c *call) elem(otherwise string) domain.Elem {
	name := c.word("dtype", otherwise)
	e, ok := domain.ParseElem(name)
	c.must(ok && strings.Contains(e.String(), "int") || e.Kind == domain.ElemFloat ||
		e.Kind == domain.ElemBool, "unknown-type", "%q is no element type", name)
	return e
}

// cast converts. A number that both types have is one of the new type; float32 is what numbers of
// Glenside are where nothing says their type.
func (c *call) cast() (*typ, string) {
	t, n := &typ{dims: c.x.dims, elem: c.elem("")}, c.node.args[0]
	if n.num == nil || c.x.elem == domain.Float32 {
		return t, relay("cast", c.in, t.elem.String())
	}
	bits := t.elem.Width
	if t.elem.Kind == domain.ElemInt {
		bits--
	} else if t.elem.Kind != domain.ElemUint {
		bits = 8
	}
	unsigned := t.elem.Kind == domain.ElemUint || t.elem.Kind == domain.ElemBool
	c.must(n.num.IsInt() && n.num.Num().BitLen() <= bits && (n.num.Sign() >= 0 || !unsigned),
		codeAttr, "this constant is not read in %s", t.elem)
	if n.kind == "scalar" {
		return t, "(access-literal (literal " + spelled(n.num, t.elem) + "))"
	}
	return t, constant(n.num, t)
}

// constant is a tensor of one number.
func constant(v *big.Rat, t *typ) string {
	return fmt.Sprintf("(access-tensor (constant-tensor %s %s))", spelled(v, t.elem), shape(t.dims))
}

package syntax

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/semantics/domain"
)

// asFirst is the type of an operator that works element by element.
func (k *call) asFirst() *Type {
	for _, a := range k.node.Op.attrs {
		if a.kind == aFloat {
			k.decimal(a.name)
		}
	}
	return k.args[0]
}

// broadcast aligns dims from the right: they are equal, 1 or missing.
func (k *call) broadcast() *Type {
	k.sameElem()
	x, y := k.args[0].Dims, k.args[1].Dims
	dims := make([]int64, max(len(x), len(y)))
	for i := range dims {
		a, b := int64(1), int64(1)
		if j := i - len(dims) + len(x); j >= 0 {
			a = x[j]
		}
		if j := i - len(dims) + len(y); j >= 0 {
			b = y[j]
		}
		switch {
		case a == b || b == 1:
			dims[i] = a
		case a == 1:
			dims[i] = b
		default:
			k.failCall(CodeShape, "%s and %s do not fit each other", k.args[0], k.args[1])
		}
	}
	return &Type{Dims: dims, Elem: k.args[0].Elem}
}

// shift wants a number of bits that is a constant.
func (k *call) shift() *Type {
	k.sameElem()
	n := k.node.Args[1]
	bits, err := strconv.ParseInt(n.Literal, 10, 64)
	if n.Kind != NodeScalar || err != nil || bits < 0 {
		k.fail(k.e.Args[1].At, CodeMeaning, "the number of bits is a constant in tv")
	}
	k.node.Ints["bits"] = []int64{bits}
	return k.args[0]
}

func (k *call) cast() *Type { return &Type{Dims: k.args[0].Dims, Elem: k.elem("dtype")} }

// elem reads an attribute that is an element type.
func (k *call) elem(name string) domain.Elem {
	e, ok := elementOf(k.word(name))
	if !ok {
		k.failAttr(name, "unknown-type", "%s is no element type that tv has", k.values[name])
	}
	k.node.Words[name] = e.String()
	return e
}

// pair reads an attribute of so many numbers, or one for all.
func (k *call) numbers(name string, n int, least int64) []int64 {
	list := k.integers(name)
	if len(list) == 1 {
		list = slices.Repeat(list, n)
	}
	if len(list) != n {
		k.failAttr(name, CodeValue, "%s has %d numbers, not %d", name, len(list), n)
		list = make([]int64, n)
	}
	for _, v := range list {
		if v < least || v > 1<<31 {
			k.failAttr(name, CodeValue, "%s has the number %d", name, v)
		}
	}
	k.node.Ints[name] = list
	return list
}

// padding reads 1, n or 2n numbers: before and after, by dims as TVM has them.
func (k *call) padding(n int) []int64 {
	list := k.integers("padding")
	switch len(list) {
	case 1:
		list = slices.Repeat(list, 2*n)
	case n:
		list = slices.Concat(list, list)
	case 2 * n:
	default:
		k.failAttr("padding", CodeValue, "padding has %d numbers", len(list))
		list = make([]int64, 2*n)
	}
	for _, v := range list {
		if v < 0 || v > 1<<31 {
			k.failAttr("padding", CodeValue, "padding has the number %d", v)
		}
	}
	k.node.Ints["padding"] = list
	return list
}

// window is how many places a window has.
func (k *call) window(extent, before, after, size, stride int64) int64 {
	if stride < 1 || size < 1 || before+extent+after < size {
		k.failCall(CodeShape, "a window of %d does not fit in %d", size, before+extent+after)
		return 0
	}
	return (before+extent+after-size)/stride + 1
}

// permuted returns dims in the order that letters of a layout have in another.
func permuted(dims []int64, from, to string) []int64 {
	out := make([]int64, len(dims))
	for i := range dims {
		out[i] = dims[strings.IndexByte(from, to[i])]
	}
	return out
}

func (k *call) layout(name string, words ...string) string {
	w := k.word(name)
	k.unsupported(name, slices.Contains(words, w), strings.Join(words, ", "))
	if k.err != nil {
		return words[0]
	}
	k.node.Words[name] = w
	return w
}

// sameLayout checks that a result has the layout of the operand.
func (k *call) sameLayout(layout string) {
	w := k.word("out_layout")
	k.unsupported("out_layout", w == "" || w == layout, layout)
}

func (k *call) ones(name string) {
	for _, d := range k.integers(name) {
		k.unsupported(name, d == 1, "1")
	}
}

func (k *call) conv2d() *Type {
	k.sameElem()
	if !k.rank(0, 4) || !k.rank(1, 4) {
		return nil
	}
	layout := k.layout("data_layout", "NCHW", "NHWC")
	kernel := k.layout("kernel_layout", map[string][]string{"NCHW": {"OIHW"}, "NHWC": {"HWIO", "HWOI"}}[layout]...)
	k.sameLayout(layout)
	elem := k.outType()
	k.ones("dilation")
	x, w := permuted(k.args[0].Dims, layout, "NCHW"), permuted(k.args[1].Dims, kernel, "OIHW")
	groups := k.integer("groups")
	k.node.Ints["groups"] = []int64{groups}
	switch {
	case groups == 1:
		if x[1] != w[1] {
			k.failCall(CodeShape, "the operand has %d channels and the weights %d", x[1], w[1])
		}
		if kernel == "HWOI" {
			k.unsupported("kernel_layout", false, "HWIO for one group")
		}
	default:
		k.unsupported("groups", groups == x[1] && groups == w[0] && w[1] == 1, "1, and as many as there are channels, with one filter each")
		if kernel == "HWIO" && layout == "NHWC" {
			k.unsupported("kernel_layout", false, "HWOI for groups")
		}
	}
	if !k.none("channels") && k.integer("channels") != w[0] {
		k.failAttr("channels", CodeShape, "the weights have %d filters, not channels=%d", w[0], k.integer("channels"))
	}
	if !k.none("kernel_size") {
		if s := k.numbers("kernel_size", 2, 1); s[0] != w[2] || s[1] != w[3] {
			k.failAttr("kernel_size", CodeShape, "the weights are %d by %d, not kernel_size=%s", w[2], w[3], k.values["kernel_size"])
		}
	}
	s, p := k.numbers("strides", 2, 1), k.padding(2)
	h := k.window(x[2], p[0], p[2], w[2], s[0])
	wide := k.window(x[3], p[1], p[3], w[3], s[1])
	return &Type{Dims: permuted([]int64{x[0], w[0], h, wide}, "NCHW", layout), Elem: elem}
}

func (k *call) conv1d() *Type {
	k.sameElem()
	if !k.rank(0, 3) || !k.rank(1, 3) {
		return nil
	}
	k.layout("data_layout", "NCW")
	k.layout("kernel_layout", "OIW")
	k.sameLayout("NCW")
	elem := k.outType()
	k.ones("dilation")
	k.unsupported("groups", k.integer("groups") == 1, "1")
	x, w := k.args[0].Dims, k.args[1].Dims
	if x[1] != w[1] {
		k.failCall(CodeShape, "the operand has %d channels and the weights %d", x[1], w[1])
	}
	if !k.none("channels") && k.integer("channels") != w[0] {
		k.failAttr("channels", CodeShape, "the weights have %d filters, not channels=%d", w[0], k.integer("channels"))
	}
	if !k.none("kernel_size") && k.numbers("kernel_size", 1, 1)[0] != w[2] {
		k.failAttr("kernel_size", CodeShape, "the weights are %d long, not kernel_size=%s", w[2], k.values["kernel_size"])
	}
	s, p := k.numbers("strides", 1, 1), k.padding(1)
	return Tensor(elem, x[0], w[0], k.window(x[2], p[0], p[1], w[2], s[0]))
}

func (k *call) dense() *Type {
	k.sameElem()
	if !k.rank(0, 2) || !k.rank(1, 2) {
		return nil
	}
	elem := k.outType()
	x, w := k.args[0].Dims, k.args[1].Dims
	if x[1] != w[1] {
		k.failCall(CodeShape, "the rows of %s and of %s differ in length", k.args[0], k.args[1])
	}
	if !k.none("units") && k.integer("units") != w[0] {
		k.failAttr("units", CodeShape, "the weights have %d outputs, not units=%d", w[0], k.integer("units"))
	}
	return Tensor(elem, x[0], w[0])
}

// batchMatmul finds which operands are transposed: attributes say so in TVM 0.8 and later; before, the second always is.
// Where there are none the shapes decide, and the release where they do not.
func (k *call) batchMatmul() *Type {
	k.sameElem()
	if !k.rank(0, 3) || !k.rank(1, 3) {
		return nil
	}
	elem := k.outType()
	x, y := slices.Clone(k.args[0].Dims), slices.Clone(k.args[1].Dims)
	ta, tb := k.truth("transpose_a"), k.truth("transpose_b")
	_, saidA := k.given["transpose_a"]
	_, saidB := k.given["transpose_b"]
	if !saidA && !saidB {
		rows, columns := x[2] == y[2], x[2] == y[1]
		switch {
		case rows != columns:
			tb = rows
		case rows:
			before, known := transposedBefore(k.r.version, k.e.Meta != nil && !k.bare)
			if !known || k.bare && !before { // attributes that are missing may say anything

				k.failCall(CodeTranspose, "whether the second operand is transposed, %s does not say: k and n are both %d, and "+
					"releases of TVM differ; --tvm VERSION says which one wrote the text", k.args[1], x[2])
			}
			tb = before
		}
		k.r.defaulted(k.e.Name, attr("transpose_b", aBool, Value{Kind: ValueBool, Bool: tb}.String()))
	}
	k.node.Ints["transpose"] = []int64{0, 0}
	if ta {
		x[1], x[2] = x[2], x[1]
		k.node.Ints["transpose"][0] = 1
	}
	if !tb {
		y[1], y[2] = y[2], y[1]
	} else {
		k.node.Ints["transpose"][1] = 1
	}
	if x[0] != y[0] || x[2] != y[2] {
		k.failCall(CodeShape, "%s and %s do not fit each other", k.args[0], k.args[1])
	}
	return Tensor(elem, x[0], x[1], y[1])
}

// transposedBefore tells whether a release transposes the second operand where nothing says so. Attributes of 0.8 that was not
// released yet tell it: those that are there, without a word of it, are from before.
func transposedBefore(version string, attributes bool) (transposed, known bool) {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	digits := minor
	for i := range len(minor) {
		if !isDigit(minor[i]) {
			digits = minor[:i]
			break
		}
	}
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(digits)
	switch {
	case err != nil || err2 != nil:
		return false, false
	case a == 0 && b < 8:
		return true, true
	case a == 0 && b == 8 && strings.Contains(version, "dev"):
		return attributes, attributes
	}
	return false, true
}

func (k *call) biasAdd() *Type {
	k.sameElem()
	a := k.axis("axis", len(k.args[0].Dims))
	if k.rank(1, 1) && k.args[1].Dims[0] != k.args[0].Dims[a] {
		k.failCall(CodeShape, "axis %d of %s has not the length of %s", a, k.args[0], k.args[1])
	}
	return k.args[0]
}

// vectors checks that operands from the second on are vectors as long as an axis of the first.
func (k *call) vectors(axis int) {
	for i := 1; i < len(k.args) && k.err == nil; i++ {
		if k.rank(i, 1) && k.args[i].Dims[0] != k.args[0].Dims[axis] {
			k.fail(k.e.Args[i].At, CodeShape, "operand %d is %s, and axis %d of %s has another length", i, k.args[i], axis, k.args[0])
		}
	}
}

func (k *call) batchNorm() *Type {
	k.sameElem()
	a := k.axis("axis", len(k.args[0].Dims))
	if k.err != nil {
		return nil
	}
	k.vectors(a)
	k.decimal("epsilon")
	k.unsupported("center", k.truth("center"), "True")
	k.unsupported("scale", k.truth("scale"), "True")
	v := k.args[1]
	return &Type{Kind: TypeTuple, Items: []*Type{k.args[0], v, v}}
}

func (k *call) layerNorm() *Type {
	k.sameElem()
	rank := len(k.args[0].Dims)
	a := k.axis("axis", rank)
	if k.err != nil {
		return nil
	}
	k.vectors(a)
	k.decimal("epsilon")
	k.unsupported("center", k.truth("center"), "True")
	k.unsupported("scale", k.truth("scale"), "True")
	return k.args[0]
}

func (k *call) pool() *Type {
	if !k.rank(0, 4) {
		return nil
	}
	layout := k.layout("layout", "NCHW", "NHWC")
	k.sameLayout(layout)
	k.ones("dilation")
	k.unsupported("ceil_mode", !k.truth("ceil_mode"), "False")
	size, s, p := k.numbers("pool_size", 2, 1), k.numbers("strides", 2, 1), k.padding(2)
	k.unsupported("count_include_pad", !k.truth("count_include_pad") || slices.Max(p) == 0, "False where there is padding")
	k.unsupported("padding", max(p[0], p[2]) < size[0] && max(p[1], p[3]) < size[1], "no windows of padding alone")
	x := permuted(k.args[0].Dims, layout, "NCHW")
	h := k.window(x[2], p[0], p[2], size[0], s[0])
	w := k.window(x[3], p[1], p[3], size[1], s[1])
	return &Type{Dims: permuted([]int64{x[0], x[1], h, w}, "NCHW", layout), Elem: k.args[0].Elem}
}

func (k *call) globalPool() *Type {
	if !k.rank(0, 4) {
		return nil
	}
	layout := k.layout("layout", "NCHW", "NHWC")
	k.sameLayout(layout)
	if _, adaptive := k.values["output_size"]; adaptive {
		for _, n := range k.numbers("output_size", 2, 0) {
			k.unsupported("output_size", n == 1, "[1, 1]")
		}
	}
	x := permuted(k.args[0].Dims, layout, "NCHW")
	return &Type{Dims: permuted([]int64{x[0], x[1], 1, 1}, "NCHW", layout), Elem: k.args[0].Elem}
}

func (k *call) pad() *Type {
	if w := k.word("pad_mode"); w != "constant" {
		k.unsupported("pad_mode", false, `"constant"`)
	}
	if v := k.values["pad_value"]; len(k.args) == 2 {
		n := k.node.Args[1]
		if z, ok := new(big.Rat).SetString(n.Literal); n.Kind != NodeScalar || !ok || z.Sign() != 0 {
			k.fail(k.e.Args[1].At, CodeMeaning, "tv pads with 0 alone")
		}
	} else if z, ok := new(big.Rat).SetString(v.Number.Text); !ok || z.Sign() != 0 {
		k.unsupported("pad_value", false, "0")
	}
	k.node.Args = k.node.Args[:1]
	var flat []int64
	for _, v := range k.values["pad_width"].List {
		if v.Kind == ValueList {
			flat = append(flat, integer(v.List[0]), integer(v.List[1]))
		} else {
			flat = append(flat, integer(v))
		}
	}
	x := k.args[0].Dims
	if len(flat) != 2*len(x) {
		k.failAttr("pad_width", CodeValue, "pad_width has %d pairs, and the operand %d dims", len(flat)/2, len(x))
		return nil
	}
	t := &Type{Dims: make([]int64, len(x)), Elem: k.args[0].Elem}
	for i, d := range x {
		b, e := flat[2*i], flat[2*i+1]
		if b < 0 || e < 0 || b > 1<<31 || e > 1<<31 {
			k.failAttr("pad_width", CodeValue, "pad_width has the pair %d, %d", b, e)
		}
		t.Dims[i] = b + d + e
	}
	k.node.Ints["pad_width"] = flat
	return t
}

// count returns the number of elements.
func count(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

func (k *call) flatten() *Type {
	x := k.args[0].Dims
	if len(x) == 0 {
		k.failCall(CodeShape, "a scalar has no batch")
		return nil
	}
	return Tensor(k.args[0].Elem, x[0], count(x[1:]))
}

func (k *call) squeeze() *Type {
	x := k.args[0].Dims
	var axes []int64
	if k.none("axis") {
		for i, d := range x {
			if d == 1 {
				axes = append(axes, int64(i))
			}
		}
	} else {
		axes = k.axes("axis", len(x))
	}
	t := &Type{Dims: []int64{}, Elem: k.args[0].Elem}
	for i, d := range x {
		switch {
		case !slices.Contains(axes, int64(i)):
			t.Dims = append(t.Dims, d)
		case d != 1:
			k.failAttr("axis", CodeShape, "axis %d of %s is not 1", i, k.args[0])
		}
	}
	slices.Sort(axes)
	k.node.Ints["axis"] = axes
	return t
}

func (k *call) transpose() *Type {
	x := k.args[0].Dims
	var axes []int64
	if k.none("axes") {
		for i := range x {
			axes = append(axes, int64(len(x)-1-i))
		}
	} else if axes = k.axes("axes", len(x)); len(axes) != len(x) {
		k.failAttr("axes", CodeValue, "axes are %d, and %s has %d", len(axes), k.args[0], len(x))
	}
	if k.err != nil {
		return nil
	}
	t := &Type{Dims: []int64{}, Elem: k.args[0].Elem}
	for _, a := range axes {
		t.Dims = append(t.Dims, x[a])
	}
	k.node.Ints["axes"] = axes
	return t
}

// reshape reads the words of a new shape: 0 is the dim reached, -1 what is missing, -2 all dims left, -3 two joined, -4 one
// taken apart into the two that follow.
func (k *call) reshape() *Type {
	k.unsupported("reverse", !k.truth("reverse"), "False")
	x, want := k.args[0].Dims, k.integers("newshape")
	bad := func(format string, args ...any) *Type {
		k.failAttr("newshape", CodeValue, format, args...)
		return nil
	}
	out, open, at := []int64{}, -1, 0
	for i := 0; i < len(want); i++ {
		switch d := want[i]; {
		case d > 0 && d <= mostElements, d == 0 && k.truth("allowzero"):
			out = append(out, d)
			at++
		case d == 0:
			if at >= len(x) {
				return bad("newshape has a 0 where %s has no dim", k.args[0])
			}
			out = append(out, x[at])
			at++
		case d == -1:
			if open >= 0 {
				return bad("newshape has two dims of -1")
			}
			open = len(out)
			out = append(out, 1)
			at++
		case d == -2:
			out = append(out, x[min(at, len(x)):]...)
			at = len(x)
		case d == -3:
			if at+2 > len(x) {
				return bad("newshape has a -3 where %s has no two dims", k.args[0])
			}
			out = append(out, x[at]*x[at+1])
			at += 2
		case d == -4:
			if at >= len(x) || i+2 >= len(want) {
				return bad("newshape has a -4 that takes nothing apart")
			}
			a, b := want[i+1], want[i+2]
			switch {
			case a == -1 && b > 0:
				a = x[at] / b
			case b == -1 && a > 0:
				b = x[at] / a
			}
			if a < 1 || b < 1 || a > mostElements || b > mostElements || a*b != x[at] {
				return bad("newshape takes %d apart into %d and %d", x[at], want[i+1], want[i+2])
			}
			out = append(out, a, b)
			i += 2
			at++
		default:
			return bad("newshape has the number %d", d)
		}
	}
	if !countable(out) {
		return bad("newshape has too many elements")
	}
	all, rest := count(x), count(out)
	if open >= 0 {
		if rest == 0 || all%rest != 0 {
			return bad("newshape %s does not divide the %d elements of %s", k.values["newshape"], all, k.args[0])
		}
		out[open] = all / rest
	} else if rest != all {
		k.failAttr("newshape", CodeShape, "%s has %d elements, and newshape %s has %d", k.args[0], all, k.values["newshape"], rest)
	}
	return &Type{Dims: out, Elem: k.args[0].Elem}
}

func (k *call) expandDims() *Type {
	x := k.args[0].Dims
	n := k.integer("num_newaxis")
	a := k.axis("axis", len(x)+1)
	if n < 0 || n > 32 {
		k.failAttr("num_newaxis", CodeValue, "num_newaxis is %d", n)
		return nil
	}
	k.node.Ints["num_newaxis"] = []int64{n}
	return &Type{Dims: slices.Concat(x[:a], slices.Repeat([]int64{1}, int(n)), x[a:]), Elem: k.args[0].Elem}
}

func (k *call) concatenate() *Type {
	k.sameElem()
	x := k.args[0].Dims
	a := k.axis("axis", len(x))
	if k.err != nil {
		return nil
	}
	t := &Type{Dims: slices.Clone(x), Elem: k.args[0].Elem}
	for i, y := range k.args[1:] {
		same := len(y.Dims) == len(x)
		for d := range x {
			same = same && (d == a || y.Dims[d] == x[d])
		}
		if !same {
			k.failCall(CodeShape, "component %d, %s, does not fit %s on axis %d", i+1, y, k.args[0], a)
			return nil
		}
		t.Dims[a] += y.Dims[a]
	}
	return t
}

func (k *call) stack() *Type {
	k.sameElem()
	x := k.args[0].Dims
	a := k.axis("axis", len(x)+1)
	for i, y := range k.args[1:] {
		if !slices.Equal(y.Dims, x) {
			k.failCall(CodeShape, "component %d is %s, and the first %s", i+1, y, k.args[0])
		}
	}
	return &Type{Dims: slices.Insert(slices.Clone(x), a, int64(len(k.args))), Elem: k.args[0].Elem}
}

// split cuts in so many parts where there is one number, at places where there is a list.
func (k *call) split() *Type {
	x := k.args[0].Dims
	a := k.axis("axis", len(x))
	if k.err != nil {
		return nil
	}
	v := k.integers("indices_or_sections")
	cuts := []int64{0}
	if k.values["indices_or_sections"].Kind == ValueNumber {
		if v[0] < 1 || v[0] > x[a] || x[a]%v[0] != 0 {
			k.failAttr("indices_or_sections", CodeShape, "axis %d of %s has no %d equal parts", a, k.args[0], v[0])
			return nil
		}
		k.node.Ints["sections"] = v
		for i := int64(1); i < v[0]; i++ {
			cuts = append(cuts, i*(x[a]/v[0]))
		}
	} else {
		cuts = append(cuts, v...)
	}
	cuts = append(cuts, x[a])
	k.node.Ints["cuts"] = cuts
	t := &Type{Kind: TypeTuple}
	for i, c := range cuts[1:] {
		if c < cuts[i] || c > x[a] {
			k.failAttr("indices_or_sections", CodeValue, "axis %d of %s is not cut at %d", a, k.args[0], c)
			return nil
		}
		dims := slices.Clone(x)
		dims[a] = c - cuts[i]
		t.Items = append(t.Items, &Type{Dims: dims, Elem: k.args[0].Elem})
	}
	return t
}

func (k *call) slice() *Type {
	x := k.args[0].Dims
	begin, end := k.integers("begin"), k.integers("end")
	var axes []int64
	if k.none("axes") {
		for i := range begin {
			axes = append(axes, int64(i))
		}
	} else {
		axes = k.axes("axes", len(x))
	}
	mode := k.layout("slice_mode", "end", "size")
	if len(begin) != len(end) || len(begin) != len(axes) || len(begin) > len(x) {
		k.failCall(CodeValue, "begin has %d numbers, end %d, and there are %d axes", len(begin), len(end), len(axes))
	}
	step := slices.Repeat([]int64{1}, len(axes))
	if !k.none("strides") && mode != "size" {
		if s := k.integers("strides"); slices.ContainsFunc(s, func(n int64) bool { return n != 1 }) {
			ok := len(s) == len(axes) && slices.Min(s) > 0 && slices.Max(s) < 1<<31
			if k.unsupported("strides", ok, "one from 1 on for each axis"); ok {
				step = s
			}
		}
	}
	if k.err != nil {
		return nil
	}
	from, to, steps := make([]int64, len(x)), slices.Clone(x), slices.Repeat([]int64{1}, len(x))
	for i, a := range axes {
		d := x[a]
		b, e := begin[i], end[i]
		if b < 0 {
			b += d
		}
		b = min(max(b, 0), d)
		switch {
		case mode == "size" && e < 0:
			e = d
		case mode == "size":
			e = min(b+min(e, d), d)
		default:
			if e < 0 {
				e += d
			}
			e = min(e, d)
		}
		if b >= e {
			k.failCall(CodeValue, "axis %d of %s has nothing from %d to %d", a, k.args[0], begin[i], end[i])
			return nil
		}
		from[a], to[a], steps[a] = b, e, step[i]
	}
	k.node.Ints["begin"], k.node.Ints["end"], k.node.Ints["strides"] = from, to, steps
	t := &Type{Dims: make([]int64, len(x)), Elem: k.args[0].Elem}
	for i := range x {
		t.Dims[i] = (to[i]-from[i]-1)/steps[i] + 1
	}
	return t
}

func (k *call) take() *Type {
	x, j := k.args[0], k.args[1]
	if e := j.Elem.Kind; e != domain.ElemInt && e != domain.ElemUint {
		k.fail(k.e.Args[1].At, CodeType, "indices are integers, got %s", j)
	}
	k.unsupported("batch_dims", k.integer("batch_dims") == 0, "0")
	k.layout("mode", "clip", "fast")
	if k.none("axis") {
		k.among(count(x.Dims))
		return &Type{Dims: j.Dims, Elem: x.Elem}
	}
	a := k.axis("axis", len(x.Dims))
	if k.err != nil {
		return nil
	}
	k.among(x.Dims[a])
	return &Type{Dims: slices.Concat(x.Dims[:a], j.Dims, x.Dims[a+1:]), Elem: x.Elem}
}

// among keeps how many elements an index is one of.
func (k *call) among(extent int64) {
	if extent == 0 {
		k.failCall(CodeShape, "%s has no element to take", k.args[0])
	}
	k.node.Ints["extent"] = []int64{extent}
}

// reduce keeps the axes that are reduced, rising.
func (k *call) reduce() *Type {
	x := k.args[0].Dims
	var axes []int64
	if !k.none("axis") {
		axes = k.axes("axis", len(x))
	}
	all := k.none("axis") || len(axes) == 0
	over := []int64{}
	t := &Type{Dims: []int64{}, Elem: k.args[0].Elem}
	for i, d := range x {
		switch {
		case all || slices.Contains(axes, int64(i)) != k.truth("exclude"):
			if d == 0 {
				k.failCall(CodeShape, "axis %d of %s has no elements", i, k.args[0])
			}
			over = append(over, int64(i))
			if k.truth("keepdims") {
				t.Dims = append(t.Dims, 1)
			}
		default:
			t.Dims = append(t.Dims, d)
		}
	}
	k.node.Ints["axis"] = over
	return t
}

func (k *call) upsampling() *Type {
	if !k.rank(0, 4) {
		return nil
	}
	k.layout("layout", "NCHW")
	k.layout("method", "nearest_neighbor")
	x := k.args[0].Dims
	scaled := func(name string, d int64) int64 {
		f, ok := new(big.Rat).SetString(k.decimal(name))
		if ok {
			f.Mul(f, new(big.Rat).SetInt64(d))
		}
		if !ok || !f.IsInt() || !f.Num().IsInt64() || f.Sign() <= 0 {
			k.failAttr(name, CodeMeaning, "%s=%s makes no whole number of %d", name, k.values[name], d)
			return 1
		}
		return f.Num().Int64()
	}
	return Tensor(k.args[0].Elem, x[0], x[1], scaled("scale_h", x[2]), scaled("scale_w", x[3]))
}

func (k *call) fill() *Type {
	t := &Type{Dims: k.integers("shape"), Elem: k.elem("dtype")}
	for _, d := range t.Dims {
		if d < 0 || d > mostElements {
			k.failAttr("shape", CodeValue, "shape has the number %d", d)
			return nil
		}
	}
	value := map[string]string{"zeros": "0", "ones": "1"}[k.node.Op.Name]
	if value == "" {
		n := k.node.Args[0]
		if n.Kind != NodeScalar {
			k.fail(k.e.Args[0].At, CodeMeaning, "the value is a constant in tv")
		}
		value = n.Literal
		k.node.Args = nil
	}
	k.node.Words["value"] = value
	return t
}

package syntax

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
)

// An Op is an operator of Relay.
type Op struct {
	Name     string
	operands int // how many; variadic ones take one tuple
	optional int // how many more may follow
	tuple    bool
	first    bool // it gives a tuple of which only the first component has a meaning in inference
	attrs    []attribute
	infer    func(*call) *Type
}

// An attribute is one that an operator has.
type attribute struct {
	name string
	kind attributeKind
	// what it is where it is not written, as Relay prints it; "": it has to be written
	value string
}

// attributeKind sorts the values that attributes have.
type attributeKind uint8

const (
	aInt   attributeKind = iota // a number, or None
	aInts                       // a list of integers, or one, or None
	aPairs                      // a list of lists of integers
	aFloat                      // a number
	aBool
	aWord
)

func attr(name string, kind attributeKind, value string) attribute {
	return attribute{name, kind, value}
}

// Attributes that many operators have.
var (
	outType = attr("out_dtype", aWord, `""`)
	rewrite = attr("auto_scheduler_rewritten_layout", aWord, `""`)
	shapeOf = attr("meta_schedule_original_shape", aInts, "None")
)

func convolution(dims, layout, kernel string) []attribute {
	ones, zeros := "[1, 1]", "[0, 0]"
	if dims == "1" {
		ones, zeros = "[1]", "[0]"
	}
	return []attribute{attr("strides", aInts, ones), attr("padding", aInts, zeros), attr("dilation", aInts, ones),
		attr("groups", aInt, "1"), attr("channels", aInt, "None"), attr("kernel_size", aInts, "None"),
		attr("data_layout", aWord, layout), attr("kernel_layout", aWord, kernel), attr("out_layout", aWord, `""`), outType, rewrite,
		shapeOf}
}

func pooling(more ...attribute) []attribute {
	return append([]attribute{attr("pool_size", aInts, ""), attr("strides", aInts, "[1, 1]"), attr("dilation", aInts, "[1, 1]"),
		attr("padding", aInts, "[0, 0]"), attr("layout", aWord, `"NCHW"`), attr("out_layout", aWord, `""`),
		attr("ceil_mode", aBool, "False")}, more...)
}

var reduction = []attribute{attr("axis", aInts, "None"), attr("keepdims", aBool, "False"), attr("exclude", aBool, "False")}

var filled = []attribute{attr("shape", aInts, ""), attr("dtype", aWord, `"float32"`)}

// table has the operators.
var table = operatorTable()

func operatorTable() map[string]*Op {
	m := map[string]*Op{}
	add := func(o *Op) { m[o.Name] = o }
	for _, name := range []string{"add", "subtract", "multiply", "divide", "maximum", "minimum"} {
		add(&Op{Name: name, operands: 2, infer: (*call).broadcast})
	}
	for _, name := range []string{"negative", "sqrt", "sigmoid", "tanh", "erf", "round", "copy", "nn.relu"} {
		add(&Op{Name: name, operands: 1, infer: (*call).asFirst})
	}
	for _, name := range []string{"left_shift", "right_shift"} {
		add(&Op{Name: name, operands: 2, infer: (*call).shift})
	}
	add(&Op{Name: "nn.leaky_relu", operands: 1, attrs: []attribute{attr("alpha", aFloat, "0.25")}, infer: (*call).asFirst})
	add(&Op{Name: "clip", operands: 1, attrs: []attribute{attr("a_min", aFloat, ""), attr("a_max", aFloat, "")},
		infer: (*call).asFirst})
	add(&Op{Name: "cast", operands: 1, attrs: []attribute{attr("dtype", aWord, "")}, infer: (*call).cast})
	add(&Op{Name: "nn.conv2d", operands: 2, attrs: convolution("2", `"NCHW"`, `"OIHW"`), infer: (*call).conv2d})
	add(&Op{Name: "nn.conv1d", operands: 2, attrs: convolution("1", `"NCW"`, `"OIW"`), infer: (*call).conv1d})
	add(&Op{Name: "nn.dense", operands: 2, attrs: []attribute{attr("units", aInt, "None"), outType, rewrite, shapeOf},
		infer: (*call).dense})
	add(&Op{Name: "nn.batch_matmul", operands: 2, attrs: []attribute{attr("transpose_a", aBool, "False"),
		attr("transpose_b", aBool, "False"), outType, rewrite, shapeOf}, infer: (*call).batchMatmul})
	add(&Op{Name: "nn.bias_add", operands: 2, attrs: []attribute{attr("axis", aInt, "1")}, infer: (*call).biasAdd})
	norm := func(axis string) []attribute {
		return []attribute{attr("axis", aInt, axis), attr("epsilon", aFloat, "1e-05f"), attr("center", aBool, "True"),
			attr("scale", aBool, "True")}
	}
	add(&Op{Name: "nn.batch_norm", operands: 5, first: true, attrs: norm("1"), infer: (*call).batchNorm})
	add(&Op{Name: "nn.layer_norm", operands: 3, attrs: norm("-1"), infer: (*call).layerNorm})
	for _, name := range []string{"nn.softmax", "nn.log_softmax"} {
		add(&Op{Name: name, operands: 1, attrs: []attribute{attr("axis", aInt, "-1")}, infer: func(k *call) *Type {
			k.axis("axis", len(k.args[0].Dims))
			return k.asFirst()
		}})
	}
	add(&Op{Name: "nn.dropout", operands: 1, first: true, attrs: []attribute{attr("rate", aFloat, "0.5f")},
		infer: func(k *call) *Type {
			k.decimal("rate")
			return &Type{Kind: TypeTuple, Items: []*Type{k.args[0], k.args[0]}}
		}})
	add(&Op{Name: "nn.max_pool2d", operands: 1, attrs: pooling(), infer: (*call).pool})
	add(&Op{Name: "nn.avg_pool2d", operands: 1, attrs: pooling(attr("count_include_pad", aBool, "False")), infer: (*call).pool})
	add(&Op{Name: "nn.global_avg_pool2d", operands: 1, attrs: []attribute{attr("layout", aWord, `"NCHW"`),
		attr("out_layout", aWord, `""`)}, infer: (*call).globalPool})
	add(&Op{Name: "nn.adaptive_avg_pool2d", operands: 1, attrs: []attribute{attr("output_size", aInts, ""),
		attr("layout", aWord, `"NCHW"`), attr("out_layout", aWord, `""`)}, infer: (*call).globalPool})
	add(&Op{Name: "nn.pad", operands: 1, optional: 1, attrs: []attribute{attr("pad_width", aPairs, ""),
		attr("pad_value", aFloat, "0"), attr("pad_mode", aWord, `"constant"`)}, infer: (*call).pad})
	add(&Op{Name: "nn.batch_flatten", operands: 1, infer: (*call).flatten})
	add(&Op{Name: "squeeze", operands: 1, attrs: []attribute{attr("axis", aInts, "None")}, infer: (*call).squeeze})
	add(&Op{Name: "transpose", operands: 1, attrs: []attribute{attr("axes", aInts, "None")}, infer: (*call).transpose})
	add(&Op{Name: "reshape", operands: 1, attrs: []attribute{attr("newshape", aInts, ""), attr("reverse", aBool, "False"),
		attr("allowzero", aBool, "False")}, infer: (*call).reshape})
	add(&Op{Name: "expand_dims", operands: 1, attrs: []attribute{attr("axis", aInt, ""), attr("num_newaxis", aInt, "1")},
		infer: (*call).expandDims})
	add(&Op{Name: "concatenate", operands: 1, tuple: true, attrs: []attribute{attr("axis", aInt, "0")}, infer: (*call).concatenate})
	add(&Op{Name: "stack", operands: 1, tuple: true, attrs: []attribute{attr("axis", aInt, "0")}, infer: (*call).stack})
	add(&Op{Name: "split", operands: 1, attrs: []attribute{attr("indices_or_sections", aInts, ""), attr("axis", aInt, "0")},
		infer: (*call).split})
	add(&Op{Name: "strided_slice", operands: 1, attrs: []attribute{attr("begin", aInts, ""), attr("end", aInts, ""),
		attr("strides", aInts, "None"), attr("slice_mode", aWord, `"end"`), attr("axes", aInts, "None")}, infer: (*call).slice})
	add(&Op{Name: "take", operands: 2, attrs: []attribute{attr("batch_dims", aInt, "0"), attr("axis", aInt, "None"),
		attr("mode", aWord, `"clip"`)}, infer: (*call).take})
	for _, name := range []string{"mean", "sum", "max", "min"} {
		add(&Op{Name: name, operands: 1, attrs: reduction, infer: (*call).reduce})
	}
	add(&Op{Name: "nn.upsampling", operands: 1, attrs: []attribute{attr("scale_h", aFloat, "1"), attr("scale_w", aFloat, "1"),
		attr("layout", aWord, `"NCHW"`), attr("method", aWord, `"nearest_neighbor"`), attr("align_corners", aBool, "False")},
		infer: (*call).upsampling})
	add(&Op{Name: "zeros", operands: 0, attrs: filled, infer: (*call).fill})
	add(&Op{Name: "ones", operands: 0, attrs: filled, infer: (*call).fill})
	add(&Op{Name: "full", operands: 1, attrs: filled, infer: (*call).fill})
	return m
}

// Operators lists the names of the operators that are read, sorted.
func Operators() (names []string) {
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// A call is one being typed.
type call struct {
	r      *reader
	e      *Expr
	node   *Node
	args   []*Type
	given  map[string]Attr
	values map[string]Value
	kinds  map[string]attributeKind
	err    *source.Error
	bare   bool // its attributes are in metadata that the text does not have
}

// fail keeps the first problem of a call.
func (k *call) fail(at source.Span, code, format string, args ...any) {
	if k.err == nil {
		k.err = source.Errorf(at, code, k.e.Name+": "+format, args...)
	}
}

// failCall is about the call as a whole, failAttr about an attribute, failArg about an operand.
func (k *call) failCall(code, format string, args ...any) { k.fail(k.e.At, code, format, args...) }

func (k *call) failAttr(name, code, format string, args ...any) {
	at := k.e.At
	if a, ok := k.given[name]; ok {
		at = a.At
	}
	k.fail(at, code, format, args...)
}

// operator makes the node of a call.
func (r *reader) operator(e *Expr, args []*Node) (*Node, *source.Error) {
	op := table[e.Name]
	if op == nil {
		return nil, source.Errorf(e.At, CodeOp, "tv has no meaning for the operator %s", e.Name)
	}
	k := &call{r: r, e: e, node: &Node{Kind: NodeCall, Op: op, Args: args, Ints: map[string][]int64{}, Words: map[string]string{}},
		given: map[string]Attr{}, values: map[string]Value{}, kinds: map[string]attributeKind{}}
	if len(args) < op.operands || len(args) > op.operands+op.optional {
		return nil, source.Errorf(e.At, CodeArity, "%s takes %d operands, got %d", e.Name, op.operands, len(args))
	}
	for i, a := range args {
		if err := r.whole(a, e.Args[i].At, op); err != nil {
			return nil, err
		}
		if isTuple := a.Type.Kind == TypeTuple; isTuple != op.tuple {
			what := "a tensor"
			if op.tuple {
				what = "a tuple"
			}
			return nil, source.Errorf(e.Args[i].At, CodeType, "%s takes %s, got %s", e.Name, what, a.Type)
		}
		if op.tuple {
			k.args = a.Type.Items
			for _, item := range k.args {
				if item.Kind != TypeTensor {
					return nil, source.Errorf(e.Args[i].At, CodeType, "%s takes a tuple of tensors, got %s", e.Name, a.Type)
				}
			}
			if len(k.args) == 0 {
				return nil, source.Errorf(e.Args[i].At, CodeType, "%s takes at least one tensor", e.Name)
			}
		} else {
			k.args = append(k.args, a.Type)
		}
	}
	if k.attributes(); k.err != nil {
		return nil, k.err
	}
	k.node.Type = op.infer(k)
	if k.err == nil && k.node.Type.Kind == TypeTensor && !countable(k.node.Type.Dims) {
		k.failCall("too-large", "the result has too many elements: %s", k.node.Type)
	}
	return k.node, k.err
}

// attributes reads the attributes of a call and fills in defaults.
func (k *call) attributes() {
	list := k.e.Attrs
	if m := k.e.Meta; m != nil {
		more, err := k.r.graph.Module.Metadata.attributes(m)
		switch {
		case err == nil:
			list = slices.Concat(list, more)
		case err.Code == CodeDangling && (k.e.Name == "nn.batch_matmul" || k.e.Name == "nn.dense"):
			k.bare = true // what is missing is found by the shapes, or refused
			k.r.warn(k.e.At, CodeAttrs, "%s: its attributes are in metadata that the text does not have; they are found by the "+
				"shapes of its operands", k.e.Name)
		default:
			k.err = err
			return
		}
	}
	op := k.node.Op
	for _, a := range list {
		i := slices.IndexFunc(op.attrs, func(b attribute) bool { return b.name == a.Name })
		switch _, twice := k.given[a.Name]; {
		case i < 0:
			k.fail(a.At, CodeAttr, "there is no attribute %s", a.Name)
			return
		case twice:
			k.fail(a.At, CodeDuplicate, "the attribute %s is given twice", a.Name)
			return
		}
		if a.Value.Kind == valueOfMeta {
			a.Value = k.fromMeta(op.attrs[i].kind, a.Value)
		}
		k.given[a.Name] = a
		k.values[a.Name] = a.Value
	}
	for _, a := range op.attrs {
		k.kinds[a.name] = a.kind
		if _, ok := k.given[a.name]; ok {
			k.check(a)
			continue
		}
		if a.value == "" {
			k.failCall(CodeValue, "the attribute %s is missing", a.name)
			return
		}
		k.values[a.name] = defaultValue(a.value)
		if a.value != "None" && a.value != `""` && a.name != "transpose_b" { // which infer.go finds out
			k.r.defaulted(k.e.Name, a)
		}
	}
}

// defaultValue reads the value of an attribute in the table.
func defaultValue(text string) Value {
	if v, ok := defaultValues[text]; ok {
		return v
	}
	panic("relay: the table of operators has the default " + text)
}

var defaultValues = readDefaults()

func readDefaults() map[string]Value {
	m := map[string]Value{}
	for _, o := range operatorTable() {
		for _, a := range o.attrs {
			if a.value == "" {
				continue
			}
			f := source.NewFile("default", a.value)
			p := &parser{lexer: lexer{file: f, text: f.Text}}
			if err := p.advance(); err != nil {
				panic(err)
			}
			v, err := p.value()
			if err != nil {
				panic(err)
			}
			m[a.value] = v
		}
	}
	return m
}

func (r *reader) defaulted(op string, a attribute) {
	d := Default{Operator: op, Attribute: a.name, Value: a.value}
	if r.defaults[d]++; r.defaults[d] == 1 {
		r.order = append(r.order, d)
	}
}

func (r *reader) warn(at source.Span, code, format string, args ...any) {
	r.graph.Warnings = append(r.graph.Warnings, source.Errorf(at, code, format, args...))
}

// fromMeta makes a value of what the metadata writes.
func (k *call) fromMeta(kind attributeKind, v Value) Value {
	out := Value{At: v.At}
	switch {
	case kind == aWord:
		out.Kind, out.Text = ValueString, v.Text
	case kind == aBool:
		out.Kind, out.Bool = ValueBool, v.Text == "1" || strings.EqualFold(v.Text, "true")
	case kind == aInts:
		if list, ok := k.r.graph.Module.Metadata.integers(v.Text); ok {
			out.Kind, out.List = ValueList, list
		}
	case kind == aPairs:
	default:
		out.Kind, out.Number = ValueNumber, Number{Text: v.Text}
	}
	return out
}

// check tells whether a value is of the kind that the attribute has.
func (k *call) check(a attribute) {
	v := k.values[a.name]
	ok := false
	switch a.kind {
	case aInt:
		ok = v.Kind == ValueNone && a.value == "None" || isInt(v)
	case aInts:
		ok = v.Kind == ValueNone && a.value == "None" || isInt(v) || v.Kind == ValueList && allInts(v.List)
	case aPairs:
		ok = v.Kind == ValueList && (allInts(v.List) || !slices.ContainsFunc(v.List, func(x Value) bool {
			return x.Kind != ValueList || len(x.List) != 2 || !allInts(x.List)
		}))
	case aFloat:
		_, number := new(big.Rat).SetString(clipped(v.Number.Text))
		ok = v.Kind == ValueNumber && number
	case aBool:
		ok = v.Kind == ValueBool || isInt(v) && (v.Number.Text == "0" || v.Number.Text == "1")
	case aWord:
		ok = v.Kind == ValueString || v.Kind == ValueNone
	}
	if !ok {
		kinds := []string{"an integer", "a list of integers", "a list of pairs", "a number", "True or False", "a string"}
		k.failAttr(a.name, CodeValue, "%s is %s, not %s", a.name, kinds[a.kind], v)
	}
}

func isInt(v Value) bool {
	if v.Kind != ValueNumber || strings.HasPrefix(v.Number.Suffix, "f") {
		return false
	}
	_, err := strconv.ParseInt(v.Number.Text, 10, 64)
	return err == nil
}

func allInts(list []Value) bool {
	return !slices.ContainsFunc(list, func(v Value) bool { return !isInt(v) })
}

func integer(v Value) int64 {
	n, _ := strconv.ParseInt(v.Number.Text, 10, 64)
	return n
}

// none tells whether an attribute is None.
func (k *call) none(name string) bool { return k.values[name].Kind == ValueNone }

// integers returns the list that an attribute is.
func (k *call) integers(name string) []int64 {
	v := k.values[name]
	if v.Kind == ValueNumber {
		return []int64{integer(v)}
	}
	list := make([]int64, 0, len(v.List))
	for _, x := range v.List {
		list = append(list, integer(x))
	}
	return list
}

func (k *call) integer(name string) int64 { return integer(k.values[name]) }
func (k *call) word(name string) string   { return k.values[name].Text }

func (k *call) truth(name string) bool {
	v := k.values[name]
	return v.Kind == ValueBool && v.Bool || v.Kind == ValueNumber && v.Number.Text == "1"
}

// axis keeps an axis of so many, counted from 0.
func (k *call) axis(name string, rank int) int {
	return int(k.oneAxis(name, k.integer(name), rank))
}

func (k *call) oneAxis(name string, a int64, rank int) int64 {
	n := a
	if n < 0 {
		n += int64(rank)
	}
	if n < 0 || n >= int64(rank) {
		k.failAttr(name, CodeValue, "%s=%d is no axis of %d", name, a, rank)
		n = 0
	}
	k.node.Ints[name] = []int64{n}
	return n
}

// axes returns the axes of a list, counted from 0, each once.
func (k *call) axes(name string, rank int) []int64 {
	var list []int64
	for _, a := range k.integers(name) {
		n := k.oneAxis(name, a, rank)
		if slices.Contains(list, n) && k.err == nil {
			k.failAttr(name, CodeValue, "%s has the axis %d twice", name, a)
		}
		list = append(list, n)
	}
	return list
}

// decimal keeps a number.
func (k *call) decimal(name string) string {
	text := k.values[name].Number.Text
	k.node.Words[name] = text
	return text
}

// unsupported fails where an attribute does not have the one value that tv has a meaning for.
func (k *call) unsupported(name string, ok bool, wanted string) {
	if !ok {
		k.failAttr(name, CodeMeaning, "%s=%s has no meaning in tv, which has %s", name, k.values[name], wanted)
	}
}

// outType is the element type of a product: that of the operands or, of integers, one that has all their numbers. Then the operands
// are converted first, and products and sums are in that type.
func (k *call) outType() domain.Elem {
	elem := k.args[0].Elem
	w := k.word("out_dtype")
	if w == "" {
		return elem
	}
	out, ok := elementOf(w)
	k.unsupported("out_dtype", ok && (out == elem || widens(elem, out)), cmp.Or(elem.String(), "none")+", and wider integers of integers")
	return out
}

// widens reports whether integers of one type are converted to a type of integers that has them all.
func widens(from, to domain.Elem) bool {
	switch {
	case to.Kind == domain.ElemInt && from.Kind == domain.ElemInt, to.Kind == domain.ElemUint && from.Kind == domain.ElemUint,
		to.Kind == domain.ElemInt && from.Kind == domain.ElemUint:
		return to.Width > from.Width
	}
	return false
}

// rank checks that of an operand.
func (k *call) rank(i, rank int) bool {
	if len(k.args[i].Dims) != rank {
		k.fail(k.e.Args[i].At, CodeShape, "operand %d has %d dims, not %s", i, rank, k.args[i])
	}
	return k.err == nil
}

// sameElem checks that operands have one element type.
func (k *call) sameElem() {
	for i, t := range k.args[1:] {
		if t.Elem != k.args[0].Elem {
			k.fail(k.e.At, CodeType, "operand 0 has elements of type %s and operand %d of type %s", k.args[0].Elem, i+1, t.Elem)
		}
	}
}

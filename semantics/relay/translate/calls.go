package translate

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/domain"
	"tv/semantics/relay/syntax"
)

// renamed are the operators whose names in Glenside are not theirs in Relay, and that take nothing but tensors.
var renamed = map[string]string{
	"add": "add", "multiply": "multiply", "divide": "divide", "maximum": "maximum", "minimum": "minimum",
	"negative": "negative", "sqrt": "sqrt", "sigmoid": "sigmoid", "tanh": "tanh", "erf": "erf", "round": "round", "copy": "copy",
	"nn.relu": "relu", "nn.dense": "dense", "nn.batch_flatten": "batch-flatten",
}

// relay writes a Relay call.
func relay(name string, operands ...string) string {
	return "(relay-operator-call relay-" + name + " " + strings.Join(operands, " ") + ")"
}

func layoutOf(word string) string { return "relay-activation-layout-" + strings.ToLower(word) }

// call writes a call of an operator.
func (w *writer) call(n *syntax.Node) (string, *source.Error) {
	var args []string
	for _, a := range n.Args {
		args = append(args, w.names[a.ID])
	}
	num := func(name string, i int) string { return fmt.Sprint(n.Ints[name][i]) }
	name := n.Op.Name
	if strings.HasPrefix(name, "nn.conv") || name == "nn.dense" || name == "nn.batch_matmul" {
		for i, a := range n.Args {
			if a.Type.Elem != n.Type.Elem {
				args[i] = relay("cast", args[i], n.Type.Elem.String())
			}
		}
	}
	if g, ok := renamed[name]; ok {
		return relay(g, args...), nil
	}
	switch name {
	case "subtract":
		return relay("add", args[0], relay("negative", args[1])), nil
	case "nn.leaky_relu":
		return relay("leaky-relu", args[0], n.Words["alpha"]), nil
	case "clip":
		return relay("clip", args[0], n.Words["a_min"], n.Words["a_max"]), nil
	case "left_shift", "right_shift":
		return relay(strings.ReplaceAll(name, "_", "-"), args[0], num("bits", 0)), nil
	case "cast":
		return w.cast(n, args[0])
	case "nn.conv2d":
		return conv2d(n, args), nil
	case "nn.conv1d":
		return relay("conv1d", args[0], args[1], shape(n.Ints["strides"]), shape(n.Ints["padding"])), nil
	case "nn.batch_matmul":
		flip := "(list 0 2 1)"
		if n.Ints["transpose"][0] == 1 {
			args[0] = relay("transpose", args[0], flip)
		}
		if n.Ints["transpose"][1] == 0 {
			args[1] = relay("transpose", args[1], flip)
		}
		return relay("batch-matmul", args...), nil
	case "nn.bias_add":
		return relay("bias-add", args[0], args[1], num("axis", 0)), nil
	case "nn.batch_norm":
		return relay("batch-norm-inference", append(args, num("axis", 0), n.Words["epsilon"])...), nil
	case "nn.layer_norm":
		return layerNorm(n, args), nil
	case "nn.softmax", "nn.log_softmax":
		return relay(strings.ReplaceAll(name[len("nn."):], "_", "-"), args[0], num("axis", 0)), nil
	case "nn.dropout":
		return relay("dropout", args[0], n.Words["rate"]), nil
	case "nn.max_pool2d", "nn.avg_pool2d":
		return relay(strings.ReplaceAll(name[len("nn."):], "_", "-"), args[0], shape(n.Ints["pool_size"]), shape(n.Ints["strides"]),
			shape(n.Ints["padding"]), layoutOf(n.Words["layout"])), nil
	case "nn.global_avg_pool2d", "nn.adaptive_avg_pool2d":
		return relay("global-avg-pool2d", args[0], layoutOf(n.Words["layout"])), nil
	case "nn.pad":
		return relay("pad", args[0], shape(n.Ints["pad_width"])), nil
	case "squeeze":
		return relay("squeeze", args[0], numbers("list", n.Ints["axis"])), nil
	case "transpose":
		return relay("transpose", args[0], numbers("list", n.Ints["axes"])), nil
	case "reshape":
		return relay("reshape", args[0], shape(n.Type.Dims)), nil
	case "expand_dims":
		return relay("expand-dims", args[0], num("axis", 0), num("num_newaxis", 0)), nil
	case "concatenate":
		return relay("concatenate", num("axis", 0), args[0]), nil
	case "stack":
		return relay("stack", append(w.items(n.Args[0]), num("axis", 0))...), nil
	case "split":
		sections := numbers("list", n.Ints["cuts"][1:len(n.Ints["cuts"])-1])
		if s := n.Ints["sections"]; s != nil {
			sections = fmt.Sprint(s[0])
		} else if len(n.Ints["cuts"]) == 2 {
			sections = "1"
		}
		return relay("split", args[0], sections, num("axis", 0)), nil
	case "strided_slice":
		if elements(n.Type.Dims) == 0 { // which Glenside's operator does not cut
			return relay("reshape", args[0], shape(n.Type.Dims)), nil
		}
		ones, steps := slices.Repeat([]int64{1}, len(n.Ints["begin"])), n.Ints["strides"]
		part := relay("strided-slice", args[0], shape(n.Ints["begin"]), shape(n.Ints["end"]), shape(ones))
		if slices.Equal(steps, ones) {
			return part, nil
		}
		return relay("reshape", fmt.Sprintf("(access-windows (access %s 0) %s %s)", part, shape(ones), shape(steps)), shape(n.Type.Dims)), nil
	case "take":
		x := n.Args[0].Type.Dims
		args[1] = w.clipped(n, args[1])
		if a := n.Ints["axis"]; a != nil {
			return relay("take", args[0], args[1], fmt.Sprint(a[0])), nil
		}
		return relay("take", relay("reshape", args[0], shape([]int64{elements(x)})), args[1], "0"), nil
	case "mean", "sum", "max", "min":
		return reduction(n, args[0])
	case "nn.upsampling":
		return relay("upsampling", "(access "+args[0]+" 4)", n.Words["scale_h"], n.Words["scale_w"], layoutOf("NCHW")), nil
	case "ilavta.dense", "ilaflex.linear", "ilaflex.lstm", "ilacnn.conv2d":
		return w.offload(n, args), nil
	case "zeros":
		return relay("zeros", shape(n.Type.Dims)), nil
	case "ones", "full":
		return fmt.Sprintf("(access-tensor (constant-tensor %s %s))", spell(n.Words["value"], n.Type.Elem), shape(n.Type.Dims)), nil
	}
	return "", source.Errorf(n.At, syntax.CodeOp, "tv has no meaning for the operator %s", name)
}

func elements(dims []int64) int64 {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	return n
}

// items are the components of a tuple.
func (w *writer) items(tuple *syntax.Node) (list []string) {
	for i := range tuple.Type.Items {
		if tuple.Kind == syntax.NodeTuple {
			list = append(list, w.names[tuple.Args[i].ID])
		} else {
			list = append(list, fmt.Sprintf("(tuple-get-item %s %d)", w.names[tuple.ID], i))
		}
	}
	return list
}

// cast converts; a number that both types have is written in the new one, as literals have the type of their use.
func (w *writer) cast(n *syntax.Node, arg string) (string, *source.Error) {
	a := n.Args[0]
	to := n.Type.Elem
	if (a.Kind == syntax.NodeScalar || a.Kind == syntax.NodeConstant && a.Literal != "") && a.Type.Elem != domain.Float32 {
		if !exact(a.Literal, to) {
			return "", source.Errorf(n.At, syntax.CodeMeaning, "cast: the constant %s of type %s is not exact in %s", a.Literal,
				a.Type.Elem, to)
		}
		if a.Kind == syntax.NodeScalar {
			return "(access-literal (literal " + spell(a.Literal, to) + "))", nil
		}
		return fmt.Sprintf("(access-tensor (constant-tensor %s %s))", spell(a.Literal, to), shape(a.Type.Dims)), nil
	}
	return relay("cast", arg, to.String()), nil
}

// offload writes the call of an accelerator. Rows are what products iterate over.
func (w *writer) offload(n *syntax.Node, args []string) string {
	for i := range args[:2] {
		if len(n.Args[i].Type.Dims) == 2 && n.Op.Name != "ilaflex.lstm" {
			args[i] = "(access " + args[i] + " 1)"
		}
	}
	switch n.Op.Name {
	case "ilavta.dense":
		return "(accelerator-call vta-dense " + strings.Join(args, " ") + ")"
	case "ilaflex.linear":
		return "(accelerator-call flex-linear " + strings.Join(args, " ") + ")"
	case "ilaflex.lstm":
		return "(accelerator-call flex-lstm " + strings.Join(args, " ") + " " + shape(n.Type.Dims) + ")"
	}
	return "(accelerator-call hlscnn-conv2d " + strings.Join(convolution(n, args[0], args[1], n.Words["data_layout"], n.Words["kernel_layout"]), " ") + ")"
}

// conv2d writes a convolution. One by channels has the layout nchw alone in Glenside: others go there and back.
func conv2d(n *syntax.Node, args []string) string {
	x, k := args[0], args[1]
	layout, kernel := n.Words["data_layout"], n.Words["kernel_layout"]
	there := kernel == "HWOI"
	if there {
		x, k = relay("transpose", x, "(list 0 3 1 2)"), relay("transpose", k, "(list 2 3 0 1)")
		layout, kernel = "NCHW", "OIHW"
	}
	out := relay("conv2d", convolution(n, x, k, layout, kernel)...)
	if there {
		out = relay("transpose", out, "(list 0 2 3 1)")
	}
	return out
}

// convolution lists the operands of a convolution in layouts that Glenside has.
func convolution(n *syntax.Node, x, k, layout, kernel string) []string {
	dims := map[byte]int64{}
	for i, letter := range n.Words["kernel_layout"] {
		dims[byte(letter)] = n.Args[1].Type.Dims[i]
	}
	return []string{x, k, shape(n.Ints["strides"]), shape(n.Ints["padding"]), fmt.Sprint(n.Ints["groups"][0]),
		fmt.Sprint(dims['O']), shape([]int64{dims['I'], dims['H'], dims['W']}), layoutOf(layout),
		"relay-kernel-layout-" + strings.ToLower(kernel)}
}

// reduction writes a mean as one of each axis, and a sum or a greatest value as Glenside has them, over the last axes.
func reduction(n *syntax.Node, x string) (string, *source.Error) {
	dims, over := n.Args[0].Type.Dims, n.Ints["axis"]
	elem := n.Type.Elem
	float := elem.Kind != domain.ElemInt && elem.Kind != domain.ElemUint && elem.Kind != domain.ElemBool
	var kept []int64
	for i := range dims {
		if !slices.Contains(over, int64(i)) {
			kept = append(kept, int64(i))
		}
	}
	switch {
	case len(over) == 0:
		return relay("copy", x), nil
	case n.Op.Name == "mean" && !float && len(over) > 1:
		return "", source.Errorf(n.At, syntax.CodeMeaning, "mean: tv has that of integers over one axis, not over %d", len(over))
	case n.Op.Name == "min" && !float:
		return "", source.Errorf(n.At, syntax.CodeMeaning, "min: tv has none of %s over an axis", elem)
	case n.Op.Name == "mean":
		for _, a := range slices.Backward(over) {
			x = relay("mean", x, fmt.Sprint(a))
		}
	default:
		if n.Op.Name == "min" {
			x = relay("negative", x)
		}
		if order := slices.Concat(kept, over); !slices.IsSorted(order) {
			x = "(access-transpose " + x + " " + numbers("list", order) + ")"
		}
		op := map[string]string{"sum": "reduce-sum", "max": "reduce-max", "min": "reduce-max"}[n.Op.Name]
		x = fmt.Sprintf("(compute %s (access %s %d))", op, x, len(kept))
		if n.Op.Name == "min" {
			x = relay("negative", x)
		}
	}
	if len(n.Type.Dims) != len(kept) {
		x = relay("reshape", x, shape(n.Type.Dims))
	}
	return x, nil
}

// clipped is an index of take: in the mode clip one that is outside is the nearest, in the mode fast there is none.
func (w *writer) clipped(n *syntax.Node, index string) string {
	j := n.Args[1]
	if n.Words["mode"] != "clip" {
		return index
	}
	last := big.NewInt(n.Ints["extent"][0] - 1)
	width := j.Type.Elem.Width
	if j.Type.Elem.Kind == domain.ElemInt {
		width--
	}
	if greatest := new(big.Int).Lsh(big.NewInt(1), uint(width)); last.Cmp(greatest) >= 0 {
		last.Sub(greatest, big.NewInt(1))
	}
	at, ok := new(big.Int).SetString(j.Literal, 10)
	if !ok {
		return relay("clip", index, "0", last.String())
	}
	if at.Sign() < 0 {
		at.SetInt64(0)
	}
	if at.Cmp(last) > 0 {
		at = last
	}
	text := spell(at.String(), j.Type.Elem)
	if j.Kind == syntax.NodeScalar {
		return "(access-literal (literal " + text + "))"
	}
	return fmt.Sprintf("(access-tensor (constant-tensor %s %s))", text, shape(j.Type.Dims))
}

// layerNorm is an operator of Glenside over the last axis with an epsilon of 1e-5. Others are written out: of an element the
// mean is taken off, and what is left divided by the root of the mean of its squares and epsilon.
func layerNorm(n *syntax.Node, args []string) string {
	dims, axis := n.Type.Dims, n.Ints["axis"][0]
	epsilon, _ := new(big.Rat).SetString(n.Words["epsilon"])
	if int(axis) == len(dims)-1 && epsilon.Cmp(big.NewRat(1, 100_000)) == 0 {
		return relay("layer-norm", args...)
	}
	mean := func(x string) string {
		return relay("expand-dims", relay("mean", x, fmt.Sprint(axis)), fmt.Sprint(axis), "1")
	}
	along := func(v string) string {
		return relay("reshape", v, shape(slices.Concat(dims[axis:axis+1], slices.Repeat([]int64{1}, len(dims)-1-int(axis)))))
	}
	centred := relay("add", args[0], relay("negative", mean(args[0])))
	variance := mean(relay("multiply", centred, centred))
	root := relay("sqrt", relay("add", variance, "(access-literal (literal "+spell(n.Words["epsilon"], n.Type.Elem)+"))"))
	return relay("add", relay("multiply", relay("divide", centred, root), along(args[1])), along(args[2]))
}

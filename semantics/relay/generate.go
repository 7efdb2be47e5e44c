package relay

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"tv/internal/source"
	"tv/semantics/relay/syntax"
)

// generate returns a random text of few calls.
func generate(seed uint64) []byte { return []byte(Draw(seed, 4)) }

// Draw returns a random text of about so many calls: its result has what they give.
func Draw(seed uint64, calls int) string {
	t := &text{rng: rand.New(rand.NewPCG(seed, 7))}
	t.tensors = append(t.tensors, t.param("float32", 2, 3), t.param("float32", 3), t.param("float32", 1, 2, 2, 3))
	for range calls {
		t.draw()
	}
	var results []string
	for _, x := range t.tensors[3:] {
		results = append(results, x.name)
	}
	if len(results) == 0 {
		results = append(results, t.tensors[0].name)
	}
	return t.text("", "("+strings.Join(results, ", ")+",)")
}

// A text is one being drawn.
type text struct {
	rng     *rand.Rand
	params  []string
	body    strings.Builder
	tensors []drawn
	next    int
}

// A drawn tensor is one that calls may take.
type drawn struct {
	name string
	dims []int64
	elem string
}

func (t *text) param(elem string, dims ...int64) drawn {
	d := drawn{fmt.Sprintf("%%p%d", len(t.params)), dims, elem}
	t.params = append(t.params, fmt.Sprintf("%s: Tensor[(%s), %s]", d.name, list(dims), elem))
	return d
}

func list(dims []int64) string {
	var s []string
	for _, d := range dims {
		s = append(s, fmt.Sprint(d))
	}
	return strings.Join(s, ", ")
}

// call writes a call whose type the reader finds, or leaves it out where it has none.
func (t *text) call(format string, args ...any) {
	line := fmt.Sprintf("  %%%d = %s;\n", t.next, fmt.Sprintf(format, args...))
	types, ok := typed(t.text(line, fmt.Sprintf("%%%d", t.next)))
	if !ok {
		return
	}
	t.body.WriteString(line)
	name := fmt.Sprintf("%%%d", t.next)
	t.next++
	if types.Kind == syntax.TypeTuple {
		for i, item := range types.Items {
			t.tensors = append(t.tensors, drawn{fmt.Sprintf("%s.%d", name, i), item.Dims, item.Elem.String()})
		}
		return
	}
	t.tensors = append(t.tensors, drawn{name, types.Dims, types.Elem.String()})
}

// text is the whole one so far, with more in it and a result.
func (t *text) text(more, result string) string {
	return "#[version = \"0.0.5\"]\ndef @main(" + strings.Join(t.params, ", ") + ") {\n" + t.body.String() + more + "  " + result + "\n}\n"
}

func typed(text string) (*syntax.Type, bool) {
	m, err := syntax.Parse(source.NewFile("drawn.relay", text), "")
	if err != nil {
		return nil, false
	}
	g, err := m.Graph(syntax.Options{})
	if err != nil {
		return nil, false
	}
	n := int64(0)
	for _, leaf := range g.Result.Type.Leaves() {
		c := int64(1)
		for _, d := range leaf.Dims {
			c *= d
		}
		n += c
	}
	return g.Result.Type, n <= 200
}

func (t *text) pick() drawn             { return t.tensors[t.rng.IntN(len(t.tensors))] }
func (t *text) of(n ...int) int         { return n[t.rng.IntN(len(n))] }
func (t *text) small(n int) int64       { return 1 + t.rng.Int64N(int64(n)) }
func (t *text) word(w ...string) string { return w[t.rng.IntN(len(w))] }

// axis draws one of so many, from either end.
func (t *text) axis(rank int) int { return t.rng.IntN(2*max(rank, 1)) - max(rank, 1) }

// draw writes a random call. Those that do not fit are left out.
func (t *text) draw() {
	x := t.pick()
	rank := len(x.dims)
	switch t.rng.IntN(26) {
	case 0:
		y := t.pick()
		t.call("%s(%s, %s)", t.word("add", "subtract", "multiply", "divide", "maximum", "minimum"), x.name, y.name)
	case 1:
		t.call("%s(%s)", t.word("negative", "sqrt", "sigmoid", "tanh", "erf", "round", "copy", "nn.relu", "nn.batch_flatten",
			"nn.leaky_relu", "squeeze", "transpose", "nn.softmax", "nn.log_softmax"), x.name)
	case 2:
		t.call("%s(%s, 1.5f)", t.word("add", "multiply", "divide", "subtract", "maximum"), x.name)
	case 3:
		t.call("clip(%s, a_min=-1f, a_max=2f)", x.name)
	case 4:
		t.call("%s(%s, axis=%d)", t.word("nn.softmax", "nn.log_softmax"), x.name, t.axis(rank))
	case 5, 6, 7:
		layout, n, h, w, c := "NCHW", t.small(2), 2+t.small(4), 2+t.small(4), t.small(3)
		o, kh, kw, groups := t.small(3), t.small(3), t.small(3), int64(1)
		if t.of(0, 1) == 1 {
			groups, o = c, c
		}
		image, kernel, weights := []int64{n, c, h, w}, "OIHW", []int64{o, c / groups, kh, kw}
		if t.of(0, 1) == 1 {
			layout, image = "NHWC", []int64{n, h, w, c}
			if kernel, weights = "HWIO", []int64{kh, kw, c, o}; groups > 1 {
				kernel, weights = "HWOI", []int64{kh, kw, o, 1}
			}
		}
		a, b := t.param("float32", image...), t.param("float32", weights...)
		t.call("nn.conv2d(%s, %s, strides=[%d, %d], padding=[%s], groups=%d, data_layout=\"%s\", kernel_layout=\"%s\")", a.name, b.name,
			t.small(2), t.small(3), t.word("1", "0, 1", "2, 0, 1, 0"), groups, layout, kernel)
	case 8:
		a, b := t.param("float32", t.small(2), t.small(3), 2+t.small(4)), t.param("float32", t.small(3), t.small(3), t.small(3))
		t.call("nn.conv1d(%s, %s, strides=%d, padding=[%s])", a.name, b.name, t.small(2), t.word("1", "0, 2"))
	case 9:
		if rank == 2 {
			t.call("nn.dense(%s, %s)", x.name, t.param(x.elem, t.small(3), x.dims[1]).name)
		} else {
			n, had := t.small(4), len(t.tensors)
			a, b := t.param("int8", t.small(3), n), t.param("int8", t.small(3), n)
			t.call("nn.dense(%s, %s, out_dtype=\"int32\")", a.name, b.name)
			t.call("cast(%s, dtype=\"float32\")", t.tensors[len(t.tensors)-1].name)
			t.tensors = append(t.tensors[:had], t.tensors[len(t.tensors)-1]) // few functions are of integers
		}
	case 10:
		b, m, k, n := t.small(2), t.small(3), t.small(3), t.small(3)
		left, right := []int64{b, m, k}, []int64{b, k, n}
		ta, tb := t.word("True", "False"), t.word("True", "False")
		if ta == "True" {
			left = []int64{b, k, m}
		}
		if tb == "True" {
			right = []int64{b, n, k}
		}
		t.call("nn.batch_matmul(%s, %s, transpose_a=%s, transpose_b=%s)", t.param("float32", left...).name,
			t.param("float32", right...).name, ta, tb)
	case 11:
		if rank > 0 {
			a := t.axis(rank)
			t.call("nn.bias_add(%s, %s, axis=%d)", x.name, t.param(x.elem, x.dims[(a+rank)%rank]).name, a)
		}
	case 12:
		if rank > 0 {
			a := t.axis(rank)
			v := t.param(x.elem, x.dims[(a+rank)%rank]).name
			t.call("nn.batch_norm(%s, %s, %s, %s, %s, axis=%d, epsilon=1f).0", x.name, v, v, v, t.param(x.elem, x.dims[(a+rank)%rank]).name, a)
		}
	case 13:
		if rank > 0 {
			a := t.axis(rank)
			v := t.param(x.elem, x.dims[(a+rank)%rank]).name
			t.call("nn.layer_norm(%s, %s, %s%s)", x.name, v, v, t.word("", fmt.Sprintf(", axis=%d", a), fmt.Sprintf(", axis=%d, epsilon=1f", a)))
		}
	case 14, 15:
		y := t.param("float32", t.small(2), 1+t.small(4), 1+t.small(4), 1+t.small(3))
		t.call("%s(%s, pool_size=[%d, %d], strides=[%d, %d], padding=[%s], layout=\"%s\")", t.word("nn.max_pool2d", "nn.avg_pool2d"), y.name,
			t.small(3), t.small(2), t.small(2), t.small(2), t.word("0", "1, 0", "0, 1, 1, 0"), t.word("NCHW", "NHWC"))
	case 16:
		y := t.param("float32", t.small(2), t.small(3), t.small(3), t.small(3))
		t.call("%s", t.word("nn.global_avg_pool2d("+y.name+", layout=\"NHWC\")", "nn.adaptive_avg_pool2d("+y.name+", output_size=[1, 1])",
			"nn.upsampling("+y.name+", scale_h=2f, scale_w=3f)"))
	case 17:
		var pads []string
		for range rank {
			pads = append(pads, fmt.Sprintf("[%d, %d]", t.of(0, 1, 2), t.of(0, 1)))
		}
		t.call("nn.pad(%s, 0f, pad_width=[%s])", x.name, strings.Join(pads, ", "))
	case 18:
		order := t.rng.Perm(rank)
		t.call("transpose(%s, axes=%s)", x.name, strings.ReplaceAll(fmt.Sprint(order), " ", ", "))
	case 19:
		t.call("reshape(%s, newshape=[%s])", x.name, t.word("-1", "0, -1", "-2", "-3, -2", "-1, 1", "0, -2, 1", "-4, -1, 1, -2", "2, -1", "-1, 0"))
	case 20:
		t.call("expand_dims(%s, axis=%d, num_newaxis=%d)", x.name, t.axis(rank+1), t.of(0, 1, 2))
	case 21:
		y := t.pick()
		t.call("%s((%s, %s, %s), axis=%d)", t.word("concatenate", "stack"), x.name, t.word(x.name, y.name), x.name, t.axis(rank))
	case 22:
		t.call("split(%s, indices_or_sections=%s, axis=%d)", x.name, t.word("1", "2", "3", "[1]", "[1, 2]", "[0, 1]"), t.axis(rank))
	case 23:
		t.call("strided_slice(%s, begin=[%d], end=[%d], strides=[%d], axes=[%d], slice_mode=\"%s\")", x.name, t.of(0, 1, -1, -2),
			t.of(1, 2, 3, 9, -1), t.of(1, 1, 2, 3), t.axis(rank), t.word("end", "size"))
	case 24:
		i := t.param("int32", t.small(3))
		t.call("take(%s, %s%s)", x.name, i.name, t.word("", ", axis=0", ", axis=1, mode=\"fast\"", ", axis=-1"))
	case 25:
		t.call("%s(%s%s%s%s)", t.word("mean", "sum", "max", "min"), x.name, t.word("", ", axis=[0]", ", axis=-1", ", axis=[1, 0]"),
			t.word("", ", keepdims=True"), t.word("", "", ", exclude=True"))
	}
}

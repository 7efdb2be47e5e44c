package networks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A relay is the text of a network in Relay, as it is written down: parameters, then a call a line.
type relay struct {
	params, body strings.Builder
	calls        int
	simplified   bool // batch norms are expanded into sums and products
	projected    bool // results of batch norms are projected at each use
	norms        []norm
	declared     []string
}

// A norm is a batch norm of a simplified text. TVM expands one for each projection of its result: where texts project at
// each use, as MXNet's do, that is each use, and where they name the projection, as PyTorch's do, once.
type norm struct {
	name, x  string
	channels int
	last     bool // channels are the last axis
}

// Relay returns the text of a network of the size that it has in publications, as it is exported or with batch norms
// expanded: its products, and its operators by name, are those of the public texts (relay_test.go); "" where there is none of that name. RelayNames lists them.
func Relay(name string, simplified bool) string {
	network, ok := relays[name]
	if !ok {
		return ""
	}
	return relayText(network, simplified)
}

// RelayNames lists the networks of [Relay].
func RelayNames() (names []string) {
	for name := range relays {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// RelayChain returns the text of a network of about so many calls, each with a note of its type.
func RelayChain(calls int) string {
	return relayText(func(m *relay) string {
		const note = " /* ty=Tensor[(1, 16, 32, 32), float32] span=m:1:2 */"
		x, y := m.param("data", 1, 16, 32, 32), m.param("features.0.block.scale_of_all_the_channels", 16, 1, 1)
		w := m.param("features.0.block.weight_of_the_first_convolution", 16, 16, 3, 3)
		for i := range calls / 4 {
			c := m.let("nn.conv2d(%s, %s, padding=[1, 1, 1, 1], channels=16, kernel_size=[3, 3])%s", x, w, note)
			c = m.let("multiply(%s, %s)%s", c, y, note)
			c = m.let("nn.relu(%s) /* ty=Tensor[(1, 16, 32, 32), float32] span=from_string.features.block:%d:9 */", c, i)
			x = m.let("add(%s, %s)%s", c, x, note)
		}
		return x
	}, false)
}

var relays = map[string]func(*relay) string{
	"resnet-20": resnet20, "resnet-50": resnet50, "mobilenet-v2": mobilenetV2, "efficientnet-b0": efficientnetB0,
	"resnet-50-nhwc": resnet50NHWC,
	"resmlp-12":      func(m *relay) string { return resmlp(m, 12) }, "resmlp-block": func(m *relay) string { return resmlp(m, 1) },
	"transformer-6": func(m *relay) string { return transformer(m, 6) }, "transformer-layer": func(m *relay) string { return transformer(m, 1) },
	"lstm-35": func(m *relay) string { return lstm(m, 35) }, "lstm-2": func(m *relay) string { return lstm(m, 2) },
}

func relayText(network func(*relay) string, simplified bool) string {
	m := &relay{simplified: simplified}
	result := network(m)
	return "#[version = \"0.0.5\"]\ndef @main(" + m.params.String() + ") {\n" + m.body.String() + "  " + result + "\n}\n"
}

// param declares a tensor, once.
func (m *relay) param(name string, dims ...int) string { return m.typed(name, "float32", dims...) }

func (m *relay) typed(name, elem string, dims ...int) string {
	if !slices.Contains(m.declared, name) {
		if m.params.Len() > 0 {
			m.params.WriteString(", ")
		}
		m.declared = append(m.declared, name)
		fmt.Fprintf(&m.params, "%%%s: Tensor[(%s), %s]", name, strings.Trim(strings.ReplaceAll(fmt.Sprint(dims), " ", ", "), "[]"), elem)
	}
	return "%" + name
}

// let binds a call.
func (m *relay) let(format string, args ...any) string {
	for i, arg := range args {
		if x, ok := arg.(string); ok && strings.HasPrefix(x, "norm ") {
			at, _ := strconv.Atoi(x[len("norm "):])
			args[i] = m.expanded(m.norms[at])
		}
	}
	name := fmt.Sprintf("%%%d", m.calls)
	m.calls++
	fmt.Fprintf(&m.body, "  %s = %s;\n", name, fmt.Sprintf(format, args...))
	return name
}

// conv is a convolution of kernels of k by k; groups of as many as there are channels have one filter each.
func (m *relay) conv(name, x string, in, out, k, stride, groups int) string {
	return m.convolved(x, m.param(name+".weight", out, in/groups, k, k), out, k, stride, groups)
}

func (m *relay) convolved(x, w string, out, k, stride, groups int) string {
	attrs := fmt.Sprintf("padding=[%d, %d, %d, %d], channels=%d, kernel_size=[%d, %d]", k/2, k/2, k/2, k/2, out, k, k)
	if stride != 1 {
		attrs = fmt.Sprintf("strides=[%d, %d], %s", stride, stride, attrs)
	}
	if groups != 1 {
		attrs += fmt.Sprintf(", groups=%d", groups)
	}
	return m.let("nn.conv2d(%s, %s, %s)", x, w, attrs)
}

// norm is a batch norm of the second axis, or what it stands for in inference.
func (m *relay) norm(name, x string, c int) string { return m.normed(norm{name, x, c, false}) }

func (m *relay) normed(n norm) string {
	var params []any
	for _, what := range []string{"gamma", "beta", "running_mean", "running_var"} {
		params = append(params, m.param(n.name+"."+what, n.channels))
	}
	if m.simplified && !m.projected {
		return m.expanded(n)
	}
	if m.simplified {
		m.norms = append(m.norms, n)
		return fmt.Sprint("norm ", len(m.norms)-1)
	}
	axis := ""
	if n.last {
		axis = ", axis=3"
	}
	return m.let("nn.batch_norm(%s, %s, %s, %s, %s"+axis+")", append([]any{n.x}, params...)...) + ".0"
}

// expanded writes a batch norm out.
func (m *relay) expanded(n norm) string {
	wide := func(x string) string {
		if n.last {
			return x
		}
		return m.let("expand_dims(%s, axis=1, num_newaxis=2)", x)
	}
	param := func(what string) string { return "%" + n.name + "." + what }
	d := m.let("sqrt(%s)", m.let("add(%s, 1e-05f)", param("running_var")))
	scale := m.let("multiply(%s, %s)", m.let("divide(1f, %s)", d), param("gamma"))
	y := m.let("multiply(%s, %s)", n.x, wide(scale))
	shift := m.let("multiply(%s, %s)", m.let("negative(%s)", param("running_mean")), scale)
	return m.let("add(%s, %s)", y, wide(m.let("add(%s, %s)", shift, param("beta"))))
}

func (m *relay) relu(x string) string { return m.let("nn.relu(%s)", x) }

// linear is a layer with a bias as PyTorch's is read: its weights are transposed there and back.
func (m *relay) linear(name, x string, in, out int) string {
	w := m.let("transpose(%s, axes=[1, 0])", m.param(name+".weight", out, in))
	y := m.let("nn.dense(%s, %s, units=%d)", x, m.let("transpose(%s, axes=[1, 0])", w), out)
	return m.let("add(%s, %s)", y, m.param(name+".bias", out))
}

// rows is a linear layer of the last axis of a tensor of three.
func (m *relay) rows(name, x string, in, out, first, second int) string {
	w := m.let("transpose(%s, axes=[1, 0])", m.param(name+".weight", out, in))
	y := m.let("nn.dense(%s, %s, units=%d)", m.let("reshape(%s, newshape=[-1, %d])", x, in), m.let("transpose(%s, axes=[1, 0])", w), out)
	return m.let("add(%s, %s)", m.let("reshape(%s, newshape=[%d, %d, %d])", y, first, second, out), m.param(name+".bias", out))
}

func (m *relay) classifier(x string, c, classes int) string {
	x = m.let("nn.batch_flatten(%s)", m.let("nn.global_avg_pool2d(%s)", x))
	x = m.let("nn.dense(%s, %s, units=%d)", x, m.param("fc.weight", classes, c), classes)
	return m.let("nn.bias_add(%s, %s)", x, m.param("fc.bias", classes))
}

func resnet20(m *relay) string {
	m.projected = true
	x := m.norm("bn0", m.conv("conv0", m.param("data", 1, 3, 32, 32), 3, 16, 3, 1, 1), 16)
	in := 16
	for stage := range 3 {
		out := 16 << stage
		for block := range 3 {
			name := fmt.Sprintf("stage%d.%d", stage+1, block)
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			y := m.relu(m.norm(name+".bn1", m.conv(name+".conv1", x, in, out, 3, stride, 1), out))
			y = m.norm(name+".bn2", m.conv(name+".conv2", y, out, out, 3, 1, 1), out)
			if in != out {
				x = m.norm(name+".down.bn", m.conv(name+".down.conv", x, in, out, 1, stride, 1), out)
			}
			x, in = m.relu(m.let("add(%s, %s)", y, x)), out
		}
	}
	return m.classifier(x, in, 10)
}

// resnet50 is as PyTorch's is read.
func resnet50(m *relay) string {
	x := m.relu(m.norm("bn0", m.conv("conv0", m.param("data", 1, 3, 224, 224), 3, 64, 7, 2, 1), 64))
	x = m.let("nn.max_pool2d(%s, pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])", x)
	bottlenecks(func(name string, in, mid, stride int, first bool) {
		y := m.relu(m.norm(name+".bn1", m.conv(name+".conv1", x, in, mid, 1, 1, 1), mid))
		y = m.relu(m.norm(name+".bn2", m.conv(name+".conv2", y, mid, mid, 3, stride, 1), mid))
		y = m.norm(name+".bn3", m.conv(name+".conv3", y, mid, 4*mid, 1, 1, 1), 4*mid)
		if first {
			x = m.norm(name+".down.bn", m.conv(name+".down.conv", x, in, 4*mid, 1, stride, 1), 4*mid)
		}
		x = m.relu(m.let("add(%s, %s)", y, x))
	})
	x = m.let("reshape(%s, newshape=[0, -1, 1, 1])", m.let("nn.adaptive_avg_pool2d(%s, output_size=[1, 1])", x))
	return m.linear("fc", m.let("squeeze(%s, axis=[2, 3])", x), 2048, 1000)
}

// bottlenecks walks over the blocks of a ResNet-50.
func bottlenecks(block func(name string, in, mid, stride int, first bool)) {
	in := 64
	for stage, blocks := range []int{3, 4, 6, 3} {
		for i := range blocks {
			stride := 1
			if stage > 0 && i == 0 {
				stride = 2
			}
			block(fmt.Sprintf("layer%d.%d", stage+1, i), in, 64<<stage, stride, i == 0)
			in = 4 * 64 << stage
		}
	}
}

// resnet50NHWC is as TensorFlow's is read: channels are the last axis, and what has a stride is padded before.
func resnet50NHWC(m *relay) string {
	pad := func(x string, by int) string {
		return m.let("nn.pad(%s, 0f, pad_width=[[0, 0], [%d, %d], [%d, %d], [0, 0]])", x, by, by, by, by)
	}
	conv := func(name, x string, in, out, k, stride int) string {
		w, padding := m.param(name+".weight", k, k, in, out), k/2
		strides := ""
		if stride != 1 {
			x, padding = pad(x, k/2), 0
			strides = fmt.Sprintf("strides=[%d, %d], ", stride, stride)
		}
		x = m.let("nn.conv2d(%s, %s, "+strides+"padding=[%d, %d, %d, %d], channels=%d, kernel_size=[%d, %d], "+
			"data_layout=\"NHWC\", kernel_layout=\"HWIO\")", x, w, padding, padding, padding, padding, out, k, k)
		return m.normed(norm{name + ".bn", x, out, true})
	}
	x := m.relu(conv("conv0", m.param("data", 1, 224, 224, 3), 3, 64, 7, 2))
	x = m.let("nn.max_pool2d(%s, pool_size=[3, 3], strides=[2, 2], padding=[0, 0, 1, 1], layout=\"NHWC\")", x)
	bottlenecks(func(name string, in, mid, stride int, first bool) {
		y := m.relu(conv(name+".conv1", x, in, mid, 1, 1))
		y = m.relu(conv(name+".conv2", y, mid, mid, 3, stride))
		y = conv(name+".conv3", y, mid, 4*mid, 1, 1)
		if first {
			x = conv(name+".down", x, in, 4*mid, 1, stride)
		}
		x = m.relu(m.let("add(%s, %s)", y, x))
	})
	x = m.let("reshape(%s, newshape=[-1, 2048])", m.let("mean(%s, axis=[1, 2])", x))
	x = m.let("nn.dense(%s, %s, units=1000)", x, m.let("transpose(%s, axes=[1, 0])", m.param("fc.weight", 2048, 1000)))
	return m.let("nn.softmax(%s)", m.let("add(%s, %s)", x, m.param("fc.bias", 1000)))
}

func mobilenetV2(m *relay) string {
	x := m.relu(m.norm("bn0", m.conv("conv0", m.param("data", 1, 3, 32, 32), 3, 32, 3, 1, 1), 32))
	in, block := 32, 0
	for _, s := range []struct{ expand, out, blocks, stride int }{{1, 16, 1, 1}, {6, 24, 2, 1}, {6, 32, 3, 2}, {6, 64, 4, 2},
		{6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}} {
		for i := range s.blocks {
			name := fmt.Sprintf("layers.%d", block)
			block++
			stride, mid := s.stride, in*s.expand
			if i > 0 {
				stride = 1
			}
			y := m.relu(m.norm(name+".bn1", m.conv(name+".conv1", x, in, mid, 1, 1, 1), mid))
			w := m.let("reshape(%s, newshape=[%d, 1, 3, 3])", m.param(name+".conv2.weight", mid, 1, 3, 3), mid)
			y = m.relu(m.norm(name+".bn2", m.convolved(y, w, mid, 3, stride, mid), mid))
			y = m.norm(name+".bn3", m.conv(name+".conv3", y, mid, s.out, 1, 1, 1), s.out)
			if stride == 1 {
				if in != s.out {
					x = m.norm(name+".shortcut.bn", m.conv(name+".shortcut.conv", x, in, s.out, 1, 1, 1), s.out)
				}
				y = m.let("add(%s, %s)", y, x)
			}
			x, in = y, s.out
		}
	}
	x = m.relu(m.norm("bn1", m.conv("conv1", x, in, 1280, 1, 1, 1), 1280))
	x = m.let("nn.avg_pool2d(%s, pool_size=[4, 4], strides=[4, 4], count_include_pad=True)", x)
	x = m.let("reshape(%s, newshape=[0, -1])", x)
	return m.linear("linear", x, 1280, 10)
}

// efficientnetB0 has no squeezes, the strides of the blocks of its public text, and pads of their own.
func efficientnetB0(m *relay) string {
	m.projected = true
	swish := func(x string) string {
		return m.let("multiply(%s, %s)", x, m.let("sigmoid(%s)", m.let("multiply(%s, 1f)", x)))
	}
	conv := func(name, x string, in, out, k, stride, groups int) string {
		if k > 1 {
			before, after := (k-stride)/2, (k-stride+1)/2
			x = m.let("nn.pad(%s, 0f, pad_width=[[0, 0], [0, 0], [%d, %d], [%d, %d]])", x, before, after, before, after)
		}
		attrs := fmt.Sprintf("strides=[%d, %d], padding=[0, 0, 0, 0], channels=%d, kernel_size=[%d, %d], groups=%d", stride, stride, out, k, k, groups)
		return m.let("nn.conv2d(%s, %s, %s)", x, m.param(name+".weight", out, in/groups, k, k), attrs)
	}
	x := swish(m.norm("bn0", conv("stem", m.param("data", 1, 3, 224, 224), 3, 32, 3, 2, 1), 32))
	in, block := 32, 0
	for _, s := range []struct{ expand, out, blocks, k, stride int }{{1, 16, 1, 3, 1}, {6, 24, 2, 3, 2}, {6, 40, 2, 5, 2},
		{6, 80, 3, 3, 1}, {6, 112, 3, 5, 2}, {6, 192, 4, 5, 2}, {6, 320, 1, 3, 1}} {
		for i := range s.blocks {
			name := fmt.Sprintf("blocks.%d", block)
			block++
			stride, mid := s.stride, in*s.expand
			if i > 0 {
				stride = 1
			}
			y := swish(m.norm(name+".bn0", conv(name+".expand", x, in, mid, 1, 1, 1), mid))
			y = swish(m.norm(name+".bn1", conv(name+".depthwise", y, mid, mid, s.k, stride, mid), mid))
			y = m.norm(name+".bn2", conv(name+".project", y, mid, s.out, 1, 1, 1), s.out)
			if stride == 1 && in == s.out {
				y = m.let("add(%s, %s)", y, x)
			}
			x, in = y, s.out
		}
	}
	x = swish(m.norm("bn1", conv("head", x, in, 1280, 1, 1, 1), 1280))
	x = m.let("nn.global_avg_pool2d(%s)", x)
	if !m.simplified {
		x = m.let("nn.dropout(%s, rate=0.2f)", x) + ".0"
	}
	return m.let("nn.batch_flatten(%s)", conv("classifier", x, 1280, 1000, 1, 1, 1))
}

// resmlp is of 4 patches of 16 by 16 of an image of 32 by 32.
func resmlp(m *relay, blocks int) string {
	const patches, c, classes = 4, 64, 32
	x := m.let("transpose(%s, axes=[0, 3, 1, 2])", m.param("image", 1, 32, 32, 3))
	x = m.let("transpose(%s, axes=[0, 2, 4, 3, 5, 1])", m.let("reshape(%s, newshape=[1, 3, 2, 16, 2, 16])", x))
	x = m.rows("embed", m.let("reshape(%s, newshape=[1, 4, 768])", x), 768, c, 1, patches)
	affine := func(name, x string) string {
		y := m.let("multiply(%s, %s)", x, m.param(name+".g", 1, 1, c))
		return m.let("add(%s, %s)", y, m.param(name+".b", 1, 1, c))
	}
	for i := range blocks {
		name := fmt.Sprintf("blocks.%d", i)
		y := affine(name+".affine1", x)
		y = m.let("nn.conv1d(%s, %s, channels=%d, kernel_size=[1])", y, m.param(name+".patches.weight", patches, patches, 1), patches)
		y = m.let("nn.bias_add(%s, %s)", y, m.param(name+".patches.bias", patches))
		x = m.let("add(%s, %s)", m.let("multiply(%s, %s)", y, m.param(name+".scale1", 1, 1, c)), x)
		y = m.rows(name+".fc1", affine(name+".affine2", x), c, 4*c, 1, patches)
		e := m.let("erf(%s)", m.let("multiply(%s, 0.707107f)", y))
		y = m.let("multiply(%s, %s)", m.let("multiply(%s, 0.5f)", y), m.let("add(%s, 1f)", e))
		y = m.rows(name+".fc2", y, 4*c, c, 1, patches)
		x = m.let("add(%s, %s)", m.let("multiply(%s, %s)", y, m.param(name+".scale2", 1, 1, c)), x)
	}
	x = m.let("mean(%s, axis=[1])", affine("affine", x))
	return m.let("reshape(%s, newshape=[1, %d])", m.linear("head", m.let("reshape(%s, newshape=[-1, %d])", x, c), c, classes), classes)
}

// transformer has so many layers of an encoder and of a decoder, as PyTorch's are read.
func transformer(m *relay, layers int) string {
	const batch, width, heads, inner = 32, 512, 8, 2048
	const source, target = 10, 20
	norm := func(name, x string) string {
		return m.let("nn.layer_norm(%s, %s, %s)", x, m.param(name+".weight", width), m.param(name+".bias", width))
	}
	dropout := func(x string) string { return m.let("nn.dropout(%s, rate=0.1f)", x) + ".0" }
	// product is of the rows of a tensor of three axes with weights and biases that are calls already.
	product := func(x, w, b string, length, out int) string {
		w = m.let("transpose(%s, axes=[1, 0])", m.let("transpose(%s, axes=[1, 0])", w))
		y := m.let("nn.dense(%s, %s, units=%d)", m.let("reshape(%s, newshape=[-1, %d])", x, width), w, out)
		return m.let("add(%s, %s)", m.let("reshape(%s, newshape=[%d, %d, %d])", y, length, batch, out), b)
	}
	matmul := func(x, y string) string { // y has the sum as its last axis but one
		return m.let("nn.batch_matmul(%s, %s, transpose_b=True)", x, m.let("transpose(%s, axes=[0, 2, 1])", y))
	}
	attention := func(name, x, from string, length, seen int) string {
		w, b := m.param(name+".in.weight", 3*width, width), m.param(name+".in.bias", 3*width)
		part := func(y string, length, at int) string {
			return m.let("strided_slice(%s, begin=[0, 0, %d], end=[%d, %d, %d], strides=[1, 1, 1])", y, at*width, length, batch, (at+1)*width)
		}
		var q, k, v string
		if from == x {
			y := product(x, w, b, length, 3*width)
			q, k, v = part(y, length, 0), part(y, length, 1), part(y, length, 2)
		} else {
			some := func(from, to int) (string, string) {
				return m.let("strided_slice(%s, begin=[%d, 0], end=[%d, %d], strides=[1, 1])", w, from, to, width),
					m.let("strided_slice(%s, begin=[%d], end=[%d], strides=[1])", b, from, to)
			}
			wq, bq := some(0, width)
			q = product(x, wq, bq, length, width)
			wkv, bkv := some(width, 3*width)
			y := product(from, wkv, bkv, seen, 2*width)
			k, v = part(y, seen, 0), part(y, seen, 1)
		}
		split := func(y string, length int) string {
			y = m.let("reshape(%s, newshape=[%d, %d, %d])", y, length, batch*heads, width/heads)
			return m.let("transpose(%s, axes=[1, 0, 2])", y)
		}
		q, k, v = split(m.let("multiply(%s, 0.125f)", q), length), split(k, seen), split(v, seen)
		s := dropout(m.let("nn.softmax(%s)", matmul(q, m.let("transpose(%s, axes=[0, 2, 1])", k))))
		y := m.let("transpose(%s, axes=[1, 0, 2])", matmul(s, v))
		return m.rows(name+".out", m.let("reshape(%s, newshape=[%d, %d, %d])", y, length, batch, width), width, width, length, batch)
	}
	forward := func(name, x string, length int) string {
		y := dropout(m.relu(m.rows(name+".linear1", x, width, inner, length, batch)))
		return m.rows(name+".linear2", y, inner, width, length, batch)
	}
	x := m.param("src", source, batch, width)
	for i := range layers {
		name := fmt.Sprintf("encoder.%d", i)
		x = norm(name+".norm1", m.let("add(%s, %s)", x, dropout(attention(name+".attention", x, x, source, source))))
		x = norm(name+".norm2", m.let("add(%s, %s)", x, dropout(forward(name, x, source))))
	}
	memory, y := norm("encoder.norm", x), m.param("tgt", target, batch, width)
	for i := range layers {
		name := fmt.Sprintf("decoder.%d", i)
		y = norm(name+".norm1", m.let("add(%s, %s)", y, dropout(attention(name+".attention", y, y, target, target))))
		y = norm(name+".norm2", m.let("add(%s, %s)", y, dropout(attention(name+".memory", y, memory, target, source))))
		y = norm(name+".norm3", m.let("add(%s, %s)", y, dropout(forward(name, y, target))))
	}
	return norm("decoder.norm", y)
}

// lstm is a language model of so many words of a text, as PyTorch's is read: each step concatenates the weights anew. The last cells are
// no result: in the published mapping nothing is left of the LSTM but its call, which does not return them.
func lstm(m *relay, steps int) string {
	const words, width, batch = 33278, 128, 1
	tokens := m.typed("tokens", "int32", steps, batch)
	x := m.let("take(%s, %s, axis=0, mode=\"fast\")", m.param("embedding", words, width), tokens)
	parts := m.let("split(%s, indices_or_sections=%d, axis=0)", m.let("nn.dropout(%s)", x)+".0", steps)
	state := func(name string) string {
		s := m.let("split(%s, indices_or_sections=1, axis=0)", m.param(name, 1, batch, width))
		return m.let("squeeze(%s.0, axis=[0])", s)
	}
	h, c := state("h0"), state("c0")
	w, v := m.param("cell.input.weight", 4*width, width), m.param("cell.hidden.weight", 4*width, width)
	b, d := m.param("cell.input.bias", 4*width), m.param("cell.hidden.bias", 4*width)
	var outs []string
	for t := range steps {
		both := m.let("concatenate((%s, %s), axis=1)", m.let("squeeze(%s.%d, axis=[0])", parts, t), h)
		y := m.let("nn.dense(%s, %s, units=%d)", both, m.let("concatenate((%s, %s), axis=1)", w, v), 4*width)
		gates := m.let("split(%s, indices_or_sections=4, axis=1)", m.let("add(%s, %s)", m.let("add(%s, %s)", y, b), d))
		i, f, o := m.let("sigmoid(%s.0)", gates), m.let("sigmoid(%s.1)", gates), m.let("sigmoid(%s.3)", gates)
		c = m.let("add(%s, %s)", m.let("multiply(%s, %s)", f, c), m.let("multiply(%s, %s)", i, m.let("tanh(%s.2)", gates)))
		h = m.let("multiply(%s, %s)", o, m.let("tanh(%s)", c))
		outs = append(outs, h)
	}
	all := m.let("nn.dropout(%s)", m.let("stack((%s,), axis=0)", strings.Join(outs, ", "))) + ".0"
	y := m.rows("decoder", all, width, words, steps, batch)
	y = m.let("nn.log_softmax(%s)", m.let("reshape(%s, newshape=[-1, %d])", y, words))
	return "(" + y + ", " + h + ")"
}

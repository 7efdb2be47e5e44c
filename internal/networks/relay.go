package networks

import (
	"fmt"
	"slices"
	"strings"
)

// A relay is the text of a network in Relay, as it is written down: parameters, then a call a line.
type relay struct {
	params, body strings.Builder
	calls        int
	simplified   bool // batch norms are expanded into sums and products
	declared     []string
}

// Relay returns the text of a network of the size that it has in publications, as it is exported or with batch norms
// expanded; "" where there is none of that name. RelayNames lists them.
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
	"resmlp-12": func(m *relay) string { return resmlp(m, 12) }, "resmlp-block": func(m *relay) string { return resmlp(m, 1) },
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
	name := fmt.Sprintf("%%%d", m.calls)
	m.calls++
	fmt.Fprintf(&m.body, "  %s = %s;\n", name, fmt.Sprintf(format, args...))
	return name
}

// conv is a convolution of kernels of k by k; groups of as many as there are channels have one filter each.
func (m *relay) conv(name, x string, in, out, k, stride, groups int) string {
	w := m.param(name+".weight", out, in/groups, k, k)
	attrs := fmt.Sprintf("padding=[%d, %d, %d, %d], channels=%d, kernel_size=[%d, %d]", k/2, k/2, k/2, k/2, out, k, k)
	if stride != 1 {
		attrs = fmt.Sprintf("strides=[%d, %d], %s", stride, stride, attrs)
	}
	if groups != 1 {
		attrs += fmt.Sprintf(", groups=%d", groups)
	}
	return m.let("nn.conv2d(%s, %s, %s)", x, w, attrs)
}

// norm is a batch norm, or what it stands for in inference.
func (m *relay) norm(name, x string, c int) string {
	g, b := m.param(name+".gamma", c), m.param(name+".beta", c)
	mean, v := m.param(name+".running_mean", c), m.param(name+".running_var", c)
	if !m.simplified {
		t := m.let("nn.batch_norm(%s, %s, %s, %s, %s)", x, g, b, mean, v)
		return t + ".0"
	}
	d := m.let("sqrt(%s)", m.let("add(%s, 1e-05f)", v))
	scale := m.let("multiply(%s, %s)", m.let("divide(1f, %s)", d), g)
	y := m.let("multiply(%s, %s)", x, m.let("expand_dims(%s, axis=1, num_newaxis=2)", scale))
	shift := m.let("add(%s, %s)", m.let("multiply(%s, %s)", m.let("negative(%s)", mean), scale), b)
	return m.let("add(%s, %s)", y, m.let("expand_dims(%s, axis=1, num_newaxis=2)", shift))
}

func (m *relay) relu(x string) string { return m.let("nn.relu(%s)", x) }

func (m *relay) linear(name, x string, in, out int) string {
	y := m.let("nn.dense(%s, %s, units=%d)", x, m.param(name+".weight", out, in), out)
	return m.let("add(%s, %s)", y, m.param(name+".bias", out))
}

func (m *relay) classifier(x string, c, classes int) string {
	x = m.let("nn.batch_flatten(%s)", m.let("nn.global_avg_pool2d(%s)", x))
	x = m.let("nn.dense(%s, %s, units=%d)", x, m.param("fc.weight", classes, c), classes)
	return m.let("nn.bias_add(%s, %s)", x, m.param("fc.bias", classes))
}

func resnet20(m *relay) string {
	x := m.relu(m.norm("bn0", m.conv("conv0", m.param("data", 1, 3, 32, 32), 3, 16, 3, 1, 1), 16))
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

func resnet50(m *relay) string {
	x := m.relu(m.norm("bn0", m.conv("conv0", m.param("data", 1, 3, 224, 224), 3, 64, 7, 2, 1), 64))
	x = m.let("nn.max_pool2d(%s, pool_size=[3, 3], strides=[2, 2], padding=[1, 1])", x)
	in := 64
	for stage, blocks := range []int{3, 4, 6, 3} {
		mid := 64 << stage
		for block := range blocks {
			name := fmt.Sprintf("layer%d.%d", stage+1, block)
			stride := 1
			if stage > 0 && block == 0 {
				stride = 2
			}
			y := m.relu(m.norm(name+".bn1", m.conv(name+".conv1", x, in, mid, 1, 1, 1), mid))
			y = m.relu(m.norm(name+".bn2", m.conv(name+".conv2", y, mid, mid, 3, stride, 1), mid))
			y = m.norm(name+".bn3", m.conv(name+".conv3", y, mid, 4*mid, 1, 1, 1), 4*mid)
			if block == 0 {
				x = m.norm(name+".down.bn", m.conv(name+".down.conv", x, in, 4*mid, 1, stride, 1), 4*mid)
			}
			x, in = m.relu(m.let("add(%s, %s)", y, x)), 4*mid
		}
	}
	return m.classifier(x, in, 1000)
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
			y = m.relu(m.norm(name+".bn2", m.conv(name+".conv2", y, mid, mid, 3, stride, mid), mid))
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
	return m.let("nn.dense(%s, %s, units=10)", x, m.param("linear.weight", 10, 1280))
}

func efficientnetB0(m *relay) string {
	swish := func(x string) string { return m.let("multiply(%s, %s)", x, m.let("sigmoid(%s)", x)) }
	x := swish(m.norm("bn0", m.conv("stem", m.param("data", 1, 3, 224, 224), 3, 32, 3, 2, 1), 32))
	in, block := 32, 0
	for _, s := range []struct{ expand, out, blocks, k, stride int }{{1, 16, 1, 3, 1}, {6, 24, 2, 3, 2}, {6, 40, 2, 5, 2},
		{6, 80, 3, 3, 2}, {6, 112, 3, 5, 1}, {6, 192, 4, 5, 2}, {6, 320, 1, 3, 1}} {
		for i := range s.blocks {
			name := fmt.Sprintf("blocks.%d", block)
			block++
			stride, mid := s.stride, in*s.expand
			if i > 0 {
				stride = 1
			}
			y := swish(m.norm(name+".bn0", m.conv(name+".expand", x, in, mid, 1, 1, 1), mid))
			y = swish(m.norm(name+".bn1", m.conv(name+".depthwise", y, mid, mid, s.k, stride, mid), mid))
			y = m.norm(name+".bn2", m.conv(name+".project", y, mid, s.out, 1, 1, 1), s.out)
			if stride == 1 && in == s.out {
				y = m.let("add(%s, %s)", y, x)
			}
			x, in = y, s.out
		}
	}
	x = swish(m.norm("bn1", m.conv("head", x, in, 1280, 1, 1, 1), 1280))
	x = m.let("nn.global_avg_pool2d(%s)", x)
	x = m.let("nn.dropout(%s, rate=0.2f)", m.conv("classifier", x, 1280, 1000, 1, 1, 1)) + ".0"
	return m.let("nn.batch_flatten(%s)", x)
}

func resmlp(m *relay, blocks int) string {
	const patches, c = 196, 384
	x := m.param("patches", 1, patches, c)
	affine := func(name, x string) string {
		y := m.let("multiply(%s, %s)", x, m.param(name+".alpha", 1, 1, c))
		return m.let("add(%s, %s)", y, m.param(name+".beta", 1, 1, c))
	}
	for i := range blocks {
		name := fmt.Sprintf("blocks.%d", i)
		y := affine(name+".affine1", x)
		y = m.let("nn.conv1d(%s, %s, channels=%d, kernel_size=[1])", y, m.param(name+".patches.weight", patches, patches, 1), patches)
		y = m.let("nn.bias_add(%s, %s)", y, m.param(name+".patches.bias", patches))
		x = m.let("add(%s, %s)", x, m.let("multiply(%s, %s)", y, m.param(name+".layerscale1", c)))
		y = m.let("reshape(%s, newshape=[-1, %d])", affine(name+".affine2", x), c)
		y = m.linear(name+".fc1", y, c, 4*c)
		e := m.let("erf(%s)", m.let("multiply(%s, 0.707107f)", y))
		y = m.let("multiply(%s, %s)", m.let("multiply(%s, 0.5f)", y), m.let("add(%s, 1f)", e))
		y = m.let("reshape(%s, newshape=[1, -1, %d])", m.linear(name+".fc2", y, 4*c, c), c)
		x = m.let("add(%s, %s)", x, m.let("multiply(%s, %s)", y, m.param(name+".layerscale2", c)))
	}
	x = m.let("mean(%s, axis=[1])", affine("affine", x))
	return m.linear("head", x, c, 1000)
}

func transformer(m *relay, layers int) string {
	const length, width, heads, inner = 10, 256, 4, 512
	x := m.param("src", length, width)
	product := func(name, x string) string {
		y := m.let("reshape(%s, newshape=[%d, %d, %d])", m.linear(name, x, width, width), length, heads, width/heads)
		return m.let("transpose(%s, axes=[1, 0, 2])", y)
	}
	for i := range layers {
		name := fmt.Sprintf("layers.%d", i)
		q, k, v := product(name+".q", x), product(name+".k", x), product(name+".v", x)
		s := m.let("multiply(%s, 0.125f)", m.let("nn.batch_matmul(%s, %s, transpose_b=True)", q, k))
		s = m.let("nn.dropout(%s)", m.let("nn.softmax(%s)", s)) + ".0"
		y := m.let("nn.batch_matmul(%s, %s, transpose_b=True)", s, m.let("transpose(%s, axes=[0, 2, 1])", v))
		y = m.let("reshape(%s, newshape=[%d, %d])", m.let("transpose(%s, axes=[1, 0, 2])", y), length, width)
		y = m.linear(name+".out", y, width, width)
		normed := func(which, y string) string {
			return m.let("nn.layer_norm(%s, %s, %s)", m.let("add(%s, %s)", x, y), m.param(name+which+".weight", width),
				m.param(name+which+".bias", width))
		}
		x = normed(".norm1", y)
		x = normed(".norm2", m.linear(name+".linear2", m.relu(m.linear(name+".linear1", x, width, inner)), inner, width))
	}
	return x
}

func lstm(m *relay, steps int) string {
	const words, width, batch = 100, 64, 1
	tokens := m.typed("tokens", "int32", steps, batch)
	x := m.let("take(%s, %s, axis=0, mode=\"fast\")", m.param("embedding", words, width), tokens)
	h, c := m.param("h0", batch, width), m.param("c0", batch, width)
	parts := m.let("split(%s, indices_or_sections=%d, axis=0)", x, steps)
	var outs []string
	for t := range steps {
		xt := m.let("squeeze(%s.%d, axis=[0])", parts, t)
		both := m.let("concatenate((%s, %s), axis=1)", xt, h)
		gates := m.let("split(%s, indices_or_sections=4, axis=1)", m.linear("cell", both, 2*width, 4*width))
		i, f := m.let("sigmoid(%s.0)", gates), m.let("sigmoid(%s.1)", gates)
		o := m.let("sigmoid(%s.3)", gates)
		c = m.let("add(%s, %s)", m.let("multiply(%s, %s)", f, c), m.let("multiply(%s, %s)", i, m.let("tanh(%s.2)", gates)))
		h = m.let("multiply(%s, %s)", o, m.let("tanh(%s)", c))
		outs = append(outs, h)
	}
	all := m.let("stack((%s,), axis=0)", strings.Join(outs, ", "))
	y := m.linear("decoder", m.let("reshape(%s, newshape=[%d, %d])", all, steps*batch, width), width, words)
	return "(" + m.let("nn.log_softmax(%s)", y) + ", " + h + ", " + c + ")"
}

package networks

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Random returns a random network of so many layers, as a text of Relay: images or rows of features, with layers as networks have
// them, of sizes that fit machines, that nearly do, and that do not. What a layer gives may be used by several.
func Random(seed uint64, layers int) string {
	r := &random{rng: rand.New(rand.NewPCG(seed, 0x6e6574))}
	if r.coin() {
		r.push("%"+r.param(1, r.channels(), r.pick(4, 6, 7, 8), r.pick(4, 6, 8)), r.last)
	} else {
		r.push("%"+r.param(r.pick(1, 3, 4, 16), r.channels()), r.last)
	}
	for range layers {
		r.layer()
	}
	out := r.value
	if r.chance(4) && len(r.all) > 1 {
		out = fmt.Sprintf("(%s, %s)", r.all[r.rng.IntN(len(r.all))].name, r.value)
	}
	return "#[version = \"0.0.5\"]\ndef @main(" + strings.Join(r.params, ", ") + ") {\n" + r.body.String() + "  " + out + "\n}\n"
}

// A random network that is being written: value is what the next layer gets, of dims last.
type random struct {
	rng    *rand.Rand
	params []string
	body   strings.Builder
	all    []tensor
	value  string
	last   []int
}

type tensor struct {
	name string
	dims []int
}

func (r *random) coin() bool           { return r.chance(2) }
func (r *random) chance(n int) bool    { return r.rng.IntN(n) == 0 }
func (r *random) pick(list ...int) int { return list[r.rng.IntN(len(list))] }
func (r *random) channels() int        { return r.pick(2, 3, 8, 16, 16, 32, 48, 64) }
func (r *random) bind(call string) string {
	name := fmt.Sprintf("%%%d", strings.Count(r.body.String(), "\n"))
	fmt.Fprintf(&r.body, "  %s = %s;\n", name, call)
	return name
}

// param declares a parameter and returns its name; its dims are the last ones.
func (r *random) param(dims ...int) string {
	name := fmt.Sprintf("p%d", len(r.params))
	r.params = append(r.params, fmt.Sprintf("%%%s: Tensor[(%s), float32]", name, strings.ReplaceAll(numbers(dims), " ", ", ")))
	r.last = dims
	return name
}

// weight is a parameter that leaves the value as it is.
func (r *random) weight(dims ...int) string {
	last := r.last
	defer func() { r.last = last }()
	return "%" + r.param(dims...)
}

func (r *random) push(name string, dims []int) {
	r.value, r.last = name, dims
	r.all = append(r.all, tensor{name, dims})
}

// calls binds a call on the value, of these dims.
func (r *random) calls(dims []int, format string, args ...any) {
	r.push(r.bind(fmt.Sprintf(format, args...)), dims)
}

// layer appends one that fits the value.
func (r *random) layer() {
	list := []func(){r.function, r.sum, r.scaled}
	switch len(r.last) {
	case 4:
		list = append(list, r.conv, r.conv, r.norm, r.pool, r.bias, r.flat, r.turned)
	case 3:
		list = append(list, r.batched, r.rows, r.turned, r.layerNorm, r.softmax)
	case 2:
		list = append(list, r.dense, r.dense, r.dense, r.bias, r.heads, r.halves, r.layerNorm, r.softmax, r.turned)
	}
	list[r.rng.IntN(len(list))]()
}

func (r *random) function() {
	f := []string{"nn.relu(%s)", "tanh(%s)", "sigmoid(%s)", "negative(%s)", "clip(%s, a_min=0f, a_max=6f)", "nn.leaky_relu(%s, alpha=0.1f)"}
	r.calls(r.last, f[r.rng.IntN(len(f))], r.value)
}

// sum adds an earlier value of the same dims, or the value itself.
func (r *random) sum() {
	with := r.value
	for _, x := range r.all {
		if fmt.Sprint(x.dims) == fmt.Sprint(r.last) && r.coin() {
			with = x.name
		}
	}
	r.calls(r.last, "%s(%s, %s)", []string{"add", "multiply", "maximum"}[r.rng.IntN(3)], r.value, with)
}

// scaled adds or multiplies what is broadcast.
func (r *random) scaled() {
	dims := r.last
	with := "2f"
	if r.coin() {
		with = r.weight(dims[len(dims)-1])
	}
	r.calls(dims, "%s(%s, %s)", []string{"add", "multiply"}[r.rng.IntN(2)], r.value, with)
}

func (r *random) conv() {
	d := r.last
	k, s, p := r.pick(1, 1, 3, 3, 2), r.pick(1, 1, 2), r.pick(0, 1)
	if k > d[2]+2*p || k > d[3]+2*p {
		return
	}
	h, v := (d[2]+2*p-k)/s+1, (d[3]+2*p-k)/s+1
	if r.chance(5) {
		r.calls([]int{d[0], d[1], h, v}, "nn.conv2d(%s, %s, strides=[%d, %d], padding=[%d, %d, %d, %d], groups=%d, channels=%d, kernel_size=[%d, %d])",
			r.value, r.weight(d[1], 1, k, k), s, s, p, p, p, p, d[1], d[1], k, k)
		return
	}
	o := r.channels()
	r.calls([]int{d[0], o, h, v}, "nn.conv2d(%s, %s, strides=[%d, %d], padding=[%d, %d, %d, %d], channels=%d, kernel_size=[%d, %d])",
		r.value, r.weight(o, d[1], k, k), s, s, p, p, p, p, o, k, k)
}

func (r *random) norm() {
	c := r.last[1]
	r.calls(r.last, "nn.batch_norm(%s, %s, %s, %s, %s).0", r.value, r.weight(c), r.weight(c), r.weight(c), r.weight(c))
}

func (r *random) pool() {
	d := r.last
	if r.chance(4) {
		r.calls([]int{d[0], d[1], 1, 1}, "nn.global_avg_pool2d(%s)", r.value)
		return
	}
	if d[2] < 2 || d[3] < 2 {
		return
	}
	s := r.pick(1, 2)
	op := []string{"max", "max", "avg"}[r.rng.IntN(3)]
	r.calls([]int{d[0], d[1], (d[2]-2)/s + 1, (d[3]-2)/s + 1}, "nn.%s_pool2d(%s, pool_size=[2, 2], strides=[%d, %d], padding=[0, 0, 0, 0])", op, r.value, s, s)
}

func (r *random) bias() { r.calls(r.last, "nn.bias_add(%s, %s)", r.value, r.weight(r.last[1])) }

func (r *random) flat() {
	d := r.last
	if r.coin() {
		r.calls([]int{d[0], d[1] * d[2] * d[3]}, "nn.batch_flatten(%s)", r.value)
		return
	}
	r.calls([]int{d[0], d[1], d[2] * d[3]}, "reshape(%s, newshape=[%d, %d, -1])", r.value, d[0], d[1])
}

func (r *random) dense() {
	d := r.last
	if d[1] > 600 {
		r.halves()
		return
	}
	n := r.channels()
	r.calls([]int{d[0], n}, "nn.dense(%s, %s, units=%d)", r.value, r.weight(n, d[1]), n)
	switch r.rng.IntN(3) {
	case 0:
		r.calls(r.last, "nn.bias_add(%s, %s, axis=-1)", r.value, r.weight(n))
	case 1:
		r.calls(r.last, "add(%s, %s)", r.value, r.weight(n))
	}
}

// heads turns rows of features into a batch of them.
func (r *random) heads() {
	d := r.last
	if d[1]%2 != 0 || d[1] > 128 {
		return
	}
	r.calls([]int{d[0], 2, d[1] / 2}, "reshape(%s, newshape=[0, 2, -1])", r.value)
}

// halves goes on with one half, or with both the other way round.
func (r *random) halves() {
	d := r.last
	if d[1]%2 != 0 {
		return
	}
	parts := r.bind(fmt.Sprintf("split(%s, indices_or_sections=2, axis=1)", r.value))
	if r.coin() && d[1] <= 600 {
		r.calls(d, "concatenate((%s.1, %s.0), axis=1)", parts, parts)
		return
	}
	r.calls([]int{d[0], d[1] / 2}, "strided_slice(%s, begin=[0, %d], end=[%d, %d])", r.value, d[1]/2, d[0], d[1])
}

func (r *random) rows() {
	d := r.last
	r.calls([]int{d[0] * d[1], d[2]}, "reshape(%s, newshape=[-3, 0])", r.value)
}

func (r *random) batched() {
	d := r.last
	n := r.pick(4, 16)
	r.calls([]int{d[0], d[1], n}, "nn.batch_matmul(%s, %s, transpose_b=True)", r.value, r.weight(d[0], n, d[2]))
}

func (r *random) layerNorm() {
	n := r.last[len(r.last)-1]
	if n > 64 {
		return
	}
	r.calls(r.last, "nn.layer_norm(%s, %s, %s)", r.value, r.weight(n), r.weight(n))
}

func (r *random) softmax() { r.calls(r.last, "nn.softmax(%s)", r.value) }

// turned transposes: twice in a row is often nothing.
func (r *random) turned() {
	d := r.last
	order := r.rng.Perm(len(d))
	if len(d) == 4 {
		order = []int{0, 1, 3, 2}
	}
	dims := make([]int, len(d))
	for i, from := range order {
		dims[i] = d[from]
	}
	r.calls(dims, "transpose(%s, axes=[%s])", r.value, strings.ReplaceAll(numbers(order), " ", ", "))
}

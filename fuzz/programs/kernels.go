package programs

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"tv/semantics/domain"
	"tv/semantics/glenside/eval"
	"tv/semantics/value"
)

// A Kernel computes with gonum, in float64, what programs of some operators mean: an oracle that shares nothing with
// the evaluator, not even the arithmetic.
type Kernel struct {
	Name string
	draw func(rng *rand.Rand) *Case
}

// A Case is one draw of a kernel.
type Case struct {
	Text   string               // declarations and the program
	Inputs map[string][]float64 // row-major
	Want   []float64            // the result, row-major
	Smooth bool                 // rests on exp, erf or the like, which exact arithmetic does not interpret
}

// Kernels returns all kernels.
func Kernels() []Kernel {
	list := []Kernel{
		{"matmul", drawMatmul}, {"batch matmul", drawBatchMatmul}, {"conv2d", drawConv2d}, {"depthwise conv2d", drawDepthwise},
		{"conv1d", drawConv1d}, {"max pool", drawMaxPool}, {"average pool", drawAvgPool}, {"global average pool", drawGlobalPool},
		{"sum", reduction("reduce-sum", floats.Sum)}, {"maximum", reduction("reduce-max", floats.Max)},
		{"mean", reduction("reduce-mean", mean)}, {"relay mean", drawRelayMean}, {"softmax", drawSoftmax}, {"log-softmax", drawLogSoftmax},
		{"batch norm", drawBatchNorm}, {"layer norm", drawLayerNorm}, {"linear", drawLinear}, {"bias add", drawBias},
		{"add", binary("relay-add", floats.AddTo)}, {"multiply", binary("relay-multiply", floats.MulTo)},
		{"divide", binary("relay-divide", floats.DivTo)},
		{"maximum of two", binary("relay-maximum", each(math.Max))}, {"minimum of two", binary("relay-minimum", each(math.Min))},
		{"fold sum", fold("elementwise-add", floats.Add)}, {"fold product", fold("elementwise-mul", floats.Mul)},
		{"fold quotient", fold("elementwise-div", floats.Div)},
	}
	for _, m := range []struct {
		name, op string
		smooth   bool
		f        func(float64) float64
	}{
		{"relu", "relay-relu", false, func(x float64) float64 { return math.Max(x, 0) }},
		{"negative", "relay-negative", false, func(x float64) float64 { return -x }},
		{"square root", "relay-sqrt", false, math.Sqrt},
		{"sigmoid", "relay-sigmoid", true, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
		{"tanh", "relay-tanh", true, math.Tanh},
		{"erf", "relay-erf", true, math.Erf},
		{"leaky relu", "relay-leaky-relu 0.25", false, func(x float64) float64 { return math.Max(x, 0) + math.Min(x, 0)/4 }},
		{"clip", "relay-clip -1 2", false, func(x float64) float64 { return math.Min(math.Max(x, -1), 2) }},
	} {
		list = append(list, Kernel{m.name, elementwise(m.op, m.smooth, m.f)})
	}
	return list
}

// Draw returns one case; equal seeds give equal cases.
func (k Kernel) Draw(seed uint64) *Case {
	return k.draw(rand.New(rand.NewPCG(seed, 0x6b65726e)))
}

// Check holds the evaluator against the kernel at every element, in real and, where that interprets all of the
// program, in exact. Values differ where they are further apart than float64 rounding explains.
func (c *Case) Check() error {
	p, err := Typed("kernel", c.Text)
	if err != nil {
		return err
	}
	for _, arith := range []value.Arith{value.Real, value.Exact} {
		if arith == value.Exact && c.Smooth {
			continue
		}
		in := value.Tensors{}
		for _, t := range p.Typing.Tensors {
			for _, x := range c.Inputs[t.Name] {
				v := value.RatValue(new(big.Rat).SetFloat64(x))
				if arith == value.Exact {
					if v, err = value.ParseValue(fmt.Sprint(x), arith, t.Elem); err != nil {
						return err
					}
				}
				in[t.Name] = append(in[t.Name], v)
			}
		}
		ev, err := eval.New(p.Typing, arith, nil, in)
		if err != nil {
			return err
		}
		dims := ev.Dims(nil)
		all := Indices(nil, dims, len(c.Want)+1)
		if len(all) != len(c.Want) {
			return fmt.Errorf("%d elements of dims %d, the kernel has %d", len(all), dims, len(c.Want))
		}
		for i, index := range all {
			got, err := ev.Element(nil, index)
			if err != nil {
				return fmt.Errorf("%s at %v: %w", arith, index, err)
			}
			if err := near(got, c.Want[i]); err != nil {
				return fmt.Errorf("%s at %v: %w", arith, index, err)
			}
		}
	}
	return nil
}

// near compares an element with a number computed in float64.
func near(got value.Value, want float64) error {
	if math.IsNaN(want) || math.IsInf(want, 0) {
		return errors.New("the kernel overflows")
	}
	if r, ok := got.Rat(); ok {
		got = value.RatValue(r)
	}
	slack := 1e-9 * math.Max(1, math.Abs(want))
	around, err := value.ParseValue(fmt.Sprintf("[%g, %g]", want-slack, want+slack), value.Real, domain.Elem{Kind: domain.ElemFloat, Width: 64})
	if err != nil {
		return err
	}
	if value.Compare(got, around) == value.Different {
		return fmt.Errorf("%s, the kernel says %g", got, want)
	}
	return nil
}

// A sketch collects the inputs of a case.
type sketch struct {
	rng    *rand.Rand
	text   strings.Builder
	inputs map[string][]float64
}

func newSketch(rng *rand.Rand) *sketch { return &sketch{rng: rng, inputs: map[string][]float64{}} }

// upTo draws a number from 1 on.
func (s *sketch) upTo(n int) int { return 1 + s.rng.IntN(n) }

func count(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// tensor declares an input of integers and halves from low to high.
func (s *sketch) tensor(name string, low, high float64, dims ...int) []float64 {
	fmt.Fprintf(&s.text, "(input %s (shape %s) float64)\n", name, ints(dims))
	data := make([]float64, count(dims))
	for i := range data {
		data[i] = low + float64(s.rng.IntN(int(2*(high-low))+1))/2
	}
	s.inputs[name] = data
	return data
}

// done returns the case of a program.
func (s *sketch) done(want []float64, format string, args ...any) *Case {
	fmt.Fprintf(&s.text, format, args...)
	return &Case{Text: s.text.String(), Inputs: s.inputs, Want: want}
}

// smooth marks a case that exact arithmetic does not interpret.
func smooth(c *Case) *Case { c.Smooth = true; return c }

// times returns the product of an m by k and a k by n matrix, row-major.
func times(m, k, n int, x, y []float64) []float64 {
	var out mat.Dense
	out.Mul(mat.NewDense(m, k, x), mat.NewDense(k, n, y))
	return out.RawMatrix().Data
}

// transposed returns an m by n matrix transposed, row-major.
func transposed(m, n int, x []float64) []float64 {
	return mat.DenseCopyOf(mat.NewDense(m, n, x).T()).RawMatrix().Data
}

func drawMatmul(rng *rand.Rand) *Case {
	s := newSketch(rng)
	m, k, n := s.upTo(4), s.upTo(5), s.upTo(4)
	x := s.tensor("X", -3, 3, m, k)
	if rng.IntN(2) == 0 {
		w := s.tensor("W", -3, 3, k, n)
		op := fmt.Sprintf("systolic-array %d %d", k, n)
		if rng.IntN(2) == 0 {
			op = "systolic-array-with-blocking 1 1"
		}
		return s.done(times(m, k, n, x, w), "(%s (access X 1) (access W 0))", op)
	}
	w := s.tensor("W", -3, 3, n, k)
	want := times(m, k, n, x, transposed(n, k, w))
	if rng.IntN(2) == 0 {
		return s.done(want, "(compute dot-product (access-cartesian-product (access X 1) (access W 1)))")
	}
	return s.done(want, "(relay-operator-call relay-dense X W)")
}

func drawBatchMatmul(rng *rand.Rand) *Case {
	s := newSketch(rng)
	b, m, k, n := s.upTo(3), s.upTo(3), s.upTo(4), s.upTo(3)
	x, y := s.tensor("X", -3, 3, b, m, k), s.tensor("Y", -3, 3, b, n, k)
	var want []float64
	for i := range b {
		want = append(want, times(m, k, n, x[i*m*k:(i+1)*m*k], transposed(n, k, y[i*n*k:(i+1)*n*k]))...)
	}
	return s.done(want, "(relay-operator-call relay-batch-matmul X Y)")
}

// A slide is the geometry of a window over one axis.
type slide struct{ in, window, stride, before, after, out int }

func (s *sketch) slide(padded bool) slide {
	w := slide{window: s.upTo(3), stride: s.upTo(2)}
	w.in = w.window + s.rng.IntN(4)
	if padded {
		w.before, w.after = s.rng.IntN(w.window), s.rng.IntN(w.window)
	}
	w.out = (w.before+w.in+w.after-w.window)/w.stride + 1
	return w
}

// im2col returns the windows of an image of c channels as the rows of a matrix, out of h by v by c by the window,
// with fill where a window reaches beyond the image. at gives the pixel of a channel.
func im2col(c int, h, v slide, fill float64, at func(c, i, j int) float64) [][]float64 {
	var rows [][]float64
	for i := range h.out {
		for j := range v.out {
			var row []float64
			for ch := range c {
				for p := range h.window {
					for q := range v.window {
						y, x := i*h.stride+p-h.before, j*v.stride+q-v.before
						if y < 0 || y >= h.in || x < 0 || x >= v.in {
							row = append(row, fill)
						} else {
							row = append(row, at(ch, y, x))
						}
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func flat(rows [][]float64) []float64 {
	var out []float64
	for _, r := range rows {
		out = append(out, r...)
	}
	return out
}

func drawConv2d(rng *rand.Rand) *Case {
	s := newSketch(rng)
	n, c, o := s.upTo(2), s.upTo(3), s.upTo(3)
	form := rng.IntN(4)
	h, v := s.slide(form < 2), s.slide(form < 2)
	x := s.tensor("X", -2, 2, n, c, h.in, v.in)
	w := s.tensor("W", -2, 2, o, c, h.window, v.window)
	var want []float64
	for b := range n {
		rows := im2col(c, h, v, 0, func(ch, i, j int) float64 { return x[((b*c+ch)*h.in+i)*v.in+j] })
		k := len(rows[0])
		y := times(len(rows), k, o, flat(rows), transposed(o, k, w))
		want = append(want, transposed(len(rows), o, y)...)
	}
	switch form {
	case 0, 1:
		layout, kernel, image, weights := nchwWord, oihwWord, "X", "W"
		open, shut := "", ""
		if rng.IntN(2) == 0 {
			layout, image = nhwcWord, "(access-transpose X (list 0 2 3 1))"
			open, shut = "(access-transpose ", " (list 0 3 1 2))"
		}
		if rng.IntN(2) == 0 {
			kernel, weights = hwioWord, "(access-transpose W (list 2 3 1 0))"
		}
		return s.done(want, "%s(relay-operator-call relay-conv2d %s %s (shape %d %d) (shape %d %d %d %d) 1 0 (shape 0 0 0) %s %s)%s", open,
			image, weights, h.stride, v.stride, h.before, v.before, h.after, v.after, layout, kernel, shut)
	case 2:
		return s.done(want, "(systolic-array-conv2d-im2col-nchw-oihw-with-blocking 2 2 W X %d %d %d %d)", h.window, v.window, h.stride, v.stride)
	}
	return s.done(want, "(access-transpose (compute dot-product (access-cartesian-product (access W 1) (access-squeeze (access-windows "+
		"(access X 1) (shape %d %d %d) (shape 1 %d %d)) 1))) (list 1 0 2 3))", c, h.window, v.window, h.stride, v.stride)
}

func drawDepthwise(rng *rand.Rand) *Case {
	s := newSketch(rng)
	n, c := s.upTo(2), 1+s.upTo(2)
	h, v := s.slide(true), s.slide(true)
	x := s.tensor("X", -2, 2, n, c, h.in, v.in)
	k := h.window * v.window
	w := s.tensor("W", -2, 2, c, 1, h.window, v.window)
	var want []float64
	for b := range n {
		for ch := range c {
			rows := im2col(1, h, v, 0, func(_, i, j int) float64 { return x[((b*c+ch)*h.in+i)*v.in+j] })
			want = append(want, times(len(rows), k, 1, flat(rows), w[ch*k:(ch+1)*k])...)
		}
	}
	return s.done(want, "(relay-operator-call relay-conv2d X W (shape %d %d) (shape %d %d %d %d) %d 0 (shape 0 0 0) %s %s)",
		h.stride, v.stride, h.before, v.before, h.after, v.after, c, nchwWord, oihwWord)
}

func drawConv1d(rng *rand.Rand) *Case {
	s := newSketch(rng)
	n, c, o := s.upTo(2), s.upTo(3), s.upTo(3)
	h, v := slide{in: 1, window: 1, stride: 1, out: 1}, s.slide(true)
	x, w := s.tensor("X", -2, 2, n, c, v.in), s.tensor("W", -2, 2, o, c, v.window)
	var want []float64
	for b := range n {
		rows := im2col(c, h, v, 0, func(ch, _, j int) float64 { return x[(b*c+ch)*v.in+j] })
		k := len(rows[0])
		want = append(want, transposed(len(rows), o, times(len(rows), k, o, flat(rows), transposed(o, k, w)))...)
	}
	return s.done(want, "(relay-operator-call relay-conv1d X W (shape %d) (shape %d %d))", v.stride, v.before, v.after)
}

// pool draws a pool: of each window the elements of the image are reduced.
func pool(rng *rand.Rand, op string, reduce func([]float64) float64) *Case {
	s := newSketch(rng)
	n, c := s.upTo(2), s.upTo(3)
	h, v := s.slide(true), s.slide(true)
	x := s.tensor("X", -3, 3, n, c, h.in, v.in)
	var want []float64
	for b := range n {
		for ch := range c {
			rows := im2col(1, h, v, math.NaN(), func(_, i, j int) float64 { return x[((b*c+ch)*h.in+i)*v.in+j] })
			for _, r := range rows {
				var inside []float64
				for _, e := range r {
					if !math.IsNaN(e) {
						inside = append(inside, e)
					}
				}
				want = append(want, reduce(inside))
			}
		}
	}
	return s.done(want, "(relay-operator-call %s X (shape %d %d) (shape %d %d) (shape %d %d %d %d) %s)", op, h.window, v.window, h.stride,
		v.stride, h.before, v.before, h.after, v.after, nchwWord)
}

func drawMaxPool(rng *rand.Rand) *Case { return pool(rng, "relay-max-pool2d", floats.Max) }
func drawAvgPool(rng *rand.Rand) *Case { return pool(rng, "relay-avg-pool2d", mean) }

func mean(x []float64) float64 { return stat.Mean(x, nil) }

func drawGlobalPool(rng *rand.Rand) *Case {
	s := newSketch(rng)
	n, c, k := s.upTo(2), s.upTo(3), []int{s.upTo(4), s.upTo(4)}
	x := s.tensor("X", -3, 3, n, c, k[0], k[1])
	var want []float64
	for i := range n * c {
		want = append(want, mean(x[i*count(k):(i+1)*count(k)]))
	}
	return s.done(want, "(relay-operator-call relay-global-avg-pool2d X %s)", nchwWord)
}

// reduction draws a compute of whole items.
func reduction(op string, reduce func([]float64) float64) func(*rand.Rand) *Case {
	return func(rng *rand.Rand) *Case {
		s := newSketch(rng)
		m, item := s.upTo(4), []int{s.upTo(3), s.upTo(4)}
		k := count(item)
		x := s.tensor("X", -3, 3, m, item[0], item[1])
		var want []float64
		for i := range m {
			want = append(want, reduce(x[i*k:(i+1)*k]))
		}
		return s.done(want, "(compute %s (access X 1))", op)
	}
}

func drawRelayMean(rng *rand.Rand) *Case {
	s := newSketch(rng)
	m, n := s.upTo(4), s.upTo(4)
	x := mat.NewDense(m, n, s.tensor("X", -3, 3, m, n))
	var want []float64
	axis := rng.IntN(2)
	if axis == 0 {
		for j := range n {
			want = append(want, mean(mat.Col(nil, j, x)))
		}
	} else {
		for i := range m {
			want = append(want, mean(x.RawRowView(i)))
		}
	}
	return s.done(want, "(relay-operator-call relay-mean X %d)", axis)
}

// rows draws a program that works on the rows of a matrix.
func rows(rng *rand.Rand, write func(s *sketch) string, f func(row []float64)) *Case {
	s := newSketch(rng)
	m, n := s.upTo(3), s.upTo(4)
	want := append([]float64(nil), s.tensor("X", -2, 2, m, n)...)
	for i := range m {
		f(want[i*n : (i+1)*n])
	}
	return smooth(s.done(want, "%s", write(s)))
}

func drawSoftmax(rng *rand.Rand) *Case {
	return rows(rng, func(s *sketch) string {
		return []string{"(compute softmax (access X 1))", "(relay-operator-call relay-softmax X -1)"}[s.rng.IntN(2)]
	}, func(row []float64) {
		floats.AddConst(-floats.LogSumExp(row), row)
		for i := range row {
			row[i] = math.Exp(row[i])
		}
	})
}

func drawLogSoftmax(rng *rand.Rand) *Case {
	return rows(rng, func(*sketch) string { return "(relay-operator-call relay-log-softmax X 1)" },
		func(row []float64) { floats.AddConst(-floats.LogSumExp(row), row) })
}

func drawBatchNorm(rng *rand.Rand) *Case {
	s := newSketch(rng)
	m, n, k := s.upTo(3), s.upTo(3), s.upTo(3)
	x := s.tensor("X", -3, 3, m, n, k)
	gamma, beta := s.tensor("G", -2, 2, n), s.tensor("B", -2, 2, n)
	mu, variance := s.tensor("M", -2, 2, n), s.tensor("V", 0.5, 4, n)
	want := append([]float64(nil), x...)
	for i := range m {
		for j := range n {
			plane := want[(i*n+j)*k : (i*n+j+1)*k]
			floats.AddConst(-mu[j], plane)
			floats.Scale(gamma[j]/math.Sqrt(variance[j]+0.25), plane)
			floats.AddConst(beta[j], plane)
		}
	}
	return s.done(want, "(relay-operator-call relay-batch-norm-inference X G B M V 1 0.25)")
}

func drawLayerNorm(rng *rand.Rand) *Case {
	s := newSketch(rng)
	m, n := s.upTo(3), s.upTo(4)
	x := s.tensor("X", -3, 3, m, n)
	gamma, beta := s.tensor("G", -2, 2, n), s.tensor("B", -2, 2, n)
	want := append([]float64(nil), x...)
	for i := range m {
		row := want[i*n : (i+1)*n]
		mu, variance := stat.PopMeanVariance(row, nil)
		floats.AddConst(-mu, row)
		floats.Scale(1/math.Sqrt(variance+1e-5), row)
		floats.Mul(row, gamma)
		floats.Add(row, beta)
	}
	return s.done(want, "(relay-operator-call relay-layer-norm X G B)")
}

func drawLinear(rng *rand.Rand) *Case {
	s := newSketch(rng)
	m, k, n := s.upTo(4), s.upTo(4), s.upTo(4)
	x, w, b := s.tensor("X", -3, 3, m, k), s.tensor("W", -3, 3, n, k), s.tensor("B", -3, 3, n)
	want := times(m, k, n, x, transposed(n, k, w))
	for i := range m {
		floats.Add(want[i*n:(i+1)*n], b)
	}
	if rng.IntN(2) == 0 {
		return s.done(want, "(relay-operator-call relay-bias-add (relay-operator-call relay-dense X W) B -1)")
	}
	// the machine's numerics are no float64
	return smooth(s.done(want, "(accelerator-call flex-linear X W B (shape 0))"))
}

func drawBias(rng *rand.Rand) *Case {
	s := newSketch(rng)
	m, n, k := s.upTo(3), s.upTo(4), s.upTo(3)
	want := append([]float64(nil), s.tensor("X", -3, 3, m, n, k)...)
	b := s.tensor("B", -3, 3, n)
	for i := range m {
		for j := range n {
			floats.AddConst(b[j], want[(i*n+j)*k:(i*n+j+1)*k])
		}
	}
	return s.done(want, "(relay-operator-call relay-bias-add X B 1)")
}

// binary draws an operator on two tensors, of which the second may be a row that is broadcast.
func binary(op string, f func(dst, x, y []float64) []float64) func(*rand.Rand) *Case {
	return func(rng *rand.Rand) *Case {
		s := newSketch(rng)
		m, n := s.upTo(4), s.upTo(4)
		low := -3.0
		if op == "relay-divide" {
			low = 0.5
		}
		x := s.tensor("X", -3, 3, m, n)
		y := s.tensor("Y", low, 3, n)
		want := make([]float64, m*n)
		for i := range m {
			f(want[i*n:(i+1)*n], x[i*n:(i+1)*n], y)
		}
		return s.done(want, "(relay-operator-call %s X Y)", op)
	}
}

func each(f func(x, y float64) float64) func(dst, x, y []float64) []float64 {
	return func(dst, x, y []float64) []float64 {
		for i := range dst {
			dst[i] = f(x[i], y[i])
		}
		return dst
	}
}

// fold draws a compute that combines the first axis of items.
func fold(op string, f func(dst, x []float64)) func(*rand.Rand) *Case {
	return func(rng *rand.Rand) *Case {
		s := newSketch(rng)
		m, n, k := s.upTo(3), s.upTo(3), s.upTo(4)
		low := -3.0
		if op == "elementwise-div" {
			low = 0.5
		}
		x := s.tensor("X", low, 3, m, n, k)
		var want []float64
		for i := range m {
			acc := append([]float64(nil), x[i*n*k:i*n*k+k]...)
			for j := 1; j < n; j++ {
				f(acc, x[(i*n+j)*k:(i*n+j+1)*k])
			}
			want = append(want, acc...)
		}
		return s.done(want, "(compute %s (access X 1))", op)
	}
}

// elementwise draws an operator on each element.
func elementwise(op string, isSmooth bool, f func(float64) float64) func(*rand.Rand) *Case {
	return func(rng *rand.Rand) *Case {
		s := newSketch(rng)
		low := -3.0
		if op == "relay-sqrt" {
			low = 0
		}
		want := append([]float64(nil), s.tensor("X", low, 3, s.upTo(4), s.upTo(4))...)
		for i := range want {
			want[i] = f(want[i])
		}
		name, rest, _ := strings.Cut(op, " ")
		c := s.done(want, "(relay-operator-call %s X %s)", name, rest)
		c.Smooth = isSmooth
		return c
	}
}

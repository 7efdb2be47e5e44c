package eval

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"tv/semantics/value"
)

func TestRelayOperators(t *testing.T) {
	const a23 = "(input A (shape 2 3))"
	const pool = "(input X (shape 1 1 3 3))(relay-operator-call "
	for _, test := range []struct{ text, want string }{
		{a23 + "(input B (shape 3))(relay-operator-call relay-add A B)", "100 102 104 103 105 107"},
		{a23 + "(input B (shape 2 1))(relay-operator-call relay-multiply A B)", "0 100 200 303 404 505"},
		{a23 + "(input B (shape 4 1 3))(access-slice (relay-operator-call relay-maximum A B) 0 3 4)", "109 110 111 109 110 111"},
		{a23 + "(input B (shape))(relay-operator-call relay-minimum A B)", "0 1 2 3 4 5"},
		{"(input A (shape 1 2))(input B (shape 2 1))(relay-operator-call relay-divide A B)", "0 1/100 0 1/101"},
		{a23 + "(relay-operator-call relay-relu (compute negative (access A 0)))", "0 0 0 0 0 0"},
		{"(input A (shape 2))(relay-operator-call relay-negative A)", "0 -1"},
		{"(input A (shape 2))(relay-operator-call relay-sqrt A)", "0 1"},
		{"(input A (shape 2))(relay-operator-call relay-copy A)", "0 1"},
		{"(input A (shape 1))(relay-operator-call relay-sigmoid A)", "1/2"},
		{"(input A (shape 1))(relay-operator-call relay-tanh A)", "0"},
		{"(input A (shape 1))(relay-operator-call relay-erf A)", "0"},
		{"(input A (shape 3))(relay-operator-call relay-leaky-relu (compute negative (access A 0)) 0.1)", "0 -1/10 -1/5"},
		{a23 + "(relay-operator-call relay-clip A 1.5 4)", "3/2 3/2 2 3 4 4"},
		{a23 + "(relay-operator-call relay-clip (access-pad (access A 0) min-padding 1 1 0) 1 4)", "1 1 1 2 1 3 4 4"},
		{a23 + "(relay-operator-call relay-clip A 4 1)", "1 1 1 1 1 1"},
		{"(relay-operator-call relay-softmax (relay-operator-call relay-zeros (shape 2 4)) 0)", "1/2 1/2 1/2 1/2 1/2 1/2 1/2 1/2"},
		{"(relay-operator-call relay-log-softmax (relay-operator-call relay-zeros (shape 2 1)) 1)", "0 0"},
		{"(input A (shape 2 2))(input G (shape 2))(relay-operator-call relay-bias-add A G 0)", "100 101 103 104"},
		{"(input A (shape 2 2))(input G (shape 2))(relay-operator-call relay-bias-add A G -1)", "100 102 102 104"},
		{"(input A (shape 1 2))(tuple-get-item (relay-operator-call relay-dropout A 0.5) 0)", "0 1"},
		{"(input A (shape 2 2))(input W (shape 3 2))(relay-operator-call relay-dense A W)", "101 103 105 503 513 523"},
		{"(input A (shape 2 1 2))(input B (shape 2 1 2))(relay-operator-call relay-batch-matmul A B)", "101 513"},
		{"(input X (shape 1 1 4))(input W (shape 1 1 3))(relay-operator-call relay-conv1d X W (shape 2) (shape 1 0))", "102 608"},
		{pool + "relay-max-pool2d X (shape 2 2) (shape 1 1) (shape 0 0 0 0) relay-activation-layout-nchw)", "4 5 7 8"},
		{pool + "relay-max-pool2d X (shape 2 2) (shape 2 2) (shape 1 1 0 0) relay-activation-layout-nchw)", "0 2 6 8"},
		{pool + "relay-max-pool2d X (shape 1 1) (shape 3 3) (shape 1 1 1 1) relay-activation-layout-nchw)", "min min min 8"},
		{pool + "relay-avg-pool2d X (shape 2 2) (shape 1 1) (shape 0 0 0 0) relay-activation-layout-nchw)", "2 3 5 6"},
		{pool + "relay-avg-pool2d X (shape 2 2) (shape 2 2) (shape 1 1 0 0) relay-activation-layout-nchw)", "0 3/2 9/2 6"},
		{pool + "relay-global-avg-pool2d X relay-activation-layout-nchw)", "4"},
		{"(input X (shape 1 2 1 2))(relay-operator-call relay-global-avg-pool2d X relay-activation-layout-nhwc)", "1 2"},
		{"(input X (shape 1 2 1 2))(relay-operator-call relay-max-pool2d X (shape 2 1) (shape 1 1) (shape 0 0 0 0) " +
			"relay-activation-layout-nhwc)", "2 3"},
		{"(input X (shape 1 1 2 2))(relay-operator-call relay-upsampling X 2.0 1.5 relay-activation-layout-nchw)",
			"0 0 1 0 0 1 2 2 3 2 2 3"},
		{"(input X (shape 1 1 1 4))(relay-operator-call relay-upsampling X 1 0.5 relay-activation-layout-nchw)", "0 2"},
		{a23 + "(relay-operator-call relay-batch-flatten (access-transpose (access A 0) (list 1 0)))", "0 3 1 4 2 5"},
		{a23 + "(relay-operator-call relay-reshape A (shape 6))", "0 1 2 3 4 5"},
		{a23 + "(relay-operator-call relay-transpose A (list 1 0))", "0 3 1 4 2 5"},
		{"(input A (shape 1 2 1))(relay-operator-call relay-squeeze A (list 0 2))", "0 1"},
		{a23 + "(relay-operator-call relay-expand-dims A -1 2)", "0 1 2 3 4 5"},
		{"(input A (shape 1 2))(relay-operator-call relay-pad A (shape 1 0 0 1))", "0 0 0 0 1 0"},
		{"(input A (shape 2 1))(input B (shape 2 2))(relay-operator-call relay-concatenate 1 (construct-tuple A B A))",
			"0 100 101 0 1 102 103 1"},
		{"(input A (shape 2))(input B (shape 2))(relay-operator-call relay-stack A B -1)", "0 100 1 101"},
		{"(input A (shape 2))(input B (shape 2))(relay-operator-call relay-stack A B A 0)", "0 1 100 101 0 1"},
		{a23 + "(relay-operator-call relay-split A 3 1)", "0 3 1 4 2 5"},
		{a23 + "(relay-operator-call relay-split A (list 1) 1)", "0 3 1 2 4 5"},
		{a23 + "(relay-operator-call relay-strided-slice A (shape 0 1) (shape 2 3) (shape 1 1))", "1 2 4 5"},
		{"(input A (shape 3 2))(input J (shape 2))(relay-operator-call relay-take A (relay-operator-call relay-clip J 0 2) 0)",
			"4 5 4 5"},
		{"(input A (shape 2 4))(relay-operator-call relay-take A (access-slice (access A 0) 0 0 1) 1)", "0 1 2 3 4 5 6 7"},
		{"(input A (shape 2 2 2))(relay-operator-call relay-mean A 1)", "1 2 5 6"},
		{"(input A (shape 1))(relay-operator-call relay-cast A float32)", "0"},
		{"(input A (shape 1) float16)(relay-operator-call relay-cast A float32)", "0"},

		{"(input A (shape 2 2))(input W (shape 2 1))(systolic-array 2 1 (access A 1) (access W 0))", "101 503"},
		{"(input A (shape 2))(input W (shape 2 2))(systolic-array-with-blocking 1 2 (access A 0) (access W 0))", "102 103"},
		{"(input A (shape 1 2))(input W (shape 2 2))(input B (shape 2))(accelerator-call flex-linear A W B)", "301 304"},
		{"(input A (shape 16 16))(access-slice (accelerator-call flex-attention A " +
			"(relay-operator-call relay-zeros (shape 16))) 0 0 3)", "120 121 122"},
		{"(input A (shape 2 2))(accelerator-call flex-layernorm (relay-operator-call relay-multiply A " +
			"(constant-tensor 4 (shape 2 2))) (constant-tensor 3 (shape 2)) (constant-tensor 1 (shape 2)) (shape 0))", "-2 4 -2 4"},
		{"(input A (shape 2 16))(access-slice (accelerator-call flex-maxpool (access A 0)) 1 0 2)", "16 17"},
		{"(input A (shape 2 16))(access-slice (accelerator-call flex-meanpool (access A 0)) 1 0 2)", "8 9"},
		{"(input A (shape 1 2))(input W (shape 1 2))(accelerator-call vta-dense A W)", "101"},
		{"(input X (shape 1 1 2 2))(input W (shape 1 1 1 1))(accelerator-call hlscnn-conv2d X W (shape 1 1 2) (shape 0 0 0 0) " +
			"1 0 (shape 1 1 1) relay-activation-layout-nchw relay-kernel-layout-oihw (shape 0))", "0 200"},
	} {
		if got := run(t, test.text, nil); got != test.want {
			t.Errorf("%s\n  is %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestBatchNorm(t *testing.T) {
	in := value.Tensors{"X": reals(1, 2, 3, 4), "G": reals(2, 3), "B": reals(10, 20), "M": reals(1, 1), "V": reals(0, 12)}
	const text = "(input X (shape 2 2))(input G (shape 2))(input B (shape 2))(input M (shape 2))(input V (shape 2))" +
		"(relay-operator-call relay-batch-norm-inference X G B M V %d 4)"
	// (x-1)/2*2+10 and (x-1)/4*3+20
	if got := run(t, fmt.Sprintf(text, 1), in); got != "10 83/4 12 89/4" {
		t.Errorf("along axis 1: %s", got)
	}
	if got := run(t, fmt.Sprintf(text, 0), in); got != "10 11 43/2 89/4" {
		t.Errorf("along axis 0: %s", got)
	}
}

// kernel is a tensor of floats for the checks against other libraries.
type kernel struct {
	dims []int64
	data []float64
}

func (x kernel) shape() string { return joined(x.dims) }

// drawKernel draws small integers.
func drawKernel(t *rapid.T, label string, dims ...int64) (kernel, []value.Value) {
	x := kernel{dims: dims}
	var values []value.Value
	for i := range volume(dims) {
		n := rapid.Int64Range(-4, 4).Draw(t, fmt.Sprint(label, i))
		x.data = append(x.data, float64(n))
		values = append(values, integer(n))
	}
	return x, values
}

// check compares all elements of a program with numbers, which are good to 9 digits.
func check(t *rapid.T, text string, in value.Inputs, want []float64) {
	t.Helper()
	values, err := all(evaluator(t, text, value.Real, in), nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(values) != len(want) {
		t.Fatalf("%s has %d elements, want %d", text, len(values), len(want))
	}
	for i, v := range values {
		lo, _ := v.Ends()
		if f, _ := lo.Float64(); math.Abs(f-want[i]) > 1e-9*(1+math.Abs(want[i])) {
			t.Fatalf("%s: element %d is %s, want %g", text, i, v, want[i])
		}
	}
}

func TestMatrixProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 5)
		m, k, n := size.Draw(t, "m"), size.Draw(t, "k"), size.Draw(t, "n")
		x, xs := drawKernel(t, "x", m, k)
		w, ws := drawKernel(t, "w", n, k)
		var product mat.Dense
		product.Mul(mat.NewDense(int(m), int(k), x.data), mat.NewDense(int(n), int(k), w.data).T())
		in := value.Tensors{"X": xs, "W": ws}
		inputs := fmt.Sprintf("(input X (shape %s))(input W (shape %s))", x.shape(), w.shape())
		for _, text := range []string{
			"(compute dot-product (access-cartesian-product (access X 1) (access W 1)))",
			"(relay-operator-call relay-dense X W)",
			"(accelerator-call vta-dense X W)",
			fmt.Sprintf("(systolic-array %d %d (access X 1) (access (access-transpose (access W 0) (list 1 0)) 0))", k, n),
			"(systolic-array-with-blocking 1 1 (access X 1) (access (access-transpose (access W 0) (list 1 0)) 0))",
			"(relay-operator-call relay-squeeze (relay-operator-call relay-batch-matmul " +
				"(access-insert-axis (access X 0) 0) (access-insert-axis (access W 0) 0)) (list 0))",
		} {
			check(t, inputs+text, in, product.RawMatrix().Data)
		}
	})
}

func TestSoftmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 5)
		m, n := size.Draw(t, "m"), size.Draw(t, "n")
		x, xs := drawKernel(t, "x", m, n)
		var soft, logs []float64
		for i := range m {
			row := x.data[i*n : (i+1)*n]
			sum := floats.LogSumExp(row)
			for _, f := range row {
				soft = append(soft, math.Exp(f-sum))
				logs = append(logs, f-sum)
			}
		}
		in := value.Tensors{"X": xs}
		inputs := fmt.Sprintf("(input X (shape %s))", x.shape())
		check(t, inputs+"(compute softmax (access X 1))", in, soft)
		check(t, inputs+"(relay-operator-call relay-softmax X -1)", in, soft)
		check(t, inputs+"(access-transpose (relay-operator-call relay-softmax (access-transpose (access X 0) (list 1 0)) 0) (list 1 0))",
			in, soft)
		check(t, inputs+"(relay-operator-call relay-log-softmax X 1)", in, logs)
	})
}

func TestNormalisation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Int64Range(1, 5)
		m, n := size.Draw(t, "m"), size.Draw(t, "n")
		x, xs := drawKernel(t, "x", m, n)
		g, gs := drawKernel(t, "g", n)
		b, bs := drawKernel(t, "b", n)
		mean, means := drawKernel(t, "mean", n)
		v, vs := drawKernel(t, "v", n)
		for i := range vs {
			vs[i], v.data[i] = integer(int64(v.data[i]*v.data[i])), v.data[i]*v.data[i]
		}
		in := value.Tensors{"X": xs, "G": gs, "B": bs, "M": means, "V": vs}
		var layer, batch []float64
		for i := range m {
			row := x.data[i*n : (i+1)*n]
			centre, variance := stat.PopMeanVariance(row, nil)
			for j, f := range row {
				layer = append(layer, (f-centre)/math.Sqrt(variance+1e-5)*g.data[j]+b.data[j])
				batch = append(batch, (f-mean.data[j])/math.Sqrt(v.data[j]+1e-3)*g.data[j]+b.data[j])
			}
		}
		inputs := fmt.Sprintf("(input X (shape %s))(input G (shape %d))(input B (shape %d))", x.shape(), n, n)
		check(t, inputs+"(relay-operator-call relay-layer-norm X G B)", in, layer)
		inputs += fmt.Sprintf("(input M (shape %d))(input V (shape %d))", n, n)
		check(t, inputs+"(relay-operator-call relay-batch-norm-inference X G B M V 1 0.001)", in, batch)
	})
}

// at reads a kernel, with zero outside.
func (x kernel) at(index ...int64) float64 {
	offset := int64(0)
	for i, d := range x.dims {
		if index[i] < 0 || index[i] >= d {
			return 0
		}
		offset = offset*d + index[i]
	}
	return x.data[offset]
}

// Convolutions against the sum over the kernel, in both layouts and as all operators that have one, and
// against a matrix product of the patches.
func TestConvolutions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.Int64Range(1, 2)
		n, c, o, kh, kw := few.Draw(t, "n"), few.Draw(t, "c"), few.Draw(t, "o"), few.Draw(t, "kh"), few.Draw(t, "kw")
		h, w := rapid.Int64Range(kh, 4).Draw(t, "h"), rapid.Int64Range(kw, 4).Draw(t, "w")
		sh, sw := few.Draw(t, "sh"), few.Draw(t, "sw")
		padding := [4]int64{}
		for i := range padding {
			padding[i] = rapid.Int64Range(0, 2).Draw(t, "padding")
		}
		top, left := padding[0], padding[1]
		oh, ow := (h+top+padding[2]-kh)/sh+1, (w+left+padding[3]-kw)/sw+1
		x, xs := drawKernel(t, "x", n, c, h, w)
		k, ks := drawKernel(t, "w", o, c, kh, kw)
		in := value.Tensors{"X": xs, "W": ks}
		inputs := fmt.Sprintf("(input X (shape %s))(input W (shape %s))", x.shape(), k.shape())

		// Rows of patches are output places, columns the terms; so are the rows of the weights.
		patches := mat.NewDense(int(n*oh*ow), int(c*kh*kw), nil)
		row := 0
		for b := range n {
			for i := range oh {
				for j := range ow {
					column := 0
					for ch := range c {
						for p := range kh {
							for q := range kw {
								patches.Set(row, column, x.at(b, ch, i*sh+p-top, j*sw+q-left))
								column++
							}
						}
					}
					row++
				}
			}
		}
		var product mat.Dense
		product.Mul(patches, mat.NewDense(int(o), int(c*kh*kw), k.data).T())
		places := oh * ow
		var planes, pixels []float64 // in layout nchw and nhwc
		for b := range n {
			for ch := range o {
				for place := range places {
					planes = append(planes, product.At(int(b*places+place), int(ch)))
				}
			}
			for place := range places {
				for ch := range o {
					pixels = append(pixels, product.At(int(b*places+place), int(ch)))
				}
			}
		}

		conv := func(x, w, layouts string) string {
			return fmt.Sprintf("(relay-operator-call relay-conv2d %s %s (shape %d %d) (shape %s) 1 0 (shape 0 0 0) %s)",
				x, w, sh, sw, joined(padding[:]), layouts)
		}
		const nhwcX = "(access-transpose (access X 0) (list 0 2 3 1))"
		const hwioW = "(access-transpose (access W 0) (list 2 3 1 0))"
		const actNCHW, actNHWC = "relay-activation-layout-nchw", "relay-activation-layout-nhwc"
		const kerOIHW, kerHWIO = "relay-kernel-layout-oihw", "relay-kernel-layout-hwio"
		check(t, inputs+conv("X", "W", actNCHW+" "+kerOIHW), in, planes)
		check(t, inputs+conv("X", hwioW, actNCHW+" "+kerHWIO), in, planes)
		check(t, inputs+conv(nhwcX, hwioW, actNHWC+" "+kerHWIO), in, pixels)
		check(t, inputs+conv(nhwcX, "W", actNHWC+" "+kerOIHW), in, pixels)

		pad := func(x string, axis int, before, after int64) string {
			return fmt.Sprintf("(access-pad %s zero-padding %d %d %d)", x, axis, before, after)
		}
		padded := pad(pad("(access X 0)", 2, top, padding[2]), 3, left, padding[3])
		check(t, inputs+fmt.Sprintf("(systolic-array-conv2d-nchw-oihw-with-blocking 1 1 (access W 0) %s %d %d %d %d)",
			padded, kh, kw, sh, sw), in, planes)
		check(t, inputs+fmt.Sprintf("(systolic-array-conv2d-im2col-nhwc-hwio-with-blocking 7 9 %s %s %d %d %d %d)",
			hwioW, "(access-transpose "+padded+" (list 0 2 3 1))", kh, kw, sh, sw), in, pixels)
		windows := fmt.Sprintf("(access-squeeze (access-windows (access %s 1) (shape %d %d %d) (shape 1 %d %d)) 1)",
			padded, c, kh, kw, sh, sw)
		check(t, inputs+"(access-transpose (compute dot-product (access-cartesian-product (access W 1) "+windows+")) (list 1 0 2 3))",
			in, planes)
	})
}

func TestGroupedConvolution(t *testing.T) {
	text := "(input X (shape 1 2 2 2))(input W (shape 2 1 2 1))(relay-operator-call relay-conv2d X W (shape 1 1) " +
		"(shape 0 0 0 0) 2 0 (shape 1 2 1) relay-activation-layout-nchw relay-kernel-layout-oihw)"
	// Channel 0: 0*100+2*101, 1*100+3*101; channel 1: 4*102+6*103, 5*102+7*103.
	if got, want := run(t, text, nil), "202 403 1026 1231"; got != want {
		t.Errorf("%s is %s, want %s", text, got, want)
	}
}

func TestPools(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.Int64Range(1, 3)
		c, kh, kw, sh, sw := few.Draw(t, "c"), few.Draw(t, "kh"), few.Draw(t, "kw"), few.Draw(t, "sh"), few.Draw(t, "sw")
		h, w := rapid.Int64Range(kh, 5).Draw(t, "h"), rapid.Int64Range(kw, 5).Draw(t, "w")
		top, left := rapid.Int64Range(0, kh-1).Draw(t, "top"), rapid.Int64Range(0, kw-1).Draw(t, "left")
		oh, ow := (h+top-kh)/sh+1, (w+left-kw)/sw+1
		x, xs := drawKernel(t, "x", 1, c, h, w)
		var largest, mean []float64
		for ch := range c {
			for i := range oh {
				for j := range ow {
					var window []float64
					for p := max(i*sh-top, 0); p < min(i*sh-top+kh, h); p++ {
						for q := max(j*sw-left, 0); q < min(j*sw-left+kw, w); q++ {
							window = append(window, x.at(0, ch, p, q))
						}
					}
					largest = append(largest, floats.Max(window))
					mean = append(mean, stat.Mean(window, nil))
				}
			}
		}
		for name, want := range map[string][]float64{"max": largest, "avg": mean} {
			for _, layout := range []string{"nchw", "nhwc"} {
				operand, after := "X", "(list 0 1 2 3)"
				if layout == "nhwc" {
					operand, after = "(access-transpose (access X 0) (list 0 2 3 1))", "(list 0 3 1 2)"
				}
				check(t, fmt.Sprintf("(input X (shape %s))(access-transpose (relay-operator-call relay-%s-pool2d %s (shape %d %d) "+
					"(shape %d %d) (shape %d %d 0 0) relay-activation-layout-%s) %s)",
					x.shape(), name, operand, kh, kw, sh, sw, top, left, layout, after), value.Tensors{"X": xs}, want)
			}
		}
	})
}

// Orders of evaluation and special values, in exact.
func TestExactPrograms(t *testing.T) {
	const half = "(input A (shape 4) float16)"
	for _, test := range []struct{ text, values, want string }{
		// 2048+1 is 2048 in float16, but 1+1+2048 is 2050.
		{half + "(compute reduce-sum (access A 0))", "2048 1 1 0", "2048"},
		{half + "(compute reduce-sum (access A 0))", "1 1 2048 0", "2050"},
		{"(input A (shape 1) float32)(compute reduce-sum (access A 0))", "-0", "-0"},
		{"(input A (shape 2) float32)(compute reduce-sum (access-slice (access A 0) 0 0 0))", "1 1", "0"},
		{"(input A (shape 2) float32)(compute reduce-max (access A 0))", "-inf nan", "-0x1.fffffep+127"},
		{"(input A (shape 2) float32)(compute reduce-max (access A 0))", "-0 0", "-0"},
		{"(input A (shape 3 2) float16)(compute dot-product (access A 0))", "256 1 256 1 0.00390625 1", "inf"},
		{"(input A (shape 3 2) float16)(compute dot-product (access A 0))", "256 1 0.00390625 1 256 1", "257"},
		{"(input A (shape 3) int8)(compute reduce-mean (access A 0))", "100 100 -100", "33"},
		{"(input A (shape 3) int8)(compute reduce-sum (access A 0))", "100 100 100", "44"},
		{"(input A (shape 3) sat8)(compute reduce-sum (access A 0))", "100 100 -100", "27"},
		{"(input A (shape 3) uint8)(compute elementwise-mul (access A 0))", "16 17 1", "16"},
		{"(input A (shape 3) int8)(compute elementwise-div (access A 0))", "-100 7 2", "-7"},
		{"(input A (shape 2) int32)(relay-operator-call relay-cast (relay-operator-call relay-left-shift A 4) int8)",
			"8 -1", "-128 -16"},
		{"(input A (shape 2) float32)(relay-operator-call relay-cast (relay-operator-call relay-round A) int8)", "2.5 -2.5", "3 -3"},
		{"(input A (shape 2) float16)(relay-operator-call relay-multiply A (access-literal (literal 0.1)))", "1 10",
			"0.0999755859375 1"},
		{"(input A (shape 2) int8)(relay-operator-call relay-clip A -3 3)", "100 -100", "3 -3"},
		{"(input A (shape 2) uint8)(relay-operator-call relay-bias-add A A 0)", "200 100", "144 200"},
		{"(input A (shape 2) float32)(access-pad (access A 0) min-padding 0 0 1)", "1 2", "1 2 -0x1.fffffep+127"},
		// Pads take part in a convolution: infinity times their zero is a NaN.
		{"(input A (shape 1 1 1) float32)(relay-operator-call relay-conv1d A (access-reshape (access A 0) " +
			"(access-shape (shape 1 1 1) (shape))) (shape 1) (shape 1 0))", "inf", "nan inf"},
		{"(input A (shape 1 1 2 2) float32)(relay-operator-call relay-avg-pool2d A (shape 2 2) (shape 2 2) (shape 1 1 1 1) " +
			"relay-activation-layout-nchw)", "-0 1 2 inf", "-0 1 2 inf"},
		{"(input A (shape 2 2) adaptive8.3)(compute dot-product (access A 0))", "0.125 0.125 0.125 0.125", "0.03125"},
		{"(input A (shape 2) fix4.4)(compute elementwise-mul (access A 0))", "-0.0625 0.5", "-0.0625"},
		{"(input A (shape 2) bool)(compute reduce-sum (access A 0))", "true true", "0"},
		{"(input A (shape 2 2) int8)(relay-operator-call relay-take A (relay-operator-call relay-cast A int64) 1)", "0 1 1 0",
			"0 1 1 0 1 0 0 1"},
	} {
		ty := typed(t, test.text)
		in := value.Tensors{}
		for _, word := range strings.Fields(test.values) {
			v, err := value.ParseValue(word, value.Exact, ty.Tensors[0].Elem)
			if err != nil {
				t.Fatal(err)
			}
			in["A"] = append(in["A"], v)
		}
		e, err := New(ty, value.Exact, nil, in)
		if err != nil {
			t.Fatal(err)
		}
		values, err := all(e, nil)
		if got := strings.Trim(fmt.Sprint(values), "[]"); err != nil || got != test.want {
			t.Errorf("%s on %s\n  is %s, %v\nwant %s", test.text, test.values, got, err, test.want)
		}
	}
}

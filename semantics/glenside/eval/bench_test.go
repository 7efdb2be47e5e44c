package eval

import (
	"fmt"
	"testing"

	"tv/semantics/domain"
	"tv/semantics/value"
)

// convolutions returns a 3x3 convolution with padding in the access patterns of the paper and as one Relay
// operator.
func convolutions(channels, size int) map[string]string {
	inputs := fmt.Sprintf("(input X (shape 1 %[1]d %[2]d %[2]d))\n(input W (shape %[1]d %[1]d 3 3))\n", channels, size)
	return map[string]string{
		"windows": inputs + fmt.Sprintf(`(access-transpose
  (compute dot-product
    (access-cartesian-product
      (access (access-tensor W) 1)
      (access-squeeze
        (access-windows
          (access (access-pad (access-pad (access-tensor X) zero-padding 2 1 1) zero-padding 3 1 1) 1)
          (shape %d 3 3) (shape 1 1 1))
        1)))
  (list 1 0 2 3))`, channels),
		"relay": inputs + `(relay-operator-call relay-conv2d X W (shape 1 1) (shape 1 1 1 1) 1 0 (shape 0 0 0)
  relay-activation-layout-nchw relay-kernel-layout-oihw)`,
	}
}

// One element of a convolution with 4608 terms.
func BenchmarkConvElement(b *testing.B) {
	const channels, terms = 512, 512 * 9
	texts := convolutions(channels, 14)
	for _, run := range []struct {
		name string
		a    value.Arith
		mode value.Mode
	}{
		{"windows", value.Real, value.Small}, {"windows", value.Exact, value.Small}, {"relay", value.Real, value.Small}, {"relay", value.Exact, value.Small},
		{"windows", value.Real, value.Distinct}, {"windows", value.Real, value.Edges}, {"windows", value.Exact, value.Edges},
	} {
		b.Run(fmt.Sprintf("%s/%s/%s", run.name, run.a, run.mode), func(b *testing.B) {
			ty := typed(b, texts[run.name])
			e, err := New(ty, run.a, nil, value.Random(1, run.a, run.mode, ty.Tensors))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				// Another element each time, so that none is remembered.
				if _, err := e.Element(nil, []int64{0, int64(n / 196 % 512), int64(n / 14 % 14), int64(n % 14)}); err != nil {
					b.Fatal(err)
				}
				n++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/terms, "ns/term")
		})
	}
}

// Compiling a program for one question.
func BenchmarkNew(b *testing.B) {
	ty := typed(b, convolutions(512, 14)["windows"])
	in := value.Random(1, value.Real, value.Small, ty.Tensors)
	for b.Loop() {
		if _, err := New(ty, value.Real, nil, in); err != nil {
			b.Fatal(err)
		}
	}
}

// Functions of a real number.
func BenchmarkEnclosures(b *testing.B) {
	a := value.Of(value.Real, domain.Float32)
	x := a.Div(value.IntValue(7, value.Real, domain.Float32), value.IntValue(3, value.Real, domain.Float32))
	for _, f := range []struct {
		name string
		of   func(value.Value) value.Value
	}{{"exp", a.Exp}, {"log", a.Log}, {"erf", a.Erf}, {"sqrt", a.Sqrt}, {"tanh", a.Tanh}} {
		b.Run(f.name, func(b *testing.B) {
			for b.Loop() {
				f.of(x)
			}
		})
	}
	e := a.Exp(x)
	b.Run("sum", func(b *testing.B) {
		for b.Loop() {
			a.Add(e, e)
		}
	})
	b.Run("product", func(b *testing.B) {
		for b.Loop() {
			a.Mul(e, e)
		}
	})
}

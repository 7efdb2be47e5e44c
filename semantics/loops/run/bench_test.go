package run_test

import (
	"context"
	"testing"

	"tv/semantics/domain"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// Two operations a step of a product of matrices, and what a run of few steps costs.
func BenchmarkMatmul(b *testing.B) {
	for _, x := range []struct {
		name  string
		arith value.Arith
		elem  domain.Elem
		size  int64
	}{
		{"int32", value.Exact, int32s, 64}, {"float32", value.Exact, floats, 64}, {"real", value.Auto, floats, 64},
		{"small", value.Auto, floats, 3},
	} {
		b.Run(x.name, func(b *testing.B) {
			p := matmul(array("A", x.elem, N, K), array("B", x.elem, K, M), array("C", x.elem, N, M))
			n := sizes{"N": x.size, "K": x.size, "M": x.size}
			for b.Loop() {
				r, err := run.New(p, run.Options{Arith: x.arith, Sizes: n, Input: func(b *loops.Buffer, offset int64) value.Value {
					return value.IntValue(offset%7-3, x.arith, x.elem)
				}})
				if err != nil {
					b.Fatal(err)
				}
				if err := r.Do(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(2*x.size*x.size*x.size)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mops/s")
		})
	}
}

package mlir_test

import (
	"fmt"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/mlir"
)

// BenchmarkLines reads a loop of 2,000 updates, each of five operations.
func BenchmarkLines(b *testing.B) {
	var text strings.Builder
	text.WriteString("func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %n: index) {\naffine.for %i = 0 to %n {\n")
	for k := range 2000 {
		fmt.Fprintf(&text, "%%a%d = affine.load %%A[%%i, %d] : memref<?x?xf32>\n%%b%d = affine.load %%B[%d, %%i + %d] : memref<?x?xf32>\n", k, k%97, k, k%83, k%7)
		fmt.Fprintf(&text, "%%p%d = arith.mulf %%a%d, %%b%d : f32\n%%s%d = arith.addf %%a%d, %%p%d : f32\n", k, k, k, k, k, k)
		fmt.Fprintf(&text, "affine.store %%s%d, %%A[%%i, %d] : memref<?x?xf32>\n", k, k%89)
	}
	text.WriteString("}\nreturn\n}\n")
	for b.Loop() {
		if _, err := mlir.Parse(source.NewFile("", text.String()), ""); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*10000/b.Elapsed().Seconds(), "lines/s")
}

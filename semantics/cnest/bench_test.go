package cnest_test

import (
	"fmt"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/cnest"
)

// BenchmarkLines reads a loop of 2,000 statements.
func BenchmarkLines(b *testing.B) {
	var text strings.Builder
	text.WriteString("void f(int n, int m, int A[n][m], int B[m][n]) {\n  for (int i = 0; i < n; i++) {\n")
	for k := range 2000 {
		fmt.Fprintf(&text, "    A[i][%d] = A[i][%d] * B[%d][i + %d] + %d;\n", k%97, k%89, k%83, k%7, k)
	}
	text.WriteString("  }\n}\n")
	for b.Loop() {
		if _, err := cnest.Parse(source.NewFile("", text.String()), ""); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*2000/b.Elapsed().Seconds(), "lines/s")
}

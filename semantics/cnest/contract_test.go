package cnest_test

import (
	"fmt"
	"testing"

	"tv/internal/source"
	"tv/semantics/cnest"
	"tv/semantics/loops/looptest"
)

// TestProducts: what a call of a library leaves is what loops leave that are written by the formula of its documentation,
// for each way to store and to transpose, at offsets, with leading dimensions that are longer than rows.
func TestProducts(t *testing.T) {
	index := func(row, column string, swapped bool) string {
		if swapped {
			row, column = column, row
		}
		return fmt.Sprintf("(%s)*7 + %s", row, column)
	}
	for code := range 32 {
		columns, ta, tb, old, batch := code&1 != 0, code&2 != 0, code&4 != 0, code&8 != 0, code&16 != 0
		flag := func(on bool, yes, no int) int {
			if on {
				return yes
			}
			return no
		}
		beta, count := flag(old, 2, 0), flag(batch, 2, 1)
		name := fmt.Sprintf("cblas_sgemm(%d, %d, %d, ", flag(columns, 102, 101), flag(ta, 112, 111), flag(tb, 112, 111))
		if batch {
			columns = false
			name = fmt.Sprintf("cimblas_batched_gemm(2, %d, %d, ", flag(ta, 1, 0), flag(tb, 1, 0))
		}
		call := fmt.Sprintf("%s2, 3, 4, 3, &A[1][1], 7, &B[0][2], 7, %d, &C[1][0], 7);", name, beta)
		a := fmt.Sprintf("A[8 + b*%d + %s]", 7*flag(ta, 4, 2), index("i", "l", ta != columns))
		b := fmt.Sprintf("B[2 + b*%d + %s]", 7*flag(tb, 3, 4), index("l", "j", tb != columns))
		c := fmt.Sprintf("C[7 + b*14 + %s]", index("i", "j", columns))
		left := "3 * s"
		if old {
			left += " + 2 * " + c
		}
		nest := fmt.Sprintf(`for (int b = 0; b < %d; b++) for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) {
  float s = 0;
  for (int l = 0; l < 4; l++) s += %s * %s;
  %s = %s;
}`, count, a, b, c, left)
		equalAfter(t, call, "const float A[16][7], const float B[16][7], float C[16][7]", nest,
			"const float A[112], const float B[112], float C[112]")
	}
}

// TestBlockOfTooManySubscripts: what has more subscripts than its array has dims is no block of it, and nothing else goes wrong.
func TestBlockOfTooManySubscripts(t *testing.T) {
	for block, right := range map[string]bool{"&x[1]": true, "&x[1][2]": false, "x": true, "x[1]": false} {
		text := fmt.Sprintf("void f(const double A[2][5], const double x[8], double y[8]) {\n"+
			"  cblas_dgemv(101, 111, 2, 3, 1, &A[0][0], 5, %s, 2, 0, y, 1);\n}\n", block)
		_, err := cnest.Parse(source.NewFile("a.c", text), "")
		if right != (err == nil) || !right && source.AsErrors(err)[0].Code != "unsupported-op" {
			t.Errorf("%s: %v", block, err)
		}
	}
}

// TestVectors: so are products with a vector.
func TestVectors(t *testing.T) {
	for code := range 4 {
		columns, ta := code&1 != 0, code&2 != 0
		call := fmt.Sprintf("cblas_dgemv(%s, %s, 2, 3, 1, A[1], 5, &x[1], 2, 1, y, 3);",
			[]string{"CblasRowMajor", "CblasColMajor"}[code&1], []string{"CblasNoTrans", "CblasTrans"}[code>>1])
		row, column, rows, depth := "i", "l", 2, 3
		if ta {
			row, column, rows, depth = "l", "i", 3, 2
		}
		if columns {
			row, column = column, row
		}
		nest := fmt.Sprintf(`for (int i = 0; i < %d; i++) {
  double s = 0;
  for (int l = 0; l < %d; l++) s += A[5 + 5*%s + %s] * x[1 + 2*l];
  y[3*i] = s + y[3*i];
}`, rows, depth, row, column)
		equalAfter(t, call, "const double A[4][5], const double x[9], double y[9]", nest,
			"const double A[20], const double x[9], double y[9]")
	}
}

// equalAfter reports where two bodies leave different contents in the last of their parameters.
func equalAfter(t *testing.T, call, params, nest, flat string) {
	t.Helper()
	run := func(params, body string) string {
		out, err := looptest.Evaluated(parsed(t, "f.c", "void f("+params+") { "+body+" }"), nil, 1)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return out
	}
	if got, want := run(params, call), run(flat, nest); got != want {
		t.Errorf("%s leaves\n%s\nwant\n%s", call, got, want)
	}
}

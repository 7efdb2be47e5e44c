package cnest_test

import (
	"testing"

	"tv/proofs"
	"tv/proofs/algebra"
	"tv/proofs/cnest"
)

// TestCertificates: pairs that need no answers are accepted, and those beside them are not.
func TestCertificates(t *testing.T) {
	const (
		product = "void f(int M, int N, int K, const int A[M][K], const int B[K][N], int C[M][N]) {\n" +
			"for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) { C[i][j] = 0;\n" +
			"for (int k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j]; } }"
		head   = "void g(int M, int N, int K, const int A[M][K], const int B[K][N], int C[M][N]) {\nint i, j, k;\n"
		sum    = "float f(int N, const float A[N]) { float s = 0; for (int i = 0; i < N; i++) s += A[i]; return s; }"
		shifts = "void f(int N, int A[N], int B[N]) { for (int i = 0; i < N - 1; i++) A[i] = B[i + 1] * 3; }"
	)
	for _, test := range []struct {
		name, before, after string
		want                bool
	}{
		{"itself", product, product, true},
		{"zeros first, by a scalar", product, head + "for (i = 0; i < M; i++) for (j = 0; j < N; j++) C[i][j] = 0;\n" +
			"for (i = M - 1; i >= 0; --i) for (j = 0; j <= N - 1; j++) { int s = C[i][j];\n" +
			"for (k = 0; k < K; ++k) s = s + B[k][j] * A[i][k]; C[i][j] = s; } }", true},
		{"no zeros", product, head + "for (i = 0; i < M; i++) for (j = 0; j < N; j++)\n" +
			"for (k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j]; }", false},
		{"one less", product, head + "for (i = 0; i < M; i++) for (j = 0; j < N; j++) { C[i][j] = 0;\n" +
			"for (k = 1; k < K; k++) C[i][j] += A[i][k] * B[k][j]; } }", false},
		{"out of bounds", product, head + "for (i = 0; i < M; i++) for (j = 0; j < N; j++) { C[i][j] = 0;\n" +
			"for (k = 0; k < K; k++) C[i][j] += A[i][k] * B[k][j]; int s = A[i][K]; } }", false},
		{"a result", sum,
			"float g(int N, const float A[N]) { float s = 0, z; int i; for (i = 0; i <= N - 1; ++i) s = A[i] + s; z = s; return z; }", true},
		{"another result", sum,
			"float g(int N, const float A[N]) { float s = A[0]; for (int i = 1; i < N; i++) s += A[i]; return s + 1; }", false},
		{"another type", sum,
			"double g(int N, const float A[N]) { float s = 0; for (int i = 0; i < N; i++) s += A[i]; return s; }", false},
		{"no result", sum,
			"void g(int N, const float A[N]) { float s = 0; for (int i = 0; i < N; i++) s += A[i]; }", false},
		{"from one on", shifts,
			"void g(int N, int A[N], int B[N]) { for (int i = 1; i < N; i++) A[i - 1] = B[i] + 2 * B[i]; }", true},
		{"unsigned", shifts,
			"void g(int N, int A[N], int B[N]) { for (unsigned i = 0; i + 1 < N; i++) A[i] = 3u * B[i + 1]; }", true},
		{"unsigned below 0", shifts,
			"void g(int N, int A[N], int B[N]) { for (unsigned i = 0; i < N - 1; i++) A[i] = 3 * B[i - 1 + 2]; }", false},
		{"for N = 1 too", shifts,
			"void g(int N, int A[N], int B[N]) { for (int i = 0; i < N; i++) A[i] = B[i + 1] * 3; }", false},
		{"bytes",
			"void f(int N, signed char A[N], short B[N]) { for (int i = 0; i < N; i++) A[i] = B[i]; }",
			"void g(int N, signed char A[N], short B[N]) { for (int i = 0; i < N; i++) { signed char x = B[i]; A[i] = x; } }", true},
		{"bytes that are lost",
			"void f(int N, int A[N], short B[N]) { for (int i = 0; i < N; i++) A[i] = B[i]; }",
			"void g(int N, int A[N], short B[N]) { for (int i = 0; i < N; i++) { signed char x = B[i]; A[i] = x; } }", false},
	} {
		c := &proofs.Checker{Readings: map[string]algebra.Reading{"c": cnest.Reading{}}}
		s := proofs.Statement{Before: test.before, After: test.after, Languages: [2]string{"c", "c"}}
		_, err := c.Check("c", proofs.Format([]proofs.Pair{{Statement: s}}))
		if got := err == nil; got != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

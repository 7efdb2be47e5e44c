package tc_test

import (
	"testing"

	"tv/proofs"
	"tv/proofs/algebra"
	"tv/proofs/cnest"
	"tv/proofs/tc"
)

const (
	mv   = "def mv(float(M,K) A, float(K) x) -> (c) { c(i) +=! A(i,k) * x(k) }"
	mvC  = "void f(int M, int K, const float A[M][K], const float x[K], float c[M]) {\n"
	bmm  = "def f(int32(B,N,M) X, int32(B,M,K) Y) -> (Z) { Z(b,n,k) +=! X(b,n,mm) * Y(b,mm,k) }"
	bmmC = "void f(int B, int N, int M, int K, const int X[B][N][M], const int Y[B][M][K],\n" +
		"int Z[B][N][K]) {\n"
	conv = "def f(float(N) I, float(4) W) -> (O) { O(i) +=! I(3*i + x) * W(x) where x in 0:4 }"
	fc   = "def f(float(B,I) X, float(O,I) W, float(O) b) -> (Y) {\n" +
		"Y(n,o) = b(o) where n in 0:B  Y(n,o) += X(n,i) * W(o,i)  Y(n,o) = fmax(Y(n,o), 0) }"
	fcC = "void f(int B, int I, int O, const float X[B][I], const float W[O][I], const float b[O],\n" +
		"float Y[B][O]) { for (int n = 0; n < B; n++) for (int o = 0; o < O; o++) {\n"
	delay  = "def f(float(N) A, float(D) x) -> (B) { B(i) = i >= D ? A(i - D) : float(0) where i in 0:N }"
	delayC = "void f(int N, int D, const float A[N], const float x[D], float B[N]) {\n"
	two    = "def f(int32(N,N) A, int32(N,N) D) -> (P, O) { P(i,j) +=! A(i,k) * D(k,j) O(i,j) +=! P(i,k) * D(k,j) }"
	twoC   = "void f(int N, const int A[N][N], const int D[N][N], int P[N][N], int O[N][N]) {\n" +
		"for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { P[i][j] = 0;\n" +
		"for (int k = 0; k < N; k++) P[i][j] += A[i][k] * D[k][j]; }\n" +
		"for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {\n"
)

// TestCertificates: pairs that need no answers are accepted, and those beside them are not.
func TestCertificates(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		want                bool
	}{
		{"itself", mv, mv, true},
		{"the other way round", mv,
			"def g(float(M,K) A, float(K) x) -> (c) { c(q) +=! x(p) * A(q,p) }", true},
		{"no zeros", mv, "def g(float(M,K) A, float(K) x) -> (c) { c(i) += A(i,k) * x(k) }", false},
		{"transposed", mv, "def g(float(M,K) A, float(K) x) -> (c) { c(i) +=! A(k,i) * x(k) }", false},
		{"a nest", mv, mvC + "for (int i = 0; i < M; i++) { c[i] = 0;\n" +
			"for (int k = 0; k < K; k++) c[i] += x[k] * A[i][k]; } }", true},
		{"one less", mv, mvC + "for (int i = 0; i < M; i++) { c[i] = 0;\n" +
			"for (int k = 1; k < K; k++) c[i] += A[i][k] * x[k]; } }", false},
		{"a nest without zeros", mv, mvC + "for (int i = 0; i < M; i++) {\n" +
			"for (int k = 0; k < K; k++) c[i] += x[k] * A[i][k]; } }", false},
		{"from old contents", "def g(float(M,K) A, float(K) x) -> (c) { c(i) += A(i,k) * x(k) }",
			mvC + "for (int i = 0; i < M; i++) for (int k = 0; k < K; k++) c[i] += A[i][k] * x[k]; }",
			true},
		{"products", bmm, bmmC + "for (int b = 0; b < B; b++) for (int n = 0; n < N; n++)\n" +
			"for (int k = 0; k < K; k++) { int s = 0; for (int m = 0; m < M; m++)\n" +
			"s += Y[b][m][k] * X[b][n][m]; Z[b][n][k] = s; } }", true},
		{"products of one", bmm, bmmC + "for (int b = 0; b < B; b++) for (int n = 0; n < N; n++)\n" +
			"for (int k = 0; k < K; k++) { int s = 0; for (int m = 0; m < M; m++)\n" +
			"s += Y[0][m][k] * X[b][n][m]; Z[b][n][k] = s; } }", false},
		{"a stride", conv, "void f(int N, const float I[N], const float W[4], float O[(N - 1) / 3]) {\n" +
			"for (int i = 0; i < (N - 1) / 3; i++) { O[i] = 0;\n" +
			"for (int x = 0; x < 4; x++) O[i] += I[i * 3 + x] * W[x]; } }", true},
		{"another stride", conv, "void f(int N, const float I[N], const float W[4], float O[(N - 1) / 3]) {\n" +
			"for (int i = 0; i < (N - 1) / 3; i++) { O[i] = 0;\n" +
			"for (int x = 0; x < 4; x++) O[i] += I[i * 2 + x] * W[x]; } }", false},
		{"a layer", fc, fcC + "float s = b[o]; for (int i = 0; i < I; i++) s += X[n][i] * W[o][i];\n" +
			"Y[n][o] = s > 0 ? s : 0; } }", true},
		{"a layer without its end", fc, fcC + "float s = b[o];\n" +
			"for (int i = 0; i < I; i++) s += X[n][i] * W[o][i]; Y[n][o] = s; } }", false},
		{"a layer that starts from 0", fc, fcC + "float s = 0;\n" +
			"for (int i = 0; i < I; i++) s += X[n][i] * W[o][i]; Y[n][o] = s > 0 ? s : 0; } }", false},
		{"a choice", delay, delayC + "for (int i = 0; i < N; i++) B[i] = i < D ? 0 : A[i - D]; }", true},
		{"a choice, by parts", delay, delayC + "for (int i = 0; i < N; i++) B[i] = 0;\n" +
			"for (int i = D; i < N; i++) B[i] = A[i - D]; }", true},
		{"a choice, one further", delay,
			delayC + "for (int i = 0; i < N; i++) B[i] = i <= D ? 0 : A[i - D]; }", false},
		{"two products", two, twoC + "O[i][j] = 0; for (int k = 0; k < N; k++) O[i][j] += P[i][k] * D[k][j]; } }",
			true},
		{"two products, and one left out", two, twoC + "O[i][j] = P[i][j]; } }", false},
		{"an extent that may not be there", "def f(int32(N) A, int32(M) x) -> (B) { B(i) +=! A(i + j) * x(j) }",
			"void f(int N, int M, const int A[N], const int x[M], int B[N - M + 1]) {\n" +
				"for (int i = 0; i <= N - M; i++) { B[i] = 0;\n" +
				"for (int j = 0; j < M; j++) B[i] += A[i + j] * x[j]; } }", true},
		{"bytes", "def f(int8(N) A, uint8(N) D) -> (B) { B(i) = A(i) * D(i) }",
			"void f(int N, const signed char A[N], const unsigned char D[N], signed char B[N]) {\n" +
				"for (int i = 0; i < N; i++) B[i] = A[i] * D[i]; }", true},
	} {
		c := &proofs.Checker{Readings: map[string]algebra.Reading{
			"c": cnest.Reading{}, "tc": tc.Reading{}}}
		languages := [2]string{"tc", "tc"}
		if test.after[:3] != "def" {
			languages[1] = "c"
		}
		s := proofs.Statement{Before: test.before, After: test.after, Languages: languages}
		_, err := c.Check("tc", proofs.Format([]proofs.Pair{{Statement: s}}))
		if got := err == nil; got != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

package tc

import "testing"

// TestDescribe: ranges, extents and conditions as text.
func TestDescribe(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"def mv(float(M, K) A, float(K) x) -> (c) {\n  c(i) +=! A(i, k) * x(k)\n}",
			"2:3: c(i) +=! A(i, k) * x(k)\n" +
				"  0 <= i < M  (inferred)\n" +
				"  0 <= k < K  (inferred, reduced)\n" +
				"  c: float32(M)\n"},
		{"def f(int32(N) I) -> (A) { A(i) +=! I(3 * i + x) where x in 0:4 }",
			"1:28: A(i) +=! I(3 * i + x)\n" +
				"  0 <= i < (N + 2) div 3 - 1  (inferred)\n" +
				"  0 <= x < 4  (written, reduced)\n" +
				"  requires 0 <= N - 4\n" +
				"  A: int32((N + 2) div 3 - 1)\n"},
		{"def f(float(I) B) -> (A) { A(i) = B(10 - i) }",
			"1:28: A(i) = B(10 - i)\n" +
				"  -I + 11 <= i < 11  (inferred)\n" +
				"  requires 0 <= -I + 11  (axis 0 of A)\n" +
				"  A: float32(11)\n"},
		{"def f(float(N) B, float(M) D, float(L) C) -> (A) { A(i, j) = B(i) * C(i + j) * D(j) }",
			"1:52: A(i, j) = B(i) * C(i + j) * D(j)\n" +
				"  0 <= i < N  (inferred)\n" +
				"  0 <= j < M  (inferred)\n" +
				"  requires M + N - 2 < L  (axis 0 of C)\n" +
				"  A: float32(N, M)\n"},
		{"def f(float(N) A) -> (B) { B(i) = i > 0 ? A(i - 1) : A(i) where i in 0:N B(i) += B(0) <=> g(B, A) B(i) *=! A(i) }",
			"1:28: B(i) = i > 0 ? A(i - 1) : A(i)\n" +
				"  0 <= i < N  (written)\n" +
				"  requires 0 <= i - 1 < N  (axis 0 of A, where it is read)\n" +
				"  B: float32(N)\n" +
				"1:74: B(i) += B(0)\n" +
				"  0 <= i < N  (inferred)\n" +
				"  note: reads B at other cells than the one that is written: iterations run row by row\n" +
				"  note: <=> g(B, A) is not looked at\n" +
				"1:99: B(i) *=! A(i)\n" +
				"  0 <= i < N  (inferred)\n" +
				"  note: ! sets cells of B anew, which was written before; an implementation that sets those of new tensors alone differs\n"},
		{"def f(float(N, M) A, float(K) B, float(N) C) -> (D) { D(i) max=! A(i + 2 * k, j) * B(k) * C(i + 1) where j in 1:M - 1 }",
			"1:55: D(i) max=! A(i + 2 * k, j) * B(k) * C(i + 1)\n" +
				"  -1 <= i < N - 1  (inferred)\n" +
				"  0 <= k < K  (inferred, reduced)\n" +
				"  1 <= j < M - 1  (written, reduced)\n" +
				"  requires 0 <= -1  (axis 0 of D)\n" +
				"  requires 0 <= -1 and 2*K + N - 4 < N  (axis 0 of A)\n" +
				"  D: float32(N - 1)\n"},
		{"def f(float(N) A, float(M, K) B) -> (C) { C(i, j) = A(i + j - j) * B(i, j) }", // j counts though it cancels
			"1:43: C(i, j) = A(i + j - j) * B(i, j)\n" +
				"  0 <= i < M  (inferred)\n" +
				"  0 <= j < K  (inferred)\n" +
				"  requires M - 1 < N  (axis 0 of A)\n" +
				"  C: float32(M, K)\n"},
		{"def f(int32 n, float(N) A) -> (B, s) { B(i) = A(i) * x where i in 0:n, x = 2 s +=! B(i) * k where k in 0:B.0 }",
			"1:40: B(i) = A(i) * x\n" +
				"  0 <= i < n  (written)\n" +
				"  requires n - 1 < N  (axis 0 of A)\n" +
				"  B: float32(n)\n" +
				"1:78: s +=! B(i) * k\n" +
				"  0 <= i < n  (inferred, reduced)\n" +
				"  0 <= k < n  (written, reduced)\n" +
				"  s: float32\n"},
	} {
		got, err := Describe(textFile(c.text), "")
		if err != nil {
			got = said(err)
		}
		if got != c.want {
			t.Errorf("%s\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

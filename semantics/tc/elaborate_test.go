package tc

import (
	"strings"
	"testing"

	"tv/semantics/loops"
)

// TestHeading: sizes stand before the first tensor that has them; those that only extents name nobody gives.
func TestHeading(t *testing.T) {
	p, err := Parse(textFile("def f(float(M, K) A, int32 n, float(K, n) B, uint8 m, int32 x) -> (C, D) {\n"+
		"  C(i) +=! A(i, k) where k in 0:m\n  D(i) = B(0, i) * x\n}"), "")
	if err != nil {
		t.Fatal(err)
	}
	want := `procedure f(size M, size K, in float32 A[M][K], size n, in float32 B[K][n], size m, in int32 x, float32 C[M], float32 D[n]) {
  require index: m <= 255 "m as a uint8"
  for i = 0; i < M {
    C[i] = 0:float32
  }
  for i = 0; i < M {
    for k = 0; k < m {
      C[i] = C[i] +.float32 A[i][k]
    }
  }
  for i = 0; i < n {
    D[i] = B[0][i] *.float32 convert<int32, float32>(x)
  }
}
`
	if got := loops.Format(p); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	s, err := loops.SourceOf(p, false)
	if err != nil {
		t.Fatal(err)
	}
	var given []string
	for _, size := range s.Sizes {
		given = append(given, size.Name)
	}
	if got := strings.Join(given, " "); got != "n m" || p.Wide {
		t.Errorf("%s are given", got)
	}
}

// TestRequired: what a program asks of sizes and indices stands before the accesses that need it, once.
func TestRequired(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"def f(float(N) A) -> (B) { B(i) = A(99999 * i - 99998 * i) + A(99999 * i) where i in 0:N }", []string{
			`require index: -2147483648 <= 99999*i && 99999*i <= 2147483647 "99999 * i as an int32"`,
			`require index: -2147483648 <= 99998*i && 99998*i <= 2147483647 "99998 * i as an int32"`}},
		{"def f(float(N, M) A) -> (B) { B(i) = A(i, 0) where i in 0:N * M }", []string{
			`require index: -2147483648 <= M*N && M*N <= 2147483647 "N * M as an int32"`}},
		{"def f(float(N) A, float(K) W) -> (B) { B(i) +=! A(3 * i + k) * W(k) - A(k + 3 * i) }", []string{
			`require bounds: 0 <= -1*K + N "the range of i, inferred, holds something"`}},
		{"def f(float(N) A) -> (B) { B(i) +=! A(i + k) where k in 1:N }", []string{
			`require bounds: 1 <= N - 1 "the range of k, by which another index is solved, holds something"`}},
		{"def f(float(N) A) -> (B) { B(i) = i > 2 ? A(int8(i)) : 0 where i in 0:N }", []string{
			`require index: -128 <= i && i <= 127 "i as an int8"`}},
		{"def f(float(N) A) -> (B) { B(i) +=! A(i + k) where k in 0:N }", nil},
	} {
		p, err := Parse(textFile(c.text), "")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range strings.Split(loops.Format(p), "\n") {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "require") {
				got = append(got, line)
			}
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s\n%s", c.text, strings.Join(got, "\n"))
		}
	}
}

package cnest_test

import (
	"testing"

	"tv/proofs"
	"tv/proofs/algebra"
	"tv/proofs/cnest"
	"tv/semantics/domain"
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
		{"the greatest and the least, as Pluto writes them", shifts,
			"void g(int N, int A[N], int B[N]) { for (int i = max(0, 1 - N); i <= min(N - 2, N); i++) A[i] = B[i + 1] * 3; }", true},
		{"one that may be below 0", shifts,
			"void g(int N, int A[N], int B[N]) { for (int i = min(0, 1 - N); i <= min(N - 2, N); i++) A[i] = B[i + 1] * 3; }", false},
		{"a quotient rounded down", shifts,
			"void g(int N, int A[N], int B[N]) { for (int i = 0; i <= floord(2 * N - 3, 2); i++) A[i] = B[i + 1] * 3; }", true},
		{"rounded up", shifts,
			"void g(int N, int A[N], int B[N]) { for (int i = 0; i < ceild(2 * N - 3, 2); i++) A[i] = B[i + 1] * 3; }", true},
		{"rounded down where it is to be up", shifts,
			"void g(int N, int A[N], int B[N]) { for (int i = 0; i < floord(2 * N - 3, 2); i++) A[i] = B[i + 1] * 3; }", false},
		{"for N = 1 too", shifts,
			"void g(int N, int A[N], int B[N]) { for (int i = 0; i < N; i++) A[i] = B[i + 1] * 3; }", false},
		{"bytes",
			"void f(int N, signed char A[N], short B[N]) { for (int i = 0; i < N; i++) A[i] = B[i]; }",
			"void g(int N, signed char A[N], short B[N]) { for (int i = 0; i < N; i++) { signed char x = B[i]; A[i] = x; } }", true},
		{"bytes that are lost",
			"void f(int N, int A[N], short B[N]) { for (int i = 0; i < N; i++) A[i] = B[i]; }",
			"void g(int N, int A[N], short B[N]) { for (int i = 0; i < N; i++) { signed char x = B[i]; A[i] = x; } }", false},
	} {
		if err := accepted(test.before, test.after, domain.Auto); (err == nil) != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// accepted is why a pair without answers is not accepted.
func accepted(before, after string, arith domain.Arith) error {
	c := &proofs.Checker{Readings: map[string]algebra.Reading{"c": cnest.Reading{}}}
	s := proofs.Statement{Before: before, After: after, Arith: arith, Languages: [2]string{"c", "c"}}
	_, err := c.Check("c", proofs.Format([]proofs.Pair{{Statement: s}}))
	return err
}

// TestChoices: bodies of a loop over i, of which the second is accepted for the first, or is not.
func TestChoices(t *testing.T) {
	const (
		ints   = "void f(int n, int a[n], int b[n], int x) { for (int i = 0; i < n; i++) { "
		words  = "void f(int n, unsigned a[n], unsigned b[n], unsigned x) { for (int i = 0; i < n; i++) { "
		shorts = "void f(int n, short a[n], short b[n], int x) { for (int i = 0; i < n; i++) { "
		other  = "void f(int n, int m, int a[n], int b[m]) { for (int i = 0; i < n; i++) { "
		floats = "void f(int n, float a[n], float b[n], float x) { for (int i = 0; i < n; i++) { "
	)
	for _, test := range []struct {
		head, before, after string
		want                bool
	}{
		{ints, "if (a[i] > x) b[i] = a[i] * 2; else b[i] = 0;", "b[i] = x < a[i] ? a[i] + a[i] : 0;", true},
		{ints, "if (a[i] > x) b[i] = a[i] * 2; else b[i] = 0;", "b[i] = x <= a[i] ? a[i] + a[i] : 0;", false},
		{ints, "if (a[i] > x) b[i] = a[i] * 2; else b[i] = 0;", "b[i] = a[i] < x ? a[i] + a[i] : 0;", false},
		{ints, "if (a[i] > x) b[i] = a[i] * 2; else b[i] = 0;", "if (a[i] > x) b[i] = a[i] * 2;", false},
		{ints, "if (a[i] > x) b[i] = 7;", "b[i] = a[i] <= x ? b[i] : 7;", true},
		{ints, "if (a[i] > x) b[i] = 7;", "b[i] = a[i] > x ? 7 : 0;", false},
		{ints, "b[i] = a[i] < 3 ? 1 : 2;", "b[i] = 3 < a[i] ? 1 : 2;", false},
		{ints, "b[i] = a[i] < 3 ? 1 : 2;", "b[i] = 3 > a[i] ? 1 : 2;", true},
		{ints, "b[i] = a[i] == x;", "if (!(x == a[i])) b[i] = 0; else b[i] = 1;", true},
		{ints, "b[i] = a[i] == x;", "if (!(x == a[i])) b[i] = 1; else b[i] = 0;", false},
		{ints, "if (a[i] < x && b[i] < x) b[i] = 1;", "if (b[i] < x) if (a[i] < x) b[i] = 1;", true},
		{ints, "if (a[i] < x && b[i] < x) b[i] = 1;", "if (b[i] < x || a[i] < x) b[i] = 1;", false},
		{ints, "if (!(a[i] < x && b[i] < x)) b[i] = 1;", "if (b[i] >= x || a[i] >= x) b[i] = 1;", true},
		{ints, "if (a[i] < x) b[i] = 1; else if (x < b[i]) b[i] = 1;", "b[i] = a[i] < x || b[i] > x ? 1 : b[i];", true},
		{ints, "if (a[i] < x) { a[i] = x; b[i] = 2; }", "if (a[i] < x) { b[i] = 2; a[i] = x; }", true},
		{ints, "if (a[i] < x) { a[i] = x; b[i] = 2; }", "if (a[i] < x) a[i] = x; if (a[i] < x) b[i] = 2;", false},
		{ints, "if (a[i] > b[i]) { int t = a[i]; a[i] = b[i]; b[i] = t; }",
			"int t = a[i] < b[i] ? a[i] : b[i]; if (b[i] < a[i]) b[i] = a[i]; a[i] = t;", true},
		{ints, "if (a[i] > b[i]) { int t = a[i]; a[i] = b[i]; b[i] = t; }",
			"if (b[i] < a[i]) { a[i] = b[i]; b[i] = a[i]; }", false},
		{ints, "int t; if (a[i] > x) t = 3; else t = a[i]; b[i] = t;", "b[i] = a[i] > x ? 3 : a[i];", true},
		{ints, "int t; if (a[i] > x) t = 3; b[i] = t;", "int t; if (a[i] > x) t = 3; b[i] = t;", false},
		{ints, "if (a[i] > 0) b[0] += a[i];", "b[0] += a[i] > 0 ? a[i] : 0;", true},
		{ints, "if (a[i] > 0) b[0] += a[i];", "b[0] += a[i] > 1 ? a[i] : 0;", false},
		{ints, "if (a[i] > 0) b[0] += a[i];", "b[0] = a[i] > 0 ? b[0] - a[i] : b[0];", false},
		// data decides about an access that is outside
		{ints, "b[i] = 0; if (a[i] > x) b[i + 1] = 2;", "b[i] = 0; if (a[i] > x) b[i + 1] = 2;", false},
		{ints, "b[i] = a[i] > x ? a[i + 1] : 0;", "b[i] = a[i] > x ? a[i + 1] : 0;", false},
		{ints, "b[i] = a[i] > x && a[i + 1] > 0;", "b[i] = a[i] > x && a[i + 1] > 0;", false},
		{other, "b[i] = a[i]; if (a[i] > 0) b[i] = a[i];", "b[i] = a[i];", true},
		{other, "if (a[i] > 0) b[i] = a[i];", "if (a[i] > 0) b[i] = a[i];", false},
		{ints, "if (i > 0 && a[i] > x) b[i - 1] = 2;", "if (i >= 1) b[i - 1] = x < a[i] ? 2 : b[i - 1];", true},
		// bits
		{ints, "b[i] = a[i] & x;", "b[i] = x & a[i];", true},
		{ints, "b[i] = a[i] & x;", "b[i] = a[i] | x;", false},
		{ints, "b[i] = ~a[i];", "b[i] = -a[i] - 1;", true},
		{ints, "b[i] = ~a[i];", "b[i] = -a[i];", false},
		{ints, "b[i] = a[i] % 3;", "b[i] = a[i] - 3 * (a[i] / 3);", true},
		{ints, "b[i] = a[i] % 4;", "b[i] = a[i] & 3;", false},
		{ints, "b[i] = a[i] / 2;", "b[i] = a[i] >> 1;", false},
		{ints, "b[i] = a[i] >> 1;", "b[i] = (unsigned)a[i] >> 1;", false},
		{ints, "b[i] = a[i] / 3;", "b[i] = (unsigned)a[i] / 3;", false},
		{ints, "b[i] = a[i] < x;", "b[i] = (unsigned)a[i] < (unsigned)x;", false},
		{words, "b[i] = a[i] / 3 * 3;", "b[i] = a[i];", false},
		{words, "b[i] = x - x - 1 < i;", "b[i] = (int)x - (int)x - 1 < i;", false},
		{words, "b[i] = (x - x - 1 & x) / 2;", "b[i] = ((int)x - (int)x - 1 & (int)x) / 2;", false},
		{shorts, "b[i] = a[i] < b[i];", "int y = a[i], z = b[i]; b[i] = y < z;", true},
		{shorts, "b[i] = (short)x < b[i];", "b[i] = x < b[i];", false},
		{shorts, "b[i] = a[i] < b[i] ? b[i] : a[i];", "int y = a[i], z = b[i]; b[i] = y > z ? y : z;", true},
		{shorts, "b[i] = a[i] < b[i] ? b[i] : a[i];", "int y = a[i], z = b[i]; b[i] = y > z ? z : y;", false},
		{shorts, "b[i] = a[i] < 7 ? 7 : a[i];", "short y = 7; b[i] = a[i] < y ? y : a[i];", true},
		{shorts, "b[i] = a[i] < x ? x : a[i];", "short y = x; b[i] = a[i] < y ? y : a[i];", false},
		// real numbers: what a branch asks for is asked for where it is taken
		{floats, "b[i] = a[i] > 0 ? x / a[i] : 0;", "b[i] = a[i] > 0 ? x / a[i] : 0;", false},
		{floats, "b[i] = x; if (a[i] > 0) b[i] = logf(a[i]);", "b[i] = x; if (a[i] > 0) b[i] = logf(a[i]);", false},
		{floats, "float t = x / a[i]; if (a[i] > 0) b[i] = t;", "float t = x / a[i]; if (a[i] > 0) b[i] = t;", false},
		{floats, "b[i] = a[i] > 0 && x / a[i] > 1;", "b[i] = a[i] > 0 && x / a[i] > 1;", false},
		{floats, "b[i] = x / a[i] > 0 ? 2 : 2;", "b[i] = 2;", true},
		{floats, "b[i] = 2;", "b[i] = x / a[i] > 0 ? 2 : 2;", false},
		{floats, "b[i] = a[i] > 0 ? x / 2 : 0;", "b[i] = 0 < a[i] ? 0.5f * x : 0;", true},
		{floats, "b[i] = a[i] < x ? 1 : 2;", "b[i] = 2 * x - 2 * a[i] > 0 ? 1 : 2;", true},
		{floats, "b[i] = a[i] < x ? 1 : 2;", "b[i] = 2 * x - a[i] > 0 ? 1 : 2;", false},
		{floats, "b[i] = a[i] < x ? 1 : 2;", "b[i] = a[i] - x > 0 ? 1 : 2;", false},
		{floats, "if (a[i] < 0) a[i] = 0;", "a[i] = fmaxf(a[i], 0);", true},
		{floats, "if (a[i] < 0) a[i] = 0;", "a[i] = fminf(a[i], 0);", false},
		{floats, "float t = 1 / a[i]; if (t < 0) t = 0; b[i] = t;", "b[i] = fmaxf(1 / a[i], 0);", true},
	} {
		err := accepted(test.head+test.before+" } }", test.head+test.after+" } }", domain.Auto)
		if (err == nil) != test.want {
			t.Errorf("%s\n%s\n%v", test.before, test.after, err)
		}
	}
	exact := func(before, after string) error {
		return accepted(floats+before+" } }", floats+after+" } }", domain.Exact)
	}
	for _, order := range []string{"b[i] = x < a[i] ? 1 : 2;", "b[i] = !(a[i] > x) ? 2 : 1;"} {
		if err := exact("b[i] = a[i] > x ? 1 : 2;", order); err != nil {
			t.Error(err)
		}
	}
	if err := exact("b[i] = a[i] > x ? 1 : 2;", "b[i] = a[i] <= x ? 2 : 1;"); err == nil {
		t.Error("a number that is none is less than another, or at least it")
	}
}

// TestExtremes: loops that leave the greatest or least of something.
func TestExtremes(t *testing.T) {
	fold := func(elem, first, body string) string {
		return elem + " f(int n, int m, const " + elem + " a[n]) { " + elem + " r = " + first +
			"; for (int i = 1; i < n; i++) { " + body + " } return r; }"
	}
	for _, test := range []struct {
		elem, first, before, other, after string
		want                              bool
	}{
		{"int", "a[0]", "r = a[i] > r ? a[i] : r;", "a[0]", "if (r < a[i]) r = a[i];", true},
		{"int", "a[0]", "r = a[i] > r ? a[i] : r;", "a[0]", "if (r > a[i]) r = a[i];", false},
		{"int", "a[0]", "r = a[i] > r ? a[i] : r;", "a[n - 1]", "if (r < a[i]) r = a[i];", false},
		{"int", "a[0]", "if (r > a[i]) r = a[i];", "a[0]", "r = r < a[i] ? r : a[i];", true},
		{"int", "a[0]", "if (r > a[i]) r = a[i];", "-1 - a[0]", "int y = -1 - a[i]; if (r < y) r = y;", false},
		{"int", "a[0]", "if (r > a[i]) r = a[i];", "a[0]", "unsigned y = a[i]; if (r > y) r = y;", false},
		{"unsigned", "a[0]", "if (r > a[i]) r = a[i];", "a[0]", "r = r < a[i] ? r : a[i];", true},
		{"unsigned", "a[0]", "if (r < a[i]) r = a[i];", "a[0]", "int y = a[i]; if ((int)r < y) r = y;", false},
		{"short", "a[0]", "if (r > a[i]) r = a[i];", "a[0]", "r = r < a[i] ? r : a[i];", true},
		{"short", "a[0]", "if (r < a[i]) r = a[i];", "a[0]", "r = r < a[i] + 1 ? a[i] + 1 : r;", false},
		{"short", "a[0]", "r = r < a[i] + 1 ? a[i] + 1 : r;", "a[0]", "short y = a[i] + 1; r = r < y ? y : r;", false},
		{"float", "a[0]", "r = a[i] < r ? a[i] : r;", "a[0]", "r = fminf(a[i], r);", true},
		{"float", "a[0]", "r = a[i] < r ? a[i] : r;", "a[0]", "r = fmaxf(a[i], r);", false},
		{"float", "a[0]", "r = fminf(r, a[i]);", "0", "r = fminf(r, a[i]);", false},
		{"float", "0", "r = fminf(r, -a[i]);", "0", "r = -r; r = fmaxf(r, a[i]); r = -r;", false},
		{"double", "a[0]", "r = a[i] < r ? a[i] : r;", "a[0]", "if (a[i] <= r) r = a[i];", true},
	} {
		err := accepted(fold(test.elem, test.first, test.before), fold(test.elem, test.other, test.after),
			domain.Auto)
		if (err == nil) != test.want {
			t.Errorf("%s\n%s\n%v", test.before, test.after, err)
		}
	}
}

// TestJoined: one place apart from the others counts as one of them, if it is.
func TestJoined(t *testing.T) {
	fold := func(elem, first, lo, hi string) string {
		return elem + " f(int n, const " + elem + " a[n + 4]) { " + elem + " r = " + first + "; for (int i = " +
			lo + "; i < " + hi + "; i++) r = r < a[i] ? a[i] : r; return r; }"
	}
	type places struct{ first, lo, hi string }
	all := places{"a[0]", "1", "n + 4"}
	for _, test := range []struct {
		before, after places
		want          bool
	}{
		{all, places{"a[n + 3]", "0", "n + 3"}, true},
		{all, places{"a[0]", "0", "n + 4"}, true},
		{all, places{"a[n + 3]", "0", "n + 4"}, true},
		{all, places{"a[1]", "0", "n + 4"}, false}, // not at an end
		{all, places{"a[0]", "2", "n + 4"}, false},
		{all, places{"a[1]", "2", "n + 4"}, false},
		{all, places{"a[n + 3]", "1", "n + 3"}, false},
		{all, places{"a[n + 3]", "0", "n + 2"}, false},
		{all, places{"-a[n + 3]", "0", "n + 3"}, false},
		// boxes that may be empty
		{places{"a[0]", "1", "n"}, places{"a[n - 1]", "0", "n - 1"}, true},
		{places{"a[n]", "3", "n"}, places{"a[3]", "4", "n + 1"}, false},
		{places{"a[2]", "3", "n"}, places{"a[n - 1]", "2", "n - 1"}, false},
		{places{"a[4]", "4", "n"}, places{"a[n]", "4", "n"}, false},
		{places{"a[4]", "4", "n"}, places{"a[3 + (n > 4 ? n - 4 : 0)]", "4", "n"}, false},
	} {
		for _, elem := range []string{"float", "int", "unsigned"} {
			x, y := test.before, test.after
			err := accepted(fold(elem, x.first, x.lo, x.hi), fold(elem, y.first, y.lo, y.hi), domain.Auto)
			if (err == nil) != test.want {
				t.Errorf("%s %v %v: %v", elem, test.before, test.after, err)
			}
		}
	}
}

// TestRanks: a pointer is the contents of what it is bound to, row by row.
func TestRanks(t *testing.T) {
	const (
		rows = "void f(int M, int N, const int A[M][N], int B[M][N]) {\n" +
			"for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) B[i][j] = A[i][j]; }"
		head = "void g(int M, int N, const int *A, int *B) {\n"
		nest = head + "for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) "
	)
	product := domain.NamedSize("M").Mul(domain.NamedSize("N"))
	for _, test := range []struct {
		name, after string
		extent      domain.Size
		want        bool
	}{
		{"rows", nest + "B[i * N + j] = A[i * N + j]; }", product, true},
		{"one loop", head + "for (int t = 0; t < M * N; t++) B[t] = A[t]; }", product, true},
		{"rows of another length", nest + "B[i * M + j] = A[i * M + j]; }", product, false},
		{"transposed", nest + "B[i * N + j] = A[j * M + i]; }", product, false},
		{"one row less", head + "for (int t = 0; t < M * N - N; t++) B[t] = A[t]; }", product, false},
		{"one too far", head + "for (int t = 0; t <= M * N; t++) B[t] = A[t]; }", product, false},
		{"another number of elements", nest + "B[i * N + j] = A[i * N + j]; }", product.Add(domain.IntSize(1)), false},
	} {
		c := &proofs.Checker{Readings: map[string]algebra.Reading{"c": cnest.Reading{}}}
		s := proofs.Statement{Before: rows, After: test.after, Languages: [2]string{"c", "c"}, Bound: true,
			Names: map[string]string{"A": "A", "B": "B"},
			Sizes: map[string]domain.Size{"A.extent": test.extent, "B.extent": test.extent}}
		if _, err := c.Check("c", proofs.Format([]proofs.Pair{{Statement: s}})); (err == nil) != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

package cnest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/value"
)

// corners are what random programs do not have, or seldom. All are defined at all sizes.
var corners = []string{
	// counters and other integers of control behind loops and branches
	`void f(int n, int t, int A[n + t]) { int i; for (i = 0; i < n; i += t) A[i] = i; A[i] = -1; }`,
	`void f(int n, int t, int A[n + t]) { int i; for (i = n; i > 0; i -= t) A[i - 1] = i; A[0] += i; }`,
	`void f(int n, int A[2 * n]) { int p = 0, i; for (i = 0; i < n; i++) p = 2 * i + 1; A[p] = p; A[i] = i; }`,
	`void f(int n, int A[n + 1]) { int p = n; for (int i = 3; i < n; i++) p = i / 2; A[p] = p; }`,
	`void f(int n, int m, int A[n + m]) { int p; if (n > m) p = n; else p = m - 1; A[p] = p + (n > m); }`,
	`void f(int n, int m, int A[n + m]) { int p = 0; if (n > m && m > 2) { p = m; p += 1; } A[p]++; }`,
	`void f(int n, int m, int A[n][m]) { int i, j; for (i = 0; i < n; i++) { for (j = i; j < m; j++) A[i][j] = j; A[i][0] += j; } A[0][0] += i; }`,
	`void f(int n, int A[n]) { n = n / 2; for (int i = 0; i < n; i++) A[i] = n; }`,
	`void f(int n, int A[n]) { const int r = n % 3; for (int i = 0; i < n; i++) if (r == 1) A[i] = r; else A[i] -= r; }`,
	`void f(int n, int A[n]) { for (int i = 0; i < n; i++) { int r = i * i; if (r > 4) A[i] = r; } }`,
	`void f(unsigned n, int A[n]) { for (unsigned i = n; i > 0; i--) A[i - 1] = i; }`,
	`void f(size_t n, int A[n]) { for (size_t i = n & ~1ul; i < n; ++i) A[i] = i; }`,
	`void f(int n, int A[n]) { for (signed char i = 0; i < n && i < 100; i = 1 + i) A[i] = i << 3; }`,
	`void f(long n, int A[n]) { for (int i = n - 1; i >= 0; i += -2) A[i] = i; }`,
	`void f(int n, int A[n]) { for (int i = 0; -2 * i > -n; i++) A[2 * i] = i; for (int i = 0; 3 * i <= n - 1; i++) A[3 * i]++; }`,
	`void f(int n, int A[n]) { for (int i = n - 1; 3 * i >= n; i--) A[i] = i; for (int i = n - 1; n < 2 * i; i--) A[i]--; }`,
	`void f(int n, int m, int A[n]) { int last = n; for (int i = 0; i < min(n, m); i++) last = i; A[last - (last == n)] = last; }`,
	`void f(int n, int A[n]) { for (int i = -3; i < n - 3; i++) A[(i + 3) & 1 ? i + 3 : (i + 4) / 2] = i >> 1; }`,
	`void f(int n, int A[n]) { for (int i = -n; i < 0; i++) { A[-i - 1] = i / 2; A[-i - 1] += i % 2; A[(i & 3) % n] += i & 3; } }`,
	`void f(int n, int A[n]) { int i = n, j = 0; while (i-- > 0) { A[i] += j; j++; } i = n; while (--i >= 0) A[i] ^= i; while (n--) A[n]--; }`,
	`void f(size_t n, int A[n]) { for (size_t i = n; i-- > 1;) A[i] = A[i - 1]; for (size_t i = 0; i++ < n - 1;) A[i] += i; }`,
	`void f(int n, int A[n + 1]) { int i = 0; while (i <= n) { A[i] = i; i++; if (i < 3) A[i - 1] += i; A[0] += A[i - 1]; } A[n] += i; }`,
	`void f(int n, int A[n + 7]) { int i = 0; do { A[i] = i; i += 3; } while (i < n); A[i] = 9; i = n; do A[i] -= 2; while (--i > 1); A[i] = 5; }`,
	`void f(int n, int A[n + 7]) { int i = 0; for (; i != n; i++) A[i] = i; for (; i != 0; --i) A[i]++; while (i != n) { A[i] += A[i + 1]; ++i; } A[i]--; }`,
	`void f(int n, int A[n]) { int i = 0, j = n - 1; while (i < j) { int t = A[i]; A[i++] = A[j]; A[j--] = t; } A[i] += 1; A[j] += 2; }`,
	// constants and pointers
	"enum level { LOW = -2, ZERO = LOW + 2, ONE, MANY = 3 * 2 };\nstatic const int w[] = {1, 2, -ONE}, k = MANY - 1;\nconst short v[2][2] = {{70000, 2}, {3}};\nstatic int get(const int *x) { return *x + w[0] + k; }\nvoid f(int n, int a[n][4], int b[n * 4]) { static const int g[3] = {7, 2}; for (int i = 0; i < n; i++) { int *row = a[i]; const int *next = row + 1, k = 2; int *flat = &b[i * 4]; for (int j = ZERO; j < MANY / 2; j++) flat[j] = row[j] * w[1] + next[j] * w[2] + g[j] + v[1][0] * ONE - LOW + v[0][0] + k; *flat += get(a[i]) + get(row + 2); row[3] = k; } }",
	"static void add(int n, const int *x, int *y) { while (n-- > 0) *y++ += *x++; }\nvoid f(int n, int a[n][4], int b[n * 4]) { int *row = &a[0][0], *end = b + n * 4; for (int i = 0; i < n; i++, row += 4) { add(4, row, &b[4 * i]); const int *next = a[i] + 1; int *q = &b[4 * i]; *q++ = *next++ + 7; q[1] = *++next; add(2, a[i], q); } *--end = 5; end--; end[0] += 2; }",
	`void f(int n, char a[n], int b[n]) { for (int i = 0; i < n; i++) { if (a[i] > 0 && (i == 0 || a[i - 1] < 3) && b[i] != 2) b[i] = a[i] + ' '; else b[i] = '\n' - '\''; if (i == n - 1 || i > 2 || a[i + 1] > a[i]) a[i] = '\\'; } }`,
	// macros and calls
	"#define floord(n,d) floor(((double)(n))/((double)(d)))\n#define ceild(n,d) ceil(((double)(n))/((double)(d)))\nvoid f(int n, int A[n]) { for (int i = ceild(-n, 3); i <= floord(n - 1, 2); i++) A[i < 0 ? -i - 1 : i] += i; }",
	"#define SUM(a, b) a + b\n#define TWICE(x) (2 * (x))\nvoid f(int n, int A[n]) { A[0] = TWICE(SUM(1, n)) * SUM(3, TWICE(TWICE(n))); }",
	"#ifdef X\n#define N 2\n#else\n#define N 3\n#endif\n#undef X\nvoid f(int n, int A[n + N]) { A[N] = N; }",
	"static int relu(int n) { int m = n - 1; if (m > 2) m = 2; return m; }\nvoid f(int n, int A[n]) { for (int i = 0; i <= relu(n); i++) A[i] = relu(A[i]); A[relu(n)] += 1; }",
	"static void fill(int r, int c, int X[r][c], int v) { for (int i = 0; i < r; i++) for (int j = 0; j < c; j++) X[i][j] = v + j; }\nvoid f(int n, int m, int A[n][m]) { fill(n, m, A, 1); fill(1, m, &A[n - 1], 7); }",
	"static void fill(int n, int *x) { for (int i = 0; i < n; i++) x[i] += i; }\nvoid f(int n, int m, int A[n][m], int B[n * m]) { fill(n * m, &A[0][0]); fill(m, A[n / 2]); fill(m, &B[n / 2 * m]); fill(n * m - 1, &A[0][0]); fill(n * m, B); }",
	"static void fill(int n, int *x) { *x = n; x[n - 1] += 2; }\nstatic void total(int n, int x[n], int *s) { fill(n, x); fill(1, s); *s += x[0]; }\nvoid f(int n, int A[n][2][n]) { int s = 3; for (int i = 0; i < n; i++) { total(n, A[i][1], &s); total(2, &A[i][0][n - 1], &A[0][0][0]); } A[0][1][0] = s; }",
	"static double leap(float x, int y) { x += 0.1; return x * y; }\ndouble f(int n, float A[n], double x) { A[0] = leap(x, A[0] < 0 ? 3.0f : 2); return leap(leap(x, 2), 3) + (A[0] > 1 ? leap(x, n) : 0); }",
	"static int half(int x) { int y = 0; if (x > 3) y = x; else y -= x; return y; }\nvoid f(int n, int A[n], int x) { A[0] = x > 2 && half(x) < n || half(A[0]) == half(half(x)) ? half(x) : !half(3); }",
	"static int fill(int n, int *x) { x[0] = n; return n + 1; }\nvoid f(int n, int A[n]) { A[n - 1] = fill(n, A); int y = fill(2, A); A[n / 2] += y; }",
	"#define DATA_TYPE short\nvoid f(int n, DATA_TYPE A[n]) { A[0] = A[0] * (DATA_TYPE)3.7; }",
	// data
	`void f(int n, double A[n]) { A[0] += 1.f + .5f + 1e1f + 0x1.8p1f + 010 + '\n' + '\'' + '\\' + '\0' + 0x1f + 0xfeul + 1.; }`,
	`void f(int n, unsigned char A[n], signed char x, unsigned short y) { A[0] = x * y >> 3; A[0] -= x < y ? -x : ~y; A[n - 1] *= x; }`,
	`void f(int n, long A[n], unsigned x) { A[0] = -x; A[0] += x - 1 > 5; A[0] += (long)x << 40; A[0] ^= -1l / 7 + x % 5u; }`,
	`void f(int n, int A[n]) { if (n > 2 || 10 / (n - 3) > 1) A[0] = 1; A[0] += n != 3 && 6 / (n - 3) > 0; A[0] += !n + !!n; }`,
	`void f(int n, int A[n], short B[n], unsigned char x) { A[0] = B[0] = x = 300; A[n - 1] += x; }`,
	`void f(int n, char A[n], char x) { x = x + 100; x += 100; x <<= 1; x ^= 5; x--; A[0] = x; A[0] /= 3; A[0] %= 5; A[0] >>= 1; A[0] |= 64; }`,
	`void f(int n, unsigned A[n], int x) { A[0] = x < A[0]; A[0] += -1 < 1u; A[0] += (unsigned char)-1 == 255; A[0] -= (char)200 < 0; A[0] += x << 3 >> 2; }`,
	`void f(int n, long A[n], int x, unsigned y) { A[0] = x + y; A[0] += x * 3l - y; A[0] ^= ~y; A[0] += -y; A[0] += 0xffffffff + 1; A[0] -= 4294967295 + 1; A[0] += 2147483648; }`,
	`void f(int n, float A[n], double B[n], int x) { A[0] = 0.1; B[0] = 0.1f; A[0] += x / 3; A[0] += x / 3.0; B[0] *= 1e-3 + A[0]; B[0] = (float)B[0]; A[0] = 16777217; A[0] += x; }`,
	`void f(int n, int A[n], int x, int y) { if (x > 0 && 100 / x > y) { if (y > 3) A[0] = 100 % x; else { int t = 1000 / x; A[0] += t; } } else A[n - 1] = y || x; }`,
	`void f(int n, int A[n], int x) { for (int i = 0; i < n; i++) { A[i] = i < n - 1 ? A[i + 1] : x ? 7 / x : -1; if (x > 3) if (i > 1) A[i] = A[i - 1]; } }`,
	`void f(int n, float A[n]) { A[0] = fabsf(A[0]) + fmaxf(A[0], 0.5f) - floorf(A[0]); A[0] = A[0] == A[0] ? A[0] : 0; A[0] += 1 / INFINITY; }`,
	`void f(int n, double A[n]) { int t[2][3] = {{1, 2}, {3}}; double u[4] = {0.5, A[0]}; int z[3] = {0}; A[0] = t[0][1] + t[1][0] * u[1] + u[3] + z[n % 3] + t[1][2]; }`,
	`int f(int n, int A[n]) { int s = 0, c; { int s = 4; A[0] += s; } for (int i = 0; i < n; i++) { c = A[i] > 0; s += c ? A[i] : -c; } return s; }`,
}

func TestCornersAgainstGCC(t *testing.T) {
	if !installed(t) {
		return
	}
	var batch []program
	for k, text := range corners {
		if strings.Contains(text, "min(") {
			text = "#define min(x, y) ((x) < (y) ? (x) : (y))\n" + text
		}
		for seed := range uint64(4) {
			batch = append(batch, program{fmt.Sprintf("seed %d of corner %d", seed, k), text + "\n", "f", seed})
		}
	}
	compare(t, batch)
}

// TestOwed: what a call owes fails where it has to, and nowhere else.
func TestOwed(t *testing.T) {
	for _, test := range []struct {
		text  string
		sizes map[string]int64
		want  string // how the message of what ends the call begins
	}{
		{"void f(unsigned N, int A[N]) { for (unsigned i = N - 1; i >= 0; i--) A[i] = 0; }", map[string]int64{"N": 3},
			"index: i when the loop has ended as an unsigned int: 0 <= -1 does not hold"},
		{"void f(unsigned N, int A[N]) { for (unsigned i = N - 1; i >= 0; i--) A[i] = 0; }", map[string]int64{"N": 0},
			"index: N - 1 as an unsigned int: 0 <= -1 does not hold"},
		{"void f(int N, int A[N]) { for (int i = N - 1; i >= 0; i--) A[i] = 0; }", map[string]int64{"N": 3}, ""},
		{"void f(int N, int A[N]) { for (int i = N - 1; i >= 0u; i--) A[i] = 0; }", map[string]int64{"N": 3},
			"index: i as an unsigned int: 0 <= -1 does not hold"},
		{"void f(int N, int A[N]) { for (signed char i = 0; i < N; i++) A[i] = 0; }", map[string]int64{"N": 127}, ""},
		{"void f(int N, int A[N]) { for (signed char i = 0; i < N; i++) A[i] = 0; }", map[string]int64{"N": 128},
			"index: i when the loop has ended as a signed char: 128 <= 127 does not hold"},
		{"void f(int N, int A[N]) { for (signed char i = 0; i <= 126; i += 3) A[i % N] = 0; }", map[string]int64{"N": 1},
			"index: i when the loop has ended as a signed char"},
		{"void f(unsigned char N, int A[N]) { for (int i = 0; i < N; i++) A[i] = 0; }", map[string]int64{"N": 256},
			"index: N as an unsigned char"},
		{"void f(int N, int A[N]) { A[(1 << 20) * N % N] = 0; }", map[string]int64{"N": 1 << 11},
			"index: (1 << 20) * N as an int: 2147483648 <= 2147483647 does not hold"},
		{"void f(int N, int A[N]) { A[(long)(1 << 20) * N % N] = 0; }", map[string]int64{"N": 1 << 11}, ""},
		{"void f(int N, int A[N]) { for (int i = 0; i > -1; i++) A[i] = 0; }", map[string]int64{"N": 3},
			"termination: the loop over i does not go towards its bound"},
		{"void f(int N, int A[N]) { for (int i = 0; i > N; i++) A[i] = 0; }", map[string]int64{"N": 3}, ""},
		{"void f(int N, int A[N]) { for (int i = 0; i < N; i += 0) A[i] = 0; }", map[string]int64{"N": 3},
			"termination: the loop over i does not go towards its bound"},
		{"void f(int N, int T, int A[N]) { for (int i = 0; i < N; i += T) A[i] = 0; }", map[string]int64{"N": 3, "T": 0},
			"termination: the step of i is 0"},
		{"void f(int N, int A[N]) { A[N] = 0; }", map[string]int64{"N": 3}, "bounds: A[3] where axis 0 has 3 elements"},
		{"void f(int N, int A[N][N]) { A[0][N] = 0; }", map[string]int64{"N": 3}, "bounds: A[0][3] where axis 1 has 3 elements"},
		{"static void g(int n, int x[n]) { x[n] = 0; }\nvoid f(int N, int A[N][N]) { g(2, A[0]); }", map[string]int64{"N": 3},
			"bounds: axis 0 of x: 2 < 2 does not hold"},
		{"static void g(int n, int *x) { x[n] = 0; }\nvoid f(int N, int A[N][N]) { g(N, A[0]); }", map[string]int64{"N": 3}, ""},
		{"static void g(int n, int *x) { x[n] = 0; }\nvoid f(int N, int A[N][N]) { g(N, A[N - 1]); }", map[string]int64{"N": 3},
			"bounds: A[3][0] where axis 0 has 3 elements"},
		{"static void g(int *x) { x[1] = 0; }\nvoid f(int N, int A[N]) { int y = 2; g(&y); A[0] = y; }", map[string]int64{"N": 3},
			"bounds: y is one element"},
		{"void f(int N, int A[N]) { int y; A[0] = y; }", map[string]int64{"N": 3}, "initialised: y is read and was not written"},
		{"void f(int N, int A[N]) { A[0] = 1 / (N - 3); }", map[string]int64{"N": 3}, "value: "},
		{"void f(int N, int A[N]) { A[0] = 1 << N; }", map[string]int64{"N": 32}, "value: "},
		{"void f(int N, int A[N], int x) { if (x > 3 && x < 3) A[(1 << 20) * N % N] = 0; }", map[string]int64{"N": 1 << 11}, ""},
		{"void f(int N, int A[N]) { if (N > 1 || A[(1 << 20) * N % N] > 0) A[0] = 1; }", map[string]int64{"N": 1 << 11}, ""},
		{"void f(int N, int A[N]) { if (N > 1 || (1 << 20) * N > 3) A[0] = 1; }", map[string]int64{"N": 1 << 11}, ""},
		{"void f(int N, int A[N]) { if (N > 1 && (1 << 20) * N > 3) A[0] = 1; }", map[string]int64{"N": 1 << 11}, "index: (1 << 20) * N"},
	} {
		p, err := cnest.Parse(source.NewFile("x.c", test.text), "")
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: test.sizes,
			Input: func(b *loops.Buffer, _ int64) value.Value { return value.BitsValue(0, b.Elem) }})
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		got := ""
		var ended *run.Ended
		if err := r.Do(context.Background()); errors.As(err, &ended) {
			got = string(ended.Obligation) + ": " + ended.Message
		} else if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s at %v: %q, want %q", test.text, test.sizes, got, test.want)
		}
	}
}

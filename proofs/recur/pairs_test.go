package recur_test

import "tv/semantics/domain"

// pairs are true ones, with lines that prove them.
var pairs = []pair{jacobi, forward, prefix, backwards, seidel, floyd, tiled, sums, either, delayed, cut, zero, flatten, accumulated}

var jacobi = pair{
	name: "jacobi", arith: domain.Exact,
	before: `void f(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] /*b0*/= A[i - 1] + A[i] + A[i + 1];
    for (int i = 1; i < N - 1; i++)
      A[i] /*b1*/= B[i];
  }
}`,
	after: `void g(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++) {
      if (i < N - 1)
        B[i] /*a0*/= A[i - 1] + A[i] + A[i + 1];
      if (i >= 2)
        A[i - 1] /*a1*/= B[i - 1];
    }
}`,
	lines: `read before {b0} 0 (if #1-2 (if #0-1 (at {b1} #0-1 #1-1) entry) entry)
read before {b0} 1 (if #0-1 (at {b1} #0-1 #1) entry)
read before {b0} 2 (if N-3-#1 (if #0-1 (at {b1} #0-1 #1+1) entry) entry)
read before {b1} 0 (at {b0} #0 #1)
read after {a0} 0 (if #1-2 (if #0-1 (at {a1} #0-1 #1) entry) entry)
read after {a0} 1 (if #0-1 (at {a1} #0-1 #1+1) entry)
read after {a0} 2 (if N-3-#1 (if #0-1 (at {a1} #0-1 #1+2) entry) entry)
read after {a1} 0 (at {a0} #0 #1-1)
end before A (if #0-1 (if N-2-#0 (at {b1} T-1 #0) entry) entry)
end before B (if #0-1 (if N-2-#0 (at {b0} T-1 #0) entry) entry)
end after A (if #0-1 (if N-2-#0 (at {a1} T-1 #0+1) entry) entry)
end after B (if #0-1 (if N-2-#0 (at {a0} T-1 #0) entry) entry)
piece {b0} {a0} 2 (#0 T-1-#0 #1-1 N-2-#1) (#0 #1) (#0 #1) (same ` +
		`(l (r (pair 1 #0-1 #1-1) never never) (r never entry never) (r never never entry)) ` +
		`(l (r (pair 1 #0-1 #1) never) (r never entry)) ` +
		`(l (r (pair 1 #0-1 #1+1) never never) (r never entry never) (r never never entry)))
piece {b1} {a1} 2 (#0 T-1-#0 #1-1 N-2-#1) (#0 #1) (#0 #1+1) (l (r (pair 0 #0 #1)))
result A (l (r (pair 1 T-1 #0) never never) (r never entry never) (r never never entry))
result B (l (r (pair 0 T-1 #0) never never) (r never entry never) (r never never entry))
`,
}

const solve = `void f(int N, const float L[N][N], const float b[N], float x[N]) {
  for (int i = 0; i < N; i++) {
    x[i] /*b0*/= b[i];
    for (int j = 0; j < i; j++)
      x[i] /*b1*/-= L[i][j] * x[j];
    x[i] /*b2*/= x[i] / L[i][i];
  }
}`

const solved = `read before {b0} 0 entry
read before {b1} 0 (if #1-1 (at {b1} #0 #1-1) (at {b0} #0))
read before {b1} 1 entry
read before {b1} 2 (at {b2} #1)
read before {b2} 0 (if #0-1 (at {b1} #0 #0-1) (at {b0} #0))
read before {b2} 1 entry
`

// forward is forward substitution by rows and by columns.
var forward = pair{
	name: "forward", arith: domain.Exact, before: solve,
	after: `void g(int N, const float L[N][N], const float b[N], float x[N]) {
  for (int i = 0; i < N; i++)
    x[i] /*a0*/= b[i];
  for (int j = 0; j < N; j++) {
    x[j] /*a2*/= x[j] / L[j][j];
    for (int i = j + 1; i < N; i++)
      x[i] /*a1*/-= L[i][j] * x[j];
  }
}`,
	lines: solved + `read after {a0} 0 entry
read after {a2} 0 (if #0-1 (at {a1} #0-1 #0) (at {a0} #0))
read after {a2} 1 entry
read after {a1} 0 (if #0-1 (at {a1} #0-1 #1) (at {a0} #1))
read after {a1} 1 entry
read after {a1} 2 (at {a2} #0)
end before x (at {b2} #0)
end after x (at {a2} #0)
piece {b0} {a0} 1 (#0 N-1-#0) (#0) (#0) (same (l (r entry)))
piece {b1} {a1} 2 (#1 #0-1-#1 N-1-#0) (#0 #1) (#1 #0) (same ` +
		`(l (r (pair 1 #0 #1-1) never) (r never (pair 0 #0))) (l (r entry)) (l (r (pair 2 #1))))
piece {b2} {a2} 1 (#0 N-1-#0) (#0) (#0) (same (l (r (pair 1 #0 #0-1) never) (r never (pair 0 #0))) (l (r entry)))
result x (l (r (pair 2 #0)))
`,
}

// backwards takes the terms of each row from the last to the first.
var backwards = pair{
	name: "backwards", arith: domain.Auto, before: solve,
	after: `void g(int N, const float L[N][N], const float b[N], float x[N]) {
  for (int i = 0; i < N; i++) {
    x[i] /*a0*/= b[i];
    for (int j = i - 1; j >= 0; j--)
      x[i] /*a1*/= x[i] - x[j] * L[i][j];
    x[i] /*a2*/= x[i] / L[i][i];
  }
}`,
	lines: solved + `read after {a0} 0 entry
read after {a1} 0 (if #0-2-#1 (at {a1} #0 #1+1) (at {a0} #0))
read after {a1} 2 entry
read after {a1} 1 (at {a2} #1)
read after {a2} 0 (if #0-1 (at {a1} #0 0) (at {a0} #0))
read after {a2} 1 entry
end before x (at {b2} #0)
end after x (at {a2} #0)
chain before {b1} 0 #0
chain after {a1} 0 #0
piece {b0} {a0} 1 (#0 N-1-#0) (#0) (#0) (same (l (r entry)))
piece {b2} {a2} 1 (#0 N-1-#0) (#0) (#0) (same ` +
		`(l (r (fold (#1 #2) (#1 #2) (l (r (pair 0 #0))) (expr (1 2 (l (r entry))) (2 1 (l (r (pair 1 #2)))))) never) ` +
		`(r never (pair 0 #0))) (l (r entry)))
result x (l (r (pair 1 #0)))
`,
}

var prefix = pair{
	name: "prefix", arith: domain.Exact,
	before: `void f(int N, const float A[N], float S[N]) {
  S[0] /*b0*/= A[0];
  for (int i = 1; i < N; i++)
    S[i] /*b1*/= S[i - 1] + A[i];
}`,
	after: `void g(int N, const float A[N], float S[N]) {
  float s;
  s /*a0*/= A[0];
  S[0] /*a1*/= s;
  for (int i = 1; i < N; i++) {
    s /*a2*/+= A[i];
    S[i] /*a3*/= s;
  }
}`,
	lines: `read before {b0} 0 entry
read before {b1} 0 (if #0-2 (at {b1} #0-1) (at {b0}))
read before {b1} 1 entry
read after {a0} 0 entry
read after {a1} 0 (at {a0})
read after {a2} 0 (if #0-2 (at {a2} #0-1) (at {a0}))
read after {a2} 1 entry
read after {a3} 0 (at {a2} #0)
end before S (if #0-1 (at {b1} #0) (at {b0}))
end after S (if #0-1 (at {a3} #0) (at {a1}))
piece {b1} {a2} 1 (#0-1 N-1-#0) (#0) (#0) (same (l (r (pair 0 #0-1) never) (r never (l (r entry)))) (l (r entry)))
result S (l (r (r (pair 0 #0)) never) (r never (l (r (r entry)))))
`,
}

// seidel is a sweep in place, and the same along wavefronts.
var seidel = pair{
	name: "seidel", arith: domain.Exact,
	before: `void f(int T, int N, float A[N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[i] /*b*/= (A[i - 1] + A[i] + A[i + 1]) / 3.0f;
}`,
	after: `void g(int T, int N, float A[N]) {
  for (int w = 1; w <= 2 * T + N - 4; w++)
    for (int t = 0; t < T; t++)
      if (w - 2 * t >= 1 && w - 2 * t <= N - 2)
        A[w - 2 * t] /*a*/= (A[w - 2 * t - 1] + A[w - 2 * t] + A[w - 2 * t + 1]) / 3.0f;
}`,
	lines: `read before {b} 0 (if #1-2 (at {b} #0 #1-1) entry)
read before {b} 1 (if #0-1 (at {b} #0-1 #1) entry)
read before {b} 2 (if N-3-#1 (if #0-1 (at {b} #0-1 #1+1) entry) entry)
read after {a} 0 (if #0-2*#1-2 (at {a} #0-1 #1) entry)
read after {a} 1 (if #1-1 (at {a} #0-2 #1-1) entry)
read after {a} 2 (if N-3-#0+2*#1 (if #1-1 (at {a} #0-1 #1-1) entry) entry)
end before A (if #0-1 (if N-2-#0 (at {b} T-1 #0) entry) entry)
end after A (if #0-1 (if N-2-#0 (at {a} #0+2*T-2 T-1) entry) entry)
piece {b} {a} 2 (#0 T-1-#0 #1-1 N-2-#1) (#0 #1) (2*#0+#1 #0) (same ` +
		`(l (r (pair 0 #0 #1-1) never) (r never entry)) (l (r (pair 0 #0-1 #1) never) (r never entry)) ` +
		`(l (r (pair 0 #0-1 #1+1) never never) (r never entry never) (r never never entry)))
result A (l (r (pair 0 T-1 #0) never never) (r never entry never) (r never never entry))
`,
}

// floyd has i and j interchanged.
var floyd = pair{
	name: "floyd", arith: domain.Exact,
	before: `void f(int N, int D[N][N]) {
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        D[i][j] /*b*/= D[i][j] * 3 + (D[i][k] - D[k][j]);
}`,
	after: `void g(int N, int D[N][N]) {
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++)
        D[i][j] /*a*/= D[i][j] * 3 + (D[i][k] - D[k][j]);
}`,
	lines: `read before {b} 0 (if #0-1 (at {b} #0-1 #1 #2) entry)
read before {b} 1 (if #2-#0-1 (at {b} #0 #1 #0) (if #0-1 (at {b} #0-1 #1 #0) entry))
read before {b} 2 (if #1-#0-1 (at {b} #0 #0 #2) (if #0-1 (at {b} #0-1 #0 #2) entry))
read after {a} 0 (if #0-1 (at {a} #0-1 #1 #2) entry)
read after {a} 1 (if #1-#0-1 (at {a} #0 #0 #2) (if #0-1 (at {a} #0-1 #0 #2) entry))
read after {a} 2 (if #2-#0-1 (at {a} #0 #1 #0) (if #0-1 (at {a} #0-1 #1 #0) entry))
end before D (at {b} N-1 #0 #1)
end after D (at {a} N-1 #1 #0)
piece {b} {a} 3 (#0 N-1-#0 #1 N-1-#1 #2 N-1-#2) (#0 #1 #2) (#0 #2 #1) (same ` +
		`(l (r (pair 0 #0-1 #1 #2) never) (r never entry)) ` +
		`(l (r (pair 0 #0 #1 #0) never never) (r never (pair 0 #0-1 #1 #0) never) (r never never entry)) ` +
		`(l (r (pair 0 #0 #0 #2) never never) (r never (pair 0 #0-1 #0 #2) never) (r never never entry)))
result D (l (r (pair 0 N-1 #0 #1)))
`,
}

// tiled is a step in tiles of 8, with a rest.
var tiled = pair{
	name: "tiled", arith: domain.Exact,
	before: `void f(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 0; i < N; i++)
      B[i] /*b0*/= A[i] * 0.5f;
    for (int i = 0; i < N; i++)
      A[i] /*b1*/= B[N - 1 - i];
  }
}`,
	after: `void g(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int k = 0; k < N; k += 8)
      for (int i = k; i < N && i < k + 8; i++)
        B[i] /*a0*/= A[i] * 0.5f;
    for (int i = 0; i < N; i++)
      A[i] /*a1*/= B[N - 1 - i];
  }
}`,
	lines: `read before {b0} 0 (if #0-1 (at {b1} #0-1 #1) entry)
read before {b1} 0 (at {b0} #0 N-1-#1)
read after {a0} 0 (if #0-1 (at {a1} #0-1 #2) entry)
read after {a1} 0 (div N-1-#1 8 (at {a0} #0 8*#2 N-1-#1))
end before A (at {b1} T-1 #0)
end before B (at {b0} T-1 #0)
end after A (at {a1} T-1 #0)
end after B (div #0 8 (at {a0} T-1 8*#1 #0))
piece {b0} {a0} 3 (#0 T-1-#0 #1 N-1-#1 #1-8*#2 8*#2-#1+7) (#0 #1) (#0 8*#2 #1) (same (l (r (pair 1 #0-1 #1) never) (r never entry)))
piece {b1} {a1} 2 (#0 T-1-#0 #1 N-1-#1) (#0 #1) (#0 #1) (l (r (pair 0 #0 N-1-#1 #2)))
result A (l (r (pair 1 T-1 #0)))
result B (l (r (pair 0 T-1 #0 #1)))
`,
}

// sums is a step with a sum in another order, of reals.
var sums = pair{
	name: "sums", arith: domain.Real,
	before: `void f(int T, int N, float A[N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++)
      A[i] /*b*/= (A[i - 1] + A[i]) * 2.0f;
}`,
	after: `void g(int T, int N, float A[N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++)
      A[i] /*a*/= 2.0f * A[i] + A[i - 1] + A[i - 1];
}`,
	lines: `read before {b} 0 (if #1-2 (at {b} #0 #1-1) entry)
read before {b} 1 (if #0-1 (at {b} #0-1 #1) entry)
read after {a} 0 (if #0-1 (at {a} #0-1 #1) entry)
read after {a} 1 (if #1-2 (at {a} #0 #1-1) entry)
read after {a} 2 (if #1-2 (at {a} #0 #1-1) entry)
end before A (if #0-1 (at {b} T-1 #0) entry)
end after A (if #0-1 (at {a} T-1 #0) entry)
piece {b} {a} 2 (#0 T-1-#0 #1-1 N-1-#1) (#0 #1) (#0 #1) (expr ` +
		`(0 1 (l (r (pair 0 #0 #1-1) never) (r never entry))) ` +
		`(0 2 (l (r (pair 0 #0 #1-1) never) (r never entry))) ` +
		`(1 0 (l (r (pair 0 #0-1 #1) never) (r never entry))))
result A (l (r (pair 0 T-1 #0) never) (r never entry))
`,
}

// either has a domain with an or: N <= 2 or N <= M.
var either = pair{
	name: "either", arith: domain.Exact,
	before: `void f(int N, int M, float B[M]) {
  for (int i = 2; i < N; i++)
    B[i] /*b*/= B[i - 1] * 0.5f + 1.0f;
}`,
	after: `void g(int N, int M, float B[M]) {
  for (int i = 0; i < N - 2; i++)
    B[i + 2] /*a*/= B[i + 1] * 0.5f + 1.0f;
}`,
	lines: `read before {b} 0 (if #0-3 (at {b} #0-1) entry)
read after {a} 0 (if #0-1 (at {a} #0-1) entry)
end before B (if N-M-1 entry (if #0-2 (if N-1-#0 (at {b} #0) entry) entry))
end after B (if #0-2 (if N-1-#0 (at {a} #0-2) entry) entry)
piece {b} {a} 1 (#0-2 N-1-#0) (#0) (#0-2) (same (l (r (pair 0 #0-1) never) (r never entry)))
result B (l (r never entry entry) (r (pair 0 #0) never never) (r never entry never) (r never never entry))
`,
}

// delayed writes the last cell behind a loop, if there is one.
var delayed = pair{
	name: "delayed", arith: domain.Exact,
	before: `void f(int N, float A[N], float B[N]) {
  for (int i = 1; i < N - 1; i++)
    B[i] /*b0*/= A[i - 1] + A[i + 1];
  for (int i = 1; i < N - 1; i++)
    A[i] /*b1*/= B[i];
}`,
	after: `void g(int N, float A[N], float B[N]) {
  for (int i = 1; i < N - 1; i++) {
    B[i] /*a0*/= A[i - 1] + A[i + 1];
    if (i >= 2)
      A[i - 1] /*a1*/= B[i - 1];
  }
  if (N >= 3)
    A[N - 2] /*a2*/= B[N - 2];
}`,
	lines: `read before {b0} 0 entry
read before {b0} 1 entry
read before {b1} 0 (at {b0} #0)
read after {a0} 0 entry
read after {a0} 1 entry
read after {a1} 0 (at {a0} #0-1)
read after {a2} 0 (at {a0} N-2)
end before A (if #0-1 (if N-2-#0 (at {b1} #0) entry) entry)
end before B (if #0-1 (if N-2-#0 (at {b0} #0) entry) entry)
end after A (if #0-1 (if N-3-#0 (at {a1} #0+1) (if N-2-#0 (at {a2}) entry)) entry)
end after B (if #0-1 (if N-2-#0 (at {a0} #0) entry) entry)
piece {b0} {a0} 1 (#0-1 N-2-#0) (#0) (#0) (same (l (r entry)) (l (r entry)))
result A (l (l (r (r (pair 0 #0)) (r (pair 0 #0)) never never)) (r never never entry never) (r never never never entry))
result B (l (r (pair 0 #0) never never) (r never entry never) (r never never entry))
`,
}

// cut has a part of a step in a local, bit for bit.
var cut = pair{
	name: "cut", arith: domain.Exact,
	before: `void f(int T, int N, float A[N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++)
      A[i] /*b*/= A[i - 1] + A[i] * 0.5f + 1.0f;
}
`,
	after: `void g(int T, int N, float A[N]) {
  float s;
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N; i++) {
      s /*a0*/= A[i] * 0.5f;
      A[i] /*a1*/= A[i - 1] + s + 1.0f;
    }
}
`,
	lines: `read before {b} 0 (if #1-2 (at {b} #0 #1-1) entry)
read before {b} 1 (if #0-1 (at {b} #0-1 #1) entry)
read after {a0} 0 (if #0-1 (at {a1} #0-1 #1) entry)
read after {a1} 0 (if #1-2 (at {a1} #0 #1-1) entry)
read after {a1} 1 (at {a0} #0 #1)
end before A (if #0-1 (at {b} T-1 #0) entry)
end after A (if #0-1 (at {a1} T-1 #0) entry)
piece {b} {a1} 4 (#0-#2 -#0+#2 #1-#3 -#1+#3 T-#0-1 #0 N-#1-1 #1-1 T-#2-1 #2 N-#3-1 #3-1) (#0 #1) (#2 #3) (open r 1 (same (l (r (pair 0 #0 #1-1 #2 #3-1) never) (r never entry)) (l (r (pair 0 #0-1 #1 #2-1 #3) never) (r never entry))))
result A (l (r (pair 0 T-1 #0 T-1 #0) never) (r never entry))
`,
}

// zero starts a sum from a number.
var zero = pair{
	name: "zero", arith: domain.Real,
	before: `void f(int N, const float A[N], float P[N]) {
  P[0] /*b0*/= A[0];
  for (int i = 1; i < N; i++)
    P[i] /*b1*/= P[i - 1] + A[i];
}
`,
	after: `void g(int N, const float A[N], float P[N]) {
  float s;
  s /*a0*/= 0.0f;
  for (int i = 0; i < N; i++) {
    s /*a1*/+= A[i];
    P[i] /*a2*/= s;
  }
}
`,
	lines: `read before {b0} 0 entry
read before {b1} 0 (if #0-2 (at {b1} #0-1) (at {b0}))
read before {b1} 1 entry
read after {a1} 0 (if #0-1 (at {a1} #0-1) (at {a0}))
read after {a1} 1 entry
read after {a2} 0 (at {a1} #0)
end before P (if -#0 (at {b0}) (at {b1} #0))
end after P (at {a2} #0)
piece {b0} {a1} 1 (-#0 #0 N-#0-1 #0) () (#0) (l (open r 0 never (expr (0 1 (r entry)))))
piece {b0} {a2} 1 (-#0 #0 N-#0-1 #0) () (#0) (l (r (open r 0 never (expr (0 1 (r entry))))))
piece {b1} {a1} 2 (#0-#1 -#0+#1 N-#0-1 #0-1 N-#1-1 #1) (#0) (#1) (same (l (r (pair 2 #0-1 #1-1) never) (r (pair 0 #1-1) never)) (l (r entry)))
piece {b1} {a2} 2 (#0-#1 -#0+#1 N-#0-1 #0-1 N-#1-1 #1) (#0) (#1) (r (pair 2 #0 #1))
result P (l (r (pair 1 #0)) (r (pair 3 #0 #0)))
`,
}

// flatten has a matrix in one axis, and its loops interchanged.
var flatten = pair{
	name: "flatten", arith: domain.Exact,
	before: `void f(int N, int M, float A[N * M]) {
  for (int i = 1; i < N; i++)
    for (int j = 0; j < M; j++)
      A[i * M + j] /*b*/= A[i * M - M + j] * 0.5f;
}
`,
	after: `void g(int N, int M, float A[N * M]) {
  for (int j = 0; j < M; j++)
    for (int i = 0; i < N - 1; i++)
      A[i * M + M + j] /*a*/= A[i * M + j] * 0.5f;
}
`,
	lines: `read before {b} 0 (if #0-2 (at {b} #0-1 #1) entry)
read after {a} 0 (if #1-1 (at {a} #0 #1-1) entry)
end before A (if #0-1 (at {b} #0 #1) entry)
end after A (if #0-1 (at {a} #1 #0-1) entry)
piece {b} {a} 4 (#1-#2 -#1+#2 #0-#3-1 -#0+#3+1 N-#0-1 #0-1 M-#1-1 #1 M-#2-1 #2 N-#3-2 #3) (#0 #1) (#2 #3) (same (l (r (pair 0 #0-1 #1 #2 #3-1) never) (r never entry)))
result A (l (r (pair 0 #0 #1 #1 #0-1) never) (r never entry))
`,
}

// accumulated has a sum that starts from 0, and is subtracted behind the loop.
var accumulated = pair{
	name: "accumulated", arith: domain.Real,
	before: `void solve(int N, const double L[N][N], const double b[N], double x[N]) {
  for (int i = 0; i < N; i++) {
    x[i] /*b0*/= b[i];
    for (int j = 0; j < i; j++)
      x[i] /*b1*/-= L[i][j] * x[j];
    x[i] /*b2*/= x[i] / L[i][i];
  }
}
`,
	after: `void solve(int N, const double L[N][N], const double b[N], double x[N]) {
  for (int i = 0; i < N; i++) {
    double s /*a0*/= 0;
    for (int j = 0; j < i; j++)
      s /*a1*/+= L[i][j] * x[j];
    x[i] /*a2*/= (b[i] - s) / L[i][i];
  }
}
`,
	lines: `read before {b0} 0 entry
read before {b1} 0 (if #1-1 (at {b1} #0 #1-1) (at {b0} #0))
read before {b1} 1 entry
read before {b1} 2 (at {b2} #1)
read before {b2} 0 (if #0-1 (at {b1} #0 #0-1) (at {b0} #0))
read before {b2} 1 entry
read after {a1} 0 (if #1-1 (at {a1} #0 #1-1) (at 3:12 #0))
read after {a1} 1 entry
read after {a1} 2 (at {a2} #1)
read after {a2} 0 entry
read after {a2} 1 (if #0-1 (at {a1} #0 #0-1) (at 3:12 #0))
read after {a2} 2 entry
end before x (at {b2} #0)
end after x (at {a2} #0)
chain before {b1} 0 #0
chain after {a1} 0 #0
piece {b2} {a2} 2 (#0-#1 -#0+#1 N-#0-1 #0 N-#1-1 #1) (#0) (#1) (total r 1 (#1 0) (total l 0 (#0 0) (open r 1.0 (expr (0.0 0 (l (r (l entry)))) (0.1 1.1 (sums (#0 #3) (#0 #3) (expr (1 1 (l (r entry))) (2 2 (l (r (pair 0 #3 #3))))))) (1 2 (l (r entry))))) never) (expr (0 0 (l never (r (l entry)))) (1 2 (l (r entry)))))
result x (l (r (pair 0 #0 #0)))
`,
}

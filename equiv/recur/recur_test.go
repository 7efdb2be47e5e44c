package recur_test

import (
	"context"
	"testing"
	"time"

	"tv/equiv/recur"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	"tv/semantics/domain"
)

func prove(t *testing.T, before, after string) (*recur.Proof, error) {
	t.Helper()
	var programs []semantics.Program
	var sources []semantics.Source
	for _, text := range []string{before, after} {
		s, err := languages.C.Parse(source.NewFile("test.c", text))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, s)
	}
	env, err := domain.Merge([]domain.Declarations{sources[0].Declarations()})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		p, err := s.Type(env)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	a := recur.Asked{Before: programs[0], After: programs[1], Mins: map[string]int64{}}
	for _, s := range sources[0].Signature().Sizes {
		a.Names = append(a.Names, s.Name)
		a.Mins[s.Name] = 1
	}
	start := time.Now()
	defer func() { t.Log(time.Since(start)) }()
	return recur.Prove(context.Background(), a)
}

const jacobi = `void jacobi(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = (A[i-1] + A[i] + A[i+1]) / 3;
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i];
  }
}`

const fdtd = `void fdtd(int T, int M, int N, float X[M][N], float Y[M][N], float H[M][N], float F[T]) {
  for (int t = 0; t < T; t++) {
    for (int j = 0; j < N; j++)
      Y[0][j] = F[t];
    for (int i = 1; i < M; i++)
      for (int j = 0; j < N; j++)
        Y[i][j] = Y[i][j] - (H[i][j] - H[i-1][j]) / 2;
    for (int i = 0; i < M; i++)
      for (int j = 1; j < N; j++)
        X[i][j] = X[i][j] - (H[i][j] - H[i][j-1]) / 2;
    for (int i = 0; i < M - 1; i++)
      for (int j = 0; j < N - 1; j++)
        H[i][j] = H[i][j] - (X[i][j+1] - X[i][j] + Y[i+1][j] - Y[i][j]) / 3;
  }
}`

func TestProved(t *testing.T) {
	for _, c := range []struct{ name, before, after string }{
		{"jacobi", jacobi, jacobi},
		{"jacobi delayed", jacobi, `void jacobi(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++) {
      B[i] = (A[i-1] + A[i] + A[i+1]) / 3;
      if (i >= 2)
        A[i-1] = B[i-1];
    }
    if (N >= 3)
      A[N-2] = B[N-2];
  }
}`},
		{"jacobi tiled", jacobi, `void jacobi(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int ii = 1; ii < N - 1; ii += 4)
      for (int i = ii; i < ii + 4 && i < N - 1; i++)
        B[i] = (A[i-1] + A[i] + A[i+1]) / 3;
    for (int ii = 1; ii < N - 1; ii += 32)
      for (int i = ii; i < ii + 32 && i < N - 1; i++)
        A[i] = B[i];
  }
}`},
		{"seidel skewed", `void seidel(int T, int N, double A[N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      A[i] = (A[i-1] + A[i] + A[i+1]) / 3;
}`, `void seidel(int T, int N, double A[N]) {
  for (int w = 1; w < 2 * T + N - 3; w++)
    for (int t = max(0, ceild(w - N + 2, 2)); t <= min(T - 1, floord(w - 1, 2)); t++)
      A[w - 2 * t] = (A[w-2*t-1] + A[w-2*t] + A[w-2*t+1]) / 3;
}`},
		{"seidel 2d skewed", `void seidel(int T, int N, double A[N][N]) {
  for (int t = 0; t < T; t++)
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = (A[i-1][j] + A[i][j-1] + A[i][j] + A[i+1][j] + A[i][j+1]) / 5;
}`, `void seidel(int T, int N, double A[N][N]) {
  for (int t = 0; t < T; t++)
    for (int w = 2; w < 2 * N - 3; w++)
      for (int i = max(1, w - N + 2); i <= min(N - 2, w - 1); i++)
        A[i][w-i] = (A[i-1][w-i] + A[i][w-i-1] + A[i][w-i] + A[i+1][w-i] + A[i][w-i+1]) / 5;
}`},
		{"forward", `void solve(int N, float L[N][N], float x[N], float b[N]) {
  for (int i = 0; i < N; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
}`, `void solve(int N, float L[N][N], float x[N], float b[N]) {
  for (int i = 0; i < N; i++)
    x[i] = b[i];
  for (int j = 0; j < N; j++) {
    x[j] = x[j] / L[j][j];
    for (int i = j + 1; i < N; i++)
      x[i] -= L[i][j] * x[j];
  }
}`},
		{"lu", `void lu(int N, float A[N][N]) {
  for (int k = 0; k < N; k++) {
    for (int i = k + 1; i < N; i++)
      A[i][k] /= A[k][k];
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}`, `void lu(int N, float A[N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < N; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}`},
		{"lu left", `void lu(int N, float A[N][N]) {
  for (int k = 0; k < N; k++) {
    for (int i = k + 1; i < N; i++)
      A[i][k] /= A[k][k];
    for (int i = k + 1; i < N; i++)
      for (int j = k + 1; j < N; j++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}`, `void lu(int N, float A[N][N]) {
  for (int j = 0; j < N; j++) {
    for (int k = 0; k < j; k++)
      for (int i = k + 1; i < N; i++)
        A[i][j] -= A[i][k] * A[k][j];
    for (int i = j + 1; i < N; i++)
      A[i][j] /= A[j][j];
  }
}`},
		{"floyd", `void floyd(int N, int D[N][N]) {
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        D[i][j] = D[i][j] < D[i][k] + D[k][j] ? D[i][j] : D[i][k] + D[k][j];
}`, `void floyd(int N, int D[N][N]) {
  for (int k = 0; k < N; k++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++)
        D[i][j] = D[i][j] < D[i][k] + D[k][j] ? D[i][j] : D[i][k] + D[k][j];
}`},
		{"prefix", `void prefix(int N, float A[N], float P[N]) {
  P[0] = A[0];
  for (int i = 1; i < N; i++)
    P[i] = P[i-1] + A[i];
}`, `void prefix(int N, float A[N], float P[N]) {
  for (int i = 0; i < N; i++)
    P[i] = A[i];
  for (int i = 1; i < N; i++)
    P[i] = P[i-1] + P[i];
}`},
		{"prefix scalar", `void prefix(int N, float A[N], float P[N]) {
  P[0] = A[0];
  for (int i = 1; i < N; i++)
    P[i] = P[i-1] + A[i];
}`, `void prefix(int N, float A[N], float P[N]) {
  float s = 0;
  for (int i = 0; i < N; i++) {
    s += A[i];
    P[i] = s;
  }
}`},
		{"heat fused", `void heat(int T, int N, float A[N][N], float B[N][N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        B[i][j] = A[i][j] + (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]) / 8;
    for (int i = 1; i < N - 1; i++)
      for (int j = 1; j < N - 1; j++)
        A[i][j] = B[i][j] + (B[i-1][j] + B[i+1][j] + B[i][j-1] + B[i][j+1]) / 8;
  }
}`, `void heat(int T, int N, float A[N][N], float B[N][N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N; i++)
      for (int j = 1; j < N - 1; j++) {
        if (i < N - 1)
          B[i][j] = A[i][j] + (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]) / 8;
        if (i >= 2 && j >= 2)
          A[i-1][j-1] = B[i-1][j-1] + (B[i-2][j-1] + B[i][j-1] + B[i-1][j-2] + B[i-1][j]) / 8;
        if (i >= 2 && j == N - 2)
          A[i-1][j] = B[i-1][j] + (B[i-2][j] + B[i][j] + B[i-1][j-1] + B[i-1][j+1]) / 8;
      }
  }
}`},
		{"fdtd interchanged", fdtd, `void fdtd(int T, int M, int N, float X[M][N], float Y[M][N], float H[M][N], float F[T]) {
  for (int t = 0; t < T; t++) {
    for (int j = 0; j < N; j++)
      Y[0][j] = F[t];
    for (int j = 0; j < N; j++)
      for (int i = 1; i < M; i++)
        Y[i][j] = Y[i][j] - (H[i][j] - H[i-1][j]) / 2;
    for (int i = 0; i < M; i += 4)
      for (int j = 1; j < N; j++)
        for (int u = i; u < min(M, i + 4); u++)
          X[u][j] = X[u][j] - (H[u][j] - H[u][j-1]) / 2;
    for (int j = 0; j < N - 1; j++)
      for (int i = 0; i < M - 1; i++)
        H[i][j] = H[i][j] - (X[i][j+1] - X[i][j] + Y[i+1][j] - Y[i][j]) / 3;
  }
}`},
		{"unrolled", `void f(int N, float A[N]) {
  for (int i = 1; i < N; i++)
    A[i] = A[i-1] * A[i];
}`, `void f(int N, float A[N]) {
  int i;
  for (i = 1; i < N - 3; i += 4) {
    A[i] = A[i-1] * A[i];
    A[i+1] = A[i] * A[i+1];
    A[i+2] = A[i+1] * A[i+2];
    A[i+3] = A[i+2] * A[i+3];
  }
  for (; i < N; i++)
    A[i] = A[i-1] * A[i];
}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := prove(t, c.before, c.after)
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Explain()) == 0 {
				t.Error("nothing is explained")
			}
		})
	}
}

static inline void axpy(int n, int a, const int *x, int y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] += a * x[i];
  }
}

static int relu(int x) {
  return x > 0 ? x : 0;
}

static void total(int n, const int x[n], int *out) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += x[i];
  }
  *out = sum;
}

// Rows of C get multiples of rows of B; blocks are handed over in all ways.
void rows(int M, int N, int K, int A[M][K], int B[K][N], int C[M][N], int sums[M]) {
  for (int i = 0; i < M; i++) {
    for (int k = 0; k < K; k++) {
      axpy(N, A[i][k], B[k], &C[i][0]);
    }
    int s;
    total(N, C[i], &s);
    total(N, C[i], &sums[i]);
    for (int j = 0; j < N; j++) {
      C[i][j] = relu(C[i][j]) + (s > 0 && N > 2 ? relu(s) / s : 0);
    }
  }
}

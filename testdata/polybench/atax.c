// y := A' (A x)
void kernel_atax(int M, int N, const double A[M][N], const double x[N], double y[N], double t[M]) {
  for (int i = 0; i < N; i++)
    y[i] = 0.0;
  for (int i = 0; i < M; i++) {
    t[i] = 0.0;
    for (int j = 0; j < N; j++)
      t[i] = t[i] + A[i][j] * x[j];
    for (int j = 0; j < N; j++)
      y[j] = y[j] + A[i][j] * t[i];
  }
}

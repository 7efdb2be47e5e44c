// y := alpha A x + beta B x
void kernel_gesummv(int N, double alpha, double beta, const double A[N][N], const double B[N][N], double t[N], const double x[N], double y[N]) {
  for (int i = 0; i < N; i++) {
    t[i] = 0.0;
    y[i] = 0.0;
    for (int j = 0; j < N; j++) {
      t[i] = A[i][j] * x[j] + t[i];
      y[i] = B[i][j] * x[j] + y[i];
    }
    y[i] = alpha * t[i] + beta * y[i];
  }
}

// C := alpha A B + beta C
void kernel_gemm(int M, int N, int K, double alpha, double beta, double C[M][N], const double A[M][K], const double B[K][N]) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++)
      C[i][j] *= beta;
    for (int k = 0; k < K; k++)
      for (int j = 0; j < N; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
  }
}

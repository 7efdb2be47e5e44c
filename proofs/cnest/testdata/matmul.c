// C = A*B in int32, rows by columns.
void matmul(int M, int N, int K, const int A[M][K], const int B[K][N], int C[M][N]) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      C[i][j] = 0;
      for (int k = 0; k < K; k++) {
        C[i][j] += A[i][k] * B[k][j];
      }
    }
  }
}

void mm(int M, int K, int N, const int A[M][K], const int B[K][N], int C[M][N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      int s = 0;
      for (int k = 0; k < K; k++) s += A[i][k] * B[k][j];
      C[i][j] = s;
    }
}

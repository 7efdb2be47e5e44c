#define min(x, y) ((x) < (y) ? (x) : (y))
void mm(int M, int K, int N, const float A[M][K], const float B[K][N], float C[M][N]) {
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++)
      C[i][j] = 0;
  for (int ti = 0; ti < M; ti += 8)
    for (int tk = 0; tk < K; tk += 16)
      for (int i = ti; i < min(ti + 7, M); i++)
        for (int k = tk; k < min(tk + 16, K); k++)
          for (int j = 0; j < N; j++)
            C[i][j] += A[i][k] * B[k][j];
}

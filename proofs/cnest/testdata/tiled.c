#define min(a, b) (((a) < (b)) ? (a) : (b))
#define T 4

/* The same in tiles, flat. */
void matmul(int M, int N, int K, const int *restrict A, const int *restrict B, int *restrict C) {
  int i, j, k, ii, jj;
  for (i = 0; i < M; i++)
    for (j = 0; j < N; j++)
      C[i * N + j] = 0;
  for (ii = 0; ii < M; ii += T)
    for (jj = 0; jj < N; jj += T)
      for (i = ii; i < min(M, ii + T); i++)
        for (j = jj; j < min(jj + T, N); j++)
          for (k = 0; k < K; k++)
            C[i * N + j] += A[i * K + k] * B[k * N + j];
}

// The covariances of the columns of D, of which n is the number of rows; D is centred.
void kernel_covariance(int M, int N, double n, double D[N][M], double C[M][M], double mean[M]) {
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += D[i][j];
    mean[j] /= n;
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      D[i][j] -= mean[j];
  for (int i = 0; i < M; i++)
    for (int j = i; j < M; j++) {
      C[i][j] = 0.0;
      for (int k = 0; k < N; k++)
        C[i][j] += D[k][i] * D[k][j];
      C[i][j] /= n - 1.0;
      C[j][i] = C[i][j];
    }
}

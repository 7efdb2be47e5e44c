// The correlations of the columns of D, of which n is the number of rows; D is centred and scaled.
#include <math.h>
void kernel_correlation(int M, int N, double n, double eps, double D[N][M], double C[M][M], double mean[M], double dev[M]) {
  for (int j = 0; j < M; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < N; i++)
      mean[j] += D[i][j];
    mean[j] /= n;
  }
  for (int j = 0; j < M; j++) {
    dev[j] = 0.0;
    for (int i = 0; i < N; i++)
      dev[j] += (D[i][j] - mean[j]) * (D[i][j] - mean[j]);
    dev[j] /= n;
    dev[j] = sqrt(dev[j]);
    dev[j] = dev[j] <= eps ? 1.0 : dev[j];
  }
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++) {
      D[i][j] -= mean[j];
      D[i][j] /= sqrt(n) * dev[j];
    }
  for (int i = 0; i < M - 1; i++) {
    C[i][i] = 1.0;
    for (int j = i + 1; j < M; j++) {
      C[i][j] = 0.0;
      for (int k = 0; k < N; k++)
        C[i][j] += D[k][i] * D[k][j];
      C[j][i] = C[i][j];
    }
  }
  C[M - 1][M - 1] = 1.0;
}

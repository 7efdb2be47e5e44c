// A = Q R, Q with orthogonal columns of length 1 and R an upper triangle, by the modified method; A is overwritten.
#include <math.h>
void kernel_gramschmidt(int M, int N, double A[M][N], double R[N][N], double Q[M][N]) {
  for (int k = 0; k < N; k++) {
    double norm = 0.0;
    for (int i = 0; i < M; i++)
      norm += A[i][k] * A[i][k];
    R[k][k] = sqrt(norm);
    for (int i = 0; i < M; i++)
      Q[i][k] = A[i][k] / R[k][k];
    for (int j = k + 1; j < N; j++) {
      R[k][j] = 0.0;
      for (int i = 0; i < M; i++)
        R[k][j] += Q[i][k] * A[i][j];
      for (int i = 0; i < M; i++)
        A[i][j] = A[i][j] - Q[i][k] * R[k][j];
    }
  }
}

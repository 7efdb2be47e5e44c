// D := alpha A B C + beta D
void kernel_2mm(int P, int Q, int R, int S, double alpha, double beta, double T[P][Q], const double A[P][R], const double B[R][Q], const double C[Q][S], double D[P][S]) {
  for (int i = 0; i < P; i++)
    for (int j = 0; j < Q; j++) {
      T[i][j] = 0.0;
      for (int k = 0; k < R; k++)
        T[i][j] += alpha * A[i][k] * B[k][j];
    }
  for (int i = 0; i < P; i++)
    for (int j = 0; j < S; j++) {
      D[i][j] *= beta;
      for (int k = 0; k < Q; k++)
        D[i][j] += T[i][k] * C[k][j];
    }
}

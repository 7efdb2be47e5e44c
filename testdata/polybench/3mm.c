// G := (A B) (C D)
void kernel_3mm(int P, int Q, int R, int S, int T, double E[P][Q], const double A[P][R], const double B[R][Q], double F[Q][S], const double C[Q][T], const double D[T][S], double G[P][S]) {
  for (int i = 0; i < P; i++)
    for (int j = 0; j < Q; j++) {
      E[i][j] = 0.0;
      for (int k = 0; k < R; k++)
        E[i][j] += A[i][k] * B[k][j];
    }
  for (int i = 0; i < Q; i++)
    for (int j = 0; j < S; j++) {
      F[i][j] = 0.0;
      for (int k = 0; k < T; k++)
        F[i][j] += C[i][k] * D[k][j];
    }
  for (int i = 0; i < P; i++)
    for (int j = 0; j < S; j++) {
      G[i][j] = 0.0;
      for (int k = 0; k < Q; k++)
        G[i][j] += E[i][k] * F[k][j];
    }
}

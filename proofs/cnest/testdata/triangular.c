/* Solves L x = b, row by row, in place. */
void trisolve(int n, double L[n][n], double x[n]) {
  int i, j;
  for (i = 0; i < n; i++) {
    for (j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] = x[i] / L[i][i];
  }
}

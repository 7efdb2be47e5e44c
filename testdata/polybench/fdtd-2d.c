// Maxwell's equations in the plane by finite differences, T steps; the source is f.
void kernel_fdtd_2d(int T, int X, int Y, double ex[X][Y], double ey[X][Y], double hz[X][Y], const double f[T]) {
  for (int t = 0; t < T; t++) {
    for (int j = 0; j < Y; j++)
      ey[0][j] = f[t];
    for (int i = 1; i < X; i++)
      for (int j = 0; j < Y; j++)
        ey[i][j] = ey[i][j] - 0.5 * (hz[i][j] - hz[i - 1][j]);
    for (int i = 0; i < X; i++)
      for (int j = 1; j < Y; j++)
        ex[i][j] = ex[i][j] - 0.5 * (hz[i][j] - hz[i][j - 1]);
    for (int i = 0; i < X - 1; i++)
      for (int j = 0; j < Y - 1; j++)
        hz[i][j] = hz[i][j] - 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
  }
}

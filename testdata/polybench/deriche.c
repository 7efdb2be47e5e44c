// A recursive filter, forwards and backwards along the rows of an image and then along the columns.
void kernel_deriche(int W, int H, double a1, double a2, double a3, double a4, double a5, double a6, double a7, double a8, double b1, double b2, double c1, double c2, const double X[W][H], double Z[W][H], double F[W][H], double G[W][H]) {
  for (int i = 0; i < W; i++) {
    double y1 = 0.0, y2 = 0.0, x1 = 0.0;
    for (int j = 0; j < H; j++) {
      F[i][j] = a1 * X[i][j] + a2 * x1 + b1 * y1 + b2 * y2;
      x1 = X[i][j];
      y2 = y1;
      y1 = F[i][j];
    }
  }
  for (int i = 0; i < W; i++) {
    double y1 = 0.0, y2 = 0.0, x1 = 0.0, x2 = 0.0;
    for (int j = H - 1; j >= 0; j--) {
      G[i][j] = a3 * x1 + a4 * x2 + b1 * y1 + b2 * y2;
      x2 = x1;
      x1 = X[i][j];
      y2 = y1;
      y1 = G[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      Z[i][j] = c1 * (F[i][j] + G[i][j]);
  for (int j = 0; j < H; j++) {
    double t1 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int i = 0; i < W; i++) {
      F[i][j] = a5 * Z[i][j] + a6 * t1 + b1 * y1 + b2 * y2;
      t1 = Z[i][j];
      y2 = y1;
      y1 = F[i][j];
    }
  }
  for (int j = 0; j < H; j++) {
    double t1 = 0.0, t2 = 0.0, y1 = 0.0, y2 = 0.0;
    for (int i = W - 1; i >= 0; i--) {
      G[i][j] = a7 * t1 + a8 * t2 + b1 * y1 + b2 * y2;
      t2 = t1;
      t1 = Z[i][j];
      y2 = y1;
      y1 = G[i][j];
    }
  }
  for (int i = 0; i < W; i++)
    for (int j = 0; j < H; j++)
      Z[i][j] = c2 * (F[i][j] + G[i][j]);
}

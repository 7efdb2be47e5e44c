// A buffer of a row, reused; a branch on data with a local; a counter that outlives its loop.
int blur(int M, int N, int img[M][N]) {
  int i, last = 0;
  for (i = 0; i < M; i++) {
    int row[N];
    for (int j = 0; j < N; j++)
      row[j] = img[i][j];
    for (int j = 1; j + 1 < N; j++) {
      int s = row[j - 1] + 2 * row[j] + row[j + 1];
      if (s > 255 && j > 1) {
        int over = s - 255;
        img[i][j] = 255 - over;
        last = over;
      } else
        img[i][j] = s >> 2;
    }
  }
  return img[i - 1][0] + last;
}

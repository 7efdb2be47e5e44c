// The most pairs of bases in a folding of each segment of a sequence; two bases match if they add up to 3.
#define MAX(a, b) ((a) >= (b) ? (a) : (b))
void kernel_nussinov(int N, const int seq[N], int table[N][N]) {
  for (int i = N - 1; i >= 0; i--)
    for (int j = i + 1; j < N; j++) {
      if (j - 1 >= 0)
        table[i][j] = MAX(table[i][j], table[i][j - 1]);
      if (i + 1 < N)
        table[i][j] = MAX(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < N) {
        if (i < j - 1)
          table[i][j] = MAX(table[i][j], table[i + 1][j - 1] + (seq[i] + seq[j] == 3 ? 1 : 0));
        else
          table[i][j] = MAX(table[i][j], table[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++)
        table[i][j] = MAX(table[i][j], table[i][k] + table[k + 1][j]);
    }
}

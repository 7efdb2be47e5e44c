// Unrolled by four with a local bound, downwards, and with all kinds of integers.
void update(int n, short a[n], const unsigned char b[n], int shift) {
  int m = n / 4 * 4, r = n & 3;
  int i;
  for (i = 0; i < m; i += 4) {
    a[i] = a[i] * 3 + (b[i] << 2);
    a[i + 1] = a[i + 1] * 3 + (b[i + 1] << 2);
    a[i + 2] = a[i + 2] * 3 + (b[i + 2] << 2);
    a[i + 3] = a[i + 3] * 3 + (b[i + 3] << 2);
  }
  if (r > 0) {
    for (int k = n - 1; k >= m; k--) {
      a[k] = a[k] * 3 + (b[k] << 2);
    }
  }
  for (i = 0; i < n; i++) {
    a[i] >>= shift & 7;
  }
}

void jacobi(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N - 1; i++)
      B[i] = (A[i-1] + A[i] + A[i+1]) / 3;
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i];
  }
}

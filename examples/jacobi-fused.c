void jacobi(int T, int N, float A[N], float B[N]) {
  for (int t = 0; t < T; t++) {
    for (int i = 1; i < N; i++) {
      if (i < N - 1)
        B[i] = (A[i-1] + A[i] + A[i+1]) / 3;
      if (i >= 2)
        A[i-1] = B[i-1];
    }
  }
}

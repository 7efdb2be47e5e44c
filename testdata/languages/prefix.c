void prefix(int N, const float A[N], float P[N + 1]) {
  P[0] = 0;
  for (int i = 0; i < N; i++) {
    P[i + 1] = 0;
    for (int j = 0; j <= i; j++) P[i + 1] += A[j];
  }
}

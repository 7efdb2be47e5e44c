void shift(int N, unsigned char A[N + 2], const unsigned char B[N]) {
  for (int i = 0; i < N; i++) A[i] = A[i + 2] - 3 * B[N - 1 - i];
  for (int i = N - 1; i > 0; i -= 2) A[i] = A[i] + B[0];
}

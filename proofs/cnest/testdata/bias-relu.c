// A bias and a rectifier, in two styles.
void bias_relu(int M, int N, float X[M][N], const float bias[N]) {
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; ++j) {
      X[i][j] += bias[j];
      if (X[i][j] < 0.0f) {
        X[i][j] = 0.0f;
      }
      X[i][j] = X[i][j] > 6.0f ? 6.0f : X[i][j];
    }
  }
}

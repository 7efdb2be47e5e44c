// The counter never fails its condition: no unsigned number is below 0.
void scale(unsigned N, float A[N], float x) {
  for (unsigned i = N - 1; i >= 0; i--) {
    A[i] = A[i] * x;
  }
}

#include <stdint.h>

// A convolution with a stride, int8 by int8 into int32.
void conv(int N, int K, int S, const int8_t in[S * N + K], const int8_t w[K], int32_t out[N + 1]) {
  for (int i = 0; i <= N; i++) {
    int32_t acc = 0;
    for (int k = 0; k < K; k++) {
      if (i * S + k < S * N + K) {
        acc += in[i * S + k] * w[k];
      }
    }
    out[i] = acc;
  }
}

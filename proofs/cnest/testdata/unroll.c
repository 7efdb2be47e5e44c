#include <stddef.h>

// A sum in four parts, and what is left.
float sum(size_t n, const float A[n]) {
  float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i;
  for (i = 0; i + 3 < n; i += 4) {
    s0 += A[i];
    s1 += A[i + 1];
    s2 += A[i + 2];
    s3 += A[i + 3];
  }
  float s = (s0 + s1) + (s2 + s3);
  for (; i < n; i++) {
    s += A[i];
  }
  return s;
}

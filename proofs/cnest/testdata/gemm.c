#include "polybench.h"
#include "gemm.h"
#define DATA_TYPE double

static void init_array(int ni, DATA_TYPE *alpha, DATA_TYPE POLYBENCH_1D(C, NI, ni)) {
  while (ni > 0) {
    ni = ni - 1;
  }
}

// C = alpha*A*B + beta*C in the style of PolyBench.
static void kernel_gemm(int ni, int nj, int nk, DATA_TYPE alpha, DATA_TYPE beta, DATA_TYPE POLYBENCH_2D(C, NI, NJ, ni, nj),
                        DATA_TYPE POLYBENCH_2D(A, NI, NK, ni, nk), DATA_TYPE POLYBENCH_2D(B, NK, NJ, nk, nj)) {
  int i, j, k;

#pragma scop
  for (i = 0; i < _PB_NI; i++) {
    for (j = 0; j < _PB_NJ; j++)
      C[i][j] *= beta;
    for (k = 0; k < _PB_NK; k++) {
      for (j = 0; j < _PB_NJ; j++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
  }
#pragma endscop
}

int main(int argc, char **argv) {
  int ni = NI;
  kernel_gemm(ni);
  return 0;
}

// What library functions do, as functions of C: they are read like functions of the file that calls them. elem stands for
// the type of the elements, and arrays for blocks of elements in a row, whatever extents the caller's arrays have.
// requires says what has to hold of a call, and disjoint that two elements are not one. 101 is row-major order, 102
// column-major, 111 as it is stored, 112 transposed.

// c[i*cr + j*cc] = alpha * (sum over l of a[i*ar + l*ac] * b[l*br + j*bc]) + beta * c[i*cr + j*cc]
void product(long m, long n, long k, elem alpha, const elem a[], long ar, long ac, const elem b[], long br, long bc,
             elem beta, elem c[], long cr, long cc) {
  requires(m >= 0);
  requires(n >= 0);
  requires(k >= 0);
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++)
      for (long l = 0; l < k; l++) {
        for (long p = 0; p < m; p++)
          disjoint(c[i * cr + j * cc], a[p * ar + l * ac]);
        for (long p = 0; p < n; p++)
          disjoint(c[i * cr + j * cc], b[l * br + p * bc]);
      }
  for (long i = 0; i < m; i++)
    for (long j = 0; j < n; j++) {
      elem sum = 0;
      for (long l = 0; l < k; l++)
        sum += a[i * ar + l * ac] * b[l * br + j * bc];
      c[i * cr + j * cc] = beta == 0 ? alpha * sum : alpha * sum + beta * c[i * cr + j * cc];
    }
}

void gemm(int transA, int transB, int m, int n, int k, elem alpha, const elem a[], int lda, const elem b[], int ldb,
          elem beta, elem c[], int ldc) {
  requires(lda >= (transA ? m : k));
  requires(ldb >= (transB ? k : n));
  requires(ldc >= n);
  product(m, n, k, alpha, a, transA ? 1 : lda, transA ? lda : 1, b, transB ? 1 : ldb, transB ? ldb : 1, beta, c, ldc, 1);
}

void batched(int batch, int transA, int transB, int m, int n, int k, elem alpha, const elem a[], int lda, const elem b[],
             int ldb, elem beta, elem c[], int ldc) {
  requires(batch >= 0);
  for (long s = 0; s < batch; s++)
    for (long t = 0; t < batch; t++)
      for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++)
          for (long l = 0; l < k; l++) {
            for (long p = 0; p < m; p++)
              disjoint(c[(s * m + i) * ldc + j], a[t * (transA ? k : m) * lda + p * (transA ? 1 : lda) + l * (transA ? lda : 1)]);
            for (long p = 0; p < n; p++)
              disjoint(c[(s * m + i) * ldc + j], b[t * (transB ? n : k) * ldb + l * (transB ? 1 : ldb) + p * (transB ? ldb : 1)]);
          }
  for (long i = 0; i < batch; i++)
    gemm(transA, transB, m, n, k, alpha, &a[i * (transA ? k : m) * lda], lda, &b[i * (transB ? n : k) * ldb], ldb, beta,
         &c[i * m * ldc], ldc);
}

void gemv(int trans, int m, int n, elem alpha, const elem a[], int lda, const elem x[], int incx, elem beta, elem y[],
          int incy) {
  requires(m >= 0);
  requires(n >= 0);
  requires(lda >= n);
  requires(incx >= 1);
  requires(incy >= 1);
  product(trans ? n : m, 1, trans ? m : n, alpha, a, trans ? 1 : lda, trans ? lda : 1, x, incx, 1, beta, y, incy, 1);
}

void cblas_gemm(int order, int transA, int transB, int m, int n, int k, elem alpha, const elem a[], int lda,
                const elem b[], int ldb, elem beta, elem c[], int ldc) {
  requires(order == 101 || order == 102);
  requires(transA == 111 || transA == 112);
  requires(transB == 111 || transB == 112);
  if (order == 101)
    gemm(transA == 112, transB == 112, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  else // the transposed product
    gemm(transB == 112, transA == 112, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc);
}

void cblas_gemv(int order, int trans, int m, int n, elem alpha, const elem a[], int lda, const elem x[], int incx,
                elem beta, elem y[], int incy) {
  requires(order == 101 || order == 102);
  requires(trans == 111 || trans == 112);
  if (order == 101)
    gemv(trans == 112, m, n, alpha, a, lda, x, incx, beta, y, incy);
  else // the stored matrix is the transpose
    gemv(trans == 111, n, m, alpha, a, lda, x, incx, beta, y, incy);
}

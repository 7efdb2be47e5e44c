// C := alpha A B + beta C
func.func @kernel_gemm(%alpha: f64, %beta: f64, %C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %M = memref.dim %C, %axis0 : memref<?x?xf64>
  %N = memref.dim %C, %axis1 : memref<?x?xf64>
  %K = memref.dim %A, %axis1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %0 = affine.load %C[%i, %j] : memref<?x?xf64>
      %1 = arith.mulf %0, %beta : f64
      affine.store %1, %C[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to %K {
      affine.for %j = 0 to %N {
        %2 = affine.load %C[%i, %j] : memref<?x?xf64>
        %3 = affine.load %A[%i, %k] : memref<?x?xf64>
        %4 = arith.mulf %alpha, %3 : f64
        %5 = affine.load %B[%k, %j] : memref<?x?xf64>
        %6 = arith.mulf %4, %5 : f64
        %7 = arith.addf %2, %6 : f64
        affine.store %7, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// B := alpha A' B, A a lower triangle with ones in its diagonal
func.func @kernel_trmm(%alpha: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %M = memref.dim %A, %axis0 : memref<?x?xf64>
  %N = memref.dim %B, %axis1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %M {
        %0 = affine.load %B[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%k, %i] : memref<?x?xf64>
        %2 = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %0, %3 : f64
        affine.store %4, %B[%i, %j] : memref<?x?xf64>
      }
      %5 = affine.load %B[%i, %j] : memref<?x?xf64>
      %6 = arith.mulf %alpha, %5 : f64
      affine.store %6, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

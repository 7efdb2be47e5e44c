// The lower triangle of A becomes L, where L L' = A.
func.func @kernel_cholesky(%A: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %A, %axis0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %0 = affine.load %A[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = affine.load %A[%j, %k] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.subf %0, %3 : f64
        affine.store %4, %A[%i, %j] : memref<?x?xf64>
      }
      %5 = affine.load %A[%i, %j] : memref<?x?xf64>
      %6 = affine.load %A[%j, %j] : memref<?x?xf64>
      %7 = arith.divf %5, %6 : f64
      affine.store %7, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %8 = affine.load %A[%i, %i] : memref<?x?xf64>
      %9 = affine.load %A[%i, %k] : memref<?x?xf64>
      %10 = affine.load %A[%i, %k] : memref<?x?xf64>
      %11 = arith.mulf %9, %10 : f64
      %12 = arith.subf %8, %11 : f64
      affine.store %12, %A[%i, %i] : memref<?x?xf64>
    }
    %13 = affine.load %A[%i, %i] : memref<?x?xf64>
    %14 = math.sqrt %13 : f64
    affine.store %14, %A[%i, %i] : memref<?x?xf64>
  }
  return
}

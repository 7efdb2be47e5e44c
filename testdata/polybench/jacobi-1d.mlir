// Means of three neighbours, T times two steps between two arrays.
func.func @kernel_jacobi_1d(%T: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %A, %axis0 : memref<?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      %0 = arith.constant 0.33333 : f64
      %1 = affine.load %A[%i - 1] : memref<?xf64>
      %2 = affine.load %A[%i] : memref<?xf64>
      %3 = arith.addf %1, %2 : f64
      %4 = affine.load %A[%i + 1] : memref<?xf64>
      %5 = arith.addf %3, %4 : f64
      %6 = arith.mulf %0, %5 : f64
      affine.store %6, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      %7 = arith.constant 0.33333 : f64
      %8 = affine.load %B[%i - 1] : memref<?xf64>
      %9 = affine.load %B[%i] : memref<?xf64>
      %10 = arith.addf %8, %9 : f64
      %11 = affine.load %B[%i + 1] : memref<?xf64>
      %12 = arith.addf %10, %11 : f64
      %13 = arith.mulf %7, %12 : f64
      affine.store %13, %A[%i] : memref<?xf64>
    }
  }
  return
}

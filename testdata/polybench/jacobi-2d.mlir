// Means of a cell and its four neighbours, T times two steps between two arrays.
func.func @kernel_jacobi_2d(%T: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %A, %axis0 : memref<?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
        %0 = arith.constant 0.2 : f64
        %1 = affine.load %A[%i, %j] : memref<?x?xf64>
        %2 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %3 = arith.addf %1, %2 : f64
        %4 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %5 = arith.addf %3, %4 : f64
        %6 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %7 = arith.addf %5, %6 : f64
        %8 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %9 = arith.addf %7, %8 : f64
        %10 = arith.mulf %0, %9 : f64
        affine.store %10, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
        %11 = arith.constant 0.2 : f64
        %12 = affine.load %B[%i, %j] : memref<?x?xf64>
        %13 = affine.load %B[%i, %j - 1] : memref<?x?xf64>
        %14 = arith.addf %12, %13 : f64
        %15 = affine.load %B[%i, %j + 1] : memref<?x?xf64>
        %16 = arith.addf %14, %15 : f64
        %17 = affine.load %B[%i + 1, %j] : memref<?x?xf64>
        %18 = arith.addf %16, %17 : f64
        %19 = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %20 = arith.addf %18, %19 : f64
        %21 = arith.mulf %11, %20 : f64
        affine.store %21, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

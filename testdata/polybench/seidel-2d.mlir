// Means of a cell and its eight neighbours in place, T times.
func.func @kernel_seidel_2d(%T: index, %A: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %A, %axis0 : memref<?x?xf64>
  affine.for %t = 0 to %T {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
        %0 = affine.load %A[%i - 1, %j - 1] : memref<?x?xf64>
        %1 = affine.load %A[%i - 1, %j] : memref<?x?xf64>
        %2 = arith.addf %0, %1 : f64
        %3 = affine.load %A[%i - 1, %j + 1] : memref<?x?xf64>
        %4 = arith.addf %2, %3 : f64
        %5 = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %6 = arith.addf %4, %5 : f64
        %7 = affine.load %A[%i, %j] : memref<?x?xf64>
        %8 = arith.addf %6, %7 : f64
        %9 = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %10 = arith.addf %8, %9 : f64
        %11 = affine.load %A[%i + 1, %j - 1] : memref<?x?xf64>
        %12 = arith.addf %10, %11 : f64
        %13 = affine.load %A[%i + 1, %j] : memref<?x?xf64>
        %14 = arith.addf %12, %13 : f64
        %15 = affine.load %A[%i + 1, %j + 1] : memref<?x?xf64>
        %16 = arith.addf %14, %15 : f64
        %17 = arith.constant 9.0 : f64
        %18 = arith.divf %16, %17 : f64
        affine.store %18, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

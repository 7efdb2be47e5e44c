// y := A' (A x)
func.func @kernel_atax(%A: memref<?x?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %t: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %M = memref.dim %A, %axis0 : memref<?x?xf64>
  %N = memref.dim %A, %axis1 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %M {
    %1 = arith.constant 0.0 : f64
    affine.store %1, %t[%i] : memref<?xf64>
    affine.for %j = 0 to %N {
      %2 = affine.load %t[%i] : memref<?xf64>
      %3 = affine.load %A[%i, %j] : memref<?x?xf64>
      %4 = affine.load %x[%j] : memref<?xf64>
      %5 = arith.mulf %3, %4 : f64
      %6 = arith.addf %2, %5 : f64
      affine.store %6, %t[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %N {
      %7 = affine.load %y[%j] : memref<?xf64>
      %8 = affine.load %A[%i, %j] : memref<?x?xf64>
      %9 = affine.load %t[%i] : memref<?xf64>
      %10 = arith.mulf %8, %9 : f64
      %11 = arith.addf %7, %10 : f64
      affine.store %11, %y[%j] : memref<?xf64>
    }
  }
  return
}

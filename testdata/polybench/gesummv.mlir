// y := alpha A x + beta B x
func.func @kernel_gesummv(%alpha: f64, %beta: f64, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %t: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %A, %axis0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %t[%i] : memref<?xf64>
    %1 = arith.constant 0.0 : f64
    affine.store %1, %y[%i] : memref<?xf64>
    affine.for %j = 0 to %N {
      %2 = affine.load %A[%i, %j] : memref<?x?xf64>
      %3 = affine.load %x[%j] : memref<?xf64>
      %4 = arith.mulf %2, %3 : f64
      %5 = affine.load %t[%i] : memref<?xf64>
      %6 = arith.addf %4, %5 : f64
      affine.store %6, %t[%i] : memref<?xf64>
      %7 = affine.load %B[%i, %j] : memref<?x?xf64>
      %8 = affine.load %x[%j] : memref<?xf64>
      %9 = arith.mulf %7, %8 : f64
      %10 = affine.load %y[%i] : memref<?xf64>
      %11 = arith.addf %9, %10 : f64
      affine.store %11, %y[%i] : memref<?xf64>
    }
    %12 = affine.load %t[%i] : memref<?xf64>
    %13 = arith.mulf %alpha, %12 : f64
    %14 = affine.load %y[%i] : memref<?xf64>
    %15 = arith.mulf %beta, %14 : f64
    %16 = arith.addf %13, %15 : f64
    affine.store %16, %y[%i] : memref<?xf64>
  }
  return
}

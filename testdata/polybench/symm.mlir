// C := alpha A B + beta C, A symmetric, of which the lower triangle is read
func.func @kernel_symm(%alpha: f64, %beta: f64, %C: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %M = memref.dim %C, %axis0 : memref<?x?xf64>
  %N = memref.dim %C, %axis1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    affine.for %j = 0 to %N {
      %t = memref.alloca() : memref<f64>
      %0 = arith.constant 0.0 : f64
      affine.store %0, %t[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %1 = affine.load %C[%k, %j] : memref<?x?xf64>
        %2 = affine.load %B[%i, %j] : memref<?x?xf64>
        %3 = arith.mulf %alpha, %2 : f64
        %4 = affine.load %A[%i, %k] : memref<?x?xf64>
        %5 = arith.mulf %3, %4 : f64
        %6 = arith.addf %1, %5 : f64
        affine.store %6, %C[%k, %j] : memref<?x?xf64>
        %7 = affine.load %t[] : memref<f64>
        %8 = affine.load %B[%k, %j] : memref<?x?xf64>
        %9 = affine.load %A[%i, %k] : memref<?x?xf64>
        %10 = arith.mulf %8, %9 : f64
        %11 = arith.addf %7, %10 : f64
        affine.store %11, %t[] : memref<f64>
      }
      %12 = affine.load %C[%i, %j] : memref<?x?xf64>
      %13 = arith.mulf %beta, %12 : f64
      %14 = affine.load %B[%i, %j] : memref<?x?xf64>
      %15 = arith.mulf %alpha, %14 : f64
      %16 = affine.load %A[%i, %i] : memref<?x?xf64>
      %17 = arith.mulf %15, %16 : f64
      %18 = arith.addf %13, %17 : f64
      %19 = affine.load %t[] : memref<f64>
      %20 = arith.mulf %alpha, %19 : f64
      %21 = arith.addf %18, %20 : f64
      affine.store %21, %C[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

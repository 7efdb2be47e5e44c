// Levinson-Durbin: y solves the Toeplitz system of r.
func.func @kernel_durbin(%r: memref<?xf64>, %y: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %r, %axis0 : memref<?xf64>
  %z = memref.alloc(%N) : memref<?xf64>
  %alpha = memref.alloca() : memref<f64>
  %0 = affine.load %r[0] : memref<?xf64>
  %1 = arith.negf %0 : f64
  affine.store %1, %alpha[] : memref<f64>
  %beta = memref.alloca() : memref<f64>
  %2 = arith.constant 1.0 : f64
  affine.store %2, %beta[] : memref<f64>
  %3 = affine.load %r[0] : memref<?xf64>
  %4 = arith.negf %3 : f64
  affine.store %4, %y[0] : memref<?xf64>
  affine.for %k = 1 to %N {
    %sum = memref.alloca() : memref<f64>
    %5 = arith.constant 0.0 : f64
    affine.store %5, %sum[] : memref<f64>
    %6 = arith.constant 1.0 : f64
    %7 = affine.load %alpha[] : memref<f64>
    %8 = affine.load %alpha[] : memref<f64>
    %9 = arith.mulf %7, %8 : f64
    %10 = arith.subf %6, %9 : f64
    %11 = affine.load %beta[] : memref<f64>
    %12 = arith.mulf %10, %11 : f64
    affine.store %12, %beta[] : memref<f64>
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %13 = affine.load %sum[] : memref<f64>
      %14 = affine.load %r[%k - %i - 1] : memref<?xf64>
      %15 = affine.load %y[%i] : memref<?xf64>
      %16 = arith.mulf %14, %15 : f64
      %17 = arith.addf %13, %16 : f64
      affine.store %17, %sum[] : memref<f64>
    }
    %18 = affine.load %r[%k] : memref<?xf64>
    %19 = affine.load %sum[] : memref<f64>
    %20 = arith.addf %18, %19 : f64
    %21 = arith.negf %20 : f64
    %22 = affine.load %beta[] : memref<f64>
    %23 = arith.divf %21, %22 : f64
    affine.store %23, %alpha[] : memref<f64>
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %24 = affine.load %y[%i] : memref<?xf64>
      %25 = affine.load %alpha[] : memref<f64>
      %26 = affine.load %y[%k - %i - 1] : memref<?xf64>
      %27 = arith.mulf %25, %26 : f64
      %28 = arith.addf %24, %27 : f64
      affine.store %28, %z[%i] : memref<?xf64>
    }
    affine.for %i = 0 to affine_map<(d0) -> (d0)>(%k) {
      %29 = affine.load %z[%i] : memref<?xf64>
      affine.store %29, %y[%i] : memref<?xf64>
    }
    %30 = affine.load %alpha[] : memref<f64>
    affine.store %30, %y[%k] : memref<?xf64>
  }
  return
}

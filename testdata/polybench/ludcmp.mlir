// Solves A x = b: A becomes L and U, then L y = b and U x = y.
func.func @kernel_ludcmp(%A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %A, %axis0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %w = memref.alloca() : memref<f64>
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %0, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %1 = affine.load %w[] : memref<f64>
        %2 = affine.load %A[%i, %k] : memref<?x?xf64>
        %3 = affine.load %A[%k, %j] : memref<?x?xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = arith.subf %1, %4 : f64
        affine.store %5, %w[] : memref<f64>
      }
      %6 = affine.load %w[] : memref<f64>
      %7 = affine.load %A[%j, %j] : memref<?x?xf64>
      %8 = arith.divf %6, %7 : f64
      affine.store %8, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %N {
      %w = memref.alloca() : memref<f64>
      %9 = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %9, %w[] : memref<f64>
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %10 = affine.load %w[] : memref<f64>
        %11 = affine.load %A[%i, %k] : memref<?x?xf64>
        %12 = affine.load %A[%k, %j] : memref<?x?xf64>
        %13 = arith.mulf %11, %12 : f64
        %14 = arith.subf %10, %13 : f64
        affine.store %14, %w[] : memref<f64>
      }
      %15 = affine.load %w[] : memref<f64>
      affine.store %15, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %N {
    %w = memref.alloca() : memref<f64>
    %16 = affine.load %b[%i] : memref<?xf64>
    affine.store %16, %w[] : memref<f64>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %17 = affine.load %w[] : memref<f64>
      %18 = affine.load %A[%i, %j] : memref<?x?xf64>
      %19 = affine.load %y[%j] : memref<?xf64>
      %20 = arith.mulf %18, %19 : f64
      %21 = arith.subf %17, %20 : f64
      affine.store %21, %w[] : memref<f64>
    }
    %22 = affine.load %w[] : memref<f64>
    affine.store %22, %y[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    %w = memref.alloca() : memref<f64>
    %23 = affine.load %y[symbol(%N) - %i - 1] : memref<?xf64>
    affine.store %23, %w[] : memref<f64>
    affine.for %j = affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%N] to %N {
      %24 = affine.load %w[] : memref<f64>
      %25 = affine.load %A[symbol(%N) - %i - 1, %j] : memref<?x?xf64>
      %26 = affine.load %x[%j] : memref<?xf64>
      %27 = arith.mulf %25, %26 : f64
      %28 = arith.subf %24, %27 : f64
      affine.store %28, %w[] : memref<f64>
    }
    %29 = affine.load %w[] : memref<f64>
    %30 = affine.load %A[symbol(%N) - %i - 1, symbol(%N) - %i - 1] : memref<?x?xf64>
    %31 = arith.divf %29, %30 : f64
    affine.store %31, %x[symbol(%N) - %i - 1] : memref<?xf64>
  }
  return
}

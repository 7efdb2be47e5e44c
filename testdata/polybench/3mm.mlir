// G := (A B) (C D)
func.func @kernel_3mm(%E: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %F: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>, %G: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %P = memref.dim %E, %axis0 : memref<?x?xf64>
  %Q = memref.dim %E, %axis1 : memref<?x?xf64>
  %R = memref.dim %A, %axis1 : memref<?x?xf64>
  %S = memref.dim %F, %axis1 : memref<?x?xf64>
  %T = memref.dim %C, %axis1 : memref<?x?xf64>
  affine.for %i = 0 to %P {
    affine.for %j = 0 to %Q {
      %0 = arith.constant 0.0 : f64
      affine.store %0, %E[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %R {
        %1 = affine.load %E[%i, %j] : memref<?x?xf64>
        %2 = affine.load %A[%i, %k] : memref<?x?xf64>
        %3 = affine.load %B[%k, %j] : memref<?x?xf64>
        %4 = arith.mulf %2, %3 : f64
        %5 = arith.addf %1, %4 : f64
        affine.store %5, %E[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %Q {
    affine.for %j = 0 to %S {
      %6 = arith.constant 0.0 : f64
      affine.store %6, %F[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %T {
        %7 = affine.load %F[%i, %j] : memref<?x?xf64>
        %8 = affine.load %C[%i, %k] : memref<?x?xf64>
        %9 = affine.load %D[%k, %j] : memref<?x?xf64>
        %10 = arith.mulf %8, %9 : f64
        %11 = arith.addf %7, %10 : f64
        affine.store %11, %F[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %P {
    affine.for %j = 0 to %S {
      %12 = arith.constant 0.0 : f64
      affine.store %12, %G[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %Q {
        %13 = affine.load %G[%i, %j] : memref<?x?xf64>
        %14 = affine.load %E[%i, %k] : memref<?x?xf64>
        %15 = affine.load %F[%k, %j] : memref<?x?xf64>
        %16 = arith.mulf %14, %15 : f64
        %17 = arith.addf %13, %16 : f64
        affine.store %17, %G[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

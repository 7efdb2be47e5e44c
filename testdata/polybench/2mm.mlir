// D := alpha A B C + beta D
func.func @kernel_2mm(%alpha: f64, %beta: f64, %T: memref<?x?xf64>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>, %D: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %P = memref.dim %T, %axis0 : memref<?x?xf64>
  %Q = memref.dim %T, %axis1 : memref<?x?xf64>
  %R = memref.dim %A, %axis1 : memref<?x?xf64>
  %S = memref.dim %C, %axis1 : memref<?x?xf64>
  affine.for %i = 0 to %P {
    affine.for %j = 0 to %Q {
      %0 = arith.constant 0.0 : f64
      affine.store %0, %T[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %R {
        %1 = affine.load %T[%i, %j] : memref<?x?xf64>
        %2 = affine.load %A[%i, %k] : memref<?x?xf64>
        %3 = arith.mulf %alpha, %2 : f64
        %4 = affine.load %B[%k, %j] : memref<?x?xf64>
        %5 = arith.mulf %3, %4 : f64
        %6 = arith.addf %1, %5 : f64
        affine.store %6, %T[%i, %j] : memref<?x?xf64>
      }
    }
  }
  affine.for %i = 0 to %P {
    affine.for %j = 0 to %S {
      %7 = affine.load %D[%i, %j] : memref<?x?xf64>
      %8 = arith.mulf %7, %beta : f64
      affine.store %8, %D[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %Q {
        %9 = affine.load %D[%i, %j] : memref<?x?xf64>
        %10 = affine.load %T[%i, %k] : memref<?x?xf64>
        %11 = affine.load %C[%k, %j] : memref<?x?xf64>
        %12 = arith.mulf %10, %11 : f64
        %13 = arith.addf %9, %12 : f64
        affine.store %13, %D[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

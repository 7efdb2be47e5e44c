// A := A + u1 v1' + u2 v2'; x := x + beta A' y + z; w := w + alpha A x
func.func @kernel_gemver(%alpha: f64, %beta: f64, %A: memref<?x?xf64>, %u1: memref<?xf64>, %v1: memref<?xf64>, %u2: memref<?xf64>, %v2: memref<?xf64>, %w: memref<?xf64>, %x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %A, %axis0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %0 = affine.load %A[%i, %j] : memref<?x?xf64>
      %1 = affine.load %u1[%i] : memref<?xf64>
      %2 = affine.load %v1[%j] : memref<?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      %5 = affine.load %u2[%i] : memref<?xf64>
      %6 = affine.load %v2[%j] : memref<?xf64>
      %7 = arith.mulf %5, %6 : f64
      %8 = arith.addf %4, %7 : f64
      affine.store %8, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %9 = affine.load %x[%i] : memref<?xf64>
      %10 = affine.load %A[%j, %i] : memref<?x?xf64>
      %11 = arith.mulf %beta, %10 : f64
      %12 = affine.load %y[%j] : memref<?xf64>
      %13 = arith.mulf %11, %12 : f64
      %14 = arith.addf %9, %13 : f64
      affine.store %14, %x[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %N {
    %15 = affine.load %x[%i] : memref<?xf64>
    %16 = affine.load %z[%i] : memref<?xf64>
    %17 = arith.addf %15, %16 : f64
    affine.store %17, %x[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %18 = affine.load %w[%i] : memref<?xf64>
      %19 = affine.load %A[%i, %j] : memref<?x?xf64>
      %20 = arith.mulf %alpha, %19 : f64
      %21 = affine.load %x[%j] : memref<?xf64>
      %22 = arith.mulf %20, %21 : f64
      %23 = arith.addf %18, %22 : f64
      affine.store %23, %w[%i] : memref<?xf64>
    }
  }
  return
}

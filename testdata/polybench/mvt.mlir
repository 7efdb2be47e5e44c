// x1 := x1 + A y1; x2 := x2 + A' y2
func.func @kernel_mvt(%x1: memref<?xf64>, %x2: memref<?xf64>, %y1: memref<?xf64>, %y2: memref<?xf64>, %A: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %x1, %axis0 : memref<?xf64>
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %0 = affine.load %x1[%i] : memref<?xf64>
      %1 = affine.load %A[%i, %j] : memref<?x?xf64>
      %2 = affine.load %y1[%j] : memref<?xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %x1[%i] : memref<?xf64>
    }
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %N {
      %5 = affine.load %x2[%i] : memref<?xf64>
      %6 = affine.load %A[%j, %i] : memref<?x?xf64>
      %7 = affine.load %y2[%j] : memref<?xf64>
      %8 = arith.mulf %6, %7 : f64
      %9 = arith.addf %5, %8 : f64
      affine.store %9, %x2[%i] : memref<?xf64>
    }
  }
  return
}

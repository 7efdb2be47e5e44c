// s := A' r, q := A p
func.func @kernel_bicg(%A: memref<?x?xf64>, %s: memref<?xf64>, %q: memref<?xf64>, %p: memref<?xf64>, %r: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %N = memref.dim %A, %axis0 : memref<?x?xf64>
  %M = memref.dim %A, %axis1 : memref<?x?xf64>
  affine.for %i = 0 to %M {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %s[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    %1 = arith.constant 0.0 : f64
    affine.store %1, %q[%i] : memref<?xf64>
    affine.for %j = 0 to %M {
      %2 = affine.load %s[%j] : memref<?xf64>
      %3 = affine.load %r[%i] : memref<?xf64>
      %4 = affine.load %A[%i, %j] : memref<?x?xf64>
      %5 = arith.mulf %3, %4 : f64
      %6 = arith.addf %2, %5 : f64
      affine.store %6, %s[%j] : memref<?xf64>
      %7 = affine.load %q[%i] : memref<?xf64>
      %8 = affine.load %A[%i, %j] : memref<?x?xf64>
      %9 = affine.load %p[%j] : memref<?xf64>
      %10 = arith.mulf %8, %9 : f64
      %11 = arith.addf %7, %10 : f64
      affine.store %11, %q[%i] : memref<?xf64>
    }
  }
  return
}

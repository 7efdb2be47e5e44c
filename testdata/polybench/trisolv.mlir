// Solves L x = b, L a lower triangle.
func.func @kernel_trisolv(%L: memref<?x?xf64>, %x: memref<?xf64>, %b: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %L, %axis0 : memref<?x?xf64>
  affine.for %i = 0 to %N {
    %0 = affine.load %b[%i] : memref<?xf64>
    affine.store %0, %x[%i] : memref<?xf64>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %1 = affine.load %x[%i] : memref<?xf64>
      %2 = affine.load %L[%i, %j] : memref<?x?xf64>
      %3 = affine.load %x[%j] : memref<?xf64>
      %4 = arith.mulf %2, %3 : f64
      %5 = arith.subf %1, %4 : f64
      affine.store %5, %x[%i] : memref<?xf64>
    }
    %6 = affine.load %x[%i] : memref<?xf64>
    %7 = affine.load %L[%i, %i] : memref<?x?xf64>
    %8 = arith.divf %6, %7 : f64
    affine.store %8, %x[%i] : memref<?xf64>
  }
  return
}

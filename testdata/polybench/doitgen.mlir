// Each row of A times C4.
func.func @kernel_doitgen(%A: memref<?x?x?xf64>, %C4: memref<?x?xf64>, %sum: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %axis2 = arith.constant 2 : index
  %R = memref.dim %A, %axis0 : memref<?x?x?xf64>
  %Q = memref.dim %A, %axis1 : memref<?x?x?xf64>
  %P = memref.dim %A, %axis2 : memref<?x?x?xf64>
  affine.for %r = 0 to %R {
    affine.for %q = 0 to %Q {
      affine.for %p = 0 to %P {
        %0 = arith.constant 0.0 : f64
        affine.store %0, %sum[%p] : memref<?xf64>
        affine.for %s = 0 to %P {
          %1 = affine.load %sum[%p] : memref<?xf64>
          %2 = affine.load %A[%r, %q, %s] : memref<?x?x?xf64>
          %3 = affine.load %C4[%s, %p] : memref<?x?xf64>
          %4 = arith.mulf %2, %3 : f64
          %5 = arith.addf %1, %4 : f64
          affine.store %5, %sum[%p] : memref<?xf64>
        }
      }
      affine.for %p = 0 to %P {
        %6 = affine.load %sum[%p] : memref<?xf64>
        affine.store %6, %A[%r, %q, %p] : memref<?x?x?xf64>
      }
    }
  }
  return
}

// A = Q R, Q with orthogonal columns of length 1 and R an upper triangle, by the modified method; A is overwritten.
func.func @kernel_gramschmidt(%A: memref<?x?xf64>, %R: memref<?x?xf64>, %Q: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %M = memref.dim %A, %axis0 : memref<?x?xf64>
  %N = memref.dim %A, %axis1 : memref<?x?xf64>
  affine.for %k = 0 to %N {
    %norm = memref.alloca() : memref<f64>
    %0 = arith.constant 0.0 : f64
    affine.store %0, %norm[] : memref<f64>
    affine.for %i = 0 to %M {
      %1 = affine.load %norm[] : memref<f64>
      %2 = affine.load %A[%i, %k] : memref<?x?xf64>
      %3 = affine.load %A[%i, %k] : memref<?x?xf64>
      %4 = arith.mulf %2, %3 : f64
      %5 = arith.addf %1, %4 : f64
      affine.store %5, %norm[] : memref<f64>
    }
    %6 = affine.load %norm[] : memref<f64>
    %7 = math.sqrt %6 : f64
    affine.store %7, %R[%k, %k] : memref<?x?xf64>
    affine.for %i = 0 to %M {
      %8 = affine.load %A[%i, %k] : memref<?x?xf64>
      %9 = affine.load %R[%k, %k] : memref<?x?xf64>
      %10 = arith.divf %8, %9 : f64
      affine.store %10, %Q[%i, %k] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%k) to %N {
      %11 = arith.constant 0.0 : f64
      affine.store %11, %R[%k, %j] : memref<?x?xf64>
      affine.for %i = 0 to %M {
        %12 = affine.load %R[%k, %j] : memref<?x?xf64>
        %13 = affine.load %Q[%i, %k] : memref<?x?xf64>
        %14 = affine.load %A[%i, %j] : memref<?x?xf64>
        %15 = arith.mulf %13, %14 : f64
        %16 = arith.addf %12, %15 : f64
        affine.store %16, %R[%k, %j] : memref<?x?xf64>
      }
      affine.for %i = 0 to %M {
        %17 = affine.load %A[%i, %j] : memref<?x?xf64>
        %18 = affine.load %Q[%i, %k] : memref<?x?xf64>
        %19 = affine.load %R[%k, %j] : memref<?x?xf64>
        %20 = arith.mulf %18, %19 : f64
        %21 = arith.subf %17, %20 : f64
        affine.store %21, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// The covariances of the columns of D, of which n is the number of rows; D is centred.
func.func @kernel_covariance(%n: f64, %D: memref<?x?xf64>, %C: memref<?x?xf64>, %mean: memref<?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %N = memref.dim %D, %axis0 : memref<?x?xf64>
  %M = memref.dim %D, %axis1 : memref<?x?xf64>
  affine.for %j = 0 to %M {
    %0 = arith.constant 0.0 : f64
    affine.store %0, %mean[%j] : memref<?xf64>
    affine.for %i = 0 to %N {
      %1 = affine.load %mean[%j] : memref<?xf64>
      %2 = affine.load %D[%i, %j] : memref<?x?xf64>
      %3 = arith.addf %1, %2 : f64
      affine.store %3, %mean[%j] : memref<?xf64>
    }
    %4 = affine.load %mean[%j] : memref<?xf64>
    %5 = arith.divf %4, %n : f64
    affine.store %5, %mean[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %M {
      %6 = affine.load %D[%i, %j] : memref<?x?xf64>
      %7 = affine.load %mean[%j] : memref<?xf64>
      %8 = arith.subf %6, %7 : f64
      affine.store %8, %D[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %M {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %M {
      %9 = arith.constant 0.0 : f64
      affine.store %9, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %N {
        %10 = affine.load %C[%i, %j] : memref<?x?xf64>
        %11 = affine.load %D[%k, %i] : memref<?x?xf64>
        %12 = affine.load %D[%k, %j] : memref<?x?xf64>
        %13 = arith.mulf %11, %12 : f64
        %14 = arith.addf %10, %13 : f64
        affine.store %14, %C[%i, %j] : memref<?x?xf64>
      }
      %15 = affine.load %C[%i, %j] : memref<?x?xf64>
      %16 = arith.constant 1.0 : f64
      %17 = arith.subf %n, %16 : f64
      %18 = arith.divf %15, %17 : f64
      affine.store %18, %C[%i, %j] : memref<?x?xf64>
      %19 = affine.load %C[%i, %j] : memref<?x?xf64>
      affine.store %19, %C[%j, %i] : memref<?x?xf64>
    }
  }
  return
}

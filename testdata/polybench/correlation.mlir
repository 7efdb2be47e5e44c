// The correlations of the columns of D, of which n is the number of rows; D is centred and scaled.
func.func @kernel_correlation(%n: f64, %eps: f64, %D: memref<?x?xf64>, %C: memref<?x?xf64>, %mean: memref<?xf64>, %dev: memref<?xf64>) {
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
  affine.for %j = 0 to %M {
    %6 = arith.constant 0.0 : f64
    affine.store %6, %dev[%j] : memref<?xf64>
    affine.for %i = 0 to %N {
      %7 = affine.load %dev[%j] : memref<?xf64>
      %8 = affine.load %D[%i, %j] : memref<?x?xf64>
      %9 = affine.load %mean[%j] : memref<?xf64>
      %10 = arith.subf %8, %9 : f64
      %11 = affine.load %D[%i, %j] : memref<?x?xf64>
      %12 = affine.load %mean[%j] : memref<?xf64>
      %13 = arith.subf %11, %12 : f64
      %14 = arith.mulf %10, %13 : f64
      %15 = arith.addf %7, %14 : f64
      affine.store %15, %dev[%j] : memref<?xf64>
    }
    %16 = affine.load %dev[%j] : memref<?xf64>
    %17 = arith.divf %16, %n : f64
    affine.store %17, %dev[%j] : memref<?xf64>
    %18 = affine.load %dev[%j] : memref<?xf64>
    %19 = math.sqrt %18 : f64
    affine.store %19, %dev[%j] : memref<?xf64>
    %20 = affine.load %dev[%j] : memref<?xf64>
    %21 = arith.cmpf ole, %20, %eps : f64
    %22 = arith.constant 1.0 : f64
    %23 = affine.load %dev[%j] : memref<?xf64>
    %24 = arith.select %21, %22, %23 : f64
    affine.store %24, %dev[%j] : memref<?xf64>
  }
  affine.for %i = 0 to %N {
    affine.for %j = 0 to %M {
      %25 = affine.load %D[%i, %j] : memref<?x?xf64>
      %26 = affine.load %mean[%j] : memref<?xf64>
      %27 = arith.subf %25, %26 : f64
      affine.store %27, %D[%i, %j] : memref<?x?xf64>
      %28 = affine.load %D[%i, %j] : memref<?x?xf64>
      %29 = math.sqrt %n : f64
      %30 = affine.load %dev[%j] : memref<?xf64>
      %31 = arith.mulf %29, %30 : f64
      %32 = arith.divf %28, %31 : f64
      affine.store %32, %D[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to affine_map<()[s0] -> (s0 - 1)>()[%M] {
    %33 = arith.constant 1.0 : f64
    affine.store %33, %C[%i, %i] : memref<?x?xf64>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %M {
      %34 = arith.constant 0.0 : f64
      affine.store %34, %C[%i, %j] : memref<?x?xf64>
      affine.for %k = 0 to %N {
        %35 = affine.load %C[%i, %j] : memref<?x?xf64>
        %36 = affine.load %D[%k, %i] : memref<?x?xf64>
        %37 = affine.load %D[%k, %j] : memref<?x?xf64>
        %38 = arith.mulf %36, %37 : f64
        %39 = arith.addf %35, %38 : f64
        affine.store %39, %C[%i, %j] : memref<?x?xf64>
      }
      %40 = affine.load %C[%i, %j] : memref<?x?xf64>
      affine.store %40, %C[%j, %i] : memref<?x?xf64>
    }
  }
  %41 = arith.constant 1.0 : f64
  affine.store %41, %C[symbol(%M) - 1, symbol(%M) - 1] : memref<?x?xf64>
  return
}

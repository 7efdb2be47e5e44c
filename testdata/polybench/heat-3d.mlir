// The heat equation in space, T times two steps between two arrays.
func.func @kernel_heat_3d(%T: index, %A: memref<?x?x?xf64>, %B: memref<?x?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %A, %axis0 : memref<?x?x?xf64>
  affine.for %t = 1 to affine_map<()[s0] -> (s0 + 1)>()[%T] {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
        affine.for %k = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
          %0 = arith.constant 0.125 : f64
          %1 = affine.load %A[%i + 1, %j, %k] : memref<?x?x?xf64>
          %2 = arith.constant 2.0 : f64
          %3 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %4 = arith.mulf %2, %3 : f64
          %5 = arith.subf %1, %4 : f64
          %6 = affine.load %A[%i - 1, %j, %k] : memref<?x?x?xf64>
          %7 = arith.addf %5, %6 : f64
          %8 = arith.mulf %0, %7 : f64
          %9 = arith.constant 0.125 : f64
          %10 = affine.load %A[%i, %j + 1, %k] : memref<?x?x?xf64>
          %11 = arith.constant 2.0 : f64
          %12 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %13 = arith.mulf %11, %12 : f64
          %14 = arith.subf %10, %13 : f64
          %15 = affine.load %A[%i, %j - 1, %k] : memref<?x?x?xf64>
          %16 = arith.addf %14, %15 : f64
          %17 = arith.mulf %9, %16 : f64
          %18 = arith.addf %8, %17 : f64
          %19 = arith.constant 0.125 : f64
          %20 = affine.load %A[%i, %j, %k + 1] : memref<?x?x?xf64>
          %21 = arith.constant 2.0 : f64
          %22 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %23 = arith.mulf %21, %22 : f64
          %24 = arith.subf %20, %23 : f64
          %25 = affine.load %A[%i, %j, %k - 1] : memref<?x?x?xf64>
          %26 = arith.addf %24, %25 : f64
          %27 = arith.mulf %19, %26 : f64
          %28 = arith.addf %18, %27 : f64
          %29 = affine.load %A[%i, %j, %k] : memref<?x?x?xf64>
          %30 = arith.addf %28, %29 : f64
          affine.store %30, %B[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
        affine.for %k = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
          %31 = arith.constant 0.125 : f64
          %32 = affine.load %B[%i + 1, %j, %k] : memref<?x?x?xf64>
          %33 = arith.constant 2.0 : f64
          %34 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %35 = arith.mulf %33, %34 : f64
          %36 = arith.subf %32, %35 : f64
          %37 = affine.load %B[%i - 1, %j, %k] : memref<?x?x?xf64>
          %38 = arith.addf %36, %37 : f64
          %39 = arith.mulf %31, %38 : f64
          %40 = arith.constant 0.125 : f64
          %41 = affine.load %B[%i, %j + 1, %k] : memref<?x?x?xf64>
          %42 = arith.constant 2.0 : f64
          %43 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %44 = arith.mulf %42, %43 : f64
          %45 = arith.subf %41, %44 : f64
          %46 = affine.load %B[%i, %j - 1, %k] : memref<?x?x?xf64>
          %47 = arith.addf %45, %46 : f64
          %48 = arith.mulf %40, %47 : f64
          %49 = arith.addf %39, %48 : f64
          %50 = arith.constant 0.125 : f64
          %51 = affine.load %B[%i, %j, %k + 1] : memref<?x?x?xf64>
          %52 = arith.constant 2.0 : f64
          %53 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %54 = arith.mulf %52, %53 : f64
          %55 = arith.subf %51, %54 : f64
          %56 = affine.load %B[%i, %j, %k - 1] : memref<?x?x?xf64>
          %57 = arith.addf %55, %56 : f64
          %58 = arith.mulf %50, %57 : f64
          %59 = arith.addf %49, %58 : f64
          %60 = affine.load %B[%i, %j, %k] : memref<?x?x?xf64>
          %61 = arith.addf %59, %60 : f64
          affine.store %61, %A[%i, %j, %k] : memref<?x?x?xf64>
        }
      }
    }
  }
  return
}

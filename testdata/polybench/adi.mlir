// Alternating directions for the heat equation on a square: in each half of a step a tridiagonal system along one axis.
// a, b, c and d, e, f are the systems' diagonals: of the first half, c and a beside b; of the second, f and d beside e.
func.func @kernel_adi(%T: index, %a: f64, %b: f64, %c: f64, %d: f64, %e: f64, %f: f64, %u: memref<?x?xf64>, %v: memref<?x?xf64>, %p: memref<?x?xf64>, %q: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %u, %axis0 : memref<?x?xf64>
  affine.for %t = 1 to affine_map<()[s0] -> (s0 + 1)>()[%T] {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      %0 = arith.constant 1.0 : f64
      affine.store %0, %v[0, %i] : memref<?x?xf64>
      %1 = arith.constant 0.0 : f64
      affine.store %1, %p[%i, 0] : memref<?x?xf64>
      %2 = affine.load %v[0, %i] : memref<?x?xf64>
      affine.store %2, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
        %3 = arith.negf %c : f64
        %4 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %5 = arith.mulf %a, %4 : f64
        %6 = arith.addf %5, %b : f64
        %7 = arith.divf %3, %6 : f64
        affine.store %7, %p[%i, %j] : memref<?x?xf64>
        %8 = arith.negf %d : f64
        %9 = affine.load %u[%j, %i - 1] : memref<?x?xf64>
        %10 = arith.mulf %8, %9 : f64
        %11 = arith.constant 1.0 : f64
        %12 = arith.constant 2.0 : f64
        %13 = arith.mulf %12, %d : f64
        %14 = arith.addf %11, %13 : f64
        %15 = affine.load %u[%j, %i] : memref<?x?xf64>
        %16 = arith.mulf %14, %15 : f64
        %17 = arith.addf %10, %16 : f64
        %18 = affine.load %u[%j, %i + 1] : memref<?x?xf64>
        %19 = arith.mulf %f, %18 : f64
        %20 = arith.subf %17, %19 : f64
        %21 = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %22 = arith.mulf %a, %21 : f64
        %23 = arith.subf %20, %22 : f64
        %24 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %25 = arith.mulf %a, %24 : f64
        %26 = arith.addf %25, %b : f64
        %27 = arith.divf %23, %26 : f64
        affine.store %27, %q[%i, %j] : memref<?x?xf64>
      }
      %28 = arith.constant 1.0 : f64
      affine.store %28, %v[symbol(%N) - 1, %i] : memref<?x?xf64>
      affine.for %j = 0 to affine_map<()[s0] -> (s0 - 2)>()[%N] {
        %29 = affine.load %p[%i, symbol(%N) - %j - 2] : memref<?x?xf64>
        %30 = affine.load %v[symbol(%N) - %j - 1, %i] : memref<?x?xf64>
        %31 = arith.mulf %29, %30 : f64
        %32 = affine.load %q[%i, symbol(%N) - %j - 2] : memref<?x?xf64>
        %33 = arith.addf %31, %32 : f64
        affine.store %33, %v[symbol(%N) - %j - 2, %i] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
      %34 = arith.constant 1.0 : f64
      affine.store %34, %u[%i, 0] : memref<?x?xf64>
      %35 = arith.constant 0.0 : f64
      affine.store %35, %p[%i, 0] : memref<?x?xf64>
      %36 = affine.load %u[%i, 0] : memref<?x?xf64>
      affine.store %36, %q[%i, 0] : memref<?x?xf64>
      affine.for %j = 1 to affine_map<()[s0] -> (s0 - 1)>()[%N] {
        %37 = arith.negf %f : f64
        %38 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %39 = arith.mulf %d, %38 : f64
        %40 = arith.addf %39, %e : f64
        %41 = arith.divf %37, %40 : f64
        affine.store %41, %p[%i, %j] : memref<?x?xf64>
        %42 = arith.negf %a : f64
        %43 = affine.load %v[%i - 1, %j] : memref<?x?xf64>
        %44 = arith.mulf %42, %43 : f64
        %45 = arith.constant 1.0 : f64
        %46 = arith.constant 2.0 : f64
        %47 = arith.mulf %46, %a : f64
        %48 = arith.addf %45, %47 : f64
        %49 = affine.load %v[%i, %j] : memref<?x?xf64>
        %50 = arith.mulf %48, %49 : f64
        %51 = arith.addf %44, %50 : f64
        %52 = affine.load %v[%i + 1, %j] : memref<?x?xf64>
        %53 = arith.mulf %c, %52 : f64
        %54 = arith.subf %51, %53 : f64
        %55 = affine.load %q[%i, %j - 1] : memref<?x?xf64>
        %56 = arith.mulf %d, %55 : f64
        %57 = arith.subf %54, %56 : f64
        %58 = affine.load %p[%i, %j - 1] : memref<?x?xf64>
        %59 = arith.mulf %d, %58 : f64
        %60 = arith.addf %59, %e : f64
        %61 = arith.divf %57, %60 : f64
        affine.store %61, %q[%i, %j] : memref<?x?xf64>
      }
      %62 = arith.constant 1.0 : f64
      affine.store %62, %u[%i, symbol(%N) - 1] : memref<?x?xf64>
      affine.for %j = 0 to affine_map<()[s0] -> (s0 - 2)>()[%N] {
        %63 = affine.load %p[%i, symbol(%N) - %j - 2] : memref<?x?xf64>
        %64 = affine.load %u[%i, symbol(%N) - %j - 1] : memref<?x?xf64>
        %65 = arith.mulf %63, %64 : f64
        %66 = affine.load %q[%i, symbol(%N) - %j - 2] : memref<?x?xf64>
        %67 = arith.addf %65, %66 : f64
        affine.store %67, %u[%i, symbol(%N) - %j - 2] : memref<?x?xf64>
      }
    }
  }
  return
}

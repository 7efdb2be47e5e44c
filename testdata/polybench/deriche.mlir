// A recursive filter, forwards and backwards along the rows of an image and then along the columns.
func.func @kernel_deriche(%a1: f64, %a2: f64, %a3: f64, %a4: f64, %a5: f64, %a6: f64, %a7: f64, %a8: f64, %b1: f64, %b2: f64, %c1: f64, %c2: f64, %X: memref<?x?xf64>, %Z: memref<?x?xf64>, %F: memref<?x?xf64>, %G: memref<?x?xf64>) {
  %axis0 = arith.constant 0 : index
  %axis1 = arith.constant 1 : index
  %W = memref.dim %X, %axis0 : memref<?x?xf64>
  %H = memref.dim %X, %axis1 : memref<?x?xf64>
  affine.for %i = 0 to %W {
    %y1 = memref.alloca() : memref<f64>
    %0 = arith.constant 0.0 : f64
    affine.store %0, %y1[] : memref<f64>
    %y2 = memref.alloca() : memref<f64>
    %1 = arith.constant 0.0 : f64
    affine.store %1, %y2[] : memref<f64>
    %x1 = memref.alloca() : memref<f64>
    %2 = arith.constant 0.0 : f64
    affine.store %2, %x1[] : memref<f64>
    affine.for %j = 0 to %H {
      %3 = affine.load %X[%i, %j] : memref<?x?xf64>
      %4 = arith.mulf %a1, %3 : f64
      %5 = affine.load %x1[] : memref<f64>
      %6 = arith.mulf %a2, %5 : f64
      %7 = arith.addf %4, %6 : f64
      %8 = affine.load %y1[] : memref<f64>
      %9 = arith.mulf %b1, %8 : f64
      %10 = arith.addf %7, %9 : f64
      %11 = affine.load %y2[] : memref<f64>
      %12 = arith.mulf %b2, %11 : f64
      %13 = arith.addf %10, %12 : f64
      affine.store %13, %F[%i, %j] : memref<?x?xf64>
      %14 = affine.load %X[%i, %j] : memref<?x?xf64>
      affine.store %14, %x1[] : memref<f64>
      %15 = affine.load %y1[] : memref<f64>
      affine.store %15, %y2[] : memref<f64>
      %16 = affine.load %F[%i, %j] : memref<?x?xf64>
      affine.store %16, %y1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %W {
    %y1 = memref.alloca() : memref<f64>
    %17 = arith.constant 0.0 : f64
    affine.store %17, %y1[] : memref<f64>
    %y2 = memref.alloca() : memref<f64>
    %18 = arith.constant 0.0 : f64
    affine.store %18, %y2[] : memref<f64>
    %x1 = memref.alloca() : memref<f64>
    %19 = arith.constant 0.0 : f64
    affine.store %19, %x1[] : memref<f64>
    %x2 = memref.alloca() : memref<f64>
    %20 = arith.constant 0.0 : f64
    affine.store %20, %x2[] : memref<f64>
    affine.for %j = 0 to %H {
      %21 = affine.load %x1[] : memref<f64>
      %22 = arith.mulf %a3, %21 : f64
      %23 = affine.load %x2[] : memref<f64>
      %24 = arith.mulf %a4, %23 : f64
      %25 = arith.addf %22, %24 : f64
      %26 = affine.load %y1[] : memref<f64>
      %27 = arith.mulf %b1, %26 : f64
      %28 = arith.addf %25, %27 : f64
      %29 = affine.load %y2[] : memref<f64>
      %30 = arith.mulf %b2, %29 : f64
      %31 = arith.addf %28, %30 : f64
      affine.store %31, %G[%i, symbol(%H) - %j - 1] : memref<?x?xf64>
      %32 = affine.load %x1[] : memref<f64>
      affine.store %32, %x2[] : memref<f64>
      %33 = affine.load %X[%i, symbol(%H) - %j - 1] : memref<?x?xf64>
      affine.store %33, %x1[] : memref<f64>
      %34 = affine.load %y1[] : memref<f64>
      affine.store %34, %y2[] : memref<f64>
      %35 = affine.load %G[%i, symbol(%H) - %j - 1] : memref<?x?xf64>
      affine.store %35, %y1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %W {
    affine.for %j = 0 to %H {
      %36 = affine.load %F[%i, %j] : memref<?x?xf64>
      %37 = affine.load %G[%i, %j] : memref<?x?xf64>
      %38 = arith.addf %36, %37 : f64
      %39 = arith.mulf %c1, %38 : f64
      affine.store %39, %Z[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %j = 0 to %H {
    %t1 = memref.alloca() : memref<f64>
    %40 = arith.constant 0.0 : f64
    affine.store %40, %t1[] : memref<f64>
    %y1 = memref.alloca() : memref<f64>
    %41 = arith.constant 0.0 : f64
    affine.store %41, %y1[] : memref<f64>
    %y2 = memref.alloca() : memref<f64>
    %42 = arith.constant 0.0 : f64
    affine.store %42, %y2[] : memref<f64>
    affine.for %i = 0 to %W {
      %43 = affine.load %Z[%i, %j] : memref<?x?xf64>
      %44 = arith.mulf %a5, %43 : f64
      %45 = affine.load %t1[] : memref<f64>
      %46 = arith.mulf %a6, %45 : f64
      %47 = arith.addf %44, %46 : f64
      %48 = affine.load %y1[] : memref<f64>
      %49 = arith.mulf %b1, %48 : f64
      %50 = arith.addf %47, %49 : f64
      %51 = affine.load %y2[] : memref<f64>
      %52 = arith.mulf %b2, %51 : f64
      %53 = arith.addf %50, %52 : f64
      affine.store %53, %F[%i, %j] : memref<?x?xf64>
      %54 = affine.load %Z[%i, %j] : memref<?x?xf64>
      affine.store %54, %t1[] : memref<f64>
      %55 = affine.load %y1[] : memref<f64>
      affine.store %55, %y2[] : memref<f64>
      %56 = affine.load %F[%i, %j] : memref<?x?xf64>
      affine.store %56, %y1[] : memref<f64>
    }
  }
  affine.for %j = 0 to %H {
    %t1 = memref.alloca() : memref<f64>
    %57 = arith.constant 0.0 : f64
    affine.store %57, %t1[] : memref<f64>
    %t2 = memref.alloca() : memref<f64>
    %58 = arith.constant 0.0 : f64
    affine.store %58, %t2[] : memref<f64>
    %y1 = memref.alloca() : memref<f64>
    %59 = arith.constant 0.0 : f64
    affine.store %59, %y1[] : memref<f64>
    %y2 = memref.alloca() : memref<f64>
    %60 = arith.constant 0.0 : f64
    affine.store %60, %y2[] : memref<f64>
    affine.for %i = 0 to %W {
      %61 = affine.load %t1[] : memref<f64>
      %62 = arith.mulf %a7, %61 : f64
      %63 = affine.load %t2[] : memref<f64>
      %64 = arith.mulf %a8, %63 : f64
      %65 = arith.addf %62, %64 : f64
      %66 = affine.load %y1[] : memref<f64>
      %67 = arith.mulf %b1, %66 : f64
      %68 = arith.addf %65, %67 : f64
      %69 = affine.load %y2[] : memref<f64>
      %70 = arith.mulf %b2, %69 : f64
      %71 = arith.addf %68, %70 : f64
      affine.store %71, %G[symbol(%W) - %i - 1, %j] : memref<?x?xf64>
      %72 = affine.load %t1[] : memref<f64>
      affine.store %72, %t2[] : memref<f64>
      %73 = affine.load %Z[symbol(%W) - %i - 1, %j] : memref<?x?xf64>
      affine.store %73, %t1[] : memref<f64>
      %74 = affine.load %y1[] : memref<f64>
      affine.store %74, %y2[] : memref<f64>
      %75 = affine.load %G[symbol(%W) - %i - 1, %j] : memref<?x?xf64>
      affine.store %75, %y1[] : memref<f64>
    }
  }
  affine.for %i = 0 to %W {
    affine.for %j = 0 to %H {
      %76 = affine.load %F[%i, %j] : memref<?x?xf64>
      %77 = affine.load %G[%i, %j] : memref<?x?xf64>
      %78 = arith.addf %76, %77 : f64
      %79 = arith.mulf %c2, %78 : f64
      affine.store %79, %Z[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

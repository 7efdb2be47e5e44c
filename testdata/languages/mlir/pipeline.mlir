func.func @f(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<16xf32>) {
  %t = memref.alloc() : memref<16xf32>
  %u = memref.alloc() : memref<16xf32>
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xf32>
    %b = arith.mulf %a, %two : f32
    affine.store %b, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 16 {
    %a = affine.load %t[%i] : memref<16xf32>
    %b = affine.load %B[%i] : memref<16xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %u[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 16 {
    %a = affine.load %u[%i] : memref<16xf32>
    %b = affine.load %t[15 - %i] : memref<16xf32>
    %c = arith.subf %a, %b : f32
    affine.store %c, %C[%i] : memref<16xf32>
  }
  memref.dealloc %t : memref<16xf32>
  memref.dealloc %u : memref<16xf32>
  return
}

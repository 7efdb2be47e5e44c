func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %t: index) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %third = arith.constant 0.25 : f32
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %a = affine.load %A[%i - 1] : memref<?xf32>
      %b = affine.load %A[%i] : memref<?xf32>
      %c = affine.load %A[%i + 1] : memref<?xf32>
      %x = arith.addf %a, %b : f32
      %y = arith.addf %x, %c : f32
      %z = arith.mulf %y, %third : f32
      affine.store %z, %B[%i] : memref<?xf32>
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %a = affine.load %B[%i] : memref<?xf32>
      affine.store %a, %A[%i] : memref<?xf32>
    }
  }
  return
}

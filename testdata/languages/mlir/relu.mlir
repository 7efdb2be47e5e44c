func.func @f(%A: memref<?x?xf32>, %b: memref<?xf32>, %n: index, %m: index) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %x = affine.load %b[%j] : memref<?xf32>
      %s = arith.addf %a, %x : f32
      %p = arith.cmpf ogt, %s, %zero : f32
      %r = arith.select %p, %s, %zero : f32
      affine.store %r, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

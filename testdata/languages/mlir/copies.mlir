func.func @f(%A: memref<8x9xf64>, %B: memref<4x9xf64>, %n: index) {
  %s = memref.subview %A[2, 0] [4, 9] [1, 1] : memref<8x9xf64> to memref<4x9xf64, strided<[9, 1], offset: 18>>
  memref.copy %s, %B : memref<4x9xf64, strided<[9, 1], offset: 18>> to memref<4x9xf64>
  %r = memref.subview %A[%n, 0] [1, 9] [1, 1] : memref<8x9xf64> to memref<9xf64, strided<[1], offset: ?>>
  %two = memref.subview %r[0] [4] [2] : memref<9xf64, strided<[1], offset: ?>> to memref<4xf64, strided<[2], offset: ?>>
  affine.for %i = 0 to 4 {
    %x = affine.load %two[%i] : memref<4xf64, strided<[2], offset: ?>>
    affine.store %x, %B[%i, 3] : memref<4x9xf64>
    affine.store %x, %two[3 - %i] : memref<4xf64, strided<[2], offset: ?>>
  }
  %c = memref.cast %B : memref<4x9xf64> to memref<?x9xf64>
  affine.for %i = 0 to 2 {
    %x = affine.load %c[%i, 8] : memref<?x9xf64>
    affine.store %x, %c[%i + 2, 8] : memref<?x9xf64>
  }
  return
}

func.func @shift(%A: memref<?xi8>, %n: index) {
  %d = arith.constant 3 : i8
  affine.for %i = 0 to %n {
    %x = affine.load %A[%i + 1] : memref<?xi8>
    %y = arith.muli %x, %d : i8
    affine.store %y, %A[%i] : memref<?xi8>
  }
  return
}

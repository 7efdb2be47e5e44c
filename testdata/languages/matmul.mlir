func.func @mm(%A: memref<?x?xi32>, %B: memref<?x?xi32>, %C: memref<?x?xi32>) {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %C, %c0 : memref<?x?xi32>
  %k = memref.dim %A, %c1 : memref<?x?xi32>
  %n = memref.dim %C, %c1 : memref<?x?xi32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.store %z, %C[%i, %j] : memref<?x?xi32>
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xi32>
        %b = affine.load %B[%l, %j] : memref<?x?xi32>
        %c = affine.load %C[%i, %j] : memref<?x?xi32>
        %p = arith.muli %a, %b : i32
        %s = arith.addi %c, %p : i32
        affine.store %s, %C[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

// Lengths of the shortest paths between all pairs of nodes.
func.func @kernel_floyd_warshall(%path: memref<?x?xi32>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %path, %axis0 : memref<?x?xi32>
  affine.for %k = 0 to %N {
    affine.for %i = 0 to %N {
      affine.for %j = 0 to %N {
        %0 = affine.load %path[%i, %j] : memref<?x?xi32>
        %1 = affine.load %path[%i, %k] : memref<?x?xi32>
        %2 = affine.load %path[%k, %j] : memref<?x?xi32>
        %3 = arith.addi %1, %2 : i32
        %4 = arith.minsi %0, %3 : i32
        affine.store %4, %path[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

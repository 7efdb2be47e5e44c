// The most pairs of bases in a folding of each segment of a sequence; two bases match if they add up to 3.
func.func @kernel_nussinov(%seq: memref<?xi32>, %table: memref<?x?xi32>) {
  %axis0 = arith.constant 0 : index
  %N = memref.dim %seq, %axis0 : memref<?xi32>
  affine.for %i = 0 to %N {
    affine.for %j = affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%N] to %N {
      affine.if affine_set<(d0)[] : (d0 - 1 >= 0)>(%j)[] {
        %0 = affine.load %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
        %1 = affine.load %table[symbol(%N) - %i - 1, %j - 1] : memref<?x?xi32>
        %2 = arith.maxsi %0, %1 : i32
        affine.store %2, %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
      }
      affine.if affine_set<(d0)[] : (d0 - 1 >= 0)>(%i)[] {
        %3 = affine.load %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
        %4 = affine.load %table[symbol(%N) - %i, %j] : memref<?x?xi32>
        %5 = arith.maxsi %3, %4 : i32
        affine.store %5, %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
      }
      affine.if affine_set<(d0, d1)[] : (d1 - 1 >= 0, d0 - 1 >= 0)>(%i, %j)[] {
        affine.if affine_set<(d0, d1)[s0] : (d0 + d1 - s0 - 1 >= 0)>(%i, %j)[%N] {
          %6 = affine.load %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
          %7 = affine.load %table[symbol(%N) - %i, %j - 1] : memref<?x?xi32>
          %8 = affine.load %seq[symbol(%N) - %i - 1] : memref<?xi32>
          %9 = affine.load %seq[%j] : memref<?xi32>
          %10 = arith.addi %8, %9 : i32
          %11 = arith.constant 3 : i32
          %12 = arith.cmpi eq, %10, %11 : i32
          %13 = arith.constant 1 : i32
          %14 = arith.constant 0 : i32
          %15 = arith.select %12, %13, %14 : i32
          %16 = arith.addi %7, %15 : i32
          %17 = arith.maxsi %6, %16 : i32
          affine.store %17, %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
        } else {
          %18 = affine.load %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
          %19 = affine.load %table[symbol(%N) - %i, %j - 1] : memref<?x?xi32>
          %20 = arith.maxsi %18, %19 : i32
          affine.store %20, %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
        }
      }
      affine.for %k = affine_map<(d0)[s0] -> (s0 - d0)>(%i)[%N] to affine_map<(d0) -> (d0)>(%j) {
        %21 = affine.load %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
        %22 = affine.load %table[symbol(%N) - %i - 1, %k] : memref<?x?xi32>
        %23 = affine.load %table[%k + 1, %j] : memref<?x?xi32>
        %24 = arith.addi %22, %23 : i32
        %25 = arith.maxsi %21, %24 : i32
        affine.store %25, %table[symbol(%N) - %i - 1, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %b: memref<?xf32>, %d: memref<f32>, %y: memref<?xf32>, %x: f32, %I: memref<4x5xi8>, %J: memref<4x5xi32>) {
  linalg.matmul ins(%A, %B : memref<?x?xf32>, memref<?x?xf32>) outs(%C : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%C, %b : memref<?x?xf32>, memref<?xf32>) outs(%C : memref<?x?xf32>) {
    ^bb0(%c: f32, %v: f32, %o: f32):
    %s = arith.addf %c, %v : f32
    %m = arith.mulf %s, %x : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]} ins(%C : memref<?x?xf32>) outs(%A : memref<?x?xf32>) {
    ^bb0(%c: f32, %o: f32):
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%I : memref<4x5xi8>) outs(%J : memref<4x5xi32>) {
    ^bb0(%c: i8, %o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.addi %i, %j : index
    %l = arith.index_cast %k : index to i32
    %e = arith.extsi %c : i8 to i32
    %s = arith.muli %e, %l : i32
    linalg.yield %s : i32
  }
  linalg.dot ins(%b, %b : memref<?xf32>, memref<?xf32>) outs(%d : memref<f32>)
  linalg.matvec ins(%A, %b : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?xf32>)
  linalg.fill ins(%x : f32) outs(%B : memref<?x?xf32>)
  linalg.copy ins(%C : memref<?x?xf32>) outs(%A : memref<?x?xf32>)
  return
}

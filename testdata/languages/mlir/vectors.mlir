func.func @f(%A: memref<?xf32>, %B: memref<6x10xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant 7.0 : f32
  %v = vector.transfer_read %A[%c0], %pad : memref<?xf32>, vector<8xf32>
  %w = vector.transfer_read %B[%c1, %c1], %pad {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<6x10xf32>, vector<4xf32>
  %m = vector.transfer_read %B[%n, %c0], %pad : memref<6x10xf32>, vector<4x4xf32>
  %s = arith.addf %v, %v : vector<8xf32>
  vector.transfer_write %s, %A[%c0] : vector<8xf32>, memref<?xf32>
  vector.transfer_write %s, %B[%c0, %c1] {in_bounds = [true]} : vector<8xf32>, memref<6x10xf32>
  %half = arith.constant dense<0.5> : vector<4xf32>
  %h = arith.mulf %w, %half : vector<4xf32>
  %x = affine.load %B[3, 3] : memref<6x10xf32>
  %b = vector.broadcast %x : f32 to vector<4xf32>
  %p = arith.cmpf olt, %h, %b : vector<4xf32>
  %q = arith.select %p, %h, %b : vector<4xi1>, vector<4xf32>
  %mb = vector.broadcast %q : vector<4xf32> to vector<4x4xf32>
  %mm = arith.subf %m, %mb : vector<4x4xf32>
  vector.transfer_write %mm, %B[%c1, %c1] : vector<4x4xf32>, memref<6x10xf32>
  %l = affine.vector_load %B[%c1, 2] : memref<6x10xf32>, vector<4xf32>
  affine.vector_store %l, %B[%c1, 3] : memref<6x10xf32>, vector<4xf32>
  return
}

func.func @f(%A: memref<12x12xi32>, %s: memref<12xi32>, %n: index) -> i32 {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 12 {
    %r = affine.for %j = affine_map<(d0) -> (d0)>(%i) to 12 iter_args(%x = %zero) -> (i32) {
      %a = affine.load %A[%i, %j] : memref<12x12xi32>
      %y = arith.addi %x, %a : i32
      affine.yield %y : i32
    }
    affine.store %r, %s[%i] : memref<12xi32>
    affine.for %j = 0 to min affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n] {
      %a = affine.load %A[%i, %j] : memref<12x12xi32>
      %b = arith.muli %a, %r : i32
      affine.store %b, %A[%i, %j] : memref<12x12xi32>
    }
  }
  %last = affine.load %s[11] : memref<12xi32>
  return %last : i32
}

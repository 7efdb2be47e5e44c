func.func @f(%A: memref<?xi16>, %B: memref<?xi16>, %n: i32) -> i16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i16
  %m = arith.index_cast %n : i32 to index
  %d = memref.dim %A, %c0 : memref<?xi16>
  %e = arith.minsi %m, %d : index
  scf.for %i = %c0 to %e step %c2 {
    %j = arith.addi %i, %c1 : index
    %p = arith.cmpi slt, %j, %d : index
    scf.if %p {
      %x = memref.load %A[%j] : memref<?xi16>
      memref.store %x, %A[%i] : memref<?xi16>
    } else {
      memref.store %zero, %A[%i] : memref<?xi16>
    }
    %q = arith.cmpi eq, %i, %c2 : index
    %k = scf.if %q -> (index) {
      scf.yield %c0 : index
    } else {
      scf.yield %i : index
    }
    %y = memref.load %A[%k] : memref<?xi16>
    %r = arith.cmpi ult, %y, %zero : i16
    %s = arith.cmpi sgt, %y, %zero : i16
    %v = scf.if %s -> (i16) {
      %z = memref.load %B[%k] : memref<?xi16>
      scf.yield %z : i16
    } else {
      scf.yield %y : i16
    }
    memref.store %v, %B[%i] : memref<?xi16>
  }
  %sum = scf.for %i = %c0 to %d step %c1 iter_args(%x = %zero) -> (i16) {
    %a = memref.load %A[%i] : memref<?xi16>
    %y = arith.addi %x, %a : i16
    scf.yield %y : i16
  }
  scf.parallel (%i, %j) = (%c0, %c0) to (%d, %c1) step (%c1, %c1) {
    %a = memref.load %B[%i] : memref<?xi16>
    %b = arith.muli %a, %sum : i16
    memref.store %b, %B[%i] : memref<?xi16>
  }
  memref.copy %B, %A : memref<?xi16> to memref<?xi16>
  return %sum : i16
}

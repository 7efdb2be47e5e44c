package mlir_test

import (
	"maps"
	"slices"
	"testing"

	"tv/semantics/loops/looptest"
)

// kernels are functions that operations are tested with.
var kernels = map[string]string{
	"jacobi": `func.func @f(%A: memref<?xf32>, %B: memref<?xf32>, %t: index) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  %third = arith.constant 0.25 : f32
  affine.for %s = 0 to %t {
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %a = affine.load %A[%i - 1] : memref<?xf32>
      %b = affine.load %A[%i] : memref<?xf32>
      %c = affine.load %A[%i + 1] : memref<?xf32>
      %x = arith.addf %a, %b : f32
      %y = arith.addf %x, %c : f32
      %z = arith.mulf %y, %third : f32
      affine.store %z, %B[%i] : memref<?xf32>
    }
    affine.for %i = 1 to affine_map<()[s0] -> (s0 - 1)>()[%n] {
      %a = affine.load %B[%i] : memref<?xf32>
      affine.store %a, %A[%i] : memref<?xf32>
    }
  }
  return
}
`,
	"triangle": `func.func @f(%A: memref<12x12xi32>, %s: memref<12xi32>, %n: index) -> i32 {
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
`,
	"pipeline": `func.func @f(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<16xf32>) {
  %t = memref.alloc() : memref<16xf32>
  %u = memref.alloc() : memref<16xf32>
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to 16 {
    %a = affine.load %A[%i] : memref<16xf32>
    %b = arith.mulf %a, %two : f32
    affine.store %b, %t[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 16 {
    %a = affine.load %t[%i] : memref<16xf32>
    %b = affine.load %B[%i] : memref<16xf32>
    %c = arith.addf %a, %b : f32
    affine.store %c, %u[%i] : memref<16xf32>
  }
  affine.for %i = 0 to 16 {
    %a = affine.load %u[%i] : memref<16xf32>
    %b = affine.load %t[15 - %i] : memref<16xf32>
    %c = arith.subf %a, %b : f32
    affine.store %c, %C[%i] : memref<16xf32>
  }
  memref.dealloc %t : memref<16xf32>
  memref.dealloc %u : memref<16xf32>
  return
}
`,
	"relu": `func.func @f(%A: memref<?x?xf32>, %b: memref<?xf32>, %n: index, %m: index) {
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
`,
	"conv": `func.func @f(%I: memref<1x9x9x2xf32>, %K: memref<3x3x2x4xf32>, %O: memref<1x4x4x4xf32>, %P: memref<1x2x2x4xf32>, %w: memref<3x3xf32>) {
  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%I, %K : memref<1x9x9x2xf32>, memref<3x3x2x4xf32>) outs(%O : memref<1x4x4x4xf32>)
  linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%O, %w : memref<1x4x4x4xf32>, memref<3x3xf32>) outs(%P : memref<1x2x2x4xf32>)
  return
}
`,
	"linalg": `#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %b: memref<?xf32>, %d: memref<f32>, %x: f32, %I: memref<4x5xi8>, %J: memref<4x5xi32>) {
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
  linalg.matvec ins(%A, %b : memref<?x?xf32>, memref<?xf32>) outs(%b : memref<?xf32>)
  linalg.fill ins(%x : f32) outs(%B : memref<?x?xf32>)
  linalg.copy ins(%C : memref<?x?xf32>) outs(%A : memref<?x?xf32>)
  return
}
`,
	"scf": `func.func @f(%A: memref<?xi16>, %B: memref<?xi16>, %n: i32) -> i16 {
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
`,
	"copies": `func.func @f(%A: memref<8x9xf64>, %B: memref<4x9xf64>, %n: index) {
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
`,
	"vectors": `func.func @f(%A: memref<?xf32>, %B: memref<6x10xf32>, %n: index) {
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
`,
	"matmul": `func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %C, %c0 : memref<?x?xf32>
  %m = memref.dim %C, %c1 : memref<?x?xf32>
  %k = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf32>
        %b = affine.load %B[%l, %j] : memref<?x?xf32>
        %c = affine.load %C[%i, %j] : memref<?x?xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}
`,
}

// TestKernels: what compiled code leaves is what the evaluator leaves.
func TestKernels(t *testing.T) {
	if !installed(t) {
		return
	}
	var batch []program
	for _, name := range slices.Sorted(maps.Keys(kernels)) {
		text := kernels[name]
		for seed := range uint64(6) {
			batch = append(batch, program{name: name, text: text, seed: seed, sizes: alike(t, text, seed), mayEnd: true})
		}
	}
	if n := compare(t, "16", batch); n < len(batch)/4 {
		t.Errorf("%d calls come to their end", n)
	}
}

// alike draws sizes, most often one number for all.
func alike(t *testing.T, text string, seed uint64) map[string]int64 {
	sizes := looptest.Sizes(parsed(t, "", text), seed)
	for name := range sizes {
		if seed%3 > 0 {
			sizes[name] = int64(1 + 2*seed%7)
		}
	}
	return sizes
}

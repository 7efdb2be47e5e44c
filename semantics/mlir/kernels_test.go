package mlir_test

import (
	"testing"

	"tv/semantics/loops/looptest"
)

// kernels are functions that operations are tested with.
var kernels = map[string]string{
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
	for name, text := range kernels {
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

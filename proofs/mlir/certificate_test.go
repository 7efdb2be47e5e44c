package mlir_test

import (
	"strings"
	"testing"

	"tv/proofs"
	"tv/proofs/algebra"
	"tv/proofs/mlir"
)

const (
	product = `func.func @f(%A: memref<?x?xi32>, %B: memref<?x?xi32>, %C: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %k = memref.dim %A, %c1 : memref<?x?xi32>
  %n = memref.dim %B, %c1 : memref<?x?xi32>
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
}`
	carried = `func.func @f(%A: memref<?x?xi32>, %B: memref<?x?xi32>, %C: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : memref<?x?xi32>
  %k = memref.dim %A, %c1 : memref<?x?xi32>
  %n = memref.dim %B, %c1 : memref<?x?xi32>
  scf.for %j = %c0 to %n step %c1 {
    scf.for %i = %c0 to %m step %c1 {
      %r = scf.for %l = %c0 to %k step %c1 iter_args(%t = %z) -> (i32) {
        %a = memref.load %A[%i, %l] : memref<?x?xi32>
        %b = memref.load %B[%l, %j] : memref<?x?xi32>
        %p = arith.muli %b, %a : i32
        %s = arith.addi %t, %p : i32
        scf.yield %s : i32
      }
      memref.store %r, %C[%i, %j] : memref<?x?xi32>
    }
  }
  return
}`
	named = `func.func @f(%A: memref<?x?xi32>, %B: memref<?x?xi32>, %C: memref<?x?xi32>) {
  %z = arith.constant 0 : i32
  linalg.fill ins(%z : i32) outs(%C : memref<?x?xi32>)
  linalg.matmul ins(%A, %B : memref<?x?xi32>, memref<?x?xi32>) outs(%C : memref<?x?xi32>)
  return
}`
	double = `func.func @f(%A: memref<16xf32>, %n: index) {
  affine.for %i = 0 to 16 {
    %x = affine.load %A[%i] : memref<16xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %A[%i] : memref<16xf32>
  }
  return
}`
	lanes = `func.func @f(%A: memref<16xf32>, %n: index) {
  %z = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : vector<8xf32>
  affine.for %i = 0 to 16 step 8 {
    %x = vector.transfer_read %A[%i], %z : memref<16xf32>, vector<8xf32>
    %y = arith.mulf %x, %two : vector<8xf32>
    vector.transfer_write %y, %A[%i] : vector<8xf32>, memref<16xf32>
  }
  return
}`
	first = `func.func @f(%A: memref<?xi64>) -> i64 {
  %x = affine.load %A[0] : memref<?xi64>
  %c = arith.constant 5 : i64
  affine.store %c, %A[0] : memref<?xi64>
  return %x : i64
}`
)

// TestCertificates: pairs that need no answers are accepted, and those beside them are not.
func TestCertificates(t *testing.T) {
	for _, test := range []struct {
		name, before, after string
		want                bool
	}{
		{"itself", product, product, true},
		{"carried", product, carried, true},
		{"from another one on", product, strings.Replace(carried, "= %c0 to %k", "= %c1 to %k", 1), false},
		{"one less", product, strings.Replace(product, "0 to %n", "0 to affine_map<()[s0] -> (s0 - 1)>()[%n]", 1), false},
		{"in no order", product,
			strings.Replace(product, "affine.for %i = 0 to %m", "affine.parallel (%i) = (0) to (%m)", 1), true},
		{"not from 0", product, strings.Replace(carried, "constant 0 : i32", "constant 1 : i32", 1), false},
		{"what linalg says", named, product, true},
		{"linalg adds to what is there", strings.Replace(named, "linalg.fill", "// ", 1), product, false},
		{"vectors", double, lanes, true},
		{"vectors of another number", double, strings.Replace(lanes, "dense<2.0>", "dense<3.0>", 1), false},
		{"vectors that are not all", double, strings.Replace(lanes, "step 8", "step 9", 1), false},
		{"what was there before", first, first, true},
		{"what is there behind", first,
			strings.Replace(first, "return %x", "%y = affine.load %A[0] : memref<?xi64>\n  return %y", 1), false},
	} {
		c := &proofs.Checker{Readings: map[string]algebra.Reading{"mlir": mlir.Reading{}}}
		s := proofs.Statement{Before: test.before, After: test.after, Languages: [2]string{"mlir", "mlir"}}
		_, err := c.Check("c", proofs.Format([]proofs.Pair{{Statement: s}}))
		if got := err == nil; got != test.want {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

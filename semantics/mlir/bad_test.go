package mlir_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tv/internal/source"
	"tv/internal/tier"
	"tv/semantics/mlir"
)

// function puts operations into a function.
func function(params string, lines ...string) string {
	return "func.func @f(" + params + ") {\n" + strings.Join(lines, "\n") + "\nreturn\n}\n"
}

// bad are texts that are refused, each with its error.
var bad = []struct{ text, want string }{
	{"func.func @f() { ; }", "1:18: ';' is no character of MLIR [bad-syntax]"},
	{"func.func @f() { \"a }", "1:18: a \" without its other [bad-syntax]"},
	{"func.func @f() { % }", "1:18: a name follows % [bad-syntax]"},
	{"", "1:1: a file without a function [unbound-name]"},
	{"func.func private @f(memref<f32>)", "1:1: a file without a function [unbound-name]"},
	{"func.func @f() { return } func.func @g() { return }", "1:1: which function: f, g? [unbound-name]"},
	{"func.func @f() { return } func.func @f() { return }", "1:27: function f is defined already, at x.mlir:1:1 [redefined-name]"},
	{"memref.global @g : memref<4xf32>", "1:1: memref.global: of what stands outside functions there are modules alone [unsupported-op]"},
	{"func.func @f() { return", "1:16: a { without its } [bad-syntax]"},
	{"func.func @f(%A: memref<4xf32>, %A: f32) { return }", "1:33: %A is defined already, at x.mlir:1:14 [redefined-name]"},
	{"func.func @f(%A: memref<?xf32>, %A.0: memref<4xf32>) { return }", "1:33: A.0 is a parameter already [redefined-name]"},
	{function("%A: memref<4yf32>"), "1:25: x follows an extent [bad-syntax]"},
	{function("%A: memref<*xf32>"), "1:25: memrefs without a rank [unsupported-op]"},
	{function("%A: tensor<4xf32>"), "1:14: elements of type tensor<4xf32> [unsupported-op]"},
	{function("%A: memref<4xi4>"), "1:14: elements of type i4 [unsupported-op]"},
	{function("%A: memref<4x4xf32, strided<[?, 1], offset: ?>>"), "1:14: memref<4x4xf32, strided<[?, 1], offset: ?>>: a memref whose layout is not known [unsupported-op]"},
	{function("%A: memref<4x4xf32, strided<[2, 1]>>"), "1:14: memref<4x4xf32, strided<[2, 1]>>: a memref whose elements perhaps lie in one place [unsupported-op]"},
	{function("%A: memref<4xf32, #map>"), "1:32: #map is not defined [unbound-name]"},
	{function("%A: memref<4xf32, #foo.layout>"), "1:32: #foo.layout: a layout that is not known [unsupported-op]"},
	{function("%A: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>"), "1:14: memref<4xf32, affine_map<(d0) -> (d0 floordiv 2)>>: a memref whose layout is not known [unsupported-op]"},
	{function("%A: vector<4xf32>"), "1:14: a vector as a parameter [unsupported-op]"},
	{function("%A: memref<4xf32>", "%x = memref.load %A[] : memref<4xf32>"), "2:1: 0 subscripts of a memref of rank 1 [type-mismatch]"},
	{function("%A: memref<4xf32>, %n: index", "%x = memref.load %A[%n] : memref<5xf32>"), "2:18: %A is of type memref<4xf32>, not memref<5xf32> [type-mismatch]"},
	{function("%A: memref<4xf32>, %x: f64", "affine.store %x, %A[0] : memref<4xf32>"), "2:14: %x is of type f64, not f32 [type-mismatch]"},
	{function("%x: f32, %y: f64", "%z = arith.addf %x, %y : f32"), "2:21: %y is of type f64, not f32 [type-mismatch]"},
	{function("%x: f32", "%z = arith.addi %x, %x : f32"), "2:1: arith.addi of type f32 [type-mismatch]"},
	{function("%x: i32", "%z = arith.extsi %x : i32 to i16"), "2:1: arith.extsi from i32 to i16 [type-mismatch]"},
	{function("%x: i1", "%z = arith.addi %x, %x : i1"), "2:1: arith.addi of i1 [unsupported-op]"},
	{function("", "%z = arith.constant 300 : i8"), "2:21: 300 is no number of type i8 [type-mismatch]"},
	{function("", "%z = arith.constant 1.0 : i8"), "2:21: 1.0 : i8 is no number of type i8 [type-mismatch]"},
	{function("", "%z = arith.constant dense<[1, 2]> : vector<2xi8>"), "2:21: constants of vectors are splats: dense<0.0> [unsupported-op]"},
	{function("%A: memref<4xf32>, %x: f32", "affine.store %y, %A[0] : memref<4xf32>"), "2:14: %y is not defined; did you mean %A? [unbound-name]"},
	{function("%A: memref<4xf32>, %x: f32", "%x = arith.addf %x, %x : f32"), "2:1: %x is defined already, at x.mlir:1:33 [redefined-name]"},
	{function("%A: memref<4xf32>, %x: f32", "affine.store %x, %A[#m] : memref<4xf32>"), "2:21: an operand of an affine expression, not #m [bad-syntax]"},
	{function("%A: memref<4xf32>", "affine.store %y, %B[%j] : memref<4xf32>", "affine.store %y, %A[%A] : memref<4xf32>", "%A = arith.constant 0 : i32"),
		"2:14: %y is not defined; did you mean %A? [unbound-name]\nx.mlir:2:18: %B is not defined; did you mean %A? [unbound-name]\n" +
			"x.mlir:2:21: %j is not defined; did you mean %A? [unbound-name]\nx.mlir:3:21: %A is of type memref<4xf32>, not index [type-mismatch]\n" +
			"x.mlir:4:1: %A is defined already, at x.mlir:1:14 [redefined-name]"},
	{function("%n: index", "affine.for %i = 0 to #m(%n) {", "}"), "2:22: #m is not defined [unbound-name]"},
	{function("%A: memref<4xf32>", "affine.for %i = 0 to 4 {", "%x = affine.load %A[%i] : memref<4xf32>", "}", "affine.store %x, %A[0] : memref<4xf32>"), "5:14: %x is not defined; did you mean %A? [unbound-name]"},
	{function("%x: f32", "%a:2 = affine.for %i = 0 to 4 iter_args(%b = %x) -> (f32) {", "affine.yield %b : f32", "}"), "2:1: affine.for has 1 results, not 2 [type-mismatch]"},
	{"#m = affine_map<(d0) -> (d1)>\nfunc.func @f() { return }", "1:26: d1 is no name of the map [unbound-name]"},
	{function("%x: f32", "%z = arith.adf %x, %x : f32"), "2:6: arith.adf: the subset of MLIR has none; did you mean arith.addf? [unsupported-op]"},
	{function("%x: f32", "\"foo.bar\"(%x) : (f32) -> ()"), "2:1: foo.bar: the subset of MLIR has none [unsupported-op]"},
	{function("", "async.call @g() : () -> ()"), "2:1: async.call: the subset of MLIR has none; did you mean func.call? [unsupported-op]"},
	{function("", "func.call @g() : () -> ()"), "2:11: there is no function g [unknown-call]"},
	{function("", "func.call @f() : () -> ()"), "2:1: f calls itself [unsupported-op]"},
	{"func.func private @g(f32)\n" + function("", "%x = arith.constant 1.0 : f32\ncall @g(%x) : (f32) -> ()"), "4:6: g has no body [unknown-call]"},
	{function("", "^bb0:", "cf.br ^bb0"), "3:1: cf.br: the subset of MLIR has none [unsupported-op]"},
	{function("%x: f32", "%z = arith.addf %x, %x fastmath<reassoc> : f32"), "2:24: fastmath<reassoc>: floats are rounded operation by operation, or are reals [unsupported-op]"},
	{function("%x: i32", "%z = arith.addi %x, %x overflow<nuw> : i32"), "2:24: overflow<nuw> of data [unsupported-op]"},
	{function("%x: f32", "%z = arith.remf %x, %x : f32"), "2:6: arith.remf: the subset of MLIR has none; did you mean arith.negf? [unsupported-op]"},
	{function("%n: index", "affine.for %i = 0 to %n step 0 {", "}"), "2:1: a step below 1 [unsupported-op]"},
	{function("%n: index", "affine.for %i = 0 to affine_map<(d0) -> (d0, 4)>(%n) {", "}"), "2:22: a bound of 2 values is min of a map [bad-syntax]"},
	{function("%A: memref<4xf32>", "memref.dealloc %A : memref<4xf32>"), "2:1: %A is freed where it was not allocated [unsupported-op]"},
	{function("%x: f32", "%A = memref.alloc() : memref<4xf32>", "memref.dealloc %A : memref<4xf32>", "affine.store %x, %A[0] : memref<4xf32>"), "4:18: %A is freed, at x.mlir:3:1 [unsupported-op]"},
	{function("%n: index", "%A = memref.alloc(%n, %n) : memref<?xf32>"), "2:1: memref<?xf32> has fewer dynamic extents than the operation says [type-mismatch]"},
	{function("%A: memref<4xf32>", "memref.copy %A, %A : memref<4xf32> to memref<4xf32>"), "2:1: a copy within one memref [unsupported-op]"},
	{function("%A: memref<4xf32>", "%B = memref.subview %A[0] [2] [1] : memref<4xf32> to memref<3xf32>"), "2:1: the sizes of the part are not those of memref<3xf32> [type-mismatch]"},
	{function("%A: memref<4xf32>", "%B = memref.cast %A : memref<4xf32> to memref<5xf32>"), "2:1: extents of axis 0 are 4 and 5 [type-mismatch]"},
	{"func.func @f(%x: f32) -> (f32, f32) {\nreturn %x, %x : f32, f32\n}", "2:1: a function returns one number or nothing [unsupported-op]"},
	{"func.func @f(%A: memref<4xf32>) -> memref<4xf32> {\nreturn %A : memref<4xf32>\n}", "2:1: a function returns one number or nothing [unsupported-op]"},
	{"func.func @f(%x: f32) -> f32 {\nreturn\n}", "2:1: f returns 1 values, not 0 [type-mismatch]"},
	{"func.func @f(%x: f32) {\n}", "1:1: a function ends in a return [bad-syntax]"},
	{function("%A: memref<?xf32>, %B: memref<4x4xf32>", "linalg.matmul ins(%A, %B : memref<?xf32>, memref<4x4xf32>) outs(%B : memref<4x4xf32>)"), "2:19: linalg.matmul of a memref of rank 1, not 2 [type-mismatch]"},
	{function("%A: memref<4x4xf32>", "linalg.matmul ins(%A, %A : memref<4x4xf32>, memref<4x4xf32>) outs(%A : memref<4x4xf32>)"),
		"2:19: %A is read and written at different places by iterations in any order [unsupported-op]"},
	{function("%A: memref<4xf32>, %b: memref<f32>", "linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], "+
		"iterator_types = [\"parallel\"]} ins(%A : memref<4xf32>) outs(%b : memref<f32>) {", "^bb0(%x: f32, %y: f32):", "linalg.yield %x : f32", "}"),
		"2:145: %b is written at the same place for each value of dim 0 [unsupported-op]"},
	{function("%x: f64", "%y = \"arith.truncf\"(%x) {roundingmode = 1 : i32} : (f64) -> f32"), "2:41: attribute roundingmode of arith.truncf [unsupported-op]"},
	{function("%A: memref<?xindex>, %x: index", "%i = memref.load %A[%x] : memref<?xindex>", "memref.store %x, %A[%i] : memref<?xindex>"), "3:21: %i is data: it cannot be in a subscript, a bound or an extent [not-static-control]"},
	{function("%A: memref<?xi32>, %x: i32", "%c0 = arith.constant 0 : index", "%k = memref.load %A[%c0] : memref<?xi32>", "%i = arith.index_cast %k : i32 to index", "memref.store %x, %A[%i] : memref<?xi32>"), "5:21: %i is data: it cannot be in a subscript, a bound or an extent [not-static-control]"},
	{function("%A: memref<?xindex>", "%n = affine.load %A[0] : memref<?xindex>", "affine.for %i = 0 to %n {", "}"), "3:22: %n is data: it cannot be in a subscript, a bound or an extent [not-static-control]"},
	{function("%A: memref<?xf32>, %n: index, %x: f32", "affine.for %i = 0 to %n {", "affine.for %j = 0 to %n {", "affine.store %x, %A[%i * %j] : memref<?xf32>", "}", "}"), "4:21: %i * %j: a product of two counters [not-affine]"},
	{function("%A: memref<?xf32>, %n: index, %x: f32", "affine.for %i = 1 to %n {", "affine.store %x, %A[%n floordiv %i] : memref<?xf32>", "}"), "3:21: %n floordiv %i: a division by a counter [not-affine]"},
	{function("%A: memref<?xf32>, %x: f32", "affine.store %x, %A[5 mod 0] : memref<?xf32>"), "2:21: 5 mod 0: in a map a divisor is above 0 [unsupported-op]"},
	{function("%A: memref<?xf32>, %x: f32", "affine.store %x, %A[5 mod -2] : memref<?xf32>"), "2:21: 5 mod -2: in a map a divisor is above 0 [unsupported-op]"},
	{function("%A: memref<?xf32>, %n: index, %x: f32", "%k = arith.andi %n, %n : index", "memref.store %x, %A[%k] : memref<?xf32>"), "2:1: %k = arith.andi %n, %n : index: of sizes and counters there are sums, products with sizes and quotients [not-affine]"},
	{function("%A: memref<4xf32>, %x: f32", "%p = arith.cmpf olt, %x, %x : f32", "scf.if %p {", "affine.for %i = 0 to 4 {", "affine.store %x, %A[%i] : memref<4xf32>", "}", "}"), "3:8: %p is data: loops and memrefs do not depend on it [not-static-control]"},
	{function("%x: f32, %n: index", "%r = scf.for %i = %n to %n step %n iter_args(%k = %n) -> (index) {", "%A = memref.alloc(%k) : memref<?xf32>", "scf.yield %k : index", "}"), "3:19: %k is data: it cannot be in a subscript, a bound or an extent [not-static-control]"},
	{function("%A: memref<4xf32>, %n: index", "%d = memref.dim %A, %n : memref<4xf32>"), "2:21: %n: an axis of the memref is a number below 1 [not-static-control]"},
}

func TestBad(t *testing.T) {
	for _, test := range bad {
		_, err := mlir.Parse(source.NewFile("x.mlir", test.text), "")
		if err == nil {
			t.Errorf("%s\nis read, want %s", test.text, test.want)
		} else if want := "x.mlir:" + test.want; err.Error() != want {
			t.Errorf("%s\n  %s\nwant\n  %s", test.text, err, want)
		}
	}
}

// TestLarge: what is large is read or refused at its place, in time that grows as the text does.
func TestLarge(t *testing.T) {
	size, words := tier.Pick(1<<20, 10<<20), tier.Pick(1<<18, 1<<20-100)
	line := "affine.store %x, %A[%i] : memref<?xf32>\n"
	sum := "%s0 = arith.addf %x, %x : f32\n"
	index := "%k0 = arith.addi %n, %n : index\n"
	for k := range 2000 {
		sum += fmt.Sprintf("%%s%d = arith.addf %%s%d, %%s%d : f32\n", k+1, k, k)
		index += fmt.Sprintf("%%k%d = arith.muli %%k%d, %%k%d : index\n", k+1, k, k)
	}
	nest := func(depth int) string {
		out := ""
		for k := range depth {
			out += fmt.Sprintf("affine.for %%i%d = 0 to 4 {\n", k)
		}
		return out + "affine.store %x, %A[%i0] : memref<?xf32>\n" + strings.Repeat("}\n", depth)
	}
	params := "%A: memref<?xf32>, %n: index, %x: f32"
	for _, test := range []struct{ name, text, want string }{
		{"lines", function(params, "affine.for %i = 0 to %n {", strings.Repeat(line, words/13), "}"), ""},
		{"more lines", function(params, "affine.for %i = 0 to %n {", strings.Repeat(line, 10<<20/len(line)), "}"), "too-large"},
		{"one line", strings.Repeat("(", words), "a function, not ("},
		{"braces", "func.func @f() " + strings.Repeat("{", words), "without its"},
		{"more braces", "func.func @f() " + strings.Repeat("{", 1<<20), "too-large"},
		{"comment", "//" + strings.Repeat("a", size), "without a function"},
		{"text", "module attributes {a = \"" + strings.Repeat("a", size), "without its other"},
		{"doubled", function(params, sum, "affine.store %s2000, %A[0] : memref<?xf32>"), ""},
		{"squared", function(params, index, "memref.store %x, %A[%k2000] : memref<?xf32>"), "too-large"},
		{"nest", function(params, nest(100)), ""},
		{"deep", function(params, nest(1000)), "nest at most"},
		{"parentheses", function(params, "affine.store %x, %A["+strings.Repeat("(", 100000)+"0"+strings.Repeat(")", 100000)+"] : memref<?xf32>"), "nest at most"},
		{"types", "func.func @f(%A: " + strings.Repeat("memref<2x", 100000), "nest at most"},
		{"map", function(params, "affine.store %x, %A[%n"+strings.Repeat(" + %n", 100000)+"] : memref<?xf32>"), "too-large"},
		{"sizes", function("%A: memref<4611686018427387904x4611686018427387904xf32>, %x: f32",
			"affine.store %x, %A[4611686018427387903, 4611686018427387904] : memref<4611686018427387904x4611686018427387904xf32>"), ""},
		{"number", function("%A: memref<4x9223372036854775808xf32>"), "too-large"},
		{"factor", function(params, "affine.store %x, %A[%n * 9223372036854775808] : memref<?xf32>"), "too-large"},
		{"overflow", function(params, "affine.store %x, %A[%n * 9223372036854775807 * 9223372036854775807] : memref<?xf32>"), ""},
		{"constants", function(params, "affine.store %x, %A[9223372036854775807 + 9223372036854775807] : memref<?xf32>"), ""},
	} {
		start := time.Now()
		_, err := mlir.Parse(source.NewFile("x.mlir", test.text), "")
		if err == nil && test.want != "" || err != nil && (test.want == "" || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %.300v, want %q", test.name, err, test.want)
		}
		t.Log(test.name, time.Since(start))
	}
}

package mlir_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tv/internal/source"
	"tv/semantics/loops"
	"tv/semantics/loops/run"
	"tv/semantics/mlir"
	"tv/semantics/value"
)

// TestEnds: the call ends where an operation is executed that has no meaning, whether its value is used or not, and nowhere
// else.
func TestEnds(t *testing.T) {
	const params = "%A: memref<?xi32>, %n: index, %x: i32"
	zero, one := "%z = arith.constant 0 : i32", "%one = arith.constant 1 : index"
	for _, test := range []struct {
		params string
		lines  []string
		sizes  map[string]int64
		want   string
	}{
		{params, []string{"%y = affine.load %A[%n] : memref<?xi32>"}, map[string]int64{"A.0": 3, "n": 3}, "bounds: A[3] where axis 0 has 3 elements"},
		{params, []string{"affine.for %i = 0 to 0 {", "%y = affine.load %A[%n] : memref<?xi32>", "}"}, map[string]int64{"A.0": 3, "n": 3}, ""},
		{params, []string{"%y = affine.load %A[%n] : memref<?xi32>", "affine.for %i = 0 to 0 {", "affine.store %y, %A[0] : memref<?xi32>", "}"},
			map[string]int64{"A.0": 3, "n": 3}, "bounds: A[3]"},
		{params, []string{"%y = affine.load %A[%n] : memref<?xi32>", "%p = arith.cmpi eq, %x, %x : i32", "%s = arith.select %p, %x, %y : i32",
			"affine.store %s, %A[0] : memref<?xi32>"}, map[string]int64{"A.0": 3, "n": 3}, "bounds: A[3]"},
		{params, []string{"%p = arith.cmpi eq, %x, %x : i32", "scf.if %p {", "} else {", "%y = affine.load %A[%n] : memref<?xi32>",
			"affine.store %y, %A[0] : memref<?xi32>", "}"}, map[string]int64{"A.0": 3, "n": 3}, ""},
		{params, []string{zero, "%y = arith.divsi %x, %z : i32"}, map[string]int64{"A.0": 3, "n": 3}, "value: "},
		{params, []string{zero, "%y = arith.remui %x, %z : i32", "affine.for %i = 0 to 0 {", "affine.store %y, %A[0] : memref<?xi32>", "}"},
			map[string]int64{"A.0": 3, "n": 3}, "value: "},
		{params, []string{"%y = arith.shli %x, %w : i32", "affine.store %y, %A[0] : memref<?xi32>"}, map[string]int64{"A.0": 3, "n": 3}, "value: "},
		{params, []string{"%l = memref.alloc() : memref<4xi32>", "%y = affine.load %l[1] : memref<4xi32>", "affine.store %y, %A[0] : memref<?xi32>"},
			map[string]int64{"A.0": 3, "n": 3}, "initialised: l[1] is read and was not written"},
		{params, []string{"%l = memref.alloc(%n) : memref<?xi32>", "affine.store %x, %l[%n - 1] : memref<?xi32>", "affine.store %x, %l[%n] : memref<?xi32>"},
			map[string]int64{"A.0": 3, "n": 3}, "bounds: l[3]"},
		{"%A: memref<8xi32>, %n: index, %x: i32", []string{"%s = memref.subview %A[2] [%n] [1] : memref<8xi32> to memref<?xi32, strided<[1], offset: 2>>",
			"affine.store %x, %s[3] : memref<?xi32, strided<[1], offset: 2>>"}, map[string]int64{"n": 3}, "bounds: axis 0 of the part"},
		{"%A: memref<8xi32>, %n: index, %x: i32", []string{"%s = memref.subview %A[2] [%n] [1] : memref<8xi32> to memref<?xi32, strided<[1], offset: 2>>",
			"affine.store %x, %s[3] : memref<?xi32, strided<[1], offset: 2>>"}, map[string]int64{"n": 4}, ""},
		{params, []string{"%c = memref.cast %A : memref<?xi32> to memref<4xi32>", "affine.store %x, %c[0] : memref<4xi32>"},
			map[string]int64{"A.0": 3, "n": 3}, "bounds: extents of axis 0"},
		{params, []string{"%d = arith.constant 3 : index", "%s = arith.subi %n, %d : index", "scf.for %i = %s to %n step %s {", "}"},
			map[string]int64{"A.0": 3, "n": 3}, "termination: the step %s is above 0"},
		{"%A: memref<?xi32>, %n: i8, %x: i32", []string{"%t = arith.constant 100 : i8", "%m = arith.addi %n, %t : i8", "%i = arith.index_cast %m : i8 to index",
			"memref.store %x, %A[%i] : memref<?xi32>"}, map[string]int64{"A.0": 200, "n": 28}, "index: %m = arith.addi %n, %t : i8 in 8 bits"},
		{"%A: memref<?xi32>, %n: i8, %x: i32", []string{"affine.for %i = 0 to 0 {", "%t = arith.constant 100 : i8", "%m = arith.addi %n, %t : i8",
			"%k = arith.index_cast %m : i8 to index", "memref.store %x, %A[%k] : memref<?xi32>", "}"}, map[string]int64{"A.0": 200, "n": 28}, ""},
		{params, []string{one, "%m = arith.subi %one, %n : index", "%i = arith.divui %m, %n : index", "memref.store %x, %A[%i] : memref<?xi32>"},
			map[string]int64{"A.0": 3, "n": 3}, "index: "},
		{params, []string{"affine.parallel (%i) = (0) to (%n) {", "affine.store %x, %A[0] : memref<?xi32>", "}"}, map[string]int64{"A.0": 3, "n": 3},
			"parallel: "},
		{params, []string{"affine.parallel (%i) = (0) to (%n) {", "%l = memref.alloc() : memref<i32>", "affine.store %x, %l[] : memref<i32>",
			"%y = affine.load %l[] : memref<i32>", "affine.store %y, %A[%i] : memref<?xi32>", "}"}, map[string]int64{"A.0": 3, "n": 3}, ""},
		{params, []string{"affine.for %i = 0 to %n {", "affine.store %x, %A[%i mod 2] : memref<?xi32>", "affine.store %x, %A[(%i - 3) mod 2] : memref<?xi32>",
			"affine.store %x, %A[(%i - 3) floordiv 4 + 1] : memref<?xi32>", "}"}, map[string]int64{"A.0": 2, "n": 6}, ""},
		{params, []string{"%f = arith.constant 3.0e+10 : f32", "%y = arith.fptosi %f : f32 to i32", "affine.store %y, %A[0] : memref<?xi32>"},
			map[string]int64{"A.0": 3, "n": 3}, "value: "},
	} {
		if strings.Contains(strings.Join(test.lines, ""), "%w") {
			test.lines = append([]string{"%w = arith.constant 32 : i32"}, test.lines...)
		}
		text := function(test.params, test.lines...)
		if got := ending(t, text, test.sizes); !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s at %v: %q, want %q", text, test.sizes, got, test.want)
		}
	}
}

// ending runs a function and returns why its call ends, if it does.
func ending(t *testing.T, text string, sizes map[string]int64) string {
	t.Helper()
	p, err := mlir.Parse(source.NewFile("x.mlir", text), "")
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	r, err := run.New(p, run.Options{Arith: value.Exact, Sizes: sizes,
		Input: func(b *loops.Buffer, _ int64) value.Value { return value.BitsValue(0, b.Elem) }})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var ended *run.Ended
	if err := r.Do(context.Background()); errors.As(err, &ended) {
		return string(ended.Obligation) + ": " + ended.Message
	} else if err != nil {
		return err.Error()
	}
	return ""
}

// TestForms: assignments hold what they read where nothing is written in between; else a local holds it.
func TestForms(t *testing.T) {
	const params = "%A: memref<?xf32>, %B: memref<?xf32>, %x: f32"
	for _, test := range []struct {
		lines []string
		want  string
	}{
		{[]string{"%a = affine.load %A[0] : memref<?xf32>", "%b = affine.load %B[1] : memref<?xf32>", "%s = arith.addf %a, %b : f32",
			"affine.store %s, %A[0] : memref<?xf32>"}, "A[0] = A[0] +.float32 B[1]"},
		{[]string{"%a = affine.load %A[0] : memref<?xf32>", "affine.store %x, %A[1] : memref<?xf32>", "affine.store %a, %A[2] : memref<?xf32>"},
			"local float32 a\na = A[0]\nA[1] = x\nA[2] = a"},
		{[]string{"%a = affine.load %A[0] : memref<?xf32>", "affine.store %x, %B[1] : memref<?xf32>", "affine.store %a, %A[2] : memref<?xf32>"},
			"B[1] = x\nA[2] = A[0]"},
		{[]string{"%a = affine.load %A[0] : memref<?xf32>", "affine.for %i = 0 to 2 {", "affine.store %x, %A[%i] : memref<?xf32>", "}",
			"affine.store %a, %A[2] : memref<?xf32>"}, "local float32 a\na = A[0]\nfor i = 0; i < 2 {\nA[i] = x\n}\nA[2] = a"},
		{[]string{"%a = affine.load %A[0] : memref<?xf32>", "affine.for %i = 0 to 2 {", "affine.store %a, %B[%i] : memref<?xf32>", "}"},
			"local float32 a\na = A[0]\nfor i = 0; i < 2 {\nB[i] = a\n}"},
		{[]string{"%a = affine.load %A[0] : memref<?xf32>", "%b = arith.mulf %a, %a : f32", "affine.store %b, %A[1] : memref<?xf32>",
			"affine.store %b, %A[2] : memref<?xf32>"}, "local float32 b\nb = A[0] *.float32 A[0]\nA[1] = b\nA[2] = b"},
		{[]string{"%a = affine.load %A[0] : memref<?xf32>", "%b = affine.load %A[1] : memref<?xf32>", "%p = arith.cmpf ogt, %a, %b : f32",
			"%m = arith.select %p, %a, %b : f32", "affine.store %m, %A[2] : memref<?xf32>"}, "A[2] = A[1] <.float32 A[0] ? A[0] : A[1]"},
		{[]string{"%c = memref.alloc() : memref<f32>", "affine.store %x, %c[] : memref<f32>", "%a = affine.load %c[] : memref<f32>",
			"memref.dealloc %c : memref<f32>", "affine.store %a, %A[2] : memref<?xf32>"}, "local float32 c\nc = x\nlocal float32 a\na = c\nA[2] = a"},
		{[]string{"%r:2 = affine.for %i = 0 to 3 iter_args(%p = %x, %q = %x) -> (f32, f32) {", "affine.yield %q, %p : f32, f32", "}",
			"affine.store %r#1, %A[0] : memref<?xf32>"},
			"local float32 p\nlocal float32 q\np = x\nq = x\nfor i = 0; i < 3 {\nlocal float32 p.2\np.2 = p\np = q\nq = p.2\n}\nA[0] = q"},
	} {
		text := loops.Format(parsed(t, "x.mlir", function(params, test.lines...)))
		lines := strings.Split(strings.TrimSpace(text), "\n")
		for k := range lines {
			lines[k] = strings.TrimSpace(lines[k])
		}
		if got := strings.Join(lines[1:len(lines)-1], "\n"); got != test.want {
			t.Errorf("%s\nis\n%s\nwant\n%s", strings.Join(test.lines, "\n"), got, test.want)
		}
	}
}

// TestBits: numbers that are written as their bits, and old names of operations.
func TestBits(t *testing.T) {
	text := "func @f(%A: memref<4xf32>, %d: memref<2xf64>) {\n%a = constant 0x7FC00000 : f32\n%b = arith.constant 0xFF800000 : f32\n" +
		"%c = constant 0x40490FDB : f32\n%e = arith.constant -0.0 : f64\n%g = addf %a, %b : f32\naffine.store %g, %A[0] : memref<4xf32>\n" +
		"%c1 = constant 1 : index\nstore %c, %A[%c1] : memref<4xf32>\naffine.store %e, %d[0] : memref<2xf64>\nreturn\n}\n"
	want := "procedure f(float32 A[4], float64 d[2]) {\n  A[0] = nan:float32 +.float32 -inf:float32\n  A[1] = 31415927/10000000:float32\n" +
		"  d[0] = -0:float64\n}\n"
	if got := loops.Format(parsed(t, "x.mlir", text)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

package rise_test

import (
	"fmt"
	"strings"
	"testing"

	"tv/semantics/domain"
)

// onNumbers is a function that maps an operation of numbers over four of a type.
func onNumbers(from, to, body string) string {
	return fmt.Sprintf(`func.func @f(%%out: memref<4x%[2]s>, %%x: memref<4x%[1]s>, %%b: memref<%[1]s>) {
  %%in = rise.in %%x : !rise.array<4, scalar<%[1]s>>
  %%at = rise.in %%b : !rise.scalar<%[1]s>
  %%map = rise.map #rise.nat<4> #rise.scalar<%[1]s> #rise.scalar<%[2]s>
  %%f = rise.lambda (%%v : !rise.scalar<%[1]s>) -> !rise.scalar<%[2]s> {
    %%r = rise.embed(%%v, %%at) {
      %[3]s
      rise.return %%y : %[2]s
    } : !rise.scalar<%[2]s>
    rise.return %%r : !rise.scalar<%[2]s>
  }
  %%ys = rise.apply %%map, %%f, %%in
  rise.out %%out <- %%ys
  return
}
`, from, to, strings.ReplaceAll(body, "; ", "\n      "))
}

// TestNumbers: operations on numbers, and what they are in the notation of papers.
func TestNumbers(t *testing.T) {
	for _, test := range []struct{ from, to, body, paper, code string }{
		{"i32", "i32", "%y = arith.subi %v, %at : i32", "v - b", ""},
		{"i32", "i32", "%y = arith.subi %at, %v : i32", "v - b", other},
		{"i32", "i32", "%y = minsi %v, %at : i32", "min(v, b)", ""},
		{"i32", "i32", "%y = arith.maxsi %v, %at : i32", "min(v, b)", other},
		{"i32", "i32", "%y = arith.maxui %v, %at : i32", "max(v, b)", other},
		{"i32", "i32", "%k = constant -3 : i32; %y = arith.muli %v, %k : i32", "v * (0 - 3)", ""},
		{"i32", "i32", "%y = arith.constant 7 : i32", "7 + 0 * v", ""},
		{"i32", "i32", "%c = arith.cmpi slt, %v, %at : i32; %y = arith.select %c, %v, %at : i32", "min(v, b)", ""},
		{"i32", "i32", "%c = arith.cmpi sge, %v, %at : i32; %y = arith.select %c, %v, %at : i32", "max(v, b)", ""},
		{"i32", "i32", "%c = arith.cmpi sge, %v, %at : i32; %y = arith.select %c, %at, %v : i32", "max(v, b)", other},
		{"i32", "i32", "%c = cmpi \"sle\", %v, %at : i32; %y = select %c, %at, %v : i32", "select(v <= b, b, v)", ""},
		{"i32", "i32", "%c = arith.cmpi eq, %v, %at : i32; %y = arith.select %c, %at, %v : i32", "select(v == b, b, v)", ""},
		{"i32", "i32", "%c = arith.cmpi ne, %v, %at : i32; %y = arith.select %c, %at, %v : i32", "select(v == b, v, b)", ""},
		{"i32", "i32", "%c = arith.cmpi ne, %v, %at : i32; %y = arith.select %c, %at, %v : i32", "select(v == b, b, v)", other},
		{"i32", "i32", "%c = arith.cmpi ult, %v, %at : i32; %y = arith.select %c, %v, %at : i32", "select(v < b, v, b)", other},
		{"i8", "i32", "%y = arith.extsi %v : i8 to i32", "cast(i32)(v)", ""},
		{"i8", "i32", "%y = arith.extui %v : i8 to i32", "cast(i32)(v)", other},
		{"i32", "i8", "%y = arith.trunci %v : i32 to i8", "cast(i8)(v)", ""},
		{"f32", "f32", "%s = addf %v, %at : f32; %y = arith.mulf %s, %s : f32", "(v + b) * (b + v)", ""},
		{"f32", "f32", "%y = arith.divf %v, %at : f32", "v / b", ""},
		{"f32", "f32", "%y = arith.divf %at, %v : f32", "v / b", other},
		{"f32", "f32", "%y = arith.negf %v : f32", "0 - v", ""},
		{"f32", "f32", "%y = arith.maximumf %v, %at : f32", "max(b, v)", ""},
		{"f32", "f32", "%y = arith.minnumf %v, %at : f32", "max(b, v)", other},
		{"f32", "f32", "%c = arith.cmpf olt, %v, %at : f32; %y = arith.select %c, %v, %at : f32", "min(b, v)", ""},
		{"f32", "f32", "%c = arith.cmpf uge, %v, %at : f32; %y = arith.select %c, %v, %at : f32", "max(b, v)", ""},
		{"f32", "f32", "%c = arith.cmpf ogt, %v, %at : f32; %y = arith.select %c, %at, %v : f32", "max(b, v)", other},
		{"f32", "f64", "%y = arith.extf %v : f32 to f64", "cast(f64)(v)", ""},

		{"i32", "i32", "%y = arith.divsi %v, %at : i32", "v", ill},
		{"i32", "i32", "%y = arith.addf %v, %at : i32", "v", ill},
		{"i32", "i32", "%y = arith.maxi %v, %at : i32", "v", ill},
		{"i32", "i32", "%y = arith.maximumsi %v, %at : i32", "v", ill},
		{"i32", "i32", "%y = arith.addi %v, %at : i64", "v", ill},
		{"i32", "i32", "%y = arith.addi %in, %at : i32", "v", ill},
		{"i32", "i32", "%y = arith.addi %v, %in : i32", "v", ill},
		{"i32", "i32", "%y = rise.literal #rise.lit<1, scalar<i32>>", "1 + 0 * v", ill},
		{"i32", "i32", "%y = arith.constant 4294967296 : i32", "0 * v", ill},
		{"i32", "i32", "%y = arith.constant 1.5 : i32", "1 + 0 * v", ill},
		{"f32", "f32", "%y = arith.constant 1 : f32", "1 + 0 * v", ill},
		{"f32", "f32", "%y = arith.addf %v, %at fastmath<fast> : f32", "v + b", ill},
		{"f32", "f32", "%y = arith.maxsi %v, %at : f32", "max(v, b)", ill},
		{"i8", "i32", "%y = arith.trunci %v : i8 to i32", "cast(i32)(v)", ill},
		{"i32", "i32", "%c = arith.cmpf olt, %v, %at : i32; %y = arith.select %c, %v, %at : i32", "min(v, b)", ill},
		{"i32", "i32", "%c = arith.cmpi lt, %v, %at : i32; %y = arith.select %c, %v, %at : i32", "min(v, b)", ill},
		{"i32", "i32", "%y = arith.select %v, %v, %at : i32", "v", ill},
	} {
		paper := fmt.Sprintf("fun((x: 4.%s, b: %[1]s), x |> map(fun(v, %s)))", test.from, test.paper)
		if got := code(t, domain.Auto, onNumbers(test.from, test.to, test.body), paper); got != test.code {
			t.Errorf("%s of %s => %s: %q, want %q", test.body, test.from, test.paper, got, test.code)
		}
	}
}

// sums is a function of all kinds of operations, that lines are exchanged in.
const sums = `func.func @sums(%out: memref<2xi32>, %in: memref<6xi32>, %k: i32) {
  rise.lowering_unit {
    %x = rise.in %in : !rise.array<6, scalar<i32>>
    %split = rise.split #rise.nat<3> #rise.nat<2> #rise.scalar<i32>
    %rows = rise.apply %split, %x
    %sum = rise.lambda (%row : !rise.array<3, scalar<i32>>) -> !rise.scalar<i32> {
      %add = rise.lambda (%v : !rise.scalar<i32>, %acc : !rise.scalar<i32>) -> !rise.scalar<i32> {
        %s = rise.embed(%v, %acc) {
          %p = arith.muli %acc, %k : i32
          %t = arith.addi %p, %v : i32
          rise.return %t : i32
        } : !rise.scalar<i32>
        rise.return %s : !rise.scalar<i32>
      }
      %zero = rise.literal #rise.lit<0, scalar<i32>>
      %reduce = rise.reduceSeq {to = "loop"} #rise.nat<3> #rise.scalar<i32> #rise.scalar<i32>
      %r = rise.apply %reduce, %add, %zero, %row
      rise.return %r : !rise.scalar<i32>
    }
    %map = rise.mapSeq #rise.nat<2> #rise.array<3, scalar<i32>> #rise.scalar<i32>
    %sums = rise.apply %map, %sum, %rows
    rise.out %out <- %sums
  }
  return
}
`

// TestOperationsRefused: what does not agree is not read, and what is written otherwise is.
func TestOperationsRefused(t *testing.T) {
	const in, row = "%x = rise.in %in : !rise.array<6, scalar<i32>>", "(%row : !rise.array<3, scalar<i32>>) -> !rise.scalar<i32> {"
	for _, test := range []struct{ old, with, code string }{
		{"", "", ""},
		{in, "%x = rise.in %in", ""},
		{in, "%x = in %in", ""},
		{in, `%x = "rise.in"(%in) : (memref<6xi32>) -> !rise.array<6, scalar<i32>>`, ""},
		{in, "%x = rise.in %in : !rise.array<6, data<scalar<i32>>>", ""},
		{row, "(%row) -> scalar<i32> {", ""},
		{row, "(%row) : !rise.fun<array<3, scalar<i32>> -> scalar<i32>> {", ""},
		{"#rise.lit<0, scalar<i32>>", "#rise.lit<0>", ""},
		{"#rise.nat<2> #rise.array<3, scalar<i32>> #rise.scalar<i32>", "{n = #rise.nat<2>, s = #rise.array<3, scalar<i32>>, t = #rise.scalar<i32>}", ""},
		{"%map, %sum, %rows", "%map, %sum, %rows : !rise.array<2, scalar<i32>>", ""},
		{"  }\n  return", "    rise.return\n  }\n  return", ""},
		{"func.func @sums", "module { func @other() { return }\nfunc @sums", "unsupported-op"},
		{"func.func @sums", "module @m attributes {a} { func @other() { return }\nfunc @sums", ""},
		{"func.func @sums", "func private @other(memref<?xf32>) -> (i32)\nfunc @sums", ""},
		{"func.func @sums", "func @other(%a: memref<?xf32>) -> i32 attributes {b} { rest }\nfunc @sums", ""},
		{"func.func @sums", "#map = affine_map<(d0) -> (d0 + 1)>\nfunc @sums", ""},

		{in, "%x = rise.in %in : !rise.array<5, scalar<i32>>", "shape-mismatch"},
		{in, "%x = rise.in %in : !rise.array<6, scalar<i64>>", "type-mismatch"},
		{in, "%x = rise.in %in : !rise.array<6, i32>", "bad-syntax"},
		{in, `%x = "rise.in"(%in) : (memref<7xi32>) -> !rise.array<6, scalar<i32>>`, "shape-mismatch"},
		{in, `%x = "rise.in"(%in, %in) : (memref<6xi32>, memref<6xi32>) -> !rise.array<6, scalar<i32>>`, "wrong-arity"},
		{in, `%x = "rise.in"(%in) {a = 1 : i32} : (memref<6xi32>) -> !rise.array<6, scalar<i32>>`, "unsupported-op"},
		{in, `%x = "rise.in"(%in) : (memref<6xi32>) -> ()`, "bad-syntax"},
		{in, "%x = rise.in %k", "type-mismatch"},
		{in, "%x = rise.in %other", "unbound-name"},
		{in, in + "\n" + in, "redefined-name"},
		{in, "%x = rise.in %out", "shape-mismatch"},
		{in, in + "\naffine.for %i = 0 to 3 { }", "unsupported-op"},
		{in, in + "\n%a = memref.alloc() : memref<3xi32>", "unsupported-op"},
		{"%in: memref<6xi32>", "%in: memref<?xi32>", "unknown-type"},
		{"%in: memref<6xi32>", "%in: memref<6xi32, affine_map<(d0) -> (5 - d0)>>", "unknown-type"},
		{"%in: memref<6xi32>", "%in: !rise.array<6, scalar<i32>>", "type-mismatch"},
		{"%k: i32", "%k: i1", "type-mismatch"},
		{"nat<3> #rise.nat<2>", "nat<2> #rise.nat<3>", "shape-mismatch"},
		{"nat<3> #rise.nat<2>", "nat<6> #rise.nat<1>", "shape-mismatch"},
		{"nat<3> #rise.nat<2>", "nat<3> #rise.nat<0>", "zero-size"},
		{"nat<3> #rise.nat<2>", "nat<3>", "wrong-arity"},
		{"nat<3> #rise.nat<2>", "nat<3> #rise.nat<2> #rise.nat<2>", "wrong-arity"},
		{`{to = "loop"}`, `{to = "gpu"}`, "unsupported-op"},
		{`{to = "loop"}`, `{by = "loop"}`, "bad-syntax"},
		{"#rise.lit<0, scalar<i32>>", "#rise.lit<0.5>", "bad-literal"},
		{"#rise.lit<0, scalar<i32>>", "#rise.lit<2147483648>", "bad-literal"},
		{"#rise.lit<0, scalar<i32>>", "#rise.lit<0, scalar<i8>>", "type-mismatch"},
		{"#rise.lit<0, scalar<i32>>", "#rise.lit<0, array<3, scalar<i32>>>", "type-mismatch"},
		{"#rise.lit<0, scalar<i32>>", "#rise.nat<0>", "bad-literal"},
		{"%reduce, %add, %zero, %row", "%reduce, %zero, %add, %row", "type-mismatch"},
		{"%reduce, %add, %zero, %row", "%reduce, %add, %zero, %row, %row", "type-mismatch"},
		{"%reduce, %add, %zero, %row", "%reduce, %add, %zero", "type-mismatch"},
		{"%reduce, %add, %zero, %row", "%reduce, %add, %k, %row", "type-mismatch"},
		{"%map, %sum, %rows", "%map, %sum, %rows : !rise.array<3, scalar<i32>>", "shape-mismatch"},
		{"return %r : !rise.scalar<i32>", "return %r : i32", "type-mismatch"},
		{"return %r : !rise.scalar<i32>", "return %row : !rise.array<3, scalar<i32>>", "type-mismatch"},
		{"return %t : i32", "return %v : !rise.scalar<i32>", "type-mismatch"},
		{"embed(%v, %acc)", "embed(%v)", "type-mismatch"},
		{"embed(%v, %acc)", "embed(%v, %row)", "type-mismatch"},
		{"rise.out %out <- %sums", "rise.out %in <- %sums", "shape-mismatch"},
		{"rise.out %out <- %sums", "rise.out %in <- %x", "unsupported-op"},
		{"rise.out %out <- %sums", "rise.out %out <- %map", "type-mismatch"},
		{"rise.out %out <- %sums", "", "no-result"},
		{"rise.out %out <- %sums", "return", "unsupported-op"},
		{"\n  return", "", "bad-syntax"},
		{"func.func @sums", "func.func @more(%out: memref<2xi32>) { rise.out %out <- %x\n return }\nfunc.func @sums", "unbound-name"},
	} {
		text := strings.Replace(sums, test.old, test.with, 1)
		if test.code == "" && strings.HasPrefix(test.with, "module") {
			text += "}"
		}
		if got := unread(text); got != test.code {
			t.Errorf("%s for %s: %q, want %q", test.with, test.old, got, test.code)
		} else if got == "" {
			if got := code(t, domain.Auto, sums, text); got != "" {
				t.Errorf("%s for %s: %q", test.with, test.old, got)
			}
		}
	}
}

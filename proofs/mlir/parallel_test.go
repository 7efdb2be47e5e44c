package mlir_test

import (
	"strings"
	"testing"

	"tv/proofs"
	"tv/proofs/algebra"
	"tv/proofs/mlir"
)

// TestInNoOrder: a loop in no order is one in order where no iteration accesses what another writes, and nothing else.
func TestInNoOrder(t *testing.T) {
	const head = `func.func @f(%A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xi32>
`
	store := func(subscripts ...string) (out string) {
		for _, s := range subscripts {
			out += "affine.store %x, %B[" + s + "] : memref<?x?xi32>\n"
		}
		return "%x = affine.load %A[%i, %i] : memref<?x?xi32>\n" + out
	}
	row := func(in, body string) string {
		return "affine.for %i = 0 to %n {\n" + "affine.for %j = " + in + " to %n {\n" + body + "}\n}\n"
	}
	for _, test := range []struct {
		name, text, loop string
		want             bool
	}{
		{"a triangle and its mirror image", row("affine_map<(d0) -> (d0)>(%i)", store("%i, %j", "%j, %i")), "i", true},
		{"the triangle without its diagonal", row("affine_map<(d0) -> (d0 + 1)>(%i)", store("%i, %j", "%j, %i", "%i, %i")), "i", true},
		{"a square and its mirror image", row("0", store("%i, %j", "%j, %i")), "i", false},
		{"a triangle and its mirror image, shifted", row("affine_map<(d0) -> (d0)>(%i)", store("%i, %j", "%j, %i + 1")), "i", false},
		{"both triangles", row("affine_map<(d0) -> (d0)>(%i)", store("%i, %j", "%j + 1, %i")), "i", true},
		{"one row after the other", row("0", store("%i, %j")), "j", true},
		{"a place of a row", row("0", store("%i, 0")), "j", false},
		{"what the iteration before reads", row("0", store("%i, %j")+
			"%y = affine.load %B[%i + 1, %j] : memref<?x?xi32>\naffine.store %y, %B[%i, 0] : memref<?x?xi32>\n"), "i", false},
		{"two rows, in steps of two", strings.Replace(row("0", store("%i, %j", "%i + 1, %j")), "to %n", "to %n step 2", 1), "i", true},
		{"three rows, in steps of two", strings.Replace(row("0", store("%i, %j", "%i + 2, %j")), "to %n", "to %n step 2", 1), "i", false},
		{"one iteration writes the first row", "affine.for %i = 0 to %n {\n" + store("%i, 0") +
			"affine.if affine_set<(d0) : (d0 - 3 == 0)>(%i) {\naffine.store %x, %B[0, 0] : memref<?x?xi32>\n}\n}\n", "i", false},
		{"the first iteration writes the first row", "affine.for %i = 0 to %n {\n" + store("%i, 0") +
			"affine.if affine_set<(d0) : (d0 == 0)>(%i) {\naffine.store %x, %B[0, 0] : memref<?x?xi32>\n}\n}\n", "i", true},
	} {
		before := head + test.text + "return\n}"
		after := inNoOrder(before, test.loop)
		c := &proofs.Checker{Readings: map[string]algebra.Reading{"mlir": mlir.Reading{}}}
		check := func(after string) error {
			s := proofs.Statement{Before: before, After: after, Languages: [2]string{"mlir", "mlir"}}
			_, err := c.Check("c", proofs.Format([]proofs.Pair{{Statement: s}}))
			return err
		}
		if err := check(before); err != nil {
			t.Errorf("%s: in order: %v", test.name, err)
		}
		if err := check(after); (err == nil) != test.want {
			t.Errorf("%s: %v\n%s", test.name, err, after)
		}
	}
}

// inNoOrder is a text in which a loop over a counter is affine.parallel.
func inNoOrder(text, counter string) string {
	heading := "affine.for %" + counter + " = "
	before, rest, _ := strings.Cut(text, heading)
	bounds, rest, _ := strings.Cut(rest, " {")
	lo, hi, _ := strings.Cut(bounds, " to ")
	hi, step, stepped := strings.Cut(hi, " step ")
	out := before + "affine.parallel (%" + counter + ") = (" + lo + ") to (symbol(" + hi + "))"
	if stepped {
		out += " step (" + step + ")"
	}
	return out + " {" + rest
}

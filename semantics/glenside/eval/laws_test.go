package eval

import (
	"fmt"
	"testing"

	"tv/semantics/value"
)

// Law (L1) of doc/certificates.md, by itself: an LSTM over y and then z has the states and the cells of one over y, and then those of one over
// z with what y ends with before; not those of one that starts with anything else.
func TestLawOfRows(t *testing.T) {
	const s, i, h = 2, 3, 2
	for _, op := range []string{"flex-lstm", "flex-lstm-cells"} {
		for rows := range 9 {
			y, z := rows/3+1, rows%3+1
			text := func(result string) string {
				return fmt.Sprintf("(input Y (shape %d %d %d))(input Z (shape %d %d %d))(input H (shape %d %d))(input C (shape %d %d))(input W (shape %d %d))"+
					"(input V (shape %d %d))(input B (shape %d))(input D (shape %d))%s", y, s, i, z, s, i, s, h, s, h, 4*h, i, 4*h, h, 4*h, 4*h, result)
			}
			call := func(op, x, h0, c0 string, rows int) string {
				return fmt.Sprintf("(accelerator-call %s %s %s %s W V B D (shape %d %d %d))", op, x, h0, c0, rows, s, h)
			}
			row := func(x string, k int) string {
				return fmt.Sprintf("(access-squeeze (access-slice %s 0 %d %d) 0)", x, k, k+1)
			}
			states, cells := call("flex-lstm", "Y", "H", "C", y), call("flex-lstm-cells", "Y", "H", "C", y)
			whole := text(call(op, "(access-concatenate Y Z 0)", "H", "C", y+z))
			parts := func(h0, c0 string) string {
				return text("(access-concatenate " + call(op, "Y", "H", "C", y) + " " + call(op, "Z", h0, c0, z) + " 0)")
			}
			if differ(t, whole, parts(row(states, y-1), row(cells, y-1))) {
				t.Errorf("%s of %d and %d rows: the law does not hold", op, y, z)
			}
			for _, start := range [][2]string{{"H", "C"}, {row(states, y-1), "C"}, {row(cells, y-1), row(states, y-1)}} {
				if !differ(t, whole, parts(start[0], start[1])) {
					t.Errorf("%s of %d and %d rows is one that starts with %s", op, y, z, start)
				}
			}
			if y > 1 && !differ(t, whole, parts(row(states, 0), row(cells, 0))) {
				t.Errorf("%s of %d and %d rows is one that starts with the first", op, y, z)
			}
		}
	}
}

// differ tells whether programs of the same inputs have an element that differs for certain.
func differ(t *testing.T, x, y string) bool {
	t.Helper()
	var elements [2][]value.Value
	for k, text := range []string{x, y} {
		ty := typed(t, text)
		e, err := New(ty, value.Real, nil, value.Random(1, value.Real, value.Positive, ty.Tensors))
		if err != nil {
			t.Fatal(err)
		}
		if elements[k], err = all(e, nil); err != nil {
			t.Fatal(err)
		}
	}
	for k, v := range elements[0] {
		if value.Compare(v, elements[1][k]) == value.Different {
			return true
		}
	}
	return false
}

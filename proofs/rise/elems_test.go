package rise_test

import (
	"strings"
	"testing"

	"tv/semantics/domain"
)

// TestElems: types of elements that only parts of types are count as well: 256·x is not 512·x where
// no number of the text is of the type of the result.
func TestElems(t *testing.T) {
	const double = " |> let(fun(y, zip(y, y) |> map(add)))"
	heading := "fun((x: 4.i8), x |> map(cast(i32))"
	before := heading + strings.Repeat(double, 8) + ")"
	if got := code(t, domain.Exact, before, before); got != "" {
		t.Errorf("against itself: %q", got)
	}
	if got := code(t, domain.Exact, before, heading+strings.Repeat(double, 9)+")"); got != other {
		t.Errorf("%q, want %q", got, other)
	}
}

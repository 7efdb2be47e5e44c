package term_test

import (
	"testing"

	"tv/semantics/term"
)

func TestShort(t *testing.T) {
	b := term.NewBuilder()
	x := b.Read(b.Input("x", nil, term.BitsSort(8)), nil)
	sum := b.AddBits(x, b.NegBits(b.AddBits(x, x)))
	for depth, want := range []string{"...", "x[] + ...", "x[] + -...", "x[] + -(x[] + x[])"} {
		if got := sum.Short(depth); got != want {
			t.Errorf("depth %d: %q, want %q", depth, got, want)
		}
	}
	args := make([]*term.Term, 8)
	for i := range args {
		args[i] = x
	}
	if got, want := b.Dot(16, args...).Short(3), "dot(x[], x[], x[], x[], x[], x[], ...)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

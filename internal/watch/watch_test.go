package watch

import (
	"context"
	"testing"
)

func TestWatch(t *testing.T) {
	var w Watch
	ctx := With(t.Context(), &w)
	check := func(want string) {
		t.Helper()
		if got := w.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	Done(ctx)
	check("")
	Enter(ctx, "first")
	check("first")
	Done(ctx)
	below, cancel := context.WithCancel(ctx)
	defer cancel()
	Done(below)
	check("first, 2 done")
	Enter(below, "second")
	check("second")
	// Work that nobody watches says nothing, to nobody.
	Enter(t.Context(), "third")
	Done(t.Context())
	check("second")
}

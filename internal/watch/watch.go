// Package watch lets work that may take long say what it is at, to whoever watches it by its context. Nobody has to watch:
// without a Watch in the context the calls do nothing. What is said decides nothing and is in no report.
package watch

import (
	"context"
	"fmt"
	"sync/atomic"
)

// A Watch is what somebody who waits looks at. It is safe for concurrent use; the last who says something is heard.
type Watch struct{ at atomic.Pointer[at] }

// at is a stage and how many of its parts are done.
type at struct {
	name string
	done atomic.Int64
}

// key is that of the Watch in a context.
type key struct{}

// With returns a context whose work is watched.
func With(ctx context.Context, w *Watch) context.Context { return context.WithValue(ctx, key{}, w) }

// Enter says what the work is at from now on, such as "comparing normal forms".
func Enter(ctx context.Context, name string) {
	if w, ok := ctx.Value(key{}).(*Watch); ok {
		w.at.Store(&at{name: name})
	}
}

// Done says that one more part of the stage is done.
func Done(ctx context.Context) {
	if w, ok := ctx.Value(key{}).(*Watch); ok {
		if of := w.at.Load(); of != nil {
			of.done.Add(1)
		}
	}
}

// String says what the work is at: "proving parts equal, 12 done"; nothing before the first stage.
func (w *Watch) String() string {
	of := w.at.Load()
	if of == nil {
		return ""
	}
	if n := of.done.Load(); n > 0 {
		return fmt.Sprintf("%s, %d done", of.name, n)
	}
	return of.name
}

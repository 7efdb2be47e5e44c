package serve

import (
	"context"
	"os"
	"slices"
	"sync"
)

// turns says when a request may run. A process has one working directory, and names of files are read in many places: so requests
// of one directory run together, one of another waits until these are done, and those that came after it wait for it. A build
// server asks from one directory and never waits.
type turns struct {
	start string // the directory of requests that name none
	most  int    // requests that run at once

	mu      sync.Mutex
	dir     string // where the process is
	running int
	queue   []*turn // as they came
}

type turn struct {
	dir   string
	ready chan struct{} // closed once it is
	err   error         // why it never will be
}

func newTurns(most int) (*turns, error) {
	dir, err := os.Getwd()
	return &turns{start: dir, dir: dir, most: max(1, most)}, err
}

// ask puts a request for dir into the queue; what it returns is to be waited for.
func (t *turns) ask(dir string) *turn {
	if dir == "" {
		dir = t.start
	}
	own := &turn{dir: dir, ready: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, own)
	t.grant()
	return own
}

// wait waits for a turn, which ends by leave. Errors: those of os.Chdir, and that of ctx, after which there is nothing to leave.
func (t *turns) wait(ctx context.Context, own *turn) error {
	select {
	case <-own.ready:
		return own.err
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := slices.Index(t.queue, own); at >= 0 {
		t.queue = slices.Delete(t.queue, at, at+1)
	} else if own.err == nil { // its turn came meanwhile
		t.running--
	}
	t.grant()
	return ctx.Err()
}

func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.grant()
}

// grant gives the first requests of the queue their turn, as long as they may run with those that do. t.mu is held.
func (t *turns) grant() {
	for len(t.queue) > 0 && t.running < t.most {
		next := t.queue[0]
		if next.dir != t.dir {
			if t.running > 0 {
				return
			}
			if next.err = os.Chdir(next.dir); next.err == nil {
				t.dir = next.dir
			}
		}
		if t.queue = t.queue[1:]; next.err == nil {
			t.running++
		}
		close(next.ready)
	}
}

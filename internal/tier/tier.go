// Package tier sorts tests into three tiers:
//
//	quick   "make test" (go test -short): each file of the corpus once, and the tests of each package
//	all     "make test-all" (go test): the sweeps as well, which walk the corpus in other ways, or draw more
//	stress  "make stress" (TV_STRESS=I/N): what grows faster than the corpus, in N parts, and all the others with more drawn
//
// A test is quick unless it says otherwise:
//
//	Sweep   leaves a test, or a subtest, out of the quick tier
//	Pick    has a test do less in the quick tier
//	Draw    the same, and more under stress, of what is drawn at random or is one of many
//	Stress  leaves a test out of all tiers but stress, and returns which part of it is asked for
//	Steps   ends work in tests by a count of its steps; nothing in a test ends by the clock
//
// It also has garbage collected seldom in tests that import it. Nothing else skips tests, and tiers.txt lists what is not quick: the test of this package holds both.
package tier

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
)

// Tests have many small questions, as the command line has: garbage is collected as seldom as there.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Sweep skips a test in the quick tier.
func Sweep(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a sweep: make test-all runs it")
	}
}

// Pick returns what a test does in the quick tier, or in the others.
func Pick[T any](quick, all T) T {
	if testing.Short() {
		return quick
	}
	return all
}

// Draw returns how much a test draws in the quick tier, in all, and where stress is asked for.
func Draw[T any](quick, all, stress T) T {
	if os.Getenv("TV_STRESS") != "" {
		return stress
	}
	return Pick(quick, all)
}

// A Part is one of N, counted from 0.
type Part struct{ I, N int }

// Has reports whether the k-th of many things is in the part.
func (p Part) Has(k int) bool { return k%p.N == p.I }

// Stress skips a test in all tiers but stress, and returns the part that TV_STRESS=I/N asks for.
func Stress(t testing.TB) Part {
	t.Helper()
	text := os.Getenv("TV_STRESS")
	if text == "" {
		t.Skip("a stress test: make stress runs it")
	}
	p, err := parsePart(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func parsePart(text string) (Part, error) {
	var p Part
	if n, err := fmt.Sscanf(text, "%d/%d", &p.I, &p.N); n != 2 || err != nil || p.I < 0 || p.I >= p.N ||
		text != fmt.Sprintf("%d/%d", p.I, p.N) {
		return Part{}, fmt.Errorf("TV_STRESS=%s: want I/N, 0 <= I < N", text)
	}
	return p, nil
}

// Steps returns a context that ends when it has been asked n times whether it has: what looks at its context every
// so many steps gives up after as many each time, however fast the machine is.
func Steps(n int64) context.Context {
	s := &steps{Context: context.Background(), done: make(chan struct{})}
	s.left.Store(n)
	return s
}

type steps struct {
	context.Context
	left atomic.Int64
	once sync.Once
	done chan struct{}
}

func (s *steps) Done() <-chan struct{} { return s.done }

func (s *steps) Err() error {
	if s.left.Add(-1) >= 0 {
		return nil
	}
	s.once.Do(func() { close(s.done) })
	return context.DeadlineExceeded
}

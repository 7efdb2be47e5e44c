//go:build cgo && linux

package smt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"unsafe"

	"tv/semantics/term"
)

// An action is what the kernel does with a signal (sigaction(2)).
type action struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// onStack is the flag without which Go cannot run a handler.
const onStack = 0x08000000

func interruptAction(t *testing.T) (a action) {
	t.Helper()
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGINT), 0, uintptr(unsafe.Pointer(&a)),
		unsafe.Sizeof(a.mask), 0, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	return a
}

// TestInterrupts: the linked Z3 leaves interrupts to Go, while it is at work and afterwards.
func TestInterrupts(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	before := interruptAction(t)
	if before.flags&onStack == 0 {
		t.Fatalf("interrupts are handled with flags %#x before anything is asked", before.flags)
	}
	wide := term.Sort{Kind: term.Signed, Width: 24}
	hard := query(t, wide, func(b *term.Builder, x, y, _ *term.Term) (s, t *term.Term) {
		return b.Mul(b.Add(x, y), b.Add(x, y)), b.Add(b.Mul(x, x), b.Add(b.Mul(y, b.Add(x, x)), b.Mul(y, y)))
	})
	done := make(chan bool)
	go func() {
		linked(context.Background(), hard, Options{RLimit: 1_000_000})
		close(done)
	}()
	for working := true; working; {
		select {
		case <-done:
			working = false
		default:
		}
		if now := interruptAction(t); now != before {
			t.Fatalf("interrupts are handled by %#x with flags %#x, and were by %#x with %#x", now.handler, now.flags,
				before.handler, before.flags)
		}
	}
}

package cli

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// answerLine runs a command line in this process, and returns what a process of its own would have left.
func answerLine(ctx context.Context, args []string, stdin io.Reader) (exit int, stdout, stderr string) {
	var out, said bytes.Buffer
	o, e := &lockedWriter{w: &out}, &lockedWriter{w: &said}
	a := &app{stdin: stdin, stdout: o, stderr: e}
	exit = a.run(ctx, args)
	// After an interrupt a command that does not end may still write: whoever asked is gone, but not the buffers.
	o.mu.Lock()
	defer o.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	return exit, out.String(), said.String()
}

// A lockedWriter takes what several goroutines say.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(data)
}

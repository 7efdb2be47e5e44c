// Package fault carries panics from the goroutine in which they happen to the one that waits for it.
package fault

import (
	"fmt"
	"path"
	"runtime/debug"
	"strings"
)

// A Fault is a panic, passed on: as an error between goroutines, as the value of a panic to callers.
type Fault struct {
	Value any
	Stack []byte // where it happened
}

// Error prints the value alone.
func (f *Fault) Error() string { return fmt.Sprint(f.Value) }

// Catch calls f; where f panics the error is a *Fault, the same one where f passed it on.
func Catch(f func() error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Fault:
			err = r
		default:
			err = &Fault{Value: r, Stack: debug.Stack()}
		}
	}()
	return f()
}

// Text is what a recovered panic says, and the function of this module, file and line where it happened. It is to be called
// by the function that recovers.
func Text(p any) string {
	stack := debug.Stack()
	if f, ok := p.(*Fault); ok {
		p, stack = f.Value, f.Stack
	}
	lines := strings.Split(string(stack), "\n")
	where, panicked := "", false
	for i, line := range lines[:len(lines)-1] {
		switch {
		case strings.HasPrefix(line, "panic("): // one that is passed on stands above the one that it passes on
			where, panicked = "", true
		case panicked && where == "" && strings.HasPrefix(line, "tv/"):
			place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
			function, _, _ := strings.Cut(strings.TrimPrefix(line, "tv/"), "(0x")
			where = fmt.Sprintf(" in %s, %s", strings.TrimSuffix(function, "(...)"), path.Base(place))
		}
	}
	return fmt.Sprint(p) + where
}

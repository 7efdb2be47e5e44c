// Package fault carries panics from the goroutine in which they happen to the one that waits for it.
package fault

import (
	"fmt"
	"runtime/debug"
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

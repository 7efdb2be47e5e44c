//go:build unix

package server

import (
	"os"
	"syscall"
)

// lockFile locks a file until it is closed, also by the end of the process. It fails where another has it.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

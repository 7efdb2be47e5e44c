//go:build unix

package cli

import (
	"os"
	"syscall"
)

// become has this process run another command in its place, so that nothing is left where it is killed.
func become(name string, args []string) error { return syscall.Exec(name, args, os.Environ()) }

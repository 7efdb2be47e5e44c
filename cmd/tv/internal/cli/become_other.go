//go:build !unix && !js

package cli

// become says what to run, where a process cannot become another.
func become(name string, _ []string) error { return usageError("run %s with the same flags", name) }

//go:build !circuits

package cli

// What there is of tv in the module that a page starts with.
const (
	hasTensors  = true
	hasCircuits = false
	isWhole     = false
)

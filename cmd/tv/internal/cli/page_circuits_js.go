//go:build circuits

package cli

// What there is of tv in the module that a page takes for questions about circuits.
const (
	hasTensors  = false
	hasCircuits = true
	isWhole     = false
)

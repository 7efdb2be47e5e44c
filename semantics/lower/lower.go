// Package lower turns typed Glenside programs into arrays of terms.
//
//	Options  the arithmetic and what the named sizes are
//	Program  the components of a program's result (one, unless it returns a tuple)
//
// Start with [Lower]. Access-pattern transformers only rewrite the index; compute builds terms.
package lower

import (
	"tv/glenside"
	"tv/semantics/index"
	"tv/semantics/term"
)

// Options are the parameters of a lowering.
type Options struct {
	Exact bool                          // sorts from the element types; otherwise everything is real
	Size  func(name string) *index.Expr // the expression that a named size stands for
}

// A Program is a lowered program.
type Program struct {
	Components []Component
	Idealised  []string // accelerator calls that were given their ideal meaning, sorted, each once
	Opaque     []string // symbols that the arithmetic does not interpret, sorted, each once
}

// A Component is a tensor of the result.
type Component struct {
	Path  []int // of indices into tuples; empty where the program returns a tensor
	Array term.Array
}

// Lower lowers a program. Both programs of a question are lowered with one builder.
func Lower(b *term.Builder, ty *glenside.Typing, opts Options) (*Program, error) { panic("stub") }

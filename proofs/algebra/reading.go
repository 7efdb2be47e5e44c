package algebra

import (
	"tv/internal/source"
	"tv/semantics/domain"
)

// A Reading reads the programs of a language for the checker: it shares no more with the prover
// than the grammar.
type Reading interface {
	// Read reads a text. Errors: source.Errors.
	Read(*source.File) (Source, error)
}

// A Source is a text that was read.
type Source interface {
	Declarations() domain.Declarations
	// Depth is how deep calls nest: the checker takes a program apart by recursion.
	Depth() int
	// Type types the text under declarations. Errors: source.Errors.
	Type(*domain.Env) (Program, error)
}

// An Observer is a procedure of which the contents of parameters can be asked for that it does not
// write.
type Observer interface {
	Source
	Written() []string
	Observing(names []string) Source
}

// A Signless program has parameters of integers that are bits: those of some names are numbers
// without a sign once Unsigned is called, instead of numbers with one.
type Signless interface {
	Source
	Signless(name string) bool
	Unsigned(names []string)
}

// A Chooser is a procedure of whose parameters some are results, by their names with commas.
type Chooser interface {
	Source
	Only(results string) (Source, error)
}

// A Program is a typed text. Its parts have numbers.
type Program interface {
	// Conditions are those on sizes under which it is well formed.
	Conditions() []Condition
	// Sizes are those that the text has beside declarations and conditions.
	Sizes() []domain.Size
	// Limits are those of the sizes that the text is meant for.
	Limits() domain.Limits
	// Elems are the element types of all its tensors, each at least once.
	Elems() []domain.Elem
	// Results are the tensors of its result, from left to right.
	Results() []Tensor
	// Writes are the names of the parameters that the results are, of a procedure; nil of others.
	Writes() []string
	// Root is the part that is the result.
	Root() int
	// Part is the type of a part; ok is false where it is no tensor, or there is none.
	Part(part int) (t Tensor, ok bool)
	// Elements states elements, with tensors that stand for parts.
	Elements(s *State, cuts map[int]string) Elements
}

// A Condition on sizes.
type Condition struct {
	Pred *domain.Pred
	Msg  string // the message of the error that its failure is
}

// A Tensor is what the checker compares of the types of two tensors.
type Tensor struct {
	Path  []int // in a result that is a tuple
	Dims  []domain.Size
	Elem  domain.Elem
	Split int    // of an access pattern
	Text  string // the type as the language writes it
}

// Elements are those of one program in one case of its domain.
type Elements interface {
	// At is the element of a part, or of a tensor in it, at an index within its dims at c.
	At(part int, path []int, c *Context, at []*Expr) *Scalar
	// Fixed is how many parts one is made of that reads no tensor, and 0 of all others.
	Fixed(part int) int
	// Forget drops what was kept for the contexts of a region.
	Forget()
}

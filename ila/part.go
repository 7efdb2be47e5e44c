package ila

import "tv/semantics/term"

// Part says that a term of the model computes something of its own from some terms below it, and from nothing else: a number from a
// code and a bias. Executors on terms may put a function in its place that has its values. It returns the term.
func (m *Model) Part(t *term.Term, inputs ...*term.Term) *term.Term {
	root := m
	for root.Parent != nil {
		root = root.Parent
	}
	if root.Parts == nil {
		root.Parts = map[*term.Term][]*term.Term{}
	}
	root.Parts[t] = inputs
	return t
}

// A Scalar says what a function of a contract takes, so that parts of machines can be compared with it.
type Scalar struct {
	Args  []int // widths
	Width int   // of the result

	// Constant, where it is not nil, tells whether the function has one value for all last arguments from one to another, both of
	// them of one sign. The others are as given. It may say false where it has.
	Constant func(args []uint64, to uint64) bool
}

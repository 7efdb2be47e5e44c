// Package normal brings scalar terms into a normal form in which equal tensor programs look the same, at a
// cost that depends on the programs, not on the sizes of their tensors.
//
// An element of a tensor is a polynomial over atoms (reads of inputs, functions, maxima). A sum over an axis
// does not multiply its terms out: a summand is a coefficient, variables bound to boxes, conditions and
// factors. It is closed by bringing its variables into a canonical order and position (numbered slots); what
// is left of the box is kept beside it, so that the pieces of a blocked sum add up to one step function.
//
//	sum      an open polynomial: summands whose bound variables are variables of package index
//	Poly     a closed polynomial: bodies, each with a step function over its slots and the free variables
//	Atom     a factor: equal atoms of an Engine are one pointer
//	Laws     which laws may be used; tags by arithmetic
//	Engine   makes all of these
//
// Start with [Engine.Compare]. The laws are listed in doc/semantics.md.
package normal

// Package archtest holds the layering of the tree: its test fails where a package imports what its layer
// must not know. The core (semantics/index, semantics/term) knows nothing of Glenside; the reference
// evaluator shares nothing with the prover that is tested against it; certificates are checked by code that
// shares nothing with the code that finds them; one package knows the solver.
package archtest

// Package proofs checks certificates: files that say which two programs are equal, and why. It
// shares no code with the prover and imports the language alone.
//
//	Statement    what is claimed: two texts, declarations, arithmetic, equality
//	Certificate  statements, each with a witness: the answers to the checker's goals
//	Cut          two subterms that are equal, and stand as one tensor in what is shown next
//	Goal         a sum whose variables an answer may change, or a region that it may cut
//	Expr         index polynomials with floor division, made and decided by a Builder
//
// [Check] reads a certificate and accepts or refuses it; [Verify] checks one statement with the
// answers of a function, which is how answers are found. The format, the laws and what has to be
// trusted are in doc/certificates.md.
//
// The checker states both programs as terms (lower.go, operators.go, moves.go, computes.go), brings
// their difference into a closed form (normal.go, close.go, steps.go) and wants it to be 0
// (compare.go). What maxima need beside is in signs.go and rising.go; arithmetic that may not be
// reordered in ordered.go; the domain and inequalities in domain.go and decide.go. Proofs in stages
// are in cuts.go, rules and their cases in rules.go and cover.go. The laws it applies have no
// choices; wherever there is a choice, of new variables for a sum, of a cut, it asks a goal, checks
// the answer and never looks for one. What view.go holds is for those who look.
package proofs

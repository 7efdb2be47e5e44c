// Package equiv decides whether two tensor programs mean the same: the question, the engines in the order in which they
// are asked, and the verdict with what it rests on. It knows no language.
//
//	Question     two programs, and who of one is who of the other
//	Options      arithmetic, equality, declarations, limits
//	Result       the verdict: engine, domain, counterexample, blame, what it holds and trusts
//	Difference   an element at which two programs differ, shrunk and described
//	Memo         what is worth keeping of an answer, none of it believed
//
// Start with [Check]. An answer takes this way:
//
//	question.go      what is asked, typed, with its domain: nothing in it changes
//	environment.go,  what BEFORE declares, assumes and needs;
//	correspond.go    who of AFTER's names is who
//	check.go         the engines, cheapest first, each of which returns its answer: types.go where the results differ in
//	                 kind, samples, proofs with their certificates; limit.go: time and memory
//	last.go          where else to sample, if no engine proves the pair
//	slip.go          what is to blame in AFTER: where another token would make both agree
//	exact.go         whether a proof about real numbers holds bit for bit
//	memo.go          what a cache may hold of all that
//	result.go,       the answer, and how it tells its arithmetic
//	arithmetic.go
//	describe.go, difference.go, prove.go, for those who want a part of this
//
// The packages beneath, each of which can be asked by itself: sizes (the domain), sample (runs programs, describes where they
// differ), prove (the engines that prove, certificates, obligations of solvers), normal (the normal form), smt (formulas and
// solvers), witness (the answers of certificates), fault (panics of other goroutines). Package rules decides rewrite rules
// by asking equiv about their cases, package machine programs against a machine's.
package equiv

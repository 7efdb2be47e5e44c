// Package equiv decides whether two tensor programs mean the same: the question, the engines in the order in which they
// are asked, and the verdict with what it rests on.
//
//	Options      arithmetic, equality, declarations, limits
//	Result       the verdict: engine, domain, counterexample, blame, what it holds and trusts
//	RuleResult   the same of a rewrite rule, with the case that was wrong and a guard (Mend) under which it is right
//	Difference   an element at which two programs differ, shrunk and described
//	Memo         what is worth keeping of an answer, none of it believed
//	Obligation   what only a solver proves, as a script that a certificate holds
//
// Start with [Check], for a pair, and [CheckRule]. An answer takes this way:
//
//	environment.go,             what BEFORE declares, assumes and needs;
//	correspond.go               who of AFTER's names is who
//	check.go                    the engines: type, sample, normal form, enumerate, smt; gives up by count
//	last.go                     where else to sample, if no engine proves the pair
//	cuts.go                     networks that are too deep for one normal form, in stages
//	solve.go, obligations.go    what is left for solvers
//	certify.go                  a proof is one when package proofs accepts its certificate
//	rule.go, ruleinstances.go,  rules: their cases as pairs, their instances in the evaluator, the guards that mend them
//	mend.go
//	memo.go                     what a cache may hold of all that
//
// The domain is package sizes, what runs programs and describes where they differ is package sample, the normal form is package normal, the formulas are package smt, the answers of certificates
// package witness, and a program against a machine's is package machine.
package equiv

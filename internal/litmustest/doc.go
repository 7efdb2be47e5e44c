// Package litmustest holds the litmus files of testdata/check against the reference evaluator alone, so
// that the corpus stays right whatever the prover thinks: both programs of a wanted proof must agree on
// random inputs at small points of the domain, and a wanted refutation must show itself on some.
package litmustest

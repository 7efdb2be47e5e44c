// Package proofs checks certificates: files that say which two programs are equal, and why. It
// shares no code with the prover.
//
//	certificate.go  the file, statements, and the [Checker] that reads and checks them
//	cuts.go         the lines of a witness that cut programs into stages
//	rules.go        certificates of rules, which are pairs for each of their cases
//	cover.go        the cases of a rule held against instances of it
//	view.go         statements for people; a checker without it accepts the same certificates
//
// What is decided about two programs, in any language, is in package algebra below, and of nests of
// loops without closed forms in package recur; how the texts of a language are read, in a package
// of its name. The format, the laws and what has to be trusted
// are in doc/certificates.md.
package proofs

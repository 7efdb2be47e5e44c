// Package mapped checks explanations of tv map: files that say by which certified rules one program
// becomes another (doc/map.md, "The explanation").
//
//	text.go    the file, taken apart in the one way in which it is written
//	terms.go   the terms: their types, and whether a program is one of them
//	rules.go   rules, their certificates and their instances
//	contracts.go  instances that state what a machine's call computes bit by bit
//	steps.go   steps, lemmas and the chain
//
// Start with [Check]. It has no matcher and no graph of classes, and shares no code with what finds
// explanations: bindings, places and terms are in the file, and each is looked at once. Programs
// are parsed and typed by package glenside; an instance of a rule is made by glenside/rule, like
// those that the cases of a certificate are held against.
package mapped

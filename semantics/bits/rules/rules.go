// Package rules has rules over bit-vectors: bitvectors.rules is a catalogue of laws with near misses, isa.rules are those that
// instructions are enumerated with where no others are given.
package rules

import _ "embed"

// ISA is the text of isa.rules.
//
//go:embed isa.rules
var ISA string

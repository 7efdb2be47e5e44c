// Package languages is the registry: the one place that imports every language that programs are written in, and the
// checker's reading of each.
package languages

import (
	"tv/proofs"
	"tv/proofs/algebra"
	glensidereading "tv/proofs/glenside"
	"tv/semantics"
	"tv/semantics/glenside"
)

// All are the languages, in the order in which they are listed.
var All = []*semantics.Language{glenside.Language}

// Checker checks certificates of programs in all of them.
var Checker = &proofs.Checker{Readings: map[string]algebra.Reading{proofs.Glenside: glensidereading.Reading{}}}

// Named returns the language of a name, nil where there is none.
func Named(name string) *semantics.Language {
	for _, l := range All {
		if l.Name == name {
			return l
		}
	}
	return nil
}

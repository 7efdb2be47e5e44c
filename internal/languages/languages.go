// Package languages is the registry: the one place that imports every language that programs are written in, and the
// checker's reading of each.
package languages

import (
	"slices"

	"tv/proofs"
	"tv/proofs/algebra"
	comprehensionreading "tv/proofs/comprehension"
	glensidereading "tv/proofs/glenside"
	"tv/semantics"
	"tv/semantics/comprehension"
	"tv/semantics/glenside"
	"tv/semantics/vta"
)

// All are the languages, in the order in which they are listed.
var All = []*semantics.Language{glenside.Language, comprehension.Language, vta.Language}

// Checker checks certificates of programs in all of them but listings, which have no certificates.
var Checker = &proofs.Checker{Readings: map[string]algebra.Reading{
	proofs.Glenside: glensidereading.Reading{},
	"comprehension": comprehensionreading.Reading{},
}}

// Named returns the language of a name, nil where there is none.
func Named(name string) *semantics.Language {
	for _, l := range All {
		if l.Name == name {
			return l
		}
	}
	return nil
}

// ByExtension returns the language of files with an extension, nil where there is none.
func ByExtension(ext string) *semantics.Language {
	for _, l := range All {
		if slices.Contains(l.Extensions, ext) {
			return l
		}
	}
	return nil
}

// Package languages is the registry: the one place that imports every language that programs are written in, and the
// checker's reading of each.
package languages

import (
	"slices"

	"tv/proofs"
	"tv/proofs/algebra"
	"tv/semantics"
)

// A row is a language, with the checker's reading of it. Listings have none: they have no certificates.
type row struct {
	language *semantics.Language
	reading  algebra.Reading
}

// All are the languages, and Checker checks certificates of programs in them.
var All, Checker = registered()

func registered() (all []*semantics.Language, c *proofs.Checker) {
	c = &proofs.Checker{Readings: map[string]algebra.Reading{}}
	for _, r := range rows {
		if all = append(all, r.language); r.reading != nil {
			c.Readings[r.language.Name] = r.reading
		}
	}
	return all, c
}

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

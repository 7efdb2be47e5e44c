// Package languages is the registry: the one place that imports every language that programs are written in.
package languages

import (
	"tv/semantics"
	"tv/semantics/glenside"
)

// All are the languages, in the order in which they are listed.
var All = []*semantics.Language{glenside.Language}

// Named returns the language of a name, nil where there is none.
func Named(name string) *semantics.Language {
	for _, l := range All {
		if l.Name == name {
			return l
		}
	}
	return nil
}

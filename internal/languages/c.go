package languages

import (
	"tv/internal/source"
	"tv/semantics/cnest"
	"tv/semantics/loops"
	"tv/semantics/loops/language"
)

var c = language.Front{
	Name: "c", Extensions: []string{".c"},
	Parse: func(f *source.File) (*loops.Procedure, error) { return cnest.Parse(f, "") },
}.Row()

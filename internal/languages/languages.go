// Package languages is the registry: the one place that imports every language that programs are written in, and the
// checker's reading of each.
package languages

import (
	"slices"

	"tv/proofs"
	"tv/proofs/algebra"
	creading "tv/proofs/cnest"
	comprehensionreading "tv/proofs/comprehension"
	glensidereading "tv/proofs/glenside"
	mlirreading "tv/proofs/mlir"
	relayreading "tv/proofs/relay"
	risereading "tv/proofs/rise"
	tcreading "tv/proofs/tc"
	"tv/semantics"
	"tv/semantics/cnest"
	"tv/semantics/comprehension"
	"tv/semantics/glenside"
	looplanguage "tv/semantics/loops/language"
	"tv/semantics/mlir"
	"tv/semantics/relay"
	"tv/semantics/rise"
	"tv/semantics/tc"
	"tv/semantics/vta"
)

// C is that of loop nests over arrays.
var C = looplanguage.Front{
	Name: "c", Extensions: []string{".c"}, Memory: true, Parse: cnest.Parse, Format: cnest.Format, Generator: cnest.Generate,
}.Row()

// MLIR is that of its affine, scf and memref operations, and of linalg on memrefs. Functions of the dialect of RISE are in that
// language.
var MLIR = rise.Within(looplanguage.Front{
	Name: "mlir", Extensions: []string{".mlir"}, Memory: true, Parse: mlir.Parse, Format: mlir.Format, Generator: mlir.Generate,
}.Row())

// TC is that of Tensor Comprehensions.
var TC = looplanguage.Front{
	Name: "tc", Extensions: []string{".tc"}, Parse: tc.Parse, Format: tc.Format, Generator: tc.Generate,
}.Row()

// rows are the languages, in the order in which they are listed, each with the checker's reading of it. Listings have none:
// they have no certificates.
var rows = []struct {
	language *semantics.Language
	reading  algebra.Reading
}{
	{glenside.Language, glensidereading.Reading{}},
	{comprehension.Language, comprehensionreading.Reading{}},
	{C, creading.Reading{}},
	{MLIR, mlirreading.Reading{}},
	{TC, tcreading.Reading{}},
	{rise.Language, risereading.Reading{}},
	{relay.Language, relayreading.Reading{}},
	{rise.Rules, risereading.RuleReading{}},
	{vta.Language, nil},
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

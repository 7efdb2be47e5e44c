//go:build !circuits

package languages

import (
	creading "tv/proofs/cnest"
	comprehensionreading "tv/proofs/comprehension"
	glensidereading "tv/proofs/glenside"
	mlirreading "tv/proofs/mlir"
	relayreading "tv/proofs/relay"
	risereading "tv/proofs/rise"
	tcreading "tv/proofs/tc"
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

// rows are the languages, in the order in which they are listed.
var rows = []row{
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

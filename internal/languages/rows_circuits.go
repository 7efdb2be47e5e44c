//go:build circuits

package languages

import "tv/semantics"

// C and the languages beside it are not in a build for circuits alone, which a page has.
var C, MLIR, TC *semantics.Language

var rows []row

// Package rules holds the catalogue of rewrite rules, as files and in the binary.
package rules

import _ "embed"

// Glenside is the text of the rewrites that the Glenside project ships, glenside.rules.
//
//go:embed glenside.rules
var Glenside string

// Lowering is the text of more rules that take Relay calls apart, lowering.rules.
//
//go:embed lowering.rules
var Lowering string

// Package rules holds the catalogue of rewrite rules, as files and in the binary.
package rules

import _ "embed"

// Glenside is the text of the rewrites that the Glenside project ships, glenside.rules.
//
//go:embed glenside.rules
var Glenside string

// Package rules holds the rules onto machines in the binary, as tv map uses them.
package rules

import "embed"

// Map has the files of the directory map: TARGET.rules for a target, and files with other names for all of them.
//
//go:embed map
var Map embed.FS

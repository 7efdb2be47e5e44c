//go:build !js

package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// commands returns what makes the commands that do something, by their names.
func (a *app) commands() map[string]func() *cobra.Command {
	return map[string]func() *cobra.Command{
		"check": a.checkCommand, "certify": a.certifyCommand, "verify": a.verifyCommand, "replay": a.replayCommand,
		"eval": a.evalCommand, "show": a.showCommand, "fmt": a.fmtCommand, "explain": a.explainCommand,
		"fuzz": a.fuzzCommand, "doctor": a.doctorCommand, "version": a.versionCommand, "ila": a.ilaCommand, "import": a.importCommand, "map": a.mapCommand,
		"isa": a.isaCommand, "synth": a.synthCommand, "lsp": a.lspCommand, "serve": a.serveCommand,
	}
}

// commandCodes returns the codes that are of some of these commands alone.
func commandCodes() []Code { return slices.Concat(ilaCodes, importCodes(), mapCodes, fuzzCodes) }

// What there is of tv in this build: all.
const (
	hasTensors  = true
	hasCircuits = true
	isWhole     = true // what no page asks for is here too
)

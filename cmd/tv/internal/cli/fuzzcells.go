//go:build !js

package cli

import (
	"github.com/spf13/cobra"

	"tv/fuzz"
)

func (a *app) fuzzCellsCommand() *cobra.Command {
	flags := &fuzzFlags{}
	cmd := &cobra.Command{
		Use:   "cells [CELL...]",
		Short: "are the models of vendors' cells right?",
		Long: `Cells draws netlists of one cell each, with parameters and open and constant pins, and holds against one another the
evaluator that goes by cells, the words that proofs are made of, the models that others wrote, where Icarus Verilog and
the files of Yosys are installed and have one, and the models that the checker of certificates has of its own.`,
		Example: "  tv fuzz cells CARRY8 DSP48E2 --budget 1m",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := fuzz.NewCells(args)
			if err != nil {
				return err
			}
			return a.runFuzz(cmd, flags, target, args, nil)
		},
	}
	flags.register(cmd)
	return cmd
}

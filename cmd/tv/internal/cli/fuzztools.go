//go:build !js

package cli

import (
	"os/exec"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tv/fuzz"
	"tv/fuzz/circuits"
	"tv/fuzz/passes"
)

func (a *app) fuzzToolsCommand() *cobra.Command {
	flags := &fuzzFlags{}
	var opt string
	var limit time.Duration
	cmd := &cobra.Command{
		Use:   "tools --opt COMMAND",
		Short: "does a synthesis tool keep what designs mean?",
		Long: `Tools draws designs in Verilog, gives them to a command that writes a netlist, and compares the netlist with the design
for all inputs. A design for which they differ is shrunk, with the command run on each smaller one, and simulated by
Icarus Verilog if that is installed: a miscompile is what the simulator shows. A part of the designs that are proved
is simulated too. {in} and {out} in COMMAND become the names of files; without them it is yosys -p SCRIPT, whose
script need neither read nor write. A command that ends with an error, crashes or does not end is a finding of another kind.
No shell is involved: quotes in COMMAND are read as a shell does, all else is taken as it is.`,
		Example: `  tv fuzz tools --opt 'yosys -p "synth_xilinx -family xcup -noiopad -noclkbuf -flatten"' --budget 10m --corpus found
  tv fuzz tools --opt './my-mapper {in} -o {out}' --budget 500x --seed 1`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := passes.Split(opt)
			if err != nil {
				return usageError("--opt: %v", err)
			}
			if _, err := exec.LookPath(words[0]); err != nil {
				return usageError("--opt: %v", err)
			}
			if !circuits.Marked(words) && !slices.Contains(words[:len(words)-1], "-p") {
				return usageError("--opt: %s says neither {in} and {out} nor -p SCRIPT", words[0])
			}
			if limit <= 0 {
				return usageError("--opt-timeout is a time above 0")
			}
			return a.runFuzz(cmd, flags, &fuzz.Tools{Command: words, Limit: limit}, []string{"--opt=" + opt}, nil)
		},
	}
	flags.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&opt, "opt", "", "the `command`, such as \"yosys -p 'synth_ecp5'\"")
	fs.DurationVar(&limit, "opt-timeout", time.Minute, "how long a run of it may take")
	return cmd
}

//go:build !js

package cli

import (
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/fuzz"
	"tv/fuzz/passes"
)

func (a *app) fuzzPassesCommand() *cobra.Command {
	flags := &fuzzFlags{}
	var opt string
	var limit time.Duration
	lang := newChoice("mlir", "c")
	cmd := &cobra.Command{
		Use:   "passes --opt COMMAND",
		Short: "does a compiler's pass keep what programs mean?",
		Long: `Passes draws programs of loops, gives them to a command that reads a file of functions on standard
input and writes it transformed, and checks each function against what it was. A program for which
that is refuted is shrunk, has the command run on it again, and is compiled with the compilers that
are installed (mlir-opt-16 or -19 with mlir-translate, and clang-16, or gcc): a miscompile is what the compiled
programs show. A command that ends with an error, crashes or does not end is a finding of another kind.
No shell is involved: quotes in COMMAND are read as a shell does, all else is taken as it is.`,
		Example: `  tv fuzz passes --opt "mlir-opt-19 --pass-pipeline='builtin.module(func.func(affine-loop-fusion))'" --budget 30s
  tv fuzz passes --lang c --opt ./my-tiler --budget 5000x --seed 1 --corpus found`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			words, err := passes.Split(opt)
			if err != nil {
				return usageError("--opt: %v", err)
			}
			if _, err := exec.LookPath(words[0]); err != nil {
				return usageError("--opt: %v", err)
			}
			if limit <= 0 {
				return usageError("--opt-timeout is a time above 0")
			}
			target := &fuzz.Passes{Command: words, Language: lang.value, Limit: limit}
			return a.runFuzz(cmd, flags, target, []string{"--opt=" + opt, "--lang=" + lang.value}, nil)
		},
	}
	flags.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&opt, "opt", "", "the `command`, such as \"mlir-opt-19 --affine-loop-fusion\"")
	fs.DurationVar(&limit, "opt-timeout", 20*time.Second, "how long a run of it may take")
	fs.Var(lang, "lang", "what it reads and writes: "+strings.Join(lang.allowed, " or "))
	return cmd
}

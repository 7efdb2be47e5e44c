package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tv/internal/spelling"
)

// exactly returns the check that a command has n arguments, which its line of use names.
func exactly(n int) cobra.PositionalArgs { return arguments(n, n) }

// arguments returns the check that a command has from least to most arguments, which its line of use names; most below
// 0 is no bound.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		_, use, _ := strings.Cut(cmd.Use, " ")
		switch {
		case len(args) < least:
			return usageError("%s wants %s", cmd.CommandPath(), use)
		case most == 0 && len(args) > 0:
			return usageError("%s takes no arguments; there is %q", cmd.CommandPath(), args[0])
		case most >= 0 && len(args) > most:
			return usageError("%s takes %s; there is %q as well", cmd.CommandPath(), use, args[most])
		}
		return nil
	}
}

// flagError says what is wrong with the flags of a command.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return usageError("unknown flag: --%s; did you mean --%s?", unknown.GetSpecifiedName(), near)
		}
	}
	return usageError("%s", flagProblem(err))
}

// flagProblem is the text of an error that parsing flags returned: of a value, what the flag takes instead.
func flagProblem(err error) string {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	var takes string
	switch kind := invalid.GetFlag().Value.Type(); kind {
	case "duration":
		takes = "a time such as 10s or 2m"
	case "int":
		takes = "a whole number"
	case "uint64":
		takes = "a whole number from 0"
	case "bool":
		takes = "true or false"
	default: // ours: the error says it
		takes = invalid.Unwrap().Error()
	}
	return fmt.Sprintf("--%s takes %s, not %q", invalid.GetFlag().Name, takes, invalid.GetValue())
}

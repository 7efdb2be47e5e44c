package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tv/hwmodels/vta"
)

// implementationFlag is the flag that says as which implementation VTA takes a listing.
const implementationFlag = "implementation"

// newImplementation returns the value of that flag.
func newImplementation() *choice {
	c := newChoice(vta.Configs[0].Name)
	for _, other := range vta.Configs[1:] {
		c.allowed = append(c.allowed, other.Name)
	}
	return c
}

// registerImplementation adds the flag to a command.
func registerImplementation(cmd *cobra.Command, c *choice) {
	cmd.Flags().Var(c, implementationFlag, "whose choices the machine of a listing follows")
}

// sequentialFlag is the flag that leaves out units that run at once.
const sequentialFlag = "sequential"

// registerSequential adds the flag to flags.
func registerSequential(fs *pflag.FlagSet, sequential *bool) {
	fs.BoolVar(sequential, sequentialFlag, false, "take instructions in program order, whatever units of the machine run at once")
}

// implementationOf returns the choices of the implementation that the flag names.
func implementationOf(c *choice) vta.Config {
	config, _ := vta.Implementation(c.value) // Set takes no other name
	return config
}

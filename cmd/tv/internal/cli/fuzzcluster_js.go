package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tv/fuzz"
)

// clusterFlags are none: a browser joins no cluster.
type clusterFlags struct{}

func (*clusterFlags) register(*pflag.FlagSet) {}
func (*clusterFlags) given() bool             { return false }

func (*clusterFlags) registerQuestions(*pflag.FlagSet) {}
func (*clusterFlags) fits(*pflag.FlagSet) error        { return nil }

func (*app) askCluster(*cobra.Command, *checkFlags, []string, []*question) error { return nil }

func (*app) runCluster(*cobra.Command, *fuzzFlags, *fuzz.Campaign, []string, []string) error {
	return nil
}

func (*app) clusterCommands() []*cobra.Command { return nil }

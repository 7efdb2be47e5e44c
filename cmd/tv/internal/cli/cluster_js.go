package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// clusterFlags are none: a page joins no cluster.
type clusterFlags struct{}

func (*clusterFlags) given() bool                      { return false }
func (*clusterFlags) registerQuestions(*pflag.FlagSet) {}
func (*clusterFlags) fits(*pflag.FlagSet) error        { return nil }

func (*app) askCluster(*cobra.Command, *checkFlags, []string, []*question) error { return nil }

//go:build !js

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tv/fuzz"
	"tv/fuzz/cluster"
	"tv/internal/source"
	"tv/internal/visible"
)

// clusterCommands are the commands of clusters.
func (a *app) clusterCommands() []*cobra.Command {
	return []*cobra.Command{a.fuzzClusterCommand(), a.fuzzStatusCommand(), a.fuzzWorkCommand(), a.fuzzForgetCommand()}
}

// clusterFlags are those of a campaign that many machines run.
type clusterFlags struct {
	server  cluster.Server
	ackWait time.Duration
}

// register adds the flags of a worker.
func (f *clusterFlags) register(fs *pflag.FlagSet) {
	f.registerServer(fs, "run the campaign together with all others that say the same, by the NATS server at this `URL`")
	f.registerWait(fs)
}

// registerQuestions adds the flags of questions whose parts others may answer.
func (f *clusterFlags) registerQuestions(fs *pflag.FlagSet) {
	f.registerServer(fs, "have workers (tv fuzz work) at the NATS server of this `URL` answer parts")
	f.registerWait(fs)
}

func (f *clusterFlags) registerWait(fs *pflag.FlagSet) {
	fs.DurationVar(&f.ackWait, "ack-wait", 30*time.Second, "of a cluster: what a worker has that says nothing for this `time` goes to another")
}

// registerServer adds the flags that say how the server is reached.
func (f *clusterFlags) registerServer(fs *pflag.FlagSet, usage string) {
	fs.StringVar(&f.server.URL, "cluster", "", usage)
	fs.StringVar(&f.server.Creds, "creds", "", "of a cluster: `file` of credentials")
	fs.StringVar(&f.server.Cert, "tlscert", "", "of a cluster: `file` of this worker's certificate")
	fs.StringVar(&f.server.Key, "tlskey", "", "of a cluster: `file` of its key")
	fs.StringVar(&f.server.CA, "tlsca", "", "of a cluster: `file` of the certificates that sign the server's")
}

// given tells whether there is a cluster.
func (f *clusterFlags) given() bool { return f.server.URL != "" }

// runCluster runs this worker's share of a campaign, and reports the whole.
func (a *app) runCluster(cmd *cobra.Command, f *fuzzFlags, one *fuzz.Campaign, args, inputs []string) error {
	switch {
	case one.Cases == 0 || !cmd.Flags().Changed("seed"):
		return usageError("--cluster wants --seed and a number of cases as the --budget: all workers say the same")
	case f.shard != "" || f.resume || f.first:
		return usageError("--cluster goes without --shard, --resume and --first: ranges of cases are handed out, and the server keeps them")
	case f.cluster.ackWait <= 0:
		return usageError("--ack-wait is a time above 0")
	}
	if err := checkJobs(f.jobs); err != nil {
		return err
	}
	build, err := cluster.Build()
	if err != nil {
		return err
	}
	plan, err := a.plan(&f.reports, inputs)
	if err != nil {
		return err
	}
	isFlag := func(arg string) bool { return strings.HasPrefix(arg, "--") }
	c := &cluster.Campaign{Target: one.Target, Seed: f.seed, Cases: one.Cases, Tool: "tv " + version(), Jobs: one.Jobs, AckWait: f.cluster.ackWait,
		Build: build, Corpus: f.corpus, Flags: slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return !isFlag(arg) })}
	args = append(args, fmt.Sprintf("--seed=%d", f.seed), "--budget="+f.budget)
	m := a.meter(c.Progress, c.Cases, 0, f.reports.noTiming)
	f.reports.noTiming = true // the report is that of all workers, byte for byte
	out := a.campaignReport(cmd, &f.reports, plan, args, c.Start())
	c.Log = func(text string) { m.pause(func() { fmt.Fprintln(a.stderr, visible.Line(text)) }) }
	c.Warn = c.Log
	all, err := c.Run(cmd.Context(), f.cluster.server)
	m.stop()
	if errors.Is(err, context.Canceled) {
		err = &source.Error{Code: codeInterrupted, Msg: fmt.Sprintf("this worker stopped; %d cases of the campaign were done", c.Progress().Cases)}
		return out.end(c.Progress(), true, source.AsErrors(err))
	}
	if all == nil {
		return out.end(c.Progress(), false, source.AsErrors(err))
	}
	for i := range all.Findings {
		out.finding(&all.Findings[i])
	}
	end := all.End
	return out.end(fuzz.Progress{Cases: end.Cases, Coverage: end.Coverage, Findings: end.Findings, SetAside: end.SetAside}, false, source.AsErrors(err))
}

// serverName is the command that runs the server.
const serverName = "tv-cluster"

func (a *app) fuzzClusterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster --store DIR",
		Short: "run a server that workers of a campaign join",
		Long: `Cluster runs a NATS server with JetStream, which workers join with --cluster. It keeps campaigns in a
directory and goes on with them when it is started again. It listens on this machine alone unless
--anywhere is given. Any other NATS server with JetStream serves as well. The server is a command
by itself, tv-cluster, beside tv or in the path. doc/cluster.md has more.`,
		Example: "  tv fuzz cluster --listen 127.0.0.1:4222 --store campaigns",
		Args:    exactly(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := a.serverCommand()
			if err != nil {
				return &source.Error{Code: codeNoServer, Msg: "there is no command " + serverName + " beside tv or in the path: go build ./cmd/tv-cluster makes it"}
			}
			given := []string{serverName}
			cmd.Flags().Visit(func(f *pflag.Flag) { given = append(given, "--"+f.Name+"="+f.Value.String()) })
			return become(name, given)
		},
	}
	fs := cmd.Flags()
	fs.String("listen", "127.0.0.1:4222", "`HOST:PORT` where workers join; port 0 is any that is free")
	fs.String("store", "", "`directory` that keeps campaigns, made if need be")
	fs.Bool("anywhere", false, "other machines may join: --listen may name an address that they reach")
	fs.String("config", "", "`file` of nats-server's, for accounts and what else it has")
	fs.String("tlscert", "", "`file` of a certificate: connections are encrypted")
	fs.String("tlskey", "", "`file` of its key")
	fs.String("tlsca", "", "`file` of certificates: workers must have one that these sign")
	return cmd
}

// The codes of a server's command that is not installed, and of addresses, which are those of package fuzz/cluster/server too.
const (
	codeNoServer = "cluster-command"
	codeStart    = "cluster-start"
	codeAnywhere = "cluster-anywhere"
)

// serverCommand finds the command of the server.
func (a *app) serverCommand() (string, error) {
	if own, err := os.Executable(); err == nil {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(own), serverName)); err == nil {
			return beside, nil
		}
	}
	return exec.LookPath(serverName)
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/fuzz"
	"tv/internal/source"
)

// progressEvery is the time between two lines of progress of a campaign.
const progressEvery = 10 * time.Second

func (a *app) fuzzCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "fuzz", Short: "hunt for faults with random programs"}
	cmd.AddCommand(a.fuzzSelfCommand())
	return cmd
}

func (a *app) fuzzSelfCommand() *cobra.Command {
	var budget, shard, corpus string
	var seed uint64
	var jobs int
	var resume bool
	cmd := &cobra.Command{
		Use:   "self",
		Short: "hunt for faults of tv itself",
		Long: `Self asks tv about random programs, twins of them by true laws, which must not be refuted, and mutants,
which must not be proved where the reference evaluator tells them apart. A finding is shrunk and written to the
corpus as a litmus file. The exit status is 0 if nothing was found, 1 if something was.

The budget is a time, or a number of cases followed by x. Equal seeds give equal cases, and with a number of cases
the shards of a campaign are together the whole.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			c := &fuzz.Campaign{Seed: seed, Jobs: jobs, Corpus: corpus, Resume: resume}
			limit, cases, err := parseBudget(budget)
			if err != nil {
				return err
			}
			c.Cases = cases
			if c.Shard, c.Shards, err = parseShard(shard); err != nil {
				return err
			}
			if resume && (corpus == "" || !cmd.Flags().Changed("seed")) {
				return usageError("--resume wants --corpus and --seed, which say what to go on with")
			}
			if !cmd.Flags().Changed("seed") {
				c.Seed = rand.Uint64()
			}
			ctx := cmd.Context()
			if limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, limit)
				defer cancel()
			}
			return a.runCampaign(ctx, c)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&budget, "budget", "1m", "`time` or number of cases: 10m, 5000x")
	fs.Uint64Var(&seed, "seed", 0, "decides all cases (default: drawn, and printed)")
	fs.StringVar(&shard, "shard", "", "`i/n`: run part i of n, counted from 0 (default: $TEST_SHARD_INDEX/$TEST_TOTAL_SHARDS)")
	fs.IntVar(&jobs, "jobs", runtime.NumCPU(), "cases at a time")
	fs.StringVar(&corpus, "corpus", "", "write findings to this `directory`, and where the campaign is")
	fs.BoolVar(&resume, "resume", false, "go on where the campaign in --corpus ended")
	return cmd
}

// runCampaign prints the seed, a line every ten seconds, each finding, and what came of it all.
func (a *app) runCampaign(ctx context.Context, c *fuzz.Campaign) error {
	fmt.Fprintf(a.stdout, "seed %d, shard %d/%d\n", c.Seed, c.Shard, c.Shards)
	start := time.Now()
	line := func() string {
		cases, findings := c.Progress()
		return fmt.Sprintf("%d cases, %.0f a second, %d findings", cases, float64(cases)/max(time.Since(start).Seconds(), 1e-3), findings)
	}
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				fmt.Fprintln(a.stderr, line())
			}
		}
	}()
	err := c.Run(ctx, func(f fuzz.Finding) {
		fmt.Fprintf(a.stdout, "%s: case %d, %s\n", f.Kind, f.Case, strings.ReplaceAll(f.Detail, "\n", " "))
		if f.File != "" {
			fmt.Fprintf(a.stdout, "  tv check --expect %s\n", f.File)
		} else {
			fmt.Fprintf(a.stdout, "%s", f.Litmus(c.Seed))
		}
	})
	close(stop)
	<-ended
	fmt.Fprintln(a.stdout, line())
	if _, findings := c.Progress(); findings > 0 {
		a.exit = exitRefuted
	}
	if errors.Is(err, context.DeadlineExceeded) { // the budget is spent
		return nil
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		return &source.Error{Code: codeUsage, Msg: err.Error(), Err: err}
	}
	return err
}

// parseBudget reads a time or a number of cases.
func parseBudget(s string) (time.Duration, int64, error) {
	if digits, ok := strings.CutSuffix(s, "x"); ok {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n > 0 {
			return 0, n, nil
		}
	} else if d, err := time.ParseDuration(s); err == nil && d > 0 {
		return d, 0, nil
	}
	return 0, 0, usageError("--budget is a time or a number of cases, 10m or 5000x, not %q", s)
}

// parseShard reads i/n; an empty text is what the environment says, or the whole.
func parseShard(s string) (i, n int, err error) {
	given := s
	if s == "" {
		given = os.Getenv("TEST_SHARD_INDEX") + "/" + os.Getenv("TEST_TOTAL_SHARDS")
		if given == "/" {
			return 0, 1, nil
		}
	}
	first, second, _ := strings.Cut(given, "/")
	i, errI := strconv.Atoi(first)
	n, errN := strconv.Atoi(second)
	if errI != nil || errN != nil || i < 0 || n < 1 || i >= n {
		return 0, 0, usageError("a shard is i/n with 0 <= i < n, not %q", given)
	}
	return i, n, nil
}

//go:build !js

package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tv/equiv"
	"tv/fuzz"
	"tv/glenside/rule"
	"tv/internal/files"
	"tv/internal/source"
)

func (a *app) fuzzCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "fuzz", Short: "hunt for differences and faults with random cases",
		Long: `Fuzz runs campaigns of random cases. Equal seeds give equal cases, and with a number of cases as the
budget the shards of a campaign are together the whole. A finding is shrunk and written as a file
that replays without generator or seed. The exit status is 0 if nothing was found, 1 if something
was. doc/fuzzing.md has more.`}
	cmd.AddCommand(a.fuzzCheckCommand(), a.fuzzRulesCommand(), a.fuzzModelsCommand(), a.fuzzSelfCommand(), a.fuzzPassesCommand(), a.fuzzToolsCommand(), a.fuzzCellsCommand(),
		a.fuzzMergeCommand())
	cmd.AddCommand(a.clusterCommands()...)
	return cmd
}

// fuzzFlags are those of every campaign.
type fuzzFlags struct {
	budget, shard, corpus string
	seed                  uint64
	jobs                  int
	resume, first         bool
	cluster               clusterFlags
	reports               reportFlags
}

func (f *fuzzFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.budget, "budget", "1m", "`time` or number of cases, such as 10m or 5000x")
	fs.Uint64Var(&f.seed, "seed", 0, "decides all cases (default: drawn, and printed)")
	fs.StringVar(&f.shard, "shard", "", shardUsage)
	fs.IntVar(&f.jobs, "jobs", 0, "cases at a time (0: one a processor)")
	fs.StringVar(&f.corpus, "corpus", "",
		"keep findings, cases that cover something new and the state in this `directory`, and replay it first")
	fs.BoolVar(&f.resume, "resume", false, "go on where the campaign in --corpus ended")
	fs.BoolVar(&f.first, "first", false, "end with the first finding")
	f.cluster.register(fs)
	f.reports.registerOutputs(cmd, formatLines)
}

// runFuzz runs a campaign as the flags say. args are those of the question; inputs are the files that it reads.
func (a *app) runFuzz(cmd *cobra.Command, f *fuzzFlags, target fuzz.Target, args, inputs []string) error {
	c := &fuzz.Campaign{Target: target, Seed: f.seed, Jobs: workers(f.jobs), Corpus: f.corpus, Resume: f.resume,
		First: f.first}
	limit, cases, err := parseBudget(f.budget)
	if err != nil {
		return err
	}
	c.Cases = cases
	if f.cluster.given() { // of a job of many the environment says which part it is: workers take what is left
		return a.runCluster(cmd, f, c, args, inputs)
	}
	part, err := shardOf(f.shard)
	if err != nil {
		return err
	}
	c.Shard, c.Shards = part.index, part.total
	if err := checkJobs(f.jobs); err != nil {
		return err
	}
	if f.resume && (f.corpus == "" || !cmd.Flags().Changed("seed")) {
		return usageError("--resume wants --corpus and --seed, which say what to go on with")
	}
	if !cmd.Flags().Changed("seed") {
		c.Seed = rand.Uint64()
	}
	plan, err := a.plan(&f.reports, inputs)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	args = append(args, fmt.Sprintf("--seed=%d", c.Seed), "--budget="+f.budget)
	if c.Shards > 1 {
		args = append(args, fmt.Sprintf("--shard=%d/%d", c.Shard, c.Shards))
	}
	out := a.campaignReport(cmd, &f.reports, plan, args, c.Start("tv "+version(), f.budget))
	meter := a.meter(c.Progress, c.Cases/int64(max(1, c.Shards)), limit, f.reports.noTiming)
	c.Warn = func(text string) { meter.pause(func() { fmt.Fprintln(a.stderr, text) }) }
	err = c.Run(ctx, func(found fuzz.Finding) { meter.pause(func() { out.finding(&found) }) })
	meter.stop()
	interrupted := errors.Is(err, context.Canceled)
	if u := new(fuzz.Unfinished); errors.As(err, &u) {
		fmt.Fprintf(a.stderr, "left unfinished, and counted nowhere: cases %v of seed %d\n", u.Cases, c.Seed)
	}
	switch {
	case interrupted:
		err = &source.Error{Code: codeInterrupted, Msg: fmt.Sprintf("stopped after %d cases", c.Progress().Cases)}
	case errors.Is(err, context.DeadlineExceeded): // the budget is spent
		err = nil
	}
	if err == nil && c.Progress().Findings == 0 {
		err = a.remark(c.Target)
	}
	return out.end(c.Progress(), interrupted, source.AsErrors(err))
}

// remark prints what a target says of a campaign that went to its end. It is an error where nothing was
// looked at.
func (a *app) remark(t fuzz.Target) error {
	r, ok := t.(interface {
		Remark() (text string, nothing bool)
	})
	if !ok {
		return nil
	}
	text, nothing := r.Remark()
	if nothing {
		return &source.Error{Code: codeNothing, Msg: "nothing was compared: " + text}
	}
	if text != "" {
		fmt.Fprintln(a.stderr, text)
	}
	return nil
}

func (a *app) fuzzSelfCommand() *cobra.Command {
	flags := &fuzzFlags{}
	cmd := &cobra.Command{
		Use:   "self",
		Short: "hunt for faults of tv itself",
		Long: `Self asks tv about random programs, twins of them by true laws, which must not be refuted, and
mutants, which must not be proved where the reference evaluator tells them apart; certificates of
proofs must be accepted, and the evaluator must agree with kernels of its own and with lowerings. Programs
are of every language that has random ones. Coverage counts operators and pairs of an operator and its operand.`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runFuzz(cmd, flags, &fuzz.Self{}, nil, nil) },
	}
	flags.register(cmd)
	return cmd
}

func (a *app) fuzzCheckCommand() *cobra.Command {
	flags := &fuzzFlags{}
	question := newQuestionFlags()
	var lang *choice
	cmd := &cobra.Command{
		Use:   "check BEFORE AFTER",
		Short: "is there an input that tells two programs apart?",
		Long: `Check runs both programs in the reference evaluator on random inputs, at points of BEFORE's domain
where sizes have names. Inputs have the values that hurt: zeros of both signs, extremes, saturation
edges, infinities and NaN, as far as the element type has them, sometimes nothing else. That nothing
is found proves nothing; tv check does.`,
		Example: `  tv fuzz check --arith exact --budget 10s before.sexp after.sexp
  tv fuzz check --budget 5000x before.sexp after.comp`,
		Args: exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, err := question.options(a.reader())
			if err != nil {
				return err
			}
			var asked equiv.Question
			if asked.Bind, err = bindings(question.bind); err != nil {
				return err
			}
			if asked.Before, asked.After, err = a.programs(args, lang.value, question.function); err != nil {
				return err
			}
			if asked.Before, err = assumed(asked.Before, question.assume); err != nil {
				return err
			}
			if err := exactOnly(question.arith, cmd.Flags().Changed("arith"), asked.Before, asked.After); err != nil {
				return err
			}
			if question.arith.value == equiv.Exact.String() {
				opts.Arith = equiv.Exact
			}
			if err := readInputs(opts.Tensors, asked.Before, asked.After); err != nil {
				return err
			}
			target, err := fuzz.NewCheck(asked, opts)
			if err != nil {
				return err
			}
			given := questionArgs(cmd.Flags())
			if lang.value != "" {
				given = append(given, "--lang="+lang.value)
			}
			return a.runFuzz(cmd, flags, target, append(given, args...), append([]string{question.shapes}, args...))
		},
	}
	flags.register(cmd)
	fs := cmd.Flags()
	lang = registerLang(fs, true)
	question.registerNames(fs)
	registerDeclarations(fs, &question.shapes, &question.inputs)
	fs.Var(question.equal, "equal", "what equal means: same values, or the same split as well")
	fs.Var(question.arith, "arith", arithUsage)
	return cmd
}

func (a *app) fuzzRulesCommand() *cobra.Command {
	flags := &fuzzFlags{}
	arith := newArith()
	var only []string
	var expect bool
	cmd := &cobra.Command{
		Use:   "rules RULES...",
		Short: "is there an instance of a rule whose sides differ?",
		Long: `Rules draws instances of rewrite rules at random ranks and sizes and runs both sides of those that
are admitted in the reference evaluator, on random inputs. An instance that a rule admits and whose
right side has no meaning is a finding too. That nothing is found proves nothing; tv certify does.
Coverage counts pairs of an operator and its operand, and each rule with the numbers of dims of its
groups.`,
		Example: "  tv fuzz rules --budget 30s glenside/rules/*.rules",
		Args:    arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := files.Expand(args, []string{"." + langRules})
			if err != nil {
				return err
			}
			rules, err := a.readRules(args, only)
			if err != nil {
				return err
			}
			if expect {
				rules = slices.DeleteFunc(rules, func(r *rule.Rule) bool {
					return r.Want == equiv.Refuted.String()
				})
			}
			if len(rules) == 0 {
				return &source.Error{Code: codeNothing, Msg: "nothing was asked: there is no rule left"}
			}
			return a.runFuzz(cmd, flags, fuzz.NewRules(rules, arithOf(arith)), append(questionArgs(cmd.Flags()), args...), args)
		},
	}
	flags.register(cmd)
	fs := cmd.Flags()
	fs.Var(arith, "arith",
		"arithmetic, where a rule says nothing: each element type by itself, real numbers, or bit for bit")
	fs.StringArrayVar(&only, "only", nil, "look at the rule of this `name` only (repeatable)")
	fs.BoolVar(&expect, "expect", false, "leave out the rules that want to be refuted")
	return cmd
}

func (a *app) fuzzModelsCommand() *cobra.Command {
	flags := &fuzzFlags{}
	cmd := &cobra.Command{
		Use:   "models [NAME...]",
		Short: "do simulator, symbolic executor, drivers, contracts and kernels agree?",
		Long: `Models runs machines and drivers (tv ila list names them; without a name: all). A machine runs
random streams of instructions, most of them legal, in the simulator and in the symbolic executor. A
driver's program for random sizes and operands runs in the simulator; its output is compared with
the contract, and that with a kernel that shares nothing with tv. Coverage counts instructions,
pairs of them that follow each other, faults, and sizes of drivers.`,
		Example: "  tv fuzz models vta vta-dense --budget 30s",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := fuzz.NewModels(args)
			if err != nil {
				return err
			}
			return a.runFuzz(cmd, flags, target, args, nil)
		},
	}
	flags.register(cmd)
	return cmd
}

// readRules reads the rules of files; only, unless it is empty, says which.
func (a *app) readRules(names, only []string) ([]*rule.Rule, error) {
	var out []*rule.Rule
	var errs source.Errors
	known := map[string]bool{}
	for _, name := range names {
		f, err := files.Read(name, a.stdin)
		var rules []*rule.Rule
		if err == nil {
			rules, err = rule.Parse(f)
		}
		errs = append(errs, source.AsErrors(err)...)
		for _, r := range rules {
			known[r.Name] = true
			if len(only) == 0 || slices.Contains(only, r.Name) {
				out = append(out, r)
			}
		}
	}
	if len(errs) == 0 {
		errs = missingRules(only, known)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return out, nil
}

func (a *app) fuzzMergeCommand() *cobra.Command {
	flags := &reportFlags{}
	cmd := &cobra.Command{
		Use:   "merge LINES...",
		Short: "unite what the shards of a campaign found",
		Long: `Merge reads what the shards of one campaign wrote with --format jsonl, and reports each finding
once, in the order of cases, as the whole campaign would. A shard that is missing or did not end is
said on standard error, and the exit status is then 2.`,
		Example: "  tv fuzz merge shard-*.jsonl",
		Args:    arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := files.Expand(args, []string{"." + formatLines})
			if err != nil {
				return err
			}
			var parts []*fuzz.Lines
			for _, name := range args {
				f, err := files.Read(name, a.stdin)
				if err != nil {
					return err
				}
				p, err := fuzz.ReadLines(f)
				if err != nil {
					return err
				}
				parts = append(parts, p)
			}
			all, missing, err := fuzz.Merge(parts)
			if err != nil {
				return err
			}
			plan, err := a.plan(flags, args)
			if err != nil {
				return err
			}
			flags.noTiming = true // shards ran side by side
			out := a.campaignReport(cmd, flags, plan, args, all.Start)
			for i := range all.Findings {
				out.finding(&all.Findings[i])
			}
			var errs source.Errors
			if len(missing) > 0 {
				errs = append(errs, &source.Error{Code: fuzz.CodeLines,
					Msg: fmt.Sprintf("shards %v of %d are missing or did not end", missing, parts[0].Start.Shards)})
			}
			end := all.End
			return out.end(fuzz.Progress{Cases: end.Cases, Coverage: end.Coverage, Findings: end.Findings, SetAside: end.SetAside},
				end.Interrupted, errs)
		},
	}
	flags.registerOutputs(cmd, formatLines)
	return cmd
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

// fuzzCodes are those of package fuzz.
var fuzzCodes = []Code{
	{
		Name:    fuzz.CodeCorpus,
		Meaning: "a .txtar file of a corpus does not hold a case that tv fuzz wrote, or one that cannot be run; a campaign sets it aside",
		run:     "tv fuzz self --budget 1x --corpus c\n-- c/a.txtar --\nnothing\n",
	},
	{
		Name:    fuzz.CodeState,
		Meaning: "the state of a campaign, which --resume reads, is of another campaign or not one",
		run:     "tv fuzz self --budget 1x --corpus c --seed 1 --resume\n-- c/self-0-of-1.json --\nnothing\n",
	},
	{
		Name:    fuzz.CodeLines,
		Meaning: "a file that tv fuzz merge reads is not what tv fuzz wrote with --format jsonl, or a part of another campaign",
		run:     "tv fuzz merge a.jsonl\n-- a.jsonl --\nnothing\n",
	},
}

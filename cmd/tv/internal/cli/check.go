package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/machine"
	"tv/equiv/rules"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/proofs"
	proof "tv/proofs/bits"
)

// interruptGrace is how long answers on their way are waited for after an interrupt.
const interruptGrace = time.Second

func (a *app) checkCommand() *cobra.Command {
	flags := &checkFlags{
		questionFlags: newQuestionFlags(),
		lang: &choice{allowed: slices.Concat([]string{langProgram, langLitmus}, circuitLangNames(), languageNames()),
			pairs: slices.Concat(circuitLangNames(), languageNames())},
		langUsage: "kind of the input files, where it does not go by the extension (vta: of the last one), or two languages, " +
			"BEFORE,AFTER",
	}
	flags.implementation = newImplementation()
	cmd := &cobra.Command{
		Use:   "check BEFORE AFTER | P0 P1 ... Pn | CASE.txtar... | DIR...",
		Short: "are two programs equal, for every input and size?",
		Long: `Check says whether AFTER equals BEFORE for every input and, with named sizes, for every size of the
domain that BEFORE sets, or shows an input that tells them apart. The programs may be of any two languages:
tv help languages.

With more than two programs each is compared with the next, and the first wrong step is named. The last may be
a listing of VTA's instructions (.vta): then what the machine leaves is compared, bit for bit, whatever the timing of
its units, which run at once; --sequential takes instructions in program order. Implementations of VTA differ;
--implementation says which one the machine is.
A litmus file (.txtar) holds a pair and the flags of its question; a directory stands for those below it, and a
pattern in quotes for what it matches. --shard i/n asks only the questions whose number, counted from 0, is i modulo n:
the parts together ask all. "-" is standard input.`,
		Example: `  tv check before.sexp after.sexp
  tv check --arith exact --input A=32x32:int8 before.sexp after.sexp
  tv check mm.sexp mm.comp
  tv check --bind A=P,B=Q before.comp after.sexp
  tv check p0.sexp p1.sexp p2.sexp
  tv check matmul.sexp program.vta
  tv check --implementation hls matmul.sexp program.vta
  tv check --expect testdata/check
  tv check --expect --shard 0/4 'lowering/*.txtar'`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.check(cmd, flags, args)
		},
	}
	flags.register(cmd)
	registerImplementation(cmd, flags.implementation)
	registerSequential(cmd.Flags(), &flags.sequential)
	flags.registerNames(cmd.Flags())
	registerExact(cmd.Flags(), &flags.exact)
	if hasCircuits {
		flags.circuit.register(cmd)
	}
	cmd.Flags().IntVar(&flags.latency, "latency", -1, "cycles after which a circuit has the outputs (default: what the specification says)")
	cmd.Flags().StringVar(&flags.certificate, "certificate", "",
		"write a certificate of what was proved to a `file`; an older file is removed")
	return cmd
}

func (a *app) check(cmd *cobra.Command, flags *checkFlags, args []string) error {
	return a.judge(cmd, flags, args, []string{"." + langLitmus}, a.questions)
}

// judge asks the questions that the arguments pose and reports the answers. Of directories it reads the files with one of the
// extensions.
func (a *app) judge(cmd *cobra.Command, flags *checkFlags, args, extensions []string,
	pose func(*cobra.Command, *checkFlags, []string) ([]*question, error),
) error {
	if err := checkJobs(flags.jobs); err != nil {
		return err
	}
	part, err := shardOf(flags.shard)
	if flags.cluster.given() { // of a job of many the environment says which part it is: workers take what is left
		part, err = shard{total: 1}, flags.cluster.fits(cmd.Flags())
	}
	if err != nil {
		return err
	}
	names, wrong := files.Expand(args, extensions)
	plan, err := a.plan(&flags.reportFlags, append([]string{flags.shapes}, names...),
		flags.counterexample, flags.certificate)
	if err != nil {
		return err
	}
	for _, name := range []string{flags.counterexample, flags.certificate} {
		if name == "" {
			continue
		}
		if err := files.Remove(name); err != nil {
			return err
		}
	}
	if flags.certificates != "" {
		if err := files.MakeDirectory(flags.certificates); err != nil { // so that no run is in vain
			return err
		}
	}
	if flags.opened, err = a.openCache(cmd.Context(), flags.cache); err != nil {
		return err
	}
	var questions []*question
	if err = wrong; err == nil {
		questions, err = pose(cmd, flags, names)
	}
	run := &ci.Run{
		Expect: flags.expect,
		Chain:  len(questions) > 1 && questions[0].step > 0,
		Rules:  len(questions) > 0 && questions[0].rule != nil,
		Errors: source.AsErrors(err),
	}
	trivial := !slices.ContainsFunc(questions, func(q *question) bool { return !q.trivial })
	questions = part.of(run, questions)
	run.Args = reportArgs(cmd, flags, run.Shard, args)
	if flags.cluster.given() && err == nil {
		if err := a.askCluster(cmd, flags, names, questions); err != nil {
			return err
		}
	}
	answers := a.ask(cmd.Context(), flags, questions)
	a.warnCached(questions, answers)
	a.finish(run, flags, questions, answers, trivial, cmd.Context().Err() != nil)
	if flags.counterexample != "" {
		run.Errors = append(run.Errors, source.AsErrors(writeCounterexample(flags.counterexample, answers))...)
	}
	if flags.certificates != "" {
		run.Errors = append(run.Errors, source.AsErrors(writeCertificates(flags.certificates, run))...)
	}
	if flags.certificate != "" {
		run.Errors = append(run.Errors, source.AsErrors(writeCertificate(flags.certificate, run))...)
	}
	return a.deliver(run, &flags.reportFlags, plan, nil)
}

// warnCached prints what is wrong with the cache, in the order of the questions.
func (a *app) warnCached(questions []*question, answers []*answer) {
	for i, q := range questions {
		if answers[i] == nil { // it may still be at work
			continue
		}
		for _, w := range q.warnings {
			fmt.Fprintln(a.stderr, w)
		}
	}
}

// finish moves the answers into the run, in the order of the questions. trivial says that all questions of the command are,
// also those of other shards.
func (a *app) finish(
	run *ci.Run, flags *checkFlags, questions []*question, answers []*answer, trivial, interrupted bool,
) {
	open, first := 0, true
	for i, q := range questions {
		item := ci.Item{Name: q.name, Want: q.want, WantWhereBoth: q.wantWhereBoth, Open: answers[i] == nil, Place: q.place, Step: q.step > 0}
		if ans := answers[i]; ans != nil {
			item.Result, item.Errors, item.Rule = ans.result, ans.errs, ans.rule
			if q.taken != nil {
				item.Resumed, item.ResumedPrint = q.taken.raw, q.taken.said.Fingerprint
			}
			if len(ans.errs) > 0 {
				item.Result.Before, item.Result.After = q.before, q.after
			}
			if ans.place.File != nil {
				item.Place = ans.place
			}
			if s := ans.shown; s != nil {
				item.Texts, item.Programs, item.Trace, item.Scene = s.texts, s.programs, s.trace, s.scene
			}
			if ans.circuit != nil {
				item.Circuit, item.Repair = ans.circuit.counterexample, ans.circuit.repair
				if s := ans.circuit.shown(); item.Circuit != nil {
					item.Texts, item.Netlist = s.texts, s.netlist
				}
			}
			item.Replay = shellQuote(append(q.replay, "--counterexample", "counterexample.txtar")...)
			programs := ans.before != nil && ans.after != nil // a right side of a rule may be none
			shown := ans.result.Counterexample != nil && programs || item.Circuit != nil
			if ans.result.Verdict == equiv.Refuted && shown && first {
				if first = false; flags.counterexample != "" {
					item.Replay = shellQuote("tv", "replay", flags.counterexample)
				}
			}
		} else {
			item.Result.Before, item.Result.After = q.before, q.after
			open++
		}
		run.Items = append(run.Items, item)
	}
	if run.Rules && trivial && len(questions) > open && allTrivial(run.Items) {
		run.Errors = append(run.Errors, &source.Error{Code: codeNothing, Msg: "nothing was asked: both sides of each rule are one text"})
	}
	if interrupted {
		run.Errors = append(run.Errors, &source.Error{Code: codeInterrupted,
			Msg: fmt.Sprintf("stopped with %d of %d questions answered", len(questions)-open, len(questions))})
	}
}

// allTrivial tells whether all items are rules whose sides are one text.
func allTrivial(items []ci.Item) bool {
	for i := range items {
		if r := items[i].Rule; r == nil || !r.Trivial || len(items[i].Errors) > 0 {
			return false
		}
	}
	return true
}

// exitStatus returns the status of a run: in a mixed one 2 beats 1 beats 3. What the baseline has does not count.
func exitStatus(run *ci.Run) int {
	failed, refuted, unknown, unwanted := len(run.Errors) > 0, false, false, false
	if len(run.Items) == 0 && run.Campaign == nil { // but there may be more shards than questions
		failed = failed || run.Shard == nil || run.Shard.Questions == 0
	}
	for _, e := range run.Errors {
		if e.Code == codeInterrupted {
			return exitInterrupted
		}
	}
	for i := range run.Items {
		it := &run.Items[i]
		failed = failed || len(it.Errors) > 0
		if run.Known(it) {
			continue
		}
		refuted = refuted || it.Result.Verdict == equiv.Refuted
		unknown = unknown || it.Result.Verdict == equiv.Unknown
		unwanted = unwanted || !it.AsWanted()
	}
	switch {
	case failed:
		return exitError
	case run.Expect && unwanted:
		return exitRefuted
	case run.Expect:
		return exitProved
	case refuted:
		return exitRefuted
	case unknown:
		return exitUnknown
	}
	return exitProved
}

// An answer to a question: a result or errors.
type answer struct {
	result        equiv.Result
	errs          source.Errors
	before, after *source.File
	place         source.Span // of AFTER
	machine       string      // of a listing: the implementation
	extensions    [2]string   // of the programs, by their languages
	bind          []equiv.Binding
	rule          *rules.Result
	circuit       *circuitAnswer
	shown         *shown // for pages
}

// ask answers the questions, several at a time. Those without an answer when ctx ends are nil.
func (a *app) ask(ctx context.Context, flags *checkFlags, questions []*question) []*answer {
	type arrival struct {
		i   int
		ans *answer
	}
	ctx, progress := a.progress(ctx, flags, questions)
	defer progress.stop()
	// The channel has room for all: a question that outlives the wait below must not block.
	arrivals := make(chan arrival, len(questions))
	var group errgroup.Group
	group.SetLimit(workers(flags.jobs))
	go func() {
		for i, q := range questions {
			group.Go(func() error {
				arrivals <- arrival{i, a.answer(ctx, flags, q)}
				return nil
			})
		}
	}()
	answers := make([]*answer, len(questions))
	interrupted := ctx.Done()
	var grace <-chan time.Time
	for left := len(questions); left > 0; {
		select {
		case got := <-arrivals:
			answers[got.i] = got.ans
			progress.step(got.ans)
			left--
		case <-interrupted:
			interrupted, grace = nil, time.After(interruptGrace)
		case <-grace:
			return answers
		}
	}
	return answers
}

// answer asks one question. It returns nil where an interrupt left it open.
func (a *app) answer(ctx context.Context, flags *checkFlags, q *question) *answer {
	if ctx.Err() != nil {
		return nil
	}
	if q.rule != nil {
		return a.ruleAnswer(ctx, flags, q)
	}
	ans := &answer{}
	if q.circuit != nil {
		err := guard(a.stderr, func() (err error) {
			ans.circuit, err = q.circuit(ctx)
			return err
		})
		if ans.circuit != nil {
			ans.result = ans.circuit.result
			for _, w := range ans.circuit.warnings {
				q.warnings = append(q.warnings, w.Error())
			}
		}
		ans.result.Before, ans.result.After = q.before, q.after
		ans.errs = source.AsErrors(err)
		if ctx.Err() != nil && ans.result.Verdict == equiv.Unknown {
			return nil
		}
		return ans
	}
	err := guard(a.stderr, func() error {
		p, err := q.load()
		if err != nil {
			return err
		}
		p.opts.Explain, p.opts.Unblamed = flags.explain, a.delivered == nil && flags.saysVerdictsAlone()
		uses := p.applyContracts()
		if p.machine != nil {
			before, ok := glensideOf(p.before)
			if !ok {
				return usageError("a listing is compared with a program of Glenside")
			}
			ans.before, ans.after, ans.place = before.File, p.listing, p.machine.Output.Span
			ans.machine = p.implementation
			ans.result, err = machine.Check(ctx, before, p.machine, machine.Options{Options: p.opts, Sequential: p.sequential})
			ans.result.Before, ans.result.After = q.before, q.after
			if flags.wants("html") && err == nil {
				ans.shown = showListing(before, p.listing, p.machine, &ans.result)
			}
			if err == nil {
				restOn(ctx, &ans.result, uses, p.implementation, p.opts)
			}
			return err
		}
		ans.before, ans.after, ans.place = p.before.File(), p.after.File(), p.after.Root()
		ans.extensions, ans.bind = [2]string{extension(p.before), extension(p.after)}, p.bind
		asked := equiv.Question{Before: p.before, After: p.after, Bind: p.bind}
		state := func() (string, error) { return equiv.PairStatement(asked, p.opts) }
		ask := func(opts equiv.Options) (equiv.Result, error) {
			return equiv.Check(ctx, asked, opts)
		}
		ans.result, err = remember(flags.opened, q, state, p.opts, ask)
		ans.result.Before, ans.result.After = q.before, q.after
		if err == nil {
			restOn(ctx, &ans.result, uses, "", p.opts)
			sayNoSolver(&ans.result, p.opts.Solver)
		}
		if p.exact {
			ans.result.RequireExact()
		}
		if err == nil && (flags.wants("html") || flags.explain) {
			ans.shown = show(asked, p.opts, &ans.result)
		}
		if err == nil && flags.explain {
			if ans.result.Verdict == equiv.Proved {
				ans.shown.describe(asked, p.opts)
			}
			ans.result.Explanation = append(ans.result.Explanation, ans.shown.steps(&ans.result)...)
		}
		return err
	})
	ans.errs = source.AsErrors(err)
	if ctx.Err() != nil && (err != nil || ans.result.Verdict == equiv.Unknown) {
		return nil
	}
	return ans
}

// writeCounterexample writes the first counterexample among the answers, if there is one.
func writeCounterexample(name string, answers []*answer) error {
	for _, ans := range answers {
		if ans == nil || ans.result.Verdict != equiv.Refuted {
			continue
		}
		if hasCircuits && ans.circuit != nil {
			data, err := ans.circuit.file(name)
			if err != nil {
				return err
			}
			return files.WriteAtomic(name, data)
		}
		c, ok := casefile.NewCounterexample(ans.before, ans.after, &ans.result,
			"tv "+version()+" "+runtime.Version(), "to see it: "+shellQuote("tv", "replay", name))
		if !ok {
			continue
		}
		c.Listing, c.Expect.Implementation, c.Extensions = ans.machine != "", ans.machine, ans.extensions
		for _, b := range ans.bind {
			c.Expect.Bind = append(c.Expect.Bind, b.Before+"="+b.After)
		}
		data, err := c.Bytes()
		if err != nil {
			return err
		}
		return files.WriteAtomic(name, data)
	}
	return nil
}

// writeCertificate writes one certificate for all that was proved.
func writeCertificate(name string, run *ci.Run) error {
	var pairs []proofs.Pair
	var circuits []byte // these stand behind one another
	for i := range run.Items {
		if data := run.Items[i].Result.Certificate; proof.Is(data) {
			circuits = append(circuits, data...)
		} else if data != nil {
			of, err := proofs.Parse(name, data)
			if err != nil {
				return err
			}
			pairs = append(pairs, of...)
		}
	}
	if len(pairs) == 0 && circuits == nil {
		return nil
	}
	data := circuits
	if data == nil {
		data = proofs.Format(pairs)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	for i := range run.Items {
		if it := &run.Items[i]; it.Result.Certificate != nil {
			it.Certificate, it.CertificateSHA256 = name, sum
		}
	}
	return files.WriteAtomic(name, data)
}

// reportArgs returns what the report calls the arguments: the question, without what says only how to work
// on it or where to report, so that reports of the same question are the same.
func reportArgs(cmd *cobra.Command, flags *checkFlags, s *ci.Shard, args []string) []string {
	list := append([]string{cmd.Name()}, questionArgs(cmd.Flags())...)
	for _, name := range []string{"format-in", "conv", "only", "both"} { // of tv certify
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			list = append(list, flagArgs(f)...)
		}
	}
	if flags.lang.value != "" {
		list = append(list, "--lang="+flags.lang.value)
	}
	if flags.expect {
		list = append(list, "--expect")
	}
	if flags.exact {
		list = append(list, "--require-exact")
	}
	if flags.explain {
		list = append(list, "--explain")
	}
	if s != nil {
		list = append(list, fmt.Sprintf("--shard=%d/%d", s.Index, s.Of))
	}
	return append(list, args...)
}

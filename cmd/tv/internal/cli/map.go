package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/ci/cache"
	"tv/equiv"
	"tv/equiv/machine"
	"tv/equiv/mapping"
	"tv/equiv/rules"
	"tv/equiv/sample"
	"tv/glenside"
	"tv/glenside/rule"
	maprules "tv/hwmodels/rules"
	"tv/internal/files"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/proofs"
	"tv/proofs/mapped"
	"tv/semantics"
	"tv/semantics/domain"
	language "tv/semantics/glenside"
	"tv/semantics/relay"
)

// mapFlags are what tv map is told.
type mapFlags struct {
	rules, without, targets         []string
	list, fit, pad, ideal           bool
	split, join, uncertified, stats bool
	cost, certificates, cache       string
	out, explain, dot, report, page string // page is the file that report names
	arith, extract, rounds, format  *choice
	mode                            *choice
	iters, nodes                    int
	timeout                         time.Duration
}

func (a *app) mapCommand() *cobra.Command {
	f := mapFlags{arith: newArith(), extract: newChoice(mapping.ExtractDAG, mapping.ExtractGreedy, mapping.ExtractOptimum),
		rounds: newChoice("none", "backoff"), format: newChoice("text", "json", "html"), mode: newChoice(modeFlexible, modeExact)}
	cmd := &cobra.Command{
		Use:   "map PROGRAM --target TARGET",
		Short: "map a program onto accelerators by certified rules",
		Long: `Map rewrites a program so that as much of its work as possible is done by calls of accelerators. It applies rules that
are proved in both directions in all ways at once, takes the cheapest program that it finds, and says why that is
equal to PROGRAM: step by step, in a file that tv verify checks. Both programs are compared as tv check does too.
Nothing of the search is believed. doc/map.md has the details.`,
		Example: `  tv map network.sexp --target vta -o mapped.sexp --explain mapped.map
  tv map model.relay --target flexasr --pad -o mapped.sexp
  tv map network.sexp --target flexasr,hlscnn --format json
  tv map network.sexp --target systolic=16x16 --rules own.rules --without 'conv2d-*'
  tv map --list-rules --target vta`,
		Args: arguments(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.mapProgram(cmd.Context(), args, &f)
		},
	}
	fs := cmd.Flags()
	fs.StringArrayVar(&f.rules, "rules", nil, "more rules, in a `file` (repeatable)")
	fs.StringArrayVar(&f.without, "without", nil, "leave out the rules whose names match a `pattern` such as conv2d-* (repeatable)")
	fs.BoolVar(&f.list, "list-rules", false, "print the rules that would be used, and end")
	fs.StringVar(&f.cost, "cost", "calls", "what is cheap: calls, ops, or a cost model in a `file`")
	fs.StringSliceVar(&f.targets, "target", nil, "`TARGET`[,...]: "+strings.Join(mapping.TargetNames(), ", "))
	fs.BoolVar(&f.fit, "fit", false, "keep to the limits of the machines (default)")
	fs.BoolVar(&f.pad, "pad", false, "use rules that pad with zeros too")
	fs.BoolVar(&f.ideal, "ideal", false, "use rules without the limits of the machines too")
	fs.BoolVar(&f.split, "split", false, "use rules that cut operands too")
	fs.BoolVar(&f.join, "join", false, "use rules that join operands too")
	fs.Var(f.arith, "arith", arithUsage)
	fs.StringVar(&f.cache, "cache", "", "`directory` that keeps certificates between runs")
	fs.StringVar(&f.certificates, "certificates", "", "`directory` with certificates of tv certify --both")
	fs.DurationVar(&f.timeout, "timeout", time.Minute, "time that the search may take, and the check of the result")
	fs.Var(f.extract, "extract", "how the cheapest program is looked for")
	fs.IntVar(&f.iters, "iters", mapping.DefaultRounds, "most rounds")
	fs.IntVar(&f.nodes, "nodes", mapping.DefaultNodes, "most nodes of the e-graph")
	fs.Var(f.rounds, "rounds", "whether rules with many matches sit out rounds")
	fs.Var(f.mode, "mode", "flexible, or exact: count the matches of the published patterns in the text of the program")
	fs.BoolVar(&f.uncertified, "uncertified", false, "let rules fire that are not proved: the result rests on the check alone")
	fs.StringVarP(&f.out, "output", "o", "", "`FILE` for the mapped program; standard output where there is none")
	fs.StringVar(&f.explain, "explain", "", "`FILE` for the explanation")
	fs.StringVar(&f.dot, "dot", "", "`FILE` for a drawing of the mapped program, in the language of Graphviz")
	fs.Var(f.format, "format", "of the report")
	fs.StringVar(&f.report, "report", "", "write the report as a page too: html=`FILE`")
	fs.BoolVar(&f.stats, "stats", false, "list the rules in the text report too")
	return cmd
}

// A mapReport is what tv map says.
type mapReport struct {
	Schema   string         `json:"schema"`
	Program  string         `json:"program"`
	Targets  []string       `json:"targets"`
	Verdict  string         `json:"verdict"` // proved, refuted or unknown
	Calls    map[string]int `json:"calls"`   // by operator group
	Host     mapCount       `json:"host_operators"`
	Padding  mapPadding     `json:"padding"`
	Cost     mapCost        `json:"cost"`
	Rounds   int            `json:"rounds"`
	Nodes    int            `json:"nodes"`
	Classes  int            `json:"classes"`
	Stopped  string         `json:"stopped"`
	Rules    mapRuleList    `json:"rules"`
	Explain  mapExplanation `json:"explanation"`
	Check    mapCheck       `json:"check"`
	Exact    []string       `json:"arithmetic"` // one line each: "float32 in real numbers"
	Notes    []string       `json:"notes"`
	mapped   string
	proof    []byte
	rejected error // of the explanation
}

type mapCount struct {
	Before int `json:"before"`
	After  int `json:"after"`
}

type mapPadding struct {
	Elements     int64 `json:"elements"`
	MultiplyAdds struct {
		Needed int64 `json:"needed"`
		Done   int64 `json:"done"`
	} `json:"multiply_adds"`
}

type mapCost struct {
	Model   string   `json:"model"`
	Before  []uint64 `json:"before"`
	After   []uint64 `json:"after"`
	Optimal bool     `json:"optimal"`
}

type mapRule struct {
	Name    string
	Matches int
	Used    int
}

// A mapRuleList is an object in JSON, by the names of its rules.
type mapRuleList []mapRule

// MarshalJSON writes matches and used instances by name, sorted.
func (l mapRuleList) MarshalJSON() ([]byte, error) {
	type count struct {
		Matches int `json:"matches"`
		Used    int `json:"used"`
	}
	out := map[string]count{}
	for _, r := range l {
		out[r.Name] = count{r.Matches, r.Used}
	}
	return json.Marshal(out)
}

type mapExplanation struct {
	Accepted bool   `json:"accepted"`
	Steps    int    `json:"steps"` // instances of rules
	File     string `json:"file,omitempty"`
}

type mapCheck struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	Detail  string `json:"detail,omitempty"`

	Exact     []mapExact `json:"exact,omitempty"`     // does the proof hold bit for bit?
	Idealised []string   `json:"idealised,omitempty"` // calls that are taken by their ideal meaning
	RestsOn   []string   `json:"rests_on,omitempty"`  // contracts
}

// A mapExact says whether a proof in real numbers holds bit for bit in a type.
type mapExact struct {
	Type    string `json:"type"`
	Verdict string `json:"verdict"` // yes, no or unknown
	Reason  string `json:"reason,omitempty"`
	Witness string `json:"witness,omitempty"` // of a no: the element that differs
}

// Codes of tv map.
const (
	codeMapRules   = "map-rules"
	codeMapTarget  = "unknown-target"
	schemaMap      = "tv.map/v1"
	rulesPerTarget = ".rules"
	modeFlexible   = "flexible"
	modeExact      = "exact"
)

// mapCodes are those of tv map.
var mapCodes = []Code{
	{
		Name: glenside.CodeSizesOpen, Meaning: "tv map is asked about a program with named sizes",
		run: "tv map a.sexp --target vta\n-- a.sexp --\n(input A (shape N))\n(access A 1)\n",
	},
	{
		Name: codeMapTarget, Meaning: "--target names no accelerator, or one whose array has another size or none",
		run: "tv map a.sexp --target systolic\n-- a.sexp --\n(input A (shape 2))\n(access A 1)\n",
	},
	{
		Name: codeMapRules, Meaning: "rules that tv map is to use cannot be used together, or not at all",
		run: "tv map a.sexp --rules a.rules --rules b.rules\n-- a.sexp --\n(input A (shape 2))\n(access A 1)\n-- a.rules --\n" +
			"(rule r (vars (?a ((?n) ()))) (lhs (access ?a 1)) (rhs ?a) (equal tensor))\n-- b.rules --\n" +
			"(rule r (vars (?a ((?n) ()))) (lhs (access ?a 0)) (rhs ?a) (equal tensor))\n",
	},
	{
		Name: mapping.CodeCost, Meaning: "a cost model is not in the form that cost models have",
		run: "tv map a.sexp --target vta --cost a.cost\n-- a.sexp --\n(input A (shape 2))\n(access A 1)\n-- a.cost --\n" +
			"tv-cost 1\nrelay-dense 0\n",
	},
}

// A mapRules is the set of rules of a run.
type mapRules struct {
	list    []*rule.Rule
	named   map[string]*rule.Rule
	shipped map[*rule.Rule]bool
	refuted int      // skipped: they are wanted refuted
	gated   []string // names of those that a flag would allow
	// replaced are the names of shipped rules for which rules of files of the user's stand.
	replaced []string
	given    map[string]int64
	steps    []string // operators that rules go through
	cuts     []string // those that are taken apart after the search
	parts    bool     // rules for the parts of splits and stacks are wanted, as many as a program has
}

// mapProgram maps one program.
func (a *app) mapProgram(ctx context.Context, args []string, f *mapFlags) error {
	if f.report != "" {
		format, file, _ := strings.Cut(f.report, "=")
		if f.page = file; format != "html" || file == "" {
			return usageError("--report takes html=FILE, not %q", f.report)
		}
	}
	if loops, err := f.isLoopTarget(); err != nil {
		return err
	} else if loops {
		return a.mapProcedure(ctx, args, f)
	}
	set, err := a.mapRules(f)
	if err != nil {
		return err
	}
	if f.list {
		var b strings.Builder
		for _, r := range set.list {
			b.WriteString(r.Name)
			if len(r.Use) > 0 {
				fmt.Fprintf(&b, " (use %s)", strings.Join(r.Use, " "))
			}
			b.WriteByte('\n')
		}
		return a.output("", []byte(b.String()))
	}
	if len(args) != 1 {
		return usageError("tv map takes one program")
	}
	if err := notInputs(append(slices.Clone(f.rules), args...), []string{f.out, f.explain, f.dot, f.page}); err != nil {
		return err
	}
	switch {
	case f.fit && f.pad || f.fit && f.ideal || f.pad && f.ideal:
		return usageError("--fit, --pad and --ideal exclude each other")
	case f.timeout <= 0:
		return usageError("--timeout takes a time above 0, such as 10s")
	case f.iters < 1 || f.nodes < 1:
		return usageError("--iters and --nodes take numbers from 1 on")
	}
	costs, err := a.costModel(f.cost)
	if err != nil {
		return err
	}
	file, err := files.Read(args[0], a.stdin)
	if err != nil {
		return err
	}
	var model semantics.Source // where the program is imported
	switch l := languageOf(args[0], ""); l.Name {
	case language.Language.Name:
	case relay.Language.Name:
		if model, file, err = a.imported(file); err != nil {
			return err
		}
	default:
		return &source.Error{Name: file.Name, Code: codeMapTarget, Msg: "a program in " + l.Name + " is not mapped onto " + strings.Join(f.targets, ",") +
			": programs of Glenside and models in Relay are, and --target " + loopTargets[0] + " takes C and TC"}
	}
	if set.parts && f.mode.value != modeExact {
		families, err := mapping.Families(file)
		if err != nil {
			return err
		}
		if families.Text != "" {
			if err := set.add(f, families, true); err != nil {
				return err
			}
		}
	}
	c := &certifier{app: a, set: set, flags: f, opts: equiv.Options{Arith: arithOf(f.arith), FirstOnly: true, Unmended: true},
		known: map[mapping.Question]*certified{}}
	if c.cache, err = a.openCache(ctx, f.cache); err != nil {
		return err
	}
	if err := c.load(); err != nil {
		return err
	}
	report, err := a.mapAll(ctx, file, model, set, costs, c, f)
	if err != nil {
		return err
	}
	return a.deliverMap(f, file, report)
}

// mapRules collects the rules that the flags name.
func (a *app) mapRules(f *mapFlags) (*mapRules, error) {
	set := &mapRules{named: map[string]*rule.Rule{}, shipped: map[*rule.Rule]bool{}, given: map[string]int64{}}
	var texts []*source.File
	var own []bool
	var names []string
	for _, text := range f.targets {
		t, err := mapping.ParseTarget(text)
		if err != nil {
			return nil, &source.Error{Name: "--target", Code: codeMapTarget, Msg: err.Error()}
		}
		names = append(names, t.Name)
		set.steps, set.cuts = append(set.steps, t.Steps...), append(set.cuts, t.Cuts...)
		set.parts = set.parts || t.Parts
		for name, n := range t.Given {
			if old, twice := set.given[name]; twice && old != n {
				return nil, &source.Error{Name: "--target", Code: codeMapTarget, Msg: "two arrays of different sizes cannot be targets of one run"}
			}
			set.given[name] = n
		}
	}
	if slices.Contains(names, "systolic-blocking") {
		blocks := func(op string) bool { return op == "systolic-array-with-blocking" }
		set.steps, set.cuts = slices.DeleteFunc(set.steps, blocks), slices.DeleteFunc(set.cuts, blocks)
	}
	if len(names) == 0 && len(f.rules) == 0 {
		return nil, usageError("--target or --rules says what to map onto")
	}
	dir := "map"
	if f.mode.value == modeExact {
		dir = "map/exact"
		for _, name := range names {
			if !mapping.HasPublished(name) {
				return nil, &source.Error{Name: "--target", Code: codeMapTarget, Msg: "nobody has published patterns for " + name + ", which --mode exact counts"}
			}
		}
	}
	if len(names) > 0 {
		entries, err := fs.ReadDir(maprules.Map, dir)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			base, isRules := strings.CutSuffix(e.Name(), rulesPerTarget)
			if !isRules || mapping.IsTarget(base) && !slices.Contains(names, base) {
				continue
			}
			text, err := fs.ReadFile(maprules.Map, path.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			texts, own = append(texts, source.NewFile(e.Name(), string(text))), append(own, true)
		}
	}
	for _, name := range f.rules {
		text, err := files.Read(name, a.stdin)
		if err != nil {
			return nil, err
		}
		texts, own = append(texts, text), append(own, false)
	}
	for _, pattern := range f.without {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, usageError("--without: %q is no pattern", pattern)
		}
	}
	for i, text := range texts {
		if err := set.add(f, text, own[i]); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// add adds the rules of a file, those that flags leave out excepted. Of two of one name the shipped one gives way.
func (set *mapRules) add(f *mapFlags, text *source.File, shipped bool) error {
	allowed := map[string]bool{"pad": f.pad, "ideal": f.ideal, "split": f.split, "join": f.join}
	list, others, err := rule.ParseAll(text)
	if err != nil {
		return err
	}
	if len(others) > 0 {
		return source.Errors{source.Errorf(others[0].Span, codeMapRules, "a rule of another language does not map programs of Glenside")}
	}
	for _, r := range list {
		if old := set.named[r.Name]; old != nil {
			if old.Span.Text() == r.Span.Text() {
				continue
			}
			if shipped && !set.shipped[old] { // of the families, which come last
				set.replaced = append(set.replaced, r.Name)
				continue
			}
			if shipped || !set.shipped[old] {
				return source.Errors{source.Errorf(r.Span, codeMapRules, "there are two rules %s", r.Name)}
			}
			set.replaced = append(set.replaced, r.Name)
			set.list = slices.DeleteFunc(set.list, func(s *rule.Rule) bool { return s == old })
			set.gated = slices.DeleteFunc(set.gated, func(name string) bool { return name == r.Name })
		}
		set.named[r.Name] = r
		set.shipped[r] = shipped
		if slices.ContainsFunc(f.without, func(p string) bool { ok, _ := path.Match(p, r.Name); return ok }) {
			continue
		}
		if i := slices.IndexFunc(r.Use, func(u string) bool { return !allowed[u] }); i >= 0 {
			set.gated = append(set.gated, r.Name)
			continue
		}
		if r.Want == equiv.Refuted.String() && !f.uncertified {
			set.refuted++
			continue
		}
		set.list = append(set.list, r)
	}
	return nil
}

func (a *app) costModel(name string) (*mapping.Model, error) {
	switch name {
	case "calls":
		return mapping.Calls(), nil
	case "ops":
		return mapping.Ops(), nil
	}
	f, err := files.Read(name, a.stdin)
	if err != nil {
		return nil, err
	}
	return mapping.ParseCosts(f)
}

// imported reads a model in Relay, and the program that it is, as tv import writes it.
func (a *app) imported(file *source.File) (semantics.Source, *source.File, error) {
	model, err := relay.Language.Parse(file)
	if err != nil {
		return nil, nil, err
	}
	a.warn(model.(*relay.Source).Remarks())
	return model, source.NewFile(file.Name, model.(*relay.Source).Imported()), nil
}

// mapAll maps, explains and checks. What is compared at the end is the model where the program was imported from one.
func (a *app) mapAll(ctx context.Context, file *source.File, model semantics.Source, set *mapRules, costs *mapping.Model, c *certifier,
	f *mapFlags) (*mapReport, error) {
	if err := c.own(ctx); err != nil {
		return nil, err
	}
	search, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	r, err := mapping.Map(search, file, mapping.Options{Rules: set.list, Given: set.given, Steps: set.steps, Cuts: set.cuts, Rounds: f.iters,
		Nodes: f.nodes, Backoff: f.rounds.value == "backoff", Model: costs, Extract: f.extract.value, Certify: c.certify})
	if err = cmp.Or(err, costs.Err()); err != nil {
		return nil, err
	}
	if ctx.Err() != nil { // what is found so far is written, whatever interrupts
		a.delivering.Store(true)
	}
	report := &mapReport{Schema: schemaMap, Program: file.Name, Targets: append([]string{}, f.targets...), Calls: map[string]int{},
		Host: mapCount{r.Before.Host, r.After.Host}, Rounds: r.Rounds, Nodes: r.Nodes, Classes: r.Classes, Stopped: r.Stopped,
		Cost:  mapCost{costs.Name, slices.Clone(r.Cost[0][:3]), slices.Clone(r.Cost[1][:3]), r.Optimal},
		Rules: []mapRule{}, Exact: []string{}, Notes: []string{}, mapped: r.Mapped}
	for _, g := range mapping.Groups() {
		report.Calls[g] = r.After.Calls[g]
	}
	if f.mode.value == modeExact {
		published := mapping.Published(r.Source)
		for _, target := range f.targets {
			report.Calls[target] = published[target]
		}
		report.note("calls are matches of the published patterns in the text of the program")
	}
	report.Padding.Elements = max(r.After.Zeros-r.Before.Zeros, 0) // convolutions of both programs have zeros of their own
	report.Padding.MultiplyAdds.Done = r.After.Done
	report.Padding.MultiplyAdds.Needed = max(r.Before.Work+r.Before.Done-r.After.Work, 0)
	for _, x := range r.Rules {
		report.Rules = append(report.Rules, mapRule(x))
		report.Explain.Steps += x.Used
	}
	if r.After.Total() == 0 {
		report.note("nothing mapped")
	}
	if len(set.replaced) > 0 {
		report.note("rules of --rules stand for the shipped ones of their names: %s", strings.Join(set.replaced, " "))
	}
	if set.refuted > 0 {
		report.note("%d rules are wanted refuted and skipped", set.refuted)
	}
	if f.uncertified {
		report.note("uncertified rules may have fired: the verdict rests on the check alone")
	}
	for _, n := range c.notes() {
		report.note("%s", n)
	}
	switch r.Stopped {
	case mapping.StopTimeout:
		report.note("the search was stopped by time: another run may find another program")
	case mapping.StopRounds, mapping.StopNodes:
		report.note("the search ended at its limit of %s", r.Stopped)
	}
	elems := map[string]bool{}
	for _, q := range r.Used() {
		bits := rules.Arith(q.Rule, c.opts).Bits(q.Elem)
		text := q.Elem.String() + " in real numbers"
		if bits {
			text = q.Elem.String() + " bit for bit"
		}
		elems[text] = true
	}
	report.Exact = append(report.Exact, slices.Sorted(maps.Keys(elems))...)
	report.proof = r.Explanation(c.used(r.Used()))
	if model == nil {
		model = language.Of(r.Source)
	}
	a.judgeMap(ctx, file, model, r, c, report, f)
	return report, nil
}

func (r *mapReport) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// judgeMap has the explanation checked, and both programs compared.
func (a *app) judgeMap(ctx context.Context, file *source.File, before semantics.Source, r *mapping.Result, c *certifier, report *mapReport, f *mapFlags) {
	report.Verdict = equiv.Unknown.String()
	report.rejected = verifyMapping("explanation", report.proof, file.Text, r.Mapped, c.opts.Arith)
	report.Explain.Accepted = report.rejected == nil
	if report.rejected != nil {
		report.note("the explanation is not accepted: %s", source.AsErrors(report.rejected)[0].Msg)
	}
	if ctx.Err() != nil {
		report.Check.Verdict, report.Check.Reason = equiv.Unknown.String(), "interrupted"
		return
	}
	p, err := glenside.Parse(source.NewFile("mapped", r.Mapped))
	if err != nil {
		report.note("the mapped program cannot be read: %s", source.AsErrors(err)[0].Msg)
		return
	}
	opts := equiv.Options{Timeout: f.timeout, Arith: c.opts.Arith}
	answer, err := c.check(ctx, &pair{before: before, after: language.Of(p), opts: opts})
	if err != nil {
		report.Check.Verdict, report.Check.Reason, report.Check.Detail = equiv.Unknown.String(), "unsupported", source.AsErrors(err)[0].Msg
		return
	}
	report.Check = mapCheck{Verdict: answer.Verdict.String(), Reason: answer.Reason, Detail: answer.Detail, Idealised: answer.Idealised}
	if ctx.Err() != nil && answer.Verdict == equiv.Unknown {
		report.Check.Reason = "interrupted"
	}
	for _, x := range answer.Exact {
		report.Check.Exact = append(report.Check.Exact, mapExact{x.Type.String(), x.Verdict, x.Reason, witness(x.Witness)})
	}
	for _, x := range answer.RestsOn {
		report.Check.RestsOn = append(report.Check.RestsOn, fmt.Sprintf("%s (%s)", x.Name, x.Verdict))
	}
	switch {
	case answer.Verdict == equiv.Refuted:
		report.Verdict = equiv.Refuted.String()
		if report.Explain.Accepted && !f.uncertified {
			report.note("a fault of tv's own: the explanation is accepted and the programs differ")
		}
	case r.Stopped == mapping.StopTimeout:
	case answer.Verdict == equiv.Proved && (report.Explain.Accepted || f.uncertified):
		report.Verdict = equiv.Proved.String()
	}
}

// witness says which element differs.
func witness(c *sample.Counterexample) string {
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s before, %s after", ci.ElementName(c.Path, c.Index), c.Before, c.After)
}

// check compares two programs as tv check does.
func (c *certifier) check(ctx context.Context, p *pair) (equiv.Result, error) {
	uses := p.applyContracts()
	asked := equiv.Question{Before: p.before, After: p.after}
	q := &question{}
	r, err := remember(c.cache, q, func() (string, error) { return equiv.PairStatement(asked, p.opts) }, p.opts,
		func(opts equiv.Options) (equiv.Result, error) { return equiv.Check(ctx, asked, opts) })
	for _, w := range q.warnings {
		fmt.Fprintln(c.app.stderr, w)
	}
	if err == nil {
		restOn(ctx, &r, uses, "", p.opts)
	}
	return r, err
}

// deliverMap writes the mapped program, the explanation and the report; before is what was mapped.
func (a *app) deliverMap(f *mapFlags, before *source.File, r *mapReport) error {
	a.exit = map[string]int{equiv.Proved.String(): exitProved, equiv.Refuted.String(): exitRefuted}[r.Verdict]
	if r.Verdict == equiv.Unknown.String() {
		a.exit = exitUnknown
	}
	if f.explain != "" {
		r.Explain.File = f.explain
		if err := a.output(f.explain, r.proof); err != nil {
			return err
		}
	}
	if f.dot != "" {
		if err := a.drawMap(f.dot, r.mapped); err != nil {
			return err
		}
	}
	if f.format.value == "text" || f.out != "" {
		if err := a.output(f.out, []byte(r.mapped)); err != nil {
			return err
		}
	}
	var page []byte
	if f.format.value == "html" || f.page != "" {
		var err error
		if page, err = r.page(f, before); err != nil {
			return err
		}
	}
	if f.page != "" {
		if err := a.output(f.page, page); err != nil {
			return err
		}
	}
	switch f.format.value {
	case "html":
		return a.output("", page)
	case "json":
		data, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		return a.output("", append(data, '\n'))
	}
	text := r.text(f.stats)
	if f.out == "" || f.out == files.Stdin { // the program is on standard output
		fmt.Fprint(a.stderr, text)
		return nil
	}
	return a.output("", []byte(text))
}

// drawMap writes the drawing of a mapped program.
func (a *app) drawMap(file, text string) error {
	p, err := glenside.Parse(source.NewFile("mapped", text))
	if err != nil {
		return err
	}
	typing, err := glenside.Check(p, nil)
	if err != nil {
		return err
	}
	return a.output(file, []byte(mapping.Dot(p, typing)))
}

// text prints a report for people.
func (r *mapReport) text(stats bool) string {
	var b strings.Builder
	verdict := r.Verdict
	if verdict == equiv.Proved.String() {
		verdict = "mapped"
	}
	fmt.Fprintf(&b, "%s\n", verdict)
	for _, g := range slices.Sorted(maps.Keys(r.Calls)) {
		if r.Calls[g] > 0 {
			fmt.Fprintf(&b, "calls: %d %s\n", r.Calls[g], g)
		}
	}
	fmt.Fprintf(&b, "host operators: %d, of %d before\n", r.Host.After, r.Host.Before)
	if p := r.Padding; p.Elements > 0 || p.MultiplyAdds.Done > p.MultiplyAdds.Needed {
		fmt.Fprintf(&b, "padding: %d elements, %d multiply-adds for %d\n", p.Elements, p.MultiplyAdds.Done, p.MultiplyAdds.Needed)
	}
	optimal := ""
	if r.Cost.Optimal {
		optimal = ", optimal"
	}
	fmt.Fprintf(&b, "cost (%s): %s, of %s before%s\n", r.Cost.Model, parts(r.Cost.After), parts(r.Cost.Before), optimal)
	if r.Nodes == 0 { // of loops: no rules, no search
		fmt.Fprintf(&b, "check of both programs: %s\n", r.Check.Verdict)
		for _, line := range slices.Concat(prefixed("arithmetic: ", r.Exact), prefixed("note: ", r.Notes)) {
			b.WriteString(line + "\n")
		}
		return b.String()
	}
	fmt.Fprintf(&b, "search: %d rounds, %d nodes, %d classes, %s\n", r.Rounds, r.Nodes, r.Classes, r.Stopped)
	accepted := "accepted"
	if !r.Explain.Accepted {
		accepted = "not accepted"
	}
	fmt.Fprintf(&b, "explanation: %d instances of rules, %s\n", r.Explain.Steps, accepted)
	check := r.Check.Verdict
	if r.Check.Reason != "" {
		check += " (" + r.Check.Reason + ")"
	}
	fmt.Fprintf(&b, "check of both programs: %s\n", check)
	for _, line := range r.Exact {
		fmt.Fprintf(&b, "arithmetic: %s\n", line)
	}
	for _, x := range r.Check.Exact {
		fmt.Fprintf(&b, "bit for bit in %s: %s", x.Type, x.Verdict)
		if x.Witness != "" {
			fmt.Fprintf(&b, ", %s", x.Witness)
		}
		b.WriteByte('\n')
	}
	if len(r.Check.Idealised) > 0 {
		fmt.Fprintf(&b, "idealised: %s\n", strings.Join(r.Check.Idealised, ", "))
	}
	for _, x := range r.Check.RestsOn {
		fmt.Fprintf(&b, "rests on: %s\n", x)
	}
	for _, x := range r.Rules {
		if x.Used > 0 || stats && x.Matches > 0 {
			fmt.Fprintf(&b, "rule: %s, %d matches, %d used\n", x.Name, x.Matches, x.Used)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	return b.String()
}

func prefixed(prefix string, list []string) (out []string) {
	for _, text := range list {
		out = append(out, prefix+text)
	}
	return out
}

func parts(cost []uint64) string {
	list := make([]string, len(cost))
	for i, n := range cost {
		list[i] = fmt.Sprint(n)
	}
	return strings.Join(list, " ")
}

// A certifier knows which rules may fire, and has certificates of those.
type certifier struct {
	app   *app
	set   *mapRules
	flags *mapFlags
	opts  equiv.Options
	cache *cache.Cache
	at    map[string][]byte // certificates that were given, by what they state

	mu    sync.Mutex
	known map[mapping.Question]*certified
}

// A certified is what came out for a rule at an element type.
type certified struct {
	forth, back equiv.Verdict
	reason      string
	data        [][]byte // both certificates
	contract    bool     // it says what a machine's contract says, and has no certificate
}

// own certifies the rules of files that were named: one that is not proved is refused.
func (c *certifier) own(ctx context.Context) error {
	var list []mapping.Question
	for _, r := range c.set.list {
		if !c.set.shipped[r] {
			for _, elem := range ownTypes(r) {
				list = append(list, mapping.Question{Rule: r, Elem: elem})
			}
		}
	}
	_, err := c.certify(ctx, list)
	return err
}

// ownTypes are the element types that a rule is judged for.
func ownTypes(r *rule.Rule) []domain.Elem {
	if len(r.Types) == 0 {
		return []domain.Elem{domain.Float32}
	}
	return r.Types
}

// certify answers questions, several at once.
func (c *certifier) certify(ctx context.Context, list []mapping.Question) ([]bool, error) {
	out := make([]bool, len(list))
	if c.flags.uncertified {
		for i := range out {
			out[i] = true
		}
		return out, nil
	}
	var work sync.WaitGroup
	errs := make([]error, len(list))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, q := range list {
		work.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; work.Done() }()
			errs[i] = guard(c.app.stderr, func() (err error) {
				out[i], err = c.one(ctx, q)
				return err
			})
		}()
	}
	work.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// one answers a question: whether the rule is proved in both directions.
func (c *certifier) one(ctx context.Context, q mapping.Question) (bool, error) {
	c.mu.Lock()
	known := c.known[q]
	c.mu.Unlock()
	if known == nil {
		var err error
		if known, err = c.ask(ctx, q); err != nil {
			return false, err
		}
		c.mu.Lock()
		c.known[q] = known
		c.mu.Unlock()
	}
	if known.forth != equiv.Proved && ctx.Err() == nil && slices.Contains(ownTypes(q.Rule), q.Elem) {
		return false, source.Errors{source.Errorf(q.Rule.Span, codeUncertified, "the rule %s is %s%s; --uncertified uses it, --without leaves it out",
			q.Rule.Name, known.forth, known.reason)}
	}
	return known.forth == equiv.Proved && known.back == equiv.Proved && (len(known.data) == 2 || known.contract), nil
}

// fits tells whether the arithmetic of a rule is the one that instances of that type are asked in.
func (c *certifier) fits(q mapping.Question) bool {
	return rules.Arith(q.Rule, c.opts).Bits(q.Elem) == c.opts.Arith.Bits(q.Elem)
}

func (c *certifier) ask(ctx context.Context, q mapping.Question) (*certified, error) {
	out := &certified{}
	if !c.fits(q) || len(q.Rule.Types) > 0 && !slices.Contains(q.Rule.Types, q.Elem) {
		out.reason = ": its arithmetic or its types are others"
		return out, nil
	}
	if c.given(q, out) {
		return out, nil
	}
	if stated, err := c.contract(ctx, q); err != nil {
		return nil, err
	} else if stated {
		*out = certified{forth: equiv.Proved, back: equiv.Proved, contract: true}
		return out, nil
	}
	statement := rules.Statement(q.Rule, q.Elem, c.opts)
	forth, err := c.remember(statement, func(opts equiv.Options) (rules.Result, error) { return rules.Check(ctx, q.Rule, q.Elem, opts) })
	if err != nil {
		return nil, err
	}
	out.forth = forth.Verdict
	if forth.Reason != "" {
		out.reason = " (" + forth.Reason + ")"
	}
	if forth.Verdict != equiv.Proved || forth.Certificate == nil {
		return out, nil
	}
	if statement, err = rules.ConverseStatement(q.Rule, q.Elem, c.opts); err != nil {
		return nil, err
	}
	back, err := c.remember(statement, func(opts equiv.Options) (rules.Result, error) { return rules.CheckConverse(ctx, q.Rule, q.Elem, opts) })
	if err != nil {
		return nil, err
	}
	out.back = back.Verdict
	if back.Verdict == equiv.Proved && back.Certificate != nil {
		out.data = [][]byte{forth.Certificate, back.Certificate}
	}
	return out, nil
}

// contract tells whether a rule says what the contract of a call says, and nothing else, and the machine is proved to do that. The
// checker of explanations knows the contracts on its own, and the sizes at which they hold.
func (c *certifier) contract(ctx context.Context, q mapping.Question) (bool, error) {
	if !rules.Arith(q.Rule, c.opts).Bits(q.Elem) {
		return false, nil
	}
	form, err := machine.ApplyRuleContracts(q.Rule, q.Elem)
	if err != nil || form == nil || form.Rule.LHS.String() != form.Rule.RHS.String() {
		return false, err
	}
	for _, x := range form.Contracts {
		if c.app.provenForAll(ctx, x, c.opts).verdict != equiv.Proved {
			return false, nil
		}
	}
	return true, nil
}

func (c *certifier) remember(statement string, ask func(equiv.Options) (rules.Result, error)) (rules.Result, error) {
	q := &question{}
	r, err := remember(c.cache, q, always(statement), c.opts, ask)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range q.warnings {
		fmt.Fprintln(c.app.stderr, w)
	}
	return r, err
}

// load reads the certificates that --certificates names. Their statements are looked at when they are wanted.
func (c *certifier) load() error {
	c.at = map[string][]byte{}
	if c.flags.certificates == "" {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(c.flags.certificates, "*.cert"))
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := files.Read(name, nil)
		if err != nil {
			return err
		}
		if data := []byte(text.Text); proofs.IsRule(data) {
			if s, _, err := languages.Checker.CheckRuleRest(name, data); err == nil {
				c.at[statementKey(s)] = data
			}
		}
	}
	return nil
}

// statementKey is what a certificate of a rule states, as a key.
func statementKey(s proofs.RuleStatement) string {
	return fmt.Sprintf("%t %s %s %d %s", s.WhereBoth, s.Elem, s.Arith, s.Ranks, s.Text)
}

// given looks among the certificates that were given, which the checker has accepted.
func (c *certifier) given(q mapping.Question, out *certified) bool {
	if len(c.at) == 0 {
		return false
	}
	converse, err := q.Rule.Converse()
	if err != nil {
		return false
	}
	arith := rules.Arith(q.Rule, c.opts)
	forth := c.at[statementKey(proofs.RuleStatement{Text: q.Rule.Span.Text(), Elem: q.Elem, Arith: arith, Ranks: -1})]
	back := c.at[statementKey(proofs.RuleStatement{WhereBoth: true, Text: converse.Span.Text(), Elem: q.Elem, Arith: arith, Ranks: -1})]
	if forth == nil || back == nil {
		return false
	}
	*out = certified{forth: equiv.Proved, back: equiv.Proved, data: [][]byte{forth, back}}
	return true
}

// used are the certificates of rules.
func (c *certifier) used(list []mapping.Question) (data [][]byte) {
	for _, q := range list {
		if known := c.known[q]; known != nil {
			data = append(data, known.data...)
		}
	}
	return data
}

// notes say which rules matched and did not fire.
func (c *certifier) notes() (list []string) {
	for q, k := range c.known {
		switch {
		case k.forth == equiv.Proved && k.back != equiv.Proved:
			list = append(list, fmt.Sprintf("one-way: %s at %s is proved from left to right alone, and left out", q.Rule.Name, q.Elem))
		case k.forth != equiv.Proved:
			list = append(list, fmt.Sprintf("%s is not proved at %s, and left out there", q.Rule.Name, q.Elem))
		}
	}
	slices.Sort(list)
	return list
}

// verifyMapping has the checker read an explanation, and holds it against the programs that it is to be about.
func verifyMapping(name string, data []byte, before, after string, arith domain.Arith) error {
	claim, err := mapped.Check(name, data, languages.Checker)
	if err != nil {
		return err
	}
	if claim.Source != before || claim.Result != after || !slices.Contains(claim.Ariths, arith) {
		return &source.Error{Name: name, Code: codeOther, Msg: "it is about other programs, or in another arithmetic"}
	}
	return nil
}

package cli

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/machine"
	"tv/equiv/rules"
	"tv/glenside/rule"
	"tv/glenside/taso"
	"tv/internal/files"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/internal/spelling"
	bitrule "tv/semantics/bits/rule"
	"tv/semantics/domain"
	"tv/semantics/rise"
	"tv/semantics/rise/syntax"
)

// certifyFlags are those that tv certify has beside the flags of tv check.
type certifyFlags struct {
	*checkFlags
	only     []string
	resume   string
	certs    string
	formatIn *choice
	conv     *choice
	both     bool
}

func (a *app) certifyCommand() *cobra.Command {
	flags := &certifyFlags{checkFlags: &checkFlags{
		questionFlags: newQuestionFlags(),
		lang:          &choice{allowed: []string{langRules}},
		langUsage:     "kind of the input files, which is rules whatever the extension",
	}, formatIn: newChoice("tv", "taso"), conv: newChoice("ordinary", "grouped")}
	cmd := &cobra.Command{
		Use:   "certify RULES...",
		Short: "is each rewrite rule right, for all shapes?",
		Long: `Certify decides rewrite rules: whether the right side may stand for the left side for every number of dims,
every size and every input that the left side and the guard admit. A rule that is not right is refuted with an
instance. Rules are over Glenside or, with (lang rise), over RISE: then for all element types and functions too; or,
with (lang bv), over bit-vectors: for all widths, or for those up to a bound that the verdict says. The language of
rules is described in doc/rules.md. A directory stands for the rule files below it, a pattern in quotes for what it
matches. --shard i/n decides only the rules whose number, counted from 0, is i modulo n: the parts together decide all
(a rule counts once for each of its element types). "-" is standard input.`,
		Example: `  tv certify glenside/rules
  tv certify --shard 1/4 'glenside/rules/*.rules'
  tv certify semantics/rise/rules/*.rules
  tv certify semantics/bits/rules/*.rules
  tv certify --only flatten-unflatten-all-accesses glenside/rules/glenside.rules
  tv certify --expect --format json -o report.json my.rules
  tv certify --resume report.json my.rules
  tv certify --both --certificates certs my.rules
  tv certify --format-in taso --conv grouped taso_rules.txt`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.certificates = flags.certs
			extension := "." + langRules
			if flags.formatIn.value == "taso" {
				extension = ".txt"
			}
			return a.judge(cmd, flags.checkFlags, args, []string{extension}, func(cmd *cobra.Command, _ *checkFlags, args []string) ([]*question, error) {
				return a.ruleQuestions(cmd, flags, args)
			})
		},
	}
	flags.register(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&flags.only, "only", nil, "decide only the rule of this `name` (repeatable)")
	fs.StringVar(&flags.certs, "certificates", "", "write a certificate of each rule that is proved to this `directory`")
	fs.BoolVar(&flags.both, "both", false, "of a rule that is proved, decide the converse too, wherever both sides are well formed")
	fs.StringVar(&flags.resume, "resume", "", "skip what a JSON report `file` of the same tool version settled for the same rules")
	fs.Var(flags.formatIn, "format-in", "form of the rules: tv's own, or the term list of TASO")
	fs.Var(flags.conv, "conv", "how conv2d of TASO is read: each output over all input channels, or in groups")
	for _, name := range []string{"shapes", "input", "equal", "explain"} { // rules say these themselves
		_ = fs.MarkHidden(name)
	}
	return cmd
}

// ruleQuestions returns one question a rule and element type.
func (a *app) ruleQuestions(cmd *cobra.Command, flags *certifyFlags, args []string) ([]*question, error) {
	for _, name := range []string{"shapes", "input", "equal", "explain"} {
		if cmd.Flags().Changed(name) {
			return nil, usageError("--%s is not for rules: they say it themselves", name)
		}
	}
	opts, err := flags.options(a.reader())
	if err != nil {
		return nil, err
	}
	opts.Unmended, opts.FirstOnly = flags.expect, flags.expect
	earlier, err := a.earlier(flags)
	if err != nil {
		return nil, err
	}
	var list []*question
	var errs source.Errors
	known := map[string]bool{}
	for _, name := range args {
		f, err := files.Read(name, a.stdin)
		var rules []*rule.Rule
		var others []*sexpr.Form
		switch {
		case err != nil:
		case isWhole && flags.formatIn.value == "taso":
			var equations []*taso.Equation
			equations, err = taso.Parse(f)
			for _, e := range equations {
				known[e.Name] = true
				if len(flags.only) == 0 || slices.Contains(flags.only, e.Name) {
					list = append(list, equationQuestion(cmd, flags, name, e, opts, earlier))
				}
			}
		default:
			rules, others, err = rule.ParseAll(f)
		}
		errs = append(errs, source.AsErrors(err)...)
		for _, r := range rules {
			known[r.Name] = true
			if len(flags.only) > 0 && !slices.Contains(flags.only, r.Name) {
				continue
			}
			a.warn(r.Warnings)
			types := r.Types
			if len(types) == 0 {
				types = []domain.Elem{domain.Float32}
			}
			for _, elem := range types {
				list = append(list, a.ruleQuestion(cmd, flags, name, r, elem, len(types) > 1, opts, earlier))
			}
		}
		for _, x := range others {
			if bits := bitrule.Is(x); bits && !hasCircuits || !bits && !hasTensors {
				errs = append(errs, source.Errorf(x.Span, codeUsage, "a page takes rules over bit-vectors by themselves"))
				continue
			} else if bits {
				r, err := bitrule.Parse(x)
				if errs = append(errs, source.AsErrors(err)...); err != nil {
					continue
				}
				known[r.Name] = true
				if len(flags.only) == 0 || slices.Contains(flags.only, r.Name) {
					a.warn(r.Warnings)
					list = append(list, bitsQuestion(cmd, name, r, opts))
				}
				continue
			}
			r, err := syntax.ParseRule(x)
			if err != nil {
				errs = append(errs, source.AsErrors(err)...)
				continue
			}
			known[r.Name] = true
			if len(flags.only) == 0 || slices.Contains(flags.only, r.Name) {
				a.warn(r.Warnings)
				list = append(list, riseQuestion(cmd, flags, name, r, opts, earlier))
			}
		}
	}
	if len(errs) == 0 {
		errs = missingRules(flags.only, known)
	}
	if len(errs) > 0 {
		return list, errs
	}
	return list, nil
}

// missingRules says which of the names that --only gives no rule has.
func missingRules(only []string, known map[string]bool) (errs source.Errors) {
	for _, name := range only {
		if known[name] {
			continue
		}
		hint := ""
		if near := spelling.Nearest(name, slices.Sorted(maps.Keys(known))); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
		errs = append(errs, usageError("there is no rule %s%s", name, hint))
	}
	return errs
}

func (a *app) ruleQuestion(cmd *cobra.Command, flags *certifyFlags, file string, r *rule.Rule, elem domain.Elem, several bool,
	opts equiv.Options, earlier map[string]*takenOver,
) *question {
	q := &question{name: r.Name, before: r.Name + ": left", after: "right", want: equiv.Proved, place: r.Span,
		trivial: r.LHS.Span.Text() == r.RHS.Span.Text()}
	if several {
		q.name += " " + elem.String()
	}
	if r.Want == equiv.Refuted.String() {
		q.want = equiv.Refuted
	}
	if v, ok := map[string]equiv.Verdict{"proved": equiv.Proved, "refuted": equiv.Refuted, "unknown": equiv.Unknown}[r.WantWhereBoth]; ok {
		q.wantWhereBoth = &v
	}
	opts.FirstOnly = opts.FirstOnly && q.wantWhereBoth == nil
	q.replay = slices.Concat([]string{"tv", "certify"}, replayArgs(cmd.Flags()), []string{"--only", r.Name, file})
	ask := func(ctx context.Context, r *rule.Rule) (rules.Result, error) {
		return remember(flags.opened, q, always(rules.Statement(r, elem, opts)), opts, func(opts equiv.Options) (rules.Result, error) {
			return rules.Check(ctx, r, elem, opts)
		})
	}
	converse := func(ctx context.Context, out rules.Result, err error) (rules.Result, error) {
		if err != nil || !flags.both || out.Verdict != equiv.Proved {
			return out, err
		}
		state := func() (string, error) { return rules.ConverseStatement(r, elem, opts) }
		back, err := remember(flags.opened, q, state, opts, func(opts equiv.Options) (rules.Result, error) {
			return rules.CheckConverse(ctx, r, elem, opts)
		})
		out.Converse = &back
		return out, err
	}
	forth := func(ctx context.Context) (rules.Result, error) {
		if rules.Arith(r, opts) != equiv.Real {
			form, err := machine.ApplyRuleContracts(r, elem)
			if err != nil {
				return rules.Result{Name: r.Name}, err
			}
			if form != nil {
				return a.exactRule(ctx, form, elem, opts, func(r *rule.Rule) (rules.Result, error) { return ask(ctx, r) })
			}
		}
		statement := rules.Statement(r, elem, opts)
		if t := earlier[statement]; t != nil {
			q.taken = t
			taken := t.result(r.Name, elem)
			taken.Types = rules.Types(r, elem, taken.Arith)
			return taken, nil
		}
		return ask(ctx, r)
	}
	q.rule = func(ctx context.Context) (rules.Result, error) {
		out, err := forth(ctx)
		return converse(ctx, out, err)
	}
	return q
}

// riseQuestion returns the question about a rule of RISE.
func riseQuestion(cmd *cobra.Command, flags *certifyFlags, file string, r *syntax.Rule, opts equiv.Options,
	earlier map[string]*takenOver,
) *question {
	q := &question{name: r.Name, before: r.Name + ": left", after: "right", want: equiv.Proved, place: r.Span,
		trivial: r.Sides[0].Root().Text() == r.Sides[1].Root().Text()}
	if r.Want == equiv.Refuted.String() {
		q.want = equiv.Refuted
	}
	q.replay = slices.Concat([]string{"tv", "certify"}, replayArgs(cmd.Flags()), []string{"--only", r.Name, file})
	q.rule = func(ctx context.Context) (rules.Result, error) {
		statement := rules.RISEStatement(r, opts)
		if t := earlier[statement]; t != nil {
			q.taken = t
			return t.result(r.Name, domain.Float32), nil
		}
		return remember(flags.opened, q, always(statement), opts, func(opts equiv.Options) (rules.Result, error) {
			return rules.CheckRISE(ctx, r, opts)
		})
	}
	return q
}

// equationQuestion returns the question about an equation of TASO.
func equationQuestion(cmd *cobra.Command, flags *certifyFlags, file string, e *taso.Equation, opts equiv.Options,
	earlier map[string]*takenOver,
) *question {
	q := &question{name: e.Name, before: e.Name + ": left", after: "right", want: equiv.Proved, place: e.Span}
	conv := taso.Ordinary
	if flags.conv.value == "grouped" {
		conv = taso.Grouped
	}
	q.replay = slices.Concat([]string{"tv", "certify", "--format-in", "taso", "--conv", flags.conv.value},
		replayArgs(cmd.Flags()), []string{"--only", e.Name, file})
	q.rule = func(ctx context.Context) (rules.Result, error) {
		cases, err := e.Cases(conv)
		if err != nil {
			return rules.Result{Name: e.Name}, err
		}
		statement := rules.CasesStatement(cases, opts)
		if t := earlier[statement]; t != nil {
			q.taken = t
			return t.result(e.Name, domain.Float32), nil
		}
		return remember(flags.opened, q, always(statement), opts, func(opts equiv.Options) (rules.Result, error) {
			r, err := rules.CheckCases(ctx, e.Name, e.Span, cases, opts)
			if err != nil || r.Verdict != equiv.Refuted || !r.Form || opts.FirstOnly {
				return r, err
			}
			if cases, err = e.WhereBoth(conv); err == nil {
				rules.CheckWhereBoth(ctx, &r, e.Span, cases, opts)
			}
			return r, err
		})
	}
	return q
}

// warn prints remarks on what is legal and likely not meant.
func (a *app) warn(list source.Errors) {
	for _, w := range list {
		fmt.Fprintf(a.stderr, "%s: warning: %s\n", w.Position(), w.Msg)
	}
}

// ruleAnswer decides a rule. It returns nil where an interrupt left it open.
func (a *app) ruleAnswer(ctx context.Context, flags *checkFlags, q *question) *answer {
	ans := &answer{rule: &rules.Result{}}
	err := guard(a.stderr, func() error {
		r, err := q.rule(ctx)
		if err == nil {
			sayNoSolver(&r.Result, flags.solver.value)
		}
		ans.rule, ans.result, ans.circuit = &r, r.Result, q.refuting
		return err
	})
	ans.errs = source.AsErrors(err)
	if ctx.Err() != nil && (err != nil || ans.result.Verdict == equiv.Unknown) {
		return nil
	}
	if ans.rule == nil { // an internal error
		return ans
	}
	if p := ans.rule.Programs; p[0] != "" && p[1] != "" {
		ans.before, ans.after = source.NewFile("before.sexp", p[0]), source.NewFile("after.sexp", p[1])
	}
	if s := ans.rule.Sides; s[0] != nil {
		ans.before, ans.after = s[0], s[1]
		ans.extensions = [2]string{rise.Rules.Extensions[0], rise.Rules.Extensions[0]}
	} else if ans.before != nil && flags.wants("html") {
		ans.shown = showCase(ans.before, ans.after, &ans.result)
	}
	return ans
}

// writeCertificates writes a certificate of each rule that is proved: NAME-0123abcd.cert, with the first eight digits of
// the statement's SHA-256. One of a second verdict is NAME-0123abcd.weaker.cert, one of a converse NAME_converse-0123abcd.weaker.cert.
func writeCertificates(dir string, run *ci.Run) (err error) {
	for i := range run.Items {
		it := &run.Items[i]
		if it.Rule == nil {
			continue
		}
		if it.Certificate, it.CertificateSHA256, err = writeRuleCertificate(dir, it.Rule.Name, "cert", &it.Result); err != nil {
			return err
		}
		if back := it.Rule.Converse; back != nil {
			it.ConverseCertificate, it.ConverseCertificateSHA256, err = writeRuleCertificate(dir, back.Name, "weaker.cert", &back.Result)
			if err != nil {
				return err
			}
		}
		second := it.Rule.WhereBoth
		if second == nil {
			continue
		}
		it.WhereBothCertificate, it.WhereBothCertificateSHA256, err = writeRuleCertificate(dir, it.Rule.Name, "weaker.cert", &second.Result)
		if err != nil {
			return err
		}
	}
	return nil
}

// writeRuleCertificate writes the certificate of a result, if there is one, and returns the file and its SHA-256.
func writeRuleCertificate(dir, rule, extension string, r *equiv.Result) (name, sum string, err error) {
	if r.Certificate == nil {
		return "", "", nil
	}
	base := strings.Map(func(c rune) rune {
		if c == '/' || c == os.PathSeparator {
			return '_'
		}
		return c
	}, rule)
	name = filepath.Join(dir, fmt.Sprintf("%s-%s.%s", base, r.SHA256[:8], extension))
	return name, fmt.Sprintf("%x", sha256.Sum256(r.Certificate)), files.WriteAtomic(name, r.Certificate)
}

// A takenOver is a result of an earlier report.
type takenOver struct {
	raw  json.RawMessage
	said struct {
		Kind, SHA256, Verdict, Reason, Detail, Engine, Arith, Equal, Fingerprint string

		Domain   []string
		Instance string
		Cases    int
		Trivial  bool

		WhereBoth *struct {
			Verdict, Reason, Detail string
			Domain                  []string
		} `json:"where_well_formed"`
	}
}

// earlier reads the results that a report settled, by statement. Where certificates are to be written a proof is none of
// them: a report has no certificate.
func (a *app) earlier(flags *certifyFlags) (map[string]*takenOver, error) {
	name := flags.resume
	if name == "" {
		return nil, nil
	}
	f, err := files.Read(name, a.stdin)
	if err != nil {
		return nil, err
	}
	var report struct {
		Schema  string
		Tool    struct{ Version string }
		Results []json.RawMessage
	}
	if err := json.Unmarshal([]byte(f.Text), &report); err != nil || report.Schema != "tv.report/v1" {
		return nil, &source.Error{Name: name, Code: ci.CodeReport, Msg: "it is not a JSON report of tv"}
	}
	out := map[string]*takenOver{}
	if report.Tool.Version != version() {
		return out, nil
	}
	for _, raw := range report.Results {
		t := &takenOver{raw: raw}
		if err := json.Unmarshal(raw, &t.said); err != nil {
			return nil, &source.Error{Name: name, Code: ci.CodeReport, Msg: err.Error()}
		}
		proved := t.said.Verdict == equiv.Proved.String() && flags.certs == "" && !flags.both
		if t.said.Kind == "rule" && (proved || t.said.Verdict == equiv.Refuted.String()) {
			out[t.said.SHA256] = t
		}
	}
	return out, nil
}

// result restores what the text report says of a result.
func (t *takenOver) result(name string, elem domain.Elem) rules.Result {
	r := rules.Result{Name: name, Elem: elem, Instance: t.said.Instance, Cases: t.said.Cases, Trivial: t.said.Trivial}
	r.Before, r.After, r.SHA256 = name+": left", "right", t.said.SHA256
	verdicts := map[string]equiv.Verdict{"proved": equiv.Proved, "refuted": equiv.Refuted}
	r.Verdict = verdicts[t.said.Verdict]
	if w := t.said.WhereBoth; w != nil {
		r.WhereBoth = &rules.Result{}
		r.WhereBoth.Verdict, r.WhereBoth.Reason, r.WhereBoth.Detail = verdicts[w.Verdict], w.Reason, w.Detail
		r.WhereBoth.Domain = w.Domain
	}
	r.Arith, _ = domain.ParseArith(t.said.Arith)
	if t.said.Equal == equiv.Access.String() {
		r.Equal = equiv.Access
	}
	r.Reason, r.Detail, r.Engine, r.Domain = t.said.Reason, t.said.Detail, t.said.Engine, t.said.Domain
	return r
}

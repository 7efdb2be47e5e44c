package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tv/internal/languages"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/equiv"
	"tv/equiv/rules"
	"tv/glenside/rule"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/proofs"
	"tv/proofs/algebra"
	proof "tv/proofs/bits"
	bitrule "tv/proofs/bits/rules"
	"tv/proofs/mapped"
	"tv/semantics"
	"tv/semantics/relay"
)

// codeOther is the code of a certificate that is about other programs than those it is held against, codeRefused of one
// with an obligation that a solver has a model of.
const (
	codeOther   = "certificate-other"
	codeRefused = "certificate-refused"
)

// verifyFlags are the flags of tv verify.
type verifyFlags struct {
	reportFlags
	against []string
	of      *questionFlags // what flags say of the programs
	weaker  bool
	solver  *choice
	timeout time.Duration
	rlimit  uint64
	memory  byteSize

	rules    []string    // texts of the rules that certificates have to be of; nil: any
	programs [][2]stated // likewise of pairs of programs
}

func (a *app) verifyCommand() *cobra.Command {
	flags := &verifyFlags{solver: newChoice("none", "auto", "z3", "cvc5"), of: newQuestionFlags()}
	cmd := &cobra.Command{
		Use:   "verify CERT...",
		Short: "does a certificate hold, and for which statement?",
		Long: `Verify runs the checker of certificates, which shares no code with the prover, and prints what each
certificate states. With --against the statements must be about the programs given: BEFORE and AFTER, each
program of a chain and the next, litmus files, or rule files for certificates of rules. An explanation that tv map
writes is checked alike: each of its steps, and the certificate of each of its rules (doc/map.md).

A certificate of the second verdict of a rule that is refuted states less: that its sides are equal wherever both
are well formed. Verify says so, and with --against it refuses such a certificate unless --weaker is given.

What a solver proved is in a certificate as obligations, in SMT-LIB 2. Verify makes them again from the statement
and refuses a certificate with others; --solver has a solver prove them.

A directory stands for the certificates (.cert) and explanations (.map) below it, of --against for litmus and rule files; a pattern
in quotes for what it matches.

The exit status is 0 where all certificates are accepted, 2 where one is not, and 3 where what is left are
obligations that no solver proved.`,
		Example: `  tv check --certificate c.cert before.sexp after.sexp
  tv verify c.cert --against before.sexp --against after.sexp
  tv verify --solver cvc5 c.cert`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.verifyAll(cmd, flags, args)
		},
	}
	flags.reportFlags.registerFormats(cmd)
	fs := cmd.Flags()
	fs.StringArrayVar(&flags.against, "against", nil,
		"a program, litmus or rule `file` that the statement must be about (repeatable)")
	fs.BoolVar(&flags.weaker, "weaker", false,
		"with --against, take what holds only where both sides of a rule are well formed")
	flags.of.registerSupplement(fs)
	fs.Var(flags.solver, "solver", "solver that proves obligations")
	fs.DurationVar(&flags.timeout, "timeout", 60*time.Second, "time an obligation may take")
	fs.Uint64Var(&flags.rlimit, "rlimit", 0, "resource units that an obligation may take (0: no bound)")
	flags.memory = 4 << 30
	fs.Var(&flags.memory, "memory", "memory that an obligation may take")
	return cmd
}

// verifyAll checks certificates and reports what they state.
func (a *app) verifyAll(cmd *cobra.Command, flags *verifyFlags, args []string) error {
	if flags.timeout <= 0 {
		return usageError("--timeout takes a time above 0, such as 10s")
	}
	given, against := args, flags.against
	args, err := files.Expand(args, []string{".cert", ".map"})
	errs := source.AsErrors(err)
	flags.against, err = files.Expand(against, []string{"." + langLitmus, "." + langRules})
	if errs = append(errs, source.AsErrors(err)...); len(errs) > 0 {
		return errs
	}
	plan, err := a.plan(&flags.reportFlags, append(flags.against[:len(flags.against):len(flags.against)], args...))
	if err != nil {
		return err
	}
	run := &ci.Run{Args: append([]string{cmd.Name()}, questionArgs(cmd.Flags())...)}
	for _, name := range against {
		run.Args = append(run.Args, "--against="+name)
	}
	run.Args = append(run.Args, given...)
	rules, programs, err := a.ruleTexts(flags.against)
	if err == nil {
		flags.rules = rules
		flags.programs, err = a.texts(programs, flags.of)
	}
	if run.Errors = source.AsErrors(err); err != nil {
		return a.deliver(run, &flags.reportFlags, plan, nil)
	}
	for i, name := range args {
		var items []ci.Item
		err := guard(a.stderr, func() (err error) {
			items, err = a.verify(cmd.Context(), flags, name)
			return err
		})
		if cmd.Context().Err() != nil {
			run.Errors = append(run.Errors, &source.Error{Code: codeInterrupted,
				Msg: fmt.Sprintf("stopped with %d of %d certificates checked", i, len(args))})
			break
		}
		if err != nil {
			items = []ci.Item{{Kind: "certificate", Name: name, Errors: source.AsErrors(err), Place: placeOf(name)}}
		}
		run.Items = append(run.Items, items...)
	}
	return a.deliver(run, &flags.reportFlags, plan, nil)
}

// placeOf is the beginning of a file of which only the name is known.
func placeOf(name string) source.Span { return source.Span{File: source.NewFile(name, "")} }

// A stated program is a text and, where that may have several, the function that is meant, and which parameters are results.
type stated struct{ text, function, results string }

// statedOf reads a text as far as it takes to know.
func statedOf(l *semantics.Language, f *source.File, function string) (stated, error) {
	if l == nil || !l.Functions {
		return stated{text: f.Text}, nil
	}
	s, err := parse(l, f, function)
	if err != nil {
		return stated{}, err
	}
	return stated{f.Text, s.Signature().Function, f.Results}, nil
}

// texts returns the pairs of programs that files hold.
func (a *app) texts(names []string, of *questionFlags) (pairs [][2]stated, err error) {
	more, err := of.supplement(a.reader())
	if err != nil {
		return nil, err
	}
	var chain []stated
	for _, name := range names {
		f, err := files.Read(name, a.stdin)
		if err != nil {
			return nil, err
		}
		if kind, err := fileKind(name, ""); err == nil && kind == langLitmus {
			l, err := casefile.ReadLitmus(f)
			if err != nil {
				return nil, err
			}
			pair, err := litmusStated(l)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, pair)
			continue
		}
		l := languages.ByExtension(extensionOf(name))
		if l != nil {
			f, err = more.To(l, f)
		}
		if err != nil {
			return nil, err
		}
		s, err := statedOf(l, f, "")
		if err != nil {
			return nil, err
		}
		chain = append(chain, s)
	}
	if len(chain) == 1 {
		return nil, usageError("--against takes BEFORE and AFTER, a chain of programs or litmus files")
	}
	for i := 0; i+1 < len(chain); i++ {
		pairs = append(pairs, [2]stated{chain[i], chain[i+1]})
	}
	return pairs, nil
}

// litmusStated are the programs of a litmus file.
func litmusStated(l *casefile.Litmus) (pair [2]stated, err error) {
	flags := newQuestionFlags()
	flags.implementation = newImplementation()
	with, err := flags.withLitmusArgs(l)
	var more languages.Supplement
	if err == nil {
		more, err = with.supplement(section(l))
	}
	for i, f := range []*source.File{l.Before, l.After} {
		language := languages.ByExtension(l.Extensions[i])
		if err == nil && language != nil {
			f, err = more.To(language, f)
		}
		if err == nil {
			pair[i], err = statedOf(language, f, functionOf(with.function, i))
		}
	}
	return pair, err
}

// ruleTexts returns the texts of the rules that files hold, and the names of the other files.
func (a *app) ruleTexts(names []string) (rules, others []string, err error) {
	for _, name := range names {
		if filepath.Ext(name) != "."+langRules {
			others = append(others, name)
			continue
		}
		f, err := files.Read(name, a.stdin)
		if err != nil {
			return nil, nil, err
		}
		list, rise, err := rule.ParseAll(f)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range list {
			rules = append(rules, r.Span.Text())
		}
		for _, r := range rise {
			rules = append(rules, r.Span.Text())
		}
	}
	return rules, others, nil
}

// verify checks one certificate and returns an item for each statement of it.
func (a *app) verify(ctx context.Context, flags *verifyFlags, name string) ([]ci.Item, error) {
	f, err := files.Read(name, a.stdin)
	if err != nil {
		return nil, err
	}
	data := []byte(f.Text)
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	if proofs.IsRule(data) {
		item, err := a.verifyRule(ctx, flags, name, data)
		item.Certificate, item.CertificateSHA256 = name, sum
		return []ci.Item{item}, err
	}
	if bitrule.Is(data) {
		item, err := verifyBitsRule(flags, name, data)
		item.Certificate, item.CertificateSHA256 = name, sum
		return []ci.Item{item}, err
	}
	if proof.Is(data) {
		items, err := verifyCircuits(flags, name, data)
		for i := range items {
			items[i].Certificate, items[i].CertificateSHA256 = name, sum
		}
		return items, err
	}
	if proof.IsAbsence(data) {
		items, err := verifyAbsences(flags, name, data)
		for i := range items {
			items[i].Certificate, items[i].CertificateSHA256 = name, sum
		}
		return items, err
	}
	if mapped.Is(data) {
		item, err := a.verifyMap(flags, name, data)
		item.Certificate, item.CertificateSHA256 = name, sum
		return []ci.Item{item}, err
	}
	start := time.Now()
	pairs, err := languages.Checker.CheckRest(name, data)
	if err != nil {
		return nil, err
	}
	took := time.Since(start) / time.Duration(len(pairs))
	if want := flags.programs; want != nil && len(want) != len(pairs) {
		return nil, source.Errors{source.Errorf(placeOf(name), codeOther,
			"the certificate is about %d pairs of programs, not %d", len(pairs), len(want))}
	}
	var items []ci.Item
	for i, p := range pairs {
		if want := flags.programs; want != nil && want[i] != [2]stated{{p.Before, p.Functions[0], p.Results[0]}, {p.After, p.Functions[1], p.Results[1]}} {
			return nil, source.Errors{source.Errorf(placeOf(name), codeOther,
				"pair %d of the certificate is of other programs", i+1)}
		}
		start := time.Now()
		left, err := resolve(ctx, flags, name, pairs[i:i+1], "pair", i+1)
		if err != nil {
			return nil, err
		}
		if err := flags.enough(name, p.WhereBoth); err != nil {
			return nil, err
		}
		title := fmt.Sprintf("pair %d of %d", i+1, len(pairs))
		if p.WhereBoth {
			title += " only where both sides are well formed and have one type"
		}
		item := left.item(name, title, fmt.Sprintf("%s (%s)", title, p))
		r := &item.Result
		r.Before, r.After = name+": before", name+": after"
		r.SHA256, r.Domain = equiv.StatementSHA256(p.Statement), languages.Checker.Conditions(p.Statement)
		r.Elapsed = took + time.Since(start)
		r.Arith = p.Arith
		if r.Types, r.Disjoint, err = equiv.Stated(p.Statement, languages.Named); err != nil {
			return nil, err
		}
		if p.Access {
			r.Equal = equiv.Access
		}
		for _, line := range slices.Concat(p.Bindings(), r.Domain) {
			item.Text += fmt.Sprintf("  where %s\n", line)
		}
		if r.Disjoint != "" {
			item.Text += fmt.Sprintf("  assuming %s do not overlap\n", r.Disjoint)
		}
		item.Text += left.text(name)
		if flags.programs == nil {
			item.Text += fmt.Sprintf("  before:\n%s  after:\n%s", indented(p.Before), indented(p.After))
		}
		item.Certificate, item.CertificateSHA256 = name, sum
		items = append(items, item)
	}
	return items, nil
}

// verifyRule checks the certificate of a rule.
func (a *app) verifyRule(ctx context.Context, flags *verifyFlags, name string, data []byte) (ci.Item, error) {
	start := time.Now()
	s, pairs, err := languages.Checker.CheckRuleRest(name, data)
	if err != nil {
		return ci.Item{}, err
	}
	if flags.rules != nil && !slices.Contains(flags.rules, s.Text) {
		return ci.Item{}, source.Errors{source.Errorf(placeOf(name), codeOther, "the certificate is of another rule: %s", s)}
	}
	if err := flags.enough(name, s.WhereBoth); err != nil {
		return ci.Item{}, err
	}
	left, err := resolve(ctx, flags, name, pairs, "case", 1)
	if err != nil {
		return ci.Item{}, err
	}
	item := left.item(name, s.String(), s.String())
	r := &item.Result
	r.Before, r.After = name+": left", name+": right"
	r.Elapsed = time.Since(start)
	r.Arith = s.Arith
	if stated, err := rule.Parse(source.NewFile(name, s.Text)); err == nil && len(stated) == 1 {
		r.Types = rules.Types(stated[0], s.Elem, s.Arith)
	}
	if pairs[0].Access {
		r.Equal = equiv.Access
	}
	item.Text += left.text(name)
	if flags.rules == nil {
		item.Text += indented(s.Text)
	}
	return item, nil
}

// verifyMap checks an explanation of a mapped program.
func (a *app) verifyMap(flags *verifyFlags, name string, data []byte) (ci.Item, error) {
	start := time.Now()
	claim, err := mapped.Check(name, data, languages.Checker)
	if err != nil {
		return ci.Item{}, err
	}
	about, imported := isAbout(flags.programs, claim.Source, claim.Result)
	if !about || flags.rules != nil {
		return ci.Item{}, source.Errors{source.Errorf(placeOf(name), codeOther, "the explanation is of other programs")}
	}
	s := proofs.Statement{Arith: claim.Ariths[0], Access: true, Before: claim.Source, After: claim.Result}
	title := fmt.Sprintf("%d steps by %d certified rules, %d terms", claim.Steps, len(claim.Rules), claim.Terms)
	item := new(resolved).item(name, title, fmt.Sprintf("%s (%s)", title, s))
	r := &item.Result
	r.Before, r.After = name+": source", name+": result"
	r.SHA256, r.Domain = equiv.StatementSHA256(s), languages.Checker.Conditions(s)
	r.Elapsed = time.Since(start)
	r.Arith, r.Equal = s.Arith, equiv.Access
	if r.Types, r.Disjoint, err = equiv.Stated(s, languages.Named); err != nil {
		return ci.Item{}, err
	}
	if imported {
		const says = "that the source is what tv import makes of the model (not proved here)"
		item.Text += "  rests on: " + says + "\n"
		r.Trusts = append(r.Trusts, says)
	}
	for _, rule := range claim.Rules {
		item.Text += fmt.Sprintf("  by %s\n", rule)
	}
	for _, c := range claim.RestsOn {
		item.Text += fmt.Sprintf("  rests on: %s (contract, not proved here)\n", c)
		r.Trusts = append(r.Trusts, "the contract of "+c)
	}
	if flags.programs == nil {
		item.Text += fmt.Sprintf("  source:\n%s  result:\n%s", indented(claim.Source), indented(claim.Result))
	}
	return item, nil
}

// isAbout tells whether an explanation is about the programs given, where there are any: the first may be a model, of which the source is
// what was imported.
func isAbout(given [][2]stated, mapped, result string) (about, imported bool) {
	switch {
	case given == nil:
		return true, false
	case len(given) != 1 || given[0][1] != stated{text: result}:
		return false, false
	case given[0][0] == stated{text: mapped}:
		return true, false
	}
	model, err := relay.Language.Parse(source.NewFile("model", given[0][0].text))
	if err != nil {
		return false, false
	}
	imported = model.(*relay.Source).Imported() == mapped
	return imported, imported
}

// enough refuses a weaker statement where a certificate is held against what it should be about.
func (flags *verifyFlags) enough(name string, weaker bool) error {
	if !weaker || flags.weaker || len(flags.against) == 0 {
		return nil
	}
	return source.Errors{source.Errorf(placeOf(name), algebra.CodeWeaker, "the certificate says it only where both "+
		"sides are well formed and have one type, which is less; --weaker accepts that")}
}

// maxLines bounds the lines of a program that are printed.
const maxLines = 12

// indented prints the first lines of a text.
func indented(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n") // a section of a litmus file begins with empty ones
	if n := len(lines); n > maxLines {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("... and %d lines more", n-maxLines))
	}
	return elide("    "+strings.Join(lines, "\n    ")) + "\n"
}

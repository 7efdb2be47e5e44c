package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"tv/glenside/rule"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/source"
	"tv/proofs"
)

// codeOther is the code of a certificate that is about other programs than those it is held against.
const codeOther = "certificate-other"

func (a *app) verifyCommand() *cobra.Command {
	var against []string
	cmd := &cobra.Command{
		Use:   "verify CERT...",
		Short: "does a certificate hold, and for which statement?",
		Long: `Verify runs the checker of certificates, which shares no code with the prover, and prints what each
certificate states. With --against the statements must be about the programs given: BEFORE and AFTER, each
program of a chain and the next, litmus files, or rule files for certificates of rules.

The exit status is 0 where all certificates are accepted and 2 where one is not.`,
		Example: `  tv check --certificate c.cert before.sexp after.sexp
  tv verify c.cert --against before.sexp --against after.sexp`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules, programs, err := a.ruleTexts(against)
			if err != nil {
				return err
			}
			want, err := a.texts(programs)
			if err != nil {
				return err
			}
			var errs source.Errors
			for _, name := range args {
				err := guard(a.stderr, func() error { return a.verify(name, want, rules) })
				errs = append(errs, source.AsErrors(err)...)
			}
			if len(errs) > 0 {
				return errs
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&against, "against", nil,
		"a program or litmus `file` that the statement must be about (repeatable)")
	return cmd
}

// texts returns the pairs of program texts that files hold.
func (a *app) texts(names []string) (pairs [][2]string, err error) {
	var chain []string
	for _, name := range names {
		f, err := files.Read(name, a.stdin)
		if err != nil {
			return nil, err
		}
		if kind, err := fileKind(name, "", false); err == nil && kind == langLitmus {
			l, err := casefile.ReadLitmus(f)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, [2]string{l.Before.Text, l.After.Text})
			continue
		}
		chain = append(chain, f.Text)
	}
	if len(chain) == 1 {
		return nil, usageError("--against takes BEFORE and AFTER, a chain of programs or litmus files")
	}
	for i := 0; i+1 < len(chain); i++ {
		pairs = append(pairs, [2]string{chain[i], chain[i+1]})
	}
	return pairs, nil
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
		list, err := rule.Parse(f)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range list {
			rules = append(rules, r.Span.Text())
		}
	}
	return rules, others, nil
}

// verifyRule checks the certificate of a rule and prints its statement.
func (a *app) verifyRule(name string, data []byte, rules []string) error {
	s, err := proofs.CheckRule(name, data)
	if err != nil {
		return err
	}
	if rules != nil && !slices.Contains(rules, s.Text) {
		return source.Errors{source.Errorf(source.Span{File: source.NewFile(name, "")}, codeOther,
			"the certificate is of another rule: %s", s)}
	}
	text := fmt.Sprintf("accepted: %s, %s\n", name, s)
	if rules == nil {
		text += indented(s.Text)
	}
	return a.output("", []byte(text))
}

// verify checks one certificate and prints its statements.
func (a *app) verify(name string, want [][2]string, rules []string) error {
	f, err := files.Read(name, a.stdin)
	if err != nil {
		return err
	}
	if proofs.IsRule([]byte(f.Text)) {
		return a.verifyRule(name, []byte(f.Text), rules)
	}
	statements, err := proofs.Check(name, []byte(f.Text))
	if err != nil {
		return err
	}
	if want != nil && len(want) != len(statements) {
		return source.Errors{source.Errorf(source.Span{File: source.NewFile(name, "")}, codeOther,
			"the certificate is about %d pairs of programs, not %d", len(statements), len(want))}
	}
	var b strings.Builder
	for i, s := range statements {
		if want != nil && (s.Before != want[i][0] || s.After != want[i][1]) {
			return source.Errors{source.Errorf(source.Span{File: source.NewFile(name, "")}, codeOther,
				"pair %d of the certificate is of other programs", i+1)}
		}
		fmt.Fprintf(&b, "accepted: %s, pair %d of %d (%s)\n", name, i+1, len(statements), s)
		for _, line := range s.Conditions() {
			fmt.Fprintf(&b, "  where %s\n", line)
		}
		if want == nil {
			fmt.Fprintf(&b, "  before:\n%s  after:\n%s", indented(s.Before), indented(s.After))
		}
	}
	return a.output("", []byte(b.String()))
}

// maxLines bounds the lines of a program that are printed.
const maxLines = 12

// indented prints the first lines of a text.
func indented(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if n := len(lines); n > maxLines {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("... and %d lines more", n-maxLines))
	}
	return elide("    "+strings.Join(lines, "\n    ")) + "\n"
}

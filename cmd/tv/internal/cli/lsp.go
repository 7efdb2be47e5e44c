package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"tv/ci"
	"tv/cmd/tv/internal/lsp"
	"tv/equiv"
	"tv/glenside/rule"
	"tv/hwmodels/vta"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	bitrule "tv/semantics/bits/rule"
	"tv/semantics/rise/syntax"
)

func (a *app) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "answer an editor, by the Language Server Protocol",
		Long: `Lsp answers an editor on standard input and output, by the Language Server Protocol: problems as one types, types
and meanings of operators, completion, definitions, layout, fixes, and questions to ask of a program, a litmus file or a rule.
Texts are told apart by the extensions that tv check, tv certify and tv fmt go by. doc/editors.md says how editors start it.`,
		Args: exactly(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := lsp.Serve(cmd.Context(), stream{a.stdin, a.stdout}, editorTool())
			if errors.Is(err, lsp.ErrExit) {
				a.exit = 1 // as the protocol wants
				return nil
			}
			return err
		},
	}
}

// editorTool is what editors are told.
func editorTool() lsp.Tool {
	return lsp.Tool{Version: version(), Problems: problems, Format: formatFile, Run: runWith}
}

// A stream is standard input and output as one.
type stream struct {
	io.Reader
	io.Writer
}

// Close implements io.Closer. What is read from standard input ends with the process.
func (stream) Close() error { return nil }

// formatFile is the text of a file in canonical layout.
func formatFile(f *source.File) (string, error) {
	if len(f.Text) == 0 { // of a program that is still to be written there is no layout
		return "", nil
	}
	quiet := &app{stdin: &files.Texts{Of: map[string]string{f.Name: f.Text}}, stdout: io.Discard, stderr: io.Discard}
	_, text, err := quiet.formatted(f.Name, "", false)
	return text, err
}

// runWith runs a command line for which files have the texts given.
func runWith(ctx context.Context, args []string, texts map[string]string) (status int, said string, verdicts source.Errors) {
	var out bytes.Buffer
	both := &lockedWriter{w: &out}
	a := &app{stdin: &files.Texts{Reader: bytes.NewReader(nil), Of: texts}, stdout: both, stderr: both}
	var mu sync.Mutex // a command that outlives an interrupt may still deliver
	a.delivered = func(run *ci.Run) {
		mu.Lock()
		defer mu.Unlock()
		verdicts = placed(run)
	}
	status = a.run(ctx, args)
	both.mu.Lock()
	defer both.mu.Unlock()
	mu.Lock()
	defer mu.Unlock()
	return status, out.String(), verdicts
}

// placed is what a run says of places: of each refutation what is to blame, of a rule the rule, with what would make it right.
func placed(run *ci.Run) (list source.Errors) {
	for i := range run.Items {
		it := &run.Items[i]
		r := &it.Result
		if len(it.Errors) > 0 || r.Verdict != equiv.Refuted {
			continue
		}
		said, _, _ := strings.Cut(ci.Lead(it), "\n")
		said = strings.TrimSuffix(said, ".") + "."
		if it.Rule != nil {
			if it.Rule.Mend != nil {
				said += " It is right if " + it.Rule.Mend.Guard
			}
			list = append(list, &source.Error{Span: it.Place, Code: r.Verdict.String(), Msg: said})
			continue
		}
		for _, b := range r.Blame {
			msg := said
			if b.Instead != nil {
				msg = fmt.Sprintf("%s With %s in place of %s both programs agree on what was tried.", said, b.Instead.Text, b.Instead.Span.Text())
			}
			list = append(list, &source.Error{Span: b.Span, Code: r.Verdict.String(), Msg: msg})
		}
	}
	return slices.DeleteFunc(list, func(e *source.Error) bool { return e.Span.File == nil })
}

// problems are those of a text, whose name says what it is; remarks are about what is legal and likely not meant.
func problems(f *source.File) (errs, remarks source.Errors) {
	if l := circuitLang(f.Name, "", false); l != nil {
		c, err := parseCircuit(f, l)
		if err == nil {
			err = c.elaborate(circuitOptions{})
		}
		return source.AsErrors(err), nil
	}
	switch ext := filepath.Ext(f.Name); ext {
	case "." + langRules:
		return ruleProblems(f)
	case "." + langListing:
		_, err := vta.ParseListing(f, implementationOf(newImplementation()))
		return source.AsErrors(err), nil
	case "." + langLitmus:
		return litmusProblems(f), nil
	default:
		l := languages.ByExtension(ext)
		if l == nil {
			return nil, nil
		}
		s, err := parse(l, f, "")
		if err != nil {
			return source.AsErrors(err), nil
		}
		if r, ok := s.(semantics.Remarker); ok {
			remarks = r.Remarks()
		}
		return source.AsErrors(typeAlone(s)), remarks
	}
}

// typeAlone types programs that are asked about together, under what they declare themselves.
func typeAlone(programs ...semantics.Source) error {
	env, err := equiv.Environment(programs, nil)
	if err != nil {
		return err
	}
	var errs source.Errors
	for _, p := range programs {
		_, err := p.Type(env)
		errs = append(errs, source.AsErrors(err)...)
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// ruleProblems are those of a file of rules, of all languages.
func ruleProblems(f *source.File) (errs, remarks source.Errors) {
	of, others, err := rule.ParseAll(f)
	errs = source.AsErrors(err)
	for _, r := range of {
		remarks = append(remarks, r.Warnings...)
	}
	for _, x := range others {
		if bitrule.Is(x) {
			r, err := bitrule.Parse(x)
			if errs = append(errs, source.AsErrors(err)...); err == nil {
				remarks = append(remarks, r.Warnings...)
			}
			continue
		}
		r, err := syntax.ParseRule(x)
		if errs = append(errs, source.AsErrors(err)...); err == nil {
			remarks = append(remarks, r.Warnings...)
		}
	}
	return errs, remarks
}

// litmusProblems are those of a litmus file and of its programs; other archives have none.
func litmusProblems(f *source.File) source.Errors {
	if !lsp.IsLitmus(f.Text) {
		return nil
	}
	l, err := casefile.ReadLitmus(f)
	if err != nil {
		return source.AsErrors(err)
	}
	flags := newQuestionFlags()
	p, err := loadLitmus(flags, nil, l)
	if err != nil {
		return source.AsErrors(err)
	}
	if p.machine != nil {
		return source.AsErrors(typeAlone(p.before))
	}
	env, err := equiv.Environment([]semantics.Source{p.before, p.after}, p.opts.Tensors)
	if err != nil || p.before.Language() != p.after.Language() || len(p.bind) > 0 {
		return source.AsErrors(err) // tensors of two languages are called by two names
	}
	var errs source.Errors
	for _, s := range []semantics.Source{p.before, p.after} {
		_, err := s.Type(env)
		errs = append(errs, source.AsErrors(err)...)
	}
	return errs
}

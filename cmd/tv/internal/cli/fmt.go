package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"tv/glenside"
	"tv/internal/casefile"
	"tv/internal/files"
	"tv/internal/languages"
	"tv/internal/sexpr"
	"tv/internal/source"
	"tv/semantics"
	language "tv/semantics/glenside"
)

func (a *app) fmtCommand() *cobra.Command {
	var write, list, share bool
	var lang *choice
	cmd := &cobra.Command{
		Use:   "fmt [PROGRAM... | DIR...]",
		Short: "print programs in canonical layout",
		Long: `Fmt prints programs in canonical layout, with their comments. Of Glenside that is declarations, assumes,
definitions, the expression, in canonical spelling; a comment inside an expression moves in front of it. Of
comprehensions it is a statement a line, of specifications over bit-vectors an item a line, of litmus files (.txtar) the layout of both programs, of rules a line a clause. A directory
stands for the files below it that have such a layout, but for .txtar, which other files are too; a pattern in quotes for what it matches. Without a file, or for "-", it reads standard input.`,
		Example: `  tv fmt program.sexp
  tv fmt -w examples/*.sexp
  tv fmt -l .
  tv fmt --lang comprehension < matmul.comp`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{files.Stdin}
			}
			args, err := files.Expand(args, formattedExtensions())
			if err != nil {
				return err
			}
			var errs source.Errors
			for _, name := range args {
				errs = append(errs, source.AsErrors(a.format(name, lang.value, write, list, share))...)
			}
			if len(errs) > 0 {
				return errs
			}
			return nil
		},
	}
	lang = registerLang(cmd.Flags(), false, "bv", langRules)
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the result back to the file")
	cmd.Flags().BoolVar(&share, "share", false, "define what is used more than once (Glenside)")
	cmd.Flags().BoolVarP(&list, "list", "l", false, "print only the names of files whose layout would change")
	return cmd
}

// formattedExtensions are those of files that have a canonical layout.
func formattedExtensions() (list []string) {
	for _, l := range languages.All {
		if l.Format != nil || l == language.Language {
			list = append(list, l.Extensions...)
		}
	}
	return append(list, ".bv", "."+langRules)
}

// format prints one file, or what the flags want instead.
func (a *app) format(name, lang string, write, list, share bool) error {
	if write && name == files.Stdin {
		return usageError("-w needs a file: standard input cannot be written back")
	}
	file, text, err := a.formatted(name, lang, share)
	if err != nil {
		return err
	}
	changed := text != file.Text
	if list && changed {
		if err := a.output("", []byte(name+"\n")); err != nil {
			return err
		}
	}
	switch {
	case write && changed:
		return files.WriteAtomic(name, []byte(text))
	case write || list:
		return nil
	}
	return a.output("", []byte(text))
}

// formatted reads a file, and returns its canonical text.
func (a *app) formatted(name, lang string, share bool) (*source.File, string, error) {
	if l := circuitLang(name, lang, false); l != nil {
		f, err := files.Read(name, a.stdin)
		if err != nil {
			return nil, "", err
		}
		if l.Format == nil || share {
			return nil, "", &source.Error{Name: f.Name, Code: codeKind, Msg: fmt.Sprintf("%s has no canonical layout, or none of that sort", l.Name)}
		}
		text, err := l.Format(f)
		return f, text, err
	}
	if kind, err := fileKind(name, lang); err == nil && kind == langLitmus && lang == "" {
		f, err := files.Read(name, a.stdin)
		if err != nil {
			return nil, "", err
		}
		text, err := formatLitmus(f, share)
		return f, text, err
	}
	if lang == langRules || lang == "" && extensionOf(name) == "."+langRules {
		f, err := files.Read(name, a.stdin)
		if err != nil {
			return nil, "", err
		}
		text, err := formatRules(f, share)
		return f, text, err
	}
	p, err := a.program(name, lang, "")
	if err != nil {
		return nil, "", err
	}
	text, err := layout(p, share)
	return p.File(), text, err
}

// formatLitmus lays the two programs of a litmus file out; all else of it stays as it is. A program whose language has no layout does
// too, and one in C that calls what only --contracts has.
func formatLitmus(f *source.File, share bool) (string, error) {
	l, err := casefile.ReadLitmus(f)
	if err != nil {
		return "", err
	}
	flags := newQuestionFlags()
	flags.implementation = newImplementation()
	with, err := flags.withLitmusArgs(l)
	if err != nil {
		return "", err
	}
	laidOut := map[string]string{}
	var errs source.Errors
	for i, program := range []*source.File{l.Before, l.After} {
		of := languages.ByExtension(l.Extensions[i])
		if of == nil || of.Format == nil && of != language.Language {
			continue
		}
		if of.Extensions[0] == ".c" && with.contracts != "" { // its calls are read together with the contracts alone
			continue
		}
		p, err := parse(of, program, functionOf(with.function, i))
		if err == nil {
			laidOut[[...]string{"before", "after"}[i]+l.Extensions[i]], err = layout(p, share)
		}
		errs = append(errs, source.AsErrors(err)...)
	}
	if len(errs) > 0 {
		return "", errs
	}
	archive := txtar.Parse([]byte(f.Text))
	for i, part := range archive.Files {
		if text, ok := laidOut[part.Name]; ok {
			archive.Files[i].Data = []byte(text)
		}
	}
	return string(txtar.Format(archive)), nil
}

// ruleWidth is where lists of rules are broken.
const ruleWidth = 120

// formatRules lays a file of rules out, of whatever language they are: clauses have lines of their own, and words stay as they are.
func formatRules(f *source.File, share bool) (string, error) {
	if share {
		return "", usageError("--share: %s are rules, which have no definitions", f.Name)
	}
	if errs, _ := ruleProblems(f); len(errs) > 0 {
		return "", errs
	}
	forms, err := sexpr.Read(f)
	if err != nil {
		return "", err
	}
	return sexpr.Layout(f, forms, ruleWidth, "rule"), nil
}

// layout is the canonical text of a program, with its comments.
func layout(p semantics.Source, share bool) (string, error) {
	g, ok := glensideOf(p)
	switch {
	case ok:
		return formatProgram(g, share), nil
	case share:
		return "", usageError("--share: %s has no definitions", p.Language().Name)
	case p.Language().Format == nil:
		return "", &source.Error{Name: p.File().Name, Code: codeKind,
			Msg: fmt.Sprintf("%s has no canonical layout", p.Language().Name)}
	}
	return p.Language().Format(p), nil
}

// byteOrderMark may begin a file that another system wrote. It is no comment, and the canonical layout has none.
const byteOrderMark = "\ufeff"

// formatProgram is glenside.Format, or glenside.Share, with the comments of the file.
func formatProgram(p *glenside.Program, share bool) string {
	forms := glenside.Forms(p)
	if share {
		forms = glenside.SharedForms(p)
	}
	var added []glenside.Form // that the file does not have
	forms = slices.DeleteFunc(forms, func(f glenside.Form) bool {
		if f.Span.File == nil {
			added = append(added, f)
		}
		return f.Span.File == nil
	})
	slices.SortFunc(forms, func(x, y glenside.Form) int { return x.Span.Start - y.Span.Start })

	// Every form with the comments before it is a block; blocks move as wholes.
	type block struct {
		kind glenside.FormKind
		text string
	}
	var blocks []block
	text := p.File.Text
	at := 0
	if strings.HasPrefix(text, byteOrderMark) {
		at = len(byteOrderMark)
	}
	head := header(text[at:forms[0].Span.Start])
	at += len(head)
	for i, f := range forms {
		var b strings.Builder
		trailing := leading(&b, text[at:f.Span.Start], i > 0)
		if trailing != "" {
			blocks[len(blocks)-1].text += " " + trailing
		}
		for _, c := range comments(text[f.Span.Start:f.Span.End]) {
			b.WriteString(c + "\n")
		}
		b.WriteString(f.Text)
		blocks = append(blocks, block{f.Kind, b.String()})
		at = f.Span.End
	}
	var rest strings.Builder
	if trailing := leading(&rest, text[at:], true); trailing != "" {
		blocks[len(blocks)-1].text += " " + trailing
	}
	for _, f := range added { // behind the definitions of the file
		blocks = append(blocks, block{f.Kind, f.Text})
	}
	slices.SortStableFunc(blocks, func(x, y block) int { return cmp.Compare(x.kind, y.kind) })
	var out strings.Builder
	leading(&out, head, false)
	for i, b := range blocks {
		if i == 0 {
			b.text = strings.TrimPrefix(b.text, "\n") // there is a blank line already, or nothing above
		}
		out.WriteString(b.text + "\n")
	}
	if end := strings.TrimRight(rest.String(), "\n"); end != "" {
		out.WriteString(end + "\n")
	}
	return strings.TrimPrefix(out.String(), "\n")
}

// header returns the part of the text before the first form that is about the whole file: what ends in
// the last blank line.
func header(gap string) string {
	end := 0
	for i, line := 0, ""; i < len(gap); i += len(line) {
		line = gap[i:]
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line = line[:n+1]
			if strings.TrimSpace(line) == "" {
				end = i + len(line)
			}
		}
	}
	return gap[:end]
}

// leading writes the comments of a gap between forms, each on its line, runs of blank lines as one.
// A comment on the line that the gap starts in belongs to the form before and is returned.
func leading(b *strings.Builder, gap string, follows bool) (trailing string) {
	if follows {
		trailing, gap, _ = strings.Cut(gap, "\n")
		trailing = strings.TrimSpace(trailing)
	}
	lines := strings.Split(gap, "\n")
	blank := false
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			blank = blank || i < len(lines)-1
			continue
		}
		if blank {
			b.WriteString("\n")
		}
		blank = false
		b.WriteString(line + "\n")
	}
	if blank {
		b.WriteString("\n")
	}
	return trailing
}

// comments returns the comments of a text that holds other things as well.
func comments(text string) []string {
	var list []string
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ';':
			line, _, _ := strings.Cut(text[i:], "\n")
			list = append(list, strings.TrimSpace(line))
			i += len(line)
		case c == '"': // a quoted word; it has no escapes
			if end := strings.IndexByte(text[i+1:], '"'); end >= 0 {
				i += end + 2
			} else {
				i = len(text)
			}
		case strings.IndexByte(" \t\r\n()", c) >= 0:
			i++
		default: // a quote inside a word does not start a quoted one
			for i < len(text) && strings.IndexByte(" \t\r\n();", text[i]) < 0 {
				i++
			}
		}
	}
	return list
}

package lsp

import (
	"path/filepath"
	"regexp"
	"strings"

	"tv/semantics/domain"
)

// didYouMean is how messages name the word that a misspelt one was meant to be.
var didYouMean = regexp.MustCompile(`did you mean ([^?\s]+)\?`)

// missingInput is how a program says that a tensor is not declared.
var missingInput = regexp.MustCompile(`^tensor (.+) is not declared`)

// unknownRank is how a program that declares nothing says that nothing fixes the rank of a tensor.
var unknownRank = regexp.MustCompile(`does not fix the rank of (.+);`)

// rightIf is how a refuted rule says under which guard it is right.
var rightIf = regexp.MustCompile(`right if (\(.*\))`)

// guardAt is where a guard goes in the rule around an offset: into its clause where, or as one of its own before the left side.
func (d *document) guardAt(at int, guard string) (offset int, text string, ok bool) {
	for _, rule := range topLists(d.text) {
		if at < rule.start || at >= rule.end {
			continue
		}
		walk(d.text[rule.start:rule.end], func(f form, depth int) {
			f.start, f.end = f.start+rule.start, f.end+rule.start
			w := f.words(d.text, 1)
			switch {
			case depth != 1 || len(w) == 0:
			case w[0] == "where" && strings.HasSuffix(d.text[f.start:f.end], ")"):
				offset, text, ok = f.end-1, " "+guard, true
			case w[0] == "lhs" && !ok:
				offset, text, ok = f.start, "(where "+guard+") ", true
			}
		})
	}
	return offset, text, ok
}

// fixes are the changes that would mend a problem.
func (d *document) fixes(problem diagnostic) (list []codeAction) {
	fix := func(title string, at textRange, text string) {
		list = append(list, codeAction{Title: title, Kind: "quickfix", Diagnostics: []diagnostic{problem},
			Edit: workspaceEdit{map[string][]textEdit{d.uri: {{at, text}}}}})
	}
	if m := didYouMean.FindStringSubmatch(problem.Message); m != nil {
		start := d.offset(problem.Range.Start)
		from, to := identifierAt(d.text, start)
		if d.isGlenside() {
			from, to = wordAt(d.text, start)
		}
		if from < to {
			fix("Write "+m[1], d.rangeOf(from, to), m[1])
		}
	}
	if m := rightIf.FindStringSubmatch(problem.Message); m != nil {
		if at, text, ok := d.guardAt(d.offset(problem.Range.Start), m[1]); ok {
			fix("Add the guard "+m[1], d.rangeOf(at, at), text)
		}
	}
	for _, pattern := range []*regexp.Regexp{missingInput, unknownRank} {
		if m := pattern.FindStringSubmatch(problem.Message); m != nil && filepath.Ext(d.name()) == ".sexp" {
			tensor := domain.Quote(m[1])
			fix("Declare "+m[1]+" as a matrix", textRange{}, "(input "+tensor+" (shape N M))\n")
		}
	}
	return list
}

// Commands of code lenses. Whoever shows a text asks which file is meant with checkAgainst, and has check run then.
const (
	commandCheckAgainst = "tv.checkAgainst"
	commandCheck        = "tv.check"
	commandCertify      = "tv.certify"
)

// lenses are the questions that one may want to ask about a document.
func (d *document) lenses() []codeLens {
	list := []codeLens{}
	switch filepath.Ext(d.name()) {
	case ".txtar":
		if IsLitmus(d.text) {
			list = append(list, codeLens{textRange{}, command{"check", commandCheck, []any{d.uri}}})
		}
	case ".rules":
		for _, f := range topLists(d.text) {
			if w := f.words(d.text, 2); len(w) == 2 && w[0] == "rule" {
				at := d.rangeOf(f.start, f.start+1)
				list = append(list, codeLens{at, command{"certify", commandCertify, []any{d.uri, w[1]}}})
			}
		}
	default:
		list = append(list, codeLens{textRange{}, command{"check against...", commandCheckAgainst, []any{d.uri}}})
	}
	return list
}

// IsLitmus tells whether an archive has programs to compare: archives hold other things as well.
func IsLitmus(text string) bool {
	return strings.Contains("\n"+text, "\n-- before.") || strings.Contains("\n"+text, "\n-- after.")
}

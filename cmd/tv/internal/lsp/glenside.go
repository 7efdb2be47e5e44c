package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"tv/equiv"
	"tv/glenside"
	"tv/internal/languages"
	"tv/internal/source"
	"tv/semantics"
	language "tv/semantics/glenside"
)

// isGlenside tells whether a document is made of lists whose operators are in the operator table: a program, a litmus file, rules.
func (d *document) isGlenside() bool {
	return slices.Contains([]string{".sexp", ".rules", ".txtar"}, filepath.Ext(d.name()))
}

// hover says what is at an offset: an operator's meaning, and the type of the list that it begins, or of a name.
func (d *document) hover(at int) *hover {
	if !d.isGlenside() {
		return d.parameter(at)
	}
	start, end := wordAt(d.text, at)
	if start == end {
		return nil
	}
	word := d.text[start:end]
	around := listsAround(d.text, start)
	var parts []string
	of := d.text[start:end] // what has a type
	if len(around) > 0 {
		list := around[len(around)-1]
		head := list.words(d.text, 2)
		for _, c := range []glenside.Category{glenside.CallCategory(head[0]), glenside.CatCore} {
			if op := glenside.LookupSpelling(c, word); op != nil && slices.Contains(head, word) {
				parts = append(parts, describe(op))
				of = d.text[list.start:list.end]
				break
			}
		}
		if slices.Contains([]string{"compute", "relay-operator-call", "accelerator-call"}, word) {
			of = d.text[list.start:list.end]
		}
	}
	if typ := d.typeOf(of); typ != "" {
		parts = append([]string{"```\n" + typ + "\n```"}, parts...)
	}
	for _, n := range names(d.text) {
		if n.word == word {
			parts = append(parts, "```glenside\n"+firstLines(n.text, 8)+"\n```")
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return &hover{markup{"markdown", strings.Join(parts, "\n\n")}, d.rangeOf(start, end)}
}

// firstLines is a text, cut behind so many lines.
func firstLines(text string, n int) string {
	lines := strings.SplitAfterN(text, "\n", n+1)
	if len(lines) <= n {
		return text
	}
	return strings.Join(lines[:n], "") + "..."
}

// typeOf is the type of an expression under what the text declares and defines; empty where it has none.
func (d *document) typeOf(expression string) string {
	if filepath.Ext(d.name()) != ".sexp" { // rules have variables, and litmus files several programs
		return ""
	}
	var b strings.Builder
	for _, f := range topLists(d.text) {
		if w := f.words(d.text, 1); len(w) == 1 && slices.Contains([]string{"input", "assume", "define"}, w[0]) {
			b.WriteString(d.text[f.start:f.end] + "\n")
		}
	}
	if strings.HasPrefix(expression, "(") {
		b.WriteString(expression)
	} else {
		b.WriteString("(construct-tuple " + expression + ")")
	}
	p, err := glenside.Parse(source.NewFile(d.name(), b.String()))
	if err != nil {
		return ""
	}
	env, err := equiv.Environment([]semantics.Source{language.Of(p)}, nil)
	if err != nil {
		return ""
	}
	t, err := glenside.Check(p, env)
	if err != nil {
		return ""
	}
	if root := t.Root(); !strings.HasPrefix(expression, "(") {
		return root.Items[0].String()
	}
	return t.Root().String()
}

// describe is a row of the operator table.
func describe(op *glenside.Op) string {
	return fmt.Sprintf("`%s`\n\n%s\n\nShapes: %s", op.Signature(), op.Meaning, op.Shapes)
}

// parameter says what a procedure or function of another language is given under the name at an offset.
func (d *document) parameter(at int) *hover {
	start, end := identifierAt(d.text, at)
	for _, p := range d.parameters() {
		if start == end || p.Name != d.text[start:end] || !p.Typed {
			continue
		}
		dims := make([]string, len(p.Dims))
		for i, dim := range p.Dims {
			dims[i] = dim.String()
		}
		use := "not used"
		switch {
		case p.Read && p.Written:
			use = "read and written"
		case p.Read:
			use = "read"
		case p.Written:
			use = "written"
		}
		return &hover{markup{"markdown", fmt.Sprintf("`%s: (%s) %s`, %s", p.Name, strings.Join(dims, " "), p.Elem, use)}, d.rangeOf(start, end)}
	}
	return nil
}

// parameters are those of a program in a language of its own; nil where the text cannot be read.
func (d *document) parameters() []semantics.Parameter {
	l := languages.ByExtension(filepath.Ext(d.name()))
	if l == nil {
		return nil
	}
	s, err := l.Parse(d.file())
	if err != nil {
		return nil
	}
	return s.Signature().Parameters
}

// identifierAt is the identifier around an offset.
func identifierAt(text string, at int) (start, end int) {
	is := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	start, end = at, at
	for start > 0 && is(text[start-1]) {
		start--
	}
	for end < len(text) && is(text[end]) {
		end++
	}
	return start, end
}

// complete lists what may stand at an offset: operators behind an opening parenthesis, names elsewhere.
func (d *document) complete(at int) []completionItem {
	items := []completionItem{}
	if !d.isGlenside() {
		for _, p := range d.parameters() {
			items = append(items, completionItem{Label: p.Name, Kind: kindVariable, Detail: "parameter"})
		}
		return items
	}
	start, _ := wordAt(d.text, at)
	before := strings.TrimRight(d.text[:start], " \t\r\n")
	if head := strings.HasSuffix(before, "("); !head {
		from, _ := wordAt(before, len(before))
		category := glenside.CallCategory(before[from:])
		if category == glenside.CatCore || !strings.HasSuffix(strings.TrimRight(before[:from], " \t\r\n"), "(") {
			for _, n := range names(d.text) {
				items = append(items, completionItem{Label: n.word, Kind: kindVariable, Detail: firstLines(n.text, 1)})
			}
			return items
		}
		return operators(items, func(op *glenside.Op) bool { return op.Category == category })
	}
	for _, word := range []string{"compute", "relay-operator-call", "accelerator-call", "input", "define", "assume", "shape"} {
		items = append(items, completionItem{Label: word, Kind: kindKeyword})
	}
	return operators(items, func(op *glenside.Op) bool {
		return op.Category == glenside.CatCore || op.Category == glenside.CatHardware
	})
}

// operators adds those that are wanted.
func operators(items []completionItem, wanted func(*glenside.Op) bool) []completionItem {
	for _, op := range glenside.Ops() {
		if wanted(op) {
			items = append(items, completionItem{Label: op.Name, Kind: kindFunction, Detail: op.Arity(), Documentation: &markup{"markdown", describe(op)}})
		}
	}
	return items
}

// definition is where the name at an offset comes from.
func (d *document) definition(at int) *location {
	if !d.isGlenside() {
		start, end := identifierAt(d.text, at)
		for _, p := range d.parameters() {
			if start < end && p.Name == d.text[start:end] && p.Span.File != nil {
				return &location{d.uri, d.rangeOf(p.Span.Start, p.Span.End)}
			}
		}
		return nil
	}
	start, end := wordAt(d.text, at)
	section := 0 // of a litmus file: names are those of one program
	if filepath.Ext(d.name()) == ".txtar" {
		section = strings.LastIndex(d.text[:start], "\n-- ")
	}
	for _, n := range names(d.text) {
		if n.word == d.text[start:end] && n.at.start >= section {
			return &location{d.uri, d.rangeOf(n.at.start, n.at.end)}
		}
	}
	return nil
}

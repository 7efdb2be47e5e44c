package ci

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"tv/internal/files"
	"tv/internal/source"
	"tv/semantics/domain"
)

// githubReport writes r as a log of a GitHub workflow: a plain line for each proof, a workflow command for whatever
// has to be looked at, which the runner shows at its place in the files of a change, and a closing line.
func githubReport(w io.Writer, r *Run) error {
	var b bytes.Buffer
	if line := r.opening(); line != "" {
		b.WriteString(line + "\n")
	}
	for i := range r.Items {
		it := &r.Items[i]
		level, title := "", verdictRule(r, it)
		switch r.status(it) {
		case passed:
			b.WriteString(it.firstLine(r.Timing) + "\n")
		case failed:
			level = "error"
		case known:
			level, title = "warning", "known: "+title
		case undecided:
			level = "warning"
		case unanswered:
			b.WriteString(itemText(r, it) + "\n")
		}
		if level == "" {
			continue
		}
		var span source.Span
		if places := it.places(); len(places) > 0 {
			span = places[0]
		}
		b.WriteString(annotation(level, title, span.Position().File, span, itemText(r, it)))
	}
	for _, e := range r.AllErrors() {
		b.WriteString(annotation("error", e.Code, e.Position().File, e.Span, e.Msg))
	}
	b.WriteString(r.counted() + "\n")
	_, err := w.Write(b.Bytes())
	return err
}

// annotation returns a workflow command. A span that ends in another line than it starts has no end column:
// the runner drops annotations that have both.
func annotation(level, title, file string, span source.Span, message string) string {
	var props []string
	if file != "" && file != files.Stdin {
		props = append(props, "file="+escapeProperty(file))
		if span.File != nil {
			start, end := span.Position(), span.EndPosition()
			props = append(props, fmt.Sprintf("line=%d,endLine=%d", start.Line, end.Line))
			if start.Line == end.Line {
				props = append(props, fmt.Sprintf("col=%d,endColumn=%d", start.Col, end.Col))
			}
		}
	}
	props = append(props, "title="+escapeProperty("tv: "+title))
	return fmt.Sprintf("::%s %s::%s\n", level, strings.Join(props, ","), escapeMessage(message))
}

// What the runner reads back: in a message, and in a property, which ends at a comma or a colon.
var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func escapeMessage(s string) string  { return messageEscapes.Replace(s) }
func escapeProperty(s string) string { return propertyEscapes.Replace(s) }

// Limits of a summary: GitHub refuses one of more than a mebibyte a step.
const (
	summaryRows    = 1000
	summaryDetails = 50
	detailBytes    = 4000
)

// StepSummary writes r as Markdown for the summary page of a workflow: the counts, a table of what was asked,
// what is wrong first, and the details of what is wrong, folded.
func StepSummary(w io.Writer, r *Run) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "### %s: %s\n", markdown(suiteName(r)), r.counted())
	order := []status{failed, errored, undecided, unanswered, known, passed}
	var items []*Item
	for _, s := range order {
		for i := range r.Items {
			if r.status(&r.Items[i]) == s {
				items = append(items, &r.Items[i])
			}
		}
	}
	if len(items) > 0 {
		b.WriteString("\n| question | verdict | arithmetic | domain | engine |\n|---|---|---|---|---|\n")
	}
	for _, it := range items[:min(len(items), summaryRows)] {
		res := &it.Result
		row := []string{it.title(), summaryVerdict(r, it), "", "", ""}
		if it.answered() {
			row[2], row[3], row[4] = res.Arithmetic(), domain.Conjunction(conditions(res)), res.Engine
		}
		for i, cell := range row {
			row[i] = markdown(shorten(cell, 200))
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	if more := len(items) - summaryRows; more > 0 {
		fmt.Fprintf(&b, "\nand %d more\n", more)
	}
	shown := 0
	for _, it := range items {
		if s := r.status(it); s != failed && s != undecided && s != known || shown == summaryDetails {
			continue
		}
		shown++
		fold(&b, it.title(), itemText(r, it))
	}
	for _, e := range r.AllErrors() {
		if shown++; shown <= summaryDetails {
			fold(&b, "error "+e.Code, e.Error())
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// summaryVerdict is the verdict of an item in a cell of a table.
func summaryVerdict(r *Run, it *Item) string {
	switch s := r.status(it); {
	case s == errored:
		return "error: " + it.Errors[0].Code
	case s == unanswered:
		return "not answered"
	case s == known:
		return it.Result.Verdict.String() + ", known"
	case r.Expect && s == failed:
		return fmt.Sprintf("%s, want %s", it.Result.Verdict, it.wanted())
	}
	return joinNonEmpty(": ", it.Result.Verdict.String(), it.Result.Reason)
}

// fold writes a text that opens at a click.
func fold(b *bytes.Buffer, title, text string) {
	if len(text) > detailBytes {
		text = strings.ToValidUTF8(text[:detailBytes], "") + " ..."
	}
	fmt.Fprintf(b, "\n<details><summary>%s</summary>\n\n<pre>%s</pre>\n\n</details>\n",
		markdown(title), htmlEscapes.Replace(text))
}

// In HTML, where Markdown does not look, and in Markdown, where it must not see more than text.
var (
	htmlEscapes     = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\n\n", "\n&#10;")
	markdownEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "\\", "\\\\",
		"`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "\n", " ", "\r", " ")
)

func markdown(s string) string { return markdownEscapes.Replace(s) }

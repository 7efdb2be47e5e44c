package sexpr

import (
	"slices"
	"strings"
	"unicode/utf8"

	"tv/internal/source"
)

// Layout is the text of a file in canonical layout, where forms are what Read read of it. A list stands on one line where it has no
// comment and fits into width characters; else its first operand stands behind its head, and the others below that one, short ones
// beside each other. Of a list whose head is in clauses, each operand but the first has a line of its own, two blanks further in.
// Comments stay behind what they follow on a line, or above what they stand above; several blank lines are one. The layout of a
// layout is itself.
func Layout(f *source.File, forms []*Form, width int, clauses ...string) string {
	l := &layouter{text: f.Text, width: width, clauses: map[string]bool{}, flat: map[*Form]int{}}
	for _, c := range clauses {
		l.clauses[c] = true
	}
	var b strings.Builder
	at := 0
	if strings.HasPrefix(f.Text, "\ufeff") {
		at = len("\ufeff")
	}
	for i, x := range forms {
		behind, above := l.comments(l.text[at:x.Span.Start], i > 0)
		for _, c := range behind {
			b.WriteString(" " + c)
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(topped(above, i > 0))
		l.write(&b, x, 0, 0)
		at = x.Span.End
	}
	behind, above := l.comments(l.text[at:]+"\n", len(forms) > 0)
	for _, c := range behind {
		b.WriteString(" " + c)
	}
	if len(forms) > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(strings.TrimRight(topped(above, len(forms) > 0), "\n"))
	if text := strings.TrimRight(b.String(), "\n"); text != "" {
		return text + "\n"
	}
	return ""
}

type layouter struct {
	text    string
	width   int
	clauses map[string]bool
	flat    map[*Form]int // width on one line; noLine where it has none
}

const noLine = 1 << 30

// comments are those of a gap: what is behind a form on its line, where the gap follows one, and the lines above the next. A line
// that is blank is "".
func (l *layouter) comments(gap string, follows bool) (behind, above []string) {
	for i, line := range strings.Split(gap, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case i > 0 || !follows:
			above = append(above, line)
		case line != "":
			behind = append(behind, line)
		}
	}
	if len(above) > 0 { // what is left of the line on which the next form stands
		above = above[:len(above)-1]
	}
	return behind, above
}

// topped are lines between forms, runs of blank ones as one, and none at the beginning of a file.
func topped(lines []string, follows bool) string {
	var b strings.Builder
	blank := false
	for _, line := range lines {
		if line == "" {
			blank = true
			continue
		}
		if blank && (follows || b.Len() > 0) {
			b.WriteByte('\n')
		}
		blank = false
		b.WriteString(line + "\n")
	}
	if blank && (follows || b.Len() > 0) {
		b.WriteByte('\n')
	}
	return b.String()
}

// measure is the width of a form on one line.
func (l *layouter) measure(x *Form) int {
	if w, ok := l.flat[x]; ok {
		return w
	}
	w := utf8.RuneCountInString(l.text[x.Span.Start:x.Span.End])
	switch {
	case !x.IsList && strings.Contains(l.text[x.Span.Start:x.Span.End], "\n"):
		w = noLine
	case x.IsList:
		w = 2 + max(0, len(x.List)-1)
		at := x.Span.Start + 1
		for _, y := range x.List {
			w += l.measure(y)
			if strings.Contains(l.text[at:y.Span.Start], ";") {
				w = noLine
			}
			at = y.Span.End
		}
		if strings.Contains(l.text[at:x.Span.End], ";") || l.clauses[x.Head()] {
			w = noLine
		}
	}
	w = min(w, noLine)
	l.flat[x] = w
	return w
}

// line writes a form on one line.
func (l *layouter) line(b *strings.Builder, x *Form) {
	if !x.IsList {
		b.WriteString(l.text[x.Span.Start:x.Span.End])
		return
	}
	b.WriteByte('(')
	for i, y := range x.List {
		if i > 0 {
			b.WriteByte(' ')
		}
		l.line(b, y)
	}
	b.WriteByte(')')
}

// write writes a form that begins at a column, and behind which so many parentheses close.
func (l *layouter) write(b *strings.Builder, x *Form, column, closing int) {
	if w := l.measure(x); !x.IsList || w < noLine && column+w+closing <= l.width {
		l.line(b, x)
		return
	}
	b.WriteByte('(')
	indent, beside := column+1, false // where operands stand, and whether the first stands beside the head
	if head := x.Head(); head != "" && len(x.List) > 1 {
		indent = column + 2
		first := !strings.Contains(l.text[x.Span.Start:x.List[0].Span.Start], ";")
		if w := 2 + l.measure(x.List[0]); first && !l.clauses[head] && w <= widestHead {
			indent, beside = column+w, true
		}
		beside = beside || first && l.clauses[head] && !x.List[1].IsList
	}
	at, ended := x.Span.Start+1, false // whether the line ends in a comment
	end := 0                           // of the line so far, where its last operand is small; else 0
	for i, y := range x.List {
		tail := 0
		if i == len(x.List)-1 {
			tail = closing + 1
		}
		behind, above := l.comments(l.text[at:y.Span.Start], true)
		for _, c := range behind {
			b.WriteString(" " + c)
			ended = true
		}
		joins := !ended && !slices.ContainsFunc(above, func(line string) bool { return line != "" })
		switch {
		case i == 0 && joins:
		case i == 1 && beside && joins, joins && end > 0 && l.measure(y) <= small && end+1+l.measure(y)+tail <= l.width:
			b.WriteByte(' ')
		default:
			b.WriteByte('\n')
			for _, c := range above {
				if c != "" {
					b.WriteString(strings.Repeat(" ", indent) + c + "\n")
				}
			}
			b.WriteString(strings.Repeat(" ", indent))
			end = 0
		}
		l.write(b, y, indent, tail)
		switch w := l.measure(y); {
		case w > small || i == 0 || l.clauses[x.Head()]:
			end = 0
		case end > 0:
			end += 1 + w
		default:
			end = indent + w
		}
		at, ended = y.Span.End, false
	}
	behind, above := l.comments(l.text[at:x.Span.End-1]+"\n", true)
	for _, c := range behind {
		b.WriteString(" " + c)
		ended = true
	}
	for _, c := range above {
		if c != "" {
			b.WriteString("\n" + strings.Repeat(" ", indent) + c)
			ended = true
		}
	}
	if ended { // a comment would take the parenthesis in
		b.WriteString("\n" + strings.Repeat(" ", indent))
	}
	b.WriteByte(')')
}

// Operands stand at most so far behind the parenthesis of their list, and share a line where they are so short.
const (
	widestHead = 32
	small      = 24
)

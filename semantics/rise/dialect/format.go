package dialect

import (
	"strings"

	"tv/internal/source"
)

// Format returns a text with two blanks a level at the begin of lines, none at their ends, and one empty line where there were
// several; lines are kept.
func Format(text string) string {
	var out strings.Builder
	depth, empty := 0, false
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			empty = out.Len() > 0
			continue
		}
		if empty {
			out.WriteByte('\n')
		}
		empty = false
		opens, closes := 0, 0 // closes those at the begin of the line
		leading := true
		for _, t := range lex(source.NewFile("", line)) {
			switch {
			case t.is("{", "("):
				opens++
				leading = false
			case t.is("}", ")") && leading:
				closes++
			case t.is("}", ")"):
				opens--
			default:
				leading = false
			}
		}
		depth = max(depth-closes, 0)
		out.WriteString(strings.Repeat("  ", depth) + line + "\n")
		depth = max(depth+opens, 0)
	}
	return out.String()
}

// Line is the operation that begins at a place, on one line.
func Line(at source.Span) string {
	rest := at.File.Text[at.Start:]
	line, _, _ := strings.Cut(rest, "\n")
	if i := strings.Index(line, "//"); i >= 0 {
		line = line[:i]
	}
	return strings.Join(strings.Fields(line), " ")
}

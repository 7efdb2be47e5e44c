package vta

import "strings"

// Format returns a listing in canonical layout: one blank between words, none before them, one empty line where there were
// several, and comments where they are.
func Format(text string) string {
	var out strings.Builder
	empty := false
	for line := range strings.Lines(text) {
		code, comment, commented := strings.Cut(strings.TrimRight(line, "\r\n"), ";")
		line = strings.Join(strings.Fields(code), " ")
		if commented {
			line = strings.TrimLeft(line+" ;"+strings.TrimRight(comment, " \t"), " ")
		}
		if line == "" {
			empty = out.Len() > 0
			continue
		}
		if empty {
			out.WriteString("\n")
			empty = false
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

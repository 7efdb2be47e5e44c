package syntax

import (
	"slices"
	"strings"

	"tv/internal/source"
	"tv/semantics/words"
)

// Format returns a program in canonical layout: one space where one is wanted, one line a statement, one empty line where
// there were several. Words, parentheses and comments stay as they are, so that places in a text and its layout are the same.
func Format(p *Program) string {
	var out strings.Builder
	all, empty := words.Split(p.Text, spelling()), false
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(w source.Span) bool { return w.Text() == "\n" })
		if n < 0 {
			n = len(all)
		}
		text := layout(all[:n])
		all = all[min(n+1, len(all)):]
		if text == "" {
			empty = out.Len() > 0
			continue
		}
		if empty {
			out.WriteString("\n")
			empty = false
		}
		out.WriteString(text + "\n")
	}
	return out.String()
}

// layout writes the words of a line. A product is written close where integers stand: in subscripts, dims and ranges.
func layout(line []source.Span) string {
	var out strings.Builder
	var calls []bool // of the parentheses that are open: subscripts or parameters stand in them
	ranges := false  // behind where
	operand, sign, last := false, false, ""
	for _, w := range line {
		text, integer := w.Text(), ranges || slices.Contains(calls, true)
		opens, closes := text == "(" || text == "[", text == ")" || text == "]"
		if last != "" && !sign && !closes && text != "," && text != ":" && !strings.Contains("([:", last) &&
			!(opens && operand) && !(integer && (text == "*" || last == "*")) {
			out.WriteString(" ")
		}
		out.WriteString(strings.TrimRight(text, " \t\r"))
		switch {
		case opens:
			calls = append(calls, operand)
		case closes:
			calls = calls[:max(len(calls)-1, 0)]
		case text == "where":
			ranges = true
		}
		sign = text == "-" && !operand
		operand = closes || text[0] >= '0' && text[0] <= '9' || words.IsName(w) && text != "where" && text != "in" ||
			strings.Contains(text, ".")
		last = text
	}
	return out.String()
}

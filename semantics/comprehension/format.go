package comprehension

import (
	"slices"
	"strings"
)

// Format returns a program in canonical layout: one space where one is wanted, one line a statement, one empty line where
// there were several. Words, parentheses and comments stay as they are, so that places in a text and its layout are the same.
func Format(p *Program) string {
	var out strings.Builder
	r := &parser{file: p.file}
	offset, empty := 0, false
	for line := range strings.Lines(p.file.Text) {
		r.scan(line, offset)
		offset += len(line)
		_, comment, commented := strings.Cut(strings.TrimRight(line, "\r\n"), "#")
		text := layout(r.tokens)
		if commented {
			text = strings.TrimLeft(text+" #"+strings.TrimRight(comment, " \t"), " ")
		}
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

// layout writes the tokens of a line. A product is written close where integers stand: in subscripts, dims and ranges.
func layout(tokens []token) string {
	var out strings.Builder
	var calls []bool // of the parentheses that are open: subscripts or parameters stand in them
	ranges := false  // behind where
	operand, sign := false, false
	for i, t := range tokens {
		last, integer := "", ranges || slices.Contains(calls, true)
		if i > 0 {
			last = tokens[i-1].text
		}
		opens, closes := t.text == "(" || t.text == "[", t.text == ")" || t.text == "]"
		if i > 0 && !sign && !closes && t.text != "," && t.text != ":" && !strings.Contains("([:", last) &&
			!(opens && operand) && !(integer && (t.text == "*" || last == "*")) {
			out.WriteString(" ")
		}
		out.WriteString(t.text)
		switch {
		case opens:
			calls = append(calls, operand)
		case closes:
			calls = calls[:max(len(calls)-1, 0)]
		case t.text == "where":
			ranges = true
		}
		sign = t.text == "-" && !operand
		operand = closes || letter(t.text[0]) && t.text != "where" && t.text != "in"
	}
	return out.String()
}

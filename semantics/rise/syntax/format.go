package syntax

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"tv/internal/source"
	"tv/semantics/words"
)

// laidOut has comments and ends of lines as words.
var laidOut = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:([ \t\r]+)|\n|(?:#|//)[^\n]*|` + wordsOf)
})

// Format returns a program in canonical layout: lines end where they did, with one space where one is wanted, two at the
// begin of a line for each line before in which a bracket is open, and one empty line where there were several.
func Format(p *Program) string {
	var out strings.Builder
	var open []int // the lines of brackets
	all, empty := words.Split(p.Text, laidOut()), false
	for number := 0; len(all) > 0; number++ {
		n := slices.IndexFunc(all, func(w source.Span) bool { return w.Text() == "\n" })
		if n < 0 {
			n = len(all)
		}
		line := all[:n]
		all = all[min(n+1, len(all)):]
		if len(line) == 0 {
			empty = out.Len() > 0
			continue
		}
		if empty {
			out.WriteString("\n")
		}
		empty = false
		around := slices.Compact(slices.Clone(open[:max(0, len(open)-closing(line))]))
		out.WriteString(strings.Repeat("  ", len(around)) + layout(line) + "\n")
		for _, w := range line {
			switch change(w.Text()) {
			case 1:
				open = append(open, number)
			case -1:
				open = open[:max(0, len(open)-1)]
			}
		}
	}
	return out.String()
}

func change(word string) int {
	switch word {
	case "(", "[":
		return 1
	case ")", "]":
		return -1
	}
	return 0
}

// closing counts the brackets at the begin of a line that close.
func closing(line []source.Span) (n int) {
	for n < len(line) && change(line[n].Text()) < 0 {
		n++
	}
	return n
}

// layout writes the words of a line.
func layout(line []source.Span) string {
	var out strings.Builder
	operand, sign, last := false, false, ""
	for _, w := range line {
		text := w.Text()
		opens, closes := change(text) > 0, change(text) < 0
		close := last == "" || sign || closes || text == "," || text == ":" || text == "." || strings.Contains("([.", last) ||
			opens && operand
		if !close {
			out.WriteString(" ")
		}
		out.WriteString(strings.TrimRight(text, " \t\r"))
		sign = text == "-" && !operand
		operand = closes || isDigit(text) || words.IsName(w)
		last = text
	}
	return out.String()
}

// oneLine is a part of a text on one line, without its comments.
func oneLine(span source.Span) string {
	return layout(words.SplitPart(span, wordPattern()))
}

package isa

import (
	"fmt"
	"strings"
)

// printed is an instruction for the report.
func (s *search) printed(k int) Instruction {
	in := s.instructions[k]
	out := Instruction{Text: in.text(), Numbers: in.numbers, Width: in.width, Operators: in.operators}
	for i, n := range in.numbers {
		if n == len(out.Holes) {
			out.Holes = append(out.Holes, in.widths[i])
		}
	}
	out.Spec = out.specification()
	return out
}

// specification is an instruction as a text that tv check and tv synth take: a Bool is a word of one bit.
func (in *Instruction) specification() string {
	var b strings.Builder
	b.WriteString("(spec")
	term := in.Text
	for i, w := range in.Holes {
		fmt.Fprintf(&b, " (in i%d %d)", i, max(w, 1))
		if w == 0 {
			term = replaced(term, fmt.Sprintf("i%d", i), fmt.Sprintf("(bitvector->bool i%d)", i))
		}
	}
	if in.Width == 0 {
		term = "(bool->bitvector " + term + ")"
	}
	fmt.Fprintf(&b, " (out y %d %s))\n", max(in.Width, 1), term)
	return b.String()
}

// replaced puts a text where a word stands.
func replaced(text, word, by string) string {
	var b strings.Builder
	for len(text) > 0 {
		end := strings.IndexAny(text, " ()")
		if end == 0 {
			b.WriteByte(text[0])
			text = text[1:]
			continue
		}
		if end < 0 {
			end = len(text)
		}
		if text[:end] == word {
			b.WriteString(by)
		} else {
			b.WriteString(text[:end])
		}
		text = text[end:]
	}
	return b.String()
}

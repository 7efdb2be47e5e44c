package bv

import (
	"strings"

	"tv/proofs/bits/gates"
)

// A form is an atom or a list.
type form struct {
	atom string
	list []form
	leaf bool
}

func (x form) head() string {
	if !x.leaf && len(x.list) > 0 && x.list[0].leaf {
		return x.list[0].atom
	}
	return ""
}

// deepest is how deep lists, terms, expressions and modules nest.
const deepest = 4000

// forms reads lists. Comments go from ; to the end of the line.
func forms(text string) []form {
	var stack [][]form
	var top []form
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '(':
			gates.Need(len(stack) < deepest, "lists nest too deeply")
			stack = append(stack, top)
			top = nil
			i++
		case c == ')':
			gates.Need(len(stack) > 0, "a list ends that did not begin")
			x := form{list: top}
			top = append(stack[len(stack)-1], x)
			stack = stack[:len(stack)-1]
			i++
		default:
			gates.Need(c > ' ' && c < 0x7f && c != '"' && c != '|',
				"a character that begins no word")
			j := i
			for j < len(text) && !strings.ContainsRune(" \t\r\n();\"", rune(text[j])) {
				j++
			}
			top = append(top, form{atom: text[i:j], leaf: true})
			i = j
		}
	}
	gates.Need(len(stack) == 0, "a list does not end")
	return top
}

package lsp

import "strings"

// What texts of lists and words are made of is found without parsing them: while one types they are seldom whole.

const delimiters = " \t\r\n()"

// wordAt is the word around an offset.
func wordAt(text string, at int) (start, end int) {
	start, end = at, at
	for start > 0 && !strings.ContainsRune(delimiters+";\"", rune(text[start-1])) {
		start--
	}
	for end < len(text) && !strings.ContainsRune(delimiters+";\"", rune(text[end])) {
		end++
	}
	return start, end
}

// A form is a list of a text.
type form struct{ start, end int }

// listsAround are the lists that an offset is in, outermost first. A list that is not closed ends where the text does.
func listsAround(text string, at int) (around []form) {
	walk(text, func(f form, _ int) {
		if f.start < at && at < f.end {
			around = append(around, f)
		}
	})
	// walk tells of a list where it ends: the innermost come first.
	for i, j := 0, len(around)-1; i < j; i, j = i+1, j-1 {
		around[i], around[j] = around[j], around[i]
	}
	return around
}

// topLists are the lists that are in no other.
func topLists(text string) (top []form) {
	walk(text, func(f form, depth int) {
		if depth == 0 {
			top = append(top, f)
		}
	})
	return top
}

// walk tells of each list with the number of lists around it, where it ends; comments and quoted words are skipped.
func walk(text string, list func(f form, depth int)) {
	var open []int
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
		case '"':
			if n := strings.IndexByte(text[i+1:], '"'); n >= 0 {
				i += n + 1
			}
		case '(':
			open = append(open, i)
		case ')':
			if n := len(open) - 1; n >= 0 {
				list(form{open[n], i + 1}, n)
				open = open[:n]
			}
		}
	}
	for n := len(open) - 1; n >= 0; n-- {
		list(form{open[n], len(text)}, n)
	}
}

// words are the first words of a list, at most n.
func (f form) words(text string, n int) []string {
	list := strings.FieldsFunc(strings.SplitN(text[f.start:f.end], ";", 2)[0], func(r rune) bool { return strings.ContainsRune(delimiters, r) })
	return list[:min(n, len(list))]
}

// A name is what a text declares or defines.
type name struct {
	word string
	kind string // "input" or "define"
	at   form
	text string
}

// names are the declarations and definitions of a text of Glenside.
func names(text string) (list []name) {
	for _, f := range topLists(text) {
		if w := f.words(text, 2); len(w) == 2 && (w[0] == "input" || w[0] == "define") {
			list = append(list, name{w[1], w[0], f, text[f.start:f.end]})
		}
	}
	return list
}

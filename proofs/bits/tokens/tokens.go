// Package tokens makes words of texts, for readings of languages whose words are alike: names,
// numbers, strings and marks.
package tokens

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tv/proofs/bits/gates"
)

// A List hands out the words of a text.
type List struct {
	text  string
	words []string
	from  []int // where each begins
	at    int
}

// Split makes words of a text: names begin with a letter, _ or one of sigils, and go on with
// letters, digits, _ and one of inner; what begins with a digit is a number; marks of more than one
// character come first, then any character of single. Comments are // to the end of the line and,
// between slashes and stars, more.
func Split(text, sigils, inner string, marks []string, single string) *List {
	l := &List{text: text}
	for i := 0; i < len(text); {
		n := l.word(text[i:], sigils, inner, marks, single)
		if c := text[i]; strings.IndexByte(" \t\n\r", c) < 0 && !strings.HasPrefix(text[i:],
			"//") && !strings.HasPrefix(text[i:], "/*") {
			l.words, l.from = append(l.words, text[i:i+n]), append(l.from, i)
		}
		i += n
	}
	return l
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// word is the length of what a text begins with.
func (l *List) word(text, sigils, inner string, marks []string, single string) int {
	end := func(i int) int {
		for i < len(text) && (letter(text[i]) || digit(text[i]) || strings.IndexByte(inner,
			text[i]) >= 0) {
			i++
		}
		return i
	}
	c := text[0]
	switch {
	case strings.IndexByte(" \t\n\r", c) >= 0:
		return 1
	case strings.HasPrefix(text, "//"):
		if n := strings.IndexByte(text, '\n'); n >= 0 {
			return n
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		n := strings.Index(text[2:], "*/")
		gates.Need(n >= 0, "a comment that does not end")
		return n + 4
	case c == '"':
		n := strings.IndexByte(text[1:], '"')
		gates.Need(n >= 0 && !strings.ContainsAny(text[1:1+n], "\\\n"),
			"a string that does not end, or has an escape")
		return n + 2
	}
	for _, m := range marks {
		if strings.HasPrefix(text, m) {
			return len(m)
		}
	}
	switch {
	case letter(c) || strings.IndexByte(sigils, c) >= 0:
		n := end(1)
		gates.Need(letter(c) || n > 1, "a name is expected after %c", c)
		return n
	case digit(c):
		n := 1
		for n < len(text) && (digit(text[n]) || letter(text[n])) {
			n++
		}
		return n
	}
	gates.Need(strings.IndexByte(single, c) >= 0, "a strange character")
	return 1
}

// Peek is the next word; empty at the end.
func (l *List) Peek() string {
	if l.at == len(l.words) {
		return ""
	}
	return l.words[l.at]
}

// Next takes the next word.
func (l *List) Next() string {
	w := l.Peek()
	gates.Need(w != "", "the text ends too early")
	l.at++
	return w
}

// Take takes a word if it is the next one.
func (l *List) Take(w string) bool {
	if l.Peek() != w {
		return false
	}
	l.at++
	return true
}

// Want takes words that have to be there.
func (l *List) Want(words ...string) {
	for _, w := range words {
		gates.Need(l.Take(w), "%q is expected at %s, not %q", w, l.Place(), l.Peek())
	}
}

// Name takes a name that begins with a sigil, without it; 0 where names have none.
func (l *List) Name(sigil byte) string {
	w := l.Next()
	if sigil != 0 {
		gates.Need(w[0] == sigil, "a name with %c is expected, not %q", sigil, w)
		return w[1:]
	}
	gates.Need(letter(w[0]), "a name is expected, not %q", w)
	return w
}

// Number takes a number from low to high.
func (l *List) Number(low, high int) int {
	w := l.Next()
	n, err := strconv.Atoi(w)
	gates.Need(err == nil && n >= low && n <= high,
		"a number from %d to %d is expected, not %q", low, high, w)
	return n
}

// Commas calls one for each of what stands between commas before end, which is taken.
func (l *List) Commas(end string, one func()) {
	for n := 0; !l.Take(end); n++ {
		if n > 0 {
			l.Want(",")
		}
		one()
	}
}

// Place is line and column of the next word, counted from 1, columns in runes.
func (l *List) Place() string {
	at := len(l.text)
	if l.at < len(l.from) {
		at = l.from[l.at]
	}
	line := 1 + strings.Count(l.text[:at], "\n")
	return fmt.Sprintf("%d:%d", line,
		1+utf8.RuneCountInString(l.text[strings.LastIndexByte(l.text[:at], '\n')+1:at]))
}

// Is tells whether the next word is one of some.
func (l *List) Is(words ...string) bool { return slices.Contains(words, l.Peek()) }

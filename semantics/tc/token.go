package tc

import (
	"strings"

	"tv/internal/source"
)

// kind is what a token is.
type kind uint8

const (
	word    kind = iota // a name or a reserved word
	number              // digits, perhaps with a point and an exponent
	punct               // an operator or a bracket; min=, max= and their forms with ! too
	comment             // from # to the end of the line
	end                 // of the file
)

// A token is a word of the text.
type token struct {
	kind kind
	text string
	span source.Span
}

func (t token) is(texts ...string) bool {
	if t.kind != punct && t.kind != word {
		return false
	}
	for _, s := range texts {
		if t.text == s {
			return true
		}
	}
	return false
}

// fail ends reading, or the statement that is read: see attempt. Without a message it follows from another failure.
func fail(at source.Span, code, format string, args ...any) {
	panic(source.Errorf(at, code, format, args...))
}

// attempt calls f and returns what it failed with.
func attempt(f func()) (err *source.Error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *source.Error:
			err = r
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// puncts are the operators and brackets, of up to three characters.
var puncts = func() map[string]bool {
	out := map[string]bool{}
	for _, p := range strings.Fields("+=! *=! <=> -> += *= == != <= >= && || = + - * / % ! < > ? : , . ( ) { }") {
		out[p] = true
	}
	return out
}()

// A lexer makes tokens of a file, one after the other: a long file that is wrong at its beginning is not read to its end.
type lexer struct {
	file *source.File
	pos  int
}

// lex returns all tokens, comments included; the last is the end.
func lex(f *source.File) (out []token) {
	for l := (&lexer{file: f}); ; {
		t := l.next()
		if out = append(out, t); t.kind == end {
			return out
		}
	}
}

// next takes a token, comments included.
func (l *lexer) next() token {
	for l.pos < len(l.file.Text) && strings.IndexByte(" \t\r\n\f\v", l.file.Text[l.pos]) >= 0 {
		l.pos++
	}
	rest := l.rest()
	switch {
	case rest == "":
		return token{kind: end, text: "the end of the file", span: l.span(0)}
	case rest[0] == '#':
		n := strings.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest)
		}
		return l.take(comment, len(strings.TrimRight(rest[:n], " \t\r\f\v")))
	}
	return l.word(rest)
}

func (l *lexer) rest() string { return l.file.Text[l.pos:] }

func (l *lexer) span(length int) source.Span {
	return source.Span{File: l.file, Start: l.pos, End: l.pos + length}
}

func (l *lexer) take(k kind, length int) token {
	t := token{kind: k, text: l.rest()[:length], span: l.span(length)}
	l.pos += length
	return t
}

func letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

// word takes a token that is no comment.
func (l *lexer) word(rest string) token {
	switch c := rest[0]; {
	case letter(c):
		n := wordLength(rest)
		if next := rest[n:]; (rest[:n] == "min" || rest[:n] == "max") && strings.HasPrefix(next, "=") && !strings.HasPrefix(next, "==") {
			n++
			if strings.HasPrefix(rest[n:], "!") {
				n++
			}
			return l.take(punct, n)
		}
		return l.take(word, n)
	case digit(c):
		n := numberLength(rest)
		if n < len(rest) && letter(rest[n]) {
			n += wordLength(rest[n:])
			fail(l.span(n), "bad-syntax", "%s is no number", show(l.span(n)))
		}
		return l.take(number, n)
	}
	for n := min(3, len(rest)); n > 0; n-- { // the longest that fits
		if puncts[rest[:n]] {
			return l.take(punct, n)
		}
	}
	fail(l.span(1), "bad-syntax", "%q is no character of a Tensor Comprehension", []rune(rest[:min(4, len(rest))])[0])
	return token{}
}

func wordLength(s string) int {
	n := 0
	for n < len(s) && (letter(s[n]) || digit(s[n])) {
		n++
	}
	return n
}

func digits(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}

// numberLength is the length of digits, perhaps a point and more digits, perhaps an exponent.
func numberLength(s string) int {
	n := digits(s)
	if n < len(s) && s[n] == '.' {
		n++
		n += digits(s[n:])
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		k := n + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if d := digits(s[k:]); d > 0 {
			n = k + d
		}
	}
	return n
}

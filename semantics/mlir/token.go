package mlir

import (
	"strings"

	"tv/internal/source"
)

// kind is what a token is.
type kind uint8

const (
	word    kind = iota // a keyword, the name of an operation, a type: x4xf32 too
	number              // 12, 0x1f or 1.0e+00, without a sign
	text                // "a"
	value               // %name or %name#1
	symbol              // @name
	alias               // #name: an attribute, or the beginning of one of a dialect
	named               // !name: a type
	label               // ^name: a block
	punct               // -> :: == >= or one character
	comment             // to the end of the line
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

// fail ends reading: see attempt.
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

// maxTokens bounds texts.
const maxTokens = 1 << 20

// A lexer makes tokens of a file.
type lexer struct {
	file *source.File
	pos  int
	out  []token
}

// lex returns all tokens, comments too if they are asked for. The last is the end.
func lex(f *source.File, comments bool) []token {
	l := &lexer{file: f}
	for {
		rest := strings.TrimLeft(f.Text[l.pos:], " \t\r\n\f\v")
		l.pos = len(f.Text) - len(rest)
		switch {
		case rest == "":
			l.add(end, 0)
			l.out[len(l.out)-1].text = "the end of the file"
			return l.out
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest+"\n", '\n')
			if comments {
				l.add(comment, len(strings.TrimRight(rest[:n], " \t\r")))
			} else {
				l.pos += n
			}
		default:
			l.word(rest)
		}
	}
}

func (l *lexer) add(k kind, n int) {
	span := source.Span{File: l.file, Start: l.pos, End: l.pos + n}
	if len(l.out) == maxTokens {
		fail(span, "too-large", "more than %d words", maxTokens)
	}
	l.out = append(l.out, token{k, l.file.Text[l.pos : l.pos+n], span})
	l.pos += n
}

// sigils begin names.
var sigils = map[byte]kind{'%': value, '@': symbol, '#': alias, '!': named, '^': label}

// word adds the token at the beginning of the rest.
func (l *lexer) word(rest string) {
	c := rest[0]
	k, sigil := sigils[c]
	switch {
	case c == '"':
		l.add(text, l.quoted(rest))
	case c == '@' && strings.HasPrefix(rest, `@"`):
		l.add(symbol, 1+l.quoted(rest[1:]))
	case strings.HasPrefix(rest, "#-}"):
		l.add(punct, 3)
	case sigil:
		n := 1 + nameLength(rest[1:])
		if n == 1 {
			fail(source.Span{File: l.file, Start: l.pos, End: l.pos + 1}, "bad-syntax", "a name follows %c", c)
		}
		if m := digits(rest[min(n+1, len(rest)):]); k == value && m > 0 && rest[n] == '#' {
			n += 1 + m
		}
		l.add(k, n)
	case digit(c):
		l.add(number, numberLength(rest))
	case letter(c):
		n := 1
		for n < len(rest) && (letter(rest[n]) || digit(rest[n]) || rest[n] == '$' || rest[n] == '.') {
			n++
		}
		l.add(word, n)
	default:
		l.punct(rest)
	}
}

func (l *lexer) punct(rest string) {
	for _, p := range []string{"->", "::", "==", ">=", "{-#"} {
		if strings.HasPrefix(rest, p) {
			l.add(punct, len(p))
			return
		}
	}
	if strings.IndexByte("()[]{}<>,:=+-*?|/", rest[0]) < 0 {
		span := source.Span{File: l.file, Start: l.pos, End: l.pos + 1}
		fail(span, "bad-syntax", "%q is no character of MLIR", []rune(rest)[0])
	}
	l.add(punct, 1)
}

// quoted returns the length of a text with its quotes.
func (l *lexer) quoted(rest string) int {
	for n := 1; n < len(rest) && rest[n] != '\n'; n++ {
		switch rest[n] {
		case '\\':
			n++
		case '"':
			return n + 1
		}
	}
	fail(source.Span{File: l.file, Start: l.pos, End: l.pos + 1}, "bad-syntax", "a \" without its other")
	return 0
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

func digits(s string) int {
	n := 0
	for n < len(s) && digit(s[n]) {
		n++
	}
	return n
}

// nameLength is that of a name behind its sigil: digits, or what does not begin with one.
func nameLength(s string) int {
	if n := digits(s); n > 0 {
		return n
	}
	n := 0
	for n < len(s) && (letter(s[n]) || n > 0 && digit(s[n]) || strings.IndexByte("$._-", s[n]) >= 0) {
		if s[n] == '-' && n+1 < len(s) && s[n+1] == '>' { // an arrow
			break
		}
		n++
	}
	return n
}

func numberLength(s string) int {
	if strings.HasPrefix(s, "0x") {
		n := 2
		for n < len(s) && (digit(s[n]) || strings.IndexByte("abcdefABCDEF", s[n]) >= 0) {
			n++
		}
		if n > 2 {
			return n
		}
		return 1
	}
	n := digits(s)
	if n == len(s) || s[n] != '.' {
		return n
	}
	n += 1 + digits(s[n+1:])
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		m := n + 1
		if m < len(s) && (s[m] == '+' || s[m] == '-') {
			m++
		}
		if k := digits(s[m:]); k > 0 {
			n = m + k
		}
	}
	return n
}

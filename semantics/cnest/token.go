package cnest

import (
	"strings"

	"tv/internal/source"
)

// kind is what a token is.
type kind uint8

const (
	word      kind = iota // a name or a keyword
	number                // an integer or a float, with its suffix
	char                  // 'a'
	text                  // "a"
	punct                 // an operator or a bracket
	comment               // with its delimiters
	directive             // a line of the preprocessor, with the lines that a backslash adds
	end                   // of the file
)

// A token is a word of the text. One that comes of a macro has the place where the macro is called, unless it stands in an
// argument.
type token struct {
	kind kind
	text string
	span source.Span
	hide *hidden // macros that it comes of
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

// fail ends reading, or the statement that is read: see attempt.
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

// puncts are the operators and brackets of C, of up to three characters.
var puncts = func() map[string]bool {
	out := map[string]bool{}
	for _, p := range strings.Fields("... <<= >>= -> ++ -- << >> <= >= == != && || += -= *= /= %= &= |= ^= ## # + - * / % & | ^ ~ ! " +
		"< > = ? : ; , . ( ) [ ] { }") {
		out[p] = true
	}
	return out
}()

// A lexer makes tokens of a stretch of a file.
type lexer struct {
	file     *source.File
	pos, end int
	inside   bool // a directive, where # starts none
	most     int  // tokens; 0: any number
	out      []token
}

// lex returns all tokens of a stretch, comments and directives included; of a whole file, the last is the end.
func lex(f *source.File, start, stop int, inside bool) []token {
	return (&lexer{file: f, pos: start, end: stop, inside: inside}).all()
}

// all is lex.
func (l *lexer) all() []token {
	f := l.file
	fresh := true // nothing but blanks and comments on the line so far
	for l.pos < l.end {
		c := f.Text[l.pos]
		switch {
		case c == '\n':
			fresh = true
			l.pos++
		case c == '\\' && l.pos+1 < l.end && (f.Text[l.pos+1] == '\n' || f.Text[l.pos+1] == '\r'):
			l.pos++
		case strings.IndexByte(" \t\r\f\v", c) >= 0:
			l.pos++
		case strings.HasPrefix(l.rest(), "//") || strings.HasPrefix(l.rest(), "/*"):
			l.add(comment, l.pos+l.commentLength())
		case c == '#' && fresh && !l.inside:
			l.add(directive, l.pos+l.directiveLength())
		default:
			fresh = false
			l.word(c)
		}
	}
	if !l.inside {
		l.add(end, l.end)
		l.out[len(l.out)-1].text = "the end of the file"
	}
	return l.out
}

func (l *lexer) rest() string { return l.file.Text[l.pos:l.end] }

func (l *lexer) span(stop int) source.Span { return source.Span{File: l.file, Start: l.pos, End: stop} }

func (l *lexer) add(k kind, stop int) {
	if l.most > 0 && len(l.out) == l.most { // at once: what follows is not worth reading
		fail(l.span(stop), "too-large", "more than %d words", l.most)
	}
	l.out = append(l.out, token{kind: k, text: l.file.Text[l.pos:stop], span: l.span(stop)})
	l.pos = stop
}

func (l *lexer) commentLength() int {
	rest := l.rest()
	if rest[1] == '/' {
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return len(strings.TrimSuffix(rest[:n], "\r"))
		}
		return len(rest)
	}
	n := strings.Index(rest[2:], "*/")
	if n < 0 {
		fail(l.span(l.pos+2), "bad-syntax", "a comment without an end")
	}
	return n + 4
}

// directiveLength is the length of the directive that starts here, without a // comment behind it and trailing blanks.
func (l *lexer) directiveLength() int {
	rest := l.rest()
	for n := 0; n < len(rest); n++ {
		switch {
		case rest[n] == '\n' && !strings.HasSuffix(strings.TrimSuffix(rest[:n], "\r"), "\\"), strings.HasPrefix(rest[n:], "//"):
			return len(strings.TrimRight(rest[:n], " \t\r\f\v"))
		case strings.HasPrefix(rest[n:], "/*"):
			stop := strings.Index(rest[n+2:], "*/")
			if stop < 0 {
				fail(l.span(l.pos+n), "bad-syntax", "a comment without an end")
			}
			n += stop + 3
		}
	}
	return len(strings.TrimRight(rest, " \t\r\f\v\n"))
}

func letter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }

// word takes a token that is neither a comment nor a directive.
func (l *lexer) word(c byte) {
	rest := l.rest()
	switch {
	case letter(c):
		n := 1
		for n < len(rest) && (letter(rest[n]) || digit(rest[n])) {
			n++
		}
		l.add(word, l.pos+n)
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		l.add(number, l.pos+numberLength(rest))
	case c == '\'' || c == '"':
		n := 1
		for n < len(rest) && rest[n] != c && rest[n] != '\n' {
			if rest[n] == '\\' {
				n++
			}
			n++
		}
		if n >= len(rest) || rest[n] != c {
			fail(l.span(l.pos+1), "bad-syntax", "a %c without its other", c)
		}
		l.add(map[byte]kind{'\'': char, '"': text}[c], l.pos+n+1)
	default:
		for n := min(3, len(rest)); n > 0; n-- { // the longest that fits
			if puncts[rest[:n]] {
				l.add(punct, l.pos+n)
				return
			}
		}
		fail(l.span(l.pos+1), "bad-syntax", "%q is no character of C", string(l.rest()[:1]))
	}
}

// numberLength is the length of what the preprocessor takes for a number: letters, digits, points, and signs of exponents.
func numberLength(s string) int {
	n := 0
	for n < len(s) && (letter(s[n]) || digit(s[n]) || s[n] == '.' || (s[n] == '+' || s[n] == '-') && exponent(s[:n])) {
		n++
	}
	return n
}

// exponent tells whether a sign may follow.
func exponent(s string) bool {
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")
	return s != "" && strings.IndexByte("pP", s[len(s)-1]) >= 0 || !hex && s != "" && strings.IndexByte("eE", s[len(s)-1]) >= 0
}

package syntax

import (
	"strings"

	"tv/internal/source"
)

// tokenKind sorts tokens.
type tokenKind uint8

const (
	tokEnd    tokenKind = iota
	tokName             // a word, with dots: nn.conv2d, def, True
	tokLocal            // %x, %layers.0.weight, %x.0: what of it is a name is known where it is used
	tokGraph            // %12, and what follows it of projections: %12.0
	tokGlobal           // @main
	tokNumber           // 1, 1e-05f, 7i64
	tokString           // "NCHW"
	tokMark             // anything else
)

// A token is a piece of a text.
type token struct {
	kind       tokenKind
	text       string // of a string: without quotes
	start, end int
	note       int // offset of the type in a comment /* ty=... */ before the token, or -1
}

func (t token) is(mark string) bool { return t.kind == tokMark && t.text == mark }

// word tells whether the token is a keyword or the name of an operator.
func (t token) word(name string) bool { return t.kind == tokName && t.text == name }

// String names the token in messages.
func (t token) String() string {
	const longest = 40
	switch {
	case t.kind == tokEnd:
		return "the end of the text"
	case len(t.text) > longest:
		return strings.ToValidUTF8(t.text[:longest], "") + "..."
	}
	return t.text
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }

// inName tells which bytes continue the name of a variable. The printer writes names as they are, and frameworks give names
// with slashes; dots are taken in, too.
func inName(c byte) bool { return isLetter(c) || isDigit(c) || c == '/' || c == '.' }

// scoped tells whether the byte is one of a double colon within a name, as exporters to ONNX write names.
func (l *lexer) scoped() bool {
	rest := l.text[l.pos:]
	if strings.HasPrefix(rest, "::") {
		return len(rest) > 2 && inName(rest[2]) && rest[2] != '.'
	}
	return rest[0] == ':' && l.text[l.pos-1] == ':' && len(rest) > 1 && inName(rest[1])
}

// A lexer cuts a text into tokens, one at a time.
type lexer struct {
	file *source.File
	text string
	pos  int
	note int
	last byte // of the token before
}

func (l *lexer) errorf(start, end int, code, format string, args ...any) *source.Error {
	return source.Errorf(source.Span{File: l.file, Start: start, End: end}, code, format, args...)
}

// skip moves over blanks and comments, and notes where one of these tells a type.
func (l *lexer) skip() *source.Error {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch {
		case strings.IndexByte(" \t\r\n\f\v", rest[0]) >= 0:
			l.pos++
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				l.pos += end
			} else {
				l.pos = len(l.text)
			}
		case strings.HasPrefix(rest, "/*"):
			if err := l.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// comment moves over a comment, which may have others within.
func (l *lexer) comment() *source.Error {
	start, depth := l.pos, 0
	for l.pos < len(l.text) {
		switch rest := l.text[l.pos:]; {
		case strings.HasPrefix(rest, "/*"):
			depth++
			l.pos += 2
		case strings.HasPrefix(rest, "*/"):
			l.pos += 2
			if depth--; depth == 0 {
				inner := l.text[start+2 : l.pos-2]
				if blank := len(inner) - len(strings.TrimLeft(inner, " ")); strings.HasPrefix(inner[blank:], "ty=") {
					l.note = start + 2 + blank + len("ty=")
				}
				return nil
			}
		default:
			l.pos++
		}
	}
	return l.errorf(start, start+2, CodeSyntax, "this comment is not closed")
}

// marks are those of two bytes.
var marks = []string{";;", "->", "=>", "==", "!=", "<=", ">=", "#["}

// next returns the next token.
func (l *lexer) next() (token, *source.Error) {
	l.note = -1
	if err := l.skip(); err != nil {
		return token{}, err
	}
	start := l.pos
	t := token{kind: tokMark, start: start, note: l.note}
	if start == len(l.text) {
		t.kind, t.end = tokEnd, start
		return t, nil
	}
	projecting := l.last == '.'
	c := l.text[start]
	l.last = c
	switch {
	case c == '%' || c == '@':
		l.pos++
		for l.pos < len(l.text) && (inName(l.text[l.pos]) || l.scoped()) {
			l.pos++
		}
		for l.text[l.pos-1] == '.' { // a dot that ends a name is none of it
			l.pos--
		}
		if l.pos == start+1 {
			return token{}, l.errorf(start, start+1, CodeSyntax, "%c wants a name", c)
		}
		switch t.kind = tokLocal; {
		case c == '@':
			t.kind = tokGlobal
		case isDigit(l.text[start+1]):
			t.kind = tokGraph
		}
	case isLetter(c):
		for l.pos < len(l.text) && (isLetter(l.text[l.pos]) || isDigit(l.text[l.pos]) || l.text[l.pos] == '.' &&
			l.pos+1 < len(l.text) && isLetter(l.text[l.pos+1])) {
			l.pos++
		}
		t.kind = tokName
	case isDigit(c) && projecting:
		for l.pos < len(l.text) && isDigit(l.text[l.pos]) {
			l.pos++
		}
		t.kind = tokNumber
	case isDigit(c):
		l.number()
		t.kind = tokNumber
	case c == '"':
		return l.quoted(t)
	default:
		l.pos++
		for _, m := range marks {
			if strings.HasPrefix(l.text[start:], m) {
				l.pos = start + len(m)
			}
		}
		if c < ' ' || c >= 0x7f {
			return token{}, l.errorf(start, l.pos, CodeSyntax, "a character that no Relay text has here")
		}
	}
	t.text, t.end = l.text[start:l.pos], l.pos
	return t, nil
}

// number moves over a number with its suffix.
func (l *lexer) number() {
	digits := func() {
		for l.pos < len(l.text) && isDigit(l.text[l.pos]) {
			l.pos++
		}
	}
	digits()
	if rest := l.text[l.pos:]; len(rest) > 1 && rest[0] == '.' && isDigit(rest[1]) {
		l.pos++
		digits()
	}
	if rest := l.text[l.pos:]; len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') {
		sign := 1
		if rest[1] == '-' || rest[1] == '+' {
			sign = 2
		}
		if len(rest) > sign && isDigit(rest[sign]) {
			l.pos += sign
			digits()
		}
	}
	for l.pos < len(l.text) && (isLetter(l.text[l.pos]) || isDigit(l.text[l.pos])) {
		l.pos++
	}
}

// quoted reads a string.
func (l *lexer) quoted(t token) (token, *source.Error) {
	var b strings.Builder
	for l.pos++; l.pos < len(l.text) && l.text[l.pos] != '\n'; l.pos++ {
		switch c := l.text[l.pos]; {
		case c == '"':
			l.pos++
			t.kind, t.text, t.end = tokString, b.String(), l.pos
			return t, nil
		case c == '\\' && l.pos+1 < len(l.text):
			l.pos++
			b.WriteByte(l.text[l.pos])
		default:
			b.WriteByte(c)
		}
	}
	return token{}, l.errorf(t.start, t.start+1, CodeSyntax, "this string is not closed")
}

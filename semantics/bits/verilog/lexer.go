package verilog

import (
	"strings"

	"tv/internal/source"
)

type kind uint8

const (
	end kind = iota
	word
	escaped // a word that is no keyword
	number  // digits, or a based literal
	text
	mark
	attribute
)

type token struct {
	kind       kind
	start, end int
	text       string // of a text without quotes, of an escaped word without the backslash
}

type lexer struct {
	file *source.File
	s    string
	pos  int
}

func (l *lexer) errorf(start, end int, code, format string, args ...any) error {
	return source.Errorf(source.Span{File: l.file, Start: start, End: end}, code, format, args...)
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// skip passes blanks, comments and the directives that do not change what a netlist means.
func (l *lexer) skip() error {
	s := l.s
	for l.pos < len(s) {
		switch c := s[l.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			l.pos++
		case strings.HasPrefix(s[l.pos:], "//"):
			l.line()
		case strings.HasPrefix(s[l.pos:], "/*"):
			n := strings.Index(s[l.pos+2:], "*/")
			if n < 0 {
				return l.errorf(l.pos, l.pos+2, "syntax", "the comment does not end")
			}
			l.pos += n + 4
		case c == '`':
			start := l.pos
			for l.pos++; l.pos < len(s) && (letter(s[l.pos]) || digit(s[l.pos])); l.pos++ {
			}
			switch name := s[start:l.pos]; name {
			case "`timescale", "`default_nettype", "`resetall", "`celldefine", "`endcelldefine":
				l.line()
			default:
				return l.errorf(start, l.pos, "unsupported", "the directive %s", name)
			}
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) line() {
	if n := strings.IndexByte(l.s[l.pos:], '\n'); n >= 0 {
		l.pos += n + 1
	} else {
		l.pos = len(l.s)
	}
}

// marks of more than one character, longer ones first.
var marks = []string{"<<<", ">>>", "===", "!==", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "~&", "~|", "~^", "^~", "**", "+:", "-:"}

func (l *lexer) next() (token, error) {
	if err := l.skip(); err != nil {
		return token{}, err
	}
	s, start := l.s, l.pos
	if start == len(s) {
		return token{end, start, start, ""}, nil
	}
	take := func(k kind) (token, error) { return token{k, start, l.pos, s[start:l.pos]}, nil }
	switch c := s[start]; {
	case letter(c) || c == '$':
		for l.pos++; l.pos < len(s) && (letter(s[l.pos]) || digit(s[l.pos]) || s[l.pos] == '$'); l.pos++ {
		}
		return take(word)
	case c == '\\':
		for l.pos++; l.pos < len(s) && s[l.pos] > ' ' && s[l.pos] < 0x7f; l.pos++ {
		}
		if l.pos == start+1 {
			return token{}, l.errorf(start, l.pos, "syntax", "an escaped name is empty")
		}
		return token{escaped, start, l.pos, s[start+1 : l.pos]}, nil
	case digit(c) || c == '\'':
		return l.number()
	case c == '"':
		for l.pos++; l.pos < len(s) && s[l.pos] != '"' && s[l.pos] != '\n'; l.pos++ {
			if s[l.pos] == '\\' {
				return token{}, l.errorf(l.pos, l.pos+1, "unsupported", "an escape in a text")
			}
		}
		if l.pos == len(s) || s[l.pos] == '\n' {
			return token{}, l.errorf(start, l.pos, "syntax", "the text does not end")
		}
		l.pos++
		return token{text, start, l.pos, s[start+1 : l.pos-1]}, nil
	case strings.HasPrefix(s[start:], "(*") && !strings.HasPrefix(s[start:], "(*)"):
		n := strings.Index(s[start+2:], "*)")
		if n < 0 {
			return token{}, l.errorf(start, start+2, "syntax", "the attribute does not end")
		}
		l.pos += n + 4
		return token{attribute, start, l.pos, strings.TrimSpace(s[start+2 : l.pos-2])}, nil
	}
	for _, m := range marks {
		if strings.HasPrefix(s[start:], m) {
			l.pos += len(m)
			return take(mark)
		}
	}
	if strings.IndexByte("()[]{},;:.#=+-*/%&|^~!<>?@", s[start]) < 0 {
		return token{}, l.errorf(start, start+1, "syntax", "a character that begins nothing: %q", s[start])
	}
	l.pos++
	return take(mark)
}

// number reads digits, or size, base and digits, between which there may be blanks.
func (l *lexer) number() (token, error) {
	s, start := l.s, l.pos
	for l.pos < len(s) && (digit(s[l.pos]) || s[l.pos] == '_') {
		l.pos++
	}
	blanks := func(at int) int {
		for at < len(s) && (s[at] == ' ' || s[at] == '\t' || s[at] == '\n' || s[at] == '\r') {
			at++
		}
		return at
	}
	if l.pos < len(s) && (s[l.pos] == '.' && l.pos+1 < len(s) && digit(s[l.pos+1]) || s[l.pos] == 'e' || s[l.pos] == 'E') {
		return token{}, l.errorf(start, l.pos+1, "unsupported", "a real number")
	}
	at := blanks(l.pos)
	if at == len(s) || s[at] != '\'' {
		return token{number, start, l.pos, s[start:l.pos]}, nil
	}
	at++
	if at < len(s) && (s[at] == 's' || s[at] == 'S') {
		at++
	}
	if l.pos == start && at < len(s) && strings.ContainsRune("01xXzZ", rune(s[at])) && (at+1 == len(s) || !letter(s[at+1]) && !digit(s[at+1])) {
		l.pos = at + 1 // all bits alike, as many as there are
		return token{number, start, l.pos, s[start:l.pos]}, nil
	}
	if at == len(s) || !strings.ContainsRune("bBoOdDhH", rune(s[at])) {
		return token{}, l.errorf(start, at, "syntax", "a literal has a base: b, o, d or h")
	}
	first := blanks(at + 1)
	for at = first; at < len(s) && (letter(s[at]) || digit(s[at]) || s[at] == '?'); at++ {
	}
	if at == first {
		return token{}, l.errorf(start, at, "syntax", "the literal has no digits")
	}
	l.pos = at
	return token{number, start, at, s[start:at]}, nil
}

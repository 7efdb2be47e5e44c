package flow

import (
	"math/big"
	"strconv"
	"strings"

	"tv/internal/source"
)

// A Kind is a kind of token.
type Kind uint8

// The kinds.
const (
	End Kind = iota
	Word
	Number // decimal, with a sign where SignedNumbers is set
	Text   // without its quotes
	Mark
)

// A Token is a piece of a text.
type Token struct {
	Kind       Kind
	Text       string
	Start, End int
}

// A Lexer reads tokens with one of lookahead. Comments are from // to the end of the line, and from /* to */.
type Lexer struct {
	File  *source.File
	Tok   Token
	Extra string   // characters of words besides letters, digits and _; they begin words, too
	Names string   // characters that words which begin with % may have besides
	Marks []string // of several characters
	pos   int
	end   int // of the token before
}

// Errorf is an error at the token that is next.
func (l *Lexer) Errorf(code, format string, args ...any) error {
	return source.Errorf(l.Span(), code, format, args...)
}

// Span is the place of the token that is next.
func (l *Lexer) Span() source.Span {
	return source.Span{File: l.File, Start: l.Tok.Start, End: l.Tok.End}
}

// From is what has been read since start.
func (l *Lexer) From(start int) source.Span {
	return source.Span{File: l.File, Start: start, End: l.end}
}

// Is tells whether a word or mark is next.
func (l *Lexer) Is(s string) bool {
	return (l.Tok.Kind == Word || l.Tok.Kind == Mark) && l.Tok.Text == s
}

// Accept passes it if it is.
func (l *Lexer) Accept(s string) (bool, error) {
	if !l.Is(s) {
		return false, nil
	}
	return true, l.Next()
}

// Refused says what was expected.
func (l *Lexer) Refused(want string) error {
	if l.Tok.Kind == End {
		return l.Errorf("syntax", "%s is expected, and the text ends", want)
	}
	return l.Errorf("syntax", "%s is expected, and this is %q", want, l.Span().Text())
}

// Expect passes a word or mark, which has to be next.
func (l *Lexer) Expect(list ...string) error {
	for _, s := range list {
		if !l.Is(s) {
			return l.Refused(strconv.Quote(s))
		}
		if err := l.Next(); err != nil {
			return err
		}
	}
	return nil
}

// Name reads a word.
func (l *Lexer) Name(what string) (string, source.Span, error) {
	if l.Tok.Kind != Word {
		return "", source.Span{}, l.Refused(what)
	}
	name, at := l.Tok.Text, l.Span()
	return name, at, l.Next()
}

// Int reads a number that counts.
func (l *Lexer) Int(what string) (int, error) {
	v, err := l.Big(what)
	if err != nil {
		return 0, err
	}
	if !v.IsInt64() || v.Int64() > 1<<30 || v.Int64() < -1<<30 {
		return 0, source.Errorf(l.From(l.end), "unsupported", "the number %s", v)
	}
	return int(v.Int64()), nil
}

// Big reads a decimal number, which may have a sign.
func (l *Lexer) Big(what string) (*big.Int, error) {
	negative, err := l.Accept("-")
	if err != nil {
		return nil, err
	}
	v, ok := new(big.Int).SetString(l.Tok.Text, 10)
	if l.Tok.Kind != Number || !ok {
		return nil, l.Refused(what)
	}
	if negative {
		v.Neg(v)
	}
	return v, l.Next()
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// Next reads a token into Tok.
func (l *Lexer) Next() error {
	l.end = l.Tok.End
	s := l.File.Text
	if l.pos == 0 {
		l.pos = len(s) - len(strings.TrimPrefix(s, "\ufeff"))
	}
	for l.pos < len(s) {
		switch c := s[l.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			l.pos++
			continue
		case strings.HasPrefix(s[l.pos:], "//"):
			if n := strings.IndexByte(s[l.pos:], '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(s)
			}
			continue
		case strings.HasPrefix(s[l.pos:], "/*"):
			n := strings.Index(s[l.pos+2:], "*/")
			if n < 0 {
				return source.Errorf(source.Span{File: l.File, Start: l.pos, End: l.pos + 2}, "syntax", "the comment does not end")
			}
			l.pos += n + 4
			continue
		}
		break
	}
	start := l.pos
	take := func(k Kind) error {
		l.Tok = Token{k, s[start:l.pos], start, l.pos}
		return nil
	}
	if start == len(s) {
		return take(End)
	}
	part := func(c byte) bool { return letter(c) || digit(c) || strings.IndexByte(l.Extra, c) >= 0 }
	switch c := s[start]; {
	case c == '"':
		n := strings.IndexByte(s[start+1:], '"')
		if n < 0 {
			return source.Errorf(source.Span{File: l.File, Start: start, End: start + 1}, "syntax", "the text does not end")
		}
		l.pos += n + 2
		l.Tok = Token{Text, s[start+1 : l.pos-1], start, l.pos}
		return nil
	case digit(c):
		for l.pos < len(s) && digit(s[l.pos]) {
			l.pos++
		}
		return take(Number)
	case part(c):
		for l.pos < len(s) && (part(s[l.pos]) || c == '%' && strings.IndexByte(l.Names, s[l.pos]) >= 0) {
			l.pos++
		}
		return take(Word)
	}
	for _, m := range l.Marks {
		if strings.HasPrefix(s[start:], m) {
			l.pos += len(m)
			return take(Mark)
		}
	}
	l.pos++
	return take(Mark)
}

package mlir

import (
	"math/big"
	"regexp"
	"strings"

	"tv/internal/source"
	"tv/proofs/procedures"
)

// check ends the reading where something does not hold.
var check = procedures.Check

func refuse(at source.Span, code, format string, args ...any) {
	check(false, at, code, format, args...)
}

// Limits of texts, which are taken apart by recursion.
const (
	maxText   = 1 << 19
	maxNested = 200
)

// A parser is a text up to where it is read.
type parser struct {
	file    *source.File
	at      int
	nested  int
	maps    map[string]*mapping // by their aliases, # included
	types   map[string]typ      // by theirs
	skipped map[string]bool     // aliases of attributes that say nothing of values
	scopes  []map[string]*value
	starts  map[string]int // where functions begin
	calls   int            // that were taken apart
}

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"
	inWord  = letters + digits + "$."
)

// A pattern is how much of a text it takes, from its beginning on.
type pattern func(string) int

func bare(s string) int { return span(s, letters, inWord) }

func suffix(s string) int {
	return max(span(s, digits, digits), span(s, letters+"$.-", inWord+"-"))
}

func whole(s string) int {
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		if n := span(hex, digits+"abcdefABCDEF", digits+"abcdefABCDEF"); n > 0 {
			return 2 + n
		}
	}
	return span(s, digits, digits)
}

func quoted(s string) int {
	if !strings.HasPrefix(s, `"`) {
		return 0
	}
	for i := 1; i < len(s) && s[i] != '\n'; i++ {
		switch {
		case s[i] == '"':
			return i + 1
		case s[i] == '\\' && i+1 < len(s) && s[i+1] != '\n':
			i++
		}
	}
	return 0
}

var numerals = regexp.MustCompile(`^-?(0x[0-9a-fA-F]+|[0-9]+(\.[0-9]*([eE][-+]?[0-9]+)?)?)`)

func numeral(s string) int { return len(numerals.FindString(s)) }

// span is the length of a first character and all that follow it.
func span(s, first, others string) int {
	if s == "" || strings.IndexByte(first, s[0]) < 0 {
		return 0
	}
	for i := 1; i < len(s); i++ {
		if strings.IndexByte(others, s[i]) < 0 {
			return i
		}
	}
	return len(s)
}

func wordy(c byte) bool { return strings.IndexByte(inWord, c) >= 0 }

// space skips blanks and comments.
func (p *parser) space() {
	for p.at < len(p.file.Text) {
		rest := p.file.Text[p.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.at++
		case strings.HasPrefix(rest, "//"):
			p.at += len(rest)
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				p.at += end - len(rest)
			}
		default:
			return
		}
	}
}

// rest is what is still to be read.
func (p *parser) rest() string {
	p.space()
	return p.file.Text[p.at:]
}

// here is the place of what comes next.
func (p *parser) here() source.Span {
	p.space()
	n := bare(p.file.Text[p.at:])
	if n == 0 && p.at < len(p.file.Text) {
		n = 1
	}
	return source.Span{File: p.file, Start: p.at, End: p.at + n}
}

// from is the place of what was read since some place.
func (p *parser) from(at source.Span) source.Span {
	at.End = max(at.Start, p.at)
	return at
}

// match takes what a pattern matches, which is "" if it does not.
func (p *parser) match(this pattern) string {
	rest := p.rest()
	n := this(rest)
	p.at += n
	return rest[:n]
}

// is reports whether a text comes next: a word as a whole.
func (p *parser) is(text string) bool {
	rest, ok := strings.CutPrefix(p.rest(), text)
	return ok && !(rest != "" && wordy(text[len(text)-1]) && wordy(rest[0]))
}

func (p *parser) accept(text string) bool {
	ok := p.is(text)
	if ok {
		p.at += len(text)
	}
	return ok
}

func (p *parser) want(text string) {
	check(p.is(text), p.here(), "bad-syntax", "expected %s", text)
	p.at += len(text)
}

// word takes a word.
func (p *parser) word() string {
	at := p.here()
	s := p.match(bare)
	check(s != "", at, "bad-syntax", "expected a word")
	return s
}

// list reads elements between two brackets, with commas.
func (p *parser) list(open, end string, element func()) {
	for p.want(open); !p.accept(end); {
		if element(); !p.is(end) {
			p.want(",")
			check(!p.is(end), p.here(), "bad-syntax", "expected another one")
		}
	}
}

// deeper bounds how deep a text nests.
func (p *parser) deeper() func() {
	p.nested++
	check(p.nested <= maxNested, p.here(), "too-large", "more than %d deep", maxNested)
	return func() { p.nested-- }
}

// number reads an integer.
func (p *parser) number() *big.Int {
	at, minus := p.here(), p.accept("-")
	v, ok := new(big.Int).SetString(p.match(whole), 0)
	check(ok, at, "bad-syntax", "expected a number")
	if minus {
		v.Neg(v)
	}
	return v
}

// id reads a name behind its sigil.
func (p *parser) id(sigil string) string {
	at := p.here()
	p.want(sigil)
	n := suffix(p.file.Text[p.at:])
	check(n > 0, at, "bad-syntax", "expected a name")
	p.at += n
	return p.file.Text[p.at-n : p.at]
}

// balanced skips a bracket with all that is in it.
func (p *parser) balanced() {
	at := p.here()
	for depth := 0; ; {
		rest := p.rest()
		check(rest != "", at, "bad-syntax", "a bracket without its end")
		if n := quoted(rest); n > 0 {
			p.at += n
			continue
		}
		switch {
		case strings.HasPrefix(rest, "->"), strings.HasPrefix(rest, ">="):
			p.at++
		case strings.Contains("([{<", rest[:1]):
			depth++
		case strings.Contains(")]}>", rest[:1]):
			depth--
		}
		if p.at++; depth == 0 {
			return
		}
	}
}

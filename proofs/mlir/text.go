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
}

var (
	bare    = regexp.MustCompile(`^[A-Za-z_][\w$.]*`)
	suffix  = regexp.MustCompile(`^([0-9]+|[A-Za-z$._-][\w$.-]*)`)
	whole   = regexp.MustCompile(`^(0x[0-9a-fA-F]+|[0-9]+)`)
	quoted  = regexp.MustCompile(`^"([^"\\\n]|\\.)*"`)
	numeral = regexp.MustCompile(`^-?(0x[0-9a-fA-F]+|[0-9]+(\.[0-9]*([eE][-+]?[0-9]+)?)?)`)
	wordEnd = regexp.MustCompile(`[\w$.]$`)
)

// space skips blanks and comments.
func (p *parser) space() {
	for p.at < len(p.file.Text) {
		rest := p.file.Text[p.at:]
		switch {
		case strings.ContainsRune(" \t\r\n", rune(rest[0])):
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
	n := len(bare.FindString(p.file.Text[p.at:]))
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
func (p *parser) match(re *regexp.Regexp) string {
	s := re.FindString(p.rest())
	p.at += len(s)
	return s
}

// is reports whether a text comes next: a word as a whole.
func (p *parser) is(text string) bool {
	rest, ok := strings.CutPrefix(p.rest(), text)
	return ok && !(wordEnd.MatchString(text) && rest != "" && wordEnd.MatchString(rest[:1]))
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
	s := suffix.FindString(p.file.Text[p.at:])
	check(s != "", at, "bad-syntax", "expected a name")
	p.at += len(s)
	return s
}

// balanced skips a bracket with all that is in it.
func (p *parser) balanced() {
	at := p.here()
	for depth := 0; ; {
		rest := p.rest()
		check(rest != "", at, "bad-syntax", "a bracket without its end")
		if s := quoted.FindString(rest); s != "" {
			p.at += len(s)
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

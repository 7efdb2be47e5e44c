// Package taso reads equations over tensor graphs in the form in which the TASO superoptimiser's rules are published,
// and states them as pairs of Glenside programs.
//
//	Term      name, or name(term, ...)
//	Equation  two terms: wherever the left one is defined, the right one is, and equal
//	Conv      how conv2d is read: ordinary, or grouped
//
// Start with [Parse]. What the operators mean is described in doc/taso.md.
package taso

import (
	"fmt"
	"strings"

	"tv/internal/source"
)

// A Term is a name with operands. Numbers are names without operands.
type Term struct {
	Name string
	Args []*Term
	Span source.Span
}

// String prints "matmul(input_1,input_2)".
func (t *Term) String() string {
	if len(t.Args) == 0 {
		return t.Name
	}
	args := make([]string, len(t.Args))
	for i, a := range t.Args {
		args[i] = a.String()
	}
	return t.Name + "(" + strings.Join(args, ",") + ")"
}

// An Equation claims that Right may stand for Left.
type Equation struct {
	Name        string // "taso-001", in the order of first occurrence
	Left, Right *Term
	Span        source.Span
}

// Parse reads the equations of a file: term == term, one after the other, blanks between them or not. An equation that
// occurs again is left out. Errors: source.Errors with one error.
func Parse(f *source.File) ([]*Equation, error) {
	p := &parser{f: f}
	var list []*Equation
	seen := map[string]bool{}
	for p.skip(); p.pos < len(f.Text); p.skip() {
		start := p.pos
		left, err := p.term(0)
		if err != nil {
			return nil, source.Errors{err}
		}
		if p.skip(); !strings.HasPrefix(f.Text[p.pos:], "==") {
			return nil, source.Errors{p.errorf(p.pos, "== is wanted between the terms of an equation")}
		}
		p.pos += len("==")
		p.skip()
		right, err := p.term(0)
		if err != nil {
			return nil, source.Errors{err}
		}
		if text := left.String() + "==" + right.String(); !seen[text] {
			seen[text] = true
			list = append(list, &Equation{Name: fmt.Sprintf("taso-%03d", len(list)+1), Left: left, Right: right,
				Span: source.Span{File: f, Start: start, End: p.pos}})
		}
	}
	if len(list) == 0 {
		return nil, source.Errors{source.Errorf(source.Span{File: f}, "no-rule", "there is no equation in the file")}
	}
	return list, nil
}

type parser struct {
	f   *source.File
	pos int
}

func (p *parser) errorf(at int, format string, args ...any) *source.Error {
	return source.Errorf(source.Span{File: p.f, Start: at, End: min(at+1, len(p.f.Text))}, "bad-equation", format, args...)
}

func (p *parser) skip() {
	for p.pos < len(p.f.Text) && strings.IndexByte(" \t\r\n", p.f.Text[p.pos]) >= 0 {
		p.pos++
	}
}

// maxDepth bounds the nesting of terms.
const maxDepth = 200

func (p *parser) term(depth int) (*Term, *source.Error) {
	start := p.pos
	for p.pos < len(p.f.Text) && isWord(p.f.Text[p.pos]) {
		p.pos++
	}
	if p.pos == start {
		return nil, p.errorf(start, "a name or a number is wanted here")
	}
	if depth > maxDepth {
		return nil, p.errorf(start, "terms nest more than %d deep", maxDepth)
	}
	t := &Term{Name: p.f.Text[start:p.pos]}
	if p.skip(); p.pos < len(p.f.Text) && p.f.Text[p.pos] == '(' {
		for {
			p.pos++ // "(" or ","
			p.skip()
			a, err := p.term(depth + 1)
			if err != nil {
				return nil, err
			}
			t.Args = append(t.Args, a)
			if p.skip(); p.pos == len(p.f.Text) || p.f.Text[p.pos] != ',' && p.f.Text[p.pos] != ')' {
				return nil, p.errorf(p.pos, "a comma or a closing parenthesis is wanted here")
			}
			if p.f.Text[p.pos] == ')' {
				p.pos++
				break
			}
		}
	}
	t.Span = source.Span{File: p.f, Start: start, End: p.pos}
	return t, nil
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
